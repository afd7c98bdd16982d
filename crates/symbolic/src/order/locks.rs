//! The clauses of mutexes and read-write locks.
//!
//! Two sections of one lock exclude each other: if both are entered, one is left before the other is entered. A lock whose sections
//! cannot be matched is a word in memory: 0 if free, and locking waits for that value.

use super::access::Access;
use super::encode::Encoder;
use super::event::{Kind, ObjectIndex, Program};
use super::sections::{self, Section};
use super::{Encoding, Family, Options};
use crate::solve::Node;
use crate::term::{TermId, Terms};

/// How wide the word of a lock is. A read-write lock counts its readers there.
const WORD: u8 = 8;
/// The word of a read-write lock that a writer has.
const WRITER: u128 = 0xff;

/// The sections of all locks; none for a lock that is a word.
pub struct Locks {
    mutexes: Vec<Option<Vec<Section>>>,
    rwlocks: Vec<Option<Vec<Section>>>,
}

/// What is known of a lock at the end of an execution.
pub(super) enum Held {
    /// Whether each section was entered and not left; with the section.
    Sections(Vec<(Section, TermId)>),
    /// The word's last value.
    Word(TermId),
}

impl Locks {
    pub(super) fn new(program: &Program, terms: &mut Terms, options: &Options) -> Self {
        let mut locks = Locks { mutexes: Vec::new(), rwlocks: Vec::new() };
        for m in 0..program.mutexes {
            let found = sections::of_mutex(program, terms, m).filter(|_| options.sections);
            locks.mutexes.push(found);
        }
        for l in 0..program.rwlocks {
            let found = sections::of_rwlock(program, terms, l).filter(|_| options.sections);
            locks.rwlocks.push(found);
        }
        locks
    }

