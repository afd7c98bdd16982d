//! Local variables that threads share: the frame and the function of each, so that reports can name them.
//!
//! A frame is identified by two numbers: an address in the code of its function, and the end of the frame (the
//! canonical frame address of the debug information). They are looked up when an object is first used, while the
//! function has not returned. This is done only in recorded executions.

use core::cell::Cell;

use heddle_model::{Phase, ThreadId};

use crate::entry::start;
use crate::lifetime;
use crate::record::callstack;
use crate::schedule::{self, fiber};

/// An object on a stack, and its frame.
#[derive(Clone, Copy)]
struct Local {
    object: u64,
    code: u64,
    end: u64,
}

/// How many local variables are remembered. A report has no room for more.
const MOST: usize = 256;

/// The local variables that threads have used in this execution.
pub struct Locals {
    list: [Cell<Local>; MOST],
    count: Cell<usize>,
}

impl Locals {
    /// The state at the start of the process.
    pub const fn new() -> Locals {
        Locals { list: [const { Cell::new(Local { object: 0, code: 0, end: 0 }) }; MOST], count: Cell::new(0) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Locals { list: _, count } = self;
        count.set(0);
    }

    fn all(&self) -> impl Iterator<Item = Local> {
        self.list[..self.count.get()].iter().map(Cell::get)
    }
}

fn locals() -> &'static Locals {
    &lifetime::execution().locals
}

/// Looks up the frame of `object`, which the running thread uses, if it is on a stack.
pub fn used(object: u64) {
    let Some(owner) = owner(object as usize) else { return };
    let at = locals().count.get();
    if at == MOST || locals().all().any(|local| local.object == object) {
        return;
    }
    let Some((code, end)) = callstack::frame_around(owner, object as usize) else { return };
    locals().list[at].set(Local { object, code, end: end as u64 });
    locals().count.set(at + 1);
}

/// The thread whose stack `address` is on, if that thread still runs.
fn owner(address: usize) -> Option<ThreadId> {
    let (low, high) = start::main_stack();
    let owner = if (low..high).contains(&address) { ThreadId::MAIN } else { fiber::thread_at(address)? };
    (schedule::phase(owner) == Phase::Alive).then_some(owner)
}

/// Calls `each` with the objects, the addresses in the code of their functions, and the ends of their frames.
pub fn each(mut each: impl FnMut([u64; 3])) {
    locals().all().for_each(|local| each([local.object, local.code, local.end]));
}
