//! `./x bench`: the tables of `docs/performance.md`, measured in one run.
//!
//! Ratios count, not absolute numbers: the same machine, the same minutes. Rates are the best and the median of
//! several rounds, since a busy machine only ever makes things slower.

mod jobs;
mod million;
mod papers_states;
mod prove;
mod split;
mod start;
mod states;
mod until_found;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use heddle_model::follow::{Policy, Step};
use heddle_model::{Attention, Event, Executor, Plan, Properties, Property, Restart, RestartMode, Settings, ThreadId};
use heddle_native::compile::{Choice, Compiled, compile};
use heddle_native::{NativeExecutor, Options};

const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(400);

fn main() {
    // `cargo bench` passes flags of the usual harness, `cargo test --benches` only wants to see that it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let only: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|word| name.contains(word.as_str()));
    machine();
    if wanted("restart") {
        restarts();
    }
    if wanted("operations") {
        operations();
    }
    if wanted("races") {
        races();
    }
    if wanted("programs") {
        programs();
    }
    if wanted("start") {
        start::table();
    }
    if wanted("split") {
        split::table();
    }
    if wanted("states") {
        states::table();
    }
    if wanted("papers") {
        papers();
    }
    if wanted("prove") {
        prove::table();
    }
    if wanted("papers") || wanted("states") {
        papers_states::stateful();
        papers_states::switches();
    }
    if wanted("million") {
        million::table();
    }
    if wanted("jobs") {
        jobs::table();
    }
    if wanted("bugs") {
        until_found::table();
    }
}

/// Options that give data races and memory errors this attention.
fn looking(races: Attention, memory: Attention) -> Options {
    let properties = Properties::default().with(Property::Race, races).with(Property::Memory, memory);
    Options { settings: Settings { properties, ..Settings::default() }, ..Options::default() }
}

/// What looking for data races costs, and memory errors: executions a second, and one access when nothing races.
fn races() {
    println!("\n{:<34} {:>14} {:>14}", "", "looked for", "not");
    for (file, flags) in [("benches/rate.c", &[][..]), ("benches/rate.cpp", &[])] {
        let compiled = build(file, flags);
        let rate = |races| {
            let options = looking(races, Attention::Stop);
            let mut executor = NativeExecutor::launch(&compiled.program, options).expect("it starts");
            best_rate(&mut executor)
        };
        let (on, off) = (rate(Attention::Stop), rate(Attention::Off));
        println!("{file:<34} {on:>12.0}/s {off:>12.0}/s");
    }
    let compiled = build("benches/accesses.c", &[]);
    let access = |races, memory| {
        let time = |rounds: u64| {
            let arguments = vec![rounds.to_string().into()];
            let options = Options { arguments, ..looking(races, memory) };
            let mut executor = NativeExecutor::launch(&compiled.program, options).expect("it starts");
            let process = |executor: &NativeExecutor| executor.process_id().map_or(String::new(), |id| id.to_string());
            let run = |executor: &mut NativeExecutor| {
                // The program's own time, like what it is held against in `split`.
                let begin = split::used(&process(executor));
                let outcome = executor.run(&Plan::default()).expect("it runs").outcome;
                assert!(outcome.is_ended());
                split::used(&process(executor)).saturating_sub(begin)
            };
            // The first one makes the process, or finds pages that nobody has written to.
            run(&mut executor);
            (0..ROUNDS).map(|_| run(&mut executor)).min().unwrap_or_default()
        };
        let (few, many) = (1_000, 21_000);
        let accesses = (many - few) * 2 * 64 * 2;
        time(many).saturating_sub(time(few)).as_nanos() as f64 / accesses as f64
    };
    let (both, neither) = (access(Attention::Stop, Attention::Stop), access(Attention::Off, Attention::Off));
    println!("{:<34} {both:>12.1}ns {neither:>12.1}ns", "one access, memory errors too");
    println!("{:<34} {:>12.1}ns", "one access, races alone", access(Attention::Stop, Attention::Off));
}

/// Executions a second, in random orders: the best of several rounds.
fn best_rate(executor: &mut NativeExecutor) -> f64 {
    let mut best = 0f64;
    let mut seed = 0;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let mut count = 0;
        while begin.elapsed() < ROUND / 2 {
            for _ in 0..100 {
                seed += 1;
                let plan = Plan { policy: Policy::Random, seed, ..Plan::default() };
                executor.run(&plan).expect("it runs");
                count += 1;
            }
        }
        best = best.max(count as f64 / begin.elapsed().as_secs_f64());
    }
    best
}

