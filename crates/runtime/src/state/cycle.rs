//! Cycles that a search over states has found: tests whether an execution is in the same state again, byte by byte.
//!
//! States are taken at decisions, as by the search ([`fingerprint`](crate::state::fingerprint)). At the first decision of the cycle all memory that is
//! part of the state is copied; at the last it is compared with the copy. What is not memory of the program (registers, the model's part) is
//! compared by the fingerprint of 128 bits alone. A state with more memory than there is room for is never the same.

use core::cell::Cell;

use heddle_model::Fingerprint;
use heddle_model::Outcome;
use heddle_model::round::{Claim, Round};

use crate::addresses::Reserve;
use crate::lifetime::{self, Exclusive};

/// The most bytes of a state that are compared. Memory that is not used costs nothing.
const MOST: usize = 64 << 20;

/// What is done with the memory of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Nothing,
    Copy,
    Compare,
}

/// The cycle that is tested in one execution.
pub struct Watch {
    /// What is tested, unless it is nothing.
    round: Cell<Option<Round>>,
    mode: Cell<Mode>,
    /// The fingerprint of the first state. `None` before it.
    before: Cell<Option<Fingerprint>>,
    /// How many bytes of the copy are used, or were compared.
    used: Cell<usize>,
    /// Whether everything was the same so far, and there was room.
    same: Cell<bool>,
    copy: Exclusive<&'static mut [u8]>,
}

impl Watch {
    /// Nothing is tested, and there is no room.
    pub const fn new() -> Watch {
        Watch {
            round: Cell::new(None),
            mode: Cell::new(Mode::Nothing),
            before: Cell::new(None),
            used: Cell::new(0),
            same: Cell::new(true),
            copy: Exclusive::new(&mut []),
        }
    }

    /// Begins an execution in which `round` is to be tested, if there is one.
    pub fn reset(&self, round: Option<Round>) {
        self.round.set(round.filter(|round| round.claim != Claim::Suspected && round.length > 0));
        self.mode.set(Mode::Nothing);
        self.before.set(None);
        self.same.set(true);
    }
}

fn watch() -> &'static Watch {
    &lifetime::execution().cycle
}

/// Reserves memory. Call this once.
pub fn set_up(reserve: &mut Reserve) {
    *watch().copy.borrow() = reserve.take(MOST);
}

/// Whether the state after so many events is compared with another one: then all its memory is shown to [`bytes`], and it itself to
/// [`seen`].
pub fn is_due(events: usize) -> bool {
    let watch = watch();
    let Some(round) = watch.round.get() else { return false };
    let mode = match events as u64 {
        at if at == u64::from(round.first) => Mode::Copy,
        at if at == u64::from(round.first) + u64::from(round.length) => Mode::Compare,
        _ => return false,
    };
    watch.mode.set(mode);
    watch.used.set(0);
    true
}

/// Takes note of memory that is part of the state, if the state is one of the two that are compared.
pub fn bytes(address: usize, length: usize) {
    let watch = watch();
    let mode = watch.mode.get();
    if mode == Mode::Nothing || !watch.same.get() {
        return;
    }
    // The place, too: the same bytes elsewhere are another state.
    for (from, size) in [((&raw const address) as usize, size_of::<usize>()), (address, length)] {
        let at = watch.used.get();
        let copy = watch.copy.borrow();
        let Some(room) = copy.get_mut(at..at + size) else {
            watch.same.set(false);
            return;
        };
        // SAFETY: callers name memory of the program that is mapped; nobody runs but this.
        let memory = unsafe { core::slice::from_raw_parts(from as *const u8, size) };
        match mode {
            Mode::Compare => watch.same.set(watch.same.get() && room == memory),
            _ => room.copy_from_slice(memory),
        }
        watch.used.set(at + size);
    }
}

/// Takes note of a state that is [due](is_due). Returns how the execution ends, if this is the end of the cycle.
pub fn seen(state: Fingerprint) -> Option<Outcome> {
    let watch = watch();
    let mode = watch.mode.replace(Mode::Nothing);
    let Round { length, claim, .. } = watch.round.get()?;
    if mode == Mode::Copy {
        watch.before.set(Some(state));
        return None;
    }
    let same = watch.same.get() && watch.before.get() == Some(state);
    // One that does not close says nothing.
    Some(if same { Outcome::Cycle { length, claim } } else { Outcome::Blocked })
}
