//! Finds atomic instructions in inline assembly.
//!
//! In instrumented code every atomic operation is a call of the runtime. An instruction with a `lock` prefix, or an exchange
//! with memory, can only come from inline assembly. Heddle does not observe it, but can report its source line.
//!
//! There is one exception. After the call of the runtime, clang also makes the atomic load itself and drops its result. With
//! `-mcx16`, a load of 16 bytes is a locked compare-exchange. The headers of the C++ libraries contain no atomic assembly, so an
//! atomic instruction there is such a load.

use std::path::Path;

use addr2line::Loader;
use heddle_model::finding::Location;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

/// The source lines of a program or library with atomic instructions in inline assembly, each once. Empty for files without
/// symbols or line numbers, which were not built by Heddle.
pub fn lines(path: &Path) -> Vec<Location> {
    let addresses = atomics(path);
    let Some(loader) = (!addresses.is_empty()).then(|| Loader::new(path).ok()).flatten() else { return Vec::new() };
    let mut lines: Vec<Location> = Vec::new();
    for address in addresses {
        let at = loader.find_location(address).ok().flatten();
        let Some((file, line)) = at.and_then(|at| at.file.zip(at.line)) else { continue };
        if is_of_library(file) {
            continue;
        }
        if !lines.iter().any(|known| known.file == file && known.line == line) {
            lines.push(Location { file: file.to_owned(), line, ..Location::default() });
        }
    }
    lines
}

/// Whether a source file is a header of a C++ library.
fn is_of_library(file: &str) -> bool {
    file.contains("/include/c++/")
}

/// The addresses of atomic instructions in a file, ascending.
fn atomics(path: &Path) -> Vec<u64> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
    let mut found = Vec::new();
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0) {
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        let code = section.and_then(|section| section.data_range(symbol.address(), symbol.size()).ok().flatten());
        let Some(code) = code else { continue };
        let mut decoder = Decoder::with_ip(64, code, symbol.address(), DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            if is_atomic(&instruction) {
                found.push(instruction.ip());
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_atomic(instruction: &Instruction) -> bool {
    let exchanges = instruction.mnemonic() == Mnemonic::Xchg
        && (0..2).any(|operand| instruction.op_kind(operand) == OpKind::Memory);
    instruction.has_lock_prefix() || exchanges
}
