//! Finds inline assembly whose accesses to memory Heddle does not observe.
//!
//! In instrumented code every atomic operation is a call of the runtime. An instruction with a `lock` prefix, or an exchange
//! with memory, can only come from inline assembly. Plain loads and stores in assembly look like any others in machine code, so
//! [`crate::binary::assembly_text`] looks for them in the sources that the line table names.
//!
//! There is one exception. After the call of the runtime, clang also makes the atomic load itself and drops its result. With
//! `-mcx16`, a load of 16 bytes is a locked compare-exchange, a few instructions after the call.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use addr2line::Loader;
use heddle_model::finding::Location;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, ObjectSymbolTable as _, RelocationTarget, SectionKind,
};

use super::assembly_text;
use super::sources::Source;

/// The function of the runtime for an atomic load of 16 bytes.
const LOAD: &str = "__tsan_atomic128_load";
/// The most instructions between the call of [`LOAD`] and the load that clang makes itself.
const NEAR: usize = 16;

/// The source lines of a program or library with inline assembly that uses memory, each once. A function without line numbers is
/// named instead. `whole`: all of the file was built by Heddle. `sources`: what it was made from. Empty for files that were not built by
/// Heddle.
pub fn lines(path: &Path, whole: bool, sources: &[Source]) -> Vec<Location> {
    let mut lines: BTreeSet<Location> = BTreeSet::new();
    let atomics = atomics(path);
    let loader = if atomics.is_empty() { None } else { Loader::new(path).ok() };
    for (address, symbol) in atomics {
        let at = loader.as_ref().and_then(|loader| loader.find_location(address).ok().flatten());
        match at.and_then(|at| at.file.zip(at.line)) {
            Some((file, _)) if is_of_library(file) => {}
            Some((file, line)) => {
                lines.insert(Location { file: file.to_owned(), line, ..Location::default() });
            }
            // Code without lines comes from assembly, or from a library that was linked into the program.
            None if symbol.is_written_by_hand || whole && !is_name_of_library(&symbol.name) => {
                lines.insert(Location { function: symbol.name, ..Location::default() });
            }
            None => {}
        }
    }
    lines.extend(assembly_text::using_memory(sources));
    lines.into_iter().collect()
}

/// Whether a source file is a header of a C++ library.
pub(super) fn is_of_library(file: &str) -> bool {
    file.contains("/include/c++/")
}

/// Whether a function belongs to the C++ library or the compiler's, which may be linked into the program.
fn is_name_of_library(name: &str) -> bool {
    ["_ZNS", "_ZNKS", "_ZS", "_ZN9__gnu_cxx", "_ZN10__cxxabiv1", "__cxa", "__gnu", "_Unwind", "__", "_Z"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// The symbol that an instruction belongs to.
#[derive(Clone, Debug, Default)]
struct Symbol {
    name: String,
    /// Compilers give every function a size.
    is_written_by_hand: bool,
}

/// The addresses of atomic instructions in a file, ascending, with the symbols that they are in.
fn atomics(path: &Path) -> Vec<(u64, Symbol)> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
    let imports = Imports::of(&file);
    let mut found = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let (Ok(code), begin) = (section.data(), section.address()) else { continue };
        let end = begin + code.len() as u64;
        let inside = file.symbols().filter(|symbol| symbol.section_index() == Some(section.index()));
        // Several names may stand for one address: one with a size is a function of a compiler's.
        let mut symbols: BTreeMap<u64, Symbol> = BTreeMap::new();
        for symbol in inside.filter(|symbol| (begin..end).contains(&symbol.address())) {
            let Some(name) = symbol.name().ok().filter(|name| !name.is_empty()) else { continue };
            let is_written_by_hand = symbol.size() == 0;
            let known = symbols.entry(symbol.address()).or_default();
            if known.name.is_empty() || known.is_written_by_hand && !is_written_by_hand {
                *known = Symbol { name: name.to_owned(), is_written_by_hand };
            }
        }
        let starts: Vec<u64> = symbols.keys().copied().collect();
        for (index, &start) in starts.iter().enumerate() {
            let stop = starts.get(index + 1).copied().unwrap_or(end);
            let code = &code[(start - begin) as usize..(stop - begin) as usize];
            let here = in_code(code, start, |call| imports.name(call) == Some(LOAD));
            found.extend(here.into_iter().map(|address| (address, symbols[&start].clone())));
        }
    }
    found
}

/// Whether an object file or a library has an atomic instruction.
pub(super) fn has_atomics(file: &object::File<'_>) -> bool {
    let code = file.sections().filter(|section| section.kind() == SectionKind::Text);
    code.filter_map(|section| Some((section.data().ok()?, section.address())))
        .any(|(code, begin)| !in_code(code, begin, |_| false).is_empty())
}

