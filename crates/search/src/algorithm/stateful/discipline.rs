//! Which mutexes only exclude, as far as executions show it.
//!
//! A mutex **only excludes** if its critical sections are of the simplest kind (a lock, accesses, the unlock by the same thread), and if
//! whatever is touched in one of them is never touched by another thread at the same time, one of the two writing: both hold a common mutex, or
//! the beginnings and ends of threads order them. Then nobody can tell when inside the section another thread has run, and the section is one
//! step, whose footprint is what it touches. A mutex that does more is *seen* ([`heddle_model::immediate::seen`]), and the search begins
//! anew with it as an ordinary one. That ends, because each is seen once.
//!
//! What is compared is what was run, over all executions. `docs/algorithms.md` says why that is enough.

use std::collections::HashMap;

use heddle_model::immediate::{self, Deed, begins_section, deed, ends_section, seen};
use heddle_model::{Access, Event, Footprint, Mode, ObjectId, ThreadId};
use serde::{Deserialize, Serialize};

use crate::options::Rules;

/// How many bytes are looked at together.
const GRANULE: u64 = 8;

/// The beginnings and ends of threads that come before something, for each thread: how many of its own are certain to.
type Lives = Vec<u32>;

/// An access, by whom, and what orders it with others. Stored once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Entry {
    /// Its first byte, and their number.
    first: u64,
    size: u32,
    writes: bool,
    thread: ThreadId,
    /// The number of the set of mutexes that the thread held.
    held: u32,
    /// The number of the beginnings and ends that come before it.
    lives: u32,
}

impl Entry {
    fn conflicts_with(&self, other: &Entry) -> bool {
        (self.writes || other.writes)
            && self.first < other.first + u64::from(other.size)
            && other.first < self.first + u64::from(self.size)
    }
}

/// Where the threads of an execution are.
#[derive(Default)]
struct Walk {
    /// The mutexes that each thread holds.
    held: Vec<Vec<ObjectId>>,
    lives: Vec<Lives>,
    /// Whether `lives` have changed since their number was asked for.
    changed: bool,
}

/// What was touched under which mutexes.
#[derive(Default)]
pub(crate) struct Discipline {
    /// Whether critical sections are steps at all.
    on: bool,
    rules: Rules,
    /// The mutexes that do more than exclude, by their numbers.
    seen: Vec<u64>,
    entries: HashMap<u64, Vec<Entry>>,
    sets: Vec<Vec<ObjectId>>,
    lives: Vec<Lives>,
    /// What comes before what all threads do next, and its number: see [`Discipline::order`].
    orders: HashMap<Vec<Lives>, u32>,
    /// For each state of the graph the number of its order.
    of_states: Vec<u32>,
    /// For each event of the last execution from `from` on, and its end: the number of the order there.
    passed: Vec<u32>,
    from: usize,
    walk: Walk,
    /// The mutexes that were seen to do more than exclude in the last execution.
    found: Vec<ObjectId>,
    /// All of them may.
    all: bool,
}

/// What is written down of it.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Saved {
    entries: Vec<(u64, Vec<Entry>)>,
    sets: Vec<Vec<ObjectId>>,
    lives: Vec<Lives>,
    orders: Vec<Vec<Lives>>,
    of_states: Vec<u32>,
}

impl Discipline {
    /// Nothing was run. `places` are visible.
    pub fn new(on: bool, places: &[u64], rules: Rules) -> Discipline {
        let mut seen = places.to_vec();
        seen.sort_unstable();
        let on = on && !places.contains(&immediate::SECTIONS_ARE_SEEN);
        Discipline { on, rules, seen, ..Discipline::default() }
    }

    /// Whether critical sections are steps.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The mutex whose critical section begins with `event`, if that is one step.
    pub fn begins(&self, event: &Event) -> Option<ObjectId> {
        begins_section(event).filter(|mutex| self.on && self.only_excludes(*mutex))
    }

    fn only_excludes(&self, mutex: ObjectId) -> bool {
        self.seen.binary_search(&seen(mutex)).is_err()
    }

    /// What an event touches that is part of the critical section of `mutex`. Nobody can tell that the mutex is locked. That it is there
    /// still matters.
    pub fn footprint(event: &Event, mutex: Option<ObjectId>) -> Footprint {
        let whole = Footprint::of(event);
        let Some(mutex) = mutex else { return whole };
        let mut footprint = Footprint::new();
        for access in whole.accesses() {
            let mode = if access.object == mutex { Mode::Read } else { access.mode };
            footprint.touch_bytes(access.object, access.size, mode);
        }
        footprint
    }

