//! The memory and string functions of libc, as instrumented code calls them.
//!
//! libc is not instrumented, so what its functions read and write for the program would be invisible. Interposing them
//! would catch libc's and the loader's own calls too; instead, Heddle's headers and flags (`heddle-native`,
//! `instrument`) rename the calls in instrumented code only: `strcpy` becomes `__wrap_strcpy`, which is the name that
//! linkers have for this. Each of these announces what it will touch, exactly (a byte too many would be a race that is
//! none), and does the work.
//!
//! What a string function touches depends on where its zero byte is, so it is looked for first.
//!
//! Not here: `strtok` (its state is libc's own), and functions of other headers that fill in memory: see [`crate::calls::buffers`].

mod compare;
mod copy;
mod element;
mod memory;
mod scan;

pub use element::{length_of, reads, writes};
