//! # The library that Heddle loads into the program under test
//!
//! It turns the program's threads into fibers on one kernel thread, runs them in the order of a plan, records what they
//! did, and starts over. It decides nothing: `heddle-model` says when an operation is enabled and what it does, and the
//! driver sends the plans through shared memory ([`entry::wire`]).
//!
//! Rules of this crate, because it runs in another program's process:
//!
//! * No allocation from the program's heap, no locks, no thread-locals. The library maps its own memory at addresses
//!   that the program does not use ([`addresses`]).
//! * No panic crosses the boundary, because there is nothing to unwind into. A panic ends the process with a message.
//! * No call into libc between two visible operations of the program, except where a comment says why it is safe.
//!   System calls are made directly ([`sys`]), which also keeps them out of the trap that catches the program's.
//! * Everything that depends on the processor is in [`arch`].
//!
//! The library's own state is in two structs, by lifetime ([`lifetime`]). That module also explains why one kernel
//! thread can use it without locks.

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
