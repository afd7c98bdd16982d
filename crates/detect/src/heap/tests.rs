//! Against a list of live blocks.

use std::collections::{BTreeMap, VecDeque};
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::lend::{Lender, Zero};
use crate::testing::{Owner, cases};

const ARENAS: usize = 3;
const SYSTEM: usize = ARENAS - 1;

/// As much memory as the kernel maps at least.
#[derive(Clone, Copy)]
#[repr(C, align(4096))]
struct Page([u8; 4096]);

// SAFETY: bytes.
unsafe impl Zero for Page {}

/// Ground in memory that is there from the start; mapping is only noted.
struct Lent {
    base: usize,
    validity: usize,
    /// What was mapped: never twice.
    mapped: Vec<(usize, usize)>,
    /// How many bytes can still be mapped.
    left: usize,
}

// SAFETY: the memory was lent for this alone.
unsafe impl Ground for Lent {
    const STRIDE: usize = 1 << 20;

    fn base(&self) -> usize {
        self.base
    }

    fn validity(&self) -> usize {
        self.validity
    }

    fn map(&mut self, address: usize, length: usize) -> bool {
        assert!(self.mapped.iter().all(|&(low, high)| address + length <= low || high <= address));
        let arenas = self.base..=self.base + ARENAS * Self::STRIDE;
        let entries = self.validity..=self.validity + ARENAS * Self::STRIDE / UNIT;
        assert!([arenas, entries].iter().any(|range| range.contains(&address) && range.contains(&(address + length))));
        if length > self.left {
            return false;
        }
        self.left -= length;
        self.mapped.push((address, address + length));
        true
    }
}

type Tested = Heap<Lent, ARENAS>;

fn heap(owner: &Owner, left: usize) -> Tested {
    let mut lender = owner;
    let mut pages = |bytes: usize| lender.lend::<Page>(bytes / 4096).as_mut_ptr().expose_provenance();
    let base = pages(ARENAS * Lent::STRIDE);
    let validity = pages(ARENAS * Lent::STRIDE / UNIT);
    Heap::new(Lent { base, validity, mapped: Vec::new(), left })
}

fn allows(heap: &Tested, address: usize, size: usize) -> bool {
    // SAFETY: checked.
    heap.in_range(address) && unsafe { heap.allows(address, size) }
}

fn bytes(address: usize, size: usize) -> &'static mut [u8] {
    // SAFETY: the tests pass live blocks, one at a time.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut(address), size) }
}

fn get(heap: &mut Tested, number: usize, size: usize) -> usize {
    heap.allocate(number, size, GRAIN, usize::MAX).expect("memory").address
}

#[test]
fn what_was_freed_is_recognised() {
    let owner = Owner::default();
    let mut heap = heap(&owner, usize::MAX);
    let block = get(&mut heap, 0, 40);
    let other = get(&mut heap, 0, 8);
    assert_eq!(heap.find(block).map(|header| header.word), Ok(40));
    assert_eq!(heap.find(block + 16).err(), Some(BadAddress::NoBlock));
    assert_eq!(heap.find(block + 1).err(), Some(BadAddress::NoBlock));
    assert_eq!(heap.find(0x1234_5670).err(), Some(BadAddress::NoBlock));
    heap.release(block, 0, 1000);
    assert_eq!(heap.find(block).err(), Some(BadAddress::Free));
    let place = heap.nearest(block + 39).expect("a block");
    assert!(place.state == State::Free && place.contains(block + 39));
    assert_eq!(heap.nearest(other + 8), Some(Place { block: other, size: 8, state: State::Live }));
    assert_eq!(heap.nearest(other - 1), Some(Place { block: other, size: 8, state: State::Live }));
}

