//! Summaries: what can still happen from a state, and after whom.
//!
//! An **item** of a state says: some path of the graph leads from here to a state in which a thread is about to take an
//! event `e` (or waits for it), and these threads have an event on that path that `e` depends on. A **class** is the
//! thread of an event, its bare form and what it touches. A step can have several events, of which only the first was decided about
//! ([`heddle_model::immediate`]): its class is joined from theirs. A **past** is the set of threads, with the threads whose beginning
//! or end was touched. Classes and pasts are stored once and known by their numbers, so an item takes eight bytes.
//!
//! Items are carried backwards over edges, to a fixpoint. [`Summaries::carry`] is the only rule; `docs/algorithms.md` says
//! why it is enough.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use heddle_model::access::MAX_ACCESSES;
use heddle_model::follow::Step;
use heddle_model::{Access, Choice, Event, EventFlags, Footprint, Mode, ObjectId, ThreadId};
use serde::{Deserialize, Serialize};

use crate::algorithm::stateful::chunks::Lists;
use crate::algorithm::stateful::discipline::Discipline;
use crate::liveness::{LOOKS, PAUSES, PROGRESS};
use crate::save::Touched;
use crate::traces::touches::{Touch, Touches};

/// The number of a class of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Class(u32);

impl Class {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An event that can follow a state, and its past.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Item {
    class: Class,
    past: u32,
}

/// The past of an item: certain order only. To know less of it asks for more, never for less. Threads from number 64 on
/// are not known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Past {
    /// The threads that have an event before the item's that it depends on, and its own thread.
    threads: u64,
    /// The threads whose life cycle such an event touches.
    lives: u64,
}

impl Past {
    fn within(&self, other: &Past) -> bool {
        self.threads & !other.threads == 0 && self.lives & !other.lives == 0
    }
}

/// Which rules are used. All of them; tests leave some out and look for the misses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// An item ends at an event that covers it.
    pub covering: bool,
    /// An event that enabled another one cannot come after it.
    pub enabling: bool,
    /// The order that goes through the beginnings and the ends of threads.
    pub lives: bool,
    /// Threads that wait have items, too.
    pub waiting: bool,
    /// Items are carried back over all edges, not only over the way on which a state was reached first.
    pub fixpoint: bool,
    /// Nobody is ignored for ever.
    pub nobody_ignored: bool,
    /// Where threads look whether others have ended, ends are decisions.
    pub ends: bool,
    /// A critical section that is one step ends with its unlock.
    pub closed: bool,
    /// What is touched in critical sections is compared with what others touch.
    pub compared: bool,
    /// A mutex that threads try does more than exclude.
    pub tried: bool,
    /// Critical sections that were run have items.
    pub section_items: bool,
    /// What a critical section does with plain memory belongs to it.
    pub bodies: bool,
    /// A critical section that changes something unseen is none.
    pub unseen: bool,
    /// What the race detector knows of places that locks alone do not order is part of a state.
    pub watched: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            covering: true,
            enabling: true,
            lives: true,
            waiting: true,
            fixpoint: true,
            nobody_ignored: true,
            ends: true,
            closed: true,
            compared: true,
            tried: true,
            section_items: true,
            bodies: true,
            unseen: true,
            watched: true,
        }
    }
}

/// What two classes are to each other: bits of [`CONFLICTS`], [`ENABLES`], [`COVERS`].
type Relation = u8;
const CONFLICTS: u8 = 1;
/// The earlier one enabled the later one.
const ENABLES: u8 = 2;
/// The earlier one touches all that the later one touches, at least as strongly.
const COVERS: u8 = 4;

struct Known {
    /// The first of its events. It is the one that is decided about.
    bare: Event,
    /// What all its events touch, and what the first one touches.
    touch: Touch,
    first: Touch,
    /// Whether it is a critical section as one step. It has an item of its own.
    section: bool,
    /// The threads of its events.
    threads: u64,
    /// If it has several events: the class of all but the last, and that of the last.
    joined: Option<(Class, Class)>,
    /// The threads whose life cycle it touches, and those whose it writes.
    lives: u64,
    changes: u64,
}

