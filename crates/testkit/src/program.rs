//! Scripted programs: threads as lists of instructions, with registers and branches.
//!
//! Small enough to enumerate by brute force, and rich enough to reach every primitive of the model. A program is a
//! value: it can be generated, printed, shrunk and compared.

use std::fmt;

/// A register of a thread. Registers are private to their thread and start at zero.
pub type Register = u8;

/// How many registers a thread has.
pub const REGISTERS: usize = 8;

/// Mutexes from this number on are recursive.
pub const RECURSIVE: u8 = 4;

/// Mutexes from this number on are error-checking.
pub const ERRORCHECK: u8 = 8;

/// Mutexes from this number on are robust: normal, recursive and error-checking ones, four of each.
pub const ROBUST: u8 = 12;

/// Reader-writer locks from this number on prefer writers.
pub const PREFERS_WRITERS: u8 = 4;

/// The register that gets the error number of locking a robust mutex.
pub const ROBUST_REGISTER: Register = 7;

/// A constant, or what is in a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// This number.
    Constant(u64),
    /// The content of this register.
    Register(Register),
}

/// One instruction. Objects (mutexes, variables, ...) are numbered from zero within their kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Instruction {
    /// Waits for a mutex and locks it.
    Lock(u8),
    /// Tries to lock; the register gets 0 or the error number.
    TryLock(u8, Register),
    /// Unlocks.
    Unlock(u8),
    /// Calls what a robust mutex protects consistent; the register gets 0 or the error number.
    Consistent(u8, Register),
    /// Waits on a condition variable with a mutex.
    Wait(u8, u8),
    /// Locks, or times out; the register gets 0 or the error number.
    TimedLock(u8, Register),
    /// Waits on a condition variable with a mutex, or times out; the register gets 0 or the error number.
    TimedWait(u8, u8, Register),
    /// Takes one of a semaphore, or times out; the register gets 0 or the error number.
    SemTimedWait(u8, Register),
    /// Comes in as a reader, or times out; the register gets 0 or the error number.
    TimedReadLock(u8, Register),
    /// Comes in as the writer, or times out; the register gets 0 or the error number.
    TimedWriteLock(u8, Register),
    /// Sleeps on a variable while it has this value; the register gets 0 or the error number.
    FutexWait(u8, u8, Register),
    /// Sleeps on a variable while it has this value, or times out; the register gets 0 or the error number.
    FutexTimedWait(u8, u8, Register),
    /// Wakes at most so many that sleep on a variable; the register gets how many.
    FutexWake(u8, u8, Register),
    /// Wakes one that sleeps on the first variable, and moves at most so many others to the second; the register gets how
    /// many were woken.
    FutexRequeue(u8, u8, u8, Register),
    /// [`FutexRequeue`](Self::FutexRequeue), but only if the first variable is 0; the register gets how many were woken and moved, or the error number.
    FutexCompareRequeue(u8, u8, u8, Register),
    /// Wakes one sleeper of a condition variable.
    Signal(u8),
    /// Wakes all sleepers of a condition variable.
    Broadcast(u8),
    /// Makes a semaphore with this count.
    SemInit(u8, u8),
    /// Waits for a semaphore and takes one.
    SemWait(u8),
    /// Takes one if there is one; the register gets 0 or the error number.
    SemTryWait(u8, Register),
    /// Adds one.
    SemPost(u8),
    /// The register gets the count.
    SemValue(u8, Register),
    /// Waits for the writer of a reader-writer lock, and comes in as a reader.
    ReadLock(u8),
    /// Comes in as a reader if there is no writer; the register gets 0 or the error number.
    TryReadLock(u8, Register),
    /// Waits for all readers and the writer, and comes in as the writer.
    WriteLock(u8),
    /// Comes in as the writer if nobody is in; the register gets 0 or the error number.
    TryWriteLock(u8, Register),
    /// Leaves a reader-writer lock.
    RwUnlock(u8),
    /// Waits for a spin lock and locks it.
    SpinLock(u8),
    /// Tries to lock; the register gets 0 or the error number.
    SpinTryLock(u8, Register),
    /// Unlocks.
    SpinUnlock(u8),
    /// Makes a barrier for this many threads.
    BarrierInit(u8, u8),
    /// Waits at a barrier; the register gets 1 for the last one of a round, else 0.
    BarrierWait(u8, Register),
    /// Runs an initialisation that happens once; the register gets 1 if it was this thread that ran it, else 0.
    Once(u8, Register),
    /// Starts another thread of the script, once.
    Create(u8),
    /// Waits for the end of a thread.
    Join(u8),
    /// Joins a thread if it has ended; the register gets 0 or the error number.
    TryJoin(u8, Register),
    /// Joins a thread, or times out. The register gets the error number.
    TimedJoin(u8, Register),
    /// Asks a thread to end. In a program with one of these, waiting for a semaphore, a condition variable or the end of a thread
    /// are cancellation points: two operations, of which the first is a look.
    Cancel(u8),
    /// A cancellation point and nothing else.
    TestCancel,
    /// Private: from now on the thread can be cancelled (1) or not (0).
    Cancellable(u8),
    /// Gives up the right to join.
    Detach(u8),
    /// The register gets the variable's value.
    Load(u8, Register),
    /// Writes a variable.
    Store(u8, Value),
    /// Adds to a variable; the register gets the old value.
    FetchAdd(u8, Value, Register),
    /// Writes the last value if the variable has the first one; the register gets the old value.
    CompareExchange(u8, Value, Value, Register),
    /// The register gets any number below this one.
    Choose(u8, Register),
    /// Touches nothing.
    Fence,
    /// Private: the instruction right behind it, an atomic or a fence, asks for the memory order with this number (relaxed 0,
    /// consume, acquire, release, acquire-release, sequentially consistent 5): see [`orders`].
    Order(u8),
    /// Lets others go first.
    Yield,
    /// Private: the register gets this value.
    Set(Register, Value),
    /// Private: adds to a register.
    Add(Register, Value),
    /// Private: goes to this position if the register has this value.
    BranchIf(Register, u64, u16),
    /// Private: goes to this position if the register does not have this value.
    BranchUnless(Register, u64, u16),
    /// Private: goes to this position.
    Jump(u16),
    /// The program's assertion: the register has this value.
    Assert(Register, u64),
    /// The execution is one only if the register has this value.
    Assume(Register, u64),
    /// The register gets the value of a plain variable. Every plain access is an operation of the script.
    PlainLoad(u8, Register),
    /// Writes a plain variable.
    PlainStore(u8, Value),
    /// Begins a section that runs as one step.
    AtomicBegin,
    /// Ends it.
    AtomicEnd,
    /// Ends the process with this status.
    Exit(u8),
}

