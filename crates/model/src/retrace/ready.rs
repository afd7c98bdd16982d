//! Which threads were enabled at each point of an execution.

use super::content::{Content, comparison, content};
use super::{Retrace, Retracing};
use crate::primitive::{atomic, process, section, yielding};
use crate::vain::Vain;
use crate::{Event, EventFlags, Execution, Footprint, ObjectId, Operation, Pending, Phase, ThreadId, World};

/// A thread that is enabled at some point of an execution.
#[derive(Clone, Copy, Debug)]
pub struct Ready {
    /// The thread.
    pub thread: ThreadId,
    /// In how many ways it could go on.
    pub alternatives: u16,
    /// What its next event would touch there.
    pub footprint: Footprint,
}

/// A thread that is alive at some point of an execution, whether it is enabled or waits.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// In how many ways it could go on. 0 if it waits.
    pub ways: u16,
    /// Its next event as it would be there, as a [bare event](Event::bare). A thread that waits has the event that
    /// it takes when it need not.
    pub event: Event,
    /// What that event would touch.
    pub footprint: Footprint,
}

/// What a thread does next at some point of an execution.
#[derive(Clone, Copy)]
struct Next {
    operation: Operation,
    /// Whether it is a look that would be in vain there.
    vain: bool,
}

impl Retrace {
    /// Calls `visit` with the enabled threads before each event from `from` on, and at the end.
    pub fn walk(&mut self, execution: &Execution<'_>, from: usize, mut visit: impl FnMut(usize, &[Ready])) {
        let mut ready = Vec::new();
        self.each(execution, from, |retracing, index, next| {
            ready.clear();
            for thread in retracing.world.ids() {
                let Some(Next { operation, vain }) = next(thread) else {
                    retracing.rest(thread);
                    continue;
                };
                ready.extend(retracing.foresee(execution, index, thread, operation).filter(|_| !vain));
            }
            if ready.is_empty()
                && let Some(thread) = retracing.world.expire()
            {
                ready.push(Ready { thread, alternatives: 1, footprint: retracing.world.foresee(thread) });
            }
            visit(index, &ready);
        });
    }

    /// Calls `visit` with all threads that are alive before each event from `from` on, and at the end, in order of their
    /// ids.
    pub fn walk_standing(&mut self, execution: &Execution<'_>, from: usize, mut visit: impl FnMut(usize, &[Standing])) {
        let mut standing: Vec<Standing> = Vec::new();
        self.each(execution, from, |retracing, index, next| {
            standing.clear();
            for thread in retracing.world.ids() {
                let Some(Next { operation, vain }) = next(thread) else {
                    retracing.rest(thread);
                    continue;
                };
                let ready = retracing.foresee(execution, index, thread, operation).filter(|_| !vain);
                let ways = ready.map_or(0, |ready| ready.alternatives);
                let (event, footprint) = retracing.world.foresee_bare(thread);
                standing.push(Standing { ways, event, footprint });
            }
            if standing.iter().all(|standing| standing.ways == 0)
                && let Some(thread) = retracing.world.expire()
                && let Some(expires) = standing.iter_mut().find(|standing| standing.event.thread == thread)
            {
                // Until then it waited: nothing that happened before can come after its time-out.
                expires.ways = 1;
            }
            visit(index, &standing);
        });
    }

