//! An executor that compares states word for word, and not by their fingerprints alone.
//!
//! A search takes states with equal fingerprints for one. If two different states have one fingerprint, what follows from the second is
//! never seen. So this executor keeps what each state [consists of](heddle_model::content), and compares it whenever a state comes again.
//! Equal parts are kept once: a state is a list of the numbers of its parts. Most of them are the same from one state to the next.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use heddle_model::content::{Part, PartKind, parts};
use heddle_model::{Execution, Executor, ExecutorError, Facts, Fingerprint, Plan};

/// Two states with one fingerprint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collision {
    /// The fingerprint.
    pub state: Fingerprint,
    /// What the first part is about that differs, and its [key](Part::key).
    pub part: (PartKind, u64),
    /// How many words of the part are before the first that differs.
    pub at: u64,
}

/// What was seen of states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// How many states are kept.
    pub states: u64,
    /// How often one of them came again, and was compared.
    pub again: u64,
    /// How many states could not be compared, because there was no room for all that they consist of.
    pub untold: u64,
    /// The first two states that were taken for one.
    pub collision: Option<Collision>,
}

/// An [`Executor`] that compares the states of the executions of another one.
pub struct Exact<'e> {
    inner: &'e mut dyn Executor,
    /// For each plan under way, whether its execution tells what its states consist of.
    under_way: VecDeque<bool>,
    store: Store,
    compared: Compared,
}

/// The states, each as a list of the numbers of its parts.
#[derive(Default)]
struct Store {
    /// The number of each part.
    numbers: HashMap<Box<[u64]>, u32>,
    states: HashMap<Fingerprint, Box<[u32]>>,
    /// Room for one state, used again.
    parts: Vec<Vec<u64>>,
}

impl Store {
    /// Takes note of what a state consists of. Returns the first part that differs if the state is known and consists of something else, and
    /// whether it was known.
    fn note(&mut self, state: Fingerprint, content: &[u64]) -> (bool, Option<Collision>) {
        let Store { numbers, states, parts: room } = self;
        let mut count = 0;
        for Part { kind, key, words } in parts(content) {
            if count == room.len() {
                room.push(Vec::new());
            }
            let part = &mut room[count];
            part.clear();
            part.extend([kind as u64, key]);
            part.extend_from_slice(words);
            count += 1;
        }
        // Those of one kind are found in no particular order. Pieces of a stack and events have one, and stay in it.
        let is_set = |part: &[u64]| part[0] == PartKind::Access as u64;
        room[..count].sort_by(|one, other| {
            let whole = is_set(one) && is_set(other);
            if whole { one.cmp(other) } else { one[..2].cmp(&other[..2]) }
        });
        let mut list = Vec::with_capacity(count);
        for part in &room[..count] {
            let next = numbers.len() as u32;
            list.push(match numbers.get(part.as_slice()) {
                Some(&number) => number,
                None => *numbers.entry(part.clone().into_boxed_slice()).or_insert(next),
            });
        }
        match states.entry(state) {
            Entry::Vacant(entry) => {
                entry.insert(list.into_boxed_slice());
                (false, None)
            }
            Entry::Occupied(entry) if **entry.get() == *list => (true, None),
            Entry::Occupied(entry) => (true, Some(differ(numbers, state, [entry.get(), &list]))),
        }
    }
}

/// Where two different lists of parts differ.
fn differ(numbers: &HashMap<Box<[u64]>, u32>, state: Fingerprint, lists: [&[u32]; 2]) -> Collision {
    let part = |number: Option<&u32>| {
        let number = number?;
        numbers.iter().find(|(_, of)| *of == number).map(|(part, _)| &**part)
    };
    let [one, other] = lists;
    let at = (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at)).unwrap_or(0);
    let (one, other) = (part(one.get(at)).unwrap_or_default(), part(other.get(at)).unwrap_or_default());
    let named = if one.is_empty() || !other.is_empty() && other[..2] < one[..2] { other } else { one };
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let kind = PartKind::ALL.into_iter().find(|kind| named.first() == Some(&(*kind as u64)));
    let part = (kind.unwrap_or(PartKind::Rest), named.get(1).copied().unwrap_or(0));
    Collision { state, part, at: same.saturating_sub(2) as u64 }
}

/// The content of each state, with its number in [`Execution::states`].
pub(crate) fn states(contents: &[u64]) -> impl Iterator<Item = (usize, &[u64])> {
    let mut rest = contents;
    std::iter::from_fn(move || {
        let begin = parts(rest).next().filter(|part| part.kind == PartKind::State)?;
        let own = &rest[2..];
        let taken = parts(own).take_while(|part| part.kind != PartKind::State);
        let length: usize = taken.map(|part| 2 + part.words.len()).sum();
        rest = &own[length..];
        Some((begin.key as usize, &own[..length]))
    })
}

