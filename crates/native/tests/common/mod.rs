//! Programs for the tests, written where they are used.

use std::sync::atomic::AtomicBool;

use heddle_model::wire::Restart;
use heddle_model::{RestartMode, Settings};
use heddle_native::compile::{Choice, CompileError, Compiled, compile};
use heddle_native::symbols::Symbols;
use heddle_native::{NativeExecutor, Options, TemporaryDirectory};
use heddle_testkit::processes;
pub use heddle_testkit::processes::{alone, is_running, wait_until};

/// The ways to start over, each of which must give the same.
pub const WAYS: [Restart; 3] = [Restart::Snapshot, Restart::Fork, Restart::Exec];

/// Compiles `text`, a file called `name`, with the usual compiler.
pub fn build(name: &str, text: &str, flags: &[&str]) -> Result<Compiled, CompileError> {
    build_with(None, name, text, flags)
}

/// [`build`] with a compiler of choice.
pub fn build_with(compiler: Option<&str>, name: &str, text: &str, flags: &[&str]) -> Result<Compiled, CompileError> {
    let folder = TemporaryDirectory::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let words: Vec<String> = [path.to_str().unwrap()].iter().chain(flags).map(|&word| word.to_owned()).collect();
    compile(&words, &Choice::from_environment(compiler.map(str::to_owned)), &AtomicBool::new(false))
}

/// Options for one way to start over, with a short patience.
pub fn options(restart: Restart) -> Options {
    let settings = Settings { restart: RestartMode::Only(restart), hang_after_ms: 400, ..Settings::default() };
    Options { settings, ..Options::default() }
}

/// `options`, with so many seconds until a hang.
pub fn patient(mut options: Options, seconds: u64) -> Options {
    options.settings.hang_after_ms = seconds * 1000;
    options
}

/// The program, launched.
pub fn launch(compiled: &Compiled, options: Options) -> NativeExecutor {
    NativeExecutor::launch(&compiled.program, options).unwrap_or_else(|error| panic!("{error}"))
}

/// The names in the program.
pub fn symbols(executor: &NativeExecutor) -> Symbols {
    Symbols::new(executor.mappings())
}

/// Waits until the processes of `group` have computed for a while: they are in the middle of what they were asked to do.
pub fn wait_for_work(group: u32) {
    /// Hundredths of a second.
    const ENOUGH: u64 = 5;
    let used = || -> u64 { processes::group(group).into_iter().map(processes::computed).sum() };
    let before = used();
    wait_until(&format!("process {group} computes"), || used() >= before + ENOUGH);
}
