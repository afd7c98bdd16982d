//! Attempts that may fail spuriously: weak compare-exchanges and trylocks.
//!
//! The standards of C and C++ let a weak compare-exchange fail although it finds the expected value, and a trylock
//! although the lock is free. (Processors that reserve cache lines do this.) Whether an attempt fails is a choice of
//! its own before the attempt ([`choice::ATTEMPT`]). Each thread gets this choice until as many of its attempts have
//! failed spuriously as [`Latitude::spurious_failures`](heddle_model::Latitude::spurious_failures) allows. The default
//! is none, and then there is no choice.

use heddle_model::primitive::choice;
use heddle_model::{ObjectId, Operation};

use crate::schedule::{self, spin_loop};

/// Chooses whether the next attempt of the current thread, on `object`, fails spuriously. Call this in executions only.
#[inline(always)]
pub fn fails_spuriously(object: u64, pc: u64) -> bool {
    schedule::failures_of_current() < schedule::latitude().spurious_failures && ask(object, pc)
}

#[cold]
fn ask(object: u64, pc: u64) -> bool {
    // Other threads may run meanwhile, and the attempt itself needs the registers of this call.
    let registers = schedule::registers();
    let event = schedule::visible(Operation::new(choice::ATTEMPT, ObjectId(object)), pc, |_| {});
    schedule::REGISTERS.set(registers);
    if event.result != 0 {
        // The thread has not read the object, so its loop must not be taken for one that only waits.
        spin_loop::changed();
    }
    event.result != 0
}