#[test]
fn damage_is_recognised() {
    let owner = Owner::default();
    let mut heap = heap(&owner, usize::MAX);
    let blocks = [get(&mut heap, 0, 40), get(&mut heap, 0, 40), get(&mut heap, 0, 40)];
    bytes(blocks[1] - HEADER, HEADER).fill(0xff);
    assert_eq!(heap.find(blocks[1]).err(), Some(BadAddress::Damaged));
    assert_eq!(heap.places(0).count(), 1, "nothing is known beyond it");
    // Freed blocks with damaged headers are given up, not followed.
    heap.release(blocks[0], 0, 0);
    bytes(blocks[0] - HEADER, HEADER).fill(0xff);
    assert_ne!(get(&mut heap, 0, 40), blocks[0]);
    heap.release(blocks[2], 0, 1000);
    bytes(blocks[2] - HEADER, HEADER).fill(0xff);
    let last = get(&mut heap, 0, 40);
    heap.release(last, 0, 1000);
    assert_eq!(heap.find(last).err(), Some(BadAddress::Free));
}

#[test]
fn families_and_marks_are_kept_until_the_block_is_freed() {
    let owner = Owner::default();
    let mut heap = heap(&owner, usize::MAX);
    let block = get(&mut heap, 0, 1);
    for family in [None, Some(0), Some(4)] {
        heap.header(block).expect("a block").set_family(family);
        assert_eq!(heap.header(block).and_then(|header| header.family()), family);
    }
    let header = heap.header(block).expect("a block");
    assert!(header.mark() && !header.mark() && header.is_marked() && header.is_live());
    assert_eq!(header.family(), Some(4));
    heap.release(block, 0, 0);
    assert_eq!(get(&mut heap, 0, 1), block);
    let header = heap.header(block).expect("a block");
    assert!(!header.is_marked() && header.family().is_none());
}

#[test]
fn limits_are_kept() {
    let owner = Owner::default();
    let mut small = heap(&owner, 600 << 10);
    assert!(small.allocate(0, 100 << 10, GRAIN, usize::MAX).is_ok());
    assert_eq!(small.allocate(0, 900 << 10, GRAIN, usize::MAX), Err(Exhausted), "no memory is mapped");
    assert_eq!(small.allocate(0, usize::MAX, GRAIN, usize::MAX), Err(Exhausted));
    assert_eq!(small.allocate(0, 1 << 20, GRAIN, usize::MAX), Err(Exhausted), "the range is too small");
    let mut limited = heap(&owner, usize::MAX);
    let before = limited.carved();
    assert!(limited.allocate(0, 1000, GRAIN, 4096).is_ok());
    assert!(limited.carved() > before + 1000);
    assert!(limited.allocate(1, 1000, GRAIN, 4096).is_ok());
    assert_eq!(limited.allocate(1, 3000, GRAIN, 4096), Err(Exhausted));
}

#[test]
fn a_block_comes_back_as_soon_as_the_quarantine_is_full() {
    let owner = Owner::default();
    let mut heap = heap(&owner, usize::MAX);
    let [first, second] = [get(&mut heap, 0, 40), get(&mut heap, 0, 40)];
    let capacity = heap.find(first).map(|header| class::capacity(header.class as usize)).expect("a live block");
    // Both fit.
    heap.release(first, 0, 2 * capacity);
    heap.release(second, 0, 2 * capacity);
    let [third, fourth] = [get(&mut heap, 0, 40), get(&mut heap, 0, 40)];
    assert!(![first, second].contains(&third) && ![first, second].contains(&fourth));
    // A byte too small for the three of them.
    heap.release(third, 0, 3 * capacity - 1);
    assert_eq!(get(&mut heap, 0, 40), first, "the oldest");
}

#[test]
fn from_one_block_into_the_next_is_not_allowed() {
    let owner = Owner::default();
    let mut heap = heap(&owner, usize::MAX);
    let [first, second] = [get(&mut heap, 0, 32), get(&mut heap, 0, 32)];
    assert!(allows(&heap, first + 16, 16) && allows(&heap, second, 8));
    assert!(!allows(&heap, first + 16, second + 8 - (first + 16)));
}

