//! Dead registers: which of the registers that calls preserve are written before they are read again.
//!
//! A compiler keeps values in such registers across calls, and the last one stays there. The analysis is the one for bytes of a frame, with
//! a piece for each register. A register can be dead only where the function has saved its caller's value, for two reasons. Without
//! that the value is still the caller's. And an exception that leaves the function restores the caller's value from there.

use heddle_model::wire::KEPT;
use iced_x86::{FlowControl, InstructionInfo, InstructionInfoFactory, OpAccess, Register};

use super::flow::{self, Transfer};
use super::frame::{PieceSet, Pieces, Run};
use super::graph::Node;
use super::unwind::Unwind;
use super::{Rule, Rules};

/// The registers, in the order of their bits.
pub const REGISTERS: [Register; KEPT] = [Register::RBX, Register::R12, Register::R13, Register::R14, Register::R15];

/// The registers that are dead behind each call, as bits, by the call's number.
pub fn behind_calls(nodes: &[Node], unwind: &Unwind, rules: Rules) -> Vec<(usize, u32)> {
    let mut factory = InstructionInfoFactory::new();
    let pieces = Pieces::new(-(KEPT as i64)..0);
    let transfers: Vec<Transfer> =
        nodes.iter().map(|node| transfer(node, factory.info(&node.instruction), unwind, rules)).collect();
    let calls = flow::behind_calls(nodes, &transfers, &pieces);
    let calls = calls.into_iter().map(|(number, mut live)| {
        transfers[number].reads.iter().for_each(|&run| live.add(run));
        let dead = (0..KEPT).filter(|&register| !live.contains(register));
        (number, dead.fold(0, |bits, register| bits | 1 << register))
    });
    calls.collect()
}

/// The registers that are live before each instruction, a piece for each.
pub fn before_each(nodes: &[Node], unwind: &Unwind, rules: Rules) -> Vec<PieceSet> {
    let mut factory = InstructionInfoFactory::new();
    let pieces = Pieces::new(-(KEPT as i64)..0);
    let transfers: Vec<Transfer> =
        nodes.iter().map(|node| transfer(node, factory.info(&node.instruction), unwind, rules)).collect();
    flow::before_each(nodes, &transfers, &pieces)
}

fn transfer(node: &Node, info: &InstructionInfo, unwind: &Unwind, rules: Rules) -> Transfer {
    let piece = |register: usize| -> Run { (register, register + 1) };
    let mut transfer = Transfer::default();
    for used in info.used_registers() {
        let register = used.register();
        let Some(number) = REGISTERS.iter().position(|&kept| kept == register.full_register()) else { continue };
        match used.access() {
            // The upper half becomes zero. What is smaller leaves the rest as it is.
            OpAccess::Write if register.size() >= 4 => transfer.writes.push(piece(number)),
            OpAccess::Write | OpAccess::CondWrite | OpAccess::None => {}
            _ => transfer.reads.push(piece(number)),
        }
    }
    if !rules.has(Rule::KeptRegisters) {
        return transfer;
    }
    if node.instruction.flow_control() == FlowControl::Return {
        transfer.reads.push((0, KEPT));
    }
    if node.is_call() {
        let row = unwind.row(node.instruction.next_ip());
        let is_saved = |register: usize| row.is_some_and(|row| row.saved[register].is_some());
        transfer.reads.extend((0..KEPT).filter(|&register| !is_saved(register)).map(piece));
    }
    transfer
}
