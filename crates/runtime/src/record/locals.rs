//! Local variables that threads share: in which frame of which function they lie, so that the report can call them by their
//! names.
//!
//! A frame is known by two numbers: an address in the code of its function, and where it ends (what the debug information calls
//! the canonical frame address). They are looked up when an object is first used, while the function has not returned; only in
//! executions that are recorded.

use heddle_model::{Phase, ThreadId};

use crate::entry::start;
use crate::record::callstack;
use crate::schedule::{self, fiber};

/// An object on a stack, and its frame.
#[derive(Clone, Copy)]
struct Local {
    object: u64,
    code: u64,
    end: u64,
}

/// A report has no room for more.
const MOST: usize = 256;
static mut LOCALS: [Local; MOST] = [Local { object: 0, code: 0, end: 0 }; MOST];
static mut COUNT: usize = 0;

/// An execution begins.
pub fn reset() {
    // SAFETY: one kernel thread.
    unsafe { COUNT = 0 };
}

/// The running thread uses `object`.
pub fn used(object: u64) {
    let Some(owner) = owner(object as usize) else { return };
    // SAFETY: one kernel thread.
    unsafe {
        if COUNT == MOST || LOCALS[..COUNT].iter().any(|local| local.object == object) {
            return;
        }
        let Some((code, end)) = callstack::frame_around(owner, object as usize) else { return };
        LOCALS[COUNT] = Local { object, code, end: end as u64 };
        COUNT += 1;
    }
}

/// The thread on whose stack `address` is, if that still runs.
fn owner(address: usize) -> Option<ThreadId> {
    let (low, high) = start::main_stack();
    let owner = if (low..high).contains(&address) { ThreadId::MAIN } else { fiber::thread_at(address)? };
    (schedule::phase(owner) == Phase::Alive).then_some(owner)
}

/// Calls `each` with the objects, the addresses in the code of their functions, and the ends of their frames.
pub fn each(mut each: impl FnMut([u64; 3])) {
    // SAFETY: one kernel thread.
    unsafe { LOCALS[..COUNT].iter().for_each(|local| each([local.object, local.code, local.end])) };
}
