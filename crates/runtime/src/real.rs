//! The functions that ours replace, for when the program does not run under control and for our own needs.
//!
//! Looked up once at start-up: the loader's look-up takes locks and may allocate, which an execution must not see.

use core::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> usize;
}

const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;

/// Declares originals: a function of the same name and type that calls the next definition after ours.
macro_rules! originals {
    ($(fn $name:ident($($arg:ident : $type:ty),*) $(-> $ret:ty)?;)*) => {
        mod address {
            $(#[allow(non_upper_case_globals)] pub static mut $name: usize = 0;)*
        }
        $(
            #[allow(dead_code, missing_docs, clippy::too_many_arguments)]
            #[inline]
            pub unsafe fn $name($($arg: $type),*) $(-> $ret)? {
                // SAFETY: the address was looked up by name, and the type is the one that the C library documents.
                unsafe {
                    let original: unsafe extern "C" fn($($type),*) $(-> $ret)? = core::mem::transmute(address::$name);
                    original($($arg),*)
                }
            }
        )*

        /// Looks all of them up. Once, before anything else of ours runs.
        pub fn resolve() {
            // SAFETY: at start-up, one thread.
            unsafe {
                $(address::$name = dlsym(RTLD_NEXT, concat!(stringify!($name), "\0").as_ptr().cast());)*
            }
        }
    };
}

originals! {
    fn __libc_start_main(main: usize, argc: c_int, argv: usize, init: usize, fini: usize, rtld: usize, stack: usize)
        -> c_int;
    fn exit(status: c_int) -> !;
    fn abort() -> !;
    fn __assert_fail(assertion: *const c_char, file: *const c_char, line: u32, function: *const c_char) -> !;
    fn fork() -> c_int;
    fn pthread_create(handle: *mut usize, attributes: *const c_void, routine: usize, argument: *mut c_void) -> c_int;
    fn pthread_join(handle: usize, value: *mut *mut c_void) -> c_int;
    fn pthread_detach(handle: usize) -> c_int;
    fn pthread_exit(value: *mut c_void) -> !;
    fn pthread_getattr_np(handle: usize, attributes: *mut c_void) -> c_int;
    fn pthread_mutex_init(mutex: *mut c_void, attributes: *const c_void) -> c_int;
    fn pthread_mutex_lock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_trylock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_unlock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_destroy(mutex: *mut c_void) -> c_int;
}
