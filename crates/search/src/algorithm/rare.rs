//! Samples that return to a rare event and go on at random from there.
//!
//! A bug that needs many steps in an unusual order is hardly ever drawn in one go. But each of its steps is an event that few
//! executions have: a load that reads what a certain store wrote, an exchange that loses. So executions are kept that have
//! shown rare events. A sample repeats one of them up to such an event, and what follows is drawn. Steps that were lucky once
//! need not be lucky again.
//!
//! D. Wolff, Z. Shi, G. J. Duck, U. Mathur, A. Roychoudhury, *Greybox fuzzing for concurrency testing*, ASPLOS 2024, from
//! which the feedback is; A. Ecoffet, J. Huizinga, J. Lehman, K. O. Stanley, J. Clune, *First return, then explore*, Nature 590
//! (2021), from which the return is.
//!
//! Departures from the first paper:
//!
//! 1. Its schedules are sets of reads-from pairs that the scheduler tries to bring about. Here whole prefixes are repeated,
//!    which is exact and costs nothing: every plan begins with a schedule.
//! 2. A pair is more than two places of the program: the place in memory and the value belong to it. Operations of all
//!    primitives have pairs, with the last event that changed what they touch. An event that writes what was there already has
//!    changed nothing: who looks by an exchange would hide who wrote.
//! 3. Every event has a second pair: the first one together with where another thread was, the one that ran last. There are many more of
//!    these. They tell apart ways to the same pair, and half of all returns go to them.
//! 4. A pair is drawn by a tournament of four: the one that occurred and was returned to the least.
//!
//! Of executions that have the same pair, the one with the shortest way to it is kept, and sometimes the last one, so that a
//! way that leads nowhere is not followed for ever. What is learnt takes effect after a batch of samples, so that
//! samples do not depend on how many are under way at once.

use std::collections::{BTreeMap, HashMap};

use heddle_model::follow::Step;
use heddle_model::{Event, EventFlags, Execution, Footprint, Mode, Outcome, ThreadId};
use serde::{Deserialize, Serialize};

use crate::algorithm::sampling::sample_seed;
use crate::save::CheckpointError;

/// After how many samples what was learnt takes effect.
pub(crate) const BATCH: u64 = 64;

/// How many pairs are drawn to find one that is rare.
const TOURNAMENT: u64 = 4;

/// How much more a return to a pair weighs than an occurrence.
const RETURN: u32 = 4;

/// The most pairs of each kind that are known. Later ones are not noticed.
const MOST_PAIRS: usize = 1 << 14;

/// The kinds of pairs: an event and who wrote, alone or beside the place of another thread.
const KINDS: usize = 2;
const ALONE: u8 = 0;
const BESIDE: u8 = 1;

/// The most steps of all executions that are kept: 8 MiB.
const MOST_STEPS: usize = 1 << 19;

/// Only so many events at the beginning of an execution are looked at.
const LONGEST: usize = 1 << 12;

/// An event and the last one that changed what it touches. See the module for what else belongs to it; all of that is in its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Pair {
    key: u64,
    /// [`ALONE`] or [`BESIDE`].
    kind: u8,
    /// How often it occurred.
    seen: u32,
    /// How often a sample returned to it.
    returned: u32,
    /// The execution that is kept for it.
    source: u32,
    /// How many steps of that execution lead to it, the last one included.
    length: u32,
}

/// An execution that is kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Source {
    steps: Vec<Step>,
    /// For how many pairs it is kept.
    uses: u32,
}

/// A pair of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Shown {
    key: u64,
    kind: u8,
    /// How many steps lead to it, the last one included.
    length: u32,
}

/// What a sample has shown, before it takes effect.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct News {
    pairs: Vec<Shown>,
    steps: Vec<Step>,
    /// The pair that it returned to.
    returned: Option<u32>,
}

/// The rare events of the samples so far, and the ways to them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Rare {
    pairs: Vec<Pair>,
    /// The position of each key in `pairs`.
    known: HashMap<u64, u32>,
    /// The positions of the pairs of each kind in `pairs`.
    kinds: [Vec<u32>; KINDS],
    sources: BTreeMap<u32, Source>,
    /// The number of the next source.
    next: u32,
    /// How many steps all sources have together.
    steps: usize,
    /// Of the current batch.
    news: Vec<News>,
}

