//! Runs plans in processes of a program.
//!
//! * `executor`: [`NativeExecutor`], which gives plans to processes and survives whatever happens to them.
//! * `crew`: several processes at work on one search (`--jobs`).
//! * `session`: one process with its shared memory: plans in, results out.
//! * `process`: how a process is started, observed and killed.
//! * `watchdog`: notices executions that hang.
//! * `wire`: the driver's side of the shared memory.
//! * `scratch`: the directory for files that executions write.
//! * `recording`: one execution with call stacks, for reports and replays.
//! * `options`: how a program is to be run.

mod crew;
mod executor;
mod options;
pub(crate) mod process;
mod recording;
pub(crate) mod scratch;
pub(crate) mod session;
mod watchdog;
pub(crate) mod wire;

pub use executor::{Fallback, NativeExecutor, Statistics};
pub use options::{DEFAULT_NONDET, Hire, Options, RestartMode, restart_name};
pub use process::signal_name;
pub use session::StartError;
