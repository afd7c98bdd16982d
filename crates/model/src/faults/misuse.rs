//! Misuse of primitives.
//!
//! A primitive reports misuse ([`crate::World::misuse`]) and then behaves as glibc would. The executor decides what
//! follows. Usually the process ends there, as at a failed assertion, because the behaviour is undefined. An error code
//! that the standard specifies is no misuse, because the program can handle it.

use crate::primitive::queue;
use crate::{ObjectId, World};

/// A rule that was broken. The numbers are part of trace files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Misuse {
    /// Use without initialisation.
    Uninitialised = 1,
    /// Initialisation of an object that is initialised already.
    DoubleInitialisation = 2,
    /// Destruction of an object that is locked or in use.
    DestroyInUse = 3,
    /// Destruction of an object that threads wait on.
    DestroyWaited = 4,
    /// Use after destruction.
    UseAfterDestroy = 5,
    /// Unlock of an object that is not locked.
    UnlockNotLocked = 6,
    /// Unlock by a thread that does not hold the lock.
    UnlockNotOwned = 7,
    /// Condition wait without holding the mutex.
    WaitWithoutMutex = 8,
    /// Concurrent condition waits with different mutexes.
    WaitTwoMutexes = 9,
    /// Join or detach of a thread that was joined before.
    JoinTwice = 10,
    /// Join or detach of a detached thread.
    JoinDetached = 11,
    /// Barrier with a count of zero.
    BarrierZero = 12,
    /// Post of a semaphore whose count is at its maximum.
    SemaphoreOverflow = 13,
}

impl Misuse {
    /// All kinds of misuse.
    pub const ALL: [Misuse; 13] = [
        Misuse::Uninitialised,
        Misuse::DoubleInitialisation,
        Misuse::DestroyInUse,
        Misuse::DestroyWaited,
        Misuse::UseAfterDestroy,
        Misuse::UnlockNotLocked,
        Misuse::UnlockNotOwned,
        Misuse::WaitWithoutMutex,
        Misuse::WaitTwoMutexes,
        Misuse::JoinTwice,
        Misuse::JoinDetached,
        Misuse::BarrierZero,
        Misuse::SemaphoreOverflow,
    ];

    /// The kind with this number. `None` if there is none.
    pub fn from_code(code: u8) -> Option<Misuse> {
        Misuse::ALL.into_iter().find(|misuse| *misuse as u8 == code)
    }

    /// The rule, as the standard states it.
    pub const fn standard(self) -> &'static str {
        match self {
            Misuse::Uninitialised => "POSIX: using a synchronisation object that was not initialised is undefined",
            Misuse::DoubleInitialisation => "POSIX: initialising an object that is already initialised is undefined",
            Misuse::DestroyInUse => "POSIX: destroying an object that is locked or in use is undefined",
            Misuse::DestroyWaited => "POSIX: destroying an object on which threads are blocked is undefined",
            Misuse::UseAfterDestroy => "POSIX: using an object after it was destroyed is undefined",
            Misuse::UnlockNotLocked => "POSIX: unlocking what is not locked is undefined",
            Misuse::UnlockNotOwned => "POSIX: unlocking what another thread has locked is undefined",
            Misuse::WaitWithoutMutex => {
                "POSIX: a condition wait needs a mutex that the calling thread has locked; else it is undefined"
            }
            Misuse::WaitTwoMutexes => {
                "POSIX: concurrent waits on one condition variable with different mutexes are undefined"
            }
            Misuse::JoinTwice => {
                "POSIX: a thread id is not valid any more after the thread was joined; using it is undefined"
            }
            Misuse::JoinDetached => "POSIX: joining or detaching a thread that is not joinable is undefined",
            Misuse::BarrierZero => {
                "POSIX: the count of a barrier must be greater than zero; the call fails with EINVAL"
            }
            Misuse::SemaphoreOverflow => {
                "POSIX: the count of a semaphore cannot be greater than SEM_VALUE_MAX; the call fails with EOVERFLOW, and the post is lost"
            }
        }
    }
}

/// Value of [`crate::ObjectSlot::life`]: the object is not known to have been initialised or destroyed.
pub const UNKNOWN: u32 = 0;
/// Value of [`crate::ObjectSlot::life`]: the object was initialised by a call and not destroyed.
pub const MADE: u32 = 1;
/// Value of [`crate::ObjectSlot::life`]: the object was destroyed by a call.
pub const DESTROYED: u32 = 2;

impl World<'_> {
    /// Reports a misuse by the current operation. The first report wins.
    #[cold]
    pub(crate) fn accuse(&mut self, misuse: Misuse) {
        self.misuse.get_or_insert(misuse);
    }

    /// Marks `object`, of this family, as initialised by a call.
    pub(crate) fn make(&mut self, object: ObjectId, family: u8) {
        if self.objects.get_mut(object, family).life == MADE {
            self.accuse(Misuse::DoubleInitialisation);
        } else {
            self.toggle_initialised(object, family);
        }
        self.objects.get_mut(object, family).life = MADE;
        queue::forget_policy(self, object);
    }

    /// Reports a misuse if `object`, of this family, which is used now, was destroyed.
    #[inline]
    pub(crate) fn touch(&mut self, object: ObjectId, family: u8) {
        if self.destroyed == 0 {
            return;
        }
        let slot = self.objects.get_mut(object, family);
        if slot.life == DESTROYED {
            // The runtime knows whether the memory holds another object by now.
            slot.life = UNKNOWN;
            self.accuse(Misuse::UseAfterDestroy);
        }
    }

    /// Marks `object`, of this family, as destroyed.
    pub(crate) fn unmake(&mut self, object: ObjectId, family: u8) {
        self.touch(object, family);
        self.destroyed += 1;
        let slot = self.objects.get_mut(object, family);
        let made = slot.life == MADE;
        slot.life = DESTROYED;
        if made {
            self.toggle_initialised(object, family);
        }
    }
}
