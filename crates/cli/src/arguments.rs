//! What was typed.
//!
//! Three kinds of words stand in one line: `heddle check a.c -Iinc --max-preemptions 2 -O2 -- args`.
//!
//! * Words with two dashes are Heddle's own, wherever they stand before `--`. One that Heddle does not know is an
//!   error: a misspelt bound must not become a compiler flag and leave the search unbounded.
//! * Words with one dash (except `-h` and `-V`) are the compiler's, and so are all others, in their order.
//! * What follows `--` is the program's.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::{ContextKind, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser};
use heddle_model::RunReport;

use crate::console::{Console, When, Wishes};
use crate::formats::Format;
use crate::running::Running;
use crate::values;

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

/// Check a program: explore every order of its threads that could matter.
///
/// FILES are C and C++ sources, object files and libraries, compiled and linked with the compiler flags among them.
/// PROGRAM is a finished program: built by `heddle cc` it is seen as a whole, otherwise only its calls of the thread library
/// are. What follows `--` is given to the program.
#[derive(Args, Debug)]
#[command(
    override_usage = "heddle check [OPTIONS] FILES... [COMPILER FLAGS] [-- ARGUMENTS]\n       \
                      heddle check [OPTIONS] PROGRAM [-- ARGUMENTS]",
    after_help = "Examples:\n  \
                  heddle check test.c                          compile, explore, stop at the first finding\n  \
                  heddle check test.c -Iinclude -DN=2 -- -v    compiler flags, and arguments of the program\n  \
                  heddle check test.c --all --html run.html    all findings, and a page to step through them\n  \
                  heddle check big.c --max-preemptions 2       too many executions? few preemptions show most bugs\n  \
                  heddle check big.c --algorithm pos --timeout 5m   still too many? samples\n\n\
                  Keep the program small: two or three threads, a few operations each, and assertions that say what must be true.\n\n\
                  Flags with one dash (-Iinc -DN=3 -O2 -std=c++20 -lm -pthread) go to the compiler; without -O it \
                  compiles with -O0.\n\
                  Exit code: 0 safe, 1 found, 2 error, 3 incomplete, 4 unsupported."
)]
pub struct Check {
    /// How to search.
    #[arg(long, value_name = "NAME", default_value = crate::commands::check::DEFAULT_ALGORITHM, value_parser = crate::commands::check::algorithm_parser())]
    pub algorithm: String,
    /// Only executions with at most so many preemptions: switches away from a thread that could have gone on.
    #[arg(long, value_name = "N")]
    pub max_preemptions: Option<u32>,
    /// Only executions with at most so many switches between threads.
    #[arg(long, value_name = "N")]
    pub max_switches: Option<u32>,
    /// Only executions with at most so many delays: threads passed over by a scheduler that runs each thread as long as it
    /// can, then the next.
    #[arg(long, value_name = "N")]
    pub max_delays: Option<u32>,
    /// Begin without preemptions and allow one more each time all of those were run, up to --max-preemptions if that is
    /// given.
    #[arg(long)]
    pub iterate: bool,
    /// dpor: without sleep sets.
    #[arg(long)]
    pub no_sleep_sets: bool,
    /// dpor: without the test whether two operations are under one lock.
    #[arg(long)]
    pub no_locksets: bool,
    /// Stop after so many executions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,
    /// Stop after this time: 30s, 5m, 1h30m.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub timeout: Option<Duration>,
    /// How the program is run, and what is looked for.
    #[command(flatten)]
    pub running: Running,
    /// Go on after the first finding.
    #[arg(long)]
    pub all: bool,
    /// How long to look for the smallest interleaving that shows a finding: fewest preemptions, then switches, then
    /// steps. off: it is told as it was found.
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = values::duration_or_off)]
    pub minimise: Duration,
    /// Look for undefined behaviour that the compiler can test for: overflows, shifts, indices, misaligned or null pointers.
    #[arg(long)]
    pub ub: bool,
    /// What every execution reads as its standard input, from the beginning.
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// How many processes of the program work on the search, at most: no more than keep it busy are started. The result is the same, and
    /// comes sooner.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: u32,
    /// Start all of them at once, whether there is work for them or not: for tests.
    #[arg(long, hide = true)]
    pub jobs_at_once: bool,
    /// Write the search to this file now and then, and when it is cut off: --resume goes on from there. Removed when the search
    /// is complete.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = values::duration)]
    pub checkpoint_interval: Duration,
    /// Go on from this checkpoint, with the same program and options. Checkpoints go to the same file unless --checkpoint names another.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// For algorithms that draw lots.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// pct: how many orderings between threads a bug may need [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// The compiler; else $CC and $CXX, clang, gcc.
    #[arg(long, value_name = "COMPILER")]
    pub cc: Option<String>,
    /// Explore only what can follow the first steps of this finding's execution; the program is built from the file.
    #[arg(long, value_name = "FINDING.json", requires = "at")]
    pub from: Option<PathBuf>,
    /// With --from: how many of its steps to take first.
    #[arg(long, value_name = "STEP", requires = "from")]
    pub at: Option<usize>,
    /// Count in how many ways executions end: what the program printed, and how it ended. Goes on after the first finding.
    #[arg(long)]
    pub outcomes: bool,
    /// List every execution that was run in one line each, and count the outcomes.
    #[arg(long)]
    pub dump_executions: bool,
    /// Write a page that shows the run and steps through its findings.
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
    /// Print one JSON document (schema heddle/1) on standard output, and nothing else there.
    #[arg(long, conflicts_with = "dump_executions")]
    pub json: bool,
    /// Where to store traces. Made when there is something to store.
    #[arg(long, value_name = "DIR", default_value = "heddle-out")]
    pub out: PathBuf,
    /// No progress, even on a terminal.
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub common: Common,
    /// Files and compiler flags, or a program: filled in by hand.
    #[arg(skip)]
    pub words: Vec<String>,
    /// What follows `--`.
    #[arg(skip)]
    pub arguments: Vec<String>,
}

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

