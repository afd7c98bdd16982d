//! The program's state: saving it, restoring it, and comparing it with an earlier state.

pub mod calls;
pub mod content;
pub mod cycle;
pub mod dead;
pub mod fingerprint;
pub mod known;
pub mod livelock;
pub mod snapshot;
pub mod touches;
pub mod wiping;
