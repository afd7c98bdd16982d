//! Several workers on one search (`--jobs`).
//!
//! A plan goes to the worker with the fewest unfinished ones, and results come back in the order in which plans were
//! handed over. Dealing plans out in turn would make all workers as slow as the slowest, which is the one that shares its
//! processor with the search. A worker is added only when the search does little but wait for results. Where executions
//! take hardly longer than their analysis, one worker keeps the search busy, and more would take processors from it.
//!
//! As many plans are under way in all as with one worker (but at least two for each), so the search proposes the same
//! plans in the same order as with one, and ends with the same counts, findings and numbers. One search decides on all
//! plans, so no execution is run twice.
//!
//! Workers must agree on which thread is which. A process numbers threads when it first sees them, and two processes may
//! see them in different orders. So the crew has one list of names. A worker whose list differs when it gets a plan, or
//! when its result is taken, starts a new process with the crew's list and runs its plans again. That ends when all
//! threads of the program were seen.
//!
//! All workers belong to one thread of Heddle: their processes die with the thread that started them.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use heddle_model::wire::ThreadName;
use heddle_model::{ExecutorError, Facts, Fingerprint, Outcome, Plan};

use tracing::debug;

use super::options::{Hire, Options};
use super::setup::Setup;
use super::worker::{Worker, start_failed};

/// Workers on one search, and which plans each has.
pub struct Crew {
    /// The first one is always there.
    workers: Vec<Worker>,
    /// The workers that have the plans under way, oldest plan first.
    turns: VecDeque<usize>,
    /// The worker whose result was last received.
    last: usize,
    /// The names of threads that all workers use.
    threads: Vec<ThreadName>,
    hiring: Hiring,
}

/// Decides when a worker is added.
#[derive(Default)]
struct Hiring {
    /// No more are added.
    closed: bool,
    /// How long the search has waited for results.
    waited: Duration,
    /// When counting that began.
    since: Option<Instant>,
    /// For how many periods in a row the search did little but wait.
    idle: u32,
}

/// How long a period is in which the time that the search waits is measured.
const PERIOD: Duration = Duration::from_millis(10);
/// After how many periods of waiting a worker is added.
const PERIODS: u32 = 3;

impl Hiring {
    /// Takes note of the time that passed, and decides whether one more worker is to be added now, while plans are under way.
    fn decide(&mut self, hire: Hire) -> bool {
        if hire == Hire::AtOnce {
            return true;
        }
        let now = Instant::now();
        let past = now - *self.since.get_or_insert(now);
        if past < PERIOD {
            return false;
        }
        let waits = self.waited * 3 > past * 2;
        (self.waited, self.since) = (Duration::ZERO, Some(now));
        self.idle = if waits { self.idle + 1 } else { 0 };
        let due = self.idle >= PERIODS;
        if due {
            self.idle = 0;
        }
        due
    }
}

impl Crew {
    /// A crew of one.
    pub fn new(worker: Worker) -> Crew {
        let (turns, threads) = (VecDeque::new(), worker.threads().to_vec());
        Crew { workers: vec![worker], turns, last: 0, threads, hiring: Hiring::default() }
    }

    /// The worker that is always there.
    pub fn first(&self) -> &Worker {
        &self.workers[0]
    }

    /// The worker whose result was last received.
    pub fn last(&self) -> &Worker {
        &self.workers[self.last]
    }

    /// The names of threads that all workers use.
    pub fn threads(&self) -> &[ThreadName] {
        &self.threads
    }

    /// How many workers there may be.
    fn most(&self, options: &Options) -> usize {
        if self.hiring.closed { 1 } else { options.jobs.max(1) as usize }
    }

    /// How many plans can be under way: at least two for each worker, so that none waits for the search.
    pub fn depth(&self, options: &Options) -> usize {
        let (own, most) = (self.first().depth(), self.most(options));
        if most == 1 { own } else { own.max(2 * most).min(own * most) }
    }

