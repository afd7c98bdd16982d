//! Inputs that are given: the value that a call of a nondeterministic function returns in all executions.

use crate::ThreadId;

/// The largest number of inputs that can be given.
pub const MOST_INPUTS: usize = 4096;

/// The value that one call of a nondeterministic function (`__VERIFIER_nondet_int`) returns. The layout is part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Input {
    /// The thread that calls.
    pub thread: ThreadId,
    /// Padding, always zero.
    #[cfg_attr(feature = "std", serde(skip))]
    pub reserved: u16,
    /// Which of the thread's calls it is, from 0.
    pub index: u32,
    /// The value as 64 bits. A type with fewer has the lowest.
    pub value: u64,
}

impl Input {
    /// The value of call `index` of `thread` among `inputs`, which are sorted.
    pub fn find(inputs: &[Input], thread: ThreadId, index: u32) -> Option<u64> {
        let at = inputs.binary_search_by_key(&(thread, index), |input| (input.thread, input.index)).ok()?;
        Some(inputs[at].value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_of_each_thread_has_its_own() {
        let input = |thread, index, value| Input { thread: ThreadId(thread), index, value, ..Input::default() };
        let all = [input(0, 0, 7), input(0, 2, 8), input(1, 0, u64::MAX)];
        assert_eq!(Input::find(&all, ThreadId(0), 2), Some(8));
        assert_eq!(Input::find(&all, ThreadId(0), 1), None);
        assert_eq!(Input::find(&all, ThreadId(1), 0), Some(u64::MAX));
        assert_eq!(Input::find(&[], ThreadId(0), 0), None);
    }
}
