//! Which bytes of stack frames are dead while a call is under way, from a program's machine code.
//!
//! Without optimisation every variable has a place in its function's frame, and keeps its value there after its last use. Two states of
//! a program that differ only in such values are one state: nothing that follows depends on them. This module finds them. A byte is
//! *dead* at a call if, on every path of the function behind the call, it is written before it is read, or never read.
//!
//! The result is a table for the runtime, [`FrameTable`]: for every return address of a call in the program, the dead bytes of
//! the calling function's frame. Threads stand at calls when states are taken, so return addresses are enough.
//!
//! One step a file:
//!
//! * `image`: functions, constants and names of callees in the program's file.
//! * `unwind`: where a frame ends and which registers are kept in it; landing pads of exceptions.
//! * `graph`, `jump_table`: the control flow graph.
//! * `registers`: where stack pointer and frame pointer point to at each instruction.
//! * `accesses`: what an instruction does to the frame.
//! * `announced`: addresses that only the runtime gets.
//! * `objects`: which variables a pointer into the frame may reach.
//! * `frame`, `flow`: backward liveness over the graph.
//! * `kept`: the same for registers that calls preserve.
//! * `counters`: what only counts the rounds of a loop.
//! * `function`: all of it for one function.
//!
//! A live byte that is called dead would make two different states one, and a bug could be missed. So whatever is not understood
//! is live. These are always live: the return address; registers that the function keeps for its caller; arguments on the stack;
//! objects whose address is taken; everything in a function with `alloca`, `setjmp`, or an instruction that uses a pointer into the frame in an
//! unusual way; and everything where the machine code and the unwind tables say different things. Tests overwrite dead bytes with
//! garbage at every call of random programs, which must not notice.
//!
//! Two things are taken on trust. A function that returns twice is known by its name, so one that is written by hand in assembly is not
//! recognised. Code without optimisation keeps pointers inside their objects, as C demands.
//!
//! Nothing here runs unless somebody asks for it: disassembling a program costs more than starting it.

mod accesses;
mod announced;
mod counters;
mod flow;
mod frame;
mod function;
mod graph;
mod image;
mod jump_table;
mod kept;
mod objects;
mod registers;
#[cfg(test)]
mod tests;
mod unwind;

use accesses::Bytes;
use heddle_model::wire::{DeadRange, FrameCall, FrameTable};
use image::Image;

/// The table of dead stack bytes of a program, and what was found on the way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeadBytes {
    /// The table, as [`FrameTable`] reads it. Empty if the file is no program.
    pub table: Vec<u8>,
    /// What was found.
    pub summary: Summary,
}

/// How much of a program's stack frames is understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Functions with at least one call, and those whose code cannot be read.
    pub functions: u32,
    /// Functions whose frames are understood.
    pub understood: u32,
    /// Calls in functions that are understood.
    pub calls: u32,
    /// The bytes of the frames at all these calls, without return addresses.
    pub bytes: u64,
    /// The dead ones among these bytes.
    pub dead: u64,
    /// The functions that are not understood, by reason.
    pub reasons: [u32; NotUnderstood::COUNT],
}

/// Why the frame of a function is not understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum NotUnderstood {
    /// Machine code that is not a compiler's: a jump into an instruction, a call into the function's own middle.
    Code,
    /// There are no unwind tables, or they have expressions, or they differ from the machine code.
    Unwind,
    /// The function continues elsewhere after an exception.
    Exceptions,
    /// The stack pointer is not known: `alloca`, alignment.
    StackPointer,
    /// The frame pointer points to different places.
    FramePointer,
    /// An instruction uses a pointer into the frame as a number.
    Pointer,
    /// An access has no known extent.
    Extent,
    /// The address of an object in the frame is taken in optimised code.
    AddressTaken,
    /// The function calls one that can return twice, such as `setjmp`.
    ReturnsTwice,
}

impl NotUnderstood {
    /// The number of reasons.
    pub const COUNT: usize = 9;
}

