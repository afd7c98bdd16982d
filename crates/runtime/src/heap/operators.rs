//! `operator new` and `operator delete`: which function allocated a block, and whether the one that frees it matches.
//!
//! The C++ library's own functions do the work, because only they can throw `bad_alloc`. The functions here come before
//! them. They record the request and jump to the library's function without a frame of their own, so that exceptions
//! pass. The next call of `malloc` from inside the library is then the requested block, and the next call of `free` the
//! block to be freed. No other thread runs in between: `free` takes the record before it lets others run ([`given_back`]).
//!
//! The rules are those of C++20, expr.delete and new.delete: `free` and `realloc` match `malloc` and its relatives,
//! `delete` matches `new`, `delete[]` matches `new[]`, aligned forms match aligned forms, and the size that `delete`
//! names, if any, must be right.
//!
//! A program may replace each of these functions. The library's other functions then call the replacements, and the
//! program decides what matches. Therefore nothing is compared if one of them is replaced. Blocks from before `main`
//! are not compared either.

use core::cell::Cell;
use core::ffi::{CStr, c_int, c_void};

use heddle_model::fault::family;

use heddle_detect::heap::block::Header;
use heddle_detect::heap::class::GRAIN;

use super::{allocate, find, heap, is_program, lock, release};
use crate::detect::memcheck;
use crate::entry::real::{self, Real};
use crate::entry::start::{LoadedObject, dl_iterate_phdr, text_of};
use crate::lifetime::{self, OneThread};
use crate::{schedule, sys};

/// A description of one of the functions.
#[derive(Clone, Copy)]
struct Entry {
    /// The [`family`] that the function belongs to.
    family: u8,
    frees: bool,
    /// Which argument is the size, and which the alignment.
    size: Option<usize>,
    align: Option<usize>,
}

/// Decides where a call of function `index` from `pc` goes: the address of the C++ library's own function. `arguments` are the arguments in
/// registers.
pub unsafe extern "C" fn decide(index: u32, pc: u64, arguments: *const [u64; 6]) -> usize {
    // SAFETY: the stub has just stored the arguments.
    unsafe {
        if FOUND.on.get() && is_program() {
            let entry = &ENTRIES[index as usize];
            let argument = |which: Option<usize>| which.map(|which| (&*arguments)[which] as usize);
            let (size, align) = (argument(entry.size), argument(entry.align));
            if entry.frees {
                deletes(entry, (&*arguments)[0] as usize, size, align, pc);
            } else {
                news(entry, size.unwrap_or(0), align.unwrap_or(1), pc);
            }
        }
    }
    match TABLE[index as usize].found() {
        0 => without_library(&ENTRIES[index as usize], index),
        found => found,
    }
}

/// The function to call if the C++ library's own is not loaded. A program that needs nothing else of that library, or has the rest of it
/// linked in, is linked without its operators because they are here already. These functions cannot throw.
#[cold]
fn without_library(entry: &Entry, index: u32) -> usize {
    if !schedule::active() {
        TABLE[index as usize].try_look_up();
        if TABLE[index as usize].found() != 0 {
            return TABLE[index as usize].found();
        }
    }
    match (entry.frees, entry.align) {
        (true, _) => give as *const () as usize,
        (false, None) => plain as *const () as usize,
        (false, Some(_)) => aligned as *const () as usize,
    }
}

unsafe extern "C" fn give(address: usize) {
    if address != 0 {
        lock::alone(|| release(address, give as *const () as u64));
    }
}

unsafe extern "C" fn plain(size: usize) -> *mut u8 {
    // SAFETY: any alignment will do.
    unsafe { aligned(size, 1) }
}

unsafe extern "C" fn aligned(size: usize, align: usize) -> *mut u8 {
    let align = align.max(GRAIN);
    let got = if align.is_power_of_two() {
        lock::alone(|| allocate(size.max(1), align, plain as *const () as u64))
    } else {
        None
    };
    match got {
        Some((address, _)) => address as *mut u8,
        None if schedule::active() => {
            schedule::unsupported("`new` that fails, where the C++ library is not loaded (-static-libstdc++)", 0)
        }
        None => sys::die(b"heddle: `new` has failed in a program without the C++ library\n"),
    }
}

