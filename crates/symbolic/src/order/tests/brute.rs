//! All interleavings and all inputs of a script, one after the other.

use std::collections::{BTreeSet, HashSet};

use crate::script::{Expr, Script, Statement};

/// Something that can happen: a check fails, everybody waits, two accesses race. Accesses are named by thread and site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Finding {
    Property(u32),
    Deadlock,
    Race((usize, u32), (usize, u32)),
}

/// A statement without nesting.
#[derive(Clone, Debug)]
pub enum Op {
    Do(Statement, u32),
    /// The second halves of waits.
    Wake(usize, usize, u32),
    Depart(usize, u32),
    Unless(Expr, usize),
    Jump(usize),
}

fn flatten(body: &[Statement], site: &mut u32, out: &mut Vec<Op>) {
    for statement in body {
        *site += 1;
        let here = *site;
        match statement {
            Statement::If(e, yes, no) => {
                let branch = out.len();
                out.push(Op::Jump(0));
                flatten(yes, site, out);
                let end = out.len();
                out.push(Op::Jump(0));
                out[branch] = Op::Unless(e.clone(), out.len());
                flatten(no, site, out);
                out[end] = Op::Jump(out.len());
            }
            Statement::Wait(c, m) => {
                out.push(Op::Do(statement.clone(), here));
                out.push(Op::Wake(*c, *m, here));
            }
            Statement::Barrier(b) => {
                out.push(Op::Do(statement.clone(), here));
                out.push(Op::Depart(*b, here));
            }
            _ => out.push(Op::Do(statement.clone(), here)),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// By thread: where it is; none before it is created.
    pc: Vec<Option<usize>>,
    registers: Vec<Vec<u64>>,
    memory: Vec<Vec<u64>>,
    /// Held or not.
    mutexes: Vec<bool>,
    /// By lock: the threads that hold it (the writer as !0), sorted.
    readers: Vec<u32>,
    writers: Vec<bool>,
    /// By thread: sleeps and was not woken.
    asleep: Vec<bool>,
    counts: Vec<u32>,
    /// By barrier: how many arrived; by thread: the round's last arrival that it waits for.
    arrived: Vec<u32>,
    until: Vec<u32>,
}

pub struct Machine<'a> {
    script: &'a Script,
    code: Vec<Vec<Op>>,
    pub findings: BTreeSet<Finding>,
}

fn mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

impl<'a> Machine<'a> {
    pub fn new(script: &'a Script) -> Self {
        let code = script
            .threads
            .iter()
            .map(|body| {
                let mut out = Vec::new();
                flatten(body, &mut 0, &mut out);
                out
            })
            .collect();
        Machine { script, code, findings: BTreeSet::new() }
    }

    pub fn start(&self) -> State {
        let threads = self.script.threads.len();
        let mut pc = vec![None; threads];
        pc[0] = Some(0);
        State {
            pc,
            registers: vec![vec![0; 8]; threads],
            memory: self.script.variables.clone(),
            mutexes: vec![false; self.script.mutexes],
            readers: vec![0; self.script.rwlocks],
            writers: vec![false; self.script.rwlocks],
            asleep: vec![false; threads],
            counts: self.script.semaphores.clone(),
            arrived: vec![0; self.script.barriers.len()],
            until: vec![0; threads],
        }
    }

    fn value(&self, s: &State, t: usize, e: &Expr) -> u64 {
        let m = mask(self.script.width);
        let v = |e: &Expr| self.value(s, t, e);
        let signed = |x: u64| ((x << (64 - self.script.width)) as i64) >> (64 - self.script.width);
        match e {
            Expr::Number(k) => k & m,
            Expr::Register(r) => s.registers[t][*r],
            Expr::Add(a, b) => v(a).wrapping_add(v(b)) & m,
            Expr::Sub(a, b) => v(a).wrapping_sub(v(b)) & m,
            Expr::Mul(a, b) => v(a).wrapping_mul(v(b)) & m,
            Expr::Eq(a, b) => u64::from(v(a) == v(b)),
            Expr::Less(a, b) => u64::from(v(a) < v(b)),
            Expr::SignedLess(a, b) => u64::from(signed(v(a)) < signed(v(b))),
            Expr::And(a, b) => u64::from(v(a) != 0 && v(b) != 0),
            Expr::Not(a) => u64::from(v(a) == 0),
        }
    }

    /// Runs what concerns nobody else. Inputs branch, unless `input` decides.
    fn settle(&mut self, s: State, t: usize, input: &dyn Fn(usize, u32) -> Option<u64>, out: &mut Vec<State>) {
        let mut s = s;
        while let Some(pc) = s.pc[t] {
            let Some(op) = self.code[t].get(pc).cloned() else { break };
            match op {
                Op::Jump(to) => s.pc[t] = Some(to),
                Op::Unless(e, to) => s.pc[t] = Some(if self.value(&s, t, &e) == 0 { to } else { pc + 1 }),
                Op::Do(Statement::Set(r, e), _) => {
                    s.registers[t][r] = self.value(&s, t, &e);
                    s.pc[t] = Some(pc + 1);
                }
                Op::Do(Statement::Assert(e, property), _) => {
                    if self.value(&s, t, &e) == 0 {
                        self.findings.insert(Finding::Property(property));
                    }
                    s.pc[t] = Some(pc + 1);
                }
                Op::Do(Statement::Input(r, below), site) => {
                    s.pc[t] = Some(pc + 1);
                    if let Some(value) = input(t, site) {
                        s.registers[t][r] = value;
                        continue;
                    }
                    for value in 0..below.min(mask(self.script.width) + 1) {
                        let mut next = s.clone();
                        next.registers[t][r] = value;
                        self.settle(next, t, input, out);
                    }
                    return;
                }
                _ => break,
            }
        }
        out.push(s);
    }

    pub fn first(&mut self, input: &dyn Fn(usize, u32) -> Option<u64>) -> Vec<State> {
        let mut out = Vec::new();
        let start = self.start();
        self.settle(start, 0, input, &mut out);
        out
    }

    /// What a thread does next, if it is not at its end.
    pub fn pending(&self, s: &State, t: usize) -> Option<&Op> {
        s.pc[t].and_then(|pc| self.code[t].get(pc))
    }

    pub fn enabled(&self, s: &State, t: usize) -> bool {
        match self.pending(s, t) {
            None => false,
            Some(Op::Wake(_, m, _)) => !s.asleep[t] && !s.mutexes[*m],
            Some(Op::Depart(b, _)) => s.arrived[*b] >= s.until[t],
            Some(Op::Do(statement, _)) => match statement {
                Statement::Lock(m) => !s.mutexes[*m],
                Statement::ReadLock(l) => !s.writers[*l],
                Statement::WriteLock(l) => !s.writers[*l] && s.readers[*l] == 0,
                Statement::Take(k) => s.counts[*k] > 0,
                Statement::Join(c) => s.pc[*c].is_some_and(|pc| pc == self.code[*c].len()),
                _ => true,
            },
            Some(_) => true,
        }
    }

    /// The states after a step; several if it chooses. `sleeper` is asked whom a signal wakes.
    pub fn step(
        &mut self,
        s: &State,
        t: usize,
        input: &dyn Fn(usize, u32) -> Option<u64>,
        sleeper: Option<Option<usize>>,
    ) -> Vec<State> {
        let mut out = Vec::new();
        let Some(op) = self.pending(s, t).cloned() else { return out };
        let mut next = s.clone();
        let m = mask(self.script.width);
        next.pc[t] = next.pc[t].map(|pc| pc + 1);
        match &op {
            Op::Wake(_, m, _) => next.mutexes[*m] = true,
            Op::Depart(..) => {}
            Op::Jump(_) | Op::Unless(..) => unreachable!("settled"),
            Op::Do(statement, _) => match statement {
                Statement::Load(r, v, index, _) => {
                    let i = index.as_ref().map_or(0, |e| self.value(s, t, e));
                    let cells = &s.memory[*v];
                    next.registers[t][*r] = cells[i as usize];
                }
                Statement::Store(v, index, e, _) => {
                    let i = index.as_ref().map_or(0, |e| self.value(s, t, e));
                    next.memory[*v][i as usize] = self.value(s, t, e);
                }
                Statement::FetchAdd(r, v, e) => {
                    let old = s.memory[*v][0];
                    next.memory[*v][0] = old.wrapping_add(self.value(s, t, e)) & m;
                    next.registers[t][*r] = old;
                }
                Statement::CompareExchange(r, v, expected, e) => {
                    let old = s.memory[*v][0];
                    if old == self.value(s, t, expected) {
                        next.memory[*v][0] = self.value(s, t, e);
                    }
                    next.registers[t][*r] = old;
                }
                Statement::Lock(m) => next.mutexes[*m] = true,
                Statement::TryLock(r, m) => {
                    next.registers[t][*r] = u64::from(!s.mutexes[*m]);
                    next.mutexes[*m] = true;
                }
                Statement::Unlock(m) => next.mutexes[*m] = false,
                Statement::ReadLock(l) => next.readers[*l] += 1,
                Statement::WriteLock(l) => next.writers[*l] = true,
                Statement::RwUnlock(l) if s.writers[*l] => next.writers[*l] = false,
                Statement::RwUnlock(l) => next.readers[*l] = s.readers[*l].saturating_sub(1),
                Statement::Wait(_, m) => {
                    next.mutexes[*m] = false;
                    next.asleep[t] = true;
                }
                Statement::Signal(c) => {
                    let sleepers: Vec<usize> = (0..s.pc.len())
                        .filter(|u| s.asleep[*u] && matches!(self.pending(s, *u), Some(Op::Wake(d, ..)) if d == c))
                        .collect();
                    match sleeper {
                        Some(wanted) => {
                            assert_eq!(wanted.is_none(), sleepers.is_empty(), "a signal is not wasted");
                            if let Some(u) = wanted {
                                assert!(sleepers.contains(&u), "only sleepers are woken");
                                next.asleep[u] = false;
                            }
                        }
                        None => {
                            for u in &sleepers {
                                let mut woken = next.clone();
                                woken.asleep[*u] = false;
                                self.settle(woken, t, input, &mut out);
                            }
                            if !sleepers.is_empty() {
                                return out;
                            }
                        }
                    }
                }
                Statement::Broadcast(c) => {
                    for u in 0..s.pc.len() {
                        if matches!(self.pending(s, u), Some(Op::Wake(d, ..)) if d == c) {
                            next.asleep[u] = false;
                        }
                    }
                }
                Statement::Post(k) => next.counts[*k] += 1,
                Statement::Take(k) => next.counts[*k] -= 1,
                Statement::TryTake(r, k) => {
                    next.registers[t][*r] = u64::from(s.counts[*k] > 0);
                    next.counts[*k] = s.counts[*k].saturating_sub(1);
                }
                Statement::Barrier(b) => {
                    let size = self.script.barriers[*b];
                    next.until[t] = s.arrived[*b] / size * size + size;
                    next.arrived[*b] += 1;
                }
                Statement::Create(c) => {
                    next.pc[*c] = Some(0);
                    let mut children = Vec::new();
                    self.settle(next, *c, input, &mut children);
                    for child in children {
                        self.settle(child, t, input, &mut out);
                    }
                    return out;
                }
                Statement::Join(_) => {}
                Statement::Assume(e) => {
                    if self.value(s, t, e) == 0 {
                        return out;
                    }
                }
                Statement::Set(..) | Statement::Input(..) | Statement::If(..) | Statement::Assert(..) => {
                    unreachable!("settled")
                }
            },
        }
        self.settle(next, t, input, &mut out);
        out
    }

    /// The cell that a pending operation accesses: variable, cell, whether it writes, whether it is plain, site.
    fn access(&self, s: &State, t: usize) -> Option<(usize, u64, bool, bool, u32)> {
        let Some(Op::Do(statement, site)) = self.pending(s, t) else { return None };
        let at = |index: &Option<Expr>| index.as_ref().map_or(0, |e| self.value(s, t, e));
        match statement {
            Statement::Load(_, v, index, plain) => Some((*v, at(index), false, *plain, *site)),
            Statement::Store(v, index, _, plain) => Some((*v, at(index), true, *plain, *site)),
            Statement::FetchAdd(_, v, _) => Some((*v, 0, true, false, *site)),
            Statement::CompareExchange(_, v, expected, _) => {
                Some((*v, 0, s.memory[*v][0] == self.value(s, t, expected), false, *site))
            }
            _ => None,
        }
    }

    /// Notes races and deadlocks of a state.
    pub fn look(&mut self, s: &State) {
        let threads = s.pc.len();
        for t in 0..threads {
            for u in t + 1..threads {
                if let (Some(a), Some(b)) = (self.access(s, t), self.access(s, u))
                    && (a.0, a.1) == (b.0, b.1)
                    && (a.2 || b.2)
                    && (a.3 || b.3)
                {
                    self.findings.insert(Finding::Race((t, a.4), (u, b.4)));
                }
            }
        }
        let main_runs = self.pending(s, 0).is_some();
        if main_runs && !(0..threads).any(|t| self.enabled(s, t)) {
            self.findings.insert(Finding::Deadlock);
        }
    }
}

/// Everything that can happen; none if there are too many states.
pub fn explore(script: &Script, most: usize) -> Option<BTreeSet<Finding>> {
    let mut machine = Machine::new(script);
    let mut seen: HashSet<State> = HashSet::new();
    let mut stack = machine.first(&|_, _| None);
    while let Some(s) = stack.pop() {
        if seen.contains(&s) {
            continue;
        }
        machine.look(&s);
        for t in 0..s.pc.len() {
            if machine.enabled(&s, t) {
                stack.extend(machine.step(&s, t, &|_, _| None, None));
            }
        }
        seen.insert(s);
        if seen.len() > most {
            return None;
        }
    }
    Some(machine.findings)
}
