//! Wait loops of scripted threads, recognised as the runtime recognises those of native programs.
//!
//! A thread that comes back to an instruction with equal registers, has read no more than two places and has changed
//! nothing can only go round again until somebody writes to one of those places. Its operation becomes an
//! [await](heddle_model::Operation::is_await). The rules are those of `crates/runtime/src/schedule/spin_loop.rs`; here they can be held
//! against brute force over programs whose loops really go round.

use heddle_model::primitive::{atomic, choice, mutex, rwlock, spin, yielding};
use heddle_model::{Event, EventFlags, MOST_LOOKS, ObjectId, OpCode, Operation};

use crate::program::REGISTERS;

/// Where a thread is: the instruction and its registers.
pub(crate) type State = (usize, [u64; REGISTERS]);

#[derive(Clone, Copy, Default)]
struct Look {
    state: State,
    operation: Operation,
}

/// The places that one thread has read since it last changed something. Reset for each execution.
#[derive(Clone, Copy, Default)]
pub(crate) struct Looks {
    count: usize,
    looks: [Look; MOST_LOOKS],
}

impl Looks {
    /// Forgets everything, as at the beginning of an execution.
    pub fn reset(&mut self) {
        self.count = 0;
    }

    /// Called when the thread is about to take `operation` in `state`. Returns the operation as an await if the thread can
    /// only repeat what it did before.
    pub fn before(&mut self, state: State, operation: Operation) -> Operation {
        if !may_look(operation.code) {
            let neutral = matches!(operation.code, atomic::FENCE | choice::ATTEMPT);
            if operation.code.family() != yielding::FAMILY && !neutral {
                self.count = 0;
            }
            return operation;
        }
        let seen = &self.looks[..self.count];
        let same = |l: &Look| l.state == state && l.operation.object == operation.object;
        if let Some(first) = seen.iter().rposition(same)
            && let Some(also) = waits_for(&seen[first..], &operation)
        {
            let round = (self.count - first) as u32;
            self.count = 0;
            return operation.awaiting(round, also);
        }
        if self.count == MOST_LOOKS {
            self.count = 0;
        }
        self.looks[self.count] = Look { state, operation };
        self.count += 1;
        operation
    }

    /// Called when the thread has taken the operation of the last call of [`before`](Self::before).
    pub fn after(&mut self, event: &Event) {
        let unchanged = match event.operation.code {
            atomic::LOAD => true,
            atomic::RMW => event.flags.contains(EventFlags::UNCHANGED),
            _ => event.failed(),
        };
        // An attempt that failed for no reason has not looked: a loop must not be taken for one that waits because of it.
        let no_reason = event.flags.contains(EventFlags::SPURIOUS);
        if may_look(event.operation.code) && !unchanged || no_reason {
            self.count = 0;
        }
    }
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

/// Whether a loop with this round can be awaited. Returns the second place that the round reads, if there is one.
fn waits_for(round: &[Look], operation: &Operation) -> Option<Option<(ObjectId, u16)>> {
    let mut second = None;
    for look in round {
        let Operation { object, size, .. } = look.operation;
        if object != operation.object {
            let place = (object, size.max(1));
            if second.is_some_and(|other| other != place) {
                return None;
            }
            second = Some(place);
        }
    }
    (second.is_none() || operation.code == atomic::LOAD).then_some(second)
}
