//! Files. What an execution writes is private to it and disappears when it ends.
//!
//! System calls that name or change files come here before the kernel sees them ([`crate::outside::trap`]). Files that
//! are only read are read in place. Files that are written are written as copies in a scratch directory, and names that
//! were created or removed are recorded ([`entries`]). So every execution starts with the files on disk, workers do not
//! see each other's files, and nothing has changed at the end. This needs no privileges, unlike a file system of its
//! own.
//!
//! Devices, pipes, and the kernel's own files (`/dev`, `/proc`, `/sys`) are the real ones. So are all files for
//! processes that the program creates.
//!
//! [`ordered`] reports to the model in which order threads use files, at the calls that the program makes.

pub mod calls;
mod changes;
pub mod descriptors;
pub mod entries;
mod listing;
pub mod ordered;
mod path;
pub mod streams;
pub mod temporary;

use heddle_model::wire::Note;
use heddle_model::{Capacity, Outcome};
use path::Path;

use crate::addresses::Reserve;
use crate::entry::wire::Wire;
use crate::outside::trap;
use crate::sys;

/// What the kernel answers: an error is a negative number.
type Fails<T> = Result<T, isize>;

/// A system call of our own.
fn system(number: usize, [a, b, c, d, e]: [usize; 5]) -> Fails<isize> {
    // SAFETY: the callers give paths and buffers that are there.
    match unsafe { sys::syscall6(number, a, b, c, d, e, 0) } {
        result @ ..0 => Err(result),
        result => Ok(result),
    }
}

/// 64-bit FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    heddle_model::wire::label(bytes)
}

/// The kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Kind {
    /// A file with contents.
    Regular = 1,
    /// A directory.
    Directory = 2,
    /// A symbolic link.
    Link = 3,
    /// A device, a pipe, a socket.
    Other = 4,
}

/// The kernel's `struct stat`.
#[repr(C)]
pub struct Status([u64; 18]);

impl Status {
    fn kind(&self) -> Kind {
        match self.0[3] as u32 & 0o170_000 {
            0o100_000 => Kind::Regular,
            0o040_000 => Kind::Directory,
            0o120_000 => Kind::Link,
            _ => Kind::Other,
        }
    }

    fn permissions(&self) -> usize {
        self.0[3] as usize & 0o7777
    }

    fn inode(&self) -> u64 {
        self.0[1]
    }

    /// The times of the last access and the last change.
    fn times(&self) -> [u64; 4] {
        [self.0[9], self.0[10], self.0[11], self.0[12]]
    }
}

/// Reserves memory. Call this once.
pub fn set_up(reserve: &mut Reserve, wire: Wire) {
    let scratch: &'static [u8] = &wire.header().scratch;
    let length = scratch.iter().position(|&byte| byte == 0).unwrap_or(0);
    entries::set_up(reserve, &scratch[..length]);
    descriptors::set_up(reserve);
}

/// Empties the scratch directory. Between executions, in a process that has not used it itself.
pub fn wipe() {
    const OPEN_DIRECTORY: usize = 0o200_000;
    const UNLINKAT: usize = 263;
    const GETDENTS64: usize = 217;
    const REMOVE_DIRECTORY: usize = 0x200;
    let Ok(path) = Path::from_bytes(entries::scratch()) else { return };
    let Ok(directory) = system(sys::OPEN, [path.address(), OPEN_DIRECTORY, 0, 0, 0]) else { return };
    let mut buffer = [0u8; 4096];
    while let Ok(length @ 1..) = system(GETDENTS64, [directory as usize, buffer.as_mut_ptr() as usize, 4096, 0, 0]) {
        let mut at = 0;
        while at < length as usize {
            let name = buffer[at + 19..].as_ptr() as usize;
            if system(UNLINKAT, [directory as usize, name, 0, 0, 0]).is_err() {
                let _ = system(UNLINKAT, [directory as usize, name, REMOVE_DIRECTORY, 0, 0]);
            }
            at += usize::from(u16::from_le_bytes([buffer[at + 16], buffer[at + 17]]));
        }
    }
    let _ = system(sys::CLOSE, [directory as usize, 0, 0, 0, 0]);
}

/// A system call of the program's.
#[derive(Clone, Copy)]
pub struct Call {
    number: usize,
    arguments: [usize; 6],
}

impl Call {
    /// Makes the call with the path `place`, which is absolute, as argument `at`.
    fn made_on(mut self, place: &Path, at: usize) -> Fails<isize> {
        self.arguments[at] = place.address();
        self.made()
    }

    fn made(self) -> Fails<isize> {
        let [a, b, c, d, e, f] = self.arguments;
        // SAFETY: the program's own call, made for it.
        match unsafe { sys::syscall6(self.number, a, b, c, d, e, f) } {
            result @ ..0 => Err(result),
            result => Ok(result),
        }
    }
}

