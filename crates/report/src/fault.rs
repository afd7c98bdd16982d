//! Explains a memory error.

use heddle_model::fault::{Doing, Fault, FaultKind, family};
use heddle_model::finding::{Location, Note};
use heddle_model::{ObjectId, ThreadId};

use crate::Recording;
use crate::names::Names;
use crate::recording::user_frame;

/// The explanation of a memory error.
pub struct Explanation {
    /// The error in one line.
    pub message: String,
    /// Where the blocks were allocated and freed.
    pub notes: Vec<Note>,
    /// The other threads that are involved.
    pub threads: Vec<ThreadId>,
}

/// Explains the memory error that ended `recording` and that `who` made. `None` if none did.
pub fn explain(recording: &Recording, names: &Names, who: &str) -> Option<Explanation> {
    let fault = recording.outcome.fault()?;
    let mut notes = Vec::new();
    if fault.kind == FaultKind::Leak {
        for stack in &recording.more_stacks {
            note(&mut notes, "a leaked block was allocated here".to_string(), stack);
        }
    } else {
        let by =
            |thread: Option<ThreadId>| thread.map_or(String::new(), |thread| format!(" by {}", names.thread(thread)));
        let mut stacks = recording.more_stacks.iter();
        if let Some(stack) = stacks.next() {
            note(&mut notes, format!("the block was allocated here{}", by(fault.allocated_by)), stack);
        }
        if let Some(stack) = stacks.next().filter(|_| was_freed(fault)) {
            note(&mut notes, format!("it was freed here{}", by(fault.freed_by)), stack);
        }
    }
    let threads = [fault.other, fault.freed_by.filter(|_| was_freed(fault))].into_iter().flatten().collect();
    Some(Explanation { message: message(fault, &part(fault, recording), names, who), notes, threads })
}

fn was_freed(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::UseAfterFree | FaultKind::DoubleFree)
}

fn note(notes: &mut Vec<Note>, message: String, stack: &[Location]) {
    if let Some(at) = user_frame(stack) {
        let note = Note { message, location: Some(at.clone()) };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_string() } else { format!("{count} bytes") }
}

/// The name of what the fault is about, for the end of a sentence: ` (`Stats::hits`)`. Empty if it has none.
fn part(fault: &Fault, recording: &Recording) -> String {
    let name = recording.objects.get(&ObjectId(fault.address)).filter(|_| fault.block != 0 && fault.size > 0);
    name.map_or(String::new(), |name| format!(" (`{name}`)"))
}

/// What the thread was doing, and to what.
fn access(fault: &Fault) -> String {
    match fault.doing {
        Doing::Reading if fault.size > 0 => format!("reads {}", bytes(fault.size)),
        Doing::Writing if fault.size > 0 => format!("writes {}", bytes(fault.size)),
        Doing::Reading => "reads".to_string(),
        Doing::Writing => "writes".to_string(),
        Doing::Operating => "uses a synchronisation object".to_string(),
        Doing::Running => "executes code".to_string(),
        Doing::Freeing => "frees a pointer".to_string(),
        Doing::Resizing => "reallocates a pointer".to_string(),
        Doing::Using => "uses memory".to_string(),
    }
}

/// The position of an address relative to a block.
fn place(fault: &Fault) -> String {
    let (address, block, size) = (fault.address, fault.block, fault.block_size);
    let end = block.saturating_add(size);
    if address < block {
        format!("{} before a block of {}", bytes(block - address), bytes(size))
    } else if address == block && size > 0 {
        format!("at the start of a block of {}", bytes(size))
    } else if address < end {
        format!("{} into a block of {}", bytes(address - block), bytes(size))
    } else if address == end {
        format!("at the end of a block of {}", bytes(size))
    } else {
        format!("{} after the end of a block of {}", bytes(address - end), bytes(size))
    }
}

