//! Runs plans in processes of a program: the native [`Executor`].
//!
//! Several plans are under way at once; the program runs the next while the search looks at the last. Whatever
//! happens to a process costs at most the execution that was under way: the plans behind it are kept here, and are
//! handed to the next process.
//!
//! A process runs many executions, and a broken one may leave damage that shows only in a later one. So a plan is
//! blamed for the end of a process, or for results that make no sense, only if it does the same as the first and only
//! one of a new process.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use heddle_model::finding::Location;
use heddle_model::wire::{self, Header, LABELS, PLACES, Restart, ThreadName};
use heddle_model::{Execution, Executor, ExecutorError, Outcome, Plan};

use crate::binary::annotations::Label;
use crate::binary::assembly;
use crate::binary::program::Program;
use crate::binary::symbols::Mappings;
use crate::binary::uninstrumented;
use crate::build::library;
use crate::run::crew::Crew;
use crate::run::options::{Options, RestartMode};
use crate::run::process;
use crate::run::session::{Needs, Session, StartError, Waited};
use crate::run::wire::Taken;
use crate::temporary::TemporaryDirectory;

/// Why executions start over by fork though nobody asked for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fallback {
    /// What the program did that a snapshot cannot take back: the runtime's words.
    pub what: String,
    /// Where: a return address.
    pub pc: u64,
}

/// What happened to the processes, beside executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Processes started.
    pub processes: u64,
    /// Executions that were lost because their process died or had to be killed.
    pub lost: u64,
    /// Executions that were run again alone because their process died, though not of them.
    pub repeated: u64,
    /// Memory restorations that were compared with the snapshot, with [`Options::check_restore`].
    pub checked: u64,
    /// Pages that differed.
    pub differing: u64,
}

/// Runs plans in processes of one program.
///
/// The processes die with the thread that started them, so that nothing stays behind whatever happens to Heddle: an
/// executor is used on the thread that made it.
pub struct NativeExecutor {
    program: Program,
    options: Options,
    session: Option<Session>,
    /// Plans under way, in a ring: their room is used again.
    plans: Vec<Plan>,
    /// Plans handed over, and results given back, ever.
    submitted: u32,
    received: u32,
    /// The number of the plan that was the session's first.
    session_first: u32,
    /// The session has only the oldest plan, to see what that alone does.
    alone: bool,
    restart: Restart,
    fallback: Option<Fallback>,
    /// Of earlier sessions.
    timeouts_left_out: bool,
    /// Of earlier sessions: [`wire::Outside`].
    outside: u32,
    needs: Needs,
    names: Vec<ThreadName>,
    pub(crate) taken: Taken,
    mappings: Mappings,
    statistics: Statistics,
    /// The places of plain memory that are visible.
    places: Vec<u64>,
    /// Fingerprints of the labels that ended processes have reached.
    labels: HashSet<u64>,
    /// The libraries that ended processes have loaded themselves.
    loaded: BTreeSet<PathBuf>,
    /// A process that ended has asked for an undetermined number.
    values_used: bool,
    /// How a process last died that was not to blame for it.
    died: Option<String>,
    runtime: Rc<TemporaryDirectory>,
    pub(crate) crew: Crew,
    /// Others work on the same search.
    pub(crate) in_company: bool,
}

/// What was seen that is no part of an execution.
pub(crate) struct Seen {
    pub(crate) labels: HashSet<u64>,
    pub(crate) used: bool,
    pub(crate) left_out: bool,
    pub(crate) outside: u32,
}

impl NativeExecutor {
    /// Starts the program and brings it to the beginning of `main`.
    pub fn launch(program: &Program, options: Options) -> Result<NativeExecutor, StartError> {
        let runtime = TemporaryDirectory::new()?;
        library::write_to(runtime.path())?;
        NativeExecutor::with_runtime(program, options, Rc::new(runtime))
    }

