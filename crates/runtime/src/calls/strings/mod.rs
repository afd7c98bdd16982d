//! The memory and string functions of libc, as instrumented code calls them.
//!
//! libc is not instrumented, so the accesses of its functions to the program's memory would be invisible. Interposing
//! the functions would also catch calls by libc and the loader themselves. Instead, Heddle's headers and flags
//! (`heddle-native`, `instrument`) rename the calls in instrumented code only: `strcpy` becomes `__wrap_strcpy`, the
//! linkers' name for a wrapper. Each wrapper announces its exact accesses and does the work. One byte too many would be
//! a false race.
//!
//! The accesses of a string function depend on the position of its zero byte, so that is found first.
//!
//! Two groups are not here: `strtok`, whose state belongs to libc, and functions of other headers that fill memory,
//! which are in [`crate::calls::buffers`].

mod compare;
mod copy;
mod element;
mod memory;
mod scan;

pub use element::{length_of, reads, writes};
