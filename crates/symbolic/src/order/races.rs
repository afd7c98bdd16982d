//! The clauses of data races: two accesses of different threads to one cell, one of them a write, not both atomic, are next to each other.
//!
//! Next to each other: each comes after the other's predecessor and before the other's successor. Then there is a state in which both are about
//! to happen.

use super::access::Access;
use super::encode::Encoder;
use super::locks::Locks;
use super::{Family, Pair, TooLarge, access};
use crate::solve::Lit;
use crate::term::{TermId, Terms};

impl Encoder<'_> {
    /// A literal for each pair of accesses that may race.
    pub(super) fn races(&mut self, locks: &Locks) -> Result<Vec<(Pair, Lit)>, TooLarge> {
        let accesses: Vec<_> =
            self.accesses.iter().filter(|a| a.variable < self.program.variables.len()).cloned().collect();
        let mut found = Vec::new();
        for (n, a) in accesses.iter().enumerate() {
            for b in &accesses[n + 1..] {
                let (s, t) = (self.skeleton.thread(a.node), self.skeleton.thread(b.node));
                let conflict = a.variable == b.variable
                    && s != t
                    && (a.writes.is_some() || b.writes.is_some())
                    && (a.plain || b.plain);
                if !conflict || self.skeleton.before(a.node, b.node) || self.skeleton.before(b.node, a.node) {
                    continue;
                }
                let places = [a.node, b.node].map(|node| self.skeleton.place(node));
                let [(s, Some(i)), (t, Some(j))] = places else { continue };
                if locks.exclude(self.program, self.terms, (s, i), (t, j)) {
                    continue;
                }
                let race = self.choice("race", false);
                let no = self.terms.not(race);
                let same = access::aliases(self.terms, a, b);
                if !self.leaves_out(Family::RaceCells) {
                    self.clause(&[no, same]);
                }
                // A compare-exchange that fails only reads.
                let writes = [a, b].map(|x| if x.writes.is_some() { x.writes_if } else { Terms::FALSE });
                if !self.leaves_out(Family::RaceWrites) {
                    self.clause(&[no, writes[0], writes[1]]);
                }
                if writes.iter().all(|w| *w != Terms::TRUE) {
                    self.nothing_between(&accesses, a, b, no);
                }
                let (x, y) = (self.happens(s, i), self.happens(t, j));
                if !self.leaves_out(Family::RaceHappens) {
                    self.clause(&[no, x]);
                    self.clause(&[no, y]);
                }
                if !self.leaves_out(Family::RaceAdjacent) {
                    for (from, to) in
                        [(a.node - 1, b.node), (b.node - 1, a.node), (a.node, b.node + 1), (b.node, a.node + 1)]
                    {
                        self.edge_if(race, from, to);
                    }
                }
                let (first, second) = if s < t { ((s, i), (t, j)) } else { ((t, j), (s, i)) };
                let l = self.lit(race);
                found.push((Pair { first, second }, l));
            }
        }
        Ok(found)
    }

    /// No third write comes between two accesses that race: whether a compare-exchange writes is decided by the value in the state in which both
    /// are about to happen.
    fn nothing_between(&mut self, accesses: &[Access], a: &Access, b: &Access, no: TermId) {
        for w in accesses {
            let third = w.node != a.node && w.node != b.node && w.writes.is_some() && w.variable == a.variable;
            if !third || self.leaves_out(Family::RaceBetween) {
                continue;
            }
            let happens = self.happens_at(w.node);
            let absent = self.terms.not(happens);
            let (x, y) = (self.before(w.node, a.node), self.before(w.node, b.node));
            let (not_x, not_y) = (self.terms.not(x), self.terms.not(y));
            self.clause(&[no, absent, not_x, y]);
            self.clause(&[no, absent, x, not_y]);
        }
    }

    /// A literal that makes one of the races true; none if there are no pairs.
    pub(super) fn any_of(&mut self, races: &[(Pair, Lit)]) -> Option<Lit> {
        use crate::solve::Backend;
        if races.is_empty() {
            return None;
        }
        let any = self.choice("any race", false);
        let l = self.lit(any);
        let mut clause = vec![!l];
        clause.extend(races.iter().map(|(_, race)| *race));
        self.backend.clause(&clause);
        Some(l)
    }
}
