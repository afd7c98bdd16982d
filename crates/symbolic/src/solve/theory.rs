//! The acyclicity of the graph as a theory of the SAT solver.
//!
//! An edge whose literal becomes true is added; a cycle is a conflict, its edges' literals the reason. With `propagate`, an edge that would close a
//! cycle makes its literal false at once; the reason is computed only when it is asked for, from the edges that were there then.

use std::cell::RefCell;
use std::rc::Rc;

use batsat::theory::TheoryArg;
use batsat::{Theory, lbool};

use super::graph::Graph;
use super::proof::{Proof, Step};
use super::{Lit, Node};

/// The label of edges that are always there.
const FIXED: u32 = u32::MAX;

/// Between our literals and the solver's. The solver tries `false` first, so a variable that should start as true is negated.
#[derive(Default)]
pub(super) struct Names {
    /// By variable: what its truth is called outside.
    lits: Vec<batsat::Lit>,
}

impl Names {
    pub(super) fn add(&mut self, variable: batsat::Var, phase: bool) {
        self.lits.push(batsat::Lit::new(variable, !phase));
    }

    pub(super) fn len(&self) -> usize {
        self.lits.len()
    }

    pub(super) fn outside(&self, l: Lit) -> batsat::Lit {
        let truth = self.lits[l.variable()];
        if l.is_positive() { truth } else { !truth }
    }

    pub(super) fn inside(&self, l: batsat::Lit) -> Lit {
        let v = l.var().idx() as usize;
        if l == self.lits[v] { Lit::new(v) } else { !Lit::new(v) }
    }
}

/// Why a literal was propagated: the edge `from -> to` that it stands for would have closed a cycle with the first `len` edges.
#[derive(Clone, Copy)]
struct Why {
    from: Node,
    to: Node,
    len: usize,
}

pub(super) struct Order {
    pub(super) names: Names,
    pub(super) graph: Graph,
    /// Edges that are always there, in the order in which they were added.
    fixed: Vec<(Node, Node)>,
    /// By literal: the edges that it switches on.
    edges: Vec<Vec<(Node, Node)>>,
    /// By node: the conditional edges that leave it.
    leaving: Vec<Vec<(Node, Lit)>>,
    /// By variable: why it was propagated. Only valid while it is assigned.
    whys: Vec<Option<Why>>,
    /// By decision level: how many edges and literals of the trail there were before.
    levels: Vec<(usize, usize)>,
    seen: usize,
    /// Whether impossible edges are propagated.
    pub(super) propagate: bool,
    /// Whether the fixed edges alone have a cycle.
    pub(super) broken: bool,
    /// Reasons go here too, if anybody wants a proof.
    pub(super) proof: Option<Rc<RefCell<Proof>>>,
    labels: Vec<u32>,
    reason: Vec<batsat::Lit>,
    candidates: Vec<(Node, Node, Lit)>,
}

impl Order {
    pub(super) fn new() -> Self {
        Order {
            names: Names::default(),
            graph: Graph::default(),
            fixed: Vec::new(),
            edges: Vec::new(),
            leaving: Vec::new(),
            whys: Vec::new(),
            levels: Vec::new(),
            seen: 0,
            propagate: true,
            broken: false,
            proof: None,
            labels: Vec::new(),
            reason: Vec::new(),
            candidates: Vec::new(),
        }
    }

    fn reserve(&mut self, node: Node) {
        self.graph.reserve(node);
        while self.leaving.len() <= node as usize {
            self.leaving.push(Vec::new());
        }
    }

    pub(super) fn add_variable(&mut self, variable: batsat::Var, phase: bool) {
        self.names.add(variable, phase);
        self.edges.push(Vec::new());
        self.edges.push(Vec::new());
        self.whys.push(None);
    }

    pub(super) fn add_edge(&mut self, l: Lit, from: Node, to: Node) {
        self.reserve(from.max(to));
        self.edges[l.index()].push((from, to));
        self.leaving[from as usize].push((to, l));
    }

    pub(super) fn add_fixed(&mut self, from: Node, to: Node) {
        self.reserve(from.max(to));
        self.fixed.push((from, to));
    }

