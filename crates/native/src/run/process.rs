//! One process of the program under test: how it is started, observed and killed.
//!
//! Everything that could differ from one start to the next is fixed: address space randomisation is off, the environment
//! has a fixed order and size (the stack begins below it), language, time zone and limits are the same, and there is no
//! standard input. (The runtime opens the file that is to be standard input for each execution.) The process leads a
//! process group of its own, which is killed as a whole, and dies when Heddle does.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use heddle_model::Death;
use heddle_model::wire::{ENVIRONMENT, PADDING};
use rustix::fs::{MemfdFlags, OFlags, fcntl_setfl, memfd_create};
use rustix::io::FdFlags;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getpgid, getppid, getrlimit, kill_process,
    kill_process_group, set_parent_process_death_signal, setrlimit,
};
use tracing::debug;

use crate::binary::program::Program;

/// How many bytes are kept of what the process printed without the runtime, for messages.
const KEPT: u64 = 4096;

/// A running process. Dropping it kills its process group and reaps it.
pub struct Process {
    child: Child,
    printed: File,
    ended: Option<ExitStatus>,
}

impl Process {
    /// Starts `program` with the runtime library loaded into it. `wire` is the descriptor of the shared memory.
    pub fn start(program: &Program, arguments: &[OsString], runtime: &Path, wire: RawFd) -> io::Result<Process> {
        let printed = anonymous_file("heddle-printed")?;
        let mut command = Command::new(&program.path);
        let words =
            || [program.path.as_os_str(), &program.name].into_iter().chain(arguments.iter().map(OsString::as_os_str));
        command
            .arg0(&program.name)
            .args(arguments)
            .env_clear()
            .envs(environment(words(), runtime, wire))
            .stdin(Stdio::null())
            .stdout(printed.try_clone()?)
            .stderr(printed.try_clone()?)
            .process_group(0);
        let parent = std::process::id();
        // SAFETY: only system calls, as is right between fork and exec.
        unsafe { command.pre_exec(move || prepare(wire, parent)) };
        Ok(Process { child: command.spawn()?, printed, ended: None })
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the process ended, if it did. Its group has ended then, too.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.ended.is_none() && self.is_dead()? {
            self.kill();
        }
        Ok(self.ended)
    }

    /// Whether the process is dead. It is not reaped here, so that its number is not given to another process.
    fn is_dead(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(rustix::process::waitid(WaitId::Pid(Pid::from_child(&self.child)), options)?.is_some())
    }

    /// Kills the process and everything that it started.
    pub fn kill(&mut self) {
        if self.ended.is_none() {
            // The leader of the group was not reaped, so the group's number is not another's.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            self.ended = self.child.wait().ok();
            debug!(process = self.id(), status = ?self.ended, "process has ended");
        }
    }

    /// Sends SIGPROF, which asks the runtime where the program is. It goes to the process `runner` if that belongs to
    /// this program, else to the first process: the program can write to the memory that the number comes from.
    pub fn ask(&self, runner: u32) {
        let _ = kill_process(self.own(runner), Signal::PROF);
    }

    /// What the process `runner` is doing, or the first process if `runner` does not belong to this program.
    ///
    /// A process that sleeps may wait for another one of its group: the parent of forked executions waits for its
    /// child. On a busy machine that child may be ready to run and not get a processor for long. So the whole group
    /// counts then.
    pub fn activity(&self, runner: u32) -> Option<Activity> {
        let own = stat(self.own(runner).as_raw_pid() as u32)?.activity;
        Some(if own.state == 'S' { self.group().fold(own, Activity::with) } else { own })
    }

    /// What the processes of the group are doing.
    fn group(&self) -> impl Iterator<Item = Activity> {
        let leader = self.child.id();
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter_map(stat).filter(move |stat| stat.group == leader).map(|stat| stat.activity)
    }

    fn own(&self, runner: u32) -> Pid {
        let leader = Pid::from_child(&self.child);
        let runner = i32::try_from(runner).ok().and_then(Pid::from_raw);
        runner.filter(|&runner| getpgid(Some(runner)) == Ok(leader)).unwrap_or(leader)
    }

