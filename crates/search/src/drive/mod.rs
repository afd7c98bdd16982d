//! One search from its first plan to its summary, whatever the algorithm.
//!
//! * [`round`]: the loop that every algorithm shares: ask for a plan, have it run, show it, learn from it.
//! * [`strategy`]: what that loop asks of an algorithm.
//! * [`observer`]: who watches.
//! * [`summary`]: what is said in the end.

pub(crate) mod observer;
pub(crate) mod round;
pub(crate) mod strategy;
pub(crate) mod summary;

use std::collections::BTreeSet;
use std::time::Duration;

use heddle_model::{Executor, ExecutorError};

use crate::drive::observer::Observer;
use crate::drive::round::{Before, run_from, run_once};
use crate::drive::summary::{Stop, Summary};
use crate::options::{Algorithm, Options};
use crate::save::{self, CheckpointError, Saved};

/// One search over one program.
///
/// A plain access is no operation as long as no race was seen on its place: without races, no order of plain accesses can
/// matter. When an execution comes back with a race on a place that is not visible, the place becomes so, and everything
/// begins anew ([`Executor::reveal`]). That ends: every place is added once. In the end the places are exactly those that have a
/// race in some execution, whatever the algorithm, so all algorithms count the same traces. Samples need no new beginning.
pub struct Search {
    options: Options,
    places: BTreeSet<u64>,
    saved: Option<Box<Saved>>,
}

impl Search {
    /// A search that does what `options` say.
    pub fn new(options: Options) -> Search {
        Search { options, places: BTreeSet::new(), saved: None }
    }

    /// A search that goes on where another with the same options was when it was [written down](Observer::checkpoint), with an
    /// executor of the same program. What the observer has counted since is counted again.
    ///
    /// # Errors
    ///
    /// When `bytes` make no sense.
    pub fn resume(options: Options, bytes: &[u8]) -> Result<Search, CheckpointError> {
        let saved = save::read(bytes, &options)?;
        Ok(Search { options, places: saved.places.clone(), saved: Some(Box::new(saved)) })
    }

    /// Runs until there is nothing left, a limit is reached, or the observer has seen enough.
    pub fn run(&mut self, executor: &mut dyn Executor, observer: &mut dyn Observer) -> Result<Summary, ExecutorError> {
        let mut left = self.options.clone();
        let (mut earlier, mut elapsed) = (0, Duration::ZERO);
        let mut saved = self.saved.take();
        if let Some(saved) = &saved {
            executor.remember(&saved.memory)?;
            executor.reveal(&self.places.iter().copied().collect::<Vec<_>>())?;
            (earlier, elapsed) = (saved.earlier, saved.elapsed);
        }
        loop {
            let before = Before { earlier, elapsed, saved: saved.take() };
            let mut summary = Search::round(&left, &mut self.places, before, executor, observer)?;
            summary.elapsed += elapsed;
            match summary.stop {
                Stop::Revealed => {}
                Stop::Sections => (left.algorithm, left.sleep_sets) = (Algorithm::Dpor, false),
                _ => return Ok(Summary { earlier, ..summary }),
            }
            let ran = summary.executions + summary.blocked + summary.assumed + summary.cut;
            earlier += ran;
            elapsed = summary.elapsed;
            left.timeout = self.options.timeout.map(|time| time.saturating_sub(elapsed));
            left.max_executions = self.options.max_executions.map(|max| max.saturating_sub(earlier));
            if left.max_executions == Some(0) {
                return Ok(Summary { earlier: earlier - ran, stop: Stop::Executions, ..summary });
            }
            let places: Vec<u64> = self.places.iter().copied().collect();
            executor.reveal(&places)?;
            observer.restart(&places);
        }
    }

    /// One search, until it is done or a race is seen on a place that is not visible.
    fn round(
        options: &Options,
        places: &mut BTreeSet<u64>,
        begin: Before,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Result<Summary, ExecutorError> {
        if !options.iterate || options.algorithm.samples() {
            return run_from(options, options.max_preemptions, Some(places), begin, executor, observer);
        }
        let mut total: Option<Summary> = None;
        let mut limited = options.clone();
        for preemptions in 0.. {
            let last = options.max_preemptions == Some(preemptions);
            let mut summary = run_once(&limited, Some(preemptions), Some(places), executor, observer)?;
            if let Some(before) = &total {
                summary.add(before);
            }
            let more = summary.stop == Stop::Exhausted && summary.bounded && !last;
            limited.timeout = options.timeout.map(|time| time.saturating_sub(summary.elapsed));
            let run = summary.executions + summary.blocked + summary.assumed + summary.cut;
            limited.max_executions = options.max_executions.map(|max| max.saturating_sub(run));
            if !more {
                return Ok(summary);
            }
            let before = summary;
            total = Some(summary);
            // A bounded search can be far larger than what a reduction without a bound has to run. So that is tried, too,
            // for as many executions as were run so far: whoever needs no more than those is done.
            if options.max_preemptions.is_some()
                || options.max_switches.is_some()
                || options.max_delays.is_some()
                || options.algorithm == Algorithm::Dfs
            {
                continue;
            }
            let mut unbounded = limited.clone();
            unbounded.max_executions = Some(limited.max_executions.map_or(run, |left| left.min(run)));
            let mut summary = run_once(&unbounded, None, Some(places), executor, observer)?;
            summary.add(&before);
            limited.timeout = options.timeout.map(|time| time.saturating_sub(summary.elapsed));
            let run = summary.executions + summary.blocked + summary.assumed + summary.cut;
            limited.max_executions = options.max_executions.map(|max| max.saturating_sub(run));
            if summary.stop != Stop::Executions || limited.max_executions == Some(0) {
                return Ok(summary);
            }
            total = Some(summary);
        }
        unreachable!("the last bound returns")
    }
}
