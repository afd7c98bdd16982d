//! The thread library as the program sees it. `heddle-model` defines the meaning of the calls; this module translates
//! them into operations.

mod aliases;
mod barrier;
mod c11;
pub mod cancel;
mod condvar;
pub mod futex;
pub mod identity;
pub mod keys;
mod mutex;
pub mod named;
mod once;
pub mod rwlock;
pub mod semaphore;
pub mod spin;
pub mod thread;
pub mod unwinder;

pub use once::{given_up, overwritten as once_overwritten};

/// What [`crate::entry::real::resolve`] looks up.
pub static REAL: [&[&crate::entry::real::Real]; 12] = [
    barrier::REAL,
    c11::REAL,
    cancel::REAL,
    condvar::REAL,
    identity::REAL,
    keys::REAL,
    mutex::REAL,
    named::REAL,
    once::REAL,
    rwlock::REAL,
    semaphore::REAL,
    spin::REAL,
];
