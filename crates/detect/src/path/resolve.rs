//! Resolves a path, component by component.

use super::{ELOOP, ENOENT, ENOTDIR, Fails, Path};

/// The most symbolic links that are followed. The kernel's limit is the same.
const LINKS: u32 = 40;

/// The kind of file at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A file, or something else that nothing can be below.
    Other,
}

/// The tree of files that paths are resolved in. The paths that it is asked about are absolute, without `.`, `..` and symbolic links
/// before the last component.
pub trait Tree {
    /// The directory that relative paths begin at.
    fn start(&self) -> Fails<Path>;

    /// The kind of file at `path`. Symbolic links are not followed.
    fn node(&self, path: &Path) -> Fails<Node>;

    /// The target of the symbolic link at `path`.
    fn link(&self, path: &Path) -> Fails<Path>;

    /// Where the link at `path` leads to, if that is among what the kernel tells about itself ([`Path::is_direct`]) and leads to a path at all.
    fn way_out(&self, path: &Path) -> Option<Path>;
}

/// What `path` means in `tree`. Its last component may be missing; where that is a symbolic link, it is followed if `follow`.
pub fn resolve(tree: &impl Tree, path: &Path, follow: bool) -> Fails<Path> {
    if path.length == 0 {
        return Err(ENOENT);
    }
    let mut at = if path.is_absolute() { Path::from_bytes(b"/")? } else { tree.start()? };
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
        let node = if is_direct { Err(ENOENT) } else { tree.node(&at) };
        let target = match () {
            () if is_last && !follow && !wants_directory => None,
            () if is_direct => tree.way_out(&at),
            () if node == Ok(Node::Link) => Some(tree.link(&at)?),
            () => None,
        };
        if let Some(mut whole) = target {
            links += 1;
            if links > LINKS {
                return Err(ELOOP);
            }
            at = if whole.is_absolute() { Path::from_bytes(b"/")? } else { at.parent() };
            whole.append(&rest.bytes()[after..])?;
            (rest, from) = (whole, 0);
            continue;
        }
        if is_direct {
            // What is there is the kernel's.
        } else if !is_last {
            match node? {
                Node::Directory => {}
                _ => return Err(ENOTDIR),
            }
        } else if wants_directory && node.is_ok_and(|node| node != Node::Directory) {
            return Err(ENOTDIR);
        }
        from = after;
    }
}
