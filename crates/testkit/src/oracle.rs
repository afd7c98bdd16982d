//! Everything that a search finds out about a scripted program, for comparison with another search or with brute force.

use std::collections::{BTreeSet, HashMap, HashSet};

use heddle_model::follow::Step;
use heddle_model::primitive::memory;
use heddle_model::{Event, Execution, Footprint, Outcome, vain};
use heddle_search::canonical::{Label, canonical};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop, Summary};

use crate::{FinalState, Instruction, Program, Scripted};

/// Everything that a search found out.
#[derive(Debug)]
pub struct Findings {
    /// The search's own summary.
    pub summary: Summary,
    /// The final states of its executions, including deadlocks, failed assertions and executions that a bound on steps cut off.
    pub states: HashSet<FinalState>,
    /// The traces of its complete executions, and how often it ran each.
    pub traces: HashMap<Vec<Label>, u64>,
    /// The traces of samples beside it.
    pub samples: HashSet<Vec<Label>>,
    /// What was visible to it in the end, with what it knew of looks in vain. The states and traces are those found since.
    pub places: BTreeSet<u64>,
}

struct Recorder {
    samples: HashSet<Vec<Label>>,
    traces: HashMap<Vec<Label>, u64>,
    places: BTreeSet<u64>,
    with_traces: bool,
}

impl Observer for Recorder {
    fn execution(&mut self, execution: &Execution<'_>, info: &Info<'_>) -> Flow {
        use Outcome::{Assumed, Deadlock, Ended, Hang, StepLimit};
        if self.with_traces && matches!(execution.outcome, Ended { .. } | Deadlock | Hang | Assumed | StepLimit { .. })
        {
            if info.sample {
                self.samples.insert(canonical(execution.events));
            } else {
                *self.traces.entry(canonical(execution.events)).or_default() += 1;
            }
        }
        Flow::Continue
    }

    fn restart(&mut self, places: &[u64]) {
        self.revealed(places);
    }

    fn revealed(&mut self, places: &[u64]) {
        self.traces.clear();
        self.samples.clear();
        self.places = places.iter().copied().collect();
    }
}

/// Runs a search over `program`, with up to `depth` plans in flight, and records everything.
pub fn explore(program: &Program, options: &Options, depth: usize) -> Findings {
    explore_with(program, options, depth, true)
}

/// Like [`explore`], but records the traces only if `with_traces`, because that takes time.
pub fn explore_with(program: &Program, options: &Options, depth: usize, with_traces: bool) -> Findings {
    let mut executor = Scripted::with_depth(program, depth);
    executor.remember_states();
    let mut recorder =
        Recorder { samples: HashSet::new(), traces: HashMap::new(), places: BTreeSet::new(), with_traces };
    let summary = Search::new(options.clone())
        .run(&mut executor, &mut recorder)
        .unwrap_or_else(|error| unreachable!("scripted programs can always be run: {error}"));
    let Recorder { samples, traces, places, .. } = recorder;
    Findings { summary, states: executor.take_states(), traces, samples, places }
}

/// All traces and final states of `program`, computed without any of the search algorithms. It visits every prefix of
/// every trace once, in canonical form, and continues with every possible next step. `None` if there are more than
/// `limit` prefixes.
///
/// Brute force over interleavings gives the same result without assumptions. This function assumes that swapping
/// adjacent independent events changes nothing, and handles far larger programs.
pub fn all_traces(program: &Program, limit: usize) -> Option<(HashSet<Vec<Label>>, HashSet<FinalState>)> {
    all_traces_within(program, 0, limit)
}

/// Like [`all_traces`], but each thread takes at most `max_steps` operations. 0 means no limit.
pub fn all_traces_within(
    program: &Program,
    max_steps: u32,
    limit: usize,
) -> Option<(HashSet<Vec<Label>>, HashSet<FinalState>)> {
    all_traces_of(Scripted::new(program).stopping_after(max_steps), BTreeSet::new(), limit)
}

/// Like [`all_traces`], for a search that knows of looks in vain what `places` say and nothing else. Its executions can end while a thread
/// is in a round that others know to be in vain.
pub fn all_traces_knowing(
    program: &Program,
    places: &BTreeSet<u64>,
    limit: usize,
) -> Option<(HashSet<Vec<Label>>, HashSet<FinalState>)> {
    let mut places = places.clone();
    places.insert(vain::ENOUGH);
    all_traces_of(Scripted::new(program), places, limit)
}

