//! Resolves addresses to functions, source lines, and names of variables.
//!
//! The program is loaded without randomisation, so an address belongs to the file that is mapped there ([`Mappings`]), and
//! the file's debug information resolves it. A file is opened when the first address in it is looked up, and results are
//! cached. Addresses are looked up only when a finding is reported, never during a search.

mod allocation;
mod blocks;
mod locals;
mod mappings;
mod module;
pub(super) mod types;
pub(super) mod variables;

pub use blocks::Part;
pub use locals::Local;
pub use mappings::{Mapping, Mappings};

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use heddle_model::finding::Location;
use heddle_model::trace::Scalar;
use heddle_model::{ObjectId, ThreadId, wire};

use allocation::Claim;
use module::Module;

use crate::build::library;

/// What lies at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A variable of the program, or a part of one: `fork[2]`, `account.lock`.
    Variable(String),
    /// A heap block that this thread allocated.
    Heap(ThreadId),
    /// The stack of this thread.
    Stack(ThreadId),
    /// Unknown memory.
    Unknown,
}

/// Resolves the addresses of one program.
pub struct Symbols {
    mappings: Mappings,
    modules: Vec<Module>,
    current_directory: Option<PathBuf>,
    frames: RefCell<HashMap<u64, Vec<Location>>>,
    /// The text of source files in which blocks were allocated.
    texts: RefCell<HashMap<String, Option<String>>>,
}

impl Symbols {
    /// Resolves addresses of a program with these mappings. Files are opened later, when needed.
    pub fn new(mappings: &Mappings) -> Symbols {
        Symbols {
            modules: mappings.files().into_iter().map(Module::new).collect(),
            mappings: mappings.clone(),
            current_directory: std::env::current_dir().ok(),
            frames: RefCell::default(),
            texts: RefCell::default(),
        }
    }

    /// The functions that a return address lies in, innermost first. Several where calls were inlined. Empty for Heddle's
    /// own functions.
    pub fn frames(&self, return_address: u64) -> Vec<Location> {
        // The call is before the address that it returns to, which may belong to the next line or function.
        let address = return_address.wrapping_sub(1);
        if let Some(known) = self.frames.borrow().get(&address) {
            return known.clone();
        }
        let mut frames = self.module(address).map_or_else(Vec::new, |module| module.frames(address));
        for frame in &mut frames {
            self.shorten(frame);
        }
        self.frames.borrow_mut().insert(address, frames.clone());
        frames
    }

    /// The frames of a call stack, innermost first.
    pub fn stack(&self, return_addresses: &[u64]) -> Vec<Location> {
        return_addresses.iter().flat_map(|&address| self.frames(address)).collect()
    }

    /// The innermost frame of a call stack in the user's own source. If all frames are in system headers, the innermost
    /// one.
    pub fn location(&self, return_addresses: &[u64]) -> Option<Location> {
        let stack = self.stack(return_addresses);
        stack.iter().find(|frame| is_own(frame)).or(stack.first()).cloned()
    }

    /// What lies at `address`.
    pub fn place(&self, address: u64) -> Place {
        if let Some(name) = self.data_module(address).and_then(|module| module.variable(address)) {
            return Place::Variable(name);
        }
        let among = |first: u64, stride: u64| {
            let thread = address.checked_sub(first)? / stride;
            u16::try_from(thread).ok().map(ThreadId)
        };
        if address < wire::STACKS {
            if let Some(thread) = among(wire::HEAPS, wire::HEAP_STRIDE) {
                return Place::Heap(thread);
            }
        } else if let Some(thread) = among(wire::STACKS, wire::STACK_STRIDE).filter(|_| address < wire::ADDRESS as u64)
        {
            return Place::Stack(thread);
        }
        match self.mappings.find(address) {
            Some(mapping) if mapping.path.as_os_str() == "[stack]" => Place::Stack(ThreadId::MAIN),
            _ => Place::Unknown,
        }
    }

    /// The name of an object, if the program has one for it.
    pub fn object(&self, object: ObjectId) -> Option<String> {
        if object == ObjectId::NONE || object.as_thread().is_some() {
            return None;
        }
        match self.place(object.0) {
            Place::Variable(name) => Some(name),
            _ => None,
        }
    }

    /// The local variable at `address`. The frame ends at `end` and belongs to the function around the return address `code`.
    pub fn local(&self, address: u64, code: u64, end: u64) -> Option<Local> {
        let code = code.wrapping_sub(1);
        self.module(code)?.local(code, address.wrapping_sub(end) as i64)
    }

    /// What lies at `object`, if it is a static variable.
    pub fn scalar(&self, object: ObjectId) -> Option<Scalar> {
        self.data_module(object.0)?.scalar(object.0)
    }

    /// What lies `offset` bytes into a heap block of `size` bytes, by the call stack of its allocation.
    pub fn part(&self, site: &[u64], size: u64, offset: u64) -> Option<Part> {
        for &address in site {
            let code = address.wrapping_sub(1);
            let frames = self.frames(address);
            for frame in &frames {
                let claims = match is_own(frame) {
                    true => self.claims(frame),
                    false => allocation::in_function(&frame.function),
                };
                if let Some(part) = self.module(code).and_then(|module| module.part(code, &claims, size, offset)) {
                    return Some(part);
                }
                // Whoever called the program's own function has not allocated the block.
                if is_own(frame) {
                    return None;
                }
            }
        }
        None
    }

    /// What the source says at the place of an allocation.
    fn claims(&self, at: &Location) -> Vec<Claim> {
        let directory = self.current_directory.as_deref().unwrap_or(std::path::Path::new(""));
        let mut texts = self.texts.borrow_mut();
        let text =
            texts.entry(at.file.clone()).or_insert_with(|| std::fs::read_to_string(directory.join(&at.file)).ok());
        text.as_ref().map_or(Vec::new(), |text| allocation::in_source(text, at.line, at.column))
    }

    fn module(&self, address: u64) -> Option<&Module> {
        let path = &self.mappings.find(address)?.path;
        self.modules.iter().find(|module| module.path() == path && !path.ends_with(library::NAME))
    }

    /// The module whose data contains `address`. Zero-initialised data follows the file's mappings without its name.
    fn data_module(&self, address: u64) -> Option<&Module> {
        let last = self.modules.iter().rev().find(|module| module.start() <= address)?;
        last.contains(address).then_some(last)
    }

    /// Makes a path below the current directory relative to it.
    fn shorten(&self, frame: &mut Location) {
        if let Some(current) = &self.current_directory
            && let Ok(short) = std::path::Path::new(&frame.file).strip_prefix(current)
        {
            frame.file = short.display().to_string();
        }
    }
}

/// Whether a frame is in the user's own source.
fn is_own(frame: &Location) -> bool {
    !frame.file.is_empty()
        && frame.line != 0
        && !frame.file.starts_with("/usr/")
        && !frame.file.contains("/include/c++/")
}

#[cfg(test)]
mod tests;
