//! The order in which threads use files, as the model sees it. [`super::calls`] and [`super::streams`] report the
//! program's calls here.
//!
//! Each file is an object that is read or written, and so are all names of files together: the search explores both
//! orders of two writes to one file, and only one order of two reads. A read moves the position of its descriptor,
//! which threads may share. Therefore a read by the thread that opened the descriptor counts as a read, and one by any
//! other thread as a write: any two threads that share a descriptor are ordered, and threads with their own descriptors
//! are not. A stream's buffer is treated like its descriptor.
//!
//! **Numbers of descriptors.** Which number a descriptor gets depends on which are free. Threads that use the numbers they were given
//! cannot tell. But who closes a descriptor twice, or uses one that is closed, may hit the file that another thread has opened
//! meanwhile. Where a thread uses a number that is not open, or a descriptor of another thread that nothing has told it of, the table of
//! descriptors [becomes visible](race::suspect): the search begins anew, and every call that opens, uses or closes a descriptor is
//! ordered with every other.
//!
//! The model is told before the call, which then is one step, even if libc makes several system calls. While there is
//! only one thread, the model is told nothing. Printed output is not a file, because no thread can read it.

use core::cell::Cell;

use heddle_model::Operation;
use heddle_model::primitive::process_state::{
    How, State, and_changes, and_changes_descriptors, and_changes_status, and_reads, within_limits,
};

use super::descriptors;
use crate::calls::process_state;
use crate::detect::race;
use crate::entry::wire::Wire;
use crate::lifetime;
use crate::outside::trap;
use crate::schedule::{active, is_alone, visible};
use crate::sys;

/// An `open` in progress that truncates. Truncating is a separate operation on the contents, which follows the `open`.
pub struct Truncation {
    /// The system call leaves truncating to its caller.
    later: Cell<bool>,
    /// The descriptor that is to be truncated; -1 for none.
    file: Cell<i32>,
}

impl Truncation {
    /// The state at the start of the process.
    pub const fn new() -> Truncation {
        Truncation { later: Cell::new(false), file: Cell::new(-1) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Truncation { later, file } = self;
        later.set(false);
        file.set(-1);
    }
}

fn truncation() -> &'static Truncation {
    &lifetime::execution().truncation
}

/// Takes an operation on state of the process in the model.
pub fn tell(operation: Operation, pc: u64) {
    visible(operation, pc, |_| {});
}

/// `operation`, which may fail because of a limit of the process. Nobody looks at limits that nothing can change.
fn limited(operation: Operation) -> Operation {
    if process_state::limits_can_change() { within_limits(operation) } else { operation }
}

/// Where the table of descriptors lies among the visible places.
const TABLE: usize = State::Descriptors.part(0).0 as usize;

/// Whether every use of a descriptor is ordered with every other.
fn numbers_matter() -> bool {
    race::places::any() && race::places::within(TABLE, 1)
}

/// `operation`, which takes a number for a descriptor.
fn numbered(operation: Operation) -> Operation {
    if numbers_matter() { and_changes_descriptors(operation) } else { operation }
}

/// Takes in the model that a call takes or frees a number of a descriptor, and does nothing else that has an order.
pub fn changes_numbers(pc: u64) {
    if !is_alone() {
        if numbers_matter() {
            tell(State::Descriptors.operation(How::Change, 0), pc);
        }
        descriptors::changes_numbers();
    }
}

/// Takes a lookup of file names in the model.
pub fn looks_at_names(pc: u64) {
    if !is_alone() {
        tell(numbered(limited(State::FileNames.operation(How::Read, 0))), pc);
    }
}

/// Takes a change of file names in the model.
pub fn changes_names(pc: u64) {
    if !active() {
        Wire::ATTACHED.note_early_change();
    }
    if !is_alone() {
        // What is made gets the modes that the mask leaves.
        let mask = State::FileModeMask.part(0);
        tell(numbered(limited(and_reads(State::FileNames.operation(How::Change, 0), mask))), pc);
    }
}

/// How a call uses a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// The contents or the size of the file are read. The position of the descriptor does not matter.
    Look,
    /// The same, and how many names the file has.
    Status,
    /// The position of the descriptor moves, or the descriptor goes.
    Position,
    /// The descriptor goes, and nothing is read.
    Closing,
    /// The contents of the file change.
    Change,
}

/// How the model sees a use of the file behind a descriptor: the state, what is done to it, and which part of it. `None` if it is no file.
pub fn use_of(file: i32, how: Use) -> Option<(State, How, u64)> {
    let looks = matches!(how, Use::Look | Use::Status);
    // What is printed is no file, unless the program may make one of it.
    if file >= 0 && trap::is_captured(file) && process_state::output_can_move() {
        let how = if looks { How::Read } else { How::Change };
        return Some((State::FileContents, how, file as u64));
    }
    if file < 0 || trap::is_captured(file) {
        return None;
    }
    let known = descriptors::known(file);
    let looks = looks || how != Use::Change && known.is_own();
    let how = if looks { How::Read } else { How::Change };
    known.is_file().then_some((State::FileContents, how, known.identity))
}

