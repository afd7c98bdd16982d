//! Looks for livelocks after a search, in executions that were cut off in a loop.

use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use heddle_model::{ExecutorError, FindingKind, Outcome};
use heddle_report::outcome::Class;
use heddle_report::{Recording, livelock};

use crate::engine::Engine;
use crate::resolve;
use crate::tally::{Candidate, Tally};

/// Looks for a livelock in the executions that `tally` kept as suspects, for at most `budget`. A livelock becomes a finding of `tally`.
///
/// # Errors
///
/// When the engine fails.
pub fn look(tally: &mut Tally, engine: &mut dyn Engine, ran: u64, budget: Duration) -> Result<(), ExecutorError> {
    let suspects = std::mem::take(&mut tally.suspects);
    if suspects.is_empty() {
        return Ok(());
    }
    engine.discard()?;
    engine.reveal(&tally.places)?;
    let deadline = Instant::now() + budget;
    for suspect in suspects {
        if let Some(plan) = suspect.livelock(engine, deadline)? {
            let recording = resolve::record(engine, &plan, Path::new("."))?;
            if is_of_library(&recording) {
                continue;
            }
            let length = match recording.outcome {
                Outcome::Cycle { length, .. } => (length as usize).min(recording.events.len()),
                _ => 0,
            };
            let round = &recording.events[recording.events.len() - length..];
            tally.endless = match livelock::kind_of(round) {
                livelock::RoundKind::InVain => None,
                livelock::RoundKind::Passes => {
                    Some("every thread passes its critical section again and again: the program is endless".to_owned())
                }
                livelock::RoundKind::Starves => {
                    Some("some threads pass their critical sections again and again while others starve".to_owned())
                }
            };
            if tally.endless.is_some() {
                continue;
            }
            tally.findings.push(Candidate {
                plan,
                execution: ran,
                sample: None,
                count: 1,
                class: Class::Finding(FindingKind::Livelock),
                message: String::new(),
                lost: false,
                stopped: false,
                minimal: false,
                places: Rc::clone(&tally.places),
            });
            return Ok(());
        }
    }
    Ok(())
}

/// Whether the loop is in the C++ library. `std::lock` takes several locks by trying, which can loop for ever; that is not the
/// program's fault.
pub(super) fn is_of_library(recording: &Recording) -> bool {
    let of_library = |function: &str| function.contains("std::lock<") || function.contains("__lock_impl");
    let length = match recording.outcome {
        Outcome::Cycle { length, .. } => (length as usize).min(recording.stacks.len()),
        _ => 0,
    };
    let round = &recording.stacks[recording.stacks.len() - length..];
    round.iter().flatten().any(|at| of_library(&at.function))
}
