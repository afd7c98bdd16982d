//! One file for each subcommand.

pub mod cc;
pub mod check;
pub mod pages;
pub mod prove;
pub mod replay;
pub mod report;
pub mod test;
