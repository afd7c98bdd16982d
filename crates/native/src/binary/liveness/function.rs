//! The dead bytes of one function's frame at each of its calls: all steps of the analysis put together.

use std::collections::HashMap;

use heddle_model::wire::FrameBase;
use iced_x86::InstructionInfoFactory;

use super::accesses::{self, Accesses, Bytes};
use super::announced;
use super::counters::{self, Counters};
use super::flow::{self, Transfer};
use super::frame::{PieceSet, Pieces};
use super::graph::{self, Function, Node};
use super::kept;
use super::objects::Objects;
use super::registers::{self, Registers};
use super::unwind::{Row, Unwind};
use super::{Image, NotUnderstood, Rule, Rules};

/// A call, and the dead bytes of the frame while it is under way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The return address.
    pub return_address: u64,
    /// What the unwind tables say there.
    pub row: Row,
    /// The size of the frame: the distance from the stack pointer to the frame's end. 0 where it is not known.
    pub size: u64,
    /// The dead bytes, ascending, relative to the frame's end.
    pub dead: Vec<Bytes>,
    /// The dead registers: see [`heddle_model::wire::FrameCall::dead_registers`].
    pub dead_registers: u32,
    /// What only counts the rounds of the innermost loop with this call, if it may be a look.
    pub counters: Counters,
}

/// Where the frame ends if the frame pointer points to its place two words below.
const BY_FRAME_POINTER: (FrameBase, i64) = (FrameBase::FramePointer, 16);
/// The return address takes the last bytes of a frame.
const RETURN_ADDRESS: i64 = -8;

/// The calls of a function whose frame is understood, with their dead bytes. `objects` are the variables in the frame, if they are
/// known.
pub fn calls(
    image: &Image<'_>,
    nodes: &[Node],
    function: &Function<'_>,
    unwind: &Unwind,
    objects: Option<&Objects>,
    rules: Rules,
) -> Result<Vec<Call>, NotUnderstood> {
    let mut returns_twice = nodes.iter().map(|node| image.returns_twice(&node.instruction));
    if rules.has(Rule::ReturnsTwice) && returns_twice.any(|twice| twice) {
        return Err(NotUnderstood::ReturnsTwice);
    }
    let entry = nodes.iter().position(|node| node.instruction.ip() == function.start).ok_or(NotUnderstood::Code)?;
    let states = registers::of(nodes, entry)?;
    let mut factory = InstructionInfoFactory::new();
    let mut effects = Vec::with_capacity(nodes.len());
    for (node, state) in nodes.iter().zip(&states) {
        effects.push(match state {
            Some(state) => accesses::of(&mut factory, &node.instruction, state)?,
            None => Accesses::default(),
        });
    }
    let announced = announced::of(image, nodes, &effects, objects, rules);
    announced.takers.into_iter().for_each(|number| effects[number].taken.clear());
    for (call, address, size) in announced.expected {
        effects[call].reads.push((address, address + size));
    }
    let takes = rules.has(Rule::UnknownObjects) && objects.is_none();
    if takes && effects.iter().any(|effect| !effect.taken.is_empty() || !effect.indexed.is_empty()) {
        return Err(NotUnderstood::AddressTaken);
    }
    let saved: Vec<Bytes> = unwind.saved.iter().map(|&at| (at, at + 8)).collect();
    let pushed = effects.iter().flat_map(|effect| &effect.pushes).filter(|bytes| !saved.contains(bytes));
    let arguments_end = pushed.map(|&(_, end)| end).max().unwrap_or(i64::MIN);
    let pieces = cut(&effects, &states, &saved, objects, arguments_end);
    let mut transfers: Vec<Transfer> = effects.iter().map(|effect| transfer(effect, &pieces)).collect();
    // A callee may read the arguments that lie on top of the stack at any time.
    for (number, _) in nodes.iter().enumerate().filter(|(_, node)| node.is_call()) {
        if let (Some(state), true) = (states[number], rules.has(Rule::StackArguments)) {
            let low = state.stack.ok_or(NotUnderstood::StackPointer)?;
            transfers[number].reads.push(pieces.run((low, arguments_end.max(low))));
        }
    }
    let always = always_live(&effects, &pieces, &saved, objects, rules);
    let registers: HashMap<usize, u32> = kept::behind_calls(nodes, unwind, rules).into_iter().collect();
    let counts = counters::may_look(image, nodes).then(|| {
        let frame_live = flow::before_each(nodes, &transfers, &pieces);
        let kept_live = kept::before_each(nodes, unwind, rules);
        let frame = counters::Frame { pieces: &pieces, effects: &effects, live: &frame_live, always: &always };
        let earlier = counters::earlier(nodes);
        let function = counters::Function { image, nodes, live: &kept_live, frame: Some(frame), earlier: &earlier };
        let of = |number: usize| nodes[number].is_call().then(|| counters::of(&function, number)).flatten();
        (0..nodes.len()).map(|number| of(number).unwrap_or_default()).collect::<Vec<Counters>>()
    });
    let mut calls = Vec::new();
    for (number, mut live) in flow::behind_calls(nodes, &transfers, &pieces) {
        let Some(state) = states[number] else { continue };
        let return_address = nodes[number].instruction.next_ip();
        let row = agreed(unwind, return_address, &state)?;
        if objects.is_some_and(|objects| objects.by_frame_pointer) && (row.base, row.distance) != BY_FRAME_POINTER {
            return Err(NotUnderstood::Unwind);
        }
        let low = state.stack.ok_or(NotUnderstood::StackPointer)?;
        live.merge(&always);
        transfers[number].reads.iter().for_each(|&run| live.add(run));
        let dead = pieces.without(&live, low, RETURN_ADDRESS);
        let dead_registers = registers.get(&number).copied().unwrap_or(0);
        let counters = counts.as_ref().map(|counts| counts[number].clone()).unwrap_or_default();
        calls.push(Call { return_address, row, size: low.unsigned_abs(), dead, dead_registers, counters });
    }
    Ok(calls)
}

