//! # The library that Heddle loads into the program under test
//!
//! It makes the program's threads fibers on one kernel thread, runs them in the order that a plan says, writes
//! down what they did, and starts over. It decides nothing: when an operation is possible and what it does is
//! asked of `heddle-model`, which plan to run comes from the driver through shared memory ([`entry::wire`]).
//!
//! The rules of this room, because it lives in somebody else's process:
//!
//! * no allocation from the program's heap, no locks, no thread-locals: own memory is mapped by hand, at addresses
//!   that the program does not use ([`addresses`]);
//! * no panic crosses the boundary: there is nothing to unwind into, a panic ends the process with a message;
//! * no call into libc between two visible operations of the program, except where a comment says why it is safe;
//!   system calls are made directly ([`sys`]), which also keeps them out of the trap that catches the program's;
//! * everything that depends on the processor is in [`arch`].
//!
//! Its own state is in two structs, by how long it lives ([`lifetime`]), where it also says why one kernel thread can use it
//! without locks.

// `heddle-native` builds it freestanding. Checks of the whole workspace (clippy, documentation) build it together with crates
// that make `heddle-model` use the standard library, and then there can be no panic handler of our own.
#![cfg_attr(heddle_freestanding, no_std)]
#![allow(non_upper_case_globals, static_mut_refs)]
// Nobody links against this by Rust names: its documentation is for who works on it.
#![allow(rustdoc::private_intra_doc_links)]

#[macro_use]
mod arch;
#[macro_use]
mod entry;

mod addresses;
mod calls;
mod detect;
mod heap;
mod lifetime;
mod outside;
mod record;
mod schedule;
mod state;
mod sys;

#[cfg(heddle_freestanding)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    sys::die(b"heddle: internal error in the runtime (panic)\n")
}
