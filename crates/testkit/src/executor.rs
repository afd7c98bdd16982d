//! An executor of scripted programs. World, follower and events are those of the model, as in the runtime.

use std::cell::Cell;
use std::collections::{BTreeSet, HashSet, VecDeque};

use heddle_model::follow::{Decision, Follower, Step};
use heddle_model::immediate::Immediate;
use heddle_model::primitive::{assume, mutex, process, section, thread};
use heddle_model::vain::{self, Vain};
use heddle_model::{
    Choice, Ending, Event, EventFlags, Execution, Executor, ExecutorError, Fingerprint, Needless, ObjectSlot, Outcome,
    Pending, Phase, Plan, States, ThreadId, ThreadState, World,
};

use crate::awaits::{self, Condition, Looks};
pub use crate::interpret::PLAIN;
use crate::interpret::{Attempt, Position, advance, finish, perform};
use crate::outside::{self, Call, Process, Rule};
use crate::program::{Instruction, Program, REGISTERS};
use crate::state::{Exact, State};
use crate::variables::Variables;

/// The final state of a scripted program: its variables and every thread's registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FinalState {
    /// The name of the outcome.
    pub outcome: &'static str,
    /// How the process ended, if it did.
    pub ending: Option<Ending>,
    /// The variables.
    pub variables: Vec<u64>,
    /// The registers of every thread.
    pub registers: Vec<[u64; REGISTERS]>,
    /// The position of every thread in its instructions.
    pub positions: Vec<u32>,
}

/// The outcome of an execution that ended by its last event. A program whose threads have all ended exits with status 0.
fn ended_by(events: &[Event]) -> Outcome {
    let ending = events.last().and_then(|event| process::ending(&event.operation));
    Outcome::Ended { ending: ending.unwrap_or(Ending::Exit { status: 0 }), fault: None }
}

/// An [`Executor`] over one scripted program.
pub struct Scripted<'p> {
    program: &'p Program,
    threads: Vec<ThreadState>,
    objects: Vec<ObjectSlot>,
    variables: Variables,
    positions: Vec<Position>,
    events: Vec<Event>,
    pending: Vec<Pending>,
    alternatives: Vec<u16>,
    queue: VecDeque<Plan>,
    depth: usize,
    outcome: (Outcome, ThreadId),
    states: Option<HashSet<FinalState>>,
    /// Whether an execution stops at the end of its schedule.
    prefixes_only: bool,
    /// The places that each thread has read in its current loop.
    looks: Vec<Looks>,
    /// Whether wait loops really go round.
    without_awaits: bool,
    /// The states of the last execution past its schedule, by their fingerprints.
    passed: Vec<Fingerprint>,
    /// The states at which plans end.
    known: HashSet<Fingerprint>,
    /// Every state of every execution with states.
    exact: Exact,
    /// The most operations of a thread in a [prefix](Self::prefix). 0 means no limit.
    max_steps: u32,
    /// The thread that only the limit stopped, at the end of the last prefix.
    stopped: Option<ThreadId>,
    /// How the last prefix ends if no thread can go on.
    stuck: Outcome,
    /// State of the process.
    process: Process,
}

impl<'p> Scripted<'p> {
    /// An executor that runs `program`, one plan at a time.
    pub fn new(program: &'p Program) -> Self {
        Scripted::with_depth(program, 1)
    }

    /// An executor that runs `program` and accepts `depth` plans before the first result must be taken.
    pub fn with_depth(program: &'p Program, depth: usize) -> Self {
        Scripted {
            program,
            // Room for threads that a program names and does not have.
            threads: vec![ThreadState::default(); program.threads.len().max(16)],
            objects: vec![ObjectSlot::default(); objects(program)],
            variables: Variables { cells: vec![Cell::new(0); used(program)], vain: Vec::new(), without: None },
            positions: vec![Position::default(); program.threads.len()],
            events: Vec::new(),
            pending: Vec::new(),
            alternatives: Vec::new(),
            queue: Default::default(),
            depth,
            outcome: (Outcome::Running, ThreadId::MAIN),
            states: None,
            prefixes_only: false,
            looks: vec![Looks::default(); program.threads.len()],
            without_awaits: false,
            passed: Vec::new(),
            known: HashSet::new(),
            exact: Exact::default(),
            max_steps: 0,
            stopped: None,
            stuck: Outcome::Deadlock,
            process: Process::default(),
        }
    }

