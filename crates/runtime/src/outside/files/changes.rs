//! System calls that create, change and remove files. They act on copies, never on the disk.
//!
//! A file is copied when it is first opened for writing or otherwise changed. From then on its name refers to the copy.
//! The kernel is asked first whether the program may change the real file, so a call that would be refused is refused.
//! As with the kernel's overlay file systems, a directory on disk cannot be renamed (`EXDEV`), and a file gets another
//! inode when it is changed.

use super::path::{Path, link_of};
use super::{Call, Fails, Kind, descriptors, entries, listing, system};
use crate::outside::trap;
use crate::schedule;

const OPEN: usize = 2;
const CLOSE: usize = 3;
const ACCESS: usize = 21;
const SENDFILE: usize = 40;
const MKDIR: usize = 83;
const RMDIR: usize = 84;
const LINK: usize = 86;
const UNLINK: usize = 87;
const SYMLINK: usize = 88;
const FCHMOD: usize = 91;
const MKNOD: usize = 133;
const FUTIMENS: usize = 280;

const EPERM: isize = -1;
const ENOENT: isize = -2;
const EACCES: isize = -13;
const EEXIST: isize = -17;
const EXDEV: isize = -18;
const ENOTDIR: isize = -20;
const EISDIR: isize = -21;
const EINVAL: isize = -22;
const ENOTEMPTY: isize = -39;

/// The bits of the flags that ask for writing.
const WRITES: usize = 3;
const CREATE: usize = 0o100;
const EXCLUSIVE: usize = 0o200;
const TRUNCATE: usize = 0o1000;
const NO_FOLLOW: usize = 0o400_000;
const PATH_ONLY: usize = 0o10_000_000;
const UNNAMED: usize = 0o20_000_000;

const CAN_WRITE: usize = 2;
const CAN_SEARCH: usize = 1;

/// Whether an `open` with these flags can change anything.
pub fn can_change(flags: usize) -> bool {
    flags & PATH_ONLY == 0 && (flags & WRITES != 0 || flags & (CREATE | TRUNCATE | UNNAMED) != 0)
}

/// Whether an `open` with these flags follows a symbolic link at the end.
pub fn follows(flags: usize) -> bool {
    flags & NO_FOLLOW == 0 && flags & (CREATE | EXCLUSIVE) != CREATE | EXCLUSIVE
}

/// Opens `path`. Returns the descriptor.
pub fn open(path: &Path, flags: usize, mode: usize) -> Fails<isize> {
    let kind = match entries::kind(path) {
        Err(ENOENT) if flags & CREATE != 0 && flags & PATH_ONLY == 0 => return create(path, flags, mode),
        kind => kind?,
    };
    if flags & UNNAMED == UNNAMED && kind == Kind::Directory {
        may_change_names_in(path)?;
        let scratch = Path::from_bytes(entries::scratch())?;
        return system(OPEN, [scratch.address(), flags, mode, 0, 0]);
    }
    if flags & (CREATE | EXCLUSIVE) == CREATE | EXCLUSIVE {
        return Err(EEXIST);
    }
    let flags = flags & !(CREATE | EXCLUSIVE);
    if kind == Kind::Regular && can_change(flags) {
        copy_up(path, flags & TRUNCATE == 0, true)?;
    }
    system(OPEN, [entries::place(path)?.address(), flags, mode, 0, 0])
}

fn create(path: &Path, flags: usize, mode: usize) -> Fails<isize> {
    may_change_names_in(&path.parent())?;
    let (number, place) = entries::new_file();
    let file = system(OPEN, [place.address(), flags | EXCLUSIVE, mode, 0, 0])?;
    entries::put(path, number, None);
    Ok(file)
}

/// Whether the program may create and remove names in `directory`.
fn may_change_names_in(directory: &Path) -> Fails<()> {
    if entries::kind(directory)? != Kind::Directory {
        return Err(ENOTDIR);
    }
    system(ACCESS, [entries::place(directory)?.address(), CAN_WRITE | CAN_SEARCH, 0, 0, 0]).map(|_| ())
}

/// Copies the file at `path`, which exists, into the scratch directory. Returns where the copy is. Without its
/// `contents` if they are going to be truncated. If `writes`, the real file must be writable; its mode can be
/// changed by its owner regardless.
fn copy_up(path: &Path, contents: bool, writes: bool) -> Fails<Path> {
    let real = entries::place(path)?;
    if entries::number(path).is_some() {
        return Ok(real);
    }
    let status = entries::status(path)?;
    let (number, place) = entries::new_file();
    match status.kind() {
        Kind::Regular => {
            if writes {
                system(ACCESS, [real.address(), CAN_WRITE, 0, 0, 0])?;
            }
            copy(&real, &place, status.permissions(), status.times(), contents);
            let identity = entries::identity(path);
            entries::put(path, number, Some(identity));
            descriptors::move_open(identity, place.address());
            return Ok(place);
        }
        Kind::Link => system(SYMLINK, [link_of(&real)?.address(), place.address(), 0, 0, 0])?,
        Kind::Directory => schedule::unsupported("a change to the mode, owner or times of a directory", trap::place()),
        Kind::Other => return Err(EPERM),
    };
    entries::put(path, number, None);
    Ok(place)
}

/// Copies a file that is open. All descriptors that refer to it refer to the copy from then on.
pub fn copy_open(path: &Path) -> Fails<()> {
    copy_up(path, true, false).map(|_| ())
}

