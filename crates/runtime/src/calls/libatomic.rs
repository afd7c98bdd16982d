//! Atomic operations that compilers leave to libatomic: those of unusual sizes and of sixteen bytes.
//!
//! They are the operations of [`crate::calls::tsan::atomic`] under other names. The sized functions are a table. The
//! generic ones, for any number of bytes, are defined here. Outside executions the generic ones take a lock, as
//! libatomic does.
//!
//! `__atomic_load_16` is not a visible operation, because clang calls it a second time, without need, after every
//! sixteen-byte load that it has instrumented.

use core::sync::atomic::{AtomicBool, Ordering};

use heddle_model::primitive::atomic::{COMPARE_EXCHANGE, LOAD, RMW, STORE, orders};
use heddle_model::{Event, EventFlags, ObjectId, OpCode, Operation};

use crate::calls::tsan::atomic::{self, Update, detail};
use crate::calls::tsan::expected;
use crate::schedule::{self, caller};
use crate::{arch, sys};

static LOCK: AtomicBool = AtomicBool::new(false);

/// Performs `work` on `size` bytes at `address` as one operation.
///
/// # Safety
/// As the program's access.
unsafe fn generic(operation: Operation, size: usize, pc: u64, work: impl FnOnce(&mut Event)) {
    if !schedule::active() {
        while LOCK.swap(true, Ordering::Acquire) {
            // SAFETY: has no arguments.
            unsafe { sys::syscall3(sys::SCHED_YIELD, 0, 0, 0) };
        }
        work(&mut Event::default());
        LOCK.store(false, Ordering::Release);
        return;
    }
    let Ok(bytes) = u16::try_from(size) else { schedule::unsupported("an atomic of more than 65535 bytes", pc) };
    // The whole range is read once, so that a bad address faults in this thread.
    // SAFETY: the program says that it is readable.
    unsafe {
        let address = operation.object.0 as *const u8;
        (0..size).step_by(4096).for_each(|i| _ = address.add(i).read_volatile());
    }
    schedule::visible(Operation { size: bytes, ..operation }, pc, work);
}

fn on(code: OpCode, address: *mut u8, argument: u64, detail: u32) -> Operation {
    Operation { object: ObjectId(address as u64), argument, code, size: 0, detail }
}

/// The first eight bytes at `from`, or fewer if `size` is smaller.
unsafe fn narrow(from: *const u8, size: usize) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the caller's; `bytes` has room.
    unsafe { core::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), size.min(8)) };
    u64::from_ne_bytes(bytes)
}

unsafe fn equal(a: *const u8, b: *const u8, size: usize) -> bool {
    // SAFETY: the caller's.
    (0..size).all(|i| unsafe { a.add(i).read() == b.add(i).read() })
}

/// Calls `$work` with the integer type of `$size` bytes, where there is one and `$address` is aligned for it: such an
/// object may be accessed by the functions of that size too, and outside executions a lock would not stop those.
macro_rules! as_integer {
    ($size:expr, $address:expr, $type:ident => $work:expr) => {
        if $address.addr().is_multiple_of($size.max(1)) {
            match $size {
                1 => {
                    type $type = u8;
                    return $work;
                }
                2 => {
                    type $type = u16;
                    return $work;
                }
                4 => {
                    type $type = u32;
                    return $work;
                }
                8 => {
                    type $type = u64;
                    return $work;
                }
                16 => {
                    type $type = u128;
                    return $work;
                }
                _ => {}
            }
        }
    };
}

