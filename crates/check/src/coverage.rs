//! What a verdict covers and what it does not.

use std::collections::BTreeSet;

use heddle_model::verdict::Bounds;
use heddle_model::{
    Attention, Coverage, Facts, FindingKind, Instrumentation, Location, Overlooked, Property, Restart, vain,
};
use heddle_report::outcome::{Class, Lost};
use heddle_report::text;
use heddle_search::{DisciplineCounts, OverStates, Stop, Why};

use crate::verdict::{End, Judgement};
use crate::{sources, unseen};

impl Judgement<'_> {
    /// What the verdict covers.
    pub(crate) fn coverage(&self) -> Coverage {
        let Judgement { options, facts, settings, .. } = *self;
        let tally = self.tally;
        let lost = tally.lost.iter().any(|lost| self.own_bound.is_none() || lost.class != Class::Lost(Lost::Capacity))
            || self.panic.is_some()
            || self.unrepeatable > 0
            || self.unsupported.is_some();
        // A hang, a race, or a process that died cuts an execution off: what would have followed is not known.
        let races = settings.properties.of(Property::Race);
        let goes_on = races.goes_on();
        let cut = tally.findings.iter().any(|found| {
            let ends = matches!(found.class, Class::Finding(FindingKind::DataRace)) && !goes_on;
            found.lost || ends || matches!(found.class, Class::Finding(FindingKind::Hang))
        });
        let exhausted =
            self.end == End::Search(Stop::Exhausted) && !self.method.samples() && self.method.misses().is_none();
        let looked = races.is_on() && facts.instrumentation == Instrumentation::Memory;
        Coverage {
            model: "sc".to_string(),
            exhaustive: exhausted
                && options.prefix.is_none()
                && !facts.undetermined
                && tally.bounded == 0
                && !self.left_out.bounded
                && !facts.timeouts_left_out
                && !facts.waits_by_clock
                && unseen::why_incomplete(facts).is_none()
                && !lost
                && !cut,
            bounds: Bounds {
                preemptions: options.search.max_preemptions.filter(|_| self.left_out.bounded || !exhausted),
                switches: options.search.max_switches.filter(|_| self.left_out.bounded || !exhausted),
                delays: options.search.max_delays.filter(|_| self.left_out.bounded || !exhausted),
                steps: self.own_bound.or((settings.max_steps != 0).then_some(settings.max_steps)),
                timeouts: facts.timeouts_left_out.then_some(settings.latitude.timeouts),
                executions: options.search.max_executions,
                states: options.search.max_states,
                seconds: options.search.timeout.map(|limit| limit.as_secs_f64()),
                iterations: None,
                prefix: options.prefix.as_ref().map(|steps| steps.len() as u64),
            },
            instrumented: facts.instrumentation.name().to_string(),
            restart: facts.restart.name().to_string(),
            restart_reason: facts.fallback.as_ref().map(|why| format!("the program uses {}", why.what)),
            nets: nets(facts),
            states_reason: self.about_states(),
            races: match (looked, races) {
                (true, Attention::Ignore) => "ignored",
                (true, _) => "checked",
                (false, _) => "not checked",
            }
            .to_string(),
            engine: Some("native".to_string()),
            inputs: self.inputs().map(str::to_string),
            unwind: Vec::new(),
            checked_by: None,
            notes: self.notes(looked),
            grounds: self.states.map_or(Vec::new(), |of| grounds(&of.discipline, looked)),
        }
    }
}

impl Judgement<'_> {
    /// Which inputs were tried, as far as the program asked for any.
    fn inputs(&self) -> Option<&'static str> {
        let listed = self.settings.nondet.are_given();
        self.facts.undetermined.then_some(if listed { "listed" } else { "default" })
    }
}

/// What keeps executions from changing files on disk. Those that start over by snapshot change none.
fn nets(facts: &Facts) -> Vec<String> {
    if facts.restart == Restart::Snapshot {
        return Vec::new();
    }
    let second = (facts.outside.second_net && !facts.needs.open).then_some("landlock");
    ["calls", "system calls"].into_iter().chain(second).map(str::to_string).collect()
}

/// The errors that Heddle looks for in no program. A user who relies on a verdict must know them.
const NEVER: &str = "uninitialised memory, bounds of global and local variables (--ub checks array indices)";

