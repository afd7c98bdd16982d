//! What each step of an execution follows from.
//!
//! An event happens before another if they are of one thread, or if their order matters ([`heddle_model::access`]), or
//! by way of others. Of all those pairs only the direct ones between threads are given here: an unlock and the lock
//! that it made possible, a create and the beginning of the thread, a store and the load that reads it. The rest
//! follows. That is the transitive reduction of the happens-before order, found with clock vectors as in the search;
//! but this is about one execution, for people, and so it differs in one thing: the end of the process, whose order
//! with everything matters to a search, follows only from what its own thread did.

use heddle_model::primitive::{self, process};
use heddle_model::{Event, Footprint, ThreadId};

/// Executions with more events are told without: the arrows of so many help nobody.
const MOST: usize = 20_000;

/// For each event the events of other threads that it follows from directly, the latest first.
pub fn causes(events: &[Event]) -> Vec<Vec<u32>> {
    let mut causes: Vec<Vec<u32>> = vec![Vec::new(); events.len()];
    if events.len() > MOST {
        return causes;
    }
    let threads = events.iter().map(|event| event.thread.index() + 1).max().unwrap_or(0);
    let mut of_thread: Vec<Vec<usize>> = vec![Vec::new(); threads];
    // What each event knows: of each thread, how many of its events happened before or are the event itself.
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

/// The event that woke the thread of `event`, where footprints do not show it.
fn woken_by(event: &Event) -> Option<usize> {
    primitive::of(event.operation.code).cause(event).map(|index| index.index())
}

/// The steps that happened before one of `from`, and those themselves, where `after` gives the direct causes of each
/// step and `thread` its thread.
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
    // Causes are earlier: one way back through the steps finds them all.
    for step in (0..count).rev() {
        if before[step] {
            for cause in after(step).into_iter().chain(previous[step]).filter(|cause| *cause < step) {
                before[cause] = true;
            }
        }
    }
    before
}
