//! Source-DPOR: smaller backtrack sets than persistent sets.
//!
//! P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, *Source sets: a foundation for optimal dynamic partial order
//! reduction*, J. ACM 64(4), 2017, algorithm 1. For each reversal, the events that do not happen after the earlier one,
//! and then the later one, are a sequence. One of its initials must be tried before the earlier event.
//!
//! Departures:
//!
//! 1. Reversals are looked for in whole executions, after they have ended (section 7.3 of the paper).
//! 2. A sleeping initial is enough: what begins with it is explored elsewhere.
//! 3. The model says what the later event would be in its new place (see [`Retrace::relabel`]).
//! 4. An operation with several ways is tried in all of them.

use heddle_model::retrace::Retrace;
use heddle_model::{Event, Footprint};

use crate::algorithm::stack::{Frame, Rule};
use crate::traces::analysis::{Analysis, Reversal};
use crate::traces::sequence::Sequence;

#[derive(Default)]
pub(crate) struct Source {
    sequence: Sequence,
}

impl Source {
    /// Makes sure that an initial of the sequence that the reversal asks for is tried or sleeps at `frame`.
    pub fn reverse(
        &mut self,
        events: &[Event],
        analysis: &mut Analysis,
        Reversal { earlier, later }: Reversal,
        retrace: &mut Retrace,
        frame: &mut Frame,
    ) {
        self.sequence.reversal(events, analysis, earlier, later);
        let mut moved = match events.get(later as usize) {
            Some(event) => *event,
            None => analysis.waiting[later as usize - events.len()],
        };
        if moved.operation.depends_on_state() || analysis.looks_in_vain(moved.state) {
            let label = if moved.operation.queues() {
                self.sequence.in_turn(events, analysis, retrace, earlier as usize, &moved)
            } else if self.sequence.make_room(events, analysis, &moved) {
                let kept = self.sequence.items.iter().map(|item| item.event as usize);
                retrace.relabel(events, earlier as usize, kept, &moved)
            } else {
                None
            };
            match label {
                Some(event) => moved = event,
                None => return,
            }
        }
        let touch = analysis.touches.number(&Footprint::of(&moved));
        self.sequence.push_moved(later, &moved, touch);
        let covered = |t| frame.backtrack.contains(&t) || frame.sleeps(t);
        if self.sequence.initials(events, analysis).any(covered) {
            return;
        }
        // The later thread itself, if it can: what persistent sets would take.
        let itself = self.sequence.initials(events, analysis).find(|&t| t == moved.thread);
        if let Some(thread) = itself.or_else(|| self.sequence.initials(events, analysis).next()) {
            frame.add(thread);
        }
    }
}

impl Rule for Source {
    fn apply(
        &mut self,
        events: &[Event],
        analysis: &mut Analysis,
        reversals: &[Reversal],
        retrace: &mut Retrace,
        frames: &mut [Frame],
    ) {
        for &reversal in reversals {
            self.reverse(events, analysis, reversal, retrace, &mut frames[reversal.earlier as usize]);
        }
    }
}
