//! The options of `heddle check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, FromArgMatches, ValueEnum};
use heddle_checking::values;

use super::{Accept, Building, Common, Output, Searching, Shown};
use crate::running::Running;

/// `--engine` of `heddle check`: who decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum EngineWish {
    /// The program is run. If only the values of its inputs are missing, a proof for all inputs is tried.
    #[default]
    Auto,
    /// The program is run.
    Native,
    /// The program is proved for all inputs, as by `heddle prove`.
    Symbolic,
}

impl Default for Check {
    /// The options of a line without any.
    fn default() -> Check {
        let line = Check::augment_args(clap::Command::new("check")).no_binary_name(true);
        let matches = line.get_matches_from(Vec::<String>::new());
        Check::from_arg_matches(&matches).expect("every option has a default")
    }
}

/// Check a program: run every thread interleaving that can make a difference.
///
/// FILES are C and C++ sources, object files and libraries. Heddle compiles and links them with the compiler flags on the line.
/// PROGRAM is an executable. If `heddle cc` built it, Heddle sees every memory access and atomic; otherwise it sees only the
/// calls to the thread library. Everything after `--` is passed to the program.
#[derive(Args, Clone, Debug)]
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
    /// How the executions are searched.
    #[command(flatten)]
    pub searching: Searching,
    /// dpor: disable sleep sets.
    #[arg(long, help_heading = "Search")]
    pub no_sleep_sets: bool,
    /// dpor: do not use locksets to tell that two operations cannot be concurrent.
    #[arg(long, help_heading = "Search")]
    pub no_locksets: bool,
    /// default, stateful, switches: stop after N states.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    pub max_states: Option<u64>,
    /// How states are told apart. hash: by 128-bit fingerprints. exact: whatever has one fingerprint is also compared word for word, which takes
    /// more memory and time.
    #[arg(long, value_name = "hash|exact", default_value = "hash", value_parser = ["hash", "exact"], help_heading = "Search")]
    pub states: String,
    /// stateful: take critical sections as one step, as far as their locks do nothing but exclude.
    #[arg(long, value_name = "on|off", default_value = "on", value_parser = ["on", "off"], help_heading = "Search")]
    pub sections: String,
    /// Who decides. auto: the program is run; if it asks for inputs and nothing was found, it is proved for all inputs.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub engine: EngineWish,
    /// Stop after this much time: 30s, 5m, 1h30m.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub timeout: Option<Duration>,
    /// How the program is run, and what is looked for.
    #[command(flatten)]
    pub running: Running,
    /// The file that every execution reads as its standard input, from the start. -: what heddle itself reads; it is kept in the directory of
    /// --out, because a replay needs it.
    #[arg(long, value_name = "FILE", help_heading = "Program")]
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
    #[arg(long, value_name = "FILE", help_heading = "Stopping and going on")]
    pub checkpoint: Option<PathBuf>,
    /// How often to write the checkpoint.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = values::duration, help_heading = "Stopping and going on")]
    pub checkpoint_interval: Duration,
    /// Continue from this checkpoint. Program and options must be the same as before. New checkpoints go to this file unless
    /// --checkpoint names another.
    #[arg(long, value_name = "FILE", help_heading = "Stopping and going on")]
    pub resume: Option<PathBuf>,
    /// pct: the bug depth, which is how many ordering constraints between threads the bug needs [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Search")]
    pub depth: Option<u32>,
    /// End with exit code 0 although the verdict is not safe: incomplete (nothing found, not everything explored), sync-only (the program was
    /// not built by heddle).
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub accept: Vec<Accept>,
    /// Explore only executions that start with the first --at steps of this finding. The trace file says how to build the
    /// program.
    #[arg(long, value_name = "FINDING.json", requires = "at", help_heading = "Stopping and going on")]
    pub from: Option<PathBuf>,
    /// With --from: how many steps of the finding every execution starts with.
    #[arg(long, value_name = "STEP", requires = "from", help_heading = "Stopping and going on")]
    pub at: Option<usize>,
    /// With --from: run whatever the trace file asks for, as `heddle replay --trust` does.
    #[arg(long, requires = "from")]
    pub trust: bool,
    /// Count the distinct outcomes: what the program printed, and how it ended. Continues after the first finding.
    #[arg(long, help_heading = "Reports")]
    pub outcomes: bool,
    /// Print one line for each execution, and count the outcomes.
    #[arg(long, conflicts_with = "json", help_heading = "Reports")]
    pub dump_executions: bool,
    /// How the program is built.
    #[command(flatten)]
    pub building: Building,
    /// Where the result goes.
    #[command(flatten)]
    pub output: Output,
    /// Files beside the result.
    #[command(flatten)]
    pub shown: Shown,
    #[command(flatten)]
    pub common: Common,
    /// Files and compiler flags, or a program. [`super::parse`] fills it in.
    #[arg(skip)]
    pub words: Vec<String>,
    /// The words after `--`. [`super::parse`] fills it in.
    #[arg(skip)]
    pub arguments: Vec<String>,
}
