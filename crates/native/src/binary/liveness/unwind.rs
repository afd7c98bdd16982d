//! What a program's unwind tables say about a function: where its frame ends, which registers it keeps there, and its landing pads.
//!
//! Compilers write these tables (`.eh_frame`, `.gcc_except_table`) for exceptions and debuggers. They are a second opinion on what the
//! machine code says: where the two differ, nothing is believed.

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EndianSlice, LittleEndian, Reader as _, RegisterRule, UnwindSection as _,
};
use heddle_model::wire::{FrameBase, KEPT};

use super::{Image, NotUnderstood};

type Slice<'d> = EndianSlice<'d, LittleEndian>;
type Entry<'d> = gimli::FrameDescriptionEntry<Slice<'d>>;

/// The DWARF numbers of registers.
const RBP: gimli::Register = gimli::Register(6);
const RSP: gimli::Register = gimli::Register(7);
const KEPT_REGISTERS: [u16; KEPT] = [3, 12, 13, 14, 15];
const RETURN_ADDRESS: gimli::Register = gimli::Register(16);

/// All unwind tables of a file.
pub struct UnwindTables<'d> {
    entries: Vec<Entry<'d>>,
    section: EhFrame<Slice<'d>>,
    bases: BaseAddresses,
}

/// The part of a function for which the same rules hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The first address.
    pub start: u64,
    /// The address after the last.
    pub end: u64,
    /// The register that the frame's end is computed from.
    pub base: FrameBase,
    /// The distance from that register to the frame's end.
    pub distance: i64,
    /// The offset at which the caller's frame pointer is kept, from the frame's end. `None` if the register still holds it.
    pub saved_frame_pointer: Option<i64>,
    /// The offset at which the caller's value of each [kept](KEPT) register is, from the frame's end. `None` if the register still holds it.
    pub saved: [Option<i64>; KEPT],
}

/// What the unwind tables say about one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwind {
    /// The rows, by address.
    pub rows: Vec<Row>,
    /// The offsets of all registers that the function keeps in its frame, from its end. Each takes eight bytes.
    pub saved: Vec<i64>,
    /// The addresses at which the function continues after an exception.
    pub pads: Vec<u64>,
}

impl Unwind {
    /// The row for the call that ends at `return_address`.
    pub fn row(&self, return_address: u64) -> Option<&Row> {
        let inside = return_address - 1;
        self.rows.iter().find(|row| (row.start..row.end).contains(&inside))
    }
}

impl<'d> UnwindTables<'d> {
    /// The tables of a file. Empty if it has none.
    pub fn of(image: &Image<'d>) -> UnwindTables<'d> {
        let (address, data) = image.section(".eh_frame").unwrap_or_default();
        let text = image.section(".text").map_or(0, |(address, _)| address);
        let section = EhFrame::new(data, LittleEndian);
        let bases = BaseAddresses::default().set_eh_frame(address).set_text(text);
        let mut entries = Vec::new();
        let mut all = section.entries(&bases);
        while let Ok(Some(entry)) = all.next() {
            let gimli::CieOrFde::Fde(partial) = entry else { continue };
            entries.extend(partial.parse(EhFrame::cie_from_offset));
        }
        entries.sort_by_key(|entry| entry.initial_address());
        UnwindTables { entries, section, bases }
    }

    /// What the tables say about the function at `start`, which ends at `end`.
    pub fn function(&self, image: &Image<'d>, start: u64, end: u64) -> Result<Unwind, NotUnderstood> {
        let number = self.entries.binary_search_by_key(&start, |entry| entry.initial_address());
        let entry = &self.entries[number.map_err(|_| NotUnderstood::Unwind)?];
        if entry.end_address() < end || entry.is_signal_trampoline() {
            return Err(NotUnderstood::Unwind);
        }
        let mut unwind = Unwind { rows: Vec::new(), saved: Vec::new(), pads: Vec::new() };
        let mut context = gimli::UnwindContext::new();
        let mut rows = entry.rows(&self.section, &self.bases, &mut context).map_err(|_| NotUnderstood::Unwind)?;
        while let Some(row) = rows.next_row().map_err(|_| NotUnderstood::Unwind)? {
            unwind.add(row)?;
        }
        // Where a function begins, nothing but the return address is on the stack.
        let begins = unwind
            .rows
            .first()
            .is_some_and(|row| (row.start, row.base, row.distance) == (start, FrameBase::StackPointer, 8));
        if !begins {
            return Err(NotUnderstood::Unwind);
        }
        unwind.saved.sort_unstable();
        unwind.saved.dedup();
        if let Some(pointer) = entry.lsda() {
            let address = pointer.direct().map_err(|_| NotUnderstood::Exceptions)?;
            unwind.pads = landing_pads(image, address, start).ok_or(NotUnderstood::Exceptions)?;
        }
        Ok(unwind)
    }
}

impl Unwind {
    fn add(&mut self, row: &gimli::UnwindTableRow<usize>) -> Result<(), NotUnderstood> {
        let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else { return Err(NotUnderstood::Unwind) };
        let base = match register {
            RSP => FrameBase::StackPointer,
            RBP => FrameBase::FramePointer,
            _ => return Err(NotUnderstood::Unwind),
        };
        let mut saved_frame_pointer = None;
        let mut saved = [None; KEPT];
        for (register, rule) in row.registers() {
            match (*register, rule) {
                (RETURN_ADDRESS, RegisterRule::Offset(-8)) => {}
                (RETURN_ADDRESS, _) => return Err(NotUnderstood::Unwind),
                (_, RegisterRule::Undefined | RegisterRule::SameValue) => {}
                (_, RegisterRule::Offset(at)) => {
                    self.saved.push(*at);
                    if *register == RBP {
                        saved_frame_pointer = Some(*at);
                    }
                    if let Some(number) = KEPT_REGISTERS.iter().position(|&kept| kept == register.0) {
                        saved[number] = Some(*at);
                    }
                }
                _ => return Err(NotUnderstood::Unwind),
            }
        }
        let (start, end) = (row.start_address(), row.end_address());
        self.rows.push(Row { start, end, base, distance: offset, saved_frame_pointer, saved });
        Ok(())
    }
}

/// The landing pads in the table at `address`, ascending. `start` is the function's first address. `None` if the table cannot be read.
fn landing_pads(image: &Image<'_>, address: u64, start: u64) -> Option<Vec<u64>> {
    /// The encodings of an address that is left out, and of numbers.
    const OMITTED: u8 = 0xff;
    const ULEB128: u8 = 0x01;
    const UDATA4: u8 = 0x03;
    let mut table = Slice::new(image.constant_from(address)?, LittleEndian);
    // Pads elsewhere belong to a function in two parts.
    if table.read_u8().ok()? != OMITTED {
        return None;
    }
    if table.read_u8().ok()? != OMITTED {
        table.read_uleb128().ok()?;
    }
    let encoding = table.read_u8().ok()?;
    let length = table.read_uleb128().ok()? as usize;
    let mut calls = table.split(length).ok()?;
    let number = |calls: &mut Slice<'_>| match encoding {
        ULEB128 => calls.read_uleb128().ok(),
        UDATA4 => calls.read_u32().ok().map(u64::from),
        _ => None,
    };
    let mut pads = Vec::new();
    while !calls.is_empty() {
        let (_from, _length) = (number(&mut calls)?, number(&mut calls)?);
        let pad = number(&mut calls)?;
        calls.read_uleb128().ok()?;
        if pad != 0 {
            pads.push(start.checked_add(pad)?);
        }
    }
    pads.sort_unstable();
    pads.dedup();
    Some(pads)
}
