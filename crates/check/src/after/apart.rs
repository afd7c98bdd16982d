//! What keeps states apart, in words: for a search that was cut off because there were too many.

use heddle_model::content::PartKind;
use heddle_model::{ObjectId, ThreadId};
use heddle_report::text;
use heddle_search::apart::{Apart, Differs};
use heddle_search::exact::Collision;

use crate::engine::Names;

/// How many parts are named.
const NAMED: usize = 3;

/// What states differ in, as far as a sample tells. `None` if nothing was compared.
pub fn tell(apart: &Apart, names: &dyn Names) -> Option<String> {
    if apart.pairs == 0 {
        return None;
    }
    // Parts that differ in a few pairs only are the work that the program does.
    let often = apart.parts.iter().filter(|(_, count)| count * 4 >= apart.pairs);
    let mut named: Vec<String> = Vec::new();
    for (part, _) in often {
        let name = part_words(part, names);
        if !named.contains(&name) {
            named.push(name);
        }
    }
    named.truncate(NAMED);
    let pairs = text::counted(apart.pairs, "pair");
    (!named.is_empty()).then(|| {
        format!("in {pairs} in which every thread stands at the same place, they differ in {}", named.join(", "))
    })
}

/// A part of a state, in words.
pub fn part_words(part: &Differs, names: &dyn Names) -> String {
    let Differs { kind, key, at } = *part;
    let variable = |address: u64| names.object(ObjectId(address));
    match kind {
        PartKind::State | PartKind::Rest => "exit handlers or an atomic section".to_string(),
        PartKind::Thread => format!("what thread {key} is about to do"),
        PartKind::Object => match (ObjectId(key).as_thread(), variable(key)) {
            (Some(ThreadId(thread)), _) => format!("the life of thread {thread}"),
            (None, Some(name)) => format!("what heddle knows of {name}"),
            (None, None) => format!("what heddle knows of an object at {key:#x}"),
        },
        PartKind::Call => format!("registers of thread {key}, or the call that it is in"),
        PartKind::Stack => format!("the stack of thread {key}"),
        PartKind::Page => variable(key + 8 * at).unwrap_or_else(|| match names.stack_owner(key) {
            Some(ThreadId(thread)) => format!("thread-locals of thread {thread}"),
            None => format!("memory at {:#x}", key + 8 * at),
        }),
        PartKind::Heap => "the heap".to_string(),
        PartKind::Access => match variable(key << 3) {
            Some(name) => format!("who has used {name} last, for data races"),
            None => "who has used a place last, for data races".to_string(),
        },
        PartKind::History => "what was done before: the program has asked or told something outside".to_string(),
    }
}

/// The message about two states with one fingerprint.
pub fn collided(collision: &Collision, names: &dyn Names) -> String {
    let Collision { part: (kind, key), at, .. } = *collision;
    format!(
        "two states have one fingerprint and differ in {}: what follows from the second was not explored",
        part_words(&Differs { kind, key, at }, names)
    )
}
