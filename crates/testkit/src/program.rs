//! Scripted programs: threads as lists of instructions, with registers and branches.
//!
//! They are small enough to enumerate by brute force, and cover every primitive of the model. A program is a value: it
//! can be generated, printed, shrunk and compared.

use std::fmt;

use crate::outside::Call;

/// A register of a thread. Registers are private to their thread and start at zero.
pub type Register = u8;

/// The number of registers of a thread.
pub const REGISTERS: usize = 8;

/// Mutexes from this number on are recursive.
pub const RECURSIVE: u8 = 4;

/// Mutexes from this number on are error-checking.
pub const ERRORCHECK: u8 = 8;

/// Mutexes from this number on are robust: normal, recursive and error-checking ones, four of each.
pub const ROBUST: u8 = 12;

/// Read-write locks from this number on prefer writers.
pub const PREFERS_WRITERS: u8 = 4;

/// The register that gets the error number of locking a robust mutex.
pub const ROBUST_REGISTER: Register = 7;

/// A constant, or the content of a register.
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
    /// Locks a mutex if it is unlocked. The register gets 0 or the error number.
    TryLock(u8, Register),
    /// Unlocks a mutex.
    Unlock(u8),
    /// Marks a robust mutex as consistent. The register gets 0 or the error number.
    Consistent(u8, Register),
    /// Waits on a condition variable with a mutex.
    Wait(u8, u8),
    /// Locks a mutex, or times out. The register gets 0 or the error number.
    TimedLock(u8, Register),
    /// Waits on a condition variable with a mutex, or times out. The register gets 0 or the error number.
    TimedWait(u8, u8, Register),
    /// Decrements a semaphore, or times out. The register gets 0 or the error number.
    SemTimedWait(u8, Register),
    /// Locks a read-write lock as a reader, or times out. The register gets 0 or the error number.
    TimedReadLock(u8, Register),
    /// Locks a read-write lock as the writer, or times out. The register gets 0 or the error number.
    TimedWriteLock(u8, Register),
    /// Sleeps on a variable if it has this value. The register gets 0 or the error number.
    FutexWait(u8, u8, Register),
    /// Sleeps on a variable if it has this value, or times out. The register gets 0 or the error number.
    FutexTimedWait(u8, u8, Register),
    /// Wakes at most this many sleepers of a variable. The register gets their number.
    FutexWake(u8, u8, Register),
    /// Wakes one sleeper of the first variable and moves at most this many others to the second. The register gets the
    /// number of woken threads.
    FutexRequeue(u8, u8, u8, Register),
    /// Like [`FutexRequeue`](Self::FutexRequeue), but only if the first variable is 0. The register gets the number of
    /// woken and moved threads, or the error number.
    FutexCompareRequeue(u8, u8, u8, Register),
    /// Wakes one sleeper of a condition variable.
    Signal(u8),
    /// Wakes all sleepers of a condition variable.
    Broadcast(u8),
    /// Initialises a semaphore with this count.
    SemInit(u8, u8),
    /// Waits until a semaphore is not zero, and decrements it.
    SemWait(u8),
    /// Decrements a semaphore if it is not zero. The register gets 0 or the error number.
    SemTryWait(u8, Register),
    /// Increments a semaphore.
    SemPost(u8),
    /// Reads the count of a semaphore into the register.
    SemValue(u8, Register),
    /// Waits until a read-write lock has no writer, and locks it as a reader.
    ReadLock(u8),
    /// Locks a read-write lock as a reader if it has no writer. The register gets 0 or the error number.
    TryReadLock(u8, Register),
    /// Waits until no thread holds a read-write lock, and locks it as the writer.
    WriteLock(u8),
    /// Locks a read-write lock as the writer if no thread holds it. The register gets 0 or the error number.
    TryWriteLock(u8, Register),
    /// Unlocks a read-write lock.
    RwUnlock(u8),
    /// Waits for a spin lock and locks it.
    SpinLock(u8),
    /// Locks a spin lock if it is unlocked. The register gets 0 or the error number.
    SpinTryLock(u8, Register),
    /// Unlocks a spin lock.
    SpinUnlock(u8),
    /// Initialises a barrier for this many threads.
    BarrierInit(u8, u8),
    /// Waits at a barrier. The register gets 1 for the serial thread of a round, otherwise 0.
    BarrierWait(u8, Register),
    /// Runs a one-time initialisation. The register gets 1 if this thread ran it, otherwise 0.
    Once(u8, Register),
    /// Creates another thread of the script. A thread is created at most once.
    Create(u8),
    /// Waits for the end of a thread.
    Join(u8),
    /// Joins a thread if it has ended; the register gets 0 or the error number.
    TryJoin(u8, Register),
    /// Joins a thread, or times out. The register gets 0 or the error number.
    TimedJoin(u8, Register),
    /// Requests the cancellation of a thread. In a program with this instruction, waits for a semaphore, a condition
    /// variable or the end of a thread are cancellation points: two operations, of which the first tests for a request.
    Cancel(u8),
    /// A cancellation point and nothing else.
    TestCancel,
    /// Private: enables (1) or disables (0) cancellation of the thread.
    Cancellable(u8),
    /// Detaches a thread.
    Detach(u8),
    /// Reads a variable into the register.
    Load(u8, Register),
    /// Writes a variable.
    Store(u8, Value),
    /// Adds to a variable. The register gets the old value.
    FetchAdd(u8, Value, Register),
    /// Writes the second value if the variable has the first one. The register gets the old value.
    CompareExchange(u8, Value, Value, Register),
    /// Chooses a number below this one for the register.
    Choose(u8, Register),
    /// A fence, which touches nothing.
    Fence,
    /// Private: sets the memory order of the next instruction, an atomic operation or a fence, by its number (relaxed
    /// 0, consume, acquire, release, acquire-release, sequentially consistent 5). See [`orders`].
    Order(u8),
    /// Lets other threads run first.
    Yield,
    /// Runs for ever, and does nothing that another thread could see.
    Forever,
    /// Private: sets a register to this value.
    Set(Register, Value),
    /// Private: adds to a register.
    Add(Register, Value),
    /// Private: goes to this position if the register has this value.
    BranchIf(Register, u64, u16),
    /// Private: goes to this position if the register does not have this value.
    BranchUnless(Register, u64, u16),
    /// Private: goes to this position.
    Jump(u16),
    /// Asserts that the register has this value.
    Assert(Register, u64),
    /// Assumes that the register has this value. Other executions are discarded.
    Assume(Register, u64),
    /// Reads a plain variable into the register. Every plain access is an operation of the script.
    PlainLoad(u8, Register),
    /// Writes a plain variable.
    PlainStore(u8, Value),
    /// Begins an atomic section.
    AtomicBegin,
    /// Ends the atomic section.
    AtomicEnd,
    /// Ends the process with this status, at once.
    Exit(u8),
    /// Looks at state of the process or changes it.
    Outside(Call),
}