    /// Looks at a step that was run.
    pub fn step(&mut self, step: &[Event]) {
        let Some(mutex) = step.first().and_then(|first| self.begins(first)) else { return };
        let thread = step[0].thread;
        let end = step.iter().position(|event| event.thread == thread && ends_section(event, mutex));
        if end.is_none() && self.rules.closed {
            self.found.push(mutex);
        }
    }

    /// Looks at all events of an execution. Those before `from` were looked at before.
    pub fn execution(&mut self, events: &[Event], from: usize) {
        if !self.on {
            return;
        }
        let mut walk = std::mem::take(&mut self.walk);
        walk.held.iter_mut().for_each(Vec::clear);
        walk.lives.iter_mut().for_each(Vec::clear);
        walk.changed = true;
        self.passed.clear();
        self.from = from;
        let mut order = 0;
        for index in 0..=events.len() {
            if index >= from {
                order = self.order(&mut walk, order);
                self.passed.push(order);
            }
            let Some(event) = events.get(index) else { continue };
            walk.before(event);
            if index >= from {
                self.note(&walk, event);
            }
            walk.after(event);
        }
        self.walk = walk;
    }

    /// The number of what the beginnings and ends of threads order with what comes next. `last` is the last answer.
    fn order(&mut self, walk: &mut Walk, last: u32) -> u32 {
        if !std::mem::take(&mut walk.changed) {
            return last;
        }
        let next = self.orders.len() as u32;
        match self.orders.get(&walk.lives) {
            Some(&number) => number,
            None => {
                self.orders.insert(walk.lives.clone(), next);
                next
            }
        }
    }

    /// Notes that event `index` of the last execution comes after a state, new or known. What is ordered there must not depend on the way.
    pub fn state(&mut self, node: u32, index: usize) {
        if !self.on {
            return;
        }
        let order = self.passed[index - self.from];
        match self.of_states.get(node as usize) {
            Some(&known) => self.all |= known != order,
            None => self.of_states.push(order),
        }
    }

    fn note(&mut self, walk: &Walk, event: &Event) {
        let (is_mutex, is_plain) = immediate::on_mutex(event).map_or((false, true), |is_plain| (true, is_plain));
        if is_mutex && !is_plain && self.rules.tried {
            // It can tell whether the mutex is locked.
            self.found.push(event.operation.object);
        }
        let touched = Footprint::alone(event);
        let ordinary = |access: &&Access| access.object.as_thread().is_none();
        if touched.is_everything() || !touched.accesses().iter().any(|access| ordinary(&access)) {
            return;
        }
        let held = number(&mut self.sets, &walk.held[event.thread.index()]);
        let lives = number(&mut self.lives, &walk.lives[event.thread.index()]);
        for Access { object, size, mode } in touched.accesses().iter().filter(ordinary) {
            // Whatever is done to a mutex counts, even if it fails.
            let writes = is_mutex || *mode != Mode::Read;
            self.add(Entry { first: object.0, size: (*size).max(1), writes, thread: event.thread, held, lives });
        }
    }

    fn add(&mut self, entry: Entry) {
        for granule in entry.first / GRANULE..=(entry.first + u64::from(entry.size) - 1) / GRANULE {
            let others = self.entries.entry(granule).or_default();
            if others.contains(&entry) {
                continue;
            }
            for other in others.iter() {
                let (mine, theirs) = (&self.sets[entry.held as usize], &self.sets[other.held as usize]);
                if entry.thread == other.thread
                    || !self.rules.compared
                    || !entry.conflicts_with(other)
                    || mine.iter().any(|mutex| theirs.contains(mutex))
                    || is_before(&self.lives, other, &entry)
                    || is_before(&self.lives, &entry, other)
                {
                    continue;
                }
                // What is touched in a section of each of them can be touched inside it by somebody else.
                self.found.extend(mine.iter().chain(theirs));
            }
            others.push(entry);
        }
    }

