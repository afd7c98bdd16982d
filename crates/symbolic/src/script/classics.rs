//! Programs of the literature on which encodings are measured.

use super::{Expr, Script, Statement, add, and, eq, mul, not, number, or, reg, signed_less};

use Statement::{Assert, Create, If, Input, Join, Lock, Set, Store, Unlock};

fn load(register: usize, variable: usize) -> Statement {
    Statement::Load(register, variable, None, true)
}

fn store(variable: usize, value: Expr) -> Statement {
    Store(variable, None, value, true)
}

/// `main` creates all threads, joins them if asked, and goes on.
fn with_main(script: &mut Script, threads: Vec<Vec<Statement>>, join: bool, after: Vec<Statement>) {
    let mut main: Vec<Statement> = (1..=threads.len()).map(Create).collect();
    if join {
        main.extend((1..=threads.len()).map(Join));
    }
    main.extend(after);
    script.threads.push(main);
    script.threads.extend(threads);
}

/// Two threads that add each other's numbers `n` times; a third looks whether they became larger than they can.
pub fn fib(n: usize, bad: bool) -> Script {
    let mut script = Script::new(32);
    script.variables = vec![vec![1], vec![1]];
    let mut numbers = vec![1u64, 1];
    for i in 2..2 * n + 2 {
        numbers.push(numbers[i - 1] + numbers[i - 2]);
    }
    let limit = numbers[2 * n + 1];
    let grow = |a: usize, b: usize| {
        let round = vec![load(0, a), load(1, b), store(a, add(reg(0), reg(1)))];
        (0..n).flat_map(|_| round.clone()).collect::<Vec<_>>()
    };
    let ok = |r: usize| {
        if bad { signed_less(reg(r), number(limit)) } else { not(signed_less(number(limit), reg(r))) }
    };
    let watch = vec![load(0, 0), load(1, 1), Assert(and(ok(0), ok(1)), 0)];
    with_main(&mut script, vec![grow(0, 1), grow(1, 0), watch], false, vec![]);
    script
}

/// Threads that each add an input to a sum, under a lock; the bad one gives the lock back in between.
pub fn vsum(n: usize, bad: bool) -> Script {
    let mut script = Script::new(32);
    script.mutexes = 1;
    script.variables = vec![vec![0]; n + 1];
    let thread = |i: usize| {
        let mut body = vec![Input(0, u64::MAX), store(i + 1, reg(0)), Lock(0), load(1, 0)];
        if bad {
            body.extend([Unlock(0), Lock(0)]);
        }
        body.extend([load(2, i + 1), store(0, add(reg(1), reg(2))), Unlock(0)]);
        body
    };
    let mut after = vec![Set(0, number(0))];
    for i in 0..n {
        after.extend([load(1, i + 1), Set(0, add(reg(0), reg(1)))]);
    }
    after.extend([load(2, 0), Assert(eq(reg(2), reg(0)), 0)]);
    with_main(&mut script, (0..n).map(thread).collect(), true, after);
    script
}

/// Unlocked counters: each of the threads adds one `n` times.
pub fn micro(threads: usize, n: usize, bad: bool) -> Script {
    let mut script = Script::new(32);
    script.variables = vec![vec![0]];
    let round = [load(0, 0), store(0, add(reg(0), number(1)))];
    let body: Vec<Statement> = (0..n).flat_map(|_| round.clone()).collect();
    let total = reg(0);
    let claim = if bad {
        not(signed_less(total, number(3)))
    } else {
        let most = number((threads * n + 1) as u64);
        and(signed_less(number(0), total.clone()), signed_less(total, most))
    };
    with_main(&mut script, vec![body; threads], true, vec![load(0, 0), Assert(claim, 0)]);
    script
}

/// Threads that write two variables one after the other, and one that reads both.
pub fn reorder(n: usize, bad: bool) -> Script {
    let mut script = Script::new(32);
    script.variables = vec![vec![0], vec![0]];
    let minus = u64::from(u32::MAX);
    let writer = vec![store(0, number(1)), store(1, number(minus))];
    let claim = if bad {
        or(and(eq(reg(0), number(0)), eq(reg(1), number(0))), and(eq(reg(0), number(1)), eq(reg(1), number(minus))))
    } else {
        and(or(eq(reg(0), number(0)), eq(reg(0), number(1))), or(eq(reg(1), number(0)), eq(reg(1), number(minus))))
    };
    let mut threads = vec![writer; n];
    threads.push(vec![load(0, 0), load(1, 1), Assert(claim, 0)]);
    with_main(&mut script, threads, false, vec![]);
    script
}

