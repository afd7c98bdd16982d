//! Random scripts, made for one feature each: a rule that nothing uses is a rule that nothing tests.

use crate::script::{Expr, Script, Statement, add, eq, number, reg};

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn chance(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    Memory,
    Branches,
    Arrays,
    Updates,
    Locks,
    TryLocks,
    Deadlocks,
    ReadWrite,
    Conditions,
    Semaphores,
    TryTakes,
    Barriers,
    Joins,
    Assumes,
    Races,
    Mixed,
}

pub const FEATURES: [Feature; 16] = [
    Feature::Memory,
    Feature::Branches,
    Feature::Arrays,
    Feature::Updates,
    Feature::Locks,
    Feature::TryLocks,
    Feature::Deadlocks,
    Feature::ReadWrite,
    Feature::Conditions,
    Feature::Semaphores,
    Feature::TryTakes,
    Feature::Barriers,
    Feature::Joins,
    Feature::Assumes,
    Feature::Races,
    Feature::Mixed,
];

struct Maker<'r> {
    random: &'r mut Random,
    feature: Feature,
    properties: u32,
}

const REGISTERS: usize = 3;

impl Maker<'_> {
    fn expr(&mut self) -> Expr {
        let r = reg(self.random.below(REGISTERS));
        match self.random.below(6) {
            0 | 1 => number(self.random.below(3) as u64),
            2 => r,
            3 => add(r, number(1)),
            4 => add(r, reg(self.random.below(REGISTERS))),
            _ => Expr::Mul(Box::new(r), Box::new(reg(self.random.below(REGISTERS)))),
        }
    }

    fn condition(&mut self) -> Expr {
        let (a, b) = (reg(self.random.below(REGISTERS)), number(self.random.below(3) as u64));
        match self.random.below(4) {
            0 => Expr::Less(Box::new(a), Box::new(b)),
            1 => eq(a, reg(self.random.below(REGISTERS))),
            2 => Expr::Not(Box::new(eq(a, b))),
            _ => eq(a, b),
        }
    }

    fn assertion(&mut self) -> Statement {
        self.properties += 1;
        Statement::Assert(self.condition(), self.properties - 1)
    }

    fn load(&mut self) -> Statement {
        let (r, v) = (self.random.below(REGISTERS), self.random.below(2));
        let plain = !self.random.chance(3);
        Statement::Load(r, v, None, plain)
    }

    fn store(&mut self) -> Statement {
        let v = self.random.below(2);
        let plain = !self.random.chance(3);
        Statement::Store(v, None, self.expr(), plain)
    }

    /// A cell of variable 2, an array of two cells: the index is a bit of a register.
    fn cell(&mut self) -> Option<Expr> {
        let r = reg(self.random.below(REGISTERS));
        Some(if self.random.chance(3) { number(self.random.below(2) as u64) } else { eq(r, number(1)) })
    }

    /// A few statements of the feature.
    fn piece(&mut self, depth: usize) -> Vec<Statement> {
        let feature =
            if self.feature == Feature::Mixed { FEATURES[self.random.below(FEATURES.len() - 1)] } else { self.feature };
        let inner =
            |this: &mut Self| -> Vec<Statement> { (0..1 + this.random.below(2)).map(|_| this.simple()).collect() };
        let two = |this: &mut Self| this.random.below(2);
        match feature {
            _ if self.random.chance(4) => vec![self.simple()],
            Feature::Memory | Feature::Races | Feature::Joins => vec![self.simple(), self.simple()],
            Feature::Branches => {
                let (yes, no) = if depth < 2 && self.random.chance(2) {
                    (self.piece(depth + 1), self.piece(depth + 1))
                } else {
                    (inner(self), inner(self))
                };
                let no = if self.random.chance(2) { Vec::new() } else { no };
                vec![self.load(), Statement::If(self.condition(), yes, no)]
            }
            Feature::Arrays => {
                let r = self.random.below(REGISTERS);
                let mut all = vec![self.load()];
                let index = self.cell();
                let plain = self.random.chance(2);
                all.push(if self.random.chance(2) {
                    Statement::Load(r, 2, index, plain)
                } else {
                    Statement::Store(2, index, self.expr(), plain)
                });
                all
            }
            Feature::Updates => {
                let (r, v) = (self.random.below(REGISTERS), two(self));
                vec![if self.random.chance(2) {
                    Statement::FetchAdd(r, v, self.expr())
                } else {
                    let expected = number(self.random.below(2) as u64);
                    Statement::CompareExchange(r, v, expected, self.expr())
                }]
            }
            Feature::Locks => {
                let m = if self.random.chance(4) { 1 } else { 0 };
                let mut all = vec![Statement::Lock(m)];
                all.extend(inner(self));
                if self.random.chance(4) {
                    let mut yes = inner(self);
                    yes.push(Statement::Unlock(m));
                    all.push(Statement::If(self.condition(), yes, vec![Statement::Unlock(m)]));
                } else {
                    all.extend(inner(self));
                    all.push(Statement::Unlock(m));
                }
                if self.random.chance(5) {
                    // Only on one branch, with one condition for both halves.
                    let c = self.condition();
                    let body = std::mem::take(&mut all);
                    all.push(Statement::If(c, body, Vec::new()));
                }
                all
            }
            Feature::TryLocks => {
                let (m, r) = (two(self), self.random.below(REGISTERS));
                if self.random.chance(2) {
                    let mut all = vec![Statement::Lock(m)];
                    all.extend(inner(self));
                    all.push(Statement::Unlock(m));
                    return all;
                }
                let mut yes = inner(self);
                yes.push(Statement::Unlock(m));
                if self.random.chance(6) {
                    yes.pop();
                }
                vec![Statement::TryLock(r, m), Statement::If(reg(r), yes, inner(self))]
            }
            Feature::Deadlocks => {
                let (a, b) = (two(self), two(self));
                let mut all = vec![Statement::Lock(a), Statement::Lock(b)];
                all.push(self.simple());
                if !self.random.chance(4) {
                    all.push(Statement::Unlock(b));
                }
                if !self.random.chance(5) {
                    all.push(Statement::Unlock(a));
                }
                if self.random.chance(3) {
                    let body = all.split_off(1);
                    let (last, rest) =
                        body.split_last().map(|(l, r)| (l.clone(), r.to_vec())).unwrap_or((Statement::Lock(0), vec![]));
                    all.push(Statement::If(self.condition(), rest, Vec::new()));
                    all.push(last);
                }
                all
            }
            Feature::ReadWrite => {
                let write = self.random.chance(2);
                let l = if self.random.chance(5) { 1 } else { 0 };
                let mut all = vec![if write { Statement::WriteLock(l) } else { Statement::ReadLock(l) }];
                if self.random.chance(6) {
                    all.push(if self.random.chance(2) {
                        Statement::ReadLock(1 - l)
                    } else {
                        Statement::WriteLock(1 - l)
                    });
                    all.push(self.simple());
                    all.push(Statement::RwUnlock(1 - l));
                }
                all.extend(inner(self));
                if !self.random.chance(8) {
                    all.push(Statement::RwUnlock(l));
                }
                all
            }
            Feature::Conditions => match self.random.below(6) {
                0 | 1 => vec![
                    Statement::Lock(0),
                    self.load(),
                    Statement::If(self.condition(), vec![Statement::Wait(0, 0)], Vec::new()),
                    self.simple(),
                    Statement::Unlock(0),
                ],
                2 => vec![Statement::Lock(0), Statement::Wait(0, 0), self.simple(), Statement::Unlock(0)],
                3 => vec![Statement::Lock(0), self.store(), Statement::Signal(0), Statement::Unlock(0)],
                4 => vec![self.simple(), Statement::Signal(0)],
                _ => vec![Statement::Lock(0), self.simple(), Statement::Unlock(0), Statement::Broadcast(0)],
            },
            Feature::Semaphores | Feature::TryTakes => {
                let s = two(self);
                let r = self.random.below(REGISTERS);
                match self.random.below(5) {
                    0 | 1 => vec![Statement::Take(s), self.simple()],
                    2 | 3 => vec![self.simple(), Statement::Post(s)],
                    _ if feature == Feature::TryTakes => {
                        vec![Statement::TryTake(r, s), Statement::If(reg(r), inner(self), Vec::new())]
                    }
                    _ => vec![Statement::Take(s), self.simple(), Statement::Post(s)],
                }
            }
            Feature::Barriers => {
                let b = Statement::Barrier(0);
                if self.random.chance(4) {
                    vec![self.load(), Statement::If(self.condition(), vec![b], Vec::new()), self.simple()]
                } else {
                    vec![self.simple(), b, self.simple()]
                }
            }
            Feature::Assumes => {
                if self.random.chance(2) {
                    vec![self.load(), Statement::Assume(self.condition())]
                } else {
                    vec![Statement::Input(self.random.below(REGISTERS), 3), self.simple()]
                }
            }
            Feature::Mixed => unreachable!("one of the others was chosen"),
        }
    }

    fn simple(&mut self) -> Statement {
        match self.random.below(8) {
            0..=2 => self.load(),
            3..=5 => self.store(),
            6 => self.assertion(),
            _ => Statement::Set(self.random.below(REGISTERS), self.expr()),
        }
    }
}

