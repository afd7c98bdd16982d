//! The smallest execution that shows a finding: fewest preemptions, then fewest switches, then fewest steps.
//!
//! Whoever reads an interleaving pays for every switch in it. The execution that a search finds first is rarely the one
//! to show, least of all a sample. Three things are done about that, in this order, until the time is over:
//!
//! 1. **Slice and straighten.** Events that do not happen before the last events of the threads that matter are left out.
//!    What remains is closed under happens-before, so it is the beginning of an execution. Then the events are put in an
//!    order of their partial order that stays with a thread as long as it can.
//! 2. **Fewer preemptions.** All executions without preemptions are searched, then those with one, up to one less than are
//!    known to be enough ([`crate::algorithm::bound`]; M. Musuvathi, S. Qadeer, *Iterative context bounding*, PLDI 2007).
//!    If that ends in time, the number of preemptions is proven to be minimal.
//! 3. **Fewer switches, fewer steps.** Executions with that number of preemptions are searched in the same way.
//!
//! Each candidate is run before it is believed. The [`Goal`] decides whether an execution shows the finding.

use std::time::Instant;

use heddle_model::follow::Step;
use heddle_model::retrace::Retrace;
use heddle_model::{Execution, Executor, ExecutorError, Outcome, Plan, ThreadId};

use crate::algorithm::bound::Spent;
use crate::drive::Search;
use crate::drive::observer::{Flow, Info, Observer, Progress};
use crate::drive::summary::Stop;
use crate::options::{Algorithm, Options};
use crate::traces::analysis::Analysis;

/// What it costs to read an execution. The most expensive part is compared first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cost {
    /// How many preemptions there are: switches away from a thread that could have gone on.
    pub preemptions: u32,
    /// How many switches between threads there are.
    pub switches: u32,
    /// How many events there are.
    pub steps: u32,
}

/// The finding that a smaller execution is to show.
pub trait Goal {
    /// Whether `execution` shows the finding.
    fn shown_by(&self, execution: &Execution<'_>) -> bool;

    /// The threads whose last events are the finding. `None` if all threads matter.
    fn actors(&self, execution: &Execution<'_>) -> Option<Vec<ThreadId>>;

    /// Whether the user wants the search for a smaller execution to end.
    fn interrupted(&self) -> bool;
}

/// The smallest execution that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Smallest {
    /// The schedule of the execution.
    pub schedule: Vec<Step>,
    /// What it costs to read the execution.
    pub cost: Cost,
    /// Whether it is proven that no execution with fewer preemptions shows the finding.
    pub proven: bool,
}

/// Looks for the smallest execution that shows `goal`, until `deadline`. It begins with `known`, which shows the goal. `places` are
/// those that the executor has been [shown](Executor::reveal), sorted.
/// Returns `None` if `known` does not show it when it is run again.
///
/// # Errors
///
/// When the executor fails.
pub fn minimise(
    executor: &mut dyn Executor,
    known: &Plan,
    goal: &dyn Goal,
    places: &[u64],
    deadline: Instant,
) -> Result<Option<Smallest>, ExecutorError> {
    let mut hunt = Hunt::new(goal, known.max_steps, places);
    let Some(mut straight) = hunt.attempt(executor, &known.schedule)? else { return Ok(None) };
    // Straightening what was straightened can help again: it began from another order.
    while let Some(better) = hunt.attempt(executor, &straight)? {
        if better == straight {
            break;
        }
        straight = better;
        if hunt.stalled() {
            break;
        }
    }
    let mut proven = hunt.best().preemptions == 0;
    for preemptions in 0..hunt.best().preemptions {
        hunt.first = true;
        match hunt.search(executor, preemptions, None, deadline)? {
            Reached::Found => {
                proven = !hunt.cut || preemptions == 0;
                break;
            }
            Reached::Nothing => proven = preemptions + 1 == hunt.best().preemptions && !hunt.cut,
            Reached::OutOfTime => return Ok(hunt.smallest(false)),
        }
    }
    hunt.settle(executor)?;
    while hunt.best().switches > 0 {
        hunt.first = true;
        let Cost { preemptions, switches, .. } = hunt.best();
        if hunt.search(executor, preemptions, Some(switches - 1), deadline)? != Reached::Found {
            break;
        }
        hunt.settle(executor)?;
    }
    hunt.first = false;
    let Cost { preemptions, switches, .. } = hunt.best();
    hunt.search(executor, preemptions, Some(switches), deadline)?;
    hunt.settle(executor)?;
    Ok(hunt.smallest(proven))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reached {
    Found,
    Nothing,
    OutOfTime,
}

struct Hunt<'g> {
    goal: &'g dyn Goal,
    /// The visible places.
    places: &'g [u64],
    max_steps: u32,
    best: Option<(Cost, Vec<Step>)>,
    /// A slice of the best execution that was not run yet.
    sliced: Option<Vec<Step>>,
    /// The length of the shortest slice so far.
    fewest: usize,
    /// Whether a search ends at the first better execution.
    first: bool,
    /// Whether this search has found a better execution.
    found: bool,
    /// Whether the last execution is the best so far.
    improved: bool,
    /// Whether an execution was cut off. What would have followed may be smaller.
    cut: bool,
    analysis: Analysis,
    retrace: Retrace,
}

impl<'g> Hunt<'g> {
    fn new(goal: &'g dyn Goal, max_steps: u32, places: &'g [u64]) -> Hunt<'g> {
        let mut retrace = Retrace::default();
        retrace.know(places);
        Hunt {
            goal,
            places,
            max_steps,
            best: None,
            sliced: None,
            fewest: usize::MAX,
            first: true,
            found: false,
            improved: false,
            cut: false,
            analysis: Analysis::knowing(places),
            retrace,
        }
    }

