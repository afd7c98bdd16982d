//! After a search: looks for a livelock behind executions that were cut off while they went round.

use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use heddle_model::{ExecutorError, FindingKind, Outcome};
use heddle_report::Recording;
use heddle_report::outcome::Class;

use crate::engine::Engine;
use crate::resolve;
use crate::tally::{Candidate, Tally};

/// Looks for a livelock where executions went round, for so long at most.
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
            if is_of_library(&resolve::record(engine, &plan, Path::new("."))?) {
                continue;
            }
            tally.findings.push(Candidate {
                plan,
                execution: ran,
                count: 1,
                class: Class::Finding(FindingKind::Livelock),
                message: String::new(),
                lost: false,
                minimal: false,
                places: Rc::clone(&tally.places),
            });
            return Ok(());
        }
    }
    Ok(())
}

/// The C++ library takes several locks at once by trying; it is not the program's fault that this may go round.
fn is_of_library(recording: &Recording) -> bool {
    let of_library = |function: &str| function.contains("std::lock<") || function.contains("__lock_impl");
    let length = match recording.outcome {
        Outcome::Livelock { length } => (length as usize).min(recording.stacks.len()),
        _ => 0,
    };
    let round = &recording.stacks[recording.stacks.len() - length..];
    round.iter().flatten().any(|at| of_library(&at.function))
}
