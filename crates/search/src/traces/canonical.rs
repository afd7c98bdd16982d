//! The canonical form of a trace: equal for two executions exactly if one can be had from the other by swapping
//! neighbours that are independent.

use heddle_model::{Event, EventFlags, Footprint, ObjectId, OpCode, ThreadId, access, primitive};

/// One event of a trace, without what depends on its place in the execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// Who.
    pub thread: ThreadId,
    /// What.
    pub code: OpCode,
    /// To what.
    pub object: ObjectId,
    /// Which way.
    pub choice: u16,
    /// What came of it.
    pub flags: EventFlags,
}

/// The events of an execution in the order that takes, of those that can come next, the one of the lowest thread.
///
/// For the tests: it compares all pairs of events.
pub fn canonical(events: &[Event]) -> Vec<Label> {
    let footprints: Vec<Footprint> = events.iter().map(Footprint::of).collect();
    let mut left: Vec<usize> = (0..events.len()).collect();
    let mut order = Vec::with_capacity(events.len());
    while !left.is_empty() {
        let free = |&(at, &index): &(usize, &usize)| {
            let cause = primitive::of(events[index].operation.code).cause(&events[index]);
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
            let Event { operation, thread, choice, flags, .. } = events[index];
            Label { thread, code: operation.code, object: operation.object, choice, flags }
        })
        .collect()
}