    fn best(&self) -> Cost {
        self.best.as_ref().map_or(Cost { preemptions: 0, switches: 0, steps: 0 }, |(cost, _)| *cost)
    }

    fn stalled(&self) -> bool {
        !self.improved
    }

    fn smallest(self, proven: bool) -> Option<Smallest> {
        self.best.map(|(cost, schedule)| Smallest { schedule, cost, proven })
    }

    /// Runs `schedule`. If it shows the goal, returns a straighter order of the events that matter.
    fn attempt(&mut self, executor: &mut dyn Executor, schedule: &[Step]) -> Result<Option<Vec<Step>>, ExecutorError> {
        let plan = Plan { schedule: schedule.to_vec(), max_steps: self.max_steps, ..Plan::default() };
        executor.submit(&plan)?;
        let execution = executor.receive()?;
        Ok(self.look(&execution))
    }

    /// Runs the slice of the best execution, if it was not run yet.
    fn settle(&mut self, executor: &mut dyn Executor) -> Result<(), ExecutorError> {
        while let Some(schedule) = self.sliced.take() {
            let straight = self.attempt(executor, &schedule)?;
            if self.improved {
                self.sliced = straight.filter(|straight| *straight != schedule);
            }
        }
        Ok(())
    }

    /// Compares `execution` with the best one so far. Returns a straighter order of its events if it shows the goal.
    fn look(&mut self, execution: &Execution<'_>) -> Option<Vec<Step>> {
        self.improved = false;
        if matches!(execution.outcome, Outcome::Diverged { .. }) || !self.goal.shown_by(execution) {
            return None;
        }
        let cost = cost(execution, &mut self.retrace);
        if self.best.as_ref().is_none_or(|(best, _)| cost < *best) {
            self.best = Some((cost, execution.events.iter().map(Step::of).collect()));
            self.improved = true;
            self.found = true;
        }
        let actors = self.goal.actors(execution);
        Some(straighten(execution, actors.as_deref(), &mut self.analysis))
    }

