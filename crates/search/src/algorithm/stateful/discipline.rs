//! Which mutexes only exclude, as far as executions show it.
//!
//! A mutex **only excludes** if its critical sections are of the simplest kind (a lock, accesses, the unlock by the same thread), and if
//! whatever is touched in one of them is never touched by another thread at the same time, one of the two writing: both hold a common mutex, or
//! the beginnings and ends of threads order them. Then nobody can tell when inside the section another thread has run, and the section is one
//! step, whose footprint is what it touches. A mutex that does more is *seen* ([`heddle_model::immediate::seen`]), and the search begins
//! anew with it as an ordinary one. That ends, because each is seen once.
//!
//! What is compared is what was run, over all executions. `docs/algorithms.md` says why that is enough.

use std::collections::{BTreeSet, HashMap};

use heddle_model::access::MAX_ACCESSES;
use heddle_model::immediate::{self, Deed, begins_section, deed, ends_section, seen};
use heddle_model::{Access, Event, Execution, Footprint, Mode, ObjectId, PlainTouch, ThreadId};
use serde::{Deserialize, Serialize};

use crate::drive::summary::DisciplineCounts;
use crate::options::Rules;

/// How many bytes are looked at together.
const GRANULE: u64 = 8;

/// How many granules are watched one by one, at most.
const MOST_WATCHED: usize = 64;

/// How many pieces of plain memory the footprint of a critical section names, at most.
const MOST_PIECES: usize = 2;

/// The beginnings and ends of threads that come before something, for each thread: how many of its own are certain to.
type Lives = Vec<u32>;

