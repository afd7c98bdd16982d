//! From a place in memory to the newest access to it.

use heddle_model::Access;

/// No link.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    generation: u32,
    head: u32,
}

/// A hash table from granules of eight bytes to the newest link of their chain, forgotten all at once.
///
/// Two accesses that overlap share a granule; two that share one need not overlap, so whoever walks a chain compares
/// the accesses themselves. Names of threads are no addresses and have a granule each.
pub(crate) struct Granules {
    slots: Vec<Slot>,
    generation: u32,
    used: usize,
}

impl Default for Granules {
    fn default() -> Self {
        Granules { slots: vec![Slot::default(); 256], generation: 1, used: 0 }
    }
}

const NAMES: u64 = 1 << 63;

impl Granules {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.used = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }

    /// Calls `visit` with the head of each granule that `access` touches.
    #[inline]
    pub fn each(&mut self, access: &Access, mut visit: impl FnMut(&mut u32)) {
        let object = access.object.0;
        if object & NAMES != 0 {
            visit(self.head(object));
            return;
        }
        let last = (object + access.size.max(1) as u64 - 1) >> 3;
        for key in object >> 3..=last {
            visit(self.head(key));
        }
    }

    #[inline]
    fn head(&mut self, key: u64) -> &mut u32 {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let at = self.find(key);
        let slot = &mut self.slots[at];
        if slot.generation != self.generation {
            *slot = Slot { key, generation: self.generation, head: NONE };
            self.used += 1;
        }
        &mut slot.head
    }

    #[inline]
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].generation == self.generation && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let larger = vec![Slot::default(); self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old {
            if slot.generation == self.generation {
                let at = self.find(slot.key);
                self.slots[at] = slot;
            }
        }
    }
}
