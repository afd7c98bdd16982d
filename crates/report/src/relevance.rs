//! Selects the steps of an execution that matter to its finding.
//!
//! A step that does not happen before the finding could be left out without changing it, so it does not matter. In a
//! long execution the most useful of the other steps are those on the finding's own objects, those at which threads
//! depend on each other, and the last ones.

use heddle_model::Trace;
use heddle_model::primitive::thread;
use heddle_model::trace::TraceStep;

use crate::causes;

/// The number of steps at the end of an execution that are always shown.
const TAIL: usize = 6;

/// For each step, whether it happens before the finding.
pub fn before_finding(trace: &Trace) -> Vec<bool> {
    let steps = &trace.steps;
    if trace.focus.is_empty() {
        return vec![true; steps.len()];
    }
    let focus: Vec<usize> = trace.focus.iter().map(|&step| step as usize).collect();
    let after = |step: usize| steps[step].after.iter().map(|&cause| cause as usize).collect();
    causes::past(steps.len(), |step| steps[step].thread, after, &focus)
}

/// For each step, whether to show it if there is room for about `most` steps.
pub fn most_relevant(trace: &Trace, most: usize) -> Vec<bool> {
    let mut shown = before_finding(trace);
    let steps = &trace.steps;
    // The first step of a thread shows that it started.
    for index in 0..steps.len() {
        let id = steps[index].thread;
        let follows = steps[index + 1..].iter().zip(&shown[index + 1..]).any(|(s, shown)| *shown && s.thread == id);
        let ends = trace.last.iter().any(|step| step.thread == id);
        shown[index] &= !steps[index].is(thread::START) || !(follows || ends);
        // A racing access is shown at the end and replaces the end of its thread.
        shown[index] &= !steps[index].is(thread::EXIT) || !ends;
    }
    if count(&shown) <= most {
        return shown;
    }
    let mut caused = vec![false; steps.len()];
    for (step, shown) in steps.iter().zip(&shown).filter(|(_, shown)| **shown) {
        debug_assert!(*shown);
        step.after.iter().for_each(|&cause| caused[cause as usize] = true);
    }
    for index in 0..steps.len() {
        let depends = caused[index] || !steps[index].after.is_empty();
        shown[index] &=
            index + TAIL >= steps.len() || depends || steps[index].preempts || is_about(trace, &steps[index]);
    }
    if count(&shown) > most {
        for index in 0..steps.len() {
            shown[index] &= index + TAIL >= steps.len() || steps[index].preempts || is_about(trace, &steps[index]);
        }
    }
    // Keeps the last steps, which explain the most.
    let mut left = most;
    for mark in shown.iter_mut().rev() {
        if *mark {
            *mark = left > 0;
            left = left.saturating_sub(1);
        }
    }
    shown
}

/// Whether a step acts on an object that the finding mentions.
pub fn is_about(trace: &Trace, step: &TraceStep) -> bool {
    let finding = &trace.finding;
    let named = |text: &str| !step.object.is_empty() && text.contains(&step.object);
    let at_end = |last: &TraceStep| named(&last.object);
    finding.threads.iter().any(|t| named(&t.state) || t.holds.iter().any(|held| named(held)))
        || trace.last.iter().any(at_end)
        || named(&finding.message)
}

fn count(shown: &[bool]) -> usize {
    shown.iter().filter(|shown| **shown).count()
}
