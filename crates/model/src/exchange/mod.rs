//! The interface between search and executor: plans one way, executions the other, and the settings of both.

pub mod content;
#[cfg(feature = "std")]
mod execution;
#[cfg(feature = "std")]
pub mod facts;
#[cfg(feature = "std")]
mod fields;
mod inputs;
mod latitude;
mod liveness;
mod outcome;
mod plain;
#[cfg(feature = "std")]
mod plan;
mod property;
mod restart;
pub mod round;
mod settings;

#[cfg(feature = "std")]
pub use execution::{Execution, Executor, ExecutorError};
pub use inputs::{Input, MOST_INPUTS};
pub use latitude::{Latitude, TIMEOUTS, Wakeup, WakeupOrder};
pub use liveness::{Fairness, FormulaText, Goal, LONGEST_FORMULA, Liveness};
pub use outcome::{Capacity, Death, Ending, Outcome};
pub use plain::PlainTouch;
#[cfg(feature = "std")]
pub use plan::{Plan, States};
pub use property::{Attention, Properties, Property};
pub use restart::{Restart, RestartMode};
pub use settings::{MOST_VALUES, Settings, Values};
