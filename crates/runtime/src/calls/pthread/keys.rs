//! Keys of thread-specific data. Values and destructors are glibc's own and work on fibers unchanged: destructors run
//! in up to four rounds, in each round in the order of the keys. Which key a thread gets depends on earlier requests of
//! other threads. Creating and deleting a key are therefore visible operations on the table of keys, which belongs to
//! libc and is not instrumented.

use core::cell::Cell;
use core::ffi::c_int;

use heddle_model::primitive::atomic::RMW;
use heddle_model::{ObjectId, Operation};

use crate::lifetime;
use crate::schedule::{active, caller, visible};

originals! {
    fn pthread_key_create(key: *mut u32, destructor: usize) -> c_int;
    fn pthread_key_delete(key: u32) -> c_int;
    fn tss_create(key: *mut u32, destructor: usize) -> c_int;
    fn tss_delete(key: u32);
}

/// The keys of thread-specific data.
pub struct Keys {
    /// There was a key with a destructor, in this execution or an earlier one.
    have_destructors: Cell<bool>,
}

impl Keys {
    /// The state at the start of the process.
    pub const fn new() -> Keys {
        Keys { have_destructors: Cell::new(false) }
    }
}

/// Whether a thread may have values with destructors, which run when it ends.
#[inline]
pub fn have_destructors() -> bool {
    lifetime::process().keys.have_destructors.get()
}

/// The key that glibc visits after all others. Even in glibc's last round, the program's own destructors have run
/// when the destructor of this key does.
pub fn last(destructor: usize) -> u32 {
    const MOST: usize = 1024;
    let mut keys = [0u32; MOST];
    let mut made = 0;
    // SAFETY: at start-up, one thread; glibc gives out the lowest key that is free, and all but ours are given back.
    unsafe {
        while made < MOST && real::pthread_key_create(&raw mut keys[made], destructor) == 0 {
            made += 1;
        }
        let last = keys[..made].iter().copied().max().unwrap_or(0);
        for &key in keys[..made].iter().filter(|&&key| key != last) {
            real::pthread_key_delete(key);
        }
        last
    }
}

/// A visible operation that creates a key with this destructor.
fn ask(destructor: usize, pc: u64) {
    if destructor != 0 {
        lifetime::process().keys.have_destructors.set(true);
    }
    change(pc);
}

/// The object that stands for the table of keys: the address of a function that changes it.
fn table() -> ObjectId {
    ObjectId(real::symbols::pthread_key_create.address() as u64)
}

/// Whether `object` stands for the table of keys, so that its bytes are no values.
pub fn is_table(object: ObjectId) -> bool {
    object == table()
}

/// A visible operation on the table of keys.
fn change(pc: u64) {
    if active() {
        visible(Operation { size: 1, ..Operation::new(RMW, table()) }, pc, |_| {});
    }
}

interpose! {
    fn pthread_key_create(key: *mut u32, destructor: usize) -> c_int {
        ask(destructor, caller());
        real::pthread_key_create(key, destructor)
    }
    fn pthread_key_delete(key: u32) -> c_int {
        change(caller());
        real::pthread_key_delete(key)
    }
    fn tss_create(key: *mut u32, destructor: usize) -> c_int {
        ask(destructor, caller());
        real::tss_create(key, destructor)
    }
    fn tss_delete(key: u32) {
        change(caller());
        real::tss_delete(key)
    }
}