impl<'e> Exact<'e> {
    /// An executor that runs the plans of `inner`.
    pub fn new(inner: &'e mut dyn Executor) -> Exact<'e> {
        Exact { inner, under_way: VecDeque::new(), store: Store::default(), compared: Compared::default() }
    }

    /// What was seen so far.
    pub fn compared(&self) -> Compared {
        Compared { states: self.store.states.len() as u64, ..self.compared.clone() }
    }

    fn begin_again(&mut self) {
        self.store = Store::default();
        let Compared { collision, .. } = self.compared;
        self.compared = Compared { collision, ..Compared::default() };
        self.under_way.iter_mut().for_each(|tells| *tells = false);
    }
}

impl Executor for Exact<'_> {
    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)?;
        self.under_way.push_back(plan.contents);
        Ok(())
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let Exact { inner, under_way, store, compared } = self;
        let execution = inner.receive()?;
        if under_way.pop_front() == Some(true) {
            let mut told = 0;
            for (number, content) in states(execution.contents) {
                let Some(&state) = execution.states.get(number) else { break };
                let (known, collision) = store.note(state, content);
                compared.again += u64::from(known);
                compared.collision = compared.collision.or(collision);
                told += 1;
            }
            let all = execution.states.iter().filter(|state| **state != Fingerprint::NONE).count();
            compared.untold += all.saturating_sub(told) as u64;
        }
        Ok(execution)
    }

    fn wait_until(&mut self, deadline: Option<Instant>) {
        self.inner.wait_until(deadline);
    }

    fn abandon(&mut self) {
        self.under_way.clear();
        self.inner.abandon();
    }

    fn remember(&mut self, states: &[Fingerprint]) {
        self.inner.remember(states);
    }

    fn forget_states(&mut self) {
        // The search begins anew.
        self.begin_again();
        self.inner.forget_states();
    }

    fn facts(&mut self) -> Facts {
        self.inner.facts()
    }

    fn learn(&mut self, facts: &Facts) -> Result<(), ExecutorError> {
        self.inner.learn(facts)
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        // With other visible places, states are others.
        self.begin_again();
        self.inner.reveal(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(parts: &[(PartKind, u64, &[u64])]) -> Vec<u64> {
        parts.iter().flat_map(|(kind, key, words)| [&[kind.head(words.len()), *key], *words].concat()).collect()
    }

    #[test]
    fn states_are_compared_by_what_they_consist_of() {
        use PartKind::{Access, Page, Stack, State, Thread};
        let mut store = Store::default();
        let state = Fingerprint(1);
        let one = content(&[(Thread, 0, &[1]), (Page, 8192, &[5]), (Page, 4096, &[3, 4])]);
        let turned = content(&[(Page, 4096, &[3, 4]), (Thread, 0, &[1]), (Page, 8192, &[5])]);
        assert_eq!(store.note(state, &one), (false, None));
        assert_eq!(store.note(state, &one), (true, None));
        assert_eq!(store.note(state, &turned), (true, None), "pages come in any order");
        let other = content(&[(Thread, 0, &[1]), (Page, 4096, &[3, 7]), (Page, 8192, &[5])]);
        let collision = Collision { state, part: (Page, 4096), at: 1 };
        assert_eq!(store.note(state, &other), (true, Some(collision)));
        let more = content(&[(Thread, 0, &[1]), (Page, 4096, &[3, 4]), (Page, 8192, &[5]), (Page, 12288, &[1])]);
        let collision = Collision { state, part: (Page, 12288), at: 0 };
        assert_eq!(store.note(state, &more), (true, Some(collision)));
        assert_eq!(store.note(Fingerprint(2), &other), (false, None));
        // What is known of one granule is a set.
        let known = [(Access, 9, &[1][..]), (Access, 9, &[2][..])];
        assert_eq!(store.note(Fingerprint(4), &content(&known)), (false, None));
        assert_eq!(store.note(Fingerprint(4), &content(&[known[1], known[0]])), (true, None));
        // Pieces of one stack have an order.
        let pieces = content(&[(Stack, 0, &[1]), (Stack, 0, &[2])]);
        assert_eq!(store.note(Fingerprint(3), &pieces), (false, None));
        assert!(store.note(Fingerprint(3), &content(&[(Stack, 0, &[2]), (Stack, 0, &[1])])).1.is_some());

        let several = [content(&[(State, 0, &[])]), one.clone(), content(&[(State, 4, &[])]), turned.clone()].concat();
        let read: Vec<(usize, &[u64])> = states(&several).collect();
        assert_eq!(read, [(0, &*one), (4, &*turned)]);
        assert_eq!(states(&one).count(), 0);
    }
}
