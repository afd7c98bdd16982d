//! One execution with everything that can be known of it: for replays, and for telling a finding.

use heddle_model::follow::Step;
use heddle_model::wire::{LOCAL, MADE_BEFORE, SITE};
use heddle_model::{Event, Executor, ExecutorError, ObjectId, Outcome, Pending, Plan, ThreadId};

use crate::run::executor::NativeExecutor;

/// One execution with everything that can be known of it.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordedExecution {
    /// What happened, in order.
    pub events: Vec<Event>,
    /// For each event, where the program was: return addresses, innermost first.
    pub stacks: Vec<Vec<u64>>,
    /// The threads that had not ended.
    pub pending: Vec<Pending>,
    /// For each of those, where it was.
    pub pending_stacks: Vec<Vec<u64>>,
    /// Where else the program was: the stacks that belong to a fault.
    pub more_stacks: Vec<Vec<u64>>,
    /// Objects that lie in the heap, and where their blocks were allocated.
    pub sites: Vec<(ObjectId, Vec<u64>)>,
    /// Objects that lie on a stack: an address in the code of the function whose variable it is, and where its frame ends.
    pub locals: Vec<(ObjectId, u64, u64)>,
    /// Objects that were made by a call before `main` began; [`ObjectId::NONE`] if there were too many to keep.
    pub made_before: Vec<ObjectId>,
    /// How it ended.
    pub outcome: Outcome,
    /// A number that belongs to the outcome.
    pub detail: u64,
    /// The thread that was running at the end.
    pub thread: ThreadId,
    /// Where, for outcomes that are no event: a return address, or 0.
    pub pc: u64,
    /// Words that belong to the outcome.
    pub message: String,
    /// What the program printed, as far as it was kept.
    pub output: Vec<u8>,
    /// How many bytes it printed in all.
    pub printed: u64,
}

impl NativeExecutor {
    /// Runs `schedule` once more and writes down all that happens, call stacks too. Plans that are under way are
    /// discarded.
    pub fn record(&mut self, schedule: &[Step]) -> Result<RecordedExecution, ExecutorError> {
        self.record_plan(&Plan { schedule: schedule.to_vec(), record: true, ..Plan::default() })
    }

    /// The same for a whole plan.
    pub fn record_plan(&mut self, plan: &Plan) -> Result<RecordedExecution, ExecutorError> {
        self.discard()?;
        let plan = Plan { record: true, ..plan.clone() };
        let outcome = self.run(&plan)?.outcome;
        let taken = &self.taken;
        let mut words = taken.stacks.iter().copied();
        let stacks = taken.events.iter().map(|_| stack(&mut words)).collect();
        let pending_stacks = taken.pending.iter().map(|_| stack(&mut words)).collect();
        let mut more_stacks = Vec::new();
        let mut sites = Vec::new();
        let mut made_before = Vec::new();
        let mut locals = Vec::new();
        while let Some(frames) = words.next() {
            let stack: Vec<u64> = words.by_ref().take(frames as usize).collect();
            match stack.as_slice() {
                [SITE, object, site @ ..] => sites.push((ObjectId(*object), site.to_vec())),
                [LOCAL, object, code, end] => locals.push((ObjectId(*object), *code, *end)),
                [MADE_BEFORE, objects @ ..] => made_before.extend(objects.iter().map(|&object| ObjectId(object))),
                _ => more_stacks.push(stack),
            }
        }
        Ok(RecordedExecution {
            events: taken.events.clone(),
            stacks,
            pending: taken.pending.clone(),
            pending_stacks,
            more_stacks,
            sites,
            locals,
            made_before,
            outcome,
            detail: taken.result.detail,
            thread: taken.result.thread,
            pc: taken.result.pc,
            message: taken.message.clone(),
            output: taken.output.clone(),
            printed: taken.result.output.into(),
        })
    }
}

/// The next stack: a word with the number of frames, then as many return addresses. Empty where there was no more
/// room for it.
fn stack(words: &mut impl Iterator<Item = u64>) -> Vec<u64> {
    let frames = words.next().unwrap_or(0);
    words.by_ref().take(frames as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_follow_each_other() {
        let mut words = [2, 10, 11, 0, 1, 12, 5, 13].into_iter();
        assert_eq!(stack(&mut words), [10, 11]);
        assert!(stack(&mut words).is_empty());
        assert_eq!(stack(&mut words), [12]);
        assert_eq!(stack(&mut words), [13], "cut off by the end of the room");
        assert!(stack(&mut words).is_empty());
    }
}
