//! Branches of one thread: one arm if the other is impossible, both merged if nothing in them is visible, else a choice.

use super::Tracer;
use super::thread::{Stand, Way};
use crate::ir::{BlockId, Function, Inst, Terminator};
use crate::machine::{Arm, Refusal};
use crate::memory::Value;
use crate::term::{TermId, Terms};

impl<'m> Tracer<'m> {
    /// The end of a block.
    pub(super) fn terminator(&mut self, code: &'m Function, block: BlockId) -> Stand {
        let (condition, then, otherwise) = match &code.blocks[block as usize].end {
            Terminator::Return(value) => {
                let value = match value {
                    Some(value) => Some(self.value(value)?),
                    None => None,
                };
                return self.leave(value);
            }
            Terminator::Unreachable => {
                self.machine.unreachable(&mut self.state);
                return Ok(None);
            }
            Terminator::Refused(what) => return self.machine.refuse(what.clone()),
            Terminator::Jump(to) => {
                self.go(block, *to)?;
                return Ok(None);
            }
            Terminator::Branch { condition, then, otherwise } => {
                let value = self.value(condition)?;
                let condition = match value {
                    Value::Term(term) if self.machine.terms.width(term) == 0 => term,
                    value => {
                        let bits = self.machine.value_bits(&value)?;
                        self.machine.terms.nonzero(bits)
                    }
                };
                (condition, Arm::Block(*then), Arm::Block(*otherwise))
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.value(value)?;
                let value = self.machine.value_bits(&value)?;
                let width = self.machine.terms.width(value);
                let mut targets: Vec<(BlockId, TermId)> = Vec::new();
                for (case, to) in cases {
                    let case = self.machine.terms.constant(width, *case);
                    let equal = self.machine.terms.eq(value, case);
                    match targets.iter_mut().find(|(other, _)| other == to) {
                        Some((_, guard)) => *guard = self.machine.terms.or(*guard, equal),
                        None => targets.push((*to, equal)),
                    }
                }
                match targets.split_first() {
                    Some((&(first, condition), rest)) => {
                        (condition, Arm::Block(first), Arm::Switch(rest.to_vec(), *default))
                    }
                    None => {
                        self.go(block, *default)?;
                        return Ok(None);
                    }
                }
            }
        };
        self.branch(code, block, (condition, then, otherwise))
    }

    /// A branch: one arm if the other is impossible, both merged if nothing in them is visible, else a choice.
    pub(crate) fn branch(
        &mut self,
        code: &'m Function,
        block: BlockId,
        (condition, then, otherwise): (TermId, Arm, Arm),
    ) -> Stand {
        let not = self.machine.terms.not(condition);
        let (yes, no) = (self.possible_with(condition), self.possible_with(not));
        match (yes, no) {
            (false, false) => return Ok(Some(Self::stopped())),
            (true, false) => return self.take_arm(code, block, then),
            (false, true) => return self.take_arm(code, block, otherwise),
            (true, true) => {}
        }
        if self.merges && self.merge(code, block, (condition, then.clone(), otherwise.clone()))? {
            return Ok(None);
        }
        // Whether a loop goes on is open here.
        let mut around = code.loop_of[block as usize];
        while let Some(index) = around {
            let inside = &code.loops[index as usize];
            let leaves =
                code.blocks[block as usize].end.successors().iter().any(|to| inside.blocks.binary_search(to).is_err());
            if leaves && let Some(call) = self.running_mut().calls.last_mut() {
                call.open[index as usize] = true;
            }
            around = inside.parent;
        }
        Ok(Some(self.choice(vec![(condition, Way::Arm(then)), (not, Way::Arm(otherwise))])))
    }

    /// Goes into an arm.
    pub(crate) fn take_arm(&mut self, code: &'m Function, block: BlockId, arm: Arm) -> Stand {
        match arm {
            Arm::Block(to) => {
                self.go(block, to)?;
                Ok(None)
            }
            Arm::Switch(mut targets, default) => match targets.first().copied() {
                None => {
                    self.go(block, default)?;
                    Ok(None)
                }
                Some((first, condition)) => {
                    let rest = Arm::Switch(targets.split_off(1), default);
                    self.branch(code, block, (condition, Arm::Block(first), rest))
                }
            },
        }
    }

