//! The order in which threads use files, told to the model. [`super::calls`] and [`super::streams`] tell it about
//! the calls that the program makes.
//!
//! Each file is an object that is read or changed, and so are all names of files together: two threads that write
//! to one file are explored in both orders, two that only read are not. A read moves the position of its
//! descriptor, which threads may share. So the thread that opened the descriptor counts as reading, and all others
//! as changing: any two threads that share a descriptor are ordered, and threads that read through descriptors of
//! their own are not. A stream's buffer is treated like its descriptor.
//!
//! The model is told before the call, which then is one step, even if libc makes several system calls. While there
//! is one thread the model is told nothing. What is printed is no file: nobody can read it.

use core::cell::Cell;

use heddle_model::primitive::file::{FIND, NAME, READ, USE, on_contents, on_names};
use heddle_model::{Operation, ThreadId};

use super::descriptors;
use crate::lifetime;
use crate::outside::trap;
use crate::schedule::{self, active, visible};
use crate::sys;

/// An `open` under way that truncates. Truncating is an operation of its own, on the contents, which comes after it.
pub struct Truncation {
    /// The system call leaves truncating to its caller.
    later: Cell<bool>,
    /// The descriptor that is to be truncated; -1 for none.
    file: Cell<i32>,
}

impl Truncation {
    /// At start-up.
    pub const fn new() -> Truncation {
        Truncation { later: Cell::new(false), file: Cell::new(-1) }
    }

    /// An execution begins.
    pub fn reset(&self) {
        let Truncation { later, file } = self;
        later.set(false);
        file.set(-1);
    }
}

fn truncation() -> &'static Truncation {
    &lifetime::execution().truncation
}

/// Whether no other thread can have used a file, or can before a thread is created.
pub fn is_alone() -> bool {
    !active() || schedule::current() == ThreadId::MAIN && schedule::children_of_current() == 0
}

/// Tells the model of an operation on files.
pub fn tell(operation: Operation, pc: u64) {
    visible(operation, pc, |_| {});
}

/// The current thread looks up names of files.
pub fn looks_at_names(pc: u64) {
    if !is_alone() {
        tell(on_names(FIND), pc);
    }
}

/// The current thread changes names of files.
pub fn changes_names(pc: u64) {
    if !is_alone() {
        tell(on_names(NAME), pc);
    }
}

/// How a file is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Its contents are read, or its size; the position of the descriptor does not matter.
    Look,
    /// The position of the descriptor moves, or the descriptor goes.
    Position,
    /// The descriptor goes, and nothing is read.
    Closing,
    /// Its contents change.
    Change,
}

/// The current thread is about to use the file behind a descriptor.
pub fn uses(file: i32, how: Use, pc: u64) {
    if is_alone() || file < 0 || trap::is_captured(file) {
        return;
    }
    let known = descriptors::known(file);
    if known.is_file() {
        let looks = how == Use::Look || how != Use::Change && known.is_own();
        tell(on_contents(if looks { READ } else { USE }, known.identity), pc);
    }
}

/// Whether `open` is to leave truncating to the caller.
pub fn truncates_later() -> bool {
    truncation().later.get()
}

/// Notes the descriptor that the caller of `open` is to truncate.
pub fn to_truncate(file: i32) {
    truncation().file.set(file);
}

/// Calls `open` as one step on the names of files, and truncates the file in a second step, on its contents.
pub fn opens<T>(creates: bool, truncates: bool, pc: u64, open: impl FnOnce() -> T) -> T {
    const FTRUNCATE: usize = 77;
    if is_alone() {
        return open();
    }
    if creates {
        changes_names(pc)
    } else {
        looks_at_names(pc)
    }
    // No other thread runs until this one has opened it.
    truncation().file.set(-1);
    truncation().later.set(truncates);
    let opened = open();
    truncation().later.set(false);
    let file = truncation().file.get();
    if file >= 0 {
        uses(file, Use::Change, pc);
        // SAFETY: a file that was opened for writing.
        unsafe { sys::syscall3(FTRUNCATE, file as usize, 0, 0) };
    }
    opened
}

/// A call of libc's on a descriptor, told to the model.
pub fn on_file<T>(file: i32, how: Use, pc: u64, call: impl FnOnce() -> T) -> T {
    uses(file, how, pc);
    call()
}

/// Defines functions that use a descriptor or a stream, in one step.
macro_rules! by_handle {
    ($($uses:ident: fn $name:ident($($arg:ident : $type:ty),*) $(-> $ret:ty)? : $how:ident of $handle:ident;)*) => {
        interpose! {
            $(fn $name($($arg: $type),*) $(-> $ret)? {
                $uses($handle, Use::$how, caller(), || real::$name($($arg),*))
            })*
        }
    };
}
pub(super) use by_handle;
