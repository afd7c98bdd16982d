//! The interpreter of scripted programs. It computes the next operation of a thread from its position, and its next
//! position from the event of that operation.

use heddle_model::primitive::{
    assume, atomic, barrier, choice, condvar, futex, memory as plain, mutex, once, process as process_end, rwlock,
    section, semaphore, spin, thread, yielding,
};
use heddle_model::{Digest, Ending, Event, EventFlags, ObjectId, OpCode, Operation, ThreadId, WakeupOrder as Turn};

use crate::outside::{self, Calls, Process};
use crate::program::{
    ERRORCHECK, Instruction, PREFERS_WRITERS, Program, RECURSIVE, REGISTERS, ROBUST, ROBUST_REGISTER, Value, orders,
};
use crate::state::add_hash;
use crate::variables::Variables;

/// The address of the first mutex. Objects have addresses, as in a real program, and kinds are far apart.
const MUTEXES: u64 = 0x10000;
const CONDITIONS: u64 = 0x20000;
const SEMAPHORES: u64 = 0x30000;
pub(crate) const VARIABLES: u64 = 0x40000;
const RWLOCKS: u64 = 0x50000;
const SPIN_LOCKS: u64 = 0x60000;
const BARRIERS: u64 = 0x70000;
const ONCES: u64 = 0x80000;
/// The object of a mutex. Mutexes are forty bytes long, as on Linux; variables are four bytes long and eight bytes apart.
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
    if index >= outside::FIRST_IN_AREAS {
        return ObjectId(outside::in_area(index));
    }
    ObjectId(VARIABLES + index as u64 * 4)
}

/// The position of the new value of a compare-exchange in its `detail`: above the memory orders.
const NEW: u32 = 12;

/// The error number of a futex operation whose variable has another value.
const EAGAIN: u64 = 11;

/// The number of atomic variables. Plain variables come after them.
pub const PLAIN: usize = 16;

const fn plain_at(index: u8) -> ObjectId {
    variable_at(PLAIN as u8 + index)
}

/// What a cancelled thread has to do before it ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Leaving {
    #[default]
    Lives,
    /// It passes on a signal, and then locks the mutex that it waited with.
    Signal(u8, u8),
    /// It locks the mutex that it waited with.
    Lock(u8),
    /// It has nothing to do.
    Ends,
}

/// Whether the next attempt fails spuriously.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Attempt {
    /// It is not decided.
    #[default]
    Open,
    /// It does not fail.
    Made,
    /// It fails: a compare-exchange only reads.
    Fails,
}

/// The position of a scripted thread. Reset for each execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Position {
    pub(crate) next: usize,
    pub(crate) registers: [u64; REGISTERS],
    /// Whether the thread is between the two halves of a condition wait, a barrier wait or an initialisation.
    pub(crate) waiting: bool,
    /// Whether the thread cannot be cancelled.
    pub(crate) uncancellable: bool,
    /// Whether the thread has tested for cancellation before its next operation.
    pub(crate) looked: bool,
    /// What a cancelled thread still has to do.
    leaving: Leaving,
    /// Whether the thread was woken from a timed wait and has to lock the mutex again.
    pub(crate) awake: bool,
    /// How often the thread has timed out, and how many spurious wakeups it had.
    pub(crate) timeouts: u32,
    pub(crate) spurious: u32,
    /// How often attempts of the thread have failed spuriously.
    pub(crate) failures: u32,
    /// Whether the thread stands in the queue of what it waits for.
    pub(crate) queued: bool,
    /// Whether the next attempt fails spuriously.
    pub(crate) attempt: Attempt,
    /// The functions that the thread runs, and its exit.
    pub(crate) calls: Calls,
    /// Whether the next assertion has failed.
    pub(crate) failed: bool,
    /// The end of the process by misuse of an object, if the thread has misused one. It comes next.
    pub(crate) misused: Option<Operation>,
}

