//! A trace one step at a time, for walking through it in a terminal.

use heddle_model::trace::TraceStep;
use heddle_model::{ThreadId, Trace};

use super::{BOLD, DIM, Options, printable};
use crate::names::thread_label;
use crate::state::{State, next_of};

/// The number of source lines shown before and after the line of a step.
const AROUND: u32 = 2;

/// The state after `taken` steps: the last step, its source, which thread holds which locks, and which are blocked.
pub fn position(trace: &Trace, taken: usize, options: &Options) -> String {
    let all = trace.steps.len();
    let taken = taken.min(all);
    let state = State::after(trace, taken);
    let mut text = match taken.checked_sub(1).and_then(|index| Some((index, trace.steps.get(index)?))) {
        None => format!("{}\n", options.paint(BOLD, &format!("before the first of {all} steps"))),
        Some((index, step)) => {
            let switch = index > 0 && trace.steps[index - 1].thread != step.thread;
            let how = match (switch, step.preempts) {
                (true, true) => " (preemption)",
                (true, false) => " (switch)",
                _ => "",
            };
            let heading = format!("step {taken} of {all}: {}{how}", sentence(trace, step));
            format!("{}\n{}", options.paint(BOLD, &printable(&heading)), source(trace, step, options))
        }
    };
    for (thread, held) in &state.holds {
        text.push_str(&format!("  {} holds {}\n", label(trace, *thread), printable(&held.join(", "))));
    }
    for &thread in &state.blocked {
        let next = next_of(trace, thread, taken).map_or(String::new(), |step| format!(": {}", words(trace, step)));
        text.push_str(&format!("  {} is blocked{}\n", label(trace, thread), printable(&next)));
    }
    if taken == all {
        text.push_str(&printable(&format!("  {}: {}", trace.finding.kind, trace.finding.message)));
        text.push('\n');
    }
    text
}

/// The steps that step number `taken`, the last one taken, follows from, in words.
pub fn why(trace: &Trace, taken: usize) -> String {
    let Some(step) = taken.checked_sub(1).and_then(|index| trace.steps.get(index)) else {
        return "nothing has happened yet\n".to_string();
    };
    if step.after.is_empty() {
        return format!("step {taken} follows only from what {} did before\n", label(trace, step.thread));
    }
    let mut text = String::new();
    for &cause in &step.after {
        let earlier = &trace.steps[cause as usize];
        text.push_str(&printable(&format!(
            "step {taken} follows from step {}: {}",
            cause + 1,
            sentence(trace, earlier)
        )));
        text.push('\n');
    }
    text
}

/// All threads after `taken` steps: where each is and what it does next.
pub fn threads(trace: &Trace, taken: usize) -> String {
    let state = State::after(trace, taken);
    let mut text = String::new();
    for thread in [ThreadId::MAIN].into_iter().chain(state.known.iter().copied()) {
        let doing = match next_of(trace, thread, taken) {
            _ if taken == trace.steps.len() && trace.end.outcome.is_ended() && trace.end.thread == thread => {
                "has ended the process".to_string()
            }
            None => "has ended".to_string(),
            Some(next) if state.blocked.contains(&thread) => format!("is blocked: {}", words(trace, next)),
            Some(next) => format!("next: {}", words(trace, next)),
        };
        text.push_str(&printable(&format!("  {}  {doing}", label(trace, thread))));
        text.push('\n');
    }
    text
}

fn sentence(trace: &Trace, step: &TraceStep) -> String {
    format!("{}: {}", label(trace, step.thread), words(trace, step))
}

fn label(trace: &Trace, thread: ThreadId) -> String {
    thread_label(thread, trace.threads.get(&thread).map_or("", String::as_str))
}

fn words(trace: &Trace, step: &TraceStep) -> String {
    let at = step.at.as_ref().map_or(String::new(), |at| format!(" at {at}"));
    crate::words::step(step, trace) + &at
}

fn source(trace: &Trace, step: &TraceStep, options: &Options) -> String {
    let Some(at) = &step.at else { return String::new() };
    let Some(lines) = trace.lines.get(&at.file) else { return String::new() };
    let mut text = String::new();
    for (number, line) in lines.range(at.line.saturating_sub(AROUND)..=at.line.saturating_add(AROUND)) {
        let mark = if *number == at.line { ">" } else { " " };
        let shown = printable(&format!("{mark} {number:>5} | {line}"));
        let shown = if *number == at.line { shown } else { options.paint(DIM, &shown) };
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}