macro_rules! operators {
    ($($name:ident $family:ident $frees:literal $size:expr, $align:expr;)*) => {
        #[allow(non_camel_case_types)]
        #[repr(u32)]
        enum Index { $($name,)* Count }

        const ENTRIES: [Entry; Index::Count as usize] =
            [$(Entry { family: family::$family, frees: $frees, size: $size, align: $align }),*];

        /// The C++ library's own functions.
        static TABLE: [Real; Index::Count as usize] = [$(Real::new(
            // SAFETY: ends in the only zero byte.
            unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
        )),*];

        forwarded! { by forward_allocation: $(Index::$name as u32 => $name,)* }
    };
}

operators! {
    _Znwm NEW false Some(0), None;
    _ZnwmRKSt9nothrow_t NEW false Some(0), None;
    _Znam NEW_ARRAY false Some(0), None;
    _ZnamRKSt9nothrow_t NEW_ARRAY false Some(0), None;
    _ZnwmSt11align_val_t NEW_ALIGNED false Some(0), Some(1);
    _ZnwmSt11align_val_tRKSt9nothrow_t NEW_ALIGNED false Some(0), Some(1);
    _ZnamSt11align_val_t NEW_ARRAY_ALIGNED false Some(0), Some(1);
    _ZnamSt11align_val_tRKSt9nothrow_t NEW_ARRAY_ALIGNED false Some(0), Some(1);
    _ZdlPv NEW true None, None;
    _ZdlPvm NEW true Some(1), None;
    _ZdlPvRKSt9nothrow_t NEW true None, None;
    _ZdaPv NEW_ARRAY true None, None;
    _ZdaPvm NEW_ARRAY true Some(1), None;
    _ZdaPvRKSt9nothrow_t NEW_ARRAY true None, None;
    _ZdlPvSt11align_val_t NEW_ALIGNED true None, Some(1);
    _ZdlPvmSt11align_val_t NEW_ALIGNED true Some(1), Some(2);
    _ZdlPvSt11align_val_tRKSt9nothrow_t NEW_ALIGNED true None, Some(1);
    _ZdaPvSt11align_val_t NEW_ARRAY_ALIGNED true None, Some(1);
    _ZdaPvmSt11align_val_t NEW_ARRAY_ALIGNED true Some(1), Some(2);
    _ZdaPvSt11align_val_tRKSt9nothrow_t NEW_ARRAY_ALIGNED true None, Some(1);
}

/// The calls of these functions that are under way.
pub struct Calls {
    /// The family of what is asked for, and from where, until it arrives at `malloc`.
    asked: Cell<Option<(u8, u64)>>,
    /// The block that is given back, and from where, until it arrives at `free`; 0.
    deleted: Cell<(usize, u64)>,
}

impl Calls {
    /// No calls.
    pub const fn new() -> Calls {
        Calls { asked: Cell::new(None), deleted: Cell::new((0, 0)) }
    }

    /// Begins an execution.
    pub fn reset(&self) {
        self.asked.set(None);
        self.deleted.set((0, 0));
    }
}

#[inline(always)]
fn calls() -> &'static Calls {
    &lifetime::execution().operators
}

/// What [`set_up`] has found out. Not with the rest of the state: see the heap's.
struct Found {
    /// Whether all the functions that the program calls are ours.
    on: Cell<bool>,
    /// Where the instructions of the C++ library are.
    library: Cell<(usize, usize)>,
}

static FOUND: OneThread<Found> = OneThread::new(Found { on: Cell::new(false), library: Cell::new((0, 0)) });

/// Looks the functions up. Once, when libc is ready.
pub fn set_up() {
    TABLE.iter().for_each(Real::try_look_up);
    let (here, new) = (decide as *const () as usize, TABLE[0].found());
    // By name, not by our own idea of where they are: a reference to an exported function leads to the one that replaces it.
    let ours = |address: usize, own: (usize, usize)| (own.0..own.1).contains(&address);
    let mut objects = Objects { here, new, own: (0, 0), library: (0, 0) };
    // SAFETY: the loader calls back with valid descriptions; one thread.
    unsafe {
        dl_iterate_phdr(look, (&raw mut objects).cast());
    }
    FOUND.library.set(if new == 0 { objects.own } else { objects.library });
    FOUND.on.set(TABLE.iter().all(|function| ours(real::find(function.c_name()), objects.own)));
}