impl Position {
    /// Adds everything in it to a digest.
    pub(crate) fn words(&self, digest: &mut Digest) {
        let Position { next, registers, waiting, uncancellable, looked, leaving, awake, .. } = *self;
        let Position { timeouts, spurious, failures, queued, attempt, failed, misused, calls, .. } = *self;
        let leaving = match leaving {
            Leaving::Lives => 0,
            Leaving::Ends => 1,
            Leaving::Lock(mutex) => 2 | (mutex as u64) << 8,
            Leaving::Signal(condition, mutex) => 3 | (mutex as u64) << 8 | (condition as u64) << 16,
        };
        let flags = [waiting, uncancellable, looked, awake, queued, failed, misused.is_some()];
        let flags = flags.iter().fold(0, |flags, &flag| flags << 1 | u64::from(flag));
        digest.add(next as u64);
        registers.iter().for_each(|&register| digest.add(register));
        digest.add(leaving | flags << 32 | (attempt as u64) << 48);
        digest.add(timeouts as u64 | (spurious as u64) << 20 | (failures as u64) << 40);
        if let Some(Operation { object, argument, code, size, detail }) = misused {
            digest.add(object.0);
            digest.add(argument);
            digest.add(code.0 as u64 | (size as u64) << 16 | (detail as u64) << 32);
        }
        add_hash(digest, &calls);
    }
}

/// Applies `event` to the variables, and fills in its result.
pub(crate) fn perform(variables: &Variables, event: &mut Event) {
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
        atomic::COMPARE_EXCHANGE if cell.get() == operation.argument => {
            cell.set(operation.without_await().detail as u64 >> NEW)
        }
        atomic::COMPARE_EXCHANGE => event.flags = event.flags.union(EventFlags::FAILED),
        _ => {}
    }
    if matches!(operation.code, atomic::STORE | atomic::RMW) && cell.get() == event.result {
        event.flags = event.flags.union(EventFlags::UNCHANGED);
    }
}

/// Updates the registers and the position of a thread after its event.
pub(crate) fn finish(code: &[Instruction], position: &mut Position, event: &Event) {
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
    if position.queued || event.operation.code == mutex::POLL {
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

/// Runs private instructions of a thread up to its next operation.
pub(crate) fn advance(
    program: &Program,
    variables: &Variables,
    process: &mut Process,
    thread: ThreadId,
    position: &mut Position,
) -> (Operation, u64) {
    use Instruction::*;
    loop {
        let pc = ((thread.0 as u64) << 16) | (position.next as u64 + 1);
        if let Some(end) = position.misused {
            return (end, pc);
        }
        if let Some(operation) = process.leaves(program, thread, position) {
            return (operation, pc);
        }
        let code = position.calls.code(program, thread);
        let queued = position.queued;
        // Two steps if there is a queue: entering it, and acquiring the object.
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
            if outside::returns(position) {
                continue;
            }
            if thread == ThreadId::MAIN && program.registers {
                Process::exits(position, 0, false);
                continue;
            }
            let last = if thread == ThreadId::MAIN {
                process_end::end(Ending::Exit { status: 0 })
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
        // Deadlines of different threads are in any order, and may be equal.
        let deadline = (position.next as u64 * 7 + thread.0 as u64 * 3) % 5;
        let may_time_out = position.timeouts < program.timeouts;
        let timed = |operation: Operation| {
            let operation = operation.with_argument(deadline);
            if may_time_out { operation.impatient() } else { operation }
        };
        let may_be_spurious = position.spurious < program.spurious;
        // The thread enters the queue of the mutex after the wakeup.
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
            Forever => Operation::new(yielding::FOREVER, ObjectId::NONE),
            PlainLoad(x, _) => plain::access(plain::READ, plain_at(x).0, 4),
            PlainStore(x, v) => plain::access(plain::WRITE, plain_at(x).0, 4).with_argument(value(registers, v)),
            AtomicBegin => Operation::new(section::BEGIN, ObjectId::NONE),
            AtomicEnd => Operation::new(section::END, ObjectId::NONE),
            Assume(r, v) if registers[r as usize] != v => Operation::new(assume::FALSE, ObjectId::NONE),
            Outside(call) => match process.call(call, thread, position) {
                Some(operation) => operation,
                None => continue,
            },
            Exit(status) => process_end::end(Ending::Exit { status: status as i32 }),
            Assert(r, v) if registers[r as usize] != v => {
                position.failed = true;
                process_end::end(Ending::Assertion)
            }
            private => {
                match private {
                    Load(x, r) => registers[r as usize] = variables.cells[x as usize].get(),
                    Store(x, v) => variables.cells[x as usize].set(value(registers, v)),
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
