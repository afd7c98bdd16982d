//! Critical sections: which unlock belongs to which lock.
//!
//! A section begins with the event that takes a lock and ends with one of the events that give it back, on different branches. Sections are
//! matched by guards alone; where that is not possible, a mutex becomes a word in memory with atomic operations.

use super::event::{Event, Kind, ObjectIndex, Program, ThreadIndex};
use crate::term::{Node as TermNode, TermId, Terms};

/// A critical section of one thread.
#[derive(Clone, Debug)]
pub struct Section {
    /// Whose.
    pub thread: ThreadIndex,
    /// The event that takes the lock.
    pub enter: usize,
    /// The events that give it back; their guards exclude each other.
    pub leave: Vec<usize>,
    /// As a reader of a read-write lock: readers do not exclude each other.
    pub shared: bool,
}

/// How an event uses the lock in question.
enum Use {
    Enter { shared: bool },
    Leave,
    Try,
}

fn mutex_use(event: &Event, mutex: ObjectIndex) -> Option<Use> {
    match event.kind {
        Kind::Lock { mutex: m } | Kind::Wake { mutex: m, .. } if m == mutex => Some(Use::Enter { shared: false }),
        Kind::Unlock { mutex: m } | Kind::Sleep { mutex: m, .. } if m == mutex => Some(Use::Leave),
        Kind::TryLock { mutex: m, .. } if m == mutex => Some(Use::Try),
        _ => None,
    }
}

fn rwlock_use(event: &Event, lock: ObjectIndex) -> Option<Use> {
    match event.kind {
        Kind::ReadLock { lock: l } if l == lock => Some(Use::Enter { shared: true }),
        Kind::WriteLock { lock: l } if l == lock => Some(Use::Enter { shared: false }),
        Kind::RwUnlock { lock: l } if l == lock => Some(Use::Leave),
        _ => None,
    }
}

/// Whether `a` follows from `b` by the members of their conjunctions alone.
pub fn implied(terms: &Terms, a: TermId, b: TermId) -> bool {
    let members = |t: TermId| match terms.node(t) {
        TermNode::And(all) => all.to_vec(),
        _ => vec![t],
    };
    if a == b || a == Terms::TRUE || b == Terms::FALSE {
        return true;
    }
    let known = members(b);
    members(a).iter().all(|m| known.contains(m))
}

/// The sections of a mutex; none if they cannot be matched.
pub fn of_mutex(program: &Program, terms: &mut Terms, mutex: ObjectIndex) -> Option<Vec<Section>> {
    matched(program, terms, |event| mutex_use(event, mutex))
}

/// The sections of a read-write lock; none if they cannot be matched.
pub fn of_rwlock(program: &Program, terms: &mut Terms, lock: ObjectIndex) -> Option<Vec<Section>> {
    matched(program, terms, |event| rwlock_use(event, lock))
}

fn matched(program: &Program, terms: &mut Terms, usage: impl Fn(&Event) -> Option<Use>) -> Option<Vec<Section>> {
    let mut all = Vec::new();
    for (thread, body) in program.threads.iter().enumerate() {
        let begin = all.len();
        for (i, event) in body.events.iter().enumerate() {
            match usage(event) {
                None => {}
                Some(_) if event.guard == Terms::FALSE => {}
                Some(Use::Try) => return None,
                Some(Use::Enter { shared }) => all.push(Section { thread, enter: i, leave: Vec::new(), shared }),
                Some(Use::Leave) => {
                    // The youngest section that is open on this branch.
                    let mut owner = None;
                    for s in (begin..all.len()).rev() {
                        let enter = body.events[all[s].enter].guard;
                        if terms.and(event.guard, enter) == Terms::FALSE {
                            continue;
                        }
                        let mut open = true;
                        for u in all[s].leave.clone() {
                            let left = body.events[u].guard;
                            let both = terms.and(event.guard, left);
                            if implied(terms, left, event.guard) {
                                open = false;
                            } else if both != Terms::FALSE {
                                return None;
                            }
                        }
                        if !open {
                            continue;
                        }
                        if !implied(terms, enter, event.guard) {
                            return None;
                        }
                        owner = Some(s);
                        break;
                    }
                    all[owner?].leave.push(i);
                }
            }
        }
    }
    Some(all)
}

/// Whether a section is left on every branch on which it is entered.
pub fn always_left(program: &Program, terms: &mut Terms, section: &Section) -> bool {
    let events = &program.threads[section.thread].events;
    let guards: Vec<TermId> = section.leave.iter().map(|u| events[*u].guard).collect();
    let mut left = Terms::FALSE;
    for g in guards {
        left = terms.or(left, g);
    }
    left == events[section.enter].guard
}