    /// Every state of every execution with [states](States) so far.
    pub fn exact(&self) -> &Exact {
        &self.exact
    }

    /// The states of the last execution past its schedule: see [`Execution::states`].
    pub fn passed(&self) -> &[Fingerprint] {
        &self.passed
    }

    /// Stops each thread after this many operations in a [prefix](Self::prefix). 0 means no limit.
    pub fn stopping_after(mut self, max_steps: u32) -> Self {
        self.max_steps = max_steps;
        self
    }

    /// Makes wait loops really go round, as often as they are scheduled.
    pub fn without_awaits(mut self) -> Self {
        self.without_awaits = true;
        self
    }

    /// Leaves a condition of the rule of looks in vain out.
    pub fn without_condition(mut self, condition: Condition) -> Self {
        self.variables.without = Some(condition);
        self
    }

    /// Leaves a rule of the model out.
    pub fn without(mut self, rule: Option<Rule>) -> Self {
        self.process.without = rule;
        self
    }

    /// Runs the schedule `steps` and nothing more. Returns the events, the possible next steps (each alternative of
    /// each enabled thread), and the outcome, which is `Running` if a thread has not ended.
    pub fn prefix(&mut self, steps: &[Step]) -> (&[Event], Vec<Step>, Outcome) {
        self.prefix_with(steps, States::Off)
    }

    /// Like [`prefix`](Self::prefix). If `states` are asked for, [`passed`](Self::passed) is the state that it ends in,
    /// or nothing if the process has ended.
    pub fn prefix_with(&mut self, steps: &[Step], states: States) -> (&[Event], Vec<Step>, Outcome) {
        self.prefixes_only = true;
        let max_steps = self.max_steps;
        self.execute(&Plan { schedule: steps.to_vec(), max_steps, states, ..Plan::default() });
        self.prefixes_only = false;
        if let outcome @ Outcome::Learnt { .. } = self.outcome.0 {
            return (&self.events, Vec::new(), outcome);
        }
        let ended = self.events.last().is_some_and(|e| e.operation.code == process::END);
        let mut next = Vec::new();
        for (pending, alternatives) in self.pending.iter().zip(&self.alternatives) {
            if pending.enabled != 0 && !ended {
                let thread = pending.thread;
                next.extend((0..*alternatives).map(|way| Step::new(thread).taking(Choice::Way(way))));
            }
        }
        let assumed = self.pending.iter().any(|p| p.operation.code == assume::FALSE);
        let forever = self.pending.iter().any(|p| p.operation.runs_forever());
        let outcome = match (ended || self.pending.is_empty(), next.is_empty()) {
            (false, true) if assumed => Outcome::Assumed,
            (true, _) => ended_by(&self.events),
            (false, true) if forever && self.stopped.is_none() => Outcome::Hang,
            (false, true) => self.stopped.map_or(self.stuck, |thread| Outcome::StepLimit { thread }),
            (false, false) => Outcome::Running,
        };
        self.outcome.0 = outcome;
        (&self.events, next, outcome)
    }

    /// Knows from now on what `places` say of looks in vain.
    pub fn know(&mut self, places: &BTreeSet<u64>) {
        self.variables.vain = places.iter().copied().collect();
    }

    /// The operations that threads were about to take at the end of the last execution.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// Collects the final state of every complete execution from now on.
    pub fn remember_states(&mut self) {
        self.states = Some(HashSet::new());
    }

