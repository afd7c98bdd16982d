//! The kernel's list of memory mappings, read at start-up, and in an execution only where the program changes what is allowed in a
//! mapping.

use crate::sys;

/// One writable mapping that is not shared.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// The first address.
    pub low: usize,
    /// One past the last address.
    pub high: usize,
    /// Whether the mapping is the stack of the main thread.
    pub is_stack: bool,
    /// Whether its pages come from a file until they are written to.
    pub has_file: bool,
}

/// Calls `each` for every writable private mapping. `buffer` is scratch space; false if it was too small.
pub fn writable(buffer: &mut [u8], mut each: impl FnMut(Mapping)) -> bool {
    let capacity = buffer.len();
    let text = sys::read_file(c"/proc/self/maps", buffer);
    for line in text.split(|&b| b == b'\n') {
        let Some((low, high, rights)) = mapping(line) else { continue };
        if rights[1] == b'w' && rights[3] == b'p' {
            each(Mapping { low, high, is_stack: line.ends_with(b"[stack]"), has_file: line.contains(&b'/') });
        }
    }
    text.len() < capacity
}

/// Whether something is allowed in a range of memory.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Right {
    somewhere: bool,
    missing_somewhere: bool,
}

impl Right {
    fn note(&mut self, allowed: bool) {
        self.somewhere |= allowed;
        self.missing_somewhere |= !allowed;
    }

    /// Whether something changes if it is allowed everywhere in the range from now on, or nowhere.
    pub fn changes_to(self, allowed: bool) -> bool {
        if allowed { self.missing_somewhere } else { self.somewhere }
    }
}

/// What is allowed in a range of memory.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Rights {
    /// Reading.
    pub read: Right,
    /// Writing.
    pub write: Right,
    /// Whether some of it is shared with other processes.
    pub is_shared: bool,
}

/// What is allowed in the mappings between two addresses. What is not mapped does not count.
pub fn rights(from: usize, to: usize) -> Rights {
    const ROOM: usize = 4096;
    let mut rights = Rights::default();
    let mut text = [0u8; ROOM];
    let mut length = 0;
    // SAFETY: plain reads into memory that we hold.
    unsafe {
        let file = sys::syscall3(sys::OPEN, c"/proc/self/maps".as_ptr() as usize, 0o2000000, 0);
        if file < 0 {
            return rights;
        }
        loop {
            let n = sys::syscall3(sys::READ, file as usize, text.as_mut_ptr() as usize + length, ROOM - length);
            if n <= 0 {
                break;
            }
            length += n as usize;
            // Whole lines; the beginning of the next one stays.
            let Some(end) = text[..length].iter().rposition(|&byte| byte == b'\n') else { break };
            for (low, high, allowed) in text[..end].split(|&byte| byte == b'\n').filter_map(mapping) {
                if low < to && from < high {
                    rights.read.note(allowed[0] == b'r');
                    rights.write.note(allowed[1] == b'w');
                    rights.is_shared |= allowed[3] == b's';
                }
            }
            text.copy_within(end + 1..length, 0);
            length -= end + 1;
        }
        sys::syscall3(sys::CLOSE, file as usize, 0, 0);
    }
    rights
}

/// The first address, one past the last, and what is allowed, of a line of the list.
fn mapping(line: &[u8]) -> Option<(usize, usize, &[u8])> {
    let (low, rest) = hexadecimal(line)?;
    let (high, rest) = rest.get(1..).and_then(hexadecimal)?;
    Some((low, high, rest.get(1..5)?))
}

fn hexadecimal(text: &[u8]) -> Option<(usize, &[u8])> {
    let length = text.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let digits = core::str::from_utf8(&text[..length]).ok()?;
    Some((usize::from_str_radix(digits, 16).ok()?, &text[length..]))
}
