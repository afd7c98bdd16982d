//! Reads LLVM bitcode for the tests of this crate. `heddle` itself has the same as a hidden command.

fn main() {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    if let Err(words) = heddle_symbolic::ir::serve(&arguments, &mut std::io::stdout()) {
        eprintln!("{words}");
        std::process::exit(1);
    }
}
