//! Samples: executions drawn at random, for programs that are too big to exhaust.
//!
//! The policies that draw are the model's ([`heddle_model::follow`]), because the runtime inside the program follows them
//! without asking anybody. Here are only their parameters: sample `n` of a search with seed `s` is the same whenever it
//! is drawn. A search that samples never ends by itself; its verdict can only be `found` or `incomplete`.
//!
//! `pct` needs to know how long executions are. The first sample is drawn without changes of priority; from then on the
//! length is that of the longest execution so far, looked at again whenever the number of samples has doubled. Looking
//! always would make a sample depend on how many are under way at once.

use heddle_model::follow::Policy;
use heddle_model::{Execution, Plan};

use crate::options::{Algorithm, Options};
use crate::search::{Strategy, Ticket};

pub(crate) struct Sampling {
    policy: Policy,
    seed: u64,
    drawn: u64,
    digested: u64,
    /// The most events that an execution had.
    longest: u32,
}

impl Sampling {
    pub fn new(options: &Options) -> Sampling {
        let policy = match options.algorithm {
            Algorithm::Pct => Policy::Pct { depth: options.depth, length: 0 },
            Algorithm::Pos => Policy::Pos,
            _ => Policy::Random,
        };
        Sampling { policy, seed: options.seed, drawn: 0, digested: 0, longest: 0 }
    }
}

impl Strategy for Sampling {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        if let Policy::Pct { length, .. } = &mut self.policy
            && self.drawn.is_power_of_two()
        {
            if self.digested < self.drawn {
                return None;
            }
            *length = self.longest;
        }
        plan.policy = self.policy;
        plan.seed = sample_seed(self.seed, self.drawn);
        self.drawn += 1;
        Some(Ticket(0))
    }

    fn digest(&mut self, _: Ticket, execution: &Execution<'_>) {
        self.digested += 1;
        self.longest = self.longest.max(execution.events.len() as u32);
    }

    fn pending(&self) -> u64 {
        1
    }
}

/// The seed of one sample: neighbouring numbers give seeds that have nothing to do with each other.
fn sample_seed(seed: u64, sample: u64) -> u64 {
    let mut x = seed.wrapping_add(sample.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(1);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
