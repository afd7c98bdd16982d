//! Paths as the program means them: absolute, without `.`, `..` and symbolic links.
//!
//! The kernel cannot resolve them once an execution has changed something, since it does not know of the changes; so they are walked here, component by
//! component, through what the execution sees.

use super::{Fails, Kind, entries, system};
use crate::sys;

/// The longest path, with the zero at its end.
pub const MOST: usize = 4096;

const AT_CURRENT: i32 = -100;
const READLINK: usize = 89;
const GETCWD: usize = 79;
const ENOENT: isize = -2;
const ENOTDIR: isize = -20;
const ENAMETOOLONG: isize = -36;
const ELOOP: isize = -40;
/// As many symbolic links as the kernel follows.
const LINKS: u32 = 40;

/// A path that ends in zero.
#[derive(Clone, Copy)]
pub struct Path {
    text: [u8; MOST],
    length: usize,
}

impl Path {
    /// What the program calls a path.
    ///
    /// # Safety
    /// A string that ends in zero, or null.
    pub unsafe fn of(text: usize) -> Fails<Path> {
        let mut path = Path { text: [0; MOST], length: 0 };
        if text == 0 {
            return Err(-sys::EFAULT);
        }
        loop {
            // SAFETY: up to its end.
            match unsafe { *((text + path.length) as *const u8) } {
                0 => return Ok(path),
                _ if path.length == MOST - 1 => return Err(ENAMETOOLONG),
                byte => path.text[path.length] = byte,
            }
            path.length += 1;
        }
    }

    /// These bytes.
    pub fn from_bytes(bytes: &[u8]) -> Fails<Path> {
        let mut path = Path { text: [0; MOST], length: 0 };
        path.append(bytes)?;
        Ok(path)
    }

    /// The bytes, without the zero.
    pub fn bytes(&self) -> &[u8] {
        &self.text[..self.length]
    }

    /// For the kernel.
    pub fn address(&self) -> usize {
        self.text.as_ptr() as usize
    }

    fn append(&mut self, bytes: &[u8]) -> Fails<()> {
        if self.length + bytes.len() >= MOST {
            return Err(ENAMETOOLONG);
        }
        self.text[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
        Ok(())
    }

    /// One component more.
    pub fn push(&mut self, component: &[u8]) -> Fails<()> {
        if self.bytes() != b"/" {
            self.append(b"/")?;
        }
        self.append(component)
    }

    /// One component less.
    pub fn pop(&mut self) {
        let end = self.bytes().iter().rposition(|&byte| byte == b'/').unwrap_or(0).max(1);
        self.text[end..self.length].fill(0);
        self.length = self.length.min(end);
    }

    /// The directory that this is in.
    pub fn parent(&self) -> Path {
        let mut parent = *self;
        parent.pop();
        parent
    }

    /// Whether it lies below `directory`.
    pub fn is_below(&self, directory: &[u8]) -> bool {
        directory == b"/" || self.bytes().strip_prefix(directory).is_some_and(|rest| rest.starts_with(b"/"))
    }

    /// Whether it is not about files: devices, and what the kernel tells about itself.
    pub fn is_direct(&self) -> bool {
        let in_device_memory = self.is_below(b"/dev/shm") || self.bytes() == b"/dev/shm";
        [&b"/proc"[..], b"/sys", b"/dev"].iter().any(|top| self.bytes() == *top || self.is_below(top))
            && !in_device_memory
    }
}

/// What a symbolic link says.
pub fn link_of(path: &Path) -> Fails<Path> {
    let mut target = Path { text: [0; MOST], length: 0 };
    target.length = system(READLINK, [path.address(), target.address(), MOST - 1, 0, 0])? as usize;
    Ok(target)
}

/// The path of the file with this number for a name in `directory`.
pub fn numbered(directory: &[u8], number: u32) -> Fails<Path> {
    let mut digits = [b'0'; 10];
    let (mut at, mut rest) = (digits.len(), number);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let mut path = Path::from_bytes(directory)?;
    path.push(&digits[at..])?;
    Ok(path)
}

/// What a descriptor stands for, as the program calls it.
pub fn of_descriptor(file: i32) -> Fails<Path> {
    Ok(entries::name_of(link_of(&numbered(b"/proc/self/fd", file as u32)?)?))
}

/// The directory that relative paths begin at.
fn base(directory: i32) -> Fails<Path> {
    if directory != AT_CURRENT {
        return of_descriptor(directory);
    }
    if let Some(path) = entries::current_directory() {
        return Ok(path);
    }
    let mut path = Path { text: [0; MOST], length: 0 };
    path.length = system(GETCWD, [path.address(), MOST, 0, 0, 0])? as usize - 1;
    Ok(path)
}

/// Where a link among what the kernel tells about itself leads to, if that is a path: `/proc/self/cwd`, or a descriptor by its number. Others
/// lead to what has none, as a pipe, or a file that was removed.
fn way_out(link: &Path) -> Option<Path> {
    let target = link_of(link).ok()?;
    let is_path = !target.bytes().ends_with(b" (deleted)") && !target.bytes().windows(2).any(|two| two == b":[");
    is_path.then(|| if target.text[0] == b'/' { entries::name_of(target) } else { target })
}

/// What `path` means, from `directory`. Its last component may be missing; where that is a symbolic link, it is followed if `follow`.
pub fn resolve(directory: i32, path: &Path, follow: bool) -> Fails<Path> {
    if path.length == 0 {
        return Err(ENOENT);
    }
    let mut at = if path.text[0] == b'/' { Path::from_bytes(b"/")? } else { base(directory)? };
    let mut rest = *path;
    let mut from = 0;
    let mut links = 0;
    loop {
        let left = &rest.bytes()[from..];
        let begin = left.iter().take_while(|&&byte| byte == b'/').count();
        let size = left[begin..].iter().take_while(|&&byte| byte != b'/').count();
        let component = &left[begin..begin + size];
        let after = from + begin + size;
        let is_last = rest.bytes()[after..].iter().all(|&byte| byte == b'/');
        // `link/` is what the link leads to.
        let wants_directory = after < rest.length;
        match component {
            b"" => return Ok(at),
            b"." => {}
            b".." => at.pop(),
            _ => at.push(component)?,
        }
        let is_direct = at.is_direct();
        let kind = if is_direct { Err(ENOENT) } else { entries::kind(&at) };
        let target = match () {
            () if is_last && !follow && !wants_directory => None,
            () if is_direct => way_out(&at),
            () if kind == Ok(Kind::Link) => Some(link_of(&entries::place(&at)?)?),
            () => None,
        };
        if let Some(mut whole) = target {
            links += 1;
            if links > LINKS {
                return Err(ELOOP);
            }
            at = if whole.text[0] == b'/' { Path::from_bytes(b"/")? } else { at.parent() };
            whole.append(&rest.bytes()[after..])?;
            (rest, from) = (whole, 0);
            continue;
        }
        if is_direct {
            // What is there is the kernel's.
        } else if !is_last {
            match kind? {
                Kind::Directory => {}
                _ => return Err(ENOTDIR),
            }
        } else if wants_directory && kind.is_ok_and(|kind| kind != Kind::Directory) {
            return Err(ENOTDIR);
        }
        from = after;
    }
}
