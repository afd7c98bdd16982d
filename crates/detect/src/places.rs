//! The visible places of plain memory: granules of eight bytes on which races were seen, in this execution or an earlier one.
//!
//! Every plain access asks whether it touches one, so the answer "no" must be quick: a filter of 64 bits, then a hash table.

use crate::lend::Lender;

/// A set of granules.
#[repr(C)]
pub struct Places<'m> {
    /// Bit `n` is set if an access to a granule whose lowest six bits are `n` needs a closer look. All are set while every access is
    /// watched; none is if there are no places.
    filter: u64,
    /// The filter for the places alone.
    of_places: u64,
    /// The filter for what was noted in this execution ([`Places::note`]).
    of_notes: u64,
    /// Granules; 0 is an empty entry. The length is a power of two.
    table: &'m mut [usize],
    /// How many granules there are.
    count: usize,
    /// Every access needs a closer look, in the whole execution.
    watched: bool,
}

impl<'m> Places<'m> {
    /// Where the filter is in this structure, for entry points that test it before anything else: it is 0 if no access needs
    /// a closer look.
    pub const FILTER: usize = core::mem::offset_of!(Places<'static>, filter);

    /// No places, and no room for any.
    pub const fn empty() -> Places<'m> {
        Places { filter: 0, of_places: 0, of_notes: 0, table: &mut [], count: 0, watched: false }
    }

    /// No places, and room for up to `most`.
    pub fn new(lender: &mut impl Lender<'m>, most: usize) -> Places<'m> {
        let table = lender.lend((2 * most).next_power_of_two());
        Places { filter: 0, of_places: 0, of_notes: 0, table, count: 0, watched: false }
    }

    /// Sets the places for the next execution: addresses, of which only the granule counts. Within one process places are only ever
    /// added, so a list as long as the one before is that list. `watched`: every access needs a closer look.
    pub fn set(&mut self, places: &[u64], watched: bool) {
        if places.len() != self.count {
            self.fill(places);
        }
        self.watched = watched;
        self.watch_all(false);
    }

    /// Accesses to these eight bytes need a closer look for the rest of the execution, although they are no place.
    pub fn note(&mut self, address: usize) {
        self.of_notes |= 1 << (address >> 3 & 63);
        self.filter |= self.of_notes;
    }

    /// Forgets what was noted.
    pub fn forget_notes(&mut self) {
        self.of_notes = 0;
        self.watch_all(false);
    }

    /// Whether anything was noted.
    #[inline(always)]
    pub fn has_notes(&self) -> bool {
        self.of_notes != 0
    }

    /// Whether something was noted that may be among these bytes.
    pub fn may_be_noted(&self, address: usize, size: usize) -> bool {
        let (first, last) = (address >> 3, (address + size.max(1) - 1) >> 3);
        if last - first >= 63 {
            return self.of_notes != 0;
        }
        (first..=last).any(|granule| self.of_notes >> (granule & 63) & 1 != 0)
    }

    /// Sets whether every access needs a closer look from now on, even if that was not asked for with the places.
    pub fn watch_all(&mut self, all: bool) {
        self.filter = if all || self.watched { u64::MAX } else { self.of_places | self.of_notes };
    }

    fn fill(&mut self, places: &[u64]) {
        assert!(places.len() * 2 <= self.table.len(), "more places than there is room for");
        self.table.fill(0);
        self.of_places = 0;
        self.count = places.len();
        for &place in places {
            let granule = place as usize >> 3;
            self.of_places |= 1 << (granule & 63);
            let at = self.position(granule);
            self.table[at] = granule;
        }
    }

    /// Where `granule` is in the table, or would be. At least half of the table is empty, so the search ends.
    fn position(&self, granule: usize) -> usize {
        let mask = self.table.len() - 1;
        let mut at = (granule.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) & mask;
        while self.table[at] != 0 && self.table[at] != granule {
            at = (at + 1) & mask;
        }
        at
    }

    /// Whether an access to these bytes needs a closer look. One that reaches into a second granule does if any access does.
    #[inline(always)]
    pub fn watches(&self, address: usize, size: usize) -> bool {
        self.filter != 0 && (self.filter >> (address >> 3 & 63) & 1 != 0 || (address & 7) + size > 8)
    }

    /// Whether there are any places.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.of_places != 0
    }

    /// The places, in no particular order.
    pub fn granules(&self) -> impl Iterator<Item = usize> {
        self.table.iter().copied().filter(|&granule| granule != 0)
    }

    /// The part of the addresses from `low` up to `high` that begins and ends with one of the places. `None` if there is none among them.
    pub fn hull(&self, low: usize, high: usize) -> Option<(usize, usize)> {
        if low >= high || !self.any() {
            return None;
        }
        let (first, last) = (low >> 3, (high - 1) >> 3);
        let (from, to) = if last - first > self.table.len() {
            let among = || self.granules().filter(|granule| (first..=last).contains(granule));
            (among().min()?, among().max()?)
        } else {
            let is_place = |granule: &usize| self.touches(granule << 3, 8);
            ((first..=last).find(is_place)?, (first..=last).rev().find(is_place)?)
        };
        Some((low.max(from << 3), high.min((to + 1) << 3)))
    }

