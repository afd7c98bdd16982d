//! The intermediate representation that symbolic execution runs: what is left of LLVM's once it has been read.
//!
//! Values live in registers of one function. A register is assigned by one instruction, except the registers that stand for
//! promoted local variables ([`promote`](super::promote)). A construct that is not followed is an instruction of its own
//! ([`Inst::Refused`]), so that a program is refused only if it gets there.

use serde::{Deserialize, Serialize};

/// A register of a function.
pub type Reg = u32;
/// A block of a function, by position.
pub type BlockId = u32;
/// A function of a module, by position.
pub type FuncId = u32;
/// A global variable of a module, by position.
pub type GlobalId = u32;
/// A type of a module, by position.
pub type TypeId = u32;

/// A whole program: all its files linked together.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// The functions, defined and declared.
    pub functions: Vec<Function>,
    /// The global variables, defined and declared.
    pub globals: Vec<Global>,
    /// The types, each once.
    pub types: Vec<Type>,
    /// The names of source files.
    pub files: Vec<String>,
    /// Functions that run before `main`, by priority.
    pub constructors: Vec<FuncId>,
    /// Whether an atomic orders less than acquire and release do.
    pub relaxed: bool,
    /// Code that runs or defines something beside the functions of the program, in words, if there is any: it is not followed.
    pub aside: Option<String>,
}

/// A type with its layout on the target.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of so many bits.
    Int(u32),
    /// An address of 64 bits.
    Pointer,
    /// IEEE 754 binary32.
    Float,
    /// IEEE 754 binary64.
    Double,
    /// Elements of one type, and the bytes from one to the next.
    Array(TypeId, u64, u64),
    /// Fields with their offsets in bytes, and the size of the whole.
    Struct(Vec<(u64, TypeId)>, u64),
    /// What is not followed, by LLVM's name.
    Refused(String),
}

impl Module {
    /// The bytes that a value of a type takes in memory, without the padding behind it; 0 for what is not followed.
    pub fn size(&self, ty: TypeId) -> u64 {
        match &self.types[ty as usize] {
            Type::Void | Type::Refused(_) => 0,
            Type::Int(bits) => u64::from(bits.div_ceil(8)),
            Type::Pointer | Type::Double => 8,
            Type::Float => 4,
            Type::Array(_, count, stride) => count * stride,
            Type::Struct(_, size) => *size,
        }
    }

    /// The bits of a scalar type.
    pub fn bits(&self, ty: TypeId) -> Option<u32> {
        match &self.types[ty as usize] {
            Type::Int(bits) => Some(*bits),
            Type::Pointer | Type::Double => Some(64),
            Type::Float => Some(32),
            _ => None,
        }
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|function| function.name == name).map(|index| index as FuncId)
    }
}

/// A global variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Its name in the object file.
    pub name: String,
    /// The type of its contents.
    pub ty: TypeId,
    /// Its size with padding.
    pub size: u64,
    /// Its alignment.
    pub align: u64,
    /// What it begins with. None: it is declared here and defined elsewhere.
    pub initial: Option<Constant>,
    /// Whether the program cannot write to it.
    pub constant: bool,
    /// Whether each thread has one of its own.
    pub thread_local: bool,
    /// Where it is declared.
    pub site: Site,
}

/// A function.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Function {
    /// Its name in the object file.
    pub name: String,
    /// Its blocks. The first is its entry; none if it is only declared.
    pub blocks: Vec<Block>,
    /// How many parameters it has. They are its first registers.
    pub params: u32,
    /// For each parameter, the size of the object that the caller passes by copy, or 0.
    pub by_value: Vec<u64>,
    /// Whether it takes more arguments than it names.
    pub variadic: bool,
    /// The type of what it returns.
    pub result: TypeId,
    /// The type of each register.
    pub registers: Vec<TypeId>,
    /// For each block, the block that every way to the end of the function goes through next; none if that is the end itself.
    pub post_dominator: Vec<Option<BlockId>>,
    /// The loops, outer before inner.
    pub loops: Vec<Loop>,
    /// For each block, the innermost loop around it.
    pub loop_of: Vec<Option<u32>>,
    /// The registers whose values are used in another block than the one that assigns them.
    pub live_across: Vec<Reg>,
    /// The registers that stand for promoted local variables. They have no value at first.
    pub variables: Vec<Reg>,
    /// Where control flow cannot be followed: a cycle with several entries.
    pub irreducible: Option<Site>,
    /// Where it is defined.
    pub site: Site,
}