    /// Runs both arms to where they meet, if nothing in them is visible. Returns whether that was so.
    fn merge(
        &mut self,
        code: &'m Function,
        block: BlockId,
        (condition, then, otherwise): (TermId, Arm, Arm),
    ) -> Result<bool, Refusal> {
        let Some(call) = self.running().calls.last() else { return Ok(false) };
        let mut frame = call.frame.clone();
        let mut state = self.state.clone();
        let machine = &mut self.machine;
        let kept = (
            machine.conditions.len(),
            machine.cuts.len(),
            machine.inputs.len(),
            machine.printed.len(),
            machine.exits.len(),
            machine.steps,
            machine.site,
            machine.place,
            machine.forks,
        );
        let (made, library_made) = (machine.made.clone(), machine.library_made.clone());
        let join = code.post_dominator[block as usize];
        let (asked, touched) = match &mut machine.watch {
            Some(watch) => {
                watch.quiet = true;
                watch.loud = false;
                (watch.asked.clone(), watch.touched.len())
            }
            None => return Ok(false),
        };
        machine.steps = 0;
        let stack = self.threads[self.current].calls.iter().map(|call| call.stack).sum::<u64>();
        machine.stack = stack;
        machine.active = self.threads[self.current].calls.iter().map(|call| (call.frame.function, 0)).collect();
        // The iterations of the loops around are counted from outside.
        let loops = frame.loops.clone();
        let done = machine.fork(code, &mut frame, &mut state, block, (condition, then, otherwise), join);
        let cuts_loop = machine.cuts.len() > kept.1;
        if let Some(watch) = &mut machine.watch {
            watch.quiet = false;
            let loud = std::mem::take(&mut watch.loud);
            if loud || machine.exits.len() > kept.4 || cuts_loop {
                watch.asked = asked;
                watch.touched.truncate(touched);
                machine.conditions.truncate(kept.0);
                machine.cuts.truncate(kept.1);
                machine.inputs.truncate(kept.2);
                machine.printed.truncate(kept.3);
                machine.exits.truncate(kept.4);
                (machine.steps, machine.site, machine.place, machine.forks) = (kept.5, kept.6, kept.7, kept.8);
                machine.active.clear();
                (machine.made, machine.library_made) = (made, library_made);
                return Ok(false);
            }
        }
        machine.forks = kept.8;
        machine.active.clear();
        done?;
        self.state = state;
        if join.is_some() {
            frame.loops = loops;
        }
        let grown = self.machine.stack.saturating_sub(stack);
        let Some(call) = self.running_mut().calls.last_mut() else { return Ok(true) };
        call.frame = frame;
        call.stack += grown;
        match join {
            Some(join) => (call.block, call.index) = (join, skip(code, join)),
            // Both arms leave the function: what it returns is there.
            None => (call.block, call.index) = (BlockId::MAX, 0),
        }
        if join.is_none() && self.state.guard != Terms::FALSE {
            let value = self.running_mut().calls.last_mut().and_then(|call| call.frame.result.take());
            if let Some((_, _)) = self.leave(value)? {
                return self.machine.refuse("the end of a local variable that threads race for");
            }
        }
        Ok(true)
    }

    /// Goes from one block to another. Iterations that others decide, or inputs, are counted.
    fn go(&mut self, from: BlockId, to: BlockId) -> Result<(), Refusal> {
        let Some(mut call) = self.running_mut().calls.pop() else { return Ok(()) };
        let code = self.code(call.frame.function);
        if let Some(index) = code.loop_of[to as usize] {
            let around = &code.loops[index as usize];
            if around.header == to {
                let inside = around.blocks.binary_search(&from).is_ok();
                let open = std::mem::take(&mut call.open[index as usize]);
                if !inside {
                    call.frame.loops[index as usize] = (0, 0);
                } else if open {
                    call.frame.loops[index as usize].0 += 1;
                    let (count, bound) = (call.frame.loops[index as usize].0, self.machine.bound_of(around.site));
                    let most = self.machine.unwound.entry(around.site).or_insert(0);
                    *most = (*most).max(count.min(bound));
                    if count > bound {
                        self.running_mut().calls.push(call);
                        self.machine.cut(&mut self.state, around.site);
                        return Ok(());
                    }
                }
            }
        }
        let counts = call.frame.loops.clone();
        let entered = self.machine.enter(code, &mut call.frame, &mut self.state, from, to);
        call.frame.loops = counts;
        (call.block, call.index) = (to, skip(code, to));
        self.running_mut().calls.push(call);
        entered
    }
}

/// Behind the instructions that were done on the way into a block.
fn skip(code: &Function, block: BlockId) -> usize {
    code.blocks[block as usize].insts.iter().take_while(|(inst, _)| matches!(inst, Inst::Phi { .. })).count()
}