    /// Another process of the same program, run in the same way. It knows what this one knows.
    pub(crate) fn sibling(&self) -> Result<NativeExecutor, StartError> {
        let mut sibling = NativeExecutor::with_runtime(&self.program, self.options.clone(), Rc::clone(&self.runtime))?;
        (sibling.restart, sibling.needs) = (self.restart, self.needs);
        sibling.names.clone_from(&self.names);
        sibling.places.clone_from(&self.places);
        sibling.in_company = true;
        sibling.start()?;
        Ok(sibling)
    }

    fn with_runtime(
        program: &Program,
        options: Options,
        runtime: Rc<TemporaryDirectory>,
    ) -> Result<NativeExecutor, StartError> {
        assert!(options.layout.slots.is_power_of_two(), "slots are counted with numbers that run around");
        let restart = match options.restart {
            RestartMode::Auto => Restart::Snapshot,
            RestartMode::Only(restart) => restart,
        };
        let depth = if restart == Restart::Exec { 1 } else { options.layout.slots };
        let mut executor = NativeExecutor {
            program: program.clone(),
            session: None,
            plans: vec![Plan::default(); depth as usize],
            submitted: 0,
            received: 0,
            session_first: 0,
            alone: false,
            restart,
            fallback: None,
            timeouts_left_out: false,
            outside: 0,
            needs: Needs { threads: options.threads, unwinder: false },
            names: Vec::new(),
            taken: Taken::new(),
            mappings: Mappings::default(),
            statistics: Statistics::default(),
            places: Vec::new(),
            labels: HashSet::new(),
            loaded: BTreeSet::new(),
            values_used: false,
            died: None,
            runtime,
            crew: Crew::default(),
            in_company: false,
            options,
        };
        executor.start()?;
        Ok(executor)
    }

    /// How executions start over now.
    pub fn restart(&self) -> Restart {
        self.restart
    }

    /// Why they start over by fork, where nobody asked for that.
    pub fn fallback(&self) -> Option<&Fallback> {
        self.fallback.as_ref()
    }

    /// Whether some execution came to a time-out that was left out because its thread had timed out too often before.
    pub fn timeouts_left_out(&self) -> bool {
        let now = self.session.as_ref().map(|session| session.wire().header().timeouts_left_out.load(Relaxed) != 0);
        self.timeouts_left_out || now == Some(true)
    }

    /// Whether an execution did something that is outside the model.
    pub fn went_outside(&self, how: wire::Outside) -> bool {
        let now = self.session.as_ref().map_or(0, |session| session.wire().header().outside.load(Relaxed));
        (self.outside | now) & how as u32 != 0
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How it is run.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Where the runtime is.
    pub(crate) fn runtime_path(&self) -> std::path::PathBuf {
        self.runtime.path().join(library::NAME)
    }

    /// What executions were found to need.
    pub(crate) fn needs(&self) -> Needs {
        self.needs
    }

    /// Where the program and its libraries lie in memory.
    pub fn mappings(&self) -> &Mappings {
        &self.mappings
    }

    /// Whose n-th child each thread is, as far as threads have been seen.
    pub fn thread_names(&self) -> &[ThreadName] {
        &self.names
    }

    /// The process that runs executions now, if there is one.
    pub fn process_id(&self) -> Option<u32> {
        self.session.as_ref().map(Session::id)
    }

    /// Where the program was when the last execution ended, for outcomes that are no event: a return address, or 0.
    pub fn last_pc(&self) -> u64 {
        self.taken.result.pc
    }

    /// The places of plain memory that are visible now.
    pub fn places(&self) -> &[u64] {
        &self.places
    }

    /// What happened beside executions.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = self.statistics;
        if let Some(session) = &self.session {
            add_checks(&mut statistics, session);
        }
        statistics
    }

    /// How a process last died in the middle of an execution that did well when it was run again.
    pub fn died(&self) -> Option<&str> {
        self.died.as_deref()
    }

