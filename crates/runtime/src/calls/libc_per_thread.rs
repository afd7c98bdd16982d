//! What libc remembers for a thread alone, where the compiler's instrumentation does not see it. It makes no difference to others, so these are no
//! operations; but a loop that changes it does not only look ([`spin_loop`]).

use core::ffi::{c_int, c_void};

use crate::schedule::{active, spin_loop};

originals! {
    fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
    fn tss_set(key: u32, value: *mut c_void) -> c_int;
    fn pthread_setconcurrency(level: c_int) -> c_int;
}

/// Defines functions that change something of their thread's own.
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
    fn pthread_setconcurrency(level: c_int) -> c_int;
}
