//! One process of the program and the plans that it is to run.
//!
//! Several plans are under way at once: the program runs the next one while the search analyses the last. Whatever
//! happens to a process costs at most the execution that was under way. The plans behind it are kept here and are
//! given to the next process.
//!
//! A process runs many executions, and a broken one may leave damage that shows only in a later one. So a plan is
//! blamed for the death of a process, or for results that make no sense, only if it does the same as the first and
//! only plan of a new process.

use std::io;

use heddle_model::facts::{Fallback, Needs};
use heddle_model::wire::{Note, PLACES, ThreadName};
use heddle_model::{Death, Execution, ExecutorError, Facts, Fingerprint, Outcome, Plan, Restart, RestartMode};

use tracing::debug;

use super::plans::Plans;
use super::process;
use super::session::{Session, StartError, Waited};
use super::setup::{Setup, compares_stacks};
use super::wire::Taken;
use crate::binary::symbols::Mappings;

/// One process of the program and the plans that it is to run.
pub struct Worker {
    session: Option<Session>,
    plans: Plans,
    /// The number of the plan that was the session's first.
    session_first: u32,
    /// The session has only the oldest plan, to see what that does alone.
    alone: bool,
    /// The granules of plain memory that are visible.
    places: Vec<u64>,
    /// The states at which executions end, for the next process.
    known: Vec<Fingerprint>,
    /// Processes have the table of dead stack bytes.
    compares_stacks: bool,
    /// What ended sessions have reported, and how the next one is started.
    facts: Facts,
    taken: Taken,
    mappings: Mappings,
}

impl Worker {
    /// Starts the first process of a program and brings it to the beginning of `main`.
    pub fn first(setup: &Setup) -> Result<Worker, StartError> {
        let restart = match setup.options.settings.restart {
            RestartMode::Auto => Restart::Snapshot,
            RestartMode::Only(restart) => restart,
        };
        let needs = Needs { threads: setup.options.threads, unwinder: false };
        Worker::start(setup, Facts { restart, needs, ..Facts::default() }, &[])
    }

    /// Starts a process that begins with what this worker knows and with the given names of threads.
    pub fn another(&self, setup: &Setup, threads: &[ThreadName]) -> Result<Worker, StartError> {
        let Facts { restart, needs, .. } = self.facts;
        let facts = Facts { restart, needs, threads: threads.to_vec(), ..Facts::default() };
        let mut worker = Worker::start(setup, facts, &self.places)?;
        worker.remember(&self.known);
        Ok(worker)
    }

    fn start(setup: &Setup, facts: Facts, places: &[u64]) -> Result<Worker, StartError> {
        let depth = if facts.restart == Restart::Exec { 1 } else { setup.options.layout.slots };
        let mut worker = Worker {
            session: None,
            plans: Plans::new(depth as usize),
            session_first: 0,
            alone: false,
            places: places.to_vec(),
            known: Vec::new(),
            compares_stacks: false,
            facts,
            taken: Taken::new(),
            mappings: Mappings::default(),
        };
        worker.restart_session(setup)?;
        Ok(worker)
    }

    /// The process's id, if a process runs.
    pub fn process_id(&self) -> Option<u32> {
        self.session.as_ref().map(Session::id)
    }

    /// How many plans can be under way at once.
    pub fn depth(&self) -> usize {
        self.plans.depth()
    }

    /// Where the program and its libraries lie in memory.
    pub fn mappings(&self) -> &Mappings {
        &self.mappings
    }

    /// The granules of plain memory that are visible now.
    pub fn places(&self) -> &[u64] {
        &self.places
    }

    /// The names of the threads that this worker has seen or was told of.
    pub fn threads(&self) -> &[ThreadName] {
        &self.facts.threads
    }

    /// The result that was last obtained.
    pub fn taken(&self) -> &Taken {
        &self.taken
    }

    /// What executions were found to need.
    pub fn needs(&self) -> Needs {
        self.facts.needs
    }

    /// What this worker has learnt, from the process that runs as well.
    pub fn facts(&self) -> Facts {
        let mut facts = self.facts.clone();
        if let Some(session) = &self.session {
            facts.merge(&session.facts());
        }
        facts
    }

    /// Ends the process. Returns what the worker has learnt.
    pub fn end(mut self) -> Facts {
        self.end_session();
        self.facts
    }

    /// Uses what others have learnt about how executions must be run: what they need, and that a snapshot does not do.
    pub fn adopt(&mut self, setup: &Setup, facts: &Facts) {
        let Needs { threads, unwinder } = facts.needs;
        let most = setup.options.layout.threads;
        let own = self.facts.needs;
        self.facts.needs = Needs { threads: own.threads.max(threads.min(most)), unwinder: own.unwinder | unwinder };
        if facts.fallback.is_some() && self.can_fall_back(setup) {
            self.fall_back(facts.fallback.clone());
        }
    }

    /// Whether a plan can be handed over now.
    pub fn has_room(&self) -> bool {
        self.plans.has_room()
    }

