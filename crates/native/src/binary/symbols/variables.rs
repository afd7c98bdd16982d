//! Finds variables with static storage: globals and static locals.
//!
//! Names come from the debug information, with the path to the part at the address ([`types`](super::types)). For files
//! without debug information the symbol table is used.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use gimli::{AttributeValue, DebugInfoOffset, EndianSlice, LittleEndian, Operation, UnitOffset};
use memmap2::Mmap;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use heddle_model::trace::Scalar;

use super::allocation::Claim;
use super::blocks::{self, Part};
use super::locals::{self, Local};
use super::types;

pub(in crate::binary) type Slice<'a> = EndianSlice<'a, LittleEndian>;
pub(in crate::binary) type Unit<'a> = gimli::Unit<Slice<'a>>;
pub(in crate::binary) type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;
pub(in crate::binary) type Entry<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;

/// The static variables of one file.
pub struct Variables {
    bytes: Mmap,
    described: Vec<Described>,
    symbols: Vec<Symbol>,
}

/// A variable that the debug information describes.
struct Described {
    address: u64,
    name: String,
    unit: DebugInfoOffset,
    kind: UnitOffset,
}

/// A variable of the symbol table.
struct Symbol {
    address: u64,
    size: u64,
    name: String,
}

impl Variables {
    /// Reads the variables of a file.
    pub fn open(path: &Path) -> Option<Variables> {
        let file = File::open(path).ok()?;
        // SAFETY: a file that the program is running from; see `Program::open`.
        let bytes = unsafe { Mmap::map(&file) }.ok()?;
        let mut variables = Variables { bytes, described: Vec::new(), symbols: Vec::new() };
        variables.symbols = variables.read_symbols()?;
        // Debug information that cannot be read is as good as none.
        variables.described = variables.read_described().unwrap_or_default();
        Some(variables)
    }

    /// The variable at `address`, which is relative to the file.
    pub fn name(&self, address: u64) -> Option<String> {
        self.described_at(address).or_else(|| self.symbol_at(address))
    }

    /// The local variable `offset` bytes from the end of the frame of the function around `code`, which is relative to the
    /// file.
    pub fn local(&self, code: u64, offset: i64) -> Option<Local> {
        locals::find(&self.dwarf()?, code, offset)
    }

    /// What lies at `address`, which is relative to the file.
    pub fn scalar(&self, address: u64) -> Option<Scalar> {
        let after = self.described.partition_point(|variable| variable.address <= address);
        let variable = self.described[..after].last()?;
        let dwarf = self.dwarf()?;
        let unit = dwarf.unit(dwarf.debug_info.header_from_offset(variable.unit).ok()?).ok()?;
        types::scalar(&dwarf, &unit, variable.kind, address - variable.address)
    }

    /// What lies `offset` bytes into a block of `size` bytes that was allocated at `code`, which is relative to the file, and whose type is one of
    /// `claims`.
    pub fn part(&self, code: u64, claims: &[Claim], size: u64, offset: u64) -> Option<Part> {
        blocks::part(&self.dwarf()?, code, claims, size, offset)
    }

    fn described_at(&self, address: u64) -> Option<String> {
        let after = self.described.partition_point(|variable| variable.address <= address);
        let variable = self.described[..after].last()?;
        let dwarf = self.dwarf()?;
        let unit = dwarf.unit(dwarf.debug_info.header_from_offset(variable.unit).ok()?).ok()?;
        let path = types::path(&dwarf, &unit, variable.kind, address - variable.address)?;
        Some(format!("{}{path}", variable.name))
    }