/// The words of a line, by whom they are for.
#[derive(Default, PartialEq, Eq, Debug)]
struct Sorted {
    own: Vec<OsString>,
    words: Vec<String>,
    arguments: Vec<String>,
}

/// Compiler flags whose next word is passed on as it is, dashes and all.
const PASSES_NEXT: [&str; 5] = ["-Xlinker", "-Xclang", "-Xpreprocessor", "-Xassembler", "-mllvm"];

/// Sorts the words of `heddle check ...`. Which of Heddle's options take a value is asked of their one definition.
fn sort(command: &mut clap::Command, line: Vec<OsString>) -> Result<Sorted, clap::Error> {
    let check = command.find_subcommand("check").expect("there is a subcommand check").clone();
    let takes_value = |name: &str| {
        let named = |argument: &&clap::Arg| {
            let aliases = argument.get_all_aliases().unwrap_or_default();
            argument.get_long() == Some(name) || aliases.contains(&name)
        };
        let known = check.get_arguments().find(named);
        known.is_some_and(|argument| argument.get_action().takes_values())
    };
    let mut sorted = Sorted::default();
    let mut line = line.into_iter();
    sorted.own.extend(line.by_ref().take(2));
    let mut texts = Vec::new();
    for word in line {
        match word.into_string() {
            Ok(word) => texts.push(word),
            Err(word) => {
                let message = format!("{} is not UTF-8, which is not supported\n", word.display());
                return Err(command.error(ErrorKind::InvalidUtf8, message));
            }
        }
    }
    let mut texts = texts.into_iter();
    while let Some(word) = texts.next() {
        match word.as_str() {
            "--" => {
                sorted.arguments.extend(texts);
                break;
            }
            "-h" | "-V" => sorted.own.push(word.into()),
            own if own.starts_with("--") => {
                let wants_value = !own.contains('=') && takes_value(&own[2..]);
                sorted.own.push(word.into());
                if wants_value {
                    sorted.own.extend(texts.next().map(OsString::from));
                }
            }
            flag => {
                let passes_next = PASSES_NEXT.contains(&flag);
                sorted.words.push(word);
                if passes_next {
                    sorted.words.extend(texts.next());
                }
            }
        }
    }
    Ok(sorted)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<Typed, clap::Error> {
        understand(text.split_whitespace().map(OsString::from).collect())
    }

    fn check(text: &str) -> Check {
        match line(text).unwrap_or_else(|error| panic!("{text}: {error}")).command {
            Command::Check(check) => *check,
            _ => panic!("not a check: {text}"),
        }
    }

    fn refusal(text: &str) -> String {
        line(text).err().unwrap_or_else(|| panic!("accepted: {text}")).to_string()
    }

    #[test]
    fn definitions_are_sound() {
        Line::command().debug_assert();
    }

    #[test]
    fn words_are_sorted_wherever_they_stand() {
        let check = check(
            "heddle check a.c b.cpp -Iinc --max-steps 100 -DN=3 -O2 --json -lm -std=c++20 --out=x -pthread -- -x --json --",
        );
        assert_eq!(check.words, ["a.c", "b.cpp", "-Iinc", "-DN=3", "-O2", "-lm", "-std=c++20", "-pthread"]);
        assert_eq!(check.arguments, ["-x", "--json", "--"]);
        assert_eq!((check.running.max_steps, check.json, check.out.to_str()), (Some(100), true, Some("x")));
    }

    #[test]
    fn short_flags_are_the_compilers() {
        let check = check("heddle check -v -q -j -j4 -I inc -x c++ a.c -o -c @file -");
        assert_eq!(check.words, ["-v", "-q", "-j", "-j4", "-I", "inc", "-x", "c++", "a.c", "-o", "-c", "@file", "-"]);
    }

    #[test]
    fn a_flag_for_the_linker_may_have_two_dashes() {
        let check = check("heddle check a.c -Xlinker --json -Wl,--json");
        assert_eq!(check.words, ["a.c", "-Xlinker", "--json", "-Wl,--json"]);
        assert!(!check.json);
    }

    #[test]
    fn the_value_of_an_option_is_not_a_file() {
        let check = check("heddle check --out a.c b.c --cc gcc-12 --timeout 1m30s");
        assert_eq!(check.words, ["b.c"]);
        assert_eq!(check.cc.as_deref(), Some("gcc-12"));
        assert_eq!(check.timeout, Some(Duration::from_secs(90)));
    }

    #[test]
    fn nothing_is_accepted_silently() {
        for (text, says) in [
            ("heddle check a.c --max-step 3", "--max-steps"),
            ("heddle check a.c --wakeup soon", "is no wakeup policy"),
            ("heddle check a.c --wakeup mutex=fifo,spin=lifo", "`spin` has no wakeup policy"),
            ("heddle check a.c --spurious 1", "two dashes are heddle's own"),
            ("heddle check a.c --races maybe", "possible values"),
            ("heddle check a.c --std=c++20", "two dashes are heddle's own"),
            ("heddle check a.c --timeout", "a value is required"),
            ("heddle check a.c --timeout soon", "is not a duration"),
            ("heddle check a.c --max-steps 0", "0 is not in 1.."),
            ("heddle check a.c --max-executions -1", "-1"),
            ("heddle check a.c --memory-limit lots", "is not a size"),
            ("heddle check a.c --restart slowly", "possible values"),
            ("heddle check a.c --algorithm best", "possible values"),
            ("heddle check a.c --color blue", "possible values"),
            ("heddle check a.c --quiet --verbose", "cannot be used with"),
            ("heddle check a.c --json=yes", "unexpected value"),
            ("heddle check a.c --json --json", "cannot be used multiple times"),
            ("heddle chekc a.c", "check"),
            ("heddle replay", "required arguments"),
            ("heddle replay a.json b.json", "unexpected argument"),
            ("heddle report a.json --text --json", "cannot be used with"),
        ] {
            let refusal = refusal(text);
            assert!(refusal.contains(says), "{text}\n{refusal}");
        }
    }

    #[test]
    fn replays_and_reports() {
        let Command::Replay(replay) = line("heddle replay x.json --output").unwrap().command else { panic!() };
        assert!(replay.output && replay.program.is_none());
        let Command::Report(report) = line("heddle report x.json --json").unwrap().command else { panic!() };
        assert!(report.json);
    }
}