/// An access, by whom, and what orders it with others. Stored once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Entry {
    /// Its first byte, and their number.
    first: u64,
    size: u32,
    writes: bool,
    /// It is an access to plain memory: it can be in a data race.
    plain: bool,
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
    /// For each thread the numbers of what it holds and of its lives, if they are known.
    numbers: Vec<Option<(u32, u32)>>,
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
    /// Whether executions tell what is done with plain memory, so that data races are told by the locks that are held.
    told: bool,
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
    /// The granules that are not ordered by locks and lives alone, since [`Discipline::take_found`].
    watch: Vec<u64>,
    /// How many there are in all.
    watched: usize,
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
    pub fn new((on, told): (bool, bool), places: &[u64], rules: Rules) -> Discipline {
        let mut seen = places.to_vec();
        seen.sort_unstable();
        let on = on && !places.contains(&immediate::SECTIONS_ARE_SEEN);
        Discipline { on, told, rules, seen, ..Discipline::default() }
    }

    /// Whether critical sections are steps.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Whether executions are to tell what is done with plain memory.
    pub fn is_told(&self) -> bool {
        self.told
    }

    /// What it has come to.
    pub fn counts(&self) -> DisciplineCounts {
        let is_there = |number: u64| self.seen.binary_search(&number).is_ok();
        let shared = |list: &&Vec<Entry>| {
            let (first, plain) = (list[0].thread, list.iter().any(|entry| entry.plain));
            plain && list.iter().any(|entry| entry.writes) && list.iter().any(|entry| entry.thread != first)
        };
        let locks: BTreeSet<u64> = self.sets.iter().flatten().map(|mutex| mutex.0).collect();
        let plain = |mutex: &&u64| self.on && self.only_excludes(ObjectId(**mutex));
        let watched = |granule: &&u64| is_there(immediate::watched(**granule));
        DisciplineCounts {
            told: self.told,
            places: self.entries.values().filter(shared).count() as u64,
            watched: self.entries.keys().filter(watched).count() as u64,
            all_watched: is_there(immediate::ALL_WATCHED),
            locks: locks.len() as u64,
            steps: locks.iter().filter(plain).count() as u64,
        }
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

    /// Looks at a step that was run, of these events; `touches` is what it did with plain memory, and `since` the number of events before it.
    /// If it is a critical section: its mutex, and what it touches.
    pub fn step(&mut self, step: &[Event], touches: &[PlainTouch], since: usize) -> Option<Footprint> {
        let mutex = step.first().and_then(|first| self.begins(first))?;
        let thread = step[0].thread;
        let end = step.iter().position(|event| event.thread == thread && ends_section(event, mutex));
        if end.is_none() && self.rules.closed || self.rules.unseen && touches.iter().any(|touch| !touch.is_memory()) {
            self.found.push(mutex);
        }
        let end = since + end.unwrap_or(step.len());
        let inside = touches.iter().filter(|touch| (touch.events as usize) <= end && touch.is_memory());
        // Where others use a stack, nothing is a section.
        let inside = inside.filter(|touch| !touch.is_on_stack_of(thread) && self.rules.bodies);
        Some(body(mutex, &Discipline::footprint(&step[0], Some(mutex)), inside.map(PlainTouch::access)))
    }

    /// Looks at everything that was done in an execution. What came before event `from` was looked at before.
    pub fn execution(&mut self, execution: &Execution<'_>, from: usize) {
        let Execution { events, touches, .. } = *execution;
        if !self.on && !self.told {
            return;
        }
        let mut touches = touches.iter().peekable();
        let mut walk = std::mem::take(&mut self.walk);
        walk.held.iter_mut().for_each(Vec::clear);
        walk.lives.iter_mut().for_each(Vec::clear);
        walk.numbers.iter_mut().for_each(|numbers| *numbers = None);
        walk.changed = true;
        self.passed.clear();
        self.from = from;
        let mut order = 0;
        for index in 0..=events.len() {
            if index >= from {
                order = self.order(&mut walk, order);
                self.passed.push(order);
            }
            let thread = if index == 0 { ThreadId::MAIN } else { events[index - 1].thread };
            while let Some(touch) = touches.next_if(|touch| touch.events as usize <= index) {
                self.touch(&mut walk, thread, touch);
            }
            let Some(event) = events.get(index) else { continue };
            walk.before(event);
            if index >= from {
                self.note(&mut walk, event);
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
        if !self.on && !self.told {
            return;
        }
        let order = self.passed[index - self.from];
        match self.of_states.get(node as usize) {
            Some(&known) => self.all |= known != order,
            None => self.of_states.push(order),
        }
    }

    /// Takes note of something that `thread` did with plain memory.
    fn touch(&mut self, walk: &mut Walk, thread: ThreadId, touch: &PlainTouch) {
        if touch.is(PlainTouch::EVERYTHING) {
            self.all = true;
        } else if touch.is_memory() {
            walk.make_room(thread);
            let (held, lives) = self.numbers(walk, thread);
            let (writes, plain) = (touch.is(PlainTouch::WRITES), !touch.is(PlainTouch::ATOMIC));
            self.add(Entry { first: touch.first, size: touch.size, writes, plain, thread, held, lives });
        }
    }

    /// The numbers of what a thread holds and of its lives.
    fn numbers(&mut self, walk: &mut Walk, thread: ThreadId) -> (u32, u32) {
        let at = thread.index();
        *walk.numbers[at]
            .get_or_insert_with(|| (number(&mut self.sets, &walk.held[at]), number(&mut self.lives, &walk.lives[at])))
    }

    fn note(&mut self, walk: &mut Walk, event: &Event) {
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
        let (held, lives) = self.numbers(walk, event.thread);
        let plain = immediate::is_plain(event);
        for Access { object, size, mode } in touched.accesses().iter().filter(ordinary) {
            // Whatever is done to a mutex counts, even if it fails.
            let writes = is_mutex || *mode != Mode::Read;
            self.add(Entry { first: object.0, size: (*size).max(1), writes, plain, thread: event.thread, held, lives });
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
                if self.told && (entry.plain || other.plain) && self.rules.watched {
                    self.watch.push(granule);
                }
            }
            others.push(entry);
        }
    }

    /// The mutexes that were seen to do more than exclude since the last call, as numbers.
    pub fn take_found(&mut self) -> Vec<u64> {
        let Discipline { found, seen: known, watch, .. } = self;
        let mut numbers: Vec<u64> = if self.on { found.drain(..).map(seen).collect() } else { Vec::new() };
        let new = watch.drain(..).filter(|&granule| known.binary_search(&immediate::watched(granule)).is_err());
        let new: BTreeSet<u64> = if self.told { new.collect() } else { BTreeSet::new() };
        self.watched += new.len();
        if self.told && (self.all || self.watched > MOST_WATCHED) {
            numbers.push(immediate::ALL_WATCHED);
        } else if !new.is_empty() {
            numbers.push(immediate::SOME_WATCHED);
            numbers.extend(new.iter().map(|&granule| immediate::watched(granule)));
        }
        if self.on && (self.all || !new.is_empty()) {
            // What the race detector knows goes through locks, too: nothing that it knows is changed by a section alone.
            numbers.push(immediate::SECTIONS_ARE_SEEN);
        }
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
        let expected = if self.on || self.told { states } else { 0 };
        if !entries.iter().flat_map(|(_, list)| list).all(sound) || of_states.len() != expected {
            return None;
        }
        self.entries = entries.into_iter().collect();
        self.orders = orders.into_iter().zip(0..).collect();
        (self.sets, self.lives, self.of_states) = (sets, lives, of_states);
        Some(())
    }
}

/// What a critical section of `mutex` touches: its `begin`, and these pieces of plain memory. If there are too many it writes to the mutex: who
/// uses what the mutex protects has it, so it conflicts with all of them.
fn body(mutex: ObjectId, begin: &Footprint, inside: impl Iterator<Item = Access>) -> Footprint {
    let mut pieces: Vec<Access> = inside.collect();
    pieces.sort_unstable_by_key(|piece| (piece.object.0, piece.size, piece.mode != Mode::Read));
    pieces.dedup();
    let covered = |one: &Access, other: &Access| {
        let end = |piece: &Access| piece.object.0 + u64::from(piece.size);
        one != other
            && other.object.0 <= one.object.0
            && end(one) <= end(other)
            && (other.mode == Mode::Write || other.mode == one.mode)
    };
    let needed: Vec<&Access> = pieces.iter().filter(|one| !pieces.iter().any(|other| covered(one, other))).collect();
    let mut footprint = Footprint::new();
    let is_short = needed.len() <= MOST_PIECES.min(MAX_ACCESSES - begin.accesses().len());
    for access in begin.accesses() {
        let mode = if access.object == mutex && !is_short { Mode::Write } else { access.mode };
        footprint.touch_bytes(access.object, access.size, mode);
    }
    if is_short {
        needed.iter().for_each(|piece| footprint.touch_bytes(piece.object, piece.size, piece.mode));
    }
    footprint
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
            self.numbers.resize(count, None);
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
            self.numbers[event.thread.index()] = None;
            self.held[event.thread.index()].push(mutex);
            self.held[event.thread.index()].sort_unstable_by_key(|mutex| mutex.0);
        }
    }

    /// What holds after `event`. To know of fewer mutexes and of less order is always right.
    fn after(&mut self, event: &Event) {
        let by = event.thread.index();
        let deed = deed(event);
        if deed != Deed::Other {
            // Whoever is created or joined has other lives, too.
            self.numbers.iter_mut().for_each(|numbers| *numbers = None);
        }
        match deed {
            // Whoever has locked it does not hold it any more.
            Deed::Unlocks(mutex) => self.held.iter_mut().for_each(|held| held.retain(|one| *one != mutex)),
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
