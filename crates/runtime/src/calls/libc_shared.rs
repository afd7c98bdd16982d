//! State that libc keeps for all threads where the compiler's instrumentation does not see it, and that a program can
//! observe: the generators behind `rand` and `random`, and the environment.
//!
//! The order in which two threads draw from one generator decides what each gets. Each call is therefore a visible
//! operation on the generator, named by the address of one of its functions; then libc does the work. Looking at the
//! environment commutes with looking, changing it does not.
//!
//! Not here: what is documented as unsafe to use from several threads at all (`strtok`, `localtime`, `setlocale`), and
//! streams, which are in [`crate::outside::files`].

use core::ffi::{c_char, c_double, c_int, c_long};

use heddle_model::primitive::atomic::{LOAD, RMW};
use heddle_model::{ObjectId, OpCode, Operation};

use crate::schedule::{active, caller, visible};

originals! {
    fn rand() -> c_int;
    fn srand(seed: u32);
    fn random() -> c_long;
    fn srandom(seed: u32);
    fn initstate(seed: u32, state: *mut c_char, size: usize) -> *mut c_char;
    fn setstate(state: *mut c_char) -> *mut c_char;
    fn drand48() -> c_double;
    fn lrand48() -> c_long;
    fn mrand48() -> c_long;
    fn srand48(seed: c_long);
    fn seed48(seed: *mut u16) -> *mut u16;
    fn getenv(name: *const c_char) -> *mut c_char;
    fn secure_getenv(name: *const c_char) -> *mut c_char;
    fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int;
    fn unsetenv(name: *const c_char) -> c_int;
    fn putenv(text: *mut c_char) -> c_int;
    fn clearenv() -> c_int;
}

/// A visible operation on the state that `function` uses.
fn use_state(code: OpCode, function: &crate::entry::real::Real, pc: u64) {
    if active() {
        let object = ObjectId(function.address() as u64);
        visible(Operation { size: 1, ..Operation::new(code, object) }, pc, |_| {});
    }
}

/// Defines functions that share a state, which is named by one of them.
macro_rules! stateful {
    ($(fn $name:ident($($arg:ident : $type:ty),*) $(-> $ret:ty)? : $code:ident of $state:ident;)*) => {
        interpose! {
            $(fn $name($($arg: $type),*) $(-> $ret)? {
                use_state($code, &real::symbols::$state, caller());
                real::$name($($arg),*)
            })*
        }
    };
}

stateful! {
    fn rand() -> c_int: RMW of random;
    fn srand(seed: u32): RMW of random;
    fn random() -> c_long: RMW of random;
    fn srandom(seed: u32): RMW of random;
    fn initstate(seed: u32, state: *mut c_char, size: usize) -> *mut c_char: RMW of random;
    fn setstate(state: *mut c_char) -> *mut c_char: RMW of random;
    fn drand48() -> c_double: RMW of drand48;
    fn lrand48() -> c_long: RMW of drand48;
    fn mrand48() -> c_long: RMW of drand48;
    fn srand48(seed: c_long): RMW of drand48;
    fn seed48(seed: *mut u16) -> *mut u16: RMW of drand48;
    fn getenv(name: *const c_char) -> *mut c_char: LOAD of getenv;
    fn secure_getenv(name: *const c_char) -> *mut c_char: LOAD of getenv;
    fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int: RMW of getenv;
    fn unsetenv(name: *const c_char) -> c_int: RMW of getenv;
    fn putenv(text: *mut c_char) -> c_int: RMW of getenv;
    fn clearenv() -> c_int: RMW of getenv;
}