    /// The labels of `heddle_reachable` that no execution has reached so far.
    pub fn unreached(&self) -> Vec<&Label> {
        let (mut labels, mut used) = (self.labels.clone(), false);
        if let Some(session) = &self.session {
            note(session.wire().header(), &mut labels, &mut used);
        }
        let missing = |label: &&Label| !labels.contains(&heddle_model::wire::label(label.name.as_bytes()));
        self.program.annotations.labels.iter().filter(missing).collect()
    }

    /// Whether an execution has asked for an undetermined number that can be more than [`Options::nondet`] says.
    pub fn has_undetermined(&self) -> bool {
        let (mut labels, mut used) = (HashSet::new(), self.values_used);
        if let Some(session) = &self.session {
            note(session.wire().header(), &mut labels, &mut used);
        }
        used
    }

    /// What was loaded or linked in without instrumentation, by name: what it does to memory is not seen. Libraries of the
    /// system's own that every program has are left out.
    pub fn unseen(&self) -> Vec<String> {
        const OF_ALL: [&str; 13] = [
            "libc.so",
            "libm.so",
            "libpthread.so",
            "libdl.so",
            "librt.so",
            "libstdc++.so",
            "libc++.so",
            "libc++abi.so",
            "libunwind.so",
            "libgcc_s.so",
            "ld-linux",
            "libatomic.so",
            "libheddle_runtime.so",
        ];
        let mut names = self.program.unseen.clone();
        for path in self.files() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_library = name.ends_with(".so") || name.contains(".so.");
            if is_library && !OF_ALL.iter().any(|own| name.starts_with(own)) && !uninstrumented::is_instrumented(&path)
            {
                names.push(name);
            }
        }
        names
    }

    /// The program and its libraries, those that it has loaded itself included.
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.mappings.files().into_iter().map(|mapping| mapping.path.clone()).collect();
        let now = self.session.as_ref().map_or_else(Vec::new, |session| session.wire().libraries());
        for path in self.loaded.iter().cloned().chain(now) {
            // Whatever else it needs is told by a name that may be another way to the same file.
            let is_same = |known: &PathBuf| known == &path || known.canonicalize().ok() == path.canonicalize().ok();
            if !files.iter().any(is_same) {
                files.push(path);
            }
        }
        files
    }

    /// Where instrumented code has atomic instructions in inline assembly: they are not seen.
    pub fn assembly(&self) -> Vec<Location> {
        let is_own = |path: &Path| path.file_name().is_some_and(|name| name == library::NAME);
        let is_built =
            |path: &Path| path == self.program.path || !is_own(path) && uninstrumented::is_instrumented(path);
        self.files().iter().filter(|path| is_built(path)).flat_map(|path| assembly::lines(path)).collect()
    }

    /// Whether addresses are the same from one process to the next. Some containers forbid that.
    pub fn addresses_are_fixed() -> bool {
        process::can_fix_addresses()
    }

    /// Forgets the plans under way. Their executions are run for nothing, or cut off.
    pub fn discard(&mut self) -> Result<(), ExecutorError> {
        while self.is_at_work() {
            self.receive()?;
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), StartError> {
        /// Killed more often than this on its way to `main`, there is something about the program.
        const PATIENCE: u32 = 3;
        let mut killed = 0;
        loop {
            match self.try_start() {
                Err(error) if error.was_killed() && killed < PATIENCE => killed += 1,
                result => return result,
            }
        }
    }

    fn try_start(&mut self) -> Result<(), StartError> {
        self.end_session();
        let runtime = self.runtime.path().join(library::NAME);
        let mut session = Session::start(
            &self.program,
            &self.options,
            &runtime,
            self.restart,
            self.needs,
            &self.names,
            &self.places,
        )?;
        self.statistics.processes += 1;
        // An execution in a process of its own need not wait for it to be ready; only the first time, to see where
        // everything lies.
        if self.restart != Restart::Exec || self.mappings.is_empty() {
            session.wait_until_ready(&self.options)?;
            if self.mappings.is_empty() {
                self.mappings = Mappings::of_process(session.id())?;
            }
        }
        self.session = Some(session);
        self.session_first = self.received;
        let waiting = self.submitted.wrapping_sub(self.received);
        for number in 0..if self.alone { waiting.min(1) } else { waiting } {
            self.feed(self.received.wrapping_add(number));
        }
        Ok(())
    }

    /// Ends the process, if there is one.
    fn end_session(&mut self) {
        if let Some(session) = self.session.take() {
            self.timeouts_left_out |= session.wire().header().timeouts_left_out.load(Relaxed) != 0;
            self.outside |= session.wire().header().outside.load(Relaxed);
            add_checks(&mut self.statistics, &session);
            note(session.wire().header(), &mut self.labels, &mut self.values_used);
            self.loaded.extend(session.wire().libraries());
        }
    }

    fn feed(&mut self, number: u32) {
        let plan = &self.plans[number as usize % self.plans.len()];
        if let Some(session) = &mut self.session {
            let fits = session.submit(plan);
            debug_assert!(fits, "plans that do not fit are refused when they are handed over");
        }
    }

    /// The result of the oldest plan into `taken`, whatever it takes.
    pub(crate) fn obtain(&mut self) -> Result<Outcome, ExecutorError> {
        let record = self.plans[self.received as usize % self.plans.len()].record;
        loop {
            if self.session.is_none() {
                self.start().map_err(start_failed)?;
            }
            let Some(session) = &mut self.session else { continue };
            let index = self.received.wrapping_sub(self.session_first);
            match session.wait(index, &self.options, self.in_company)? {
                Waited::Done => {}
                Waited::Interrupted => return Err(ExecutorError::Interrupted),
                Waited::Late => return Err(ExecutorError::Late),
                Waited::Died(..) if !session.was_ready() => return Err(start_failed(session.start_error())),
                Waited::Died(_, what) if session.has_run_others() => {
                    self.statistics.repeated += 1;
                    self.died = Some(what);
                    self.try_alone();
                    continue;
                }
                Waited::Died(number, what) => return Ok(self.lose(Outcome::Killed, number, &what)),
                Waited::Hung(how) => return Ok(self.lose(Outcome::Hang, 0, &format!("the program {how}"))),
            }
            let sensible = session.take(index, &mut self.taken, record) && session.wire().add_names(&mut self.names);
            let outcome = Outcome::from_code(self.taken.result.outcome).filter(|&o| sensible && o != Outcome::Running);
            let Some(outcome) = outcome else {
                if session.has_run_others() {
                    self.try_alone();
                    continue;
                }
                return Ok(self.lose(
                    Outcome::Killed,
                    0,
                    "the program has damaged the memory that it shares with Heddle",
                ));
            };
            match outcome {
                Outcome::NeedsFork
                    if self.options.restart == RestartMode::Auto && self.restart == Restart::Snapshot =>
                {
                    self.fallback = Some(Fallback { what: self.taken.message.clone(), pc: self.taken.result.pc });
                    self.restart = Restart::Fork;
                    self.end_session();
                }
                Outcome::NeedsThreads if self.prepare_more() => self.end_session(),
                _ => {
                    if self.restart == Restart::Exec {
                        self.end_session();
                    }
                    if outcome == Outcome::Killed && self.taken.message.is_empty() {
                        // The runtime saw a child die: it knows the status, and no words.
                        let status = ExitStatus::from_raw(self.taken.result.detail as i32);
                        self.taken.message = format!("the program {}", process::describe(status).1);
                    }
                    return Ok(outcome);
                }
            }
        }
    }

    /// Prepares for what the last execution needed. False if it cannot be had.
    fn prepare_more(&mut self) -> bool {
        let unwinder = self.session.as_ref().is_some_and(|session| session.wire().header().unwinder.load(Relaxed) == 1);
        if unwinder && !self.needs.unwinder {
            self.needs.unwinder = true;
            return true;
        }
        let most = self.options.layout.threads;
        let needed = u32::try_from(self.taken.result.detail).unwrap_or(u32::MAX);
        if needed > most || self.needs.threads >= most {
            return false;
        }
        self.needs.threads = needed.max(self.needs.threads.saturating_mul(2)).min(most);
        true
    }

    /// The oldest plan once more, as the only one of a new process.
    fn try_alone(&mut self) {
        self.end_session();
        self.alone = true;
    }

    fn lose(&mut self, outcome: Outcome, detail: u64, message: &str) -> Outcome {
        self.statistics.lost += 1;
        self.taken.lost(outcome, detail, message);
        self.end_session();
        // The plans behind the lost one start over in the next process, which begins with the one after it.
        outcome
    }
}

