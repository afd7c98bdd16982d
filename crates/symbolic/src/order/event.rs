//! What the formula of a program is made from: for each thread, the events that it can have, in the order of its code.
//!
//! Each thread was executed once, alone, with all its branches merged. Whether an event happens is a term, its *guard*; the value
//! that a load brings is an unknown of its own. Nothing is said here about the order of events of different threads, or about which
//! store a load reads from: that is what the formula is for.

use crate::term::TermId;

/// A thread of the program: its index in [`Program::threads`]. Thread 0 is `main`.
pub type ThreadIndex = usize;
/// A lock, condition variable, semaphore or barrier: its index in the list of its kind in [`Program`].
pub type ObjectIndex = usize;

/// All that can happen in a program, with loops unwound.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// The threads. The first is `main`; each other one has exactly one [`Kind::Create`].
    pub threads: Vec<Thread>,
    /// The shared variables and arrays.
    pub variables: Vec<Variable>,
    /// How many mutexes there are.
    pub mutexes: usize,
    /// How many read-write locks there are.
    pub rwlocks: usize,
    /// How many condition variables there are.
    pub conditions: usize,
    /// The initial count of each semaphore.
    pub semaphores: Vec<u32>,
    /// How many threads each barrier waits for.
    pub barriers: Vec<u32>,
}

/// A shared variable, or a shared array of cells of one width. Accesses of two widths to the same bytes are not expressible.
#[derive(Clone, Debug)]
pub struct Variable {
    /// For messages.
    pub name: String,
    /// The values at the start: one for a variable, one for each cell of an array.
    pub initial: Vec<TermId>,
}

/// A thread: its events in the order of its code.
#[derive(Clone, Default, Debug)]
pub struct Thread {
    /// For messages.
    pub name: String,
    /// What it can do. Guards of different branches exclude each other.
    pub events: Vec<Event>,
}

/// Something that a thread does if its guard holds and it comes there.
#[derive(Clone, Debug)]
pub struct Event {
    /// Whether the branches of the thread lead here. A boolean term over values that the thread read or got before.
    pub guard: TermId,
    /// What happens.
    pub kind: Kind,
    /// Where in the source; only handed through.
    pub site: u32,
}

/// Which cell of which variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Index in [`Program::variables`].
    pub variable: usize,
    /// The cell, below the number of initial values (the program's own checks see to that; beyond, nothing is said). None for a variable
    /// with one cell. Indices of one variable have one width.
    pub index: Option<TermId>,
}

/// What an event does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Reads; `value` is an unknown that occurs nowhere else as a `value` or `old`.
    Load {
        /// Where.
        place: Place,
        /// The unknown that stands for what is read.
        value: TermId,
        /// Not atomic: it can be part of a data race.
        plain: bool,
    },
    /// Writes.
    Store {
        /// Where.
        place: Place,
        /// What is written.
        value: TermId,
        /// Not atomic: it can be part of a data race.
        plain: bool,
    },
    /// Reads and writes in one step: an atomic read-modify-write or compare-exchange.
    Update {
        /// Where.
        place: Place,
        /// The unknown that stands for what is read.
        old: TermId,
        /// What is written, a term over `old` among others.
        new: TermId,
        /// Whether it writes: `true`, or the success of a compare-exchange as a term over `old`.
        writes: TermId,
    },
    /// Starts a thread.
    Create {
        /// Which.
        child: ThreadIndex,
    },
    /// Waits for the end of a thread.
    Join {
        /// Which.
        child: ThreadIndex,
    },
    /// Waits for a mutex and takes it. Of recursive mutexes only the outermost ones are events.
    Lock {
        /// Which.
        mutex: ObjectIndex,
    },
    /// Takes a mutex if it is free.
    TryLock {
        /// Which.
        mutex: ObjectIndex,
        /// A boolean unknown: whether it was free. The guards of what is done with the mutex held contain it.
        success: TermId,
    },
    /// Gives a mutex back.
    Unlock {
        /// Which.
        mutex: ObjectIndex,
    },
    /// Waits for a read-write lock and takes it as a reader.
    ReadLock {
        /// Which.
        lock: ObjectIndex,
    },
    /// Waits for a read-write lock and takes it as the writer.
    WriteLock {
        /// Which.
        lock: ObjectIndex,
    },
    /// Gives a read-write lock back.
    RwUnlock {
        /// Which.
        lock: ObjectIndex,
    },
    /// The first half of a wait on a condition variable: gives the mutex back and sleeps. [`Kind::Wake`] with the same guard is the next event.
    Sleep {
        /// Which.
        condition: ObjectIndex,
        /// The mutex that the thread holds.
        mutex: ObjectIndex,
    },
    /// The second half of a wait: woken by a signal, the thread takes the mutex again. It waits for both.
    Wake {
        /// Which.
        condition: ObjectIndex,
        /// The mutex.
        mutex: ObjectIndex,
    },
    /// Wakes one sleeper, if there is one; which is open.
    Signal {
        /// Which.
        condition: ObjectIndex,
    },
    /// Wakes all sleepers.
    Broadcast {
        /// Which.
        condition: ObjectIndex,
    },
    /// Adds one to a semaphore.
    Post {
        /// Which.
        semaphore: ObjectIndex,
    },
    /// Waits until a semaphore is not zero and takes one.
    Take {
        /// Which.
        semaphore: ObjectIndex,
    },
    /// Takes one from a semaphore if it is not zero.
    TryTake {
        /// Which.
        semaphore: ObjectIndex,
        /// A boolean unknown: whether it was not zero.
        success: TermId,
    },
    /// The first half of waiting at a barrier. [`Kind::Depart`] with the same guard is the next event.
    Arrive {
        /// Which.
        barrier: ObjectIndex,
    },
    /// The second half of waiting at a barrier: waits until all of its round have arrived.
    Depart {
        /// Which.
        barrier: ObjectIndex,
    },
    /// Executions in which this does not hold are not considered further.
    Assume {
        /// A boolean term.
        condition: TermId,
    },
    /// Something that must not happen here.
    Check {
        /// Whether it does: a boolean term.
        violated: TermId,
        /// Which property. Several checks may belong to one; each number is one query.
        property: u32,
    },
}
