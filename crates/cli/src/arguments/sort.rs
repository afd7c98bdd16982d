//! Sorts the words of one `heddle check` line by who reads them.
//!
//! One line holds three kinds of words: `heddle check a.c -Iinc --max-preemptions 2 -O2 -- args`.
//!
//! * Words with two dashes before `--` are Heddle's own. An unknown one is an error: a misspelt bound must not become a
//!   compiler flag and leave the search unbounded.
//! * All other words before `--`, except `-h` and `-V`, go to the compiler, in their order.
//! * Words after `--` go to the program.

use std::ffi::OsString;

use clap::error::ErrorKind;

/// The words of a line, sorted by who reads them.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Sorted {
    /// Heddle's own: the program name, the subcommand and the options with two dashes.
    pub own: Vec<OsString>,
    /// Files and compiler flags.
    pub words: Vec<String>,
    /// Arguments for the program under test.
    pub arguments: Vec<String>,
}

/// Compiler flags whose next word belongs to them, even if it starts with two dashes.
const PASSES_NEXT: [&str; 5] = ["-Xlinker", "-Xclang", "-Xpreprocessor", "-Xassembler", "-mllvm"];

/// Sorts the words of `heddle check ...` or `heddle prove ...`. The definition in `command` says which of Heddle's options take a value.
pub fn sort(command: &mut clap::Command, line: Vec<OsString>) -> Result<Sorted, clap::Error> {
    let name = line.get(1).and_then(|word| word.to_str()).unwrap_or("check").to_owned();
    let Some(check) = command.find_subcommand(&name).cloned() else {
        return Ok(Sorted { own: line, ..Sorted::default() });
    };
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
