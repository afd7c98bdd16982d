//! Panics: bugs in Heddle itself. They are never taken for a verdict.
//!
//! A panic is told at once, with all that a report of the bug needs. Where the check goes on after it to keep what was found
//! ([`heddle_checking::internal`]), the verdict *error* follows. Anywhere else the process ends with the exit code of errors.

use std::backtrace::Backtrace;
use std::panic::PanicHookInfo;

use heddle_checking::internal;
use heddle_model::Verdict;

/// The most frames of the backtrace that are shown: those above are the same for every panic.
const FRAMES: usize = 24;

/// Makes a panic tell what a report of the bug needs.
pub fn install_hook() {
    std::panic::set_hook(Box::new(|panic| {
        eprint!("{}", report(panic));
        if internal::is_guarded() {
            internal::note_place(place(panic));
        } else {
            std::process::exit(Verdict::Error.exit_code().into());
        }
    }));
}

fn place(panic: &PanicHookInfo<'_>) -> String {
    panic.location().map_or(String::new(), |at| format!("{}:{}:{}", at.file(), at.line(), at.column()))
}

/// What a report of the bug needs.
fn report(panic: &PanicHookInfo<'_>) -> String {
    let what = internal::message(panic.payload());
    let line: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let version = env!("CARGO_PKG_VERSION");
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    format!(
        "heddle: internal error: {what} ({})\n\
         This is a bug in heddle, and says nothing about your program. Please report it with these lines and the program. \
         HEDDLE_LOG=debug in the environment shows what happened before.\n\
         \x20 version: heddle {version} ({system}, {processor})\n\
         \x20 command: {}\n\
         \x20 called from:\n{}",
        place(panic),
        line.join(" "),
        frames(&Backtrace::force_capture().to_string())
    )
}

/// The functions of Heddle in a backtrace, innermost first.
fn frames(backtrace: &str) -> String {
    let functions = backtrace.lines().filter_map(|line| line.trim_start().split_once(": ").map(|(_, name)| name));
    let ours = functions.filter(|name| name.contains("heddle") && !name.contains("internal_error"));
    ours.take(FRAMES).map(|name| format!("    {name}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::frames;

    #[test]
    fn frames_of_heddle_are_named() {
        let backtrace = "   0: std::backtrace::Backtrace::create\n   1: heddle::internal_error::report\n             at main.rs:3\n   \
                         2: heddle_search::drive::Search::run\n   3: main\n";
        assert_eq!(frames(backtrace), "    heddle_search::drive::Search::run\n");
    }
}
