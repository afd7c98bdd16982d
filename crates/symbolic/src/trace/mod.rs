//! The engine that runs one execution for each trace and path, each for all inputs: a symbolic [`Executor`](heddle_model::Executor)
//! under the algorithms of `heddle-search`.
//!
//! What threads do to each other is the model's: [`World`](heddle_model::World) says who can go on, and the follower decides who does.
//! What a thread computes is the machine's: values are terms over inputs, and branches whose arms touch nothing visible are merged. A
//! branch that is open and cannot be merged is a choice, which the search explores like every other.
//!
//! * `executor`: from a plan to an execution.
//! * `thread`, `branch`: a thread, operation by operation; its branches.
//! * `calls`, `after`: library calls that others can tell; what follows when their operations were taken.
//! * `path`: conditions, their causal past, and what is possible.
//! * `race`: plain accesses that nothing orders. Their places become visible.
//! * `initial`: primitives that nobody has initialised.
//! * `found`: what went wrong, as conjectures.

mod after;
mod branch;
mod calls;
mod executor;
mod found;
mod initial;
mod path;
mod race;
mod thread;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use heddle_model::{Event, Execution, Latitude, ObjectSlot, Outcome, Pending, Plan, ThreadId, ThreadState};
use heddle_search::{Algorithm, Flow, Info, Observer, Progress, Search, Stop};

use crate::ir::{Module, Site};
use crate::machine::{Machine, Options, Refusal, State, Watch};
use crate::memory::Memory;
use crate::prove::{Answer, Conjecture, Engine, Question, Verdict};
use crate::solve::Budget;
use crate::term::{TermId, Terms};
use path::{Oracle, Past};
use race::Shadow;
use thread::Running;

/// The most threads of a program.
const THREADS: usize = 1024;
/// The most synchronisation objects of an execution.
const OBJECTS: usize = 1 << 13;

/// How executions are chosen.
#[derive(Clone, Debug)]
pub struct Way {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The most switches between threads, if there is a bound.
    pub max_switches: Option<u32>,
    /// Whether branches are merged that touch nothing visible. Otherwise every open branch is a choice.
    pub merges: bool,
}

impl Default for Way {
    fn default() -> Self {
        Way { algorithm: Algorithm::Optimal, max_switches: None, merges: true }
    }
}

impl Way {
    /// Every interleaving with so many switches, one after the other: lazy exploration as it was published.
    pub fn lazy(max_switches: Option<u32>) -> Way {
        Way { algorithm: Algorithm::Dfs, max_switches, merges: true }
    }
}

/// Runs plans symbolically.
pub(crate) struct Tracer<'m> {
    machine: Machine<'m>,
    state: State,
    threads: Vec<Running>,
    /// The thread that runs.
    current: usize,
    past: Past,
    shadow: Shadow,
    oracle: Oracle,
    merges: bool,
    /// Whether a library call was made that is no operation.
    skip_call: bool,
    latitude: Latitude,
    timeouts: Vec<u32>,
    /// Whether a thread could not time out once more, because it had done so as often as it may.
    patient: bool,
    /// The number of each thread, by its creator and how many that one had created: the same in all executions.
    names: HashMap<(usize, u32), usize>,
    children: Vec<u32>,
    /// The primitives that are initialised.
    initialised: HashSet<u64>,
    question: Question,
    plans: std::collections::VecDeque<Plan>,
    worlds: (Vec<ThreadState>, Vec<ObjectSlot>),
    events: Vec<Event>,
    sites: Vec<Site>,
    pending: Vec<Pending>,
    races: Vec<heddle_model::race::Race>,
    outcome: (Outcome, ThreadId),
    /// Whether the thread that runs is in an atomic section.
    inside: bool,
    found: Option<Box<Conjecture>>,
    refusal: Option<Refusal>,
    cuts: BTreeSet<Site>,
    /// Whether a bound on time or memory, or a full table, left something out.
    short: Option<&'static str>,
    /// Tells the search to end.
    stop: Rc<Cell<bool>>,
}

