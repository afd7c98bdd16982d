//! The targets of a jump through a table, as compilers make them of `switch` in position-independent code.
//!
//! ```text
//! lea    rdx, [rip + table]
//! movsxd rax, dword ptr [rdx + rax*4]
//! add    rax, rdx
//! jmp    rax
//! ```
//!
//! The entries of the table are distances from the table. How many there are is not looked for: the table is read up to the first
//! entry that leads out of the function, or up to the next table. Entries that are read beyond its end only add paths, which makes
//! more bytes live, never fewer.

use std::collections::BTreeMap;

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};

use super::Image;
use super::graph::Function;

/// How many instructions before the jump are looked at.
const WINDOW: usize = 12;
/// The most entries of a table.
const MOST: u64 = 4096;

/// The address of the first instruction that may take part in computing the target of `jump`.
pub fn first(found: &BTreeMap<u64, Instruction>, jump: u64) -> u64 {
    window(found, jump).last().map_or(jump, Instruction::ip)
}

/// The targets of the indirect jump at `jump`. `None` if it is not such a jump.
pub fn targets(
    image: &Image<'_>,
    function: &Function<'_>,
    found: &BTreeMap<u64, Instruction>,
    jump: u64,
) -> Option<Vec<u64>> {
    let instruction = &found[&jump];
    if instruction.mnemonic() != Mnemonic::Jmp || instruction.op0_kind() != OpKind::Register {
        return None;
    }
    let mut window: Vec<&Instruction> = window(found, jump).collect();
    window.reverse();
    let (sum, before) = definition(&window, instruction.op0_register())?;
    if sum.mnemonic() != Mnemonic::Add || sum.op1_kind() != OpKind::Register {
        return None;
    }
    let (one, other) = (sum.op0_register(), sum.op1_register());
    let table = table_in(before, one)
        .filter(|&table| loads_from(before, other, table))
        .or_else(|| table_in(before, other).filter(|&table| loads_from(before, one, table)))?;
    // Another table, or whatever else the function refers to, may begin right behind this one.
    let past = found.values().filter_map(address_of).filter(|&other| other > table).min().unwrap_or(u64::MAX);
    let mut targets = Vec::new();
    for entry in 0..MOST {
        let at = table + entry * 4;
        if at + 4 > past {
            break;
        }
        let Some(distance) = image.constant(at, 4) else { break };
        let distance = i32::from_le_bytes(distance.try_into().ok()?);
        let target = table.wrapping_add_signed(distance.into());
        if !(function.start..function.end).contains(&target) {
            break;
        }
        targets.push(target);
    }
    targets.sort_unstable();
    targets.dedup();
    (!targets.is_empty()).then_some(targets)
}

/// The instructions right before `jump`, last first. Each is followed by the next one only.
fn window(found: &BTreeMap<u64, Instruction>, jump: u64) -> impl Iterator<Item = &Instruction> {
    let mut after = jump;
    let straight = move |instruction: &&Instruction| {
        let is_before = instruction.next_ip() == after && instruction.flow_control() == iced_x86::FlowControl::Next;
        after = instruction.ip();
        is_before
    };
    found.range(..jump).rev().map(|(_, instruction)| instruction).take_while(straight).take(WINDOW)
}

/// The last instruction that writes `register`, and those before it.
fn definition<'w, 'i>(
    window: &'w [&'i Instruction],
    register: Register,
) -> Option<(&'i Instruction, &'w [&'i Instruction])> {
    let mut factory = InstructionInfoFactory::new();
    let at = window.iter().rposition(|instruction| {
        let used = factory.info(instruction).used_registers();
        used.iter().any(|used| {
            let reads = matches!(used.access(), OpAccess::Read | OpAccess::CondRead);
            !reads && used.register().full_register() == register.full_register()
        })
    })?;
    Some((window[at], &window[..at]))
}

/// The address that `lea register, [rip + distance]` has put into `register`.
fn table_in(window: &[&Instruction], register: Register) -> Option<u64> {
    address_of(definition(window, register)?.0)
}

/// The address that an instruction computes from its own.
fn address_of(instruction: &Instruction) -> Option<u64> {
    let is = instruction.mnemonic() == Mnemonic::Lea && instruction.is_ip_rel_memory_operand();
    is.then(|| instruction.ip_rel_memory_address())
}

/// Whether `register` holds an entry of `table`, extended to 64 bits.
fn loads_from(window: &[&Instruction], register: Register, table: u64) -> bool {
    let Some((mut load, mut before)) = definition(window, register) else { return false };
    if load.mnemonic() == Mnemonic::Cdqe {
        let Some(definition) = definition(before, Register::EAX) else { return false };
        if definition.0.mnemonic() != Mnemonic::Mov {
            return false;
        }
        (load, before) = definition;
    } else if load.mnemonic() != Mnemonic::Movsxd {
        return false;
    }
    let is_entry = load.op1_kind() == OpKind::Memory
        && load.memory_size().size() == 4
        && load.memory_displacement64() == 0
        && load.segment_prefix() == Register::None;
    let parts = [load.memory_base(), load.memory_index()];
    is_entry && parts.iter().any(|&part| part != Register::None && table_in(before, part) == Some(table))
}
