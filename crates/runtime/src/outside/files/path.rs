//! Paths as the program means them, in the tree that the execution sees: see [`heddle_detect::path`].

use heddle_detect::path::{ENOENT, Node, Tree};

use super::{Fails, Kind, entries, system};

pub use heddle_detect::path::{MOST, Path};

const AT_CURRENT: i32 = -100;
const READLINK: usize = 89;
const GETCWD: usize = 79;

/// What the symbolic link at `path` says, where the kernel has it.
pub fn link_of(path: &Path) -> Fails<Path> {
    Path::filled_by(|text| {
        let length = system(READLINK, [path.address(), text.as_mut_ptr() as usize, MOST - 1, 0, 0])?;
        Ok(length as usize)
    })
}

/// The path of the file with this number for a name in `directory`.
pub fn numbered(directory: &[u8], number: u32) -> Fails<Path> {
    Path::numbered(directory, number)
}

/// What a descriptor stands for, as the program calls it.
pub fn of_descriptor(file: i32) -> Fails<Path> {
    Ok(entries::name_of(link_of(&numbered(b"/proc/self/fd", file as u32)?)?))
}

/// The files as the execution has changed them, seen from a directory: a descriptor, or the current one.
struct Seen {
    directory: i32,
}

impl Tree for Seen {
    fn start(&self) -> Fails<Path> {
        if self.directory != AT_CURRENT {
            return of_descriptor(self.directory);
        }
        if let Some(path) = entries::current_directory() {
            return Ok(path);
        }
        Path::filled_by(|text| {
            let length = system(GETCWD, [text.as_mut_ptr() as usize, MOST, 0, 0, 0])?;
            // The kernel counts the zero.
            (length as usize).checked_sub(1).ok_or(ENOENT)
        })
    }

    fn node(&self, path: &Path) -> Fails<Node> {
        entries::kind(path).map(|kind| match kind {
            Kind::Directory => Node::Directory,
            Kind::Link => Node::Link,
            _ => Node::Other,
        })
    }

    fn link(&self, path: &Path) -> Fails<Path> {
        link_of(&entries::place(path)?)
    }

    /// `/proc/self/cwd`, or a descriptor by its number. Other links lead to what has no path, as a pipe, or a file that was removed.
    fn way_out(&self, link: &Path) -> Option<Path> {
        let target = link_of(link).ok()?;
        let is_path = !target.bytes().ends_with(b" (deleted)") && !target.bytes().windows(2).any(|two| two == b":[");
        is_path.then(|| if target.bytes().starts_with(b"/") { entries::name_of(target) } else { target })
    }
}

/// What `path` means, from `directory`. Its last component may be missing; where that is a symbolic link, it is followed if `follow`.
pub fn resolve(directory: i32, path: &Path, follow: bool) -> Fails<Path> {
    heddle_detect::path::resolve(&Seen { directory }, path, follow)
}
