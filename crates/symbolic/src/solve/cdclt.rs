//! The solver in the tree: `batsat`, with the acyclic graph as its theory.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use batsat::callbacks::Callbacks;
use batsat::{ClauseKind, Solver, SolverInterface, lbool};

use super::proof::{Proof, Step};
use super::theory::{Names, Order};
use super::{Answer, Backend, Budget, Lit, Node};

/// How often time and memory are looked at: once in so many questions of the solver.
const SELDOM: u32 = 256;

/// What the solver asks and tells while it runs.
struct Watch {
    budget: Budget,
    asked: Cell<u32>,
    over: Cell<bool>,
    conflicts: u64,
    proof: Option<Rc<RefCell<Proof>>>,
    /// For the proof: kept only if there is one.
    names: Names,
}

impl Watch {
    fn write(&self, c: &[batsat::Lit], step: fn(Box<[Lit]>) -> Step) {
        if let Some(proof) = &self.proof {
            proof.borrow_mut().add(step(c.iter().map(|l| self.names.inside(*l)).collect()));
        }
    }
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, c: &[batsat::Lit], kind: ClauseKind) {
        if kind != ClauseKind::Axiom {
            self.conflicts += 1;
            self.write(c, Step::Learnt);
        }
    }

    fn on_delete_clause(&mut self, c: &[batsat::Lit]) {
        self.write(c, Step::Delete);
    }

    fn stop(&self) -> bool {
        if self.budget.conflicts.is_some_and(|most| self.conflicts >= most) {
            self.over.set(true);
        }
        self.asked.set(self.asked.get().wrapping_add(1));
        if self.asked.get().is_multiple_of(SELDOM) && self.budget.is_over() {
            self.over.set(true);
        }
        self.over.get()
    }
}

/// A CDCL solver with clauses and conditional edges.
pub struct Cdclt {
    solver: Solver<Watch>,
    order: Order,
    core: Vec<Lit>,
    model: Vec<bool>,
    conflicts: u64,
    unsatisfiable: bool,
    pub(super) proof: Option<Rc<RefCell<Proof>>>,
    scratch: Vec<batsat::Lit>,
}

impl Default for Cdclt {
    fn default() -> Self {
        Self::new()
    }
}

/// How the solver searches. Restarts grow, and learnt clauses are remembered longer than by default: a formula of orders is hard for the
/// many conflicts that it needs, not for a bad beginning (fib of 6: 0.93 s instead of 1.21, micro of 3 times 3: 3.2 instead of 3.8).
fn options() -> batsat::SolverOpts {
    batsat::SolverOpts { luby_restart: false, clause_decay: 0.9995, ..batsat::SolverOpts::default() }
}

impl Cdclt {
    /// Without clauses.
    pub fn new() -> Self {
        let watch = Watch {
            budget: Budget::unlimited(),
            asked: Cell::new(0),
            over: Cell::new(false),
            conflicts: 0,
            proof: None,
            names: Names::default(),
        };
        Cdclt {
            solver: Solver::new(options(), watch),
            order: Order::new(),
            core: Vec::new(),
            model: Vec::new(),
            conflicts: 0,
            unsatisfiable: false,
            proof: None,
            scratch: Vec::new(),
        }
    }

    /// Writes a proof while solving; to be asked for before anything is added.
    pub fn with_proof() -> Self {
        let mut solver = Self::new();
        let proof = Rc::new(RefCell::new(Proof::default()));
        solver.order.proof = Some(proof.clone());
        solver.solver.cb_mut().proof = Some(proof.clone());
        solver.proof = Some(proof);
        solver
    }

    /// Leaves out the propagation of impossible edges: conflicts alone keep the graph without cycles.
    pub fn without_propagation(mut self) -> Self {
        self.order.propagate = false;
        self
    }

    /// The proof so far.
    pub fn proof(&self) -> Option<std::cell::Ref<'_, Proof>> {
        self.proof.as_ref().map(|proof| proof.borrow())
    }
}

impl Backend for Cdclt {
    fn variable(&mut self, phase: bool) -> Lit {
        let l = Lit::new(self.order.names.len());
        let variable = self.solver.new_var_default();
        self.order.add_variable(variable, phase);
        if self.proof.is_some() {
            self.solver.cb_mut().names.add(variable, phase);
        }
        l
    }

    fn clause(&mut self, clause: &[Lit]) {
        if let Some(proof) = &self.proof {
            proof.borrow_mut().add(Step::Axiom(clause.into()));
        }
        self.scratch.clear();
        self.scratch.extend(clause.iter().map(|l| self.order.names.outside(*l)));
        if !self.solver.add_clause_reuse(&mut self.scratch) {
            self.unsatisfiable = true;
        }
    }

    fn edge(&mut self, condition: Lit, from: Node, to: Node) {
        if let Some(proof) = &self.proof {
            proof.borrow_mut().edge(condition, from, to);
        }
        self.order.add_edge(condition, from, to);
    }

    fn fix(&mut self, from: Node, to: Node) {
        if let Some(proof) = &self.proof {
            proof.borrow_mut().fix(from, to);
        }
        self.order.add_fixed(from, to);
    }

    fn solve(&mut self, assume: &[Lit], budget: Budget) -> Answer {
        self.core.clear();
        self.order.restart();
        if self.unsatisfiable || self.order.broken {
            return Answer::Unsat;
        }
        if budget.is_over() {
            return Answer::Unknown;
        }
        let watch = self.solver.cb_mut();
        watch.budget = budget;
        watch.conflicts = 0;
        watch.over.set(false);
        let assumptions: Vec<batsat::Lit> = assume.iter().map(|l| self.order.names.outside(*l)).collect();
        let result = self.solver.solve_limited_th(&mut self.order, &assumptions);
        self.conflicts += self.solver.cb().conflicts;
        if result == lbool::TRUE {
            self.model.clear();
            for v in 0..self.order.names.len() {
                let l = self.order.names.outside(Lit::new(v));
                self.model.push(self.solver.value_lit(l) == lbool::TRUE);
            }
            Answer::Sat
        } else if result == lbool::FALSE {
            let failed = self.solver.unsat_core();
            // The core is a clause: the negations of assumptions.
            self.core.extend(failed.iter().map(|l| !self.order.names.inside(*l)));
            if self.core.is_empty() {
                self.unsatisfiable = true;
            }
            Answer::Unsat
        } else {
            Answer::Unknown
        }
    }

    fn value(&self, l: Lit) -> bool {
        self.model[l.variable()] == l.is_positive()
    }

    fn core(&self) -> &[Lit] {
        &self.core
    }

    fn conflicts(&self) -> u64 {
        self.conflicts
    }
}
