//! Makes a program that shows a fault smaller, as long as it shows the fault.

use crate::program::{Instruction, Program};

/// The smallest program that can be had from `program` by leaving out threads and instructions and that still `fails`.
pub fn shrink(program: &Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    while let Some(smaller) = candidates(&best).into_iter().find(|smaller| fails(smaller)) {
        best = smaller;
    }
    best
}

fn candidates(program: &Program) -> Vec<Program> {
    let threads = (1..program.threads.len()).map(|thread| without_thread(program, thread)).filter(|p| p != program);
    let instructions = program.threads.iter().enumerate().flat_map(move |(thread, code)| {
        (0..code.len()).map(move |at| {
            let mut smaller = program.clone();
            remove(&mut smaller.threads[thread], at);
            smaller
        })
    });
    threads.chain(instructions).collect()
}

/// Leaves out what a thread does, and whoever names it.
fn without_thread(program: &Program, thread: usize) -> Program {
    use Instruction::*;
    let mut smaller = program.clone();
    smaller.threads[thread].clear();
    for code in &mut smaller.threads {
        while let Some(at) =
            code.iter().position(|i| matches!(i, Create(t) | Join(t) | Detach(t) if *t as usize == thread))
        {
            remove(code, at);
        }
    }
    smaller
}

/// Leaves out one instruction, and keeps branches on their targets.
fn remove(code: &mut Vec<Instruction>, at: usize) {
    use Instruction::*;
    code.remove(at);
    for instruction in code.iter_mut() {
        if let BranchIf(_, _, to) | BranchUnless(_, _, to) | Jump(to) = instruction
            && *to as usize > at
        {
            *to -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Instruction::*;

    #[test]
    fn only_what_is_needed_is_left() {
        let program = Program::fork_join(vec![vec![Fence, Lock(0), Yield, Unlock(0)], vec![Fence]]);
        let smallest = shrink(&program, |p| p.threads[1].contains(&Lock(0)));
        assert_eq!(smallest.threads[1], [Lock(0)]);
        assert_eq!(smallest.len(), 1);
    }
}
