//! The permanent directory: the runtime library and the headers that programs are built against, and the cache.
//!
//! The library's directory has a name that contains a digest of its contents, so that programs built by one version of
//! Heddle still run when another version is installed. It is renamed into place when it is complete, because builds run
//! many compilers at once.

use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use xxhash_rust::xxh3::Xxh3;

use crate::build::{instrument, library};

/// The name of the directory for headers within the directory of the library.
pub const INCLUDE: &str = "include";

/// A digest of the runtime library and the headers: what a program is built against.
pub fn digest() -> u64 {
    let mut digest = Xxh3::new();
    digest.update(library::BYTES);
    for header in instrument::HEADERS {
        [header.name, "\0", header.text, "\0"].iter().for_each(|text| digest.update(text.as_bytes()));
    }
    digest.digest()
}

/// The path of the library's directory. It is made if it does not exist. The error names the path.
pub fn find() -> Result<PathBuf, (PathBuf, io::Error)> {
    let parent = parent();
    let place = parent.join(format!("runtime-{:016x}", digest()));
    match place.join(library::NAME).metadata() {
        Ok(data) if data.uid() == own_uid() && data.len() == library::BYTES.len() as u64 => Ok(place),
        // Somebody else's library would be loaded into our programs.
        Ok(data) if data.uid() != own_uid() => Err((place, io::Error::other("belongs to another user"))),
        Ok(_) => Err((place, io::Error::other("is damaged; remove it"))),
        Err(_) => make(&parent, &place).map(|()| place.clone()).map_err(|error| (place, error)),
    }
}

pub fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The parent of the permanent directories: `$HEDDLE_CACHE`, else the user's cache directory, else, for users without a
/// home directory, the system's directory for temporary files.
pub fn parent() -> PathBuf {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches =
        || named("XDG_CACHE_HOME").or_else(|| named("HOME").filter(|home| home.is_dir()).map(|h| h.join(".cache")));
    let temporary = || env::temp_dir().join(format!("heddle-cache-{}", own_uid()));
    let parent =
        named("HEDDLE_CACHE").or_else(|| caches().map(|caches| caches.join("heddle"))).unwrap_or_else(temporary);
    std::path::absolute(&parent).unwrap_or(parent)
}

fn make(parent: &Path, place: &Path) -> io::Result<()> {
    let new = unfinished(parent)?;
    write_headers(&new.join(INCLUDE))?;
    library::write_to(&new)?;
    match fs::rename(&new, place) {
        Err(_) if place.is_dir() => fs::remove_dir_all(&new), // Another compiler was faster.
        result => result,
    }
}

/// Writes the headers into `directory`, which is made.
pub fn write_headers(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory.join("bits"))?;
    instrument::HEADERS.iter().try_for_each(|header| fs::write(directory.join(header.name), header.text))
}

/// A new directory in `parent` with a name that nobody else uses, to be renamed when it is complete.
pub fn unfinished(parent: &Path) -> io::Result<PathBuf> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(parent)?;
    let new = parent.join(format!(".new-{:016x}", RandomState::new().hash_one(std::process::id())));
    fs::create_dir(&new)?;
    Ok(new)
}