/// Into room that is there already. `Clone::clone_from` as it is derived would make a new plan.
fn copy_plan(from: &Plan, to: &mut Plan) {
    let Plan { schedule, sleep, policy, seed, max_steps, record, aim, round } = from;
    to.schedule.clone_from(schedule);
    to.sleep.clone_from(sleep);
    (to.policy, to.seed, to.max_steps) = (*policy, *seed, *max_steps);
    (to.record, to.aim, to.round) = (*record, *aim, *round);
}

/// Adds what the program has told a process. The program could have written there, too: counts are checked.
fn note(header: &Header, labels: &mut HashSet<u64>, used: &mut bool) {
    let annotations = &header.annotations;
    let count = (annotations.labels_len.load(Relaxed) as usize).min(LABELS);
    labels.extend(annotations.labels[..count].iter().map(|label| label.load(Relaxed)));
    *used |= annotations.values_used.load(Relaxed) != 0;
}

fn add_checks(statistics: &mut Statistics, session: &Session) {
    statistics.checked = statistics.checked.saturating_add(session.wire().header().checked.load(Relaxed));
    statistics.differing = statistics.differing.saturating_add(session.wire().header().differing.load(Relaxed));
}

pub(crate) fn start_failed(error: StartError) -> ExecutorError {
    match error {
        StartError::Interrupted => ExecutorError::Interrupted,
        StartError::Io(error) => ExecutorError::Io(error),
        error => ExecutorError::CannotRun(error.to_string()),
    }
}

