//! Predicts whether a pending compare-exchange would fail.
//!
//! An operation has room for eight bytes of the expected value. A wider compare-exchange stores the address of its
//! expected value here while it is pending. The value is on the waiting thread's stack, or in other memory of the
//! program. The operation's `detail` names the thread: see [`super::atomic::detail`].

use core::cell::Cell;

use heddle_model::Operation;

use crate::addresses::Reserve;
use crate::arch;
use crate::detect::race;
use crate::lifetime::{self, Lent};

/// The expected values of pending compare-exchanges.
pub struct Expected {
    /// For each thread, where the value is that its pending compare-exchange expects, if it is wider than eight bytes. Written
    /// before it is read.
    addresses: Lent<Cell<usize>>,
}

impl Expected {
    /// The state at the start of the process.
    pub const fn new() -> Expected {
        Expected { addresses: Cell::new(&[]) }
    }
}

/// Reserves memory for `threads` threads. Call this once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    lifetime::process().expected.addresses.set(reserve.take(threads));
}

fn address_of(thread: usize) -> &'static Cell<usize> {
    &lifetime::process().expected.addresses.get()[thread]
}

/// Stores the address of the expected value. Returns the thread's part of the operation's `detail`.
#[inline]
pub fn note(thread: heddle_model::ThreadId, expected: *const u8) -> u32 {
    address_of(thread.index()).set(expected as usize);
    u32::from(thread.0) << 16
}

/// What the place of `look` holds now, which has at most eight bytes. It can be read, as [`compare_fails`] says.
pub fn content(look: &Operation) -> u64 {
    let address = look.object.0 as usize;
    let size = (look.size as usize).min(8);
    let mut bytes = [0u8; 8];
    let changed = race::is_changed(address, size);
    for (i, byte) in bytes[..size].iter_mut().enumerate() {
        // SAFETY: the thread that is about to look has read it before. What is unmapped since is not read.
        *byte = unsafe {
            if changed { arch::heddle_peek(address + i, 1) as u8 } else { ((address + i) as *const u8).read() }
        };
    }
    u64::from_ne_bytes(bytes)
}

/// Whether this compare-exchange would fail now because the location holds another value.
///
/// The program's thread has read the location before it announced the operation. A bad address has therefore faulted in
/// that thread already, and reading it here is safe.
pub fn compare_fails(operation: &Operation) -> bool {
    let (address, size) = (operation.object.0 as *const u8, operation.size as usize);
    let mut narrow = operation.argument.to_ne_bytes();
    let expected = if size <= narrow.len() {
        narrow.as_mut_ptr().cast_const()
    } else {
        // `note` was called by the thread that this operation belongs to, which still waits.
        address_of((operation.detail >> 16) as usize).get() as *const u8
    };
    // What another thread has unmapped or protected meanwhile is not read: whatever is decided, the operation faults.
    let changed = race::is_changed(address as usize, size);
    // SAFETY: both have `size` readable bytes, see above.
    let byte = |at: *const u8| unsafe { if changed { arch::heddle_peek(at as usize, 1) as u8 } else { at.read() } };
    // SAFETY: as above.
    (0..size).any(|i| unsafe { byte(address.add(i)) != expected.add(i).read() })
}