    /// Before a query: the fixed edges, and nothing of the trail is seen. Edges may have come to literals that are assigned for good.
    pub(super) fn restart(&mut self) {
        debug_assert!(self.levels.is_empty());
        self.graph.truncate(0);
        self.seen = 0;
        for i in 0..self.fixed.len() {
            let (from, to) = self.fixed[i];
            if !self.graph.add(from, to, FIXED, &mut self.labels) {
                self.broken = true;
                return;
            }
        }
    }

    /// Writes a reason into the proof, as a clause: one of these edges is not there.
    fn certify(&self, clause: &[batsat::Lit]) {
        if let Some(proof) = &self.proof {
            proof.borrow_mut().add(Step::Cycle(clause.iter().map(|l| self.names.inside(*l)).collect()));
        }
    }

    /// `reason` = the literals of the path from `to` to `from` over the first `len` edges.
    fn explain(&mut self, why: Why) {
        self.labels.clear();
        self.graph.explain(why.to, why.from, why.len, &mut self.labels);
        self.reason.clear();
        for label in &self.labels {
            if *label != FIXED {
                self.reason.push(self.names.outside(Lit(*label)));
            }
        }
        self.reason.sort_unstable();
        self.reason.dedup();
    }

    fn check(&mut self, acts: &mut TheoryArg) {
        while self.seen < acts.model().len() {
            let l = self.names.inside(acts.model()[self.seen]);
            self.seen += 1;
            for i in 0..self.edges[l.index()].len() {
                let (from, to) = self.edges[l.index()][i];
                // What was propagated because of a path need not become an edge beside that path.
                if self.propagate && from != to && self.graph.reaches(from, to) {
                    continue;
                }
                if !self.graph.add(from, to, l.0, &mut self.labels) {
                    self.reason.clear();
                    self.reason.push(!self.names.outside(l));
                    for label in &self.labels {
                        if *label != FIXED {
                            self.reason.push(!self.names.outside(Lit(*label)));
                        }
                    }
                    self.reason.sort_unstable();
                    self.reason.dedup();
                    self.certify(&self.reason);
                    acts.raise_conflict(&self.reason, false);
                    return;
                }
                if self.propagate && !self.propagate_around(from, to, acts) {
                    return;
                }
            }
        }
    }

    /// After an edge: edges from what it leads to back to where it comes from are impossible.
    fn propagate_around(&mut self, from: Node, to: Node, acts: &mut TheoryArg) -> bool {
        self.graph.mark_around(from, to);
        self.candidates.clear();
        for &u in self.graph.after() {
            for &(v, l) in &self.leaving[u as usize] {
                if self.graph.is_before(v) {
                    self.candidates.push((u, v, l));
                }
            }
        }
        let len = self.graph.len();
        for i in 0..self.candidates.len() {
            let (u, v, l) = self.candidates[i];
            let impossible = !self.names.outside(l);
            if acts.value(impossible.var()) != lbool::UNDEF {
                continue;
            }
            let why = Why { from: u, to: v, len };
            self.whys[l.variable()] = Some(why);
            if self.proof.is_some() && self.levels.is_empty() {
                // For good: nobody will ask why.
                self.explain(why);
                let mut clause: Vec<batsat::Lit> = self.reason.iter().map(|l| !*l).collect();
                clause.push(impossible);
                self.certify(&clause);
            }
            if !acts.propagate(impossible) {
                return false;
            }
        }
        true
    }
}

impl Theory for Order {
    fn final_check(&mut self, acts: &mut TheoryArg) {
        self.check(acts);
    }

    fn partial_check(&mut self, acts: &mut TheoryArg) {
        self.check(acts);
    }

    fn create_level(&mut self) {
        self.levels.push((self.graph.len(), self.seen));
    }

    fn pop_levels(&mut self, n: usize) {
        let keep = self.levels.len() - n;
        if n > 0 {
            let (edges, seen) = self.levels[keep];
            self.graph.truncate(edges);
            self.seen = seen;
            self.levels.truncate(keep);
        }
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, p: batsat::Lit) -> &[batsat::Lit] {
        let why = self.whys[p.var().idx() as usize].expect("it was propagated here");
        // The edge would go from `from` to `to`; the path goes back.
        self.explain(why);
        if self.proof.is_some() {
            let mut clause: Vec<batsat::Lit> = self.reason.iter().map(|l| !*l).collect();
            clause.push(p);
            self.certify(&clause);
        }
        &self.reason
    }
}