/// Takes a use of the file behind a descriptor in the model, before the call.
pub fn uses(file: i32, how: Use, pc: u64) {
    if is_alone() {
        // What is printed is no file.
        if !active() && how == Use::Change && file > 2 && descriptors::is_regular(file) {
            Wire::ATTACHED.note_early_change();
        }
        return;
    }
    if let Some((_, _, identity)) = use_of(file, how) {
        descriptors::used_by_call(identity, how == Use::Change);
    }
    uses_number(file, how, pc);
}

fn uses_number(file: i32, how: Use, pc: u64) {
    let (known, numbers) = (use_of(file, how), numbers_matter());
    let operation = match known {
        // Which file it is depends on the others: all of them count as one.
        _ if numbers && file >= 0 => Some(State::Descriptors.operation(How::Change, 0)),
        Some((state, done, part)) => Some(state.operation(done, part)),
        None => None,
    };
    if let Some(operation) = operation {
        let operation = match how {
            Use::Status => and_reads(operation, State::FileNames.part(0)),
            Use::Change if process_state::walks_files() => limited(and_changes_status(operation)),
            Use::Change => limited(operation),
            Use::Look | Use::Position | Use::Closing => operation,
        };
        tell(operation, pc);
    }
    if !numbers && let Some(other) = descriptors::is_others(file) {
        race::suspect(other, TABLE, 1, pc);
    }
}

/// Takes the end of a descriptor in the model, before the call.
pub fn closes(file: i32, pc: u64) {
    if !is_alone() && file >= 0 {
        uses_number(file, Use::Position, pc);
        descriptors::changes_numbers();
    }
}

/// Takes a use of the file with this name in the model, in two steps: the name is looked up, then the file behind it is used.
pub unsafe fn uses_named(directory: i32, name: usize, how: Use, pc: u64) {
    const PATH_ONLY: i32 = 0o12_000_000;
    if is_alone() {
        return;
    }
    looks_at_names(pc);
    if name == 0 {
        return uses(directory, how, pc);
    }
    // SAFETY: a name of the program's, that its call is about to read.
    unsafe {
        let error = *__errno_location();
        let file = super::calls::real::openat(directory, name as *const _, PATH_ONLY, 0);
        if file >= 0 {
            uses(file, how, pc);
            super::calls::real::close(file);
        }
        *__errno_location() = error;
    }
}

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

/// Whether the current `open` leaves truncating to its caller.
pub fn truncates_later() -> bool {
    truncation().later.get()
}

/// Notes the descriptor that the caller of `open` has to truncate.
pub fn to_truncate(file: i32) {
    truncation().file.set(file);
}

/// Calls `open` as one step on the names of files, and truncates the file in a second step, on its contents.
pub fn opens<T>(creates: bool, truncates: bool, pc: u64, open: impl FnOnce() -> T) -> T {
    if is_alone() {
        if !active() && (creates || truncates) {
            Wire::ATTACHED.note_early_change();
        }
        return open();
    }
    if creates {
        changes_names(pc)
    } else {
        looks_at_names(pc)
    }
    opens_now(truncates, pc, open)
}

/// Calls `open`, which puts another file behind the descriptor `file`, as one step on the names of files and on what was there before. It
/// truncates the new file in a second step.
pub fn reopens<T>(file: i32, (creates, truncates): (bool, bool), pc: u64, open: impl FnOnce() -> T) -> T {
    if is_alone() {
        return open();
    }
    let Some((before, _, part)) = use_of(file, Use::Change) else { return opens(creates, truncates, pc, open) };
    let how = if creates { How::Change } else { How::Read };
    tell(and_changes(numbered(limited(State::FileNames.operation(how, 0))), before.part(part)), pc);
    opens_now(truncates, pc, open)
}

fn opens_now<T>(truncates: bool, pc: u64, open: impl FnOnce() -> T) -> T {
    const FTRUNCATE: usize = 77;
    // No other thread runs until this one has opened it.
    truncation().file.set(-1);
    truncation().later.set(truncates);
    let opened = open();
    truncation().later.set(false);
    if !is_alone() {
        descriptors::changes_numbers();
    }
    let file = truncation().file.get();
    if file >= 0 {
        uses(file, Use::Change, pc);
        // SAFETY: a file that was opened for writing.
        unsafe { sys::syscall3(FTRUNCATE, file as usize, 0, 0) };
    }
    opened
}

/// Makes a call of libc on a descriptor, after its use was taken in the model.
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
