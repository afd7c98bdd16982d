//! The canonical form of a trace. Two executions have equal forms exactly if swapping independent neighbours leads from
//! one to the other (A. Mazurkiewicz, *Trace theory*, 1986; the form is the lexicographic normal form).

use heddle_model::{Choice, Event, EventFlags, Footprint, ObjectId, OpCode, ThreadId, access};

/// One event of a trace, without what depends on its place in the execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The thread.
    pub thread: ThreadId,
    /// The operation.
    pub code: OpCode,
    /// The object of the operation.
    pub object: ObjectId,
    /// The way in which the operation was taken.
    pub choice: Choice,
    /// The result, as far as it is in the flags.
    pub flags: EventFlags,
}

/// The events of an execution in canonical order: of the events that can come next, the one of the lowest thread does.
///
/// This compares all pairs of events, so it is for tests.
pub fn canonical(events: &[Event]) -> Vec<Label> {
    let footprints: Vec<Footprint> = events.iter().map(Footprint::of).collect();
    let mut left: Vec<usize> = (0..events.len()).collect();
    let mut order = Vec::with_capacity(events.len());
    while !left.is_empty() {
        let free = |&(at, &index): &(usize, &usize)| {
            let cause = events[index].cause();
            left[..at].iter().all(|&before| {
                events[before].thread != events[index].thread
                    && !footprints[before].conflicts_with(&footprints[index])
                    && cause.is_none_or(|c| c.index() != before)
            })
        };
        let next = left.iter().enumerate().filter(free).min_by_key(|(_, index)| events[**index].thread);
        let at = next.map_or(0, |(at, _)| at);
        order.push(left.remove(at));
    }
    debug_assert!(order.windows(2).all(|w| w[0] < w[1] || !access::dependent(&events[w[1]], &events[w[0]])));
    order
        .into_iter()
        .map(|index| {
            let Event { operation, thread, flags, .. } = events[index];
            let choice = events[index].choice();
            Label { thread, code: operation.code, object: operation.object, choice, flags }
        })
        .collect()
}
