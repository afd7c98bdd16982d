//! The control flow graph of one function, from its machine code.
//!
//! Instructions are decoded along the paths of the function, from its entry and its landing pads. A direct jump out of the function
//! (a tail call, or a part that the compiler has moved elsewhere) and an indirect jump that is not understood leave the graph: whatever
//! follows, nothing is known about it. A call continues behind itself, unless it never returns, and at every landing pad.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};

use super::jump_table;
use super::{Image, NotUnderstood};

/// A function in the program's file.
#[derive(Clone, Copy, Debug)]
pub struct Function<'d> {
    /// The address of the first instruction.
    pub start: u64,
    /// The address after the last instruction.
    pub end: u64,
    /// The machine code.
    pub code: &'d [u8],
    /// Whether a part of the function lies elsewhere (`name.cold`).
    pub is_split: bool,
}

/// An instruction with the instructions that can follow it.
#[derive(Clone, Debug)]
pub struct Node {
    /// The instruction.
    pub instruction: Instruction,
    /// The numbers of the instructions that can follow.
    pub next: Vec<usize>,
    /// Whether the function can continue where nothing is known about it. Everything is live then.
    pub leaves: bool,
}

impl Node {
    /// Whether this is a call of a function.
    pub fn is_call(&self) -> bool {
        self.instruction.mnemonic() == Mnemonic::Call
    }
}

/// The most instructions of a function that is looked at.
const MOST: usize = 100_000;

/// The instructions of `function` that can be reached, by address. `pads` are the addresses of its landing pads.
pub fn of(image: &Image<'_>, function: &Function<'_>, pads: &[u64]) -> Result<Vec<Node>, NotUnderstood> {
    let inside = |address: u64| (function.start..function.end).contains(&address);
    if !pads.iter().all(|&pad| inside(pad)) {
        return Err(NotUnderstood::Exceptions);
    }
    let mut found: BTreeMap<u64, Instruction> = BTreeMap::new();
    let mut tables: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut open: Vec<u64> = pads.iter().copied().chain([function.start]).collect();
    while !open.is_empty() {
        while let Some(address) = open.pop() {
            decode_from(function, address, &mut found, &mut open)?;
        }
        // Jumps through tables lead to code that may contain further ones.
        let unresolved: Vec<u64> = found
            .values()
            .filter(|instruction| instruction.flow_control() == FlowControl::IndirectBranch)
            .map(Instruction::ip)
            .filter(|address| !tables.contains_key(address))
            .collect();
        for jump in unresolved {
            let targets = jump_table::targets(image, function, &found, jump).unwrap_or_default();
            open.extend(targets.iter().filter(|target| !found.contains_key(target)));
            tables.insert(jump, targets);
        }
    }
    // An instruction inside another one is not what a compiler makes.
    if found.values().zip(found.keys().skip(1)).any(|(instruction, &after)| instruction.next_ip() > after) {
        return Err(NotUnderstood::Code);
    }
    link(image, function, pads, found, tables)
}

/// Decodes instructions from `address` on, up to the end of the path or one that is known. Adds where jumps lead to `open`.
fn decode_from(
    function: &Function<'_>,
    address: u64,
    found: &mut BTreeMap<u64, Instruction>,
    open: &mut Vec<u64>,
) -> Result<(), NotUnderstood> {
    let inside = |address: u64| (function.start..function.end).contains(&address);
    let code = &function.code[(address - function.start) as usize..];
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    while decoder.can_decode() && !found.contains_key(&decoder.ip()) {
        let instruction = decoder.decode();
        if instruction.code() == Code::INVALID || found.len() >= MOST {
            return Err(NotUnderstood::Code);
        }
        found.insert(instruction.ip(), instruction);
        match instruction.flow_control() {
            FlowControl::Next | FlowControl::IndirectCall => {}
            FlowControl::Call => check_call(function, &instruction)?,
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                if instruction.op0_kind() != OpKind::NearBranch64 {
                    return Err(NotUnderstood::Code);
                }
                let target = instruction.near_branch64();
                if inside(target) && !found.contains_key(&target) {
                    open.push(target);
                }
            }
            FlowControl::Return | FlowControl::IndirectBranch | FlowControl::Exception | FlowControl::Interrupt => {}
            _ => return Err(NotUnderstood::Code),
        }
        if ends_path(&instruction) {
            break;
        }
    }
    Ok(())
}

/// Whether execution never continues behind the instruction.
fn ends_path(instruction: &Instruction) -> bool {
    match instruction.flow_control() {
        FlowControl::UnconditionalBranch | FlowControl::Return | FlowControl::IndirectBranch => true,
        // `ud2`. Behind a breakpoint a debugger continues.
        FlowControl::Exception => true,
        _ => false,
    }
}

/// A call of the function's own inside is no call of a function. System calls count as calls, too.
fn check_call(function: &Function<'_>, call: &Instruction) -> Result<(), NotUnderstood> {
    match call.mnemonic() {
        Mnemonic::Syscall => Ok(()),
        Mnemonic::Call if call.op0_kind() == OpKind::NearBranch64 => {
            let target = call.near_branch64();
            let inside = (function.start..function.end).contains(&target);
            if inside && target != function.start { Err(NotUnderstood::Code) } else { Ok(()) }
        }
        _ => Err(NotUnderstood::Code),
    }
}

fn link(
    image: &Image<'_>,
    function: &Function<'_>,
    pads: &[u64],
    found: BTreeMap<u64, Instruction>,
    tables: BTreeMap<u64, Vec<u64>>,
) -> Result<Vec<Node>, NotUnderstood> {
    let addresses: Vec<u64> = found.keys().copied().collect();
    let number = |address: u64| addresses.binary_search(&address).ok();
    let jumps: BTreeSet<u64> = found.values().filter_map(direct_target).chain(pads.iter().copied()).collect();
    let mut nodes = Vec::with_capacity(found.len());
    for instruction in found.values() {
        let mut node = Node { instruction: *instruction, next: Vec::new(), leaves: false };
        let mut to = |address: u64| match number(address) {
            Some(number) => node.next.push(number),
            None => node.leaves = true,
        };
        if let Some(target) = direct_target(instruction) {
            to(target);
        }
        if instruction.flow_control() == FlowControl::IndirectBranch {
            let targets = &tables[&instruction.ip()];
            // Somebody could jump into the middle of the computation of the target.
            let first = jump_table::first(&found, instruction.ip());
            let is_joined = jumps.iter().any(|&target| first < target && target <= instruction.ip());
            if targets.is_empty() || is_joined || function.is_split {
                node.leaves = true;
            }
            targets.iter().for_each(|&target| {
                node.next.extend(number(target));
            });
        } else if !ends_path(instruction) && !image.calls_without_return(instruction) {
            to(instruction.next_ip());
        }
        if node.is_call() {
            node.next.extend(pads.iter().filter_map(|&pad| number(pad)));
        }
        nodes.push(node);
    }
    Ok(nodes)
}

/// Where a jump leads to whose target stands in the instruction.
fn direct_target(instruction: &Instruction) -> Option<u64> {
    let jumps = matches!(instruction.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch);
    (jumps && instruction.op0_kind() == OpKind::NearBranch64).then(|| instruction.near_branch64())
}
