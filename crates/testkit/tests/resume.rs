//! A search that is cut off after any execution, in any way, and goes on in another process: every algorithm, within bounds
//! and without, runs what an undisturbed search runs, in the same order, and counts the same.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use heddle_model::race::Race;
use heddle_model::{Execution, Executor, ExecutorError, Plan, ThreadId};
use heddle_search::{Algorithm, Counts, Flow, Info, Observer, Options, Search, Stop, Summary};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Program, Scripted, endless, known, oracle};

/// How a search is cut off.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Cut {
    /// The observer has seen enough.
    Observer,
    /// The executions that were asked for are over.
    Limit,
    /// The user interrupts: the plan under way is lost.
    Interrupt,
}

/// A scripted program, whose executions show races on places that are not visible.
struct Racy<'p> {
    inner: Scripted<'p>,
    races: bool,
    visible: BTreeSet<u64>,
    found: Vec<Race>,
    /// Executions until the user interrupts.
    left: Option<u64>,
}

impl Executor for Racy<'_> {
    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        match &mut self.left {
            Some(0) => return Err(ExecutorError::Interrupted),
            Some(left) => *left -= 1,
            None => {}
        }
        let execution = self.inner.receive()?;
        self.found.clear();
        // Whoever comes last decides the place, so different executions show different ones.
        let last = execution.events.iter().rev().map(|event| event.thread).find(|thread| *thread != ThreadId::MAIN);
        let place = 8 * last.map_or(0, |last| last.0 as u64);
        if self.races && !self.visible.contains(&place) {
            self.found.push(Race { place, ..Race::default() });
        }
        Ok(Execution { races: &self.found, ..execution })
    }

    fn wait_until(&mut self, _: Option<Instant>) {}

    fn abandon(&mut self) {
        self.inner.abandon();
    }

    fn remember(&mut self, states: &[heddle_model::Fingerprint]) {
        self.inner.remember(states);
    }

    fn forget_states(&mut self) {
        self.inner.forget_states();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.visible = places.iter().copied().collect();
        Ok(())
    }
}

/// An execution, by the threads and choices of its steps and how it ended.
type Shown = (Vec<(u16, u64)>, String);

/// A search that was written down: its bytes, and what was shown of executions, of samples and in all by then.
type Kept = (Vec<u8>, Vec<Shown>, Vec<Shown>, u64);

/// What a file would keep beside the search: the executions of this round.
#[derive(Clone, Default)]
struct Watch {
    shown: Vec<Shown>,
    /// The samples beside the search, of all rounds.
    samples: Vec<Shown>,
    restarts: u64,
    left: Option<u64>,
    kept: Option<Kept>,
}

impl Observer for Watch {
    fn execution(&mut self, execution: &Execution<'_>, info: &Info<'_>) -> Flow {
        let step = |event: &heddle_model::Event| (event.thread.0, event.operation.object.0 ^ event.result);
        let list = if info.sample { &mut self.samples } else { &mut self.shown };
        list.push((execution.events.iter().map(step).collect(), format!("{:?}", execution.outcome)));
        assert_eq!(info.number, list.len() as u64);
        match &mut self.left {
            Some(left) => {
                *left -= 1;
                if *left == 0 { Flow::Stop } else { Flow::Continue }
            }
            None => Flow::Continue,
        }
    }

    fn restart(&mut self, _: &[u64]) {
        self.shown.clear();
        self.restarts += 1;
    }

    fn checkpoint(&mut self, search: &[u8]) {
        self.kept = Some((search.to_vec(), self.shown.clone(), self.samples.clone(), self.restarts));
    }
}

/// How many plans may be under way: none besides the one that is run, a few, more than there are.
const DEPTHS: [usize; 3] = [1, 3, 64];

fn executor(program: &Program, races: bool, depth: usize) -> Racy<'_> {
    Racy { inner: Scripted::with_depth(program, depth), races, visible: BTreeSet::new(), found: Vec::new(), left: None }
}

fn said(summary: &Summary) -> (Counts, Counts, u64, bool, Option<u32>, String, Stop) {
    let Summary { counts, samples, earlier, bounded, completed_preemptions, method, stop, .. } = *summary;
    (counts, samples, earlier, bounded, completed_preemptions, method.to_string(), stop)
}

