//! From executed threads to questions about all inputs and all orders.

mod translate;

pub use translate::{CHECKS, CUTS, Translated, translate};