/// Two threads that sleep, and one that signals only when both do.
fn two_sleepers(random: &mut Random) -> Vec<Vec<Statement>> {
    let load = || Statement::Load(0, 0, None, false);
    let mut sleeper = vec![Statement::Lock(0), load(), Statement::Store(0, None, add(reg(0), number(1)), false)];
    sleeper.extend([Statement::Wait(0, 0), Statement::Unlock(0)]);
    let mut signaller = vec![Statement::Lock(0), load(), Statement::Assume(eq(reg(0), number(2)))];
    for _ in 0..1 + random.below(3) {
        signaller.push(if random.chance(8) { Statement::Broadcast(0) } else { Statement::Signal(0) });
    }
    signaller.insert(if random.chance(2) { signaller.len() } else { 3 }, Statement::Unlock(0));
    let main = (1..=3).map(Statement::Create).chain((1..=3).map(Statement::Join)).collect();
    vec![main, sleeper.clone(), sleeper, signaller]
}

/// A random script for a feature.
pub fn script(random: &mut Random, feature: Feature) -> Script {
    let mut script = Script::new(2);
    script.variables = vec![vec![0], vec![random.below(2) as u64], vec![0, 1]];
    script.mutexes = 2;
    script.rwlocks = 2;
    script.conditions = 1;
    script.semaphores = vec![random.below(2) as u32, random.below(3) as u32];
    script.barriers = vec![2];
    if feature == Feature::Conditions && random.chance(12) {
        script.threads = two_sleepers(random);
        return script;
    }
    // What threads read last, for `main` to compare.
    let observed = feature == Feature::Memory && random.chance(2);
    let threads = if observed { 2 } else { 1 + random.below(2) + usize::from(random.chance(5)) };
    let mut maker = Maker { random, feature, properties: 0 };
    let body = |maker: &mut Maker, most: usize| {
        let mut all = Vec::new();
        for _ in 0..1 + maker.random.below(most) {
            all.extend(maker.piece(0));
        }
        all
    };
    let mut main = Vec::new();
    if maker.random.chance(2) {
        main.push(Statement::Input(0, 2 + maker.random.below(2) as u64));
        main.push(Statement::Store(maker.random.below(2), None, reg(0), true));
    }
    main.extend((1..=threads).map(Statement::Create));
    if maker.random.chance(2) {
        main.extend(body(&mut maker, 2));
    }
    let joins = !maker.random.chance(4);
    if joins {
        for t in 1..=threads {
            let join = Statement::Join(t);
            if maker.feature == Feature::Joins && maker.random.chance(3) {
                let load = maker.load();
                main.push(load);
                main.push(Statement::If(maker.condition(), vec![join], Vec::new()));
            } else {
                main.push(join);
            }
        }
    }
    for _ in 0..2 {
        let load = maker.load();
        main.push(load);
    }
    if observed {
        main.extend([0, 1].map(|r| Statement::Load(r, 2, Some(number(r as u64)), true)));
        let both = [0, 1].map(|r| eq(reg(r), number(maker.random.below(2) as u64)));
        let [a, b] = both;
        maker.properties += 1;
        main.push(Statement::Assert(crate::script::not(crate::script::and(a, b)), maker.properties - 1));
    }
    let last = maker.assertion();
    main.push(last);
    let mut bodies = vec![main];
    for t in 0..threads {
        let mut thread = body(&mut maker, if threads > 2 { 1 } else { 2 });
        if maker.random.chance(2) {
            let claim = maker.assertion();
            thread.push(claim);
        }
        if observed {
            let (r, v) = (maker.random.below(REGISTERS), maker.random.below(2));
            if !maker.random.chance(4) {
                thread = vec![Statement::Store(v, None, number(1), false), Statement::Load(r, 1 - v, None, false)];
                if maker.random.chance(2) {
                    thread.swap(0, 1);
                }
            }
            thread.push(Statement::Store(2, Some(number(t as u64)), reg(r), true));
        }
        bodies.push(thread);
    }
    script.threads = bodies;
    script
}
