//! Panics: bugs in Heddle itself. They are never taken for a verdict.
//!
//! A panic is told at once, with all that a report of the bug needs. Where the check goes on after it to keep what was found
//! ([`heddle_checking::internal`]), the verdict *error* follows. Anywhere else the process ends with the exit code of errors.

use heddle_checking::internal;
use heddle_model::Verdict;

/// Makes a panic tell what a report of the bug needs.
pub fn install_hook() {
    std::panic::set_hook(Box::new(|panic| {
        eprint!("{}", internal::bug_report(panic, env!("CARGO_PKG_VERSION")));
        if internal::is_guarded() {
            internal::note_place(internal::place(panic));
        } else {
            std::process::exit(Verdict::Error.exit_code().into());
        }
    }));
}