/// The addresses of atomic instructions in `code`, which begins at `start`. `is_load` tells whether a call is one of [`LOAD`].
fn in_code(code: &[u8], start: u64, is_load: impl Fn(&Instruction) -> bool) -> Vec<u64> {
    let mut found = Vec::new();
    let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut since_load = usize::MAX;
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        since_load = since_load.saturating_add(1);
        if matches!(instruction.mnemonic(), Mnemonic::Call) {
            since_load = if is_load(&instruction) { 0 } else { usize::MAX };
        }
        let loads_again = instruction.mnemonic() == Mnemonic::Cmpxchg16b && since_load <= NEAR;
        if loads_again {
            // One load for each call.
            since_load = usize::MAX;
        } else if is_atomic(&instruction) {
            found.push(instruction.ip());
        }
    }
    found
}

fn is_atomic(instruction: &Instruction) -> bool {
    let exchanges = instruction.mnemonic() == Mnemonic::Xchg
        && (0..2).any(|operand| instruction.op_kind(operand) == OpKind::Memory);
    instruction.has_lock_prefix() || exchanges
}

/// The names of imported functions, by the slots that the loader fills in with their addresses.
pub(super) struct Imports<'d> {
    slots: HashMap<u64, String>,
    /// The sections with jumps through slots.
    jumps: Vec<(u64, &'d [u8])>,
}

impl<'d> Imports<'d> {
    /// The imports of a file.
    pub(super) fn of(file: &object::File<'d>) -> Imports<'d> {
        let mut slots = HashMap::new();
        let symbols = file.dynamic_symbol_table();
        for (slot, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let symbol = symbols.as_ref().and_then(|symbols| symbols.symbol_by_index(index).ok());
            if let Some(name) = symbol.and_then(|symbol| symbol.name().ok().map(str::to_owned)) {
                slots.insert(slot, name);
            }
        }
        let stubs = file.sections().filter(|section| section.name().is_ok_and(|name| name.starts_with(".plt")));
        let jumps = stubs.filter_map(|section| Some((section.address(), section.data().ok()?))).collect();
        Imports { slots, jumps }
    }

    /// The imported function that a call instruction calls, through its slot or through a jump. `None` if it is no import.
    pub(super) fn name(&self, call: &Instruction) -> Option<&str> {
        let slot = match call.op_kind(0) {
            OpKind::Memory if call.is_ip_rel_memory_operand() => call.ip_rel_memory_address(),
            OpKind::NearBranch64 => self.jump(call.near_branch64())?,
            _ => return None,
        };
        self.slots.get(&slot).map(String::as_str)
    }

    /// The imported function whose address the loader puts at `address`.
    pub(super) fn in_slot(&self, address: u64) -> Option<&str> {
        self.slots.get(&address).map(String::as_str)
    }

    /// The slot through which the code at `address` jumps.
    fn jump(&self, address: u64) -> Option<u64> {
        let inside = |(begin, code): &&(u64, &[u8])| (*begin..*begin + code.len() as u64).contains(&address);
        let (begin, code) = self.jumps.iter().find(inside)?;
        let mut decoder = Decoder::with_ip(64, &code[(address - begin) as usize..], address, DecoderOptions::NONE);
        let jump = decoder.iter().take(2).find(|instruction| instruction.mnemonic() == Mnemonic::Jmp)?;
        jump.is_ip_rel_memory_operand().then(|| jump.ip_rel_memory_address())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `lock cmpxchg16b [rdi]`, `xor eax, eax`, `call` to the next instruction, `xchg [rdi], eax`, `lock inc dword [rdi]`.
    const EXCHANGE_16: &[u8] = &[0xf0, 0x48, 0x0f, 0xc7, 0x0f];
    const CLEAR: &[u8] = &[0x31, 0xc0];
    const CALL: &[u8] = &[0xe8, 0, 0, 0, 0];
    const EXCHANGE: &[u8] = &[0x87, 0x07];
    const INCREMENT: &[u8] = &[0xf0, 0xff, 0x07];
    const LOCAL_EXCHANGE: &[u8] = &[0x87, 0xc1];

    fn found(parts: &[&[u8]], is_load: bool) -> Vec<u64> {
        in_code(&parts.concat(), 0, |_| is_load)
    }

    #[test]
    fn locked_instructions_and_exchanges_with_memory_are_atomic() {
        assert_eq!(found(&[CLEAR, EXCHANGE, INCREMENT, LOCAL_EXCHANGE], false), [2, 4]);
    }

    #[test]
    fn one_load_after_the_call_is_clangs_own() {
        assert!(found(&[CALL, CLEAR, CLEAR, EXCHANGE_16], true).is_empty());
        assert_eq!(found(&[CALL, CLEAR, CLEAR, EXCHANGE_16], false), [9]);
        // A second one is not, and neither is one that is far away.
        assert_eq!(found(&[CALL, EXCHANGE_16, EXCHANGE_16], true), [10]);
        let far: Vec<&[u8]> = [CALL].into_iter().chain([CLEAR; NEAR]).chain([EXCHANGE_16]).collect();
        assert_eq!(found(&far, true), [5 + 2 * NEAR as u64]);
        assert_eq!(found(&[CALL, INCREMENT], true), [5]);
    }
}
