//! Names for what lies in the heap and for what pointers point to: `Stats::hits`, `&node#2`.
//!
//! Blocks of one type are numbered in the order in which an execution first uses or mentions them, which is equal in every replay. A
//! type's only block has no number.

use std::collections::HashMap;

use heddle_model::fault::Fault;
use heddle_model::primitive::atomic;
use heddle_model::trace::Scalar;
use heddle_model::{Event, ObjectId};

use crate::engine::{Names, Part, Recorded};

/// The blocks of an execution whose types are known.
pub struct Blocks {
    parts: Vec<(u64, Named)>,
}

/// An address in a block, and what lies there.
struct Named {
    block: u64,
    part: Part,
    /// The number of the block among those of its type. 0 if it is the only one.
    number: usize,
}

impl Blocks {
    /// The blocks of the objects and of the values of `recorded`, as far as `names` knows their types.
    pub fn of(recorded: &Recorded, names: &dyn Names) -> Blocks {
        let mut blocks = Blocks { parts: Vec::new() };
        for address in mentioned(recorded) {
            if blocks.parts.iter().any(|(known, _)| *known == address) {
                continue;
            }
            let Some(site) = recorded.sites.iter().find(|site| site.object.0 == address) else { continue };
            if let Some(part) = names.part(&site.stack, site.size, address - site.block) {
                blocks.parts.push((address, Named { block: site.block, part, number: 0 }));
            }
        }
        blocks.add_faulty(recorded, names);
        blocks.number();
        blocks
    }

    /// Adds what a memory error is about.
    fn add_faulty(&mut self, recorded: &Recorded, names: &dyn Names) {
        let Some(&Fault { address, block, block_size, .. }) = recorded.outcome.fault() else { return };
        let Some(site) = recorded.more_stacks.first().filter(|_| block != 0) else { return };
        if !(block..block.saturating_add(block_size)).contains(&address) {
            return;
        }
        if let Some(part) = names.part(site, block_size, address - block) {
            self.parts.push((address, Named { block, part, number: 0 }));
        }
    }

    fn number(&mut self) {
        let mut numbers: HashMap<(String, u64), usize> = HashMap::new();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for (_, named) in &self.parts {
            numbers.entry((named.part.kind.clone(), named.block)).or_insert_with(|| {
                let count = counts.entry(named.part.kind.clone()).or_default();
                *count += 1;
                *count
            });
        }
        for (_, named) in &mut self.parts {
            if counts[&named.part.kind] > 1 {
                named.number = numbers[&(named.part.kind.clone(), named.block)];
            }
        }
    }

    /// Adds the names and types of objects in these blocks.
    pub fn name(&self, objects: &mut HashMap<ObjectId, String>, scalars: &mut HashMap<ObjectId, Scalar>) {
        for (address, named) in &self.parts {
            scalars.extend(named.part.scalar.map(|scalar| (ObjectId(*address), scalar)));
            // The type alone says nothing about a lock that is a block of its own.
            if !named.part.path.is_empty() {
                objects.entry(ObjectId(*address)).or_insert_with(|| named.name());
            }
        }
    }

    fn at(&self, address: u64) -> Option<&Named> {
        self.parts.iter().find(|(known, _)| *known == address).map(|(_, named)| named)
    }
}

impl Named {
    fn whole(&self) -> String {
        match self.number {
            0 => self.part.kind.clone(),
            number => format!("{}#{number}", self.part.kind),
        }
    }

    /// `Stats::hits`, `node#2::next`, `slot[3].full`.
    fn name(&self) -> String {
        match self.part.path.strip_prefix('.') {
            Some(path) => format!("{}::{path}", self.whole()),
            None => self.whole() + &self.part.path,
        }
    }
}

/// The objects of an execution and the values of its atomics, in the order of their first use.
fn mentioned(recorded: &Recorded) -> impl Iterator<Item = u64> {
    let of_events =
        recorded.events.iter().flat_map(|event| [event.operation.object.0].into_iter().chain(values(event)));
    let pending = recorded.pending.iter().map(|pending| pending.operation.object.0);
    of_events.chain(pending).chain(recorded.outcome.race().map(|race| race.address))
}

/// The values that an atomic operation has read and written, as far as the event says.
fn values(event: &Event) -> impl Iterator<Item = u64> {
    let is_atomic = event.operation.code.family() == atomic::FAMILY && event.operation.size == 8;
    [event.result, event.operation.without_await().argument].into_iter().filter(move |_| is_atomic)
}

/// What the values of atomics point to.
pub fn pointees(
    recorded: &Recorded,
    names: &dyn Names,
    blocks: &Blocks,
    objects: &HashMap<ObjectId, String>,
) -> HashMap<u64, String> {
    let written = recorded.written.iter().flatten().copied();
    let mut known = HashMap::new();
    for value in recorded.events.iter().flat_map(values).chain(written).filter(|value| *value >= 4096) {
        let object = || objects.get(&ObjectId(value)).cloned().or_else(|| names.object(ObjectId(value)));
        let name = match blocks.at(value) {
            // The address of the first member is the address of the whole.
            Some(named) if value == named.block => Some(named.whole()),
            Some(named) => Some(named.name()),
            None => object(),
        };
        known.extend(name.map(|name| (value, format!("&{name}"))));
    }
    known
}
