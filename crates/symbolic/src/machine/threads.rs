//! Threads beside each other: what they share, and their events.
//!
//! A thread is executed where it is created, on its creator's view of memory, and each thread only once. Which bytes several threads
//! use is not known before: execution goes in rounds. In a round, bytes that are not known to be contested are private: each thread
//! reads its own view. Afterwards, pairs of accesses are looked for that contradict this; their bytes are contested from then
//! on. A contested load is an event and brings an unknown. The rounds are over when the last one contradicts nothing: by induction over
//! the steps of an execution, no thread can then see what another one wrote except by an event.
//!
//! An access of a creator before it creates a thread contradicts nothing: the thread begins with that view.
//!
//! The same holds for pointers: what a contested load of a pointer can point to are the pointers that were stored into the object
//! in any round, and rounds go on while there are new ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::run::State;
use super::{Machine, Refusal};
use crate::ir::{FuncId, Site};
use crate::memory::{Alternative, ObjId, Objects, Pointer, Rest, Value};
use crate::term::{TermId, Terms};

/// Bytes of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Where {
    /// The object.
    pub object: ObjId,
    /// The first byte: 64 bits.
    pub offset: TermId,
    /// How many.
    pub size: u32,
}

/// A mutex, condition variable, semaphore or barrier: an object and an offset.
pub type Primitive = (ObjId, u64);

/// What an event does.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Action {
    /// Reads an unknown.
    Load { place: Where, value: TermId, plain: bool },
    /// Writes.
    Store { place: Where, value: TermId, plain: bool },
    /// Reads and writes at once.
    Update { place: Where, old: TermId, new: TermId, writes: TermId },
    /// Starts a thread.
    Create(u32),
    /// Waits for the end of a thread.
    Join(u32),
    /// Takes a mutex.
    Lock(Primitive),
    /// Takes a mutex if it is free.
    TryLock(Primitive, TermId),
    /// Gives a mutex back.
    Unlock(Primitive),
    /// Takes a read-write lock as a reader.
    ReadLock(Primitive),
    /// Takes a read-write lock as the writer.
    WriteLock(Primitive),
    /// Gives a read-write lock back.
    RwUnlock(Primitive),
    /// Sleeps on a condition variable and gives a mutex back.
    Sleep(Primitive, Primitive),
    /// Wakes and takes the mutex again.
    Wake(Primitive, Primitive),
    /// Wakes one sleeper.
    Signal(Primitive),
    /// Wakes all sleepers.
    Broadcast(Primitive),
    /// Adds one to a semaphore.
    Post(Primitive),
    /// Takes one from a semaphore.
    Take(Primitive),
    /// Takes one from a semaphore if there is one.
    TryTake(Primitive, TermId),
    /// Arrives at a barrier.
    Arrive(Primitive),
    /// Leaves a barrier.
    Depart(Primitive),
    /// Executions where this does not hold end here.
    Assume(TermId),
    /// A condition, by its place in [`Machine::conditions`].
    Check(usize),
    /// Execution was given up here.
    Cut,
}

/// Something that a thread does if its guard holds.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it happens.
    pub guard: TermId,
    /// What happens.
    pub action: Action,
    /// Where.
    pub site: Site,
}

/// A thread of the program.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// The function that it runs.
    pub function: FuncId,
    /// Who created it, and how many accesses and threads that one had made before.
    pub creator: Option<(u32, u64)>,
    /// Its events in the order of its code.
    pub events: Vec<Event>,
    /// When it comes to its end: a boolean.
    pub ends: Option<TermId>,
    /// What it returns.
    pub result: Option<Value>,
    clock: u64,
}

/// An access of a thread to bytes of an object. Of equal ones the last counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    thread: u32,
    low: u64,
    high: u64,
    write: bool,
    private: bool,
}

/// A pointer that was stored: the object and the offset if it is a number.
type Stored = (Option<ObjId>, Option<u64>);

/// What begins and ends the life of a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Life {
    /// It is initialised.
    Begins,
    /// It is destroyed.
    Ends,
}

/// What is known about bytes that threads share. Kept from round to round, except the accesses.
#[derive(Default)]
pub struct Sharing {
    /// For each object, the contested ranges.
    contested: HashMap<ObjId, BTreeSet<(u64, u64)>>,
    /// The pointers that were stored into each object.
    pointers: HashMap<ObjId, BTreeSet<Stored>>,
    grown: bool,
    /// The accesses of the round, each with the thread's clock at the last of its kind.
    accesses: BTreeMap<ObjId, HashMap<Access, u64>>,
    started: bool,
    threads: HashMap<(u32, FuncId, u32, u32, u32), u32>,
    creations: HashMap<(u32, FuncId, u32, u32), u32>,
    /// What the bytes of an object are when it is made.
    pub(crate) fresh: HashMap<ObjId, Rest>,
    /// Initial counts of semaphores and barriers, where they are initialised.
    pub(crate) counts: BTreeMap<Primitive, TermId>,
    /// What is done to primitives besides events, and how many events the thread had by then.
    pub(crate) lives: Vec<(Life, Primitive, TermId, u32, usize)>,
}

