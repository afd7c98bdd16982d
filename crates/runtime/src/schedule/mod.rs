//! The scheduler. Every visible operation of the program passes through it.
//!
//! A thread announces its next visible operation and asks the follower of the plan which thread runs next. If that is
//! another thread, it switches to that thread's fiber and continues when it is scheduled again. Then it takes the
//! operation and records the event. The scheduler runs on the stack of its caller; there is no scheduler thread.
//! Nothing here allocates, formats or makes a system call.
//!
//! * [`state`]: the state of the current execution, and queries about it.
//! * [`execution`]: the start of an execution, and the ends of its threads and its process.
//! * [`mod@visible`]: visible operations. [`section`]: atomic sections. [`finish`]: the record of a completed
//!   execution.
//! * [`fiber`]: the threads themselves. [`spin_loop`]: loops that only wait, [`counted_loop`]: those that count, [`rewritten`]: what they may write. [`timed`]: operations that can time out.
//!   [`forever`]: threads that run for ever without an operation.

mod counted_loop;
mod execution;
pub mod fiber;
mod finish;
pub mod forever;
mod loop_time;
mod measure;
mod rewritten;
mod section;
pub mod spin_loop;
pub mod spurious_failure;
mod stack_log;
pub mod stack_state;
mod state;
pub mod timed;
mod unlocked;
mod visible;
pub mod wakeup_policy;

pub use execution::{end_process, ended, run, started, started_main, stop, unsupported};
pub use section::{begin_section, end_section, in_section};
pub use state::*;
pub use visible::{note_interrupted, progressed, rounds_go_round, visible, visible_look, visible_under_lock};