    fn symbol_at(&self, address: u64) -> Option<String> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..after].last()?;
        let offset = address - symbol.address;
        let name = addr2line::demangle_auto(symbol.name.as_str().into(), None);
        match offset {
            0 => Some(name.into_owned()),
            _ if offset < symbol.size => Some(format!("{name}+{offset}")),
            _ => None,
        }
    }

    fn read_symbols(&self) -> Option<Vec<Symbol>> {
        let elf = object::File::parse(&*self.bytes).ok()?;
        let mut symbols: Vec<Symbol> = elf
            .symbols()
            .chain(elf.dynamic_symbols())
            .filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.is_definition() && symbol.size() != 0)
            .filter_map(|symbol| {
                let name = symbol.name().ok()?.to_owned();
                Some(Symbol { address: symbol.address(), size: symbol.size(), name })
            })
            .collect();
        symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        Some(symbols)
    }

    fn dwarf(&self) -> Option<Dwarf<'_>> {
        let elf = object::File::parse(&*self.bytes).ok()?;
        let load = |id: gimli::SectionId| -> Result<Slice<'_>, gimli::Error> {
            let data = elf.section_by_name(id.name()).and_then(|section| section.data().ok()).unwrap_or(&[]);
            Ok(EndianSlice::new(data, LittleEndian))
        };
        Dwarf::load(load).ok()
    }

    fn read_described(&self) -> Option<Vec<Described>> {
        let dwarf = self.dwarf()?;
        let mut found = Vec::new();
        let mut headers = dwarf.units();
        while let Some(header) = headers.next().ok()? {
            let Some(at) = header.debug_info_offset() else { continue };
            let unit = dwarf.unit(header).ok()?;
            read_unit(&dwarf, &unit, at, &mut found).ok()?;
        }
        found.sort_by_key(|variable| variable.address);
        Some(found)
    }
}

fn read_unit(
    dwarf: &Dwarf<'_>,
    unit: &Unit<'_>,
    at: DebugInfoOffset,
    found: &mut Vec<Described>,
) -> Result<(), gimli::Error> {
    // The names of the namespaces, classes and functions around, by depth.
    let mut around: Vec<(isize, String)> = Vec::new();
    // The full names of what is declared in one place and defined in another: members of a class, `extern`.
    let mut declared: HashMap<UnitOffset, String> = HashMap::new();
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs()? {
        let depth = entry.depth();
        while around.last().is_some_and(|(outer, _)| *outer >= depth) {
            around.pop();
        }
        match entry.tag() {
            gimli::DW_TAG_namespace
            | gimli::DW_TAG_subprogram
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type => {
                if let Some(name) = name_of(dwarf, unit, entry) {
                    around.push((depth, name));
                }
            }
            gimli::DW_TAG_variable | gimli::DW_TAG_member => {
                let address = static_address(dwarf, unit, entry);
                if address.is_none() && !entry.has_attr(gimli::DW_AT_declaration) {
                    continue;
                }
                let specification = match entry.attr_value(gimli::DW_AT_specification) {
                    Some(AttributeValue::UnitRef(offset)) => Some(offset),
                    _ => None,
                };
                let own = name_of(dwarf, unit, entry).map(|name| {
                    around.iter().map(|(_, outer)| outer.as_str()).chain([name.as_str()]).collect::<Vec<_>>().join("::")
                });
                let Some(name) = own.or_else(|| declared.get(&specification?).cloned()) else { continue };
                match address {
                    Some(address) => {
                        let kind = match (type_of(entry), specification) {
                            (None, Some(offset)) => type_of(&unit.entry(offset)?),
                            (kind, _) => kind,
                        };
                        let Some(kind) = kind else { continue };
                        found.push(Described { address, name, unit: at, kind });
                    }
                    None => {
                        declared.insert(entry.offset(), name);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The address of a variable with static storage. `None` for others, such as thread-local ones.
fn static_address(dwarf: &Dwarf<'_>, unit: &Unit<'_>, entry: &Entry<'_>) -> Option<u64> {
    let expression = entry.attr_value(gimli::DW_AT_location)?.exprloc_value()?;
    let mut operations = expression.operations(unit.encoding());
    let address = match operations.next().ok()?? {
        Operation::Address { address } => address,
        Operation::AddressIndex { index } => dwarf.address(unit, index).ok()?,
        _ => return None,
    };
    operations.next().ok()?.is_none().then_some(address)
}

pub(super) fn name_of(dwarf: &Dwarf<'_>, unit: &Unit<'_>, entry: &Entry<'_>) -> Option<String> {
    let name = dwarf.attr_string(unit, entry.attr_value(gimli::DW_AT_name)?).ok()?;
    Some(name.to_string_lossy().into_owned())
}

/// The type of an entry, if the same unit describes it.
pub(in crate::binary) fn type_of(entry: &Entry<'_>) -> Option<UnitOffset> {
    match entry.attr_value(gimli::DW_AT_type)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}
