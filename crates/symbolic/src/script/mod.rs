//! Small programs as data, and their symbolic execution into events.
//!
//! They stand for programs in tests and measurements of the formulas: what a front end makes of C, without C. Values have one width.

mod classics;
mod execute;

pub use classics::*;
pub use execute::{Events, events};

/// An expression over the registers of a thread. Truth values are 0 and 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number.
    Number(u64),
    /// A register.
    Register(usize),
    /// The sum.
    Add(Box<Expr>, Box<Expr>),
    /// The difference.
    Sub(Box<Expr>, Box<Expr>),
    /// The product.
    Mul(Box<Expr>, Box<Expr>),
    /// Equal.
    Eq(Box<Expr>, Box<Expr>),
    /// Less, unsigned.
    Less(Box<Expr>, Box<Expr>),
    /// Less, signed.
    SignedLess(Box<Expr>, Box<Expr>),
    /// Both are not 0.
    And(Box<Expr>, Box<Expr>),
    /// It is 0.
    Not(Box<Expr>),
}

/// A statement of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// Reads a variable, at an index for an array, into a register.
    Load(usize, usize, Option<Expr>, bool),
    /// Writes a variable, at an index for an array.
    Store(usize, Option<Expr>, Expr, bool),
    /// Adds to a variable in one step; the register gets the old value.
    FetchAdd(usize, usize, Expr),
    /// If the variable has the first value, it gets the second, in one step; the register gets the old value.
    CompareExchange(usize, usize, Expr, Expr),
    /// Computes.
    Set(usize, Expr),
    /// The register gets any value below this number.
    Input(usize, u64),
    /// Takes a mutex.
    Lock(usize),
    /// Takes a mutex if it is free; the register gets whether it was.
    TryLock(usize, usize),
    /// Gives a mutex back.
    Unlock(usize),
    /// Takes a read-write lock as a reader.
    ReadLock(usize),
    /// Takes a read-write lock as the writer.
    WriteLock(usize),
    /// Gives a read-write lock back.
    RwUnlock(usize),
    /// Waits on a condition variable with a mutex.
    Wait(usize, usize),
    /// Wakes one sleeper.
    Signal(usize),
    /// Wakes all sleepers.
    Broadcast(usize),
    /// Adds to a semaphore.
    Post(usize),
    /// Takes from a semaphore.
    Take(usize),
    /// Takes from a semaphore if it is not zero; the register gets whether it was not.
    TryTake(usize, usize),
    /// Waits at a barrier.
    Barrier(usize),
    /// Starts a thread.
    Create(usize),
    /// Waits for a thread.
    Join(usize),
    /// If the expression is not 0 the first, else the second.
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// The execution counts only if this is not 0.
    Assume(Expr),
    /// This is not 0. The number names the property.
    Assert(Expr, u32),
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// How many bits values have.
    pub width: u8,
    /// The initial values of each variable; several for an array.
    pub variables: Vec<Vec<u64>>,
    /// Statements of each thread; the first is `main`.
    pub threads: Vec<Vec<Statement>>,
    /// How many mutexes.
    pub mutexes: usize,
    /// How many read-write locks.
    pub rwlocks: usize,
    /// How many condition variables.
    pub conditions: usize,
    /// Initial counts of semaphores.
    pub semaphores: Vec<u32>,
    /// Sizes of barriers.
    pub barriers: Vec<u32>,
}

impl Script {
    /// A program without threads.
    pub fn new(width: u8) -> Self {
        Script {
            width,
            variables: Vec::new(),
            threads: Vec::new(),
            mutexes: 0,
            rwlocks: 0,
            conditions: 0,
            semaphores: Vec::new(),
            barriers: Vec::new(),
        }
    }
}

/// The sum of two expressions.
pub fn add(a: Expr, b: Expr) -> Expr {
    Expr::Add(Box::new(a), Box::new(b))
}

/// The product of two expressions.
pub fn mul(a: Expr, b: Expr) -> Expr {
    Expr::Mul(Box::new(a), Box::new(b))
}

/// Whether two expressions are equal.
pub fn eq(a: Expr, b: Expr) -> Expr {
    Expr::Eq(Box::new(a), Box::new(b))
}

/// Whether the first expression is less, signed.
pub fn signed_less(a: Expr, b: Expr) -> Expr {
    Expr::SignedLess(Box::new(a), Box::new(b))
}

/// Whether the expression is 0.
pub fn not(a: Expr) -> Expr {
    Expr::Not(Box::new(a))
}

/// Whether both are not 0.
pub fn and(a: Expr, b: Expr) -> Expr {
    Expr::And(Box::new(a), Box::new(b))
}

/// Whether one is not 0.
pub fn or(a: Expr, b: Expr) -> Expr {
    not(and(not(a), not(b)))
}

/// A register.
pub fn reg(r: usize) -> Expr {
    Expr::Register(r)
}

/// A number.
pub fn number(n: u64) -> Expr {
    Expr::Number(n)
}