/// A natural loop.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Loop {
    /// The block that every way into the loop goes through.
    pub header: BlockId,
    /// Its blocks, in order.
    pub blocks: Vec<BlockId>,
    /// The loop around it.
    pub parent: Option<u32>,
    /// Where it is in the source.
    pub site: Site,
}

/// Instructions that run one after the other, and where control goes then.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Block {
    /// Instructions and their sites.
    pub insts: Vec<(Inst, Site)>,
    /// What ends the block.
    pub end: Terminator,
    /// Where the terminator is in the source.
    pub end_site: Site,
}

/// A place in the source. Line 0: unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Site {
    /// The file, by position in [`Module::files`].
    pub file: u32,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// What an instruction reads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A constant.
    Const(Constant),
}

/// A constant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Constant {
    /// An integer or a float's bits: width and value.
    Bits(u32, u128),
    /// The null pointer.
    Null,
    /// The address of a byte of a global variable.
    Global(GlobalId, i64),
    /// The address of a function.
    Function(FuncId),
    /// The address of a byte of a global variable, as an integer of 64 bits.
    GlobalBits(GlobalId, i64),
    /// Zeros.
    Zero(TypeId),
    /// Any value.
    Undefined(TypeId),
    /// Fields or elements of a type.
    Aggregate(TypeId, Vec<Constant>),
    /// An array of bytes, as strings are.
    Bytes(Vec<u8>),
    /// What is not followed.
    Refused(String),
}

/// Integer operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// Operations on floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Comparisons of integers and pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Predicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FloatToUnsigned,
    FloatToSigned,
    UnsignedToFloat,
    SignedToFloat,
    FloatToFloat,
    PtrToInt,
    IntToPtr,
    Bits,
}

/// Atomic read-modify-writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
}

/// An instruction. `dst` is the register that it assigns.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Inst {
    /// Integer arithmetic. `signed_wrap`: overflow of the signed operation is undefined.
    Bin { op: BinOp, dst: Reg, a: Operand, b: Operand, signed_wrap: bool },
    /// Arithmetic on floats.
    Float { op: FloatOp, dst: Reg, a: Operand, b: Operand },
    /// The negation of a float.
    FloatNegate { dst: Reg, a: Operand },
    /// Compares integers or pointers.
    Compare { predicate: Predicate, dst: Reg, a: Operand, b: Operand },
    /// Compares floats, by LLVM's four bits: unordered, less, greater, equal.
    FloatCompare { predicate: u8, dst: Reg, a: Operand, b: Operand },
    /// Converts from one type to another.
    Cast { op: CastOp, dst: Reg, a: Operand, from: TypeId, to: TypeId },
    /// `condition ? a : b`.
    Select { dst: Reg, condition: Operand, a: Operand, b: Operand },
    /// `base + constant + Σ index · scale`.
    Address { dst: Reg, base: Operand, constant: i64, terms: Vec<(Operand, i64)>, inbounds: bool },
    /// Reads memory.
    Load { dst: Reg, ptr: Operand, ty: TypeId, atomic: bool, volatile: bool },
    /// Writes memory.
    Store { value: Operand, ptr: Operand, ty: TypeId, atomic: bool, volatile: bool },
    /// Reads and writes memory at once.
    Rmw { op: RmwOp, dst: Reg, ptr: Operand, value: Operand, ty: TypeId },
    /// Compares and exchanges; assigns the old value and whether it was exchanged.
    CompareExchange { dst: Reg, ptr: Operand, expected: Operand, new: Operand, ty: TypeId },
    /// A fence between threads.
    Fence,
    /// Makes an object on the stack: `count` times `size` bytes.
    Alloca { dst: Reg, size: u64, count: Operand, align: u64 },
    /// Assigns one register to another, or to a constant.
    Copy { dst: Reg, value: Operand },
    /// Chooses by the block that control came from.
    Phi { dst: Reg, incoming: Vec<(BlockId, Operand)> },
    /// Calls a function.
    Call { dst: Option<Reg>, callee: Operand, args: Vec<Operand>, result: TypeId },
    /// A part of an aggregate.
    Extract { dst: Reg, aggregate: Operand, path: Vec<u32> },
    /// An aggregate with one part changed.
    Insert { dst: Reg, aggregate: Operand, value: Operand, path: Vec<u32> },
    /// What is not followed.
    Refused { dst: Option<Reg>, what: String },
}

