//! The steps that each step of an execution follows from.
//!
//! An event happens before another if one thread took both, or if they are dependent ([`heddle_model::access`]), or
//! transitively. This module returns only the direct pairs between threads: an unlock and the lock that it enabled, the
//! creation of a thread and its start, a store and the load that reads it. Together with program order they are the
//! transitive reduction of happens-before. They are computed with vector clocks, as in the search. There is one
//! difference, because these pairs explain a single execution to people: for a search the end of the process depends on
//! everything, here it follows only from its own thread's events.

use heddle_model::primitive::{self, process};
use heddle_model::{Event, Footprint, ThreadId};

/// The largest number of events for which causes are computed. Nobody could read the arrows of more.
const MOST: usize = 20_000;

/// For each event, the events of other threads that it follows from directly, the latest first.
pub fn causes(events: &[Event]) -> Vec<Vec<u32>> {
    let mut causes: Vec<Vec<u32>> = vec![Vec::new(); events.len()];
    if events.len() > MOST {
        return causes;
    }
    let threads = events.iter().map(|event| event.thread.index() + 1).max().unwrap_or(0);
    let mut of_thread: Vec<Vec<usize>> = vec![Vec::new(); threads];
    // The vector clock of each event: for each thread, the number of its events up to and including this one.
    let mut known: Vec<Vec<u32>> = Vec::with_capacity(events.len());
    let mut position: Vec<u32> = Vec::with_capacity(events.len());
    let footprints: Vec<Footprint> = events.iter().map(Footprint::of).collect();
    for (index, event) in events.iter().enumerate() {
        let own = event.thread.index();
        let mut clock = match of_thread[own].last() {
            Some(&before) => known[before].clone(),
            None => vec![0; threads],
        };
        let mut candidates: Vec<usize> = Vec::new();
        if event.operation.code != process::END {
            for (other, earlier) in of_thread.iter().enumerate().filter(|(other, _)| *other != own) {
                let unknown = &earlier[clock[other] as usize..];
                candidates.extend(unknown.iter().rev().find(|&&at| footprints[index].conflicts_with(&footprints[at])));
            }
            candidates.extend(woken_by(event).filter(|&at| at < index && events[at].thread != event.thread));
        }
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        for at in candidates {
            let other = events[at].thread.index();
            if position[at] < clock[other] {
                continue;
            }
            causes[index].push(at as u32);
            for (mine, theirs) in clock.iter_mut().zip(&known[at]) {
                *mine = (*mine).max(*theirs);
            }
        }
        position.push(of_thread[own].len() as u32);
        of_thread[own].push(index);
        clock[own] = of_thread[own].len() as u32;
        known.push(clock);
    }
    causes
}

/// The index of the event that woke the thread of `event`, where footprints do not show it.
fn woken_by(event: &Event) -> Option<usize> {
    primitive::of(event.operation.code).cause(event).map(|index| index.index())
}

/// For each of `count` steps, whether it is one of `from` or happens before one of them. `after` returns the direct
/// causes of a step, and `thread` its thread.
pub fn past(
    count: usize,
    thread: impl Fn(usize) -> ThreadId,
    after: impl Fn(usize) -> Vec<usize>,
    from: &[usize],
) -> Vec<bool> {
    let mut previous: Vec<Option<usize>> = vec![None; count];
    let mut last: std::collections::HashMap<ThreadId, usize> = std::collections::HashMap::new();
    for (step, previous) in previous.iter_mut().enumerate() {
        *previous = last.insert(thread(step), step);
    }
    let mut before = vec![false; count];
    for &step in from.iter().filter(|step| **step < count) {
        before[step] = true;
    }
    // Causes are earlier steps, so one pass backwards finds them all.
    for step in (0..count).rev() {
        if before[step] {
            for cause in after(step).into_iter().chain(previous[step]).filter(|cause| *cause < step) {
                before[cause] = true;
            }
        }
    }
    before
}