/// What follows from an item at the state before an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Carried {
    /// The threads of which one must be tried at that state, because the edge and the item's event can be reversed.
    pub ask: Option<u64>,
    /// The item of that state.
    pub keep: Option<Item>,
}

/// A hasher for keys that are numbers already.
#[derive(Clone, Copy, Default)]
pub(crate) struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }
}

type Fast<K, V> = HashMap<K, V, BuildHasherDefault<Multiply>>;

/// All classes, all pasts, and the items of each state.
#[derive(Default)]
pub(crate) struct Summaries {
    pub rules: Rules,
    touches: Touches,
    classes: Vec<Known>,
    numbers: HashMap<(Bare, u32), Class>,
    joined: Fast<(u32, u32), Class>,
    relations: Fast<u64, Relation>,
    pasts: Vec<Past>,
    past_numbers: Fast<(u64, u64), u32>,
    /// All items, by their numbers, and their numbers.
    items: Vec<Item>,
    item_numbers: Fast<(u32, u32), u32>,
    /// The numbers of the items of each state.
    of_states: Lists,
    /// Items that are new at a state and have not been carried on.
    pub work: Vec<(u32, Item)>,
}

/// A bare event as a key: events have no hash.
type Bare = (ThreadId, heddle_model::Operation, u64, u16, u16);

fn key(bare: &Event) -> Bare {
    (bare.thread, bare.operation, bare.result, bare.alternatives, bare.flags.0)
}

impl Summaries {
    /// The class of a bare event that touches this.
    pub fn class(&mut self, bare: &Event, footprint: &Footprint) -> Class {
        let touch = self.touches.number(footprint);
        let next = Class(self.classes.len() as u32);
        let class = *self.numbers.entry((key(bare), touch.get())).or_insert(next);
        if class == next {
            let (mut lives, mut changes) = (0, 0);
            for access in footprint.accesses() {
                if let Some(bit) = access.object.life_of().and_then(bit) {
                    lives |= bit;
                    changes |= if access.mode == Mode::Write { bit } else { 0 };
                }
            }
            let threads = bit(bare.thread).unwrap_or(0);
            let first = touch;
            self.classes.push(Known {
                bare: *bare,
                touch,
                first,
                section: false,
                threads,
                joined: None,
                lives,
                changes,
            });
        }
        class
    }

    /// The class of a step with these events, of which there is one at least. If it is a critical section: its mutex, and what it touches but for
    /// its later events.
    pub fn class_of(&mut self, events: &[Event], section: Option<(ObjectId, Footprint)>) -> Class {
        let (mut classes, mutex) = (None, section.map(|(mutex, _)| mutex));
        for event in events {
            let body = section.filter(|_| classes.is_none()).map(|(_, body)| body);
            let next = self.class(&event.bare(), &body.unwrap_or_else(|| Discipline::footprint(event, mutex)));
            self.classes[next.index()].section |= mutex.is_some() && classes.is_none();
            classes = Some(classes.map_or(next, |so_far| self.join(so_far, next)));
        }
        classes.unwrap_or_else(|| unreachable!("a step has events"))
    }

    /// The item of a step that is a critical section: what it touches is known when it has run.
    pub fn item_of_section(&mut self, class: Class) -> Option<Item> {
        let Known { section, threads, .. } = self.classes[class.index()];
        (section && self.rules.section_items).then(|| Item { class, past: self.past(Past { threads, lives: 0 }) })
    }

    /// The mutex of a step that is a critical section.
    pub fn mutex_of_section(&self, class: Class) -> Option<ObjectId> {
        let Known { section, bare, .. } = &self.classes[class.index()];
        section.then_some(bare.operation.object)
    }

