//! Dead bytes of stacks: what a function has left in its frame and never reads again.
//!
//! Without optimisation every variable keeps its value after its last use. Two stacks that differ only in such bytes are the same stack:
//! nothing that follows depends on them. The same holds for registers that a function writes before it reads them again. The driver finds both in the program's machine code ([`FrameTable`]), once an execution is to be
//! run that compares stacks. They count as zero then, where a thread that waits is compared with an earlier round of its loop
//! ([`crate::schedule::spin_loop`]) and in fingerprints of states ([`super::fingerprint`]).
//!
//! Return addresses and frame pointers are never dead, so equal bytes that count have the same dead bytes between them.

use core::cell::Cell;

use heddle_model::ThreadId;
use heddle_model::vain::Vain;
use heddle_model::wire::{Frame, FrameTable, KEPT, NO_STATES, ROUNDS};

use crate::addresses::Reserve;
use crate::calls::annotate;
use crate::entry::wire::Wire;
use crate::lifetime::{self, Exclusive};
use crate::schedule::fiber;

/// How much of a stack is copied to be looked at without its dead bytes. In frames further out all bytes count.
const MOST: usize = 16 << 10;
const WORD: usize = 8;
/// In how many frames registers are looked for that are dead, and how many places there may be where these were saved. All others count.
const DEPTH: usize = 32;
const SLOTS: usize = 16;
/// The numbers of kept registers among those of a call ([`crate::schedule::registers`]).
const NUMBERS: [usize; KEPT] = [0, 2, 3, 4, 5];

/// The dead bytes of the program, in executions that compare stacks.
pub struct Dead {
    table: Cell<Option<FrameTable<'static>>>,
    /// Room for a copy of a stack.
    copy: Exclusive<&'static mut [u64]>,
}

impl Dead {
    /// Nothing is known, and there is no room.
    pub const fn new() -> Dead {
        Dead { table: Cell::new(None), copy: Exclusive::new(&mut []) }
    }

    /// Begins the execution of plan `sequence`.
    pub fn reset(&self, wire: Wire, sequence: u32) {
        // An execution that goes through known rounds compares them byte by byte.
        let states = ![NO_STATES, ROUNDS].contains(&wire.states(sequence));
        let compares = states || Vain::new(wire.places()).wipes();
        self.table.set(if compares { wire.frames() } else { None });
    }
}

fn dead() -> &'static Dead {
    &lifetime::execution().dead
}

/// Reserves memory. Call this once.
pub fn set_up(reserve: &mut Reserve) {
    *dead().copy.borrow() = reserve.take(MOST / WORD);
}

/// The frames of a stack that are known, innermost first: those of `thread`, which is in a call that it made with these registers
/// ([`crate::schedule::registers`]).
fn frames(thread: ThreadId, registers: [u64; 7]) -> impl Iterator<Item = Frame<'static>> {
    let (low, size) = fiber::stack_of(thread);
    let load = move |at: u64| {
        let is_there = at.is_multiple_of(WORD as u64) && (low..low + size - WORD).contains(&(at as usize));
        // SAFETY: on the stack of the thread.
        is_there.then(|| unsafe { *(at as *const u64) })
    };
    let [_, frame_pointer, .., stack] = registers;
    // The return address of the call is right at the stack pointer.
    let walk = dead().table.get().zip(load(stack)).map(|(table, return_address)| {
        table.walk(annotate::load_address(), return_address, stack + WORD as u64, frame_pointer, load)
    });
    walk.into_iter().flatten()
}

/// The registers and the stack of a thread. What is dead of them is zero.
pub struct Live<R> {
    /// The registers.
    pub registers: [u64; 7],
    /// Where functions have saved registers whose values are dead.
    slots: [usize; SLOTS],
    count: usize,
    /// The dead bytes of frames, as pairs of addresses (first, one past the last), ascending.
    ranges: R,
    next: Option<(usize, usize)>,
}

/// The registers and the stack of `thread`, which is in a call that it made with these registers ([`crate::schedule::registers`]).
pub fn live(thread: ThreadId, registers: [u64; 7]) -> Live<impl Iterator<Item = (usize, usize)>> {
    let bytes = frames(thread, registers).flat_map(|frame| frame.dead());
    let mut ranges = bytes.map(|(first, past)| (first as usize, past as usize));
    let next = ranges.next();
    let mut live = Live { registers, slots: [0; SLOTS], count: 0, ranges, next };
    // Where the values of the frame's registers are. 0 if they are still there.
    let mut homes = [0; KEPT];
    for frame in frames(thread, registers).take(DEPTH) {
        for (number, home) in homes.iter_mut().enumerate() {
            if frame.dead_registers >> number & 1 != 0 {
                live.drop_value(number, *home as usize);
            }
            if frame.saved[number] != 0 {
                *home = frame.saved[number];
            }
        }
    }
    live
}

