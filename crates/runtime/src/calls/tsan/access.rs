//! Accesses to plain memory.
//!
//! Threads are switched at an access only if a data race was seen on that place ([`crate::detect::race::places`]).
//! Every access is checked for three things: whether it is allowed at all ([`crate::detect::memcheck`]), whether it
//! races ([`crate::detect::race`]), and whether a thread in a loop changes anything
//! ([`crate::schedule::spin_loop`]).

use heddle_model::primitive::memory;
use heddle_model::race::Access;

use crate::arch;
use crate::detect::{memcheck, race};
use crate::schedule::{self, fiber, spin_loop};

/// An access to plain memory is about to happen.
#[inline(always)]
pub fn plain(address: usize, size: usize, write: bool, pc: u64) {
    announce(address, size, Access::new(write, false), pc);
}

/// Like [`plain`], with the kind of access in full.
#[inline(always)]
fn announce(address: usize, size: usize, how: Access, pc: u64) {
    let write = how.writes();
    if !schedule::active() {
        return;
    }
    if race::places::touched(address, size, write, pc) || schedule::in_section() {
        return visible(address, size, how, pc);
    }
    // Before the test for races, because an invalid access says more than a race.
    memcheck::access(address, size, write, pc);
    race::plain(address, size, how, pc, false);
    // A loop that only waits is recognised by its stack, so writes elsewhere must be noted.
    let here = &raw const address as usize;
    let above = address.wrapping_sub(here);
    if !write {
        if above >= NEAR {
            spin_loop::read_plain();
        } else {
            spin_loop::read_stack(address + size);
        }
    } else if above < stack_state::LARGEST_WINDOW {
        spin_loop::wrote_stack(address, size);
    } else {
        spin_loop::writes_plain(address, size);
        if schedule::somebody_awaits() {
            schedule::plain_write();
        }
    }
}

/// Notes that the runtime is about to write to this memory of the program, where the thread asked for it. Only loops that wait are told.
pub fn filled_in(address: usize, size: usize) {
    let here = &raw const address as usize;
    if address.wrapping_sub(here) < stack_state::LARGEST_WINDOW {
        spin_loop::wrote_stack(address, size);
    } else {
        spin_loop::changed();
    }
}

/// A visible access, to a place that races were seen on or inside an atomic section. The program performs the
/// access right after this returns.
///
/// Whether an access to such a place is allowed is asked when it has been taken: what the thread announces must not depend on whether
/// another one, which it does not wait for, has freed the memory yet.
#[cold]
#[inline(never)]
fn visible(address: usize, size: usize, how: Access, pc: u64) {
    let write = how.writes();
    if !race::places::within(address, size) {
        memcheck::access(address, size, write, pc);
    }
    if write {
        schedule::visible(memory::access(memory::WRITE, address as u64, size), pc, |_| {});
    } else {
        let operation = memory::access(memory::READ, address as u64, size);
        schedule::visible_look(operation, pc, |event| {
            event.result = value_at(address, size);
        });
    }
    memcheck::access(address, size, write, pc);
    race::plain(address, size, how, pc, true);
    if write && schedule::somebody_awaits() {
        schedule::plain_write();
    }
}

/// The value at `address`, up to eight bytes of it.
fn value_at(address: usize, size: usize) -> u64 {
    // SAFETY: the program is about to read it. If it may not, it crashes when it does, not here.
    unsafe { arch::heddle_peek(address, size.min(8)) }
}

/// An access to something declared `volatile`. That is a hint that other threads may access it, so it is visible
/// from the start, and a thread that waits for it in a loop is seen to wait. On the thread's own stack `volatile`
/// mostly keeps the compiler from optimising; such a place becomes visible like any other when a race shows that
/// other threads use it.
#[inline(always)]
fn volatile(address: usize, size: usize, how: Access, pc: u64) {
    if schedule::active() && race::on() && !fiber::is_on_own_stack(address) {
        visible(address, size, how, pc);
    } else {
        announce(address, size, how, pc);
    }
}

/// `size` bytes are about to be copied. If one of the two places is visible, the copy is one operation: it must
/// read what is there when it happens.
#[inline(always)]
pub fn copy(to: usize, from: usize, size: usize, pc: u64) {
    if schedule::active()
        && (race::places::touched(to, size, true, pc)
            || race::places::touched(from, size, false, pc)
            || schedule::in_section())
    {
        return visible_copy(to, from, size, pc);
    }
    plain(from, size, false, pc);
    plain(to, size, true, pc);
}

