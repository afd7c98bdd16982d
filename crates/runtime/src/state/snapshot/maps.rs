//! The kernel's list of memory mappings, read at start-up and never in an execution.

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
        let Some((low, rest)) = hexadecimal(line) else { continue };
        let Some((high, rest)) = rest.get(1..).and_then(hexadecimal) else { continue };
        let Some(rights) = rest.get(1..5) else { continue };
        if rights[1] == b'w' && rights[3] == b'p' {
            each(Mapping { low, high, is_stack: line.ends_with(b"[stack]"), has_file: line.contains(&b'/') });
        }
    }
    text.len() < capacity
}

fn hexadecimal(text: &[u8]) -> Option<(usize, &[u8])> {
    let length = text.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let digits = core::str::from_utf8(&text[..length]).ok()?;
    Some((usize::from_str_radix(digits, 16).ok()?, &text[length..]))
}