/// What is written down of [`Rare`].
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct State {
    pairs: Vec<Pair>,
    sources: BTreeMap<u32, Source>,
    next: u32,
    news: Vec<News>,
}

impl Rare {
    /// The pair that the sample with this seed returns to. Nothing but the seed and what has taken effect decides that.
    fn drawn(&self, seed: u64) -> Option<u32> {
        let kind = &self.kinds[(sample_seed(seed, 0) >> 32) as usize % KINDS];
        let all = if kind.is_empty() { &self.kinds[usize::from(ALONE)] } else { kind };
        let candidates = (0..TOURNAMENT).map(|round| sample_seed(seed, round + 1).checked_rem(all.len() as u64));
        let weight = |&number: &u32| {
            let pair = &self.pairs[number as usize];
            pair.seen.saturating_add(pair.returned.saturating_mul(RETURN))
        };
        candidates.flatten().map(|at| all[at as usize]).min_by_key(weight)
    }

    /// Writes the steps that the sample with this seed repeats to `schedule`. None if nothing is known yet.
    pub fn fill(&self, seed: u64, schedule: &mut Vec<Step>) {
        let Some(number) = self.drawn(seed) else { return };
        let pair = &self.pairs[number as usize];
        schedule.extend_from_slice(&self.sources[&pair.source].steps[..pair.length as usize]);
    }

    /// Learns from a sample with this seed. `returns` if it is one that [`fill`](Self::fill) was asked for.
    pub fn learn(&mut self, execution: &Execution<'_>, seed: u64, returns: bool) {
        let returned = if returns { self.drawn(seed) } else { None };
        // What runs away says nothing, and a way to a failure has no other end.
        let is_whole = execution.outcome.is_ended() || execution.outcome == Outcome::Deadlock;
        let last = execution.events.len().saturating_sub(1).min(LONGEST);
        let events = if is_whole { &execution.events[..last] } else { &[] };
        self.news.push(News { pairs: pairs(events), steps: events.iter().map(Step::of).collect(), returned });
    }

    /// All that was learnt takes effect.
    pub fn publish(&mut self) {
        for news in std::mem::take(&mut self.news) {
            self.take(news);
        }
    }

    fn take(&mut self, news: News) {
        if let Some(pair) = news.returned.and_then(|number| self.pairs.get_mut(number as usize)) {
            pair.returned = pair.returned.saturating_add(1);
        }
        let number = self.next;
        let has_room = self.steps + news.steps.len() <= MOST_STEPS;
        let mut uses = 0;
        for Shown { key, kind, length } in news.pairs {
            let Some(&known) = self.known.get(&key) else {
                let alike = &mut self.kinds[usize::from(kind)];
                if has_room && alike.len() < MOST_PAIRS {
                    alike.push(self.pairs.len() as u32);
                    self.known.insert(key, self.pairs.len() as u32);
                    self.pairs.push(Pair { key, kind, seen: 1, returned: 0, source: number, length });
                    uses += 1;
                }
                continue;
            };
            let pair = &mut self.pairs[known as usize];
            pair.seen = pair.seen.saturating_add(1);
            let is_taken = length < pair.length || sample_seed(key, pair.seen.into()).is_multiple_of(pair.seen.into());
            if has_room && is_taken {
                let before = pair.source;
                (pair.source, pair.length) = (number, length);
                uses += 1;
                if before == number { uses -= 1 } else { self.release(before) }
            }
        }
        if uses != 0 {
            self.next += 1;
            self.steps += news.steps.len();
            self.sources.insert(number, Source { steps: news.steps, uses });
        }
    }

    /// A pair has no use for a source any more.
    fn release(&mut self, number: u32) {
        let Some(source) = self.sources.get_mut(&number) else { return };
        source.uses -= 1;
        if source.uses == 0 {
            self.steps -= source.steps.len();
            self.sources.remove(&number);
        }
    }

    /// Forgets everything. Schedules mean something only with the places that were visible.
    pub fn clear(&mut self) {
        *self = Rare::default();
    }

    /// All that it has learnt.
    pub fn state(&self) -> State {
        State { pairs: self.pairs.clone(), sources: self.sources.clone(), next: self.next, news: self.news.clone() }
    }

