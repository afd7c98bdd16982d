//! The thread library, as the program sees it. What the calls mean is in `heddle-model`; here they are only
//! translated into operations.

mod mutex;
mod once;
mod thread;
pub mod unwinder;

pub use once::{REAL, given_up};
