//! Loops that look some times before they do something else, and only count how often.
//!
//! `while (--spin >= 0) if (load(&x)) return;` looks many times, and nobody can tell how often it was in vain: not even the thread, once it has left the loop.
//! So all these looks are one. The first is an operation like others. Those after it, as long as nobody else has done anything, find what
//! the first has found, and are no events. The driver finds such loops in the program's machine code, and proves that their counters only count
//! ([`heddle_model::wire::FrameCall::counters`]). That the rest of the state is as it was is seen here, at each look.
//!
//! What the driver cannot see is whether a round that came back has changed something, by a compare-exchange that succeeded. The first round that does
//! can come at once, without looks in vain before it. So it is met, and the search begins anew and knows it: the looks of that loop are operations like
//! others from then on.

use heddle_model::primitive::atomic::{COMPARE_EXCHANGE, LOAD, RMW};
use heddle_model::{Event, EventFlags, Operation, vain};

use crate::schedule::section::in_section;
use crate::schedule::stack_state::State;
use crate::schedule::state::{vain as known, world};
use crate::state::wiping;

/// So many looks of one kind in a row are a loop: from then on states are known.
const FEW: u32 = 3;
/// After so many looks that were no events there is one: a loop that counts for ever is to meet the bound on steps.
const MOST: u32 = 1 << 20;

/// What a look is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// One that nothing is known of.
    First,
    /// It may be the last one once more.
    Again,
    /// It is one of several in a row, and states are not known yet.
    Several,
    /// The loop has changed something, and has looked again. This number says so.
    Acts(u64),
}

/// Where a thread has looked last.
#[derive(Clone, Copy)]
pub struct Counted {
    /// The place, and where in the program. All zero: nowhere.
    object: u64,
    size: u16,
    pc: u64,
    /// How many events there were then in all.
    events: u64,
    /// How many looks have followed each other since without any.
    looks: u32,
    /// The last look in a loop with counters: where, the end of the loop's frame, the thread's changes up to then, and its lowest depth since.
    pc_in_loop: u64,
    end: usize,
    changes: u64,
    lowest: usize,
    /// The thread has changed an atomic place since then.
    acted: bool,
}

impl Counted {
    /// A thread that has not looked.
    pub const NOWHERE: Counted = Counted {
        object: 0,
        size: 0,
        pc: 0,
        events: 0,
        looks: 0,
        pc_in_loop: 0,
        end: 0,
        changes: 0,
        lowest: 0,
        acted: false,
    };

    /// The thread is about to look, at `pc`. `at` has the depth of its call stack, the lowest since it was asked last, and its changes.
    pub fn comes(&mut self, operation: &Operation, pc: u64, state: &State, at: (usize, usize, u64)) -> Round {
        let (depth, lowest, changes) = at;
        self.lowest = self.lowest.min(lowest);
        let (end, _) = state.counted;
        let number = vain::nothing(vain::mix(pc, 5));
        if end != 0 && operation.code == LOAD {
            let stays = state.level_up_to(end).is_some_and(|out| self.lowest + out >= depth);
            let acted = core::mem::take(&mut self.acted) || self.changes != changes;
            let acts = (self.pc_in_loop, self.end) == (pc, end) && stays && acted;
            (self.pc_in_loop, self.end, self.changes, self.lowest) = (pc, end, changes, depth);
            if acts && !in_section() && !known().has(number) {
                return Round::Acts(number);
            }
        }
        let is_same = (self.object, self.size, self.pc) == (operation.object.0, operation.size, pc);
        if operation.code != LOAD || !is_same || self.events != world().events as u64 || in_section() {
            self.pc = pc;
            self.looks = 0;
            return Round::First;
        }
        self.looks += 1;
        if !wiping::is_on() {
            return if self.looks >= FEW { Round::Several } else { Round::First };
        }
        if end == 0 || self.looks >= MOST || known().has(number) { Round::First } else { Round::Again }
    }

    /// A look that could have been the last one once more is one of its own.
    pub fn begins(&mut self) {
        self.looks = 0;
    }

    /// The thread has taken an operation that may have been a look.
    pub fn looked(&mut self, event: &Event) {
        let Event { operation, flags, .. } = event;
        (self.object, self.size, self.events) = (operation.object.0, operation.size, world().events as u64);
        self.acted |= match operation.code {
            COMPARE_EXCHANGE => !event.failed(),
            RMW => !flags.contains(EventFlags::UNCHANGED),
            _ => false,
        };
    }
}
