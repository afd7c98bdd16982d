//! How a program is to be run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use heddle_model::Latitude;
use heddle_model::wire::{Layout, Races, Restart};

/// How an execution starts over, as the user says it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum RestartMode {
    /// By snapshot, until the program does something that a snapshot cannot take back; then by fork.
    #[default]
    Auto,
    /// In one way only.
    Only(Restart),
}

/// How many bytes of freed blocks each thread's heap keeps unused, unless somebody says otherwise. What is kept is
/// memory to put back after each execution.
pub const QUARANTINE: u64 = 64 << 10;

/// What an undetermined number is where nobody says otherwise: the edges of the types, and what is next to zero.
pub const DEFAULT_NONDET: [i64; 8] = [0, 1, -1, 2, i32::MAX as i64, i32::MIN as i64, i64::MAX, i64::MIN];

/// When one more process is put to work on a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hire {
    /// When the search waits for results for most of the time.
    WhenWaiting,
    /// As soon as there is more than one plan: for tests.
    AtOnce,
}

/// How a program is to be run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program's arguments, without its name.
    pub arguments: Vec<OsString>,
    /// The file that every execution reads as its standard input, by an absolute path.
    pub input: Option<PathBuf>,
    /// How an execution starts over.
    pub restart: RestartMode,
    /// Bytes that the program may allocate in one execution.
    pub memory_limit: u64,
    /// The stack of a thread that does not ask for one; the system's limit if none is given.
    pub stack_size: Option<u64>,
    /// How long a thread may run without a visible operation before that is called a hang.
    pub hang_after: Duration,
    /// How long the program may take from its start to `main`.
    pub start_within: Duration,
    /// Compare memory with the snapshot after each restoration: slow, for tests.
    pub check_restore: bool,
    /// Look for accesses to memory that is not there, or not any more.
    pub memory: bool,
    /// Look for blocks that are lost when the process ends.
    pub leaks: bool,
    /// Bytes of freed blocks that each thread's heap keeps unused.
    pub quarantine: u64,
    /// What the thread library may do of its own accord.
    pub latitude: Latitude,
    /// A primitive that is used against its rules ends the execution.
    pub misuse: bool,
    /// What the program prints is kept of every execution.
    pub outputs: bool,
    /// What to do about data races.
    pub races: Races,
    /// The values that an undetermined number (`__VERIFIER_nondet_int`) takes, each cut to its type. At most
    /// [`heddle_model::wire::VALUES`].
    pub nondet: Vec<i64>,
    /// How many threads to prepare for at first. The number grows by itself.
    pub threads: u32,
    /// How much room there is in the shared memory.
    pub layout: Layout,
    /// How many processes are to work on one search, at most.
    pub jobs: u32,
    /// When to start those after the first.
    pub hire: Hire,
    /// Nobody waits for an execution longer than until then.
    pub deadline: Option<Instant>,
    /// Raised by whoever wants all this to stop: Ctrl-C.
    pub interrupted: Arc<AtomicBool>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            arguments: Vec::new(),
            input: None,
            restart: RestartMode::Auto,
            memory_limit: 1 << 30,
            stack_size: None,
            hang_after: Duration::from_secs(3),
            start_within: Duration::from_secs(20),
            check_restore: false,
            memory: true,
            leaks: false,
            quarantine: QUARANTINE,
            latitude: Latitude::default(),
            misuse: true,
            outputs: false,
            races: Races::Stop,
            nondet: DEFAULT_NONDET.to_vec(),
            threads: 8,
            layout: Layout::new(32, 4096, 1 << 20, 1 << 22, 1 << 20),
            jobs: 1,
            hire: Hire::WhenWaiting,
            deadline: None,
            interrupted: Arc::default(),
        }
    }
}
