//! Addresses that are taken only to announce an access to Heddle's runtime.
//!
//! Instrumented code calls a function of the runtime before each access, with the address (`__tsan_read4`). The runtime neither keeps
//! the address nor changes what is there. Without this exception the address of every variable would be taken, in clang's code without
//! optimisation.
//!
//! ```text
//! lea  rdi, [rbp - 12]
//! call __tsan_read4
//! ```
//!
//! gcc computes the address in another register first and copies it. clang may keep it in the frame, and load it from there before
//! further calls. The address is followed wherever it goes. Registers that a call does not preserve do not have it behind the call.
//!
//! A compare-exchange of the runtime gets a pointer to the expected value. It reads it, perhaps writes it, and keeps no pointer either.

use std::collections::BTreeMap;

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};

use super::accesses::{Accesses, Bytes};
use super::graph::Node;
use super::objects::Objects;
use super::{Image, Rule, Rules};

/// Registers that a callee may overwrite.
const LOST: [Register; 9] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];
/// The most instructions from an address to the call that announces it, and the most places from which it is loaded again.
const NEAR: usize = 32;
const LOADS: usize = 64;

/// Where addresses lead that are only announced.
#[derive(Default)]
pub struct Announced {
    /// The numbers of the instructions that take them.
    pub takers: Vec<usize>,
    /// Calls of compare-exchanges with such an address: the number, the address, and the size of the expected value.
    pub expected: Vec<(usize, i64, i64)>,
}

/// The instructions whose addresses are only announced. `effects` has what each instruction does to the frame, and `objects` are the
/// variables in it, if they are known.
pub fn of(
    image: &Image<'_>,
    nodes: &[Node],
    effects: &[Accesses],
    objects: Option<&Objects>,
    rules: Rules,
) -> Announced {
    let takes = |number: &usize| !effects[*number].taken.is_empty();
    let all = (0..nodes.len()).filter(takes);
    let mut found: BTreeMap<usize, Ways> =
        all.filter_map(|number| Some((number, places(image, nodes, effects, number, rules)?))).collect();
    let parts = objects.map(|objects| objects.parts(i32::MIN.into()));
    // No other pointer may reach a place that has an address: then it is a pointer like others, and may reach further places.
    loop {
        let others = (0..nodes.len()).filter(|number| !found.contains_key(number));
        let taken: Vec<i64> = others.flat_map(|number| effects[number].taken.iter().copied()).collect();
        let indexed: Vec<i64> = effects.iter().flat_map(|effect| effect.indexed.iter().copied()).collect();
        let is_reached = |place: &Bytes| {
            let Some(parts) = &parts else { return true };
            let around = parts.iter().filter(|part| part.bytes.0 < place.1 && place.0 < part.bytes.1);
            around.clone().any(|part| {
                let is_taken = taken.iter().chain(&indexed).any(|&address| part.is_reached_from(address));
                is_taken || !part.is_scalar && !indexed.is_empty()
            })
        };
        let before = found.len();
        found.retain(|_, ways| !rules.has(Rule::KeptAddresses) || !ways.places.iter().any(is_reached));
        if found.len() == before {
            let expected = found.iter().flat_map(|(&taker, ways)| {
                ways.expected.iter().map(move |&(call, size)| (call, effects[taker].taken[0], size))
            });
            return Announced { expected: expected.collect(), takers: found.into_keys().collect() };
        }
    }
}

/// Where one address goes.
#[derive(Default)]
struct Ways {
    /// The places in the frame that have it.
    places: Vec<Bytes>,
    /// Compare-exchanges that get it, with the size of what they expect.
    expected: Vec<(usize, i64)>,
}

/// The places in the frame that have the address which `lea` number `number` computes. `None` if it is used otherwise than to be announced.
fn places(image: &Image<'_>, nodes: &[Node], effects: &[Accesses], number: usize, rules: Rules) -> Option<Ways> {
    let lea = &nodes[number].instruction;
    if lea.mnemonic() != Mnemonic::Lea || !LOST.contains(&lea.op0_register()) {
        return None;
    }
    // Instructions behind which a register has the address.
    let mut open = vec![(number, lea.op0_register())];
    let Ways { mut places, mut expected } = Ways::default();
    let mut loads = 0;
    while let Some((at, register)) = open.pop() {
        let stored = follow(image, nodes, effects, (at, register), &mut expected, rules)?;
        for place in stored.into_iter().filter(|_| rules.has(Rule::KeptAddresses)) {
            if places.contains(&place) {
                continue;
            }
            places.push(place);
            for (reader, effect) in effects.iter().enumerate() {
                if !effect.reads.iter().any(|read| read.0 < place.1 && place.0 < read.1) {
                    continue;
                }
                let load = &nodes[reader].instruction;
                let is_load = load.mnemonic() == Mnemonic::Mov && load.op0_kind() == OpKind::Register;
                loads += 1;
                if !is_load || effect.reads != [place] || !LOST.contains(&load.op0_register()) || loads > LOADS {
                    return None;
                }
                open.push((reader, load.op0_register()));
            }
        }
    }
    Some(Ways { places, expected })
}

