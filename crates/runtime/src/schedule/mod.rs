//! The scheduler: every visible operation of the program comes through here.
//!
//! A thread that is about to do something visible announces the operation, then asks the follower of the plan which thread runs
//! next. If that is another thread, it switches to that thread's fiber, and continues when its own turn has come. Then it takes
//! the operation and writes the event down. The scheduler runs on the stack of its caller; there is no scheduler
//! thread. Nothing here allocates, formats or makes a system call.
//!
//! * [`state`]: the state of the execution under way, and questions about it.
//! * [`execution`]: how an execution begins and how its threads and its process end.
//! * [`mod@visible`]: visible operations. [`section`]: atomic sections. [`finish`]: the record of an execution that is over.
//! * [`fiber`]: the threads themselves. [`spin_loop`]: loops that only wait. [`timed`]: operations that can time out.

mod execution;
pub mod fiber;
mod finish;
mod measure;
mod section;
pub mod spin_loop;
pub mod spurious_failure;
mod state;
pub mod timed;
mod visible;
pub mod wakeup_policy;

pub use execution::{end_process, ended, run, started, started_main, stop, unsupported};
pub use section::{begin_section, end_section, in_section};
pub use state::*;
pub use visible::{visible, visible_look};
