//! Several processes of one program at work on one search (`--jobs`).
//!
//! One executor leads; the others are its helpers, each with a process of its own. A plan goes to the process with the fewest left
//! to run, and results come back in the order in which plans were handed over. Dealing them out in turn would be simpler, but then
//! all processes are as slow as the slowest, which is the one that shares its processor with the search. A helper is hired only
//! when the search does little but wait for results: where executions take hardly longer than looking at them, one process keeps it
//! busy, and more would only take processors from it. As many plans are under way in all as with one process (as long as there
//! is one for each), so a search with helpers proposes the same plans in the same order as one without, and ends with the same
//! counts, findings and numbers: only the time differs. Exactly-once needs no agreement between processes, since one search
//! decides on all of them; a process that dies costs what it costs without helpers.
//!
//! What processes must agree on is which thread is which. Threads are numbered when a process first sees them, and two
//! processes may see them in another order. So there is one list of names: a process that has another one, or a shorter one when it
//! gets a plan, starts over with that list, and runs what it had again. That ends when all threads of the program were seen.
//!
//! Helpers belong to the thread of their leader: processes die with the thread that started them.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use heddle_model::wire::ThreadName;
use heddle_model::{Execution, ExecutorError, Outcome, Plan, ThreadId};

use crate::run::executor::{NativeExecutor, Seen, start_failed};
use crate::run::options::{Hire, Options};

/// The helpers of an executor, and who is at work on what.
#[derive(Default)]
pub(crate) struct Crew {
    helpers: Vec<NativeExecutor>,
    /// Who has the plans under way, oldest first: 0 is the leader.
    turns: VecDeque<usize>,
    /// The list of names that all agree on.
    names: Vec<ThreadName>,
    /// They were dismissed.
    dismissed: bool,
    /// How long the search has waited, and since when that is counted.
    waited: Duration,
    since: Option<Instant>,
    /// For so many whiles in a row it did little but wait.
    idle: u32,
}

/// How long to look whether the search waits, and how often it must have been found waiting.
const WHILE: Duration = Duration::from_millis(10);
const WHILES: u32 = 3;

impl Crew {
    /// How many are at work at most.
    fn size(&self, jobs: u32) -> usize {
        if self.dismissed { 1 } else { jobs.max(1) as usize }
    }

    /// Nothing is under way any more.
    pub(crate) fn forget(&mut self) {
        self.turns.clear();
    }

    /// Whether another one is to be hired, of `jobs` in all.
    fn needs_another(&mut self, jobs: u32, hire: Hire) -> bool {
        if self.helpers.len() + 1 >= self.size(jobs) || self.turns.is_empty() {
            return false;
        }
        if hire == Hire::AtOnce {
            return true;
        }
        let now = Instant::now();
        let past = now - *self.since.get_or_insert(now);
        if past < WHILE {
            return false;
        }
        let waits = self.waited * 3 > past * 2;
        (self.waited, self.since) = (Duration::ZERO, Some(now));
        self.idle = if waits { self.idle + 1 } else { 0 };
        let needed = self.idle >= WHILES;
        if needed {
            self.idle = 0;
        }
        needed
    }
}

/// How many numbers come first in what is known.
const HEAD: usize = 4;

impl NativeExecutor {
    pub(crate) fn crew_depth(&self, own: usize) -> usize {
        let size = self.crew.size(self.options().jobs);
        // At least two for each, so that none waits for the search; no more than each has room for.
        if size == 1 { own } else { own.max(2 * size).min(own * size) }
    }

    pub(crate) fn deal(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        let mut crew = std::mem::take(&mut self.crew);
        let result = self.deal_to(&mut crew, plan);
        self.crew = crew;
        result
    }

    fn deal_to(&mut self, crew: &mut Crew, plan: &Plan) -> Result<(), ExecutorError> {
        let Options { jobs, hire, .. } = *self.options();
        let another = crew.needs_another(jobs, hire);
        let turn = match self.least_busy(crew) {
            Some(turn) if !another => turn,
            // More than there is room for: who gets it says so.
            None if crew.helpers.len() + 1 >= crew.size(jobs) => 0,
            _ => {
                crew.helpers.push(self.hire()?);
                crew.helpers.len()
            }
        };
        let worker = if turn == 0 { self } else { &mut crew.helpers[turn - 1] };
        worker.agree(&crew.names)?;
        worker.put(plan)?;
        crew.turns.push_back(turn);
        Ok(())
    }

    /// Who has the fewest plans left to run, of those with room for one more.
    fn least_busy(&self, crew: &Crew) -> Option<usize> {
        let everybody = std::iter::once(self).chain(&crew.helpers).enumerate();
        let with_room = everybody.filter(|(_, worker)| worker.has_room());
        with_room.min_by_key(|(_, worker)| worker.left_to_run()).map(|(turn, _)| turn)
    }

