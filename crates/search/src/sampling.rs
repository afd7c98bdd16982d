//! Samples: executions drawn at random, for programs that are too big to exhaust.
//!
//! The policy that draws is the model's ([`heddle_model::follow`]), because the runtime inside the program follows it
//! without asking anybody. Here is only the seed: sample `n` of a search with seed `s` can be drawn again alone. A search
//! that samples never ends by itself; its verdict can only be `found` or `incomplete`.

use heddle_model::follow::Policy;
use heddle_model::{Execution, Plan};

use crate::options::Options;
use crate::search::{Strategy, Ticket};

pub(crate) struct Sampling {
    policy: Policy,
    seed: u64,
    drawn: u64,
}

impl Sampling {
    pub fn new(options: &Options) -> Sampling {
        Sampling { policy: Policy::Random, seed: options.seed, drawn: 0 }
    }
}

impl Strategy for Sampling {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        plan.policy = self.policy;
        plan.seed = sample_seed(self.seed, self.drawn);
        self.drawn += 1;
        Some(Ticket(0))
    }

    fn digest(&mut self, _: Ticket, _: &Execution<'_>) {}

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
