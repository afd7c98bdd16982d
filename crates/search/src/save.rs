//! A search, written down: what is left to run, and what was counted so far.
//!
//! The bytes are a version and then a [`Saved`] in [postcard](https://postcard.jamesmunns.com)'s format. Plans that are
//! under way when a search is written down are to be run again, because nothing was learnt from them yet. They come first
//! and in their order. So a search that goes on from its last checkpoint comes to the counts of one that was never
//! disturbed, whenever it was cut off.
//!
//! A checkpoint belongs to one program, built in one way, and to one set of options. Seeing to that is the business of
//! whoever keeps it. Bytes that were damaged are refused or are another search; they never make Heddle panic.

use heddle_model::access::MAX_ACCESSES;
use heddle_model::{Facts, Footprint, Mode, ObjectId};
use serde::{Deserialize, Serialize};

use crate::algorithm::portfolio::{self, Portfolio};
use crate::algorithm::{dfs, optimal, sampling, sdpor, stack, stateful, switches};
use crate::drive::position::Position;
use crate::drive::strategy::Strategy;

/// Changed whenever the meaning of a byte does.
const VERSION: u32 = 10;

/// One event touches fewer bytes than this. Each eight of them cost memory.
const LARGEST: u32 = 1 << 26;

/// Why a search cannot go on from a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The checkpoint was written by another version.
    #[error("it was written by another version of heddle")]
    Version,
    /// The checkpoint is cut off, or its numbers contradict each other.
    #[error("it is damaged")]
    Damaged,
}

/// What an algorithm has learnt.
#[derive(Serialize, Deserialize)]
pub(crate) enum State {
    Dfs(dfs::State),
    Stack(stack::State),
    Optimal(Box<optimal::State>),
    Sampling(sampling::State),
    Stateful(Box<stateful::State>),
    Switches(Box<switches::State>),
    Sdpor(Box<sdpor::State>),
}

/// A search, as a value.
#[derive(Serialize, Deserialize)]
pub(crate) struct Saved {
    pub position: Position,
    /// What the executor has learnt of the program.
    pub facts: Facts,
    /// `None` if the search starts over.
    pub state: Option<State>,
    /// The samples beside an exhaustive search.
    pub portfolio: Option<portfolio::State>,
}

/// Writes a search down.
pub(crate) fn write(
    position: &Position,
    strategy: &dyn Strategy,
    portfolio: Option<&Portfolio>,
    facts: Facts,
) -> Vec<u8> {
    let state = (!position.again).then(|| strategy.save());
    let saved =
        (VERSION, Saved { position: position.clone(), facts, state, portfolio: portfolio.map(Portfolio::save) });
    postcard::to_allocvec(&saved).unwrap_or_else(|error| unreachable!("memory takes whatever is written: {error}"))
}

/// Reads a search again.
pub(crate) fn read(bytes: &[u8]) -> Result<Saved, CheckpointError> {
    let damaged = |_| CheckpointError::Damaged;
    let (version, rest) = postcard::take_from_bytes::<u32>(bytes).map_err(damaged)?;
    if version != VERSION {
        return Err(CheckpointError::Version);
    }
    match postcard::take_from_bytes::<Saved>(rest).map_err(damaged)? {
        (saved, []) if saved.position.is_plausible() => Ok(saved),
        _ => Err(CheckpointError::Damaged),
    }
}

/// A [`Footprint`] that is written down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Touched {
    everything: bool,
    accesses: Vec<(u64, u32, u8)>,
}

impl Touched {
    pub fn of(footprint: &Footprint) -> Touched {
        let mode = |mode| match mode {
            Mode::Read => 0,
            Mode::Add => 1,
            Mode::Write => 2,
        };
        let accesses = footprint.accesses().iter().map(|access| (access.object.0, access.size, mode(access.mode)));
        Touched { everything: footprint.is_everything(), accesses: accesses.collect() }
    }

    pub fn footprint(&self) -> Result<Footprint, CheckpointError> {
        let mut footprint = Footprint::new();
        if self.everything {
            footprint.touch_everything();
        }
        if self.accesses.len() > MAX_ACCESSES {
            return Err(CheckpointError::Damaged);
        }
        for &(object, size, mode) in &self.accesses {
            let mode = match mode {
                0 => Mode::Read,
                1 => Mode::Add,
                2 => Mode::Write,
                _ => return Err(CheckpointError::Damaged),
            };
            if size > LARGEST || object.checked_add(size.into()).is_none() {
                return Err(CheckpointError::Damaged);
            }
            footprint.touch_bytes(ObjectId(object), size, mode);
        }
        Ok(footprint)
    }
}