fn machine() {
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor.lines().find_map(|line| line.strip_prefix("model name\t: ")).unwrap_or("unknown processor");
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load: Vec<&str> = load.split_whitespace().take(1).collect();
    println!("{model}, {cores} cores, Linux {}, load {}", kernel.trim(), load.join(" "));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn build(file: &str, flags: &[&str]) -> Compiled {
    let mut words = vec![root().join(file).display().to_string(), "-O2".to_owned()];
    words.extend(flags.iter().map(|flag| (*flag).to_owned()));
    let choice = Choice::from_environment(None);
    compile(&words, &choice, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn launch(program: &Compiled, restart: Restart) -> NativeExecutor {
    let options = Options {
        settings: Settings { restart: RestartMode::Only(restart), ..Settings::default() },
        ..Options::default()
    };
    NativeExecutor::launch(&program.program, options).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs plans for a while, as many under way as there is room for, as a search does. Executions a second.
fn rate(executor: &mut NativeExecutor, plan: impl Fn(u64) -> Plan, time: Duration) -> f64 {
    let begin = Instant::now();
    let (mut submitted, mut received) = (0u64, 0u64);
    let mut next = plan(0);
    while begin.elapsed() < time {
        while submitted - received < executor.depth() as u64 {
            executor.submit(&next).expect("a plan is taken");
            submitted += 1;
            next = plan(submitted);
        }
        let execution = executor.receive().expect("an execution comes back");
        assert!(execution.outcome.is_ended(), "{}", execution.message);
        received += 1;
    }
    let rate = received as f64 / begin.elapsed().as_secs_f64();
    while received < submitted {
        executor.receive().expect("an execution comes back");
        received += 1;
    }
    rate
}

/// The best and the median.
fn best(mut rates: Vec<f64>) -> (f64, f64) {
    rates.sort_by(f64::total_cmp);
    (rates[rates.len() - 1], rates[rates.len() / 2])
}

fn random(seed: u64) -> Plan {
    Plan { policy: Policy::Random, seed, ..Plan::default() }
}

/// Executions a second by restart mode, random orders. The modes take turns, so that a busy minute hits them all.
fn restarts() {
    println!("\nExecutions a second by restart mode (random orders; best, median of {ROUNDS} rounds)\n");
    println!("| program | operations | restart | best | median | snapshot is faster by |");
    println!("|---|---|---|---|---|---|");
    for file in ["benches/rate.c", "benches/rate.cpp"] {
        let program = build(file, &[]);
        let modes = [Restart::Snapshot, Restart::Fork, Restart::Exec];
        let mut executors = modes.map(|mode| launch(&program, mode));
        let operations = executors[0].run(&random(1)).expect("it runs").events.len();
        let mut rates = [vec![], vec![], vec![]];
        for _ in 0..ROUNDS {
            for (executor, rates) in executors.iter_mut().zip(&mut rates) {
                rates.push(rate(executor, random, ROUND));
            }
        }
        let results = rates.map(best);
        for (mode, (top, median)) in modes.into_iter().zip(results) {
            let ratio = if mode == Restart::Snapshot {
                String::new()
            } else {
                format!("{:.0}x (median {:.0}x)", results[0].0 / top, results[0].1 / median)
            };
            println!("| {file} | {operations} | {} | {top:.0} | {median:.0} | {ratio} |", mode.name());
        }
    }
}

/// The schedule in which threads 1 and 2 take turns, or come one after the other.
fn schedule(events: &[Event], alternate: bool) -> Vec<Step> {
    let of = |thread: u16| events.iter().filter(move |e| e.thread == ThreadId(thread)).map(Step::of);
    let (one, two) = (of(1), of(2));
    let created = events.iter().rposition(|e| e.operation.code == heddle_model::primitive::thread::CREATE);
    let main =
        |range: &[Event]| -> Vec<Step> { range.iter().filter(|e| e.thread == ThreadId::MAIN).map(Step::of).collect() };
    let split = created.expect("threads are created") + 1;
    let mut steps = main(&events[..split]);
    if alternate {
        for (a, b) in one.zip(two) {
            steps.extend([a, b]);
        }
    } else {
        steps.extend(one.chain(two));
    }
    steps.extend(main(&events[split..]));
    steps
}

/// Nanoseconds for each operation and for each switch, from the difference between long and short executions.
fn operations() {
    const SHORT: u32 = 1_000;
    const LONG: u32 = 21_000;
    let programs = [SHORT, LONG].map(|n| build("benches/operations.c", &[&format!("-DOPERATIONS={n}")]));
    let mut executors = [0, 1].map(|i| launch(&programs[i], Restart::Snapshot));
    let mut events = [0, 0];
    // For each way to run: nanoseconds an execution, short and long.
    let mut cost = |plan_of: &dyn Fn(&[Event]) -> Plan| -> f64 {
        let mut nanoseconds = [f64::MAX; 2];
        for _ in 0..ROUNDS {
            for i in 0..2 {
                let base = executors[i].run(&Plan::default()).expect("it runs").events.to_vec();
                events[i] = base.len();
                let plan = plan_of(&base);
                let best = 1e9 / rate(&mut executors[i], |_| plan.clone(), ROUND / 2);
                nanoseconds[i] = nanoseconds[i].min(best);
            }
        }
        (nanoseconds[1] - nanoseconds[0]) / (events[1] - events[0]) as f64
    };
    let free = cost(&|_| Plan::default());
    let straight = cost(&|events| Plan { schedule: schedule(events, false), ..Plan::default() });
    let turns = cost(&|events| Plan { schedule: schedule(events, true), ..Plan::default() });
    println!("\nThe cost of an operation (sched_yield; two threads; best of {ROUNDS} rounds)\n");
    println!("| what | ns |");
    println!("|---|---|");
    println!("| a visible operation without a switch, by the policy | {free:.1} |");
    println!("| a visible operation without a switch, by the schedule | {straight:.1} |");
    println!("| a visible operation with a switch, by the schedule | {turns:.1} |");
    println!("| what a switch adds (difference) | {:.1} |", turns - straight);
    println!("| the switch of fibers itself: registers, stack, thread pointer | {:.1} |", bare_switch());
}

/// Nanoseconds of a switch between two fibers that do nothing else, as the runtime measures it.
fn bare_switch() -> f64 {
    let program = build("benches/switch.c", &[]);
    let mut executor = launch(&program, Restart::Snapshot);
    let execution = executor.run(&Plan { record: true, ..Plan::default() }).expect("it runs");
    let picoseconds = std::str::from_utf8(execution.output).ok().and_then(|text| text.trim().parse::<f64>().ok());
    picoseconds.expect("a number") / 1000.0
}

struct Checked {
    executions: u64,
    blocked: u64,
    events: u64,
    seconds: f64,
}

/// Runs a program to the end of the search, or with the word `FIRST` among the flags to its first finding.
fn check(file: &str, flags: &[&str]) -> Checked {
    let first = flags.contains(&"FIRST");
    let out = std::env::temp_dir().join(format!("heddle-bench-{}", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["check", "--json", "--out"])
        .arg(&out)
        .args((!first).then_some("--all"))
        .arg(root().join(file))
        .arg("-O2")
        .args(flags.iter().filter(|flag| **flag != "FIRST"))
        .stderr(Stdio::inherit())
        .output()
        .expect("heddle runs");
    let _ = std::fs::remove_dir_all(&out);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a JSON document");
    let number = |name: &str| report[name].as_u64().unwrap_or_else(|| panic!("{file}: no {name}: {report}"));
    Checked {
        executions: number("executions"),
        blocked: number("blocked"),
        events: number("events"),
        seconds: report["seconds"].as_f64().expect("seconds"),
    }
}

/// The programs of the papers, from the command line to the verdict, the compiler not counted.
fn programs() {
    println!("\nPrograms, end to end (`heddle check --all`; seconds without compiling)\n");
    println!("| program | executions | blocked | events | seconds | executions a second |");
    println!("|---|---|---|---|---|---|");
    for (file, flags) in [
        ("counter", "-DN=8"),
        ("indexer", "-DN=15"),
        ("philosophers", "-DN=10 -DREVERSED=1"),
        ("lastzero", "-DN=12"),
        ("filesystem", "-DN=26"),
        ("fib_bench", "-DN=5"),
    ] {
        let words: Vec<&str> = flags.split_whitespace().collect();
        let run = check(&format!("tests/counts/{file}.c"), &words);
        let per_second = run.executions as f64 / run.seconds;
        let Checked { executions, blocked, events, seconds } = run;
        println!("| {file} {flags} | {executions} | {blocked} | {events} | {seconds:.2} | {per_second:.0} |");
    }
}

/// One row of a table in a paper: the table, its name for the program, ours, what they count and how long that took.
struct Row {
    table: &'static str,
    name: &'static str,
    file: &'static str,
    flags: &'static str,
    traces: &'static str,
    seconds: &'static str,
}

const fn row(
    table: &'static str,
    name: &'static str,
    file: &'static str,
    flags: &'static str,
    (traces, seconds): (&'static str, &'static str),
) -> Row {
    Row { table, name, file, flags, traces, seconds }
}

/// McMini's tables 2 to 9, and Inspect's table 1. The programs are our own versions, and smaller where theirs have loops
/// without an end; the machines are others.
const ROWS: &[Row] = &[
    row("McMini 2", "philosophers_mut, 6", "tests/counts/philosophers.c", "-DN=6 -DREVERSED=1", ("3,823", "13.17")),
    row("McMini 2", "philosophers_sem, 5", "benches/papers/philosophers_sem.c", "-DN=5", ("9,795", "33.31")),
    row("McMini 2", "reader_writer_mut_reader_preferred", "benches/papers/reader_writer_mut.c", "", ("130", "0.48")),
    row("McMini 2", "producer_consumer_mut_sem, 2", "benches/papers/producer_consumer_mut_sem.c", "", ("65", "0.45")),
    row("McMini 2", "reader_writer_fifo, 3", "benches/papers/reader_writer_fifo.c", "", ("87", "0.35")),
    row("McMini 2", "simple_barrier_with_threads, 10", "benches/papers/simple_barrier.c", "-DN=10", ("1", "0.03")),
    row(
        "McMini 3",
        "simple_cond_broadcast_deadlock, 10",
        "benches/papers/simple_cond_broadcast.c",
        "-DN=10 FIRST",
        ("1", "0.03"),
    ),
    row(
        "McMini 3",
        "simple_barrier_with_threads_deadlock, 5",
        "benches/papers/simple_barrier.c",
        "-DN=5 -DDEADLOCK FIRST",
        ("1", "0.02"),
    ),
    row("McMini 3", "philosophers_mut_deadlock, 10", "tests/counts/philosophers.c", "-DN=10 FIRST", ("2,342", "11.61")),
    row(
        "McMini 3",
        "philosophers_sem_deadlock, 10",
        "benches/papers/philosophers_sem.c",
        "-DN=10 -DDEADLOCK FIRST",
        ("6,765", "28.73"),
    ),
    row(
        "McMini 3",
        "producer_consumer_mut_sem_deadlock, 10",
        "benches/papers/producer_consumer_mut_sem.c",
        "-DP=5 -DC=5 -DDEADLOCK FIRST",
        ("1", "0.03"),
    ),
    row(
        "McMini 4",
        "cond_broadcast_deadlock, 5",
        "benches/papers/simple_cond_broadcast.c",
        "-DN=5",
        ("65,512", "177.57"),
    ),
    row(
        "McMini 4",
        "philosophers_sem_deadlock, 7",
        "benches/papers/philosophers_sem.c",
        "-DN=7 -DDEADLOCK",
        ("180,253", "724.11"),
    ),
    row(
        "McMini 4",
        "producer_consumer_mut_sem_deadlock, 3",
        "benches/papers/producer_consumer_mut_sem.c",
        "-DP=2 -DDEADLOCK",
        ("4,020", "13.49"),
    ),
    row("McMini 5", "philosophers_mut, 4", "tests/counts/philosophers.c", "-DN=4 -DREVERSED=1", ("52", "0.25")),
    row("McMini 5", "philosophers_mut, 5", "tests/counts/philosophers.c", "-DN=5 -DREVERSED=1", ("366", "1.44")),
    row("McMini 5", "philosophers_mut, 6", "tests/counts/philosophers.c", "-DN=6 -DREVERSED=1", ("3,823", "13.59")),
    row("McMini 5", "philosophers_mut, 7", "tests/counts/philosophers.c", "-DN=7 -DREVERSED=1", ("41,286", "154.72")),
    row("McMini 5", "philosophers_mut, 8", "tests/counts/philosophers.c", "-DN=8 -DREVERSED=1", ("530,846", "2149.55")),
    row("McMini 6", "cond_no_preference", "benches/papers/reader_writer_cond.c", "", ("98,480", "423.41")),
    row("McMini 6", "cond_reader_preferred", "benches/papers/reader_writer_cond.c", "-DPREFER=1", ("60,928", "273.12")),
    row("McMini 6", "cond_writer_preferred", "benches/papers/reader_writer_cond.c", "-DPREFER=2", ("65,235", "260.94")),
    row("McMini 6", "rwlock", "benches/papers/reader_writer_rwlock.c", "", ("41,066", "91.49")),
    row(
        "McMini 7",
        "reader_two_writers_cond",
        "benches/papers/reader_writer_cond.c",
        "-DREADERS=1 -DWRITERS=2",
        ("98,480", "404.57"),
    ),
    row("McMini 7", "reader_two_writers as a primitive", "tests/programs/custom-two-writers.c", "", ("130", "0.40")),
    row(
        "McMini 8",
        "producer1_consumer1_no_spurious",
        "benches/papers/producer_consumer_cond.c",
        "-DP=1 --spurious-wakeups 1",
        ("21", "0.08"),
    ),
    row(
        "McMini 8",
        "producer1_consumer1_spurious (first assertion)",
        "benches/papers/producer_consumer_cond.c",
        "-DP=1 -DIF --spurious-wakeups 1 FIRST",
        ("28", "0.09"),
    ),
    row(
        "McMini 8",
        "producer2_consumer1_no_spurious",
        "benches/papers/producer_consumer_cond.c",
        "-DP=2 --spurious-wakeups 1",
        ("912", "1.72"),
    ),
    row(
        "McMini 8",
        "producer2_consumer1_spurious (first assertion)",
        "benches/papers/producer_consumer_cond.c",
        "-DP=2 -DIF --spurious-wakeups 1 FIRST",
        ("1,046", "1.91"),
    ),
    row(
        "McMini 8",
        "producer3_consumer1_spurious (first assertion)",
        "benches/papers/producer_consumer_cond.c",
        "-DP=3 -DIF --spurious-wakeups 1 FIRST",
        ("45,040", "82.25"),
    ),
    row(
        "McMini 8",
        "producer3_consumer1_no_spurious",
        "benches/papers/producer_consumer_cond.c",
        "-DP=3 --spurious-wakeups 1",
        ("48,174", "91.43"),
    ),
    row(
        "McMini 9",
        "philosophers_sem, 3, arbitrary",
        "benches/papers/philosophers_sem.c",
        "-DN=3 --wakeup arbitrary",
        ("601", "-"),
    ),
    row(
        "McMini 9",
        "philosophers_sem, 3, fifo",
        "benches/papers/philosophers_sem.c",
        "-DN=3 --wakeup sem=fifo",
        ("5,801", "-"),
    ),
    row(
        "McMini 9",
        "philosophers_sem, 3, lifo",
        "benches/papers/philosophers_sem.c",
        "-DN=3 --wakeup sem=lifo",
        ("4,519", "-"),
    ),
    row("Inspect 1", "indexer, 11", "tests/counts/indexer.c", "-DN=11", ("1", "0.01")),
    row("Inspect 1", "indexer, 13", "tests/counts/indexer.c", "-DN=13", ("64", "1.44")),
    row("Inspect 1", "indexer, 14", "tests/counts/indexer.c", "-DN=14", ("512", "12.58")),
    row("Inspect 1", "indexer, 15", "tests/counts/indexer.c", "-DN=15", ("4,096", "108.74")),
    row("Inspect 1", "indexer, 16", "tests/counts/indexer.c", "-DN=16", ("32,768", "988.49")),
    row("Inspect 1", "fsbench, 13", "tests/counts/filesystem.c", "-DN=13", ("1", "0.01")),
    row("Inspect 1", "fsbench, 16", "tests/counts/filesystem.c", "-DN=16", ("8", "0.14")),
    row("Inspect 1", "fsbench, 18", "tests/counts/filesystem.c", "-DN=18", ("32", "0.64")),
    row("Inspect 1", "fsbench, 20", "tests/counts/filesystem.c", "-DN=20", ("128", "2.76")),
    row("Inspect 1", "fsbench, 22", "tests/counts/filesystem.c", "-DN=22", ("512", "11.94")),
    row("Inspect 1", "fsbench, 24", "tests/counts/filesystem.c", "-DN=24", ("2,048", "54.82")),
    row("Inspect 1", "fsbench, 26", "tests/counts/filesystem.c", "-DN=26", ("8,192", "261.40")),
];

/// The programs of the papers' tables, with the papers' numbers beside ours.
fn papers() {
    println!(
        "\nThe tables of the papers (theirs: traces or runs, seconds; ours: executions, seconds without compiling)\n"
    );
    println!("| table | program | their traces | their seconds | executions | seconds |");
    println!("|---|---|---|---|---|---|");
    for Row { table, name, file, flags, traces, seconds: theirs } in ROWS {
        let words: Vec<&str> = flags.split_whitespace().collect();
        let Checked { executions, seconds, .. } = check(file, &words);
        println!("| {table} | {name} | {traces} | {theirs} | {executions} | {seconds:.2} |");
    }
}
