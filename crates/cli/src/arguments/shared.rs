//! Options that several subcommands have: one definition each.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heddle_checking::values;

/// How a program is searched: options of `heddle check` and, for each test, of `heddle test`.
#[derive(Args, Clone, Debug)]
pub struct Searching {
    /// The search algorithm. `default` is `optimal` with samples beside it.
    #[arg(long, value_name = "NAME", default_value = crate::commands::check::DEFAULT_ALGORITHM, value_parser = crate::commands::check::algorithm_parser(), help_heading = "Search")]
    pub algorithm: String,
    /// Explore only executions with at most N preemptions. A preemption is a switch away from a thread that could continue.
    #[arg(long, value_name = "N")]
    pub max_preemptions: Option<u32>,
    /// Explore only executions with at most N context switches.
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_switches: Option<u32>,
    /// Explore only executions with at most N delays. The baseline scheduler runs each thread as long as possible, then the
    /// next one; a delay skips a thread.
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_delays: Option<u32>,
    /// Start with 0 preemptions, and allow one more after each complete search, up to --max-preemptions if given.
    #[arg(long, help_heading = "Search")]
    pub iterate: bool,
    /// Stop after N executions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    pub max_executions: Option<u64>,
    /// The random seed of sampling algorithms.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    #[command(flatten)]
    pub findings: Findings,
}

/// Which findings are reported: options of every subcommand that looks for them.
#[derive(Args, Clone, Debug)]
pub struct Findings {
    /// Continue after the first finding, and report all of them.
    #[arg(long)]
    pub all: bool,
    /// How long to look for the smallest interleaving that shows a finding: fewest preemptions, then fewest context switches,
    /// then fewest steps. off: report the interleaving that was found first.
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = values::duration_or_off, help_heading = "Search")]
    pub minimise: Duration,
}

/// How a program is built.
#[derive(Args, Clone, Debug)]
pub struct Building {
    /// Report undefined behaviour that the compiler can detect (UBSan): overflow, bad shifts, array indices out of bounds,
    /// misaligned or null pointers.
    #[arg(long, help_heading = "Program")]
    pub ub: bool,
    /// The compiler [default: $CC or $CXX if set, else clang, else gcc].
    #[arg(long, value_name = "COMPILER", help_heading = "Program")]
    pub cc: Option<String>,
    /// Compile the program even if it was compiled before and nothing has changed since.
    #[arg(long, help_heading = "Program")]
    pub no_cache: bool,
}

/// Where the result goes: options of every subcommand that searches.
#[derive(Args, Clone, Debug)]
pub struct Output {
    /// Write the findings as SARIF 2.1.0, for code scanning.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub sarif: Option<PathBuf>,
    /// Write the result as JUnit XML, for continuous integration.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub junit: Option<PathBuf>,
    /// Print one JSON document (schema heddle/1; of `heddle test`: heddle-tests/1) and nothing else to standard output.
    #[arg(long)]
    pub json: bool,
    /// The directory for trace files. Created when there is a trace to store. `heddle test` makes one below it for each test that
    /// fails.
    #[arg(long, value_name = "DIR", default_value = "heddle-out")]
    pub out: PathBuf,
    /// Show no progress, even on a terminal.
    #[arg(long)]
    pub no_progress: bool,
}

/// How one program's run is shown: files beside the result.
#[derive(Args, Clone, Debug)]
pub struct Shown {
    /// Write an HTML page that shows the run and steps through its findings.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write an SV-COMP violation witness (YAML 2.0) of the first finding.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub witness: Option<PathBuf>,
    /// Write the happens-before graph of the first finding: .dot for Graphviz, .mmd for Mermaid.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub graph: Option<PathBuf>,
}
