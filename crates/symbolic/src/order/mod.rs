//! All orders of a program's events as one formula.

pub mod event;
