//! One process with its shared memory: plans in, results out, and what can go wrong in between.
//!
//! The process is waited for in two ways: a short while by looking at the counter again and again, since an
//! execution takes a few microseconds, then asleep in the kernel. Asleep, it is also watched: it may die, it may
//! run for ever without a visible operation, and the user may have had enough.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use heddle_model::facts::{Needs, Outside, Statistics};
use heddle_model::wire::{self, LABELS, LEAKS, MEMORY, Restart, Stage};
use heddle_model::{Death, Facts, Plan};

use crate::binary::program::Program;
use crate::run::options::Options;
use crate::run::process::{self, Process};
use crate::run::scratch::Scratch;
use crate::run::setup::Setup;
use crate::run::watchdog::Watchdog;
use crate::run::wire::{Settings, Taken, Wire};

/// Why a program could not be brought to the beginning of `main`.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The kernel would not start it.
    #[error("the program cannot be started: {0}")]
    CannotExecute(io::Error),
    /// Its libraries are missing, or do not fit.
    #[error("the program cannot be loaded: {printed}")]
    CannotLoad {
        /// What the loader printed.
        printed: String,
    },
    /// It went without Heddle's runtime.
    #[error("the program {what} before Heddle's runtime was loaded{}", after(.printed))]
    NotLoaded {
        /// How it ended.
        what: String,
        /// What it printed.
        printed: String,
    },
    /// It died in a constructor.
    #[error("the program {what} before main{}", after(.printed))]
    DiedBeforeMain {
        /// How it ended.
        what: String,
        /// What it printed.
        printed: String,
    },
    /// It does not come to `main`.
    #[error("the program did not reach main within {} seconds{}", .within.as_secs(), after(.printed))]
    TimedOut {
        /// How long it was given.
        within: Duration,
        /// What it printed.
        printed: String,
    },
    /// The runtime refuses, and says why.
    #[error("the program cannot be run under control: {0}")]
    Trouble(String),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The machine failed.
    #[error("cannot run the program: {0}")]
    Io(#[from] io::Error),
}

impl StartError {
    /// Whether somebody has killed it on its way: it may well get there the next time.
    pub(crate) fn was_killed(&self) -> bool {
        let killed = process::describe(Death::Signal(libc::SIGKILL as u8));
        matches!(self, StartError::NotLoaded { what, .. } | StartError::DiedBeforeMain { what, .. } if *what == killed)
    }
}

fn after(printed: &str) -> String {
    if printed.is_empty() { String::new() } else { format!("; it printed:\n{printed}") }
}

/// What came of waiting.
pub enum Waited {
    /// The execution is there.
    Done,
    /// The process ended: a signal or status, and words.
    Died(Death, String),
    /// It ran without a visible operation, or stood where Heddle does not see it, and did not answer when asked
    /// where it was. It is dead now.
    Hung(&'static str),
    /// The user asked to stop.
    Interrupted,
    /// It did not come in time. It goes on.
    Late,
}

/// How often to look before going to sleep: some 30 microseconds.
const LOOKS: u32 = 1000;
/// After looking in vain, how many waits at most go without: on a busy machine looking takes the processor away from
/// the very program that is waited for.
const PATIENCE: u32 = 63;
/// How long to sleep at first and at most before looking whether the process is still there.
const NAP: Duration = Duration::from_millis(1);
const LONG_NAP: Duration = Duration::from_millis(40);

/// What a process is told before it begins.
pub fn settings(
    options: &Options,
    program: &Program,
    restart: Restart,
    needs: Needs,
    places: &[u64],
    scratch: &Scratch,
) -> Settings {
    Settings {
        restart,
        memory_limit: options.memory_limit,
        stack_size: options.stack_size.unwrap_or_else(process::default_stack_size),
        threads_wanted: needs.threads,
        check_restore: options.check_restore,
        races: options.races,
        memory: if options.memory { MEMORY } else { 0 } | if options.leaks { LEAKS } else { 0 },
        quarantine: options.quarantine,
        latitude: options.latitude,
        misuse: options.misuse,
        outputs: options.outputs,
        unwinder: needs.unwinder,
        input: options.input.as_ref().map_or_else(Vec::new, |path| path.as_os_str().as_bytes().to_vec()),
        scratch: scratch.bytes(),
        places: places.to_vec(),
        values: options.nondet.clone(),
        entry: program.annotations.entry,
        functions: program.annotations.atomic_functions.clone(),
    }
}

/// One process with its shared memory.
pub struct Session {
    process: Process,
    wire: Wire,
    /// After the process: that may be writing to it.
    _scratch: Scratch,
    /// Plans put in, ever.
    submitted: u32,
    /// It was seen at `main`.
    ready: bool,
    /// How many waits to go to sleep at once, and how many it was the last time.
    without_looking: u32,
    patience: u32,
}

impl Session {
    /// Starts a process, which is then on its way to `main`. Of `facts`, the process needs the way to start over, what
    /// executions need, and the names of threads.
    pub fn start(setup: &Setup, facts: &Facts, places: &[u64]) -> Result<Session, StartError> {
        let Setup { program, options, .. } = setup;
        let runtime = setup.runtime();
        // Executions that start over by snapshot write no files.
        let scratch = match runtime.parent() {
            Some(parent) if facts.restart != Restart::Snapshot => Scratch::new(parent),
            _ => Scratch::none(),
        };
        let settings = settings(options, program, facts.restart, facts.needs, places, &scratch);
        let wire = Wire::new(options.layout, &settings, &facts.threads)?;
        let process = Process::start(&program.path, &options.arguments, &runtime, wire.descriptor())
            .map_err(StartError::CannotExecute)?;
        Ok(Session { process, wire, _scratch: scratch, submitted: 0, ready: false, without_looking: 0, patience: 0 })
    }

