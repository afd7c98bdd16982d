//! From LLVM's functions to ours: blocks and instructions.
//!
//! What is not followed becomes [`Inst::Refused`] with the words of LLVM's listing; nothing is left out.

use std::ffi::c_uint;

use super::decode::{Decoder, value};
use super::llvm::{ValueRef, c_text};
use super::types::{
    BinOp, Block, CastOp, FloatOp, Function, Inst, Operand, Predicate, Reg, RmwOp, Site, Terminator, Type,
};

impl Decoder<'_> {
    pub(super) fn read_function(&mut self, function: ValueRef) -> Function {
        let ty = self.llvm.global_type(function);
        let mut read = Function {
            name: self.name(function),
            params: self.llvm.param_count(function),
            variadic: self.llvm.is_variadic(ty) != 0,
            result: self.ty(self.llvm.return_type(ty)),
            ..Function::default()
        };
        if let Some(subprogram) = self.llvm.subprogram(function).some() {
            read.site = Site { file: self.file(subprogram), line: self.llvm.subprogram_line(subprogram), column: 0 };
        }
        self.registers.clear();
        self.blocks.clear();
        for index in 0..read.params {
            let param = self.llvm.param(function, index);
            let ty = self.ty(self.llvm.type_of(param));
            self.registers.insert(param, index);
            read.registers.push(ty);
            let by_value = self.llvm.attribute(function, index + 1, self.by_value_kind).some();
            read.by_value.push(by_value.map_or(0, |attribute| self.layout(self.llvm.attribute_type(attribute)).0));
        }
        let mut instructions = Vec::new();
        let mut next = self.llvm.first_block(function).some();
        while let Some(block) = next {
            self.blocks.insert(block, instructions.len() as u32);
            let mut list = Vec::new();
            let mut inside = self.llvm.first_instruction(block).some();
            while let Some(instruction) = inside {
                list.push(instruction);
                let ty = self.ty(self.llvm.type_of(instruction));
                if self.module.types[ty as usize] != Type::Void {
                    self.registers.insert(instruction, read.registers.len() as Reg);
                    read.registers.push(ty);
                }
                inside = self.llvm.next_instruction(instruction).some();
            }
            instructions.push(list);
            next = self.llvm.next_block(block).some();
        }
        for list in instructions {
            let mut block = Block::default();
            for instruction in list {
                let site = self.site(instruction);
                match self.terminator(instruction, &mut block, site) {
                    Some(end) => {
                        block.end = end;
                        block.end_site = site;
                    }
                    None => {
                        if let Some(inst) = self.instruction(instruction) {
                            block.insts.push((inst, site));
                        }
                    }
                }
            }
            read.blocks.push(block);
        }
        read
    }

    fn operand(&mut self, operand: ValueRef) -> Operand {
        match self.llvm.value_kind(operand) {
            value::ARGUMENT | value::INSTRUCTION => Operand::Reg(self.registers[&operand]),
            _ => Operand::Const(self.constant(operand)),
        }
    }

    fn nth(&mut self, instruction: ValueRef, index: u32) -> Operand {
        let operand = self.llvm.operand(instruction, index);
        self.operand(operand)
    }

    fn words(&self, value: ValueRef) -> String {
        c_text(self.llvm.print_value(value)).trim().to_owned()
    }

    /// The end of a block, or none for any other instruction.
    fn terminator(&mut self, instruction: ValueRef, block: &mut Block, site: Site) -> Option<Terminator> {
        Some(match self.llvm.opcode(instruction) {
            1 => {
                let has = self.llvm.operand_count(instruction) > 0;
                Terminator::Return(has.then(|| self.nth(instruction, 0)))
            }
            2 => {
                let then = self.blocks[&self.llvm.successor(instruction, 0)];
                if self.llvm.is_conditional(instruction) == 0 {
                    return Some(Terminator::Jump(then));
                }
                let condition = self.operand(self.llvm.condition(instruction));
                Terminator::Branch { condition, then, otherwise: self.blocks[&self.llvm.successor(instruction, 1)] }
            }
            3 => {
                let value = self.nth(instruction, 0);
                let default = self.blocks[&self.llvm.successor(instruction, 0)];
                let mut cases = Vec::new();
                // Operands: value, default, then value and block of each case. Newer libraries keep the values elsewhere, but their
                // interface answers the same.
                for index in 1..self.llvm.successor_count(instruction) {
                    let case = self.llvm.operand(instruction, index * 2);
                    if self.llvm.value_kind(case) != value::INT {
                        return Some(Terminator::Refused(self.words(instruction)));
                    }
                    cases.push((
                        u128::from(self.llvm.int_value(case)),
                        self.blocks[&self.llvm.successor(instruction, index)],
                    ));
                }
                Terminator::Switch { value, cases, default }
            }
            // An invocation is a call that returns: exceptions are refused where they are thrown.
            5 => {
                let call = self.call(instruction);
                block.insts.push((call, site));
                Terminator::Jump(self.blocks[&self.llvm.normal_dest(instruction)])
            }
            7 => Terminator::Unreachable,
            4 | 58 | 61 | 62 | 65 | 67 => Terminator::Refused(self.words(instruction)),
            _ => return None,
        })
    }

    fn call(&mut self, instruction: ValueRef) -> Inst {
        let dst = self.registers.get(&instruction).copied();
        let called = self.llvm.called_value(instruction);
        if self.llvm.value_kind(called) == value::ASM {
            return Inst::Refused { dst, what: "inline assembly".to_owned() };
        }
        let callee = self.operand(called);
        let args = (0..self.llvm.arg_count(instruction)).map(|i| self.nth(instruction, i)).collect();
        let result = self.ty(self.llvm.return_type(self.llvm.called_type(instruction)));
        Inst::Call { dst, callee, args, result }
    }

    /// One instruction; none for those that mean nothing here.
    fn instruction(&mut self, instruction: ValueRef) -> Option<Inst> {
        let dst = self.registers.get(&instruction).copied().unwrap_or(Reg::MAX);
        let refused = |decoder: &Self| Inst::Refused {
            dst: decoder.registers.get(&instruction).copied(),
            what: decoder.words(instruction),
        };
        let is_vector = |decoder: &mut Self, value: ValueRef| {
            let ty = decoder.ty(decoder.llvm.type_of(value));
            matches!(decoder.module.types[ty as usize], Type::Refused(_))
        };
        let opcode = self.llvm.opcode(instruction);
        if !matches!(opcode, 45 | 28) && is_vector(self, instruction) {
            return Some(refused(self));
        }
        Some(match opcode {
            8 | 10 | 12 | 14 | 15 | 17 | 18 | 20..=25 => {
                let op = match opcode {
                    8 => BinOp::Add,
                    10 => BinOp::Sub,
                    12 => BinOp::Mul,
                    14 => BinOp::UDiv,
                    15 => BinOp::SDiv,
                    17 => BinOp::URem,
                    18 => BinOp::SRem,
                    20 => BinOp::Shl,
                    21 => BinOp::LShr,
                    22 => BinOp::AShr,
                    23 => BinOp::And,
                    24 => BinOp::Or,
                    _ => BinOp::Xor,
                };
                let signed_wrap = matches!(opcode, 8 | 10 | 12 | 20) && self.llvm.no_signed_wrap(instruction) != 0;
                Inst::Bin { op, dst, a: self.nth(instruction, 0), b: self.nth(instruction, 1), signed_wrap }
            }
            9 | 11 | 13 | 16 | 19 => {
                let op = match opcode {
                    9 => FloatOp::Add,
                    11 => FloatOp::Sub,
                    13 => FloatOp::Mul,
                    16 => FloatOp::Div,
                    _ => FloatOp::Rem,
                };
                Inst::Float { op, dst, a: self.nth(instruction, 0), b: self.nth(instruction, 1) }
            }
            66 => Inst::FloatNegate { dst, a: self.nth(instruction, 0) },
            42 => {
                let predicate = match self.llvm.predicate(instruction) {
                    32 => Predicate::Eq,
                    33 => Predicate::Ne,
                    34 => Predicate::Ugt,
                    35 => Predicate::Uge,
                    36 => Predicate::Ult,
                    37 => Predicate::Ule,
                    38 => Predicate::Sgt,
                    39 => Predicate::Sge,
                    40 => Predicate::Slt,
                    41 => Predicate::Sle,
                    _ => return Some(refused(self)),
                };
                Inst::Compare { predicate, dst, a: self.nth(instruction, 0), b: self.nth(instruction, 1) }
            }
            43 => Inst::FloatCompare {
                predicate: self.llvm.float_predicate(instruction) as u8,
                dst,
                a: self.nth(instruction, 0),
                b: self.nth(instruction, 1),
            },
            30..=41 | 60 => {
                let op = match opcode {
                    30 => CastOp::Trunc,
                    31 => CastOp::ZExt,
                    32 => CastOp::SExt,
                    33 => CastOp::FloatToUnsigned,
                    34 => CastOp::FloatToSigned,
                    35 => CastOp::UnsignedToFloat,
                    36 => CastOp::SignedToFloat,
                    37 | 38 => CastOp::FloatToFloat,
                    39 => CastOp::PtrToInt,
                    40 => CastOp::IntToPtr,
                    _ => CastOp::Bits,
                };
                let from = self.ty(self.llvm.type_of(self.llvm.operand(instruction, 0)));
                let to = self.ty(self.llvm.type_of(instruction));
                if matches!(self.module.types[from as usize], Type::Refused(_)) {
                    return Some(refused(self));
                }
                Inst::Cast { op, dst, a: self.nth(instruction, 0), from, to }
            }
            26 => {
                let (size, align) = self.layout(self.llvm.allocated_type(instruction));
                let align = align.max(u64::from(self.llvm.alignment(instruction)));
                Inst::Alloca { dst, size, count: self.nth(instruction, 0), align }
            }
            27 => {
                self.note_order(self.llvm.ordering(instruction), &[4, 6, 7]);
                Inst::Load {
                    dst,
                    ptr: self.nth(instruction, 0),
                    ty: self.ty(self.llvm.type_of(instruction)),
                    atomic: self.llvm.ordering(instruction) != 0,
                    volatile: self.llvm.is_volatile(instruction) != 0,
                }
            }
            28 => {
                let stored = self.llvm.operand(instruction, 0);
                if is_vector(self, stored) {
                    return Some(refused(self));
                }
                self.note_order(self.llvm.ordering(instruction), &[5, 6, 7]);
                Inst::Store {
                    value: self.operand(stored),
                    ptr: self.nth(instruction, 1),
                    ty: self.ty(self.llvm.type_of(stored)),
                    atomic: self.llvm.ordering(instruction) != 0,
                    volatile: self.llvm.is_volatile(instruction) != 0,
                }
            }
            29 => {
                let Some((constant, terms)) = self.gep(instruction) else { return Some(refused(self)) };
                let terms = terms.into_iter().map(|(index, scale)| (self.operand(index), scale)).collect();
                let inbounds = self.llvm.is_inbounds(instruction) != 0;
                Inst::Address { dst, base: self.nth(instruction, 0), constant, terms, inbounds }
            }
            44 => {
                let incoming = (0..self.llvm.incoming_count(instruction))
                    .map(|i| {
                        let block = self.blocks[&self.llvm.incoming_block(instruction, i)];
                        (block, self.operand(self.llvm.incoming_value(instruction, i)))
                    })
                    .collect();
                Inst::Phi { dst, incoming }
            }
            45 => {
                let called = self.llvm.called_value(instruction);
                if self.llvm.value_kind(called) == value::FUNCTION && self.name(called).starts_with("llvm.dbg.") {
                    return None;
                }
                self.call(instruction)
            }
            46 => Inst::Select {
                dst,
                condition: self.nth(instruction, 0),
                a: self.nth(instruction, 1),
                b: self.nth(instruction, 2),
            },
            53 | 54 => {
                let count = self.llvm.index_count(instruction) as usize;
                let indices = self.llvm.indices(instruction);
                // SAFETY: LLVM's own array, and its length.
                let path: Vec<c_uint> = unsafe { std::slice::from_raw_parts(indices, count) }.to_vec();
                let aggregate = self.nth(instruction, 0);
                if opcode == 53 {
                    Inst::Extract { dst, aggregate, path }
                } else {
                    Inst::Insert { dst, aggregate, value: self.nth(instruction, 1), path }
                }
            }
            55 => Inst::Fence,
            56 => {
                self.note_order(self.llvm.exchange_ordering(instruction), &[6, 7]);
                Inst::CompareExchange {
                    dst,
                    ptr: self.nth(instruction, 0),
                    expected: self.nth(instruction, 1),
                    new: self.nth(instruction, 2),
                    ty: self.ty(self.llvm.type_of(self.llvm.operand(instruction, 1))),
                }
            }
            57 => {
                let op = match self.llvm.rmw_op(instruction) {
                    0 => RmwOp::Exchange,
                    1 => RmwOp::Add,
                    2 => RmwOp::Sub,
                    3 => RmwOp::And,
                    4 => RmwOp::Nand,
                    5 => RmwOp::Or,
                    6 => RmwOp::Xor,
                    7 => RmwOp::Max,
                    8 => RmwOp::Min,
                    9 => RmwOp::UMax,
                    10 => RmwOp::UMin,
                    _ => return Some(refused(self)),
                };
                self.note_order(self.llvm.ordering(instruction), &[6, 7]);
                Inst::Rmw {
                    op,
                    dst,
                    ptr: self.nth(instruction, 0),
                    value: self.nth(instruction, 1),
                    ty: self.ty(self.llvm.type_of(instruction)),
                }
            }
            // The value itself, if it is one: what is undefined is made a value where it is read.
            68 => Inst::Copy { dst, value: self.nth(instruction, 0) },
            _ => refused(self),
        })
    }

    /// Notes an atomic whose order is none of these: LLVM's numbers, 0 for an access that is not atomic.
    fn note_order(&mut self, order: std::ffi::c_int, strong: &[std::ffi::c_int]) {
        self.module.relaxed |= order != 0 && !strong.contains(&order);
    }
}
