//! Accesses to memory, and which writes a read can read from.

use rustc_hash::{FxHashMap, FxHashSet};

use super::event::{Kind, Place, Program};
use super::sections::implied;
use super::skeleton::Skeleton;
use crate::solve::Node;
use crate::term::{TermId, Terms};

/// One access: of the program, or of a word that stands for a lock.
#[derive(Clone, Debug)]
pub struct Access {
    /// Its place in the order.
    pub node: Node,
    /// Which variable; words of locks have numbers after those of the program.
    pub variable: usize,
    /// Which cell.
    pub index: Option<TermId>,
    /// The unknown that stands for what is read.
    pub reads: Option<TermId>,
    /// What is written.
    pub writes: Option<TermId>,
    /// Whether it writes, if it happens.
    pub writes_if: TermId,
    /// The guard of its event.
    pub guard: TermId,
    /// Not atomic.
    pub plain: bool,
}

/// A candidate for what a read reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The initial value.
    Initial,
    /// An access, by its index.
    Write(usize),
}

/// The accesses of a program to its own variables.
pub fn of_program(program: &Program, skeleton: &Skeleton) -> Vec<Access> {
    let mut all = Vec::new();
    for (t, thread) in program.threads.iter().enumerate() {
        for (i, event) in thread.events.iter().enumerate() {
            let base = |place: Place| Access {
                node: skeleton.node(t, i),
                variable: place.variable,
                index: place.index,
                reads: None,
                writes: None,
                writes_if: Terms::TRUE,
                guard: event.guard,
                plain: false,
            };
            match event.kind {
                Kind::Load { place, value, plain } => all.push(Access { reads: Some(value), plain, ..base(place) }),
                Kind::Store { place, value, plain } => all.push(Access { writes: Some(value), plain, ..base(place) }),
                Kind::Update { place, old, new, writes } => {
                    all.push(Access { reads: Some(old), writes: Some(new), writes_if: writes, ..base(place) });
                }
                _ => {}
            }
        }
    }
    all
}

/// Whether two accesses of one variable are to the same cell, as a term.
pub fn aliases(terms: &mut Terms, a: &Access, b: &Access) -> TermId {
    match (a.index, b.index) {
        (Some(x), Some(y)) => terms.eq(x, y),
        _ => Terms::TRUE,
    }
}

/// The initial value that an access finds: the cells chosen by its index.
pub fn initial_value(terms: &mut Terms, cells: &[TermId], index: Option<TermId>) -> TermId {
    let Some(index) = index else { return cells[0] };
    let width = terms.width(index);
    let mut value = cells[cells.len() - 1];
    for (i, cell) in cells.iter().enumerate().rev().skip(1) {
        let number = terms.constant(width, i as u128);
        let here = terms.eq(index, number);
        value = terms.ite(here, *cell, value);
    }
    value
}

/// For one read: the writes that it can read from, by the static order alone. A write is out if it comes after the read, if it is to another
/// cell, or if one that surely happens comes in between.
pub fn candidates(
    terms: &mut Terms,
    skeleton: &Skeleton,
    accesses: &[Access],
    by_variable: &[usize],
    read: usize,
) -> Vec<Source> {
    let r = &accesses[read];
    // Writes to the same cell that happen whenever the read does, and before it. Nothing does for the end of the program: threads may
    // have stopped.
    let sure: Vec<usize> = by_variable
        .iter()
        .copied()
        .filter(|&w| {
            let a = &accesses[w];
            a.writes.is_some()
                && w != read
                && r.node != skeleton.last()
                && a.writes_if == Terms::TRUE
                && a.index == r.index
                && skeleton.before(a.node, r.node)
                && implied(terms, a.guard, r.guard)
        })
        .collect();
    let hidden = |node: Node| sure.iter().any(|&s| skeleton.before(node, accesses[s].node));
    let mut found = Vec::new();
    if sure.is_empty() {
        found.push(Source::Initial);
    }
    for &w in by_variable {
        let a = &accesses[w];
        if w == read || a.writes.is_none() || skeleton.before(r.node, a.node) || hidden(a.node) {
            continue;
        }
        let happens = terms.and(a.guard, a.writes_if);
        let same_thread = skeleton.thread(a.node) == skeleton.thread(r.node);
        if happens == Terms::FALSE
            || aliases(terms, a, r) == Terms::FALSE
            || (same_thread && terms.and(a.guard, r.guard) == Terms::FALSE)
        {
            continue;
        }
        found.push(Source::Write(w));
    }
    found
}