    /// The class of a step of class `steps`, and then one event of class `last`.
    fn join(&mut self, steps: Class, last: Class) -> Class {
        let next = Class(self.classes.len() as u32);
        let class = *self.joined.entry((steps.0, last.0)).or_insert(next);
        if class == next {
            let (one, other) = (&self.classes[steps.index()], &self.classes[last.index()]);
            let footprint = both(self.touches.footprint(one.touch), self.touches.footprint(other.touch));
            let known = Known {
                bare: one.bare,
                touch: self.touches.number(&footprint),
                first: one.first,
                section: one.section,
                threads: one.threads | other.threads,
                joined: Some((steps, last)),
                lives: one.lives | other.lives,
                changes: one.changes | other.changes,
            };
            self.classes.push(known);
        }
        class
    }

    /// The classes of the single events of a step, last first.
    fn parts(&self, class: Class) -> impl Iterator<Item = &Known> {
        let mut next = Some(class);
        std::iter::from_fn(move || {
            let known = &self.classes[next?.index()];
            let Some((before, last)) = known.joined else {
                next = None;
                return Some(known);
            };
            next = Some(before);
            Some(&self.classes[last.index()])
        })
    }

    /// The thread of a class.
    pub fn thread(&self, class: Class) -> ThreadId {
        self.classes[class.index()].bare.thread
    }

    /// Whether an event of a class only looks: it writes nothing.
    pub fn looks(&self, class: Class) -> bool {
        let touched = self.touches.footprint(self.classes[class.index()].touch);
        !touched.is_everything() && touched.accesses().iter().all(|access| access.mode == Mode::Read)
    }

    /// What a step of a class is, for questions about cycles: see [`StateEdge::marks`](crate::liveness::StateEdge::marks).
    pub fn marks(&self, class: Class) -> u64 {
        let known = &self.classes[class.index()];
        let touched = self.touches.footprint(known.touch);
        // A critical section as one step only sees that its mutex is there. One that looks at nothing else waits for nothing.
        let mutex = self.mutex_of_section(class);
        if known.bare.is_progress() {
            PROGRESS
        } else if touched.is_everything() {
            0
        } else if touched.accesses().iter().all(|access| Some(access.object) == mutex && access.mode == Mode::Read) {
            PAUSES
        } else if self.looks(class) || known.bare.flags.contains(EventFlags::UNCHANGED) {
            // What is written again is what is there.
            LOOKS
        } else {
            0
        }
    }

    /// Whether the program says anywhere that it makes progress.
    pub fn have_progress(&self) -> bool {
        self.classes.iter().any(|known| known.bare.is_progress())
    }

    /// The bare event of a class.
    pub fn bare(&self, class: Class) -> &Event {
        &self.classes[class.index()].bare
    }

    /// The step of a schedule that takes the first event of a class, in its first way.
    pub fn step(&self, class: Class) -> Step {
        let bare = &self.classes[class.index()].bare;
        Step::new(bare.thread).expecting(bare.operation.code)
    }

    /// Appends the steps of a schedule that take the events of a class, the first of them in this way. The last comes first.
    pub fn steps_back(&self, class: Class, way: u16, into: &mut Vec<Step>) {
        let start = into.len();
        into.extend(self.parts(class).map(|part| Step::new(part.bare.thread).expecting(part.bare.operation.code)));
        debug_assert!(into.len() > start);
        if let Some(first) = into.last_mut() {
            *first = first.taking(Choice::Way(way));
        }
    }

    /// For each class the steps of a schedule that take its events after the first.
    pub fn tails(&self) -> Vec<Vec<Step>> {
        let tail = |class| {
            let mut steps = Vec::new();
            self.steps_back(Class(class), 0, &mut steps);
            steps.pop();
            steps.reverse();
            steps
        };
        (0..self.classes.len() as u32).map(tail).collect()
    }

    fn past(&mut self, past: Past) -> u32 {
        let next = self.pasts.len() as u32;
        let number = *self.past_numbers.entry((past.threads, past.lives)).or_insert(next);
        if number == next {
            self.pasts.push(past);
        }
        number
    }

