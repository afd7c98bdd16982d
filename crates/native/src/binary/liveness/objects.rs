//! The variables in the frames of functions that were compiled without optimisation, from the debug information.
//!
//! A pointer to an object reaches the whole object and no other one. So an address that is taken leaves other variables alone,
//! provided that one knows where objects begin and end. Without optimisation compilers do what the source says, and debug information
//! names the place of every variable. Optimised code may compute an address outside the object and add the distance later, so there a
//! function that takes any address of its frame is not understood.
//!
//! Only *scalars* (numbers, pointers, references) that overlap no other variable count as known objects. Everything between them, that
//! is arrays, structures and what has no name, counts as one object that reaches from one scalar to the next: compilers may place
//! several of them at one address. A function is left out if its debug information has anything unusual, for example a variable that is
//! a part of an object without a name (structured bindings, variables that a nested function of GNU C uses).

use std::collections::HashMap;

use gimli::{AttributeValue, Operation, UnitOffset};

use super::accesses::Bytes;
use crate::binary::symbols::types;
use crate::binary::symbols::variables::{Dwarf, Entry, Slice, Unit, type_of};

/// The known objects in a function's frame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Objects {
    /// The bytes of scalars, relative to the frame's end, ascending and apart.
    pub scalars: Vec<Bytes>,
    /// Whether the offsets are only right if the frame pointer points to its place two words below the frame's end.
    pub by_frame_pointer: bool,
}

/// A scalar, or everything between two of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The bytes, relative to the frame's end.
    pub bytes: Bytes,
    /// Whether this is one variable.
    pub is_scalar: bool,
}

impl Part {
    /// Whether a pointer with this value may belong to the part. One past the end of an object is a valid pointer to it.
    pub fn is_reached_from(&self, address: i64) -> bool {
        self.bytes.0 <= address && address <= self.bytes.1
    }
}

impl Objects {
    /// The frame from the offset `low` to its end, cut into parts.
    pub fn parts(&self, low: i64) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut at = low;
        for &(begin, end) in self.scalars.iter().filter(|scalar| scalar.0 >= low) {
            parts.push(Part { bytes: (at, begin), is_scalar: false });
            parts.push(Part { bytes: (begin, end), is_scalar: true });
            at = end;
        }
        parts.push(Part { bytes: (at, at.max(0)), is_scalar: false });
        parts.retain(|part| part.bytes.0 < part.bytes.1);
        parts
    }
}

/// The DWARF number of the frame pointer, its offset from the frame's end, and the size of the largest scalar.
const FRAME_POINTER: u16 = 6;
const FRAME_POINTER_AT: i64 = -16;
const LARGEST_SCALAR: u64 = 16;

/// The objects of all functions that are known well enough, by the address of the function.
pub fn of(dwarf: &Dwarf<'_>) -> HashMap<u64, Objects> {
    let mut functions = HashMap::new();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        let Some(compiler) = Compiler::of(dwarf, &unit) else { continue };
        // What was read before the damage may be incomplete.
        let mut found = HashMap::new();
        if read(dwarf, &unit, compiler, &mut found).is_some() {
            functions.extend(found);
        }
    }
    functions
}

/// The compilers whose code without optimisation is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Compiler {
    Gcc,
    Clang,
}

impl Compiler {
    /// The compiler of a unit that was perhaps compiled without optimisation.
    fn of<'d>(dwarf: &Dwarf<'d>, unit: &Unit<'d>) -> Option<Compiler> {
        let mut entries = unit.entries();
        let value = entries.next_dfs().ok()??.attr_value(gimli::DW_AT_producer)?;
        let producer = dwarf.attr_string(unit, value).ok()?;
        compiler(&producer.to_string_lossy(), unit.header.version())
    }
}

/// The compiler that calls itself `producer`. gcc tells its flags; clang describes the calls of functions that it optimises, from the
/// fourth version of the format on.
fn compiler(producer: &str, version: u16) -> Option<Compiler> {
    if producer.starts_with("GNU C") {
        let is_optimised = producer.split_whitespace().any(|word| word.starts_with("-O") && word != "-O0");
        return (!is_optimised).then_some(Compiler::Gcc);
    }
    (producer.contains("clang version") && !producer.contains("rustc") && version >= 4).then_some(Compiler::Clang)
}

/// A function whose variables are being read.
struct Reading {
    depth: isize,
    start: u64,
    /// The offset of the frame base from the frame's end. `None` once something unusual was seen.
    base: Option<i64>,
    variables: Vec<Part>,
}

