//! Happens-before as C++20 defines it ([intro.races], [atomics.order], [atomics.fences]).
//!
//! Each relation between the events of one sequentially consistent execution is computed as the standard defines it,
//! without clocks. Tests compare the runtime's vector clocks with this. Programs may create and join threads and use
//! mutexes, atomics, fences and plain accesses.

use std::collections::{BTreeSet, HashSet};

use heddle_model::primitive::{atomic, memory, mutex, thread};
use heddle_model::{Event, ObjectId, Outcome, ThreadId};

use crate::{FinalState, Program, oracle};

const ACQUIRE: [u32; 4] = [1, 2, 4, 5];
const RELEASE: [u32; 3] = [3, 4, 5];

fn order(event: &Event) -> u32 {
    let failed = event.operation.code == atomic::COMPARE_EXCHANGE && event.failed();
    event.operation.detail >> if failed { 8 } else { 4 } & 7
}

fn is_fence(event: &Event, orders: &[u32]) -> bool {
    event.operation.code == atomic::FENCE && orders.contains(&order(event))
}

/// Whether `event` is an atomic operation that reads a value.
fn reads(event: &Event) -> bool {
    matches!(event.operation.code, atomic::LOAD | atomic::RMW | atomic::COMPARE_EXCHANGE)
}

/// Whether `event` is an atomic operation that writes a value.
fn writes(event: &Event) -> bool {
    let code = event.operation.code;
    matches!(code, atomic::STORE | atomic::RMW) || code == atomic::COMPARE_EXCHANGE && !event.failed()
}

/// The events that happen before the one at `at`, as bits. `before` holds the bits of the earlier events.
fn happens_before(events: &[Event], at: usize, before: &[u128]) -> u128 {
    let event = &events[at];
    let code = event.operation.code;
    let mut all = 0;
    let mut after = |earlier: usize| all |= before[earlier] | 1 << earlier;
    for (index, earlier) in events[..at].iter().enumerate() {
        let sequenced = earlier.thread == event.thread;
        let created =
            earlier.operation.code == thread::CREATE && earlier.operation.object.as_thread() == Some(event.thread);
        let joined = code == thread::JOIN && event.operation.object.as_thread() == Some(earlier.thread);
        let locks = matches!(code, mutex::LOCK | mutex::TRYLOCK) && !event.failed();
        let handed =
            locks && earlier.operation.code == mutex::UNLOCK && earlier.operation.object == event.operation.object;
        if sequenced || created || joined || handed {
            after(index);
        }
    }
    // What this event acquires: the value that it reads or, for a fence, all values that its thread has read.
    let values: Vec<usize> = if reads(event) && ACQUIRE.contains(&order(event)) {
        vec![at]
    } else if is_fence(event, &ACQUIRE) {
        (0..at).filter(|&y| events[y].thread == event.thread && reads(&events[y])).collect()
    } else {
        Vec::new()
    };
    for read in values {
        for head in synchronising_heads(events, read) {
            if RELEASE.contains(&order(&events[head])) {
                after(head);
            }
            // A release fence before the head makes the head a release.
            (0..head)
                .filter(|&f| events[f].thread == events[head].thread && is_fence(&events[f], &RELEASE))
                .for_each(&mut after);
        }
    }
    all
}

/// The writes whose release sequence contains the value that the event at `read` reads, whether they release or not.
fn synchronising_heads(events: &[Event], read: usize) -> Vec<usize> {
    let place = events[read].operation.object;
    let modifications: Vec<usize> =
        (0..read).filter(|&w| writes(&events[w]) && events[w].operation.object == place).collect();
    let Some(last) = modifications.len().checked_sub(1) else { return Vec::new() };
    // A release sequence is its head and the read-modify-writes right after it.
    let goes_on = |at: usize| events[modifications[at]].operation.code != atomic::STORE;
    (0..=last).filter(|&head| (head + 1..=last).all(goes_on)).map(|head| modifications[head]).collect()
}

/// The places (granules of eight bytes) with a data race in `events`: two conflicting plain accesses, neither of which
/// happens before the other.
pub fn races(events: &[Event]) -> BTreeSet<u64> {
    assert!(events.len() <= 128, "a small execution");
    let mut before: Vec<u128> = Vec::new();
    for at in 0..events.len() {
        let all = happens_before(events, at, &before);
        before.push(all);
    }
    let access = |e: &Event| -> Option<(ThreadId, ObjectId, bool)> {
        let plain = e.operation.code.family() == memory::FAMILY;
        plain.then_some((e.thread, e.operation.object, e.operation.code == memory::WRITE))
    };
    let mut places = BTreeSet::new();
    for (index, event) in events.iter().enumerate() {
        let Some((thread, object, write)) = access(event) else { continue };
        for (earlier, other) in events[..index].iter().enumerate() {
            let Some((its_thread, its_object, its_write)) = access(other) else { continue };
            let conflict = its_thread != thread && its_object == object && (write || its_write);
            if conflict && before[index] & 1 << earlier == 0 {
                places.insert(object.0 & !7);
            }
        }
    }
    places
}

/// The places on which some interleaving of `program` has a data race, and all final states. `None` if there are more than
/// `limit` prefixes of traces.
pub fn racy_places(program: &Program, limit: usize) -> Option<(BTreeSet<u64>, HashSet<FinalState>)> {
    let mut places = BTreeSet::new();
    let mut states = HashSet::new();
    let complete = oracle::every_prefix(program, limit, |executor, events, outcome| {
        if outcome != Outcome::Running {
            places.extend(races(events));
            states.insert(executor.final_state());
        }
    });
    complete.then_some((places, states))
}
