//! Against a list of all accesses.

use std::cell::RefCell;
use std::vec::Vec;

use heddle_model::ThreadId;
use heddle_model::primitive::section;
use heddle_model::race::Access;
use proptest::prelude::*;

use super::cell::{Cell, EXECUTIONS};
use super::{Capacity, Exceeded, Found};
use crate::happens_before;
use crate::race::{self, Detector};
use crate::testing::{Action, Owner, Reference, THREADS, actions, cases, event_of};

const READ: Access = Access::new(false, false);
const WRITE: Access = Access::new(true, false);
const ATOMIC_WRITE: Access = Access::new(true, true);

fn detector<'m>(owner: &'m Owner, threads: usize, accesses: Capacity) -> Tested<'m> {
    let objects = happens_before::objects::Capacity { granules: 64, words: 1 << 12 };
    let mut tables = owner;
    Detector::new(&mut tables, race::Capacity { threads, objects, accesses }, owner)
}

/// A detector over memory of its own kind.
type Tested<'m> = Detector<'m, &'m Owner>;

const ROOM: Capacity = Capacity { pages: 8, blocks: 64 };

/// The races of an access of the running thread.
fn access(detector: &mut Tested<'_>, address: usize, size: usize, how: Access, pc: u64) -> Vec<Found> {
    let found = RefCell::new(Vec::new());
    detector.access(address, size, how, pc, true, |_, race| found.borrow_mut().push(*race)).expect("room");
    found.into_inner()
}

#[test]
fn a_cell_keeps_what_it_is_made_of() {
    let cell = Cell::new((ThreadId(0xfffe), u32::MAX), 0xa5, Access::FREEING, 0xffff_1234_5678_9abc, 7);
    assert_eq!((cell.thread(), cell.time(), cell.bytes()), (ThreadId(0xfffe), u32::MAX, 0xa5));
    assert_eq!((cell.how(), cell.pc()), (Access::FREEING, 0x1234_5678_9abc));
    assert!(cell.is_of(7) && !cell.is_of(6));
    assert_eq!(cell.leads_to(7), None);
    let link = Cell::link(u32::MAX, 7);
    assert_eq!((link.leads_to(7), link.leads_to(8)), (Some(u32::MAX), None));
}

#[test]
fn two_writes_race_and_two_reads_do_not() {
    let owner = Owner::default();
    let mut detector = detector(&owner, 2, ROOM);
    detector.reset(2);
    assert_eq!(access(&mut detector, 0x1000, 4, READ, 1), []);
    detector.switched(ThreadId(1));
    assert_eq!(access(&mut detector, 0x1000, 4, READ, 2), []);
    assert_eq!(access(&mut detector, 0x1004, 4, WRITE, 3), [], "other bytes of the granule");
    let races = access(&mut detector, 0x1003, 1, WRITE, 4);
    assert_eq!(races, [Found { time: 1, thread: ThreadId(0), how: READ, pc: 1 }]);
}

#[test]
fn atomics_race_with_plain_accesses_only() {
    let owner = Owner::default();
    let mut detector = detector(&owner, 3, ROOM);
    detector.reset(3);
    assert_eq!(access(&mut detector, 0x1000, 8, ATOMIC_WRITE, 1), []);
    detector.switched(ThreadId(1));
    assert_eq!(access(&mut detector, 0x1000, 8, ATOMIC_WRITE, 2), []);
    detector.switched(ThreadId(2));
    assert_eq!(access(&mut detector, 0x1000, 1, READ, 3).len(), 2);
}

/// More accesses than a granule has cells for, and more than a block: none is forgotten.
/// The races of an access of the running thread to a range.
fn range(detector: &mut Tested<'_>, at: (usize, usize), how: Access, forget: bool) -> Vec<(usize, u64)> {
    let found = RefCell::new(Vec::new());
    let races = |granule: usize, race: &Found| found.borrow_mut().push((granule << 3, race.pc));
    detector.range(at, how, 9, forget, races).expect("room");
    found.into_inner()
}