    /// Goes on from what another one has learnt.
    ///
    /// # Errors
    ///
    /// When `state` contradicts itself.
    pub fn restore(state: State) -> Result<Rare, CheckpointError> {
        let State { pairs, sources, next, news } = state;
        let mut uses: BTreeMap<u32, u32> = BTreeMap::new();
        for pair in &pairs {
            *uses.entry(pair.source).or_default() += 1;
            let source = sources.get(&pair.source).ok_or(CheckpointError::Damaged)?;
            if pair.length as usize > source.steps.len() || pair.seen == 0 {
                return Err(CheckpointError::Damaged);
            }
        }
        let known: HashMap<u64, u32> = pairs.iter().enumerate().map(|(at, pair)| (pair.key, at as u32)).collect();
        let mut kinds: [Vec<u32>; KINDS] = Default::default();
        for (pair, at) in pairs.iter().zip(0..) {
            kinds.get_mut(usize::from(pair.kind)).ok_or(CheckpointError::Damaged)?.push(at);
        }
        let has_all = sources.iter().all(|(number, source)| *number < next && uses.get(number) == Some(&source.uses));
        let is_sound = |shown: &Shown, steps: &[Step]| shown.length as usize <= steps.len() && shown.kind <= BESIDE;
        let is_within = |news: &News| news.pairs.iter().all(|shown| is_sound(shown, &news.steps));
        if known.len() != pairs.len() || !has_all || next > 1 << 31 || !news.iter().all(is_within) {
            return Err(CheckpointError::Damaged);
        }
        let steps = sources.values().map(|source| source.steps.len()).sum();
        Ok(Rare { pairs, known, kinds, sources, next, steps, news })
    }
}

/// All pairs of an execution.
fn pairs(events: &[Event]) -> Vec<Shown> {
    // The last event that changed each object: its place in the program, and its thread.
    let mut last: HashMap<u64, (u64, u64)> = HashMap::new();
    let mut pairs = Vec::with_capacity(events.len() * KINDS);
    // The thread that ran last, with where it was, and the one before it.
    let (mut current, mut other): ((Option<ThreadId>, u64), Option<u64>) = ((None, 0), None);
    for (event, length) in events.iter().zip(1..) {
        let footprint = Footprint::alone(event);
        // A store tells what it replaced. What it wrote is its argument.
        let is_store = event.flags.contains(EventFlags::KNOWS_OLD);
        let value = if is_store { event.operation.argument } else { event.result };
        let mut key = mix(mix(event.pc, value), event.operation.code.0.into());
        for access in footprint.accesses() {
            let (pc, thread) = last.get(&access.object.0).copied().unwrap_or((0, u64::MAX));
            key = mix(mix(key, access.object.0), pc);
            key = mix(key, u64::from(thread == u64::from(event.thread.0)));
        }
        if current.0 != Some(event.thread) {
            other = current.0.map(|_| current.1);
        }
        current = (Some(event.thread), mix(mix(event.pc, event.operation.code.0.into()), event.operation.object.0));
        if footprint.accesses().is_empty() {
            continue;
        }
        pairs.push(Shown { key, kind: ALONE, length });
        if let Some(place) = other {
            pairs.push(Shown { key: mix(mix(key, place), BESIDE.into()), kind: BESIDE, length });
        }
        if event.flags.contains(EventFlags::UNCHANGED) {
            continue;
        }
        for access in footprint.accesses().iter().filter(|access| access.mode != Mode::Read) {
            last.insert(access.object.0, (event.pc, event.thread.0.into()));
        }
    }
    pairs
}