/// All exhaustive algorithms, within bounds and without.
fn exhaustive() -> Vec<Options> {
    let with = |algorithm| Options { algorithm, ..Options::default() };
    let optimal = with(Algorithm::Optimal);
    let mut all: Vec<Options> = oracle::configurations().into_iter().map(|(_, options, _)| options).collect();
    all.extend([
        with(Algorithm::Dfs),
        Options { max_preemptions: Some(1), ..with(Algorithm::Dfs) },
        Options { max_preemptions: Some(1), ..optimal.clone() },
        Options { max_switches: Some(4), ..optimal.clone() },
        Options { max_delays: Some(2), ..optimal.clone() },
        Options { iterate: true, ..optimal.clone() },
        Options { iterate: true, ..with(Algorithm::Dfs) },
        Options { iterate: true, max_preemptions: Some(1), ..optimal.clone() },
        Options { iterate: true, max_delays: Some(3), ..optimal },
        with(Algorithm::Stateful),
        with(Algorithm::Switches),
        Options { max_preemptions: Some(1), ..with(Algorithm::Switches) },
    ]);
    all
}

/// Cuts a search off after `k` executions in all, goes on, and returns what both halves saw. None if it came to its end before.
fn in_two(
    program: &Program,
    options: &Options,
    (races, depth): (bool, usize),
    k: u64,
    cut: Cut,
) -> Option<(Summary, Watch)> {
    let mut watch = Watch::default();
    let mut first = executor(program, races, depth);
    let mut limited = Options { checkpoint: Some(Duration::from_secs(3600)), ..options.clone() };
    match cut {
        Cut::Observer => watch.left = Some(k),
        Cut::Limit => limited.max_executions = Some(k),
        Cut::Interrupt => first.left = Some(k),
    }
    let ran = Search::new(limited.clone()).run(&mut first, &mut watch);
    if ran.is_ok_and(|summary| !matches!(summary.stop, Stop::Observer | Stop::Executions)) {
        return None;
    }
    let (bytes, shown, samples, restarts) = watch.kept.expect("a search that is cut off is written down");
    limited.max_executions = options.max_executions;
    let mut search = Search::resume(limited, &bytes).expect("it was written just now");
    let mut rest = Watch { shown, samples, restarts, ..Watch::default() };
    let summary = search.run(&mut executor(program, races, depth), &mut rest).expect("scripts can be run");
    Some((summary, rest))
}

fn agree(program: &Program, options: &Options, (races, depth): (bool, usize), cuts: &[Cut]) {
    let mut whole = Watch::default();
    let mut undisturbed = executor(program, races, depth);
    let expected = Search::new(options.clone()).run(&mut undisturbed, &mut whole).expect("it can be run");
    let ran = expected.earlier + expected.counts.ran();
    assert_eq!(expected.counts.ran(), whole.shown.len() as u64);
    assert_eq!(expected.samples.ran(), whole.samples.len() as u64);
    for &cut in cuts {
        // The limit is one of executions; samples beside them are cut off, too.
        let ran = if cut == Cut::Observer { ran + expected.samples.ran() } else { ran };
        for k in 1..ran {
            let Some((summary, rest)) = in_two(program, options, (races, depth), k, cut) else {
                panic!("{options:?} came to its end before {k} of {ran}, {cut:?}, {depth}\n{program}")
            };
            assert_eq!(said(&summary), said(&expected), "{options:?}, after {k}, {cut:?}, {depth}\n{program}");
            assert!(rest.shown == whole.shown, "{options:?}, after {k}, {cut:?}, {depth}\n{program}");
            assert!(rest.samples == whole.samples, "{options:?}, after {k}, {cut:?}, {depth}\n{program}");
            assert_eq!(rest.restarts, whole.restarts, "{options:?}, after {k}, {cut:?}, {depth}\n{program}");
        }
    }
}

/// Programs with few interleavings, since every algorithm is cut off after each of its executions.
fn programs(count: usize, kinds: u32) -> Vec<Program> {
    let mut found = Vec::new();
    let mut seed = 0u64;
    while found.len() < count {
        seed += 1;
        let mut random = Random::new(seed.wrapping_mul(7919) ^ (kinds as u64) << 32);
        let program = generate::program(&mut random, Shape { threads: 3, operations: 2 + seed % 3, kinds });
        let dfs = Options { algorithm: Algorithm::Dfs, max_executions: Some(30), ..Options::default() };
        let brute = oracle::explore_with(&program, &dfs, 1, false);
        if brute.summary.stop == Stop::Exhausted && brute.summary.counts.ran() >= 8 {
            found.push(program);
        }
    }
    found
}

fn everywhere(count: usize, kinds: u32, races: bool) {
    for program in programs(count, kinds) {
        for options in exhaustive() {
            for depth in DEPTHS {
                agree(&program, &options, (races, depth), &[Cut::Observer, Cut::Limit, Cut::Interrupt]);
            }
        }
    }
}

#[test]
fn every_algorithm_after_every_execution() {
    everywhere(6, generate::ALL, false);
}

#[test]
fn every_algorithm_with_locks_and_conditions() {
    everywhere(4, generate::LOCKS | generate::TRYLOCKS | generate::CONDITIONS | generate::ATOMICS, false);
}