/// Copies a file with its permissions and times. If there is no room for the copy, the program is not told: the
/// execution ends.
fn copy(from: &Path, to: &Path, permissions: usize, times: [u64; 4], contents: bool) {
    const CREATE_TO_WRITE: usize = 0o301;
    const MOST: usize = 1 << 30;
    let copied = || -> Fails<()> {
        let source = system(OPEN, [from.address(), 0, 0, 0, 0])?;
        let target = system(OPEN, [to.address(), CREATE_TO_WRITE, 0o600, 0, 0])?;
        while contents && system(SENDFILE, [target as usize, source as usize, 0, MOST, 0])? > 0 {}
        system(FCHMOD, [target as usize, permissions, 0, 0, 0])?;
        system(FUTIMENS, [target as usize, 0, times.as_ptr() as usize, 0, 0])?;
        system(CLOSE, [source as usize, 0, 0, 0, 0])?;
        system(CLOSE, [target as usize, 0, 0, 0, 0]).map(|_| ())
    };
    if copied().is_err() {
        let what = "writing to a file that cannot be copied to the directory for temporary files";
        schedule::unsupported(what, trap::place());
    }
}

/// Creates a directory, as `mkdir` does.
pub fn make_directory(path: &Path, mode: usize) -> Fails<isize> {
    make(path, |place| system(MKDIR, [place.address(), mode, 0, 0, 0]))
}

/// Creates a symbolic link, as `symlink` does.
pub fn make_link(path: &Path, target: usize) -> Fails<isize> {
    make(path, |place| system(SYMLINK, [target, place.address(), 0, 0, 0]))
}

/// Creates a file or a device, as `mknod` does.
pub fn make_node(path: &Path, mode: usize, device: usize) -> Fails<isize> {
    make(path, |place| system(MKNOD, [place.address(), mode, device, 0, 0]))
}

/// Gives the name `path` to the file that `maker` creates at the place that it gets.
pub fn make(path: &Path, maker: impl FnOnce(&Path) -> Fails<isize>) -> Fails<isize> {
    match entries::kind(path) {
        Ok(_) => return Err(EEXIST),
        Err(ENOENT) => {}
        Err(error) => return Err(error),
    }
    may_change_names_in(&path.parent())?;
    let (number, place) = entries::new_file();
    let result = maker(&place)?;
    entries::put(path, number, None);
    Ok(result)
}

/// Creates a hard link, as `link` does.
pub fn make_hard_link(path: &Path, new: &Path) -> Fails<isize> {
    if entries::kind(path)? == Kind::Directory {
        return Err(EPERM);
    }
    let place = copy_up(path, true, false)?;
    let identity = entries::identity(path);
    make(new, |other| system(LINK, [place.address(), other.address(), 0, 0, 0]))?;
    let number = entries::number(new).unwrap_or(0);
    entries::put(new, number, Some(identity));
    Ok(0)
}

/// Removes a name, as `unlink` or, for a `directory`, `rmdir` does.
pub fn remove(path: &Path, directory: bool) -> Fails<isize> {
    let kind = entries::kind(path)?;
    match (kind == Kind::Directory, directory) {
        (true, false) => return Err(EISDIR),
        (false, true) => return Err(ENOTDIR),
        _ => {}
    }
    may_change_names_in(&path.parent())?;
    if directory && !listing::is_empty(path)? {
        return Err(ENOTEMPTY);
    }
    forget(path)
}

/// Removes a name, and its file if this execution has created it.
fn forget(path: &Path) -> Fails<isize> {
    if entries::number(path).is_some() {
        let number = if entries::kind(path)? == Kind::Directory { RMDIR } else { UNLINK };
        system(number, [entries::place(path)?.address(), 0, 0, 0, 0])?;
    }
    entries::remove(path);
    Ok(0)
}

/// Renames a file or a directory, as `rename` does.
pub fn rename(from: &Path, to: &Path, flags: usize) -> Fails<isize> {
    const NO_REPLACE: usize = 1;
    if flags & !NO_REPLACE != 0 {
        return Err(EINVAL);
    }
    let kind = entries::kind(from)?;
    let there = entries::kind(to);
    if from.bytes() == to.bytes() {
        return Ok(0);
    }
    if to.is_below(from.bytes()) {
        return Err(EINVAL);
    }
    may_change_names_in(&from.parent())?;
    may_change_names_in(&to.parent())?;
    match there {
        Err(ENOENT) => {}
        Err(error) => return Err(error),
        Ok(_) if flags & NO_REPLACE != 0 => return Err(EEXIST),
        Ok(Kind::Directory) if kind != Kind::Directory => return Err(EISDIR),
        Ok(there) if there != Kind::Directory && kind == Kind::Directory => return Err(ENOTDIR),
        Ok(Kind::Directory) if !listing::is_empty(to)? => return Err(ENOTEMPTY),
        Ok(_) => {}
    }
    if kind == Kind::Directory && entries::number(from).is_none() {
        return Err(EXDEV);
    }
    if kind == Kind::Other && entries::number(from).is_none() {
        return Err(EACCES);
    }
    if there.is_ok() {
        forget(to)?;
    }
    copy_up(from, true, false)?;
    let number = entries::number(from).unwrap_or(0);
    let identity = entries::identity(from);
    if kind == Kind::Directory {
        entries::move_below(from, to)?;
    }
    entries::put(to, number, Some(identity));
    entries::remove(from);
    Ok(0)
}

/// Makes a call that changes the file at `path`, on its copy.
pub fn change(path: &Path, call: Call, at: usize) -> Fails<isize> {
    if entries::kind(path)? == Kind::Other && entries::number(path).is_none() {
        return Err(EPERM);
    }
    const TRUNCATE_CALL: usize = 76;
    let place = copy_up(path, true, call.number == TRUNCATE_CALL)?;
    call.made_on(&place, at)
}