fn mix(key: u64, word: u64) -> u64 {
    sample_seed(key, word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_model::primitive::atomic;
    use heddle_model::{ObjectId, Operation, ThreadId};

    fn event(thread: u16, store: bool, pc: u64, result: u64) -> Event {
        let code = if store { atomic::STORE } else { atomic::LOAD };
        let operation = Operation { size: 4, ..Operation::new(code, ObjectId(64)) };
        Event { operation, pc, result, thread: ThreadId(thread), alternatives: 1, ..Event::default() }
    }

    fn news(events: &[Event], returned: Option<u32>) -> News {
        News { pairs: pairs(events), steps: events.iter().map(Step::of).collect(), returned }
    }

    #[test]
    fn a_pair_is_what_was_read_and_who_wrote_it() {
        let of = |events: &[Event], kind| {
            pairs(events).iter().rfind(|shown| shown.kind == kind).expect("the last event reads").key
        };
        let key = |events: &[Event]| of(events, ALONE);
        let read = event(1, false, 7, 3);
        let other = key(&[event(2, true, 5, 0), read]);
        assert_eq!(other, key(&[event(3, true, 5, 0), read]), "which other thread wrote does not matter");
        assert_ne!(other, key(&[event(1, true, 5, 0), read]), "its own write is another pair");
        assert_ne!(other, key(&[event(2, true, 6, 0), read]), "so is another place of the program");
        assert_ne!(other, key(&[read]), "and the first value");
        assert_ne!(other, key(&[event(2, true, 5, 0), event(1, false, 7, 4)]), "and another value");
        let in_vain = Event { flags: EventFlags::UNCHANGED, ..event(3, true, 6, 0) };
        assert_eq!(other, key(&[event(2, true, 5, 0), in_vain, read]), "who has changed nothing is no writer");
        let between = |pc| [event(2, true, 5, 0), event(3, false, pc, 0), read];
        assert_eq!(key(&between(8)), key(&between(9)), "where others are does not matter");
        assert_ne!(of(&between(8), BESIDE), of(&between(9), BESIDE), "but for the second pair");
    }

    #[test]
    fn a_store_is_told_by_what_it_wrote() {
        let store = |old, new| {
            let event = event(1, true, 7, old);
            let operation = Operation { argument: new, ..event.operation };
            pairs(&[Event { operation, flags: EventFlags::KNOWS_OLD, ..event }])[0].key
        };
        assert_eq!(store(1, 3), store(2, 3));
        assert_ne!(store(1, 3), store(1, 4));
    }

    #[test]
    fn the_rarest_of_a_few_is_returned_to() {
        let mut rare = Rare::default();
        let usual = [event(1, false, 1, 0), event(1, false, 2, 0)];
        for _ in 0..50 {
            rare.take(news(&usual, None));
        }
        rare.take(news(&[usual[0], event(2, true, 9, 0), event(1, false, 2, 1)], None));
        let mut lengths = [0; 4];
        for seed in 0..1000 {
            let mut schedule = Vec::new();
            rare.fill(sample_seed(3, seed), &mut schedule);
            lengths[schedule.len()] += 1;
        }
        // Of four pairs, the last two are rare: one of them is among those drawn, unless they are missed four times. The first one is
        // returned to if it is drawn four times.
        assert!(lengths[2] + lengths[3] > 970 && lengths[3] > 200 && lengths[1] < 30, "{lengths:?}");
    }

    #[test]
    fn sources_that_nobody_uses_are_let_go() {
        let mut rare = Rare::default();
        let long = [event(2, true, 5, 0), event(3, false, 1, 0), event(1, false, 7, 3)];
        rare.take(news(&long, None));
        assert_eq!((rare.sources.len(), rare.steps), (1, 3));
        for _ in 0..200 {
            rare.take(news(&long, Some(2)));
            let uses: u32 = rare.sources.values().map(|source| source.uses).sum();
            assert_eq!(uses as usize, rare.pairs.len());
            assert_eq!(rare.steps, rare.sources.values().map(|source| source.steps.len()).sum::<usize>());
        }
        assert!(rare.sources.len() <= 5, "three pairs and two beside another thread have at most five");
        assert_eq!(rare.pairs[2].returned, 200);
    }

    #[test]
    fn what_was_written_down_goes_on_as_it_was() {
        let mut rare = Rare::default();
        for value in 0..40 {
            rare.take(news(&[event(2, true, 5, 0), event(1, false, 7, value % 7)], None));
        }
        rare.news.push(news(&[event(2, true, 6, 0), event(1, false, 7, 3)], Some(1)));
        let again = Rare::restore(rare.state()).expect("it is whole");
        assert_eq!(again, rare);
        let mut missing = rare.state();
        missing.sources.clear();
        assert!(Rare::restore(missing).is_err());
        let mut odd = rare.state();
        odd.pairs[0].kind = 2;
        assert!(Rare::restore(odd).is_err());
        let mut late = rare.state();
        late.pairs[0].length = 9;
        assert!(Rare::restore(late).is_err());
    }
}