fn message(fault: &Fault, part: &str, names: &Names, who: &str) -> String {
    let verb = if fault.doing == Doing::Resizing { "resizes" } else { "frees" };
    let other = fault.other.map_or("a thread".to_string(), |thread| names.thread(thread));
    match fault.kind {
        FaultKind::UseAfterFree => {
            let freed = fault.freed_by.map_or(String::new(), |thread| match names.thread(thread) {
                by if by == who => " that it has freed".to_string(),
                by => format!(" that {by} has freed"),
            });
            let freed = if freed.is_empty() { " that was freed".to_string() } else { freed };
            format!("use after free: {who} {}{part}, {}{freed}", access(fault), place(fault))
        }
        FaultKind::OutOfBounds => format!("out of bounds: {who} {}, {}", access(fault), place(fault)),
        FaultKind::DoubleFree => {
            let by = fault.freed_by.map_or("was".to_string(), |thread| format!("{} has", names.thread(thread)));
            format!("double free: {who} {verb} a block of {} that {by} freed already", bytes(fault.block_size))
        }
        FaultKind::InvalidFree if fault.block != 0 => format!("invalid free: {who} {verb} {}", place(fault)),
        FaultKind::InvalidFree => {
            format!("invalid free: {who} {verb} {:#x}, which is not a heap block", fault.address)
        }
        FaultKind::Damaged => format!(
            "heap damaged: {who} {verb} a block whose header was overwritten: by a write in front of it, or past the \
             end of the block before it"
        ),
        FaultKind::DeadStack => {
            format!("use of a dead stack: {who} {} on the stack of {other}, which has ended", access(fault))
        }
        FaultKind::DeadFrame => format!(
            "use after return: {who} {} on the stack of {other}, in a function that has returned",
            access(fault)
        ),
        FaultKind::Mismatch => mismatch(fault, who, verb),
        FaultKind::Leak => {
            let blocks = if fault.count == 1 { "1 block".to_string() } else { format!("{} blocks", fault.count) };
            format!("{blocks} ({} in all) leaked: nothing points to them", bytes(fault.bytes))
        }
        FaultKind::Null | FaultKind::Wild | FaultKind::Guard | FaultKind::NotAnAddress | FaultKind::ReadOnly => {
            format!("{who} {}: {}", access(fault), refused(fault, names, who))
        }
        FaultKind::None => String::new(),
    }
}

/// A block that was freed by a function that does not match its allocation, such as `delete` after `malloc`.
fn mismatch(fault: &Fault, who: &str, verb: &str) -> String {
    const ALLOCATED: [&str; 5] = ["malloc", "new", "new[]", "new", "new[]"];
    const FREED: [&str; 5] = ["free", "delete", "delete[]", "delete", "delete[]"];
    let named = |names: [&str; 5], family: u8| {
        let aligned = if family >= family::NEW_ALIGNED { " with an alignment" } else { "" };
        format!("`{}`{aligned}", names.get(family as usize).unwrap_or(&"?"))
    };
    let (allocated, freed) = (fault.families & 15, fault.families >> 4);
    if allocated == freed {
        let (said, size) = (bytes(fault.size), bytes(fault.block_size));
        return format!(
            "mismatched free: {who} {verb} a block of {size} as one of {said}: `delete` and `new` use different types"
        );
    }
    let with = if fault.doing == Doing::Resizing { "`realloc`".to_string() } else { named(FREED, freed) };
    format!("mismatched free: {who} {verb} with {with} what was allocated with {}", named(ALLOCATED, allocated))
}

/// What is at the address of an access that the processor refused.
fn refused(fault: &Fault, names: &Names, who: &str) -> String {
    let address = fault.address;
    match fault.kind {
        FaultKind::Null if address == 0 => "null pointer".to_string(),
        FaultKind::Null if address < 1 << 32 => format!("null pointer + {address}"),
        FaultKind::Null => format!("null pointer - {}", address.wrapping_neg()),
        FaultKind::Guard => match fault.other.map(|thread| names.thread(thread)) {
            Some(owner) if owner != who => format!("{address:#x}, below the end of the stack of {owner}"),
            _ => format!("{address:#x}, below the end of its stack"),
        },
        FaultKind::NotAnAddress => "an invalid address".to_string(),
        FaultKind::ReadOnly => format!("{address:#x}, in memory that does not permit it"),
        FaultKind::UseAfterFree | FaultKind::OutOfBounds => format!("{address:#x}, {}", place(fault)),
        _ => format!("{address:#x}, which is not mapped"),
    }
}

/// What is at the address of a crash: ` (null pointer + 8)`. Empty if that is unknown.
pub fn of_crash(recording: &Recording, names: &Names, who: &str) -> String {
    let fault = recording.outcome.fault();
    fault.map_or(String::new(), |fault| format!(": it {} at {}", access(fault), refused(fault, names, who)))
}
