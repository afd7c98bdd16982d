//! Watches a search and fills a [`Tally`].

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use heddle_model::{Execution, Outcome, Properties, Property};
use heddle_search::{Flow, Info, Progress};

use super::Tally;
use super::dump::Dump;
use super::outcomes::Outcomes;
use crate::checkpoint::Keeper;
use crate::internal;
use crate::observer::Observer;
use crate::options::Options;

/// Watches a search: fills a tally, writes checkpoints, passes progress on, and ends the search when it has enough.
pub struct Collector<'o> {
    /// What is kept of the executions.
    pub tally: Tally,
    /// The writer of checkpoints, if the options ask for any.
    pub keeper: Option<Keeper>,
    /// The list of executions, if the options ask for it.
    pub dump: Option<Dump>,
    /// The receiver of the progress.
    pub observer: &'o mut dyn Observer,
    /// How many executions there are at least and at most, as the search thought last.
    pub estimate: Option<(u64, Option<u64>)>,
    all: bool,
    properties: Properties,
    interrupted: Arc<AtomicBool>,
    /// After how many executions to panic: see [`internal`].
    panics_after: Option<u64>,
    /// Whether the search is to end as soon as a livelock is suspected, to be begun anew if there is none.
    pauses: bool,
    /// Whether the search has ended for that.
    pub paused: bool,
    /// How many states could not be compared word for word, if that was asked for.
    pub untold: u64,
    /// What was kept when the search began to wait for another one.
    aside: Option<Tally>,
}

impl<'o> Collector<'o> {
    /// Collects what `options` ask for. Findings are violations of `properties` that are not ignored.
    pub fn new(options: &Options, properties: Properties, observer: &'o mut dyn Observer) -> Collector<'o> {
        Collector {
            tally: Tally { outcomes: options.outcomes.then(Outcomes::default), ..Tally::default() },
            keeper: None,
            dump: options.dump.then(Dump::default),
            observer,
            all: options.goes_on(),
            properties,
            interrupted: Arc::clone(&options.interrupted),
            panics_after: internal::injected_after(),
            // What was resumed is not begun anew, and who wants all findings waits for all.
            pauses: properties.look_for(Property::Progress) && !options.goes_on() && options.resume.is_none(),
            paused: false,
            estimate: None,
            untold: 0,
            aside: None,
        }
    }
}

impl Collector<'_> {
    /// There was no livelock: forgets everything, to watch the same search from its beginning. It does not pause again.
    pub fn begin_anew(&mut self) {
        self.tally = Tally { outcomes: self.tally.outcomes.take().map(|_| Outcomes::default()), ..Tally::default() };
        self.dump = self.dump.take().map(|_| Dump::default());
        (self.pauses, self.paused) = (false, false);
    }
}

impl heddle_search::Observer for Collector<'_> {
    fn execution(&mut self, execution: &Execution<'_>, info: &Info<'_>) -> Flow {
        if let Some(dump) = self.dump.as_mut().filter(|_| !info.sample) {
            dump.add(info.number, execution);
        }
        let found = self.tally.add(execution, info, &self.properties);
        assert!(self.panics_after != Some(info.number), "injected after {} executions", info.number);
        let too_large = matches!(execution.outcome, Outcome::Capacity(_));
        self.paused = self.pauses && !found && self.tally.suspects_livelock(too_large);
        if found && !self.all || self.paused { Flow::Stop } else { Flow::Continue }
    }

    fn revealed(&mut self, places: &[u64]) {
        self.tally.revealed(places);
    }

    fn restart(&mut self, places: &[u64]) {
        self.tally.restart(places);
    }

    fn set_aside(&mut self) {
        let places = std::rc::Rc::clone(&self.tally.places);
        self.aside = Some(self.tally.clone());
        self.tally.restart(&places);
    }

    fn take_back(&mut self) {
        if let Some(kept) = self.aside.take() {
            let tried = std::mem::replace(&mut self.tally, kept);
            self.tally.take_findings_of(tried);
        }
    }

    fn checkpoint(&mut self, search: &[u8]) {
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(&self.tally, search);
        }
    }

    fn progress(&mut self, progress: &Progress) -> Flow {
        self.estimate = progress.estimate;
        self.observer.progress(progress, self.tally.findings.len());
        if self.interrupted.load(Relaxed) { Flow::Stop } else { Flow::Continue }
    }
}
