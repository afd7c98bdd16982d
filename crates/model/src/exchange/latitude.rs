//! Freedom that the standards leave to the thread library, and how much of it is explored.
//!
//! A timeout may expire at any moment, a condition wait may wake spuriously, a lock may go to any waiting thread.
//! Executions explore all of that within these limits. One search uses one set of limits. The process gets them at its
//! start, and trace files contain them.

/// The order in which waiting threads are served.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum WakeupOrder {
    /// Any order. The standards guarantee none.
    #[default]
    Arbitrary = 0,
    /// First come, first served.
    Fifo = 1,
    /// Last come, first served.
    Lifo = 2,
}

impl WakeupOrder {
    /// The order with this number. An unknown number is [`WakeupOrder::Arbitrary`].
    pub const fn from_code(code: u32) -> WakeupOrder {
        match code {
            1 => WakeupOrder::Fifo,
            2 => WakeupOrder::Lifo,
            _ => WakeupOrder::Arbitrary,
        }
    }
}

/// The wakeup order of each kind of primitive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Wakeup {
    /// The order of mutexes.
    pub mutex: WakeupOrder,
    /// The order of condition variables.
    pub cond: WakeupOrder,
    /// The order of semaphores.
    pub sem: WakeupOrder,
    /// The order of read-write locks.
    pub rwlock: WakeupOrder,
}

/// The default limit of timeouts for each thread. It makes loops that wait with a timeout finite. Most other programs
/// never reach it.
pub const TIMEOUTS: u32 = 3;

/// The limits. The layout is part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Latitude {
    /// How often each thread may time out in an execution while other threads are enabled. Beyond that, timeouts expire
    /// only when no thread is enabled.
    pub timeouts: u32,
    /// How many spurious wakeups each thread may have.
    pub spurious_wakeups: u32,
    /// How many weak compare-exchanges and trylocks of each thread may fail spuriously.
    pub spurious_failures: u32,
    /// The wakeup order of each kind of primitive.
    pub wakeup: Wakeup,
}

impl Default for Latitude {
    fn default() -> Latitude {
        Latitude { timeouts: TIMEOUTS, spurious_wakeups: 0, spurious_failures: 0, wakeup: Wakeup::default() }
    }
}
