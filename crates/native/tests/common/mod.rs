//! Programs for the tests, written where they are used.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use heddle_model::wire::Restart;
use heddle_model::{RestartMode, Settings};
use heddle_native::compile::{Choice, CompileError, Compiled, compile};
use heddle_native::symbols::Symbols;
use heddle_native::{NativeExecutor, Options, TemporaryDirectory};

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

/// Whether a process with this number runs, dead and unburied ones excepted.
pub fn is_running(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    Path::new(&format!("/proc/{process}")).exists() && !status.contains(") Z ")
}

/// Runs `body` in a process that runs nothing else: for tests that change their environment or count what their process holds.
/// `test` is the test's own name with its module's, which the new process is told to run.
pub fn alone(test: &str, body: impl FnOnce()) {
    const VARIABLE: &str = "HEDDLE_TEST_ALONE";
    if std::env::var(VARIABLE).is_ok_and(|running| running == test) {
        return body();
    }
    let mut command = Command::new(std::env::current_exe().expect("this program has a file"));
    let output =
        command.args(["--exact", test, "--nocapture"]).env(VARIABLE, test).output().expect("it can be run again");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Waits until the processes of `group` have computed for a while: they are in the middle of what they were asked to do.
pub fn wait_for_work(group: u32) {
    /// Ticks of the kernel's clock for processes: hundredths of a second.
    const ENOUGH: u64 = 5;
    let used =
        || -> u64 { std::fs::read_dir("/proc").unwrap().flatten().map(|entry| ticks(&entry.path(), group)).sum() };
    let (before, limit) = (used(), Instant::now() + Duration::from_secs(120));
    while used() < before + ENOUGH {
        assert!(Instant::now() < limit, "process {group} does nothing");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The time that a process has computed for, if it belongs to `group`.
fn ticks(process: &Path, group: u32) -> u64 {
    let status = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
    // After the name: state, parent, group, and from the twelfth on the time in the program and in the kernel.
    let fields: Vec<&str> = status.rsplit(") ").next().unwrap_or("").split(' ').collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    if number(2) == u64::from(group) { number(11) + number(12) } else { 0 }
}
