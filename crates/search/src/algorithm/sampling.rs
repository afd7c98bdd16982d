//! Samples: executions drawn at random, for programs that are too big to exhaust.
//!
//! The policies are the model's ([`heddle_model::follow`], which names the papers), because the runtime inside the program
//! follows them without asking anybody. Only their parameters are chosen here. Sample `n` of a search with seed `s` is
//! always the same execution. A search that samples never ends by itself, and its verdict is `found` or `incomplete`.
//!
//! Departures:
//!
//! 1. `pct` needs the length of executions. The first sample is drawn without changes of priority. From then on the length
//!    is that of the longest execution so far, read whenever the number of samples has doubled. If it were read for every
//!    sample, samples would depend on how many are under way at once.
//! 2. `few` draws a handful of threads for each sample. Threads that are created at one place of the program run the same
//!    code, so places are drawn first, then a thread of each. One reader among a hundred writers is in every other handful.
//!    The list of threads is read when the length is.
//! 3. Beside an exhaustive search ([`super::portfolio`]) samples are of all kinds in turn. Executions of that search tell the
//!    length and the threads, too. A sample is cut off where a thread takes many times as many operations as whole
//!    executions have, so that none runs away.
//! 4. Some samples return to a rare event of an earlier one ([`super::rare`]) and go on at random or by `pos`. Beside an
//!    exhaustive search these come when the others have had their chance, and are the more, the longer the search takes.

use std::collections::BTreeMap;

use heddle_model::follow::{Policy, few};
use heddle_model::{Execution, Outcome, Plan, ThreadId};
use serde::{Deserialize, Serialize};

use crate::algorithm::rare::{self, Rare};
use crate::drive::strategy::{Strategy, Ticket};
use crate::options::{Algorithm, Options};
use crate::save::{self, CheckpointError};

/// A sample beside an exhaustive search is cut off where a thread takes this many times as many operations as the longest
/// execution has events.
const RUN_AWAY: u32 = 4;

/// Which policies samples have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kinds {
    /// One, as an algorithm of its own. Its parameters are not those of a sample.
    One(Policy),
    /// Returns to rare events, and samples of the whole program to find such events.
    Rare,
    /// All of them in turn.
    All,
}

/// Beside an exhaustive search, how many samples are drawn before the first one that returns to a rare event, and before
/// such samples become more.
const FIRST_RETURN: u64 = 512;
const MOST_RETURNS: u64 = 1024;

impl Kinds {
    /// The policy of a sample, without the parameters that were learnt.
    fn policy(self, sample: u64) -> Policy {
        let round = sample / 8;
        if let Kinds::One(policy) = self {
            return policy;
        }
        if self == Kinds::Rare || self.returns(sample) {
            return if (sample + round).is_multiple_of(2) { Policy::Random } else { Policy::Pos };
        }
        // Where most samples return to rare events, those that do not are of all kinds in turn.
        let turn = if sample >= MOST_RETURNS { round % 8 } else { sample % 8 };
        match turn {
            0 => Policy::Even { operations: 1 + (round % 4) as u32 },
            2 => Policy::Pct { depth: 2, length: 0 },
            4 => Policy::Pos,
            5 => Policy::Random,
            6 => Policy::Pct { depth: 3 + (round % 6) as u32, length: 0 },
            _ => Policy::Few { first: 0, second: 0 },
        }
    }

    /// Whether a sample returns to a rare event.
    fn returns(self, sample: u64) -> bool {
        let turn = sample % 8;
        match self {
            Kinds::One(_) => false,
            Kinds::Rare => !turn.is_multiple_of(4),
            Kinds::All if sample >= MOST_RETURNS => turn != 0,
            Kinds::All => sample >= FIRST_RETURN && matches!(turn, 3 | 5),
        }
    }

    /// Whether rare events are looked for.
    fn has_returns(self) -> bool {
        matches!(self, Kinds::All | Kinds::Rare)
    }

    /// Whether samples depend on earlier ones.
    fn learn(self) -> bool {
        matches!(self, Kinds::All | Kinds::Rare | Kinds::One(Policy::Pct { .. } | Policy::Few { .. }))
    }

    /// Whether handfuls of threads are drawn.
    fn draw_threads(self) -> bool {
        matches!(self, Kinds::All | Kinds::One(Policy::Few { .. }))
    }
}

pub(crate) struct Sampling {
    kinds: Kinds,
    seed: u64,
    drawn: u64,
    digested: u64,
    /// How many samples were drawn when the length and the threads were last read.
    read: Option<u64>,
    /// The length of the longest execution, in events.
    longest: u32,
    /// `longest`, as it was when it was last read.
    length: u32,
    /// The threads that executions so far have created, by the place of the program that creates them.
    made: BTreeMap<u64, Vec<ThreadId>>,
    /// The threads of `made` by place, as they were when they were last read.
    roles: Vec<Vec<ThreadId>>,
    /// Rare events, and the ways to them.
    rare: Rare,
}

impl Sampling {
    pub fn new(options: &Options) -> Sampling {
        let kinds = match options.algorithm {
            Algorithm::Pct => Kinds::One(Policy::Pct { depth: options.depth, length: 0 }),
            Algorithm::Pos => Kinds::One(Policy::Pos),
            Algorithm::Few => Kinds::One(Policy::Few { first: 0, second: 0 }),
            Algorithm::Rare => Kinds::Rare,
            Algorithm::Portfolio => Kinds::All,
            _ => Kinds::One(Policy::Random),
        };
        Sampling {
            kinds,
            seed: options.seed,
            drawn: 0,
            digested: 0,
            read: None,
            longest: 0,
            length: 0,
            made: BTreeMap::new(),
            roles: Vec::new(),
            rare: Rare::default(),
        }
    }