/// The memory order of the atomic operation or fence at position `at` of `code`, and the order of a compare-exchange
/// there that fails. The default is sequentially consistent. A load never releases and a store never acquires, whatever
/// its order.
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

/// A scripted program. Thread 0 is the main thread, and its end ends the process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Program {
    /// The instructions of each thread.
    pub threads: Vec<Vec<Instruction>>,
    /// Functions that run as exit handlers and as handlers of signals. They use registers 4 and 5, which they set first.
    pub functions: Vec<Vec<Instruction>>,
    /// Whether an exit looks for exit handlers, as it does in a C program that registers some.
    pub registers: bool,
    /// Whether every loop goes round a bounded number of times.
    pub bounded: bool,
    /// The initial value of each variable. Variables that are not listed start at zero.
    pub variables: Vec<u64>,
    /// Whether loads and stores access plain memory that only one thread uses at a time. They are no operations then.
    pub plain: bool,
    /// How often each thread may time out while other threads are enabled.
    pub timeouts: u32,
    /// How many spurious wakeups each thread may have.
    pub spurious: u32,
    /// How many attempts of each thread (weak compare-exchanges and trylocks) may fail spuriously.
    pub failures: u32,
    /// The order in which waiting threads acquire objects.
    pub wakeup: heddle_model::Wakeup,
}

impl Program {
    /// A program of `workers`, and a main thread that creates all of them and then joins all of them.
    pub fn fork_join(workers: Vec<Vec<Instruction>>) -> Program {
        let ids = 1..=workers.len() as u8;
        let main = ids.clone().map(Instruction::Create).chain(ids.map(Instruction::Join)).collect();
        let mut threads = vec![main];
        threads.extend(workers);
        Program { threads, ..Program::default() }
    }

    /// The number of instructions of all threads.
    pub fn len(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }

    /// Whether the program has no instruction.
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
        for (id, function) in self.functions.iter().enumerate() {
            writeln!(f, "function {id}: {function:?}")?;
        }
        Ok(())
    }
}
