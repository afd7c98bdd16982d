//! The table of dead stack bytes: which bytes of a function's frame are dead while one of its calls is under way.
//!
//! A byte is dead when the function writes it before it reads it again, on every path, or never reads it again. What it holds
//! cannot influence anything that follows. Two states of a program that differ only in dead bytes are one state.
//!
//! The table is plain data: a header, the calls sorted by return address, and the ranges that the calls refer to. All numbers are
//! little-endian and may lie at any address. [`FrameTable`] reads it in place: it neither allocates nor trusts what it reads.
//! `native` makes the table from a program's machine code ([`FrameTable::write`]).
//!
//! Offsets are relative to the frame's end. That is the *canonical frame address* of debuggers: the value of the stack pointer before
//! the call of the function. The return address lies right below it. All offsets in the table are negative.
//!
//! Registers that calls preserve can be dead, too: the function writes them before it reads them again. Their values are where the
//! functions further in have saved them, or still in the registers ([`KEPT`]).
//!
//! A call that looks at a place in a loop can have *counters*: a register and bytes of the frame that only count the rounds of the loop.

/// The first bytes of a table.
const MAGIC: [u8; 8] = *b"heddle\0f";
/// The size of the header: [`MAGIC`], the number of calls and the number of ranges.
const HEADER: usize = 16;
/// The size of a call and of a range in the table.
const CALL: usize = 40 + 4 * KEPT;
const RANGE: usize = 8;
/// The number of registers that calls preserve, apart from stack pointer and frame pointer: rbx, r12, r13, r14, r15.
pub const KEPT: usize = 5;
/// The largest frame that is believed.
const LARGEST: u64 = 1 << 30;

/// The register from which the end of a frame is computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u32)]
pub enum FrameBase {
    /// The stack pointer, as it is when the call has returned.
    StackPointer = 0,
    /// The frame pointer (`rbp`).
    FramePointer = 1,
}

/// One call of a function in the program: where the frame of the calling function ends while the call is under way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FrameCall {
    /// The return address of the call, as in the program's file.
    pub return_address: u32,
    /// The register that the frame's end is computed from.
    pub base: FrameBase,
    /// The distance from that register to the frame's end.
    pub distance: i32,
    /// The offset at which the function keeps its caller's frame pointer. 0 if the register still holds it.
    pub saved_frame_pointer: i32,
    /// For each [kept](KEPT) register the offset at which the function has saved its caller's value. 0 if the register still holds it.
    pub saved: [i32; KEPT],
    /// The kept registers that are dead, as bits.
    pub dead_registers: u32,
    /// The kept registers that only count the rounds of the loop with this call, as bits.
    pub counters: u32,
    /// Bytes of the frame that do.
    pub counts: Option<DeadRange>,
    /// The number of the first dead range.
    first: u32,
    /// The number of dead ranges.
    count: u32,
}

/// A range of dead bytes, relative to the frame's end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DeadRange {
    /// The offset of the first byte.
    pub begin: i32,
    /// The offset after the last byte.
    pub end: i32,
}

/// A table of dead stack bytes, read in place.
#[derive(Clone, Copy, Debug)]
pub struct FrameTable<'a> {
    calls: &'a [u8],
    ranges: &'a [u8],
}

/// A frame on a stack, with its dead bytes.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The lowest address of the frame: the stack pointer when the call has returned.
    pub low: u64,
    /// The frame's end.
    pub end: u64,
    /// For each [kept](KEPT) register the address at which the function has saved its caller's value. 0 if the register still holds it.
    pub saved: [u64; KEPT],
    /// The kept registers that are dead, as bits.
    pub dead_registers: u32,
    /// The kept registers that only count the rounds of the loop with the frame's call, as bits.
    pub counters: u32,
    counts: Option<DeadRange>,
    ranges: &'a [u8],
}

