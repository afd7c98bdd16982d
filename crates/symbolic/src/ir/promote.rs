//! Local variables whose address nobody has become registers.
//!
//! Such a variable is only loaded and stored as a whole, with one type. Its loads and stores turn into copies of a register that may
//! be assigned at several places, so no phi is needed. Nothing that another thread can see is moved, merged or left out: the
//! compiler's own optimiser, which does that, is never run.

use super::types::{Constant, Function, Inst, Operand, Reg, TypeId};

/// Promotes what can be promoted. Returns how many variables that were.
pub fn promote(function: &mut Function) -> usize {
    let count = function.registers.len();
    let mut slots: Vec<bool> = vec![false; count];
    for (inst, _) in function.blocks.first().map(|block| &block.insts).into_iter().flatten() {
        if let Inst::Alloca { dst, count: Operand::Const(Constant::Bits(_, 1)), .. } = inst {
            slots[*dst as usize] = true;
        }
    }
    let mut types: Vec<Option<TypeId>> = vec![None; count];
    for block in &function.blocks {
        for (inst, _) in &block.insts {
            let (address, ty, value) = match inst {
                Inst::Load { ptr, ty, volatile: false, atomic: false, .. } => (Some(ptr), *ty, None),
                Inst::Store { value, ptr, ty, volatile: false, atomic: false } => (Some(ptr), *ty, Some(value)),
                _ => (None, 0, None),
            };
            if let Some(Operand::Reg(reg)) = address {
                let known = types[*reg as usize].get_or_insert(ty);
                slots[*reg as usize] &= *known == ty;
            }
            let others: Vec<&Operand> = if address.is_some() { value.into_iter().collect() } else { inst.operands() };
            for operand in others {
                if let Operand::Reg(reg) = operand {
                    slots[*reg as usize] = false;
                }
            }
        }
        // A terminator never takes the address of a variable, but it may pass one on.
        if let super::types::Terminator::Return(Some(Operand::Reg(reg))) = &block.end {
            slots[*reg as usize] = false;
        }
    }
    let is_slot = |operand: &Operand| matches!(operand, Operand::Reg(reg) if slots[*reg as usize]);
    let mut promoted = 0;
    for block in &mut function.blocks {
        for (inst, _) in &mut block.insts {
            let new = match inst {
                Inst::Load { dst, ptr, .. } if is_slot(ptr) => Inst::Copy { dst: *dst, value: ptr.clone() },
                Inst::Store { value, ptr: Operand::Reg(reg), .. } if slots[*reg as usize] => {
                    Inst::Copy { dst: *reg, value: value.clone() }
                }
                _ => continue,
            };
            *inst = new;
        }
        block.insts.retain(|(inst, _)| !matches!(inst, Inst::Alloca { dst, .. } if slots[*dst as usize]));
    }
    for reg in 0..count {
        if slots[reg] {
            promoted += 1;
            if let Some(ty) = types[reg] {
                function.registers[reg] = ty;
            }
            function.variables.push(reg as Reg);
        }
    }
    promoted
}
