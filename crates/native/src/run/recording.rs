//! Records one execution with call stacks, output and allocation sites, for replays and reports.

use heddle_checking::Recorded;
use heddle_model::follow::Step;
use heddle_model::wire::{LOCAL, MADE_BEFORE, SITE};
use heddle_model::{Executor, ExecutorError, ObjectId, Plan};

use crate::run::executor::NativeExecutor;

impl NativeExecutor {
    /// Runs `schedule` and records everything that happens, including call stacks. Plans under way are discarded.
    pub fn record(&mut self, schedule: &[Step]) -> Result<Recorded, ExecutorError> {
        self.record_plan(&Plan { schedule: schedule.to_vec(), record: true, ..Plan::default() })
    }

    /// Runs `plan` and records everything that happens, including call stacks. Plans under way are discarded.
    pub fn record_plan(&mut self, plan: &Plan) -> Result<Recorded, ExecutorError> {
        self.discard()?;
        let plan = Plan { record: true, ..plan.clone() };
        let outcome = self.run(&plan)?.outcome;
        let taken = self.taken();
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
        Ok(Recorded {
            events: taken.events.clone(),
            stacks,
            pending: taken.pending.clone(),
            pending_stacks,
            more_stacks,
            sites,
            locals,
            made_before,
            outcome,
            circle: taken.circle,
            thread: taken.result.thread,
            pc: taken.result.pc,
            message: taken.message.clone(),
            output: taken.output.clone(),
            printed: taken.result.output.into(),
        })
    }
}

/// Reads the next call stack: a word with the number of frames, then as many return addresses. Empty if the room for
/// stacks was exhausted.
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
