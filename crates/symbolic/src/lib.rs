//! Checks a program for all inputs at once.
//!
//! The program is read into a small intermediate representation ([`ir`]). Values of the program are terms over its inputs ([`term`]). The
//! events of all threads, with their guards, become one formula over all orders ([`order`]), which a solver with a theory of acyclic
//! graphs decides ([`solve`]).

pub mod ir;
pub mod order;
pub mod solve;
pub mod term;
