//! Selects the steps of an execution that matter to its finding.
//!
//! A step that does not happen before the finding could be left out without changing it, so it does not matter. In a
//! long execution the most useful of the other steps are those on the finding's own objects, those at which threads
//! depend on each other, and the last ones.

use std::collections::BTreeMap;

use heddle_model::primitive::{atomic, thread};
use heddle_model::trace::{StepResult, TraceStep};
use heddle_model::{ThreadId, Trace};

use crate::causes;
use crate::recording::is_user;

/// The number of steps at the end of an execution that are always shown.
const TAIL: usize = 6;

/// For each step, whether it happens before the finding, or the finding names it.
pub fn before_finding(trace: &Trace) -> Vec<bool> {
    let steps = &trace.steps;
    if trace.focus.is_empty() {
        return vec![true; steps.len()];
    }
    let focus: Vec<usize> = trace.focus.iter().map(|&step| step as usize).chain(named(trace)).collect();
    let after = |step: usize| steps[step].after.iter().map(|&cause| cause as usize).collect();
    causes::past(steps.len(), |step| steps[step].thread, after, &focus)
}

/// For each step, whether to show it if there is room for about `most` steps. The steps that are the reason for the finding are shown even
/// if there are more of them.
pub fn most_relevant(trace: &Trace, most: usize) -> Vec<bool> {
    let mut shown = before_finding(trace);
    let steps = &trace.steps;
    let reasons = reasons(trace);
    // The first step of a thread shows that it started.
    for index in 0..steps.len() {
        let id = steps[index].thread;
        let follows = steps[index + 1..].iter().zip(&shown[index + 1..]).any(|(s, shown)| *shown && s.thread == id);
        let ends = trace.last.iter().any(|step| step.thread == id);
        shown[index] &= !steps[index].is(thread::START) || !(follows || ends);
        // A racing access is shown at the end and replaces the end of its thread.
        shown[index] &= !steps[index].is(thread::EXIT) || !ends;
    }
    for index in 0..steps.len() {
        shown[index] &= reasons[index] || !is_of_library(trace, index);
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
        shown[index] &= index + TAIL >= steps.len()
            || depends
            || reasons[index]
            || steps[index].preempts
            || is_about(trace, &steps[index]);
    }
    if count(&shown) > most {
        for index in 0..steps.len() {
            let about = is_about(trace, &steps[index]);
            shown[index] &= index + TAIL >= steps.len() || reasons[index] || steps[index].preempts || about;
        }
    }
    // Keeps the last steps, which explain the most, beside the reasons.
    let kept = shown.iter().zip(&reasons).filter(|(shown, reason)| **shown && **reason).count();
    let mut left = most.saturating_sub(kept);
    for (mark, reason) in shown.iter_mut().zip(&reasons).rev() {
        if *mark && !reason {
            *mark = left > 0;
            left = left.saturating_sub(1);
        }
    }
    shown
}

/// The most steps that are kept as reasons. Nobody reads more.
const REASONS: usize = 40;

/// For each step, whether it is the reason for the finding: the finding begins there, a note is about it, or it changed what another thread had
/// read and was about to replace.
fn reasons(trace: &Trace) -> Vec<bool> {
    let steps = trace.steps.len();
    let mut reasons = vec![false; steps];
    let all = trace.focus.iter().map(|&step| step as usize).chain(named(trace)).chain(overtaken(trace));
    for step in all.filter(|step| *step < steps) {
        reasons[step] = true;
    }
    let mut left = REASONS;
    for reason in reasons.iter_mut().rev() {
        if *reason {
            *reason = left > 0;
            left = left.saturating_sub(1);
        }
    }
    reasons
}

/// The last step at the place of each note: the signal, the unlock, the store that a label is about.
fn named(trace: &Trace) -> impl Iterator<Item = usize> {
    let finding = &trace.finding;
    let places = finding.notes.iter().filter_map(|note| note.location.as_ref());
    places.filter_map(|place| {
        trace.steps.iter().rposition(|step| {
            step.at.as_ref().is_some_and(|at| (&at.file, at.line, at.column) == (&place.file, place.line, place.column))
        })
    })
}

/// The steps in which a thread reads a place and later replaces what it has read, and those of others that write there in between: a lost update,
/// or a value that changed and came back.
fn overtaken(trace: &Trace) -> Vec<usize> {
    let reads = |step: &TraceStep| {
        step.is(atomic::LOAD)
            || step.is(atomic::COMPARE_EXCHANGE) && matches!(step.result, Some(StepResult::Mismatch { .. }))
    };
    let writes = |step: &TraceStep| {
        step.is(atomic::STORE) || step.is(atomic::RMW) || step.is(atomic::COMPARE_EXCHANGE) && !reads(step)
    };
    let mut found = Vec::new();
    // The last read of each place by each thread, and the writes of others since then.
    let mut looked: BTreeMap<(ThreadId, &str), (usize, Vec<usize>)> = BTreeMap::new();
    for (index, step) in trace.steps.iter().enumerate().filter(|(_, step)| !step.object.is_empty()) {
        if reads(step) {
            looked.insert((step.thread, &step.object), (index, Vec::new()));
        } else if writes(step) {
            if let Some((read, between)) = looked.remove(&(step.thread, step.object.as_str()))
                && !between.is_empty()
                && !step.is(atomic::RMW)
            {
                found.push(read);
                found.extend(between);
                found.push(index);
            }
            for ((thread, object), (_, between)) in &mut looked {
                if *thread != step.thread && *object == step.object {
                    between.push(index);
                }
            }
        }
    }
    found
}

/// Whether all that is known of the place of a step is in a library or a system header, and the step has to do neither with the finding's
/// objects nor with other threads.
fn is_of_library(trace: &Trace, index: usize) -> bool {
    let step = &trace.steps[index];
    let last = index + 1 == trace.steps.len();
    step.at.as_ref().is_some_and(|at| !is_user(at))
        && !last
        && !step.is(thread::CREATE)
        && step.blocks.is_empty()
        && step.frees.is_empty()
        && !is_about(trace, step)
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