    /// The last kilobytes that the process printed without the runtime, for example before it was loaded.
    pub fn printed(&mut self) -> String {
        let mut bytes = Vec::new();
        let length = self.printed.metadata().map_or(0, |data| data.len());
        let from = length.saturating_sub(KEPT);
        if self.printed.seek(SeekFrom::Start(from)).is_ok() {
            let _ = Read::by_ref(&mut self.printed).take(KEPT).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a process is doing, according to the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    /// The state letter of `/proc/PID/stat`: `R` runs or is ready to, `S` waits, `T` is stopped by a signal or debugger.
    pub state: char,
    /// How much processor time it has used.
    pub processor: Duration,
}

impl Activity {
    /// Of two processes: the state of the one that is nearer to running, and the larger time.
    fn with(self, other: Activity) -> Activity {
        let state = if other.state == 'R' { 'R' } else { self.state };
        Activity { state, processor: self.processor.max(other.processor) }
    }
}

/// Some fields of `/proc/PID/stat`.
struct Stat {
    group: u32,
    activity: Activity,
}

fn stat(process: u32) -> Option<Stat> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

fn parse_stat(text: &str) -> Option<Stat> {
    // The command's name stands in brackets and may contain anything. The fields begin after the last bracket.
    let mut fields = text[text.rfind(')')? + 1..].split_whitespace();
    let state = fields.next()?.chars().next()?;
    let group = fields.nth(1)?.parse().ok()?;
    let ticks: u64 = fields.skip(8).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    let rate = rustix::param::clock_ticks_per_second().max(1);
    Some(Stat { group, activity: Activity { state, processor: Duration::from_millis(ticks * 1000 / rate) } })
}

/// How a process ended, in words: a predicate of "the program".
pub fn describe(death: Death) -> String {
    match death {
        Death::Signal(signal) => format!("was killed by signal {signal} ({})", signal_name(signal.into())),
        Death::Exit(status) => format!("exited with status {status}"),
        Death::Damaged => "damaged the memory that it shares with heddle".to_owned(),
        Death::Unstarted => "did not reach main".to_owned(),
    }
}

/// The usual name of a signal.
pub fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGSYS => "SIGSYS",
        _ => "a signal",
    }
}

/// Whether programs can be started without address space randomisation. Where a container forbids it, addresses differ
/// from one process to the next.
pub fn can_fix_addresses() -> bool {
    // SAFETY: calls that change a property of this thread, which is put back at once.
    unsafe {
        let before = libc::personality(0xffff_ffff);
        let allowed = libc::personality((before | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong) >= 0;
        libc::personality(before as libc::c_ulong);
        allowed
    }
}

/// The stack size of a thread that does not ask for one, as libc would choose it: the limit, but no less than usual.
pub fn default_stack_size() -> u64 {
    getrlimit(Resource::Stack).current.map_or(USUAL_STACK, |limit| limit.clamp(USUAL_STACK, LARGEST_STACK))
}

const USUAL_STACK: u64 = 8 << 20;
/// The largest limit for stacks. With a larger one the kernel lays memory out differently, and addresses would depend on it.
const LARGEST_STACK: u64 = 64 << 20;

/// Prepares a child between `fork` and `exec`: makes only system calls. `wire` is the descriptor of the shared memory.
pub fn prepare(wire: RawFd, parent: u32) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // Heddle may have died before the kernel was told.
    if getppid().is_none_or(|now| now.as_raw_pid() as u32 != parent) {
        // SAFETY: ends this process, without running anything of Heddle's.
        unsafe { libc::_exit(1) };
    }
    // SAFETY: a system call that takes a number. Whatever else `setarch` may have asked for is gone: another layout, another
    // name of the kernel. Some containers forbid this; `can_fix_addresses` tells.
    unsafe {
        libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
    }
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let stack = getrlimit(Resource::Stack);
    if stack.current.is_none_or(|limit| !(USUAL_STACK..=LARGEST_STACK).contains(&limit)) {
        let _ = setrlimit(Resource::Stack, Rlimit { current: Some(USUAL_STACK), ..stack });
    }
    // SAFETY: the descriptor is open: the shared memory outlives the start of the process.
    let wire = unsafe { BorrowedFd::borrow_raw(wire) };
    // The shared memory is inherited by design, where everything else of Heddle's closes on exec.
    rustix::io::fcntl_setfd(wire, FdFlags::empty())?;
    // A shell may ignore or block signals, and programs inherit that. The program is to behave the same everywhere.
    // SAFETY: system calls with a structure of our own.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        for signal in [libc::SIGPIPE, libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGPROF, libc::SIGXFSZ] {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
    Ok(())
}