/// Reads all functions of a unit. `None` if it is damaged.
fn read<'d>(
    dwarf: &Dwarf<'d>,
    unit: &Unit<'d>,
    compiler: Compiler,
    functions: &mut HashMap<u64, Objects>,
) -> Option<()> {
    let mut entries = unit.entries();
    let mut current: Option<Reading> = None;
    // Entries deeper than this are of no interest.
    let mut skipped = isize::MAX;
    while let Some(entry) = entries.next_dfs().ok()? {
        let depth = entry.depth();
        if depth > skipped {
            continue;
        }
        skipped = isize::MAX;
        if let Some(done) = current.take_if(|reading| depth <= reading.depth) {
            done.finish(functions);
        }
        match (entry.tag(), &mut current) {
            (gimli::DW_TAG_subprogram, None) => match start_of(dwarf, unit, entry) {
                Some(start) => {
                    let base = frame_base(unit, entry).filter(|_| !is_optimised(entry, compiler));
                    current = Some(Reading { depth, start, base, variables: Vec::new() });
                }
                None => skipped = depth,
            },
            // A function inside another one may use its variables.
            (gimli::DW_TAG_subprogram, Some(reading)) => {
                reading.base = None;
                skipped = depth;
            }
            (gimli::DW_TAG_call_site | gimli::DW_TAG_GNU_call_site, Some(reading)) => reading.base = None,
            (gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter, Some(reading)) => {
                reading.variable(dwarf, unit, entry);
            }
            (tag, _) if is_type(tag) => skipped = depth,
            _ => {}
        }
    }
    if let Some(done) = current {
        done.finish(functions);
    }
    Some(())
}

/// What has entries for members or parameters below it that are no variables of a function.
fn is_type(tag: gimli::DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_subroutine_type
            | gimli::DW_TAG_array_type
            | gimli::DW_TAG_enumeration_type
    )
}

impl Reading {
    fn variable<'d>(&mut self, dwarf: &Dwarf<'d>, unit: &Unit<'d>, entry: &Entry<'d>) {
        let Some(base) = self.base else { return };
        let place = match place(unit, entry) {
            Place::Elsewhere => return,
            Place::Frame(offset) => base + offset,
            Place::Unknown => {
                self.base = None;
                return;
            }
        };
        let kind = type_of(entry).or_else(|| type_of(&origin(unit, entry)?));
        let Some((size, is_scalar)) = kind.and_then(|kind| size_of(dwarf, unit, kind)) else {
            self.base = None;
            return;
        };
        self.variables.push(Part { bytes: (place, place.saturating_add_unsigned(size)), is_scalar });
    }

    fn finish(mut self, functions: &mut HashMap<u64, Objects>) {
        let Some(base) = self.base else { return };
        self.variables.sort_by_key(|variable| variable.bytes);
        let mut scalars: Vec<Bytes> = Vec::new();
        let mut past = i64::MIN;
        for (number, variable) in self.variables.iter().enumerate() {
            let (begin, end) = variable.bytes;
            let next = self.variables.get(number + 1).map_or(i64::MAX, |next| next.bytes.0);
            if variable.is_scalar && past <= begin && end <= next && end <= 0 {
                scalars.push(variable.bytes);
            }
            past = past.max(end);
        }
        let objects = Objects { scalars, by_frame_pointer: base == FRAME_POINTER_AT };
        functions.insert(self.start, objects);
    }
}

/// The first address of a function. `None` if there is no code for it here.
fn start_of<'d>(dwarf: &Dwarf<'d>, unit: &Unit<'d>, entry: &Entry<'d>) -> Option<u64> {
    dwarf.attr_address(unit, entry.attr_value(gimli::DW_AT_low_pc)?).ok()?
}

/// Whether a function was certainly optimised. gcc also says that all calls are described where there are none.
fn is_optimised(entry: &Entry<'_>, compiler: Compiler) -> bool {
    let described = [
        gimli::DW_AT_call_all_calls,
        gimli::DW_AT_call_all_source_calls,
        gimli::DW_AT_call_all_tail_calls,
        gimli::DW_AT_GNU_all_call_sites,
        gimli::DW_AT_GNU_all_source_call_sites,
        gimli::DW_AT_GNU_all_tail_call_sites,
    ];
    compiler == Compiler::Clang && described.iter().any(|&attribute| entry.attr(attribute).is_some())
}

/// The place of a variable.
enum Place {
    /// At an offset from the frame base.
    Frame(i64),
    /// Not in the frame: static, in a register, or a constant.
    Elsewhere,
    /// Anywhere. Optimised code has variables in several places, or in none.
    Unknown,
}

