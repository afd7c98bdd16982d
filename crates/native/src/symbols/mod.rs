//! From addresses to what a person calls them.
mod mappings;
pub use mappings::{Mapping, Mappings};
