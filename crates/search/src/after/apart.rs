//! What keeps states apart: asked when a search over states was cut off because there were too many of them.
//!
//! The ways to a sample of the states are run again, and what the states [consist of](heddle_model::content) is compared: of two in which
//! every thread stands before the same operation, which parts differ? A counter that only grows, a clock that was looked at or a
//! list of free blocks in an ever new order is named in this way. If no two such states are among them, it is where the threads stand.

use std::collections::HashMap;

use heddle_model::content::{Part, PartKind, parts};
use heddle_model::{Executor, ExecutorError, Plan, States};

use crate::wrap::exact;

/// How many states are looked at.
pub const SAMPLE: usize = 256;

/// A part in which states differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Differs {
    /// What it is about.
    pub kind: PartKind,
    /// Which one of its kind.
    pub key: u64,
    /// How many words of it come before the first that differs.
    pub at: u64,
}

/// What keeps states apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Apart {
    /// How many pairs of states were compared in which every thread stands before the same operation.
    pub pairs: u64,
    /// In how many of them a part differs, most first.
    pub parts: Vec<(Differs, u64)>,
}

/// A state: its parts in an order of their own.
type Content = Vec<(PartKind, u64, Vec<u64>)>;

/// Runs the ways to states again, and compares these states. Each plan must end at the first state past its schedule. No plan may be under way.
///
/// # Errors
///
/// When the executor fails.
pub fn look(executor: &mut dyn Executor, ways: &[Plan]) -> Result<Apart, ExecutorError> {
    let mut groups: HashMap<Content, Content> = HashMap::new();
    let mut apart = Apart::default();
    let mut counts: HashMap<Differs, u64> = HashMap::new();
    for way in ways {
        let plan = Plan { states: States::Stop, contents: true, ..way.clone() };
        let execution = executor.run(&plan)?;
        let Some((0, content)) = exact::states(execution.contents).next() else { continue };
        let (stands, others) = split(content);
        match groups.get_mut(&stands) {
            None => drop(groups.insert(stands, others)),
            Some(last) => {
                if let Some(differs) = differ(last, &others) {
                    apart.pairs += 1;
                    differs.into_iter().for_each(|part| *counts.entry(part).or_default() += 1);
                }
                *last = others;
            }
        }
    }
    apart.parts = counts.into_iter().collect();
    apart.parts.sort_unstable_by_key(|&(part, count)| (u64::MAX - count, part));
    Ok(apart)
}

/// Where the threads of a state stand, and all else.
fn split(content: &[u64]) -> (Content, Content) {
    let (mut stands, mut others) = (Content::new(), Content::new());
    for Part { kind, key, words } in parts(content) {
        let to = if kind == PartKind::Thread { &mut stands } else { &mut others };
        to.push((kind, key, words.to_vec()));
    }
    stands.sort_by_key(|part| part.1);
    others.sort_by_key(|part| (part.0, part.1));
    (stands, others)
}

/// The parts in which two states differ. `None` if they are the same.
fn differ(one: &Content, other: &Content) -> Option<Vec<Differs>> {
    let mut differs = Vec::new();
    let key = |part: &(PartKind, u64, Vec<u64>)| (part.0, part.1);
    let (mut one, mut other) = (&one[..], &other[..]);
    while let Some(first) = one.first().into_iter().chain(other.first()).map(key).min() {
        let count = |of: &[(PartKind, u64, Vec<u64>)]| of.iter().take_while(|part| key(part) == first).count();
        let ((mine, rest), (theirs, others)) = (one.split_at(count(one)), other.split_at(count(other)));
        (one, other) = (rest, others);
        let words = |of: &[(PartKind, u64, Vec<u64>)]| of.iter().flat_map(|part| part.2.clone()).collect::<Vec<u64>>();
        let (mine, theirs) = (words(mine), words(theirs));
        if mine != theirs {
            let at = mine.iter().zip(&theirs).take_while(|(mine, theirs)| mine == theirs).count() as u64;
            differs.push(Differs { kind: first.0, key: first.1, at });
        }
    }
    (!differs.is_empty()).then_some(differs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let page = |key: u64, words: &[u64]| (PartKind::Page, key, words.to_vec());
        let one = vec![(PartKind::Call, 0, vec![1]), page(4096, &[1, 2]), page(8192, &[1])];
        let other = vec![(PartKind::Call, 0, vec![1]), page(4096, &[1, 3]), page(12288, &[1])];
        let differs = differ(&one, &other).unwrap();
        let at = |key, at| Differs { kind: PartKind::Page, key, at };
        assert_eq!(differs, [at(4096, 1), at(8192, 0), at(12288, 0)]);
        assert_eq!(differ(&one, &one), None);
    }
}
