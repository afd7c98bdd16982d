//! One process of the program under test: how it is started, what it says before it can speak, how it ends.
//!
//! Everything that could differ from one start to the next is held still: address space randomisation off, the
//! environment in a fixed order and of a fixed size (the stack begins below it), one language and time zone, no standard input (the
//! runtime opens the file that is to be it, for each execution), the same limits.
//! The process leads a group of its own, which is killed as a whole, and dies when Heddle does.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use heddle_model::Death;
use heddle_model::wire::ENVIRONMENT;

/// The most that is kept of what the process printed past the runtime, for messages.
const KEPT: u64 = 4096;

/// A running process. Killed with its group, and reaped, when dropped.
pub struct Process {
    child: Child,
    printed: File,
    ended: Option<ExitStatus>,
}

impl Process {
    /// Starts `program` with the runtime loaded into it and the shared memory `wire` to talk through.
    pub fn start(program: &Path, arguments: &[OsString], runtime: &Path, wire: i32) -> io::Result<Process> {
        let printed = anonymous_file(c"heddle-printed")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(environment(runtime, wire))
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

    /// How it ended, if it did. Its group is gone then, too.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.ended.is_none() && self.is_dead()? {
            self.kill();
        }
        Ok(self.ended)
    }

    /// Whether it is dead; it stays unreaped, so that its number is not given to another.
    fn is_dead(&self) -> io::Result<bool> {
        // SAFETY: a call that fills a structure of ours.
        unsafe {
            let mut information: libc::siginfo_t = std::mem::zeroed();
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            if libc::waitid(libc::P_PID, self.child.id(), &mut information, options) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(information.si_pid() != 0)
        }
    }

    /// Ends it and everything that it started.
    pub fn kill(&mut self) {
        if self.ended.is_none() {
            // SAFETY: a call. The group is that of a child which was not reaped, so its number is not another's.
            unsafe { libc::kill(-(self.child.id() as i32), libc::SIGKILL) };
            self.ended = self.child.wait().ok();
        }
    }

    /// Sends a signal to `runner` if that is one of this program's processes, else to the first of them. The number
    /// comes from memory that the program can write to.
    pub fn signal(&self, runner: u32, signal: i32) {
        // SAFETY: calls.
        unsafe { libc::kill(self.own(runner) as i32, signal) };
    }

    /// What `runner` is doing.
    pub fn activity(&self, runner: u32) -> Option<Activity> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.own(runner))).ok()?;
        // The name of the command, in brackets, may have anything in it; the fields begin after its end.
        let mut fields = text[text.rfind(')')? + 1..].split_whitespace();
        let state = fields.next()?.chars().next()?;
        let ticks: u64 = fields.skip(10).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        // SAFETY: a call.
        let rate = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
        Some(Activity { state, processor: Duration::from_millis(ticks * 1000 / rate) })
    }

    fn own(&self, runner: u32) -> u32 {
        let leader = self.child.id();
        // SAFETY: a call. 0 would ask about ourselves.
        let ours = runner != 0 && unsafe { libc::getpgid(runner as i32) } == leader as i32;
        if ours { runner } else { leader }
    }

    /// What it printed past the runtime's eyes, at most the last few kilobytes.
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

/// What a process is doing, as the kernel sees it.
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    /// `R` runs or wants to, `S` waits, `T` is stopped by somebody.
    pub state: char,
    /// How long it has run.
    pub processor: Duration,
}

/// How a process ended, in words: a predicate of "the program".
pub fn describe(death: Death) -> String {
    match death {
        Death::Signal(signal) => format!("was killed by signal {signal} ({})", signal_name(signal.into())),
        Death::Exit(status) => format!("exited with status {status}"),
        Death::Damaged => "has damaged the memory that it shares with Heddle".to_owned(),
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

/// Whether programs can be started without address space randomisation. Some containers forbid it; addresses then
/// differ from one process to the next.
pub fn can_fix_addresses() -> bool {
    // SAFETY: calls that change a property of this thread, which is put back at once.
    unsafe {
        let before = libc::personality(0xffff_ffff);
        let allowed = libc::personality((before | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong) >= 0;
        libc::personality(before as libc::c_ulong);
        allowed
    }
}

/// The default stack of a thread, as libc would choose it.
pub fn default_stack_size() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a call that fills a structure of ours.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) } == 0;
    if known && limit.rlim_cur != libc::RLIM_INFINITY { limit.rlim_cur.min(LARGEST_STACK) } else { USUAL_STACK }
}

