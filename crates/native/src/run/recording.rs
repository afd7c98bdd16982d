//! Records one execution with call stacks, output and allocation sites, for replays and reports.

use heddle_checking::{Recorded, Site};
use heddle_model::follow::Step;
use heddle_model::wire::{CALLED, LOCAL, MADE_BEFORE, SITE, WRITTEN};
use heddle_model::{Executor, ExecutorError, ObjectId, Plan, ThreadId};

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
        let (stacks, written) = taken.events.iter().map(|_| stack(&mut words)).unzip();
        let pending_stacks = taken.pending.iter().map(|_| stack(&mut words).0).collect();
        let mut more_stacks = Vec::new();
        let mut sites = Vec::new();
        let mut made_before = Vec::new();
        let mut locals = Vec::new();
        let mut called = Vec::new();
        while let Some(frames) = words.next() {
            let stack: Vec<u64> = words.by_ref().take(frames as usize).collect();
            match stack.as_slice() {
                [SITE, object, block, size, site @ ..] => {
                    sites.push(Site { object: ObjectId(*object), block: *block, size: *size, stack: site.to_vec() });
                }
                [CALLED, thread, name @ ..] => {
                    let bytes: Vec<u8> =
                        name.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
                    called.push((ThreadId(*thread as u16), String::from_utf8_lossy(&bytes).into_owned()));
                }
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
            written,
            sites,
            called,
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

/// Reads the next call stack: a word with the number of frames, then as many return addresses, and the value that the event has written if
/// the first word says that there is one. Empty if the room for stacks was exhausted.
fn stack(words: &mut impl Iterator<Item = u64>) -> (Vec<u64>, Option<u64>) {
    let first = words.next().unwrap_or(0);
    let frames = words.by_ref().take((first & !WRITTEN) as usize).collect();
    let written = if first & WRITTEN != 0 { words.next() } else { None };
    (frames, written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_follow_each_other() {
        let mut words = [2, 10, 11, 0, 1 | WRITTEN, 12, 7, 5, 13].into_iter();
        assert_eq!(stack(&mut words), (vec![10, 11], None));
        assert_eq!(stack(&mut words), (vec![], None));
        assert_eq!(stack(&mut words), (vec![12], Some(7)));
        assert_eq!(stack(&mut words), (vec![13], None), "cut off by the end of the room");
        assert_eq!(stack(&mut words), (vec![], None));
    }
}
