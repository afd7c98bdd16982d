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
    must_be_own(&parent).map_err(|error| (parent.clone(), error))?;
    // No links: they may lead to what somebody else can change.
    let kind = |path: &Path| path.symlink_metadata();
    match kind(&place).and_then(|folder| kind(&place.join(library::NAME)).map(|file| (folder, file))) {
        // Somebody else's library would be loaded into our programs.
        Ok((folder, file))
            if [&folder, &file].iter().any(|data| data.uid() != own_uid() || data.mode() & 0o022 != 0) =>
        {
            Err((place, io::Error::other("belongs to another user, or others can write to it")))
        }
        Ok((folder, file)) if folder.is_dir() && file.is_file() && file.len() == library::BYTES.len() as u64 => {
            Ok(place)
        }
        Ok(_) => Err((place, io::Error::other("is damaged; remove it"))),
        Err(_) => make(&parent, &place).map(|()| place.clone()).map_err(|error| (place, error)),
    }
}

pub fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether the parent of the permanent directories is nobody else's, if it is there: a directory of ours to which nobody else can
/// write. In the directory for temporary files, anybody could have made it.
pub fn must_be_own(parent: &Path) -> io::Result<()> {
    let refuse = |what: &str| Err(io::Error::other(what.to_owned()));
    match parent.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        // The user's own link may lead anywhere; what it leads to is looked at.
        Ok(link) if link.is_symlink() && link.uid() == own_uid() => {
            let data = parent.metadata()?;
            let is_own = data.is_dir() && data.uid() == own_uid() && data.mode() & 0o022 == 0;
            if is_own { Ok(()) } else { refuse("leads to a directory that is not only yours") }
        }
        Ok(data) if !data.is_dir() => refuse("is no directory"),
        Ok(data) if data.uid() != own_uid() => refuse("belongs to another user"),
        Ok(data) if data.mode() & 0o022 != 0 => refuse("can be written to by others"),
        Ok(_) => Ok(()),
    }
}

/// The parent of the permanent directories: `$HEDDLE_CACHE`, else the user's cache directory, else, for users without a
/// home directory, one that only the user can enter, in the system's directory for temporary files.
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
    let private = !parent.exists() && parent.parent() == Some(env::temp_dir().as_path());
    if private {
        // Not made on the way: whoever has made it meanwhile is noticed.
        fs::DirBuilder::new().mode(0o700).create(parent).or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => must_be_own(parent),
            _ => Err(error),
        })?;
    }
    fs::DirBuilder::new().recursive(true).mode(0o755).create(parent)?;
    must_be_own(parent)?;
    let new = parent.join(format!(".new-{:016x}", RandomState::new().hash_one(std::process::id())));
    fs::create_dir(&new)?;
    Ok(new)
}
