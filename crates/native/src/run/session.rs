//! One process with its shared memory: plans in, results out.
//!
//! The driver waits for a result in two ways. It first polls a counter for a short time, because an execution takes a few
//! microseconds. Then it sleeps in the kernel, and wakes up from time to time to see whether the process has died or hangs,
//! or the user has interrupted the search.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use heddle_model::facts::{Needs, Outside, Statistics};
use heddle_model::wire::{Note, Stage, ThreadName};
use heddle_model::{Death, Facts, Plan, Restart};

use rustix::thread::futex::{self, Timespec};
use tracing::debug;

use crate::binary::program::Program;
use crate::limits;
use crate::run::options::Options;
use crate::run::process::{self, Process};
use crate::run::scratch::Scratch;
use crate::run::setup::Setup;
use crate::run::watchdog::Watchdog;
use crate::run::wire::{Briefing, Taken, Wire};

/// The reason why a program did not reach `main`.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The kernel refused to start the program.
    #[error("the program cannot be started: {0}")]
    CannotExecute(io::Error),
    /// A library of the program is missing or does not match.
    #[error("the program cannot be loaded: {printed}")]
    CannotLoad {
        /// What the loader printed.
        printed: String,
    },
    /// The program ran without Heddle's runtime.
    #[error("the program {what} before Heddle's runtime was loaded{}", after(.printed))]
    NotLoaded {
        /// How the program ended.
        what: String,
        /// What the program printed.
        printed: String,
    },
    /// The program died before `main`, for example in a constructor.
    #[error("the program {what} before main{}", after(.printed))]
    DiedBeforeMain {
        /// How the program ended.
        what: String,
        /// What the program printed.
        printed: String,
    },
    /// The program did not reach `main` in time.
    #[error("the program did not reach main within {} seconds{}", .within.as_secs(), after(.printed))]
    TimedOut {
        /// The time limit.
        within: Duration,
        /// What the program printed.
        printed: String,
    },
    /// The runtime refused to run the program. The text is its reason.
    #[error("the program cannot be run under control: {0}")]
    Trouble(String),
    /// The program does something before `main` that Heddle does not control. The text names it.
    #[error("{0} is not supported by heddle {version}", version = env!("CARGO_PKG_VERSION"))]
    Unsupported(String),
    /// The program has written over what it shares with Heddle.
    #[error("the program {} before main", process::describe(Death::Damaged))]
    Damaged,
    /// The user interrupted the start.
    #[error("interrupted")]
    Interrupted,
    /// An input or output error of the system.
    #[error("cannot run the program: {0}")]
    Io(#[from] io::Error),
}

impl StartError {
    /// Whether the process was killed on its way to `main`. It may get there the next time.
    pub(crate) fn was_killed(&self) -> bool {
        let killed = process::describe(Death::Signal(libc::SIGKILL as u8));
        matches!(self, StartError::NotLoaded { what, .. } | StartError::DiedBeforeMain { what, .. } if *what == killed)
    }
}

fn after(printed: &str) -> String {
    if printed.is_empty() { String::new() } else { format!("; it printed:\n{printed}") }
}

