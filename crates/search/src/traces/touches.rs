//! Footprints by number.
//!
//! A program touches few objects in few ways, again and again. Each footprint is stored once and known by a number. So
//! pending sequences are small, and whether two footprints conflict is a bit that was computed before. Numbers are never
//! reused: there are as many as the program has different footprints.

use heddle_model::{Access, Footprint, Mode};

use crate::traces::granules::Granules;

/// The number of a footprint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Touch(u32);

/// How many footprints have a row in the table of conflicts. The table takes at most 128 KiB.
const KEPT: usize = 1024;
/// How many words a row of the table of conflicts has.
const ROW: usize = KEPT / 64;

/// All footprints that a search has seen.
pub(crate) struct Touches {
    footprints: Vec<Footprint>,
    /// Where the granules of each footprint begin in `granules`.
    starts: Vec<u32>,
    granules: Vec<(u32, u32)>,
    places: Granules,
    /// A hash table of footprints: number plus one, or 0 for a free slot.
    table: Vec<u32>,
    /// The table of conflicts among the first [`KEPT`] footprints: one row of bits for each.
    conflicts: Vec<u64>,
}

impl Default for Touches {
    fn default() -> Self {
        Touches {
            footprints: Vec::new(),
            starts: vec![0],
            granules: Vec::new(),
            places: Granules::default(),
            table: vec![0; 256],
            conflicts: Vec::new(),
        }
    }
}

impl Touch {
    /// The footprint number `number`.
    pub fn of(number: u32) -> Touch {
        Touch(number)
    }

    /// The number itself.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl Touches {
    /// All footprints, in the order of their numbers.
    pub fn all(&self) -> &[Footprint] {
        &self.footprints
    }

    /// The number of `footprint`. A new footprint gets the next number.
    pub fn number(&mut self, footprint: &Footprint) -> Touch {
        let mask = self.table.len() - 1;
        let mut at = hash(footprint) as usize & mask;
        loop {
            match self.table[at] {
                0 => break,
                number if same(&self.footprints[number as usize - 1], footprint) => return Touch(number - 1),
                _ => at = (at + 1) & mask,
            }
        }
        let number = self.footprints.len() as u32;
        self.table[at] = number + 1;
        self.add(footprint);
        if self.footprints.len() * 2 > self.table.len() {
            self.grow();
        }
        Touch(number)
    }

    /// The footprint with number `touch`.
    pub fn footprint(&self, touch: Touch) -> &Footprint {
        &self.footprints[touch.0 as usize]
    }

    /// The granules of a footprint, each with the index of the access that touches it.
    #[inline]
    pub fn granules(&self, touch: Touch) -> &[(u32, u32)] {
        let at = touch.0 as usize;
        &self.granules[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// How many granules all footprints touch.
    pub fn granule_count(&self) -> usize {
        self.places.len()
    }

    /// Whether two footprints conflict: the order of two events of different threads that have them matters.
    #[inline]
    pub fn conflict(&self, a: Touch, b: Touch) -> bool {
        if (a.0.max(b.0) as usize) < KEPT {
            self.conflicts[a.0 as usize * ROW + b.0 as usize / 64] >> (b.0 % 64) & 1 != 0
        } else {
            self.footprint(a).conflicts_with(self.footprint(b))
        }
    }

    fn add(&mut self, footprint: &Footprint) {
        let number = self.footprints.len();
        self.footprints.push(*footprint);
        for (index, access) in footprint.accesses().iter().enumerate() {
            let Touches { places, granules, .. } = self;
            places.each(access, |granule| granules.push((granule, index as u32)));
        }
        self.starts.push(self.granules.len() as u32);
        if number < KEPT {
            self.conflicts.resize((number + 1) * ROW, 0);
            for other in 0..=number {
                let conflict = self.footprints[other].conflicts_with(footprint) as u64;
                self.conflicts[number * ROW + other / 64] |= conflict << (other % 64);
                self.conflicts[other * ROW + number / 64] |= conflict << (number % 64);
            }
        }
    }

    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 2];
        let mask = self.table.len() - 1;
        for (number, footprint) in self.footprints.iter().enumerate() {
            let mut at = hash(footprint) as usize & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = number as u32 + 1;
        }
    }
}

fn hash(footprint: &Footprint) -> u64 {
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let one = |state, access: &Access| mix(state, access.object.0 ^ (access.size as u64) << 48 ^ (mode(access) << 61));
    mix(footprint.accesses().iter().fold(footprint.is_everything() as u64, one), 0) >> 16
}

fn mode(access: &Access) -> u64 {
    match access.mode {
        Mode::Read => 0,
        Mode::Add => 1,
        Mode::Write => 2,
    }
}

fn same(a: &Footprint, b: &Footprint) -> bool {
    a.is_everything() == b.is_everything() && a.accesses() == b.accesses()
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_model::ObjectId;

    fn one(object: u64, mode: Mode) -> Footprint {
        let mut footprint = Footprint::new();
        footprint.touch_bytes(ObjectId(object), 4, mode);
        footprint
    }

    /// There are more footprints than the table of conflicts has rows. The answer is right on both sides of that limit.
    #[test]
    fn numbers_answer_as_footprints_do() {
        let mut touches = Touches::default();
        let modes = [Mode::Read, Mode::Add, Mode::Write];
        let all: Vec<Footprint> = (0..1500).map(|i| one(0x1000 + (i / 3) * 2, modes[i as usize % 3])).collect();
        let numbers: Vec<Touch> = all.iter().map(|f| touches.number(f)).collect();
        for (footprint, &number) in all.iter().zip(&numbers) {
            assert_eq!(touches.number(footprint), number);
            assert!(!touches.granules(number).is_empty());
        }
        for at in (0..1500).step_by(7) {
            for other in (at.max(9) - 9..(at + 9).min(1500)).chain(1490..1500) {
                let truth = all[at].conflicts_with(&all[other]);
                assert_eq!(touches.conflict(numbers[at], numbers[other]), truth, "{at} {other}");
            }
        }
        let mut everything = Footprint::new();
        everything.touch_everything();
        let number = touches.number(&everything);
        assert!(touches.conflict(number, numbers[0]) && touches.granules(number).is_empty());
        assert_ne!(touches.number(&Footprint::new()), number);
    }
}
