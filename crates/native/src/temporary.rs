//! Temporary directories, for files that live only as long as a run: object files, the linked program, the runtime library.
//!
//! The directory is private (mode 0700) and is removed when its owner drops it. If the owner was killed, the next one
//! who makes a directory removes it. An owner holds a lock on the directory itself, which the kernel releases however
//! the process ends. A process id would not do, since several containers may share `/tmp`.
//!
//! A directory gets the name that others look for when it is locked already, so nobody can take it for abandoned while it
//! is being made. Until then it has another name. Who removes a directory holds its lock.
//!
//! The parent may be everybody's. So nothing in it is opened before the kernel has said that it is a directory and ours, no link
//! is followed, nothing that is opened makes us wait, and what is removed is removed through the descriptor that is locked.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

/// How the names of directories begin.
const PREFIX: &str = "heddle-";
/// How the name of a directory begins that is not locked yet.
const UNBORN: &str = ".heddle-";
/// How many digits follow.
const DIGITS: usize = 32;
/// The age from which an empty directory that is not locked yet counts as abandoned.
const SETTLED: Duration = Duration::from_secs(60);
/// How deep directories are removed. What is deeper stays, and its parents with it.
const DEEP: u32 = 200;

/// A private directory, removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
    parent: OwnedFd,
    /// The directory. It holds the lock that says that it is in use.
    owner: OwnedFd,
}

impl TemporaryDirectory {
    /// Makes a directory in the system's directory for temporary files (`$TMPDIR`).
    pub fn new() -> io::Result<TemporaryDirectory> {
        let parent = std::env::temp_dir();
        if let Ok(opened) = open_parent(&parent) {
            remove_abandoned(opened.as_fd());
        }
        TemporaryDirectory::new_in(&parent)
    }

    fn new_in(parent: &Path) -> io::Result<TemporaryDirectory> {
        let cannot = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot create a directory in {}: {error}", parent.display()))
        };
        let opened = open_parent(parent).map_err(cannot)?;
        loop {
            let digits = draw()?;
            let (unborn, name) = (format!("{UNBORN}{digits}"), format!("{PREFIX}{digits}"));
            match rustix::fs::mkdirat(&opened, unborn.as_str(), Mode::RWXU) {
                Ok(()) => {}
                Err(Errno::EXIST) => continue,
                Err(error) => return Err(cannot(error.into())),
            }
            // None: somebody has put another one there, or taken this one for abandoned, because this process was stopped for so long.
            let Some(owner) = open_own(opened.as_fd(), unborn.as_ref()) else { continue };
            match rustix::fs::flock(&owner, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => continue,
                // There are file systems without locks. Nobody can take the lock there, so nobody removes the directory.
                Ok(()) | Err(_) => {}
            }
            match rustix::fs::renameat(&opened, unborn.as_str(), &opened, name.as_str()) {
                Ok(()) if is_still(opened.as_fd(), name.as_ref(), owner.as_fd()) => {
                    return Ok(TemporaryDirectory { path: parent.join(name), parent: opened, owner });
                }
                // Taken for abandoned, as above, and gone before it was locked.
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => {
                    let _ = rustix::fs::unlinkat(&opened, unborn.as_str(), AtFlags::REMOVEDIR);
                    return Err(cannot(error.into()));
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
        if let Some(name) = self.path.file_name() {
            remove(self.parent.as_fd(), name, self.owner.as_fd());
        }
        // A compiler whose Heddle was killed may have been at work in one when this began.
        remove_abandoned(self.parent.as_fd());
    }
}

/// Digits that nobody can guess.
fn draw() -> io::Result<String> {
    let mut bytes = [0u8; DIGITS / 2];
    // SAFETY: fills bytes of our own.
    if unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) } != bytes.len() as isize {
        return Err(io::Error::last_os_error());
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn open_parent(parent: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(parent, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Opens directory `name` in `parent`, if it is a directory, no link, and ours. Never waits.
fn open_own(parent: BorrowedFd<'_>, name: &OsStr) -> Option<OwnedFd> {
    // A pipe is not even opened: whoever waits for a reader would see one.
    let is_own = |status: Stat| {
        FileType::from_raw_mode(status.st_mode) == FileType::Directory
            && status.st_uid == rustix::process::geteuid().as_raw()
    };
    let named = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if !is_own(named) {
        return None;
    }
    let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let directory = rustix::fs::openat(parent, name, how, Mode::empty()).ok()?;
    rustix::fs::fstat(&directory).is_ok_and(is_own).then_some(directory)
}

/// Whether `name` in `parent` is what was opened as `directory`.
fn is_still(parent: BorrowedFd<'_>, name: &OsStr, directory: BorrowedFd<'_>) -> bool {
    let (named, opened) = (rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW), rustix::fs::fstat(directory));
    matches!((named, opened), (Ok(named), Ok(opened)) if (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino))
}

/// Removes `directory`, which is `name` in `parent`, with all that is in it.
fn remove(parent: BorrowedFd<'_>, name: &OsStr, directory: BorrowedFd<'_>) {
    empty(directory, 0);
    // A directory that is not empty, or another one that has the name now, stays.
    if is_still(parent, name, directory) {
        let _ = rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR);
    }
}

/// Removes all that is in `directory`.
fn empty(directory: BorrowedFd<'_>, depth: u32) {
    let Ok(entries) = Dir::read_from(directory) else { return };
    for entry in entries.flatten() {
        let name: &CStr = entry.file_name();
        if [c".", c".."].contains(&name) || rustix::fs::unlinkat(directory, name, AtFlags::empty()).is_ok() {
            continue;
        }
        // A directory that nobody may read can be removed if it is empty, or opened once its owner says so.
        if rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR).is_ok() || depth == DEEP {
            continue;
        }
        let os = OsStr::from_bytes(name.to_bytes());
        let inner = open_own(directory, os).or_else(|| {
            let named = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            let is_directory = FileType::from_raw_mode(named.st_mode) == FileType::Directory;
            is_directory.then(|| rustix::fs::chmodat(directory, name, Mode::RWXU, AtFlags::empty()).ok()).flatten()?;
            open_own(directory, os)
        });
        if let Some(inner) = inner {
            empty(inner.as_fd(), depth + 1);
            let _ = rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR);
        }
    }
}