/// The result of waiting for an execution.
pub enum Waited {
    /// The execution has ended, and its result can be taken.
    Done,
    /// The process ended: the signal or status, and a description.
    Died(Death, String),
    /// The process made no progress, did not answer when asked where it was, and was killed. The text says how it hung.
    Hung(&'static str),
    /// The user interrupted the search.
    Interrupted,
    /// The deadline has passed. The execution goes on.
    Late,
}

/// How often the counter is polled before the driver sleeps: about 30 microseconds.
const LOOKS: u32 = 1000;
/// How many waits at most go without polling after polling was in vain. On a busy machine, polling takes the processor away
/// from the program that is waited for.
const PATIENCE: u32 = 63;
/// How long the driver sleeps at first before it looks whether the process is alive.
/// [`LONG_NAP`] is the longest time.
const NAP: Duration = Duration::from_millis(1);
const LONG_NAP: Duration = Duration::from_millis(40);

/// Makes the briefing of a process: what the runtime is told before the program begins.
pub fn briefing(
    options: &Options,
    program: &Program,
    restart: Restart,
    needs: Needs,
    places: &[u64],
    scratch: &Scratch,
) -> Briefing {
    Briefing {
        settings: options.settings,
        inputs: options.inputs.clone(),
        restart,
        threads_wanted: needs.threads,
        check_restore: options.check_restore,
        unwinder: needs.unwinder,
        input: options.input.as_ref().map_or_else(Vec::new, |path| path.as_os_str().as_bytes().to_vec()),
        scratch: scratch.bytes(),
        places: places.to_vec(),
        entry: program.annotations.entry,
        functions: program.annotations.atomic_functions.clone(),
    }
}

/// One process with its shared memory.
pub struct Session {
    process: Process,
    wire: Wire,
    /// Declared after the process, so that it is removed when the process is dead.
    _scratch: Scratch,
    /// How many plans were submitted to this process.
    submitted: u32,
    /// The process has reached `main`.
    ready: bool,
    /// How many more waits go without polling. `patience` is the number that was chosen last.
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
        let scratch = match facts.restart {
            Restart::Snapshot => Scratch::none(),
            Restart::Fork | Restart::Exec => Scratch::new(setup.directory()),
        };
        let briefing = briefing(options, program, facts.restart, facts.needs, places, &scratch);
        let wire = Wire::new(options.layout, &briefing, &facts.threads)?;
        let process = Process::start(program, &options.arguments, &runtime, wire.descriptor())
            .map_err(StartError::CannotExecute)?;
        debug!(
            process = process.id(),
            restart = facts.restart.name(),
            threads = facts.needs.threads,
            unwinder = facts.needs.unwinder,
            known_threads = facts.threads.len(),
            visible_places = places.len(),
            program = %program.path.display(),
            "process starts"
        );
        Ok(Session { process, wire, _scratch: scratch, submitted: 0, ready: false, without_looking: 0, patience: 0 })
    }

    /// What the runtime has reported about the executions of this process whose results were taken.
    pub fn facts(&self) -> Facts {
        let reports = self.wire.reports();
        let went = |how: Note| self.wire.went(how);
        Facts {
            reached: self.wire.labels().iter().copied().collect(),
            undetermined: went(Note::ValuesUsed),
            waits_by_clock: went(Note::WaitsByClock),
            timeouts_left_out: went(Note::TimeoutsLeftOut),
            outside: Outside {
                processes: went(Note::Processes),
                files: went(Note::Files),
                threads: went(Note::Threads),
                numbers: went(Note::Numbers),
                shared_files: went(Note::SharedFiles),
            },
            libraries: self.wire.libraries().into_iter().collect(),
            statistics: Statistics {
                checked: reports.checked.load(Ordering::Relaxed),
                differing: reports.differing.load(Ordering::Relaxed),
                ..Statistics::default()
            },
            ..Facts::default()
        }
    }

    /// The process's id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The shared memory, for changes between executions.
    pub fn wire_mut(&mut self) -> &mut Wire {
        &mut self.wire
    }