/// One process's part of the work; who does which part is the business of [`crate::run::crew`].
impl NativeExecutor {
    pub(crate) fn put(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        let depth = self.plans.len();
        let layout = &self.options.layout;
        if !self.has_room() {
            return Err(io::Error::other("more plans are handed over than there is room for").into());
        }
        if plan.schedule.len() > layout.events as usize || plan.sleep.len() > layout.threads as usize {
            return Err(ExecutorError::CannotRun(format!("a schedule of {} steps is too long", plan.schedule.len())));
        }
        // Copied into room that is there already: nothing is allocated once the plans have reached their size.
        let number = self.submitted;
        copy_plan(plan, &mut self.plans[number as usize % depth]);
        self.submitted = number.wrapping_add(1);
        if !self.alone {
            self.feed(number);
        }
        Ok(())
    }

    /// Whether one more plan can be handed over.
    pub(crate) fn has_room(&self) -> bool {
        (self.submitted.wrapping_sub(self.received) as usize) < self.plans.len()
    }

    /// How many of the plans that were handed over have not come to their end yet.
    pub(crate) fn left_to_run(&self) -> u32 {
        // The program could have written to the counter: it is good for a guess, and for no more.
        let ended = self.session.as_ref().map_or(0, Session::completed).wrapping_add(self.session_first);
        self.submitted.wrapping_sub(ended).min(self.submitted.wrapping_sub(self.received))
    }

    /// The oldest result was obtained, and is given back.
    pub(crate) fn taken_out(&mut self) {
        self.received = self.received.wrapping_add(1);
        if std::mem::take(&mut self.alone) {
            for number in 0..self.submitted.wrapping_sub(self.received) {
                self.feed(self.received.wrapping_add(number));
            }
        }
    }

