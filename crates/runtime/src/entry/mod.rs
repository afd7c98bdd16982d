//! How the library comes into the process and talks to the driver: start-up, the controller, the shared memory, and the
//! functions of libc that this library stands in front of.

#[macro_use]
pub mod real;

pub mod control;
pub mod imports;
pub mod loaded;
pub mod start;
pub mod wire;
