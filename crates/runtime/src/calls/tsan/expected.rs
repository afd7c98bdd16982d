//! Whether a pending compare-exchange would fail, asked before it is taken.
//!
//! An operation has room for eight bytes of the expected value. Wider ones leave the address of the whole here while
//! they wait: it is on the waiting thread's stack, or where the program keeps it. The thread that waits is in the
//! operation's `detail`, see [`super::atomic::detail`].

use core::cell::Cell;

use heddle_model::Operation;

use crate::addresses::Reserve;
use crate::lifetime::{self, Lent};

/// What pending compare-exchanges expect.
pub struct Expected {
    /// For each thread, where the value is that its pending compare-exchange expects, if it is wider than eight bytes. Written
    /// before it is read.
    addresses: Lent<Cell<usize>>,
}

impl Expected {
    /// At start-up.
    pub const fn new() -> Expected {
        Expected { addresses: Cell::new(&[]) }
    }
}

/// Makes room for `threads` threads. Once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    lifetime::process().expected.addresses.set(reserve.take(threads));
}

fn address_of(thread: usize) -> &'static Cell<usize> {
    &lifetime::process().expected.addresses.get()[thread]
}

/// Notes where the expected value is, and returns the thread's part of the operation's `detail`.
#[inline]
pub fn note(thread: heddle_model::ThreadId, expected: *const u8) -> u32 {
    address_of(thread.index()).set(expected as usize);
    u32::from(thread.0) << 16
}

/// Whether this compare-exchange, taken now, would find another value than it expects.
///
/// The location is read where the program's thread has read it before announcing the operation, so that a bad
/// address has already ended in a fault of that thread's own.
pub fn compare_fails(operation: &Operation) -> bool {
    let (address, size) = (operation.object.0 as *const u8, operation.size as usize);
    let mut narrow = operation.argument.to_ne_bytes();
    let expected = if size <= narrow.len() {
        narrow.as_mut_ptr().cast_const()
    } else {
        // `note` was called by the thread that this operation belongs to, which still waits.
        address_of((operation.detail >> 16) as usize).get() as *const u8
    };
    // SAFETY: both have `size` readable bytes, see above.
    (0..size).any(|i| unsafe { address.add(i).read() != expected.add(i).read() })
}
