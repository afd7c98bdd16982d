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

use std::collections::BTreeMap;

use heddle_model::follow::{Policy, few};
use heddle_model::primitive::thread::CREATE;
use heddle_model::{Execution, Plan, ThreadId};
use serde::{Deserialize, Serialize};

use crate::drive::strategy::{Strategy, Ticket};
use crate::options::{Algorithm, Options};
use crate::save::{self, CheckpointError};

pub(crate) struct Sampling {
    policy: Policy,
    seed: u64,
    drawn: u64,
    digested: u64,
    /// The length of the longest execution, in events.
    longest: u32,
    /// The threads that executions so far have created, by the place of the program that creates them.
    made: BTreeMap<u64, Vec<ThreadId>>,
    /// The threads of `made` by place, as they were when the number of samples last doubled.
    roles: Vec<Vec<ThreadId>>,
}

impl Sampling {
    pub fn new(options: &Options) -> Sampling {
        let policy = match options.algorithm {
            Algorithm::Pct => Policy::Pct { depth: options.depth, length: 0 },
            Algorithm::Pos => Policy::Pos,
            Algorithm::Few => Policy::Few { first: 0, second: 0 },
            _ => Policy::Random,
        };
        let (made, roles) = (BTreeMap::new(), Vec::new());
        Sampling { policy, seed: options.seed, drawn: 0, digested: 0, longest: 0, made, roles }
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
    longest: u32,
    /// What `pct` takes the length to be.
    length: u32,
    made: BTreeMap<u64, Vec<ThreadId>>,
    roles: Vec<Vec<ThreadId>>,
}

impl Strategy for Sampling {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        if matches!(self.policy, Policy::Pct { .. } | Policy::Few { .. }) && self.drawn.is_power_of_two() {
            if self.digested < self.drawn {
                return None;
            }
            self.roles = self.made.values().cloned().collect();
            if let Policy::Pct { length, .. } = &mut self.policy {
                *length = self.longest;
            }
        }
        plan.seed = sample_seed(self.seed, self.drawn);
        plan.policy = match self.policy {
            Policy::Few { .. } => {
                let (first, second) = self.handful(plan.seed);
                Policy::Few { first, second }
            }
            other => other,
        };
        self.drawn += 1;
        Some(Ticket(0))
    }

    fn digest(&mut self, _: Ticket, execution: &Execution<'_>) {
        self.digested += 1;
        self.longest = self.longest.max(execution.events.len() as u32);
        if matches!(self.policy, Policy::Few { .. }) {
            for event in execution.events.iter().filter(|event| event.operation.code == CREATE) {
                let Some(thread) = event.operation.object.as_thread() else { continue };
                let role = self.made.entry(event.pc).or_default();
                if !role.contains(&thread) {
                    role.push(thread);
                }
            }
        }
    }

    fn pending(&self) -> u64 {
        1
    }

    fn save(&self) -> save::State {
        let length = if let Policy::Pct { length, .. } = self.policy { length } else { 0 };
        let (made, roles) = (self.made.clone(), self.roles.clone());
        save::State::Sampling(State { digested: self.digested, longest: self.longest, length, made, roles })
    }

    fn restore(&mut self, state: save::State) -> Result<(), CheckpointError> {
        let save::State::Sampling(state) = state else { return Err(CheckpointError::Damaged) };
        if state.roles.iter().any(Vec::is_empty) {
            return Err(CheckpointError::Damaged);
        }
        // Samples under way are drawn again.
        (self.drawn, self.digested, self.longest) = (state.digested, state.digested, state.longest);
        (self.made, self.roles) = (state.made, state.roles);
        if let Policy::Pct { length, .. } = &mut self.policy {
            *length = state.length;
        }
        Ok(())
    }
}

/// The seed of one sample. Neighbouring samples have unrelated seeds.
fn sample_seed(seed: u64, sample: u64) -> u64 {
    let mut x = seed.wrapping_add(sample.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(1);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
