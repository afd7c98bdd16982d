//! Executions made by hand, what is recognised in them, and what the reports look like.

mod causes;
mod common;
mod golden;
mod recognise;
