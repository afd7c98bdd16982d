//! One plan and the execution that comes back, as they lie in the shared file.

use super::WireOutcome;
use crate::ThreadId;
use crate::race::Race;

/// One plan and its execution.
#[repr(C)]
pub struct Slot {
    /// What to do.
    pub plan: WirePlan,
    /// What came of it.
    pub result: WireResult,
}

/// A plan's fixed part; the steps and the sleeping threads are elsewhere in the slot.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct WirePlan {
    /// How many steps.
    pub steps: u32,
    /// How many sleeping threads.
    pub sleep: u32,
    /// [`crate::follow::Policy::code`].
    pub policy: u32,
    /// See [`crate::follow::PlanView::max_steps`].
    pub max_steps: u32,
    /// See [`crate::follow::PlanView::seed`].
    pub seed: u64,
    /// 1: record call stacks and output.
    pub record: u32,
    /// See [`crate::follow::Policy::parameters`].
    pub depth: u32,
    /// See [`crate::follow::Policy::parameters`].
    pub length: u32,
    /// 1: end at the race `aim`.
    pub aims: u32,
    /// See [`crate::Plan`].
    pub aim: Race,
    /// See [`crate::round::Round`].
    pub round_first: u32,
    /// 0 if there is none to look at.
    pub round_length: u32,
}

/// Bytes of text that an outcome can refer to.
pub const MESSAGE: usize = 480;

/// A result's fixed part.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WireResult {
    /// How it ended.
    pub outcome: WireOutcome,
    /// See [`crate::Execution::left`].
    pub left: u64,
    /// Where the program was, for outcomes that are no event (a hang, an unsupported call).
    pub pc: u64,
    /// How many events.
    pub events: u32,
    /// How many threads had not ended.
    pub pending: u32,
    /// How many words of call stacks. With `record`, the stacks of the events follow each other: for each event,
    /// then for each pending thread, a word with the number of frames, then the return addresses, innermost first. After
    /// those, in the same form, the stacks that belong to a [`crate::fault::Fault`]: where its block was allocated and
    /// where it was freed; of a leak, where each of the lost blocks was allocated.
    pub stack_words: u32,
    /// How many bytes the program printed, of which at most [`super::Layout::output`] were kept. What went to standard
    /// error is in it too, in the order of printing.
    pub output: u32,
    /// The thread that was running at the end.
    pub thread: ThreadId,
    /// Zero.
    pub reserved: u16,
    /// How many bytes of `message` are used.
    pub message_len: u32,
    /// How many races are listed.
    pub races: u32,
    /// Text that the outcome refers to, in the program's own encoding: see [`crate::Execution::message`].
    pub message: [u8; MESSAGE],
}
