//! Atomics with weaker memory orders than sequential consistency. Heddle explores them as if they were sequentially consistent, and a
//! verdict says so.

use std::collections::BTreeSet;

use heddle_model::primitive::atomic::{self, MemoryOrder};
use heddle_model::{Event, Execution};
use heddle_report::recording::is_user;
use serde::{Deserialize, Serialize};

use crate::engine::Names;
use crate::sources;

/// The most places that are kept.
const KEPT: usize = 32;
/// The most places that are named.
const NAMED: usize = 3;

/// Files of the C++ library whose atomics count references. They are nobody's choice, and their orders are known to be enough.
const COUNTERS: [&str; 4] =
    ["ext/atomicity.h", "bits/shared_ptr_base.h", "bits/shared_ptr_atomic.h", "include/c++/v1/"];

/// Where such atomics were used: return addresses.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Weaker {
    places: BTreeSet<u64>,
    #[serde(skip)]
    recent: Recent,
}

/// Places that were looked at lately, by their lowest bits. Executions use the same places again and again, and this is in the path of each of
/// them.
#[derive(Clone, Debug)]
struct Recent([u64; 64]);

impl Default for Recent {
    fn default() -> Recent {
        Recent([0; 64])
    }
}

impl Recent {
    /// Whether `place` is new here. It is not, from now on.
    fn is_new(&mut self, place: u64) -> bool {
        let slot = &mut self.0[(place ^ place >> 6) as usize % 64];
        core::mem::replace(slot, place) != place
    }
}

impl Weaker {
    /// Takes note of the atomics of an execution. Once there are enough places it looks no more.
    pub fn look(&mut self, execution: &Execution<'_>) {
        if self.places.len() < KEPT {
            let Weaker { places, recent } = self;
            let weaker = execution.events.iter().filter(|event| is_weaker(event)).map(|event| event.pc);
            places.extend(weaker.filter(|&place| recent.is_new(place)));
        }
    }

    /// The places in words. `None` if there are none in the program itself.
    pub fn tell(&self, names: &dyn Names) -> Option<String> {
        let directory = std::env::current_dir().unwrap_or_default();
        let (mut own, mut elsewhere) = (BTreeSet::new(), false);
        for &pc in &self.places {
            let frames = names.frames(pc);
            if frames.iter().any(|at| COUNTERS.iter().any(|file| at.file.contains(file))) {
                continue;
            }
            match names.location(&[pc]).filter(is_user) {
                Some(at) => _ = own.insert((sources::shorten(&at.file, &directory), at.line)),
                // A function of <atomic> that was not inlined: its caller is not known here.
                None => elsewhere = true,
            }
        }
        let named: Vec<String> = own.iter().take(NAMED).map(|(file, line)| format!("{file}:{line}")).collect();
        match (named.is_empty(), own.len().saturating_sub(NAMED), elsewhere) {
            (true, _, false) => None,
            (true, _, true) => Some("in the program's use of <atomic>".to_string()),
            (false, 0, false) => Some(named.join(", ")),
            (false, _, _) => Some(format!("{}, ...", named.join(", "))),
        }
    }
}

fn is_weaker(event: &Event) -> bool {
    event.operation.code.family() == atomic::FAMILY && atomic::order(event) != MemoryOrder::SequentiallyConsistent
}