#[test]
fn what_a_smaller_size_gives_up_is_not_allowed() {
    let owner = Owner::default();
    let mut heap = heap(&owner, usize::MAX);
    let block = get(&mut heap, 0, 5000);
    let class = heap.find(block).map(|header| header.class as usize).expect("a live block");
    assert!(Tested::fits(class, 4700), "it stays where it is");
    heap.resize(block, 4700);
    assert!(allows(&heap, block, 4700));
    assert!(!(4700..5000).any(|at| allows(&heap, block + at, 1)));
    heap.resize(block, 5000);
    assert!(allows(&heap, block, 5000));
}

/// What a program does to its heap.
#[derive(Clone, Copy, Debug)]
enum Step {
    Allocate { arena: usize, size: usize, align_log: u32 },
    Free { which: usize, by: usize },
    Resize { which: usize, size: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = prop_oneof![4 => 0usize..100, 2 => 0usize..2000, 1 => 0usize..20_000];
    let step = prop_oneof![
        4 => (0..ARENAS, size, prop_oneof![5 => Just(4u32), 1 => 4u32..13])
            .prop_map(|(arena, size, align_log)| Step::Allocate { arena, size, align_log }),
        3 => (0usize..64, prop_oneof![4 => Just(ARENAS), 1 => 0..ARENAS]).prop_map(|(which, by)| Step::Free { which, by }),
        1 => (0usize..64, 0usize..100).prop_map(|(which, size)| Step::Resize { which, size }),
    ];
    prop::collection::vec(step, 1..if cfg!(miri) { 20 } else { 100 })
}

/// A live block as the list has it.
#[derive(Clone, Copy)]
struct Live {
    size: usize,
    owner: usize,
    fill: u8,
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn agrees_with_a_list(steps in steps(), quarantine in prop::sample::select(std::vec![0usize, 64, 1000, 100_000])) {
        let owner = Owner::default();
        let mut heap = heap(&owner, usize::MAX);
        let mut live: BTreeMap<usize, Live> = BTreeMap::new();
        // For each arena, the blocks that must not come back yet, with their capacities.
        let mut waiting: [VecDeque<(usize, usize)>; ARENAS] = Default::default();
        let mut lost: Vec<usize> = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            let nth = |which: usize| live.iter().nth(which % live.len().max(1)).map(|(&address, &block)| (address, block));
            match step {
                Step::Allocate { arena, size, align_log } => {
                    let Ok(Allocated { address, is_zero }) = heap.allocate(arena, size, 1 << align_log, usize::MAX) else {
                        continue;
                    };
                    prop_assert_eq!(address % (1 << align_log), 0);
                    prop_assert_eq!(heap.arena_of(address), Some(arena));
                    // A header in front, and room that belongs to nobody behind it.
                    let (low, high) = (address - HEADER, address + class::with_margin(size));
                    for (&other, block) in &live {
                        prop_assert!(high <= other - HEADER || other + class::with_margin(block.size) <= low);
                    }
                    prop_assert!(waiting.iter().flatten().all(|(block, _)| *block != address), "it is in quarantine");
                    prop_assert!(!lost.contains(&address), "another thread freed it");
                    prop_assert!(!is_zero || bytes(address, size).iter().all(|&byte| byte == 0));
                    let fill = number as u8 | 1;
                    bytes(address, size).fill(fill);
                    live.insert(address, Live { size, owner: arena, fill });
                }
                Step::Free { which, by } => {
                    let Some((address, block)) = nth(which) else { continue };
                    prop_assert!(bytes(address, block.size).iter().all(|&byte| byte == block.fill), "it was written over");
                    let by = if by == ARENAS { block.owner } else { by };
                    let class = heap.find(address).map(|header| header.class as usize);
                    let capacity = class.map(class::capacity).expect("a live block");
                    heap.release(address, by, quarantine);
                    live.remove(&address);
                    prop_assert_eq!(heap.find(address).err(), Some(BadAddress::Free));
                    prop_assert!(!allows(&heap, address, 1));
                    let inside = address + block.size / 2;
                    let place = heap.nearest(inside).expect("a block");
                    prop_assert!(place.block == address && place.state == State::Free);
                    if by != block.owner {
                        lost.push(address);
                    } else if capacity <= quarantine {
                        waiting[by].push_back((address, capacity));
                        while waiting[by].iter().map(|(_, capacity)| capacity).sum::<usize>() > quarantine {
                            waiting[by].pop_front();
                        }
                    }
                }
                Step::Resize { which, size } => {
                    let Some((address, block)) = nth(which) else { continue };
                    let class = heap.find(address).map(|header| header.class as usize).expect("a live block");
                    if Tested::fits(class, size) {
                        heap.resize(address, size);
                        bytes(address, size).fill(block.fill);
                        live.insert(address, Live { size, ..block });
                    }
                }
            }
            check(&mut heap, &live)?;
        }
    }