#[test]
fn a_range_meets_what_was_accessed_in_it() {
    let owner = Owner::default();
    let mut detector = detector(&owner, 2, ROOM);
    detector.reset(2);
    for (address, pc) in [(0xff8, 1), (0x1000, 2), (0x2ff8, 3), (0x3000, 4)] {
        assert_eq!(access(&mut detector, address, 8, WRITE, pc), []);
    }
    detector.switched(ThreadId(1));
    assert_eq!(range(&mut detector, (0x1000, 0), WRITE, false), []);
    assert_eq!(range(&mut detector, (0x1000, 0x2000), READ, false), [(0x1000, 2), (0x2ff8, 3)]);
    assert_eq!(
        range(&mut detector, (0x5000, 1 << 20), WRITE, true),
        [],
        "nothing was accessed there, and none is recorded"
    );
    // Larger than the map of pages: in the order of the map.
    let mut all = range(&mut detector, (0, 1 << 40), Access::FREEING, true);
    all.sort_unstable();
    assert_eq!(all, [(0xff8, 1), (0x1000, 2), (0x2ff8, 3), (0x3000, 4)]);
    detector.switched(ThreadId(0));
    assert_eq!(access(&mut detector, 0x1000, 8, WRITE, 5), [], "other memory is there now");
}

#[test]
fn many_readers_are_all_remembered() {
    const READERS: u16 = 40;
    let owner = Owner::default();
    let mut detector = detector(&owner, READERS as usize + 1, ROOM);
    for _ in 0..3 {
        detector.reset(READERS as usize + 1);
        for reader in 0..READERS {
            detector.switched(ThreadId(reader));
            assert_eq!(access(&mut detector, 0x1000, 8, READ, 1), []);
        }
        detector.switched(ThreadId(READERS));
        let mut readers: Vec<u16> =
            access(&mut detector, 0x1007, 1, WRITE, 2).iter().map(|race| race.thread.0).collect();
        readers.sort_unstable();
        assert_eq!(readers, (0..READERS).collect::<Vec<_>>());
    }
}

#[test]
fn says_when_it_is_full() {
    let owner = Owner::default();
    let mut detector = detector(&owner, 40, Capacity { pages: 8, blocks: 1 });
    detector.reset(40);
    let fit = (0..8).take_while(|page| detector.access(page << 12, 1, READ, 1, false, |_, _| ()).is_ok()).count();
    assert_eq!(fit, 6, "three quarters");
    assert_eq!(detector.access(7 << 12, 1, READ, 1, false, |_, _| ()), Err(Exceeded::Pages));
    let by = |detector: &mut Tested<'_>, reader| {
        detector.switched(ThreadId(reader));
        detector.access(8, 1, READ, 1, false, |_, _| ())
    };
    // Three cells and a link to seven.
    assert!((0..10).all(|reader| by(&mut detector, reader).is_ok()));
    assert_eq!(by(&mut detector, 10), Err(Exceeded::Blocks));
}

#[test]
fn accesses_of_earlier_executions_do_not_come_back() {
    let owner = Owner::default();
    let mut detector = detector(&owner, 8, ROOM);
    for start in [0, EXECUTIONS - 3] {
        detector.shadow_for_tests().set_execution(start);
        for _ in 0..5 {
            detector.reset(8);
            for thread in 0..8 {
                detector.switched(ThreadId(thread));
                assert_eq!(access(&mut detector, 0x1000, 1, WRITE, 1).len(), thread as usize);
            }
        }
    }
}

/// A place that was accessed in the first execution and not since, when the count of executions overflows.
#[test]
fn an_access_of_the_first_execution_does_not_come_back() {
    let owner = Owner::default();
    let mut detector = detector(&owner, 2, ROOM);
    detector.reset(2);
    detector.switched(ThreadId(1));
    assert_eq!(access(&mut detector, 0x2000, 8, WRITE, 1), []);
    detector.shadow_for_tests().set_execution(EXECUTIONS - 1);
    detector.reset(2);
    assert_eq!(access(&mut detector, 0x2000, 8, WRITE, 2), []);
}

