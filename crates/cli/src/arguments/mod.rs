//! The command line: one file for each larger subcommand, one definition for each option.
//!
//! A `heddle check` or `heddle prove` line also holds words for the compiler and for the program: see [`mod@sort`].

mod check;
mod prove;
mod replay;
mod report;
mod shared;
mod sort;
mod test;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser};
use heddle_model::RunReport;

pub use check::{Check, EngineWish};
pub use prove::{EncodingWish, LoopBound, ProofWish, Prove, TraceWish};
pub use replay::Replay;
pub use report::Report;
pub use shared::{Building, Findings, Output, Searching, Shown};
use sort::{Sorted, sort};
pub use test::Test;

use crate::console::{Console, When, Wishes};
use crate::formats::Format;

/// A parsed command line.
pub struct Typed {
    /// The subcommand and its options.
    pub command: Command,
    /// The options that say what is printed and how.
    pub console: Wishes,
}

/// A subcommand with its options.
pub enum Command {
    /// `heddle check`.
    Check(Box<Check>),
    /// `heddle prove`.
    Prove(Box<Prove>),
    /// `heddle test`.
    Test(Box<Test>),
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
/// Heddle runs the program again and again, each time with another thread interleaving, until it has tried every one that can
/// make a difference. It reports the interleaving that fails, or that none does.
#[derive(Parser)]
#[command(
    name = "heddle",
    version,
    arg_required_else_help = true,
    after_help = "Start with:\n  \
                  heddle check test.c                           does any thread interleaving fail?\n  \
                  heddle prove test.c                           the same for all inputs, by symbolic execution\n  \
                  heddle test build                             the same for every test of a build of CMake or meson\n  \
                  heddle replay heddle-out/latest/deadlock-1.json      reproduce it; --step and --gdb step through it\n  \
                  heddle report heddle-out/latest/deadlock-1.json --html --output page.html\n  \
                  CC=\"heddle cc\" ./configure && make           build a larger program, then: heddle check ./program\n\n\
                  `heddle help check` lists all options of a command."
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
    Prove(Prove),
    Test(Test),
    Replay(Replay),
    Report(Report),
    Cc(Compiler),
    #[command(name = "c++")]
    Cxx(Compiler),
    Man(Man),
    Completions(Completions),
}

/// Compile with instrumentation, as a drop-in compiler: CC="heddle cc" CXX="heddle c++" ./configure && make.
///
/// All arguments go to the compiler ($HEDDLE_CC or $HEDDLE_CXX if set, else clang, else gcc). The program that it builds runs
/// as usual, and `heddle check` can check it.
#[derive(Args, Debug)]
pub struct Compiler {
    /// Arguments for the compiler.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

/// Write the manual pages, for packagers.
#[derive(Args, Debug)]
pub struct Man {
    /// The directory to write them to.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

/// Print a shell completion script, for packagers.
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

/// `--accept`: a verdict that ends with exit code 0, although it is not *safe*.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Accept {
    /// Nothing was found, and not everything was explored.
    Incomplete,
    /// The program was not built by heddle, so that only its calls to the thread library were seen.
    SyncOnly,
}

impl Accept {
    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Accept::Incomplete => "incomplete",
            Accept::SyncOnly => "sync-only",
        }
    }
}

/// Options that every subcommand has.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// When to use colours.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto)]
    pub color: When,
    /// Print only the result.
    #[arg(long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print every step, every call stack, and how the program was run.
    #[arg(long)]
    pub verbose: bool,
}

/// A command line that could not be parsed, or that asked for help.
pub struct Refused {
    error: clap::Error,
    json: bool,
}

impl Refused {
    /// Prints the error or the help text. Returns the exit code.
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

/// Parses a command line. Its first word is the name of the program.
pub fn parse(line: Vec<OsString>) -> Result<Typed, Refused> {
    let json = line.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    understand(line).map_err(|error| Refused { error, json })
}

fn understand(line: Vec<OsString>) -> Result<Typed, clap::Error> {
    let mut command = Line::command();
    let has_words = line.get(1).is_some_and(|word| word == "check" || word == "prove");
    let sorted = if has_words { sort(&mut command, line)? } else { Sorted { own: line, ..Sorted::default() } };
    let line: Vec<String> = sorted.own.iter().skip(2).map(|word| word.to_string_lossy().into_owned()).collect();
    let is_test = sorted.own.get(1).is_some_and(|word| word == "test");
    let ends = sorted.own.iter().position(|word| word == "--").filter(|_| is_test).unwrap_or(sorted.own.len());
    let sorted = Sorted { own: sorted.own[..ends].to_vec(), ..sorted };
    let matches = command.try_get_matches_from_mut(sorted.own).map_err(with_hint)?;
    Ok(match Line::from_arg_matches(&matches)?.command {
        LineCommand::Check(check) => {
            let check = Check { words: sorted.words, arguments: sorted.arguments, ..check };
            let wishes =
                Wishes { json: check.output.json, no_progress: check.output.no_progress, ..Wishes::of(&check.common) };
            Typed { command: Command::Check(Box::new(check)), console: wishes }
        }
        LineCommand::Prove(prove) => {
            let prove = Prove { words: sorted.words, arguments: sorted.arguments, ..prove };
            let wishes =
                Wishes { json: prove.output.json, no_progress: prove.output.no_progress, ..Wishes::of(&prove.common) };
            Typed { command: Command::Prove(Box::new(prove)), console: wishes }
        }
        LineCommand::Test(test) => {
            let (passed_on, arguments) = test::passed_on(&line);
            let test = Test { passed_on, arguments, ..test };
            let wishes =
                Wishes { json: test.output.json, no_progress: test.output.no_progress, ..Wishes::of(&test.common) };
            Typed { command: Command::Test(Box::new(test)), console: wishes }
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
            return Err(
                command.error(ErrorKind::InvalidSubcommand, "`cc` and `c++` must be the first argument: heddle cc ...")
            );
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

/// Adds a hint to the error about an unknown option, and about a file where a command should stand.
fn with_hint(mut error: clap::Error) -> clap::Error {
    let hint = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::UnknownArgument, _) => {
            "options with two dashes are heddle's own; compiler flags have one dash, and arguments for the program go after `--`".to_string()
        }
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) => {
            let path = Path::new(word);
            let is_source = path.extension().is_some_and(|ending| ["c", "cc", "cpp", "cxx", "o", "a"].iter().any(|e| ending == *e));
            match (is_source || path.is_file(), path.is_dir()) {
                (true, _) => format!("to check it: heddle check {word}"),
                (_, true) => format!("to check the tests of a build directory: heddle test {word}"),
                _ => return error,
            }
        }
        _ => return error,
    };
    let mut tips = match error.get(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips.clone(),
        _ => Vec::new(),
    };
    tips.push(hint.into());
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    error
}