    /// How many samples were drawn.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }

    /// The length of executions, in events, as samples take it to be.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Whether the next sample is drawn from what is known now, and not from what earlier ones were drawn from.
    pub fn is_due(&self) -> bool {
        let ends_batch = self.kinds.has_returns() && self.drawn.is_multiple_of(rare::BATCH);
        (self.has_doubled() || ends_batch) && self.read != Some(self.drawn)
    }

    /// Whether the number of samples has doubled since the length and the threads were last read.
    fn has_doubled(&self) -> bool {
        self.drawn == 0 || self.drawn.is_power_of_two()
    }

    /// Forgets the samples under way, which are drawn again, and the ways to rare events. More has become visible, so schedules
    /// have changed their meaning.
    pub fn forget(&mut self) {
        self.drawn = self.digested;
        self.rare.clear();
    }

    /// Learns the length of an execution and its threads.
    pub fn learn(&mut self, execution: &Execution<'_>) {
        // Where samples of all kinds are drawn, some of them may run away: their length says nothing.
        if self.kinds != Kinds::All || execution.outcome.is_ended() || execution.outcome == Outcome::Deadlock {
            self.longest = self.longest.max(execution.events.len() as u32);
        }
        if self.kinds.draw_threads() {
            for event in execution.events {
                let Some(thread) = event.operation.creates() else { continue };
                let role = self.made.entry(event.pc).or_default();
                if !role.contains(&thread) {
                    role.push(thread);
                }
            }
        }
    }

    /// Draws a handful of threads for the sample with this seed.
    fn handful(&self, seed: u64) -> (u32, u32) {
        let mut state = seed;
        let mut below = |limit: usize| {
            state = sample_seed(state, 1);
            (state >> 32) as usize % limit.max(1)
        };
        let mut threads = [ThreadId::MAIN; few::HANDFUL];
        let count = 2 + below(few::HANDFUL - 1);
        for thread in threads.iter_mut().take(count) {
            let Some(role) = self.roles.get(below(self.roles.len())) else { break };
            *thread = role[below(role.len())];
        }
        few::pack(threads)
    }
}

/// What is written down of a search that samples.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    digested: u64,
    read: Option<u64>,
    longest: u32,
    length: u32,
    made: BTreeMap<u64, Vec<ThreadId>>,
    roles: Vec<Vec<ThreadId>>,
    rare: rare::State,
}

impl Sampling {
    /// All that it has learnt. Samples under way are drawn again.
    pub fn state(&self) -> State {
        State {
            digested: self.digested,
            read: self.read,
            longest: self.longest,
            length: self.length,
            made: self.made.clone(),
            roles: self.roles.clone(),
            rare: self.rare.state(),
        }
    }

    /// Goes on from what another one has learnt.
    ///
    /// # Errors
    ///
    /// When `state` contradicts itself.
    pub fn go_on(&mut self, state: State) -> Result<(), CheckpointError> {
        if state.roles.iter().any(Vec::is_empty) {
            return Err(CheckpointError::Damaged);
        }
        (self.drawn, self.digested, self.read) = (state.digested, state.digested, state.read);
        (self.longest, self.length) = (state.longest, state.length);
        (self.made, self.roles) = (state.made, state.roles);
        self.rare = Rare::restore(state.rare)?;
        Ok(())
    }
}

impl Strategy for Sampling {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        if self.kinds.learn() && self.is_due() {
            if self.digested < self.drawn {
                return None;
            }
            if self.has_doubled() {
                self.roles = self.made.values().cloned().collect();
                self.length = self.longest;
            }
            self.rare.publish();
            self.read = Some(self.drawn);
        }
        plan.seed = sample_seed(self.seed, self.drawn);
        plan.policy = match self.kinds.policy(self.drawn) {
            Policy::Few { .. } => {
                let (first, second) = self.handful(plan.seed);
                Policy::Few { first, second }
            }
            Policy::Pct { depth, .. } => Policy::Pct { depth, length: self.length },
            other => other,
        };
        if self.kinds.returns(self.drawn) {
            self.rare.fill(plan.seed, &mut plan.schedule);
        }
        if self.kinds == Kinds::All && plan.max_steps == 0 {
            plan.max_steps = self.length.saturating_mul(RUN_AWAY).saturating_add(1000);
        }
        self.drawn += 1;
        Some(Ticket(0))
    }

    fn digest(&mut self, _: Ticket, execution: &Execution<'_>) {
        if self.kinds.has_returns() {
            let seed = sample_seed(self.seed, self.digested);
            self.rare.learn(execution, seed, self.kinds.returns(self.digested));
        }
        self.digested += 1;
        if self.kinds.learn() {
            self.learn(execution);
        }
    }

    fn pending(&self) -> u64 {
        1
    }

    fn revealed(&mut self) {
        self.rare.clear();
    }

    fn save(&self) -> save::State {
        save::State::Sampling(self.state())
    }

    fn restore(&mut self, state: save::State) -> Result<(), CheckpointError> {
        let save::State::Sampling(state) = state else { return Err(CheckpointError::Damaged) };
        self.go_on(state)
    }
}

/// The seed of one sample. Neighbouring samples have unrelated seeds.
pub(crate) fn sample_seed(seed: u64, sample: u64) -> u64 {
    let mut x = seed.wrapping_add(sample.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(1);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
