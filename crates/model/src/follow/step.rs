//! One step of a schedule.

use crate::primitive::choice;
use crate::{Choice, Event, OpCode, ThreadId};

/// One step of a schedule: a thread and how it takes its next operation.
///
/// The layout is part of the wire format. Every bit pattern is a valid step: the runtime reads schedules from memory that
/// the program may have overwritten.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "std", serde(from = "document::Step", into = "document::Step"))]
pub struct Step {
    /// The thread that runs.
    pub thread: ThreadId,
    /// The operation that it is expected to take. [`OpCode::ANY`] accepts every operation. Any other operation is a
    /// divergence.
    pub code: OpCode,
    /// 0 if `word` is the number of a way, anything else if it is a value.
    kind: u16,
    /// Padding, always zero.
    reserved: u16,
    /// A way or a value.
    word: u64,
}

const WAY: u16 = 0;
const VALUE: u16 = 1;

impl Step {
    /// `thread` takes whatever comes next, in the first way.
    #[inline]
    pub const fn new(thread: ThreadId) -> Step {
        Step { thread, code: OpCode::ANY, kind: WAY, reserved: 0, word: 0 }
    }

    /// The step that leads to `event`, as a search names it.
    #[inline]
    pub const fn of(event: &Event) -> Step {
        Step::new(event.thread).expecting(event.operation.code).taking(event.choice())
    }

    /// The step that leads to `event`, with data named by its value. It means the same under other settings, where a
    /// search would try other values.
    pub fn by_value(event: &Event) -> Step {
        let step = Step::of(event);
        if choice::is_data(event.operation.code) { step.taking(Choice::Value(event.result)) } else { step }
    }

    /// This step with another choice.
    #[inline]
    pub const fn taking(self, choice: Choice) -> Step {
        match choice {
            Choice::Way(way) => Step { kind: WAY, word: way as u64, ..self },
            Choice::Value(value) => Step { kind: VALUE, word: value, ..self },
        }
    }

    /// This step with another operation that it is expected to be.
    #[inline]
    pub const fn expecting(self, code: OpCode) -> Step {
        Step { code, ..self }
    }

    /// How the thread takes its operation.
    #[inline]
    pub const fn choice(&self) -> Choice {
        if self.kind == WAY { Choice::Way(self.word as u16) } else { Choice::Value(self.word) }
    }
}

#[cfg(feature = "std")]
mod document {
    //! A step in trace files and checkpoints.

    use crate::{Choice, OpCode, ThreadId};

    #[derive(serde::Serialize, serde::Deserialize)]
    pub struct Step {
        #[serde(rename = "t")]
        thread: ThreadId,
        #[serde(rename = "c", default)]
        choice: Choice,
        #[serde(rename = "op", default)]
        code: OpCode,
    }

    impl From<Step> for super::Step {
        fn from(step: Step) -> super::Step {
            super::Step::new(step.thread).expecting(step.code).taking(step.choice)
        }
    }

    impl From<super::Step> for Step {
        fn from(step: super::Step) -> Step {
            Step { thread: step.thread, choice: step.choice(), code: step.code }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;

    #[test]
    fn a_step_is_small_and_keeps_what_it_is_told() {
        assert_eq!(size_of::<Step>(), 16);
        for choice in [Choice::Way(0), Choice::Way(u16::MAX), Choice::Value(0), Choice::Value(u64::MAX)] {
            let step = Step::new(ThreadId(3)).taking(choice).expecting(choice::INPUT);
            assert_eq!((step.thread, step.choice(), step.code), (ThreadId(3), choice, choice::INPUT));
            let again = step.taking(Choice::Value(u64::MAX)).taking(choice);
            assert_eq!(again, step, "equal steps have equal words");
        }
    }

    #[test]
    fn traces_name_data_by_its_value() {
        let event = |code| Event {
            operation: Operation::new(code, crate::ObjectId::NONE).with_argument(5),
            result: 77,
            way: 4,
            alternatives: 5,
            ..Event::default()
        };
        for data in [choice::CHOOSE, choice::INPUT] {
            assert_eq!(Step::of(&event(data)).choice(), Choice::Way(4));
            assert_eq!(Step::by_value(&event(data)).choice(), Choice::Value(77));
        }
        assert_eq!(Step::by_value(&event(choice::ATTEMPT)).choice(), Choice::Way(4));
        let given = Event { way: Event::GIVEN, ..event(choice::INPUT) };
        assert_eq!(Step::of(&given).choice(), Choice::Value(77));
    }
}