fn place<'d>(unit: &Unit<'d>, entry: &Entry<'d>) -> Place {
    let Some(location) = entry.attr_value(gimli::DW_AT_location) else {
        let others =
            [gimli::DW_AT_const_value, gimli::DW_AT_declaration, gimli::DW_AT_external, gimli::DW_AT_specification];
        let is_elsewhere = others.iter().any(|&attribute| entry.attr(attribute).is_some());
        return if is_elsewhere { Place::Elsewhere } else { Place::Unknown };
    };
    let AttributeValue::Exprloc(expression) = location else { return Place::Unknown };
    let mut operations = expression.operations(unit.encoding());
    let (first, second) = (operations.next().ok().flatten(), operations.next());
    match (first, second) {
        (Some(Operation::FrameOffset { offset }), Ok(None)) => Place::Frame(offset),
        (Some(Operation::Address { .. } | Operation::AddressIndex { .. } | Operation::Register { .. }), Ok(None)) => {
            Place::Elsewhere
        }
        // Thread-local storage.
        (Some(Operation::UnsignedConstant { .. } | Operation::ConstantIndex { .. }), Ok(Some(Operation::TLS))) => {
            Place::Elsewhere
        }
        _ => Place::Unknown,
    }
}

/// The offset of a function's frame base from the frame's end.
fn frame_base<'d>(unit: &Unit<'d>, entry: &Entry<'d>) -> Option<i64> {
    let expression = entry.attr_value(gimli::DW_AT_frame_base)?.exprloc_value()?;
    let mut operations = expression.operations(unit.encoding());
    let first: Operation<Slice<'d>> = operations.next().ok()??;
    if operations.next().ok()?.is_some() {
        return None;
    }
    match first {
        Operation::CallFrameCFA => Some(0),
        Operation::Register { register } if register.0 == FRAME_POINTER => Some(FRAME_POINTER_AT),
        _ => None,
    }
}

/// The entry that this one is an instance of.
fn origin<'d>(unit: &Unit<'d>, entry: &Entry<'d>) -> Option<Entry<'d>> {
    match entry.attr_value(gimli::DW_AT_abstract_origin)? {
        AttributeValue::UnitRef(offset) => unit.entry(offset).ok(),
        _ => None,
    }
}

/// The size of a type, and whether it is one number, pointer or reference.
fn size_of<'d>(dwarf: &Dwarf<'d>, unit: &Unit<'d>, kind: UnitOffset) -> Option<(u64, bool)> {
    let (size, tag) = types::size(dwarf, unit, kind)?;
    let is_scalar = matches!(
        tag,
        gimli::DW_TAG_base_type
            | gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_enumeration_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
    );
    Some((size, is_scalar && (1..=LARGEST_SCALAR).contains(&size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_units_without_optimisation_are_known() {
        for (producer, version, expected) in [
            ("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g", 5, Some(Compiler::Gcc)),
            ("GNU C++17 12.2.0 -mtune=generic -g -O0", 5, Some(Compiler::Gcc)),
            ("GNU C17 12.2.0 -mtune=generic -g -O2", 5, None),
            ("GNU C17 12.2.0 -mtune=generic -g -Og -O0", 5, None),
            ("GNU GIMPLE 12.2.0 -g", 5, None),
            ("Debian clang version 19.1.7 (3~deb12u1)", 5, Some(Compiler::Clang)),
            ("Debian clang version 19.1.7 (3~deb12u1)", 3, None),
            ("clang LLVM (rustc version 1.95.0)", 5, None),
            ("GNU Fortran2008 12.2.0", 5, None),
        ] {
            assert_eq!(compiler(producer, version), expected, "{producer}");
        }
    }

    #[test]
    fn the_frame_is_cut_at_scalars() {
        let objects = Objects { scalars: vec![(-48, -40), (-24, -20), (-20, -16)], by_frame_pointer: false };
        let parts: Vec<(Bytes, bool)> = objects.parts(-64).iter().map(|part| (part.bytes, part.is_scalar)).collect();
        let expected = [
            ((-64, -48), false),
            ((-48, -40), true),
            ((-40, -24), false),
            ((-24, -20), true),
            ((-20, -16), true),
            ((-16, 0), false),
        ];
        assert_eq!(parts, expected);
        let reached = |address: i64| -> Vec<Bytes> {
            let parts = objects.parts(-64).into_iter();
            parts.filter(|part| part.is_reached_from(address)).map(|part| part.bytes).collect()
        };
        assert_eq!(reached(-24), [(-40, -24), (-24, -20)]);
        assert_eq!(reached(-22), [(-24, -20)]);
        assert_eq!(reached(-32), [(-40, -24)]);
    }

    #[test]
    fn variables_that_overlap_are_no_scalars() {
        let variables = vec![
            Part { bytes: (-24, -20), is_scalar: true },
            Part { bytes: (-24, -8), is_scalar: false },
            Part { bytes: (-16, -8), is_scalar: true },
            Part { bytes: (-32, -24), is_scalar: true },
            Part { bytes: (16, 24), is_scalar: true },
        ];
        let mut functions = HashMap::new();
        Reading { depth: 1, start: 7, base: Some(0), variables }.finish(&mut functions);
        assert_eq!(functions[&7].scalars, [(-32, -24)]);
    }
}
