//! Runs scripted programs as the runtime runs native ones: the same world, the same follower, the same events.

use std::cell::Cell;
use std::collections::{HashSet, VecDeque};

use heddle_model::follow::{Decision, Follower, Step};
use heddle_model::primitive::{
    assume, atomic, barrier, choice, condvar, futex, memory as plain, mutex, once, process, rwlock, section, semaphore,
    spin, thread, yielding,
};
use heddle_model::{
    Ending, Event, EventFlags, Execution, Executor, ExecutorError, Memory, ObjectId, ObjectSlot, OpCode, Operation,
    Order as Turn, Outcome, Pending, Phase, Plan, ThreadId, ThreadState, World,
};

use crate::awaits::Looks;
use crate::program::{
    ERRORCHECK, Instruction, PREFERS_WRITERS, Program, RECURSIVE, REGISTERS, ROBUST, ROBUST_REGISTER, Value, orders,
};

/// Objects have addresses, as in a real program; kinds are far apart.
const MUTEXES: u64 = 0x10000;
const CONDITIONS: u64 = 0x20000;
const SEMAPHORES: u64 = 0x30000;
const VARIABLES: u64 = 0x40000;
const RWLOCKS: u64 = 0x50000;
const SPIN_LOCKS: u64 = 0x60000;
const BARRIERS: u64 = 0x70000;
const ONCES: u64 = 0x80000;
/// Variables are eight bytes apart and four bytes long, mutexes forty, as on Linux.
const fn mutex_at(index: u8) -> ObjectId {
    ObjectId(MUTEXES + index as u64 * 40)
}
const fn kind_of(mutex: u8) -> u32 {
    match mutex {
        ROBUST.. => kind_of(mutex - ROBUST) | mutex::ROBUST,
        ERRORCHECK.. => mutex::ERRORCHECK,
        RECURSIVE.. => mutex::RECURSIVE,
        _ => mutex::NORMAL,
    }
}
const fn on_mutex(code: OpCode, index: u8) -> Operation {
    Operation { detail: kind_of(index), ..Operation::new(code, mutex_at(index)) }
}
const fn condition_at(index: u8) -> ObjectId {
    ObjectId(CONDITIONS + index as u64 * 48)
}
const fn semaphore_at(index: u8) -> ObjectId {
    ObjectId(SEMAPHORES + index as u64 * 32)
}
const fn rwlock_at(index: u8) -> ObjectId {
    ObjectId(RWLOCKS + index as u64 * 56)
}
const fn on_rwlock(code: OpCode, index: u8) -> Operation {
    let detail = if index >= PREFERS_WRITERS { rwlock::PREFERS_WRITERS } else { 0 };
    Operation { detail, ..Operation::new(code, rwlock_at(index)) }
}
const fn spin_at(index: u8) -> ObjectId {
    ObjectId(SPIN_LOCKS + index as u64 * 4)
}
const fn barrier_at(index: u8) -> ObjectId {
    ObjectId(BARRIERS + index as u64 * 32)
}
const fn once_at(index: u8) -> ObjectId {
    ObjectId(ONCES + index as u64 * 8)
}
const fn variable_at(index: u8) -> ObjectId {
    ObjectId(VARIABLES + index as u64 * 4)
}

/// Where the new value of a compare-exchange stands in its `detail`: above the memory orders.
const NEW: u32 = 12;

/// What a futex operation fails with if the variable has another value.
const EAGAIN: u64 = 11;

/// Plain variables come after this many atomic ones.
pub const PLAIN: usize = 16;

const fn plain_at(index: u8) -> ObjectId {
    variable_at(PLAIN as u8 + index)
}

/// The variables of a scripted program. Cells: the world looks at them while the executor writes them.
struct Variables(Vec<Cell<u64>>);

impl Variables {
    fn at(&self, object: ObjectId) -> &Cell<u64> {
        &self.0[((object.0 - VARIABLES) / 4) as usize]
    }
}

impl Memory for Variables {
    fn compare_fails(&self, operation: &Operation) -> bool {
        self.at(operation.object).get() != operation.argument
    }
}

/// What a thread that was cancelled has to do before it ends.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Leaving {
    #[default]
    Lives,
    /// To pass on a signal, then the next.
    Signal(u8, u8),
    /// To lock the mutex that it waited with.
    Lock(u8),
    /// Nothing.
    Ends,
}

