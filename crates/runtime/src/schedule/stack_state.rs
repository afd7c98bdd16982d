//! The state of a thread at a look: what decides what it does next, as far as that lies in its registers and on its stack.
//!
//! How much of the stack matters depends on how far out the loop is: the look may sit some calls below it. So a state has a digest for
//! each of the innermost functions.

use heddle_model::primitive::atomic::{COMPARE_EXCHANGE, LOAD, RMW};
use heddle_model::{Operation, ThreadId, vain};

use crate::record::callstack;
use crate::schedule::loop_time::Times;
use crate::state::dead;
use crate::{arch, schedule};

/// The largest part of a stack that is compared.
pub const LARGEST_WINDOW: usize = 64 << 10;
/// How many stack frames are compared. The load may sit up to `LEVELS - 1` calls below the loop.
pub(super) const LEVELS: usize = 6;

/// The state of a thread at a load: its registers and its stack. For the innermost function, for the innermost two, and
/// so on, it has the end of the outermost frame and a digest of everything up to there. Zeros where that is unknown.
#[derive(Clone, Copy)]
pub(super) struct State {
    /// The depth of the call stack.
    pub depth: usize,
    pub levels: [(usize, u64); LEVELS],
    /// The end of the frame with the innermost loop that has [counters](dead::Counters), and a digest of everything up to there but for
    /// these. Zeros if there is none.
    pub counted: (usize, u64),
}

impl State {
    /// No state that a thread could be in.
    pub const NOWHERE: State = State { depth: 0, levels: [(0, 0); LEVELS], counted: (0, 0) };

    /// The state in which the program called the function that is running now, with a call stack of this depth and after these readings of
    /// clocks.
    pub fn of_caller(depth: usize, times: &Times) -> State {
        let registers = schedule::registers();
        let mut at = registers[6] as usize;
        let most = at + LARGEST_WINDOW;
        let mut live = dead::live(schedule::current(), registers);
        let mut digest =
            live.registers.iter().fold(arch::float_control(), |state, &word| mix(state, times.without(word)));
        let mut levels = [(0, 0); LEVELS];
        for (level, place) in levels.iter_mut().enumerate() {
            let Some(end) = callstack::frame_end(level).filter(|end| (at..=most).contains(end)) else { break };
            while at < end {
                // SAFETY: the live part of the current stack.
                digest = mix(digest, times.without(unsafe { live.read(at) }));
                at += 8;
            }
            *place = (end, digest);
        }
        State { depth, levels, counted: but_for_counters(registers, times) }
    }

    /// The number of this state, as far as the innermost `level + 1` functions are concerned, if `thread` is about to take
    /// `operation` in it, at `pc`. `None` if the operation is not a look that could be [in vain](vain), or if that is not known.
    pub fn number(&self, level: usize, thread: ThreadId, operation: &Operation, pc: u64) -> Option<u64> {
        let Operation { object, argument, code, size, detail } = *operation;
        let (end, digest) = *self.levels.get(level)?;
        if end == 0 || size > 8 || !matches!(code, LOAD | RMW | COMPARE_EXCHANGE) {
            return None;
        }
        let words = [thread.0 as u64, pc, object.0, argument, (code.0 as u64) << 32 | detail as u64, self.depth as u64];
        Some(words.iter().fold(digest, |state, &word| mix(state, word)).max(1))
    }

    /// A number for this state before an operation on `object`, at `pc`.
    pub fn digest(&self, object: u64, pc: u64) -> u64 {
        self.levels.iter().fold(self.depth as u64, |digest, level| vain::mix(digest, level.1)) ^ vain::mix(object, pc)
    }

    /// Whether everything of the stack up to address `end` is in this state.
    pub fn reaches(&self, end: usize) -> bool {
        self.levels.iter().any(|level| level.0 >= end && level.0 != 0)
    }

    /// The level whose outermost frame ends at `end`.
    pub fn level_up_to(&self, end: usize) -> Option<usize> {
        self.levels.iter().position(|level| level.0 == end && end != 0)
    }

    /// How many functions, apart from the innermost, a state must comprise so that it has everything that a round depends on which came
    /// back to `later`: the loop is `out` functions out, and the round has used the stack up to the address `used`.
    pub fn comprising(&self, later: &State, out: usize, used: usize) -> Option<usize> {
        let level = (out..LEVELS).find(|&level| self.levels[level].0 >= used.max(1))?;
        (self.levels[level] == later.levels[level]).then_some(level)
    }

    /// Whether `later` is the same state but for counters of the loop that both are in. `lowest` and `written` are those of [`is_again`](Self::is_again).
    pub fn is_again_but_for_counters(&self, later: &State, lowest: usize, written: usize) -> bool {
        let (end, _) = later.counted;
        // The thread has come back to the function with the loop, and has not left it.
        let out = self.depth.checked_sub(lowest);
        end != 0
            && (self.depth, self.counted) == (later.depth, later.counted)
            && written <= end
            && out.is_some()
            && later.level_up_to(end) == out
    }

    /// Whether `later` is the same state. `lowest` is the lowest depth of the call stack in between, `written` the
    /// highest address of the stack that was written.
    pub fn is_again(&self, later: &State, lowest: usize, written: usize) -> bool {
        if self.depth != later.depth || lowest == 0 {
            return false;
        }
        let compared = self.levels.iter().zip(&later.levels).skip(self.depth - lowest);
        let mut enough = compared.skip_while(|((end, _), _)| *end != 0 && *end < written);
        enough.next().is_some_and(|(this, other)| this == other && this.0 != 0)
    }
}

/// What [`State::counted`] is for a call with these registers.
fn but_for_counters(registers: [u64; 7], times: &Times) -> (usize, u64) {
    let thread = schedule::current();
    let from = registers[6] as usize;
    let Some(counters) = dead::counters(thread, registers, LEVELS)
        .filter(|counters| (from..=from + LARGEST_WINDOW).contains(&counters.end))
    else {
        return (0, 0);
    };
    let mut live = dead::live(thread, registers);
    let mut digest = arch::float_control();
    for (number, &word) in live.registers.iter().enumerate() {
        digest = mix(digest, if counters.has_register(number) { 0 } else { times.without(word) });
    }
    for at in (from..counters.end).step_by(8) {
        // SAFETY: the live part of the current stack.
        let word = counters.without(unsafe { live.read(at) }, at);
        digest = mix(digest, times.without(word));
    }
    (counters.end, digest)
}

/// Adds a word to a digest.
#[inline(always)]
pub(super) fn mix(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