/// All traces and final states that `executor` shows, as [`all_traces`] says, if it knows what `visible` says of looks in vain.
fn all_traces_of(
    mut executor: Scripted<'_>,
    mut visible: BTreeSet<u64>,
    limit: usize,
) -> Option<(HashSet<Vec<Label>>, HashSet<FinalState>)> {
    executor.know(&visible);
    let (mut traces, mut states) = (HashSet::new(), HashSet::new());
    let mut known = HashSet::new();
    let mut open: Vec<Vec<Step>> = vec![Vec::new()];
    while let Some(steps) = open.pop() {
        let (events, next, outcome) = executor.prefix(&steps);
        let form = canonical(events);
        if let Outcome::Learnt { place, also } = outcome {
            // A look in vain is no event: everything begins anew with what is known now.
            visible.extend([place, also]);
            executor.know(&visible);
            (traces, states, known) = Default::default();
            open = vec![Vec::new()];
        } else if outcome != Outcome::Running {
            traces.insert(form);
            states.insert(executor.final_state());
        } else if known.insert(form) {
            if known.len() > limit {
                return None;
            }
            open.extend(next.iter().map(|&step| {
                let mut longer = steps.clone();
                longer.push(step);
                longer
            }));
        }
    }
    Some((traces, states))
}

/// The places on which some interleaving of `program` has two conflicting plain accesses that nothing orders, and all
/// final states. A place is the address of a granule of eight bytes. `None` if there are more than `limit` prefixes.
///
/// Two such accesses are unordered exactly if they can be adjacent, in either order: two threads are about to take them
/// at the same time. Every plain access is an operation here, so the prefixes contain every state in which that holds.
pub fn racy_places(program: &Program, limit: usize) -> Option<(BTreeSet<u64>, HashSet<FinalState>)> {
    let (mut places, mut states) = (BTreeSet::new(), HashSet::new());
    let complete = every_prefix(program, limit, |executor, _, outcome| {
        if outcome != Outcome::Running {
            states.insert(executor.final_state());
            return;
        }
        let plain = executor.pending().iter().filter(|p| p.operation.code.family() == memory::FAMILY);
        let plain: Vec<_> =
            plain.map(|p| Event { operation: p.operation, thread: p.thread, ..Event::default() }).collect();
        for (at, one) in plain.iter().enumerate() {
            for other in &plain[at + 1..] {
                if Footprint::of(one).conflicts_with(&Footprint::of(other)) {
                    places.insert(one.operation.object.0 & !7);
                }
            }
        }
    });
    complete.then_some((places, states))
}

/// Calls `each` with every prefix of every trace of `program`, complete traces included, once each in some order of its
/// events. The arguments are the executor in that state, the events, and the outcome. Returns false if there are more
/// than `limit` prefixes; then some are left out.
pub fn every_prefix(program: &Program, limit: usize, mut each: impl FnMut(&Scripted<'_>, &[Event], Outcome)) -> bool {
    let mut executor = Scripted::new(program).without_awaits();
    let mut known = HashSet::new();
    let mut open: Vec<Vec<Step>> = vec![Vec::new()];
    while let Some(steps) = open.pop() {
        let (events, next, outcome) = executor.prefix(&steps);
        if !known.insert(canonical(events)) {
            continue;
        }
        if known.len() > limit {
            return false;
        }
        let events = events.to_vec();
        each(&executor, &events, outcome);
        if outcome == Outcome::Running {
            open.extend(next.iter().map(|&step| {
                let mut longer = steps.clone();
                longer.push(step);
                longer
            }));
        }
    }
    true
}

/// What an algorithm promises beyond running every trace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Promise {
    /// Nothing more.
    Everything,
    /// No trace is completed twice. Sleep sets suffice for this. Consider two executions of one trace, and the point at
    /// which they part. There, the second execution has a thread in its sleep set that stays asleep until a dependent
    /// event, and its trace contains no such event before that thread's next one.
    Once,
    /// No trace is completed twice, and no execution is abandoned.
    NothingElse,
}

impl Promise {
    /// The promise of a search with `options`.
    pub fn of(options: &Options) -> Promise {
        match options.algorithm {
            Algorithm::Optimal | Algorithm::Portfolio => Promise::NothingElse,
            Algorithm::Source => Promise::Once,
            Algorithm::Dpor if options.sleep_sets => Promise::Once,
            _ => Promise::Everything,
        }
    }
}

