//! Executes each thread of a script once, with its branches merged.

use super::{Expr, Script, Statement};
use crate::order::event::{Event, Kind, Place, Program, Thread, Variable};
use crate::term::{Sort, TermId, Terms, VarId};

/// The events of a script, and what its inputs are called.
pub struct Events {
    /// The events of all threads.
    pub program: Program,
    /// The inputs: thread, number of the input in the thread's code, and unknown.
    pub inputs: Vec<(usize, u32, VarId)>,
}

/// The number of a statement in its thread's code, in the order of reading: what events carry as their site.
type Site = u32;

struct Executor<'a> {
    terms: &'a mut Terms,
    script: &'a Script,
    thread: usize,
    events: Vec<Event>,
    registers: Vec<TermId>,
    inputs: Vec<(usize, u32, VarId)>,
    site: Site,
}

/// Executes all threads.
pub fn events(script: &Script, terms: &mut Terms) -> Events {
    let mut program = Program {
        mutexes: script.mutexes,
        rwlocks: script.rwlocks,
        conditions: script.conditions,
        semaphores: script.semaphores.clone(),
        barriers: script.barriers.clone(),
        ..Program::default()
    };
    for (v, cells) in script.variables.iter().enumerate() {
        let initial = cells.iter().map(|k| terms.constant(script.width, u128::from(*k))).collect();
        program.variables.push(Variable { name: format!("v{v}"), initial });
    }
    let mut inputs = Vec::new();
    for (thread, body) in script.threads.iter().enumerate() {
        let mut executor =
            Executor { terms, script, thread, events: Vec::new(), registers: Vec::new(), inputs: Vec::new(), site: 0 };
        executor.run(body, Terms::TRUE);
        inputs.append(&mut executor.inputs);
        program.threads.push(Thread { name: format!("t{thread}"), events: executor.events });
    }
    Events { program, inputs }
}

