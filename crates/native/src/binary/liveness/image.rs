//! A program's file, as the analysis reads it: functions, constants, and the names of callees.

use std::collections::{BTreeMap, HashMap};

use gimli::{EndianSlice, LittleEndian};
use iced_x86::{Instruction, Mnemonic, OpKind};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionFlags, SectionKind, SymbolKind, elf};

use super::graph::Function;
use crate::binary::assembly::Imports;
use crate::binary::symbols::variables::Dwarf;

/// Functions that return once more after the program has gone on, or that change the stack under their caller, besides all that
/// have `setjmp` in their names.
const TWICE: [&str; 5] = ["vfork", "getcontext", "swapcontext", "__morestack", "savectx"];

/// Functions that never return to their caller. They may continue at its landing pads.
const NEVER: [&str; 8] = [
    "_Unwind_Resume",
    "__cxa_throw",
    "__cxa_rethrow",
    "__clang_call_terminate",
    "_ZSt9terminatev",
    "abort",
    "__assert_fail",
    "__stack_chk_fail",
];

/// A program's file.
pub struct Image<'d> {
    file: object::File<'d>,
    /// Sections that are loaded and never written, by address.
    constants: Vec<(u64, &'d [u8])>,
    imports: Imports<'d>,
    names: HashMap<u64, Vec<&'d str>>,
}

impl<'d> Image<'d> {
    /// The file in `bytes`. `None` if it is no program for this processor.
    pub fn of(bytes: &'d [u8]) -> Option<Image<'d>> {
        let file = object::File::parse(bytes).ok()?;
        if file.architecture() != object::Architecture::X86_64 {
            return None;
        }
        let is_constant = |flags: SectionFlags| match flags {
            SectionFlags::Elf { sh_flags, .. } => {
                sh_flags.0 & elf::SHF_ALLOC.0 != 0 && sh_flags.0 & elf::SHF_WRITE.0 == 0
            }
            _ => false,
        };
        let sections = file.sections().filter(|section| is_constant(section.flags()));
        let constants = sections.filter_map(|section| Some((section.address(), section.data().ok()?))).collect();
        let imports = Imports::of(&file);
        let mut names: HashMap<u64, Vec<&'d str>> = HashMap::new();
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
            names.entry(symbol.address()).or_default().extend(symbol.name().ok());
        }
        Some(Image { file, constants, imports, names })
    }

    /// The functions of the program, by address. Code that belongs to none of them, or to several, is left out.
    pub fn functions(&self) -> Vec<Function<'d>> {
        let mut sizes: BTreeMap<u64, (u64, bool)> = BTreeMap::new();
        let split: Vec<&str> = self.names.values().flatten().filter_map(|name| name.split(".cold").next()).collect();
        let mut parts: HashMap<&str, u32> = HashMap::new();
        split.iter().for_each(|name| *parts.entry(name).or_default() += 1);
        for symbol in self.file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() != 0) {
            let is_split = symbol.name().is_ok_and(|name| parts.get(name).is_some_and(|&count| count > 1));
            let known = sizes.entry(symbol.address()).or_default();
            *known = (known.0.max(symbol.size()), known.1 || is_split);
        }
        let mut functions = Vec::new();
        for section in self.file.sections().filter(|section| section.kind() == SectionKind::Text) {
            let (Ok(code), begin) = (section.data(), section.address()) else { continue };
            let past = begin + code.len() as u64;
            for (&start, &(size, is_split)) in sizes.range(begin..past) {
                let Some(end) = start.checked_add(size).filter(|&end| end <= past) else { continue };
                // Another function begins inside: who enters there is not known.
                if sizes.range(start + 1..end).next().is_some() {
                    continue;
                }
                let code = &code[(start - begin) as usize..(end - begin) as usize];
                functions.push(Function { start, end, code, is_split });
            }
        }
        functions
    }

    /// The section with this name: its address and content.
    pub fn section(&self, name: &str) -> Option<(u64, &'d [u8])> {
        let section = self.file.section_by_name(name)?;
        Some((section.address(), section.data().ok()?))
    }

    /// Bytes of the program that are never written.
    pub fn constant(&self, address: u64, size: usize) -> Option<&'d [u8]> {
        self.constant_from(address)?.get(..size)
    }

    /// All bytes from `address` to the end of a section that is never written.
    pub fn constant_from(&self, address: u64) -> Option<&'d [u8]> {
        let inside = |(begin, data): &&(u64, &[u8])| (*begin..*begin + data.len() as u64).contains(&address);
        let (begin, data) = self.constants.iter().find(inside)?;
        data.get((address - begin) as usize..)
    }

    /// The debug information.
    pub fn dwarf(&self) -> Option<Dwarf<'d>> {
        let load = |id: gimli::SectionId| -> Result<EndianSlice<'d, LittleEndian>, gimli::Error> {
            let data = self.section(id.name()).map_or(&[][..], |(_, data)| data);
            Ok(EndianSlice::new(data, LittleEndian))
        };
        Dwarf::load(load).ok()
    }

    /// Whether an instruction calls a function that can return twice, or gets its address.
    pub fn returns_twice(&self, instruction: &Instruction) -> bool {
        let is_named = |name: &str| name.contains("setjmp") || TWICE.contains(&name.split('@').next().unwrap_or(name));
        if instruction.mnemonic() == Mnemonic::Call && self.calls(instruction, is_named) {
            return true;
        }
        if !instruction.is_ip_rel_memory_operand() {
            return false;
        }
        let address = instruction.ip_rel_memory_address();
        self.is_named(address, is_named) || self.imports.in_slot(address).is_some_and(is_named)
    }

    /// Whether an instruction calls a function that never returns: it throws, goes on with an exception, or ends the process.
    pub fn calls_without_return(&self, instruction: &Instruction) -> bool {
        let throws = |name: &str| name.starts_with("_ZSt") && name.contains("__throw_");
        let is_named = |name: &str| NEVER.contains(&name.split('@').next().unwrap_or(name)) || throws(name);
        instruction.mnemonic() == Mnemonic::Call && self.calls(instruction, is_named)
    }

    /// A name of the function at `address`.
    #[cfg(test)]
    pub fn name(&self, address: u64) -> Option<&'d str> {
        self.names.get(&address)?.first().copied()
    }

    /// Whether `call` is one of a function whose name `is_named`.
    pub fn calls(&self, call: &Instruction, is_named: impl Fn(&str) -> bool) -> bool {
        let is_direct = call.op0_kind() == OpKind::NearBranch64;
        is_direct && self.is_named(call.near_branch64(), &is_named) || self.imports.name(call).is_some_and(is_named)
    }

    /// Whether a function at `address` has a name that `is_named`.
    fn is_named(&self, address: u64, is_named: impl Fn(&str) -> bool) -> bool {
        self.names.get(&address).is_some_and(|names| names.iter().any(|name| is_named(name)))
    }
}
