//! The options of `heddle replay`.

use std::path::PathBuf;

use clap::Args;

use super::Common;

/// Make a finding happen again.
///
/// Builds the program from what the trace file says, follows its schedule step by step, and stops at the first step
/// that is not what was recorded.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
                  heddle replay heddle-out/deadlock-1.json           the report again, from a new execution\n  \
                  heddle replay heddle-out/deadlock-1.json --step    step by step in the terminal\n  \
                  heddle replay heddle-out/deadlock-1.json --gdb     in gdb, at the failing point\n\n\
                  Exit code: 1 the finding happened again, 2 it did not, or an error.")]
pub struct Replay {
    /// The trace file of the finding.
    #[arg(value_name = "FINDING.json")]
    pub trace: PathBuf,
    /// A program to replay in, instead of building it.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Show all that the program prints.
    #[arg(long)]
    pub output: bool,
    /// Walk through the execution step by step, forward and backward; commands are read from standard input.
    #[arg(long, conflicts_with_all = ["json", "output"])]
    pub step: bool,
    /// Open gdb with the program at the failing point; `help heddle` there lists commands to walk through the execution.
    #[arg(long, conflicts_with_all = ["json", "output", "step"])]
    pub gdb: bool,
    /// Like --gdb, without anybody at the keyboard: gdb runs the commands in this file and ends.
    #[arg(long, value_name = "SCRIPT", conflicts_with_all = ["json", "output", "step"])]
    pub gdb_batch: Option<PathBuf>,
    /// Print one JSON document (schema heddle/1) on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub common: Common,
}