/// More becomes visible on the way, and everything begins anew: also when that is where the search is cut off.
#[test]
fn every_algorithm_while_places_become_visible() {
    everywhere(3, generate::LOCKS | generate::ATOMICS, true);
}

/// Another algorithm than the one asked for has to go on.
#[test]
fn every_algorithm_with_atomic_sections() {
    everywhere(3, generate::LOCKS | generate::ATOMICS | generate::SECTIONS, false);
}

/// Threads are stopped by a bound on operations, in programs that never end.
#[test]
fn every_algorithm_with_stopped_threads() {
    let mut looked_at = 0;
    for seed in 0.. {
        let mut random = Random::new(seed);
        let program = endless::program(&mut random, Shape { threads: 2, operations: 2, kinds: generate::ALL });
        let options = Options { max_steps: Some(2 + random.below(3) as u32), ..Options::default() };
        let dfs = Options { algorithm: Algorithm::Dfs, max_executions: Some(30), ..options.clone() };
        let brute = oracle::explore_with(&program, &dfs, 1, false).summary;
        if brute.stop != Stop::Exhausted || brute.counts.cut < 4 {
            continue;
        }
        for within in exhaustive() {
            let options = Options { max_steps: options.max_steps, ..within };
            agree(&program, &options, (false, 2), &[Cut::Observer, Cut::Limit]);
        }
        looked_at += 1;
        if looked_at == 4 {
            return;
        }
    }
}

/// More executions than plans under way, and more plans under way than a machine word has bits: what is under way is run in its
/// order after a resume, whatever was proposed after it.
#[test]
fn many_plans_under_way() {
    let with = |algorithm| Options { algorithm, ..Options::default() };
    let all = [with(Algorithm::Optimal), Options { max_executions: Some(40), ..with(Algorithm::Dfs) }];
    for options in all {
        for depth in [31, 33] {
            // 64 traces, cut off after each.
            agree(&known::last_zero(5), &options, (false, depth), &[Cut::Observer, Cut::Interrupt]);
        }
    }
}

/// Samples beside a search are those of a search that was never disturbed, and so are their turns.
#[test]
fn samples_beside_a_search_go_on_where_they_were() {
    let options = Options { algorithm: Algorithm::Portfolio, seed: 3, ..Options::default() };
    for depth in [1, 2, 3, 33] {
        for program in [known::last_zero(5), known::counter(4)] {
            agree(&program, &options, (false, depth), &[Cut::Observer, Cut::Limit, Cut::Interrupt]);
        }
    }
}

/// A limit on executions is a limit on those of both halves.
#[test]
fn samples_go_on_where_they_were() {
    for algorithm in [Algorithm::Random, Algorithm::Pct, Algorithm::Pos, Algorithm::Few, Algorithm::Rare] {
        let options = Options { algorithm, max_executions: Some(21), ..Options::default() };
        agree(&known::last_zero(3), &options, (false, 1), &[Cut::Observer, Cut::Interrupt]);
    }
}

/// Samples that return to rare events go on where they were, in the middle of a batch and at its end.
#[test]
fn rare_events_are_written_down() {
    let options = Options { algorithm: Algorithm::Rare, max_executions: Some(150), ..Options::default() };
    for (depth, races) in [(1, false), (3, false), (33, false), (3, true)] {
        agree(&known::last_zero(3), &options, (races, depth), &[Cut::Observer, Cut::Interrupt]);
    }
}

/// Bytes that were changed are refused, or are another search. They never make it panic.
#[test]
fn damaged_bytes_of_every_algorithm() {
    let mut random = Random::new(11);
    let program = known::last_zero(3);
    for options in exhaustive() {
        let options = Options { checkpoint: Some(Duration::ZERO), max_executions: Some(200), ..options };
        let mut watch = Watch { left: Some(5), ..Watch::default() };
        Search::new(options.clone()).run(&mut executor(&program, false, 1), &mut watch).expect("it can be run");
        let (bytes, ..) = watch.kept.expect("it was written down");
        for length in 0..bytes.len() {
            assert!(Search::resume(options.clone(), &bytes[..length]).is_err(), "cut off at {length}");
        }
        for round in 0..400 {
            let mut wrong = bytes.clone();
            for _ in 0..1 + round % 3 {
                wrong[random.below(bytes.len() as u64) as usize] = random.number() as u8;
            }
            if let Ok(mut search) = Search::resume(options.clone(), &wrong) {
                let _ = search.run(&mut executor(&program, false, 1), &mut Unseen);
            }
        }
    }
}

struct Unseen;

impl Observer for Unseen {
    fn execution(&mut self, _: &Execution<'_>, _: &Info<'_>) -> Flow {
        Flow::Continue
    }
}