/// Whether an attempt may still fail for no reason.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Attempt {
    /// That is open.
    #[default]
    Open,
    /// It does not.
    Made,
    /// It does: a compare-exchange that only reads.
    Fails,
}

/// Where a scripted thread is. Reset for each execution.
#[derive(Clone, Copy, Default)]
struct Position {
    next: usize,
    registers: [u64; REGISTERS],
    /// Between the two halves of a condition wait, of a wait at a barrier, or of an initialisation.
    waiting: bool,
    /// It cannot be cancelled.
    uncancellable: bool,
    /// It has looked whether it was cancelled before the operation that comes next.
    looked: bool,
    /// It was cancelled, and does what is left of that.
    leaving: Leaving,
    /// It was woken from a wait that can end by itself, and wants the mutex back.
    awake: bool,
    /// How often it has timed out, and its waits have ended for no reason.
    timeouts: u32,
    spurious: u32,
    /// How often its attempts have failed for no reason.
    failures: u32,
    /// It stands in the queue for what it waits for.
    queued: bool,
    /// What the attempt that comes next will be.
    attempt: Attempt,
    /// The assertion that it stands before has failed.
    failed: bool,
    /// What it has done must not be done: the end of the process comes next.
    misused: Option<Operation>,
}

/// What can be seen of a scripted program when it has ended: its variables and every thread's registers.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FinalState {
    /// How it ended.
    pub outcome: u32,
    /// Which ending, and its detail.
    pub ending: (u64, u32),
    /// The variables.
    pub variables: Vec<u64>,
    /// The registers of every thread.
    pub registers: Vec<[u64; REGISTERS]>,
    /// Where every thread was.
    pub positions: Vec<u32>,
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
    outcome: (Outcome, u64, ThreadId),
    states: Option<HashSet<FinalState>>,
    /// Stop at the end of the schedule.
    prefixes_only: bool,
    /// What each thread has looked at.
    looks: Vec<Looks>,
    /// Loops that only look really go round.
    without_awaits: bool,
}

impl<'p> Scripted<'p> {
    /// Runs `program`, one plan at a time.
    pub fn new(program: &'p Program) -> Self {
        Scripted::with_depth(program, 1)
    }

    /// Runs `program`, and takes this many plans before the first result must be taken.
    pub fn with_depth(program: &'p Program, depth: usize) -> Self {
        Scripted {
            program,
            // Room for threads that a program names and does not have.
            threads: vec![ThreadState::default(); program.threads.len().max(16)],
            objects: vec![ObjectSlot::default(); objects(program)],
            variables: Variables(vec![Cell::new(0); used(program)]),
            positions: vec![Position::default(); program.threads.len()],
            events: Vec::new(),
            pending: Vec::new(),
            alternatives: Vec::new(),
            queue: Default::default(),
            depth,
            outcome: (Outcome::Running, 0, ThreadId::MAIN),
            states: None,
            prefixes_only: false,
            looks: vec![Looks::default(); program.threads.len()],
            without_awaits: false,
        }
    }

    /// From here on, loops that only look go round, as often as they are let.
    pub fn without_awaits(mut self) -> Self {
        self.without_awaits = true;
        self
    }

    /// Runs the schedule `steps` and nothing more. Returns the events, what could come next (each way of each thread
    /// that can go on), and whether anybody has not ended.
    pub fn prefix(&mut self, steps: &[Step]) -> (&[Event], Vec<Step>, Outcome) {
        self.prefixes_only = true;
        self.execute(&Plan { schedule: steps.to_vec(), ..Plan::default() });
        self.prefixes_only = false;
        let ended = self.events.last().is_some_and(|e| e.operation.code == process::END);
        let mut next = Vec::new();
        for (pending, alternatives) in self.pending.iter().zip(&self.alternatives) {
            if pending.enabled != 0 && !ended {
                let thread = pending.thread;
                next.extend((0..*alternatives).map(|choice| Step { thread, choice, ..Step::default() }));
            }
        }
        let assumed = self.pending.iter().any(|p| p.operation.code == assume::FALSE);
        let outcome = match (ended || self.pending.is_empty(), next.is_empty()) {
            (false, true) if assumed => Outcome::Assumed,
            (true, _) => Outcome::Ended,
            (false, true) => Outcome::Deadlock,
            (false, false) => Outcome::Running,
        };
        self.outcome.0 = outcome;
        (&self.events, next, outcome)
    }

