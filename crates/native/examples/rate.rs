//! Executions per second of one program, by the way it starts over.
//!
//! `rate PROGRAM|FILES… [compiler flags] [-- program arguments]` runs the default schedule again and again and prints
//! a line for each way. Environment: `RATE_SECONDS` (1), `RATE_MODES` (`snapshot,fork,exec`), `RATE_CHECK=1` compares
//! all memory after each restoration. `RATE_SLOTS` is how many plans may be under way (32).

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use heddle_model::wire::{Layout, Restart};
use heddle_model::{Executor, Plan};
use heddle_model::{RestartMode, Settings};
use heddle_native::compile::{self, Choice};
use heddle_native::{NativeExecutor, Options, Program};

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rate: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let split = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (inputs, arguments) = (&words[..split], words.get(split + 1..).unwrap_or(&[]));
    let compiled;
    let program = match inputs {
        [path] if !compile::is_compiler_input(path.as_ref()) => Program::open(path.as_ref())?,
        _ => {
            compiled = compile::compile(inputs, &Choice::from_environment(None), &AtomicBool::new(false))?;
            eprint!("{}", compiled.warnings);
            compiled.program.clone()
        }
    };
    let seconds: f64 = std::env::var("RATE_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let modes = std::env::var("RATE_MODES").unwrap_or_else(|_| "snapshot,fork,exec".to_owned());
    for restart in [Restart::Snapshot, Restart::Fork, Restart::Exec] {
        if !modes.split(',').any(|mode| mode == restart.name()) {
            continue;
        }
        let slots = std::env::var("RATE_SLOTS").ok().and_then(|s| s.parse().ok()).unwrap_or(32);
        let options = Options {
            layout: Layout::new(slots, 4096, 1 << 20, 1 << 22, 1 << 20),
            arguments: arguments.iter().map(Into::into).collect(),
            settings: Settings { restart: RestartMode::Only(restart), ..Settings::default() },
            check_restore: std::env::var_os("RATE_CHECK").is_some(),
            ..Options::default()
        };
        measure(&program, options, Duration::from_secs_f64(seconds))?;
    }
    Ok(())
}

/// Keeps as many plans under way as there is room for, as a search does.
fn measure(program: &Program, options: Options, time: Duration) -> Result<(), Failure> {
    let launch = Instant::now();
    let mut executor = NativeExecutor::launch(program, options)?;
    let launch = launch.elapsed();
    let plan = Plan::default();
    let mode = executor.restart().name();
    let first = executor.run(&plan)?;
    let (events, outcome) = (first.events.len(), first.outcome);
    println!(
        "{mode:9} first: {outcome:?} with {events} events, thread {} {:?} {:?}",
        first.thread,
        first.message,
        String::from_utf8_lossy(first.output),
    );
    let begin = Instant::now();
    let (mut executions, mut different) = (0u64, 0u64);
    for _ in 0..executor.depth() {
        executor.submit(&plan)?;
    }
    while begin.elapsed() < time {
        let execution = executor.receive()?;
        different += u64::from(execution.events.len() != events || execution.outcome != outcome);
        executions += 1;
        executor.submit(&plan)?;
    }
    let elapsed = begin.elapsed();
    let statistics = executor.facts().statistics;
    println!(
        "{:9} {:10.0} executions/s ({executions} executions, {different} different, start {launch:.1?}, {statistics:?})",
        executor.restart().name(),
        executions as f64 / elapsed.as_secs_f64(),
    );
    Ok(())
}