/// Numbers, separated by commas.
pub(crate) fn shown(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// The most lines that a note names.
const LINES: usize = 3;

/// The note about accesses in inline assembly, which Heddle does not see. `None` if there are none.
pub fn assembly(lines: &BTreeSet<Location>) -> Option<String> {
    let directory = std::env::current_dir().unwrap_or_default();
    let name = |at: &Location| match at.line {
        0 => format!("`{}`", at.function),
        line => format!("{}:{line}", sources::shorten(&at.file, &directory)),
    };
    let named: Vec<String> = lines.iter().take(LINES).map(name).collect();
    let more = lines.len().saturating_sub(LINES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| {
        format!(
            "accesses in inline assembly at {}{more}: heddle does not see them, so it may miss \
             the order they make, or report a false data race",
            named.join(", ")
        )
    })
}

/// The notes about what instrumented code does that Heddle does not see.
fn overlooked(all: &BTreeSet<Overlooked>) -> Vec<String> {
    let (mut accesses, mut orders) = (Vec::new(), Vec::new());
    for one in all {
        match one {
            Overlooked::Access(what) => accesses.push(what.as_str()),
            Overlooked::Order(what) => orders.push(what.as_str()),
        }
    }
    let mut notes = Vec::new();
    if !accesses.is_empty() {
        notes.push(format!("memory accesses by {}: heddle does not see them", accesses.join(", ")));
    }
    if !orders.is_empty() {
        notes.push(format!("the order in which threads call {}: not explored", orders.join(", ")));
    }
    notes
}

/// How a search over states knows of data races, if it looked for them, and what it takes critical sections for.
fn grounds(of: &DisciplineCounts, races: bool) -> Vec<String> {
    let mut grounds = Vec::new();
    if of.told && races {
        let places = text::counted(of.places, "place");
        grounds.push(match (of.all_watched, of.watched) {
            (true, _) => "data races: by what threads know of each other in each state".to_string(),
            (false, 0) => {
                format!("data races: none by lock discipline ({places}, {})", text::counted(of.locks, "lock"))
            }
            (false, some) => {
                format!(
                    "data races: none by lock discipline ({places}), but for {some} by what threads know of each other"
                )
            }
        });
    }
    if of.steps > 0 {
        let locks = text::counted(of.locks, "lock");
        grounds.push(format!("critical sections: one step each, of {} of {locks}", of.steps));
    }
    grounds
}

impl Judgement<'_> {
    /// The notes on what the verdict does not cover. `races`: data races were checked.
    fn notes(&self, races: bool) -> Vec<String> {
        let Judgement { facts, settings, .. } = *self;
        let mut notes = not_looked_for(facts.instrumentation, races, settings.properties.look_for(Property::Misuse));
        let sees_memory = facts.instrumentation == Instrumentation::Memory;
        if let Some(places) = &self.weaker {
            notes.push(format!(
                "reorderings that relaxed, acquire and release atomics allow ({places}): explored under sequential consistency only"
            ));
        }
        notes.push(NEVER.to_string());
        if self.states.is_some() {
            match self.asked {
                Some(asked) if asked.whole => {
                    notes.extend(asked.unset.iter().map(|name| {
                        format!("proposition `{name}`: the program never says that it holds (heddle_prop)")
                    }))
                }
                _ if self.states.is_some_and(|of| of.goes_round) => {
                    notes.push("loops that go round for ever: nothing was asked about cycles of states".to_string());
                }
                _ => {}
            }
            notes.push("states with equal 128-bit fingerprints: taken for one".to_string());
        }
        if sees_memory && !facts.unseen.is_empty() {
            notes.push(format!(
                "memory accesses and atomics in {}: not built by heddle, so heddle does not see them",
                facts.unseen.iter().cloned().collect::<Vec<_>>().join(", ")
            ));
        }
        if sees_memory {
            notes.extend(assembly(&facts.assembly));
            notes.extend(overlooked(&facts.overlooked));
        }
        let racy = facts.places.iter().filter(|place| !vain::is_about_looks(**place)).count();
        if races && settings.properties.ignore(Property::Race) && racy > 0 {
            let places = text::counted(racy as u64, "place");
            notes.push(format!(
                "data races: found on {places} and not reported; both orders were explored (--races ignore)"
            ));
        }
        if !settings.properties.look_for(Property::Exit) {
            notes.extend(self.tally.exits.not_reported());
        }
        if settings.latitude.spurious_failures > 0 && sees_memory {
            notes.push("weak compare-exchanges in code that clang compiled: clang does not tell them from strong ones, so they never fail spuriously".to_string());
        }
        if facts.outside.processes {
            notes.push(
                "child processes: heddle does not control them, they see the files on disk, not what the program \
                 wrote, and no other thread holds a lock in them"
                    .to_string(),
            );
        }
        if facts.outside.files {
            notes.push(
                "files are not restored: there is no room for copies in the temporary directory ($TMPDIR), so an execution \
                 sees what earlier ones wrote"
                    .to_string(),
            );
        }
        if facts.outside.early_files {
            notes.push(
                "files that functions change before main: the real ones, once for each process of the program"
                    .to_string(),
            );
        }
        if facts.outside.servers {
            notes.push(
                "servers outside the program: it talks with them on this machine, and what they do may depend on earlier executions"
                    .to_string(),
            );
        }
        if facts.outside.numbers {
            notes.push(
                "numbers of descriptors: threads open or close some at the same time, and which of them gets the lower number was not \
                 explored"
                    .to_string(),
            );
        }
        if facts.undetermined {
            let values = shown(settings.nondet.as_slice());
            notes.push(format!("nondeterministic values (__VERIFIER_nondet_...): only {values} were tried"));
        }
        if facts.waits_by_clock {
            notes.push(unseen::AT_CERTAIN_TIMES.to_string());
        }
        if !self.coverage_is_whole() {
            notes.extend(facts.unreached().map(|label| {
                format!("`{}` at {}:{}: no execution has reached it so far", label.name, label.file, label.line)
            }));
        }
        notes
    }

    /// Why the search has turned to states by itself, or why that did not help.
    fn about_states(&self) -> Option<String> {
        let before = || match self.earlier {
            0 => String::new(),
            ran => format!(" ({} before that)", text::counted(ran, "execution")),
        };
        match self.over_states {
            OverStates::No => None,
            OverStates::Whole if self.always_ends() => Some(format!(
                "searched by states, because executions go round; no fair scheduler goes round for ever{}",
                before()
            )),
            OverStates::GoesRound | OverStates::Whole => {
                Some(format!("searched by states, because executions go round{}", before()))
            }
            OverStates::MeetsAgain => {
                Some(format!("searched by states, because executions are many and states are few{}", before()))
            }
            OverStates::Back(Why::Unknown) => {
                let what = self.facts.fallback.as_ref().map_or("something", |why| why.what.as_str());
                Some(format!("not searched by states, although executions go round: the program uses {what}"))
            }
            OverStates::Back(Why::TooMany) => {
                Some("not searched by states, although executions go round: there are too many; --algorithm stateful has no limit".into())
            }
            OverStates::Back(Why::Open) => {
                Some("searched by states, too: all were met, and threads may go round in them for ever".into())
            }
        }
    }

    /// Whether the graph of all states has said that every fair execution ends.
    fn always_ends(&self) -> bool {
        let answered = self.asked.is_some_and(|asked| asked.whole && asked.open.is_none());
        let ends = self.states.is_some_and(|of| of.endless == 0 && !of.has_progress);
        answered && ends && self.findings.is_empty() && self.coverage_is_whole()
    }

    fn coverage_is_whole(&self) -> bool {
        self.end == End::Search(Stop::Exhausted) && !self.method.samples() && !self.left_out.bounded
    }
}

/// The notes on kinds of errors that were not checked.
fn not_looked_for(instrumentation: Instrumentation, races: bool, misuse: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if !misuse {
        notes.push("misuse of primitives: not checked".to_string());
    }
    if !races {
        // Without races the orders of plain accesses cannot matter; with them they can.
        notes.push("data races: not checked".to_string());
        let seen = if instrumentation == Instrumentation::SyncOnly {
            "calls to the thread library"
        } else {
            "synchronisation and atomics"
        };
        notes.push(format!("orders of plain memory accesses: only {seen} are interleaved"));
    }
    if instrumentation == Instrumentation::SyncOnly {
        notes.push(
            "atomics: the program was not built by heddle; build it with `heddle cc` or `heddle c++` to see them"
                .to_string(),
        );
    }
    notes
}