/// The memory order of the atomic or fence at position `at` of `code`, and the one that it has if it is a compare-exchange that
/// fails. Sequentially consistent if nothing is said. A load does not release and a store does not acquire, whatever is said.
pub fn orders(code: &[Instruction], at: usize) -> (u32, u32) {
    use Instruction::*;
    let Some(Order(order)) = at.checked_sub(1).map(|before| code[before]) else { return (5, 5) };
    let read = |order| match order {
        3 => 0,
        4 => 2,
        other => other as u32,
    };
    match code[at] {
        Load(..) => (read(order), 0),
        Store(..) => (
            match order {
                1 | 2 => 0,
                4 => 3,
                other => other as u32,
            },
            0,
        ),
        _ => (order as u32, read(order)),
    }
}

/// A scripted program. Thread 0 is the main thread; its end is the end of the process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Program {
    /// The instructions of each thread.
    pub threads: Vec<Vec<Instruction>>,
    /// The first value of each variable; those that are not listed start at zero.
    pub variables: Vec<u64>,
    /// Loads and stores are of plain memory that only one thread looks at at a time: they are no operations.
    pub plain: bool,
    /// How often each thread may time out before nobody can go on.
    pub timeouts: u32,
    /// How often the waits of each thread may end for no reason.
    pub spurious: u32,
    /// How often the attempts of each thread (compare-exchanges, which are weak then, and trylocks) may fail for no reason.
    pub failures: u32,
    /// In what order those that wait get what they wait for.
    pub wakeup: heddle_model::Wakeup,
}

impl Program {
    /// `workers`, and a main thread that creates them all, then joins them all.
    pub fn fork_join(workers: Vec<Vec<Instruction>>) -> Program {
        let ids = 1..=workers.len() as u8;
        let main = ids.clone().map(Instruction::Create).chain(ids.map(Instruction::Join)).collect();
        let mut threads = vec![main];
        threads.extend(workers);
        Program { threads, ..Program::default() }
    }

    /// How many instructions there are in all.
    pub fn len(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }

    /// Whether there is no instruction at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Program { variables, timeouts, spurious, failures, wakeup, .. } = self;
        writeln!(f, "variables {variables:?}, time-outs {timeouts}, spurious {spurious}, failures {failures}")?;
        writeln!(f, "{wakeup:?}")?;
        for (id, thread) in self.threads.iter().enumerate() {
            writeln!(f, "thread {id}:")?;
            for (at, instruction) in thread.iter().enumerate() {
                writeln!(f, "  {at}: {instruction:?}")?;
            }
        }
        Ok(())
    }
}
