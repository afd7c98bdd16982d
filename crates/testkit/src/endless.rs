//! Draws programs that need not end, and programs whose number of threads depends on the schedule.
//!
//! Both are made of ordinary random programs ([`crate::generate`]). Such a program can only be searched within a bound on
//! the operations of each thread.

use crate::generate::{self, Random, Shape, insert};
use crate::program::{Instruction, Program, Value};

/// The variable that decides which threads are created.
const DECIDES: u8 = 0;

/// Draws a program of about this `shape` in which some threads never end, and some threads are created only in some schedules.
pub fn program(random: &mut Random, shape: Shape) -> Program {
    let mut program = generate::program(random, shape);
    if random.one_in(2) {
        program = with_conditional_threads(random, program);
    }
    let has_sections = program.threads.iter().flatten().any(|i| *i == Instruction::AtomicBegin);
    for thread in &mut program.threads {
        // A thread is created at most once, so not in a loop. A section does not begin inside a section.
        let creates = thread.iter().any(|i| matches!(i, Instruction::Create(_)));
        if !creates && !has_sections && random.one_in(2) {
            go_round(random, thread);
        }
    }
    program
}

/// Makes `thread` begin anew at its end, for ever.
fn go_round(random: &mut Random, thread: &mut Vec<Instruction>) {
    // Whatever the branches do, there is an operation in each round.
    thread.push(match random.below(4) {
        0 => Instruction::Yield,
        1 => Instruction::FetchAdd(1, Value::Constant(1), 0),
        2 => Instruction::Load(0, 1),
        _ => Instruction::Store(0, Value::Constant(random.below(3))),
    });
    thread.push(Instruction::Jump(0));
}

/// Adds threads that another thread creates only if it reads a certain value, which others write. They may create further ones.
fn with_conditional_threads(random: &mut Random, mut program: Program) -> Program {
    for _ in 0..1 + random.below(2) {
        let new = program.threads.len();
        let parent = random.below(new as u64) as usize;
        let at = random.below(program.threads[parent].len() as u64 + 1) as usize;
        let register = 5;
        for instruction in [
            Instruction::Create(new as u8),
            Instruction::BranchUnless(register, random.below(2), 0),
            Instruction::Load(DECIDES, register),
        ] {
            insert(&mut program.threads[parent], at, instruction);
        }
        // Over the creation.
        if let Instruction::BranchUnless(_, _, to) = &mut program.threads[parent][at + 1] {
            *to = at as u16 + 3;
        }
        let store = Instruction::Store(DECIDES, Value::Constant(random.below(2)));
        let other = random.below(new as u64) as usize;
        let end = program.threads[other].len();
        insert(&mut program.threads[other], random.below(end as u64 + 1) as usize, store);
        program.threads.push(vec![match random.below(3) {
            0 => Instruction::FetchAdd(1, Value::Constant(1), 0),
            1 => Instruction::Store(DECIDES, Value::Constant(1)),
            _ => Instruction::Load(1, 0),
        }]);
    }
    program
}