    fn search(
        &mut self,
        executor: &mut dyn Executor,
        preemptions: u32,
        switches: Option<u32>,
        deadline: Instant,
    ) -> Result<Reached, ExecutorError> {
        self.found = false;
        let options = Options {
            algorithm: Algorithm::Optimal,
            max_preemptions: Some(preemptions),
            max_switches: switches,
            max_steps: (self.max_steps > 0).then_some(self.max_steps),
            timeout: Some(deadline.saturating_duration_since(Instant::now())),
            places: self.places.to_vec(),
            ..Options::default()
        };
        let summary = Search::with_fixed_places(options).run(executor, self)?;
        self.cut |= summary.counts.cut > 0;
        Ok(match summary.stop {
            _ if self.found => Reached::Found,
            Stop::Exhausted => Reached::Nothing,
            _ => Reached::OutOfTime,
        })
    }
}

impl Observer for Hunt<'_> {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        if self.goal.interrupted() {
            return Flow::Stop;
        }
        match self.look(execution) {
            Some(schedule) => {
                if self.improved || schedule.len() < self.fewest {
                    self.fewest = schedule.len();
                    self.sliced = Some(schedule);
                }
                if self.first && std::mem::take(&mut self.improved) { Flow::Stop } else { Flow::Continue }
            }
            None => Flow::Continue,
        }
    }

    fn progress(&mut self, _: &Progress) -> Flow {
        if self.goal.interrupted() { Flow::Stop } else { Flow::Continue }
    }
}

/// What it costs to read `execution`.
pub fn cost_of(execution: &Execution<'_>) -> Cost {
    cost(execution, &mut Retrace::default())
}

fn cost(execution: &Execution<'_>, retrace: &mut Retrace) -> Cost {
    let mut spent = Spent::default();
    retrace.walk(execution, 0, |index, ready| {
        if let Some(event) = execution.events.get(index) {
            spent = spent.then(event.thread, ready);
        }
    });
    Cost { preemptions: spent.preemptions, switches: spent.switches, steps: execution.events.len() as u32 }
}

/// The events that happen before the last ones of `actors`, in an order that keeps happens-before and stays with a thread
/// as long as it can.
fn straighten(execution: &Execution<'_>, actors: Option<&[ThreadId]>, analysis: &mut Analysis) -> Vec<Step> {
    let events = execution.events;
    // The end of the process comes after everything, whether that has to do with it or not.
    let end = events.last().filter(|event| event.operation.ends_process());
    let length = events.len() - usize::from(end.is_some());
    let body = &events[..length];
    analysis.run(body, &[], length);
    // What is closed under happens-before is, of each thread, its first so many events.
    let mut wanted = vec![0; analysis.width()];
    match actors {
        Some(actors) => {
            for last in actors.iter().filter_map(|actor| body.iter().rposition(|event| event.thread == *actor)) {
                wanted.iter_mut().zip(analysis.clock(last)).for_each(|(wanted, &known)| *wanted = known.max(*wanted));
            }
        }
        None => body.iter().for_each(|event| wanted[event.thread.index()] += 1),
    }
    let mut events_of = vec![Vec::new(); wanted.len()];
    for (index, event) in body.iter().enumerate() {
        events_of[event.thread.index()].push(index);
    }
    let mut done = vec![0_u32; wanted.len()];
    let next = |thread: usize, done: &[u32]| {
        let index = (done[thread] < wanted[thread]).then(|| events_of[thread][done[thread] as usize])?;
        let free = |(other, &known): (usize, &u32)| other == thread || known <= done[other];
        analysis.clock(index).iter().enumerate().all(free).then_some(index)
    };
    let mut order = Vec::with_capacity(events.len());
    let mut running = 0;
    // Whoever the finding ends with comes as late as can be: it goes on to the end without another switch.
    let last = end.map(|end| end.thread.index());
    let threads = (0..wanted.len()).filter(|thread| Some(*thread) != last).chain(last);
    while let Some((thread, index)) =
        [running].into_iter().chain(threads.clone()).find_map(|thread| Some((thread, next(thread, &done)?)))
    {
        done[thread] += 1;
        running = thread;
        order.push(Step::of(&body[index]));
    }
    debug_assert_eq!(done, wanted, "happens-before has no cycles");
    order.extend(end.map(Step::of));
    order
}
