//! The counts of owners behind the smart pointers of LLVM's C++ library.
//!
//! Its headers count up and down by atomics that the compiler instruments, but who locks a weak pointer, and who lets go of the last
//! one, is counted inside the library. These functions do the same by visible operations. GNU's library has all of this in headers.

#![allow(non_snake_case)] // The names of the functions are mangled.
use core::ffi::c_void;

use crate::calls::tsan::atomic::{self, Update};
use crate::schedule::{active, caller};

/// `std::__shared_weak_count`: both counts are one less than there are owners.
#[repr(C)]
pub struct Owners {
    table: *const c_void,
    shared: u64,
    weak: u64,
}

/// No owner is left.
const NONE: u64 = u64::MAX;
/// Memory orders, as compilers number them.
const RELAXED: i32 = 0;
const BOTH: i32 = 4;
const ALL: i32 = 5;

originals! {
    fn _ZNSt3__119__shared_weak_count4lockEv(owners: *mut Owners) -> *mut Owners;
    fn _ZNSt3__119__shared_weak_count14__release_weakEv(owners: *mut Owners);
    fn _ZNSt3__119__shared_weak_count10__add_weakEv(owners: *mut Owners);
}

interpose! {
    /// `weak_ptr::lock`.
    fn _ZNSt3__119__shared_weak_count4lockEv(owners: *mut Owners) -> *mut Owners {
        if !active() {
            return real::_ZNSt3__119__shared_weak_count4lockEv(owners);
        }
        let pc = caller();
        let mut count = atomic::load(&raw mut (*owners).shared, ALL, pc);
        while count != NONE {
            let found = atomic::compare_exchange(&raw mut (*owners).shared, count, count.wrapping_add(1), (ALL, ALL), pc);
            if found == count {
                return owners;
            }
            count = found;
        }
        core::ptr::null_mut()
    }

    /// The end of a weak pointer, or of all shared ones.
    fn _ZNSt3__119__shared_weak_count14__release_weakEv(owners: *mut Owners) {
        if active() {
            let count = &raw mut (*owners).weak;
            if atomic::update(count, Update::Sub, 1, BOTH, caller()) != 0 {
                return;
            }
            // The last one: the library frees the block.
            count.write_volatile(0);
        }
        real::_ZNSt3__119__shared_weak_count14__release_weakEv(owners);
    }

    /// A copy of a weak pointer.
    fn _ZNSt3__119__shared_weak_count10__add_weakEv(owners: *mut Owners) {
        if active() {
            atomic::update(&raw mut (*owners).weak, Update::Add, 1, RELAXED, caller());
        } else {
            real::_ZNSt3__119__shared_weak_count10__add_weakEv(owners);
        }
    }
}