    /// Calls `visit` before each event from `from` on, and at the end, with the world there and with what each thread does
    /// next.
    fn each(
        &mut self,
        execution: &Execution<'_>,
        from: usize,
        mut visit: impl FnMut(&mut Retracing<'_>, usize, &dyn Fn(ThreadId) -> Option<Next>),
    ) {
        let events = execution.events;
        let threads = super::extent(events, execution.pending);
        self.make_room(threads, events.len());
        for list in &mut self.upcoming {
            list.clear();
        }
        if self.upcoming.len() < threads {
            self.upcoming.resize(threads, Vec::new());
        }
        for event in events {
            self.upcoming[event.thread.index()].push((event.operation, event.state));
        }
        // A thread that a bound has stopped takes nothing more.
        for pending in execution.pending.iter().filter(|pending| pending.stopped == 0) {
            self.upcoming[pending.thread.index()].push((pending.operation, pending.state));
        }
        self.next.clear();
        self.next.resize(threads, 0);
        let Retrace { threads, objects, recorded, next, upcoming, vain } = self;
        let vain = Vain::new(vain);
        let recorded = &*recorded;
        let mut retracing = Retracing { world: World::new(threads, objects, recorded), recorded };
        for index in 0..=events.len() {
            if index >= from {
                let following = |thread: ThreadId| {
                    let (taken, list) = (next[thread.index()], &upcoming[thread.index()]);
                    let &(operation, state) = list.get(taken)?;
                    let untaken = execution.pending.iter().find(|p| p.thread == thread && p.stopped == 0);
                    let untaken = untaken.filter(|_| taken + 1 == list.len());
                    let vain = vain.knows(state) && is_vain(vain, events, index, &operation, state, untaken);
                    Some(Next { operation, vain })
                };
                visit(&mut retracing, index, &following);
            }
            let Some(event) = events.get(index) else { continue };
            if event.operation.code == process::END {
                break;
            }
            retracing.take(event);
            let next = &mut next[event.thread.index()];
            *next += 1;
            let following = upcoming[event.thread.index()].get(*next).copied();
            // An await is announced right away: what happens from now on may be what it waits for.
            let looks = following.map(|(operation, _)| operation).filter(Operation::is_await);
            let looks = looks.map(|operation| (operation, 0));
            retracing.look_ahead(looks, &events[..=index]);
        }
    }
}

/// Whether a look in `state` would be in vain before event `index`. `pending` is the look if it was never taken.
fn is_vain(
    vain: Vain<'_>,
    events: &[Event],
    index: usize,
    look: &Operation,
    state: u64,
    pending: Option<&Pending>,
) -> bool {
    match content(events, index, look) {
        Content::Known(value) => vain.is_vain(state, value),
        // Nobody writes there any more: it is as at the end, or where the look was taken.
        Content::Untouched => pending.is_some_and(|pending| pending.enabled == 0),
        Content::Unknown => false,
    }
}

impl Retracing<'_> {
    /// `thread` takes no more operations. If it has not finished, it waits for nothing and no time-out of it expires.
    fn rest(&mut self, thread: ThreadId) {
        if self.world.thread(thread).phase == Phase::Alive {
            self.world.announce(thread, Operation::new(yielding::YIELD, ObjectId::NONE), 0);
        }
    }

    /// How `thread` could take `operation`, its next one, before event `index`. `None` if it would have to wait.
    fn foresee(
        &mut self,
        execution: &Execution<'_>,
        index: usize,
        thread: ThreadId,
        operation: Operation,
    ) -> Option<Ready> {
        let events = execution.events;
        // What a section touched later says nothing about what it would touch here.
        let later = operation.code == section::BEGIN && events.get(index).is_none_or(|event| event.thread != thread);
        let operation = if later { Operation::new(section::BEGIN, ObjectId::NONE) } else { operation };
        self.world.announce(thread, operation, 0);
        if !self.world.enabled(thread) {
            return None;
        }
        if let Some(comparison) = comparison(&operation) {
            let exchange = operation.code == atomic::COMPARE_EXCHANGE;
            let fails_by = if exchange { EventFlags::FAILED } else { EventFlags::MISMATCH };
            self.recorded.set_fails(match content(events, index, &comparison) {
                Content::Known(value) => value != comparison.argument,
                Content::Untouched => {
                    let pending = execution.pending.iter().find(|p| p.thread == thread);
                    pending.is_some_and(|p| p.flags.contains(fails_by))
                }
                Content::Unknown => false,
            });
        }
        let alternatives = self.world.alternatives(thread);
        Some(Ready { thread, alternatives, footprint: self.world.foresee(thread) })
    }
}
