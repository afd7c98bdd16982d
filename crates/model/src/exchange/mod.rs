//! What a search and an executor hand to each other: plans one way, executions the other, and the limits of both.

#[cfg(feature = "std")]
mod execution;
#[cfg(feature = "std")]
pub mod facts;
mod latitude;
mod outcome;
#[cfg(feature = "std")]
mod plan;
pub mod round;

#[cfg(feature = "std")]
pub use execution::{Execution, Executor, ExecutorError};
pub use latitude::{Latitude, Order, TIMEOUTS, Wakeup};
pub use outcome::{Capacity, Death, Ending, Outcome};
#[cfg(feature = "std")]
pub use plan::Plan;