    /// Whether every thread always comes to its end: it only waits for locks that are taken in one order and always given back, and
    /// for threads that it created, without a lock held; and it makes no assumptions.
    pub(super) fn always_end(&self, program: &Program, terms: &mut Terms) -> bool {
        let mut all: Vec<(usize, &Section)> = Vec::new();
        for (m, found) in self.mutexes.iter().chain(&self.rwlocks).enumerate() {
            let Some(found) = found else { return false };
            for section in found {
                if !sections::always_left(program, terms, section) {
                    return false;
                }
                all.push((m, section));
            }
        }
        let locks = self.mutexes.len() + self.rwlocks.len();
        let mut graph = crate::solve::Graph::default();
        graph.reserve(locks as Node);
        let mut cycle = Vec::new();
        for (t, thread) in program.threads.iter().enumerate() {
            // Before anything else happens an assumption is a condition on the inputs, and nobody stops there.
            let mut early = t == 0;
            for (i, event) in thread.events.iter().enumerate() {
                if event.guard == Terms::FALSE {
                    continue;
                }
                early &= !matches!(event.kind, Kind::Create { .. } | Kind::Check { .. });
                match event.kind {
                    Kind::Assume { condition } if !early && condition != Terms::TRUE => return false,
                    Kind::Lock { .. } | Kind::ReadLock { .. } | Kind::WriteLock { .. } | Kind::Join { .. } => {}
                    _ if event.kind.can_wait() => return false,
                    _ => continue,
                }
                let holding = |terms: &mut Terms, s: &Section| {
                    let guard = |u: usize| thread.events[u].guard;
                    s.thread == t
                        && s.enter < i
                        && terms.and(guard(s.enter), event.guard) != Terms::FALSE
                        && !s.leave.iter().any(|&u| u < i && sections::implied(terms, guard(u), event.guard))
                };
                if let Kind::Join { child } = event.kind {
                    let created = thread.events[..i].iter().any(|e| {
                        matches!(e.kind, Kind::Create { child: c } if c == child)
                            && sections::implied(terms, e.guard, event.guard)
                    });
                    if !created || all.iter().any(|(_, s)| holding(terms, s)) {
                        return false;
                    }
                    continue;
                }
                let Some(&(m, _)) = all.iter().find(|(_, s)| s.thread == t && s.enter == i) else { return false };
                for (held, s) in &all {
                    if holding(terms, s)
                        && !graph.reaches(*held as Node, m as Node)
                        && !graph.add(*held as Node, m as Node, 0, &mut cycle)
                    {
                        return false;
                    }
                    if holding(terms, s) && *held == m {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether an access is surely inside a section that is exclusive with another's.
    pub(super) fn exclude(&self, program: &Program, terms: &mut Terms, a: (usize, usize), b: (usize, usize)) -> bool {
        let covers = |terms: &mut Terms, s: &Section, (t, i): (usize, usize)| {
            let events = &program.threads[t].events;
            s.thread == t
                && s.enter < i
                && sections::implied(terms, events[s.enter].guard, events[i].guard)
                && s.leave.iter().all(|&u| u > i || terms.and(events[u].guard, events[i].guard) == Terms::FALSE)
        };
        for found in self.mutexes.iter().chain(&self.rwlocks).flatten() {
            let mut shared = [None, None];
            for s in found {
                for (n, access) in [a, b].into_iter().enumerate() {
                    if covers(terms, s, access) {
                        // As a writer, if it has the lock twice.
                        shared[n] = Some(shared[n].unwrap_or(true) && s.shared);
                    }
                }
            }
            if let [Some(x), Some(y)] = shared
                && !(x && y)
            {
                return true;
            }
        }
        false
    }
}

impl Encoder<'_> {
    pub(super) fn locks(&mut self, locks: &Locks) {
        for (m, found) in locks.mutexes.iter().enumerate() {
            let held = match found {
                Some(found) => self.exclusive(found),
                None => self.mutex_word(m),
            };
            self.stuck_at_lock(&held, |kind| matches!(kind, Kind::Lock { mutex } if *mutex == m), false);
            self.held_mutexes.push(held);
        }
        for (l, found) in locks.rwlocks.iter().enumerate() {
            let held = match found {
                Some(found) => self.exclusive(found),
                None => self.rwlock_word(l),
            };
            self.stuck_at_lock(&held, |kind| matches!(kind, Kind::WriteLock { lock } if *lock == l), false);
            self.stuck_at_lock(&held, |kind| matches!(kind, Kind::ReadLock { lock } if *lock == l), true);
        }
    }

    /// Sections that exclude each other, unless both are readers'.
    fn exclusive(&mut self, found: &[Section]) -> Held {
        for (n, a) in found.iter().enumerate() {
            for b in &found[n + 1..] {
                if a.shared && b.shared {
                    continue;
                }
                let entered = [self.happens(a.thread, a.enter), self.happens(b.thread, b.enter)];
                let mut clause: Vec<TermId> = entered.iter().map(|t| self.terms.not(*t)).collect();
                if a.thread == b.thread {
                    // In the order of the code; the first must be left in between.
                    for u in a.leave.iter().filter(|u| **u < b.enter) {
                        clause.push(self.happens(a.thread, *u));
                    }
                    if !self.leaves_out(Family::SectionLeft) {
                        self.clause(&clause);
                    }
                    continue;
                }
                if self.leaves_out(Family::SectionOrder) {
                    continue;
                }
                for (x, y) in [(a, b), (b, a)] {
                    let target = self.skeleton.node(y.thread, y.enter);
                    for u in &x.leave {
                        let node = self.skeleton.node(x.thread, *u);
                        if self.skeleton.before(target, node) {
                            continue;
                        }
                        let left = self.happens(x.thread, *u);
                        let first = self.choice("section", x.thread < y.thread);
                        let no = self.terms.not(first);
                        if self.options.encoding == Encoding::UwOrder {
                            // Sections of earlier threads first.
                            let l = self.lit(first);
                            self.preferences.push(if x.thread < y.thread { l } else { !l });
                        }
                        if !self.leaves_out(Family::SectionLeft) {
                            self.clause(&[no, left]);
                        }
                        self.edge_if(first, node, target);
                        clause.push(first);
                    }
                }
                self.clause(&clause);
            }
        }
        let mut held = Vec::new();
        for s in found {
            let mut all = vec![self.happens(s.thread, s.enter)];
            for u in &s.leave {
                let left = self.happens(s.thread, *u);
                all.push(self.terms.not(left));
            }
            held.push((s.clone(), self.terms.and_all(&all)));
        }
        Held::Sections(held)
    }

    /// Adds a word of memory for a lock or a counter, and returns the number of its variable.
    pub(super) fn add_word(&mut self, width: u8, value: u128) -> usize {
        let cell = self.terms.constant(width, value);
        self.initial.push(vec![cell]);
        self.initial.len() - 1
    }

    /// Adds an access to a word at an event; its old value is the result.
    pub(super) fn update_word(
        &mut self,
        variable: usize,
        (thread, event): (usize, usize),
        new: impl FnOnce(&mut Terms, TermId) -> (TermId, TermId),
    ) -> TermId {
        let sort = self.terms.sort(self.initial[variable][0]);
        let old = self.terms.variable(sort, "word");
        let (written, writes_if) = new(self.terms, old);
        self.accesses.push(Access {
            node: self.skeleton.node(thread, event),
            variable,
            index: None,
            reads: Some(old),
            writes: Some(written),
            writes_if,
            guard: self.program.threads[thread].events[event].guard,
            plain: false,
        });
        old
    }

    /// The last value of a word; only asked for if deadlocks are.
    pub(super) fn final_value(&mut self, variable: usize) -> TermId {
        let sort = self.terms.sort(self.initial[variable][0]);
        let value = self.terms.variable(sort, "last");
        if self.dead.is_some() {
            self.accesses.push(Access {
                node: self.skeleton.last(),
                variable,
                index: None,
                reads: Some(value),
                writes: None,
                writes_if: Terms::TRUE,
                guard: Terms::TRUE,
                plain: false,
            });
        }
        value
    }

    fn mutex_word(&mut self, mutex: ObjectIndex) -> Held {
        let word = self.add_word(WORD, 0);
        for t in 0..self.program.threads.len() {
            for i in 0..self.program.threads[t].events.len() {
                let kind = self.program.threads[t].events[i].kind.clone();
                let (zero, one) = (self.terms.constant(WORD, 0), self.terms.constant(WORD, 1));
                let happens = self.happens(t, i);
                let no = self.terms.not(happens);
                match kind {
                    Kind::Lock { mutex: m } | Kind::Wake { mutex: m, .. } if m == mutex => {
                        let old = self.update_word(word, (t, i), |_, _| (one, Terms::TRUE));
                        let free = self.terms.eq(old, zero);
                        if !self.leaves_out(Family::WordFree) {
                            self.clause(&[no, free]);
                        }
                    }
                    Kind::TryLock { mutex: m, success } if m == mutex => {
                        let old = self.update_word(word, (t, i), |_, _| (one, success));
                        let free = self.terms.eq(old, zero);
                        let right = self.terms.iff(success, free);
                        if !self.leaves_out(Family::TryLock) {
                            self.clause(&[no, right]);
                        }
                    }
                    Kind::Unlock { mutex: m } | Kind::Sleep { mutex: m, .. } if m == mutex => {
                        self.update_word(word, (t, i), |_, _| (zero, Terms::TRUE));
                    }
                    _ => {}
                }
            }
        }
        Held::Word(self.final_value(word))
    }

    fn rwlock_word(&mut self, lock: ObjectIndex) -> Held {
        let word = self.add_word(WORD, 0);
        for t in 0..self.program.threads.len() {
            for i in 0..self.program.threads[t].events.len() {
                let kind = self.program.threads[t].events[i].kind.clone();
                let [zero, one, writer] = [0, 1, WRITER].map(|k| self.terms.constant(WORD, k));
                let happens = self.happens(t, i);
                let no = self.terms.not(happens);
                let fine = match kind {
                    Kind::ReadLock { lock: l } if l == lock => {
                        let old = self.update_word(word, (t, i), |terms, old| (terms.add(old, one), Terms::TRUE));
                        self.terms.ne(old, writer)
                    }
                    Kind::WriteLock { lock: l } if l == lock => {
                        let old = self.update_word(word, (t, i), |_, _| (writer, Terms::TRUE));
                        self.terms.eq(old, zero)
                    }
                    Kind::RwUnlock { lock: l } if l == lock => {
                        self.update_word(word, (t, i), |terms, old| {
                            let was_writer = terms.eq(old, writer);
                            let less = terms.sub(old, one);
                            (terms.ite(was_writer, zero, less), Terms::TRUE)
                        });
                        Terms::TRUE
                    }
                    _ => Terms::TRUE,
                };
                if !self.leaves_out(Family::WordFree) {
                    self.clause(&[no, fine]);
                }
            }
        }
        Held::Word(self.final_value(word))
    }

    /// Whether somebody has the lock at the end; for a reader who waits, only a writer counts.
    pub(super) fn is_held(&mut self, held: &Held, as_reader: bool) -> TermId {
        match held {
            Held::Sections(all) => {
                let found: Vec<TermId> =
                    all.iter().filter(|(s, _)| !(as_reader && s.shared)).map(|(_, h)| *h).collect();
                self.terms.or_all(&found)
            }
            Held::Word(last) => {
                let [zero, writer] = [0, WRITER].map(|k| self.terms.constant(WORD, k));
                if as_reader { self.terms.eq(*last, writer) } else { self.terms.ne(*last, zero) }
            }
        }
    }

    /// A thread stops at a lock only if somebody has it at the end.
    fn stuck_at_lock(&mut self, held: &Held, is_lock: impl Fn(&Kind) -> bool, as_reader: bool) {
        if self.dead.is_none() {
            return;
        }
        let held = self.is_held(held, as_reader);
        for t in 0..self.program.threads.len() {
            for i in 0..self.program.threads[t].events.len() {
                if is_lock(&self.program.threads[t].events[i].kind) && !self.leaves_out(Family::DeadlockLock) {
                    self.stuck_only_if(t, i, &[held]);
                }
            }
        }
    }

    /// At a deadlock, a thread stops here only if one of these holds.
    pub(super) fn stuck_only_if(&mut self, thread: usize, event: usize, reasons: &[TermId]) {
        let Some(dead) = self.dead else { return };
        let stops = self.stops(thread, event);
        let mut clause = vec![self.terms.not(dead), self.terms.not(stops)];
        clause.extend_from_slice(reasons);
        self.clause(&clause);
    }
}
