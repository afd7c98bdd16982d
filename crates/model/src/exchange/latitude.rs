//! What the thread library may do of its own accord, and which of that is explored.
//!
//! A time-out may pass at any moment, a condition wait may end for no reason, a lock may be given to any of those that
//! wait for it: the standards leave that open, and so do executions, within these limits. They are the same for all executions
//! of one search, are told to the process when it starts, and stand in trace files.

/// In what order those that wait get what they wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Order {
    /// Any order: the standards promise none.
    #[default]
    Arbitrary = 0,
    /// Who came first.
    Fifo = 1,
    /// Who came last.
    Lifo = 2,
}

impl Order {
    /// The order with this number; any other number is arbitrary.
    pub const fn from_code(code: u32) -> Order {
        match code {
            1 => Order::Fifo,
            2 => Order::Lifo,
            _ => Order::Arbitrary,
        }
    }
}

/// The wakeup order of each kind of primitive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Wakeup {
    /// Mutexes.
    pub mutex: Order,
    /// Condition variables.
    pub cond: Order,
    /// Semaphores.
    pub sem: Order,
    /// Reader-writer locks.
    pub rwlock: Order,
}

/// How often threads time out, unless it is said otherwise. Loops that wait with a time-out end by this; most other programs
/// do not get there.
pub const TIMEOUTS: u32 = 3;

/// The limits. Part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Latitude {
    /// How often each thread may time out in an execution while others could go on. Beyond that, time-outs pass only when
    /// nobody can go on.
    pub timeouts: u32,
    /// How many condition waits of each thread may end for no reason.
    pub spurious_wakeups: u32,
    /// How many weak compare-exchanges and trylocks of each thread may fail for no reason.
    pub spurious_failures: u32,
    /// In what order those that wait are woken.
    pub wakeup: Wakeup,
}

impl Default for Latitude {
    fn default() -> Latitude {
        Latitude { timeouts: TIMEOUTS, spurious_wakeups: 0, spurious_failures: 0, wakeup: Wakeup::default() }
    }
}
