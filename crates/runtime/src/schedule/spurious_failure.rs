//! Attempts that may fail spuriously: weak compare-exchanges, and trylocks.
//!
//! The standards of C and C++ let a weak compare-exchange fail although it finds what it expects, and a trylock although
//! nobody has the lock (processors do that where they reserve cache lines). Whether one does is a choice of its own before the attempt
//! ([`choice::ATTEMPT`]), offered to each thread until as many of its attempts have failed this way as
//! [`Latitude::spurious_failures`](heddle_model::Latitude::spurious_failures) says: by default none, and nothing is asked.

use heddle_model::primitive::choice;
use heddle_model::{ObjectId, Operation};

use crate::schedule::{self, spin_loop};

/// Whether the attempt on `object` that the current thread is about to make fails spuriously. Only in an execution.
#[inline(always)]
pub fn fails_spuriously(object: u64, pc: u64) -> bool {
    schedule::failures_of_current() < schedule::latitude().spurious_failures && ask(object, pc)
}

#[cold]
fn ask(object: u64, pc: u64) -> bool {
    // Other threads may run meanwhile, and the attempt itself asks for the registers of this call.
    let registers = schedule::registers();
    let event = schedule::visible(Operation::new(choice::ATTEMPT, ObjectId(object)), pc, |_| {});
    schedule::REGISTERS.set(registers);
    if event.result != 0 {
        // The thread has not looked, so its loop must not be taken for one that only waits.
        spin_loop::changed();
    }
    event.result != 0
}