const AT_CURRENT: i32 = -100;
const SYMLINK_NOFOLLOW: usize = 0x100;
const SYMLINK_FOLLOW: usize = 0x400;
const EMPTY_PATH: usize = 0x1000;
const REMOVE_DIRECTORY: usize = 0x200;
const EPERM: isize = -1;

/// The answer to a system call; none if it is left to the kernel.
pub fn answer(number: usize, arguments: &[usize; 6]) -> Option<isize> {
    if entries::scratch().is_empty() {
        // open for writing, write, names
        if matches!(number, 2 | 257 if changes::can_change(arguments[number / 256 + 1]))
            || matches!(number, 76 | 82..=88 | 90..=94 | 258..=261 | 263..=266 | 268 | 280 | 316)
        {
            crate::schedule::goes_outside(Note::Files);
        }
        return None;
    }
    let call = Call { number, arguments: *arguments };
    let result = dispatch(call, arguments)?;
    Some(result.unwrap_or_else(with_room))
}

/// The result of a call on a private copy of a file. That there is no room for the copies is no fault of the program, and the
/// error that the kernel gives is not one of the program's own files.
pub fn with_room(result: isize) -> isize {
    const ENOSPC: isize = -28;
    const EDQUOT: isize = -122;
    if matches!(result, ENOSPC | EDQUOT) {
        crate::schedule::stop(Outcome::Capacity(Capacity::Files), trap::place(), b"");
    }
    result
}

/// How a call names a file: the number of the argument, the directory that it begins at, and whether links are
/// followed.
type Named = (usize, i32, bool);

fn dispatch(call: Call, a: &[usize; 6]) -> Option<Fails<isize>> {
    let at = a[0] as i32;
    let flag = |flags: usize, flag: usize| flags & flag != 0;
    match call.number {
        // open, openat, creat
        2 => open(call, (0, AT_CURRENT, changes::follows(a[1])), a[1], a[2]),
        257 => open(call, (1, at, changes::follows(a[2])), a[2], a[3]),
        85 => open(call, (0, AT_CURRENT, true), 0o1101, a[1]),
        // openat2
        437 => {
            // SAFETY: the program's own structure: flags, mode.
            let [flags, mode] = unsafe { (a[2] as *const [usize; 2]).read_unaligned() };
            open(call, (1, at, changes::follows(flags)), flags, mode)
        }
        // Those that only look: stat, lstat, newfstatat, statx, access, faccessat, faccessat2, readlink, readlinkat, getxattr, lgetxattr
        4 | 21 | 137 | 191 | 194 => look(call, (0, AT_CURRENT, true)),
        6 | 89 | 192 | 195 => look(call, (0, AT_CURRENT, false)),
        262 if !flag(a[3], EMPTY_PATH) => look(call, (1, at, !flag(a[3], SYMLINK_NOFOLLOW))),
        332 if !flag(a[2], EMPTY_PATH) => look(call, (1, at, !flag(a[2], SYMLINK_NOFOLLOW))),
        269 | 439 => look(call, (1, at, true)),
        267 => look(call, (1, at, false)),
        // truncate, chmod, chown, utime, utimes, setxattr, removexattr
        76 | 90 | 92 | 132 | 235 | 188 | 197 => change(call, (0, AT_CURRENT, true)),
        // lchown, lsetxattr, lremovexattr
        94 | 189 | 198 => change(call, (0, AT_CURRENT, false)),
        // fchownat, futimesat, fchmodat, utimensat, fchmodat2
        260 if !flag(a[4], EMPTY_PATH) => change(call, (1, at, !flag(a[4], SYMLINK_NOFOLLOW))),
        261 | 268 if a[1] != 0 => change(call, (1, at, true)),
        280 | 452 if a[1] != 0 => change(call, (1, at, !flag(a[3], SYMLINK_NOFOLLOW))),
        // Of an open file: fchmod, fchown, utimensat, fsetxattr, fremovexattr
        91 | 93 | 190 | 199 | 260 | 261 | 280 => change_open(a[0] as i32),
        // write, pwrite, writev, pwritev, ftruncate, fallocate, sendfile, pwritev2: one that was opened before `main` is copied now
        1 | 18 | 20 | 40 | 77 | 285 | 296 | 328 => {
            adopt(a[0] as i32);
            None
        }
        // splice, copy_file_range; ioctl that shares the blocks of another file (FICLONE, FICLONERANGE)
        275 | 326 => {
            adopt(a[2] as i32);
            None
        }
        16 if matches!(a[1] as u32, 0x4004_9409 | 0x4020_940d) => {
            adopt(a[0] as i32);
            None
        }
        // flock, and locks by fcntl: on a file on disk it would be seen by other processes, the search's own among them
        73 => {
            adopt(a[0] as i32);
            None
        }
        72 if matches!(a[1], 5..=7 | 36..=38) => {
            adopt(a[0] as i32);
            None
        }
        // mmap, shared: to write, at once or after `mprotect`
        9 if a[3] & 1 != 0 && a[4] as i32 >= 0 && (a[2] & 2 != 0 || descriptors::is_for_writing(a[4] as i32)) => {
            adopt(a[4] as i32);
            None
        }
        // mkdir, mkdirat, rmdir, unlink, unlinkat
        83 => names(call, (0, AT_CURRENT, false), |path| changes::make_directory(path, a[1])),
        258 => names(call, (1, at, false), |path| changes::make_directory(path, a[2])),
        84 => names(call, (0, AT_CURRENT, false), |path| changes::remove(path, true)),
        87 => names(call, (0, AT_CURRENT, false), |path| changes::remove(path, false)),
        263 => names(call, (1, at, false), |path| changes::remove(path, flag(a[2], REMOVE_DIRECTORY))),
        // symlink, symlinkat, mknod, mknodat
        88 => names(call, (1, AT_CURRENT, false), |path| changes::make_link(path, a[0])),
        266 => names(call, (2, a[1] as i32, false), |path| changes::make_link(path, a[0])),
        133 => names(call, (0, AT_CURRENT, false), |path| changes::make_node(path, a[1], a[2])),
        259 => names(call, (1, at, false), |path| changes::make_node(path, a[2], a[3])),
        // link, linkat
        86 => two(call, (0, AT_CURRENT, false), (1, AT_CURRENT, false), changes::make_hard_link),
        265 => {
            let follow = flag(a[4], SYMLINK_FOLLOW);
            two(call, (1, at, follow), (3, a[2] as i32, false), changes::make_hard_link)
        }
        // rename, renameat, renameat2
        82 => two(call, (0, AT_CURRENT, false), (1, AT_CURRENT, false), |from, to| changes::rename(from, to, 0)),
        264 => two(call, (1, at, false), (3, a[2] as i32, false), |from, to| changes::rename(from, to, 0)),
        316 => two(call, (1, at, false), (3, a[2] as i32, false), |from, to| changes::rename(from, to, a[4])),
        // getcwd, chdir, fchdir
        79 => entries::current_directory().map(|path| current_directory(&path, a[0], a[1])),
        80 => change_directory(call),
        81 => change_directory_to(call),
        // getdents64; lseek of a directory
        217 => listing::read(at, a[1], a[2]),
        8 if !entries::is_untouched() => {
            descriptors::set_listed(at, 0);
            None
        }
        78 if !entries::is_untouched() => Some(Err(-38)),
        // bind: of a socket with a name among the files
        49 => bind(call, a),
        _ => None,
    }
}