/// What ends a block.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Terminator {
    /// Control does not get here.
    #[default]
    Unreachable,
    /// Leaves the function.
    Return(Option<Operand>),
    /// Goes on in a block.
    Jump(BlockId),
    /// Goes on in one of two blocks.
    Branch { condition: Operand, then: BlockId, otherwise: BlockId },
    /// Goes on by a value.
    Switch { value: Operand, cases: Vec<(u128, BlockId)>, default: BlockId },
    /// What is not followed.
    Refused(String),
}

impl Terminator {
    /// Where control can go.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Jump(block) => vec![*block],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Switch { cases, default, .. } => {
                let mut all: Vec<BlockId> = cases.iter().map(|(_, block)| *block).collect();
                all.push(*default);
                all
            }
            Terminator::Unreachable | Terminator::Return(_) | Terminator::Refused(_) => Vec::new(),
        }
    }
}

impl Inst {
    /// The register that the instruction assigns.
    pub fn dst(&self) -> Option<Reg> {
        match self {
            Inst::Bin { dst, .. }
            | Inst::Float { dst, .. }
            | Inst::FloatNegate { dst, .. }
            | Inst::Compare { dst, .. }
            | Inst::FloatCompare { dst, .. }
            | Inst::Cast { dst, .. }
            | Inst::Select { dst, .. }
            | Inst::Address { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::Rmw { dst, .. }
            | Inst::CompareExchange { dst, .. }
            | Inst::Alloca { dst, .. }
            | Inst::Copy { dst, .. }
            | Inst::Phi { dst, .. }
            | Inst::Extract { dst, .. }
            | Inst::Insert { dst, .. } => Some(*dst),
            Inst::Call { dst, .. } | Inst::Refused { dst, .. } => *dst,
            Inst::Store { .. } | Inst::Fence => None,
        }
    }

    /// What the instruction reads.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Inst::Bin { a, b, .. }
            | Inst::Float { a, b, .. }
            | Inst::Compare { a, b, .. }
            | Inst::FloatCompare { a, b, .. } => vec![a, b],
            Inst::FloatNegate { a, .. } | Inst::Cast { a, .. } => vec![a],
            Inst::Select { condition, a, b, .. } => vec![condition, a, b],
            Inst::Address { base, terms, .. } => {
                std::iter::once(base).chain(terms.iter().map(|(term, _)| term)).collect()
            }
            Inst::Load { ptr, .. } => vec![ptr],
            Inst::Store { value, ptr, .. } | Inst::Rmw { ptr, value, .. } => vec![ptr, value],
            Inst::CompareExchange { ptr, expected, new, .. } => vec![ptr, expected, new],
            Inst::Alloca { count, .. } => vec![count],
            Inst::Copy { value, .. } => vec![value],
            Inst::Phi { incoming, .. } => incoming.iter().map(|(_, value)| value).collect(),
            Inst::Call { callee, args, .. } => std::iter::once(callee).chain(args).collect(),
            Inst::Extract { aggregate, .. } => vec![aggregate],
            Inst::Insert { aggregate, value, .. } => vec![aggregate, value],
            Inst::Fence | Inst::Refused { .. } => Vec::new(),
        }
    }
}
