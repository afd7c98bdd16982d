//! One plan and its execution in the shared file.

use super::WireOutcome;
use crate::ThreadId;
use crate::race::Race;

/// The fixed part of a plan. The steps and the sleep set are elsewhere in its slot.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct WirePlan {
    /// The number of steps.
    pub steps: u32,
    /// The number of threads in the sleep set.
    pub sleep: u32,
    /// [`crate::follow::Policy::code`].
    pub policy: u32,
    /// See [`crate::follow::PlanView::max_steps`].
    pub max_steps: u32,
    /// See [`crate::follow::PlanView::seed`].
    pub seed: u64,
    /// 1 to record call stacks and output.
    pub record: u32,
    /// See [`crate::follow::Policy::parameters`].
    pub depth: u32,
    /// See [`crate::follow::Policy::parameters`].
    pub length: u32,
    /// 1 to end at the data race `aim`.
    pub aims: u32,
    /// See [`crate::Plan`].
    pub aim: Race,
    /// See [`crate::round::Round`].
    pub round_first: u32,
    /// The number of events in the round.
    pub round_length: u32,
    /// 0 if there is no round to examine, else what is said of it ([`crate::round::Claim`]), plus one.
    pub round_claim: u32,
    /// See [`crate::Plan`]: after how many events to tell of plain memory. [`u32::MAX`] means never.
    pub touches: u32,
    /// See [`crate::follow::PlanView::max_switches`]. [`u32::MAX`] means no limit.
    pub max_switches: u32,
    /// [`crate::immediate::Immediate::code`].
    pub immediate: u32,
    /// What to do about states: see [`crate::States`]. One of [`NO_STATES`], [`ROUNDS`], [`RECORD_STATES`], [`STOP_AT_STATES`].
    pub states: u32,
}

/// [`WirePlan::states`]: nothing.
pub const NO_STATES: u32 = 0;
/// [`WirePlan::states`]: compute the state at each decision past the schedule.
pub const RECORD_STATES: u32 = 1;
/// [`WirePlan::states`]: compute it, and end at one that is known.
pub const STOP_AT_STATES: u32 = 2;
/// [`WirePlan::states`]: compute none, but let wait loops go round.
pub const ROUNDS: u32 = 3;

/// The capacity for the outcome's text in bytes.
pub const MESSAGE: usize = 480;

/// The fixed part of a result.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WireResult {
    /// Everything but the text.
    pub head: ResultHead,
    /// [`super::Key::seal`]. Written last, when nothing of the program runs any more.
    pub seal: u64,
    /// Text that belongs to the outcome, in the program's own encoding: see [`crate::Execution::message`].
    pub message: [u8; MESSAGE],
}

/// A result without its text.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct ResultHead {
    /// How the execution ended.
    pub outcome: WireOutcome,
    /// See [`crate::Execution::left`].
    pub left: u64,
    /// The code address of an outcome that is no event, for example a hang or an unsupported call.
    pub pc: u64,
    /// The sum over all events, pending operations, races, states, touches, call stacks, output and notes: see [`super::Key`]. Written with each of
    /// them, so that those of a process that died can be told from damage.
    pub sum: u64,
    /// What this and earlier executions of the process did, as bits of [`super::Note`].
    pub notes: u64,
    /// The sum over the names of threads, the labels and the names of libraries.
    pub lists: u64,
    /// The number of the plan.
    pub sequence: u32,
    /// The number of events.
    pub events: u32,
    /// The number of threads that had not finished.
    pub pending: u32,
    /// The number of words of call stacks.
    ///
    /// With `record`, there is one stack for each event, then one for each pending thread. A stack is a word with the
    /// number of frames, then the return addresses, innermost first. The stacks of a [`crate::fault::Fault`] follow in
    /// the same form: where its block was allocated and where it was freed, or, for a leak, where each lost block was
    /// allocated.
    pub stack_words: u32,
    /// The number of bytes that the program printed, to standard output and standard error in the order of printing. At
    /// most [`super::Layout::output`] of them were kept.
    pub output: u32,
    /// The number of bytes in use in the message.
    pub message_len: u32,
    /// The number of data races listed.
    pub races: u32,
    /// The number of states listed.
    pub states: u32,
    /// How much is told of plain memory.
    pub touches: u32,
    /// The number of names of threads.
    pub names: u32,
    /// The number of labels that were reached.
    pub labels: u32,
    /// The number of bytes of names of libraries.
    pub libraries: u32,
    /// The thread that was running at the end.
    pub thread: ThreadId,
}

impl ResultHead {
    /// All of it as words: what is sealed.
    pub fn to_words(&self) -> [u64; 21] {
        let &ResultHead { outcome, left, pc, sum, notes, lists, .. } = self;
        let &ResultHead { sequence, events, pending, stack_words, output, message_len, races, .. } = self;
        let &ResultHead { states, touches, names, labels, libraries, thread, .. } = self;
        let both = |low: u32, high: u32| low as u64 | (high as u64) << 32;
        let [w0, w1, w2, w3, w4, w5, w6, w7, w8] = outcome.to_words();
        [
            w0,
            w1,
            w2,
            w3,
            w4,
            w5,
            w6,
            w7,
            w8,
            left,
            pc,
            sum,
            notes,
            lists,
            both(sequence, events),
            both(pending, stack_words),
            both(output, message_len),
            both(races, states),
            both(touches, names),
            both(labels, libraries),
            thread.0 as u64,
        ]
    }
}
