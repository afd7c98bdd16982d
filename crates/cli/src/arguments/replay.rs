//! The options of `heddle replay`.

use std::path::PathBuf;

use clap::Args;

use super::Common;

/// Reproduce a finding.
///
/// Builds the program as the trace file says and follows the recorded schedule. If a step differs from the recording, the
/// replay stops there and says what was different.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
                  heddle replay heddle-out/latest/deadlock-1.json           run it again, and print the report\n  \
                  heddle replay heddle-out/latest/deadlock-1.json --step    step by step in the terminal\n  \
                  heddle replay heddle-out/latest/deadlock-1.json --gdb     in gdb, stopped where it fails\n\n\
                  Exit code: 1 the finding was reproduced, 2 it was not, or there was an error.")]
pub struct Replay {
    /// The trace file of the finding.
    #[arg(value_name = "FINDING.json")]
    pub trace: PathBuf,
    /// Run this executable instead of building the program.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Run whatever the trace file asks for. Without this, a trace may name only usual compilers and flags and the very program that was
    /// checked; for anything else, Heddle shows what it would run and stops.
    #[arg(long)]
    pub trust: bool,
    /// Show everything that the program prints.
    #[arg(long)]
    pub output: bool,
    /// Step through the execution in the terminal, forward and backward. Reads commands from standard input.
    #[arg(long, conflicts_with_all = ["json", "output"])]
    pub step: bool,
    /// Open gdb with the program stopped where it fails. Type `help heddle` in gdb for commands that step through the execution.
    #[arg(long, conflicts_with_all = ["json", "output", "step"])]
    pub gdb: bool,
    /// Like --gdb, but not interactive: gdb runs the commands in this file and exits.
    #[arg(long, value_name = "SCRIPT", conflicts_with_all = ["json", "output", "step"])]
    pub gdb_batch: Option<PathBuf>,
    /// Print one JSON document (schema heddle/1) and nothing else to standard output.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub common: Common,
}