    /// The shared memory.
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// Waits until the program reaches `main`.
    pub fn wait_until_ready(&mut self, options: &Options) -> Result<(), StartError> {
        let begin = Instant::now();
        let mut nap = Duration::from_micros(20);
        loop {
            let ended = self.process.ended()?.is_some();
            // One that the program has written over may be set again.
            let stage = self.wire.stage();
            if stage == Some(Stage::Ready) {
                self.ready = true;
                debug!(process = self.id(), after = ?begin.elapsed(), "process is at main");
                return Ok(());
            }
            if ended || stage == Some(Stage::Failed) {
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

    /// Whether the process reached `main`. One that has written over its stage in the shared memory may have reached it.
    pub fn was_ready(&self) -> bool {
        self.ready || !matches!(self.wire.stage(), Some(Stage::Launched | Stage::Loaded | Stage::Failed))
    }

    /// The reason why the process did not reach `main`. Kills the process.
    pub fn start_error(&mut self) -> StartError {
        let Some(stage) = self.wire.stage() else {
            self.process.kill();
            return StartError::Damaged;
        };
        if stage == Stage::Failed {
            // What it printed is written before it leaves.
            let Some(trouble) = self.wire.trouble() else { return StartError::Damaged };
            if let Some(what) = trouble.strip_prefix("unsupported: ") {
                return StartError::Unsupported(what.to_owned());
            }
            return StartError::Trouble(if trouble.is_empty() { self.process.printed() } else { trouble });
        }
        self.process.kill();
        let what = match self.process.ended() {
            Ok(Some(status)) => process::describe(Death::from_status(status.into_raw())),
            _ => "ended".to_owned(),
        };
        let printed = self.process.printed();
        if stage != Stage::Launched {
            let limit = match limits::has_room() {
                true => "",
                false => " (the limit on stacks is too small for heddle: raise it with `ulimit -s 8192`)",
            };
            return StartError::DiedBeforeMain { what: what + limit, printed };
        }
        if printed.contains("error while loading shared libraries") || printed.contains("symbol lookup error") {
            return StartError::CannotLoad { printed };
        }
        StartError::NotLoaded { what, printed }
    }

    /// Submits a plan. Returns false if it is too large for the shared memory.
    pub fn submit(&mut self, plan: &Plan) -> bool {
        if !self.wire.put(self.submitted, plan) {
            return false;
        }
        self.submitted = self.submitted.wrapping_add(1);
        let header = self.wire.header();
        // The same total order as in the runtime, which raises its flag and then looks here again.
        header.submitted.store(self.submitted, Ordering::SeqCst);
        if self.wire.reports().runtime_sleeps.load(Ordering::SeqCst) != 0 {
            futex_wake(&header.submitted);
        }
        true
    }

    /// How many plans the process has executed, by its own account.
    pub fn completed(&self) -> u32 {
        self.wire.reports().completed.load(Ordering::Relaxed)
    }

    /// Whether more than one plan was submitted to this process.
    pub fn has_run_others(&self) -> bool {
        self.submitted != 1
    }

    /// Waits for the result of plan number `index` of this session. `in_company`: other processes work on the same search.
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
        // More than was submitted is never completed: the program has written over it. Whoever takes the result sees that there is none.
        self.wire.reports().completed.load(Ordering::Acquire).wrapping_sub(index) as i32 > 0
    }

    #[cold]
    fn wait_asleep(&mut self, index: u32, options: &Options) -> io::Result<Waited> {
        let mut nap = NAP;
        let mut watchdog = Watchdog::new(self.wire.progress());
        loop {
            let (header, reports) = (self.wire.header(), self.wire.reports());
            // Half of what is under way: the program has the other half to go on with meanwhile.
            let half = self.submitted.wrapping_sub(index) / 2;
            header.wake_at.store(index.wrapping_add(half.max(1)), Ordering::Relaxed);
            header.driver_sleeps.store(1, Ordering::SeqCst);
            let seen = reports.completed.load(Ordering::SeqCst);
            if seen.wrapping_sub(index) as i32 <= 0 {
                futex_wait(&reports.completed, seen, nap);
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
                    debug!(process = self.id(), how, "process hangs and is killed");
                    self.process.kill();
                    return Ok(Waited::Hung(how));
                }
            } else if watchdog.since.elapsed() > options.start_within || self.wire.stage() == Some(Stage::Failed) {
                self.process.kill();
                return Ok(Waited::Died(Death::Unstarted, "the program did not reach main".to_owned()));
            }
            nap = (nap * 2).min(LONG_NAP);
        }
    }

    /// Copies the result of plan number `index`, and adds the names of new threads to `names`. Returns false if it is not what the runtime has
    /// written.
    pub fn take(&mut self, index: u32, into: &mut Taken, record: bool, names: &mut Vec<ThreadName>) -> bool {
        self.wire.get(index, into, record, names).is_some()
    }
}

fn futex_wait(word: &AtomicU32, value: u32, timeout: Duration) {
    let timeout = Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
    // Two processes share the futex, so it is not a private one. Why the wait ended does not matter.
    let _ = futex::wait(word, futex::Flags::empty(), value, Some(&timeout));
}

fn futex_wake(word: &AtomicU32) {
    let _ = futex::wake(word, futex::Flags::empty(), 1);
}