/// The path that a call names; none if it is not one that executions keep apart.
fn named(call: &Call, (argument, directory, follow): Named) -> Fails<Option<Path>> {
    // SAFETY: the program's own path.
    let text = unsafe { Path::of(call.arguments[argument])? };
    let path = path::resolve(directory, &text, follow)?;
    Ok((!path.is_direct()).then_some(path))
}

fn open(call: Call, name: Named, flags: usize, mode: usize) -> Option<Fails<isize>> {
    if entries::is_untouched() && !changes::can_change(flags) {
        return None;
    }
    match named(&call, name) {
        Ok(Some(path)) => Some(changes::open(&path, flags, mode)),
        Ok(None) => None,
        Err(error) => Some(Err(error)),
    }
}

/// A call that only looks at a file, made where the file really is.
fn look(call: Call, name: Named) -> Option<Fails<isize>> {
    if entries::is_untouched() {
        return None;
    }
    let made = named(&call, name).and_then(|path| {
        let Some(path) = path else { return Ok(None) };
        call.made_on(&entries::place(&path)?, name.0).map(Some)
    });
    made.transpose()
}

fn change(call: Call, name: Named) -> Option<Fails<isize>> {
    match named(&call, name) {
        Ok(Some(path)) => Some(changes::change(&path, call, name.0)),
        Ok(None) => Some(Err(EPERM)),
        Err(error) => Some(Err(error)),
    }
}

/// Copies a file whose mode, owner or times are about to be changed through a descriptor.
fn change_open(file: i32) -> Option<Fails<isize>> {
    if descriptors::known(file).is_directory() && !descriptors::known(file).is_private() {
        crate::schedule::unsupported("a change to the mode, owner or times of a directory", trap::place());
    }
    adopt(file);
    None
}

