//! Atomic operations on memory: visible operations in an execution, real atomics outside.
//!
//! In an execution one kernel thread runs everything, so once the operation is scheduled, plain loads and stores
//! suffice. Outside executions the program may have real threads and gets real atomics. All of them are sequentially
//! consistent, even if the program asks for a weaker order.
//!
//! A weak compare-exchange may fail spuriously ([`crate::schedule::spurious_failure`]); then it only reads. Neither
//! clang nor the interface of libatomic says which compare-exchanges are weak, so theirs are treated as strong.

use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};

use heddle_model::primitive::atomic::{COMPARE_EXCHANGE, FENCE, LOAD, RMW, STORE, orders};
use heddle_model::{Event, EventFlags, ObjectId, OpCode, Operation};

use super::expected;
use crate::arch;
use crate::detect::{race, stacks};
use crate::schedule::{self, spurious_failure};

/// How a read-modify-write computes the new value. The numbers stand in the low bits of an event's `detail`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Update {
    /// The new value replaces the old.
    Exchange = 1,
    /// The sum of the old value and the operand.
    Add = 2,
    /// The old value minus the operand.
    Sub = 3,
    /// Bitwise and.
    And = 4,
    /// Bitwise or.
    Or = 5,
    /// Bitwise exclusive or.
    Xor = 6,
    /// The complement of the bitwise and.
    Nand = 7,
}

/// An operation's `detail`: bits 0 to 3 are the [`Update`] of a read-modify-write, bits 4 to 11 the memory order and the one
/// in case of failure ([`orders`]), bit 12 that the process may be copied, bits 16 and up the thread of a compare-exchange wider than eight bytes.
#[inline(always)]
pub fn detail(update: u32, order: i32) -> u32 {
    update | orders(order as u32, 0)
}

/// Integers that have atomics.
pub trait Word: Copy + Eq {
    /// The size in bytes.
    const SIZE: u16 = size_of::<Self>() as u16;
    /// The lowest 64 bits, which an event has room for.
    fn narrow(self) -> u64;
    /// The new value of a read-modify-write: `update` applied with the operand `by`.
    fn updated(self, update: Update, by: Self) -> Self;
    /// A real compare-exchange. Returns the value that was found.
    ///
    /// # Safety
    /// `address` is valid for it.
    unsafe fn real_compare_exchange(address: *mut Self, expected: Self, new: Self) -> Self;
    /// A real load.
    ///
    /// # Safety
    /// `address` is valid for it.
    unsafe fn real_load(address: *mut Self) -> Self;
}

macro_rules! word {
    ($type:ty, $load:expr, $compare:expr) => {
        impl Word for $type {
            #[inline(always)]
            fn narrow(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn updated(self, update: Update, by: Self) -> Self {
                match update {
                    Update::Exchange => by,
                    Update::Add => self.wrapping_add(by),
                    Update::Sub => self.wrapping_sub(by),
                    Update::And => self & by,
                    Update::Or => self | by,
                    Update::Xor => self ^ by,
                    Update::Nand => !(self & by),
                }
            }
            #[inline(always)]
            unsafe fn real_compare_exchange(address: *mut Self, expected: Self, new: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $compare(address, expected, new) }
            }
            #[inline(always)]
            unsafe fn real_load(address: *mut Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $load(address) }
            }
        }
    };
}

macro_rules! native {
    ($type:ty, $atomic:ty) => {
        word!(
            $type,
            |address: *mut $type| <$atomic>::from_ptr(address).load(SeqCst),
            |address: *mut $type, expected, new| {
                <$atomic>::from_ptr(address).compare_exchange(expected, new, SeqCst, SeqCst).unwrap_or_else(|old| old)
            }
        );
    };
}

native!(u8, AtomicU8);
native!(u16, AtomicU16);
native!(u32, AtomicU32);
native!(u64, AtomicU64);
// Not every processor has an atomic plain load of sixteen bytes. Replacing 0 by 0 reads atomically.
word!(u128, |address: *mut u128| arch::compare_exchange_128(address, 0, 0), arch::compare_exchange_128);

#[inline(always)]
fn operation<T: Word>(code: OpCode, address: *mut T, argument: T, detail: u32) -> Operation {
    Operation { object: ObjectId(address as u64), argument: argument.narrow(), code, size: T::SIZE, detail }
}

/// Reads a value and discards it. A bad address faults here, in the thread that uses it, and not when another thread
/// evaluates this thread's next operation.
///
/// Not where somebody has unmapped or protected memory in this execution: there the fault depends on the order, so the
/// operation comes first, as an event that can be reversed with the change.
#[inline(always)]
unsafe fn probe<T: Copy>(address: *mut T) {
    if !race::is_changed(address as usize, size_of::<T>()) {
        // SAFETY: the program says that it is readable; if it is wrong, the fault is its own.
        unsafe { address.read_volatile() };
    }
}

/// An atomic load.
///
/// # Safety
/// As the program's access.
#[inline(always)]
pub unsafe fn load<T: Word>(address: *mut T, order: i32, pc: u64) -> T {
    // SAFETY: the caller's.
    unsafe {
        if !schedule::active() {
            return T::real_load(address);
        }
        probe(address);
        let nothing = Operation { code: LOAD, detail: detail(0, order), ..Operation::default() };
        let operation = Operation { object: ObjectId(address as u64), size: T::SIZE, ..nothing };
        let mut value = core::mem::MaybeUninit::uninit();
        schedule::visible_look(operation, pc, |event| event.result = value.write(address.read_volatile()).narrow());
        value.assume_init()
    }
}

