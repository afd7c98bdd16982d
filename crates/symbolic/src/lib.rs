//! Checks a program for all inputs at once.
//!
//! Values of the program are terms over its inputs ([`term`]). The events of all threads, with their guards, become one formula over all
//! orders ([`order`]).

pub mod order;
pub mod term;
