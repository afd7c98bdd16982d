//! What a search over states finds out about a scripted program, for comparison with brute force.

use heddle_model::{Execution, Executor, Outcome};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop, Summary};

use crate::all_states::{Seen, Whole, all_states, see};
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
            Outcome::Deadlock | Outcome::Hang | Outcome::Assumed => self.stuck.extend(execution.states.last()),
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

/// The first difference between what a search found and what is there.
pub fn disagreement(whole: &Whole, found: &Found) -> Option<String> {
    if found.summary.stop != Stop::Exhausted || found.summary.counts.cut != 0 {
        return Some(format!("ended by {:?}, {:?}", found.summary.stop, found.summary.counts));
    }
    let Seen { stuck, locals, endings } = &whole.seen;
    let seen = &found.seen;
    let missing = [
        stuck.difference(&seen.stuck).count(),
        locals.difference(&seen.locals).count(),
        endings.difference(&seen.endings).count(),
    ];
    let extra = [
        seen.stuck.difference(stuck).count(),
        seen.locals.difference(locals).count(),
        seen.endings.difference(endings).count(),
    ];
    let states = found.summary.states.map_or(0, |counts| counts.states) as usize;
    if missing != [0; 3] || extra != [0; 3] || states > whole.nodes.len() {
        return Some(format!(
            "stuck, local states, endings: {missing:?} missing, {extra:?} too many; {states} of {} states",
            whole.nodes.len()
        ));
    }
    None
}

/// Compares the searches over states with all states of `program`. `None` if there are more than `limit`, else the first
/// difference, if there is one.
pub fn disagreement_in(program: &Program, limit: usize) -> Option<Option<String>> {
    let whole = all_states(program, limit)?;
    for (name, algorithm, depth) in [
        ("stateful", Algorithm::Stateful, 1),
        ("stateful, three at a time", Algorithm::Stateful, 3),
        ("states", Algorithm::States, 1),
        ("switches", Algorithm::Switches, 2),
    ] {
        let found = explore_states(program, &Options { algorithm, ..Options::default() }, depth);
        let states = found.summary.states.map_or(0, |counts| counts.states);
        if let Some(what) = disagreement(&whole, &found) {
            return Some(Some(format!("{name}: {what}")));
        }
        if algorithm != Algorithm::Stateful && states != whole.nodes.len() as u64 {
            return Some(Some(format!("{name}: {states} of {} states", whole.nodes.len())));
        }
    }
    Some(None)
}