impl<'a> FrameTable<'a> {
    /// The table in `bytes`. `None` if they hold none, or one that is cut off.
    pub fn read(bytes: &'a [u8]) -> Option<FrameTable<'a>> {
        let (header, rest) = bytes.split_at_checked(HEADER)?;
        if header[..8] != MAGIC {
            return None;
        }
        let calls = (word(header, 8) as usize).checked_mul(CALL)?;
        let ranges = (word(header, 12) as usize).checked_mul(RANGE)?;
        let (calls, rest) = rest.split_at_checked(calls)?;
        Some(FrameTable { calls, ranges: rest.get(..ranges)? })
    }

    /// The number of calls in the table.
    pub fn calls(&self) -> usize {
        self.calls.len() / CALL
    }

    /// The call with this number, in the order of return addresses. `None` if the table is damaged there.
    pub fn call(&self, number: usize) -> Option<FrameCall> {
        let at = number.checked_mul(CALL)?;
        let bytes = self.calls.get(at..at.checked_add(CALL)?)?;
        let base = match word(bytes, 4) {
            0 => FrameBase::StackPointer,
            1 => FrameBase::FramePointer,
            _ => return None,
        };
        Some(FrameCall {
            return_address: word(bytes, 0),
            base,
            distance: word(bytes, 8) as i32,
            saved_frame_pointer: word(bytes, 12) as i32,
            first: word(bytes, 16),
            count: word(bytes, 20),
            dead_registers: word(bytes, 24),
            counters: word(bytes, 28),
            counts: Some(DeadRange { begin: word(bytes, 32) as i32, end: word(bytes, 36) as i32 })
                .filter(|range| range.begin < range.end),
            saved: core::array::from_fn(|number| word(bytes, 40 + 4 * number) as i32),
        })
    }

    /// The call that returns to `return_address`, an address as in the program's file. By binary search.
    pub fn find(&self, return_address: u64) -> Option<FrameCall> {
        let wanted = u32::try_from(return_address).ok()?;
        let (mut low, mut high) = (0, self.calls());
        while low < high {
            let middle = low + (high - low) / 2;
            let at = word(self.calls, middle * CALL);
            if at == wanted {
                return self.call(middle);
            }
            if at < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        None
    }

    /// The dead ranges of a call, ascending. None, if the table is damaged there.
    pub fn dead(&self, call: &FrameCall) -> impl Iterator<Item = DeadRange> + use<'a> {
        dead(self.dead_bytes(call))
    }

    fn dead_bytes(&self, call: &FrameCall) -> &'a [u8] {
        let (first, count) = (call.first as usize, call.count as usize);
        let end = first.saturating_add(count).saturating_mul(RANGE);
        self.ranges.get(first.saturating_mul(RANGE)..end).unwrap_or(&[])
    }

    /// The frames of a stack, innermost first, up to the first function that the table does not know. What is above is not known
    /// either.
    ///
    /// A thread stands in a call that returns to `return_address`. `stack_pointer` and `frame_pointer` are the registers' values when
    /// it has returned. `base` is the difference from the file's addresses to those in memory. `load` reads a word of the stack, or says that it is not on the stack.
    pub fn walk<L>(self, base: u64, return_address: u64, stack_pointer: u64, frame_pointer: u64, load: L) -> Walk<'a, L>
    where
        L: FnMut(u64) -> Option<u64>,
    {
        Walk { table: self, base, return_address, stack_pointer, frame_pointer, load }
    }
}

impl<'a> Frame<'a> {
    /// Whether anything only counts the rounds of the loop with the frame's call.
    pub fn has_counters(&self) -> bool {
        self.counters != 0 || self.counts.is_some()
    }

    /// The bytes of the frame that only count rounds, as a pair of addresses (first, one past the last).
    pub fn counts(&self) -> Option<(u64, u64)> {
        let range = self.counts?;
        let (first, past) =
            (self.end.wrapping_add_signed(range.begin.into()), self.end.wrapping_add_signed(range.end.into()));
        (self.low <= first && first < past && past <= self.end).then_some((first, past))
    }

    /// The dead bytes of the frame as pairs of addresses (first, one past the last), ascending.
    pub fn dead(&self) -> impl Iterator<Item = (u64, u64)> + use<'a> {
        let (low, end) = (self.low, self.end);
        let addresses = dead(self.ranges)
            .map(move |range| (end.wrapping_add_signed(range.begin.into()), end.wrapping_add_signed(range.end.into())));
        // A damaged table must not reach beyond the frame.
        addresses.filter(move |&(first, past)| low <= first && first < past && past <= end)
    }
}

/// The frames of a stack: see [`FrameTable::walk`].
#[derive(Clone, Debug)]
pub struct Walk<'a, L> {
    table: FrameTable<'a>,
    base: u64,
    return_address: u64,
    stack_pointer: u64,
    frame_pointer: u64,
    load: L,
}