    /// Ends the process if it has anything to do, and forgets what that was.
    pub(crate) fn drop_plans(&mut self) {
        if self.submitted != self.received {
            self.end_session();
            self.received = self.submitted;
            self.alone = false;
        }
    }

    /// What was last obtained.
    pub(crate) fn execution(&self, outcome: Outcome) -> Execution<'_> {
        let taken = &self.taken;
        Execution {
            events: &taken.events,
            pending: &taken.pending,
            outcome,
            detail: taken.result.detail,
            left: taken.result.left,
            thread: taken.result.thread,
            message: &taken.message,
            output: &taken.output,
            races: &taken.races,
        }
    }

    /// Threads have these names. A process that has others is replaced, and what it had under way is run again.
    pub(crate) fn agree(&mut self, names: &[ThreadName]) -> Result<(), ExecutorError> {
        if self.names != names {
            self.names = names.to_vec();
            self.start().map_err(start_failed)?;
        }
        Ok(())
    }

    pub(crate) fn show(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        if places.len() > PLACES {
            return Err(ExecutorError::CannotRun(format!("data races on more than {PLACES} places of memory")));
        }
        self.places = places.to_vec();
        if let Some(session) = &mut self.session {
            session.wire_mut().reveal(places);
        }
        Ok(())
    }

    /// What was seen that is no part of an execution, by processes that ended and by the one that runs.
    pub(crate) fn seen(&self) -> Seen {
        let (mut labels, mut used) = (self.labels.clone(), self.values_used);
        if let Some(session) = &self.session {
            note(session.wire().header(), &mut labels, &mut used);
        }
        let outside = self.session.as_ref().map_or(0, |session| session.wire().header().outside.load(Relaxed));
        Seen { labels, used, left_out: self.timeouts_left_out(), outside: self.outside | outside }
    }

    /// The same, seen by another.
    pub(crate) fn have_seen(&mut self, seen: Seen) {
        self.labels.extend(seen.labels);
        self.values_used |= seen.used;
        self.timeouts_left_out |= seen.left_out;
        self.outside |= seen.outside;
    }

    /// Takes over what a helper has seen.
    pub(crate) fn learn_from(&mut self, mut helper: NativeExecutor) {
        helper.end_session();
        self.timeouts_left_out |= helper.timeouts_left_out;
        self.outside |= helper.outside;
        self.values_used |= helper.values_used;
        self.labels.extend(helper.labels.iter());
        self.loaded.append(&mut helper.loaded);
        self.died = self.died.take().or(helper.died.take());
        if self.fallback.is_none() && helper.fallback.is_some() {
            self.end_session();
            (self.fallback, self.restart) = (helper.fallback.take(), helper.restart);
        }
        let (own, others) = (&mut self.statistics, helper.statistics);
        own.processes += others.processes;
        own.lost += others.lost;
        own.repeated += others.repeated;
        own.checked += others.checked;
        own.differing += others.differing;
    }
}

impl Executor for NativeExecutor {
    fn memory(&mut self) -> Vec<u8> {
        self.whole_memory()
    }

    fn remember(&mut self, memory: &[u8]) -> Result<(), ExecutorError> {
        self.take_over(memory)
    }

    fn depth(&self) -> usize {
        self.crew_depth(self.plans.len())
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.deal(plan)
    }

    fn wait_until(&mut self, deadline: Option<Instant>) {
        self.options.deadline = deadline;
        self.tell_helpers(|helper| helper.options.deadline = deadline);
    }

    fn abandon(&mut self) {
        self.drop_plans();
        self.tell_helpers(NativeExecutor::drop_plans);
        self.crew.forget();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.show(places)?;
        self.reveal_to_helpers(places)
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        if !self.is_at_work() {
            return Err(io::Error::other("no plan is under way").into());
        }
        self.collect()
    }
}
