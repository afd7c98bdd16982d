//! Checks a program for all inputs at once.
//!
//! The program is read into a small intermediate representation ([`ir`]). Its threads are executed symbolically ([`machine`], on the
//! objects of [`memory`], with the functions of [`library`]): values are terms over the program's inputs ([`term`]). The events of all
//! threads, with their guards ([`prove`]), become one formula over all orders ([`order`]), which a solver with a theory of acyclic graphs
//! decides ([`solve`]). Or threads are run operation by operation under the algorithms of `heddle-search` ([`trace`]).

pub mod ir;
pub mod library;
pub mod machine;
pub mod memory;
pub mod order;
pub mod portfolio;
pub mod prove;
pub mod script;
pub mod solve;
pub mod term;
pub mod trace;
