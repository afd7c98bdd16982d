//! Running `heddle` in a directory of its own, and looking for litter afterwards.

use std::fmt;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use heddle_testkit::processes::{is_running, wait_until};

/// A directory for one test, and the processes that belong to it.
pub struct Session {
    directory: tempfile::TempDir,
    marker: String,
    /// Whether what compilers make is kept and used again.
    cached: bool,
}

/// A `heddle` that has ended.
pub struct Finished {
    /// What was run, for messages.
    pub command: String,
    /// The exit code; the negative number of the signal if one killed it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Finished {
    /// The JSON document, which must be all that was printed.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON document: {error}\n{self}"))
    }

    /// Everything that a person saw.
    pub fn words(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// Fails unless the exit code is this and what was printed contains all of these.
    pub fn must_say(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "exit code\n{self}");
        for word in words {
            assert!(self.words().contains(word), "does not say `{word}`\n{self}");
        }
        assert!(!self.words().contains("panicked"), "panicked\n{self}");
    }
}

impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "$ {}\n--- exit code {}", self.command, self.code)?;
        writeln!(f, "--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr)
    }
}

impl Session {
    /// A new one.
    pub fn new() -> Session {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = tempfile::Builder::new().prefix("end-to-end-").tempdir().expect("a temporary directory");
        fs::create_dir(directory.path().join("tmp")).expect("a directory in it");
        Session { directory, marker: format!("{}-{number}", std::process::id()), cached: true }
    }

    /// A new one in which every compiler does its work: for tests of compilation itself.
    pub fn compiling() -> Session {
        Session { cached: false, ..Session::new() }
    }

    /// A path in its directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A file in its directory.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("the file can be written");
        path
    }

    /// `heddle` with these arguments, from the repository's root, not yet started. It writes to the session's
    /// directory only: that is where traces go unless the arguments say otherwise.
    pub fn command<S: AsRef<str>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut words: Vec<String> = arguments.into_iter().map(|word| word.as_ref().to_owned()).collect();
        if words.first().is_some_and(|word| word == "check" || word == "prove")
            && !words.iter().any(|word| word == "--out")
        {
            words.insert(1, format!("--out={}", self.path("out").display()));
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command.args(words);
        command.current_dir(super::root());
        command.env("TMPDIR", self.path("tmp")).env("HEDDLE_TEST_SESSION", &self.marker);
        command.env_remove("CC").env_remove("CXX");
        command.stdin(Stdio::null());
        if self.cached {
            super::build_cache::put_before(&mut command, self.directory.path());
            command.env("HEDDLE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("heddle-cache"));
        } else {
            command.env("HEDDLE_CACHE", self.path("cache")).env("HEDDLE_NO_CACHE", "1");
        }
        command
    }

    /// `heddle check` with these arguments and a JSON document, traces in the session's directory `out`. Whatever is
    /// found must happen again when it is replayed.
    pub fn check<S: AsRef<str>>(&self, arguments: impl IntoIterator<Item = S>) -> Finished {
        let mut all = vec!["check".to_owned(), "--json".to_owned()];
        all.extend(arguments.into_iter().map(|a| a.as_ref().to_owned()));
        let run = self.run(all);
        super::must_replay(self, &run);
        run
    }

    /// Runs `heddle` to its end, and fails if anything is left behind.
    pub fn run<S: AsRef<str>>(&self, arguments: impl IntoIterator<Item = S>) -> Finished {
        let running = self.start(self.command(arguments));
        let finished = running.wait();
        self.must_be_clean(&finished);
        finished
    }

    /// Starts a command made by [`command`](Self::command).
    pub fn start(&self, mut command: Command) -> Running {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (stdout, stderr) = (self.path(&format!("stdout-{number}")), self.path(&format!("stderr-{number}")));
        command.stdout(File::create(&stdout).expect("a file for its output"));
        command.stderr(File::create(&stderr).expect("a file for its errors"));
        let words: Vec<String> = command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
        let child = command.spawn().expect("heddle was built");
        Running { child, command: format!("heddle {}", words.join(" ")), stdout, stderr }
    }

    /// Fails if processes or temporary files of this session are left. Shared memory goes with the processes: it has no name.
    pub fn must_be_clean(&self, after: &Finished) {
        // A process that was killed may need a moment to be gone.
        let what = format!("no process is left\n{after}");
        wait_until(&what, || self.processes().is_empty());
        let files: Vec<_> = fs::read_dir(self.path("tmp")).expect("it is there").flatten().map(|f| f.path()).collect();
        assert!(files.is_empty(), "temporary files are left: {files:?}\n{after}");
    }

    /// The processes that were started in this session and are still there: by their environment, or because they
    /// run a program from the session's directory.
    pub fn processes(&self) -> Vec<u32> {
        let mark = format!("HEDDLE_TEST_SESSION={}", self.marker);
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").expect("/proc is there").flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            let marked = environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes());
            let runs_ours = fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe.starts_with(self.path("tmp")));
            if (marked || runs_ours) && is_running(pid) {
                found.push(pid);
            }
        }
        found
    }

    /// The processes of the program under test: all but `heddle` itself.
    pub fn targets(&self, running: &Running) -> Vec<u32> {
        let mut processes = self.processes();
        processes.retain(|pid| *pid != running.child.id() && !name_of(*pid).contains("heddle"));
        processes
    }

    /// The processes that run the program under test, and no compiler.
    pub fn programs(&self, running: &Running) -> Vec<u32> {
        let mut processes = self.targets(running);
        processes.retain(|pid| name_of(*pid) == "program");
        processes
    }
}

fn name_of(pid: u32) -> String {
    let exe = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    exe.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A `heddle` under way.
pub struct Running {
    /// The process.
    pub child: Child,
    command: String,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Running {
    /// Waits for its end.
    pub fn wait(mut self) -> Finished {
        let what = format!("the end of {}", self.command);
        wait_until(&what, || self.has_ended());
        let status = self.child.wait().expect("it can be waited for");
        let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).expect("its output")).into_owned();
        Finished {
            code: status.code().unwrap_or_else(|| -status.signal().unwrap_or(0)),
            command: self.command,
            stdout: text(&self.stdout),
            stderr: text(&self.stderr),
        }
    }

    /// The process of `heddle` itself.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("it can be asked").is_some()
    }

    /// Sends a signal to `heddle` itself.
    pub fn signal(&self, signal: &str) {
        send(self.child.id(), signal);
    }
}

/// Sends a signal to a process.
pub fn send(pid: u32, signal: &str) {
    let _ = Command::new("kill").arg(format!("-{signal}")).arg(pid.to_string()).status();
}
