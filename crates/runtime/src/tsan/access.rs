//! Accesses to plain memory.
//!
//! They are no places to switch. What they are watched for: whether they are allowed at all ([`crate::memcheck`]), races
//! ([`crate::race`]), and whether a thread that looks
//! again and again changes anything at all ([`crate::spin`]).

use crate::{engine, memcheck, race, spin};

/// An access to plain memory is about to happen.
#[inline(always)]
pub fn plain(address: usize, size: usize, write: bool, pc: u64) {
    if !engine::active() {
        return;
    }
    // Before races are looked for: that memory is not there any more says more than that somebody else was there.
    memcheck::access(address, size, write, pc);
    race::plain(address, size, write, pc);
    // A loop that only looks is recognised by its stack; what is written elsewhere must be known.
    let here = &raw const address as usize;
    if address.wrapping_sub(here) < NEAR {
        return;
    }
    if !write {
        spin::read_plain();
    } else {
        spin::changed();
        if engine::somebody_awaits() {
            engine::plain_write();
        }
    }
}

/// An address this close above the stack pointer is on the stack.
const NEAR: usize = 1024;

/// The functions for accesses of one size. A table.
macro_rules! accesses {
    ($($size:literal: read $($read:ident)*, write $($write:ident)*;)*) => { with_caller! {
        $($(fn $read(address: usize; pc in "rsi") { plain(address, $size, false, pc) })*)*
        $($(fn $write(address: usize; pc in "rsi") { plain(address, $size, true, pc) })*)*
    } };
}

// What both reads and writes counts as a write: it conflicts with all that either does.
accesses! {
    1: read __tsan_read1 __tsan_volatile_read1 __tsan_unaligned_volatile_read1 __tsan_unaligned_read1,
       write __tsan_write1 __tsan_volatile_write1 __tsan_unaligned_volatile_write1 __tsan_unaligned_write1
             __tsan_read_write1 __tsan_unaligned_read_write1;
    2: read __tsan_read2 __tsan_unaligned_read2 __tsan_volatile_read2 __tsan_unaligned_volatile_read2,
       write __tsan_write2 __tsan_unaligned_write2 __tsan_volatile_write2 __tsan_unaligned_volatile_write2
             __tsan_read_write2 __tsan_unaligned_read_write2;
    4: read __tsan_read4 __tsan_unaligned_read4 __tsan_volatile_read4 __tsan_unaligned_volatile_read4,
       write __tsan_write4 __tsan_unaligned_write4 __tsan_volatile_write4 __tsan_unaligned_volatile_write4
             __tsan_read_write4 __tsan_unaligned_read_write4;
    8: read __tsan_read8 __tsan_unaligned_read8 __tsan_volatile_read8 __tsan_unaligned_volatile_read8 __tsan_vptr_read,
       write __tsan_write8 __tsan_unaligned_write8 __tsan_volatile_write8 __tsan_unaligned_volatile_write8
             __tsan_read_write8 __tsan_unaligned_read_write8;
    16: read __tsan_read16 __tsan_unaligned_read16 __tsan_volatile_read16 __tsan_unaligned_volatile_read16,
        write __tsan_write16 __tsan_unaligned_write16 __tsan_volatile_write16 __tsan_unaligned_volatile_write16
              __tsan_read_write16 __tsan_unaligned_read_write16;
}

with_caller! {
    fn __tsan_read_range(address: usize, size: usize; pc in "rdx") {
        plain(address, size, false, pc);
    }
    fn __tsan_write_range(address: usize, size: usize; pc in "rdx") {
        plain(address, size, true, pc);
    }
    fn __tsan_vptr_update(address: *const usize, new: usize; pc in "rdx") {
        // Constructors and destructors of a hierarchy store the same pointer again and again; like the sanitizer,
        // only a change is a write.
        if *address != new {
            plain(address as usize, size_of::<usize>(), true, pc);
        }
    }
}

/// Between these two the sanitizer ignores what the thread does. Nothing is ignored here: an access too many can only
/// show a race that is one.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_begin() {}
/// See [`__tsan_ignore_thread_begin`].
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_end() {}