interpose! {
    fn __atomic_load(size: usize, address: *mut u8, into: *mut u8, order: i32) {
        let pc = caller();
        as_integer!(size, address, T => into.cast::<T>().write_unaligned(atomic::load(address.cast::<T>(), order, pc)));
        generic(on(LOAD, address, 0, detail(0, order)), size, pc, |event| {
            event.result = narrow(address, size);
            core::ptr::copy(address, into, size);
        });
    }
    fn __atomic_store(size: usize, address: *mut u8, from: *const u8, order: i32) {
        let pc = caller();
        as_integer!(size, address, T => {
            atomic::store(address.cast::<T>(), from.cast::<T>().read_unaligned(), order, pc)
        });
        let operation = on(STORE, address, narrow(from, size), detail(0, order));
        generic(operation, size, pc, |_| core::ptr::copy(from, address, size));
    }
    fn __atomic_exchange(size: usize, address: *mut u8, from: *const u8, into: *mut u8, order: i32) {
        let pc = caller();
        as_integer!(size, address, T => {
            let new = from.cast::<T>().read_unaligned();
            into.cast::<T>().write_unaligned(atomic::update(address.cast::<T>(), Update::Exchange, new, order, pc))
        });
        let operation = on(RMW, address, narrow(from, size), detail(Update::Exchange as u32, order));
        generic(operation, size, pc, |event| {
            event.result = narrow(address, size);
            // Byte by byte: `from` and `into` may be the same.
            for i in 0..size {
                let (old, new) = (address.add(i).read(), from.add(i).read());
                address.add(i).write(new);
                into.add(i).write(old);
            }
        });
    }
    fn __atomic_compare_exchange(
        size: usize, address: *mut u8, wanted: *mut u8, from: *const u8, order: i32, failure: i32,
    ) -> bool {
        let pc = caller();
        as_integer!(size, address, T => {
            let (expected, new) = (wanted.cast::<T>().read_unaligned(), from.cast::<T>().read_unaligned());
            let found = atomic::compare_exchange(address.cast::<T>(), expected, new, (order, failure), pc);
            if found != expected {
                wanted.cast::<T>().write_unaligned(found);
            }
            found == expected
        });
        let mut done = false;
        let waiting = if schedule::active() { expected::note(schedule::current(), wanted) } else { 0 };
        let operation = on(COMPARE_EXCHANGE, address, narrow(wanted, size), orders(order as u32, failure as u32) | waiting);
        generic(operation, size, pc, |event| {
            event.result = narrow(address, size);
            done = equal(address, wanted, size);
            if done {
                core::ptr::copy(from, address, size);
            } else {
                core::ptr::copy(address, wanted, size);
                event.flags = event.flags.union(EventFlags::FAILED);
            }
        });
        done
    }
    fn __atomic_is_lock_free(size: usize, address: usize) -> bool {
        size.is_power_of_two() && size <= 16 && address.is_multiple_of(size)
    }
    fn __atomic_load_16(address: *mut u128, order: i32) -> u128 {
        if schedule::active() { address.read() } else { atomic::load(address, order, caller()) }
    }
    fn __atomic_feraiseexcept(exceptions: i32) {
        arch::raise_exceptions(exceptions as u32);
    }
    fn atomic_thread_fence(order: i32) {
        atomic::fence(order, caller());
    }
    fn atomic_signal_fence(order: i32) {}
    fn atomic_flag_test_and_set(flag: *mut u8) -> bool {
        atomic::update(flag, Update::Exchange, 1, 5, caller()) != 0
    }
    fn atomic_flag_test_and_set_explicit(flag: *mut u8, order: i32) -> bool {
        atomic::update(flag, Update::Exchange, 1, order, caller()) != 0
    }
    fn atomic_flag_clear(flag: *mut u8) {
        atomic::store(flag, 0, 5, caller());
    }
    fn atomic_flag_clear_explicit(flag: *mut u8, order: i32) {
        atomic::store(flag, 0, order, caller());
    }
}

/// The sized functions, but for `__atomic_load_16`. A table.
macro_rules! sized {
    ($($type:ty: $store:ident $exchange:ident $compare:ident $set:ident;)*) => { interpose! { $(
        fn $store(address: *mut $type, value: $type, order: i32) {
            atomic::store(address, value, order, caller());
        }
        fn $exchange(address: *mut $type, value: $type, order: i32) -> $type {
            atomic::update(address, Update::Exchange, value, order, caller())
        }
        fn $compare(address: *mut $type, wanted: *mut $type, new: $type, order: i32, failure: i32) -> bool {
            atomic::compare_exchange_at(address, wanted, new, (order, failure), caller())
        }
        fn $set(address: *mut $type, order: i32) -> bool {
            atomic::update(address, Update::Exchange, 1, order, caller()) != 0
        }
    )* } };
}

