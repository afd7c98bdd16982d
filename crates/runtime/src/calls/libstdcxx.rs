//! Stores with release order that libstdc++ makes inside its own library, where the compiler's instrumentation does not see
//! them. The race detector is told of them.
//!
//! `std::promise::set_value_at_thread_exit` registers an element with a callback, which the library calls when the thread ends.
//! The callback stores that the shared state is ready. Its place in the element is taken by [`ready`], which calls it.

#![allow(non_snake_case)] // The name of the function is mangled.
use core::cell::Cell;

use crate::detect::race;
use crate::lifetime;
use crate::schedule::active;

/// What is known of libstdc++ in this process.
pub struct Library {
    /// The library's own callback for promises that are kept at the end of a thread. The same for all of them.
    make_ready: Cell<usize>,
}

impl Library {
    /// The state at the start of the process.
    pub const fn new() -> Library {
        Library { make_ready: Cell::new(0) }
    }
}

/// `std::__future_base::_State_baseV2::_Make_ready`.
#[repr(C)]
pub struct MakeReady {
    next: usize,
    callback: usize,
    /// A weak pointer: the shared state, and the block that counts its owners.
    state: usize,
    owners: *const Owners,
}

/// `std::_Sp_counted_base`.
#[repr(C)]
pub struct Owners {
    table: usize,
    count: i32,
}

/// Where the status is in a shared state: behind the table of virtual functions and the pointer to the result.
const STATUS: usize = 16;
/// The size of the status in bytes.
const STATUS_SIZE: usize = 4;

originals! {
    fn _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(element: *mut MakeReady);
}

interpose! {
    fn _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(element: *mut MakeReady) {
        real::_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(element);
        let own = ready as *const () as usize;
        if active() && (*element).callback != own {
            lifetime::process().libstdcxx.make_ready.set((*element).callback);
            (*element).callback = own;
        }
    }
}

/// Called at the end of a thread that keeps a promise there.
unsafe extern "C" fn ready(element: *mut MakeReady) {
    // SAFETY: libstdc++ hands over the element that was registered. The original is a function of this type.
    unsafe {
        let MakeReady { state, owners, .. } = *element;
        if active() && owners.as_ref().is_some_and(|owners| owners.count > 0) {
            race::released(state + STATUS, STATUS_SIZE);
        }
        let original = lifetime::process().libstdcxx.make_ready.get();
        let original: unsafe extern "C" fn(*mut MakeReady) = core::mem::transmute(original);
        original(element);
    }
}
