//! The runtime library, embedded in this crate.

use std::io;
use std::path::{Path, PathBuf};

/// The library's name, as programs that are linked with it request it from the loader.
pub const NAME: &str = "libheddle_runtime.so";

/// The library's file.
pub static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libheddle_runtime.so"));

/// Writes the library into `directory`, for the linker and the program's loader.
pub fn write_to(directory: &Path) -> io::Result<PathBuf> {
    let path = directory.join(NAME);
    if !path.exists() {
        std::fs::write(&path, BYTES)?;
    }
    Ok(path)
}