    /// What the runtime has reported about the executions of this process so far. The program can write there too, so
    /// counts are checked.
    pub fn facts(&self) -> Facts {
        let header = self.wire.header();
        let annotations = &header.annotations;
        let labels = (annotations.labels_len.load(Ordering::Relaxed) as usize).min(LABELS);
        let outside = header.outside.load(Ordering::Relaxed);
        let went = |how: wire::Outside| outside & how as u32 != 0;
        Facts {
            reached: annotations.labels[..labels].iter().map(|label| label.load(Ordering::Relaxed)).collect(),
            undetermined: annotations.values_used.load(Ordering::Relaxed) != 0,
            timeouts_left_out: header.timeouts_left_out.load(Ordering::Relaxed) != 0,
            outside: Outside { processes: went(wire::Outside::Processes), files: went(wire::Outside::Files) },
            libraries: self.wire.libraries().into_iter().collect(),
            statistics: Statistics {
                checked: header.checked.load(Ordering::Relaxed),
                differing: header.differing.load(Ordering::Relaxed),
                ..Statistics::default()
            },
            ..Facts::default()
        }
    }

    /// The process's id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The shared memory, to be changed between executions.
    pub fn wire_mut(&mut self) -> &mut Wire {
        &mut self.wire
    }

    /// The shared memory.
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// Waits until the program is at `main`.
    pub fn wait_until_ready(&mut self, options: &Options) -> Result<(), StartError> {
        let begin = Instant::now();
        let mut nap = Duration::from_micros(20);
        loop {
            let ended = self.process.ended()?.is_some();
            let stage = self.wire.header().stage.load(Ordering::Acquire);
            if stage == Stage::Ready as u32 {
                self.ready = true;
                return Ok(());
            }
            if ended || stage == Stage::Failed as u32 {
                return Err(self.start_error());
            }
            if options.interrupted.load(Ordering::Relaxed) {
                return Err(StartError::Interrupted);
            }
            if begin.elapsed() > options.start_within {
                self.process.kill();
                return Err(StartError::TimedOut { within: options.start_within, printed: self.process.printed() });
            }
            std::thread::sleep(nap);
            nap = (nap * 2).min(NAP);
        }
    }

    /// Whether the process got as far as `main`. A program that has come so far may have written over its stage.
    pub fn was_ready(&self) -> bool {
        let stage = self.wire.header().stage.load(Ordering::Acquire);
        self.ready || ![Stage::Launched, Stage::Loaded, Stage::Failed].iter().any(|&before| stage == before as u32)
    }

    /// Why it did not get to `main`. Ends it.
    pub fn start_error(&mut self) -> StartError {
        let stage = self.wire.header().stage.load(Ordering::Acquire);
        if stage == Stage::Failed as u32 {
            // What it printed is written before it leaves.
            let trouble = self.wire.trouble();
            return StartError::Trouble(if trouble.is_empty() { self.process.printed() } else { trouble });
        }
        self.process.kill();
        let what = match self.process.ended() {
            Ok(Some(status)) => process::describe(Death::from_status(status.into_raw())),
            _ => "ended".to_owned(),
        };
        let printed = self.process.printed();
        if stage != Stage::Launched as u32 {
            return StartError::DiedBeforeMain { what, printed };
        }
        if printed.contains("error while loading shared libraries") || printed.contains("symbol lookup error") {
            return StartError::CannotLoad { printed };
        }
        StartError::NotLoaded { what, printed }
    }

