//! Random programs in C through the native engine, against the same programs as scripts.
//!
//! A script and its C program have the same operations on the same objects, so a search must find the same traces,
//! with the same results of every operation, whoever runs it: one execution for each with `optimal`, none of them
//! blocked. The scripts' own traces are held against brute force by the tests of `heddle-testkit`.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicBool;

use crate::common::number;
use heddle_model::primitive::{atomic, condvar, futex, process, process_state};
use heddle_model::wire::Restart;
use heddle_model::{Event, EventFlags, Execution, Executor, Latitude, ObjectId, Outcome, ThreadId};
use heddle_model::{RestartMode, Settings};
use heddle_native::compile::{Choice, Compiled, compile};
use heddle_native::{Hire, NativeExecutor, TemporaryDirectory};
use heddle_search::canonical::{Label, canonical};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop, Summary};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::print_c::{self, OBJECTS_ALIGNMENT};
use heddle_testkit::{Program, Scripted, oracle};

/// Prefixes of traces that a program may have to be looked at. More for a longer look by hand.
fn limit() -> usize {
    number("HEDDLE_RANDOM_LIMIT", 400) as usize
}

/// A trace: its events in canonical order, how it ended, and what every thread got from its operations.
type Trace = (Vec<Label>, &'static str, Vec<Vec<u64>>);

/// What a search has found out about a program.
#[derive(Debug)]
struct Found {
    summary: Summary,
    traces: HashMap<Trace, u64>,
    /// How executions ended that belong to no trace, and in what words.
    others: BTreeMap<String, u64>,
}

/// Writes traces down in the terms of the script.
struct Recorder<'p> {
    program: &'p Program,
    native: bool,
    traces: HashMap<Trace, u64>,
    others: BTreeMap<String, u64>,
}

impl Recorder<'_> {
    /// The events with the script's names of threads and objects, and without what only one of the two engines says.
    fn in_terms_of_the_script(&self, events: &[Event]) -> Vec<Event> {
        let mut threads: Vec<Option<usize>> = vec![None; 64];
        threads[0] = Some(0);
        let mut children = vec![0; self.program.threads.len()];
        let mut translated = Vec::with_capacity(events.len());
        for &event in events {
            let mut event = event;
            if event.operation.code == heddle_model::primitive::thread::CREATE
                && let (Some(parent), Some(child)) = (threads[event.thread.index()], event.operation.object.as_thread())
            {
                let ids = print_c::children(self.program, parent);
                threads[child.index()] = ids.get(children[parent]).map(|&id| id as usize);
                children[parent] += 1;
            }
            let name = |thread: ThreadId| {
                let id = threads[thread.index()].unwrap_or_else(|| panic!("thread {} was not created", thread.0));
                ThreadId(id as u16)
            };
            event.operation.object = match event.operation.object.as_thread() {
                _ if event.operation.code == process::END => ObjectId::NONE,
                Some(thread) => ObjectId::thread(name(thread)),
                // State of the process has no address.
                None if event.operation.code.family() == process_state::FAMILY => event.operation.object,
                None => ObjectId(event.operation.object.0 % OBJECTS_ALIGNMENT),
            };
            if event.operation.code.family() == condvar::FAMILY {
                event.operation.argument %= OBJECTS_ALIGNMENT;
            }
            if event.operation.code == condvar::SIGNAL && event.result != 0 {
                event.result = name(ThreadId(event.result as u16 - 1)).0 as u64 + 1;
            }
            if matches!(event.operation.code, futex::WAKE | futex::REQUEUE) {
                // Whom it woke stands in the upper half, and where it moved others in the lower part of the argument.
                for at in [32, 48] {
                    let woken = (event.result >> at) as u16;
                    if woken != 0 {
                        event.result &= !(0xffff << at);
                        event.result |= (name(ThreadId(woken - 1)).0 as u64 + 1) << at;
                    }
                }
            }
            if event.operation.code == futex::REQUEUE {
                let address = event.operation.argument & ((1 << 48) - 1);
                event.operation.argument -= address - address % OBJECTS_ALIGNMENT;
            }
            event.thread = name(event.thread);
            translated.push(event);
        }
        translated
    }

    fn trace(&self, execution: &Execution<'_>) -> Trace {
        let mut events =
            if self.native { self.in_terms_of_the_script(execution.events) } else { execution.events.to_vec() };
        let mut results = vec![Vec::new(); self.program.threads.len()];
        for event in &mut events {
            event.flags = EventFlags(event.flags.0 & !EventFlags::KNOWS_OLD.0);
            if event.operation.code == process::END {
                // Of a misuse it is what was misused, which another event says too.
                event.operation.object = ObjectId::NONE;
            }
            let operation = &event.operation;
            results[event.thread.index()].push(match operation.code {
                // How it ended; which assertion it was the script says in its own way.
                process::END => {
                    // The status, or the signal.
                    let says = matches!(operation.argument, 1 | 4);
                    operation.argument << 32 | if says { operation.detail as u64 } else { 0 }
                }
                atomic::STORE => operation.argument,
                // Whom a signal wakes is its choice; which event woke a thread depends on the order.
                code if code.family() == condvar::FAMILY => 0,
                code if code.family() == futex::FAMILY => event.result & u32::MAX as u64,
                _ => event.result,
            });
        }
        (canonical(&events), execution.outcome.name(), results)
    }
}

