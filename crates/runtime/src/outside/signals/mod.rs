//! Signals: those that the runtime handles itself, those that the program sends and waits for, and the masks of its threads.

pub mod delivery;
pub mod handlers;
pub mod mask;
