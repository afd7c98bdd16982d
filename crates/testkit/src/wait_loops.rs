//! Loops that wait, for random programs.

use crate::generate::Random;
use crate::program::{Instruction, Value};

/// Adds a loop that waits for the atomic variable or the mutex `object`. It uses `register`, and the other one of 0 and 1.
pub(crate) fn add(random: &mut Random, code: &mut Vec<Instruction>, object: u8, register: u8) {
    use Instruction::{BranchIf, BranchUnless, CompareExchange, Jump, Load, Lock, Store, TryLock, Unlock, Yield};
    let start = code.len() as u16;
    let yields = random.one_in(3).then_some(Yield);
    match random.below(14) {
        0 | 1 => {
            code.push(Load(object, register));
            code.extend(yields);
            code.push(BranchUnless(register, random.below(3), start));
        }
        2 => {
            code.extend([Load(0, 0), Load(1, 1)]);
            code.extend(yields);
            code.extend([BranchIf(0, 0, start), BranchIf(1, 0, start)]);
        }
        3 => {
            let zero = Value::Constant(0);
            code.push(CompareExchange(object, zero, Value::Constant(1), register));
            code.extend(yields);
            code.extend([BranchUnless(register, 0, start), Store(object, zero)]);
        }
        4 => {
            code.push(TryLock(object, register));
            code.extend(yields);
            code.extend([BranchUnless(register, 0, start), Unlock(object)]);
        }
        5 => {
            // Test, and test and set. Some leave the loop at a value at which others would wait.
            let zero = Value::Constant(0);
            code.push(Load(object, register));
            let leaves = random.one_in(3);
            let exchange = code.len() as u16 + 1 + leaves as u16;
            if leaves {
                let done = exchange + 3 + yields.is_some() as u16;
                code.push(BranchIf(register, random.below(2) + 1, done));
            }
            code.push(BranchUnless(register, 0, start));
            code.push(CompareExchange(object, zero, Value::Constant(1), register));
            code.extend(yields);
            code.extend([BranchUnless(register, 0, start), Store(object, zero)]);
        }
        6 => {
            // What it has seen before decides whether it waits.
            code.push(Load(object, register));
            code.extend(yields);
            let done = code.len() as u16 + 2;
            code.push(BranchIf(1 - register, 1, done));
            code.push(BranchUnless(register, random.below(2), start));
        }
        7 => {
            // Looks at what a mutex protects.
            code.extend([Lock(object), Load(random.below(2) as u8, register), Unlock(object)]);
            code.extend(yields);
            code.push(BranchUnless(register, random.below(2), start));
        }
        8 | 9 => {
            // Locks one mutex and tries the other. If that fails, it gives the first back and begins again.
            let other = 1 - object;
            code.extend([Lock(object), TryLock(other, register)]);
            let done = code.len() as u16 + 3 + yields.is_some() as u16;
            code.extend([BranchIf(register, 0, done), Unlock(object)]);
            code.extend(yields);
            code.extend([Jump(start), Unlock(other), Unlock(object)]);
        }
        10 | 11 => {
            // The same, but it begins again with the mutex that it could not get, as `std::lock` does.
            let other = 1 - object;
            let length = 4 + yields.is_some() as u16;
            let done = start + 2 * length + 1;
            for (first, second) in [(object, other), (other, object)] {
                code.extend([Lock(first), TryLock(second, register), BranchIf(register, 0, done), Unlock(first)]);
                code.extend(yields);
            }
            code.extend([Jump(start), Unlock(other), Unlock(object)]);
        }
        _ => {
            // Until another thread sets the variable, or the lock is acquired.
            code.push(Load(1 - object, 1 - register));
            let done = code.len() as u16 + 5 + yields.is_some() as u16;
            code.extend([BranchIf(1 - register, 1, done), TryLock(object, register)]);
            code.extend(yields);
            code.extend([BranchUnless(register, 0, start), Unlock(object), Jump(done)]);
        }
    }
}