    /// Hands a plan over. False if it does not fit.
    pub fn submit(&mut self, plan: &Plan) -> bool {
        if !self.wire.put(self.submitted, plan) {
            return false;
        }
        self.submitted = self.submitted.wrapping_add(1);
        let header = self.wire.header();
        // The same total order as in the runtime, which raises its flag and then looks here again.
        header.submitted.store(self.submitted, Ordering::SeqCst);
        if header.runtime_sleeps.load(Ordering::SeqCst) != 0 {
            futex_wake(&header.submitted);
        }
        true
    }

    /// How many of its plans have come to their end.
    pub fn completed(&self) -> u32 {
        self.wire.header().completed.load(Ordering::Relaxed)
    }

    /// Whether more than one plan was ever handed to this process.
    pub fn has_run_others(&self) -> bool {
        self.submitted != 1
    }

    /// Waits for the result of plan number `index` of this session, by itself or while others work on the same search.
    pub fn wait(&mut self, index: u32, options: &Options, in_company: bool) -> io::Result<Waited> {
        if self.is_done(index) {
            return Ok(Waited::Done);
        }
        if in_company {
            // Looking would take a processor from one of the processes that are waited for.
            return self.wait_asleep(index, options);
        }
        if self.without_looking > 0 {
            self.without_looking -= 1;
            return self.wait_asleep(index, options);
        }
        for _ in 0..LOOKS {
            std::hint::spin_loop();
            if self.is_done(index) {
                self.patience = 0;
                return Ok(Waited::Done);
            }
        }
        self.patience = (self.patience * 2 + 1).min(PATIENCE);
        self.without_looking = self.patience;
        self.wait_asleep(index, options)
    }

    #[inline]
    fn is_done(&self, index: u32) -> bool {
        self.wire.header().completed.load(Ordering::Acquire).wrapping_sub(index) as i32 > 0
    }

    #[cold]
    fn wait_asleep(&mut self, index: u32, options: &Options) -> io::Result<Waited> {
        let mut nap = NAP;
        let mut watchdog = Watchdog::new(self.wire.header().progress.load(Ordering::Relaxed));
        loop {
            let header = self.wire.header();
            // Half of what is under way: the program has the other half to go on with meanwhile.
            let half = self.submitted.wrapping_sub(index) / 2;
            header.wake_at.store(index.wrapping_add(half.max(1)), Ordering::Relaxed);
            header.driver_sleeps.store(1, Ordering::SeqCst);
            let seen = header.completed.load(Ordering::SeqCst);
            if seen.wrapping_sub(index) as i32 <= 0 {
                futex_wait(&header.completed, seen, nap);
            }
            header.driver_sleeps.store(0, Ordering::SeqCst);
            // In this order: a process may finish its execution and then end.
            let ended = self.process.ended()?;
            if self.is_done(index) {
                return Ok(Waited::Done);
            }
            if let Some(status) = ended {
                let death = Death::from_status(status.into_raw());
                let what = process::describe(death);
                return Ok(Waited::Died(death, format!("the program {what}{}", after(&self.process.printed()))));
            }
            if options.interrupted.load(Ordering::Relaxed) {
                return Ok(Waited::Interrupted);
            }
            if options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(Waited::Late);
            }
            if self.was_ready() {
                if let Some(how) = watchdog.look(&self.process, &self.wire, options) {
                    self.process.kill();
                    return Ok(Waited::Hung(how));
                }
            } else if watchdog.since.elapsed() > options.start_within
                || self.wire.header().stage.load(Ordering::Acquire) == Stage::Failed as u32
            {
                self.process.kill();
                return Ok(Waited::Died(Death::Unstarted, "the program did not reach main".to_owned()));
            }
            nap = (nap * 2).min(LONG_NAP);
        }
    }

    /// Copies the result of plan number `index`. False if it makes no sense.
    pub fn take(&self, index: u32, into: &mut Taken, record: bool) -> bool {
        self.wire.get(index, into, record).is_some()
    }
}

fn futex_wait(word: &AtomicU32, value: u32, timeout: Duration) {
    let timeout = libc::timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
    // SAFETY: a word and a time that outlive the call. Shared between processes, so not a private futex.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &timeout, 0, 0) };
}

fn futex_wake(word: &AtomicU32) {
    // SAFETY: a word that outlives the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1, 0, 0, 0) };
}
