//! What an event would be in another place of its execution.

use super::content::{Content, comparison, content, touches};
use super::{Retrace, is_vain_before};
use crate::primitive::{atomic, section};
use crate::vain::Vain;
use crate::{Event, EventFlags, Phase};

impl Retrace {
    /// The event that `moved` would be right after the events `..earlier` and then those of `kept`. `None` if it would have
    /// to wait there.
    ///
    /// Where the events do not show whether a comparison would succeed, it counts as one that does, which is a write. That
    /// can only make operations more dependent than they are: more executions, never fewer.
    pub fn relabel(
        &mut self,
        events: &[Event],
        earlier: usize,
        kept: impl Iterator<Item = usize> + Clone,
        moved: &Event,
    ) -> Option<Event> {
        let mismatch = comparison(&moved.operation).is_some_and(|comparison| {
            let touches = |&index: &usize| touches(&events[index], &comparison);
            let last = kept.clone().filter(touches).last().or_else(|| (0..earlier).rev().find(touches));
            match content(events, last.map_or(0, |last| last + 1), &comparison) {
                Content::Known(value) => value != comparison.argument,
                // Nobody came between the last one and the end, when whoever ran the program has looked.
                Content::Untouched if moved.operation.code == atomic::COMPARE_EXCHANGE => moved.failed(),
                Content::Untouched => moved.flags.contains(EventFlags::MISMATCH),
                Content::Unknown => false,
            }
        });
        let known = Vain::new(&self.vain);
        if known.knows(moved.state) {
            let touches = |&index: &usize| touches(&events[index], &moved.operation);
            let last = kept.clone().filter(touches).last().or_else(|| (0..earlier).rev().find(touches));
            let from = last.map_or(0, |last| last + 1);
            if is_vain_before(known, events, from, moved) {
                return None;
            }
            if matches!(moved.operation.code, atomic::LOAD | atomic::RMW) {
                // It touches the same, whatever it finds.
                return Some(Event { operation: moved.operation.without_await(), ..*moved });
            }
        }
        if moved.operation.code == atomic::COMPARE_EXCHANGE {
            // Always possible, in one way: only memory decides what it touches.
            let flags = if mismatch { EventFlags::FAILED } else { EventFlags::NONE };
            let operation = moved.operation.without_await();
            return Some(Event { operation, flags, way: 0, alternatives: 1, ..*moved });
        }
        let prefix = (0..earlier).chain(kept).map(|index| &events[index]);
        let threads = super::extent(prefix.clone().chain([moved]), []);
        let mut retracing = self.begin(threads, prefix.clone().count() + 1);
        prefix.for_each(|event| retracing.take(event));
        let super::Retracing { mut world, recorded } = retracing;
        recorded.set_fails(mismatch);
        // An await is moved only over one of several writes that it waits for.
        world.announce(moved.thread, moved.operation.without_await(), moved.pc);
        if world.thread(moved.thread).phase != Phase::Alive || !world.enabled(moved.thread) {
            return None;
        }
        if moved.operation.code == section::BEGIN {
            return Some(section::forgotten(moved));
        }
        let flags = world.foresee_flags(moved.thread);
        let result = world.foresee_result(moved.thread).unwrap_or(moved.result);
        let operation = world.located(moved.thread, moved.operation);
        Some(Event { operation, flags, result, way: 0, alternatives: world.alternatives(moved.thread), ..*moved })
    }
}
