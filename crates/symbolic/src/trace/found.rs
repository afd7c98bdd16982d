//! What went wrong, as conjectures: inputs from a model of the path, and the events of the causal past in their order.

use std::collections::HashMap;

use heddle_model::primitive::{atomic, barrier, condvar, memory, mutex, once, rwlock, semaphore, spin, thread};
use heddle_model::wire::ThreadName;
use heddle_model::{Input, OpCode, ThreadId};

use super::Tracer;
use super::path::Clock;
use super::race::{self, Seen};
use crate::ir::Site;
use crate::machine::{ENDED, Kind, Touch};
use crate::prove::{Conjecture, Given, Step, Wrong};
use crate::term::{Assignment, Sort, TermId, Terms};

/// As which operations the program shows one.
fn families(code: OpCode) -> &'static [u8] {
    match code.family() {
        memory::FAMILY => &[memory::FAMILY],
        atomic::FAMILY => &[atomic::FAMILY, memory::FAMILY],
        thread::FAMILY if code == thread::CREATE || code == thread::JOIN => &[thread::FAMILY],
        mutex::FAMILY | spin::FAMILY => &[mutex::FAMILY, spin::FAMILY],
        rwlock::FAMILY => &[rwlock::FAMILY],
        condvar::FAMILY => &[condvar::FAMILY],
        semaphore::FAMILY => &[semaphore::FAMILY],
        barrier::FAMILY => &[barrier::FAMILY],
        once::FAMILY => &[once::FAMILY],
        _ => &[],
    }
}

impl Tracer<'_> {
    /// Notes the first thing that goes wrong, if its path is possible.
    pub(crate) fn find(&mut self, wrong: Wrong, site: Site, message: &str, path: &[TermId], clock: &Clock) {
        if self.found.is_some() || self.is_known(wrong) {
            return;
        }
        let Some(model) = self.oracle.model(&mut self.machine.terms, path) else { return };
        let inputs = self.inputs(&model);
        let step = |index: usize| {
            let event = &self.events[index];
            Step { thread: event.thread, site: self.sites[index], families: families(event.operation.code) }
        };
        let order: Vec<Step> = self.past.events_of(clock).into_iter().map(step).collect();
        let last = matches!(wrong, Wrong::Condition(..)).then_some(ThreadId(self.current as u16));
        let (threads, message) = (self.thread_names(), message.to_owned());
        self.found = Some(Box::new(Conjecture { wrong, site, message, inputs, order, threads, last }));
        self.stop.set(true);
    }

    /// Whether this is not asked for any more.
    fn is_known(&self, wrong: Wrong) -> bool {
        let turned = match wrong {
            Wrong::Race(a, b) => Wrong::Race(b, a),
            other => other,
        };
        self.question.known.contains(&wrong) || self.question.known.contains(&turned)
    }

    /// Who creates each thread, by its number.
    fn thread_names(&self) -> Vec<ThreadName> {
        let mut names = vec![ThreadName::default(); self.names.len() + 1];
        for (&(creator, ordinal), &number) in &self.names {
            names[number] = ThreadName { parent: ThreadId(creator as u16), ordinal, ..ThreadName::default() };
        }
        names
    }

    fn inputs(&self, model: &Assignment) -> Vec<Given> {
        let terms = &self.machine.terms;
        let mut asked: HashMap<u32, u32> = HashMap::new();
        let given = self.machine.inputs.iter().filter(|input| input.is_given() && terms.eval(input.guard, model) != 0);
        let mut all: Vec<Given> = given
            .map(|input| {
                let index = asked.entry(input.thread).or_insert(0);
                let value = terms.eval(input.value, model) as u64;
                let given = Input { thread: ThreadId(input.thread as u16), index: *index, value, ..Input::default() };
                *index += 1;
                Given {
                    input: given,
                    function: input.function.clone(),
                    bits: match terms.sort(input.value) {
                        Sort::Bool => 1,
                        Sort::Bits(bits) => bits,
                    },
                    site: input.site,
                }
            })
            .collect();
        all.sort_by_key(|given| given.input);
        all
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
                let (wrong, site) = (Wrong::Condition(condition.kind, condition.site), condition.site);
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
        self.find(
            Wrong::Condition(Kind::Misuse, site),
            site,
            &format!("a primitive is misused: {misuse:?}"),
            &path,
            &clock,
        );
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
            self.find(Wrong::Race(now.touch.site, earlier.touch.site), now.touch.site, words, &path, &clock);
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
