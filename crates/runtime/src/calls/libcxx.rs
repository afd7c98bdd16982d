//! What LLVM's C++ library does inside its own library, where the compiler's instrumentation does not see it.
//!
//! `std::barrier` counts those who arrive in a tree of atomics there. Each arrival reads and changes that tree with acquire and release
//! order, and its result says whether it was the last of its phase. So it is one operation on the barrier, like an atomic
//! read-modify-write.

#![allow(non_snake_case)] // The name of the function is mangled.

use heddle_model::primitive::atomic::RMW;
use heddle_model::{ObjectId, Operation};

use crate::calls::tsan::atomic::{Update, detail};
use crate::schedule::{self, active, caller};

/// The memory order that acquires and releases.
const ACQ_REL: i32 = 4;

originals! {
    fn _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(barrier: usize, phase: u8) -> bool;
}

interpose! {
    fn _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(barrier: usize, phase: u8) -> bool {
        let pc = caller();
        if active() {
            let arrive = Operation { size: 8, detail: detail(Update::Add as u32, ACQ_REL), ..Operation::new(RMW, ObjectId(barrier as u64)) };
            schedule::visible(arrive, pc, |_| {});
        }
        real::_ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(barrier, phase)
    }
}