/// The calls of a function whose frame is not understood, without dead bytes, so that the frames above can be found.
/// `reason` says why it is not.
pub fn calls_only(
    image: &Image<'_>,
    nodes: &[Node],
    unwind: &Unwind,
    reason: NotUnderstood,
    rules: Rules,
) -> Vec<Call> {
    // Registers are understood if nothing is the matter but pointers.
    let may_count = reason == NotUnderstood::AddressTaken && counters::may_look(image, nodes);
    let counts = may_count.then(|| (kept::before_each(nodes, unwind, rules), counters::earlier(nodes)));
    let counters = |number: usize| {
        let (live, earlier) = counts.as_ref()?;
        counters::of(&counters::Function { image, nodes, live, frame: None, earlier }, number)
    };
    let calls = nodes.iter().enumerate().filter(|(_, node)| node.is_call()).filter_map(|(number, call)| {
        let return_address = call.instruction.next_ip();
        // Nothing confirms what the tables say about the stack pointer.
        let row = *unwind.row(return_address).filter(|row| row.base == FrameBase::FramePointer)?;
        let counters = counters(number).unwrap_or_default();
        Some(Call { return_address, row, size: 0, dead: Vec::new(), dead_registers: 0, counters })
    });
    calls.collect()
}

/// What the unwind tables say at a call, if the machine code says the same.
fn agreed(unwind: &Unwind, return_address: u64, state: &Registers) -> Result<Row, NotUnderstood> {
    let row = unwind.row(return_address).ok_or(NotUnderstood::Unwind)?;
    let register = match row.base {
        FrameBase::StackPointer => state.stack,
        FrameBase::FramePointer => state.frame,
    };
    if register == Some(-row.distance) { Ok(*row) } else { Err(NotUnderstood::Unwind) }
}

/// The pieces between all offsets that matter.
fn cut(
    effects: &[Accesses],
    states: &[Option<Registers>],
    saved: &[Bytes],
    objects: Option<&Objects>,
    arguments_end: i64,
) -> Pieces {
    let ranges = effects.iter().flat_map(|effect| effect.reads.iter().chain(&effect.writes));
    let scalars = objects.map_or(&[][..], |objects| &objects.scalars);
    let ends = ranges.chain(saved).chain(scalars).flat_map(|&(begin, end)| [begin, end]);
    let addresses = effects.iter().flat_map(|effect| effect.taken.iter().chain(&effect.indexed)).copied();
    let stacks = states.iter().flatten().filter_map(|state| state.stack);
    let others = [RETURN_ADDRESS, arguments_end.max(i64::from(i32::MIN))];
    // Offsets that no frame has come from damaged files.
    let all = ends.chain(addresses).chain(stacks).chain(others);
    Pieces::new(all.filter(|&offset| offset > i64::from(i32::MIN)))
}

fn transfer(effect: &Accesses, pieces: &Pieces) -> Transfer {
    let runs = |ranges: &[Bytes]| ranges.iter().map(|&bytes| pieces.run(bytes)).collect();
    Transfer { reads: runs(&effect.reads), writes: runs(&effect.writes) }
}

/// What is live everywhere: saved registers, and objects whose address is taken.
fn always_live(
    effects: &[Accesses],
    pieces: &Pieces,
    saved: &[Bytes],
    objects: Option<&Objects>,
    rules: Rules,
) -> PieceSet {
    let mut always = pieces.none();
    if rules.has(Rule::SavedRegisters) {
        saved.iter().for_each(|&bytes| always.add(pieces.run(bytes)));
    }
    let Some(objects) = objects else { return always };
    let parts = objects.parts(pieces.low());
    for effect in effects {
        let taken = effect.taken.iter().filter(|_| rules.has(Rule::TakenAddresses));
        let indexed = effect.indexed.iter().filter(|_| rules.has(Rule::IndexedAccesses));
        for part in &parts {
            let is_taken = taken.clone().chain(indexed.clone()).any(|&address| part.is_reached_from(address));
            // The distance of an index from its object may be folded into the address.
            if is_taken || !part.is_scalar && indexed.clone().next().is_some() {
                always.add(pieces.run(part.bytes));
            }
        }
    }
    always
}

/// The instructions of a function, or why they are not understood.
pub fn nodes(
    image: &Image<'_>,
    function: &Function<'_>,
    unwind: &Unwind,
    rules: Rules,
) -> Result<Vec<Node>, NotUnderstood> {
    let pads = if rules.has(Rule::LandingPads) { &unwind.pads[..] } else { &[] };
    let mut nodes = graph::of(image, function, pads)?;
    if !rules.has(Rule::Leaving) {
        nodes.iter_mut().for_each(|node| node.leaves = false);
    }
    Ok(nodes)
}
