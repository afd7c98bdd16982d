//! Mutexes: normal, recursive, error-checking and adaptive. The state is in the model; of the program's bytes only the
//! kind is looked at, because static initialisers say there what they are.

use core::ffi::{c_int, c_void};

use heddle_model::primitive::mutex::{self, DESTROY, INIT, LOCK, TRYLOCK, UNLOCK};
use heddle_model::{ObjectId, OpCode, Operation};

use crate::engine::{active, caller, unsupported, visible, visible_look};
use crate::real;

/// glibc's `pthread_mutex_t`: bytes, and where the kind is.
const SIZE: usize = 40;
const KIND: usize = 16;
/// Kinds, in the lowest bits; above them robust, priority and shared between processes.
pub const RECURSIVE: c_int = 1;
const ERRORCHECK: c_int = 2;
const ADAPTIVE: c_int = 3;
/// Whether the kernel is to be told about sleepers of other processes: accepted, since there are none.
const SHARED: c_int = 128;

unsafe extern "C" {
    fn pthread_mutexattr_gettype(attributes: *const c_void, kind: *mut c_int) -> c_int;
    fn pthread_mutexattr_getrobust(attributes: *const c_void, robust: *mut c_int) -> c_int;
}

interpose! {
    fn pthread_mutex_init(mutex: *mut u8, attributes: *const c_void) -> c_int {
        if !active() {
            return real::pthread_mutex_init(mutex.cast(), attributes);
        }
        let pc = caller();
        let (mut kind, mut robust) = (0, 0);
        if !attributes.is_null() {
            pthread_mutexattr_gettype(attributes, &mut kind);
            pthread_mutexattr_getrobust(attributes, &mut robust);
        }
        if robust != 0 {
            unsupported("robust mutex", pc);
        }
        make(mutex, kind, pc)
    }

    fn pthread_mutex_lock(mutex: *mut u8) -> c_int {
        if !active() {
            return real::pthread_mutex_lock(mutex.cast());
        }
        operate(LOCK, mutex, caller())
    }

    fn pthread_mutex_trylock(mutex: *mut u8) -> c_int {
        if !active() {
            return real::pthread_mutex_trylock(mutex.cast());
        }
        operate(TRYLOCK, mutex, caller())
    }

    fn pthread_mutex_unlock(mutex: *mut u8) -> c_int {
        if !active() {
            return real::pthread_mutex_unlock(mutex.cast());
        }
        operate(UNLOCK, mutex, caller())
    }

    fn pthread_mutex_destroy(mutex: *mut u8) -> c_int {
        if !active() {
            return real::pthread_mutex_destroy(mutex.cast());
        }
        operate(DESTROY, mutex, caller())
    }
}

/// Makes a mutex of this kind of glibc's.
pub unsafe fn make(mutex: *mut u8, kind: c_int, pc: u64) -> c_int {
    // SAFETY: the program's mutex.
    unsafe {
        core::ptr::write_bytes(mutex, 0, SIZE);
        mutex.add(KIND).cast::<c_int>().write(kind);
        operate(INIT, mutex, pc)
    }
}

/// Takes an operation on a mutex. Returns an error number.
#[inline(always)]
pub unsafe fn operate(code: OpCode, mutex: *mut u8, pc: u64) -> c_int {
    // SAFETY: the program's mutex.
    let detail = unsafe { kind_of(mutex, pc) };
    let operation = Operation { detail, ..Operation::new(code, ObjectId(mutex as u64)) };
    let event = if code == TRYLOCK { visible_look(operation, pc, |_| {}) } else { visible(operation, pc, |_| {}) };
    event.result as c_int
}

/// What the model calls the kind of `mutex`.
#[inline(always)]
pub unsafe fn kind_of(mutex: *const u8, pc: u64) -> u32 {
    // SAFETY: the program's mutex.
    let kind = unsafe { mutex.add(KIND).cast::<c_int>().read() };
    if kind == 0 { mutex::NORMAL } else { special_kind(kind & !SHARED, pc) }
}

#[cold]
fn special_kind(kind: c_int, pc: u64) -> u32 {
    match kind {
        // An adaptive one spins a little before it sleeps; the same otherwise.
        0 | ADAPTIVE => mutex::NORMAL,
        RECURSIVE => mutex::RECURSIVE,
        ERRORCHECK => mutex::ERRORCHECK,
        _ => unsupported("mutex of a special kind", pc),
    }
}