    /// Where a thread's blocks lie depends on that thread only.
    #[test]
    fn addresses_are_a_threads_own_doing(steps in steps()) {
        let owner = Owner::default();
        let run = |heap: &mut Tested, all: bool| {
            let mut own = Vec::new();
            let mut others = Vec::new();
            let mut seen = Vec::new();
            for step in &steps {
                match *step {
                    Step::Allocate { arena, size, align_log } if arena == 0 || all => {
                        let Ok(got) = heap.allocate(arena, size, 1 << align_log, usize::MAX) else { continue };
                        if arena == 0 {
                            seen.push(got.address - heap.base_of(0));
                            own.push(got.address);
                        } else {
                            others.push(got.address);
                        }
                    }
                    // Each thread frees its own.
                    Step::Free { which, .. } if which % 2 == 0 && !own.is_empty() => {
                        heap.release(own.remove(which % own.len()), 0, 500);
                    }
                    Step::Free { which, .. } if which % 2 == 1 && !others.is_empty() => {
                        let address = others.remove(which % others.len());
                        let by = heap.arena_of(address).expect("an arena");
                        heap.release(address, by, 500);
                    }
                    _ => {}
                }
            }
            seen
        };
        prop_assert_eq!(run(&mut heap(&owner, usize::MAX), true), run(&mut heap(&owner, usize::MAX), false));
    }
}

/// What the heap says of every block, and of the bytes around it.
fn check(heap: &mut Tested, live: &BTreeMap<usize, Live>) -> Result<(), TestCaseError> {
    for (&address, block) in live {
        prop_assert_eq!(heap.find(address).map(|header| header.word), Ok(block.size));
        prop_assert!(allows(heap, address, block.size));
        prop_assert!(block.size == 0 || allows(heap, address + block.size - 1, 1));
        prop_assert!(block.size < 3 || allows(heap, address + 1, block.size - 2));
        prop_assert!(!allows(heap, address, block.size + 1));
        prop_assert!(!allows(heap, address - 1, 1) && !allows(heap, address - 1, 2));
        prop_assert!(!allows(heap, address + block.size, 1));
        prop_assert_eq!(heap.block_containing(address), Some(address));
        if block.size > 0 {
            prop_assert_eq!(heap.block_containing(address + block.size - 1), Some(address));
            let place = heap.nearest(address + block.size / 2).expect("a block");
            prop_assert_eq!((place.block, place.size, place.state), (address, block.size, State::Live));
        }
        prop_assert_eq!(heap.nearest(address - 1).map(|place| place.block), Some(address));
    }
    let blocks: Vec<usize> = (0..ARENAS)
        .flat_map(|number| heap.places(number))
        .filter(|place| place.state == State::Live)
        .map(|place| place.block)
        .collect();
    prop_assert_eq!(blocks, live.keys().copied().collect::<Vec<_>>());
    for number in 0..ARENAS {
        prop_assert!(heap.arenas().any(|known| known == number) || heap.extent(number) == 0);
    }
    prop_assert_eq!(Tested::SYSTEM, SYSTEM);
    Ok(())
}