/// The first difference between the results of a search and the true traces and final states. `None` if there is none.
pub fn disagreement(
    (traces, states): (&HashSet<Vec<Label>>, &HashSet<FinalState>),
    other: &Findings,
    promise: Promise,
) -> Option<String> {
    if other.summary.stop != Stop::Exhausted {
        return Some(format!("ended by {:?}", other.summary.stop));
    }
    if *states != other.states {
        let missing = states.difference(&other.states).count();
        let extra = other.states.difference(states).count();
        return Some(format!("{missing} final states missing, {extra} too many, of {}", states.len()));
    }
    let missing = traces.iter().filter(|t| !other.traces.contains_key(*t)).count();
    if missing != 0 {
        return Some(format!("{missing} traces missing of {}", traces.len()));
    }
    if other.traces.len() != traces.len() {
        return Some(format!("{} traces that there are not", other.traces.len() - traces.len()));
    }
    if !other.samples.is_subset(traces) {
        return Some("a sample has a trace that there is not".to_owned());
    }
    let again = other.traces.values().filter(|&&n| n != 1).count();
    if promise >= Promise::Once && again != 0 {
        return Some(format!("{again} traces run more than once"));
    }
    if promise >= Promise::NothingElse && other.summary.counts.blocked != 0 {
        return Some(format!("{} executions blocked", other.summary.counts.blocked));
    }
    None
}

/// Every algorithm in every configuration: a name for messages, the options, and the number of plans in flight.
pub fn configurations() -> Vec<(&'static str, Options, usize)> {
    let with = |algorithm| Options { algorithm, ..Options::default() };
    vec![
        ("optimal", with(Algorithm::Optimal), 1),
        ("source", with(Algorithm::Source), 1),
        ("dpor", with(Algorithm::Dpor), 1),
        ("optimal, depth first", Options { memory: 0, ..with(Algorithm::Optimal) }, 1),
        ("optimal, three at a time", with(Algorithm::Optimal), 3),
        ("optimal, little memory", Options { memory: 2000, ..with(Algorithm::Optimal) }, 2),
        ("dpor without sleep sets", Options { sleep_sets: false, ..with(Algorithm::Dpor) }, 1),
        ("default", with(Algorithm::Portfolio), 1),
        ("default, five at a time", with(Algorithm::Portfolio), 5),
        ("dpor without locksets", Options { locksets: false, ..with(Algorithm::Dpor) }, 1),
    ]
}

/// The result of comparing all algorithms with the truth about one program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// The program has too many traces to compute the truth.
    TooLarge,
    /// All agree. The numbers are the executions, including blocked ones, of optimal, source and dpor.
    Agree([u64; 3]),
    /// An algorithm is wrong. The text says which and how.
    Disagree(String),
}

/// The most executions of a search without sleep sets that is compared. It runs one trace again and again: beyond this, it
/// is only held to run no trace that there is not.
const MOST_REPEATED: u64 = 1000;

/// How many of [`configurations`] are compared with each other: optimal, source and dpor.
const MAIN: usize = 3;

/// Compares every algorithm with the truth about `program`, if it has at most `limit` prefixes of traces.
pub fn compare(program: &Program, limit: usize) -> Comparison {
    compare_some(program, limit, |_| true)
}

/// Like [`compare`], with optimal, source, dpor and one of the other configurations: the next one for the next `turn`.
pub fn compare_in_turn(program: &Program, limit: usize, turn: u64) -> Comparison {
    let others = configurations().len() - MAIN;
    compare_some(program, limit, |number| number < MAIN || number - MAIN == turn as usize % others)
}

fn compare_some(program: &Program, limit: usize, is_wanted: impl Fn(usize) -> bool) -> Comparison {
    let Some((traces, states)) = all_traces(program, limit) else { return Comparison::TooLarge };
    let mut counts = Vec::new();
    for (_, (name, mut options, depth)) in
        configurations().into_iter().enumerate().filter(|(number, _)| is_wanted(*number))
    {
        options.max_executions = (!options.sleep_sets).then_some(MOST_REPEATED);
        let found = explore(program, &options, depth);
        if options.max_executions.is_some() && found.summary.stop == Stop::Executions {
            if !found.states.is_subset(&states) || found.traces.keys().any(|trace| !traces.contains(trace)) {
                return Comparison::Disagree(format!("{name}: a trace or a final state that there is not"));
            }
            continue;
        }
        // Programs with sections are searched by persistent sets alone, which run some traces more than once.
        let sections = program.threads.iter().flatten().any(|i| *i == Instruction::AtomicBegin);
        let promise = if sections { Promise::Everything } else { Promise::of(&options) };
        if let Some(what) = disagreement((&traces, &states), &found, promise) {
            return Comparison::Disagree(format!("{name}: {what}"));
        }
        counts.push(found.summary.counts.executions + found.summary.counts.assumed + found.summary.counts.blocked);
    }
    let sections = program.threads.iter().flatten().any(|i| *i == Instruction::AtomicBegin);
    if !sections && (counts[0] > counts[1] || counts[0] > counts[2]) {
        return Comparison::Disagree(format!("optimal, source, dpor: {:?}", &counts[..3]));
    }
    Comparison::Agree([counts[0], counts[1], counts[2]])
}
