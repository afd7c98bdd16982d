//! `operator new` and `operator delete`: who allocated a block, and whether who frees it may.
//!
//! The C++ library's own functions do the work (only they can throw `bad_alloc`); these stand before them, note what was asked
//! for, and jump there without a frame of their own, so that exceptions pass. What then arrives at `malloc` from inside that library
//! is the block that was asked for, and what arrives at `free` the one that was given back. No other thread runs in between.
//!
//! What must match (C++20, expr.delete and new.delete): `free` and `realloc` with `malloc` and its relatives, `delete` with `new`, `delete[]` with
//! `new[]`, with an alignment if and only if that was asked for, and the size that `delete` says, if it says one.
//!
//! A program may replace each of these functions. Those that it does not replace call those that it does, and what belongs
//! to what is then its own affair: with one of them replaced, nothing is compared. Nor are blocks from before `main`.

use core::ffi::{CStr, c_int, c_void};

use heddle_model::fault::family;

use super::class::GRAIN;
use super::{HEADER, Header, SYSTEM_DEPTH, allocate, find, in_range, lock, release, was_used};
use crate::detect::memcheck;
use crate::entry::real::{self, Real};
use crate::entry::start::{LoadedObject, dl_iterate_phdr, text_of};
use crate::{schedule, sys};

/// What one of the functions does.
#[derive(Clone, Copy)]
struct Entry {
    /// A value of [`family`].
    family: u8,
    frees: bool,
    /// Which argument is the size, and which the alignment.
    size: Option<usize>,
    align: Option<usize>,
}

/// Says what a call of function `index` from `pc` leads to: the address of the C++ library's own. `arguments` are those in
/// registers.
pub unsafe extern "C" fn decide(index: u32, pc: u64, arguments: *const [u64; 6]) -> usize {
    // SAFETY: one kernel thread while active; the stub has just stored the arguments.
    unsafe {
        if schedule::active() && ON && SYSTEM_DEPTH == 0 {
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

/// A program that needs nothing else of the C++ library, or has the rest of it linked in, was linked without its operators: these
/// are here already. From here nothing can be thrown.
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

        watched! { $(Index::$name as u32 => $name,)* }
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

/// The family of what is asked for, and from where, until it arrives at `malloc`.
static mut ASKED: Option<(u8, u64)> = None;
/// The block that is given back, and from where, until it arrives at `free`; 0.
static mut DELETED: (usize, u64) = (0, 0);
/// All the functions that the program calls are ours.
static mut ON: bool = false;
/// Where the instructions of the C++ library are.
static mut LIBRARY: (usize, usize) = (0, 0);

/// Looks the functions up. When libc is ready, before the first execution.
pub fn set_up() {
    TABLE.iter().for_each(Real::try_look_up);
    let (here, new) = (decide as *const () as usize, TABLE[0].found());
    // By name, not by our own idea of where they are: a reference to an exported function leads to the one that replaces it.
    let ours = |address: usize, own: (usize, usize)| (own.0..own.1).contains(&address);
    let mut objects = Objects { here, new, own: (0, 0), library: (0, 0) };
    // SAFETY: the loader calls back with valid descriptions; one thread.
    unsafe {
        dl_iterate_phdr(look, (&raw mut objects).cast());
        LIBRARY = if new == 0 { objects.own } else { objects.library };
        ON = TABLE.iter().all(|function| ours(real::find(function.c_name()), objects.own));
    }
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

/// Whether these are instructions of the C++ library.
pub fn in_library(pc: u64) -> bool {
    // SAFETY: set once.
    let (low, high) = unsafe { LIBRARY };
    (low..high).contains(&(pc as usize))
}

/// A block is asked for.
unsafe fn news(entry: &Entry, size: usize, align: usize, pc: u64) {
    // SAFETY: one kernel thread.
    unsafe {
        // `new[]` of the library calls `new`, that which does not throw the one that does: the outermost is what the program said.
        // Where the library will throw before it comes to `malloc`, what comes there next is the exception.
        let possible = size <= isize::MAX as usize - align && align.is_power_of_two();
        if ASKED.is_none() && possible {
            ASKED = Some((entry.family, pc));
        }
    }
}

/// The program, or a library, has called an allocator at `pc`: where the program did, and which family the block will be of.
#[inline]
pub fn asked(pc: u64) -> (u64, Option<u8>) {
    // SAFETY: one kernel thread while active.
    unsafe {
        if !schedule::active() || SYSTEM_DEPTH != 0 {
            return (pc, None);
        }
        let asked = ASKED;
        ASKED = None;
        match asked {
            Some((family, asked_at)) if in_library(pc) => (asked_at, Some(family)),
            _ => (pc, Some(family::MALLOC)),
        }
    }
}

/// The program gives a block back.
unsafe fn deletes(entry: &Entry, address: usize, size: Option<usize>, align: Option<usize>, pc: u64) {
    // SAFETY: one kernel thread; what is in the heap and was used is mapped.
    unsafe {
        // As above, the other way round: one calls the other.
        if address == 0 || DELETED.0 == address || !in_range(address) || !was_used(address - HEADER) {
            return;
        }
        // What is no live block will be noticed by `free`.
        let Some(header) = Header::of(address).filter(|header| header.is_live()) else { return };
        let Some(allocated) = header.family() else { return };
        if allocated != entry.family {
            memcheck::mismatched(address, false, allocated, entry.family, None, pc);
        }
        if let Some(size) = size {
            // The library asks for a multiple of the alignment, and for one byte at least.
            let rounded = size.max(1).checked_next_multiple_of(align.unwrap_or(1).max(1));
            if header.word != size.max(1) && rounded != Some(header.word) {
                memcheck::mismatched(address, false, allocated, entry.family, Some(size), pc);
            }
        }
        DELETED = (address, pc);
    }
}

/// `address`, with this header, arrives at `free` or `realloc`, called at `pc`: where the program gave it back.
#[inline]
pub fn released(header: &Header, address: usize, resizes: bool, pc: u64) -> u64 {
    // SAFETY: one kernel thread while active.
    unsafe {
        if !schedule::active() || SYSTEM_DEPTH != 0 {
            return pc;
        }
        if DELETED.0 == address {
            let (_, deleted_at) = DELETED;
            DELETED = (0, 0);
            return deleted_at;
        }
        if let Some(allocated) = header.family()
            && allocated != family::MALLOC
            && ON
        {
            memcheck::mismatched(address, resizes, allocated, family::MALLOC, None, pc);
        }
        pc
    }
}

/// The program resizes the block at `address`.
pub fn resized(address: usize, pc: u64) {
    lock::alone(|| {
        if let Some(header) = find(address, true, pc) {
            released(header, address, true, pc);
        }
    });
}

/// An execution begins.
pub fn reset() {
    // SAFETY: one kernel thread.
    unsafe {
        ASKED = None;
        DELETED = (0, 0);
    }
}
