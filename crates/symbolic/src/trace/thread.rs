//! One thread, operation by operation: from where it stands to its next visible operation.

use heddle_model::primitive::{assume, atomic, choice, memory, process, thread};
use heddle_model::{Ending, ObjectId, OpCode, Operation};

use super::Tracer;
use super::calls::Waiting;
use crate::ir::{BlockId, Constant, FuncId, Function, Inst, Operand, Reg, Site};
use crate::machine::{Arm, ENDED, Frame, Refusal};
use crate::memory::{Alternative, Key, ObjId, Pointer, Value};
use crate::term::{TermId, Terms};

/// The most places that an open address is split into.
const PLACES: usize = 64;

/// A call that a thread is in.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) frame: Frame,
    pub(crate) block: BlockId,
    pub(crate) index: usize,
    /// The caller's register that gets the result.
    pub(crate) result: Option<Reg>,
    /// For each loop: whether its iteration went on by a choice, or by what another thread may change.
    pub(super) open: Vec<bool>,
    /// What the end of the call does.
    pub(crate) then: Then,
    /// Locals whose ends were operations.
    ended: usize,
    /// How many bytes its locals have.
    pub(super) stack: u64,
}

/// What the end of a call does, besides giving its result to the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Then {
    Nothing,
    /// The call was that of `pthread_once`.
    Once(ObjectId),
    /// The call was an atomic section.
    Section,
    /// The call was made before `main`.
    Constructor,
}

/// What a thread does when its operation is taken.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    /// It begins.
    Start,
    /// It goes on in one of these ways: each holds where its condition does.
    Choose(Vec<(TermId, Way)>),
    /// It executes the instruction where it stands, which touches visible memory.
    Execute,
    /// A local variable of the innermost call ends.
    End(ObjId),
    /// What a library call waits for.
    Call(Waiting),
    /// It has ended.
    Exit,
    /// It never goes on.
    Stop,
}

/// How a thread goes on after a choice.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// Into an arm of a branch.
    Arm(Arm),
    /// With a register of the innermost call that has one value.
    Pin(Reg, Value),
}

/// A thread.
#[derive(Clone, Default)]
pub(crate) struct Running {
    /// Its calls, the innermost last.
    pub(crate) calls: Vec<Call>,
    /// What its next operation does.
    pub(crate) next: Option<Next>,
    /// Its function and argument, until it begins.
    pub(crate) begin: Option<(FuncId, Value)>,
    /// What it returned.
    pub(crate) result: Option<Value>,
    /// Where its next operation is in the source.
    pub(crate) site: Site,
    /// How many instructions it has executed.
    pub(crate) steps: u64,
    /// Whether it is `main` and ends the process.
    pub(crate) status: Option<TermId>,
}

impl Running {
    /// A thread that has not begun.
    pub(crate) fn new(function: FuncId, argument: Value, site: Site) -> Running {
        Running { begin: Some((function, argument)), next: Some(Next::Start), site, ..Running::default() }
    }
}

/// Why a thread stands where it stands.
pub(super) type Stand = Result<Option<(Operation, Next)>, Refusal>;

