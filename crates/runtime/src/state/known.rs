//! States that are known: where an execution may end, because whatever follows is known, too.
//!
//! The driver writes what the search knows into a table of the shared memory, which this process can only read. What this execution has
//! passed itself is in a table here.

use core::cell::Cell;

use heddle_model::Fingerprint;
use heddle_model::wire::known;

use crate::addresses::Reserve;
use crate::lifetime::{self, Exclusive};
use crate::schedule;

/// The most states of one execution that are compared with each other. A power of two. Those beyond are not noticed when they come again.
const MOST: usize = 1 << 20;

/// The most new states of one execution: then it ends, and the search goes on from there. A search may have had enough by then, and an
/// execution that never comes to a known state would grow until there is no room for its events.
const LONGEST: usize = 1 << 14;

/// A state that this execution has passed.
#[derive(Clone, Copy)]
struct Passed {
    state: u128,
    /// The number of the execution that has written it.
    execution: u64,
}

/// The states that this execution has passed.
pub struct Own {
    table: Exclusive<&'static mut [Passed]>,
    /// The number of the execution, from 1.
    execution: Cell<u64>,
    count: Cell<usize>,
}

impl Own {
    /// There is no room.
    pub const fn new() -> Own {
        Own { table: Exclusive::new(&mut []), execution: Cell::new(0), count: Cell::new(0) }
    }

    /// Forgets all of them at the start of an execution.
    pub fn reset(&self) {
        self.execution.set(self.execution.get() + 1);
        self.count.set(0);
    }
}

/// Reserves memory. Call this once.
pub fn set_up(reserve: &mut Reserve) {
    *lifetime::execution().passed.table.borrow() = reserve.take(2 * MOST);
}

/// Whether an execution ends at a state: it is known to the search, was passed in this execution before, or there were [many](LONGEST). It counts as
/// passed from now on.
pub fn meet(state: Fingerprint) -> bool {
    pass(state)
        || known::contains(schedule::known_states(), state)
        || lifetime::execution().passed.count.get() > LONGEST
}

/// Whether this execution has passed a state before.
fn pass(state: Fingerprint) -> bool {
    let own = &lifetime::execution().passed;
    let (table, execution) = (own.table.borrow(), own.execution.get());
    let mask = table.len() - 1;
    let mut at = state.0 as usize & mask;
    while table[at].execution == execution {
        if table[at].state == state.0 {
            return true;
        }
        at = (at + 1) & mask;
    }
    if own.count.get() < MOST {
        own.count.set(own.count.get() + 1);
        table[at] = Passed { state: state.0, execution };
    }
    false
}
