//! Whether a program that nothing else is wrong with can misuse a primitive.
//!
//! The formulas have no clauses about misuse. What is seen here without a solver is enough for programs that use their primitives in the
//! usual ways; of the others the engine that runs traces says more, since the model looks at each operation there.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::{Action, Event, Life, Machine, Primitive};
use crate::memory::Key;
use crate::term::{TermId, Terms};

/// Where a mutex of the C library holds its kind, and how many bytes that takes.
const KIND: (u64, u32) = (16, 4);

/// Library functions after which a primitive or a thread is not an ordinary one.
const SPECIAL: [&str; 4] =
    ["pthread_detach", "thrd_detach", "pthread_attr_setdetachstate", "pthread_mutexattr_settype"];

/// What an event takes, gives back, or uses otherwise.
fn uses(action: &Action) -> Vec<(Primitive, Use)> {
    use Action as A;
    match action {
        A::Lock(p) | A::ReadLock(p) | A::WriteLock(p) => vec![(*p, Use::Takes(Terms::TRUE))],
        A::Unlock(p) | A::RwUnlock(p) => vec![(*p, Use::Gives)],
        A::Sleep(c, m) => vec![(*c, Use::Other), (*m, Use::Gives)],
        A::Wake(c, m) => vec![(*c, Use::Other), (*m, Use::Takes(Terms::TRUE))],
        A::TryLock(p, success) => vec![(*p, Use::Takes(*success))],
        A::Signal(p) | A::Broadcast(p) | A::Post(p) | A::Take(p) | A::TryTake(p, _) | A::Arrive(p) | A::Depart(p) => {
            vec![(*p, Use::Other)]
        }
        _ => Vec::new(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Under a condition besides the event's guard.
    Takes(TermId),
    Gives,
    Other,
}

/// Why misuse may be possible; none if it is not.
pub(super) fn may_be(machine: &mut Machine<'_>) -> Option<&'static str> {
    if SPECIAL.iter().any(|name| machine.modelled.contains(*name)) {
        return Some("detached threads, or mutexes with attributes");
    }
    if joined_twice(machine) {
        return Some("threads that may be joined twice");
    }
    let mut used: BTreeSet<Primitive> = BTreeSet::new();
    let mut mutex_of: BTreeMap<Primitive, Primitive> = BTreeMap::new();
    for event in machine.threads.iter().flat_map(|thread| &thread.events) {
        used.extend(uses(&event.action).into_iter().map(|(primitive, _)| primitive));
        if let Action::Sleep(condition, mutex) = event.action
            && *mutex_of.entry(condition).or_insert(mutex) != mutex
        {
            return Some("a condition variable with several mutexes");
        }
    }
    for primitive in used.iter().copied() {
        let Some(held) = held(machine, primitive) else { return Some("unlocks that may have no lock of their own") };
        if let Some(why) = begins(machine, primitive).or_else(|| ends(machine, primitive, held)) {
            return Some(why);
        }
    }
    let ends_unused = |(life, primitive, ..): &(Life, Primitive, TermId, u32, usize)| {
        *life == Life::Ends && !used.contains(primitive)
    };
    machine.sharing.lives.iter().any(ends_unused).then_some("a primitive that is destroyed and not used")
}

/// Whether some thread may have a primitive when it ends. None if one may give it back without having it.
fn held(machine: &mut Machine<'_>, primitive: Primitive) -> Option<bool> {
    let (terms, mut any) = (&mut machine.terms, false);
    for thread in &machine.threads {
        let mut has = Terms::FALSE;
        for event in &thread.events {
            for (_, how) in uses(&event.action).into_iter().filter(|(used, _)| *used == primitive) {
                match how {
                    Use::Takes(when) => {
                        let takes = terms.and(event.guard, when);
                        has = terms.or(has, takes);
                    }
                    Use::Gives => {
                        let not = terms.not(has);
                        if terms.and(event.guard, not) != Terms::FALSE {
                            return None;
                        }
                        let rest = terms.not(event.guard);
                        has = terms.and(has, rest);
                    }
                    Use::Other => {}
                }
            }
        }
        any |= has != Terms::FALSE;
    }
    Some(any)
}

fn joined_twice(machine: &mut Machine<'_>) -> bool {
    let mut joins: BTreeMap<u32, Vec<TermId>> = BTreeMap::new();
    for event in machine.threads.iter().flat_map(|thread| &thread.events) {
        if let Action::Join(thread) = event.action {
            joins.entry(thread).or_default().push(event.guard);
        }
    }
    let terms = &mut machine.terms;
    joins.values().any(|guards| {
        let pairs = guards.iter().enumerate().flat_map(|(n, a)| guards[n + 1..].iter().map(move |b| (*a, *b)));
        let mut pairs = pairs;
        pairs.any(|(a, b)| terms.and(a, b) != Terms::FALSE)
    })
}

fn lives(machine: &Machine<'_>, primitive: Primitive, life: Life) -> Vec<(TermId, u32, usize)> {
    let all = machine.sharing.lives.iter().filter(|(l, p, ..)| (*l, *p) == (life, primitive));
    all.map(|(_, _, guard, thread, at)| (*guard, *thread, *at)).collect()
}

fn is_of(event: &Event, primitive: Primitive) -> bool {
    uses(&event.action).iter().any(|(used, _)| *used == primitive)
}

/// Whether a primitive may be used before it is initialised, or initialised twice.
fn begins(machine: &mut Machine<'_>, primitive: Primitive) -> Option<&'static str> {
    const WHY: &str = "primitives whose initialisation is not seen to come first";
    if let Some(count) = machine.count_of(primitive) {
        // The most that a semaphore counts, and room for every post.
        let high = machine.terms.interval(count).1;
        if high > u128::from(u32::MAX >> 2) {
            return Some("the count of a semaphore");
        }
    }
    match lives(machine, primitive, Life::Begins)[..] {
        [] => {
            let zeros = matches!(machine.objects[primitive.0].key, Key::Global(_));
            (!zeros || !is_ordinary(machine, primitive)).then_some(WHY)
        }
        [(Terms::TRUE, 0, at)] => {
            let before = &machine.threads[0].events[..at];
            let first = !before.iter().any(|e| matches!(e.action, Action::Create(_)) || is_of(e, primitive));
            (!first).then_some(WHY)
        }
        _ => Some(WHY),
    }
}

/// Whether a mutex that is there from the start is of the ordinary kind.
fn is_ordinary(machine: &mut Machine<'_>, (object, offset): Primitive) -> bool {
    let (size, initial) = (machine.objects[object].size, machine.initial(object));
    let (size, Some(mut contents)) = (machine.terms.interval(size).0, initial) else { return false };
    let at = offset + KIND.0;
    if size < u128::from(at) + u128::from(KIND.1) {
        return true;
    }
    let (value, _) = contents.read(&mut machine.terms, at, KIND.1);
    let bits = crate::memory::bits_of(&mut machine.terms, &value);
    bits.and_then(|bits| machine.terms.as_constant(bits)) == Some(0)
}

/// Whether a primitive may be used after it was destroyed, or destroyed while it is in use.
fn ends(machine: &Machine<'_>, primitive: Primitive, held: bool) -> Option<&'static str> {
    const WHY: &str = "primitives that are not seen to be free when they are destroyed";
    let at = match lives(machine, primitive, Life::Ends)[..] {
        [] => return None,
        [(Terms::TRUE, 0, at)] => at,
        _ => return Some(WHY),
    };
    let (before, after) = machine.threads[0].events.split_at(at);
    if after.iter().any(|event| is_of(event, primitive)) {
        return Some(WHY);
    }
    // Every other thread has ended.
    for event in machine.threads.iter().flat_map(|thread| &thread.events) {
        let Action::Create(child) = event.action else { continue };
        let joined =
            |other: &&Event| matches!(other.action, Action::Join(c) if c == child) && other.guard == event.guard;
        if !before.iter().any(|other| joined(&other)) {
            return Some(WHY);
        }
    }
    // What was taken was given back.
    held.then_some(WHY)
}
