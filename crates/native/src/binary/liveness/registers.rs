//! Where the stack pointer and the frame pointer point to before each instruction, relative to the frame's end.
//!
//! A forward analysis over the graph. The stack pointer is a known distance from the frame's end, or not known (`alloca`, alignment).
//! The frame pointer points into the frame, or holds something foreign: the caller's value, or any value where the compiler uses it as
//! an ordinary register. Where two paths disagree about a frame pointer that points into the frame, nothing is understood.

use iced_x86::{Instruction, InstructionInfo, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};

use super::NotUnderstood;
use super::graph::Node;

/// The two registers before an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registers {
    /// The stack pointer's distance from the frame's end.
    pub stack: Option<i64>,
    /// The frame pointer's distance from the frame's end, if it points into the frame.
    pub frame: Option<i64>,
}

/// The registers where a function begins: only the return address is on the stack.
const ENTRY: Registers = Registers { stack: Some(-8), frame: None };

/// The registers before each instruction. `entry` is the number of the first instruction. `None` for what is never reached.
pub fn of(nodes: &[Node], entry: usize) -> Result<Vec<Option<Registers>>, NotUnderstood> {
    let mut factory = InstructionInfoFactory::new();
    let mut states: Vec<Option<Registers>> = vec![None; nodes.len()];
    states[entry] = Some(ENTRY);
    let mut open = vec![entry];
    while let Some(number) = open.pop() {
        let Some(before) = states[number] else { continue };
        let node = &nodes[number];
        let after = before.after(&node.instruction, factory.info(&node.instruction))?;
        for &next in &node.next {
            let joined = match states[next] {
                None => after,
                Some(known) if known.frame != after.frame => return Err(NotUnderstood::FramePointer),
                Some(known) if known.stack == after.stack => continue,
                Some(known) if known.stack.is_none() => continue,
                Some(known) => Registers { stack: None, ..known },
            };
            states[next] = Some(joined);
            open.push(next);
        }
    }
    Ok(states)
}

impl Registers {
    /// The distance of `register` from the frame's end, if it is known to point into the frame.
    pub fn value(&self, register: Register) -> Option<i64> {
        match register {
            Register::RSP => self.stack,
            Register::RBP => self.frame,
            _ => None,
        }
    }

    /// The registers behind an instruction.
    fn after(&self, instruction: &Instruction, info: &InstructionInfo) -> Result<Registers, NotUnderstood> {
        let mut after = *self;
        match instruction.mnemonic() {
            // The callee has removed the return address, and keeps the frame pointer.
            Mnemonic::Call => return Ok(after),
            Mnemonic::Leave => {
                let frame = self.frame.ok_or(NotUnderstood::FramePointer)?;
                return Ok(Registers { stack: Some(frame + 8), frame: None });
            }
            Mnemonic::Push | Mnemonic::Pop | Mnemonic::Pushfq | Mnemonic::Popfq => {
                after.stack = self.stack.map(|stack| stack + i64::from(instruction.stack_pointer_increment()));
            }
            Mnemonic::Ret => return Ok(after),
            _ if instruction.is_stack_instruction() => return Err(NotUnderstood::StackPointer),
            _ => {}
        }
        let own = self.computed(instruction);
        let names_stack = instruction.op0_kind() == OpKind::Register && instruction.op0_register() == Register::RSP;
        if instruction.is_stack_instruction() && names_stack {
            return Err(NotUnderstood::StackPointer);
        }
        for used in info.used_registers() {
            let register = used.register();
            match (register.full_register(), used.access()) {
                (_, OpAccess::Read | OpAccess::CondRead) => {}
                (Register::RSP, _) if instruction.is_stack_instruction() => {}
                (Register::RSP, OpAccess::Write | OpAccess::ReadWrite) if register == Register::RSP => {
                    after.stack = own
                }
                (Register::RSP, _) => return Err(NotUnderstood::StackPointer),
                (Register::RBP, OpAccess::Write | OpAccess::ReadWrite) if register == Register::RBP => {
                    after.frame = own
                }
                // Half of it, or perhaps: harmless while it is foreign.
                (Register::RBP, _) if self.frame.is_some() => return Err(NotUnderstood::FramePointer),
                _ => {}
            }
        }
        Ok(after)
    }

    /// The distance from the frame's end that an instruction computes for its first operand: `mov`, `lea`, `add` and `sub` of these two
    /// registers and constants.
    fn computed(&self, instruction: &Instruction) -> Option<i64> {
        if instruction.op_count() != 2 || instruction.op0_kind() != OpKind::Register {
            return None;
        }
        let own = self.value(instruction.op0_register());
        match instruction.mnemonic() {
            Mnemonic::Mov if instruction.op1_kind() == OpKind::Register => self.value(instruction.op1_register()),
            Mnemonic::Lea if instruction.memory_index() == Register::None => {
                let base = self.value(instruction.memory_base())?;
                Some(base + instruction.memory_displacement64() as i64)
            }
            Mnemonic::Add => Some(own? + constant(instruction)?),
            Mnemonic::Sub => Some(own? - constant(instruction)?),
            _ => None,
        }
    }
}

/// The constant that is an instruction's second operand.
fn constant(instruction: &Instruction) -> Option<i64> {
    match instruction.op1_kind() {
        OpKind::Immediate8to64 | OpKind::Immediate32to64 | OpKind::Immediate64 => Some(instruction.immediate(1) as i64),
        _ => None,
    }
}