    /// How many of the plans that were handed over are not finished yet. An estimate: the program can write to the
    /// counter that it is read from.
    pub fn unfinished(&self) -> u32 {
        let finished = self.session.as_ref().map_or(0, Session::completed).wrapping_add(self.session_first);
        self.plans.after(finished)
    }

    /// Hands a plan over.
    pub fn submit(&mut self, setup: &Setup, plan: &Plan) -> Result<(), ExecutorError> {
        let layout = &setup.options.layout;
        if !self.has_room() {
            return Err(io::Error::other("more plans were submitted than there is room for").into());
        }
        if plan.schedule.len() > layout.events as usize || plan.sleep.len() > layout.threads as usize {
            return Err(ExecutorError::CannotRun(format!("a schedule of {} steps is too long", plan.schedule.len())));
        }
        if plan.states.are_computed() && self.facts.restart != Restart::Snapshot {
            return Err(ExecutorError::CannotRun("only a snapshot knows the states of a program".to_owned()));
        }
        if !self.compares_stacks && compares_stacks(plan, &self.places) {
            self.compares_stacks = true;
            if let Some(session) = &mut self.session {
                session.wire_mut().set_frames(setup.frames());
            }
        }
        let number = self.plans.push(plan);
        if !self.alone {
            self.feed(number);
        }
        Ok(())
    }

    /// Waits for the result of the oldest plan and keeps it in [`Worker::taken`], however many processes it takes.
    /// The plan stays the oldest until [`Worker::finish`]. `in_company`: other workers run plans of the same search.
    pub fn obtain(&mut self, setup: &Setup, in_company: bool) -> Result<Outcome, ExecutorError> {
        let Plan { record, states, .. } = *self.plans.get(self.plans.oldest());
        loop {
            if self.session.is_none() {
                self.restart_session(setup).map_err(start_failed)?;
            }
            let Some(session) = &mut self.session else { continue };
            let index = self.plans.oldest().wrapping_sub(self.session_first);
            match session.wait(index, &setup.options, in_company)? {
                Waited::Done => {}
                Waited::Interrupted => return Err(ExecutorError::Interrupted),
                Waited::Late => return Err(ExecutorError::Late),
                Waited::Died(..) if !session.was_ready() => return Err(start_failed(session.start_error())),
                Waited::Died(_, what) if session.has_run_others() => {
                    debug!(what, "process died: its execution is run again, alone");
                    self.facts.statistics.repeated += 1;
                    self.facts.died = Some(what);
                    self.try_alone();
                    continue;
                }
                Waited::Died(death, what) => return Ok(self.lose(Outcome::Killed(death), &what)),
                Waited::Hung(how) => return Ok(self.lose(Outcome::Hang, &format!("the program {how}"))),
            }
            let names = &mut self.facts.threads;
            let sensible = session.take(index, &mut self.taken, record, names);
            let outcome = self.taken.outcome;
            if !sensible || outcome == Outcome::Running {
                if session.has_run_others() {
                    debug!("result makes no sense: its execution is run again, alone");
                    self.try_alone();
                    continue;
                }
                let what = format!("the program {}", process::describe(Death::Damaged));
                return Ok(self.lose(Outcome::Killed(Death::Damaged), &what));
            }
            match outcome {
                // Only a snapshot knows what the program has written to.
                Outcome::NeedsFork if self.can_fall_back(setup) && !states.are_computed() => {
                    let what = self.taken.message.clone();
                    self.fall_back(Some(Fallback { what, pc: self.taken.result.pc }));
                }
                Outcome::NeedsThreads { count } if self.prepare_more(setup, count) => {
                    debug!(needs = ?self.facts.needs, "execution needs more than was prepared");
                    self.end_session();
                }
                _ => {
                    if self.facts.restart == Restart::Exec {
                        self.end_session();
                    }
                    if let Outcome::Killed(death) = outcome {
                        // The runtime saw a child die: it knows how, and has no words for it.
                        self.taken.message = format!("the program {}", process::describe(death));
                    }
                    return Ok(outcome);
                }
            }
        }
    }

    /// Removes the oldest plan, whose result was obtained.
    pub fn finish(&mut self) {
        self.plans.pop();
        if std::mem::take(&mut self.alone) {
            self.plans.numbers().for_each(|number| self.feed(number));
        }
    }

    /// Drops all plans. Ends the process if it has any.
    pub fn abandon(&mut self) {
        if self.plans.count() > 0 {
            self.end_session();
            self.plans.clear();
            self.alone = false;
        }
    }

