//! The runtime library, which is part of this one.

use std::io;
use std::path::{Path, PathBuf};

/// Its name, as programs that are linked with it ask for it.
pub const NAME: &str = "libheddle_runtime.so";

/// The library itself.
pub static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libheddle_runtime.so"));

/// Writes it into `directory`, where the linker and the program's loader can find it.
pub fn write_to(directory: &Path) -> io::Result<PathBuf> {
    let path = directory.join(NAME);
    if !path.exists() {
        std::fs::write(&path, BYTES)?;
    }
    Ok(path)
}
