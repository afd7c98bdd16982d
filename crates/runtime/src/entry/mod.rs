//! How the library enters the process and communicates with the driver: start-up, the controller, the shared memory,
//! and the functions of libc that this library interposes.

#[macro_use]
pub mod real;

pub mod control;
pub mod foreign;
pub mod imports;
pub mod loaded;
pub mod main_thread;
pub mod report;
pub mod start;
pub mod wire;
