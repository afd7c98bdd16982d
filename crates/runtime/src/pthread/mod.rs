//! The thread library, as the program sees it. What the calls mean is in `heddle-model`; here they are only
//! translated into operations.

mod barrier;
mod c11;
mod condvar;
mod mutex;
mod once;
mod rwlock;
mod semaphore;
mod spin;
mod thread;
pub mod unwinder;

pub use once::given_up;

/// What [`crate::real::resolve`] looks up.
pub static REAL: [&[&crate::real::Real]; 7] =
    [barrier::REAL, c11::REAL, condvar::REAL, once::REAL, rwlock::REAL, semaphore::REAL, spin::REAL];
