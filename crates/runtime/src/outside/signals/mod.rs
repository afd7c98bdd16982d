//! Signals: those that the runtime handles itself, those that the program sends and waits for, and the signal masks of
//! threads.

pub mod delivery;
pub mod handlers;
pub mod mask;
pub mod remembered;
