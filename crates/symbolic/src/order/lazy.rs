//! Lazy data: the solver chooses who reads from whom, and values are compared afterwards.
//!
//! A formula with all its data makes the solver prove bit by bit, for each order, that sums commute. Here data is left out: comparisons are
//! literals that nothing is said about. For each model, the values of reads are replaced along its reads-from, terms normalise, and a
//! comparison that folds to the opposite of its literal excludes the choices that it was made of. Comparisons that do not fold go to a
//! second solver, over inputs alone; if they contradict each other, those choices are excluded, else its model gives the inputs.

use rustc_hash::FxHashMap;

use super::Formula;
use super::encode::ReadsFrom;
use crate::solve::{Answer, Backend, Blaster, Budget, Cdclt, Lit};
use crate::term::{Assignment, TermId, Terms};

/// What reads can read, and the second solver.
pub(super) struct Data {
    reads_from: Vec<ReadsFrom>,
    backend: Cdclt,
    blaster: Blaster,
    /// The boolean unknowns that values depend on; none before the first model.
    flags: Option<Vec<TermId>>,
}

/// What came of comparing values.
pub(super) enum Refined {
    /// They fit: values of all unknowns.
    Values(Assignment),
    /// They do not, and a clause was added.
    Again,
    /// The budget was used up.
    Unknown,
}

impl Data {
    pub(super) fn new(reads_from: Vec<ReadsFrom>) -> Self {
        let mut backend = Cdclt::new();
        let blaster = Blaster::new(&mut backend);
        Data { reads_from, backend, blaster, flags: None }
    }
}

impl Formula {
    /// Compares the values of the model that was found last.
    pub(super) fn refine(&mut self, terms: &mut Terms, data: &mut Data, budget: Budget) -> Refined {
        // What each read reads in this model, in the order of the execution.
        let mut chosen: FxHashMap<u32, Vec<&ReadsFrom>> = FxHashMap::default();
        for r in &data.reads_from {
            let at = chosen.entry(r.node).or_default();
            if self.backend.value(r.literal) && !at.iter().any(|other| other.value == r.value) {
                at.push(r);
            }
        }
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut because: FxHashMap<TermId, Vec<Lit>> = FxHashMap::default();
        // Booleans are chosen by the first solver.
        let flags = data.flags.get_or_insert_with(|| {
            let written = data.reads_from.iter().map(|r| r.written);
            let roots: Vec<TermId> = written.chain(self.blaster.comparisons().iter().map(|(t, _)| *t)).collect();
            let is_flag = |t: &TermId| terms.width(*t) == 0 && terms.as_variable(*t).is_some();
            terms.cone(&roots).into_iter().filter(is_flag).collect()
        });
        for flag in flags.iter() {
            if let Some(l) = self.blaster.known(*flag) {
                let truth = self.backend.value(l);
                map.insert(*flag, terms.bool(truth));
                because.insert(*flag, vec![if truth { l } else { !l }]);
            }
        }
        let mut nodes: Vec<u32> = self.linear_order().into_iter().map(|(t, i)| self.skeleton.node(t, i)).collect();
        nodes.push(self.skeleton.last());
        let mut values = Vec::new();
        for r in nodes.iter().filter_map(|node| chosen.get(node)).flatten() {
            let mut why = reasons(terms, r.written, &because);
            why.push(r.literal);
            why.sort_unstable();
            why.dedup();
            let value = terms.substitute(r.written, &mut map);
            map.insert(r.value, value);
            because.insert(r.value, why);
            values.push((r.value, value));
        }
        // Comparisons that fold.
        let comparisons = self.blaster.comparisons().to_vec();
        let mut open = Vec::new();
        let mut wrong = false;
        for (t, l) in comparisons {
            let truth = self.backend.value(l);
            let folded = terms.substitute(t, &mut map);
            match terms.as_bool(folded) {
                Some(value) if value == truth => {}
                Some(value) => {
                    let mut clause: Vec<Lit> = reasons(terms, t, &because).into_iter().map(|l| !l).collect();
                    clause.push(if value { l } else { !l });
                    self.backend.clause(&clause);
                    wrong = true;
                }
                None => open.push((t, if truth { l } else { !l }, folded, truth)),
            }
        }
        if wrong {
            return Refined::Again;
        }
        // The others together.
        let mut assume = Vec::new();
        for (_, _, folded, truth) in &open {
            let l = data.blaster.lit(terms, &mut data.backend, *folded);
            assume.push(if *truth { l } else { !l });
        }
        match data.backend.solve(&assume, budget) {
            Answer::Unknown => Refined::Unknown,
            Answer::Unsat => {
                let core = data.backend.core().to_vec();
                let mut clause = Vec::new();
                for ((t, l, ..), assumed) in open.iter().zip(&assume) {
                    if core.contains(assumed) {
                        clause.extend(reasons(terms, *t, &because).into_iter().map(|l| !l));
                        clause.push(!*l);
                    }
                }
                self.backend.clause(&clause);
                Refined::Again
            }
            Answer::Sat => {
                let mut found = data.blaster.assignment(terms, &data.backend);
                // Booleans that the first solver chose.
                for v in 0..terms.variables() {
                    let t = terms.variable_at(v);
                    if terms.width(t) == 0
                        && let (Some(l), Some(v)) = (self.blaster.known(t), terms.as_variable(t))
                    {
                        found.set(v, u128::from(self.backend.value(l)));
                    }
                }
                for (unknown, value) in values {
                    if let Some(v) = terms.as_variable(unknown) {
                        let value = terms.eval(value, &found);
                        found.set(v, value);
                    }
                }
                Refined::Values(found)
            }
        }
    }
}

/// The choices that the value of a term is made of.
fn reasons(terms: &Terms, t: TermId, because: &FxHashMap<TermId, Vec<Lit>>) -> Vec<Lit> {
    let mut all = Vec::new();
    for part in terms.cone(&[t]) {
        if let Some(why) = because.get(&part) {
            all.extend_from_slice(why);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