/// Replaces reads that can only have one value by that value, everywhere, until nothing changes. The reads stay events; the unknowns that do not
/// occur any more are the result.
pub fn substitute(program: &mut Program, terms: &mut Terms, skeleton: &Skeleton) -> FxHashSet<TermId> {
    let mut settled = FxHashSet::default();
    for _ in 0..8 {
        let accesses = of_program(program, skeleton);
        let mut by_variable = vec![Vec::new(); program.variables.len()];
        for (i, a) in accesses.iter().enumerate() {
            by_variable[a.variable].push(i);
        }
        let mut known = FxHashMap::default();
        for (i, a) in accesses.iter().enumerate() {
            let Some(value) = a.reads else { continue };
            if terms.as_variable(value).is_none() || settled.contains(&value) {
                continue;
            }
            let found = candidates(terms, skeleton, &accesses, &by_variable[a.variable], i);
            let [source] = found[..] else { continue };
            let new = match source {
                Source::Initial => initial_value(terms, &program.variables[a.variable].initial, a.index),
                Source::Write(w) => {
                    let w = &accesses[w];
                    let sure = w.index == a.index && w.writes_if == Terms::TRUE && skeleton.before(w.node, a.node);
                    let Some(written) = w.writes.filter(|_| sure && implied(terms, w.guard, a.guard)) else { continue };
                    written
                }
            };
            debug_assert!(terms.sort(new) == terms.sort(value), "a read has the width of what is written");
            known.insert(value, new);
        }
        if known.is_empty() {
            break;
        }
        // What replaces a read may contain others that are replaced. Those come before it in every execution.
        let mut order: Vec<(usize, TermId)> = Vec::new();
        for a in &accesses {
            if let Some(value) = a.reads.filter(|value| known.contains_key(value)) {
                order.push((skeleton.count_after(a.node), value));
            }
        }
        order.sort_unstable_by(|a, b| b.cmp(a));
        let mut closed = FxHashMap::default();
        for (_, value) in order {
            let new = terms.substitute(known[&value], &mut closed);
            closed.insert(value, new);
        }
        settled.extend(known.keys().copied());
        apply(program, terms, &mut closed);
    }
    settled
}

/// Applies a map to all terms of a program.
fn apply(program: &mut Program, terms: &mut Terms, map: &mut FxHashMap<TermId, TermId>) {
    let fresh = |terms: &Terms, value: TermId| terms.as_variable(value).is_some();
    for thread in &mut program.threads {
        for event in &mut thread.events {
            event.guard = terms.substitute(event.guard, map);
            let mut one = |t: &mut TermId| *t = terms.substitute(*t, map);
            match &mut event.kind {
                Kind::Load { place, .. } => place.index.iter_mut().for_each(one),
                Kind::Store { place, value, .. } => {
                    place.index.iter_mut().for_each(&mut one);
                    one(value);
                }
                Kind::Update { place, new, writes, .. } => {
                    place.index.iter_mut().for_each(&mut one);
                    one(new);
                    one(writes);
                }
                Kind::Assume { condition } => one(condition),
                Kind::Check { violated, .. } => one(violated),
                _ => {}
            }
            debug_assert!(match event.kind {
                Kind::Load { value, .. } => fresh(terms, value),
                _ => true,
            });
        }
    }
    for variable in &mut program.variables {
        for cell in &mut variable.initial {
            *cell = terms.substitute(*cell, map);
        }
    }
}
