//! Random programs with critical sections, of mutexes that only exclude and of others.

use crate::generate::Random;
use crate::program::{Instruction, Program, Value};

/// A random program of two or three threads with critical sections. Each mutex has two variables that it protects. If the program is `wild`,
/// something in it does more: an access without the mutex, a mutex that is locked inside a section, or tried, a condition variable, an end
/// inside a section.
pub fn program(random: &mut Random, wild: bool, loops: bool) -> Program {
    let mutexes = 1 + random.below(2) as u8;
    let count = 2 + random.below(2);
    let mut workers: Vec<Vec<Instruction>> = (0..count).map(|_| worker(random, mutexes, loops)).collect();
    if wild {
        let at = random.below(count) as usize;
        spoil(random, mutexes, &mut workers[at]);
    }
    let mut program = Program::fork_join(workers);
    // What comes before all threads or after them needs no mutex.
    let main = &mut program.threads[0];
    if random.one_in(3) {
        main.insert(0, Instruction::Store(0, Value::Constant(random.below(2))));
    }
    if random.one_in(3) {
        main.extend([Instruction::Load(0, 0), Instruction::Assert(0, random.below(3))]);
    }
    program
}

fn worker(random: &mut Random, mutexes: u8, loops: bool) -> Vec<Instruction> {
    let mut code = Vec::new();
    for _ in 0..1 + random.below(2) {
        let mutex = random_below(random, mutexes);
        section(random, mutex, &mut code);
        if random.one_in(4) {
            // Something of its own, or of nobody's.
            code.push(Instruction::FetchAdd(6, Value::Constant(1), 3));
        }
    }
    if loops && random.one_in(2) {
        code.push(Instruction::BranchUnless(random.below(2) as u8, random.below(3), 0));
    }
    if random.one_in(2) {
        code.push(Instruction::Set(0, Value::Constant(0)));
    }
    code
}

fn random_below(random: &mut Random, bound: u8) -> u8 {
    random.below(u64::from(bound)) as u8
}

fn section(random: &mut Random, mutex: u8, code: &mut Vec<Instruction>) {
    code.push(Instruction::Lock(mutex));
    for _ in 0..1 + random.below(2) {
        code.push(access(random, mutex));
    }
    code.push(Instruction::Unlock(mutex));
}

/// An access to something that `mutex` protects.
fn access(random: &mut Random, mutex: u8) -> Instruction {
    let variable = mutex * 2 + random.below(2) as u8;
    let register = random.below(2) as u8;
    let value = if random.one_in(2) { Value::Constant(random.below(3)) } else { Value::Register(register) };
    match random.below(5) {
        0 => Instruction::Load(variable, register),
        1 => Instruction::Store(variable, value),
        2 => Instruction::FetchAdd(variable, Value::Constant(1), register),
        3 => Instruction::PlainLoad(variable, register),
        _ => Instruction::PlainStore(variable, value),
    }
}

/// Adds something that a mutex that only excludes has nothing to do with.
fn spoil(random: &mut Random, mutexes: u8, code: &mut Vec<Instruction>) {
    use Instruction::*;
    let mutex = random_below(random, mutexes);
    let other = random_below(random, 2);
    let piece: Vec<Instruction> = match random.below(9) {
        0 | 1 => vec![access(random, mutex)],
        2 => vec![Lock(mutex), Lock(1 - mutex), access(random, mutex), Unlock(1 - mutex), Unlock(mutex)],
        3 => vec![TryLock(mutex, 1), BranchUnless(1, 0, u16::MAX), access(random, mutex), Unlock(mutex)],
        4 => vec![Lock(mutex), access(random, mutex), Signal(0), Unlock(mutex)],
        5 => vec![Lock(mutex), Wait(0, mutex), access(random, other), Unlock(mutex)],
        6 => vec![Lock(mutex), Load(mutex * 2, 1), Assert(1, random.below(2)), Unlock(mutex)],
        7 => vec![Unlock(mutex)],
        _ => vec![Lock(mutex), access(random, mutex)],
    };
    let at = if random.one_in(2) { 0 } else { code.len() };
    // A piece that is left early goes on behind itself.
    let end = (at + piece.len()) as u16;
    for instruction in code.iter_mut().skip(at) {
        if let BranchUnless(_, _, to) = instruction
            && *to as usize >= at
            && at > 0
        {
            *to += piece.len() as u16;
        }
    }
    let piece = piece.into_iter().map(|instruction| match instruction {
        BranchUnless(register, value, u16::MAX) => BranchUnless(register, value, end),
        other => other,
    });
    code.splice(at..at, piece);
}
