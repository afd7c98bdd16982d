//! Walks an execution through the model again, to know what its events do not say: who holds what at the end, and
//! which switches were preemptions.

use std::collections::HashMap;

use heddle_model::primitive::{condvar, mutex, once, rwlock, spin};
use heddle_model::{Event, EventFlags, NoMemory, ObjectId, ObjectSlot, Pending, ThreadId, ThreadState, World};

/// What a walk through an execution tells.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// For each event: another thread ran just before.
    pub switches: Vec<bool>,
    /// For each event: another thread ran just before, and could have gone on.
    pub preemptions: Vec<bool>,
    /// Who holds each lock that is locked by one thread alone at the end, and the event that locked it.
    pub holders: HashMap<ObjectId, Holder>,
    /// Who is in each reader-writer lock as a reader at the end, and the events by which they came in, oldest first.
    pub readers: HashMap<ObjectId, Vec<Holder>>,
    /// The writers that have begun to wait for a lock that prefers them, at the end.
    pub arrived: HashMap<ObjectId, ThreadId>,
    /// Who runs each initialisation that is not done at the end, and the event that began it.
    pub running: HashMap<ObjectId, Holder>,
    /// Threads that sleep on a condition variable at the end and were not woken.
    pub sleepers: HashMap<ThreadId, ObjectId>,
    /// The same, of all threads.
    pub asleep: Vec<ThreadId>,
}

/// Who holds a mutex, and since which event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    /// Who.
    pub thread: ThreadId,
    /// Since when: an index into the events.
    pub since: usize,
}

impl Walk {
    /// Who has what `waiter` waits for: if there are several, itself if it is one of them, else who has had it longest.
    pub fn holder(&self, object: ObjectId, waiter: ThreadId) -> Option<Holder> {
        let readers = self.readers.get(&object).map_or(&[][..], Vec::as_slice);
        let itself = readers.iter().find(|holder| holder.thread == waiter);
        self.holders.get(&object).or(itself).or(readers.first()).copied()
    }

    /// Whether `thread` is in `lock` as a reader.
    pub fn reads(&self, lock: ObjectId, thread: ThreadId) -> bool {
        self.readers.get(&lock).is_some_and(|readers| readers.iter().any(|holder| holder.thread == thread))
    }

    /// Everything that is held at the end.
    pub fn held(&self) -> impl Iterator<Item = (ObjectId, Holder)> {
        let readers =
            self.readers.iter().flat_map(|(&lock, readers)| readers.iter().map(move |&holder| (lock, holder)));
        self.holders.iter().map(|(&object, &holder)| (object, holder)).chain(readers)
    }

    fn note_reader(&mut self, index: usize, event: &Event) {
        let readers = self.readers.entry(event.operation.object).or_default();
        match event.operation.code {
            rwlock::READ_LOCK | rwlock::TRY_READ_LOCK if !event.failed() => {
                readers.push(Holder { thread: event.thread, since: index });
            }
            rwlock::WRITE_ARRIVE if !event.failed() => {
                self.arrived.insert(event.operation.object, event.thread);
            }
            rwlock::WRITE_LOCK => {
                if self.arrived.get(&event.operation.object) == Some(&event.thread) {
                    self.arrived.remove(&event.operation.object);
                }
            }
            rwlock::UNLOCK if event.flags.contains(EventFlags::SHARED) => {
                if let Some(at) = readers.iter().rposition(|holder| holder.thread == event.thread) {
                    readers.remove(at);
                }
            }
            _ => {}
        }
    }
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
        if event.operation.code.family() == rwlock::FAMILY {
            walk.note_reader(index, event);
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
        let owner = match world.objects.get(object).map_or(0, |slot| slot.family) as u8 {
            rwlock::FAMILY => rwlock::writer_of(&world, object),
            spin::FAMILY => spin::owner_of(&world, object),
            _ => mutex::owner_of(&world, object),
        };
        if let Some(thread) = owner {
            walk.holders.insert(object, Holder { thread, since });
        }
    }
    walk.asleep.extend(world.ids().filter(|&thread| {
        let state = world.thread(thread);
        state.waits_on != ObjectId::NONE && state.woken_by == 0
    }));
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
        mutex::LOCK | mutex::TRYLOCK | spin::LOCK | spin::TRYLOCK => Some(event.operation.object),
        rwlock::WRITE_LOCK | rwlock::TRY_WRITE_LOCK => Some(event.operation.object),
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