/// Rules of the analysis that tests leave out one by one, to see that something goes wrong then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
enum Rule {
    /// A callee reads its arguments on the stack.
    StackArguments,
    /// Saved registers are live: the unwinder reads them.
    SavedRegisters,
    /// An object is live if its address is taken.
    TakenAddresses,
    /// Only functions of the runtime that announce an access do not keep its address.
    Announcements,
    /// An address that the function keeps in its frame is followed where it is loaded again.
    KeptAddresses,
    /// An object is live if it is accessed with an index.
    IndexedAccesses,
    /// Calls continue at landing pads.
    LandingPads,
    /// A function that takes an address of its frame is not understood if its variables are not known.
    UnknownObjects,
    /// A function that can be entered twice is not understood.
    ReturnsTwice,
    /// Everything is live where the function leaves the graph.
    Leaving,
    /// A register belongs to the caller unless its value was saved.
    KeptRegisters,
}

/// A set of rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rules(u32);

impl Rules {
    const ALL: Rules = Rules(u32::MAX);

    fn has(self, rule: Rule) -> bool {
        self.0 >> rule as u32 & 1 != 0
    }
}

impl DeadBytes {
    /// The dead stack bytes of the program whose file is `bytes`.
    pub fn of(bytes: &[u8]) -> DeadBytes {
        analyse(bytes, Rules::ALL)
    }
}

fn analyse(bytes: &[u8], rules: Rules) -> DeadBytes {
    let Some(image) = Image::of(bytes) else { return DeadBytes::default() };
    let unwind_tables = unwind::UnwindTables::of(&image);
    let objects = image.dwarf().map(|dwarf| objects::of(&dwarf)).unwrap_or_default();
    let mut summary = Summary::default();
    let mut calls = Vec::new();
    for function in image.functions() {
        let found = unwind_tables.function(&image, function.start, function.end).and_then(|unwind| {
            let nodes = function::nodes(&image, &function, &unwind, rules)?;
            Ok((unwind, nodes))
        });
        let (unwind, nodes) = match found {
            Ok(found) => found,
            Err(reason) => {
                summary.functions += 1;
                summary.reasons[reason as usize] += 1;
                continue;
            }
        };
        if !nodes.iter().any(graph::Node::is_call) {
            continue;
        }
        summary.functions += 1;
        let known = objects.get(&function.start);
        match function::calls(&image, &nodes, &function, &unwind, known, rules) {
            Ok(found) => {
                summary.understood += 1;
                found.iter().for_each(|call| summary.add(call));
                calls.extend(found);
            }
            Err(reason) => {
                summary.reasons[reason as usize] += 1;
                calls.extend(function::calls_only(&image, &nodes, &unwind, reason, rules));
            }
        }
    }
    let rows = calls.iter().filter_map(row).collect();
    DeadBytes { table: FrameTable::write(rows), summary }
}

impl Summary {
    fn add(&mut self, call: &function::Call) {
        self.calls += 1;
        self.bytes += call.size.saturating_sub(8);
        self.dead += call.dead.iter().map(|(begin, end)| begin.abs_diff(*end)).sum::<u64>();
    }
}

/// A row of the table. `None` if a number does not fit.
fn row(call: &function::Call) -> Option<(FrameCall, Vec<DeadRange>)> {
    let narrow = |offset: i64| i32::try_from(offset).ok();
    let address = u32::try_from(call.return_address).ok()?;
    let saved = narrow(call.row.saved_frame_pointer.unwrap_or(0))?;
    let mut row = FrameCall::new(address, call.row.base, narrow(call.row.distance)?, saved);
    row.dead_registers = call.dead_registers;
    for (to, from) in row.saved.iter_mut().zip(call.row.saved) {
        *to = narrow(from.unwrap_or(0))?;
    }
    row.counters = call.counters.registers;
    let range = |&(begin, end): &Bytes| Some(DeadRange { begin: narrow(begin)?, end: narrow(end)? });
    let dead = call.dead.iter().map(range).collect::<Option<Vec<_>>>()?;
    // A counter in the frame is one range at most.
    row.counts = match call.counters.bytes[..] {
        [] => None,
        [(begin, end)] => Some(range(&(begin, end))?),
        _ => {
            row.counters = 0;
            None
        }
    };
    Some((row, dead))
}