    /// What an event of class `earlier` is to a later one of class `later`.
    fn relation(&mut self, earlier: Class, later: Class) -> Relation {
        let place = u64::from(earlier.0) << 32 | u64::from(later.0);
        if let Some(&relation) = self.relations.get(&place) {
            return relation;
        }
        let (one, other) = (&self.classes[earlier.index()], &self.classes[later.index()]);
        let conflicts = self.touches.conflict(one.touch, other.touch);
        // Only the first event of a step has an item, unless the step is a section.
        let strong = if one.section { one.touch } else { one.first };
        let (strong, weak) = (self.touches.footprint(strong), self.touches.footprint(other.touch));
        let mut relation = if conflicts { CONFLICTS } else { 0 };
        let enables =
            |part: &Known| !self.touches.conflict(part.touch, other.touch) || other.bare.enabled_by(&part.bare);
        if conflicts && self.rules.enabling && self.parts(earlier).all(enables) {
            relation |= ENABLES;
        }
        if self.rules.covering && covers(strong, weak) {
            relation |= COVERS;
        }
        self.relations.insert(place, relation);
        relation
    }

    /// Adds a state, in which the threads of these classes are about to do something or wait for it.
    pub fn add_state(&mut self, state: u32, standing: impl Iterator<Item = Class>) {
        self.of_states.add();
        for class in standing {
            let threads = bit(self.thread(class)).unwrap_or(0);
            let past = self.past(Past { threads, lives: 0 });
            self.keep(state, Item { class, past });
        }
    }

    /// Adds an item to a state, unless there is one that asks for more.
    pub fn keep(&mut self, state: u32, item: Item) {
        let number = self.number(item);
        let Summaries { items, of_states, pasts, work, .. } = self;
        let own = pasts[item.past as usize];
        // The past of another item of the same event.
        let same = |other: u32| {
            let other = items[other as usize];
            (other.class == item.class).then(|| pasts[other.past as usize])
        };
        if of_states.get(state).iter().any(|&other| same(other).is_some_and(|past| past.within(&own))) {
            return;
        }
        of_states.replace(state, |other| !same(other).is_some_and(|past| own.within(&past)), number);
        work.push((state, item));
    }

    /// The items of a state.
    pub fn items(&self, state: u32) -> Vec<Item> {
        self.of_states.get(state).iter().map(|&item| self.items[item as usize]).collect()
    }

    /// The number of an item.
    fn number(&mut self, item: Item) -> u32 {
        let next = self.items.len() as u32;
        let number = *self.item_numbers.entry((item.class.0, item.past)).or_insert(next);
        if number == next {
            self.items.push(item);
        }
        number
    }

    /// Whether a state still has an item: one that asks for more may have taken its place.
    pub fn has(&self, state: u32, item: Item) -> bool {
        self.of_states.get(state).iter().any(|&own| self.items[own as usize] == item)
    }

    /// Carries an item of the target of an edge, of class `edge`, back over it.
    pub fn carry(&mut self, edge: Class, item: Item) -> Carried {
        let relation = self.relation(edge, item.class);
        let past = self.pasts[item.past as usize];
        let step = &self.classes[edge.index()];
        let (by, own) = (step.bare.thread, self.classes[item.class.index()].bare.thread);
        let mine = by == own || step.threads & past.threads != 0;
        let about = self.rules.lives && step.changes & past.lives != 0;
        let conflicts = relation & CONFLICTS != 0;
        let mut ask = None;
        if conflicts && !mine && !about {
            if relation & ENABLES != 0 {
                // What took away what it needs is what it can be reversed with.
                return Carried { ask: None, keep: Some(item) };
            }
            ask = Some(past.threads);
        }
        if !(mine || about || conflicts) {
            return Carried { ask, keep: Some(item) };
        }
        if relation & COVERS != 0 {
            return Carried { ask, keep: None };
        }
        let lives = if self.rules.lives { past.lives | step.lives } else { 0 };
        let past = Past { threads: past.threads | step.threads, lives };
        Carried { ask, keep: Some(Item { past: self.past(past), ..item }) }
    }