impl<'m> Tracer<'m> {
    fn new(module: &'m Module, question: &Question, way: &Way) -> Tracer<'m> {
        let options = Options {
            unwind: question.unwind,
            steps: question.steps,
            undefined: question.undefined,
            leaks: question.leaks,
            exits: question.exits,
            unwind_loops: question.unwind_loops.clone(),
            sequential: true,
            ..Options::default()
        };
        let mut machine = Machine::new(module, options);
        machine.watch = Some(Watch::default());
        let budget = Budget {
            deadline: question.deadline,
            computed: question.computed,
            memory: question.memory,
            stop: question.stop,
            conflicts: None,
        };
        machine.budget = budget;
        Tracer {
            machine,
            state: State { guard: Terms::TRUE, memory: Memory::default() },
            threads: Vec::new(),
            current: 0,
            past: Past::default(),
            shadow: Shadow::default(),
            oracle: Oracle::new(budget),
            merges: way.merges,
            skip_call: false,
            latitude: Latitude::default(),
            timeouts: Vec::new(),
            patient: false,
            names: HashMap::new(),
            children: Vec::new(),
            initialised: HashSet::new(),
            question: question.clone(),
            plans: std::collections::VecDeque::new(),
            worlds: (vec![ThreadState::default(); THREADS], vec![ObjectSlot::default(); OBJECTS]),
            events: Vec::new(),
            sites: Vec::new(),
            pending: Vec::new(),
            races: Vec::new(),
            outcome: (Outcome::Running, ThreadId::MAIN),
            inside: false,
            found: None,
            refusal: None,
            cuts: BTreeSet::new(),
            short: None,
            stop: Rc::default(),
        }
    }

    fn watch(&self) -> &Watch {
        match &self.machine.watch {
            Some(watch) => watch,
            None => unreachable!("it is there from the start"),
        }
    }

    fn running(&self) -> &Running {
        &self.threads[self.current]
    }

    fn running_mut(&mut self) -> &mut Running {
        &mut self.threads[self.current]
    }

    fn thread_id(&self) -> ThreadId {
        ThreadId(self.current as u16)
    }

    /// What the current thread knows of the path, and one condition more.
    fn path_with(&mut self, condition: TermId) -> Vec<TermId> {
        let thread = self.current;
        let clock = self.past.cause(thread).clone();
        let mut all = self.past.conditions(&clock, Some(thread));
        all.push(condition);
        all
    }

    /// Whether a condition is possible in the current thread's causal past.
    fn possible_with(&mut self, condition: TermId) -> bool {
        if condition == Terms::FALSE {
            return false;
        }
        let all = self.path_with(condition);
        self.oracle.possible(&mut self.machine.terms, all)
    }
}

/// Ends a search when something was found.
struct Watcher {
    stop: Rc<Cell<bool>>,
    budget: Budget,
}

impl Observer for Watcher {
    fn execution(&mut self, _: &Execution<'_>, _: &Info<'_>) -> Flow {
        // What the search remembers of executions is memory too.
        if self.stop.get() || self.budget.is_over() { Flow::Stop } else { Flow::Continue }
    }

    fn progress(&mut self, _: &Progress) -> Flow {
        if self.stop.get() { Flow::Stop } else { Flow::Continue }
    }
}

/// Asks about a program, trace by trace. Needs a large stack: [`with_stack`](crate::prove::with_stack).
///
/// # Errors
///
/// What is not followed, and where.
pub fn ask(module: &Module, question: &Question, way: &Way) -> Result<Answer, Refusal> {
    let mut tracer = Tracer::new(module, question, way);
    let mut watcher = Watcher { stop: tracer.stop.clone(), budget: tracer.oracle.budget };
    let options = heddle_search::Options {
        algorithm: way.algorithm,
        max_switches: way.max_switches,
        timeout: question
            .deadline
            .map(|end| end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))),
        ..heddle_search::Options::default()
    };
    let summary = Search::new(options).run(&mut tracer, &mut watcher);
    if let Some(refusal) = tracer.refusal.take() {
        return Err(refusal);
    }
    let (stop, executions, threads, events, bounded) = match &summary {
        Ok(summary) => (
            Some(summary.stop),
            summary.counts.executions + summary.counts.assumed + summary.counts.bounded + summary.earlier,
            summary.counts.threads,
            summary.counts.events,
            summary.bounded,
        ),
        Err(_) => (None, 0, 0, 0, false),
    };
    let verdict = match tracer.found.take() {
        Some(found) => Verdict::Possible(found),
        None => match (stop, tracer.short) {
            (_, Some(why)) => Verdict::Unknown(why.to_owned()),
            (Some(Stop::Exhausted), None) if tracer.oracle.gave_up => {
                Verdict::Unknown("the limits of time and memory were reached".to_owned())
            }
            (Some(Stop::Exhausted), None) if tracer.cuts.is_empty() => Verdict::Safe,
            (Some(Stop::Exhausted), None) => Verdict::Cut(tracer.cuts.iter().copied().collect()),
            (Some(Stop::Time | Stop::Observer), None) => {
                Verdict::Unknown("the limits of time and memory were reached".to_owned())
            }
            (Some(stop), None) => Verdict::Unknown(format!("an execution that makes no sense: {stop:?}")),
            (None, None) => Verdict::Unknown("an execution failed".to_owned()),
        },
    };
    Ok(Answer {
        verdict,
        events: events as usize,
        threads: threads as usize,
        queries: tracer.oracle.queries,
        conflicts: tracer.oracle.conflicts(),
        rounds: 1,
        // The model looks at every operation for misuse.
        misuse: None,
        engine: Engine::Trace,
        bounded,
        timeouts: tracer.patient.then_some(tracer.latitude.timeouts),
        executions,
        modelled: tracer.machine.modelled.iter().cloned().collect(),
        unwound: tracer.machine.unwound.iter().map(|(site, most)| (*site, *most)).collect(),
        ..Answer::default()
    })
}
