//! What an instruction does to the bytes of its function's frame.
//!
//! Only accesses at a constant distance from the stack pointer or the frame pointer are understood. An address that an instruction
//! computes instead of using it (`lea`) is *taken*: whoever gets it may read and write the object there at any time. An access with an
//! index has no known extent. Whatever else an instruction does with a pointer into the frame (compare, store, add a register) is not
//! understood.

use iced_x86::{
    Instruction, InstructionInfo, InstructionInfoFactory, MemorySize, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};

use super::NotUnderstood;
use super::registers::Registers;

/// A range of bytes, from the first to one past the last, relative to the frame's end.
pub type Bytes = (i64, i64);

/// What one instruction does to the frame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Accesses {
    /// Bytes that may be read.
    pub reads: Vec<Bytes>,
    /// Bytes that are certainly written, and not read before.
    pub writes: Vec<Bytes>,
    /// Bytes that are perhaps written relative to the stack pointer: possibly arguments for a callee.
    pub pushes: Vec<Bytes>,
    /// Addresses that are taken.
    pub taken: Vec<i64>,
    /// Addresses that are accessed or taken with an index.
    pub indexed: Vec<i64>,
}

/// What `instruction` does, with `registers` before it.
pub fn of(
    factory: &mut InstructionInfoFactory,
    instruction: &Instruction,
    registers: &Registers,
) -> Result<Accesses, NotUnderstood> {
    let mut accesses = Accesses::default();
    if instruction.mnemonic() == Mnemonic::Nop {
        return Ok(accesses);
    }
    let info = factory.info(instruction);
    operands(instruction, info, registers)?;
    if instruction.mnemonic() == Mnemonic::Lea {
        accesses.lea(instruction, registers)?;
    }
    for memory in info.used_memory() {
        accesses.memory(instruction, memory, registers)?;
    }
    Ok(accesses)
}

/// Whether a register may point into the frame.
fn points(register: Register, registers: &Registers) -> bool {
    match register.full_register() {
        Register::RSP => true,
        Register::RBP => registers.frame.is_some(),
        _ => false,
    }
}

/// Refuses instructions that use a pointer into the frame as a number, but for those that compute the two registers.
fn operands(instruction: &Instruction, info: &InstructionInfo, registers: &Registers) -> Result<(), NotUnderstood> {
    let is_tracked = instruction.op0_kind() == OpKind::Register
        && matches!(instruction.op0_register(), Register::RSP | Register::RBP)
        && match instruction.mnemonic() {
            Mnemonic::Mov => true,
            // The result is lost for the stack pointer, which is then not known any more.
            Mnemonic::Add | Mnemonic::Sub | Mnemonic::And => {
                instruction.op1_kind() != OpKind::Register
                    || instruction.op0_register() == Register::RSP && !points(instruction.op1_register(), registers)
            }
            _ => false,
        };
    if is_tracked {
        // A copy of a stack pointer that is not known would be lost.
        let copies = instruction.mnemonic() == Mnemonic::Mov && instruction.op1_kind() == OpKind::Register;
        if copies && instruction.op1_register() == Register::RSP && registers.stack.is_none() {
            return Err(NotUnderstood::StackPointer);
        }
        let is_frame = instruction.op0_register() == Register::RBP && instruction.mnemonic() != Mnemonic::Mov;
        return if is_frame && registers.frame.is_some() { Err(NotUnderstood::Pointer) } else { Ok(()) };
    }
    for operand in 0..instruction.op_count() {
        let is_read = !matches!(info.op_access(operand), OpAccess::None | OpAccess::Write | OpAccess::CondWrite);
        let is_register = instruction.op_kind(operand) == OpKind::Register;
        if is_read && is_register && points(instruction.op_register(operand), registers) {
            return Err(NotUnderstood::Pointer);
        }
    }
    Ok(())
}

impl Accesses {
    fn lea(&mut self, instruction: &Instruction, registers: &Registers) -> Result<(), NotUnderstood> {
        let (base, index) = (instruction.memory_base(), instruction.memory_index());
        if index != Register::None && points(index, registers) {
            return Err(NotUnderstood::Pointer);
        }
        if !points(base, registers) {
            return Ok(());
        }
        let Some(value) = registers.value(base) else { return Err(NotUnderstood::Pointer) };
        let address = value + instruction.memory_displacement64() as i64;
        match (instruction.op0_register(), index) {
            // These two are known behind it.
            (Register::RSP | Register::RBP, Register::None) => {}
            (Register::RSP | Register::RBP, _) => return Err(NotUnderstood::Pointer),
            (_, Register::None) => self.taken.push(address),
            _ => self.indexed.push(address),
        }
        Ok(())
    }

    fn memory(
        &mut self,
        instruction: &Instruction,
        memory: &UsedMemory,
        registers: &Registers,
    ) -> Result<(), NotUnderstood> {
        let (base, index) = (memory.base(), memory.index());
        if memory.access() == OpAccess::NoMemAccess {
            return Ok(());
        }
        if index != Register::None && points(index, registers) {
            return Err(NotUnderstood::Pointer);
        }
        if base == Register::None || !points(base, registers) {
            return Ok(());
        }
        let Some(value) = registers.value(base) else { return Err(NotUnderstood::StackPointer) };
        // Addresses in other segments are not relative to the frame.
        if matches!(memory.segment(), Register::FS | Register::GS) {
            return Err(NotUnderstood::Pointer);
        }
        let address = value + memory.displacement() as i64;
        if index != Register::None {
            self.indexed.push(address);
            return Ok(());
        }
        let size = memory.memory_size().size() as i64;
        if size == 0 || memory.memory_size() == MemorySize::Unknown {
            return Err(NotUnderstood::Extent);
        }
        // What is popped to an address is popped before the address is computed.
        if instruction.mnemonic() == Mnemonic::Pop && instruction.op0_kind() == OpKind::Memory {
            return Err(NotUnderstood::StackPointer);
        }
        let bytes = (address, address + size);
        match memory.access() {
            OpAccess::Write => self.writes.push(bytes),
            OpAccess::CondWrite => {}
            _ => self.reads.push(bytes),
        }
        let is_written = !matches!(memory.access(), OpAccess::Read | OpAccess::CondRead);
        if is_written && base == Register::RSP && instruction.mnemonic() != Mnemonic::Call {
            self.pushes.push(bytes);
        }
        Ok(())
    }
}