impl<'a, L: FnMut(u64) -> Option<u64>> Iterator for Walk<'a, L> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Frame<'a>> {
        let call = self.table.find(self.return_address.checked_sub(self.base)?)?;
        let register = match call.base {
            FrameBase::StackPointer => self.stack_pointer,
            FrameBase::FramePointer => self.frame_pointer,
        };
        let (low, end) = (self.stack_pointer, register.checked_add_signed(call.distance.into())?);
        // At least the return address is in it.
        if end % 8 != 0 || end < low.checked_add(8)? || end - low > LARGEST {
            return None;
        }
        self.return_address = (self.load)(end - 8)?;
        if call.saved_frame_pointer != 0 {
            self.frame_pointer = (self.load)(end.checked_add_signed(call.saved_frame_pointer.into())?)?;
        }
        self.stack_pointer = end;
        let inside = |at: &u64| (low..end).contains(at) && at.is_multiple_of(8);
        let saved = call.saved.map(|offset| Some(end.wrapping_add_signed(offset.into())).filter(inside).unwrap_or(0));
        let FrameCall { dead_registers, counters, counts, .. } = call;
        Some(Frame { low, end, saved, dead_registers, counters, counts, ranges: self.table.dead_bytes(&call) })
    }
}

fn dead(bytes: &[u8]) -> impl Iterator<Item = DeadRange> {
    bytes.chunks_exact(RANGE).map(|range| DeadRange { begin: word(range, 0) as i32, end: word(range, 4) as i32 })
}

/// The number at `at`, which must be inside.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(feature = "std")]
mod writing {
    use std::collections::HashMap;

    use super::{DeadRange, FrameBase, FrameCall, FrameTable, HEADER, MAGIC};

    impl FrameCall {
        /// A call without dead registers, and without its dead ranges, which [`FrameTable::write`] adds.
        pub fn new(return_address: u32, base: FrameBase, distance: i32, saved_frame_pointer: i32) -> FrameCall {
            FrameCall {
                return_address,
                base,
                distance,
                saved_frame_pointer,
                saved: [0; super::KEPT],
                dead_registers: 0,
                counters: 0,
                counts: None,
                first: 0,
                count: 0,
            }
        }
    }

