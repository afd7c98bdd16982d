//! The options of a check.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use heddle_model::follow::Step;
use heddle_model::{Goal, Liveness, Restart, RestartMode, Settings};
use heddle_search::Algorithm;
use heddle_search::liveness::ltl::Formula;

/// The options of a check. The default draws samples while it explores everything, and stops at the first finding.
///
/// How to run executions, and which errors to look for, is not part of the options: the check asks its engine for the
/// [`Settings`](heddle_model::Settings).
#[derive(Clone, Debug)]
pub struct Options {
    /// The algorithm, its bounds and its limits.
    pub search: heddle_search::Options,
    /// Explore only executions that start with these steps.
    pub prefix: Option<Vec<Step>>,
    /// Granules of plain memory whose accesses are visible from the start. A prefix needs those it was recorded with.
    pub places: Vec<u64>,
    /// Continue after the first finding.
    pub all: bool,
    /// A program that Heddle did not build may be *safe*: its calls to the thread library are all that is asked about.
    pub accept_sync_only: bool,
    /// How long to look for smaller executions that show the findings; zero for not at all.
    pub minimise: Duration,
    /// Count the distinct outcomes of executions. Implies `all`.
    pub outcomes: bool,
    /// List every execution.
    pub dump: bool,
    /// Save the search to this file, to be resumed later.
    pub checkpoint: Option<PathBuf>,
    /// How often the search is saved.
    pub checkpoint_interval: Duration,
    /// Resume the search from this file. New checkpoints go there, too, unless `checkpoint` names another file.
    pub resume: Option<PathBuf>,
    /// The words of the command line after `heddle check`, for commands that are proposed. Empty if there is none.
    pub line: Vec<String>,
    /// Set to true, by any thread, to end the search early. The conclusion is then about what was explored so far.
    pub interrupted: Arc<AtomicBool>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            search: heddle_search::Options {
                algorithm: heddle_search::Algorithm::Portfolio,
                ..heddle_search::Options::default()
            },
            prefix: None,
            places: Vec::new(),
            all: false,
            accept_sync_only: false,
            minimise: Duration::from_secs(2),
            outcomes: false,
            dump: false,
            checkpoint: None,
            checkpoint_interval: Duration::from_secs(10),
            resume: None,
            line: Vec::new(),
            interrupted: Arc::default(),
        }
    }
}

impl Options {
    /// Why there is no such check, with executions that run by `settings`: the words for the user. `None` if there is.
    pub(crate) fn refusal(&self, settings: &Settings) -> Option<String> {
        let heddle_search::Options { algorithm, max_preemptions, max_switches, max_delays, iterate, .. } = self.search;
        if !algorithm.has_states() {
            return None;
        }
        let bounded = iterate || [max_preemptions, max_switches, max_delays].iter().any(Option::is_some);
        let why = if self.outcomes {
            "ends executions at states that it knows, and --outcomes lists how whole executions end"
        } else if !matches!(settings.restart, RestartMode::Auto | RestartMode::Only(Restart::Snapshot)) {
            "needs --restart snapshot: only a snapshot knows what the program has written to"
        } else if bounded && algorithm == Algorithm::Stateful {
            "takes no bounds: it goes through all states"
        } else if bounded && matches!(algorithm, Algorithm::States | Algorithm::Csdr | Algorithm::Sdpor) {
            "takes no bounds: it does not find the fewest switches to a state; --algorithm switches does"
        } else {
            return None;
        };
        Some(format!("--algorithm {} {why}", algorithm.name()))
    }

    /// Chooses the search that can answer what `settings` ask about executions that go on for ever.
    ///
    /// # Errors
    ///
    /// When the algorithm that was asked for cannot, or what is asked makes no sense: the words for the user.
    pub(crate) fn ask_for_cycles(&mut self, settings: &Settings) -> Result<(), String> {
        let Liveness { goal, formula, .. } = settings.liveness;
        let algorithm = self.search.algorithm;
        if settings.liveness.asks() {
            let what = if goal == Goal::Nothing { "--ltl" } else { "--liveness" };
            if !matches!(algorithm, Algorithm::Portfolio | Algorithm::Stateful | Algorithm::States) {
                return Err(format!(
                    "{what} asks about cycles, which --algorithm {} does not know: leave the algorithm out, or use stateful",
                    algorithm.name()
                ));
            }
            if !formula.is_empty()
                && let Err(error) = Formula::of_program(formula.as_str())
            {
                return Err(format!("--ltl: {error}"));
            }
            self.search.algorithm = Algorithm::States;
        }
        self.search.liveness = matches!(self.search.algorithm, Algorithm::Stateful | Algorithm::States)
            || self.may_turn_to_states(settings);
        Ok(())
    }

    /// Whether the search may turn to states by itself. A listing of executions, or of how they end, is one of whole executions.
    pub(crate) fn may_turn_to_states(&self, settings: &Settings) -> bool {
        let snapshot = matches!(settings.restart, RestartMode::Auto | RestartMode::Only(Restart::Snapshot));
        self.search.algorithm == Algorithm::Portfolio && snapshot && !self.outcomes && !self.dump
    }

    /// Whether the search continues after a finding.
    pub(crate) fn goes_on(&self) -> bool {
        self.all || self.outcomes
    }

    /// The file that the search is saved to, if any.
    pub(crate) fn kept_in(&self) -> Option<&PathBuf> {
        self.checkpoint.as_ref().or(self.resume.as_ref())
    }
}
