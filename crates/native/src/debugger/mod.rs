//! Opens gdb on a replayed execution.
//!
//! gdb starts the program itself, so that it can start it again: going back means running again up to an earlier step. The
//! program finds its plan in the shared memory, like any execution. Heddle puts the plan there again whenever it was used.
//! `heddle.py` defines the gdb commands.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use heddle_model::Plan;
use heddle_model::wire::Restart;

use crate::run::NativeExecutor;
use crate::run::scratch::Scratch;
use crate::run::setup::compares_stacks;
use crate::run::wire::Wire;
use crate::run::{process, session};
use crate::temporary::TemporaryDirectory;

const SCRIPT: &str = include_str!("heddle.py");

/// How gdb is started.
#[derive(Clone, Copy, Debug)]
pub struct Debugger<'d> {
    /// The gdb command.
    pub gdb: &'d str,
    /// A file of commands to run instead of an interactive session.
    pub batch: Option<&'d Path>,
    /// The trace of the execution as JSON, each step with its `words`: an `operation` and a `result`.
    pub trace: &'d [u8],
}

impl NativeExecutor {
    /// Opens gdb with the program at the end of the execution of `plan`, and waits for gdb to exit. Returns whether gdb
    /// succeeded.
    pub fn debug(&mut self, plan: &Plan, debugger: &Debugger<'_>) -> io::Result<bool> {
        let directory = TemporaryDirectory::new()?;
        std::fs::write(directory.path().join("heddle.py"), SCRIPT)?;
        std::fs::write(directory.path().join("trace.json"), debugger.trace)?;
        let scratch = Scratch::new(directory.path());
        let briefing =
            session::briefing(self.options(), self.program(), Restart::Exec, self.needs(), self.places(), &scratch);
        let mut wire = Wire::new(self.options().layout, &briefing, self.thread_names())?;
        let plan = Plan { record: true, ..plan.clone() };
        if compares_stacks(&plan, self.places()) {
            wire.set_frames(self.frames());
        }
        let mut submitted = 0;
        let mut submit = |wire: &mut Wire| {
            if wire.reports().completed.load(Ordering::Acquire) == submitted && wire.put(submitted, &plan) {
                wire.header().first.store(submitted, Ordering::SeqCst);
                submitted = submitted.wrapping_add(1);
                wire.header().submitted.store(submitted, Ordering::SeqCst);
            }
        };
        submit(&mut wire);
        let mut command = self.gdb(debugger, directory.path(), wire.descriptor());
        let mut child = command.spawn()?;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            submit(&mut wire);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn gdb(&self, debugger: &Debugger<'_>, directory: &Path, wire: i32) -> Command {
        let runtime = self.runtime_path();
        let mut command = Command::new(debugger.gdb);
        command.args(["-q", "-nx"]);
        if debugger.batch.is_some() {
            command.arg("-batch").stdin(Stdio::null());
        }
        let preload = runtime.display().to_string();
        let place = directory.display().to_string();
        for line in [
            "set pagination off".to_string(),
            "set confirm off".to_string(),
            "set breakpoint pending on".to_string(),
            "set disable-randomization on".to_string(),
            "set startup-with-shell off".to_string(),
            "set print thread-events off".to_string(),
            "set print inferior-events off".to_string(),
            "set debuginfod enabled off".to_string(),
            // glibc's list of threads names kernel threads that are gone: see the runtime's `fiber`.
            "set auto-load libthread-db off".to_string(),
            "unset environment LINES".to_string(),
            "unset environment COLUMNS".to_string(),
            format!("set environment LD_PRELOAD {preload}"),
            "handle SIGSYS nostop noprint pass".to_string(),
            "handle SIGUSR1 SIGUSR2 nostop noprint pass".to_string(),
            format!("python heddle_directory = {}", python_string(&place)),
        ] {
            command.arg("-iex").arg(line);
        }
        command.arg("-ex").arg(format!("source {place}/heddle.py")).arg("-ex").arg("heddle goto end");
        if let Some(script) = debugger.batch {
            let mut source = OsString::from("source ");
            source.push(script);
            command.arg("-ex").arg(source);
        }
        command.arg("--args").arg(&self.program().path).args(&self.options().arguments);
        // gdb runs without the runtime, and its program with it.
        let variables = process::environment(std::iter::empty(), &runtime, wire)
            .into_iter()
            .filter(|(name, _)| name != "LD_PRELOAD");
        command.env_clear().envs(variables);
        let parent = std::process::id();
        // SAFETY: only system calls, as is right between fork and exec.
        unsafe { command.pre_exec(move || process::prepare(wire, parent)) };
        command
    }
}

fn python_string(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}