#[cold]
#[inline(never)]
fn visible_copy(to: usize, from: usize, size: usize, pc: u64) {
    if !race::places::within(from, size) {
        memcheck::access(from, size, false, pc);
    }
    if !race::places::within(to, size) {
        memcheck::access(to, size, true, pc);
    }
    let operation = memory::access(memory::COPY, to as u64, size).with_argument(from as u64);
    schedule::visible(operation, pc, |_| {});
    memcheck::access(from, size, false, pc);
    memcheck::access(to, size, true, pc);
    race::plain(from, size, Access::new(false, false), pc, true);
    race::plain(to, size, Access::new(true, false), pc, true);
    if schedule::somebody_awaits() {
        schedule::plain_write();
    }
}

/// Reads this close above the stack pointer are reads of the stack.
const NEAR: usize = 1024;

/// The functions for accesses of one size. A table.
macro_rules! accesses {
    ($($size:literal: read $($read:ident)*, write $($write:ident)*, volatile read $($vread:ident)*,
       volatile write $($vwrite:ident)*, both $($both:ident)*;)*) => { with_caller! {
        $($(fn $read(address: usize; pc in "rsi") { plain(address, $size, false, pc) })*)*
        $($(fn $write(address: usize; pc in "rsi") { plain(address, $size, true, pc) })*)*
        // Heddle's own flags do not produce these calls. An access that reads and writes counts as a write, which
        // conflicts with everything that either conflicts with.
        $($(fn $both(address: usize; pc in "rsi") { plain(address, $size, true, pc) })*)*
    }
    interpose! {
        $($(fn $vread(address: usize) {
            volatile(address, $size, Access::new(false, false).volatile(), schedule::caller());
        })*)*
        $($(fn $vwrite(address: usize) {
            volatile(address, $size, Access::new(true, false).volatile(), schedule::caller());
        })*)*
    } };
}

accesses! {
    1: read __tsan_read1 __tsan_unaligned_read1, write __tsan_write1 __tsan_unaligned_write1,
       volatile read __tsan_volatile_read1 __tsan_unaligned_volatile_read1,
       volatile write __tsan_volatile_write1 __tsan_unaligned_volatile_write1,
       both __tsan_read_write1 __tsan_unaligned_read_write1;
    2: read __tsan_read2 __tsan_unaligned_read2, write __tsan_write2 __tsan_unaligned_write2,
       volatile read __tsan_volatile_read2 __tsan_unaligned_volatile_read2,
       volatile write __tsan_volatile_write2 __tsan_unaligned_volatile_write2,
       both __tsan_read_write2 __tsan_unaligned_read_write2;
    4: read __tsan_read4 __tsan_unaligned_read4, write __tsan_write4 __tsan_unaligned_write4,
       volatile read __tsan_volatile_read4 __tsan_unaligned_volatile_read4,
       volatile write __tsan_volatile_write4 __tsan_unaligned_volatile_write4,
       both __tsan_read_write4 __tsan_unaligned_read_write4;
    8: read __tsan_read8 __tsan_unaligned_read8 __tsan_vptr_read, write __tsan_write8 __tsan_unaligned_write8,
       volatile read __tsan_volatile_read8 __tsan_unaligned_volatile_read8,
       volatile write __tsan_volatile_write8 __tsan_unaligned_volatile_write8,
       both __tsan_read_write8 __tsan_unaligned_read_write8;
    16: read __tsan_read16 __tsan_unaligned_read16, write __tsan_write16 __tsan_unaligned_write16,
       volatile read __tsan_volatile_read16 __tsan_unaligned_volatile_read16,
       volatile write __tsan_volatile_write16 __tsan_unaligned_volatile_write16,
       both __tsan_read_write16 __tsan_unaligned_read_write16;
}

with_caller! {
    fn __tsan_read_range(address: usize, size: usize; pc in "rdx") {
        plain(address, size, false, pc);
    }
    fn __tsan_write_range(address: usize, size: usize; pc in "rdx") {
        plain(address, size, true, pc);
    }
    fn __tsan_vptr_update(address: *const usize, new: usize; pc in "rdx") {
        // Constructors and destructors of a class hierarchy store the same pointer repeatedly. As in the sanitizer,
        // only a change is a write.
        if *address != new {
            plain(address as usize, size_of::<usize>(), true, pc);
        }
    }
}

/// Between this call and [`__tsan_ignore_thread_end`] the sanitizer ignores what the thread does. Heddle ignores
/// nothing: an additional access can only show a race that is one.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_begin() {}
/// The end of what [`__tsan_ignore_thread_begin`] began.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_end() {}
