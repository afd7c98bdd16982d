//! Wait loops of scripted threads, recognised as the runtime recognises those of native programs.
//!
//! The rule is the model's ([`heddle_model::Looks`]), and so is what becomes of the operation. Here is what a state of a
//! scripted thread is, and which of its operations end a round. So the rule can be held against brute force over programs
//! whose loops really go round.

use std::hash::{DefaultHasher, Hash, Hasher};

use heddle_model::primitive::{atomic, choice, mutex, rwlock, spin, yielding};
use heddle_model::vain::{self, Vain};
use heddle_model::{Access, Attempts, Event, EventFlags, Footprint, Mode, ObjectId, OpCode, Operation, ThreadId};

use crate::interpret::Position;
use crate::program::REGISTERS;

/// Where a thread is: the instruction and its registers.
pub(crate) type State = (usize, [u64; REGISTERS]);

/// A condition of the rule of [looks in vain](heddle_model::vain). A test leaves it out and must then fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A thread waits only where it could not go on in the state that it comes back to.
    Stuck,
    /// The registers of a thread belong to its state.
    Registers,
    /// Only values that were found count.
    Value,
    /// A round under a lock may be repeated if another thread has tried the mutex in vain meanwhile.
    Noticed,
    /// A thread does not wait for ever because it could not lock a mutex that is free.
    Needless,
}

impl Condition {
    /// All conditions that can be left out.
    pub const ALL: [Condition; 5] =
        [Condition::Stuck, Condition::Registers, Condition::Value, Condition::Noticed, Condition::Needless];
}

/// A thread before a look.
#[derive(Clone, Copy, Default)]
struct Before {
    state: State,
    /// The number of everything that its next steps depend on. 0 if the look cannot be in vain.
    number: u64,
    /// The number of its states since it last changed something, as far as they are known, and how many these are.
    known: (u64, usize),
}

/// How many unlocked mutexes are remembered.
const UNLOCKED: usize = 4;

/// What becomes of a look before it is taken.
pub(crate) struct Prospect {
    /// The operation, as an await if the thread can only repeat what it did before.
    pub operation: Operation,
    /// The number of the states that are known, or that of the last alone.
    pub state: u64,
    /// The states and the value of the last look, if that was in vain.
    pub vain: Option<(u64, u64)>,
}

/// The places that one thread has read since it last changed something. Reset for each execution.
#[derive(Clone, Copy, Default)]
pub(crate) struct Looks {
    seen: heddle_model::Looks<Before>,
    /// What the thread has tried in vain.
    attempts: Attempts,
    /// The thread [probes](Attempts).
    probes: bool,
    /// How often the thread has changed something.
    changes: u64,
    /// The mutexes that the thread has unlocked last, and how often it had changed something by then. The next one comes to the first place.
    unlocked: [(ObjectId, u64); UNLOCKED],
}

impl Looks {
    /// Forgets everything, as at the beginning of an execution.
    pub fn reset(&mut self) {
        self.seen.forget();
        self.attempts.forget();
    }

    /// Whether the thread [probes](Attempts).
    pub fn probes(&self) -> bool {
        self.probes
    }

    /// Whether the thread would probe if it ended.
    pub fn wants(&self) -> bool {
        self.attempts.wants()
    }

    /// Called when the thread is about to lock or unlock a mutex under which it [may only look](mutex::can_poll). Returns what it does
    /// first: a poll, if it can only repeat what it did before.
    pub fn under_lock(&mut self, state: State, operation: Operation, known: Vain<'_>) -> Operation {
        let now = Before { state, ..Before::default() };
        if operation.code == mutex::UNLOCK {
            self.seen.before(operation, now, |_| false);
            // What it does after an attempt that failed is another matter than what it did before.
            let unlocked = (operation.object, self.changes + self.attempts.news());
            let quiet = if self.unlocked.contains(&unlocked) { mutex::QUIET } else { 0 };
            if quiet == 0 {
                self.unlocked.rotate_right(1);
                self.unlocked[0] = unlocked;
            }
            return Operation { detail: operation.detail | quiet, ..operation };
        }
        match self.seen.before(operation, now, |earlier| earlier.state == state) {
            Some(found) if found.tries && known.tries() => {
                self.seen.before(operation, now, |_| false);
                operation
            }
            found => found.map_or(operation, |found| found.operation),
        }
    }

