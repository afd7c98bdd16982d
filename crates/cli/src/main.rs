//! The command `heddle`: options, progress, exit codes. The only crate that prints.
//!
//! [`arguments`] parses the command line, and [`commands`] has one file for each subcommand. Exit codes are a contract: 0 safe,
//! 1 found, 2 error, 3 incomplete, 4 unsupported.

mod arguments;
mod commands;
mod console;
mod formats;
mod internal_error;
mod interrupt;
mod log;
mod progress;
mod running;
mod stepping;
mod store;

use std::process::ExitCode;

use arguments::{Command, Typed};
use console::Console;

fn main() -> ExitCode {
    internal_error::install_hook();
    if !heddle_native::raise_limits() {
        let own = std::thread::Builder::new().stack_size(heddle_native::STACK as usize).spawn(begin);
        return own
            .map(std::thread::JoinHandle::join)
            .map_or(ExitCode::from(2), |ended| ended.unwrap_or(ExitCode::from(2)));
    }
    begin()
}

fn begin() -> ExitCode {
    log::start();
    let line: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if let Some(code) = commands::cc::intercept(&line).or_else(|| commands::prove::intercept(&line)) {
        return code;
    }
    let typed = match arguments::parse(line) {
        Ok(typed) => typed,
        Err(refused) => return refused.show(),
    };
    let Typed { command, console } = typed;
    run(command, Console::new(console))
}

fn run(command: Command, console: Console) -> ExitCode {
    let code = match command {
        Command::Check(options) => commands::check::run(*options, &console),
        Command::Prove(options) => commands::prove::run(&options, &console),
        Command::Test(options) => commands::test::run(*options, &console),
        Command::Replay(options) => commands::replay::run(options, &console),
        Command::Report(options) => commands::report::run(options, &console),
        Command::Man(options) => commands::pages::man(&options, &console),
        Command::Completions(options) => commands::pages::completions(&options, &console),
    };
    ExitCode::from(if console.has_lost_results() { 2 } else { code })
}
