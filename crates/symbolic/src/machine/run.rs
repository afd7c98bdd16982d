//! Functions, blocks, branches and loops.

use super::{Action, Cut, Kind, Machine, Refusal};
use crate::ir::{BlockId, FuncId, Function, Inst, Operand, Site, Terminator};
use crate::memory::{Memory, ObjId, Value, merge_values};
use crate::term::{TermId, Terms};

/// What a thread carries from call to call.
#[derive(Clone)]
pub struct State {
    /// When the thread gets here: a boolean.
    pub guard: TermId,
    /// What it sees in memory.
    pub memory: Memory,
}

/// One call of a function.
#[derive(Clone)]
pub struct Frame {
    pub(crate) function: FuncId,
    pub(crate) registers: Vec<Option<Value>>,
    pub(crate) result: Option<Value>,
    /// Objects that end with the call.
    pub(crate) locals: Vec<ObjId>,
    /// For each loop: its iterations, and how many open branches were around it when it was entered.
    pub(crate) loops: Vec<(u32, u32)>,
}

/// The deepest nesting of calls: more than that is taken for recursion without end.
const DEEPEST: usize = 4000;

impl Machine<'_> {
    /// Calls a function of the program. Returns what it returns.
    pub(crate) fn call(
        &mut self,
        function: FuncId,
        args: Vec<Value>,
        state: &mut State,
    ) -> Result<Option<Value>, Refusal> {
        let module = self.module;
        let code = &module.functions[function as usize];
        if let Some(site) = code.irreducible {
            return Err(Refusal { site, what: "a loop with several entries".to_owned() });
        }
        let again = self.active.iter().filter(|(other, _)| *other == function).count();
        let first = self.active.iter().find(|(other, _)| *other == function).map_or(self.forks, |(_, forks)| *forks);
        if self.active.len() >= DEEPEST || (again > self.options.unwind as usize && self.forks > first) {
            self.cut(state, code.site);
            return Ok(None);
        }
        let mut frame = self.frame(function, args, state)?;
        let outer = (self.site, self.place, self.stack);
        self.active.push((function, self.forks));
        let ended = self.blocks(code, &mut frame, state, 0, None);
        self.active.pop();
        (self.site, self.place, self.stack) = outer;
        ended?;
        // The variables of `main` end with the process.
        if state.guard != Terms::FALSE && !(self.active.is_empty() && self.current == 0) {
            for local in &frame.locals {
                self.end_object(state, *local, Terms::TRUE)?;
            }
        }
        Ok(frame.result)
    }

    /// The frame of a call, with its arguments.
    pub(crate) fn frame(
        &mut self,
        function: FuncId,
        mut args: Vec<Value>,
        state: &mut State,
    ) -> Result<Frame, Refusal> {
        let module = self.module;
        let code = &module.functions[function as usize];
        // Arguments behind the named ones can be read only by what is refused.
        args.truncate(code.params as usize);
        let mut frame = Frame {
            function,
            registers: vec![None; code.registers.len()],
            result: None,
            locals: Vec::new(),
            loops: vec![(0, 0); code.loops.len()],
        };
        for (index, arg) in args.into_iter().enumerate() {
            let copied = code.by_value.get(index).copied().unwrap_or(0);
            frame.registers[index] =
                Some(if copied > 0 { self.copy_argument(&mut frame, state, arg, copied)? } else { arg });
        }
        Ok(frame)
    }

    pub(crate) fn cut(&mut self, state: &mut State, site: Site) {
        self.cuts.push(Cut { site, guard: state.guard });
        self.event(state.guard, Action::Cut);
        state.guard = Terms::FALSE;
    }

    /// Executes blocks until `stop`, the end of the function, or nothing is left.
    fn blocks(
        &mut self,
        code: &Function,
        frame: &mut Frame,
        state: &mut State,
        start: BlockId,
        stop: Option<BlockId>,
    ) -> Result<(), Refusal> {
        let mut block = start;
        loop {
            if state.guard == Terms::FALSE || Some(block) == stop {
                return Ok(());
            }
            let here = &code.blocks[block as usize];
            for (index, (inst, site)) in here.insts.iter().enumerate() {
                if site.line > 0 {
                    self.site = *site;
                }
                self.place = (frame.function, block, index as u32);
                self.steps += 1;
                self.instruction(frame, state, inst)?;
                if self.is_loud() {
                    return self.refuse("something visible");
                }
                if state.guard == Terms::FALSE {
                    return Ok(());
                }
            }
            self.blocks += 1;
            if self.blocks.is_multiple_of(256) && self.budget.is_over() {
                self.over = true;
                return self.refuse("a program that takes more time or memory than there is");
            }
            if self.steps > self.options.steps {
                self.exhausted = true;
                let site = if here.end_site.line > 0 { here.end_site } else { self.site };
                self.cut(state, site);
                return Ok(());
            }
            if here.end_site.line > 0 {
                self.site = here.end_site;
            }
            let (condition, then, otherwise) = match &here.end {
                Terminator::Return(value) => {
                    frame.result = match value {
                        Some(value) => Some(self.operand(frame, value)?),
                        None => None,
                    };
                    return Ok(());
                }
                Terminator::Unreachable => {
                    self.unreachable(state);
                    return Ok(());
                }
                Terminator::Refused(what) => return self.refuse(what.clone()),
                Terminator::Jump(to) => {
                    self.enter(code, frame, state, block, *to)?;
                    block = *to;
                    continue;
                }
                Terminator::Branch { condition, then, otherwise } => {
                    (self.truth(frame, condition)?, Arm::Block(*then), Arm::Block(*otherwise))
                }
                Terminator::Switch { value, cases, default } => {
                    let value = self.bits(frame, value)?;
                    let mut targets: Vec<(BlockId, TermId)> = Vec::new();
                    for (case, to) in cases {
                        let width = self.terms.width(value);
                        let case = self.terms.constant(width, *case);
                        let equal = self.terms.eq(value, case);
                        match targets.iter_mut().find(|(other, _)| other == to) {
                            Some((_, guard)) => *guard = self.terms.or(*guard, equal),
                            None => targets.push((*to, equal)),
                        }
                    }
                    targets.retain(|(_, guard)| *guard != Terms::FALSE);
                    let Some((first, condition)) = targets.first().copied() else {
                        self.enter(code, frame, state, block, *default)?;
                        block = *default;
                        continue;
                    };
                    (condition, Arm::Block(first), Arm::Switch(targets.split_off(1), *default))
                }
            };
            let join = code.post_dominator[block as usize];
            match self.decided(state, condition) {
                Some(truth) => {
                    let arm = if truth { then } else { otherwise };
                    match arm {
                        Arm::Block(to) => {
                            self.enter(code, frame, state, block, to)?;
                            block = to;
                        }
                        arm @ Arm::Switch(..) => {
                            self.arm(code, frame, state, block, arm, join)?;
                            match join {
                                Some(join) => block = join,
                                None => return Ok(()),
                            }
                        }
                    }
                }
                None => {
                    self.fork(code, frame, state, block, (condition, then, otherwise), join)?;
                    match join {
                        Some(join) => block = join,
                        None => return Ok(()),
                    }
                }
            }
        }
    }

    /// The end of a block that the compiler takes for unreachable. Functions that do not return have ended the thread before.
    pub(crate) fn unreachable(&mut self, state: &mut State) {
        self.check(state, Kind::Unreachable, Terms::FALSE, "code is reached that the compiler takes for unreachable");
    }

    /// The truth of a condition here, if it is not open.
    pub(crate) fn decided(&mut self, state: &State, condition: TermId) -> Option<bool> {
        if let Some(truth) = self.terms.as_bool(condition) {
            return Some(truth);
        }
        if self.terms.and(state.guard, condition) == Terms::FALSE {
            return Some(false);
        }
        let not = self.terms.not(condition);
        (self.terms.and(state.guard, not) == Terms::FALSE).then_some(true)
    }

    /// Runs both arms to `join` and merges them.
    pub(crate) fn fork(
        &mut self,
        code: &Function,
        frame: &mut Frame,
        state: &mut State,
        block: BlockId,
        (condition, then, otherwise): (TermId, Arm, Arm),
        join: Option<BlockId>,
    ) -> Result<(), Refusal> {
        let not = self.terms.not(condition);
        let (mut other_frame, mut other) = (frame.clone(), state.clone());
        let before = state.guard;
        state.guard = self.terms.and(before, condition);
        other.guard = self.terms.and(before, not);
        let unchanged = (state.guard, other.guard);
        self.forks += 1;
        self.arm(code, frame, state, block, then, join)?;
        self.arm(code, &mut other_frame, &mut other, block, otherwise, join)?;
        self.forks -= 1;
        let whole = (state.guard, other.guard) == unchanged;
        self.merge(condition, (frame, state), (other_frame, other), &code.live_across);
        if whole {
            state.guard = before;
        }
        Ok(())
    }

    fn arm(
        &mut self,
        code: &Function,
        frame: &mut Frame,
        state: &mut State,
        block: BlockId,
        arm: Arm,
        join: Option<BlockId>,
    ) -> Result<(), Refusal> {
        match arm {
            Arm::Block(to) => {
                self.enter(code, frame, state, block, to)?;
                self.blocks(code, frame, state, to, join)
            }
            Arm::Switch(mut targets, default) => {
                let Some((first, condition)) = targets.first().copied() else {
                    return self.arm(code, frame, state, block, Arm::Block(default), join);
                };
                let rest = Arm::Switch(targets.split_off(1), default);
                match self.decided(state, condition) {
                    Some(true) => self.arm(code, frame, state, block, Arm::Block(first), join),
                    Some(false) => self.arm(code, frame, state, block, rest, join),
                    None => self.fork(code, frame, state, block, (condition, Arm::Block(first), rest), join),
                }
            }
        }
    }

    /// Makes `mine` what it is where `condition` holds, and `other` where it does not.
    pub(crate) fn merge(
        &mut self,
        condition: TermId,
        mine: (&mut Frame, &mut State),
        other: (Frame, State),
        live: &[crate::ir::Reg],
    ) {
        let ((frame, state), (other_frame, other)) = (mine, other);
        if other.guard == Terms::FALSE {
            return;
        }
        if state.guard == Terms::FALSE {
            *frame = other_frame;
            *state = other;
            return;
        }
        for &reg in live {
            let theirs = &other_frame.registers[reg as usize];
            let mine = &mut frame.registers[reg as usize];
            *mine = self.merge_options(condition, mine.take(), theirs);
        }
        frame.result = self.merge_options(condition, frame.result.take(), &other_frame.result);
        for (mine, theirs) in frame.loops.iter_mut().zip(&other_frame.loops) {
            *mine = (mine.0.max(theirs.0), mine.1.min(theirs.1));
        }
        for local in other_frame.locals {
            if !frame.locals.contains(&local) {
                frame.locals.push(local);
            }
        }
        state.guard = self.terms.or(state.guard, other.guard);
        self.merge_memory(condition, state, other);
    }

    /// Variables that are there from the start get their contents at their first use: here at the latest.
    fn merge_memory(&mut self, condition: TermId, state: &mut State, mut other: State) {
        for object in state.memory.missing(&other.memory) {
            let side = if state.memory.get(object).is_none() { &mut state.memory } else { &mut other.memory };
            if let Some(contents) = self.initial(object) {
                side.set(object, contents);
            }
        }
        state.memory.merge(&mut self.terms, condition, &other.memory);
    }

    fn merge_options(&mut self, condition: TermId, mine: Option<Value>, theirs: &Option<Value>) -> Option<Value> {
        match (mine, theirs) {
            (Some(mine), Some(theirs)) => Some(merge_values(&mut self.terms, condition, &mine, theirs)),
            (mine, theirs) => mine.or_else(|| theirs.clone()),
        }
    }

    /// Goes from one block to another: loops are counted, and the values chosen that depend on where control came from.
    pub(crate) fn enter(
        &mut self,
        code: &Function,
        frame: &mut Frame,
        state: &mut State,
        from: BlockId,
        to: BlockId,
    ) -> Result<(), Refusal> {
        if let Some(index) = code.loop_of[to as usize] {
            let around = &code.loops[index as usize];
            if around.header == to {
                let inside = around.blocks.binary_search(&from).is_ok();
                let (count, entered) = &mut frame.loops[index as usize];
                if !inside {
                    (*count, *entered) = (0, self.forks);
                } else if self.forks > *entered {
                    // Only iterations behind a branch that is open count: the others end by themselves.
                    *count += 1;
                    let (bound, count) = (self.bound_of(around.site), *count);
                    let most = self.unwound.entry(around.site).or_insert(0);
                    *most = (*most).max(count.min(bound));
                    if count > bound {
                        self.cut(state, around.site);
                        return Ok(());
                    }
                }
            }
        }
        let mut chosen = Vec::new();
        for (inst, _) in &code.blocks[to as usize].insts {
            let Inst::Phi { dst, incoming } = inst else { break };
            let operand: Option<&Operand> = incoming.iter().find(|(block, _)| *block == from).map(|(_, value)| value);
            if let Some(operand) = operand {
                chosen.push((*dst, self.operand(frame, operand)?));
            }
        }
        for (dst, value) in chosen {
            frame.registers[dst as usize] = Some(value);
        }
        Ok(())
    }

    /// Runs `then` where `condition` holds and `otherwise` where it does not, inside one instruction.
    pub(crate) fn choose<T>(
        &mut self,
        state: &mut State,
        condition: TermId,
        then: impl FnOnce(&mut Self, &mut State) -> Result<T, Refusal>,
        otherwise: impl FnOnce(&mut Self, &mut State) -> Result<T, Refusal>,
    ) -> Result<(Option<T>, Option<T>), Refusal> {
        match self.decided(state, condition) {
            Some(true) => return Ok((Some(then(self, state)?), None)),
            Some(false) => return Ok((None, Some(otherwise(self, state)?))),
            None => {}
        }
        let not = self.terms.not(condition);
        let before = state.guard;
        let mut other = state.clone();
        state.guard = self.terms.and(before, condition);
        other.guard = self.terms.and(before, not);
        let unchanged = (state.guard, other.guard);
        self.forks += 1;
        let first = then(self, state)?;
        let second = otherwise(self, &mut other)?;
        self.forks -= 1;
        if other.guard == Terms::FALSE {
            return Ok((Some(first), None));
        }
        if state.guard == Terms::FALSE {
            *state = other;
            return Ok((None, Some(second)));
        }
        let whole = (state.guard, other.guard) == unchanged;
        state.guard = if whole { before } else { self.terms.or(state.guard, other.guard) };
        self.merge_memory(condition, state, other);
        Ok((Some(first), Some(second)))
    }
}

/// One way of a branch.
#[derive(Clone, Debug)]
pub(crate) enum Arm {
    /// A block.
    Block(BlockId),
    /// The other targets of a switch with their conditions, and its default.
    Switch(Vec<(BlockId, TermId)>, BlockId),
}
