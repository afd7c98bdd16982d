//! Checks a C or C++ program from Rust: `cargo run --release -p heddle-checking --example embed -- FILE.c`.

use std::error::Error;

use heddle_checking::prepare::prepare;
use heddle_checking::{Check, Conclusion, Options};
use heddle_native::{NativeExecutor, Toolchain};

/// Explores the executions of a C or C++ program until one goes wrong, or all of them are known to be right.
pub fn check(source: &str) -> Result<Conclusion, Box<dyn Error>> {
    let options = Options::default();
    let toolchain = Toolchain::new(None, &options.interrupted);
    let prepared = prepare(&toolchain, &[source.to_owned()], &[], None)?;
    let mut engine = NativeExecutor::launch(&prepared.program.program, heddle_native::Options::default())?;
    Ok(Check::new(options, &mut ()).run(&mut engine, &prepared.description)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let source = std::env::args().nth(1).ok_or("usage: embed SOURCE")?;
    let report = check(&source)?.report;
    println!("{:?} after {} executions", report.verdict, report.executions);
    for finding in &report.findings {
        println!("{}: {}", finding.kind, finding.message);
    }
    Ok(())
}
