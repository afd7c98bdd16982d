//! Schedule recording: the order of events by the steps of a schedule.
//!
//! "Verifying multi-threaded software using SMT-based context-bounded model checking" (Cordeiro and Fischer, 2011) records in each step which
//! thread runs. Here step `k` has an unknown `ts(k)`, the thread that takes its next node then; whether a node is done before a step follows
//! from these. One node is before another if it is done when the other is taken. Departures: one formula for all schedules instead of a
//! tree that is unfolded, and reads, locks and waiting are the clauses of the other encoding, with this order in the place of edges.
//!
//! Underapproximation and widening assumes that no step runs another thread than in the schedule "one thread after the other", and gives up
//! those assumptions that the proof of impossibility used.

use super::Encoding;
use super::encode::Encoder;
use crate::solve::Node;
use crate::term::{Sort, TermId, Terms};

/// The steps of a schedule.
pub(super) struct Steps {
    threads: Vec<TermId>,
    /// By node, then by step: whether it is done before that step. One more entry than steps.
    done: Vec<Vec<TermId>>,
    /// By node, then by step: whether it is taken in that step.
    taken: Vec<Vec<TermId>>,
}

impl Steps {
    /// The thread of each step.
    pub(super) fn threads(self) -> Vec<TermId> {
        self.threads
    }
}

impl Encoder<'_> {
    /// Makes the steps, if the encoding has any.
    pub(super) fn record_schedule(&mut self) {
        if !matches!(self.options.encoding, Encoding::Schedule | Encoding::Uw) {
            return;
        }
        let threads = self.program.threads.len();
        let nodes = self.skeleton.nodes();
        // All nodes but the first and the last.
        let count = nodes - 2;
        let width = (usize::BITS - threads.leading_zeros()) as u8;
        let mut steps =
            Steps { threads: Vec::new(), done: vec![vec![Terms::FALSE]; nodes], taken: vec![Vec::new(); nodes] };
        // One thread after the other: what comes first, and what underapproximation begins with.
        let sequential: Vec<usize> = (1..=count).map(|node| self.skeleton.thread(node as Node)).collect();
        for &first in &sequential {
            let step = self.terms.variable(Sort::Bits(width), "step");
            steps.threads.push(step);
            let mut any = Vec::new();
            for t in 0..threads {
                let number = self.terms.constant(width, t as u128);
                let runs = self.terms.eq(step, number);
                any.push(runs);
                if self.options.encoding == Encoding::Uw && t != first {
                    let l = self.lit(runs);
                    self.preferences.push(!l);
                }
                let (begin, end) = (self.skeleton.begin(t), self.skeleton.end(t, self.program));
                for node in (begin..=end).rev() {
                    let n = node as usize;
                    let before = steps.done[n][steps.done[n].len() - 1];
                    let ready = if node == begin { Terms::TRUE } else { steps.done[n - 1][steps.done[n].len() - 1] };
                    let open = self.terms.not(before);
                    let taken = self.terms.and_all(&[runs, ready, open]);
                    let after = self.terms.or(before, taken);
                    steps.taken[n].push(taken);
                    steps.done[n].push(after);
                }
            }
            self.clause(&any);
        }
        for t in 0..threads {
            let end = self.skeleton.end(t, self.program) as usize;
            let done = steps.done[end][count];
            self.clause(&[done]);
        }
        self.steps = Some(steps);
        // What is ordered in every execution, across threads.
        for (a, b) in self.skeleton.fixed.clone() {
            if a != 0 && b != self.skeleton.last() && self.skeleton.thread(a) != self.skeleton.thread(b) {
                let first = self.recorded_before(a, b);
                self.clause(&[first]);
            }
        }
    }

    /// Whether a node is done when another is taken.
    pub(super) fn recorded_before(&mut self, a: Node, b: Node) -> TermId {
        let Some(steps) = &self.steps else { return Terms::FALSE };
        let pairs: Vec<(TermId, TermId)> =
            steps.taken[b as usize].iter().copied().zip(steps.done[a as usize].iter().copied()).collect();
        let both: Vec<TermId> = pairs.into_iter().map(|(taken, done)| self.terms.and(taken, done)).collect();
        self.terms.or_all(&both)
    }
}