struct Objects {
    here: usize,
    new: usize,
    own: (usize, usize),
    library: (usize, usize),
}

unsafe extern "C" fn look(object: *const LoadedObject, _: usize, objects: *mut c_void) -> c_int {
    // SAFETY: as the loader promises.
    let (text, objects) = unsafe { (text_of(&*object), &mut *objects.cast::<Objects>()) };
    if (text.0..text.1).contains(&objects.here) {
        objects.own = text;
    }
    if (text.0..text.1).contains(&objects.new) {
        objects.library = text;
    }
    0
}

/// Whether `pc` is in the C++ library.
pub fn in_library(pc: u64) -> bool {
    let (low, high) = FOUND.library.get();
    (low..high).contains(&(pc as usize))
}

/// Takes note that the program asks for a block.
fn news(entry: &Entry, size: usize, align: usize, pc: u64) {
    // `new[]` of the library calls `new`, that which does not throw the one that does: the outermost is what the program said.
    // Where the library will throw before it comes to `malloc`, what comes there next is the exception.
    let possible = size <= isize::MAX as usize - align && align.is_power_of_two();
    if calls().asked.get().is_none() && possible {
        calls().asked.set(Some((entry.family, pc)));
    }
}

/// For an allocator that was called at `pc`, by the program or a library: where the program asked, and which family the block will be of.
#[inline]
pub fn asked(pc: u64) -> (u64, Option<u8>) {
    if !is_program() {
        return (pc, None);
    }
    match calls().asked.take() {
        Some((family, asked_at)) if in_library(pc) => (asked_at, Some(family)),
        _ => (pc, Some(family::MALLOC)),
    }
}

/// Takes note that the program gives a block back.
fn deletes(entry: &Entry, address: usize, size: Option<usize>, align: Option<usize>, pc: u64) {
    // As above, the other way round: one calls the other.
    if address == 0 || calls().deleted.get().0 == address {
        return;
    }
    // What is no live block will be noticed by `free`.
    let Some(header) = heap().header(address).filter(|header| header.is_live()) else { return };
    let Some(allocated) = header.family() else { return };
    let word = header.word;
    if allocated != entry.family {
        memcheck::mismatched(address, false, allocated, entry.family, None, pc);
    }
    if let Some(size) = size {
        // The library asks for a multiple of the alignment, and for one byte at least.
        let rounded = size.max(1).checked_next_multiple_of(align.unwrap_or(1).max(1));
        if word != size.max(1) && rounded != Some(word) {
            memcheck::mismatched(address, false, allocated, entry.family, Some(size), pc);
        }
    }
    calls().deleted.set((address, pc));
}

/// Where the program gave back the block at `address`, which arrives at `free` or `realloc`, if it did so by `delete`.
#[inline]
pub fn given_back(address: usize) -> Option<u64> {
    let (deleted, deleted_at) = calls().deleted.get();
    if deleted != address || !is_program() {
        return None;
    }
    calls().deleted.set((0, 0));
    Some(deleted_at)
}

/// For `address`, with this header, which has arrived at `free` or `realloc` called at `pc`: where the program gave it back. `given` is
/// what [`given_back`] has said of it.
#[inline]
pub fn released(header: &Header, address: usize, resizes: bool, given: Option<u64>, pc: u64) -> u64 {
    if let Some(given_at) = given {
        return given_at;
    }
    if let Some(allocated) = header.family()
        && allocated != family::MALLOC
        && FOUND.on.get()
        && is_program()
    {
        memcheck::mismatched(address, resizes, allocated, family::MALLOC, None, pc);
    }
    pc
}

/// Takes note that the program resizes the block at `address`.
pub fn resized(address: usize, pc: u64) {
    lock::alone(|| {
        if let Some(header) = find(address, true, pc) {
            released(header, address, true, given_back(address), pc);
        }
    });
}
