//! Replays an execution through the model. The walk computes what the events do not contain: who holds which lock at
//! the end, and which switches were preemptions.

use std::collections::HashMap;

use heddle_model::primitive::{condvar, mutex, once, rwlock, spin};
use heddle_model::retrace::{self, Retrace};
use heddle_model::{Event, EventFlags, ObjectId, Pending, Phase, ThreadId, World};

/// The result of a walk through an execution.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// For each event: whether another thread ran just before it.
    pub switches: Vec<bool>,
    /// For each event: whether another thread ran just before it and was still enabled.
    pub preemptions: Vec<bool>,
    /// The holder of each lock that one thread holds exclusively at the end.
    pub holders: HashMap<ObjectId, Holder>,
    /// The readers of each read-write lock at the end, oldest first.
    pub readers: HashMap<ObjectId, Vec<Holder>>,
    /// The writer that waits at the end for each read-write lock that prefers writers.
    pub arrived: HashMap<ObjectId, ThreadId>,
    /// The thread that runs each unfinished `pthread_once` initialisation at the end.
    pub running: HashMap<ObjectId, Holder>,
    /// The condition variable of each pending thread that waits on one at the end and was not woken.
    pub sleepers: HashMap<ThreadId, ObjectId>,
    /// For each event: how it changed the world.
    pub changes: Vec<Change>,
    /// All threads that wait on a condition variable at the end and were not woken, pending or not.
    pub asleep: Vec<ThreadId>,
}

/// How an event changed the world.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Change {
    /// The locks that the event's thread holds now, in the order of acquisition. `None` if they did not change.
    pub holds: Option<Vec<ObjectId>>,
    /// The threads that the event blocked.
    pub blocks: Vec<ThreadId>,
    /// The threads that the event unblocked.
    pub frees: Vec<ThreadId>,
}

/// The largest product of threads and events for which [`Change::blocks`] and [`Change::frees`] are computed.
const MOST: usize = 4_000_000;

/// The holder of a lock, and the event that acquired it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    /// The thread that holds the lock.
    pub thread: ThreadId,
    /// The index of the event that acquired it.
    pub since: usize,
}

impl Walk {
    /// The thread that holds what `waiter` waits for. Of several readers it is `waiter` itself if it is one of them,
    /// otherwise the one that has held the lock longest.
    pub fn holder(&self, object: ObjectId, waiter: ThreadId) -> Option<Holder> {
        let readers = self.readers.get(&object).map_or(&[][..], Vec::as_slice);
        let itself = readers.iter().find(|holder| holder.thread == waiter);
        self.holders.get(&object).or(itself).or(readers.first()).copied()
    }

    /// Whether `thread` holds `lock` as a reader.
    pub fn reads(&self, lock: ObjectId, thread: ThreadId) -> bool {
        self.readers.get(&lock).is_some_and(|readers| readers.iter().any(|holder| holder.thread == thread))
    }

    /// All locks held at the end, with their holders.
    pub fn held(&self) -> impl Iterator<Item = (ObjectId, Holder)> {
        let readers =
            self.readers.iter().flat_map(|(&lock, readers)| readers.iter().map(move |&holder| (lock, holder)));
        self.holders.iter().map(|(&object, &holder)| (object, holder)).chain(readers)
    }