impl Observer for Recorder<'_> {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        match execution.outcome {
            Outcome::Ended { .. } | Outcome::Deadlock | Outcome::Assumed => {
                let trace = self.trace(execution);
                *self.traces.entry(trace).or_default() += 1;
            }
            Outcome::Blocked => {}
            other => *self.others.entry(format!("{other:?}: {}", execution.message)).or_default() += 1,
        }
        Flow::Continue
    }

    fn restart(&mut self, _: &[u64]) {
        self.traces.clear();
        self.others.clear();
    }
}

fn search(program: &Program, options: &Options, executor: &mut dyn Executor, native: bool) -> Found {
    let mut recorder = Recorder { program, native, traces: HashMap::new(), others: BTreeMap::new() };
    let summary = Search::new(options.clone()).run(executor, &mut recorder).expect("it can be run");
    Found { summary, traces: recorder.traces, others: recorder.others }
}

/// Programs with all that they have to do, compiled together.
struct Batch {
    programs: Vec<Program>,
    seeds: Vec<u64>,
    compiled: Compiled,
}

/// `count` random programs that `draw` makes from a seed, small enough to be looked at.
fn batch(count: usize, draw: impl Fn(u64) -> Program, compiler: Option<&str>) -> Batch {
    let (mut programs, mut seeds) = (Vec::new(), Vec::new());
    let mut seed = crate::common::seed(0);
    while programs.len() < count {
        seed += 1;
        let program = print_c::printable(&draw(seed));
        if oracle::all_traces(&program, limit()).is_some_and(|(traces, _)| traces.len() > 1) {
            programs.push(program);
            seeds.push(seed);
        }
    }
    let folder = TemporaryDirectory::new().expect("a directory");
    let path = folder.path().join("programs.c");
    std::fs::write(&path, print_c::print_all(&programs)).expect("it can be written");
    let words = [path.to_str().expect("a plain path"), "-Wall", "-Wextra", "-Werror"].map(str::to_owned);
    let choice = Choice::from_environment(compiler.map(str::to_owned));
    let compiled = compile(&words, &choice, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(compiled.warnings, "");
    Batch { programs, seeds, compiled }
}

impl Batch {
    fn launch(&self, index: usize, restart: RestartMode) -> NativeExecutor {
        self.launch_jobs(index, restart, 1)
    }

    fn launch_jobs(&self, index: usize, restart: RestartMode, jobs: u32) -> NativeExecutor {
        let arguments = vec![index.to_string().into()];
        let Program { timeouts, spurious: spurious_wakeups, failures: spurious_failures, wakeup, .. } =
            self.programs[index];
        let latitude = Latitude { timeouts, spurious_wakeups, spurious_failures, wakeup };
        let options = heddle_native::Options {
            arguments,
            settings: Settings { restart, latitude, ..Settings::default() },
            jobs,
            hire: Hire::AtOnce,
            ..heddle_native::Options::default()
        };
        NativeExecutor::launch(&self.compiled.program, options).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What `found` has to say about program `index` must be what the script says.
    fn compare(&self, index: usize, name: &str, expected: &Found, found: &Found, once: bool) -> Result<(), String> {
        let program = &self.programs[index];
        let wrong = |what: String| Err(format!("seed {}, {name}: {what}\n{program}", self.seeds[index]));
        if !found.others.is_empty() {
            return wrong(format!("{:?}", found.others));
        }
        if found.summary.stop != Stop::Exhausted {
            return wrong(format!("ended by {:?}", found.summary.stop));
        }
        if let Some(missing) = expected.traces.keys().find(|trace| !found.traces.contains_key(*trace)) {
            let extra = found.traces.keys().find(|trace| !expected.traces.contains_key(*trace));
            return wrong(format!(
                "{} executions, {} traces instead of {}; missing {missing:?}; too many {extra:?}",
                found.summary.counts.executions,
                found.traces.len(),
                expected.traces.len()
            ));
        }
        if found.traces.len() != expected.traces.len() {
            return wrong(format!("{} traces instead of {}", found.traces.len(), expected.traces.len()));
        }
        if once
            && (found.summary.counts.executions + found.summary.counts.assumed != expected.traces.len() as u64
                || found.summary.counts.blocked != 0)
        {
            return wrong(format!(
                "{} executions and {} blocked for {} traces",
                found.summary.counts.executions,
                found.summary.counts.blocked,
                expected.traces.len()
            ));
        }
        Ok(())
    }

    fn script(&self, index: usize, options: &Options) -> Found {
        let program = &self.programs[index];
        search(program, options, &mut Scripted::new(program), false)
    }
}

fn finish(looked_at: usize, wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} of {looked_at} are wrong, the first:\n{}", wrong.len(), wrong[0]);
}

/// Compares programs of these kinds.
fn agree(count: usize, kinds: u32, operations: u64, compiler: Option<&str>) {
    let draw = |seed: u64| {
        let mut random = Random::new(seed.wrapping_mul(104_729) ^ (kinds as u64) << 32);
        generate::program(&mut random, Shape { threads: 3, operations, kinds })
    };
    agree_on(count, &format!("kinds {kinds}"), draw, compiler);
}

/// Compares programs that `draw` makes: every program with `optimal`, in the quickest way; every n-th in all ways and with all
/// algorithms.
pub fn agree_on(count: usize, name: &str, draw: impl Fn(u64) -> Program, compiler: Option<&str>) {
    let batch = batch(count, draw, compiler);
    let mut wrong = Vec::new();
    let mut endings: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut compared, mut subset) = (0, 0);
    for index in 0..count {
        let program = &batch.programs[index];
        let optimal = Options::default();
        let expected = batch.script(index, &optimal);
        let (all, _) = oracle::all_traces(program, limit()).expect("it has been looked at before");
        let ran = expected.summary.counts.executions + expected.summary.counts.assumed;
        assert_eq!((ran, expected.summary.counts.blocked), (all.len() as u64, 0), "{program}");
        for (_, outcome, _) in expected.traces.keys() {
            *endings.entry(outcome).or_default() += 1;
        }
        let found = search(program, &optimal, &mut batch.launch(index, RestartMode::Auto), true);
        wrong.extend(batch.compare(index, "optimal", &expected, &found, true).err());
        if index % 6 != 0 {
            continue;
        }
        subset += 1;
        // Several processes: the same traces, each once, in the same numbers.
        for (jobs, restart) in [(2, RestartMode::Auto), (3, RestartMode::Auto), (4, RestartMode::Only(Restart::Fork))] {
            let several = search(program, &optimal, &mut batch.launch_jobs(index, restart, jobs), true);
            let name = format!("optimal, {jobs} jobs");
            wrong.extend(batch.compare(index, &name, &expected, &several, true).err());
            assert_eq!(several.summary.counts.events, found.summary.counts.events, "{name}\n{program}");
        }
        for restart in [Restart::Fork, Restart::Exec] {
            let options = Options { max_executions: Some(60), ..Options::default() };
            let mut executor = batch.launch(index, RestartMode::Only(restart));
            let found = search(program, &options, &mut executor, true);
            if found.summary.stop != Stop::Executions {
                compared += 1;
                wrong.extend(batch.compare(index, &format!("{restart:?}"), &expected, &found, true).err());
            }
        }
        for algorithm in [Algorithm::Source, Algorithm::Dpor, Algorithm::Dfs] {
            let options = Options { algorithm, max_executions: Some(3000), ..Options::default() };
            let mut executor = batch.launch(index, RestartMode::Auto);
            let found = search(program, &options, &mut executor, true);
            if found.summary.stop != Stop::Executions {
                compared += 1;
                wrong.extend(batch.compare(index, algorithm.name(), &expected, &found, false).err());
            }
        }
    }
    eprintln!("{name}: {count} programs, traces by outcome {endings:?}; {compared} comparisons in {subset}");
    // Some have too many interleavings to run them all; not most, or this would prove little.
    assert!(compared >= 3 * subset, "{compared} comparisons of {subset} programs");
    finish(count, wrong);
}

