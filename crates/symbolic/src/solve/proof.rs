//! Proofs of unsatisfiability, and their checker.
//!
//! A proof is a list of clauses. Each is part of the formula, or says that the edges of a cycle are not all there, or follows from the ones before
//! by unit propagation (RUP). The last one has only negated assumptions, or nothing. The checker shares no code with the solver: it knows
//! the clauses and edges of the formula, finds the cycles itself, and propagates over the clauses by itself.

use rustc_hash::FxHashMap;

use super::{Lit, Node};

/// One step of a proof.
#[derive(Clone, Debug)]
pub enum Step {
    /// A clause of the formula.
    Axiom(Box<[Lit]>),
    /// One of the edges of these negated literals is not there: together they close a cycle.
    Cycle(Box<[Lit]>),
    /// A clause that follows.
    Learnt(Box<[Lit]>),
    /// A clause that is not needed any more.
    Delete(Box<[Lit]>),
}

/// What a solver wrote down.
#[derive(Default, Debug)]
pub struct Proof {
    steps: Vec<Step>,
    edges: FxHashMap<Lit, Vec<(Node, Node)>>,
    fixed: Vec<(Node, Node)>,
}

/// Where a proof does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckError {
    /// The edges of this step do not close a cycle.
    NoCycle(usize),
    /// This step does not follow from the ones before.
    NotImplied(usize),
    /// The clauses do not exclude the assumptions.
    NoConflict,
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            CheckError::NoCycle(step) => write!(f, "step {step} of the proof names edges that close no cycle"),
            CheckError::NotImplied(step) => {
                write!(f, "step {step} of the proof does not follow from the ones before it")
            }
            CheckError::NoConflict => f.write_str("the proof ends without a contradiction"),
        }
    }
}

/// What was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Clauses of the formula.
    pub axioms: usize,
    /// Cycles of edges.
    pub cycles: usize,
    /// Clauses that follow.
    pub learnt: usize,
}