macro_rules! loads {
    ($($type:ty: $load:ident;)*) => { interpose! { $(
        fn $load(address: *mut $type, order: i32) -> $type {
            atomic::load(address, order, caller())
        }
    )* } };
}

/// The functions that return the old value, and those that return the new one.
macro_rules! updates {
    ($($type:ty, $update:ident: $old:ident $new:ident;)*) => { interpose! { $(
        fn $old(address: *mut $type, value: $type, order: i32) -> $type {
            atomic::update(address, Update::$update, value, order, caller())
        }
        fn $new(address: *mut $type, value: $type, order: i32) -> $type {
            use crate::calls::tsan::atomic::Word;
            atomic::update(address, Update::$update, value, order, caller()).updated(Update::$update, value)
        }
    )* } };
}

loads! {
    u8: __atomic_load_1;
    u16: __atomic_load_2;
    u32: __atomic_load_4;
    u64: __atomic_load_8;
}

sized! {
    u8: __atomic_store_1 __atomic_exchange_1 __atomic_compare_exchange_1 __atomic_test_and_set_1;
    u16: __atomic_store_2 __atomic_exchange_2 __atomic_compare_exchange_2 __atomic_test_and_set_2;
    u32: __atomic_store_4 __atomic_exchange_4 __atomic_compare_exchange_4 __atomic_test_and_set_4;
    u64: __atomic_store_8 __atomic_exchange_8 __atomic_compare_exchange_8 __atomic_test_and_set_8;
    u128: __atomic_store_16 __atomic_exchange_16 __atomic_compare_exchange_16 __atomic_test_and_set_16;
}

updates! {
    u8, Add: __atomic_fetch_add_1 __atomic_add_fetch_1;
    u8, Sub: __atomic_fetch_sub_1 __atomic_sub_fetch_1;
    u8, And: __atomic_fetch_and_1 __atomic_and_fetch_1;
    u8, Or: __atomic_fetch_or_1 __atomic_or_fetch_1;
    u8, Xor: __atomic_fetch_xor_1 __atomic_xor_fetch_1;
    u8, Nand: __atomic_fetch_nand_1 __atomic_nand_fetch_1;
    u16, Add: __atomic_fetch_add_2 __atomic_add_fetch_2;
    u16, Sub: __atomic_fetch_sub_2 __atomic_sub_fetch_2;
    u16, And: __atomic_fetch_and_2 __atomic_and_fetch_2;
    u16, Or: __atomic_fetch_or_2 __atomic_or_fetch_2;
    u16, Xor: __atomic_fetch_xor_2 __atomic_xor_fetch_2;
    u16, Nand: __atomic_fetch_nand_2 __atomic_nand_fetch_2;
    u32, Add: __atomic_fetch_add_4 __atomic_add_fetch_4;
    u32, Sub: __atomic_fetch_sub_4 __atomic_sub_fetch_4;
    u32, And: __atomic_fetch_and_4 __atomic_and_fetch_4;
    u32, Or: __atomic_fetch_or_4 __atomic_or_fetch_4;
    u32, Xor: __atomic_fetch_xor_4 __atomic_xor_fetch_4;
    u32, Nand: __atomic_fetch_nand_4 __atomic_nand_fetch_4;
    u64, Add: __atomic_fetch_add_8 __atomic_add_fetch_8;
    u64, Sub: __atomic_fetch_sub_8 __atomic_sub_fetch_8;
    u64, And: __atomic_fetch_and_8 __atomic_and_fetch_8;
    u64, Or: __atomic_fetch_or_8 __atomic_or_fetch_8;
    u64, Xor: __atomic_fetch_xor_8 __atomic_xor_fetch_8;
    u64, Nand: __atomic_fetch_nand_8 __atomic_nand_fetch_8;
    u128, Add: __atomic_fetch_add_16 __atomic_add_fetch_16;
    u128, Sub: __atomic_fetch_sub_16 __atomic_sub_fetch_16;
    u128, And: __atomic_fetch_and_16 __atomic_and_fetch_16;
    u128, Or: __atomic_fetch_or_16 __atomic_or_fetch_16;
    u128, Xor: __atomic_fetch_xor_16 __atomic_xor_fetch_16;
    u128, Nand: __atomic_fetch_nand_16 __atomic_nand_fetch_16;
}