#[test]
fn locks_and_atomics() {
    agree(60, generate::LOCKS | generate::TRYLOCKS | generate::ATOMICS, 5, None);
}

#[test]
fn kinds_of_mutexes() {
    agree(40, generate::KINDS | generate::LOCKS | generate::TRYLOCKS | generate::ATOMICS, 5, Some("gcc"));
}

#[test]
fn compare_exchange() {
    agree(50, generate::COMPARE | generate::ATOMICS, 4, None);
}

#[test]
fn queues() {
    agree(30, generate::QUEUES | generate::LOCKS | generate::TRYLOCKS | generate::CONDITIONS, 4, None);
    agree(30, generate::QUEUES | generate::SEMAPHORES | generate::RWLOCKS, 4, Some("gcc"));
    let timed = generate::TIMED | generate::LOCKS | generate::SEMAPHORES | generate::RWLOCKS | generate::CONDITIONS;
    agree(30, generate::QUEUES | timed, 4, None);
}

/// With gcc, which says which compare-exchanges are weak.
#[test]
fn attempts_that_fail() {
    let kinds = generate::TRYLOCKS | generate::LOCKS | generate::SPIN_LOCKS | generate::RWLOCKS;
    agree(40, generate::FAILURES | generate::COMPARE | kinds, 4, Some("gcc"));
}