impl Proof {
    /// Writes down a step.
    pub fn add(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// There is an edge if the literal is true.
    pub fn edge(&mut self, l: Lit, from: Node, to: Node) {
        self.edges.entry(l).or_default().push((from, to));
    }

    /// There is an edge.
    pub fn fix(&mut self, from: Node, to: Node) {
        self.fixed.push((from, to));
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether nothing was written down.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes a step out, for tests of the checker.
    #[cfg(test)]
    pub(super) fn drop_step(&mut self, n: usize) -> Step {
        self.steps.remove(n)
    }

    /// Puts a step back, for tests of the checker.
    #[cfg(test)]
    pub(super) fn insert_step(&mut self, n: usize, step: Step) {
        self.steps.insert(n, step);
    }

    /// Whether the proof shows that the assumptions cannot all be true.
    pub fn check(&self, assume: &[Lit]) -> Result<Certificate, CheckError> {
        let mut checker = Checker::default();
        let mut certificate = Certificate { axioms: 0, cycles: 0, learnt: 0 };
        if !self.fixed.is_empty() && self.has_cycle(&[]) {
            return Ok(certificate);
        }
        for (number, step) in self.steps.iter().enumerate() {
            match step {
                Step::Axiom(clause) => {
                    certificate.axioms += 1;
                    checker.add(clause);
                }
                Step::Cycle(clause) => {
                    if !self.has_cycle(clause) {
                        return Err(CheckError::NoCycle(number));
                    }
                    certificate.cycles += 1;
                    checker.add(clause);
                }
                Step::Learnt(clause) => {
                    if !checker.implies(clause) {
                        return Err(CheckError::NotImplied(number));
                    }
                    certificate.learnt += 1;
                    checker.add(clause);
                }
                Step::Delete(clause) => checker.delete(clause),
            }
        }
        let excluded: Vec<Lit> = assume.iter().map(|l| !*l).collect();
        if checker.implies(&excluded) { Ok(certificate) } else { Err(CheckError::NoConflict) }
    }

    /// Whether the edges of the negated literals have a cycle, together with the fixed ones: depth first search.
    fn has_cycle(&self, clause: &[Lit]) -> bool {
        let mut out: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
        for (from, to) in &self.fixed {
            out.entry(*from).or_default().push(*to);
        }
        for l in clause {
            for (from, to) in self.edges.get(&!*l).into_iter().flatten() {
                out.entry(*from).or_default().push(*to);
            }
        }
        let mut state: FxHashMap<Node, u8> = FxHashMap::default();
        for start in out.keys() {
            let mut stack = vec![(*start, 0)];
            if state.contains_key(start) {
                continue;
            }
            state.insert(*start, 1);
            while let Some((node, next)) = stack.pop() {
                let Some(target) = out.get(&node).and_then(|all| all.get(next)) else {
                    state.insert(node, 2);
                    continue;
                };
                stack.push((node, next + 1));
                match state.get(target) {
                    Some(1) => return true,
                    Some(_) => {}
                    None => {
                        state.insert(*target, 1);
                        stack.push((*target, 0));
                    }
                }
            }
        }
        false
    }
}

/// Unit propagation with two watched literals.
#[derive(Default)]
struct Checker {
    clauses: Vec<Option<Box<[Lit]>>>,
    /// Clauses by their sorted literals, to delete them.
    by_content: FxHashMap<Box<[Lit]>, Vec<usize>>,
    /// By literal: the clauses that watch it.
    watches: Vec<Vec<usize>>,
    /// By literal: whether it is true.
    truth: Vec<bool>,
    trail: Vec<Lit>,
    /// How much of the trail is for good, and how much was propagated.
    permanent: usize,
    head: usize,
    contradiction: bool,
}

impl Checker {
    fn reserve(&mut self, clause: &[Lit]) {
        let most = clause.iter().map(|l| l.index() | 1).max().unwrap_or(1);
        if self.truth.len() <= most {
            self.truth.resize(most + 1, false);
            self.watches.resize(most + 1, Vec::new());
        }
    }

    fn set(&mut self, l: Lit) {
        self.truth[l.index()] = true;
        self.trail.push(l);
    }

    fn add(&mut self, clause: &[Lit]) {
        self.reserve(clause);
        let mut sorted: Vec<Lit> = clause.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.windows(2).any(|pair| pair[0] == !pair[1]) {
            return;
        }
        let key: Box<[Lit]> = sorted.clone().into();
        // Literals that are not false first: they can be watched.
        sorted.sort_by_key(|l| self.truth[(!*l).index()]);
        let id = self.clauses.len();
        let free = sorted.iter().filter(|l| !self.truth[(!**l).index()]).count();
        if free == 0 {
            self.contradiction = true;
        } else if free == 1 && !self.truth[sorted[0].index()] {
            self.set(sorted[0]);
        }
        if sorted.len() > 1 {
            self.watches[sorted[0].index()].push(id);
            self.watches[sorted[1].index()].push(id);
        }
        self.clauses.push(Some(sorted.into()));
        self.by_content.entry(key).or_default().push(id);
        if !self.propagate() {
            self.contradiction = true;
        }
        self.permanent = self.trail.len();
    }

    fn delete(&mut self, clause: &[Lit]) {
        let mut key: Vec<Lit> = clause.to_vec();
        key.sort_unstable();
        key.dedup();
        // Units and reasons of what is true for good stay true: nothing that follows is lost, and the formula only says less.
        if let Some(id) = self.by_content.get_mut(&key[..]).and_then(Vec::pop) {
            self.clauses[id] = None;
        }
    }

    /// Whether the negation of the clause leads to a contradiction by unit propagation.
    fn implies(&mut self, clause: &[Lit]) -> bool {
        if self.contradiction {
            return true;
        }
        self.reserve(clause);
        let mut conflict = false;
        for l in clause {
            if self.truth[l.index()] {
                conflict = true;
                break;
            }
            if !self.truth[(!*l).index()] {
                self.set(!*l);
            }
        }
        let conflict = conflict || !self.propagate();
        while self.trail.len() > self.permanent {
            if let Some(l) = self.trail.pop() {
                self.truth[l.index()] = false;
            }
        }
        self.head = self.permanent;
        conflict
    }

    /// False if a clause has only false literals.
    fn propagate(&mut self) -> bool {
        while self.head < self.trail.len() {
            let falsified = !self.trail[self.head];
            self.head += 1;
            let mut watching = std::mem::take(&mut self.watches[falsified.index()]);
            let mut kept = 0;
            let mut conflict = false;
            for i in 0..watching.len() {
                let id = watching[i];
                let Some(clause) = &mut self.clauses[id] else { continue };
                watching[kept] = id;
                kept += 1;
                if conflict {
                    continue;
                }
                if clause[0] == falsified {
                    clause.swap(0, 1);
                }
                if self.truth[clause[0].index()] {
                    continue;
                }
                if let Some(other) = (2..clause.len()).find(|k| !self.truth[(!clause[*k]).index()]) {
                    clause.swap(1, other);
                    let watch = clause[1];
                    self.watches[watch.index()].push(id);
                    kept -= 1;
                    continue;
                }
                let unit = clause[0];
                if self.truth[(!unit).index()] {
                    conflict = true;
                } else {
                    self.truth[unit.index()] = true;
                    self.trail.push(unit);
                }
            }
            watching.truncate(kept);
            let moved = std::mem::take(&mut self.watches[falsified.index()]);
            self.watches[falsified.index()] = watching;
            self.watches[falsified.index()].extend(moved);
            if conflict {
                return false;
            }
        }
        true
    }
}