    fn note_reader(&mut self, index: usize, event: &Event) {
        let readers = self.readers.entry(event.operation.object).or_default();
        match event.operation.code {
            rwlock::READ_LOCK | rwlock::TRY_READ_LOCK | rwlock::TIMED_READ_LOCK if !event.failed() => {
                readers.push(Holder { thread: event.thread, since: index });
            }
            rwlock::WRITE_ARRIVE if !event.failed() => {
                self.arrived.insert(event.operation.object, event.thread);
            }
            rwlock::WRITE_LOCK | rwlock::TIMED_WRITE_LOCK
                if self.arrived.get(&event.operation.object) == Some(&event.thread) =>
            {
                self.arrived.remove(&event.operation.object);
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

/// Walks through `events`. `pending` are the next operations of the threads at the end.
pub fn walk(events: &[Event], pending: &[Pending]) -> Walk {
    let mut retrace = Retrace::default();
    let mut retracing = retrace.begin(retrace::extent(events, pending), events.len());
    let next = next_operations(events, pending);

    let mut walk = Walk { changes: vec![Change::default(); events.len()], ..Walk::default() };
    let mut held = Held::default();
    let mut blocked: Vec<ThreadId> = Vec::new();
    let watched = events.len() * retracing.world.thread_capacity() <= MOST;
    let mut locked_at: HashMap<ObjectId, usize> = HashMap::new();
    for (index, event) in events.iter().enumerate() {
        let before = index.checked_sub(1).map(|i| events[i].thread);
        let switch = before.is_some_and(|thread| thread != event.thread);
        let preempts = switch && before.is_some_and(|thread| retracing.world.enabled(thread));
        walk.switches.push(switch);
        walk.preemptions.push(preempts);

        if !retracing.can_take(event) {
            // The events do not fit the model. What came before this one is still valid.
            break;
        }
        retracing.take(event);
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
        retracing.look_ahead(next[index], &events[..=index]);
        let world = &retracing.world;
        walk.changes[index].holds = held.after(event, world);
        if watched {
            let now: Vec<ThreadId> = world.ids().filter(|&thread| waits(world, thread)).collect();
            walk.changes[index].blocks = now.iter().filter(|thread| !blocked.contains(thread)).copied().collect();
            walk.changes[index].frees = blocked.iter().filter(|&&thread| !now.contains(&thread)).copied().collect();
            blocked = now;
        }
    }
    let world = &retracing.world;
    walk.switches.resize(events.len(), false);
    walk.preemptions.resize(events.len(), false);
    for (&object, &since) in &locked_at {
        if let Some(thread) = owner(world, object) {
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

/// The thread that holds `object` exclusively.
fn owner(world: &World, object: ObjectId) -> Option<ThreadId> {
    let mutex = mutex::owner_of(world, object);
    mutex.or_else(|| rwlock::writer_of(world, object)).or_else(|| spin::owner_of(world, object))
}

/// Whether `thread` is alive and blocked.
fn waits(world: &World, thread: ThreadId) -> bool {
    world.thread(thread).phase == Phase::Alive && !world.enabled(thread)
}

/// The locks that each thread holds, in the order of acquisition.
#[derive(Default)]
struct Held {
    by: HashMap<ThreadId, Vec<ObjectId>>,
    /// The readers of each read-write lock. The model only counts them.
    readers: HashMap<ObjectId, Vec<ThreadId>>,
}

impl Held {
    /// The locks that the thread of `event` holds after it. `None` if they did not change. The answer comes from the
    /// world, not from the operation, so it covers every way to lock and unlock.
    fn after(&mut self, event: &Event, world: &World) -> Option<Vec<ObjectId>> {
        let me = event.thread;
        let second = matches!(event.operation.code, condvar::WAIT | condvar::REACQUIRE);
        let objects = [Some(event.operation.object), second.then_some(ObjectId(event.operation.argument))];
        let before = self.by.entry(me).or_default().clone();
        for object in objects.into_iter().flatten().filter(|object| object.as_thread().is_none()) {
            self.note_reader(event, object);
            let reads = self.readers.get(&object).is_some_and(|readers| readers.contains(&me));
            let mine = owner(world, object) == Some(me) || reads;
            let held = self.by.entry(me).or_default();
            match (mine, held.iter().position(|known| *known == object)) {
                (true, None) => held.push(object),
                (false, Some(at)) => {
                    held.remove(at);
                }
                _ => {}
            }
        }
        let held = &self.by[&me];
        (*held != before).then(|| held.clone())
    }

    fn note_reader(&mut self, event: &Event, object: ObjectId) {
        if event.operation.code.family() != rwlock::FAMILY || event.failed() {
            return;
        }
        let readers = self.readers.entry(object).or_default();
        match event.operation.code {
            rwlock::READ_LOCK | rwlock::TRY_READ_LOCK | rwlock::TIMED_READ_LOCK => readers.push(event.thread),
            rwlock::UNLOCK if event.flags.contains(EventFlags::SHARED) => {
                if let Some(at) = readers.iter().rposition(|thread| *thread == event.thread) {
                    readers.remove(at);
                }
            }
            _ => {}
        }
    }
}

/// The mutex that `event` locked.
fn locks(event: &Event) -> Option<ObjectId> {
    match event.operation.code {
        // A nested lock does not change the owner.
        _ if event.failed() || event.flags.contains(EventFlags::NESTED) => None,
        mutex::LOCK | mutex::TRYLOCK | mutex::TIMEDLOCK | spin::LOCK | spin::TRYLOCK => Some(event.operation.object),
        rwlock::WRITE_LOCK | rwlock::TRY_WRITE_LOCK | rwlock::TIMED_WRITE_LOCK => Some(event.operation.object),
        condvar::REACQUIRE => Some(ObjectId(event.operation.argument)),
        _ => None,
    }
}

type Announced = Option<(heddle_model::Operation, u64)>;

/// For each event, the next operation of its thread: that of its next event, or the pending one at the end.
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