impl<'m> Tracer<'m> {
    pub(crate) fn code(&self, function: FuncId) -> &'m Function {
        &self.machine.module.functions[function as usize]
    }

    /// Pushes a call.
    pub(crate) fn push(
        &mut self,
        function: FuncId,
        args: Vec<Value>,
        result: Option<Reg>,
        then: Then,
    ) -> Result<(), Refusal> {
        let code = self.code(function);
        if let Some(site) = code.irreducible {
            return Err(Refusal { site, what: "a loop with several entries".to_owned() });
        }
        let again = self.running().calls.iter().filter(|call| call.frame.function == function).count();
        if again > self.machine.options.unwind as usize && again > 8 {
            let site = code.site;
            self.machine.cut(&mut self.state, site);
            return Ok(());
        }
        let frame = self.machine.frame(function, args, &mut self.state)?;
        let call =
            Call { frame, block: 0, index: 0, result, open: vec![false; code.loops.len()], then, ended: 0, stack: 0 };
        self.running_mut().calls.push(call);
        Ok(())
    }

    /// Runs the current thread up to its next visible operation.
    pub(crate) fn advance(&mut self) -> Result<(Operation, Next), Refusal> {
        loop {
            if let Some(next) = self.settle()? {
                return Ok(next);
            }
            if let Some(next) = self.step()? {
                self.running_mut().site = self.machine.site;
                // A check on the way may have ended everything.
                return match self.settle()? {
                    Some(stop) => Ok(stop),
                    None => Ok(next),
                };
            }
        }
    }

    /// Nothing more is done by the thread.
    pub(crate) fn stopped() -> (Operation, Next) {
        (Operation::new(assume::FALSE, ObjectId::NONE), Next::Stop)
    }

    /// Looks at what was checked, cut and assumed on the way. Returns where the thread stands if it cannot go on.
    fn settle(&mut self) -> Stand {
        self.look_at_accesses();
        self.look_at_conditions();
        let guard = std::mem::replace(&mut self.state.guard, Terms::TRUE);
        if guard == Terms::FALSE {
            return Ok(Some(Self::stopped()));
        }
        if guard != Terms::TRUE {
            if !self.possible_with(guard) {
                return Ok(Some(Self::stopped()));
            }
            let thread = self.current;
            self.past.add(thread, guard);
        }
        Ok(None)
    }

    /// Executes one instruction or one branch. Returns the operation if something visible is next.
    fn step(&mut self) -> Stand {
        let Some(call) = self.running().calls.last() else {
            return Ok(Some((Operation::new(thread::EXIT, ObjectId::thread(self.thread_id())), Next::Exit)));
        };
        let (function, block, index) = (call.frame.function, call.block, call.index);
        let code = self.code(function);
        let here = &code.blocks[block as usize];
        let Some((inst, site)) = here.insts.get(index) else {
            if here.end_site.line > 0 {
                self.machine.site = here.end_site;
            }
            return self.terminator(code, block);
        };
        if site.line > 0 {
            self.machine.site = *site;
        }
        self.machine.place = (function, block, index as u32);
        let limit = self.machine.options.steps;
        let running = self.running_mut();
        running.steps += 1;
        if running.steps > limit {
            let site = self.machine.site;
            self.machine.cut(&mut self.state, site);
            return Ok(None);
        }
        match inst {
            Inst::Call { dst, callee, args, .. } => return self.call(*dst, callee, args, inst),
            Inst::Fence => return Ok(Some((Operation::new(atomic::FENCE, ObjectId::NONE), Next::Execute))),
            Inst::Load { ptr, ty, atomic, .. } => {
                let size = self.machine.module.size(*ty);
                if let Some(next) = self.memory(ptr, size, atomic.then_some(atomic::LOAD), false)? {
                    return Ok(Some(next));
                }
            }
            Inst::Store { ptr, ty, atomic, .. } => {
                let size = self.machine.module.size(*ty);
                if let Some(next) = self.memory(ptr, size, atomic.then_some(atomic::STORE), true)? {
                    return Ok(Some(next));
                }
            }
            Inst::Rmw { ptr, ty, .. } | Inst::CompareExchange { ptr, ty, .. } => {
                let size = self.machine.module.size(*ty);
                if let Some(next) = self.memory(ptr, size, Some(atomic::RMW), true)? {
                    return Ok(Some(next));
                }
            }
            _ => {}
        }
        self.execute(inst)?;
        Ok(None)
    }

    /// Executes the instruction where the thread stands, and goes behind it.
    pub(crate) fn execute(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let mut call = match self.running_mut().calls.pop() {
            Some(call) => call,
            None => return self.machine.refuse("an instruction of no function"),
        };
        // Variables of `main` end with the process: others, called from here, do not.
        self.machine.active = self.threads[self.current].calls.iter().map(|outer| (outer.frame.function, 0)).collect();
        self.machine.active.push((call.frame.function, 0));
        let before = self.threads[self.current].calls.iter().map(|outer| outer.stack).sum::<u64>() + call.stack;
        self.machine.stack = before;
        let done = self.machine.instruction(&mut call.frame, &mut self.state, inst);
        call.stack += self.machine.stack - before;
        self.machine.active.clear();
        call.index += 1;
        self.running_mut().calls.push(call);
        done?;
        if self.watch().loud {
            return self.machine.refuse("a library function on memory that threads race for");
        }
        Ok(())
    }

    /// The operation of an access, if it is visible.
    fn memory(&mut self, ptr: &Operand, size: u64, atomic: Option<OpCode>, write: bool) -> Stand {
        if atomic.is_none() && self.watch().revealed.is_empty() {
            return Ok(None);
        }
        let pointer = self.pointer(ptr)?;
        let visible = atomic.is_some() || self.sees(&pointer, size)?;
        if !visible {
            return Ok(None);
        }
        let Some((base, offset)) = self.one_place(&pointer) else { return self.split(ptr, &pointer, size as u32) };
        let Some(base) = base else { return Ok(None) };
        let address = base.address() + offset;
        // An access that fails its checks touches nothing.
        if !self.inside(base, offset, size) {
            return Ok(None);
        }
        let operation = match atomic {
            Some(code) => {
                Operation { size: size as u16, detail: atomic::orders(5, 5), ..Operation::new(code, ObjectId(address)) }
            }
            None => {
                let code = if write { memory::WRITE } else { memory::READ };
                let ended = (base.address() + ENDED, 1);
                let data = self.watch().sees(base, (offset, offset + size));
                let (address, length) = if data { (address, size) } else { ended };
                // Whether the object is there is read in any case.
                memory::access(if data { code } else { memory::READ }, address, length as usize)
            }
        };
        if write || operation.code == atomic::RMW {
            // Nothing: the loop goes on by what the thread does itself.
        } else {
            self.loops_are_open();
        }
        Ok(Some((operation, Next::Execute)))
    }

    fn inside(&self, base: ObjId, offset: u64, size: u64) -> bool {
        let whole = self.machine.terms.interval(self.machine.objects[base].size).1;
        u128::from(offset) + u128::from(size) <= whole
    }

    /// Iterations of the loops around the thread count: what it looked at may be changed by others.
    pub(crate) fn loops_are_open(&mut self) {
        let machine = &self.machine;
        let Some(running) = self.threads.get_mut(self.current) else { return };
        for call in &mut running.calls {
            let code = &machine.module.functions[call.frame.function as usize];
            let mut around = code.loop_of[call.block as usize];
            while let Some(index) = around {
                call.open[index as usize] = true;
                around = code.loops[index as usize].parent;
            }
        }
    }

    pub(crate) fn pointer(&mut self, operand: &Operand) -> Result<Pointer, Refusal> {
        let value = self.value(operand)?;
        self.machine.value_pointer(&value)
    }

    /// The value of an operand of the innermost call.
    pub(crate) fn value(&mut self, operand: &Operand) -> Result<Value, Refusal> {
        if let Operand::Const(Constant::Refused(_)) = operand {
            return Ok(Value::Term(Terms::FALSE));
        }
        let Some(mut call) = self.running_mut().calls.pop() else { return self.machine.refuse("no function") };
        let value = self.machine.operand(&mut call.frame, operand);
        self.running_mut().calls.push(call);
        value
    }

    /// Whether a pointer can point to bytes whose accesses are visible.
    fn sees(&mut self, pointer: &Pointer, size: u64) -> Result<bool, Refusal> {
        for alternative in pointer.alternatives() {
            let Some(base) = alternative.base else { continue };
            let (low, high) = match self.machine.terms.as_constant(alternative.offset) {
                Some(offset) => (offset as u64, offset as u64),
                None => {
                    let limit = self.machine.terms.interval(self.machine.objects[base].size).1.min(1 << 27) as u64;
                    let (low, high) = self.machine.terms.interval(alternative.offset);
                    (low.min(u128::from(limit)) as u64, high.min(u128::from(limit)) as u64)
                }
            };
            let watch = self.watch();
            if watch.sees(base, (low, high + size)) || watch.sees(base, (ENDED, ENDED + 1)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The place that a pointer means, if it is one: the object and the offset in it.
    pub(crate) fn one_place(&self, pointer: &Pointer) -> Option<(Option<ObjId>, u64)> {
        let [only] = pointer.alternatives() else { return None };
        let offset = self.machine.terms.as_constant(only.offset)?;
        Some((only.base, offset as u64))
    }

    /// A choice between the places that a pointer can mean.
    pub(crate) fn split(&mut self, operand: &Operand, pointer: &Pointer, size: u32) -> Stand {
        let Operand::Reg(reg) = operand else { return self.machine.refuse("a constant with several values") };
        let mut ways = Vec::new();
        for Alternative { guard, base, offset } in pointer.alternatives().to_vec() {
            if !self.possible_with(guard) {
                continue;
            }
            let Some(object) = base else {
                ways.push((guard, Way::Pin(*reg, Value::Pointer(Pointer::number(offset)))));
                continue;
            };
            let mut rest = guard;
            for at in self.machine.offsets(object, offset, size)? {
                let constant = self.machine.terms.constant(64, u128::from(at));
                let here = self.machine.terms.eq(offset, constant);
                let both = self.machine.terms.and(guard, here);
                if !self.possible_with(both) {
                    continue;
                }
                let not = self.machine.terms.not(here);
                rest = self.machine.terms.and(rest, not);
                ways.push((both, Way::Pin(*reg, Value::Pointer(Pointer::new(object, constant)))));
            }
            if self.possible_with(rest) {
                // Outside of the object: the checks of the access say so.
                let outside = self.machine.objects[object].size;
                ways.push((rest, Way::Pin(*reg, Value::Pointer(Pointer::new(object, outside)))));
            }
            if ways.len() > PLACES {
                return self.machine.refuse("an access to one of more than 64 places that threads share");
            }
        }
        Ok(Some(self.choice(ways)))
    }

    /// A choice between ways that are all possible.
    pub(crate) fn choice(&mut self, ways: Vec<(TermId, Way)>) -> (Operation, Next) {
        match ways.len() {
            0 => Self::stopped(),
            count => (Operation::new(choice::CHOOSE, ObjectId::NONE).with_argument(count as u64), Next::Choose(ways)),
        }
    }

    /// Leaves the innermost call.
    pub(crate) fn leave(&mut self, value: Option<Value>) -> Stand {
        let last = self.running().calls.len() == 1;
        if last && self.current == 0 {
            // The variables of `main` end with the process.
            let code = match &value {
                Some(Value::Term(term)) => *term,
                _ => self.machine.terms.constant(32, 0),
            };
            self.machine.exit(&mut self.state, code);
            // The process has not ended yet: what other threads call until then is no exit.
            self.machine.exits.clear();
            self.running_mut().status = Some(code);
            return Ok(Some((process::end(Ending::Exit { status: 0 }), Next::Exit)));
        }
        let Some(call) = self.running().calls.last() else { return Ok(None) };
        let (locals, ended) = (call.frame.locals.clone(), call.ended);
        for (index, local) in locals.iter().enumerate().skip(ended) {
            if self.watch().sees(*local, (ENDED, ENDED + 1)) {
                let operation = memory::access(memory::WRITE, local.address() + ENDED, 1);
                if let Some(call) = self.running_mut().calls.last_mut() {
                    call.ended = index + 1;
                }
                return Ok(Some((operation, Next::End(*local))));
            }
            self.machine.end_object(&mut self.state, *local, Terms::TRUE)?;
            if let Some(call) = self.running_mut().calls.last_mut() {
                call.ended = index + 1;
            }
        }
        let Some(call) = self.running_mut().calls.pop() else { return Ok(None) };
        let next = match call.then {
            Then::Nothing | Then::Constructor => None,
            Then::Once(object) => Some(self.once_done(object)),
            Then::Section => Some(self.section_end()),
        };
        match self.running_mut().calls.last_mut() {
            Some(caller) => {
                if call.then == Then::Nothing {
                    caller.index += 1;
                }
                if let (Some(dst), Some(value)) = (call.result, value) {
                    caller.frame.registers[dst as usize] = Some(value);
                }
            }
            None => self.running_mut().result = value,
        }
        Ok(next)
    }

    /// A call: of the program's own function, of one that is visible, or of a model.
    fn call(&mut self, dst: Option<Reg>, callee: &Operand, args: &[Operand], inst: &Inst) -> Stand {
        let target = self.pointer(callee)?;
        if target.alternatives().len() > 1 {
            return self.split(callee, &target, 1);
        }
        let base = target.alternatives().first().and_then(|alternative| alternative.base);
        let function = base.and_then(|base| match self.machine.objects[base].key {
            Key::Function(function) => Some(function),
            _ => None,
        });
        let Some(function) = function else {
            self.execute(inst)?;
            return Ok(None);
        };
        let code = self.code(function);
        if let Some(stand) = self.library(function, dst, args)? {
            return Ok(Some(stand));
        }
        if self.skip_call {
            self.skip_call = false;
            return Ok(None);
        }
        if code.blocks.is_empty() {
            let visible = code.name == "free" || code.name.starts_with("_Zd");
            if visible && let Some(next) = self.freeing(args)? {
                return Ok(Some(next));
            }
            self.execute(inst)?;
            return self.process_ends();
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.value(arg)?);
        }
        self.push(function, values, dst, Then::Nothing)?;
        Ok(None)
    }

    /// A block that is freed, if others may use it at the same time.
    fn freeing(&mut self, args: &[Operand]) -> Stand {
        let (Some(arg), false) = (args.first(), self.watch().revealed.is_empty()) else { return Ok(None) };
        let pointer = self.pointer(arg)?;
        let seen = pointer
            .alternatives()
            .iter()
            .any(|a| a.base.is_some_and(|base| self.watch().sees(base, (ENDED, ENDED + 1))));
        if !seen {
            return Ok(None);
        }
        match self.one_place(&pointer) {
            None => self.split(arg, &pointer, 1),
            Some((None, _)) => Ok(None),
            Some((Some(base), _)) => {
                Ok(Some((memory::access(memory::WRITE, base.address() + ENDED, 1), Next::Execute)))
            }
        }
    }

    /// Whether a library call has ended the process.
    fn process_ends(&mut self) -> Stand {
        let Some((guard, code)) = self.machine.exits.pop() else { return Ok(None) };
        if guard != Terms::TRUE {
            return self.machine.refuse("an exit in the middle of a call");
        }
        self.state.guard = Terms::TRUE;
        self.running_mut().status = Some(code);
        Ok(Some((process::end(Ending::Exit { status: 0 }), Next::Exit)))
    }
}
