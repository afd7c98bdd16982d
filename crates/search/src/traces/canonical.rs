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
    // Sets of events are bits, so that taking them out one by one costs little beside comparing the pairs.
    let words = events.len().div_ceil(64);
    let mut before = vec![0u64; events.len() * words];
    for (index, event) in events.iter().enumerate() {
        let cause = event.cause();
        for earlier in 0..index {
            if events[earlier].thread == event.thread
                || cause.is_some_and(|cause| cause.index() == earlier)
                || footprints[earlier].conflicts_with(&footprints[index])
            {
                before[index * words + earlier / 64] |= 1 << (earlier % 64);
            }
        }
    }
    let mut left: Vec<u64> = vec![u64::MAX; words];
    if !events.len().is_multiple_of(64) {
        left[words - 1] = (1 << (events.len() % 64)) - 1;
    }
    let mut order = Vec::with_capacity(events.len());
    while order.len() < events.len() {
        let is_free = |index: &usize| {
            let needs = &before[index * words..][..words];
            needs.iter().zip(&left).all(|(needs, left)| needs & left == 0)
        };
        let remaining = (0..events.len()).filter(|index| left[index / 64] >> (index % 64) & 1 != 0);
        let next = remaining.filter(is_free).min_by_key(|&index| events[index].thread);
        // The first of those that are left has none before it.
        let next = next.unwrap_or_default();
        left[next / 64] &= !(1 << (next % 64));
        order.push(next);
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