    /// What the threads were about to do at the end of the last execution.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// Remembers the final state of every complete execution from here on.
    pub fn remember_states(&mut self) {
        self.states = Some(HashSet::new());
    }

    /// The final states of all complete executions since [`remember_states`](Self::remember_states).
    pub fn take_states(&mut self) -> HashSet<FinalState> {
        self.states.take().unwrap_or_default()
    }

    /// What could be seen at the end of the last execution.
    pub fn final_state(&self) -> FinalState {
        let ending = match self.events.last() {
            Some(e) if e.operation.code == process::END => (e.operation.argument, e.operation.detail),
            _ => (0, 0),
        };
        FinalState {
            outcome: self.outcome.0 as u32,
            ending,
            variables: self.variables.0.iter().map(Cell::get).collect(),
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
            ..
        } = self;
        looks.iter_mut().for_each(Looks::reset);
        let mut awaiting = false;
        alternatives.clear();
        for (index, cell) in variables.0.iter().enumerate() {
            cell.set(program.variables.get(index).copied().unwrap_or(0));
        }
        positions.fill(Position::default());
        events.clear();
        pending.clear();
        let mut world = World::new(threads, objects, variables);
        let mut follower = Follower::new(plan.view());
        let mut running = ThreadId::MAIN;
        let mut open = (0, section::Summary::default());
        let (outcome, detail) = loop {
            if *prefixes_only && events.len() == plan.schedule.len() {
                break (Outcome::Running, 0);
            }
            let step = match follower.decide(&mut world) {
                Decision::Run(step) => step,
                Decision::Deadlock => break (Outcome::Deadlock, 0),
                Decision::AllFinished => break (Outcome::Ended, 0),
                Decision::Assumed => break (Outcome::Assumed, 0),
                Decision::Blocked => break (Outcome::Blocked, 0),
                Decision::Diverged(at) => break (Outcome::Diverged, at as u64),
                Decision::StepLimit(thread) => {
                    running = thread;
                    break (Outcome::StepLimit, 0);
                }
            };
            running = step.thread;
            let mut event = world.take(step.thread, step.choice);
            perform(variables, &mut event);
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
            if event.operation.code == process::END {
                break (Outcome::Ended, 0);
            }
            if awaiting {
                world.settle(&event);
            }
            if event.operation.code != thread::EXIT {
                let id = step.thread.index();
                let position = &mut positions[id];
                looks[id].after(&event);
                let only_read = position.attempt == Attempt::Fails;
                finish(&program.threads[id], position, &event);
                if only_read {
                    looks[id].reset();
                }
                position.misused = world
                    .misuse
                    .map(|misuse| process::misused(misuse, event.operation.object, event.operation.code.family()));
                let (mut operation, pc) = advance(program, variables, step.thread, position);
                if !*without_awaits {
                    let state = (position.next, position.registers);
                    operation = looks[id].before(state, operation);
                    awaiting |= operation.is_await();
                }
                world.announce_look(step.thread, operation, pc, events);
            }
        };
        if *prefixes_only {
            // What can come next, if only because nobody can go on.
            world.expire_if_quiescent();
        }
        if outcome != Outcome::Running {
            world.end_section();
        }
        for id in world.ids() {
            let state = *world.thread(id);
            if state.phase == Phase::Alive {
                let enabled = world.enabled(id) as u8;
                alternatives.push(world.alternatives(id));
                let asleep = state.asleep as u8;
                let flags = world.foresee_flags(id);
                pending.push(Pending {
                    flags,
                    operation: state.pending,
                    pc: state.pc,
                    thread: id,
                    enabled,
                    asleep,
                    ..Pending::default()
                });
            }
        }
        self.outcome = (outcome, detail, running);
        if self.states.is_some() && matches!(outcome, Outcome::Ended | Outcome::Deadlock | Outcome::Assumed) {
            let state = self.final_state();
            self.states.get_or_insert_default().insert(state);
        }
    }
}

