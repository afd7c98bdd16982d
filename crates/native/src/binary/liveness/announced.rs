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
//! gcc computes the address in another register first and copies it. These registers do not survive the call, so
//! nobody has the address behind it.

use iced_x86::{Mnemonic, OpKind, Register};

use super::graph::Node;
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

/// Whether the address that `lea` number `number` computes is only announced.
pub fn is_announced(image: &Image<'_>, nodes: &[Node], number: usize, rules: Rules) -> bool {
    let goes_on = |number: usize| nodes[number].next == [number + 1] && !nodes[number].leaves;
    let lea = &nodes[number].instruction;
    if lea.mnemonic() != Mnemonic::Lea || !LOST.contains(&lea.op0_register()) || !goes_on(number) {
        return false;
    }
    let mut next = number + 1;
    if lea.op0_register() != Register::RDI {
        let copy = &nodes[next].instruction;
        let is_copy = copy.mnemonic() == Mnemonic::Mov
            && copy.op0_kind() == OpKind::Register
            && copy.op0_register() == Register::RDI
            && copy.op1_kind() == OpKind::Register
            && copy.op1_register() == lea.op0_register();
        if !is_copy || !goes_on(next) {
            return false;
        }
        next += 1;
    }
    let is_announced = || image.calls(&nodes[next].instruction, is_announcement);
    nodes[next].is_call() && (!rules.has(Rule::Announcements) || is_announced())
}

/// Whether a function of the runtime announces an access of fixed size.
fn is_announcement(name: &str) -> bool {
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
