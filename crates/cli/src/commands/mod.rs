//! One file for each subcommand.

pub mod check;
pub mod replay;
pub mod report;
