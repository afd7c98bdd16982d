//! What a program does to a primitive that it must not do.
//!
//! A primitive that is used against its rules says so ([`crate::World::misuse`]) and does what glibc would do. Who runs the program
//! decides what comes of it: usually the process ends there, as at a failed assertion, because the standard says nothing about
//! what would follow. What the standard calls an error that the call returns is no misuse: the program can look at it.

use crate::{ObjectId, World};

/// A rule that was broken. The numbers are part of traces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Misuse {
    /// Used without having been initialised.
    Uninitialised = 1,
    /// Initialised while it was initialised.
    DoubleInitialisation = 2,
    /// Destroyed while it was locked, or while threads were at it.
    DestroyInUse = 3,
    /// Destroyed while threads waited on it.
    DestroyWaited = 4,
    /// Used after it was destroyed.
    UseAfterDestroy = 5,
    /// Unlocked although it was not locked.
    UnlockNotLocked = 6,
    /// Unlocked by a thread that had not locked it.
    UnlockNotOwned = 7,
    /// A condition wait with a mutex that the thread had not locked.
    WaitWithoutMutex = 8,
    /// Condition waits with different mutexes at the same time.
    WaitTwoMutexes = 9,
    /// A thread that was joined, joined or detached again.
    JoinTwice = 10,
    /// A detached thread, joined or detached again.
    JoinDetached = 11,
    /// A barrier for nobody.
    BarrierZero = 12,
    /// A post of a semaphore whose count is as large as it can be.
    SemaphoreOverflow = 13,
}

impl Misuse {
    /// All of them.
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

    /// The one with this number.
    pub fn from_code(code: u8) -> Option<Misuse> {
        Misuse::ALL.into_iter().find(|misuse| *misuse as u8 == code)
    }

    /// What the standard says.
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

/// Where an object is in its life, in [`crate::ObjectSlot::life`]: not known to have been made or destroyed.
pub const UNKNOWN: u32 = 0;
/// Made by a call, not destroyed.
pub const MADE: u32 = 1;
/// Destroyed by a call.
pub const DESTROYED: u32 = 2;

impl World<'_> {
    /// What the operation under way does must not be done.
    #[cold]
    pub(crate) fn accuse(&mut self, misuse: Misuse) {
        // The first thing that is wrong is the one to tell.
        self.misuse.get_or_insert(misuse);
    }

    /// `object` is made by a call.
    pub(crate) fn make(&mut self, object: ObjectId) {
        if self.objects.get_mut(object).life == MADE {
            self.accuse(Misuse::DoubleInitialisation);
        } else {
            self.is_made_or_not(object);
        }
        let slot = self.objects.get_mut(object);
        slot.life = MADE;
        slot.order = 0;
    }

    /// `object` is used.
    #[inline]
    pub(crate) fn touch(&mut self, object: ObjectId) {
        if self.destroyed == 0 {
            return;
        }
        let slot = self.objects.get_mut(object);
        if slot.life == DESTROYED {
            // Whoever runs the program knows whether the memory has become something else since.
            slot.life = UNKNOWN;
            self.accuse(Misuse::UseAfterDestroy);
        }
    }

    /// `object` is destroyed.
    pub(crate) fn unmake(&mut self, object: ObjectId) {
        self.touch(object);
        self.destroyed += 1;
        let slot = self.objects.get_mut(object);
        let made = slot.life == MADE;
        slot.life = DESTROYED;
        if made {
            self.is_made_or_not(object);
        }
    }
}
