//! Finds local variables by their offset in the stack frame of a function.
//!
//! Debug information gives the location of a variable relative to the function's frame base. The frame base is the end of
//! the frame, or the frame pointer, which Heddle's flags preserve and which points two words below the end. Variables with
//! several locations (in optimised code) are not found. A variable that threads share has its address taken, so it has one
//! location.

use gimli::{AttributeValue, Operation, UnitOffset};

use heddle_model::trace::Scalar;

use super::types;
use super::variables::{Dwarf, Entry, Unit, name_of, type_of};

/// A local variable, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// The name of the function that has the variable.
    pub function: String,
    /// The variable's name, with the path to the part.
    pub name: String,
    /// What it is.
    pub scalar: Option<Scalar>,
}

/// The DWARF number of the frame pointer (rbp), and its offset from the end of the frame.
const FRAME_POINTER: u16 = 6;
const FRAME_POINTER_AT: i64 = -16;

/// The variable `offset` bytes from the end of the frame of the function that contains the address `code`.
pub fn find(dwarf: &Dwarf<'_>, code: u64, offset: i64) -> Option<Local> {
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().ok()? {
        let unit = dwarf.unit(header).ok()?;
        if let Some(name) = find_in(dwarf, &unit, code, offset) {
            return Some(name);
        }
    }
    None
}

fn find_in<'d>(dwarf: &Dwarf<'d>, unit: &Unit<'d>, code: u64, offset: i64) -> Option<Local> {
    let mut entries = unit.entries();
    // The function that `code` is in, and within it those that were put in place of calls: how deep their entries are, and their names.
    let mut functions: Vec<(isize, String)> = Vec::new();
    let mut base = 0;
    // Entries deeper than this belong to another function.
    let mut skipped = isize::MAX;
    let mut found: Option<Local> = None;
    while let Some(entry) = entries.next_dfs().ok()? {
        let depth = entry.depth();
        if depth > skipped {
            continue;
        }
        skipped = isize::MAX;
        if functions.first().is_some_and(|(outer, _)| depth <= *outer) {
            break;
        }
        while functions.last().is_some_and(|(outer, _)| *outer >= depth) {
            functions.pop();
        }
        match entry.tag() {
            gimli::DW_TAG_subprogram if !contains(dwarf, unit, entry, code) => skipped = depth,
            gimli::DW_TAG_subprogram => {
                functions.push((depth, full_name(dwarf, unit, entry)?));
                base = frame_base(unit, entry)?;
            }
            gimli::DW_TAG_inlined_subroutine => {
                functions.extend(full_name(dwarf, unit, entry).map(|name| (depth, name)));
            }
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                let Some((_, around)) = functions.last() else { continue };
                let Some(start) = frame_offset(unit, entry) else { continue };
                let Ok(within) = u64::try_from(offset - (base + start)) else { continue };
                let Some(kind) = type_of(entry).or_else(|| type_of(&origin(unit, entry)?)) else { continue };
                let Some(path) = types::path(dwarf, unit, kind, within) else { continue };
                let name = format!("{}{path}", full_name(dwarf, unit, entry)?);
                let scalar = types::scalar(dwarf, unit, kind, within);
                let local = Local { function: around.clone(), name, scalar };
                // Variables of blocks that come one after the other may share their place: then nobody knows which it was.
                if found.replace(local.clone()).is_some_and(|other| other != local) {
                    return None;
                }
            }
            _ => {}
        }
    }
    found
}

fn contains<'d>(dwarf: &Dwarf<'d>, unit: &Unit<'d>, entry: &Entry<'d>, code: u64) -> bool {
    let Ok(mut ranges) = dwarf.die_ranges(unit, entry) else { return false };
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&code) {
            return true;
        }
    }
    false
}

/// The entry that this one is an inlined instance or the definition of.
fn origin<'d>(unit: &Unit<'d>, entry: &Entry<'d>) -> Option<Entry<'d>> {
    let reference =
        entry.attr_value(gimli::DW_AT_abstract_origin).or_else(|| entry.attr_value(gimli::DW_AT_specification))?;
    let AttributeValue::UnitRef(offset) = reference else { return None };
    unit.entry(UnitOffset(offset.0)).ok()
}

/// The name of an entry, which may be given at its declaration.
fn full_name<'d>(dwarf: &Dwarf<'d>, unit: &Unit<'d>, entry: &Entry<'d>) -> Option<String> {
    name_of(dwarf, unit, entry).or_else(|| {
        let first = origin(unit, entry)?;
        name_of(dwarf, unit, &first).or_else(|| name_of(dwarf, unit, &origin(unit, &first)?))
    })
}

/// The offset of a function's frame base from the end of its frame.
fn frame_base<'d>(unit: &Unit<'d>, entry: &Entry<'d>) -> Option<i64> {
    match only_operation(unit, entry, gimli::DW_AT_frame_base)? {
        Operation::CallFrameCFA => Some(0),
        Operation::Register { register } if register.0 == FRAME_POINTER => Some(FRAME_POINTER_AT),
        _ => None,
    }
}

/// The offset of a variable from the frame base.
fn frame_offset<'d>(unit: &Unit<'d>, entry: &Entry<'d>) -> Option<i64> {
    match only_operation(unit, entry, gimli::DW_AT_location)? {
        Operation::FrameOffset { offset } => Some(offset),
        _ => None,
    }
}

fn only_operation<'d>(
    unit: &Unit<'d>,
    entry: &Entry<'d>,
    attribute: gimli::DwAt,
) -> Option<Operation<super::variables::Slice<'d>>> {
    let expression = entry.attr_value(attribute)?.exprloc_value()?;
    let mut operations = expression.operations(unit.encoding());
    let first = operations.next().ok()??;
    operations.next().ok()?.is_none().then_some(first)
}
