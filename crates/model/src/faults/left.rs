//! What an execution leaves behind: locks that are locked, objects that were made and not destroyed, objects that nobody made.
//!
//! Nothing of that is wrong, and some of it is worth a word. To look through all objects at the end of every execution would cost
//! more than the execution; so the world keeps one number, the exclusive or of a number for each thing that is left. It is zero
//! where nothing is, and the same where the same is left. Whoever sees a number that is new to them looks at the events of that
//! execution for what it stands for. Two different things that come to the same number are told as one of them; that is once in
//! 2^64.

use crate::{ObjectId, World};

// What can be left, as a number that is mixed with the object's. Of a lock that one thread has alone it is the thread's number
// plus one.
/// A lock that the thread with this number is in as a reader.
const READ_BY: u64 = 1 << 32;
/// Made by a call.
const MADE: u64 = 1 << 33;
/// Used as it was found.
const FOUND: u64 = 1 << 34;

#[inline]
fn mixed(object: ObjectId, what: u64) -> u64 {
    let mixed = (object.0 ^ what.rotate_left(24)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

impl World<'_> {
    /// `object` changes hands: from `before`, who had it locked alone, to `after`; a thread's number plus one, or 0 for nobody.
    #[inline]
    pub(crate) fn passes(&mut self, object: ObjectId, before: u64, after: u64) {
        if before != 0 {
            self.left ^= mixed(object, before);
        }
        if after != 0 {
            self.left ^= mixed(object, after);
        }
    }

    /// The thread with this number comes into `object` as a reader, or has left it.
    #[inline]
    pub(crate) fn reads_or_not(&mut self, object: ObjectId, thread: u16) {
        self.left ^= mixed(object, READ_BY | u64::from(thread));
    }

    /// `object`, of a kind that must be made by a call, is used although nobody has.
    #[cold]
    pub(crate) fn is_found(&mut self, object: ObjectId) {
        self.left ^= mixed(object, FOUND);
    }

    /// `object` was made, or is gone.
    pub(crate) fn is_made_or_not(&mut self, object: ObjectId) {
        self.left ^= mixed(object, MADE);
    }
}