    /// How many bytes all of it takes, with the room that is reserved.
    pub fn bytes(&self) -> usize {
        self.of_states.bytes()
            + self.items.capacity() * (2 * size_of::<Item>() + size_of::<u32>())
            + self.classes.capacity() * (size_of::<Known>() + size_of::<(Bare, u32, Class)>())
            + self.relations.capacity() * (size_of::<(u64, Relation)>() + 1)
            + self.pasts.capacity() * (2 * size_of::<Past>() + size_of::<u64>())
    }

    /// Everything, to be written down.
    pub fn save(&self) -> Saved {
        let class = |known: &Known| match known.joined {
            None => SavedClass::One(known.bare, Touched::of(self.touches.footprint(known.touch)), known.section),
            Some((steps, last)) => SavedClass::Joined(steps, last),
        };
        Saved {
            classes: self.classes.iter().map(class).collect(),
            pasts: self.pasts.clone(),
            items: (0..self.of_states.len() as u32).map(|state| self.items(state)).collect(),
        }
    }

    /// Goes on from what was written down, for so many states. `None` if its numbers contradict each other.
    pub fn restore(&mut self, saved: Saved, states: usize) -> Option<()> {
        let Saved { classes, pasts, items } = saved;
        for (number, class) in classes.iter().enumerate() {
            let class = match class {
                SavedClass::One(bare, touched, section) => {
                    let class = self.class(bare, &touched.footprint().ok()?);
                    self.classes[class.index()].section = *section;
                    class
                }
                SavedClass::Joined(steps, last) if steps.index().max(last.index()) < number => self.join(*steps, *last),
                SavedClass::Joined(..) => return None,
            };
            if class.index() != number {
                return None;
            }
        }
        for (number, past) in pasts.iter().enumerate() {
            if self.past(*past) as usize != number {
                return None;
            }
        }
        let sound = |item: &Item| item.class.index() < classes.len() && (item.past as usize) < pasts.len();
        if items.len() != states || !items.iter().flatten().all(sound) {
            return None;
        }
        for (state, list) in items.into_iter().enumerate() {
            self.of_states.add();
            for item in list {
                let number = self.number(item);
                self.of_states.replace(state as u32, |_| true, number);
            }
        }
        Some(())
    }
}

/// What is written down of summaries.
#[derive(Serialize, Deserialize)]
pub(crate) struct Saved {
    pub classes: Vec<SavedClass>,
    pasts: Vec<Past>,
    items: Vec<Vec<Item>>,
}

/// What is written down of a class.
#[derive(Serialize, Deserialize)]
pub(crate) enum SavedClass {
    /// One event, what it touches, and whether it begins a critical section as one step.
    One(Event, Touched, bool),
    /// The class of all events but the last, and that of the last.
    Joined(Class, Class),
}

/// What two events touch together. More than a footprint has room for is everything.
fn both(one: &Footprint, other: &Footprint) -> Footprint {
    let mut both = *one;
    if other.is_everything() {
        both.touch_everything();
    }
    for access in other.accesses() {
        let is_there = |known: &Access| {
            let place = known.object == access.object && known.size >= access.size;
            place && (known.mode == access.mode || known.mode == Mode::Write)
        };
        match both.accesses().iter().any(is_there) {
            true => {}
            false if both.accesses().len() == MAX_ACCESSES => both.touch_everything(),
            false => both.touch_bytes(access.object, access.size, access.mode),
        }
    }
    both
}

/// The bit of a thread in a set.
pub(crate) fn bit(thread: ThreadId) -> Option<u64> {
    1u64.checked_shl(thread.0.into())
}

/// Whether everything that conflicts with `weak` conflicts with `strong`: it touches all that `weak` touches, in the same
/// mode or by writing.
fn covers(strong: &Footprint, weak: &Footprint) -> bool {
    let within = |inner: &Access, outer: &Access| {
        let end = |access: &Access| access.object.0 + u64::from(access.size);
        outer.object.0 <= inner.object.0
            && end(inner) <= end(outer)
            && (outer.mode == Mode::Write || outer.mode == inner.mode)
    };
    strong.is_everything()
        || !weak.is_everything()
            && weak.accesses().iter().all(|inner| strong.accesses().iter().any(|outer| within(inner, outer)))
}