/// The environment of the program: the user's, sorted by name, with what Heddle adds. Language and time zone are always
/// the same, so that a program does the same everywhere.
///
/// It is padded, so that it and `words` (the path of the program, and its arguments) have a fixed size and number. They
/// lie above the stack on which the program is brought to `main`, so addresses that its constructors see would otherwise
/// depend on the shell that Heddle was started from.
pub fn environment<'w>(
    words: impl Iterator<Item = &'w OsStr>,
    runtime: &Path,
    wire: RawFd,
) -> Vec<(OsString, OsString)> {
    const OWN: [&str; 5] = ["LD_PRELOAD", "LD_BIND_NOW", ENVIRONMENT, "LD_DEBUG", "HEDDLE_LOG"];
    let own = |name: &OsStr| {
        let is_padding = name.as_bytes().starts_with(PADDING.as_bytes());
        is_padding || OWN.iter().any(|own| name == OsStr::new(own)) || is_about_the_place(name)
    };
    let mut variables: Vec<(OsString, OsString)> = std::env::vars_os().filter(|(name, _)| !own(name)).collect();
    variables.extend(PLACE.map(|(name, value)| (name.into(), value.into())));
    variables.push(("LD_PRELOAD".into(), runtime.into()));
    // A lazily bound call would write to the program's memory in the middle of an execution.
    variables.push(("LD_BIND_NOW".into(), "1".into()));
    variables.push((ENVIRONMENT.into(), wire.to_string().into()));
    variables.sort();
    let (count, bytes) = words.fold((1, 0), |(count, bytes), word| (count + 1, bytes + word.len() + 1));
    let numbered = |number: usize| OsString::from(format!("{PADDING}{number:04}"));
    for number in 0..(count + variables.len()).next_multiple_of(PADDED_COUNT) - (count + variables.len()) {
        variables.push((numbered(number), OsString::new()));
    }
    // Each with a sign between the two, and a zero at the end. The last one takes what is missing.
    let used = bytes + variables.iter().map(|(name, value)| name.len() + value.len() + 2).sum::<usize>();
    let last = numbered(9999);
    let used = used + last.len() + 2;
    variables.push((last, OsString::from("x".repeat(used.next_multiple_of(PADDED) - used))));
    variables
}

/// The language and time zone of all programs.
const PLACE: [(&str, &str); 2] = [("LC_ALL", "C"), ("TZ", "UTC0")];

/// Whether a variable sets the language or time zone.
fn is_about_the_place(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b"LC_") || [&b"LANG"[..], b"LANGUAGE", b"TZ", b"TZDIR"].contains(&name)
}

/// The environment and the arguments have a multiple of this size in bytes.
const PADDED: usize = 32 << 10;
/// The environment and the arguments are a multiple of this number.
const PADDED_COUNT: usize = 128;

/// A file in memory. Everything that is written to it is appended, since two streams share it.
pub(super) fn anonymous_file(name: &str) -> io::Result<File> {
    let file = memfd_create(name, MemfdFlags::CLOEXEC)?;
    fcntl_setfl(&file, OFlags::APPEND)?;
    Ok(File::from(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_any_name() {
        let rate = rustix::param::clock_ticks_per_second();
        let text = format!("7 (a) R 1 (b) S 3 42 5 6 7 8 9 10 11 12 {} {} 15 16", rate, 2 * rate);
        let stat = parse_stat(&text).unwrap();
        assert_eq!((stat.group, stat.activity.state, stat.activity.processor.as_secs()), (42, 'S', 3));
        assert!(parse_stat("7 (a").is_none());
    }

    #[test]
    fn the_environment_has_one_size_whatever_is_in_it() {
        let size = |words: &[&str]| {
            let variables = environment(words.iter().map(OsStr::new), Path::new("/tmp/runtime.so"), 3);
            let bytes: usize = variables.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
            let own: usize = words.iter().map(|word| word.len() + 1).sum();
            (variables.len() + words.len(), bytes + own)
        };
        let usual = size(&["/tmp/program", "program"]);
        assert_eq!(usual.1 % PADDED, 0);
        assert_eq!(size(&["/tmp/a/longer/path/to/the/program", "program"]), usual);
        assert_eq!(size(&["/tmp/program", "program", "with", "arguments"]), usual);
    }

    #[test]
    fn a_process_that_wants_to_run_speaks_for_its_group() {
        let activity = |state, seconds| Activity { state, processor: Duration::from_secs(seconds) };
        let both = activity('S', 1).with(activity('R', 3)).with(activity('Z', 2));
        assert_eq!((both.state, both.processor.as_secs()), ('R', 3));
    }
}
