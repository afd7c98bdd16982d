//! The formula of a program: which events happen, what reads read, and in which order.
//!
//! For a read `r`, writes `w` and other writes `w'` of its cell, and an acyclic relation `->` on the nodes:
//!
//! 1. `r` happens => it reads from one of its candidates;
//! 2. it reads from `w` => `w` happens, the values and cells are equal, and `w -> r`;
//! 3. it reads from `w`, and `w'` happens => `w' -> w` or `r -> w'`;
//! 4. what is ordered in every execution is ordered.
//!
//! Any order of the nodes that contains `->` is then an execution in which each read reads the last write. There are no variables for the order of
//! writes. A thread may stop at an event that can wait; then nothing after it happens. So the formula has a model for every execution that was
//! not continued, too, and a check that fails before a deadlock is found.

use rustc_hash::{FxHashMap, FxHashSet};

use super::access::{self, Access, Source};
use super::event::{Kind, Program, ThreadIndex};
use super::locks::Held;
use super::schedule::Steps;
use super::skeleton::{START, Skeleton};
use super::{Encoding, Family, Options, TooLarge};
use crate::solve::{Backend, Blaster, Budget, Cdclt, Lit, Node};
use crate::term::{Sort, TermId, Terms};

/// A read that reads what a write writes, if the literal is true.
#[derive(Clone, Copy)]
pub struct ReadsFrom {
    pub(super) node: Node,
    pub(super) value: TermId,
    pub(super) written: TermId,
    pub(super) literal: Lit,
}

