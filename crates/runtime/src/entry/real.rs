//! The original functions behind those that this library interposes. The program gets them outside executions.
//!
//! They are looked up by name after this library. A lookup takes locks and may allocate, so it is done once at the
//! start ([`resolve`]), or, outside executions, at the first use before that.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::{schedule, sys};

#[link(name = "c")]
unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The next definition after this library's own.
const NEXT: *mut c_void = usize::MAX as *mut c_void;

/// The address of the function with this name, or 0 if no library has it. Call this outside executions only.
pub fn find(name: &CStr) -> usize {
    // SAFETY: the name ends in a zero byte.
    unsafe { dlsym(core::ptr::null_mut(), name.as_ptr()) as usize }
}

/// A function that this library interposes.
pub struct Real {
    name: &'static CStr,
    address: AtomicUsize,
}

impl Real {
    /// The function with this name.
    pub const fn new(name: &'static CStr) -> Real {
        Real { name, address: AtomicUsize::new(0) }
    }

    /// The name of the function.
    pub fn name(&self) -> &'static str {
        self.name.to_str().unwrap_or("?")
    }

    /// The name of the function as a C string.
    pub fn c_name(&self) -> &'static CStr {
        self.name
    }

    /// The address of the function. 0 if no library has it, or it was not looked up.
    pub fn found(&self) -> usize {
        self.address.load(Ordering::Relaxed)
    }

    /// The address of the function. Ends the process if there is none: the program called a function that no
    /// library defines.
    #[inline]
    pub fn address(&self) -> usize {
        match self.address.load(Ordering::Relaxed) {
            0 => self.look_up(),
            found => found,
        }
    }

    #[cold]
    fn look_up(&self) -> usize {
        if schedule::active() {
            sys::die(
                b"heddle: internal error in the runtime (a function was not resolved before the first execution)\n",
            );
        }
        self.try_look_up();
        match self.address.load(Ordering::Relaxed) {
            0 => sys::die(b"heddle: the program calls a function that its libraries do not have\n"),
            found => found,
        }
    }

    /// Looks the function up.
    pub fn try_look_up(&self) {
        // SAFETY: the name ends in a zero byte. Several threads may do this at once: they find the same.
        self.address.store(unsafe { dlsym(NEXT, self.name.as_ptr()) } as usize, Ordering::Relaxed);
    }
}

/// Declares [`Real`]s and a function for each that calls it.
macro_rules! originals {
    ($(fn $name:ident($($arg:ident : $type:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions behind those that this file defines.
        #[allow(dead_code, missing_docs, non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]
        pub mod real {
            #[allow(unused_imports, clippy::wildcard_imports)]
            use super::*;
            $(
                #[inline]
                pub unsafe fn $name($($arg: $type),*) $(-> $ret)? {
                    let address = symbols::$name.address();
                    // SAFETY: the address is that of the function with this name, whose signature this is.
                    unsafe {
                        let function: unsafe extern "C" fn($($type),*) $(-> $ret)? = core::mem::transmute(address);
                        function($($arg),*)
                    }
                }
            )*
            pub mod symbols {
                $(
                    pub static $name: crate::entry::real::Real =
                        // SAFETY: ends in the only zero byte.
                        crate::entry::real::Real::new(unsafe {
                            core::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes())
                        });
                )*
            }
        }
        /// What [`crate::entry::real::resolve`] looks up.
        pub static REAL: &[&crate::entry::real::Real] = &[$(&real::symbols::$name),*];
    };
}

pub use real::*;

// What the engine itself needs, and what `pthread` and `process` stand before.
originals! {
    fn __libc_start_main(main: usize, argc: c_int, argv: usize, init: usize, fini: usize, rtld: usize, stack: usize)
        -> c_int;
    fn exit(status: c_int) -> !;
    fn abort() -> !;
    fn __assert_fail(assertion: *const c_char, file: *const c_char, line: u32, function: *const c_char) -> !;
    fn fork() -> c_int;
    fn pthread_create(handle: *mut usize, attributes: *const c_void, routine: usize, argument: *mut c_void) -> c_int;
    fn pthread_join(handle: usize, value: *mut *mut c_void) -> c_int;
    fn pthread_tryjoin_np(handle: usize, value: *mut *mut c_void) -> c_int;
    fn pthread_timedjoin_np(handle: usize, value: *mut *mut c_void, deadline: *const crate::outside::clock::Timespec) -> c_int;
    fn pthread_clockjoin_np(
        handle: usize, value: *mut *mut c_void, clock: c_int, deadline: *const crate::outside::clock::Timespec
    ) -> c_int;
    fn pthread_detach(handle: usize) -> c_int;
    fn pthread_exit(value: *mut c_void) -> !;
    fn pthread_getattr_np(handle: usize, attributes: *mut c_void) -> c_int;
    fn pthread_mutex_init(mutex: *mut c_void, attributes: *const c_void) -> c_int;
    fn pthread_mutex_lock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_trylock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_unlock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_destroy(mutex: *mut c_void) -> c_int;
}

/// Looks up all interposed functions. Call this when libc is ready, before the first execution.
pub fn resolve() {
    let tables = [
        REAL,
        crate::calls::buffers::REAL,
        crate::outside::channel::epoll::REAL,
        crate::outside::channel::pipe::REAL,
        crate::outside::channel::socket::REAL,
        crate::outside::files::calls::REAL,
        crate::outside::files::streams::REAL,
        crate::outside::files::temporary::REAL,
        crate::calls::libcxx::REAL,
        crate::calls::libstdcxx::REAL,
        crate::outside::clock::REAL,
        crate::outside::ids::REAL,
        crate::outside::machine::REAL,
        crate::entry::loaded::REAL,
        crate::calls::libc_per_thread::REAL,
        crate::outside::children::REAL,
        crate::outside::exit_handlers::REAL,
        crate::outside::mappings::REAL,
        crate::outside::random::REAL,
        crate::outside::signals::delivery::REAL,
        crate::outside::signals::mask::REAL,
        crate::outside::timers::REAL,
        crate::calls::unsupported::REAL,
    ];
    for original in tables.into_iter().chain(crate::calls::pthread::REAL).flatten() {
        original.try_look_up();
    }
    for entry in crate::calls::unsupported::TABLE.iter().chain(&crate::calls::process_state::table::TABLE) {
        entry.try_look_up();
    }
    crate::calls::process_state::set_up();
    crate::heap::survive_fork();
    crate::outside::children::watch_forks();
    crate::heap::set_up_operators();
}
