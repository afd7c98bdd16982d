//! Wait loops of scripted threads, recognised as the runtime recognises those of native programs.
//!
//! The rule is the model's ([`heddle_model::Looks`]), and so is what becomes of the operation. Here is what a state of a
//! scripted thread is, and which of its operations end a round. So the rule can be held against brute force over programs
//! whose loops really go round.

use std::hash::{DefaultHasher, Hash, Hasher};

use heddle_model::primitive::{atomic, choice, mutex, rwlock, spin, yielding};
use heddle_model::{Event, EventFlags, OpCode, Operation, ThreadId};

use crate::program::REGISTERS;

/// Where a thread is: the instruction and its registers.
pub(crate) type State = (usize, [u64; REGISTERS]);

/// The places that one thread has read since it last changed something. Reset for each execution.
#[derive(Clone, Copy, Default)]
pub(crate) struct Looks(heddle_model::Looks<State>);

impl Looks {
    /// Forgets everything, as at the beginning of an execution.
    pub fn reset(&mut self) {
        self.0.forget();
    }

    /// Called when the thread is about to take `operation` in `state`. Returns the operation as an await if the thread can
    /// only repeat what it did before, and what it found if that was a single look in vain.
    pub fn before(&mut self, state: State, operation: Operation) -> (Operation, Option<u64>) {
        if !may_look(operation.code) {
            let neutral = matches!(operation.code, atomic::FENCE | choice::ATTEMPT);
            if operation.code.family() != yielding::FAMILY && !neutral {
                self.0.forget();
            }
            return (operation, None);
        }
        let found = self.0.before(operation, state, |earlier| *earlier == state);
        found.map_or((operation, None), |found| (found.operation, found.vain))
    }

    /// Called when the thread has taken the operation of the last call of [`before`](Self::before).
    pub fn after(&mut self, event: &Event) {
        // An attempt that failed for no reason is an event of its own, before the attempt that would have looked.
        if may_look(event.operation.code) || event.flags.contains(EventFlags::SPURIOUS) {
            self.0.after(event);
        }
    }
}

/// The number of a thread's state before a look that could be in vain, or 0 if `operation` is not one.
pub(crate) fn number(thread: ThreadId, (next, registers): State, operation: &Operation) -> u64 {
    if !matches!(operation.code, atomic::LOAD | atomic::RMW | atomic::COMPARE_EXCHANGE) {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    (thread.0, next, registers, operation.code.0).hash(&mut hasher);
    hasher.finish().max(1)
}

/// Whether an operation may change nothing.
fn may_look(code: OpCode) -> bool {
    matches!(
        code,
        atomic::LOAD
            | atomic::RMW
            | atomic::COMPARE_EXCHANGE
            | mutex::TRYLOCK
            | spin::TRYLOCK
            | rwlock::TRY_READ_LOCK
            | rwlock::TRY_WRITE_LOCK
    )
}
