//! The steps that every execution of a search begins with, when more of the program becomes visible.
//!
//! A schedule means something only together with the places of plain memory that are visible: an access to such a place is a
//! step of its own, and an access to any other place is part of the step before it. When places become visible during a search
//! from given steps, those steps must be told with the new ones between them. The execution stays what it was: a thread made
//! these accesses right after its step, before anybody else went on, and so it does now.

use std::collections::BTreeSet;

use heddle_model::follow::Step;
use heddle_model::{Executor, ExecutorError, Plan};

use crate::options::Options;

/// The given steps of `options`, for an executor that has been shown `places`.
///
/// Runs one execution for each step. Where the program does not follow, the steps stay as they are: the search will meet the
/// divergence and report it.
pub(crate) fn retold(
    options: &Options,
    places: &BTreeSet<u64>,
    executor: &mut dyn Executor,
) -> Result<Vec<Step>, ExecutorError> {
    let known: BTreeSet<u64> = options.places.iter().copied().collect();
    let mut plan = Plan { max_steps: options.max_steps.unwrap_or(0), ..Plan::default() };
    for step in &options.prefix {
        plan.schedule.push(*step);
        let length = plan.schedule.len();
        // After its schedule an execution stays with the thread that ran last.
        let execution = executor.run(&plan)?;
        let rest = execution.events.get(length..).unwrap_or_default();
        let new = rest.iter().take_while(|event| {
            let touches = |places| event.operation.touches_any(places);
            event.thread == step.thread && touches(places) && !touches(&known)
        });
        plan.schedule.extend(new.map(Step::of));
    }
    Ok(plan.schedule)
}
