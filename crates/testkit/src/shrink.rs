//! Shrinking: removes threads and instructions from a program as long as it still shows a fault.

use crate::program::{Instruction, Program};

/// Removes threads and instructions from `program`, one after the other, as long as `fails` holds for what is left.
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

/// Removes the instructions of a thread, and all instructions that name it.
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

/// Removes one instruction. Branches keep their targets.
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