/// What only counts the rounds of a loop around the call that a thread is in.
pub struct Counters {
    /// The end of the frame with the loop.
    pub end: usize,
    /// Registers of the call, as bits of their numbers, and places where functions further in have saved some.
    registers: u32,
    slots: [usize; KEPT],
    /// Bytes of the frame: the first address, and one past the last.
    bytes: (usize, usize),
}

/// The counters of the innermost loop of `thread` that has some, if it is at most `levels` functions out. The thread is in a call that it made with
/// these registers ([`crate::schedule::registers`]).
pub fn counters(thread: ThreadId, registers: [u64; 7], levels: usize) -> Option<Counters> {
    let mut homes = [0; KEPT];
    for frame in frames(thread, registers).take(levels) {
        if frame.has_counters() {
            let bytes = frame.counts().map_or((0, 0), |(first, past)| (first as usize, past as usize));
            let mut counters = Counters { end: frame.end as usize, registers: 0, slots: [0; KEPT], bytes };
            for (number, home) in homes.iter().enumerate().filter(|(number, _)| frame.counters >> number & 1 != 0) {
                match *home {
                    0 => counters.registers |= 1 << NUMBERS[number],
                    home => counters.slots[number] = home as usize,
                }
            }
            return Some(counters);
        }
        for (home, saved) in homes.iter_mut().zip(frame.saved).filter(|(_, saved)| *saved != 0) {
            *home = saved;
        }
    }
    None
}

impl Counters {
    /// Whether register `number` of the call is one.
    pub fn has_register(&self, number: usize) -> bool {
        self.registers >> number & 1 != 0
    }

    /// `word` of the stack, which is at `at`, without what is one.
    #[inline]
    pub fn without(&self, word: u64, at: usize) -> u64 {
        if self.slots.contains(&at) {
            return 0;
        }
        let (first, past) = self.bytes;
        if first < at + WORD && at < past { word & !bytes(first.max(at) - at, past.min(at + WORD) - at) } else { word }
    }
}

impl<R: Iterator<Item = (usize, usize)>> Live<R> {
    /// The value of a register is dead. It is at `home`, or still in the register if that is 0.
    fn drop_value(&mut self, register: usize, home: usize) {
        if home == 0 {
            self.registers[NUMBERS[register]] = 0;
        } else if self.count < SLOTS {
            self.slots[self.count] = home;
            self.count += 1;
        }
    }

    /// The word at `at`, which is at or above all words that were read before.
    ///
    /// # Safety
    /// The word is on the stack.
    #[inline]
    pub unsafe fn read(&mut self, at: usize) -> u64 {
        // SAFETY: the caller's.
        let mut word = unsafe { *(at as *const u64) };
        while let Some((first, past)) = self.next
            && first < at + WORD
        {
            if past > at {
                word &= !bytes(first.max(at) - at, past.min(at + WORD) - at);
            }
            if past > at + WORD {
                break;
            }
            self.next = self.ranges.next();
        }
        if self.slots[..self.count].contains(&at) { 0 } else { word }
    }

    /// Calls `each` with address and length of copies and parts of memory that together hold the stack from `low` to `high`.
    pub fn each_part(self, low: usize, high: usize, mut each: impl FnMut(usize, usize)) {
        if dead().table.get().is_none() {
            return each(low, high - low);
        }
        let copy = dead().copy.borrow();
        let middle = high.min(low + MOST);
        // SAFETY: the live part of a stack, and as much room.
        unsafe { core::ptr::copy_nonoverlapping(low as *const u64, copy.as_mut_ptr(), (middle - low) / WORD) };
        let slots = self.slots[..self.count].iter().map(|&slot| (slot, slot + WORD));
        let ranges = self.next.into_iter().chain(self.ranges).take_while(|&(_, past)| past <= middle);
        for (first, past) in ranges.chain(slots).filter(|&(first, past)| low <= first && past <= middle) {
            // SAFETY: inside the copy.
            unsafe { core::ptr::write_bytes(copy.as_mut_ptr().cast::<u8>().add(first - low), 0, past - first) };
        }
        each(copy.as_ptr() as usize, middle - low);
        each(middle, high - middle);
    }
}

/// The bits of the bytes from `first` to `past` of a word.
fn bytes(first: usize, past: usize) -> u64 {
    let up_to = |byte: usize| if byte == WORD { u64::MAX } else { (1 << (8 * byte)) - 1 };
    up_to(past) & !up_to(first)
}