/// What an access replaces makes room: a thread that goes on for ever in one granule does not use up the cells.
#[test]
fn replaced_accesses_make_room() {
    let owner = Owner::default();
    let mut detector = detector(&owner, 2, Capacity { pages: 8, blocks: 1 });
    detector.reset(2);
    for round in 0..20 {
        for byte in 0..4 {
            assert_eq!(access(&mut detector, 0x1000 + byte, 1, WRITE, byte as u64 + 1), [], "round {round}");
        }
        detector.advance(ThreadId(0));
        assert_eq!(access(&mut detector, 0x1000, 8, WRITE, 9), [], "round {round}");
        detector.advance(ThreadId(0));
    }
    detector.switched(ThreadId(1));
    assert_eq!(access(&mut detector, 0x1000, 8, WRITE, 10).len(), 1, "the last access is the only one left");
}

/// An access as it was made.
struct Made {
    thread: usize,
    time: u32,
    from: usize,
    to: usize,
    how: Access,
    pc: u64,
}

/// Runs a program with all accesses listed beside it. `again`: every access is looked at, and every one that races must be told. Else
/// the execution ends at the first race, which must be the same.
fn compare(detector: &mut Tested<'_>, program: &[(usize, Action)], again: bool) -> Result<(), TestCaseError> {
    detector.reset(THREADS);
    let mut reference = Reference::new(THREADS);
    let mut list: Vec<Made> = Vec::new();
    for &(thread, action) in program {
        if matches!(action, Action::Last) {
            // It knows what others do until their next event, and they do nothing any more.
            return Ok(());
        }
        detector.switched(ThreadId(thread as u16));
        let Action::Access { offset: from, size, how, pc } = action else {
            let event = event_of(thread, action).expect("no access");
            if event.operation.code.family() == section::FAMILY {
                detector.section(&event).expect("room");
            } else {
                detector.event(&event).expect("room");
                detector.advance(event.thread);
            }
            reference.take(&event);
            continue;
        };
        let told = RefCell::new(Vec::new());
        detector.access(from, size, how, pc, again, |at, race| told.borrow_mut().push((at, *race))).expect("room");
        let told = told.into_inner();
        let races = |made: &Made, low: usize, high: usize| {
            made.thread != thread
                && made.from < high.min(from + size)
                && low.max(from) < made.to
                && made.how.conflicts_with(how)
                && !reference.knows(thread, made.thread, made.time)
        };
        for granule in from / 8..=(from + size - 1) / 8 {
            let (low, high) = (granule * 8, granule * 8 + 8);
            let expected = list.iter().any(|made| races(made, low, high));
            let told_here: Vec<_> = told.iter().filter(|(at, _)| *at == granule).map(|(_, race)| race).collect();
            prop_assert_eq!(!told_here.is_empty(), expected, "granule {:#x}", low);
            for race in told_here {
                let is_one = |made: &Made| {
                    let same = (made.thread, made.time, made.how, made.pc)
                        == (race.thread.index(), race.time, race.how, race.pc);
                    same && races(made, low, high)
                };
                prop_assert!(list.iter().any(is_one), "{:?} was never made, or does not race", race);
            }
        }
        if !again && !told.is_empty() {
            return Ok(());
        }
        list.push(Made { thread, time: reference.time(thread), from, to: from + size, how, pc });
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn every_race_is_told_where_every_access_is_looked_at(programs in prop::collection::vec(actions(true), 1..3)) {
        let owner = Owner::default();
        let mut detector = detector(&owner, THREADS, ROOM);
        for program in programs {
            compare(&mut detector, &program, true)?;
        }
    }

    #[test]
    fn the_first_race_is_told(programs in prop::collection::vec(actions(true), 1..3)) {
        let owner = Owner::default();
        let mut detector = detector(&owner, THREADS, ROOM);
        for program in programs {
            compare(&mut detector, &program, false)?;
        }
    }
}