    /// The final states of all complete executions since [`remember_states`](Self::remember_states).
    pub fn take_states(&mut self) -> HashSet<FinalState> {
        self.states.take().unwrap_or_default()
    }

    /// The final state of the last execution.
    pub fn final_state(&self) -> FinalState {
        let ending = self.events.last().and_then(|event| process::ending(&event.operation));
        FinalState {
            outcome: self.outcome.0.name(),
            ending,
            variables: self.variables.cells.iter().map(Cell::get).collect(),
            registers: self.positions.iter().map(|p| p.registers).collect(),
            positions: self.positions.iter().map(|p| p.next as u32).collect(),
        }
    }

    fn execute(&mut self, plan: &Plan) {
        let Scripted {
            program,
            threads,
            objects,
            variables,
            positions,
            events,
            pending,
            prefixes_only,
            alternatives,
            looks,
            without_awaits,
            process: state,
            passed,
            known,
            exact,
            ..
        } = self;
        state.reset(program.threads.len());
        passed.clear();
        let mut met: HashSet<Fingerprint> = HashSet::new();
        let without_awaits = *without_awaits || plan.states != States::Off;
        looks.fill(Looks::default());
        let mut awaiting = false;
        alternatives.clear();
        for (index, cell) in variables.cells.iter().enumerate() {
            cell.set(program.variables.get(index).copied().unwrap_or(0));
        }
        positions.fill(Position::default());
        events.clear();
        pending.clear();
        let mut world = World::new(threads, objects, variables);
        world.limit_steps(plan.max_steps);
        world.note_sections(plan.immediate == Immediate::Sections);
        let mut follower = Follower::new(plan.view());
        let mut running = ThreadId::MAIN;
        let mut open = (0, section::Summary::default());
        let outcome = loop {
            if plan.states.are_computed() && events.len() >= plan.schedule.len() {
                let here = State::of(&world, variables, positions, state);
                let fingerprint = here.fingerprint(&world);
                // What threads know there counts, too, where nothing is to be decided.
                exact.hold(fingerprint, &here);
                let decides = follower.immediate(&world).is_none();
                passed.push(if decides { fingerprint } else { Fingerprint::NONE });
                // What a section touches is known when it has ended, so an execution does not stop inside one.
                let visited = !met.insert(fingerprint) || known.contains(&fingerprint);
                if plan.states == States::Stop && decides && visited && world.exclusive().is_none() {
                    break Outcome::Visited;
                }
            }
            if *prefixes_only && events.len() == plan.schedule.len() {
                break Outcome::Running;
            }
            let step = match follower.decide(&mut world) {
                Decision::Run(step) => step,
                Decision::Deadlock => break stuck(&world, variables, events),
                Decision::AllFinished => break ended_by(events),
                Decision::Assumed => break Outcome::Assumed,
                Decision::Hang(thread) => {
                    running = thread;
                    break Outcome::Hang;
                }
                Decision::Blocked => break Outcome::Blocked,
                Decision::Diverged(at) => {
                    let thread = plan.schedule[at].thread;
                    if thread.index() < world.extent() && world.looks_in_vain(thread) {
                        // The search cannot foresee what this one finds.
                        break Outcome::Learnt { place: vain::nothing(world.thread(thread).state), also: 0 };
                    }
                    break Outcome::Diverged { step: at as u32 };
                }
                Decision::StepLimit(thread) => {
                    running = thread;
                    break Outcome::StepLimit { thread };
                }
                Decision::SwitchLimit(thread) => {
                    running = thread;
                    break Outcome::SwitchLimit { thread };
                }
            };
            running = step.thread;
            let mut event = world.take(step.thread, step.choice());
            let position = &mut positions[step.thread.index()];
            let calls = outside::is_call(program, step.thread, position, &event);
            position.calls.ends = if calls { None } else { state.denies(&event) };
            if !calls && position.calls.ends.is_none() {
                perform(variables, &mut event);
            }
            if follower.has_sleepers() {
                follower.observe(&mut world, &event);
            }
            match event.operation.code {
                section::BEGIN => open = (events.len(), section::Summary::default()),
                section::END => open.1.close(&mut events[open.0]),
                _ if event.flags.contains(EventFlags::INSIDE) => open.1.add(&event),
                _ => {}
            }
            events.push(event);
            state.observe(&event);
            if event.operation.code == process::END {
                break ended_by(events);
            }
            if awaiting {
                world.settle(events);
            }
            let looks_of = &mut looks[step.thread.index()];
            if !without_awaits {
                looks_of.after(&event);
                let probes = looks_of.probes() || event.operation.code == thread::EXIT && looks_of.wants();
                let knows = Vain::new(&variables.vain).tries();
                if probes && !knows {
                    break Outcome::Learnt { place: vain::TRIED, also: 0 };
                }
            }
            if event.operation.code != thread::EXIT {
                let id = step.thread.index();
                let position = &mut positions[id];
                let only_read = position.attempt == Attempt::Fails;
                if calls {
                    state.finish(program, variables, step.thread, position);
                } else {
                    finish(position.calls.code(program, step.thread), position, &event);
                }
                if only_read {
                    looks[id].reset();
                }
                position.misused = world
                    .misuse
                    .map(|misuse| process::misused(misuse, event.operation.object, event.operation.code.family()));
                let handlers = state.handlers();
                let (mut operation, pc) = advance(program, variables, state, step.thread, position);
                if state.handlers() != handlers {
                    // The next exit handler is no round of a loop, even if it does what the last one did.
                    looks[id].reset();
                }
                let mut look = 0;
                let locks = operation.code != mutex::TRYLOCK && mutex::can_poll(&operation);
                if !without_awaits && locks && world.exclusive().is_none() {
                    let state = (position.next, position.registers);
                    operation = looks[id].under_lock(state, operation, Vain::new(&variables.vain));
                    awaiting |= operation.is_await();
                } else if !without_awaits {
                    let state = (position.next, position.registers);
                    if world.exclusive().is_none() && position.attempt != Attempt::Fails {
                        look = awaits::number(step.thread, position, &operation, variables.without);
                    }
                    let known = Vain::new(&variables.vain);
                    let prospect = looks[id].before(state, look, operation, known, variables.without);
                    if let Some((states, value)) = prospect.vain.filter(|(states, value)| known.wants(*states, *value))
                    {
                        break Outcome::Learnt { place: vain::finding(states, value), also: vain::anything(states) };
                    }
                    look = if look == 0 { 0 } else { prospect.state };
                    operation = prospect.operation;
                    awaiting |= operation.is_await();
                }
                world.announce_look(step.thread, operation, pc, events);
                world.thread_mut(step.thread).state = look;
            }
        };
        if *prefixes_only {
            // The possible next steps, including a timeout that expires because no thread is enabled.
            world.expire_if_quiescent();
            self.stopped = world.stopped_by_limit();
            self.stuck = stuck(&world, variables, events);
        }
        if outcome != Outcome::Running {
            world.end_section();
        }
        for id in world.ids() {
            let state = *world.thread(id);
            if state.phase == Phase::Alive {
                let stopped = world.is_stopped(id) as u8;
                let enabled = if *prefixes_only { world.enabled(id) } else { world.enabled_without_limit(id) } as u8;
                alternatives.push(world.alternatives(id));
                let asleep = state.asleep as u8;
                let flags = world.foresee_flags(id);
                pending.push(Pending {
                    flags,
                    operation: state.pending,
                    state: state.state,
                    pc: state.pc,
                    thread: id,
                    enabled,
                    asleep,
                    stopped,
                    ..Pending::default()
                });
            }
        }
        self.outcome = (outcome, running);
        if self.states.is_some() && is_remembered(&outcome) {
            let state = self.final_state();
            self.states.get_or_insert_default().insert(state);
        }
    }
}

