//! A directory for what lives only as long as a run: object files, the linked program, the runtime library.
//!
//! The directory is private (mode 0700) and is removed when its owner drops it. If the owner was killed, the next one
//! who makes a directory removes it. An owner holds a lock on a file in its directory, which the kernel releases however
//! the process ends. A process id would not do, since several containers may share `/tmp`.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PREFIX: &str = "heddle-";
const LOCK: &str = ".owner";
/// A younger directory without a lock may be one whose owner is about to make the lock.
const SETTLED: Duration = Duration::from_secs(60);

/// A private directory, removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
    /// Holds the lock that says that the directory is in use.
    _owner: File,
}

impl TemporaryDirectory {
    /// A new one, in the system's directory for temporary files (`$TMPDIR`).
    pub fn new() -> io::Result<TemporaryDirectory> {
        let parent = std::env::temp_dir();
        remove_abandoned(&parent);
        loop {
            let path = make(&parent)?;
            let lock_file = path.join(LOCK);
            match File::create(&lock_file) {
                // Somebody who tidies may have come between the two and taken it for abandoned: then it is gone.
                Ok(owner) if owner.try_lock().is_ok() && lock_file.exists() => {
                    return Ok(TemporaryDirectory { path, _owner: owner });
                }
                Ok(_) => {}
                Err(error) => {
                    let _ = fs::remove_dir_all(&path);
                    return Err(error);
                }
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next one who makes a directory.
        let _ = remove(&self.path);
        // A compiler whose Heddle was killed may have been at work in one when this began.
        if let Some(parent) = self.path.parent() {
            remove_abandoned(parent);
        }
    }
}

/// Makes a directory that only its owner can use, with a name that nobody can guess.
fn make(parent: &Path) -> io::Result<PathBuf> {
    loop {
        let random = RandomState::new().hash_one(std::process::id());
        let path = parent.join(format!("{PREFIX}{random:016x}"));
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                let what = format!("cannot make a directory in {}: {error}", parent.display());
                return Err(io::Error::new(error.kind(), what));
            }
        }
    }
}

/// Removes a directory and what is in it, the lock last. If this process is killed meanwhile, the next one can tell that
/// the directory is abandoned.
fn remove(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)?.flatten().filter(|entry| entry.file_name() != LOCK) {
        let path = entry.path();
        if entry.file_type()?.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
    }
    remove_empty(path)
}

/// Removes a directory with nothing but the lock in it. If a compiler whose Heddle was killed has just put something
/// there, the lock is put back. Without it nobody could tell later that the directory is abandoned.
fn remove_empty(path: &Path) -> io::Result<()> {
    let _ = fs::remove_file(path.join(LOCK));
    fs::remove_dir(path).inspect_err(|_| drop(File::create(path.join(LOCK))))
}

/// Removes the directories of owners that were killed. Errors are ignored: the next one tries again.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().as_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let path = entry.path();
        match File::open(path.join(LOCK)) {
            Ok(owner) if owner.try_lock().is_ok() => drop(remove(&path)),
            Ok(_) => {}
            Err(_) => {
                let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|at| at.elapsed().ok());
                // Only if it is empty: it may be somebody else's after all.
                if age.is_some_and(|age| age > SETTLED) {
                    drop(fs::remove_dir(&path));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_removed_with_its_owner_and_not_before() {
        let directory = TemporaryDirectory::new().unwrap();
        let path = directory.path().to_owned();
        fs::write(path.join("object.o"), b"x").unwrap();
        remove_abandoned(path.parent().unwrap());
        assert!(path.join("object.o").exists());
        drop(directory);
        assert!(!path.exists());
    }

    #[test]
    fn is_removed_by_the_next_when_its_owner_was_killed() {
        let parent = TemporaryDirectory::new().unwrap();
        let abandoned = parent.path().join(format!("{PREFIX}gone"));
        fs::create_dir(&abandoned).unwrap();
        File::create(abandoned.join(LOCK)).unwrap();
        remove_abandoned(parent.path());
        assert!(!abandoned.exists());
    }

    #[test]
    fn one_that_somebody_still_writes_to_is_removed_later() {
        let parent = TemporaryDirectory::new().unwrap();
        let abandoned = parent.path().join(format!("{PREFIX}gone"));
        fs::create_dir(&abandoned).unwrap();
        fs::write(abandoned.join("late.o"), b"x").unwrap();
        remove_empty(&abandoned).unwrap_err();
        assert!(abandoned.join("late.o").exists());
        remove_abandoned(parent.path());
        assert!(!abandoned.exists());
    }

    #[test]
    fn one_that_is_being_made_is_left_alone() {
        let parent = TemporaryDirectory::new().unwrap();
        let young = parent.path().join(format!("{PREFIX}young"));
        fs::create_dir(&young).unwrap();
        remove_abandoned(parent.path());
        assert!(young.exists());
        let long_ago = std::time::SystemTime::now() - 2 * SETTLED;
        File::open(&young).unwrap().set_modified(long_ago).unwrap();
        remove_abandoned(parent.path());
        assert!(!young.exists());
    }
}
