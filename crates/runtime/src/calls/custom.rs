//! Custom primitives of the program (`heddle_do`). This module calls the program's functions and keeps the states of
//! each object, to test on copies of them whether an operation was enabled. [`heddle_model::primitive::custom`]
//! explains why.
//!
//! The functions are code of the program, instrumented like the rest. Nothing is under control while they run. They may
//! read and change the state that they get, and nothing else. They are called between any two operations.

use core::cell::Cell;
use core::ffi::{c_char, c_int, c_void};

use heddle_model::primitive::custom;
use heddle_model::{ObjectId, Operation};

use crate::addresses::Reserve;
use crate::lifetime::{self, Lent};
use crate::schedule::{self, active, caller};

/// `struct heddle_operation`.
#[repr(C)]
pub struct Definition {
    name: *const c_char,
    enabled: Option<unsafe extern "C" fn(*const c_void) -> c_int>,
    effect: unsafe extern "C" fn(*mut c_void) -> c_int,
}

/// `struct heddle_primitive`.
#[repr(C)]
pub struct Family {
    name: *const c_char,
    size: usize,
    count: u32,
    operations: *const Definition,
}

/// The largest state of an object, in bytes.
const LARGEST: usize = 256;
/// The most operations of all objects in an execution.
const MOST: usize = 4096;

/// The state of an object before an operation.
#[derive(Clone, Copy)]
struct State {
    object: u64,
    step: u32,
    bytes: [u8; LARGEST],
}

/// The states of objects in this execution.
pub struct Kept {
    states: Lent<Cell<State>>,
    count: Cell<usize>,
}

impl Kept {
    /// The state at the start of the process.
    pub const fn new() -> Kept {
        Kept { states: Cell::new(&[]), count: Cell::new(0) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Kept { states: _, count } = self;
        count.set(0);
    }

    fn states(&self) -> &'static [Cell<State>] {
        &self.states.get()[..self.count.get()]
    }
}

fn kept() -> &'static Kept {
    &lifetime::execution().custom
}

/// Reserves memory. Call this once.
pub fn set_up(reserve: &mut Reserve) {
    kept().states.set(reserve.take(MOST));
}

/// Whether `operation` is enabled now.
pub fn is_enabled(operation: &Operation) -> bool {
    // SAFETY: `heddle_do` has put the definition there.
    unsafe { possible(operation.argument as *const Definition, operation.object.0 as *const c_void) }
}

unsafe fn possible(definition: *const Definition, state: *const c_void) -> bool {
    // SAFETY: the program's definition, of a state of the size that it says.
    unsafe {
        match (*definition).enabled {
            None => true,
            Some(enabled) => schedule::uncontrolled(|| enabled(state)) != 0,
        }
    }
}

/// `operation` with the answers that the model needs: in which of the states so far it was enabled. See
/// [`custom::operation`].
pub fn with_answers(operation: Operation) -> Operation {
    let definition = operation.argument as *const Definition;
    let steps = schedule::custom_steps(operation.object);
    let mut answers = u64::from(is_enabled(&operation)).checked_shl(steps).unwrap_or(0);
    for state in kept().states().iter().map(Cell::get).filter(|state| state.object == operation.object.0) {
        // SAFETY: the definition is the program's, and copies are as large as states can be.
        answers |= u64::from(unsafe { possible(definition, state.bytes.as_ptr().cast()) }) << state.step;
    }
    Operation { argument: answers, detail: steps, ..operation }
}

/// Keeps the state of `object` before its next operation.
unsafe fn keep(object: *const u8, size: usize, step: u32) {
    let mut state = State { object: object as u64, step, bytes: [0; LARGEST] };
    // SAFETY: the program's state, which is not larger than there is room.
    unsafe { core::ptr::copy_nonoverlapping(object, state.bytes.as_mut_ptr(), size) };
    let at = kept().count.get();
    kept().states.get()[at].set(state);
    kept().count.set(at + 1);
}

interpose! {
    fn heddle_do(family: *const Family, state: *mut c_void, number: u32) -> c_int {
        let pc = caller();
        let Family { size, count, operations, .. } = *family;
        let definition = operations.wrapping_add(number as usize);
        if !active() {
            // Before `main` there is no other thread to wait for.
            return ((*definition).effect)(state);
        }
        if number >= count || count > custom::MOST_OPERATIONS || size > LARGEST {
            schedule::unsupported("a primitive of the program's own that is too large, or an operation that it has not", pc);
        }
        let object = ObjectId(state as u64);
        let mut result = 0;
        let operation = Operation::new(custom::operation(number), object).with_argument(definition as u64);
        schedule::visible(operation, pc, |event| {
            // The world has counted it already.
            let step = schedule::custom_steps(object) - 1;
            if step >= custom::MOST_STEPS || kept().count.get() == MOST {
                schedule::unsupported("more than 64 operations on one primitive of the program's own", pc);
            }
            event.operation = Operation { detail: step, argument: 1 << step, ..event.operation };
            let before = with_answers(operation);
            event.operation.argument |= before.argument & ((1 << step) - 1);
            keep(state.cast(), size, step);
            result = schedule::uncontrolled(|| ((*definition).effect)(state));
            event.result = u64::from(result as u32);
        });
        result
    }
}
