//! What a search found out about a scripted program, to be held against what another one found out.

use std::collections::{HashMap, HashSet};

use heddle_model::{Execution, Outcome};
use heddle_search::canonical::{Label, canonical};
use heddle_search::{Flow, Info, Observer, Options, Search, Stop, Summary};

use crate::{FinalState, Program, Scripted};

/// Everything that a search found out.
#[derive(Debug)]
pub struct Findings {
    /// What it says itself.
    pub summary: Summary,
    /// What could be seen at the end of its executions (deadlocks and failed assertions among them).
    pub states: HashSet<FinalState>,
    /// The traces of its complete executions, and how often it ran each.
    pub traces: HashMap<Vec<Label>, u64>,
}

struct Recorder {
    traces: HashMap<Vec<Label>, u64>,
    with_traces: bool,
}

impl Observer for Recorder {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        if self.with_traces && matches!(execution.outcome, Outcome::Ended | Outcome::Deadlock) {
            *self.traces.entry(canonical(execution.events)).or_default() += 1;
        }
        Flow::Continue
    }
}

/// Runs a search over `program`, with `depth` plans under way, and writes down everything.
pub fn explore(program: &Program, options: &Options, depth: usize) -> Findings {
    explore_with(program, options, depth, true)
}

/// The same, with or without the traces (which take time).
pub fn explore_with(program: &Program, options: &Options, depth: usize, with_traces: bool) -> Findings {
    let mut executor = Scripted::with_depth(program, depth);
    executor.remember_states();
    let mut recorder = Recorder { traces: HashMap::new(), with_traces };
    let summary = Search::new(options.clone())
        .run(&mut executor, &mut recorder)
        .unwrap_or_else(|error| unreachable!("scripted programs can always be run: {error}"));
    Findings { summary, states: executor.take_states(), traces: recorder.traces }
}

/// What is wrong with what a search says, given what brute force says. None if nothing is.
pub fn disagreement(truth: &Findings, other: &Findings, exactly_once: bool) -> Option<String> {
    if other.summary.stop != Stop::Exhausted {
        return Some(format!("ended by {:?}", other.summary.stop));
    }
    if truth.states != other.states {
        let missing = truth.states.difference(&other.states).count();
        let extra = other.states.difference(&truth.states).count();
        return Some(format!("{missing} final states missing, {extra} too many, of {}", truth.states.len()));
    }
    let missing = truth.traces.keys().filter(|t| !other.traces.contains_key(*t)).count();
    if missing != 0 {
        return Some(format!("{missing} traces missing of {}", truth.traces.len()));
    }
    if exactly_once {
        let again = other.traces.values().filter(|&&n| n != 1).count();
        if again != 0 {
            return Some(format!("{again} traces run more than once"));
        }
        if other.summary.blocked != 0 {
            return Some(format!("{} executions blocked", other.summary.blocked));
        }
    }
    None
}
