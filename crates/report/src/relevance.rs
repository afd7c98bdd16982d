//! Which steps of an execution matter to its finding.
//!
//! A step that did not happen before the finding (by the order of one thread, or by what it follows from) could be
//! left out, and the finding would be the same: it does not matter. Of what is left of a long execution the
//! steps that are about the finding's own objects, those by which threads depend on each other, and the end say the most.

use heddle_model::Trace;
use heddle_model::primitive::thread;
use heddle_model::trace::TraceStep;

use crate::causes;

/// The end of an execution always matters.
const TAIL: usize = 6;

/// For each step whether it happened before the finding.
pub fn before_finding(trace: &Trace) -> Vec<bool> {
    let steps = &trace.steps;
    if trace.focus.is_empty() {
        return vec![true; steps.len()];
    }
    let focus: Vec<usize> = trace.focus.iter().map(|&step| step as usize).collect();
    let after = |step: usize| steps[step].after.iter().map(|&cause| cause as usize).collect();
    causes::past(steps.len(), |step| steps[step].thread, after, &focus)
}

/// For each step whether to show it where there is room for about `most`.
pub fn most_relevant(trace: &Trace, most: usize) -> Vec<bool> {
    let mut shown = before_finding(trace);
    let steps = &trace.steps;
    // That a thread begins is clear from its first step.
    for index in 0..steps.len() {
        let id = steps[index].thread;
        let follows = steps[index + 1..].iter().zip(&shown[index + 1..]).any(|(s, shown)| *shown && s.thread == id);
        let ends = trace.last.iter().any(|step| step.thread == id);
        shown[index] &= !steps[index].is(thread::START) || !(follows || ends);
        // An access that races was before the end of its thread, and stands for it.
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
    // From the end: what happened last explains the most.
    let mut left = most;
    for mark in shown.iter_mut().rev() {
        if *mark {
            *mark = left > 0;
            left = left.saturating_sub(1);
        }
    }
    shown
}

/// Whether a step is about something that the finding is about.
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