    /// The mutexes that were seen to do more than exclude since the last call, as numbers.
    pub fn take_found(&mut self) -> Vec<u64> {
        if self.all && self.on {
            self.on = false;
            return vec![immediate::SECTIONS_ARE_SEEN];
        }
        let Discipline { found, seen: known, .. } = self;
        let mut numbers: Vec<u64> = found.drain(..).map(seen).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|number| known.binary_search(number).is_err());
        numbers
    }

    /// Everything, to be written down.
    pub fn save(&self) -> Saved {
        let mut entries: Vec<_> = self.entries.iter().map(|(granule, list)| (*granule, list.clone())).collect();
        entries.sort_unstable_by_key(|(granule, _)| *granule);
        let mut orders: Vec<_> = self.orders.iter().collect();
        orders.sort_unstable_by_key(|(_, number)| **number);
        Saved {
            entries,
            sets: self.sets.clone(),
            lives: self.lives.clone(),
            orders: orders.into_iter().map(|(order, _)| order.clone()).collect(),
            of_states: self.of_states.clone(),
        }
    }

    /// Goes on from what was written down, for so many states. `None` if its numbers contradict each other.
    pub fn restore(&mut self, saved: Saved, states: usize) -> Option<()> {
        let Saved { entries, sets, lives, orders, of_states } = saved;
        let sound = |entry: &Entry| {
            (entry.held as usize) < sets.len()
                && (entry.lives as usize) < lives.len()
                && entry.first.checked_add(entry.size.into()).is_some()
        };
        if !entries.iter().flat_map(|(_, list)| list).all(sound) || of_states.len() != if self.on { states } else { 0 }
        {
            return None;
        }
        self.entries = entries.into_iter().collect();
        self.orders = orders.into_iter().zip(0..).collect();
        (self.sets, self.lives, self.of_states) = (sets, lives, of_states);
        Some(())
    }
}

/// Whether `one` comes before `other` in every execution, by the beginnings and ends of threads.
fn is_before(lives: &[Lives], one: &Entry, other: &Entry) -> bool {
    let of = |entry: &Entry, thread: ThreadId| lives[entry.lives as usize].get(thread.index()).copied().unwrap_or(0);
    of(other, one.thread) > of(one, one.thread)
}

/// The number of `value`, which is added if it is new.
fn number<T: PartialEq + Clone>(all: &mut Vec<T>, value: &T) -> u32 {
    let found = all.iter().rposition(|known| known == value);
    found.unwrap_or_else(|| {
        all.push(value.clone());
        all.len() - 1
    }) as u32
}

impl Walk {
    fn make_room(&mut self, thread: ThreadId) {
        let count = thread.index() + 1;
        if self.held.len() < count {
            self.held.resize(count, Vec::new());
            self.lives.resize(count, Vec::new());
        }
        if self.lives[thread.index()].len() < count {
            self.lives[thread.index()].resize(count, 0);
            self.lives[thread.index()][thread.index()] = 1;
            self.changed = true;
        }
    }

    /// What holds when `event` is taken: whoever locks holds the mutex then.
    fn before(&mut self, event: &Event) {
        self.make_room(event.thread);
        if let Deed::Locks(mutex) = deed(event) {
            self.held[event.thread.index()].push(mutex);
            self.held[event.thread.index()].sort_unstable_by_key(|mutex| mutex.0);
        }
    }

    /// What holds after `event`. To know of fewer mutexes and of less order is always right.
    fn after(&mut self, event: &Event) {
        let by = event.thread.index();
        match deed(event) {
            Deed::Unlocks(mutex) => self.held[by].retain(|held| *held != mutex),
            Deed::LetsGo => self.held[by].clear(),
            Deed::Creates(child) => {
                self.make_room(child);
                self.changed = true;
                self.lives[by][by] += 1;
                let mut lives = self.lives[by].clone();
                lives.resize(lives.len().max(child.index() + 1), 0);
                lives[child.index()] = 1;
                self.lives[child.index()] = lives;
            }
            Deed::Joins(child) => {
                self.make_room(child);
                self.changed = true;
                let ended = self.lives[child.index()].clone();
                let own = &mut self.lives[by];
                own.resize(own.len().max(ended.len()), 0);
                own.iter_mut().zip(&ended).for_each(|(own, other)| *own = (*own).max(*other));
                own[child.index()] = ended[child.index()] + 1;
            }
            Deed::Locks(_) | Deed::Other => {}
        }
    }
}
