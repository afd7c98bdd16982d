//! Happens-before by its definition: each event knows the set of the events before it. No clocks.
//!
//! The standard has no values that overlap partly. Where they do, a value knows what all its bytes in a granule knew.

use std::collections::{BTreeMap, BTreeSet};
use std::vec::Vec;

use heddle_model::primitive::{atomic, futex, section};
use heddle_model::{Event, Footprint, Mode};

/// An event, by its thread, by how many events of that thread there were up to it, and by its half: a wake of a futex first
/// releases the word, then learns from the queue.
type Name = (usize, u32, u8);

/// The happens-before relation of an execution.
pub struct Reference {
    /// The events that happen before what each thread does next.
    past: Vec<BTreeSet<Name>>,
    /// The events that happen before each event, and itself.
    events: BTreeMap<Name, BTreeSet<Name>>,
    /// The number of each thread's next event.
    next: Vec<u32>,
    /// For each byte, the events that an acquiring read of it synchronises with.
    heads: BTreeMap<u64, BTreeSet<Name>>,
    /// The events that each thread's next acquiring fence synchronises with.
    aside: Vec<BTreeSet<Name>>,
    /// Each thread's last releasing fence.
    fence: Vec<Option<Name>>,
    /// The ends of sections.
    sections: BTreeSet<Name>,
}

impl Reference {
    pub fn new(threads: usize) -> Reference {
        Reference {
            past: std::vec![BTreeSet::new(); threads],
            events: BTreeMap::new(),
            next: std::vec![1; threads],
            heads: BTreeMap::new(),
            aside: std::vec![BTreeSet::new(); threads],
            fence: std::vec![None; threads],
            sections: BTreeSet::new(),
        }
    }

    /// The number of the next event of `thread`: what it does now comes after the one before.
    pub fn time(&self, thread: usize) -> u32 {
        self.next[thread]
    }

    /// Whether `later` knows what `earlier` did before its event number `time`, or at it.
    pub fn knows(&self, later: usize, earlier: usize, time: u32) -> bool {
        later == earlier && time <= self.next[later]
            || self.past[later].iter().any(|&(thread, event, _)| thread == earlier && event >= time)
    }

    fn synchronise(&mut self, thread: usize, with: &BTreeSet<Name>) {
        for event in with {
            let before = self.events[event].clone();
            self.past[thread].extend(before);
        }
    }

    fn heads_of(&self, start: u64, size: u64) -> BTreeSet<Name> {
        (start..start + size).filter_map(|byte| self.heads.get(&byte)).flatten().copied().collect()
    }

    /// The event has a name and a past from now on.
    fn publish(&mut self, thread: usize, half: u8) -> Name {
        let name = (thread, self.next[thread], half);
        self.past[thread].insert(name);
        self.events.insert(name, self.past[thread].clone());
        name
    }

    fn add(&mut self, start: u64, size: u64, name: Name) {
        self.unite(start, size);
        for byte in start..start + size {
            self.heads.entry(byte).or_default().insert(name);
        }
    }

    /// The bytes in each granule know from now on what any of them knew.
    fn unite(&mut self, start: u64, size: u64) {
        for byte in start..start + size {
            let granule = byte / 8 * 8;
            let (low, high) = (start.max(granule), (start + size).min(granule + 8));
            let all = self.heads_of(low, high - low);
            self.heads.insert(byte, all);
        }
    }

    /// An event was taken.
    pub fn take(&mut self, event: &Event) {
        let thread = event.thread.index();
        match event.operation.code {
            section::BEGIN => {
                let ends = self.sections.clone();
                return self.synchronise(thread, &ends);
            }
            section::END => {
                let name = self.publish(thread, 1);
                self.sections.insert(name);
            }
            code if code.family() == atomic::FAMILY => self.atomic(thread, event),
            code => {
                let footprint = Footprint::alone(event);
                if footprint.is_everything() {
                    for other in 0..self.past.len() {
                        let past = self.past[other].clone();
                        self.past[thread].extend(past);
                        // What others did since their last event, too.
                        let next = (other, self.next[other], 1);
                        self.past[thread].insert(next);
                    }
                }
                if code == futex::WAKE {
                    let release = self.publish(thread, 0);
                    self.add(event.operation.object.0, 4, release);
                }
                let mut touched = std::vec::Vec::from(footprint.accesses());
                touched.retain(|access| access.mode != Mode::Add);
                for access in touched {
                    let heads = self.heads_of(access.object.0, access.size as u64);
                    self.synchronise(thread, &heads);
                }
                let name = self.publish(thread, 1);
                for access in footprint.accesses().iter().filter(|access| access.mode != Mode::Read) {
                    self.add(access.object.0, access.size as u64, name);
                }
            }
        }
        self.next[thread] += 1;
    }

    fn atomic(&mut self, thread: usize, event: &Event) {
        let (operation, order) = (&event.operation, atomic::order(event));
        let (start, size) = (operation.object.0, operation.size as u64);
        let is_fence = operation.code == atomic::FENCE;
        let reads = !is_fence && operation.code != atomic::STORE;
        let writes = !is_fence && operation.code != atomic::LOAD && !event.failed();
        let heads = self.heads_of(start, size);
        if is_fence && order.acquires() {
            let aside = self.aside[thread].clone();
            self.synchronise(thread, &aside);
        } else if reads && order.acquires() {
            self.synchronise(thread, &heads);
        } else if reads {
            self.aside[thread].extend(heads);
        }
        let name = self.publish(thread, 1);
        if is_fence && order.releases() {
            self.fence[thread] = Some(name);
        }
        if !writes {
            return;
        }
        self.unite(start, size);
        for byte in start..start + size {
            let heads = self.heads.entry(byte).or_default();
            if operation.code == atomic::STORE {
                heads.clear();
            }
            heads.extend(if order.releases() { Some(name) } else { self.fence[thread] });
        }
    }
}
