//! The options of `heddle check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heddle_checking::values;

use super::Common;
use crate::running::Running;

/// Check a program: run every thread interleaving that can make a difference.
///
/// FILES are C and C++ sources, object files and libraries. Heddle compiles and links them with the compiler flags on the line.
/// PROGRAM is an executable. If `heddle cc` built it, Heddle sees every memory access and atomic; otherwise it sees only the
/// calls to the thread library. Everything after `--` is passed to the program.
#[derive(Args, Debug)]
#[command(
    override_usage = "heddle check [OPTIONS] FILES... [COMPILER FLAGS] [-- ARGUMENTS]\n       \
                      heddle check [OPTIONS] PROGRAM [-- ARGUMENTS]",
    after_help = "Examples:\n  \
                  heddle check test.c                          compile, explore, stop at the first bug\n  \
                  heddle check test.c -Iinclude -DN=2 -- -v    compiler flags, and arguments for the program\n  \
                  heddle check test.c --all --html run.html    find all bugs, and write a page to step through them\n  \
                  heddle check big.c --max-preemptions 2       too many executions? most bugs need few preemptions\n  \
                  heddle check big.c --algorithm pos --timeout 5m   still too many? random sampling\n\n\
                  Keep the program small: two or three threads, a few operations each, and assertions that say what must be true.\n\n\
                  Flags with one dash (-Iinc -DN=3 -O2 -std=c++20 -lm -pthread) go to the compiler. The default is -O0.\n\
                  Exit code: 0 safe, 1 found, 2 error, 3 incomplete, 4 unsupported."
)]
pub struct Check {
    /// The search algorithm. `default` is `optimal` with samples beside it.
    #[arg(long, value_name = "NAME", default_value = crate::commands::check::DEFAULT_ALGORITHM, value_parser = crate::commands::check::algorithm_parser())]
    pub algorithm: String,
    /// Explore only executions with at most N preemptions. A preemption is a switch away from a thread that could continue.
    #[arg(long, value_name = "N")]
    pub max_preemptions: Option<u32>,
    /// Explore only executions with at most N context switches.
    #[arg(long, value_name = "N")]
    pub max_switches: Option<u32>,
    /// Explore only executions with at most N delays. The baseline scheduler runs each thread as long as possible, then the
    /// next one; a delay skips a thread.
    #[arg(long, value_name = "N")]
    pub max_delays: Option<u32>,
    /// Start with 0 preemptions, and allow one more after each complete search, up to --max-preemptions if given.
    #[arg(long)]
    pub iterate: bool,
    /// dpor: disable sleep sets.
    #[arg(long)]
    pub no_sleep_sets: bool,
    /// dpor: do not use locksets to tell that two operations cannot be concurrent.
    #[arg(long)]
    pub no_locksets: bool,
    /// Stop after N executions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,
    /// stateful, switches: stop after N states.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_states: Option<u64>,
    /// Stop after this much time: 30s, 5m, 1h30m.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub timeout: Option<Duration>,
    /// How the program is run, and what is looked for.
    #[command(flatten)]
    pub running: Running,
    /// Continue after the first finding, and report all of them.
    #[arg(long)]
    pub all: bool,
    /// How long to look for the smallest interleaving that shows a finding: fewest preemptions, then fewest context switches,
    /// then fewest steps. off: report the interleaving that was found first.
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = values::duration_or_off)]
    pub minimise: Duration,
    /// Report undefined behaviour that the compiler can detect (UBSan): overflow, bad shifts, array indices out of bounds,
    /// misaligned or null pointers.
    #[arg(long)]
    pub ub: bool,
    /// The file that every execution reads as its standard input, from the start.
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Run up to N processes of the program in parallel. Heddle starts only as many as the search keeps busy. The result does
    /// not depend on N.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: u32,
    /// Start all N processes of --jobs at once, whether there is work for them or not. For tests.
    #[arg(long, hide = true)]
    pub jobs_at_once: bool,
    /// Save the search to this file at intervals and when it is interrupted. --resume continues from it. Heddle removes the
    /// file when the search is complete.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often to write the checkpoint.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = values::duration)]
    pub checkpoint_interval: Duration,
    /// Continue from this checkpoint. Program and options must be the same as before. New checkpoints go to this file unless
    /// --checkpoint names another.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// The random seed of sampling algorithms.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// pct: the bug depth, which is how many ordering constraints between threads the bug needs [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// The compiler [default: $CC or $CXX if set, else clang, else gcc].
    #[arg(long, value_name = "COMPILER")]
    pub cc: Option<String>,
    /// Compile the program even if it was compiled before and nothing has changed since.
    #[arg(long)]
    pub no_cache: bool,
    /// Explore only executions that start with the first --at steps of this finding. The trace file says how to build the
    /// program.
    #[arg(long, value_name = "FINDING.json", requires = "at")]
    pub from: Option<PathBuf>,
    /// With --from: how many steps of the finding every execution starts with.
    #[arg(long, value_name = "STEP", requires = "from")]
    pub at: Option<usize>,
    /// With --from: run whatever the trace file asks for, as `heddle replay --trust` does.
    #[arg(long, requires = "from")]
    pub trust: bool,
    /// Count the distinct outcomes: what the program printed, and how it ended. Continues after the first finding.
    #[arg(long)]
    pub outcomes: bool,
    /// Print one line for each execution, and count the outcomes.
    #[arg(long)]
    pub dump_executions: bool,
    /// Write an HTML page that shows the run and steps through its findings.
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
    /// Print one JSON document (schema heddle/1) and nothing else to standard output.
    #[arg(long, conflicts_with = "dump_executions")]
    pub json: bool,
    /// The directory for trace files. Created when there is a trace to store.
    #[arg(long, value_name = "DIR", default_value = "heddle-out")]
    pub out: PathBuf,
    /// Show no progress, even on a terminal.
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub common: Common,
    /// Files and compiler flags, or a program. [`super::parse`] fills it in.
    #[arg(skip)]
    pub words: Vec<String>,
    /// The words after `--`. [`super::parse`] fills it in.
    #[arg(skip)]
    pub arguments: Vec<String>,
}
