//! Against the definition of happens-before, and the laws of vector clocks.

use heddle_model::primitive::{atomic, semaphore};
use heddle_model::{Event, ObjectId, Operation, ThreadId};
use proptest::prelude::*;
use std::vec::Vec;

use super::objects::Capacity;
use super::*;
use crate::testing::{Action, Owner, Reference, THREADS, actions, cases, event_of};

const ROOM: Capacity = Capacity { granules: 64, words: 1 << 12 };

fn take(order: &mut HappensBefore, event: &Event) -> Result<(), Full> {
    if event.operation.code.family() == section::FAMILY {
        return order.section(event);
    }
    order.event(event)?;
    order.advance(event.thread);
    Ok(())
}

/// The times up to which thread `who` knows each of `threads` threads.
fn clock(order: &mut HappensBefore, who: usize, threads: usize) -> Vec<u32> {
    order.switched(ThreadId(who as u16));
    (0..threads)
        // SAFETY: all of them have run.
        .map(|other| (0..).take_while(|&time| unsafe { order.knows(ThreadId(other as u16), time) }).count() as u32 - 1)
        .collect()
}

fn atomic_event(thread: u16, code: heddle_model::OpCode, order: u32) -> Event {
    let operation = Operation { size: 4, detail: atomic::orders(order, 0), ..Operation::new(code, ObjectId(0x100)) };
    Event { operation, thread: ThreadId(thread), ..Event::default() }
}

const RELAXED: u32 = 0;
const ACQUIRE: u32 = 2;
const RELEASE: u32 = 3;

/// Whether thread 1 knows what thread 0 did before its first event, after these events.
fn first_is_known(events: &[Event]) -> bool {
    let owner = Owner::default();
    let mut order = HappensBefore::new(&mut &owner, 4, ROOM);
    order.reset(4);
    events.iter().for_each(|event| take(&mut order, event).expect("room"));
    clock(&mut order, 1, 1)[0] >= 1
}

#[test]
fn a_release_is_seen_by_an_acquire() {
    let store = atomic_event(0, atomic::STORE, RELEASE);
    assert!(first_is_known(&[store, atomic_event(1, atomic::LOAD, ACQUIRE)]));
    assert!(!first_is_known(&[store, atomic_event(1, atomic::LOAD, RELAXED)]));
    assert!(!first_is_known(&[atomic_event(0, atomic::STORE, RELAXED), atomic_event(1, atomic::LOAD, ACQUIRE)]));
}

#[test]
fn a_store_ends_the_release_sequence_and_a_read_modify_write_continues_it() {
    let (store, load) = (atomic_event(0, atomic::STORE, RELEASE), atomic_event(1, atomic::LOAD, ACQUIRE));
    assert!(!first_is_known(&[store, atomic_event(2, atomic::STORE, RELAXED), load]));
    assert!(!first_is_known(&[store, atomic_event(2, atomic::STORE, RELEASE), load]));
    assert!(first_is_known(&[store, atomic_event(2, atomic::RMW, RELAXED), load]));
}

#[test]
fn fences_make_relaxed_accesses_synchronise() {
    let (store, load) = (atomic_event(0, atomic::STORE, RELAXED), atomic_event(1, atomic::LOAD, RELAXED));
    let (release, acquire) = (atomic_event(0, atomic::FENCE, RELEASE), atomic_event(1, atomic::FENCE, ACQUIRE));
    assert!(first_is_known(&[release, store, load, acquire]));
    assert!(!first_is_known(&[store, release, load, acquire]), "the fence comes after the store");
    assert!(!first_is_known(&[release, store, acquire, load]), "the fence comes before the load");
    assert!(!first_is_known(&[release, store, load]));
}

#[test]
fn posts_do_not_order_each_other() {
    let post = |thread| Event {
        operation: Operation::new(semaphore::POST, ObjectId(0x200)),
        thread: ThreadId(thread),
        ..Event::default()
    };
    assert!(!first_is_known(&[post(0), post(1)]));
    let wait = Event { operation: Operation::new(semaphore::WAIT, ObjectId(0x200)), ..post(1) };
    assert!(first_is_known(&[post(0), wait]));
}

#[test]
fn names_of_threads_that_follow_each_other_order_nothing() {
    use heddle_model::primitive::thread;
    let detach = |by, of: u16| Event {
        operation: Operation::new(thread::DETACH, ObjectId::thread(ThreadId(of))),
        thread: ThreadId(by),
        ..Event::default()
    };
    assert!(!first_is_known(&[detach(0, 2), detach(1, 3)]));
    assert!(first_is_known(&[detach(0, 2), detach(1, 2)]));
}

#[test]
fn nothing_is_known_of_an_earlier_execution() {
    let owner = Owner::default();
    let mut order = HappensBefore::new(&mut &owner, 4, ROOM);
    for threads in [4, 2, 3] {
        for execution in [0, u32::MAX - 1, u32::MAX] {
            order.set_execution(execution);
            order.reset(threads);
            take(&mut order, &atomic_event(1, atomic::LOAD, RELAXED)).expect("room");
            take(&mut order, &atomic_event(1, atomic::FENCE, ACQUIRE)).expect("room");
            take(&mut order, &atomic_event(1, atomic::LOAD, ACQUIRE)).expect("room");
            assert_eq!(clock(&mut order, 1, threads)[0], 0);
            take(&mut order, &atomic_event(0, atomic::FENCE, RELEASE)).expect("room");
            take(&mut order, &atomic_event(0, atomic::RMW, RELEASE)).expect("room");
            take(&mut order, &atomic_event(1, atomic::LOAD, RELAXED)).expect("room");
        }
    }
}