    /// One more process.
    fn hire(&mut self) -> Result<NativeExecutor, ExecutorError> {
        let helper = self.sibling().map_err(start_failed)?;
        let places = |executor: &NativeExecutor| {
            executor.mappings().files().iter().map(|file| (file.start, file.path.clone())).collect::<Vec<_>>()
        };
        if places(self) != places(&helper) {
            // What one process calls a mutex at an address, another would call another.
            return Err(ExecutorError::CannotRun(
                "addresses differ from one process of the program to the next here: --jobs cannot be used".to_owned(),
            ));
        }
        self.in_company = true;
        Ok(helper)
    }

    pub(crate) fn collect(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let mut crew = std::mem::take(&mut self.crew);
        let turn = crew.turns.front().copied();
        let result = self.collect_from(&mut crew, turn);
        if result.is_ok() {
            crew.turns.pop_front();
        }
        self.crew = crew;
        let outcome = result?;
        Ok(match turn {
            None | Some(0) => self.execution(outcome),
            Some(turn) => self.crew.helpers[turn - 1].execution(outcome),
        })
    }

    fn collect_from(&mut self, crew: &mut Crew, turn: Option<usize>) -> Result<Outcome, ExecutorError> {
        let begin = (crew.helpers.len() + 1 < crew.size(self.options().jobs)).then(Instant::now);
        let worker = match turn {
            None | Some(0) => self,
            Some(turn) => &mut crew.helpers[turn - 1],
        };
        let outcome = loop {
            let outcome = worker.obtain()?;
            let known = crew.names.len().min(worker.thread_names().len());
            if worker.thread_names()[..known] == crew.names[..known] {
                break outcome;
            }
            // It has other ideas of who is who than a process that was faster: once more, with those.
            worker.agree(&crew.names)?;
        };
        if worker.thread_names().len() > crew.names.len() {
            crew.names = worker.thread_names().to_vec();
        }
        worker.taken_out();
        crew.waited += begin.map_or(Duration::ZERO, |begin| begin.elapsed());
        Ok(outcome)
    }

    /// Lets the helpers go: what they have learnt is the leader's. From now on there is one process.
    ///
    /// # Errors
    ///
    /// When plans are under way that cannot be brought to an end.
    pub fn dismiss_helpers(&mut self) -> Result<(), ExecutorError> {
        self.discard()?;
        self.crew.dismissed = true;
        self.in_company = false;
        for helper in std::mem::take(&mut self.crew.helpers) {
            self.learn_from(helper);
        }
        Ok(())
    }

    /// What all of them have learnt: first [`HEAD`] numbers, then names of threads, labels, what was used and left out.
    pub(crate) fn whole_memory(&self) -> Vec<u8> {
        let mut seen = self.seen();
        for more in self.crew.helpers.iter().map(NativeExecutor::seen) {
            seen.labels.extend(more.labels);
            seen.used |= more.used;
            seen.left_out |= more.left_out;
            seen.outside |= more.outside;
        }
        let names = self.crew.names.iter().flat_map(|name| [u64::from(name.parent.0), name.ordinal.into()]);
        let head = [self.crew.names.len() as u64, seen.used.into(), seen.left_out.into(), seen.outside.into()];
        head.into_iter().chain(names).chain(seen.labels).flat_map(u64::to_le_bytes).collect()
    }

    /// Goes on with what others have learnt.
    pub(crate) fn take_over(&mut self, memory: &[u8]) -> Result<(), ExecutorError> {
        let words: Vec<u64> =
            memory.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect();
        let sensible = |words: &[u64]| match words {
            [names, ..] => {
                memory.len().is_multiple_of(8)
                    && *names <= self.options().layout.threads.into()
                    && words.len() >= HEAD + 2 * *names as usize
            }
            [] => false,
        };
        if !sensible(&words) {
            return Err(ExecutorError::CannotRun("what is known of the program's threads makes no sense".to_owned()));
        }
        let count = words[0] as usize;
        let name = |pair: &[u64]| ThreadName {
            parent: ThreadId(pair[0] as u16),
            ordinal: pair[1] as u32,
            ..ThreadName::default()
        };
        self.crew.names = words[HEAD..HEAD + 2 * count].chunks_exact(2).map(name).collect();
        self.have_seen(Seen {
            labels: words[HEAD + 2 * count..].iter().copied().collect(),
            used: words[1] != 0,
            left_out: words[2] != 0,
            outside: words[3] as u32,
        });
        Ok(())
    }

    /// Whether plans are under way.
    pub(crate) fn is_at_work(&self) -> bool {
        !self.crew.turns.is_empty()
    }

    pub(crate) fn tell_helpers(&mut self, tell: impl FnMut(&mut NativeExecutor)) {
        self.crew.helpers.iter_mut().for_each(tell);
    }

    pub(crate) fn reveal_to_helpers(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.crew.helpers.iter_mut().try_for_each(|helper| helper.show(places))
    }
}
