//! Granules of memory by number.

use heddle_model::Access;

/// Stands for "no link" and "no event".
pub(crate) const NONE: u32 = u32::MAX;

/// A hash table from granules of eight bytes to numbers.
///
/// Two accesses that overlap share a granule. Two that share a granule need not overlap, so the accesses themselves are
/// compared, too. Names of threads are no addresses, and each has a granule of its own.
pub(crate) struct Granules {
    /// A key and its number plus one. The number is 0 in a free slot.
    slots: Vec<(u64, u32)>,
    used: u32,
}

impl Default for Granules {
    fn default() -> Self {
        Granules { slots: vec![(0, 0); 256], used: 0 }
    }
}

const NAMES: u64 = 1 << 63;

impl Granules {
    /// How many granules there are.
    pub fn len(&self) -> usize {
        self.used as usize
    }

    /// Calls `visit` with the number of each granule that `access` touches.
    pub fn each(&mut self, access: &Access, mut visit: impl FnMut(u32)) {
        let object = access.object.0;
        if object & NAMES != 0 {
            visit(self.number(object));
            return;
        }
        let last = (object + access.size.max(1) as u64 - 1) >> 3;
        for key in object >> 3..=last {
            visit(self.number(key));
        }
    }

    fn number(&mut self, key: u64) -> u32 {
        if self.used as usize * 2 >= self.slots.len() {
            let larger = vec![(0, 0); self.slots.len() * 2];
            for slot in std::mem::replace(&mut self.slots, larger) {
                if slot.1 != 0 {
                    let at = self.find(slot.0);
                    self.slots[at] = slot;
                }
            }
        }
        let at = self.find(key);
        if self.slots[at].1 == 0 {
            self.used += 1;
            self.slots[at] = (key, self.used);
        }
        self.slots[at].1 - 1
    }

    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].1 != 0 && self.slots[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }
}
