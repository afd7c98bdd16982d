use super::*;
use crate::primitive::{atomic, mutex, thread};
use crate::{Choice, Execution, Memory, ObjectId, Outcome};

const LOCK: ObjectId = ObjectId(0x100);
const PLACE: ObjectId = ObjectId(0x200);

/// The comparisons of the program all fail.
struct Fails;

impl Memory for Fails {
    fn compare_fails(&self, _: &Operation) -> bool {
        true
    }
}

/// Takes a script through a world, as a program would.
fn record(script: &[(u16, Operation)]) -> Vec<Event> {
    let mut threads = vec![ThreadState::default(); 4];
    let mut objects = vec![ObjectSlot::default(); 64];
    let mut world = World::new(&mut threads, &mut objects, &Fails);
    let take = |&(thread, operation): &(u16, Operation)| {
        world.announce(ThreadId(thread), operation, 0);
        assert!(world.enabled(ThreadId(thread)), "{operation:?}");
        world.take(ThreadId(thread), Choice::FIRST)
    };
    script.iter().map(take).collect()
}

fn two_lockers() -> Vec<Event> {
    let lock = |thread| (thread, Operation::new(mutex::LOCK, LOCK));
    let unlock = |thread| (thread, Operation::new(mutex::UNLOCK, LOCK));
    let of = |code, other| Operation::new(code, ObjectId::thread(ThreadId(other)));
    record(&[
        (0, of(thread::START, 0)),
        (0, of(thread::CREATE, 1)),
        (1, of(thread::START, 1)),
        lock(0),
        unlock(0),
        lock(1),
        unlock(1),
    ])
}

#[test]
fn every_event_of_an_execution_can_be_taken_again() {
    let events = two_lockers();
    let mut retrace = Retrace::default();
    // Twice: what the first left in the memory does no harm.
    for _ in 0..2 {
        let mut retracing = retrace.begin(extent(&events, []), events.len());
        for event in &events {
            assert!(retracing.can_take(event), "{event:?}");
            retracing.take(event);
        }
        assert_eq!(mutex::owner_of(&retracing.world, LOCK), None);
    }
}

#[test]
fn what_is_no_execution_is_noticed() {
    let events = two_lockers();
    let mut retrace = Retrace::default();
    let mut retracing = retrace.begin(extent(&events, []), events.len());
    events[..4].iter().for_each(|event| retracing.take(event));
    assert_eq!(mutex::owner_of(&retracing.world, LOCK), Some(ThreadId(0)));
    assert!(!retracing.can_take(&events[5]), "the mutex is held");
}

#[test]
fn a_thread_is_ready_unless_it_waits() {
    let events = two_lockers();
    let execution = Execution {
        events: &events,
        pending: &[],
        outcome: Outcome::Running,
        circle: false,
        left: 0,
        thread: ThreadId::MAIN,
        message: "",
        output: &[],
        races: &[],
        states: &[],
        touches: &[],
        contents: &[],
    };
    let mut ready = Vec::new();
    Retrace::default().walk(&execution, 0, |_, list| {
        ready.push(list.iter().map(|one| one.thread.0).collect::<Vec<_>>());
    });
    // Both want the mutex before event 3; while it is held only its owner goes on.
    assert_eq!(ready[3..=5], [vec![0, 1], vec![0], vec![1]]);
    assert_eq!(ready.len(), events.len() + 1);
}

#[test]
fn a_moved_event_waits_or_changes() {
    let mut events = two_lockers();
    let mut retrace = Retrace::default();
    let moved = events[5];
    assert!(retrace.relabel(&events, 4, 0..0, &moved).is_none(), "the mutex is held");
    assert_eq!(retrace.relabel(&events, 3, 0..0, &moved).map(|event| event.thread), Some(ThreadId(1)));
    // A trylock that succeeded fails while the other thread holds the mutex.
    events[5].operation.code = mutex::TRYLOCK;
    let moved = events[5];
    assert!(retrace.relabel(&events, 4, 0..0, &moved).is_some_and(|event| event.failed()));
    assert!(retrace.relabel(&events, 3, 0..0, &moved).is_some_and(|event| !event.failed()));
}

#[test]
fn a_moved_comparison_asks_the_events_for_the_value() {
    let of = |code, argument| Operation { argument, size: 4, ..Operation::new(code, PLACE) };
    let event = |thread, operation, result| Event { operation, thread: ThreadId(thread), result, ..Event::default() };
    // The place holds 7, then 8. Thread 1 compares it with 7 and fails.
    let mut compare = event(1, of(atomic::COMPARE_EXCHANGE, 7), 8);
    compare.flags = EventFlags::FAILED;
    let events = [event(0, of(atomic::LOAD, 0), 7), event(0, of(atomic::STORE, 8), 0), compare];
    let mut retrace = Retrace::default();
    let fails = |retrace: &mut Retrace, at| retrace.relabel(&events, at, 0..0, &compare).map(|event| event.failed());
    assert_eq!(fails(&mut retrace, 0), Some(false), "the load shows 7");
    assert_eq!(fails(&mut retrace, 1), Some(false), "the load has shown 7");
    assert_eq!(fails(&mut retrace, 2), Some(true), "the store has left 8");
}
