//! Temporary directories, for files that live only as long as a run: object files, the linked program, the runtime library.
//!
//! The directory is private (mode 0700) and is removed when its owner drops it. If the owner was killed, the next one
//! who makes a directory removes it. An owner holds a lock on the directory itself, which the kernel releases however
//! the process ends. A process id would not do, since several containers may share `/tmp`.
//!
//! A directory gets the name that others look for when it is locked already, so nobody can take it for abandoned while it
//! is being made. Until then it has another name. Who removes a directory holds its lock.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How the names of directories begin.
const PREFIX: &str = "heddle-";
/// How the name of a directory begins that is not locked yet.
const UNBORN: &str = ".heddle-";
/// How many digits follow.
const DIGITS: usize = 16;
/// The age from which an empty directory that is not locked yet counts as abandoned.
const SETTLED: Duration = Duration::from_secs(60);

/// A private directory, removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
    /// Holds the lock that says that the directory is in use.
    _owner: File,
}

impl TemporaryDirectory {
    /// Makes a directory in the system's directory for temporary files (`$TMPDIR`).
    pub fn new() -> io::Result<TemporaryDirectory> {
        let parent = std::env::temp_dir();
        remove_abandoned(&parent);
        TemporaryDirectory::new_in(&parent)
    }

    fn new_in(parent: &Path) -> io::Result<TemporaryDirectory> {
        loop {
            let unborn = make(parent)?;
            let owner = File::open(&unborn)?;
            // It fails on file systems without locks. Nobody can take the lock there, so nobody removes the directory.
            if let Err(fs::TryLockError::WouldBlock) = owner.try_lock() {
                // This process was stopped for so long that the directory was taken for abandoned.
                let _ = fs::remove_dir(&unborn);
                continue;
            }
            let name = unborn.file_name().expect("it was made with a name").to_string_lossy().into_owned();
            let path = parent.join(&name[1..]);
            match fs::rename(&unborn, &path) {
                Ok(()) => return Ok(TemporaryDirectory { path, _owner: owner }),
                // Taken for abandoned, as above, and gone before it was locked.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let _ = fs::remove_dir(&unborn);
                    return Err(error);
                }
            }
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next one who makes a directory.
        let _ = fs::remove_dir_all(&self.path);
        // A compiler whose Heddle was killed may have been at work in one when this began.
        if let Some(parent) = self.path.parent() {
            remove_abandoned(parent);
        }
    }
}

/// Makes a directory that only its owner can use, with a name that nobody can guess and nobody looks for yet.
fn make(parent: &Path) -> io::Result<PathBuf> {
    loop {
        let random = RandomState::new().hash_one(std::process::id());
        let path = parent.join(format!("{UNBORN}{random:016x}"));
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                let what = format!("cannot create a directory in {}: {error}", parent.display());
                return Err(io::Error::new(error.kind(), what));
            }
        }
    }
}

/// Whether `name` is one that [`make`] gives: others that begin like that (`heddle-out`, a cache) are not ours to remove.
fn is_name(name: &[u8], prefix: &str) -> bool {
    let digits = name.strip_prefix(prefix.as_bytes()).unwrap_or_default();
    digits.len() == DIGITS && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Removes the directories of owners that were killed. Errors are ignored: the next one tries again.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_unborn = is_name(name.as_bytes(), UNBORN);
        if !is_unborn && !is_name(name.as_bytes(), PREFIX) {
            continue;
        }
        let path = entry.path();
        let age = || entry.metadata().and_then(|m| m.modified()).ok().and_then(|at| at.elapsed().ok());
        // Its owner is about to lock it. To lock it meanwhile, even for a moment, would be in the way.
        if is_unborn && age().is_none_or(|age| age <= SETTLED) {
            continue;
        }
        let Some(_lock) = lock(&path) else { continue };
        if is_unborn {
            let _ = fs::remove_dir(&path);
        } else {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// Locks the directory at `path`, if it is ours and nobody has locked it.
fn lock(path: &Path) -> Option<File> {
    let named = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_dir)?;
    // Others' directories of the same name are none of our business, even if we could remove them.
    let own = rustix::process::geteuid().as_raw();
    let file = File::open(path).ok().filter(|_| named.uid() == own)?;
    file.try_lock().ok()?;
    // Its owner may have renamed or removed it meanwhile, and somebody else may have made another one.
    let (now, locked) = (fs::symlink_metadata(path).ok()?, file.metadata().ok()?);
    (now.dev() == locked.dev() && now.ino() == locked.ino()).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

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
        let abandoned = parent.path().join(format!("{PREFIX}0123456789abcdef"));
        fs::create_dir(&abandoned).unwrap();
        fs::write(abandoned.join("late.o"), b"x").unwrap();
        remove_abandoned(parent.path());
        assert!(!abandoned.exists());
    }

    #[test]
    fn one_that_is_being_made_is_left_alone() {
        let parent = TemporaryDirectory::new().unwrap();
        let young = parent.path().join(format!("{UNBORN}0123456789abcdef"));
        fs::create_dir(&young).unwrap();
        remove_abandoned(parent.path());
        assert!(young.exists());
        let long_ago = std::time::SystemTime::now() - 2 * SETTLED;
        File::open(&young).unwrap().set_modified(long_ago).unwrap();
        remove_abandoned(parent.path());
        assert!(!young.exists());
    }

    /// A user may call a directory for results, or Heddle a cache, by a name that begins like these.
    #[test]
    fn others_with_similar_names_are_left_alone() {
        let parent = TemporaryDirectory::new().unwrap();
        for name in ["heddle-out", "heddle-cache-0", "heddle-0123456789ABCDEF", "heddle-0123456789abcdef0", "heddle-"] {
            fs::create_dir(parent.path().join(name)).unwrap();
            remove_abandoned(parent.path());
            assert!(parent.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_link_is_not_followed() {
        let parent = TemporaryDirectory::new().unwrap();
        let target = parent.path().join("precious");
        fs::create_dir(&target).unwrap();
        std::os::unix::fs::symlink(&target, parent.path().join(format!("{PREFIX}00000000000000ff"))).unwrap();
        remove_abandoned(parent.path());
        assert!(target.exists());
    }

    /// Many make directories while others tidy as fast as they can: each keeps its directory until it drops it.
    #[test]
    fn those_who_make_and_those_who_tidy_do_not_disturb_each_other() {
        let parent = TemporaryDirectory::new().unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let tidying = (0..3).map(|_| {
            let (over, parent) = (Arc::clone(&over), parent.path().to_owned());
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    remove_abandoned(&parent);
                }
            })
        });
        let tidying: Vec<_> = tidying.collect();
        let makers: Vec<_> = (0..4)
            .map(|_| {
                let parent = parent.path().to_owned();
                std::thread::spawn(move || {
                    for _ in 0..500 {
                        let directory = TemporaryDirectory::new_in(&parent).unwrap();
                        fs::write(directory.path().join("x"), b"x").unwrap();
                        fs::create_dir(directory.path().join("d")).unwrap();
                        assert!(directory.path().join("x").exists());
                    }
                })
            })
            .collect();
        let results: Vec<_> = makers.into_iter().map(std::thread::JoinHandle::join).collect();
        over.store(true, Ordering::Relaxed);
        tidying.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(results.iter().all(Result::is_ok));
        // Two that remove one directory at once may both give up. It is nobody's then, and goes at the next start.
        remove_abandoned(parent.path());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