/// An atomic store.
///
/// # Safety
/// As the program's access.
#[inline(always)]
pub unsafe fn store<T: Word>(address: *mut T, value: T, order: i32, pc: u64) {
    // SAFETY: the caller's.
    unsafe {
        if !schedule::active() {
            real_update(address, Update::Exchange, value);
            return;
        }
        probe(address);
        schedule::visible(operation(STORE, address, value, detail(0, order)), pc, |event| {
            // The replaced value decides whether a compare-exchange at this position would have succeeded. What an
            // earlier call has left in the slot of a new variable is not the program's, and differs between two runs.
            if !stacks::is_private(address as usize) {
                let old = address.read_volatile();
                if T::SIZE <= 8 {
                    event.result = old.narrow();
                    event.flags = event.flags.union(EventFlags::KNOWS_OLD);
                }
                unchanged_if(old == value, event);
            }
            address.write_volatile(value);
        });
    }
}

#[inline(always)]
fn unchanged_if(same: bool, event: &mut Event) {
    if same {
        event.flags = event.flags.union(EventFlags::UNCHANGED);
    }
}

unsafe fn real_update<T: Word>(address: *mut T, update: Update, by: T) -> T {
    // SAFETY: the caller's.
    unsafe {
        let mut old = T::real_load(address);
        loop {
            let found = T::real_compare_exchange(address, old, old.updated(update, by));
            if found == old {
                return old;
            }
            old = found;
        }
    }
}

/// An atomic read-modify-write. Returns the old value.
///
/// # Safety
/// As the program's access.
#[inline(always)]
pub unsafe fn update<T: Word>(address: *mut T, update: Update, by: T, order: i32, pc: u64) -> T {
    // SAFETY: the caller's.
    unsafe {
        if !schedule::active() {
            return real_update(address, update, by);
        }
        probe(address);
        let mut old = core::mem::MaybeUninit::uninit();
        schedule::visible_look(operation(RMW, address, by, detail(update as u32, order)), pc, |event| {
            let found = *old.write(address.read_volatile());
            let new = found.updated(update, by);
            address.write_volatile(new);
            event.result = found.narrow();
            unchanged_if(new == found, event);
        });
        old.assume_init()
    }
}

/// An atomic compare-exchange. Returns the value that was found. `order` is the memory order of success and of
/// failure.
///
/// # Safety
/// As the program's access.
#[inline(always)]
pub unsafe fn compare_exchange<T: Word>(address: *mut T, wanted: T, new: T, order: (i32, i32), pc: u64) -> T {
    // SAFETY: the caller's.
    unsafe {
        if !schedule::active() {
            return T::real_compare_exchange(address, wanted, new);
        }
        probe(address);
        let wide = T::SIZE > 8;
        let waiting = if wide { expected::note(schedule::current(), (&raw const wanted).cast()) } else { 0 };
        let mut found = core::mem::MaybeUninit::uninit();
        let operation = operation(COMPARE_EXCHANGE, address, wanted, orders(order.0 as u32, order.1 as u32) | waiting);
        schedule::visible_look(operation, pc, |event| {
            let old = *found.write(address.read_volatile());
            event.result = old.narrow();
            if old == wanted {
                address.write_volatile(new);
            } else {
                event.flags = event.flags.union(EventFlags::FAILED);
            }
        });
        found.assume_init()
    }
}

/// A strong compare-exchange in the shape of C11: `expected` points to the expected value, and receives the one
/// that was found.
///
/// # Safety
/// As the program's access.
#[inline(always)]
pub unsafe fn compare_exchange_at<T: Word>(
    address: *mut T,
    expected: *mut T,
    new: T,
    order: (i32, i32),
    pc: u64,
) -> bool {
    // SAFETY: the caller's.
    unsafe {
        let wanted = *expected;
        let found = compare_exchange(address, wanted, new, order, pc);
        if found != wanted {
            *expected = found;
        }
        found == wanted
    }
}

/// A weak compare-exchange in the shape of C11: it may fail spuriously.
///
/// # Safety
/// As the program's access.
#[inline(always)]
pub unsafe fn compare_exchange_weak_at<T: Word>(
    address: *mut T,
    expected: *mut T,
    new: T,
    order: (i32, i32),
    pc: u64,
) -> bool {
    // SAFETY: the caller's.
    unsafe {
        if schedule::active() && spurious_failure::fails_spuriously(address as u64, pc) {
            probe(address);
            // This does not count as a load of a wait loop: the next attempt may find the same value and succeed.
            let read = operation(LOAD, address, new, detail(0, order.1)).with_argument(0);
            schedule::visible(read, pc, |event| {
                let value = address.read_volatile();
                event.result = value.narrow();
                expected.write(value);
            });
            return false;
        }
        compare_exchange_at(address, expected, new, order, pc)
    }
}

/// A fence.
#[inline(always)]
pub fn fence(order: i32, pc: u64) {
    if schedule::active() {
        let operation = Operation { code: FENCE, detail: detail(0, order), ..Operation::default() };
        schedule::visible(operation, pc, |_| ());
    } else {
        core::sync::atomic::fence(SeqCst);
    }
}
