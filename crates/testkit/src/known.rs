//! Programs whose number of traces is known from theory, or agreed on by other tools.

use crate::program::{Instruction, Program, Value};
use Instruction::*;

/// `n` threads that each lock and unlock one mutex: `n!` traces.
pub fn counter(n: u8) -> Program {
    Program::fork_join((0..n).map(|_| vec![Lock(0), Unlock(0)]).collect())
}

/// `n` philosophers, each taking the left fork and then the right one: `2^n - 1` traces, one of them a deadlock. If
/// `reversed`, the last philosopher takes them in the opposite order: `2^n - 2` traces.
pub fn philosophers(n: u8, reversed: bool) -> Program {
    let eat = |i: u8| {
        let (mut first, mut second) = (i, (i + 1) % n);
        if reversed && i == n - 1 {
            (first, second) = (second, first);
        }
        vec![Lock(first), Lock(second), Unlock(second), Unlock(first)]
    };
    Program::fork_join((0..n).map(eat).collect())
}

/// One writer and `n` readers of one atomic variable: `2^n` traces.
pub fn readers(n: u8) -> Program {
    let mut threads = vec![vec![Store(0, Value::Constant(1))]];
    threads.extend((0..n).map(|_| vec![Load(0, 0)]));
    Program::fork_join(threads)
}

/// Thread 0 searches an array from its end for the last zero, and thread `j` does `a[j] = a[j-1] + 1`.
pub fn last_zero(n: u8) -> Program {
    let mut search = Vec::new();
    for i in (0..=n).rev() {
        search.push(Load(i, 0));
        // Found: past the end.
        search.push(BranchIf(0, 0, 2 * (n as u16 + 1)));
    }
    let mut threads = vec![search];
    threads.extend((1..=n).map(|j| vec![Load(j - 1, 0), Add(0, Value::Constant(1)), Store(j, Value::Register(0))]));
    Program::fork_join(threads)
}

/// Two threads that add each other's variable to their own, `n` times.
pub fn fib_bench(n: u8) -> Program {
    let add = |mine: u8, other: u8| {
        let round = [Load(mine, 0), Load(other, 1), Add(0, Value::Register(1)), Store(mine, Value::Register(0))];
        (0..n).flat_map(|_| round).collect()
    };
    let mut program = Program::fork_join(vec![add(0, 1), add(1, 0)]);
    program.variables = vec![1, 1];
    program
}

/// [`fib_bench`] with a third thread that reads both variables meanwhile.
pub fn fib_bench_watched(n: u8) -> Program {
    let mut program = fib_bench(n);
    program.threads.push(vec![Load(0, 0), Load(1, 1)]);
    program.threads[0] = vec![Create(1), Create(2), Create(3), Join(1), Join(2), Join(3)];
    program
}

/// `n` threads that each add one with a compare-exchange, repeated until it succeeds. After a failure a thread reads
/// the variable again if `reload`; otherwise it uses the value that the compare-exchange found.
pub fn compare_exchange_loop(n: u8, reload: bool) -> Program {
    let new = [Set(1, Value::Register(0)), Add(1, Value::Constant(1))];
    let mut add = vec![Load(0, 0), new[0], new[1], CompareExchange(0, Value::Register(0), Value::Register(1), 2)];
    let done = add.len() as u16 + 2 * n as u16 + 2;
    for value in 0..n as u64 {
        let next = add.len() as u16 + 2;
        add.extend([BranchUnless(0, value, next), BranchIf(2, value, done)]);
    }
    add.extend([Set(0, Value::Register(2)), Jump(if reload { 0 } else { 1 })]);
    Program::fork_join(vec![add; n as usize])
}

/// A hash table of 128 entries with a mutex each, four messages a thread, linear probing.
pub fn indexer(n: u8) -> Program {
    let thread = |id: u32| {
        let mut code = Vec::new();
        for m in 1..=4u32 {
            let word = m * 11 + id;
            let first = (word * 7) % 128;
            // Probing never gets far, so the last entry is taken without a test.
            let places: Vec<u8> = (0..4).map(|i| ((first + i) % 128) as u8).collect();
            let begin = code.len() as u16;
            let done = begin + places.len() as u16 * 7;
            for (probe, &place) in places.iter().enumerate() {
                let next = begin + (probe as u16 + 1) * 7;
                code.push(Lock(place));
                code.push(Load(place, 0));
                code.push(BranchUnless(0, 0, next - 1));
                code.push(Store(place, Value::Constant(word as u64)));
                code.push(Unlock(place));
                code.push(Jump(done));
                code.push(Unlock(place));
            }
        }
        code
    };
    private_memory(Program::fork_join((0..n as u32).map(thread).collect()))
}

/// A file system of 26 blocks and 32 inodes, a mutex each.
pub fn filesystem(n: u8) -> Program {
    const BLOCKS: u8 = 26;
    const INODES: u8 = 32;
    let thread = |id: u8| {
        let inode = id % INODES;
        let mut code = vec![Lock(inode), Load(inode, 0), BranchUnless(0, 0, 0)];
        let first = (inode as u16 * 2 % BLOCKS as u16) as u8;
        let mut out = Vec::new();
        for probe in 0..BLOCKS {
            let block = (first + probe) % BLOCKS;
            let begin = code.len() as u16;
            code.push(Lock(INODES + block));
            code.push(Load(INODES + block, 1));
            code.push(BranchUnless(1, 0, begin + 7));
            code.push(Store(INODES + block, Value::Constant(1)));
            code.push(Store(inode, Value::Constant(block as u64 + 1)));
            code.push(Unlock(INODES + block));
            out.push(code.len());
            code.push(Jump(0));
            code.push(Unlock(INODES + block));
        }
        let end = code.len() as u16;
        code.push(Unlock(inode));
        for at in out {
            code[at] = Jump(end);
        }
        code[2] = BranchUnless(0, 0, end);
        code
    };
    private_memory(Program::fork_join((0..n).map(thread).collect()))
}

/// Marks the variables as plain memory that is only accessed under locks, so accesses are no operations of the model.
fn private_memory(mut program: Program) -> Program {
    program.plain = true;
    program
}

/// A buffer of size `capacity` with one mutex and two condition variables, and producers and consumers of one item
/// each.
pub fn bounded_buffer(producers: u8, consumers: u8, capacity: u64) -> Program {
    const NOT_FULL: u8 = 0;
    const NOT_EMPTY: u8 = 1;
    let produce = vec![
        Lock(0),
        Load(0, 0),
        BranchUnless(0, capacity, 5),
        Wait(NOT_FULL, 0),
        Jump(1),
        Add(0, Value::Constant(1)),
        Store(0, Value::Register(0)),
        Signal(NOT_EMPTY),
        Unlock(0),
    ];
    let consume = vec![
        Lock(0),
        Load(0, 0),
        BranchUnless(0, 0, 5),
        Wait(NOT_EMPTY, 0),
        Jump(1),
        Add(0, Value::Constant(u64::MAX)),
        Store(0, Value::Register(0)),
        Signal(NOT_FULL),
        Unlock(0),
    ];
    let mut threads = vec![produce; producers as usize];
    threads.extend(vec![consume; consumers as usize]);
    private_memory(Program::fork_join(threads))
}
