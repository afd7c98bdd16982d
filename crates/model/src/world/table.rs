//! The objects of one execution: a hash table by address and family that is cleared in constant time.
//!
//! An address alone does not tell what an object is. When a function returns or a block is freed, the next object at the same address
//! may be of another family, and must not begin with what the one before has left.

use crate::ObjectId;

/// The state of one object. Each primitive defines the meaning of the words.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ObjectSlot {
    object: ObjectId,
    generation: u32,
    /// The slot that was taken before this one in the same generation, plus one. 0 if this was the first.
    before: u32,
    family: u32,
    /// Whether an operation has given the object a state. Before, it has the one that the program's memory holds.
    pub is_used: bool,
    /// Whether the object was initialised or destroyed: see [`crate::misuse`].
    pub life: u32,
    /// The state, as the primitive defines it. All zeroes is the state of an object without explicit initialisation.
    pub words: [u64; 3],
}

impl ObjectSlot {
    /// The family of the primitive that the object is.
    #[inline]
    pub fn family(&self) -> u8 {
        self.family as u8
    }
}

/// A hash table over lent memory.
///
/// Clearing it between two executions costs one addition, because slots of an older generation count as free. Objects
/// are never removed within an execution (a destroyed mutex stays known as destroyed), so probing needs no tombstones.
#[derive(Debug)]
pub struct ObjectTable<'m> {
    slots: &'m mut [ObjectSlot],
    generation: u32,
    used: usize,
    /// The slot that was taken last, plus one. 0 if there is none.
    last: u32,
}

impl<'m> ObjectTable<'m> {
    /// Creates a table over `slots`. Their number is a power of two. They are zero or come from an earlier table.
    pub fn new(slots: &'m mut [ObjectSlot]) -> Self {
        assert!(slots.len().is_power_of_two());
        // Objects of an earlier table over the same memory must stay forgotten.
        let generation = slots.iter().map(|slot| slot.generation).max().unwrap_or(0);
        let mut table = ObjectTable { slots, generation, used: 0, last: 0 };
        table.clear();
        table
    }

    /// Creates a table over zeroed `slots` without reading them, so untouched memory stays untouched. Their number is a
    /// power of two.
    pub fn over_zeroes(slots: &'m mut [ObjectSlot]) -> Self {
        assert!(slots.len().is_power_of_two());
        ObjectTable { slots, generation: 1, used: 0, last: 0 }
    }

    /// Forgets every object.
    pub fn clear(&mut self) {
        self.used = 0;
        self.last = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            // Once in four billion executions: old generations would come back to life.
            self.slots.fill(ObjectSlot::default());
            self.generation = 1;
        }
    }

    /// Whether there is no room for another object.
    #[inline]
    pub fn is_full(&self) -> bool {
        // Probing stays short, and terminates, while a quarter is free.
        self.used >= self.slots.len() / 4 * 3
    }

    /// The slot at which probing for `object` begins. Neighbours in memory get neighbouring slots, so an array of
    /// mutexes takes few cache lines. Blocks of 64 KiB are spread, because the stacks and heaps of the threads have
    /// equal offsets within their regions.
    #[inline]
    fn home(&self, object: ObjectId) -> usize {
        let spread = (object.0 >> 16).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        ((object.0 >> 3).wrapping_add(spread)) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn find(&self, object: ObjectId, family: u8) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.home(object);
        let other = |slot: &ObjectSlot| slot.object != object || slot.family != u32::from(family);
        while self.slots[at].generation == self.generation && other(&self.slots[at]) {
            at = (at + 1) & mask;
        }
        at
    }

    /// The state of `object`, of this family. `None` if it was not used yet.
    #[inline]
    pub fn get(&self, object: ObjectId, family: u8) -> Option<&ObjectSlot> {
        let slot = &self.slots[self.find(object, family)];
        (slot.generation == self.generation).then_some(slot)
    }

    /// The state of `object`, of this family, for changes. A new object is all zeroes. Ask [`is_full`](Self::is_full) before.
    #[inline]
    pub fn get_mut(&mut self, object: ObjectId, family: u8) -> &mut ObjectSlot {
        let at = self.find(object, family);
        let slot = &mut self.slots[at];
        if slot.generation != self.generation {
            let before = self.last;
            let family = u32::from(family);
            *slot = ObjectSlot { object, family, generation: self.generation, before, ..ObjectSlot::default() };
            self.used += 1;
            self.last = at as u32 + 1;
        }
        slot
    }

    /// All objects of this execution, the last that was used for the first time first.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &ObjectSlot)> {
        let slot = |number: u32| (number as usize).checked_sub(1).map(|at| &self.slots[at]);
        core::iter::successors(slot(self.last), move |taken| slot(taken.before)).map(|taken| (taken.object, taken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_forgets_and_collisions_are_kept_apart() {
        let mut slots = vec![ObjectSlot::default(); 64];
        let mut table = ObjectTable::new(&mut slots);
        for round in 0..3 {
            for i in 0..40u64 {
                // 512 bytes apart: all of them have the same home.
                table.get_mut(ObjectId(i * 512), 1).words[0] = i + round;
            }
            for i in 0..40u64 {
                assert_eq!(table.get(ObjectId(i * 512), 1).unwrap().words[0], i + round);
            }
            assert_eq!(table.iter().count(), 40);
            table.clear();
            assert!(table.get(ObjectId(512), 1).is_none());
        }
    }

    #[test]
    fn a_new_table_over_used_memory_knows_nothing() {
        let mut slots = vec![ObjectSlot::default(); 64];
        ObjectTable::new(&mut slots).get_mut(ObjectId(8), 1).words[0] = 1;
        assert!(ObjectTable::new(&mut slots).get(ObjectId(8), 1).is_none());
    }

    #[test]
    fn an_object_of_another_family_is_another_object() {
        let mut slots = vec![ObjectSlot::default(); 64];
        let mut table = ObjectTable::new(&mut slots);
        table.get_mut(ObjectId(8), 1).words[0] = 3;
        assert!(table.get(ObjectId(8), 2).is_none());
        table.get_mut(ObjectId(8), 2).words[0] = 4;
        assert_eq!(table.get(ObjectId(8), 1).unwrap().words[0], 3);
        assert_eq!(table.iter().map(|(_, slot)| slot.family()).collect::<Vec<_>>(), [2, 1]);
    }
}
