//! Seals: how the driver sees that what lies in the shared memory was written by the runtime.
//!
//! The program can write to the part of the shared memory that reports go to. A stray write there must not pass for a report. So the
//! runtime keeps a sum over everything that it writes, in memory of its own at an address that is drawn, and seals each
//! execution with a [key](Key) that is drawn for the process. The driver computes both again from what it has copied. What has
//! changed, was left out, belongs to another plan or was never written gives another sum, except with a probability of about 2^-60.
//!
//! This protects against accidents, not against a program that looks for the key.

use super::{MESSAGE, ThreadName, WireResult};
use crate::race::Race;
use crate::{Event, Fingerprint, Pending, PlainTouch};

/// What a sum is over. The same words count differently in each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Lane {
    /// The fixed part of a result.
    Result = 0,
    /// Its message.
    Message = 1,
    /// An event, by its index. So are the others.
    Event = 2,
    /// The next operation of a thread that has not ended.
    Pending = 3,
    /// A data race.
    Race = 4,
    /// A state.
    State = 5,
    /// What was done with plain memory.
    Touch = 6,
    /// A word of call stacks.
    Stack = 7,
    /// A byte of output.
    Output = 8,
    /// What executions did that is not covered: [`super::Note`].
    Notes = 9,
    /// The name of a thread.
    Name = 10,
    /// A label that was reached.
    Label = 11,
    /// Eight bytes of the names of libraries.
    Library = 12,
    /// Why the program cannot be run.
    Trouble = 13,
}

const LANES: usize = 16;
const PAIRS: usize = 32;
/// An odd number without a pattern: the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// What sums and seals of one process are made with. All of it is drawn.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Key {
    lanes: [u64; LANES],
    pairs: [u64; PAIRS],
    last: u64,
    /// An odd number, and what undoes a multiplication with it.
    veil: [u64; 2],
}

/// A product of full width, folded: each bit of both factors counts.
#[inline(always)]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