/// How an execution ends in which no thread can go on.
fn stuck(world: &World, variables: &Variables, events: &[Event]) -> Outcome {
    match world.waits_needlessly(events) {
        None => Outcome::Deadlock,
        _ if variables.without == Some(Condition::Needless) => Outcome::Deadlock,
        Some(Needless::Polite) if !Vain::new(&variables.vain).tries() => {
            Outcome::Learnt { place: vain::TRIED, also: 0 }
        }
        Some(_) => Outcome::Blocked,
    }
}

/// Whether executions with this outcome have final states that every search must find.
fn is_remembered(outcome: &Outcome) -> bool {
    use Outcome::{Assumed, Deadlock, Ended, Hang, StepLimit};
    matches!(outcome, Ended { .. } | Deadlock | Hang | Assumed | StepLimit { .. })
}

/// The size of the table of objects for a program. It is cleared for every execution, so it should be small.
fn objects(program: &Program) -> usize {
    use Instruction::*;
    let highest = program.threads.iter().chain(&program.functions).flatten().map(|i| match *i {
        Lock(x) | TryLock(x, _) | Unlock(x) | Signal(x) | Broadcast(x) | SemInit(x, _) | SemWait(x) => x as usize,
        SemTryWait(x, _) | SemPost(x) | SemValue(x, _) | Consistent(x, _) => x as usize,
        ReadLock(x) | TryReadLock(x, _) | WriteLock(x) | TryWriteLock(x, _) | RwUnlock(x) => x as usize,
        SpinLock(x) | SpinTryLock(x, _) | SpinUnlock(x) | BarrierInit(x, _) | BarrierWait(x, _) => x as usize,
        Once(x, _) => x as usize,
        TimedLock(x, _) | SemTimedWait(x, _) | TimedReadLock(x, _) | TimedWriteLock(x, _) => x as usize,
        Wait(x, y) | TimedWait(x, y, _) => x.max(y) as usize,
        _ => 0,
    });
    // Seven kinds of objects, at most half full.
    ((highest.max().unwrap_or(0) + 1) * 14).next_power_of_two()
}