    /// Called when the thread is about to take `operation` in `state`, whose [`number`] is given. `known` is what is known of looks in
    /// vain, and `without` a condition that is left out.
    pub fn before(
        &mut self,
        state: State,
        number: u64,
        operation: Operation,
        known: Vain<'_>,
        without: Option<Condition>,
    ) -> Prospect {
        if !may_look(operation.code) {
            let neutral = matches!(operation.code, atomic::FENCE | choice::ATTEMPT);
            if operation.code.family() != yielding::FAMILY && !neutral {
                self.seen.forget();
            }
            return Prospect { operation, state: 0, vain: None };
        }
        let mut operation = operation;
        let unnoticed = without == Some(Condition::Noticed);
        if operation.code == mutex::TRYLOCK {
            let quiet = self.attempts.before(digest(&(state, operation.object)), known.tries());
            operation.detail |= if quiet || unnoticed { mutex::QUIET } else { 0 };
        }
        let now = Before { state, number, known: (0, 0) };
        match self.seen.before(operation, now, |earlier| earlier.state == state) {
            Some(found) if found.tries && known.tries() => {
                self.seen.before(operation, now, |_| false);
                Prospect { operation, state: number, vain: None }
            }
            Some(found) => {
                let round = self.seen.round(&found);
                let states = vain::chain(round.iter().map(|look| look.state.number));
                let last = round.last().map_or((0, 0), |look| look.state.known);
                let states = if last.1 >= round.len() { last.0 } else { states };
                // It must not wait where it could go on.
                let waits =
                    |value| round.len() == 1 || known.is_vain(number, value) || without == Some(Condition::Stuck);
                let all = round.iter().all(|look| look.state.number != 0);
                let vain = found.vain.filter(|&value| all && number != 0 && waits(value));
                let vain = vain.map(|value| (states, value));
                Prospect { operation: found.operation, state: number, vain }
            }
            None => {
                let looks = self.seen.at_one_place();
                let longest = (0..looks.len()).find_map(|from| {
                    let states = vain::chain(looks[from..].iter().map(|look| look.state.number));
                    known.knows(states).then_some((states, looks.len() - from))
                });
                if let (Some(longest), Some(now)) = (longest, self.seen.states_mut().last()) {
                    now.known = longest;
                }
                Prospect { operation, state: longest.map_or(number, |(states, _)| states), vain: None }
            }
        }
    }

    /// Called when the thread has taken the operation of the last call of [`before`](Self::before).
    pub fn after(&mut self, event: &Event) {
        // An attempt that failed for no reason is an event of its own, before the attempt that would have looked.
        let under_lock = mutex::can_poll(&event.operation);
        if may_look(event.operation.code) || under_lock || event.flags.contains(EventFlags::SPURIOUS) {
            self.seen.after(event);
        }
        let writes = |access: &Access| access.mode != Mode::Read;
        let unchanged = event.flags.contains(EventFlags::UNCHANGED);
        let changes = !under_lock && !unchanged && Footprint::alone(event).accesses().iter().any(writes);
        if changes {
            self.changes += 1;
            self.probes |= self.attempts.changed();
        }
        self.attempts.after(event);
    }
}

fn digest(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The number of a thread's state before a look that could be in vain, or 0 if `operation` is not one.
pub(crate) fn number(thread: ThreadId, position: &Position, operation: &Operation, without: Option<Condition>) -> u64 {
    if !matches!(operation.code, atomic::LOAD | atomic::RMW | atomic::COMPARE_EXCHANGE) {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    match without {
        Some(Condition::Registers) => (thread.0, position.next, operation.code.0).hash(&mut hasher),
        _ => (thread.0, position, operation.code.0).hash(&mut hasher),
    }
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