/// Whether `name` is one that [`TemporaryDirectory::new`] gives: others that begin like that (`heddle-out`, a cache) are not ours to remove.
fn is_name(name: &[u8], prefix: &str) -> bool {
    let digits = name.strip_prefix(prefix.as_bytes()).unwrap_or_default();
    digits.len() == DIGITS && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Removes the directories of owners that were killed. Errors are ignored: the next one tries again.
fn remove_abandoned(parent: BorrowedFd<'_>) {
    let Ok(entries) = Dir::read_from(parent) else { return };
    for entry in entries.flatten() {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        let is_unborn = is_name(name.as_bytes(), UNBORN);
        if !is_unborn && !is_name(name.as_bytes(), PREFIX) {
            continue;
        }
        // Others' directories of the same name are none of our business, even if we could remove them.
        let Some(directory) = open_own(parent, name) else { continue };
        // Its owner is about to lock it. To lock it meanwhile, even for a moment, would be in the way.
        if is_unborn && age(directory.as_fd()).is_none_or(|age| age <= SETTLED) {
            continue;
        }
        if rustix::fs::flock(&directory, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        // Its owner may have renamed or removed it meanwhile, and somebody else may have made another one.
        if !is_still(parent, name, directory.as_fd()) {
            continue;
        }
        if is_unborn {
            let _ = rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR);
        } else {
            remove(parent, name, directory.as_fd());
        }
    }
}

/// How long ago a directory was changed.
fn age(directory: BorrowedFd<'_>) -> Option<Duration> {
    let changed = u64::try_from(rustix::fs::fstat(directory).ok()?.st_mtime).ok()?;
    SystemTime::now().duration_since(UNIX_EPOCH.checked_add(Duration::from_secs(changed))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn tidy(parent: &Path) {
        remove_abandoned(open_parent(parent).unwrap().as_fd());
    }

    #[test]
    fn is_removed_with_its_owner_and_not_before() {
        let directory = TemporaryDirectory::new().unwrap();
        let path = directory.path().to_owned();
        fs::write(path.join("object.o"), b"x").unwrap();
        tidy(path.parent().unwrap());
        assert!(path.join("object.o").exists());
        drop(directory);
        assert!(!path.exists());
    }

    #[test]
    fn is_removed_by_the_next_when_its_owner_was_killed() {
        let parent = TemporaryDirectory::new().unwrap();
        let abandoned = parent.path().join(format!("{PREFIX}0123456789abcdef0123456789abcdef"));
        fs::create_dir(&abandoned).unwrap();
        fs::write(abandoned.join("late.o"), b"x").unwrap();
        tidy(parent.path());
        assert!(!abandoned.exists());
    }

    #[test]
    fn one_that_is_being_made_is_left_alone() {
        let parent = TemporaryDirectory::new().unwrap();
        let young = parent.path().join(format!("{UNBORN}0123456789abcdef0123456789abcdef"));
        fs::create_dir(&young).unwrap();
        tidy(parent.path());
        assert!(young.exists());
        let long_ago = std::time::SystemTime::now() - 2 * SETTLED;
        File::open(&young).unwrap().set_modified(long_ago).unwrap();
        tidy(parent.path());
        assert!(!young.exists());
    }

    /// A user may call a directory for results, or Heddle a cache, by a name that begins like these.
    #[test]
    fn others_with_similar_names_are_left_alone() {
        let parent = TemporaryDirectory::new().unwrap();
        for name in [
            "heddle-out",
            "heddle-cache-0",
            "heddle-0123456789ABCDEF0123456789abcdef",
            "heddle-0123456789abcdef0123456789abcdef0",
            "heddle-",
        ] {
            fs::create_dir(parent.path().join(name)).unwrap();
            tidy(parent.path());
            assert!(parent.path().join(name).exists(), "{name}");
        }
    }

    /// What others may plant in a directory that is everybody's, by a name of ours: it is neither opened nor followed nor removed, and
    /// nobody waits.
    #[test]
    fn what_is_planted_stays() {
        let parent = TemporaryDirectory::new().unwrap();
        let planted = |number: u32| parent.path().join(format!("{PREFIX}{number:032x}"));
        let precious = parent.path().join("precious");
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("file"), b"x").unwrap();
        std::os::unix::fs::symlink(&precious, planted(1)).unwrap();
        fs::write(planted(2), b"a file").unwrap();
        let pipe = std::ffi::CString::new(planted(3).as_os_str().as_bytes()).unwrap();
        // SAFETY: a path that ends in zero.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        let began = std::time::Instant::now();
        tidy(parent.path());
        assert!(began.elapsed() < Duration::from_secs(5));
        assert!(precious.join("file").exists() && (1..=3).all(|number| planted(number).symlink_metadata().is_ok()));
        // Only the superuser can make what belongs to somebody else.
        fs::create_dir(planted(4)).unwrap();
        if std::os::unix::fs::chown(planted(4), Some(4242), Some(4242)).is_ok() {
            tidy(parent.path());
            assert!(planted(4).exists(), "it is another user's");
        }
    }

    /// A link inside goes, what it leads to stays. Directories that cannot be read go.
    #[test]
    fn what_is_inside_goes_and_nothing_else() {
        let parent = TemporaryDirectory::new().unwrap();
        let precious = parent.path().join("precious");
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("file"), b"x").unwrap();
        let directory = TemporaryDirectory::new_in(parent.path()).unwrap();
        let path = directory.path().to_owned();
        std::os::unix::fs::symlink(&precious, path.join("link")).unwrap();
        fs::create_dir_all(path.join("a/b/c")).unwrap();
        fs::write(path.join("a/b/c/d"), b"x").unwrap();
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path.join("a/b"), fs::Permissions::from_mode(0)).unwrap();
        drop(directory);
        assert!(!path.exists() && precious.join("file").exists());
    }

    #[test]
    fn a_parent_that_is_none_is_named() {
        let parent = TemporaryDirectory::new().unwrap();
        let file = parent.path().join("file");
        fs::write(&file, b"x").unwrap();
        for wrong in [file, parent.path().join("missing")] {
            let error = TemporaryDirectory::new_in(&wrong).unwrap_err().to_string();
            assert!(error.contains(&wrong.display().to_string()), "{error}");
        }
    }

    #[test]
    fn a_link_is_not_followed() {
        let parent = TemporaryDirectory::new().unwrap();
        let target = parent.path().join("precious");
        fs::create_dir(&target).unwrap();
        std::os::unix::fs::symlink(&target, parent.path().join(format!("{PREFIX}000000000000000000000000000000ff")))
            .unwrap();
        tidy(parent.path());
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
                    tidy(&parent);
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
        tidy(parent.path());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