/// Room for the objects that a program can name: a table that is cleared for every execution should be small.
fn objects(program: &Program) -> usize {
    use Instruction::*;
    let highest = program.threads.iter().flatten().map(|i| match *i {
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

/// How many variables may differ at the end.
fn used(program: &Program) -> usize {
    use Instruction::*;
    let named = program.threads.iter().flatten().map(|i| match *i {
        FutexWait(x, ..) | FutexTimedWait(x, ..) | FutexWake(x, ..) => x as usize + 1,
        FutexRequeue(x, y, ..) | FutexCompareRequeue(x, y, ..) => x.max(y) as usize + 1,
        Load(x, _) | Store(x, _) | FetchAdd(x, _, _) | CompareExchange(x, _, _, _) => x as usize + 1,
        PlainLoad(x, _) | PlainStore(x, _) => PLAIN + x as usize + 1,
        _ => 0,
    });
    named.max().unwrap_or(0)
}

/// Does to the variables what `event` says, and completes it.
fn perform(variables: &Variables, event: &mut Event) {
    let operation = event.operation;
    if event.flags.contains(EventFlags::MISMATCH) {
        event.result = variables.at(operation.object).get();
        return;
    }
    match operation.code {
        plain::READ => event.result = variables.at(operation.object).get(),
        plain::WRITE => variables.at(operation.object).set(operation.argument),
        _ => {}
    }
    if operation.code.family() != atomic::FAMILY || operation.code == atomic::FENCE {
        return;
    }
    let cell = variables.at(operation.object);
    event.result = cell.get();
    match operation.code {
        atomic::STORE => {
            event.flags = event.flags.union(EventFlags::KNOWS_OLD);
            cell.set(operation.argument);
        }
        atomic::RMW => cell.set(cell.get().wrapping_add(operation.argument)),
        atomic::COMPARE_EXCHANGE if cell.get() == operation.argument => cell.set(operation.detail as u64 >> NEW),
        atomic::COMPARE_EXCHANGE => event.flags = event.flags.union(EventFlags::FAILED),
        _ => {}
    }
    if matches!(operation.code, atomic::STORE | atomic::RMW) && cell.get() == event.result {
        event.flags = event.flags.union(EventFlags::UNCHANGED);
    }
}

/// What the thread gets from the event that it has just taken.
fn finish(code: &[Instruction], position: &mut Position, event: &Event) {
    use Instruction::*;
    match position.leaving {
        Leaving::Lives => {}
        Leaving::Lock(_) if event.operation.code == mutex::ENQUEUE => {
            position.queued = true;
            return;
        }
        Leaving::Signal(_, mutex) => {
            position.leaving = Leaving::Lock(mutex);
            return;
        }
        Leaving::Lock(_) | Leaving::Ends => {
            position.leaving = Leaving::Ends;
            return;
        }
    }
    let cancelled =
        event.flags.contains(EventFlags::CANCELLED) || event.operation.code == thread::TESTCANCEL && event.result != 0;
    if cancelled {
        position.leaving = match code[position.next] {
            Wait(c, m) if event.operation.code == condvar::REACQUIRE && event.result != 0 => Leaving::Signal(c, m),
            Wait(_, m) if event.operation.code == condvar::REACQUIRE => Leaving::Lock(m),
            _ => Leaving::Ends,
        };
        return;
    }
    position.looked = event.operation.code == thread::TESTCANCEL && code[position.next] != TestCancel;
    if position.looked {
        return;
    }
    if matches!(event.operation.code, mutex::LOCK) && event.operation.detail & mutex::ROBUST != 0 {
        position.registers[ROBUST_REGISTER as usize] = event.result;
    }
    let chosen = event.flags.contains(EventFlags::TIMED_OUT) && !event.flags.contains(EventFlags::QUIESCENT);
    position.timeouts += chosen as u32;
    position.spurious += event.flags.contains(EventFlags::SPURIOUS) as u32;
    position.queued = matches!(event.operation.code, mutex::ENQUEUE | semaphore::ENQUEUE | rwlock::ENQUEUE);
    if position.queued {
        return;
    }
    if event.operation.code == choice::ATTEMPT {
        position.attempt = Attempt::Made;
        if event.result == 0 {
            return;
        }
        position.failures += 1;
        match code[position.next] {
            TryLock(_, r) | TryReadLock(_, r) | TryWriteLock(_, r) | SpinTryLock(_, r) => {
                position.registers[r as usize] = mutex::EBUSY;
                position.next += 1;
                position.attempt = Attempt::Open;
            }
            _ => position.attempt = Attempt::Fails,
        }
        return;
    }
    position.attempt = Attempt::Open;
    match event.operation.code {
        thread::START => return,
        rwlock::WRITE_ARRIVE if !event.failed() => {
            position.waiting = true;
            return;
        }
        rwlock::WRITE_LOCK | rwlock::TIMED_WRITE_LOCK => position.waiting = false,
        condvar::WAIT if !event.failed() => {
            position.waiting = true;
            return;
        }
        condvar::REACQUIRE => position.waiting = false,
        condvar::AWAKEN => {
            (position.waiting, position.awake) = (false, true);
            if let TimedWait(_, _, r) = code[position.next] {
                position.registers[r as usize] = event.result;
            }
            return;
        }
        mutex::LOCK if position.awake => position.awake = false,
        futex::WAIT | futex::REQUEUE if event.flags.contains(EventFlags::MISMATCH) => {
            if let FutexWait(_, _, r) | FutexTimedWait(_, _, r) | FutexCompareRequeue(_, _, _, r) = code[position.next]
            {
                position.registers[r as usize] = EAGAIN;
            }
            position.next += 1;
            return;
        }
        futex::WAIT => {
            position.waiting = true;
            return;
        }
        futex::AWAKEN => position.waiting = false,
        barrier::ARRIVE => {
            position.waiting = true;
            return;
        }
        barrier::LEAVE => {
            if let BarrierWait(_, r) = code[position.next] {
                position.registers[r as usize] = event.flags.contains(EventFlags::COMPLETES) as u64;
            }
            position.waiting = false;
        }
        once::BEGIN => {
            if let Once(_, r) = code[position.next] {
                position.registers[r as usize] = event.result;
            }
            position.waiting = event.result == 1;
            if position.waiting {
                return;
            }
        }
        once::DONE => position.waiting = false,
        _ => {}
    }
    match code[position.next] {
        FutexWait(_, _, r) | FutexTimedWait(_, _, r) => position.registers[r as usize] = event.result,
        FutexWake(_, _, r) | FutexRequeue(_, _, _, r) => position.registers[r as usize] = futex::woken(event) as u64,
        FutexCompareRequeue(_, _, _, r) => {
            position.registers[r as usize] = (futex::woken(event) + futex::moved(event)) as u64;
        }
        SemTimedWait(_, r) => position.registers[r as usize] = if event.failed() { event.result } else { 0 },
        TimedWait(_, _, r) if event.operation.code == condvar::WAIT => position.registers[r as usize] = event.result,
        TimedLock(_, r)
        | TimedReadLock(_, r)
        | TimedWriteLock(_, r)
        | TryLock(_, r)
        | TryReadLock(_, r)
        | TryWriteLock(_, r)
        | SpinTryLock(_, r)
        | Consistent(_, r)
        | TryJoin(_, r)
        | TimedJoin(_, r)
        | SemTryWait(_, r)
        | SemValue(_, r)
        | Load(_, r)
        | FetchAdd(_, _, r)
        | CompareExchange(_, _, _, r)
        | PlainLoad(_, r)
        | Choose(_, r) => position.registers[r as usize] = event.result,
        _ => {}
    }
    position.next += 1;
}

/// Runs private instructions up to the next operation.
fn advance(program: &Program, variables: &Variables, thread: ThreadId, position: &mut Position) -> (Operation, u64) {
    use Instruction::*;
    let code = &program.threads[thread.index()];
    loop {
        let pc = ((thread.0 as u64) << 16) | (position.next as u64 + 1);
        if let Some(end) = position.misused {
            return (end, pc);
        }
        let queued = position.queued;
        // In two steps, if there is a queue: to stand in it, and to get it.
        let in_turn = |operation: Operation, enqueue: OpCode, order: Turn| match order {
            Turn::Arbitrary => operation,
            order if queued => operation.in_order(order),
            order => Operation { code: enqueue, argument: 0, size: 0, ..operation }.patient().in_order(order),
        };
        let wakeup = program.wakeup;
        let lock = |m| in_turn(on_mutex(mutex::LOCK, m), mutex::ENQUEUE, wakeup.mutex);
        let signal = |c| Operation::new(condvar::SIGNAL, condition_at(c)).in_order(wakeup.cond);
        match position.leaving {
            Leaving::Lives => {}
            Leaving::Signal(c, _) => return (signal(c), pc),
            Leaving::Lock(m) => return (lock(m), pc),
            Leaving::Ends => position.next = code.len(),
        }
        let Some(&instruction) = code.get(position.next) else {
            let last = if thread == ThreadId::MAIN {
                process::end(Ending::Exit, 0)
            } else {
                Operation::new(thread::EXIT, ObjectId::thread(thread))
            };
            return (last, pc);
        };
        let registers = &mut position.registers;
        let value = |registers: &[u64; REGISTERS], v: Value| match v {
            Value::Constant(c) => c,
            Value::Register(r) => registers[r as usize],
        };
        let (order, failure) = orders(code, position.next);
        let order = atomic::orders(order, failure);
        let memory =
            |code, variable| Operation { size: 4, detail: order, ..Operation::new(code, variable_at(variable)) };
        let cancels = program.threads.iter().flatten().any(|i| matches!(i, Cancel(_))) && !position.uncancellable;
        let look = Operation::new(thread::TESTCANCEL, ObjectId::thread(thread));
        let at = |operation: Operation| if cancels { operation.cancellable() } else { operation };
        // Deadlines of different threads come in any order, and can be the same.
        let deadline = (position.next as u64 * 7 + thread.0 as u64 * 3) % 5;
        let may_time_out = position.timeouts < program.timeouts;
        let timed = |operation: Operation| {
            let operation = operation.with_argument(deadline);
            if may_time_out { operation.impatient() } else { operation }
        };
        let may_be_spurious = position.spurious < program.spurious;
        // To stand in the queue of the mutex comes after waking up.
        let wakes_first = wakeup.mutex != Turn::Arbitrary;
        let may_fail = position.attempt == Attempt::Open && position.failures < program.failures;
        let attempt = |object| Operation::new(choice::ATTEMPT, object);
        let operation = match instruction {
            TryLock(m, _) if may_fail => attempt(mutex_at(m)),
            TryReadLock(l, _) | TryWriteLock(l, _) if may_fail => attempt(rwlock_at(l)),
            SpinTryLock(l, _) if may_fail => attempt(spin_at(l)),
            CompareExchange(v, ..) if may_fail => attempt(variable_at(v)),
            CompareExchange(v, ..) if position.attempt == Attempt::Fails => memory(atomic::LOAD, v),
            Wait(_, m) | TimedWait(_, m, _) if position.awake => lock(m),
            TestCancel if cancels => look,
            SemWait(_) | Join(_) | TimedJoin(..) if cancels && !position.looked => look,
            Wait(..) if cancels && !position.looked && !position.waiting => look,
            FutexWait(v, _, _) if position.waiting => Operation::new(futex::AWAKEN, variable_at(v)),
            FutexTimedWait(v, _, _) if position.waiting => {
                timed(Operation { detail: futex::TIMED, ..Operation::new(futex::AWAKEN, variable_at(v)) })
            }
            FutexWait(v, value, _) | FutexTimedWait(v, value, _) => futex::wait(variable_at(v), value as u32, u32::MAX),
            FutexWake(v, most, _) => futex::wake(variable_at(v), most as u32, u32::MAX),
            FutexRequeue(v, to, most, _) => futex::requeue(variable_at(v), variable_at(to), (1, most), None),
            FutexCompareRequeue(v, to, most, _) => futex::requeue(variable_at(v), variable_at(to), (1, most), Some(0)),
            TimedLock(m, _) => in_turn(timed(on_mutex(mutex::TIMEDLOCK, m)), mutex::ENQUEUE, wakeup.mutex),
            SemTimedWait(s, _) => {
                let wait = timed(Operation::new(semaphore::TIMEDWAIT, semaphore_at(s)));
                in_turn(wait, semaphore::ENQUEUE, wakeup.sem)
            }
            TimedReadLock(l, _) if l >= PREFERS_WRITERS && wakeup.rwlock == Turn::Arbitrary => {
                timed(on_rwlock(rwlock::TIMED_READ_LOCK, l))
            }
            TimedWriteLock(l, _) if l >= PREFERS_WRITERS && wakeup.rwlock == Turn::Arbitrary => {
                match position.waiting {
                    false => on_rwlock(rwlock::WRITE_ARRIVE, l),
                    true => timed(on_rwlock(rwlock::TIMED_WRITE_LOCK, l)),
                }
            }
            TimedReadLock(l, _) => {
                in_turn(timed(Operation::new(rwlock::TIMED_READ_LOCK, rwlock_at(l))), rwlock::ENQUEUE, wakeup.rwlock)
            }
            TimedWriteLock(l, _) => {
                in_turn(timed(Operation::new(rwlock::TIMED_WRITE_LOCK, rwlock_at(l))), rwlock::ENQUEUE, wakeup.rwlock)
            }
            TimedWait(c, _, _) if position.waiting => {
                let spurious = if may_be_spurious { condvar::MAY_BE_SPURIOUS } else { 0 };
                let detail = condvar::TIMED | spurious;
                timed(Operation { detail, ..Operation::new(condvar::AWAKEN, condition_at(c)) })
            }
            Wait(c, _) if position.waiting && may_be_spurious => {
                Operation { detail: condvar::MAY_BE_SPURIOUS, ..Operation::new(condvar::AWAKEN, condition_at(c)) }
            }
            Wait(c, _) if position.waiting && wakes_first => at(Operation::new(condvar::AWAKEN, condition_at(c))),
            TimedWait(c, m, _) => {
                let (argument, detail) = (mutex_at(m).0, kind_of(m) | condvar::SELF_WAKING);
                Operation { argument, detail, ..Operation::new(condvar::WAIT, condition_at(c)) }.in_order(wakeup.cond)
            }
            Wait(c, m) if !position.waiting && (may_be_spurious || wakes_first) => {
                let (argument, detail) = (mutex_at(m).0, kind_of(m) | condvar::SELF_WAKING);
                Operation { argument, detail, ..Operation::new(condvar::WAIT, condition_at(c)) }.in_order(wakeup.cond)
            }
            Lock(m) => lock(m),
            TryLock(m, _) => on_mutex(mutex::TRYLOCK, m),
            Unlock(m) => on_mutex(mutex::UNLOCK, m),
            Wait(c, m) => {
                let code = if position.waiting { condvar::REACQUIRE } else { condvar::WAIT };
                let argument = mutex_at(m).0;
                let step = Operation { argument, detail: kind_of(m), ..Operation::new(code, condition_at(c)) };
                if position.waiting { at(step) } else { step.in_order(wakeup.cond) }
            }
            Consistent(m, _) => on_mutex(mutex::CONSISTENT, m),
            Signal(c) => signal(c),
            Broadcast(c) => Operation::new(condvar::BROADCAST, condition_at(c)),
            SemInit(s, n) => Operation::new(semaphore::INIT, semaphore_at(s)).with_argument(n as u64),
            SemWait(s) => {
                let wait = Operation::new(semaphore::WAIT, semaphore_at(s));
                let wait = if wakeup.sem == Turn::Arbitrary || queued { at(wait) } else { wait };
                in_turn(wait, semaphore::ENQUEUE, wakeup.sem)
            }
            SemTryWait(s, _) => Operation::new(semaphore::TRYWAIT, semaphore_at(s)),
            SemPost(s) => Operation::new(semaphore::POST, semaphore_at(s)),
            SemValue(s, _) => Operation::new(semaphore::GETVALUE, semaphore_at(s)),
            ReadLock(l) if wakeup.rwlock != Turn::Arbitrary => {
                in_turn(Operation::new(rwlock::READ_LOCK, rwlock_at(l)), rwlock::ENQUEUE, wakeup.rwlock)
            }
            WriteLock(l) if wakeup.rwlock != Turn::Arbitrary => {
                in_turn(Operation::new(rwlock::WRITE_LOCK, rwlock_at(l)), rwlock::ENQUEUE, wakeup.rwlock)
            }
            TryReadLock(l, _) if wakeup.rwlock != Turn::Arbitrary => {
                Operation::new(rwlock::TRY_READ_LOCK, rwlock_at(l))
            }
            TryWriteLock(l, _) if wakeup.rwlock != Turn::Arbitrary => {
                Operation::new(rwlock::TRY_WRITE_LOCK, rwlock_at(l))
            }
            RwUnlock(l) if wakeup.rwlock != Turn::Arbitrary => Operation::new(rwlock::UNLOCK, rwlock_at(l)),
            ReadLock(l) => on_rwlock(rwlock::READ_LOCK, l),
            TryReadLock(l, _) => on_rwlock(rwlock::TRY_READ_LOCK, l),
            WriteLock(l) if l >= PREFERS_WRITERS && !position.waiting => on_rwlock(rwlock::WRITE_ARRIVE, l),
            WriteLock(l) => on_rwlock(rwlock::WRITE_LOCK, l),
            TryWriteLock(l, _) => on_rwlock(rwlock::TRY_WRITE_LOCK, l),
            RwUnlock(l) => on_rwlock(rwlock::UNLOCK, l),
            SpinLock(l) => Operation::new(spin::LOCK, spin_at(l)),
            SpinTryLock(l, _) => Operation::new(spin::TRYLOCK, spin_at(l)),
            SpinUnlock(l) => Operation::new(spin::UNLOCK, spin_at(l)),
            BarrierInit(b, n) => Operation::new(barrier::INIT, barrier_at(b)).with_argument(n as u64),
            BarrierWait(b, _) if position.waiting => Operation::new(barrier::LEAVE, barrier_at(b)),
            BarrierWait(b, _) => Operation::new(barrier::ARRIVE, barrier_at(b)),
            Once(o, _) => Operation::new(if position.waiting { once::DONE } else { once::BEGIN }, once_at(o)),
            Create(t) => Operation::new(thread::CREATE, ObjectId::thread(ThreadId(t as u16))),
            Join(t) => at(Operation::new(thread::JOIN, ObjectId::thread(ThreadId(t as u16)))),
            TimedJoin(t, _) => at(timed(Operation::new(thread::TIMEDJOIN, ObjectId::thread(ThreadId(t as u16))))),
            TryJoin(t, _) => Operation::new(thread::TRYJOIN, ObjectId::thread(ThreadId(t as u16))),
            Cancel(t) => Operation::new(thread::CANCEL, ObjectId::thread(ThreadId(t as u16))),
            Detach(t) => Operation::new(thread::DETACH, ObjectId::thread(ThreadId(t as u16))),
            Load(x, _) if !program.plain => memory(atomic::LOAD, x),
            Store(x, v) if !program.plain => memory(atomic::STORE, x).with_argument(value(registers, v)),
            FetchAdd(x, v, _) => memory(atomic::RMW, x).with_argument(value(registers, v)),
            CompareExchange(x, expected, new, _) => Operation {
                detail: (value(registers, new) as u32) << NEW | order,
                ..memory(atomic::COMPARE_EXCHANGE, x).with_argument(value(registers, expected))
            },
            Choose(n, _) => Operation::new(choice::CHOOSE, ObjectId::NONE).with_argument(n as u64),
            Fence => Operation { detail: order, ..Operation::new(atomic::FENCE, ObjectId::NONE) },
            Yield => Operation::new(yielding::YIELD, ObjectId::NONE),
            PlainLoad(x, _) => plain::access(plain::READ, plain_at(x).0, 4),
            PlainStore(x, v) => plain::access(plain::WRITE, plain_at(x).0, 4).with_argument(value(registers, v)),
            AtomicBegin => Operation::new(section::BEGIN, ObjectId::NONE),
            AtomicEnd => Operation::new(section::END, ObjectId::NONE),
            Assume(r, v) if registers[r as usize] != v => Operation::new(assume::FALSE, ObjectId::NONE),
            Exit(status) => process::end(Ending::Exit, status as u32),
            Assert(r, v) if registers[r as usize] != v => {
                position.failed = true;
                process::end(Ending::Assertion, position.next as u32)
            }
            private => {
                match private {
                    Load(x, r) => registers[r as usize] = variables.0[x as usize].get(),
                    Store(x, v) => variables.0[x as usize].set(value(registers, v)),
                    Cancellable(can) => position.uncancellable = can == 0,
                    Set(r, v) => registers[r as usize] = value(registers, v),
                    Add(r, v) => registers[r as usize] = registers[r as usize].wrapping_add(value(registers, v)),
                    BranchIf(r, v, to) if registers[r as usize] == v => {
                        position.next = to as usize;
                        continue;
                    }
                    BranchUnless(r, v, to) if registers[r as usize] != v => {
                        position.next = to as usize;
                        continue;
                    }
                    Jump(to) => {
                        position.next = to as usize;
                        continue;
                    }
                    _ => {}
                }
                position.next += 1;
                continue;
            }
        };
        return (operation, pc);
    }
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
        let (outcome, detail, thread) = self.outcome;
        Ok(Execution {
            events: &self.events,
            pending: &self.pending,
            outcome,
            detail,
            left: 0,
            thread,
            message: "",
            output: &[],
            races: &[],
        })
    }
}