    /// The result that was last obtained, as the search sees it.
    pub fn execution(&self, outcome: Outcome) -> Execution<'_> {
        let taken = &self.taken;
        Execution {
            events: &taken.events,
            pending: &taken.pending,
            outcome,
            circle: taken.circle,
            left: taken.result.left,
            thread: taken.result.thread,
            message: &taken.message,
            output: &taken.output,
            races: &taken.races,
            states: &taken.states,
            touches: &taken.touches,
        }
    }

    /// Uses these names of threads. A process with other names is replaced; the new one runs its unfinished plans.
    pub fn agree(&mut self, setup: &Setup, names: &[ThreadName]) -> Result<(), ExecutorError> {
        if self.facts.threads != names {
            debug!(known = names.len(), "worker starts over with the names of threads that others use");
            self.facts.threads = names.to_vec();
            self.restart_session(setup).map_err(start_failed)?;
        }
        Ok(())
    }

    /// Makes accesses to these granules of plain memory visible, and to no others.
    pub fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        if places.len() > PLACES {
            return Err(ExecutorError::CannotRun(format!("more than {PLACES} memory locations have data races")));
        }
        self.places = places.to_vec();
        if let Some(session) = &mut self.session {
            session.wire_mut().reveal(places);
        }
        Ok(())
    }

    /// Makes executions end at these states, too.
    pub fn remember(&mut self, states: &[Fingerprint]) {
        self.known.extend_from_slice(states);
        if let Some(session) = &mut self.session {
            session.wire_mut().remember(states);
        }
    }

    /// Forgets all states at which executions end.
    pub fn forget_states(&mut self) {
        self.known.clear();
        if let Some(session) = &mut self.session {
            session.wire_mut().forget_states();
        }
    }

    /// Starts a new process and gives it the plans under way.
    fn restart_session(&mut self, setup: &Setup) -> Result<(), StartError> {
        /// A program that is killed more often than this on its way to `main` is not killed by accident.
        const PATIENCE: u32 = 3;
        let mut killed = 0;
        loop {
            match self.try_start(setup) {
                Err(error) if error.was_killed() && killed < PATIENCE => killed += 1,
                result => return result,
            }
        }
    }

    fn try_start(&mut self, setup: &Setup) -> Result<(), StartError> {
        self.end_session();
        let mut session = Session::start(setup, &self.facts, &self.places)?;
        session.wire_mut().remember(&self.known);
        if self.compares_stacks {
            session.wire_mut().set_frames(setup.frames());
        }
        self.facts.statistics.processes += 1;
        // A process for one execution is not waited for, except the first: its mappings are read when it is ready.
        if self.facts.restart != Restart::Exec || self.mappings.is_empty() {
            session.wait_until_ready(&setup.options)?;
            if self.mappings.is_empty() {
                self.mappings = Mappings::of_process(session.id())?;
            }
        }
        self.session = Some(session);
        self.session_first = self.plans.oldest();
        let count = if self.alone { 1 } else { usize::MAX };
        self.plans.numbers().take(count).for_each(|number| self.feed(number));
        Ok(())
    }

    /// Ends the process, if there is one, and keeps what it has reported.
    fn end_session(&mut self) {
        if let Some(session) = self.session.take() {
            self.facts.merge(&session.facts());
        }
    }

    fn feed(&mut self, number: u32) {
        if let Some(session) = &mut self.session {
            let fits = session.submit(self.plans.get(number));
            debug_assert!(fits, "plans that do not fit are refused when they are handed over");
        }
    }

    fn can_fall_back(&self, setup: &Setup) -> bool {
        setup.options.settings.restart == RestartMode::Auto && self.facts.restart == Restart::Snapshot
    }

    /// Makes executions start over by fork, from the next process on.
    fn fall_back(&mut self, why: Option<Fallback>) {
        debug!(?why, "executions start over by fork from now on");
        self.end_session();
        (self.facts.fallback, self.facts.restart) = (why, Restart::Fork);
    }

    /// Prepares for what the last execution needed. False if it cannot be had.
    fn prepare_more(&mut self, setup: &Setup, needed: u32) -> bool {
        let needs = &mut self.facts.needs;
        let unwinder = self.session.as_ref().is_some_and(|session| session.wire().went(Note::Unwinder));
        if unwinder && !needs.unwinder {
            needs.unwinder = true;
            return true;
        }
        let most = setup.options.layout.threads;
        if needed > most || needs.threads >= most {
            return false;
        }
        needs.threads = needed.max(needs.threads.saturating_mul(2)).min(most);
        true
    }

    /// Gives the oldest plan to a new process, which runs nothing else.
    fn try_alone(&mut self) {
        self.end_session();
        self.alone = true;
    }

    /// Ends the process, whose execution has no result. The plans behind it are given to the next process.
    fn lose(&mut self, outcome: Outcome, message: &str) -> Outcome {
        debug!(?outcome, message, "execution is lost");
        self.facts.statistics.lost += 1;
        self.taken.lost(outcome, message);
        self.end_session();
        outcome
    }
}

/// A process that could not be started, as the search sees it.
pub fn start_failed(error: StartError) -> ExecutorError {
    match error {
        StartError::Interrupted => ExecutorError::Interrupted,
        StartError::Io(error) => ExecutorError::Io(error),
        StartError::Damaged => ExecutorError::Damaged(error.to_string()),
        error => ExecutorError::CannotRun(error.to_string()),
    }
}
