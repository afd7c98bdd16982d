//! A process that runs beside a check and is no program under test: a test program that is asked for its tests, a build tool that is
//! asked for what it has built, Heddle itself on one test of many.
//!
//! Such a process leads a process group of its own, reads nothing, and what it prints is kept. It is told to end when Heddle dies.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, set_parent_process_death_signal};

use super::process::{MOST_PRINTED, anonymous_file};

/// How long the shortest and the longest pause between two looks at a process is.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// What a process has done.
#[derive(Debug)]
pub struct Ran {
    /// How it ended. `None` if it was killed because its time was over, or because it printed too much to be kept.
    pub status: Option<ExitStatus>,
    /// What it printed on its standard output.
    pub stdout: Vec<u8>,
    /// What it printed on its standard error.
    pub stderr: Vec<u8>,
}

/// Runs `command` to its end, for at most `limit`. Once `interrupted` is set, the process gets a SIGINT and may end in its own way.
///
/// # Errors
///
/// When it cannot be started.
pub fn run(mut command: Command, limit: Option<Duration>, interrupted: &AtomicBool) -> io::Result<Ran> {
    let (mut stdout, mut stderr) = (anonymous_file("heddle-output")?, anonymous_file("heddle-errors")?);
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?).process_group(0);
    // SAFETY: only a system call, as is right between fork and exec.
    unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?)) };
    let mut child = Running(command.spawn()?);
    let (began, mut told, mut pause) = (Instant::now(), false, PAUSES.0);
    let status = loop {
        if let Some(status) = child.0.try_wait()? {
            break Some(status);
        }
        let too_much = |file: &File| file.metadata().is_ok_and(|data| data.len() > MOST_PRINTED);
        if limit.is_some_and(|limit| began.elapsed() > limit) || too_much(&stdout) || too_much(&stderr) {
            break None;
        }
        if interrupted.load(Relaxed) && !told {
            told = true;
            let _ = kill_process(Pid::from_child(&child.0), Signal::INT);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSES.1);
    };
    drop(child);
    let read = |file: &mut File| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(Ran { status, stdout: read(&mut stdout)?, stderr: read(&mut stderr)? })
}

/// A process that is killed, with its group, unless it has ended.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(words: &str, limit: Duration, interrupted: bool) -> Ran {
        let mut command = Command::new("sh");
        command.args(["-c", words]);
        run(command, Some(limit), &AtomicBool::new(interrupted)).expect("there is a shell")
    }

    #[test]
    fn what_it_prints_and_how_it_ends() {
        let ran = shell("cat; echo out; echo err >&2; exit 3", Duration::from_secs(60), false);
        assert_eq!((ran.stdout.as_slice(), ran.stderr.as_slice()), (&b"out\n"[..], &b"err\n"[..]));
        assert_eq!(ran.status.and_then(|status| status.code()), Some(3));
    }

    #[test]
    fn what_it_prints_is_limited() {
        assert_eq!(shell("yes", Duration::from_secs(60), false).status, None);
    }

    #[test]
    fn its_time_is_limited_and_it_can_be_interrupted() {
        assert_eq!(shell("exec sleep 600", Duration::from_millis(10), false).status, None);
        let ran = shell("trap 'exit 5' INT; while :; do sleep 0.01; done", Duration::from_secs(60), true);
        // The shell may get the signal before it has set the trap.
        assert!(ran.status.is_some_and(|status| !status.success()));
    }
}