/// The number of variables that the program uses.
fn used(program: &Program) -> usize {
    use Instruction::*;
    let named = program.threads.iter().chain(&program.functions).flatten().map(|i| match *i {
        FutexWait(x, ..) | FutexTimedWait(x, ..) | FutexWake(x, ..) => x as usize + 1,
        FutexRequeue(x, y, ..) | FutexCompareRequeue(x, y, ..) => x.max(y) as usize + 1,
        Load(x, _) | Store(x, _) | FetchAdd(x, _, _) | CompareExchange(x, _, _, _) => x as usize + 1,
        PlainLoad(x, _) | PlainStore(x, _) => PLAIN + x as usize + 1,
        Outside(Call::Area(..)) => outside::FIRST_IN_AREAS as usize + outside::AREAS * outside::AREA_VARIABLES,
        _ => 0,
    });
    named.max().unwrap_or(0)
}

impl Executor for Scripted<'_> {
    fn depth(&self) -> usize {
        self.depth
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.queue.push_back(plan.clone());
        Ok(())
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let plan = self.queue.pop_front().ok_or_else(|| ExecutorError::CannotRun("no plan".into()))?;
        self.execute(&plan);
        let (outcome, thread) = self.outcome;
        Ok(Execution {
            events: &self.events,
            pending: &self.pending,
            outcome,
            circle: false,
            left: 0,
            thread,
            message: "",
            output: &[],
            races: &[],
            states: &self.passed,
            touches: &[],
            contents: &[],
        })
    }

    fn abandon(&mut self) {
        self.queue.clear();
    }

    fn remember(&mut self, states: &[Fingerprint]) {
        self.known.extend(states);
    }

    fn forget_states(&mut self) {
        self.known.clear();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.variables.vain.clear();
        self.variables.vain.extend(places);
        self.variables.vain.sort_unstable();
        // What was seen before belongs to a search that begins anew.
        if let Some(states) = &mut self.states {
            states.clear();
        }
        Ok(())
    }
}
