//! What a child of `fork` finds of the program's locks and semaphores.
//!
//! In the parent their states are in the model, and the program's memory holds next to nothing of them. A child goes on outside the model, with
//! glibc's own functions and the one thread that forked. So each lock and semaphore is brought into its state in glibc's form first: what
//! another thread holds stays locked for ever, as in any child.
//!
//! The owner that glibc notes is a thread of the parent. So a recursive or error-checking mutex that the thread held itself cannot be locked
//! again or unlocked in the child; that is how glibc is. Not brought over: threads that wait (the child has none), barriers, `pthread_once`
//! that is under way (glibc begins it again), guards of static variables.
//!
//! A child that waits for such a lock waits for ever. It says so, and the parent's verdict does.

use core::ffi::c_int;

use heddle_model::primitive::inherited::Inherited;
use heddle_model::wire::Outside;

use crate::addresses::PAGE;
use crate::calls::pthread::rwlock::real as rwlock;
use crate::calls::pthread::semaphore::real as semaphore;
use crate::calls::pthread::spin::real as spin;
use crate::entry::real;
use crate::outside::children::is_child;
use crate::{schedule, sys};

/// Where glibc's `pthread_mutex_t` has its word, the owner, and the kind.
const OWNER: usize = 8;
const KIND: usize = 16;
/// Where glibc's `pthread_rwlock_t` has its writer, and whether processes share it.
const WRITER: usize = 24;
const RWLOCK_SHARED: usize = 28;
/// The bits of a kind of mutex: processes share it; its word is the owner's id.
const SHARED: c_int = 128;
const ROBUST: c_int = 16;
/// The lowest bits of a mutex's word that say that it is locked. Above them is a priority ceiling.
const LOCKED: c_int = (1 << 19) - 1;
/// Who owns what a thread of the parent owned: a process that is no child's.
const STRANGER: c_int = 1;

/// Brings everything that the model knows of locks and semaphores into the memory of this process, a child, which is not under control
/// any more.
pub fn bring() {
    schedule::each_inherited(|object, state| {
        let address = object.0 as usize;
        if is_mapped(address) {
            // SAFETY: an object of the program's that it has not destroyed, in memory that is there.
            unsafe { set(address as *mut u8, state) };
        }
    });
}

/// Whether there is memory at `address`: the program may have unmapped what a lock was in.
fn is_mapped(address: usize) -> bool {
    const MINCORE: usize = 27;
    let mut resident = 0u8;
    // SAFETY: only asks, about one page.
    unsafe { sys::syscall3(MINCORE, address & !(PAGE - 1), PAGE, (&raw mut resident) as usize) == 0 }
}

/// Brings an object into a state, in glibc's form.
///
/// # Safety
/// There is such an object, and nothing uses it.
unsafe fn set(object: *mut u8, state: Inherited) {
    // SAFETY: the caller's. Where glibc's functions change an object, it is in the state that they expect.
    unsafe {
        match state {
            Inherited::Mutex(locks) => {
                for _ in 0..locks.min(1 << 16) {
                    real::pthread_mutex_trylock(object.cast());
                }
                object.add(OWNER).cast::<c_int>().write(STRANGER);
                if object.add(KIND).cast::<c_int>().read() & ROBUST != 0 {
                    object.cast::<c_int>().write(STRANGER);
                }
            }
            Inherited::Written => {
                rwlock::pthread_rwlock_trywrlock(object);
                object.add(WRITER).cast::<c_int>().write(STRANGER);
            }
            Inherited::Read(readers) => {
                for _ in 0..readers {
                    rwlock::pthread_rwlock_tryrdlock(object);
                }
            }
            // Zeros are what the model has left there. Other bytes are something else by now.
            Inherited::Semaphore(count) if object.cast::<[u64; 4]>().read_unaligned() == [0; 4] => {
                semaphore::sem_init(object, 0, count as u32);
            }
            Inherited::Semaphore(_) => {}
            Inherited::Spin(held) => {
                if object.cast::<c_int>().read() == 0 {
                    spin::pthread_spin_init(object.cast(), 0);
                    if held {
                        spin::pthread_spin_trylock(object.cast());
                    }
                }
            }
        }
    }
}

/// Says that this process, a child, waits for ever.
#[cold]
fn waits_for_ever() {
    schedule::goes_outside(Outside::StuckChild);
}

/// The program, outside of executions, is about to lock a mutex.
///
/// # Safety
/// It is a mutex.
pub unsafe fn before_mutex(mutex: *const u8) {
    // SAFETY: the caller's.
    unsafe {
        let read = |offset: usize| mutex.add(offset).cast::<c_int>().read();
        if is_child() && read(0) & LOCKED != 0 && read(OWNER) == STRANGER && read(KIND) & SHARED == 0 {
            waits_for_ever();
        }
    }
}

/// The program, outside of executions, is about to lock a read-write lock.
///
/// # Safety
/// It is a read-write lock.
pub unsafe fn before_rwlock(lock: *mut u8, writes: bool) {
    // SAFETY: the caller's.
    unsafe {
        if !is_child() || lock.add(RWLOCK_SHARED).cast::<u8>().read() != 0 {
            return;
        }
        let error =
            if writes { rwlock::pthread_rwlock_trywrlock(lock) } else { rwlock::pthread_rwlock_tryrdlock(lock) };
        if error == 0 {
            rwlock::pthread_rwlock_unlock(lock);
        } else {
            waits_for_ever();
        }
    }
}

/// The program, outside of executions, is about to lock a spin lock.
///
/// # Safety
/// It is a spin lock.
pub unsafe fn before_spin(lock: *mut c_int) {
    // SAFETY: the caller's.
    unsafe {
        if is_child() {
            if spin::pthread_spin_trylock(lock) == 0 {
                spin::pthread_spin_unlock(lock);
            } else {
                waits_for_ever();
            }
        }
    }
}
