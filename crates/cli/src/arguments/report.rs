//! The options of `heddle report`.

use std::path::PathBuf;

use clap::Args;

use super::Common;
use crate::formats::Format;

/// Show a stored finding or a whole run, in any format.
///
/// Does not run the program: the file holds everything. A run is the output of `heddle check --json`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
                  heddle report heddle-out/latest/deadlock-1.json\n  \
                  heddle report heddle-out/latest/deadlock-1.json --html --output deadlock.html\n  \
                  heddle report run.json --format sarif > findings.sarif\n  \
                  heddle report heddle-out/latest/deadlock-1.json --format dot | dot -Tsvg > deadlock.svg")]
pub struct Report {
    /// The trace file of a finding, or the JSON document of a run.
    #[arg(value_name = "FINDING.json|RUN.json")]
    pub trace: PathBuf,
    /// The output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,
    /// Short for --format text, the default.
    #[arg(long, group = "short")]
    pub text: bool,
    /// Short for --format json.
    #[arg(long, group = "short", conflicts_with = "format")]
    pub json: bool,
    /// Short for --format html.
    #[arg(long, group = "short", conflicts_with = "format")]
    pub html: bool,
    /// Short for --format sarif.
    #[arg(long, group = "short", conflicts_with = "format")]
    pub sarif: bool,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}