impl Key {
    /// The key that follows from these random numbers.
    pub fn new(drawn: [u64; 2]) -> Key {
        let mut state = drawn[0];
        let mut next = || {
            // SplitMix64, with a second number that is mixed in.
            state = state.wrapping_add(GOLDEN);
            let mut word = state ^ drawn[1];
            word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ word >> 31
        };
        let lanes = core::array::from_fn(|_| next());
        let pairs = core::array::from_fn(|_| next());
        let (last, veil) = (next() | 1, next() | 1);
        // Newton's iteration doubles the number of right bits: three of them at first.
        let mut inverse = veil;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(veil.wrapping_mul(inverse)));
        }
        Key { lanes, pairs, last, veil: [veil, inverse] }
    }

    /// What the words of one thing, number `index` of its kind, add to a sum.
    #[inline(always)]
    pub fn of<const N: usize>(&self, lane: Lane, index: u32, words: [u64; N]) -> u64 {
        const { assert!(N <= PAIRS) };
        let mut sum = self.lanes[lane as usize] ^ (index as u64).wrapping_mul(GOLDEN);
        let mut at = 0;
        // The products do not wait for each other.
        while at < N {
            let second = if at + 1 < N { words[at + 1] } else { 0 };
            sum = sum.wrapping_add(fold(words[at] ^ self.pairs[at], second ^ self.pairs[(at + 1) % PAIRS]));
            at += 2;
        }
        fold(sum, self.last)
    }

    /// What an event adds.
    #[inline(always)]
    pub fn of_event(&self, index: u32, event: &Event) -> u64 {
        self.of(Lane::Event, index, event.to_words())
    }

    /// What the next operation of a thread adds.
    pub fn of_pending(&self, index: u32, pending: &Pending) -> u64 {
        self.of(Lane::Pending, index, pending.to_words())
    }

    /// What a data race adds.
    pub fn of_race(&self, index: u32, race: &Race) -> u64 {
        self.of(Lane::Race, index, race.to_words())
    }

    /// What a state adds.
    #[inline]
    pub fn of_state(&self, index: u32, state: Fingerprint) -> u64 {
        self.of(Lane::State, index, [state.0 as u64, (state.0 >> 64) as u64])
    }

    /// What is told of plain memory adds.
    #[inline]
    pub fn of_touch(&self, index: u32, touch: &PlainTouch) -> u64 {
        self.of(Lane::Touch, index, touch.to_words())
    }

    /// What words of call stacks add, the first of which is word `index` of them all.
    pub fn of_stack(&self, index: u32, words: &[u64]) -> u64 {
        self.of_each(Lane::Stack, index, words.iter().copied())
    }

    /// What bytes of output add, the first of which is byte `index` of them all.
    pub fn of_output(&self, index: u32, bytes: &[u8]) -> u64 {
        self.of_each(Lane::Output, index, bytes.iter().map(|&byte| byte.into()))
    }

    /// What notes add.
    pub fn of_notes(&self, notes: u64) -> u64 {
        self.of(Lane::Notes, 0, [notes])
    }

    /// The sum over the names of threads, from the first.
    pub fn of_names(&self, names: impl Iterator<Item = ThreadName>) -> u64 {
        self.of_each(Lane::Name, 0, names.map(|name| name.parent.0 as u64 | (name.ordinal as u64) << 32))
    }

    /// The sum over the labels that were reached, from the first.
    pub fn of_labels(&self, labels: impl Iterator<Item = u64>) -> u64 {
        self.of_each(Lane::Label, 0, labels)
    }

    /// The sum over the names of libraries.
    pub fn of_libraries(&self, names: &[u8]) -> u64 {
        self.of_bytes(Lane::Library, names)
    }

    /// The seal of the reason why the program cannot be run.
    pub fn of_trouble(&self, text: &[u8]) -> u64 {
        self.of_bytes(Lane::Trouble, text)
    }

    /// The seal of a result: of everything in it but the seal.
    pub fn seal(&self, result: &WireResult) -> u64 {
        let message = &result.message[..(result.head.message_len as usize).min(MESSAGE)];
        self.of(Lane::Result, 0, result.head.to_words()).wrapping_add(self.of_bytes(Lane::Message, message))
    }

    fn of_each(&self, lane: Lane, first: u32, words: impl Iterator<Item = u64>) -> u64 {
        let each = words.enumerate().map(|(at, word)| self.of(lane, first.wrapping_add(at as u32), [word]));
        each.fold(0, u64::wrapping_add)
    }

    fn of_bytes(&self, lane: Lane, bytes: &[u8]) -> u64 {
        let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | byte as u64);
        self.of_each(lane, 0, bytes.chunks(8).map(word)).wrapping_add(self.of(lane, u32::MAX, [bytes.len() as u64]))
    }

    /// A number as it is written where the driver looks while the program runs. Hardly any other word can be [read](Self::unveil) as a
    /// number of the size that is expected.
    #[inline(always)]
    pub fn veil(&self, number: u64) -> u64 {
        number.wrapping_add(1).wrapping_mul(self.veil[0])
    }

    /// The number that was written as `word`.
    #[inline]
    pub fn unveil(&self, word: u64) -> u64 {
        word.wrapping_mul(self.veil[1]).wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ResultHead;
    use crate::{EventFlags, ThreadId};

    const KEY: fn() -> Key = || Key::new([7, 8]);

    #[test]
    fn a_veiled_number_is_read_again_and_hardly_another_one() {
        let key = KEY();
        for number in [0, 1, 2, 1 << 40, u64::MAX - 1] {
            assert_eq!(key.unveil(key.veil(number)), number);
        }
        let small = (0..10_000u64).filter(|word| key.unveil(*word) < 1 << 40).count();
        assert!(small < 3, "{small} of 10,000 words pass for numbers");
    }

    /// Whatever bit of whatever thing is changed: the sum is another one.
    #[test]
    fn every_bit_counts() {
        let key = KEY();
        let event = Event { pc: 5, flags: EventFlags(3), thread: ThreadId(2), ..Event::default() };
        let words = event.to_words();
        let right = key.of(Lane::Event, 3, words);
        assert_eq!(right, key.of_event(3, &event));
        for bit in 0..words.len() * 64 {
            let mut changed = words;
            changed[bit / 64] ^= 1 << (bit % 64);
            assert_ne!(key.of(Lane::Event, 3, changed), right, "bit {bit}");
        }
        assert_ne!(key.of(Lane::Event, 4, words), right, "at another place");
        assert_ne!(key.of(Lane::Touch, 3, words), right, "of another kind");
        assert_ne!(Key::new([7, 9]).of_event(3, &event), right, "with another key");
        assert_ne!(Key::new([6, 8]).of_event(3, &event), right, "with another key");
    }

    /// Events that change places give another sum, although it is one over all of them in any order.
    #[test]
    fn order_counts() {
        let key = KEY();
        let [a, b] = [1, 2].map(|pc| Event { pc, ..Event::default() });
        let sum = |events: [&Event; 2]| key.of_event(0, events[0]).wrapping_add(key.of_event(1, events[1]));
        assert_ne!(sum([&a, &b]), sum([&b, &a]));
        assert_ne!(key.of_output(0, b"ab"), key.of_output(0, b"ba"));
        let (whole, parts) = (key.of_output(0, b"abc"), key.of_output(0, b"a").wrapping_add(key.of_output(1, b"bc")));
        assert_eq!(whole, parts, "written in pieces");
    }

    #[test]
    fn a_seal_is_over_all_of_a_result() {
        let key = KEY();
        let head = ResultHead { sequence: 9, message_len: 3, ..ResultHead::default() };
        let mut result = WireResult { head, seal: 0, message: [b'x'; MESSAGE] };
        let right = key.seal(&result);
        result.message[3] = b'y';
        assert_eq!(key.seal(&result), right, "it is no part of the message");
        result.message[2] = b'y';
        assert_ne!(key.seal(&result), right);
        result.message[2] = b'x';
        result.head.message_len = u32::MAX;
        assert_ne!(key.seal(&result), right);
        result.head = ResultHead { sequence: 10, ..head };
        assert_ne!(key.seal(&result), right);
    }
}
