//! Paths as the program means them: absolute, without `.`, `..` and symbolic links.
//!
//! The kernel cannot resolve a path once an execution has changed names, since it does not know of the changes. So paths are walked here,
//! component by component, through the tree that the execution sees ([`resolve`]).

mod resolve;

#[cfg(test)]
mod tests;

pub use self::resolve::{Node, Tree, resolve};

/// The longest path, with the zero at its end.
pub const MOST: usize = 4096;

/// No such file or directory.
pub const ENOENT: isize = -2;
/// Bad address.
pub const EFAULT: isize = -14;
/// Not a directory.
pub const ENOTDIR: isize = -20;
/// A name that is too long.
pub const ENAMETOOLONG: isize = -36;
/// Too many symbolic links.
pub const ELOOP: isize = -40;

/// A result, or an error number as the kernel returns it: negative.
pub type Fails<T> = Result<T, isize>;

/// A path that ends in zero.
#[derive(Clone, Copy)]
pub struct Path {
    /// All zero from `length` on.
    text: [u8; MOST],
    length: usize,
}

impl Path {
    const EMPTY: Path = Path { text: [0; MOST], length: 0 };

    /// The path at the address `text`, as the program passes it to a call.
    ///
    /// # Safety
    /// There is a string that ends in zero, or the address is null.
    pub unsafe fn of(text: usize) -> Fails<Path> {
        let mut path = Path::EMPTY;
        if text == 0 {
            return Err(EFAULT);
        }
        loop {
            // SAFETY: up to its end.
            match unsafe { *core::ptr::with_exposed_provenance::<u8>(text + path.length) } {
                0 => return Ok(path),
                _ if path.length == MOST - 1 => return Err(ENAMETOOLONG),
                byte => path.text[path.length] = byte,
            }
            path.length += 1;
        }
    }

    /// The path with these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Fails<Path> {
        let mut path = Path::EMPTY;
        path.append(bytes)?;
        Ok(path)
    }

    /// The path that `fill` writes into a buffer. It returns how many bytes that were.
    pub fn filled_by(fill: impl FnOnce(&mut [u8; MOST]) -> Fails<usize>) -> Fails<Path> {
        let mut path = Path::EMPTY;
        path.length = fill(&mut path.text)?.min(MOST - 1);
        path.text[path.length..].fill(0);
        Ok(path)
    }

    /// The path of the file in `directory` whose name is this number.
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

    /// The bytes, without the zero.
    pub fn bytes(&self) -> &[u8] {
        &self.text[..self.length]
    }

    /// The address of the text, for the kernel. It is valid as long as the path stays where it is.
    pub fn address(&self) -> usize {
        self.text.as_ptr().expose_provenance()
    }

    fn is_absolute(&self) -> bool {
        self.text[0] == b'/'
    }

    fn append(&mut self, bytes: &[u8]) -> Fails<()> {
        if self.length + bytes.len() >= MOST {
            return Err(ENAMETOOLONG);
        }
        self.text[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
        Ok(())
    }

    /// Adds a component.
    pub fn push(&mut self, component: &[u8]) -> Fails<()> {
        let end = self.length;
        if self.bytes() != b"/" {
            self.append(b"/")?;
        }
        self.append(component).inspect_err(|_| {
            self.text[end..].fill(0);
            self.length = end;
        })
    }

    /// Removes the last component, if there is one.
    pub fn pop(&mut self) {
        let end = self.bytes().iter().rposition(|&byte| byte == b'/').unwrap_or(0).max(1);
        if end < self.length {
            self.text[end..self.length].fill(0);
            self.length = end;
        }
    }

    /// The directory that contains this path.
    pub fn parent(&self) -> Path {
        let mut parent = *self;
        parent.pop();
        parent
    }

    /// Whether the path lies below `directory`.
    pub fn is_below(&self, directory: &[u8]) -> bool {
        directory == b"/" || self.bytes().strip_prefix(directory).is_some_and(|rest| rest.starts_with(b"/"))
    }

    /// Whether the path is in `/dev` (but not `/dev/shm`), `/proc` or `/sys`: it names a device or information of the kernel, not a file.
    pub fn is_direct(&self) -> bool {
        let in_device_memory = self.is_below(b"/dev/shm") || self.bytes() == b"/dev/shm";
        [&b"/proc"[..], b"/sys", b"/dev"].iter().any(|top| self.bytes() == *top || self.is_below(top))
            && !in_device_memory
    }
}
