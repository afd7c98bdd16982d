//! The runtime library, embedded in this crate.

use std::io;
use std::path::{Path, PathBuf};

use super::{cache, place};

/// The library's name, as programs that are linked with it request it from the loader.
pub const NAME: &str = "libheddle_runtime.so";

/// The library's file.
pub static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libheddle_runtime.so"));

/// A directory with the library, and with the headers in a directory of its own: the permanent one, or `private` where there is
/// none or the cache is off.
pub fn place(private: &Path) -> io::Result<PathBuf> {
    if cache::is_on()
        && let Ok(place) = place::find()
    {
        return Ok(place);
    }
    place::write_headers(&private.join(place::INCLUDE))?;
    write_to(private)?;
    Ok(private.to_owned())
}

/// Writes the library into `directory`, for the linker and the program's loader.
pub fn write_to(directory: &Path) -> io::Result<PathBuf> {
    let path = directory.join(NAME);
    if !path.exists() {
        std::fs::write(&path, BYTES)?;
    }
    Ok(path)
}