    /// Whether plans are under way.
    pub fn is_at_work(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Hands a plan over to the worker that will run it soonest.
    pub fn submit(&mut self, setup: &Setup, plan: &Plan) -> Result<(), ExecutorError> {
        let may_hire = self.workers.len() < self.most(&setup.options);
        let due = may_hire && self.is_at_work() && self.hiring.decide(setup.options.hire);
        let turn = match self.least_busy() {
            Some(turn) if !due => turn,
            // There is no room. The worker that gets the plan says so.
            None if !may_hire => 0,
            _ => self.hire(setup)?,
        };
        let worker = &mut self.workers[turn];
        worker.agree(setup, &self.threads)?;
        worker.submit(setup, plan)?;
        self.turns.push_back(turn);
        Ok(())
    }

    /// The worker with the fewest unfinished plans, of those with room for one more.
    fn least_busy(&self) -> Option<usize> {
        let with_room = self.workers.iter().enumerate().filter(|(_, worker)| worker.has_room());
        with_room.min_by_key(|(_, worker)| worker.unfinished()).map(|(turn, _)| turn)
    }

    /// Adds a worker. Returns its number.
    fn hire(&mut self, setup: &Setup) -> Result<usize, ExecutorError> {
        let worker = self.first().another(setup, &self.threads).map_err(start_failed)?;
        if !worker.mappings().is_same_layout(self.first().mappings()) {
            // The addresses of one process mean something else in another.
            return Err(ExecutorError::CannotRun(
                "addresses differ from one process of the program to the next: use --jobs 1".to_owned(),
            ));
        }
        self.workers.push(worker);
        debug!(workers = self.workers.len(), "worker is added");
        Ok(self.workers.len() - 1)
    }

    /// Waits for the result of the oldest plan, which [`Crew::last`] then has.
    pub fn receive(&mut self, setup: &Setup) -> Result<Outcome, ExecutorError> {
        let turn = self.turns.front().copied().unwrap_or(0);
        let begin = (self.workers.len() < self.most(&setup.options)).then(Instant::now);
        let in_company = self.workers.len() > 1;
        let worker = &mut self.workers[turn];
        let outcome = loop {
            let outcome = worker.obtain(setup, in_company)?;
            let common = self.threads.len().min(worker.threads().len());
            if worker.threads()[..common] == self.threads[..common] {
                break outcome;
            }
            // A process that was faster has numbered the threads otherwise: run the plan again, with its numbers.
            worker.agree(setup, &self.threads)?;
        };
        if worker.threads().len() > self.threads.len() {
            self.threads = worker.threads().to_vec();
        }
        worker.finish();
        self.turns.pop_front();
        self.last = turn;
        self.hiring.waited += begin.map_or(Duration::ZERO, |begin| begin.elapsed());
        Ok(outcome)
    }

    /// Drops all plans.
    pub fn abandon(&mut self) {
        self.workers.iter_mut().for_each(Worker::abandon);
        self.turns.clear();
    }

    /// Makes accesses to these granules of plain memory visible, and to no others.
    pub fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.workers.iter_mut().try_for_each(|worker| worker.reveal(places))
    }

    /// Makes executions end at these states, too.
    pub fn remember(&mut self, states: &[Fingerprint]) {
        self.workers.iter_mut().for_each(|worker| worker.remember(states));
    }

    /// Forgets all states at which executions end.
    pub fn forget_states(&mut self) {
        self.workers.iter_mut().for_each(Worker::forget_states);
    }

    /// Uses what others have learnt. Before the first plan, if they know threads.
    pub fn adopt(&mut self, setup: &Setup, facts: &Facts) {
        if facts.threads.len() > self.threads.len() {
            self.threads.clone_from(&facts.threads);
        }
        self.workers.iter_mut().for_each(|worker| worker.adopt(setup, facts));
    }

    /// What the workers have learnt.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        self.workers.iter().for_each(|worker| facts.merge(&worker.facts()));
        facts.threads.clone_from(&self.threads);
        facts
    }

    /// Ends all workers but the first, for good. No plan may be under way. Returns what they have learnt.
    pub fn dismiss(&mut self) -> Facts {
        let mut facts = Facts::default();
        self.hiring.closed = true;
        self.last = 0;
        self.workers.drain(1..).for_each(|worker| facts.merge(&worker.end()));
        facts
    }
}
