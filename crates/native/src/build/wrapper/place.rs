//! The permanent directory with the runtime library and the headers that programs are built against.
//!
//! The directory's name contains a digest of its contents, so that programs built by one version of Heddle still run when
//! another version is installed. It is renamed into place when it is complete, because builds run many compilers at once.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use super::WrapperError;
use crate::build::{instrument, library};

/// The name of the directory for headers within the permanent directory.
pub const INCLUDE: &str = "include";

/// The path of the permanent directory. It is made if it does not exist.
pub fn find() -> Result<PathBuf, WrapperError> {
    let parent = parent();
    let mut digest = DefaultHasher::new();
    library::BYTES.hash(&mut digest);
    instrument::HEADERS.iter().for_each(|header| (header.name, header.text).hash(&mut digest));
    let place = parent.join(format!("runtime-{:016x}", digest.finish()));
    match place.metadata() {
        Ok(data) if data.uid() == own_uid() => Ok(place),
        // Somebody else's library would be loaded into our programs.
        Ok(_) => Err(WrapperError::Place(place, io::Error::other("belongs to somebody else"))),
        Err(_) => make(&parent, &place).map(|()| place.clone()).map_err(|error| WrapperError::Place(place, error)),
    }
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The parent of the permanent directory: `$HEDDLE_CACHE`, else the user's cache directory, else, for users without a home
/// directory, the system's directory for temporary files.
fn parent() -> PathBuf {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches =
        || named("XDG_CACHE_HOME").or_else(|| named("HOME").filter(|home| home.is_dir()).map(|h| h.join(".cache")));
    let temporary = || env::temp_dir().join(format!("heddle-cache-{}", own_uid()));
    let parent =
        named("HEDDLE_CACHE").or_else(|| caches().map(|caches| caches.join("heddle"))).unwrap_or_else(temporary);
    std::path::absolute(&parent).unwrap_or(parent)
}

fn make(parent: &Path, place: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(parent)?;
    let new = parent.join(format!(".new-{}", std::process::id()));
    let _ = fs::remove_dir_all(&new);
    fs::create_dir(&new)?;
    let headers = new.join(INCLUDE);
    fs::create_dir_all(headers.join("bits"))?;
    for header in instrument::HEADERS {
        fs::write(headers.join(header.name), header.text)?;
    }
    library::write_to(&new)?;
    match fs::rename(&new, place) {
        Err(_) if place.is_dir() => fs::remove_dir_all(&new), // Another compiler was faster.
        result => result,
    }
}