impl Sharing {
    pub(super) fn is_contested(&self, terms: &Terms, objects: &Objects, place: &Where) -> bool {
        let Some(ranges) = self.contested.get(&place.object) else { return false };
        let (low, high) = range(terms, objects, place);
        ranges.iter().any(|(from, to)| *from < high && low < *to)
    }
}

/// The bytes that an access can touch.
pub(super) fn range(terms: &Terms, objects: &Objects, place: &Where) -> (u64, u64) {
    match terms.as_constant(place.offset) {
        Some(offset) => (offset as u64, offset as u64 + u64::from(place.size)),
        None => {
            let limit = terms.interval(objects[place.object].size).1.min(1 << 40) as u64;
            let (low, high) = terms.interval(place.offset);
            let high = high.saturating_add(u128::from(place.size)).min(u128::from(limit)) as u64;
            ((low.min(u128::from(high))) as u64, high)
        }
    }
}

impl Machine<'_> {
    /// Whether there can be another thread than the first.
    pub(super) fn is_started(&self) -> bool {
        self.sharing.started
    }

    /// Something that the thread does.
    pub(crate) fn event(&mut self, guard: TermId, action: Action) {
        let site = self.site;
        if guard == Terms::FALSE || self.options.sequential {
            return;
        }
        if let Some(thread) = self.threads.get_mut(self.current as usize) {
            thread.events.push(Event { guard, action, site });
        }
    }

    pub(super) fn note_access(&mut self, place: &Where, write: bool, private: bool) {
        if self.options.sequential {
            return;
        }
        let (low, high) = range(&self.terms, &self.objects, place);
        if self.objects[place.object].constant {
            return;
        }
        let thread = &mut self.threads[self.current as usize];
        thread.clock += 1;
        let access = Access { thread: self.current, low, high, write, private };
        self.sharing.accesses.entry(place.object).or_default().insert(access, thread.clock);
    }

    /// Remembers which pointers an object can contain.
    pub(super) fn note_pointer(&mut self, object: ObjId, value: &Value) {
        if self.options.sequential {
            return;
        }
        let pointer = match value {
            Value::Pointer(pointer) => pointer.clone(),
            Value::Term(term) if self.terms.width(*term) == 64 => {
                match Pointer::from_bits(&mut self.terms, &self.objects, *term) {
                    Some(pointer) => pointer,
                    None => return,
                }
            }
            _ => return,
        };
        for alternative in pointer.alternatives() {
            let offset = self.terms.as_constant(alternative.offset).map(|offset| offset as u64);
            if alternative.base.is_none() {
                continue;
            }
            let new = self.sharing.pointers.entry(object).or_default().insert((alternative.base, offset));
            self.sharing.grown |= new;
        }
    }

    /// Remembers a value that is stored through a pointer: every object that it can point to may contain it.
    pub(super) fn note_pointers(&mut self, to: &Pointer, value: &Value) {
        for alternative in to.alternatives() {
            if let Some(base) = alternative.base {
                self.note_pointer(base, value);
            }
        }
    }

    /// The pointer that an unknown from a contested load is: one that was stored into the object, null, or a number.
    pub(super) fn shared_pointer(&mut self, object: ObjId, value: TermId) -> Result<Value, Refusal> {
        let mut stored: BTreeSet<Stored> = self.sharing.pointers.get(&object).cloned().unwrap_or_default();
        // What the object begins with counts too.
        let mut fresh = State { guard: Terms::TRUE, memory: crate::memory::Memory::default() };
        let initial: Vec<Value> = {
            let contents = self.contents(&mut fresh, object)?;
            contents.cells().map(|(_, _, value)| value.clone()).collect()
        };
        for value in initial {
            if let Value::Pointer(pointer) = value {
                for alternative in pointer.alternatives() {
                    let offset = self.terms.as_constant(alternative.offset).map(|offset| offset as u64);
                    stored.insert((alternative.base, offset));
                }
            }
        }
        let zero = self.terms.constant(64, 0);
        let null = self.terms.eq(value, zero);
        let mut others = self.terms.not(null);
        let mut list = vec![Alternative { guard: null, base: None, offset: zero }];
        for (base, offset) in stored {
            let Some(base) = base else { continue };
            let address = self.terms.constant(64, u128::from(base.address()));
            let (guard, offset) = match offset {
                Some(offset) => {
                    let offset = self.terms.constant(64, u128::from(offset));
                    let whole = self.terms.add(address, offset);
                    (self.terms.eq(value, whole), offset)
                }
                None => {
                    let offset = self.terms.sub(value, address);
                    let limit = self.terms.constant(64, 1 << 27);
                    (self.terms.ult(offset, limit), offset)
                }
            };
            let guard = self.terms.and(others, guard);
            let not = self.terms.not(guard);
            others = self.terms.and(others, not);
            list.push(Alternative { guard, base: Some(base), offset });
        }
        list.push(Alternative { guard: others, base: None, offset: value });
        Ok(Value::Pointer(Pointer::of(&mut self.terms, list)))
    }

    /// What a semaphore or a barrier begins with.
    pub(crate) fn count_of(&self, primitive: Primitive) -> Option<TermId> {
        self.sharing.counts.get(&primitive).copied()
    }

    /// What the bytes of an object are when it is made; none for one that is there from the start.
    pub(crate) fn fresh_of(&self, object: ObjId) -> Option<Rest> {
        self.sharing.fresh.get(&object).copied()
    }

    /// The thread that is executed.
    pub(crate) fn current(&self) -> u32 {
        self.current
    }

    /// Where execution is.
    pub(crate) fn site(&self) -> Site {
        self.site
    }

    /// The number of the thread that the current instruction creates next: the same in every round.
    pub(crate) fn next_thread(&mut self) -> u32 {
        let (f, block, inst) = self.place;
        let count = *self.sharing.creations.entry((self.current, f, block, inst)).or_insert(0);
        let next = self.sharing.threads.len() as u32 + 1;
        *self.sharing.threads.entry((self.current, f, block, inst, count)).or_insert(next)
    }

    /// Ends the current thread here, with a result.
    pub(crate) fn end_thread(&mut self, state: &mut State, value: Value) {
        let thread = &mut self.threads[self.current as usize];
        let ends = thread.ends.unwrap_or(Terms::FALSE);
        thread.result = Some(match thread.result.take() {
            Some(other) => crate::memory::merge_values(&mut self.terms, state.guard, &value, &other),
            None => value,
        });
        thread.ends = Some(self.terms.or(ends, state.guard));
        state.guard = Terms::FALSE;
    }

    /// Creates a thread and executes it. Returns its number.
    pub(crate) fn create_thread(&mut self, state: &mut State, function: FuncId, arg: Value) -> Result<u32, Refusal> {
        let number = self.next_thread();
        let (f, block, inst) = self.place;
        *self.sharing.creations.entry((self.current, f, block, inst)).or_insert(0) += 1;
        if self.threads.len() <= number as usize {
            self.threads.resize_with(number as usize + 1, Thread::default);
        }
        self.threads[self.current as usize].clock += 1;
        let clock = self.threads[self.current as usize].clock;
        self.sharing.started = true;
        self.event(state.guard, Action::Create(number));
        let thread = &mut self.threads[number as usize];
        thread.function = function;
        thread.creator = Some((self.current, clock));
        // The thread runs if it is created; it begins with its creator's view.
        let mut view = state.clone();
        let outer = (self.current, self.site, self.place, self.steps);
        let active = std::mem::take(&mut self.active);
        self.current = number;
        self.steps = 0;
        let result = self.call(function, vec![arg], &mut view);
        (self.current, self.site, self.place, self.steps) = outer;
        self.active = active;
        let result = result?;
        if self.options.sequential {
            state.memory = view.memory;
        }
        let thread = &mut self.threads[number as usize];
        let early = thread.ends.unwrap_or(Terms::FALSE);
        thread.ends = Some(self.terms.or(early, view.guard));
        thread.result = match (thread.result.take(), result) {
            (Some(early), Some(last)) => Some(crate::memory::merge_values(&mut self.terms, view.guard, &last, &early)),
            (early, last) => early.or(last),
        };
        Ok(number)
    }

    /// Forgets what a round found out, except what is contested.
    pub(super) fn begin_round(&mut self) {
        self.conditions.clear();
        self.inputs.clear();
        self.cuts.clear();
        self.printed.clear();
        self.exits.clear();
        self.threads.clear();
        self.threads.push(Thread::default());
        self.made.clear();
        self.library_made.clear();
        self.sharing.accesses.clear();
        self.sharing.creations.clear();
        self.sharing.counts.clear();
        self.sharing.lives.clear();
        self.stack = 0;
        self.sharing.started = false;
        self.sharing.grown = false;
        self.current = 0;
        self.steps = 0;
        self.exhausted = false;
    }

    /// Whether access `a`, the last of its kind at this clock, comes before the creation of the thread of `b`, or of one that created it.
    fn is_before(&self, a: &Access, at: u64, b: &Access) -> bool {
        let mut thread = b.thread;
        while let Some((creator, clock)) = self.threads.get(thread as usize).and_then(|t| t.creator) {
            if creator == a.thread {
                return at < clock;
            }
            thread = creator;
        }
        false
    }

    /// Finds accesses that contradict what the round took for private. Returns whether another round is needed.
    pub(super) fn end_round(&mut self) -> bool {
        let mut found: Vec<(ObjId, (u64, u64))> = Vec::new();
        for (object, accesses) in &self.sharing.accesses {
            for (a, at) in accesses.iter().filter(|(access, _)| access.private) {
                for (b, bt) in accesses {
                    let apart = a.high <= b.low || b.high <= a.low;
                    if a.thread == b.thread || apart || !(a.write || b.write) {
                        continue;
                    }
                    if !self.is_before(a, *at, b) && !self.is_before(b, *bt, a) {
                        found.push((*object, (a.low.min(b.low), a.high.max(b.high))));
                    }
                }
            }
        }
        let mut again = self.sharing.grown;
        for (object, range) in found {
            again |= self.sharing.contested.entry(object).or_default().insert(range);
        }
        again
    }
}
