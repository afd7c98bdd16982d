//! State that libc keeps for each thread, where the compiler's instrumentation does not see it. Other threads
//! cannot observe it, so these calls are no visible operations. But a loop that makes them changes something, so it
//! is not a loop that only waits ([`spin_loop`]).

use core::ffi::{c_int, c_void};

use crate::schedule::{active, spin_loop};

originals! {
    fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
    fn tss_set(key: u32, value: *mut c_void) -> c_int;
}

/// Defines functions that change state of the calling thread alone.
macro_rules! changes_own {
    ($(fn $name:ident($($arg:ident : $type:ty),*) -> $ret:ty;)*) => {
        interpose! {
            $(fn $name($($arg: $type),*) -> $ret {
                if active() {
                    spin_loop::changed();
                }
                real::$name($($arg),*)
            })*
        }
    };
}

changes_own! {
    fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
    fn tss_set(key: u32, value: *mut c_void) -> c_int;
}