const USUAL_STACK: u64 = 8 << 20;
/// Above this the kernel lays memory out differently, and addresses would depend on the limit.
const LARGEST_STACK: u64 = 64 << 20;

/// In the child, before the program: only system calls.
pub fn prepare(wire: i32, parent: u32) -> io::Result<()> {
    // SAFETY: system calls with numbers and structures of our own.
    unsafe {
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
            return Err(io::Error::last_os_error());
        }
        // Heddle may have died before it was asked to be told.
        if libc::getppid() as u32 != parent {
            libc::_exit(1);
        }
        // Refused in some containers; `can_fix_addresses` tells.
        let personality = libc::personality(0xffff_ffff);
        libc::personality((personality | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong);
        let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &no_core);
        let mut stack = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        if libc::getrlimit(libc::RLIMIT_STACK, &mut stack) == 0 && stack.rlim_cur > LARGEST_STACK {
            stack.rlim_cur = USUAL_STACK;
            libc::setrlimit(libc::RLIMIT_STACK, &stack);
        }
        // Inherited by design, where everything else of Heddle's closes on exec.
        if libc::fcntl(wire, libc::F_SETFD, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        // What a shell ignores or blocks is inherited; the program is to behave the same everywhere.
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        for signal in [libc::SIGPIPE, libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGPROF] {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
    Ok(())
}

/// The environment of the program: the user's, in the order of the names, with what Heddle needs. The language and the time zone are always the same,
/// so that a program does the same everywhere.
///
/// It is filled up to a fixed size, because it lies above the stack: addresses of the main thread's variables would
/// otherwise depend on the shell that Heddle was started from.
pub fn environment(runtime: &Path, wire: i32) -> Vec<(OsString, OsString)> {
    const OWN: [&str; 5] = ["LD_PRELOAD", "LD_BIND_NOW", ENVIRONMENT, PADDING, "LD_DEBUG"];
    let own = |name: &OsStr| OWN.iter().any(|own| name == OsStr::new(own)) || is_about_the_place(name);
    let mut variables: Vec<(OsString, OsString)> = std::env::vars_os().filter(|(name, _)| !own(name)).collect();
    variables.extend(PLACE.map(|(name, value)| (name.into(), value.into())));
    variables.push(("LD_PRELOAD".into(), runtime.into()));
    // A call that is bound when it is first made would write to the program's memory in the middle of an execution.
    variables.push(("LD_BIND_NOW".into(), "1".into()));
    variables.push((ENVIRONMENT.into(), wire.to_string().into()));
    variables.sort();
    let used: usize = variables.iter().map(|(name, value)| name.len() + value.len() + 2 + 8).sum();
    let padding = used.next_multiple_of(PADDED) - used;
    variables.push((PADDING.into(), OsString::from("x".repeat(padding))));
    variables
}

/// The language and the time zone of all programs.
const PLACE: [(&str, &str); 2] = [("LC_ALL", "C"), ("TZ", "UTC0")];

/// Whether a variable says where the user is.
fn is_about_the_place(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b"LC_") || [&b"LANG"[..], b"LANGUAGE", b"TZ", b"TZDIR"].contains(&name)
}

const PADDING: &str = "HEDDLE_PADDING";
const PADDED: usize = 16 << 10;

fn anonymous_file(name: &std::ffi::CStr) -> io::Result<File> {
    // SAFETY: a name that ends in zero; the descriptor is new and nobody else's.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as above. Both streams append: they share the file.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    // SAFETY: a call on an open descriptor.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_APPEND) };
    Ok(file)
}
