//! The options of `heddle prove`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use heddle_checking::values;

use super::{Building, Check, Common, Findings, Output, Searching, Shown};
use crate::running::{ExitWish, RaceWish, Running};

/// `--encoding`: how the order of events is expressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum EncodingWish {
    /// An order of events without cycles, kept by a theory inside the solver.
    #[default]
    Order,
    /// A schedule of steps, each with its thread.
    Schedule,
    /// A schedule, at first one thread after the other, then with more and more freedom.
    Uw,
    /// The order of pairs of events, at first one thread after the other, then with more and more freedom.
    UwOrder,
}

/// `--engine` of `heddle prove`: how all orders are covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ProofWish {
    /// The best that there is.
    #[default]
    Auto,
    /// Each thread is executed once, and one formula covers all orders.
    Order,
    /// The algorithms of a check, whose executions are for all inputs.
    Trace,
}

/// `--algorithm` of `heddle prove`: which executions engine `trace` runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum TraceWish {
    /// One for each trace.
    #[default]
    Optimal,
    /// Source sets.
    Source,
    /// Persistent sets.
    Dpor,
    /// One for each interleaving: with --max-switches, lazy exploration as it was published.
    Dfs,
}

/// A loop with a bound of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    /// The file, as the compiler or the user names it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The most iterations.
    pub iterations: u32,
}

fn loop_bound(text: &str) -> Result<LoopBound, String> {
    let parts = text.rsplit_once('=').and_then(|(place, bound)| {
        let (file, line) = place.rsplit_once(':')?;
        Some(LoopBound { file: file.to_string(), line: line.parse().ok()?, iterations: bound.parse().ok()? })
    });
    parts.filter(|bound| bound.iterations > 0).ok_or_else(|| "say FILE:LINE=N, as in queue.c:31=4".to_string())
}

/// Prove a program: all inputs and all orders at once, by symbolic execution.
///
/// FILES are C or C++ sources. Values that the program gets from __VERIFIER_nondet_... functions are unknowns. What is found is run natively
/// before it is told, with its inputs. Needs clang 17 or newer with its libLLVM.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "heddle prove [OPTIONS] FILES... [COMPILER FLAGS]",
    after_help = "Examples:\n  \
                  heddle prove test.c                     all inputs, all orders, every loop to its end\n  \
                  heddle prove test.c --races --ub        data races and overflow too\n  \
                  heddle prove test.c --unwind 4          at most four iterations of each loop\n\n\
                  Exit code: 0 safe, 1 found, 2 error, 3 incomplete, 4 unsupported."
)]
pub struct Prove {
    /// Follow at most N iterations of each loop [default: 1, 2, 4, ... until every loop ends or the time is over].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unwind: Option<u32>,
    /// Follow at most N iterations of the loop at this line. --show-loops lists them.
    #[arg(long, value_name = "FILE:LINE=N", value_parser = loop_bound)]
    pub unwind_loop: Vec<LoopBound>,
    /// Stop after this much time: 30s, 5m, 1h30m.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub timeout: Option<Duration>,
    /// How much memory the proof may use: 512M, 4G [default: 4G].
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub memory_limit: Option<u64>,
    /// Report data races.
    #[arg(long)]
    pub races: bool,
    /// Report memory leaks.
    #[arg(long)]
    pub leaks: bool,
    /// What to do about exit statuses that are not 0 [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub exit_status: Option<ExitWish>,
    /// How all orders are covered. --algorithm and --max-switches mean trace.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub engine: ProofWish,
    /// Which executions engine trace runs.
    #[arg(long, value_enum, value_name = "NAME")]
    pub algorithm: Option<TraceWish>,
    /// Only executions of engine trace with at most N switches between threads.
    #[arg(long, value_name = "N")]
    pub max_switches: Option<u32>,
    /// How the order of events is expressed.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub encoding: EncodingWish,
    /// Check every answer of the solver by its proof.
    #[arg(long)]
    pub certify: bool,
    /// List the loops of the program and end.
    #[arg(long)]
    pub show_loops: bool,
    /// Say what each bound took.
    #[arg(long)]
    pub stats: bool,
    /// Which findings are reported.
    #[command(flatten)]
    pub findings: Findings,
    /// How the program is built for the native runs.
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
    /// Files and compiler flags. [`super::parse`] fills it in.
    #[arg(skip)]
    pub words: Vec<String>,
    /// The words after `--`. [`super::parse`] fills it in.
    #[arg(skip)]
    pub arguments: Vec<String>,
}

impl Prove {
    /// The native check that confirms what the proof finds, and reports it.
    pub fn check(&self) -> Check {
        let default = Check::default();
        Check {
            timeout: self.timeout,
            running: Running {
                races: Some(if self.races { RaceWish::Report } else { RaceWish::Ignore }),
                exit_status: self.exit_status,
                leaks: self.leaks,
                ..Running::default()
            },
            searching: Searching { findings: self.findings.clone(), ..default.searching.clone() },
            building: self.building.clone(),
            output: self.output.clone(),
            shown: self.shown.clone(),
            common: self.common.clone(),
            words: self.words.clone(),
            arguments: self.arguments.clone(),
            ..default
        }
    }
}
