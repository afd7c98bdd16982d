//! The options of `heddle report`.

use std::path::PathBuf;

use clap::Args;

use super::Common;
use crate::formats::Format;

/// Show a finding that was stored, or a whole run.
///
/// Nothing is run again: the file has everything. A run is what `heddle check --json` printed.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
                  heddle report heddle-out/deadlock-1.json\n  \
                  heddle report heddle-out/deadlock-1.json --html --output deadlock.html\n  \
                  heddle report run.json --format sarif > findings.sarif\n  \
                  heddle report heddle-out/deadlock-1.json --format dot | dot -Tsvg > deadlock.svg")]
pub struct Report {
    /// The trace file of a finding, or the JSON document of a run.
    #[arg(value_name = "FINDING.json|RUN.json")]
    pub trace: PathBuf,
    /// The format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,
    /// As text, the default.
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
    /// Write it to this file and not to standard output.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}
