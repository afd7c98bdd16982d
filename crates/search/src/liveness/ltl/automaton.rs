//! From a formula to an automaton.
//!
//! R. Gerth, D. Peled, M. Vardi, P. Wolper, *Simple on-the-fly automatic verification of linear temporal logic*, PSTV 1995,
//! build a tableau: a state is the set of formulas that must hold from here on. J.-M. Couvreur, *On-the-fly verification of
//! linear temporal logic*, FM 1999, puts letters and acceptance on the transitions. There is one acceptance set for each
//! `U`: a transition is in it unless it puts off what the `U` promises. A run is accepting if it passes each set again and
//! again.

use std::collections::{BTreeSet, HashMap};

use crate::liveness::ltl::formula::Formula;

/// A transition of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The propositions that must hold in the letter that is read, and those that must not.
    pub holds: u64,
    /// See `holds`.
    pub fails: u64,
    /// The number of the state that follows.
    pub to: u32,
    /// The acceptance sets that the transition is in, as bits.
    pub marks: u64,
}

/// An automaton with generalised Büchi acceptance on transitions. It begins in state 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The transitions of each state.
    pub states: Vec<Vec<Transition>>,
    /// All acceptance sets, as bits.
    pub marks: u64,
}

/// One way to make all formulas of a set hold: now and from the next step on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Way {
    holds: u64,
    fails: u64,
    next: BTreeSet<Formula>,
    /// The `U`s whose promise is put off.
    postponed: u64,
}

impl Automaton {
    /// The automaton that accepts exactly the words for which `formula` holds. `None` if the formula has more than 64 `U`s.
    pub fn of(formula: &Formula) -> Option<Automaton> {
        let mut untils = Vec::new();
        collect(formula, &mut untils);
        if untils.len() > 64 {
            return None;
        }
        let marks = if untils.len() == 64 { u64::MAX } else { (1 << untils.len()) - 1 };
        let first = BTreeSet::from([formula.clone()]);
        let mut numbers: HashMap<BTreeSet<Formula>, u32> = HashMap::from([(first.clone(), 0)]);
        let mut open = vec![first];
        let mut states: Vec<Vec<Transition>> = Vec::new();
        while states.len() < open.len() {
            let obligations = open[states.len()].iter().cloned().collect();
            let mut ways = BTreeSet::new();
            expand(obligations, Way::default(), &untils, &mut ways);
            let mut transitions = Vec::new();
            for Way { holds, fails, next, postponed } in ways {
                let new = open.len() as u32;
                let to = *numbers.entry(next.clone()).or_insert(new);
                if to == new {
                    open.push(next);
                }
                transitions.push(Transition { holds, fails, to, marks: marks & !postponed });
            }
            states.push(transitions);
        }
        Some(Automaton { states, marks })
    }
}

/// Collects every `U` of a formula once.
fn collect(formula: &Formula, into: &mut Vec<Formula>) {
    use Formula::*;
    match formula {
        True | False | Is(..) => {}
        Next(a) => collect(a, into),
        And(a, b) | Or(a, b) | Release(a, b) => {
            collect(a, into);
            collect(b, into);
        }
        Until(a, b) => {
            if !into.contains(formula) {
                into.push(formula.clone());
            }
            collect(a, into);
            collect(b, into);
        }
    }
}

/// Adds all ways to make the formulas of `todo` hold, beside what `way` asks for already.
fn expand(mut todo: Vec<Formula>, mut way: Way, untils: &[Formula], into: &mut BTreeSet<Way>) {
    use Formula::*;
    while let Some(formula) = todo.pop() {
        match formula {
            True => {}
            False => return,
            Is(name, true) => way.holds |= 1 << name,
            Is(name, false) => way.fails |= 1 << name,
            And(a, b) => todo.extend([*a, *b]),
            Next(a) => {
                way.next.insert(*a);
            }
            Or(a, b) => {
                expand(with(&todo, [*a]), way.clone(), untils, into);
                todo.push(*b);
            }
            Until(a, b) => {
                expand(with(&todo, [(*b).clone()]), way.clone(), untils, into);
                let number = untils.iter().position(|until| matches!(until, Until(c, d) if *c == a && *d == b));
                way.postponed |= number.map_or(0, |number| 1 << number);
                way.next.insert(Until(a.clone(), b));
                todo.push(*a);
            }
            Release(a, b) => {
                expand(with(&todo, [(*a).clone(), (*b).clone()]), way.clone(), untils, into);
                way.next.insert(Release(a, b.clone()));
                todo.push(*b);
            }
        }
        if way.holds & way.fails != 0 {
            return;
        }
    }
    into.insert(way);
}

fn with<const N: usize>(todo: &[Formula], more: [Formula; N]) -> Vec<Formula> {
    todo.iter().cloned().chain(more).collect()
}