    /// Whether one of the places is among these bytes.
    pub fn touches(&self, address: usize, size: usize) -> bool {
        if size == 0 || !self.any() {
            return false;
        }
        let (first, last) = (address >> 3, (address + size - 1) >> 3);
        if last - first > self.table.len() {
            return self.table.iter().any(|&granule| granule != 0 && (first..=last).contains(&granule));
        }
        (first..=last)
            .any(|granule| self.of_places >> (granule & 63) & 1 != 0 && self.table[self.position(granule)] == granule)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{Owner, cases};

    #[test]
    fn what_is_noted_is_watched_until_it_is_forgotten() {
        let owner = Owner::default();
        let mut places = Places::new(&mut &owner, 4);
        places.set(&[0x1000], false);
        places.note(0x2008);
        assert!(places.has_notes() && places.may_be_noted(0x2000, 16) && places.may_be_noted(0, 1 << 20));
        assert!(!places.may_be_noted(0x2000, 8) && !places.touches(0x2008, 8));
        assert!(places.watches(0x200c, 4) && places.watches(0x1004, 4) && places.watches(0x2006, 4));
        assert!(!places.watches(0x2010, 8));
        places.watch_all(false);
        assert!(places.watches(0x2008, 4));
        places.forget_notes();
        assert!(!places.has_notes() && !places.watches(0x2008, 4) && places.watches(0x1000, 1));
    }

    #[test]
    fn ranges_may_be_larger_than_the_table() {
        let owner = Owner::default();
        let mut places = Places::new(&mut &owner, 4);
        places.set(&[0x10_0008], false);
        assert!(places.touches(0, 1 << 40) && places.touches(0x10_0000, 1 << 20));
        assert!(!places.touches(0, 0x10_0008) && !places.touches(0x10_0010, 1 << 40));
        assert_eq!(places.hull(0, 1 << 40), Some((0x10_0008, 0x10_0010)));
        assert_eq!(places.hull(0x10_0010, 1 << 40), None);
    }

    #[test]
    fn no_places_need_no_look() {
        let owner = Owner::default();
        let places = Places::new(&mut &owner, 4);
        assert!(!places.watches(0x2000, 8) && !places.any());
        assert!(!places.touches(0x1000, 8));
    }

    #[test]
    fn watching_needs_a_look_but_touches_nothing() {
        let owner = Owner::default();
        let mut places = Places::new(&mut &owner, 4);
        places.set(&[], true);
        assert!(places.watches(0x2000, 8) && !places.any());
        assert!(!places.touches(0x1000, 8));
    }

    #[test]
    fn all_accesses_are_watched_for_a_while() {
        let owner = Owner::default();
        let mut places = Places::new(&mut &owner, 4);
        places.set(&[], false);
        places.watch_all(true);
        assert!(places.watches(0x2000, 8) && !places.touches(0x1000, 8));
        places.watch_all(false);
        assert!(!places.watches(0x2000, 8));
        places.set(&[], true);
        places.watch_all(false);
        assert!(places.watches(0x2000, 8), "the execution is watched to its end");
    }

    #[test]
    fn an_access_of_no_bytes_touches_nothing() {
        let owner = Owner::default();
        let mut places = Places::new(&mut &owner, 4);
        places.set(&[0x1000], false);
        assert!(!places.touches(0x1000, 0));
        assert!(places.touches(0x1007, 1));
        assert!(!places.touches(0x1008, 1));
        assert!(places.touches(0xfff, 2));
    }

    proptest! {
        #![proptest_config(cases(256))]

        /// Against the list of places.
        #[test]
        fn agrees_with_a_list(
            lists in prop::collection::vec(prop::collection::btree_set(1u64..200, 0..16), 1..4),
            accesses in prop::collection::vec((8usize..2000, 0usize..40), 1..40),
        ) {
            let owner = Owner::default();
            let mut places = Places::new(&mut &owner, 16);
            for list in lists {
                let list: Vec<u64> = list.into_iter().map(|granule| granule * 8).collect();
                // A list of the same length is taken to be the same one.
                places.set(&[], false);
                places.set(&list, false);
                let mut granules: Vec<u64> = places.granules().map(|granule| granule as u64 * 8).collect();
                granules.sort_unstable();
                prop_assert_eq!(&granules, &list);
                for &(address, size) in &accesses {
                    let expected = list.iter().any(|&place| {
                        (address..address + size).any(|byte| byte as u64 / 8 == place / 8)
                    });
                    prop_assert_eq!(places.touches(address, size), expected);
                    prop_assert!(!expected || places.watches(address, size));
                    let among = list.iter().filter(|&&place| {
                        (address..address + size).any(|byte| byte as u64 / 8 == place / 8)
                    });
                    let bounds = among.clone().min().zip(among.max()).map(|(&first, &last)| {
                        (address.max(first as usize), (address + size).min(last as usize + 8))
                    });
                    prop_assert_eq!(places.hull(address, address + size), bounds);
                    prop_assert_eq!(places.any(), !list.is_empty());
                }
            }
        }
    }
}