/// Follows an address that `register` has behind instruction `at`, up to the call that announces it. Returns where the frame has it then. `None`
/// if it is used in another way.
fn follow(
    image: &Image<'_>,
    nodes: &[Node],
    effects: &[Accesses],
    (at, register): (usize, Register),
    expected: &mut Vec<(usize, i64)>,
    rules: Rules,
) -> Option<Vec<Bytes>> {
    let mut factory = InstructionInfoFactory::new();
    let (mut holders, mut stored) = (vec![register], Vec::new());
    for here in at + 1..at + 1 + NEAR {
        let before = &nodes[here - 1];
        if before.next != [here] || before.leaves {
            return None;
        }
        let instruction = &nodes[here].instruction;
        if nodes[here].is_call() {
            // The second argument.
            let others = [Register::RDI, Register::RDX, Register::RCX, Register::R8, Register::R9];
            if let Some(size) = expects(image, instruction)
                && !others.iter().any(|other| holders.contains(other))
            {
                if holders.contains(&Register::RSI) {
                    expected.push((here, size));
                }
                return Some(stored);
            }
            let is_announced = !rules.has(Rule::Announcements) || image.calls(instruction, is_announcement);
            return is_announced.then_some(stored);
        }
        let used = factory.info(instruction).used_registers();
        let of = |register: Register| register.full_register();
        let is_read = |access: OpAccess| !matches!(access, OpAccess::None | OpAccess::Write | OpAccess::CondWrite);
        if used.iter().any(|used| is_read(used.access()) && holders.contains(&of(used.register()))) {
            if !moves(instruction) {
                return None;
            }
            match instruction.op0_kind() {
                OpKind::Register if LOST.contains(&instruction.op0_register()) => {
                    holders.push(instruction.op0_register())
                }
                // Not where arguments for a callee could be.
                OpKind::Memory if instruction.memory_base() == Register::RBP && effects[here].writes.len() == 1 => {
                    stored.push(effects[here].writes[0])
                }
                _ => return None,
            }
            continue;
        }
        let written = used.iter().filter(|used| used.access() == OpAccess::Write && used.register().size() >= 4);
        written.for_each(|used| holders.retain(|&holder| holder != of(used.register())));
        if holders.is_empty() {
            return Some(stored);
        }
    }
    None
}

/// The size of the expected value to which a compare-exchange of the runtime gets a pointer. `None` if it is no call of one.
fn expects(image: &Image<'_>, call: &Instruction) -> Option<i64> {
    [1, 2, 4, 8].into_iter().find(|size| {
        ["strong", "weak"].iter().any(|kind| {
            let wanted = format!("__tsan_atomic{}_compare_exchange_{kind}", size * 8);
            image.calls(call, |name| name.split('@').next() == Some(&wanted))
        })
    })
}

/// Whether an instruction only stores a whole register, in another one or in memory.
fn moves(instruction: &Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Mov
        && instruction.op1_kind() == OpKind::Register
        && LOST.contains(&instruction.op1_register())
}

/// Whether a function of the runtime announces an access of fixed size.
pub fn is_announcement(name: &str) -> bool {
    let Some(access) = name.strip_prefix("__tsan_") else { return false };
    let access = access.strip_prefix("unaligned_").unwrap_or(access);
    let access = access.strip_prefix("volatile_").unwrap_or(access);
    let size = ["read_write", "read", "write"].iter().find_map(|kind| access.strip_prefix(kind));
    matches!(size, Some("1" | "2" | "4" | "8" | "16"))
}

#[cfg(test)]
mod tests {
    use super::is_announcement;

    #[test]
    fn only_accesses_of_fixed_size_are_announcements() {
        for name in
            ["__tsan_read4", "__tsan_write16", "__tsan_unaligned_read8", "__tsan_volatile_write1", "__tsan_read_write2"]
        {
            assert!(is_announcement(name), "{name}");
        }
        for name in
            ["read4", "__tsan_read_range", "__tsan_memcpy", "__tsan_atomic32_load", "__tsan_vptr_read", "__tsan_read"]
        {
            assert!(!is_announcement(name), "{name}");
        }
    }
}
