//! The thread library, as the program sees it. What the calls mean is in `heddle-model`; here they are only
//! translated into operations.

mod mutex;
mod thread;

pub use thread::{load_unwinder, wants_unwinder};
