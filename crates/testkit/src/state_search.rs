//! What a search over states finds out about a scripted program, for comparison with brute force.

use heddle_model::{Execution, Executor, Outcome};
use heddle_search::{Flow, Info, Observer, Options, Search, Summary};

use crate::all_states::{Seen, see};
use crate::{Program, Scripted};

/// What a search over states found out.
#[derive(Debug)]
pub struct Found {
    /// The search's own summary.
    pub summary: Summary,
    /// What the states show that it has met.
    pub seen: Seen,
}

/// How the executions ended that ended: the outcome, its last event, and the state that it was taken in or stopped in.
#[derive(Default)]
struct Ends {
    stuck: Vec<heddle_model::Fingerprint>,
    endings: Vec<(heddle_model::Ending, heddle_model::ThreadId, Vec<heddle_model::follow::Step>)>,
}

impl Observer for Ends {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        match execution.outcome {
            Outcome::Deadlock | Outcome::Assumed => self.stuck.extend(execution.states.last()),
            Outcome::Ended { ending, .. } => {
                if let Some((last, before)) = execution.events.split_last() {
                    let steps = before.iter().map(heddle_model::follow::Step::of).collect();
                    self.endings.push((ending, last.thread, steps));
                }
            }
            _ => {}
        }
        Flow::Continue
    }
}

/// Runs a search over the states of `program`, with up to `depth` plans in flight.
pub fn explore_states(program: &Program, options: &Options, depth: usize) -> Found {
    let mut executor = Scripted::with_depth(program, depth);
    let mut ends = Ends::default();
    let summary = Search::new(options.clone())
        .run(&mut executor, &mut ends)
        .unwrap_or_else(|error| unreachable!("scripted programs can always be run: {error}"));
    let mut seen = Seen::default();
    executor.exact().states().for_each(|state| see(&mut seen, state, false));
    let get = |fingerprint| executor.exact().get(fingerprint).cloned();
    seen.stuck = ends.stuck.iter().filter_map(|&fingerprint| get(fingerprint)).collect();
    for (ending, thread, steps) in ends.endings {
        // The local state that the last event was taken in.
        executor.prefix_with(&steps, heddle_model::States::Record);
        let before = executor.passed().last().and_then(|&state| executor.exact().get(state));
        let local = before.and_then(|state| state.locals().find(|(id, _)| *id == thread));
        seen.endings.extend(local.map(|(_, local)| (ending, thread, local)));
    }
    executor.forget_states();
    Found { summary, seen }
}
