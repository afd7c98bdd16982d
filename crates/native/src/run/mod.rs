//! Runs plans in processes of a program.
//!
//! * `executor`: [`NativeExecutor`], which a search hands its plans to.
//! * `crew`: several workers on one search (`--jobs`).
//! * `worker`: one process at a time and its plans, whatever happens to the process. `plans` is its queue.
//! * `session`: one process with its shared memory: plans in, results out.
//! * `process`: how a process is started, observed and killed.
//! * `watchdog`: notices executions that hang.
//! * `wire`: the driver's side of the shared memory.
//! * `scratch`: the directory for files that executions write.
//! * `recording`: one execution with call stacks, for reports and replays.
//! * [`helper`]: other processes: a test program that lists its tests, Heddle itself on one of them.
//! * `options`: how a program is to be run. `setup` is what all its processes have in common.

mod crew;
mod executor;
pub mod helper;
mod options;
mod plans;
pub(crate) mod process;
mod recording;
pub(crate) mod scratch;
pub(crate) mod session;
pub(crate) mod setup;
mod watchdog;
pub(crate) mod wire;
mod worker;

pub use executor::NativeExecutor;
pub use options::{Hire, Options};
pub use process::signal_name;
pub use session::StartError;
