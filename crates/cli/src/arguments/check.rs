//! The options of `heddle check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Common;
use crate::running::Running;
use crate::values;

/// Check a program: explore every order of its threads that could matter.
///
/// FILES are C and C++ sources, object files and libraries, compiled and linked with the compiler flags among them.
/// PROGRAM is a finished program: built by `heddle cc` it is seen as a whole, otherwise only its calls of the thread library
/// are. What follows `--` is given to the program.
#[derive(Args, Debug)]
#[command(
    override_usage = "heddle check [OPTIONS] FILES... [COMPILER FLAGS] [-- ARGUMENTS]\n       \
                      heddle check [OPTIONS] PROGRAM [-- ARGUMENTS]",
    after_help = "Examples:\n  \
                  heddle check test.c                          compile, explore, stop at the first finding\n  \
                  heddle check test.c -Iinclude -DN=2 -- -v    compiler flags, and arguments of the program\n  \
                  heddle check test.c --all --html run.html    all findings, and a page to step through them\n  \
                  heddle check big.c --max-preemptions 2       too many executions? few preemptions show most bugs\n  \
                  heddle check big.c --algorithm pos --timeout 5m   still too many? samples\n\n\
                  Keep the program small: two or three threads, a few operations each, and assertions that say what must be true.\n\n\
                  Flags with one dash (-Iinc -DN=3 -O2 -std=c++20 -lm -pthread) go to the compiler; without -O it \
                  compiles with -O0.\n\
                  Exit code: 0 safe, 1 found, 2 error, 3 incomplete, 4 unsupported."
)]
pub struct Check {
    /// How to search.
    #[arg(long, value_name = "NAME", default_value = crate::commands::check::DEFAULT_ALGORITHM, value_parser = crate::commands::check::algorithm_parser())]
    pub algorithm: String,
    /// Only executions with at most so many preemptions: switches away from a thread that could have gone on.
    #[arg(long, value_name = "N")]
    pub max_preemptions: Option<u32>,
    /// Only executions with at most so many switches between threads.
    #[arg(long, value_name = "N")]
    pub max_switches: Option<u32>,
    /// Only executions with at most so many delays: threads passed over by a scheduler that runs each thread as long as it
    /// can, then the next.
    #[arg(long, value_name = "N")]
    pub max_delays: Option<u32>,
    /// Begin without preemptions and allow one more each time all of those were run, up to --max-preemptions if that is
    /// given.
    #[arg(long)]
    pub iterate: bool,
    /// dpor: without sleep sets.
    #[arg(long)]
    pub no_sleep_sets: bool,
    /// dpor: without the test whether two operations are under one lock.
    #[arg(long)]
    pub no_locksets: bool,
    /// Stop after so many executions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,
    /// Stop after this time: 30s, 5m, 1h30m.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub timeout: Option<Duration>,
    /// How the program is run, and what is looked for.
    #[command(flatten)]
    pub running: Running,
    /// Go on after the first finding.
    #[arg(long)]
    pub all: bool,
    /// How long to look for the smallest interleaving that shows a finding: fewest preemptions, then switches, then
    /// steps. off: it is told as it was found.
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = values::duration_or_off)]
    pub minimise: Duration,
    /// Look for undefined behaviour that the compiler can test for: overflows, shifts, indices, misaligned or null pointers.
    #[arg(long)]
    pub ub: bool,
    /// What every execution reads as its standard input, from the beginning.
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// How many processes of the program work on the search, at most: no more than keep it busy are started. The result is the same, and
    /// comes sooner.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: u32,
    /// Start all of them at once, whether there is work for them or not: for tests.
    #[arg(long, hide = true)]
    pub jobs_at_once: bool,
    /// Write the search to this file now and then, and when it is cut off: --resume goes on from there. Removed when the search
    /// is complete.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = values::duration)]
    pub checkpoint_interval: Duration,
    /// Go on from this checkpoint, with the same program and options. Checkpoints go to the same file unless --checkpoint names another.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// For algorithms that draw lots.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// pct: how many orderings between threads a bug may need [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// The compiler; else $CC and $CXX, clang, gcc.
    #[arg(long, value_name = "COMPILER")]
    pub cc: Option<String>,
    /// Explore only what can follow the first steps of this finding's execution; the program is built from the file.
    #[arg(long, value_name = "FINDING.json", requires = "at")]
    pub from: Option<PathBuf>,
    /// With --from: how many of its steps to take first.
    #[arg(long, value_name = "STEP", requires = "from")]
    pub at: Option<usize>,
    /// Count in how many ways executions end: what the program printed, and how it ended. Goes on after the first finding.
    #[arg(long)]
    pub outcomes: bool,
    /// List every execution that was run in one line each, and count the outcomes.
    #[arg(long)]
    pub dump_executions: bool,
    /// Write a page that shows the run and steps through its findings.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0, for code scanning.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the run as JUnit XML, for continuous integration.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write an SV-COMP violation witness (YAML 2.0) of the first finding.
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Write the happens-before graph of the first finding: .dot for Graphviz, .mmd for Mermaid.
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// Print one JSON document (schema heddle/1) on standard output, and nothing else there.
    #[arg(long, conflicts_with = "dump_executions")]
    pub json: bool,
    /// Where to store traces. Made when there is something to store.
    #[arg(long, value_name = "DIR", default_value = "heddle-out")]
    pub out: PathBuf,
    /// No progress, even on a terminal.
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub common: Common,
    /// Files and compiler flags, or a program: filled in by hand.
    #[arg(skip)]
    pub words: Vec<String>,
    /// What follows `--`.
    #[arg(skip)]
    pub arguments: Vec<String>,
}
