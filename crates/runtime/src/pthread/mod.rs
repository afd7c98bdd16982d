//! The thread library, as the program sees it. What the calls mean is in `heddle-model`; here they are only
//! translated into operations.

mod condvar;
mod mutex;
mod once;
mod semaphore;
mod thread;
pub mod unwinder;

pub use once::given_up;

/// What [`crate::real::resolve`] looks up.
pub static REAL: [&[&crate::real::Real]; 3] = [condvar::REAL, once::REAL, semaphore::REAL];