impl Executor<'_> {
    fn emit(&mut self, guard: TermId, kind: Kind) {
        self.events.push(Event { guard, kind, site: self.site });
    }

    fn zero(&mut self) -> TermId {
        self.terms.constant(self.script.width, 0)
    }

    fn set(&mut self, register: usize, value: TermId) {
        let zero = self.zero();
        while self.registers.len() <= register {
            self.registers.push(zero);
        }
        self.registers[register] = value;
    }

    fn truth(&mut self, condition: TermId) -> TermId {
        let (one, zero) = (self.terms.constant(self.script.width, 1), self.zero());
        self.terms.ite(condition, one, zero)
    }

    fn condition(&mut self, e: &Expr) -> TermId {
        let value = self.value(e);
        self.terms.nonzero(value)
    }

    fn value(&mut self, e: &Expr) -> TermId {
        let two = |this: &mut Self, a: &Expr, b: &Expr| (this.value(a), this.value(b));
        match e {
            Expr::Number(k) => self.terms.constant(self.script.width, u128::from(*k)),
            Expr::Register(r) => match self.registers.get(*r) {
                Some(t) => *t,
                None => self.zero(),
            },
            Expr::Add(a, b) => {
                let (a, b) = two(self, a, b);
                self.terms.add(a, b)
            }
            Expr::Sub(a, b) => {
                let (a, b) = two(self, a, b);
                self.terms.sub(a, b)
            }
            Expr::Mul(a, b) => {
                let (a, b) = two(self, a, b);
                self.terms.mul(a, b)
            }
            Expr::Eq(a, b) => {
                let (a, b) = two(self, a, b);
                let c = self.terms.eq(a, b);
                self.truth(c)
            }
            Expr::Less(a, b) => {
                let (a, b) = two(self, a, b);
                let c = self.terms.ult(a, b);
                self.truth(c)
            }
            Expr::SignedLess(a, b) => {
                let (a, b) = two(self, a, b);
                let c = self.terms.slt(a, b);
                self.truth(c)
            }
            Expr::And(a, b) => {
                let (a, b) = (self.condition(a), self.condition(b));
                let c = self.terms.and(a, b);
                self.truth(c)
            }
            Expr::Not(a) => {
                let a = self.condition(a);
                let c = self.terms.not(a);
                self.truth(c)
            }
        }
    }

    fn place(&mut self, variable: usize, index: &Option<Expr>) -> Place {
        let index = index.as_ref().map(|e| self.value(e));
        Place { variable, index }
    }

    fn fresh(&mut self, name: &str) -> TermId {
        self.terms.variable(Sort::Bits(self.script.width), name)
    }

    fn run(&mut self, body: &[Statement], guard: TermId) {
        for statement in body {
            self.site += 1;
            match statement {
                Statement::Load(r, v, index, plain) => {
                    let place = self.place(*v, index);
                    let value = self.fresh("load");
                    self.emit(guard, Kind::Load { place, value, plain: *plain });
                    self.set(*r, value);
                }
                Statement::Store(v, index, e, plain) => {
                    let place = self.place(*v, index);
                    let value = self.value(e);
                    self.emit(guard, Kind::Store { place, value, plain: *plain });
                }
                Statement::FetchAdd(r, v, e) => {
                    let (old, more) = (self.fresh("old"), self.value(e));
                    let new = self.terms.add(old, more);
                    let place = Place { variable: *v, index: None };
                    self.emit(guard, Kind::Update { place, old, new, writes: Terms::TRUE });
                    self.set(*r, old);
                }
                Statement::CompareExchange(r, v, expected, e) => {
                    let (expected, new, old) = (self.value(expected), self.value(e), self.fresh("old"));
                    let writes = self.terms.eq(old, expected);
                    let place = Place { variable: *v, index: None };
                    self.emit(guard, Kind::Update { place, old, new, writes });
                    self.set(*r, old);
                }
                Statement::Set(r, e) => {
                    let value = self.value(e);
                    self.set(*r, value);
                }
                Statement::Input(r, below) => {
                    let value = self.fresh("input");
                    if let Some(v) = self.terms.as_variable(value) {
                        self.inputs.push((self.thread, self.site, v));
                    }
                    if u128::from(*below) <= crate::term::mask(self.script.width) {
                        let limit = self.terms.constant(self.script.width, u128::from(*below));
                        let condition = self.terms.ult(value, limit);
                        self.emit(guard, Kind::Assume { condition });
                    }
                    self.set(*r, value);
                }
                Statement::Lock(m) => self.emit(guard, Kind::Lock { mutex: *m }),
                Statement::TryLock(r, m) => {
                    let success = self.terms.variable(Sort::Bool, "trylock");
                    self.emit(guard, Kind::TryLock { mutex: *m, success });
                    let value = self.truth(success);
                    self.set(*r, value);
                }
                Statement::Unlock(m) => self.emit(guard, Kind::Unlock { mutex: *m }),
                Statement::ReadLock(l) => self.emit(guard, Kind::ReadLock { lock: *l }),
                Statement::WriteLock(l) => self.emit(guard, Kind::WriteLock { lock: *l }),
                Statement::RwUnlock(l) => self.emit(guard, Kind::RwUnlock { lock: *l }),
                Statement::Wait(c, m) => {
                    self.emit(guard, Kind::Sleep { condition: *c, mutex: *m });
                    self.emit(guard, Kind::Wake { condition: *c, mutex: *m });
                }
                Statement::Signal(c) => self.emit(guard, Kind::Signal { condition: *c }),
                Statement::Broadcast(c) => self.emit(guard, Kind::Broadcast { condition: *c }),
                Statement::Post(s) => self.emit(guard, Kind::Post { semaphore: *s }),
                Statement::Take(s) => self.emit(guard, Kind::Take { semaphore: *s }),
                Statement::TryTake(r, s) => {
                    let success = self.terms.variable(Sort::Bool, "trywait");
                    self.emit(guard, Kind::TryTake { semaphore: *s, success });
                    let value = self.truth(success);
                    self.set(*r, value);
                }
                Statement::Barrier(b) => {
                    self.emit(guard, Kind::Arrive { barrier: *b });
                    self.emit(guard, Kind::Depart { barrier: *b });
                }
                Statement::Create(child) => self.emit(guard, Kind::Create { child: *child }),
                Statement::Join(child) => self.emit(guard, Kind::Join { child: *child }),
                Statement::If(e, yes, no) => {
                    let c = self.condition(e);
                    let before = self.registers.clone();
                    let taken = self.terms.and(guard, c);
                    self.run(yes, taken);
                    let after_yes = std::mem::replace(&mut self.registers, before);
                    let not_c = self.terms.not(c);
                    let not_taken = self.terms.and(guard, not_c);
                    self.run(no, not_taken);
                    let zero = self.zero();
                    let count = after_yes.len().max(self.registers.len());
                    self.registers.resize(count, zero);
                    for r in 0..count {
                        // A register that only one branch has set is 0 in the other.
                        let yes = after_yes.get(r).copied().unwrap_or(zero);
                        self.registers[r] = self.terms.ite(c, yes, self.registers[r]);
                    }
                }
                Statement::Assume(e) => {
                    let condition = self.condition(e);
                    self.emit(guard, Kind::Assume { condition });
                }
                Statement::Assert(e, property) => {
                    let holds = self.condition(e);
                    let violated = self.terms.not(holds);
                    self.emit(guard, Kind::Check { violated, property: *property });
                }
            }
        }
    }
}
