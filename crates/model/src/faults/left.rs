//! What an execution leaves at its end: locked mutexes, objects that were initialised and not destroyed, objects that
//! were used without initialisation.
//!
//! None of these is an error, but some deserve a remark. Scanning all objects at the end of every execution would cost
//! more than the execution. The world therefore maintains a digest: the exclusive or of one hash for each thing that is
//! left. It is zero if nothing is left, and equal for equal remains. A caller that sees a new digest examines the
//! events of that execution. Different remains collide with a probability of 2^-64; they are then reported as one.

use crate::{ObjectId, World};

// What can be left, as a number that is mixed with the object's. Of a lock that one thread has alone it is the thread's number
// plus one.
/// Mixed with a thread's id: a lock that this thread holds as a reader.
const READ_BY: u64 = 1 << 32;
/// An object that was initialised by a call.
const MADE: u64 = 1 << 33;
/// An object that was used without initialisation.
const FOUND: u64 = 1 << 34;

#[inline]
fn mixed(object: ObjectId, what: u64) -> u64 {
    let mixed = (object.0 ^ what.rotate_left(24)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

impl World<'_> {
    /// Records that the exclusive owner of `object` changes from `before` to `after`. Each is a thread's id plus one,
    /// or 0 for no owner.
    #[inline]
    pub(crate) fn change_owner(&mut self, object: ObjectId, before: u64, after: u64) {
        if before != 0 {
            self.left ^= mixed(object, before);
        }
        if after != 0 {
            self.left ^= mixed(object, after);
        }
    }

    /// Records that this thread acquires `object` as a reader, or releases it. Two calls cancel each other out.
    #[inline]
    pub(crate) fn toggle_reader(&mut self, object: ObjectId, thread: u16) {
        self.left ^= mixed(object, READ_BY | u64::from(thread));
    }

    /// Records that `object` is used without the initialisation that its kind requires.
    #[cold]
    pub(crate) fn note_uninitialised_use(&mut self, object: ObjectId) {
        self.left ^= mixed(object, FOUND);
    }

    /// Records that `object`, of this family, is initialised or destroyed. Two calls cancel each other out.
    pub(crate) fn toggle_initialised(&mut self, object: ObjectId, family: u8) {
        self.left ^= mixed(object, MADE | u64::from(family));
    }
}