/// Threads that write two variables under two locks, and one that reads both.
pub fn twostage(n: usize, bad: bool) -> Script {
    let mut script = Script::new(32);
    script.mutexes = 2;
    script.variables = vec![vec![0], vec![0]];
    let writer =
        vec![Lock(0), store(0, number(1)), Unlock(0), Lock(1), load(0, 0), store(1, add(reg(0), number(1))), Unlock(1)];
    let mut claim = eq(reg(1), add(reg(0), number(1)));
    if !bad {
        claim = or(claim, eq(reg(1), number(0)));
    }
    let second = vec![Lock(1), load(1, 1), Unlock(1), Assert(claim, 0)];
    let reader = vec![Lock(0), load(0, 0), Unlock(0), If(not(eq(reg(0), number(0))), second, vec![])];
    let mut threads = vec![writer; n];
    threads.push(reader);
    with_main(&mut script, threads, false, vec![]);
    script
}

/// A square computed in one thread, compared with the square in another.
pub fn square(bad: bool) -> Script {
    let mut script = Script::new(32);
    script.mutexes = 1;
    script.variables = vec![vec![0], vec![0]];
    let compute = vec![Lock(0), load(0, 1), store(0, mul(reg(0), reg(0))), Unlock(0)];
    let mut compare = vec![Lock(0), load(1, 0), Unlock(0), load(0, 1)];
    let claim = if bad {
        let small = and(signed_less(number(0), reg(0)), signed_less(reg(0), number(30000)));
        not(and(eq(reg(1), number(1_522_756)), small))
    } else {
        or(eq(reg(1), number(0)), eq(reg(1), mul(reg(0), reg(0))))
    };
    compare.push(Assert(claim, 0));
    let mut main = vec![Input(0, u64::MAX), store(1, reg(0))];
    main.extend([Create(1), Create(2)]);
    script.threads = vec![main, compute, compare];
    script
}

/// Philosophers around a table. With `bad` all take the left fork first.
pub fn philosophers(n: usize, bad: bool) -> Script {
    let mut script = Script::new(8);
    script.mutexes = n;
    let thread = |i: usize| {
        let (left, right) = (i, (i + 1) % n);
        let (first, second) = if bad { (left, right) } else { (left.min(right), left.max(right)) };
        vec![Lock(first), Lock(second), Unlock(second), Unlock(first)]
    };
    with_main(&mut script, (0..n).map(thread).collect(), true, vec![]);
    script
}

/// Deposit and withdrawal of inputs under a lock, and somebody who looks; the bad one looks too early.
pub fn account(bad: bool) -> Script {
    let mut script = Script::new(32);
    script.mutexes = 1;
    // x, y, z, balance, deposited, withdrawn
    script.variables = vec![vec![0]; 6];
    let look =
        vec![load(2, 3), load(3, 0), load(4, 1), load(5, 2), Assert(eq(add(reg(2), reg(5)), add(reg(3), reg(4))), 0)];
    let (d, w) = (eq(reg(0), number(1)), eq(reg(1), number(1)));
    let when = if bad { or(d, w) } else { and(d, w) };
    let watch = vec![Lock(0), load(0, 4), load(1, 5), If(when, look, vec![]), Unlock(0)];
    let deposit = vec![Lock(0), load(0, 3), load(1, 1), store(3, add(reg(0), reg(1))), store(4, number(1)), Unlock(0)];
    let minus = Expr::Sub(Box::new(reg(0)), Box::new(reg(1)));
    let withdraw = vec![Lock(0), load(0, 3), load(1, 2), store(3, minus), store(5, number(1)), Unlock(0)];
    let mut main = Vec::new();
    for v in 0..3 {
        main.extend([Input(v, u64::MAX), store(v, reg(v))]);
    }
    main.push(store(3, reg(0)));
    main.extend([Create(1), Create(2), Create(3)]);
    script.threads = vec![main, watch, deposit, withdraw];
    script
}