#[test]
fn conditions() {
    agree(50, generate::CONDITIONS | generate::LOCKS | generate::KINDS, 5, None);
}

#[test]
fn timed_operations() {
    let locks = generate::LOCKS | generate::CONDITIONS | generate::RWLOCKS | generate::SEMAPHORES;
    agree(50, generate::TIMED | locks, 5, None);
}

#[test]
fn futexes() {
    agree(50, generate::FUTEXES | generate::ATOMICS, 4, Some("gcc"));
}

#[test]
fn semaphores() {
    agree(50, generate::SEMAPHORES | generate::ATOMICS, 5, Some("gcc"));
}

#[test]
fn reader_writer_locks() {
    agree(40, generate::RWLOCKS | generate::ATOMICS, 5, None);
}

#[test]
fn spin_locks_and_barriers() {
    agree(40, generate::SPIN_LOCKS | generate::BARRIERS | generate::ATOMICS, 4, Some("gcc"));
}

#[test]
fn once() {
    agree(40, generate::ONCE | generate::ATOMICS, 4, None);
}

#[test]
fn choices_and_assumptions() {
    agree(50, generate::CHOICES | generate::ASSUMES | generate::ATOMICS, 4, Some("gcc"));
}

#[test]
fn threads_and_ends() {
    agree(50, generate::THREADS | generate::JOINS | generate::ENDS | generate::ATOMICS, 4, None);
}

#[test]
fn everything() {
    agree(80, generate::ALL, 4, None);
}
