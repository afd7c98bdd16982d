//! What follows a search: a closer look at what it found.

pub mod apart;
pub mod cycles;
pub mod diverged;
pub mod livelocks;
pub mod smallest;
