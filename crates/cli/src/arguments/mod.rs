//! What was typed: one file for each larger subcommand, one definition for each option.
//!
//! A line of `heddle check` also holds words for the compiler and for the program: see [`mod@sort`].

mod check;
mod replay;
mod report;
mod sort;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser};
use heddle_model::RunReport;

pub use check::Check;
pub use replay::Replay;
pub use report::Report;
use sort::{Sorted, sort};

use crate::console::{Console, When, Wishes};
use crate::formats::Format;

/// What was typed, understood.
pub struct Typed {
    /// What to do.
    pub command: Command,
    /// How to talk about it.
    pub console: Wishes,
}

/// A subcommand with its options.
pub enum Command {
    /// `heddle check`.
    Check(Box<Check>),
    /// `heddle replay`.
    Replay(Replay),
    /// `heddle report`.
    Report(Report),
    /// `heddle man`.
    Man(Man),
    /// `heddle completions`.
    Completions(Completions),
}

/// A model checker for multithreaded C and C++ programs.
///
/// Heddle runs a program over and over, each time in another order of its threads, until every order that could
/// matter has been tried, and says what went wrong in which order, or that nothing can.
#[derive(Parser)]
#[command(
    name = "heddle",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Start with:\n  \
                  heddle check test.c                           is there an order of the threads that goes wrong?\n  \
                  heddle replay heddle-out/deadlock-1.json      make it happen again; --step and --gdb walk through it\n  \
                  heddle report heddle-out/deadlock-1.json --html --output page.html\n  \
                  CC=\"heddle cc\" ./configure && make           build something larger, then: heddle check ./program\n\n\
                  `heddle check --help` says more."
)]
struct Line {
    #[command(subcommand)]
    command: LineCommand,
}

#[derive(clap::Subcommand)]
// Made once, from what was typed.
#[allow(clippy::large_enum_variant)]
enum LineCommand {
    Check(Check),
    Replay(Replay),
    Report(Report),
    Cc(Compiler),
    #[command(name = "c++")]
    Cxx(Compiler),
    #[command(hide = true)]
    Man(Man),
    #[command(hide = true)]
    Completions(Completions),
}

/// A compiler that instruments, for builds: CC="heddle cc" CXX="heddle c++" ./configure && make.
///
/// All words go to the compiler ($HEDDLE_CC and $HEDDLE_CXX, else clang, else gcc). What it builds runs as usual, and can be
/// given to `heddle check`.
#[derive(Args, Debug)]
pub struct Compiler {
    /// What the compiler is told.
    #[arg(value_name = "WORDS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

/// Writes the manual pages: for those who make packages.
#[derive(Args, Debug)]
pub struct Man {
    /// Where to.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

/// Prints a script that completes heddle's options in a shell: for those who make packages.
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    #[command(flatten)]
    pub common: Common,
}

/// The definition of the whole command line.
pub fn definition() -> clap::Command {
    Line::command()
}

/// Options that every subcommand has.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// When to use colours.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto)]
    pub color: When,
    /// Say only what the result is.
    #[arg(long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say everything: every step, every call stack, how the program was run.
    #[arg(long)]
    pub verbose: bool,
}

/// A line that was not understood, or that asked for help.
pub struct Refused {
    error: clap::Error,
    json: bool,
}

impl Refused {
    /// Says so.
    pub fn show(self) -> ExitCode {
        if !self.error.use_stderr() {
            let _ = self.error.print();
            return ExitCode::SUCCESS;
        }
        if self.json {
            let text = self.error.render().to_string();
            let first = text.lines().next().unwrap_or("").trim_start_matches("error: ").to_string();
            let document = heddle_report::json::render(&RunReport::error(first));
            Console::new(Wishes { json: true, ..Wishes::default() }).result(&String::from_utf8_lossy(&document));
        }
        let _ = self.error.print();
        ExitCode::from(2)
    }
}

/// Understands a command line, the name of the program included.
pub fn parse(line: Vec<OsString>) -> Result<Typed, Refused> {
    let json = line.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    understand(line).map_err(|error| Refused { error, json })
}

fn understand(line: Vec<OsString>) -> Result<Typed, clap::Error> {
    let mut command = Line::command();
    let is_check = line.get(1).is_some_and(|word| word == "check");
    let sorted = if is_check { sort(&mut command, line)? } else { Sorted { own: line, ..Sorted::default() } };
    let matches = command.try_get_matches_from_mut(sorted.own).map_err(with_hint)?;
    Ok(match Line::from_arg_matches(&matches)?.command {
        LineCommand::Check(check) => {
            let check = Check { words: sorted.words, arguments: sorted.arguments, ..check };
            let wishes = Wishes { json: check.json, no_progress: check.no_progress, ..Wishes::of(&check.common) };
            Typed { command: Command::Check(Box::new(check)), console: wishes }
        }
        LineCommand::Replay(replay) => {
            let console = Wishes { json: replay.json, ..Wishes::of(&replay.common) };
            Typed { command: Command::Replay(replay), console }
        }
        LineCommand::Report(report) => {
            let mut report = report;
            for (asked, format) in
                [(report.json, Format::Json), (report.html, Format::Html), (report.sarif, Format::Sarif)]
            {
                report.format = if asked { format } else { report.format };
            }
            let console = Wishes { json: report.format == Format::Json, ..Wishes::of(&report.common) };
            Typed { command: Command::Report(report), console }
        }
        // These lines never come here: their words are not Heddle's to understand.
        LineCommand::Cc(_) | LineCommand::Cxx(_) => {
            return Err(command.error(ErrorKind::InvalidSubcommand, "the compiler stands first: heddle cc ..."));
        }
        LineCommand::Man(man) => Typed { console: Wishes::of(&man.common), command: Command::Man(man) },
        LineCommand::Completions(completions) => {
            Typed { console: Wishes::of(&completions.common), command: Command::Completions(completions) }
        }
    })
}

impl Wishes {
    fn of(common: &Common) -> Wishes {
        Wishes { color: common.color, quiet: common.quiet, verbose: common.verbose, ..Wishes::default() }
    }
}

/// Says what to do about an option that is not known.
fn with_hint(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::UnknownArgument {
        let hint = "options with two dashes are heddle's own; compiler flags have one dash, and the program's arguments \
                    stand after `--`";
        let hint: clap::builder::StyledStr = hint.into();
        let mut tips = match error.get(ContextKind::Suggested) {
            Some(clap::error::ContextValue::StyledStrs(tips)) => tips.clone(),
            _ => Vec::new(),
        };
        tips.push(hint);
        error.insert(ContextKind::Suggested, clap::error::ContextValue::StyledStrs(tips));
    }
    error
}