/// Copies a file on disk that is about to be changed through a descriptor.
fn adopt(file: i32) {
    if file < 0 {
        return;
    }
    let known = descriptors::known(file);
    if !known.is_file() || known.is_private() || known.is_directory() {
        return;
    }
    if let Ok(path) = path::of_descriptor(file)
        && !path.is_direct()
        && entries::kind(&path) == Ok(Kind::Regular)
    {
        let _ = changes::copy_open(&path);
    }
}

fn names(call: Call, name: Named, make: impl FnOnce(&Path) -> Fails<isize>) -> Option<Fails<isize>> {
    Some(named(&call, name).and_then(|path| path.map_or(Err(EPERM), |path| make(&path))))
}

fn two(call: Call, old: Named, new: Named, make: impl FnOnce(&Path, &Path) -> Fails<isize>) -> Option<Fails<isize>> {
    let both = named(&call, old).and_then(|old| Ok((old, named(&call, new)?)));
    Some(both.and_then(|both| match both {
        (Some(old), Some(new)) => make(&old, &new),
        _ => Err(EPERM),
    }))
}

fn current_directory(path: &Path, buffer: usize, size: usize) -> Fails<isize> {
    const ERANGE: isize = -34;
    let length = path.bytes().len() + 1;
    if length > size {
        return Err(ERANGE);
    }
    // SAFETY: the program's buffer of that size; a path ends in zero.
    unsafe { core::ptr::copy_nonoverlapping(path.address() as *const u8, buffer as *mut u8, length) };
    Ok(length as isize)
}

fn change_directory(call: Call) -> Option<Fails<isize>> {
    const ENOTDIR: isize = -20;
    if entries::is_untouched() {
        return None;
    }
    let changed = named(&call, (0, AT_CURRENT, true)).and_then(|path| {
        let Some(path) = path else {
            entries::set_current_directory(None);
            return Ok(None);
        };
        if entries::kind(&path)? != Kind::Directory {
            return Err(ENOTDIR);
        }
        let virtual_one = entries::number(&path).is_some();
        if !virtual_one {
            call.made_on(&path, 0)?;
        }
        entries::set_current_directory(virtual_one.then_some(path));
        Ok(Some(0))
    });
    changed.transpose()
}

fn change_directory_to(call: Call) -> Option<Fails<isize>> {
    let path = path::of_descriptor(call.arguments[0] as i32).ok()?;
    let virtual_one = entries::number(&path).is_some();
    entries::set_current_directory(virtual_one.then_some(path));
    virtual_one.then_some(Ok(0))
}

/// The size of a socket address with a file name.
const ADDRESS: usize = 110;

/// The address of a socket with a file name, with the name replaced by where the file really is. None for other
/// addresses.
pub fn address_of(address: usize, length: usize) -> Option<[u8; ADDRESS]> {
    let name = socket_name(address, length)?;
    let path = path::resolve(AT_CURRENT, &name, true).ok()?;
    with_name(&entries::place(&path).ok()?)
}

fn with_name(place: &Path) -> Option<[u8; ADDRESS]> {
    let mut whole = [0u8; ADDRESS];
    whole[0] = 1;
    let bytes = place.bytes();
    whole.get_mut(2..2 + bytes.len()).filter(|_| bytes.len() < ADDRESS - 2)?.copy_from_slice(bytes);
    Some(whole)
}

fn socket_name(address: usize, length: usize) -> Option<Path> {
    const UNIX: u16 = 1;
    if address == 0 || length <= 2 || length > ADDRESS || entries::scratch().is_empty() {
        return None;
    }
    // SAFETY: the program's own address, of that length.
    let bytes = unsafe { core::slice::from_raw_parts(address as *const u8, length) };
    if u16::from_le_bytes([bytes[0], bytes[1]]) != UNIX || bytes[2] == 0 {
        return None;
    }
    Path::from_bytes(bytes[2..].split(|&byte| byte == 0).next().unwrap_or(b"")).ok()
}

fn bind(call: Call, a: &[usize; 6]) -> Option<Fails<isize>> {
    const EADDRINUSE: isize = -98;
    let name = socket_name(a[1], a[2])?;
    let made = path::resolve(AT_CURRENT, &name, false).and_then(|path| {
        changes::make(&path, |place| {
            let Some(address) = with_name(place) else {
                crate::schedule::unsupported(
                    "a socket with a name, with so long a directory for temporary files",
                    trap::place(),
                )
            };
            let mut call = call;
            (call.arguments[1], call.arguments[2]) = (address.as_ptr() as usize, ADDRESS);
            call.made()
        })
    });
    Some(made.map_err(|error| if error == -17 { EADDRINUSE } else { error }))
}
