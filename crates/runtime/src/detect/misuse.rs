//! Misuse of primitives: the parts that only the program's memory can tell, and the report.
//!
//! The model detects misuse. Two kinds need a look at memory before they are reported. First, a destroyed object may
//! have become another one by being overwritten, because C++ mutexes are constructed without a call. Destroyed objects
//! are therefore marked in their memory, as glibc marks mutexes, and only an object that still has the mark was used
//! after it was destroyed. Second, memory of the heap or of a stack that held an object which was never destroyed may
//! have become another object. Therefore only memory that is never freed counts as initialised twice.

use core::cell::Cell;

use heddle_model::misuse::UNKNOWN;
use heddle_model::primitive::process;
use heddle_model::wire::MADE_BEFORE;
use heddle_model::{Event, Misuse, ObjectId};

use crate::addresses::{HEAPS, NAMES, NAMES_END, STACKS_END};
use crate::entry::start;
use crate::lifetime::{self, Exclusive};
use crate::outside::exit::ends as process_ends;
use crate::schedule::{self, end_process};

/// The mark in the first bytes of an object that was destroyed.
const MARK: u32 = 0x6465_6164;

/// How many objects that were made before `main` are remembered.
const MOST_BEFORE: usize = 62;

/// What is known of misuse in this process.
pub struct Misuses {
    /// Misuse ends executions.
    reported: Cell<bool>,
    /// [`MADE_BEFORE`], then the objects that were made before `main`.
    before: Exclusive<[u64; MOST_BEFORE + 2]>,
    /// How many words of it are used.
    length: Cell<usize>,
}

impl Misuses {
    /// The state at the start of the process.
    pub const fn new() -> Misuses {
        Misuses { reported: Cell::new(false), before: Exclusive::new([0; MOST_BEFORE + 2]), length: Cell::new(0) }
    }
}

fn misuses() -> &'static Misuses {
    &lifetime::process().misuses
}

/// Remembers that `object` was initialised before `main`. For objects whose memory looks the same whether they were
/// initialised or are zero.
pub fn made_before(object: u64) {
    let Misuses { before, length, .. } = misuses();
    let at = length.get().clamp(1, MOST_BEFORE + 1);
    before.borrow()[0] = MADE_BEFORE;
    // The last place holds 0, which stands for all objects that have no place.
    before.borrow()[at] = if at == MOST_BEFORE + 1 { 0 } else { object };
    length.set(at + 1);
}

/// The objects that were made before `main` began, as they are written into a record.
pub fn all_made_before() -> &'static [u64] {
    &misuses().before.borrow()[..misuses().length.get()]
}

/// Sets whether misuse ends executions. Call this once.
pub fn set_up(reported: bool) {
    misuses().reported.set(reported);
}

fn reported() -> bool {
    misuses().reported.get()
}

/// Marks `object` as destroyed.
pub unsafe fn mark(object: *mut u8) {
    // SAFETY: the program's object, of at least four bytes and so aligned, which it has given up.
    unsafe { object.cast::<u32>().write(MARK) };
}

/// Whether `object` lies where memory is never given back: not on the heap and on no stack.
fn is_static(object: ObjectId) -> bool {
    let address = object.0 as usize;
    let (low, high) = start::main_stack();
    !(HEAPS..STACKS_END).contains(&address) && !(low..high).contains(&address)
}

/// Reports that `event` misused a primitive. Ends the process if the misuse is confirmed and must be reported.
#[cold]
pub fn taken(misuse: Option<Misuse>, event: &Event) {
    let Some(misuse) = misuse else { return };
    let object = event.operation.object;
    let holds = match misuse {
        // SAFETY: an object that the program has just used.
        Misuse::UseAfterDestroy => unsafe { (object.0 as *const u32).read() == MARK },
        Misuse::DoubleInitialisation => is_static(object),
        _ => true,
    };
    // Destructors of static objects run while threads that were not joined may still use the objects. Reporting each of
    // these would not help the user.
    let late = matches!(misuse, Misuse::DestroyInUse | Misuse::DestroyWaited | Misuse::UseAfterDestroy);
    if holds && !(late && process_ends()) {
        accuse(misuse, object, event.operation.code.family(), event.pc);
    }
}

/// Reports that the program has misused `object`, which belongs to `family`. Ends the process if misuse must be
/// reported.
pub fn accuse(misuse: Misuse, object: ObjectId, family: u8, pc: u64) {
    if reported() {
        end_process(process::misused(misuse, object, family), pc);
    }
}

/// Checks that the object of `event` was initialised by a call, and ends the process if it cannot have been: it was
/// not initialised in this execution, and its memory is not what an initialisation before `main` would have left
/// there (`from_before`).
pub fn initialised(event: &Event, from_before: bool) {
    let object = event.operation.object;
    let named = (NAMES..NAMES_END).contains(&(object.0 as usize));
    let family = event.operation.code.family();
    if !named && schedule::life(object, family) == UNKNOWN && !from_before {
        accuse(Misuse::Uninitialised, object, family, event.pc);
    }
}

/// Whether the bytes at `object` can have been written before `main`.
pub unsafe fn from_before_main(object: *const u8) -> bool {
    // SAFETY: the program's object, of at least eight bytes.
    is_static(ObjectId(object as u64)) && unsafe { object.cast::<u64>().read_unaligned() } != 0
}
