//! The names by which instrumented code calls the atomics. A table.

use super::atomic::{self, Update};
use crate::schedule::caller;

macro_rules! atomics {
    ($($type:ty: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident
       $nand:ident $strong:ident $weak:ident $value:ident;)*) => { $(
        // The second argument of those that compare and exchange by address, the value of the others, takes two
        // registers if it is sixteen bytes wide: where the return address goes depends on it, so it goes by memory.
        interpose! {
            fn $load(address: *mut $type, order: i32) -> $type {
                atomic::load(address, order, caller())
            }
            fn $store(address: *mut $type, value: $type, order: i32) {
                atomic::store(address, value, order, caller())
            }
            fn $exchange(address: *mut $type, value: $type, order: i32) -> $type {
                atomic::update(address, Update::Exchange, value, order, caller())
            }
            fn $add(address: *mut $type, value: $type, order: i32) -> $type {
                atomic::update(address, Update::Add, value, order, caller())
            }
            fn $sub(address: *mut $type, value: $type, order: i32) -> $type {
                atomic::update(address, Update::Sub, value, order, caller())
            }
            fn $and(address: *mut $type, value: $type, order: i32) -> $type {
                atomic::update(address, Update::And, value, order, caller())
            }
            fn $or(address: *mut $type, value: $type, order: i32) -> $type {
                atomic::update(address, Update::Or, value, order, caller())
            }
            fn $xor(address: *mut $type, value: $type, order: i32) -> $type {
                atomic::update(address, Update::Xor, value, order, caller())
            }
            fn $nand(address: *mut $type, value: $type, order: i32) -> $type {
                atomic::update(address, Update::Nand, value, order, caller())
            }
            fn $strong(address: *mut $type, expected: *mut $type, new: $type, order: i32, failure: i32) -> i32 {
                i32::from(atomic::compare_exchange_at(address, expected, new, (order, failure), caller()))
            }
            fn $weak(address: *mut $type, expected: *mut $type, new: $type, order: i32, failure: i32) -> i32 {
                i32::from(atomic::compare_exchange_weak_at(address, expected, new, (order, failure), caller()))
            }
            fn $value(address: *mut $type, expected: $type, new: $type, order: i32, failure: i32) -> $type {
                atomic::compare_exchange(address, expected, new, (order, failure), caller())
            }
        }
    )* };
}

atomics! {
    u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange
        __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and
        __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
        __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak
        __tsan_atomic8_compare_exchange_val;
    u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange
        __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and
        __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
        __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
        __tsan_atomic16_compare_exchange_val;
    u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange
        __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and
        __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
        __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
        __tsan_atomic32_compare_exchange_val;
    u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange
        __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and
        __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
        __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
        __tsan_atomic64_compare_exchange_val;
    u128: __tsan_atomic128_load __tsan_atomic128_store __tsan_atomic128_exchange
        __tsan_atomic128_fetch_add __tsan_atomic128_fetch_sub __tsan_atomic128_fetch_and
        __tsan_atomic128_fetch_or __tsan_atomic128_fetch_xor __tsan_atomic128_fetch_nand
        __tsan_atomic128_compare_exchange_strong __tsan_atomic128_compare_exchange_weak
        __tsan_atomic128_compare_exchange_val;
}

interpose! {
    fn __tsan_atomic_thread_fence(order: i32) {
        atomic::fence(order, caller());
    }
    // Orders a thread with its own signal handlers only.
    fn __tsan_atomic_signal_fence(order: i32) {}
}
