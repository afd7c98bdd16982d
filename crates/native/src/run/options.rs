//! How a program is to be run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use heddle_model::wire::Layout;
use heddle_model::{Input, Settings};

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
    /// The settings of executions.
    pub settings: Settings,
    /// The inputs that are given: at most [`heddle_model::MOST_INPUTS`]. All others take the values of the settings.
    pub inputs: Vec<Input>,
    /// The program's arguments, without its name.
    pub arguments: Vec<OsString>,
    /// The file that every execution reads as its standard input, by an absolute path.
    pub input: Option<PathBuf>,
    /// How long the program may take from its start to `main`.
    pub start_within: Duration,
    /// Compare memory with the snapshot after each restoration: slow, for tests.
    pub check_restore: bool,
    /// How many threads to prepare for at first. The number grows by itself.
    pub threads: u32,
    /// How much room there is in the shared memory.
    pub layout: Layout,
    /// How many processes are to work on one search, at most.
    pub jobs: u32,
    /// When to start those after the first.
    pub hire: Hire,
    /// The time after which no execution is waited for.
    pub deadline: Option<Instant>,
    /// Set to true, by any thread, to interrupt the run (Ctrl-C).
    pub interrupted: Arc<AtomicBool>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            settings: Settings::default(),
            inputs: Vec::new(),
            arguments: Vec::new(),
            input: None,
            start_within: Duration::from_secs(20),
            check_restore: false,
            threads: 8,
            layout: Layout::new(32, 4096, 1 << 20, 1 << 22, 1 << 20),
            jobs: 1,
            hire: Hire::WhenWaiting,
            deadline: None,
            interrupted: Arc::default(),
        }
    }
}
