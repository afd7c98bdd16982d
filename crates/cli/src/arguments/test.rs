//! The options of `heddle test`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use heddle_checking::values;
use heddle_native::Framework;

use super::{Accept, Common, Output, Searching};
use crate::running::Running;

/// Check every test of a test program, each alone: one line a test.
///
/// PROGRAM is a test program of GoogleTest, Catch2, doctest or Boost.Test; any other program is one test. BUILD-DIR is a build directory of
/// CMake (with ctest) or meson. Build it with heddle: CXX="heddle c++" cmake -B build. Everything after `--` is passed to every test.
#[derive(Args, Debug)]
#[command(
    override_usage = "heddle test [OPTIONS] PROGRAM... | BUILD-DIR... [-- ARGUMENTS]",
    after_help = "Examples:\n  \
                  CXX=\"heddle c++\" cmake -B build && cmake --build build\n  \
                  heddle test build                            every test, 30 seconds each\n  \
                  heddle test build/queue_test --filter Push   the tests with `Push` in their names\n  \
                  heddle test build --junit r.xml --sarif r.sarif --accept incomplete    in continuous integration\n\n\
                  Exit code: 0 all passed, 1 a test failed in some order, 2 error, 3 incomplete, 4 unsupported."
)]
pub struct Test {
    /// Test programs, and build directories of CMake or meson.
    #[arg(value_name = "PROGRAM | BUILD-DIR", required = true)]
    pub paths: Vec<PathBuf>,
    /// Only tests with this in their names. Several: those with any of them.
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,
    /// --filter gives whole names.
    #[arg(long, requires = "filter")]
    pub exact: bool,
    /// Print the names of the tests, and check nothing.
    #[arg(long)]
    pub list: bool,
    /// The time for each test: 30s, 5m.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = values::duration)]
    pub timeout: Duration,
    /// How many tests to check at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: u32,
    /// Verdicts that count as passed: incomplete, sync-only (the program was not built by heddle).
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub accept: Vec<Accept>,
    /// The test framework of the program, where heddle does not recognise it.
    #[arg(long, value_enum, value_name = "NAME")]
    pub framework: Option<FrameworkName>,
    /// Where the results go.
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub common: Common,
    /// How each test is searched.
    #[command(flatten)]
    pub searching: Searching,
    /// How each test is run, and what is looked for.
    #[command(flatten)]
    pub running: Running,
    /// The options of [`Searching`] and [`Running`] as they were typed, for each check. [`super::parse`] fills it in.
    #[arg(skip)]
    pub passed_on: Vec<String>,
    /// The words after `--`. [`super::parse`] fills it in.
    #[arg(skip)]
    pub arguments: Vec<String>,
}

/// `--framework`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FrameworkName {
    /// GoogleTest.
    Gtest,
    /// Catch2, version 2 or 3.
    Catch2,
    /// doctest.
    Doctest,
    /// Boost.Test.
    Boost,
}

impl From<FrameworkName> for Framework {
    fn from(name: FrameworkName) -> Framework {
        match name {
            FrameworkName::Gtest => Framework::GoogleTest,
            FrameworkName::Catch2 => Framework::Catch2,
            FrameworkName::Doctest => Framework::Doctest,
            FrameworkName::Boost => Framework::Boost,
        }
    }
}

/// Takes from the words of a line those that `heddle check` is given for each test: the options of [`Searching`] and [`Running`], with
/// their values. Words after `--` are for the program.
pub fn passed_on(line: &[String]) -> (Vec<String>, Vec<String>) {
    let end = line.iter().position(|word| word == "--").unwrap_or(line.len());
    let arguments = line.get(end + 1..).unwrap_or_default().to_vec();
    let definition = Running::augment_args(Searching::augment_args(clap::Command::new("check")));
    let mut words = line[..end].iter();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        let Some(name) = word.strip_prefix("--").map(|rest| rest.split('=').next().unwrap_or_default()) else {
            continue;
        };
        let known = definition.get_arguments().find(|argument| {
            argument.get_long() == Some(name) || argument.get_all_aliases().unwrap_or_default().contains(&name)
        });
        if let Some(argument) = known {
            kept.push(word.clone());
            if argument.get_action().takes_values() && !word.contains('=') {
                kept.extend(words.next().cloned());
            }
        }
    }
    (kept, arguments)
}
