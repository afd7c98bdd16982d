//! What went wrong, as conjectures: inputs from a model of the path, and the events of the causal past in their order.

use super::Tracer;
use super::path::Clock;
use super::race::{self, Seen};
use crate::ir::Site;
use crate::machine::{ENDED, Kind, Touch};
use crate::prove::{Conjecture, Given, Wrong};
use crate::term::{Assignment, Sort, TermId, Terms};

impl Tracer<'_> {
    /// Notes the first thing that goes wrong, if its path is possible.
    pub(crate) fn find(&mut self, wrong: Wrong, site: Site, message: &str, path: &[TermId], clock: &Clock) {
        if self.found.is_some() {
            return;
        }
        let Some(model) = self.oracle.model(&mut self.machine.terms, path) else { return };
        let inputs = self.inputs(&model);
        let mut order: Vec<(usize, Site)> = self
            .past
            .events_of(clock)
            .into_iter()
            .map(|index| (self.events[index].thread.index(), self.sites[index]))
            .collect();
        if let Wrong::Condition(_) = wrong {
            order.push((self.current, site));
        }
        self.found = Some(Box::new(Conjecture { wrong, site, message: message.to_owned(), inputs, order }));
        self.stop.set(true);
    }

    fn inputs(&self, model: &Assignment) -> Vec<Given> {
        let terms = &self.machine.terms;
        let given = self.machine.inputs.iter().filter(|input| terms.eval(input.guard, model) != 0);
        given
            .map(|input| Given {
                thread: input.thread as usize,
                function: input.function.clone(),
                value: terms.eval(input.value, model),
                bits: match terms.sort(input.value) {
                    Sort::Bool => 1,
                    Sort::Bits(bits) => bits,
                },
                site: input.site,
            })
            .collect()
    }

    /// Looks at what was checked and cut since the last time.
    pub(crate) fn look_at_conditions(&mut self) {
        if self.machine.conditions.is_empty() && self.machine.cuts.is_empty() {
            return;
        }
        let clock = self.past.cause(self.current).clone();
        for condition in std::mem::take(&mut self.machine.conditions) {
            let path = self.path_with(condition.violated);
            if self.oracle.possible(&mut self.machine.terms, path.clone()) {
                let (wrong, site) = (Wrong::Condition(condition.kind), condition.site);
                self.find(wrong, site, &condition.message, &path, &clock);
            }
        }
        for cut in std::mem::take(&mut self.machine.cuts) {
            if self.possible_with(cut.guard) {
                self.cuts.insert(cut.site);
            }
        }
    }

    /// A primitive was misused by the operation that was taken.
    pub(crate) fn misused(&mut self, misuse: heddle_model::Misuse) {
        let path = self.path_with(Terms::TRUE);
        let clock = self.past.cause(self.current).clone();
        let site = self.running().site;
        self.find(Wrong::Condition(Kind::Misuse), site, &format!("a primitive is misused: {misuse:?}"), &path, &clock);
    }

    /// Nobody can go on.
    pub(crate) fn deadlock(&mut self) {
        let path = self.past.all_conditions();
        let all: Clock = vec![u32::MAX; self.threads.len()];
        let waits = self.pending.first().map_or(0, |pending| pending.thread.index());
        let site = self.threads.get(waits).map_or(Site::default(), |thread| thread.site);
        self.find(Wrong::Deadlock, site, "everybody waits for ever", &path, &all);
    }

    /// Looks at the accesses since the last time: those that nothing orders make their places visible.
    pub(crate) fn look_at_accesses(&mut self) {
        let touched = match &mut self.machine.watch {
            Some(watch) if !watch.touched.is_empty() => std::mem::take(&mut watch.touched),
            _ => return,
        };
        if self.children.iter().all(|count| *count == 0) {
            // Nobody else has begun, and everybody who does knows all this.
            return;
        }
        let thread = self.current;
        let (sync, cause) = (self.past.sync(thread).clone(), self.past.cause(thread).clone());
        for touch in touched {
            let at = super::path::known(&cause, thread);
            let conditions = self.past.count(thread);
            let now = Seen { touch, thread, at, cause: cause.clone(), conditions, inside: self.inside };
            for (place, earlier) in self.shadow.access(&now, &sync) {
                let seen = self.watch().revealed.contains(&place);
                if !seen && !self.races.iter().any(|race| race.place == place) {
                    self.races.push(race::told(place, &now, &earlier, self.events.len()));
                }
                if self.question.races && !(earlier.inside && now.inside) {
                    self.race(&now, &earlier);
                }
            }
        }
    }

    /// Whether two accesses that nothing orders are a data race: they are if both are made, to bytes that overlap.
    fn race(&mut self, now: &Seen, earlier: &Seen) {
        if self.found.is_some() {
            return;
        }
        let mut path = self.path_with(now.touch.guard);
        path.extend(self.past.conditions(&earlier.cause, None));
        path.extend(self.past.first(earlier.thread, earlier.conditions));
        path.push(earlier.touch.guard);
        path.push(self.overlap(&now.touch, &earlier.touch));
        if self.oracle.possible(&mut self.machine.terms, path.clone()) {
            let mut clock = self.past.cause(self.current).clone();
            super::path::join(&mut clock, &earlier.cause);
            let ends = now.touch.range.0 >= ENDED;
            let words = if ends { "an object ends while another thread uses it" } else { "two accesses race" };
            self.find(Wrong::Race, now.touch.site, words, &path, &clock);
        }
    }

    fn overlap(&mut self, a: &Touch, b: &Touch) -> TermId {
        let terms = &mut self.machine.terms;
        let (a_size, b_size) =
            (terms.constant(64, u128::from(a.place.size)), terms.constant(64, u128::from(b.place.size)));
        let (a_end, b_end) = (terms.add(a.place.offset, a_size), terms.add(b.place.offset, b_size));
        let (first, second) = (terms.ult(a.place.offset, b_end), terms.ult(b.place.offset, a_end));
        terms.and(first, second)
    }
}
