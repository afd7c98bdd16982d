//! Reads LLVM bitcode in a process of its own, for the tests of this crate.

use std::io::Write;

fn main() {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    if let Err(words) = heddle_symbolic::ir::serve(&arguments, &mut std::io::stdout()) {
        // Nobody is left to be told if this fails.
        let _ = writeln!(std::io::stderr(), "{words}");
        std::process::exit(1);
    }
}