/// Executions are counted, and the count overflows: what was written down in the first one must not come back.
#[test]
fn nothing_is_known_of_the_first_execution_when_the_count_overflows() {
    let owner = Owner::default();
    let mut order = HappensBefore::new(&mut &owner, 2, ROOM);
    order.set_execution(0);
    order.reset(2);
    for event in [
        atomic_event(0, atomic::FENCE, RELEASE),
        atomic_event(0, atomic::RMW, RELEASE),
        atomic_event(1, atomic::LOAD, RELAXED),
    ] {
        take(&mut order, &event).expect("room");
    }
    order.set_execution(u32::MAX);
    order.reset(2);
    // What objects know, what a thread has fenced, what a thread has set aside.
    let later = [
        atomic_event(1, atomic::LOAD, ACQUIRE),
        atomic_event(1, atomic::FENCE, ACQUIRE),
        atomic_event(0, atomic::STORE, RELAXED),
        atomic_event(1, atomic::LOAD, ACQUIRE),
    ];
    for (number, event) in later.iter().enumerate() {
        take(&mut order, event).expect("room");
        assert_eq!(clock(&mut order, 1, 1)[0], 0, "after event {number}");
    }
}

/// A time-out that passes because nobody can go on comes after everything, but nobody has sent a message by that.
#[test]
fn a_timeout_of_somebody_who_waits_alone_synchronises_with_nobody() {
    let post =
        Event { operation: Operation::new(semaphore::POST, ObjectId(0x300)), thread: ThreadId(0), ..Event::default() };
    let flags = EventFlags::FAILED.union(EventFlags::TIMED_OUT).union(EventFlags::QUIESCENT);
    let operation = Operation::new(semaphore::TIMEDWAIT, ObjectId(0x200));
    let gives_up = Event { operation, thread: ThreadId(1), flags, ..Event::default() };
    assert!(!first_is_known(&[post, gives_up]));
    let end = event_of(1, Action::Last).expect("an event");
    assert!(first_is_known(&[post, end]), "the end of the process comes after everybody");
}

#[test]
fn says_when_it_is_full_and_goes_on() {
    let owner = Owner::default();
    let mut order = HappensBefore::new(&mut &owner, 2, Capacity { granules: 8, words: 1 << 8 });
    order.reset(2);
    let post = |at: u64| Event { operation: Operation::new(semaphore::POST, ObjectId(at * 8)), ..Event::default() };
    let fit = (1..=8).take_while(|&at| order.event(&post(at)).is_ok()).count();
    assert_eq!(fit, 6, "three quarters");
    assert_eq!(order.event(&post(6)), Ok(()), "it is there already");
    order.reset(2);
    assert_eq!(order.event(&post(8)), Ok(()), "an execution later there is room");
    let mut small = HappensBefore::new(&mut &owner, 4, Capacity { granules: 8, words: 8 });
    small.reset(4);
    assert_eq!(small.event(&post(1)), Ok(()));
    assert_eq!(small.event(&post(2)), Err(Full), "room for two clocks, of which one knows nothing");
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn join_is_a_least_upper_bound(a in any::<[u32; 5]>(), b in any::<[u32; 5]>(), c in any::<[u32; 5]>()) {
        let joined = |x: [u32; 5], y: [u32; 5]| { let mut x = x; join(&mut x, &y); x };
        prop_assert_eq!(joined(a, b), joined(b, a));
        prop_assert_eq!(joined(joined(a, b), c), joined(a, joined(b, c)));
        prop_assert_eq!(joined(a, a), a);
        prop_assert!(joined(a, b).iter().zip(a).all(|(both, one)| *both >= one));
        prop_assert!(joined(a, b).iter().enumerate().all(|(i, both)| *both == a[i] || *both == b[i]));
    }

    #[test]
    fn granules_cover_each_byte_once(start in 0u64..100, size in 0u64..50) {
        let mut bytes = Vec::new();
        objects::granules(start, size, |granule, bits| {
            bytes.extend((0..8).filter(|bit| bits >> bit & 1 != 0).map(|bit| granule * 8 + bit));
        });
        prop_assert_eq!(bytes, (start..start + size.max(1)).collect::<Vec<_>>());
    }

    /// After every event, each thread knows exactly the events that happen before what it does next.
    #[test]
    fn agrees_with_the_definition(programs in prop::collection::vec(actions(false), 1..3)) {
        let owner = Owner::default();
        let mut order = HappensBefore::new(&mut &owner, THREADS, ROOM);
        for program in programs {
            order.reset(THREADS);
            let mut reference = Reference::new(THREADS);
            for (thread, action) in program {
                if let Some(event) = event_of(thread, action) {
                    take(&mut order, &event).expect("room");
                    reference.take(&event);
                }
                for later in 0..THREADS {
                    order.switched(ThreadId(later as u16));
                    prop_assert_eq!(order.now().1, reference.time(later));
                    for earlier in 0..THREADS {
                        for time in 1..=reference.time(earlier) {
                            // SAFETY: all of them have run.
                            let knows = unsafe { order.knows(ThreadId(earlier as u16), time) };
                            prop_assert_eq!(knows, reference.knows(later, earlier, time), "{} of {} at {}", later, earlier, time);
                        }
                    }
                }
                if matches!(action, Action::Last) {
                    break;
                }
            }
        }
    }
}
