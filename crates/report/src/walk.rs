//! Walks an execution through the model again, to know what its events do not say: who holds what at the end, and
//! which switches were preemptions.

use std::collections::HashMap;

use heddle_model::primitive::{condvar, mutex, once};
use heddle_model::{Event, EventFlags, NoMemory, ObjectId, ObjectSlot, Pending, ThreadId, ThreadState, World};

/// What a walk through an execution tells.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// For each event: another thread ran just before.
    pub switches: Vec<bool>,
    /// For each event: another thread ran just before, and could have gone on.
    pub preemptions: Vec<bool>,
    /// Who holds each locked mutex at the end, and the event that locked it.
    pub holders: HashMap<ObjectId, Holder>,
    /// Who runs each initialisation that is not done at the end, and the event that began it.
    pub running: HashMap<ObjectId, Holder>,
    /// Threads that sleep on a condition variable at the end and were not woken.
    pub sleepers: HashMap<ThreadId, ObjectId>,
}

/// Who holds a mutex, and since which event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    /// Who.
    pub thread: ThreadId,
    /// Since when: an index into the events.
    pub since: usize,
}

/// Walks through `events`, at whose end the threads were about to do `pending`.
pub fn walk(events: &[Event], pending: &[Pending]) -> Walk {
    let mut threads = vec![ThreadState::default(); extent(events, pending)];
    // Every event touches at most four objects; a table needs a quarter of its room free.
    let mut slots = vec![ObjectSlot::default(); (events.len() * 6 + 16).next_power_of_two()];
    let mut world = World::new(&mut threads, &mut slots, &NoMemory);
    let next = next_operations(events, pending);

    let mut walk = Walk::default();
    let mut locked_at: HashMap<ObjectId, usize> = HashMap::new();
    for (index, event) in events.iter().enumerate() {
        let before = index.checked_sub(1).map(|i| events[i].thread);
        let switch = before.is_some_and(|thread| thread != event.thread);
        let preempts = switch && before.is_some_and(|thread| world.enabled(thread));
        walk.switches.push(switch);
        walk.preemptions.push(preempts);

        world.announce(event.thread, event.operation, event.pc);
        if !world.enabled(event.thread) {
            // Not an execution of this model: what follows cannot be trusted, what came before can.
            break;
        }
        world.take(event.thread, event.choice);
        world.settle(event);
        if let Some(mutex) = locks(event) {
            locked_at.insert(mutex, index);
        }
        match event.operation.code {
            once::BEGIN if !event.failed() => {
                walk.running.insert(event.operation.object, Holder { thread: event.thread, since: index });
            }
            once::DONE | once::GIVE_UP => {
                walk.running.remove(&event.operation.object);
            }
            _ => {}
        }
        if let Some((operation, pc)) = next[index] {
            world.announce(event.thread, operation, pc);
        }
    }
    walk.switches.resize(events.len(), false);
    walk.preemptions.resize(events.len(), false);
    for (&object, &since) in &locked_at {
        if let Some(thread) = mutex::owner_of(&world, object) {
            walk.holders.insert(object, Holder { thread, since });
        }
    }
    for waiting in pending {
        let state = world.thread(waiting.thread);
        if state.waits_on != ObjectId::NONE && state.woken_by == 0 {
            walk.sleepers.insert(waiting.thread, state.waits_on);
        }
    }
    walk
}

/// The mutex that `event` locked.
fn locks(event: &Event) -> Option<ObjectId> {
    match event.operation.code {
        // Locked again by its owner, it was locked before.
        _ if event.failed() || event.flags.contains(EventFlags::NESTED) => None,
        mutex::LOCK | mutex::TRYLOCK => Some(event.operation.object),
        condvar::REACQUIRE => Some(ObjectId(event.operation.argument)),
        _ => None,
    }
}

/// Room for every thread that is mentioned.
fn extent(events: &[Event], pending: &[Pending]) -> usize {
    let acting = events.iter().map(|e| e.thread).chain(pending.iter().map(|p| p.thread));
    let operations = events.iter().map(|e| &e.operation).chain(pending.iter().map(|p| &p.operation));
    let meant = operations.filter_map(|operation| operation.object.as_thread());
    acting.chain(meant).map(|thread| thread.index() + 1).max().unwrap_or(0).max(1)
}

type Announced = Option<(heddle_model::Operation, u64)>;

/// For each event, what its thread does next: its next event, or what it was about to do at the end.
fn next_operations(events: &[Event], pending: &[Pending]) -> Vec<Announced> {
    let mut coming: HashMap<ThreadId, Announced> =
        pending.iter().map(|p| (p.thread, Some((p.operation, p.pc)))).collect();
    let mut next = vec![None; events.len()];
    for (index, event) in events.iter().enumerate().rev() {
        let after = coming.insert(event.thread, Some((event.operation, event.pc)));
        next[index] = after.flatten();
    }
    next
}
