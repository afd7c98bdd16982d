//! Formulas of linear temporal logic, asked of the graph of all states.
//!
//! A formula speaks of propositions, each true or false in a state. It must hold for every fair endless execution, and for
//! every execution that ends, which stays in its last state for ever.
//!
//! * [`formula`]: formulas, from text and to normal form.
//! * [`automaton`]: an automaton that accepts exactly the words for which a formula holds.
//! * [`product`]: executions of the program that the automaton of the negated formula accepts.

pub mod automaton;
pub mod formula;
pub mod product;

pub use automaton::Automaton;
pub use formula::{Formula, ParseError};