    impl FrameTable<'_> {
        /// The bytes of a table with these calls and the dead ranges of each, ascending. Equal lists of ranges are kept once. Of two
        /// calls with one return address the first is kept.
        pub fn write(mut calls: Vec<(FrameCall, Vec<DeadRange>)>) -> Vec<u8> {
            calls.sort_by_key(|(call, _)| call.return_address);
            calls.dedup_by_key(|(call, _)| call.return_address);
            let mut ranges: Vec<DeadRange> = Vec::new();
            let mut lists: HashMap<Vec<DeadRange>, u32> = HashMap::new();
            for (call, dead) in &mut calls {
                call.count = dead.len() as u32;
                call.first = *lists.entry(std::mem::take(dead)).or_insert_with_key(|dead| {
                    ranges.extend(dead);
                    (ranges.len() - dead.len()) as u32
                });
            }
            let mut bytes = Vec::with_capacity(HEADER + calls.len() * super::CALL + ranges.len() * super::RANGE);
            bytes.extend(MAGIC);
            bytes.extend((calls.len() as u32).to_le_bytes());
            bytes.extend((ranges.len() as u32).to_le_bytes());
            for (call, _) in &calls {
                let &FrameCall { return_address, base, distance, saved_frame_pointer, .. } = call;
                let words = [return_address, base as u32, distance as u32, saved_frame_pointer as u32];
                let counts = call.counts.unwrap_or(DeadRange { begin: 0, end: 0 });
                let more = [call.first, call.count, call.dead_registers, call.counters]
                    .into_iter()
                    .chain([counts.begin as u32, counts.end as u32])
                    .chain(call.saved.map(|at| at as u32));
                bytes.extend(words.into_iter().chain(more).flat_map(u32::to_le_bytes));
            }
            for DeadRange { begin, end } in ranges {
                bytes.extend([begin, end].into_iter().flat_map(i32::to_le_bytes));
            }
            bytes
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const fn range(begin: i32, end: i32) -> DeadRange {
        DeadRange { begin, end }
    }

    fn table() -> Vec<u8> {
        use FrameBase::{FramePointer, StackPointer};
        FrameTable::write(vec![
            (FrameCall::new(0x300, FramePointer, 16, -16), vec![range(-40, -32), range(-24, -20)]),
            (
                FrameCall {
                    dead_registers: 0b10,
                    saved: [0, -24, 0, 0, 0],
                    counters: 0b101,
                    counts: Some(range(-24, -20)),
                    ..FrameCall::new(0x100, StackPointer, 24, 0)
                },
                vec![range(-24, -16)],
            ),
            (FrameCall::new(0x200, StackPointer, 24, 0), vec![range(-24, -16)]),
            (FrameCall::new(0x400, FramePointer, 16, -16), vec![]),
        ])
    }

    #[test]
    fn a_call_is_found_by_its_return_address() {
        let bytes = table();
        let table = FrameTable::read(&bytes).unwrap();
        assert_eq!(table.calls(), 4);
        for (at, expected) in [
            (0x100, vec![range(-24, -16)]),
            (0x200, vec![range(-24, -16)]),
            (0x300, vec![range(-40, -32), range(-24, -20)]),
            (0x400, vec![]),
        ] {
            let call = table.find(at).unwrap();
            assert_eq!(u64::from(call.return_address), at);
            assert_eq!(table.dead(&call).collect::<Vec<_>>(), expected);
        }
        for at in [0, 0xff, 0x101, 0x2ff, 0x401, u64::MAX, 0x1_0000_0100] {
            assert_eq!(table.find(at), None, "{at:#x}");
        }
        // Two calls share a list.
        assert_eq!(bytes.len(), HEADER + 4 * CALL + 3 * RANGE);
    }

    #[test]
    fn a_walk_ends_at_what_is_unknown() {
        let bytes = table();
        let table = FrameTable::read(&bytes).unwrap();
        const BASE: u64 = 0x50_0000;
        // The innermost frame ends at 0x1018 and returns to the function with the frame pointer, which returns to an unknown one.
        let memory = BTreeMap::from([(0x1010, BASE + 0x300), (0x1048, 0x7777), (0x1040, 0x2000)]);
        let load = |at: u64| memory.get(&at).copied();
        let frames: Vec<Frame<'_>> = table.walk(BASE, BASE + 0x100, 0x1000, 0x1040, load).collect();
        let ends: Vec<(u64, u64)> = frames.iter().map(|frame| (frame.low, frame.end)).collect();
        assert_eq!(ends, [(0x1000, 0x1018), (0x1018, 0x1050)]);
        assert_eq!(frames[0].dead().collect::<Vec<_>>(), [(0x1000, 0x1008)]);
        assert_eq!((frames[0].dead_registers, frames[0].saved), (0b10, [0, 0x1000, 0, 0, 0]));
        assert_eq!(
            (frames[0].counters, frames[0].counts(), frames[1].has_counters()),
            (0b101, Some((0x1000, 0x1004)), false)
        );
        assert_eq!((frames[1].dead_registers, frames[1].saved), (0, [0; KEPT]));
        assert_eq!(frames[1].dead().collect::<Vec<_>>(), [(0x1028, 0x1030), (0x1038, 0x103c)]);
        // A frame pointer that leads nowhere, a stack that cannot be read, a return address below the program.
        assert_eq!(table.walk(BASE, BASE + 0x300, 0x1018, 0x1000, load).count(), 0);
        assert_eq!(table.walk(BASE, BASE + 0x300, 0x1018, 0x1041, load).count(), 0);
        assert_eq!(table.walk(BASE, BASE + 0x300, 0x1018, u64::MAX, load).count(), 0);
        assert_eq!(table.walk(BASE, BASE + 0x100, 0x3000, 0, load).count(), 0);
        assert_eq!(table.walk(BASE, BASE - 1, 0x1000, 0x1040, load).count(), 0);
    }

    #[test]
    fn damaged_tables_lead_nowhere() {
        let bytes = table();
        for cut in 0..bytes.len() {
            assert!(FrameTable::read(&bytes[..cut]).is_none(), "{cut}");
        }
        // Every byte, damaged in a few ways: no panic, and nothing outside the frame.
        for at in 0..bytes.len() {
            for bits in [0x01, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= bits;
                let Some(table) = FrameTable::read(&bytes) else { continue };
                for return_address in [0x100, 0x200, 0x300, 0x400] {
                    for frame in table.walk(0, return_address, 0x1000, 0x1040, Some).take(4) {
                        assert!(frame.dead().all(|(first, past)| frame.low <= first && past <= frame.end));
                        assert!(frame.saved.iter().all(|&at| at == 0 || (frame.low..frame.end).contains(&at)));
                    }
                }
            }
        }
    }
}
