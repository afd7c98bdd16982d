//! Keys of thread-specific data. Values and destructors are glibc's own and work on fibers as they are: in up to four rounds,
//! and in each round in the order of the keys. Which key a thread gets depends on who asked for one before: so asking for one and giving
//! one back are visible operations on the table of keys, which is libc's and which instrumentation does not see.

use core::ffi::c_int;

use heddle_model::primitive::atomic::RMW;
use heddle_model::{ObjectId, Operation};

use crate::engine::{active, caller, visible};

originals! {
    fn pthread_key_create(key: *mut u32, destructor: usize) -> c_int;
    fn pthread_key_delete(key: u32) -> c_int;
    fn tss_create(key: *mut u32, destructor: usize) -> c_int;
    fn tss_delete(key: u32);
}

/// The caller changes the table of keys, which is named by the address of a function that does.
fn change(pc: u64) {
    if active() {
        let table = ObjectId(real::symbols::pthread_key_create.address() as u64);
        visible(Operation { size: 1, ..Operation::new(RMW, table) }, pc, |_| {});
    }
}

interpose! {
    fn pthread_key_create(key: *mut u32, destructor: usize) -> c_int {
        change(caller());
        real::pthread_key_create(key, destructor)
    }
    fn pthread_key_delete(key: u32) -> c_int {
        change(caller());
        real::pthread_key_delete(key)
    }
    fn tss_create(key: *mut u32, destructor: usize) -> c_int {
        change(caller());
        real::tss_create(key, destructor)
    }
    fn tss_delete(key: u32) {
        change(caller());
        real::tss_delete(key)
    }
}