/// A formula under construction.
pub struct Encoder<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) program: &'a Program,
    pub(super) skeleton: &'a Skeleton,
    pub(super) options: &'a Options,
    pub(super) backend: Cdclt,
    pub(super) blaster: Blaster,
    /// By thread and event: whether the thread comes past it.
    pub(super) alive: Vec<Vec<TermId>>,
    /// By thread: whether it begins.
    pub(super) begins: Vec<TermId>,
    /// True in queries about deadlocks.
    pub(super) dead: Option<TermId>,
    pub(super) accesses: Vec<Access>,
    /// The initial values of each variable of `accesses`.
    pub(super) initial: Vec<Vec<TermId>>,
    /// Order literals by their nodes, the smaller first: whether that comes first.
    pairs: FxHashMap<(Node, Node), TermId>,
    /// All conditional edges.
    pub(super) edges: Vec<(Lit, Node, Node)>,
    /// What reads can read.
    pub(super) reads_from: Vec<ReadsFrom>,
    /// The order that underapproximation begins with.
    pub(super) preferences: Vec<Lit>,
    /// The steps of the schedule, if it is recorded.
    pub(super) steps: Option<Steps>,
    /// By mutex: who has it at the end.
    pub(super) held_mutexes: Vec<Held>,
    clauses: u64,
    budget: Budget,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(
        terms: &'a mut Terms,
        program: &'a Program,
        skeleton: &'a Skeleton,
        options: &'a Options,
        budget: Budget,
    ) -> Self {
        let mut backend = if options.certify { Cdclt::with_proof() } else { Cdclt::new() };
        if !options.propagate {
            backend = backend.without_propagation();
        }
        let mut blaster = Blaster::new(&mut backend);
        if options.lazy_data {
            blaster.leave_out_data();
        }
        let initial = program.variables.iter().map(|v| v.initial.clone()).collect();
        let mut encoder = Encoder {
            terms,
            program,
            skeleton,
            options,
            backend,
            blaster,
            alive: Vec::new(),
            begins: Vec::new(),
            dead: None,
            accesses: Vec::new(),
            initial,
            pairs: FxHashMap::default(),
            edges: Vec::new(),
            reads_from: Vec::new(),
            preferences: Vec::new(),
            steps: None,
            held_mutexes: Vec::new(),
            clauses: 0,
            budget,
        };
        if options.deadlocks {
            encoder.dead = Some(encoder.choice("deadlock", false));
        }
        for (from, to) in &skeleton.fixed {
            if !encoder.leaves_out(Family::Program) || skeleton.thread(*from) != skeleton.thread(*to) {
                encoder.backend.fix(*from, *to);
            }
        }
        encoder
    }

    pub(super) fn leaves_out(&self, family: Family) -> bool {
        self.options.without == Some(family)
    }

    /// A new boolean that the solver chooses.
    pub(super) fn choice(&mut self, name: &str, phase: bool) -> TermId {
        let t = self.terms.variable(Sort::Bool, name);
        self.blaster.set_phase(t, phase);
        t
    }

    pub(super) fn lit(&mut self, t: TermId) -> Lit {
        self.blaster.lit(self.terms, &mut self.backend, t)
    }

    /// One of these holds.
    pub(super) fn clause(&mut self, clause: &[TermId]) {
        self.clauses += 1;
        self.blaster.clause(self.terms, &mut self.backend, clause);
    }

    /// If the condition holds, then `a -> b`.
    pub(super) fn edge_if(&mut self, condition: TermId, a: Node, b: Node) {
        if self.skeleton.before(a, b) || condition == Terms::FALSE {
            return;
        }
        if self.steps.is_some() {
            let (no, first) = (self.terms.not(condition), self.before(a, b));
            self.clause(&[no, first]);
            return;
        }
        let l = self.lit(condition);
        self.backend.edge(l, a, b);
        self.edges.push((l, a, b));
    }

    /// Whether `a` comes before `b`: one literal for both orders.
    pub(super) fn before(&mut self, a: Node, b: Node) -> TermId {
        if a == b || self.skeleton.before(b, a) {
            return Terms::FALSE;
        }
        if self.skeleton.before(a, b) {
            return Terms::TRUE;
        }
        let (low, high) = (a.min(b), a.max(b));
        let t = match self.pairs.get(&(low, high)) {
            Some(t) => *t,
            None if self.steps.is_some() => {
                let t = self.recorded_before(low, high);
                self.pairs.insert((low, high), t);
                t
            }
            None => {
                // Threads one after the other, at first.
                let t = self.choice("order", true);
                self.pairs.insert((low, high), t);
                let l = self.lit(t);
                if self.options.encoding == Encoding::UwOrder {
                    self.preferences.push(l);
                }
                self.backend.edge(l, low, high);
                self.backend.edge(!l, high, low);
                self.edges.push((l, low, high));
                self.edges.push((!l, high, low));
                t
            }
        };
        if a == low { t } else { self.terms.not(t) }
    }

    /// Whether an event happens.
    pub(super) fn happens(&mut self, thread: ThreadIndex, event: usize) -> TermId {
        let guard = self.program.threads[thread].events[event].guard;
        let alive = self.alive[thread][event];
        self.terms.and(guard, alive)
    }

    /// Whether the event of a node happens.
    pub(super) fn happens_at(&mut self, node: Node) -> TermId {
        match self.skeleton.place(node) {
            (thread, Some(event)) => self.happens(thread, event),
            (..) => Terms::TRUE,
        }
    }

    /// Whether a thread comes to its end.
    pub(super) fn ends(&self, thread: ThreadIndex) -> TermId {
        self.alive[thread].last().copied().unwrap_or(self.begins[thread])
    }

    /// Whether a thread stops at an event: it is there and does not come past it.
    pub(super) fn stops(&mut self, thread: ThreadIndex, event: usize) -> TermId {
        let before = if event == 0 { self.begins[thread] } else { self.alive[thread][event - 1] };
        let after = self.terms.not(self.alive[thread][event]);
        self.terms.and(before, after)
    }

    /// How far each thread comes. `may_stop` says at which events; an assumption is one of them, unless nothing could be missed there.
    pub(super) fn lives(&mut self, may_stop: bool) {
        let threads = self.program.threads.len();
        self.alive = vec![Vec::new(); threads];
        self.begins = vec![Terms::FALSE; threads];
        self.begins[0] = Terms::TRUE;
        // Creators first: a thread is created by one that began before.
        let mut todo = vec![0];
        let mut seen = FxHashSet::default();
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            let mut alive = self.begins[t];
            // Whether anything of interest can have happened already.
            let mut early = t == 0;
            for i in 0..self.program.threads[t].events.len() {
                let event = &self.program.threads[t].events[i];
                let (guard, kind) = (event.guard, event.kind.clone());
                let waits = match kind {
                    Kind::Assume { condition } => {
                        if early {
                            let no = self.terms.not(guard);
                            if !self.leaves_out(Family::Assume) {
                                self.clause(&[no, condition]);
                            }
                        }
                        !early && condition != Terms::TRUE
                    }
                    _ => may_stop && kind.can_wait(),
                };
                if waits && guard != Terms::FALSE {
                    let after = self.choice("alive", true);
                    let stopped = self.terms.not(after);
                    self.clause(&[stopped, alive]);
                    let no = self.terms.not(alive);
                    self.clause(&[no, guard, after]);
                    alive = after;
                    if let Kind::Assume { condition } = kind {
                        let no = self.terms.not(guard);
                        if !self.leaves_out(Family::Assume) {
                            self.clause(&[stopped, no, condition]);
                        }
                    }
                }
                self.alive[t].push(alive);
                match kind {
                    Kind::Create { child } => {
                        early = false;
                        self.begins[child] = self.terms.and(guard, alive);
                        todo.push(child);
                    }
                    Kind::Check { .. } => early = false,
                    _ => {}
                }
            }
        }
        for t in 0..threads {
            // Nobody creates it.
            let missing = self.program.threads[t].events.len() - self.alive[t].len();
            self.alive[t].extend(std::iter::repeat_n(Terms::FALSE, missing));
        }
    }

    /// The clauses of reads and writes.
    pub(super) fn memory(&mut self) -> Result<(), TooLarge> {
        let accesses = std::mem::take(&mut self.accesses);
        let mut by_variable = vec![Vec::new(); self.initial.len()];
        for (i, a) in accesses.iter().enumerate() {
            by_variable[a.variable].push(i);
        }
        // Whether each access happens, and whether it writes.
        let mut happens = Vec::new();
        for a in &accesses {
            let h = self.happens_at(a.node);
            let w = self.terms.and(h, a.writes_if);
            happens.push((h, w));
        }
        for r in 0..accesses.len() {
            if accesses[r].reads.is_some() {
                self.read(&accesses, &happens, &by_variable[accesses[r].variable], r)?;
            }
        }
        self.accesses = accesses;
        Ok(())
    }

    fn read(
        &mut self,
        accesses: &[Access],
        happens: &[(TermId, TermId)],
        all: &[usize],
        read: usize,
    ) -> Result<(), TooLarge> {
        let r = &accesses[read];
        let Some(value) = r.reads else { return Ok(()) };
        let found = access::candidates(self.terms, self.skeleton, accesses, all, read);
        let reads = happens[read].0;
        let mut any = vec![self.terms.not(reads)];
        for &source in &found {
            if self.clauses.is_multiple_of(64) && self.budget.is_over() {
                return Err(TooLarge);
            }
            let from = if found.len() > 1 { self.choice("reads from", false) } else { reads };
            any.push(from);
            let no = self.terms.not(from);
            let (w_node, written) = match source {
                Source::Initial => {
                    let cells = self.initial[r.variable].clone();
                    (START, access::initial_value(self.terms, &cells, r.index))
                }
                Source::Write(w) => {
                    let a = &accesses[w];
                    let same = access::aliases(self.terms, a, r);
                    if !self.leaves_out(Family::WriteHappens) {
                        self.clause(&[no, happens[w].1]);
                    }
                    if !self.leaves_out(Family::Cells) {
                        self.clause(&[no, same]);
                    }
                    let order = self.before(a.node, r.node);
                    if !self.leaves_out(Family::WriteFirst) {
                        self.clause(&[no, order]);
                    }
                    (a.node, a.writes.unwrap_or(value))
                }
            };
            if self.options.lazy_data {
                let literal = self.lit(from);
                self.reads_from.push(ReadsFrom { node: r.node, value, written, literal });
            }
            if !self.leaves_out(Family::Values) && !self.options.lazy_data {
                let guard = self.lit(from);
                self.blaster.guarded_eq(self.terms, &mut self.backend, guard, value, written);
            }
            if self.leaves_out(Family::NothingBetween) {
                continue;
            }
            for &other in all {
                let x = &accesses[other];
                if other == read || x.writes.is_none() || Source::Write(other) == source {
                    continue;
                }
                if self.skeleton.before(x.node, w_node) || self.skeleton.before(r.node, x.node) {
                    continue;
                }
                let same = access::aliases(self.terms, x, r);
                if same == Terms::FALSE {
                    continue;
                }
                let (absent, apart) = (self.terms.not(happens[other].1), self.terms.not(same));
                let (earlier, later) = (self.before(x.node, w_node), self.before(r.node, x.node));
                self.clause(&[no, absent, apart, earlier, later]);
            }
        }
        if !self.leaves_out(Family::ReadsSomething) {
            self.clause(&any);
        }
        Ok(())
    }
}

impl Kind {
    /// Whether a thread can wait at such an event.
    pub fn can_wait(&self) -> bool {
        matches!(
            self,
            Kind::Join { .. }
                | Kind::Lock { .. }
                | Kind::ReadLock { .. }
                | Kind::WriteLock { .. }
                | Kind::Wake { .. }
                | Kind::Take { .. }
                | Kind::Depart { .. }
        )
    }
}
