//! The imports of the program and its libraries: the names that they use and do not define.
//!
//! Some features cost time in every execution and are needed only by programs that call a certain function. Whether
//! a program can call it is known from its dynamic symbols, and those of the libraries that it starts with.

use core::ffi::{CStr, c_char, c_int, c_void};

use crate::entry::start::{LoadedObject, dl_iterate_phdr};

/// `Elf64_Sym`.
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

const PT_DYNAMIC: u32 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_HASH: u64 = 4;
const DT_GNU_HASH: u64 = 0x6fff_fef5;

struct Question<'n> {
    name: &'n [u8],
    found: bool,
}

/// Whether the program, or a library that it was started with, uses a function with this name that another one defines.
/// Outside executions only.
pub fn anybody_wants(name: &[u8]) -> bool {
    let mut question = Question { name, found: false };
    // SAFETY: the loader calls back with valid descriptions, and with the question.
    unsafe { dl_iterate_phdr(look, (&raw mut question).cast()) };
    question.found
}

unsafe extern "C" fn look(object: *const LoadedObject, _: usize, question: *mut c_void) -> c_int {
    // SAFETY: as the loader promises; tables of a loaded object are as its dynamic section says, at absolute addresses
    // (glibc relocates them) or, in the kernel's own object, relative ones.
    unsafe {
        let (object, question) = (&*object, &mut *question.cast::<Question>());
        let headers = core::slice::from_raw_parts(object.headers, object.count as usize);
        let Some(dynamic) = headers.iter().find(|header| header.kind == PT_DYNAMIC) else { return 0 };
        let absolute =
            |value: u64| if (value as usize) < object.base { value as usize + object.base } else { value as usize };
        let (mut symbols, mut strings, mut hash, mut gnu_hash) = (0, 0, 0, 0);
        let mut entry = (object.base + dynamic.address as usize) as *const [u64; 2];
        while (*entry)[0] != 0 {
            match *entry {
                [DT_SYMTAB, value] => symbols = absolute(value),
                [DT_STRTAB, value] => strings = absolute(value),
                [DT_HASH, value] => hash = absolute(value),
                [DT_GNU_HASH, value] => gnu_hash = absolute(value),
                _ => {}
            }
            entry = entry.add(1);
        }
        // The newer table leaves out what is not defined, which stands first; the older one counts everything.
        let count = match (gnu_hash, hash) {
            (0, 0) => 0,
            (0, hash) => *(hash as *const u32).add(1),
            (gnu_hash, _) => *(gnu_hash as *const u32).add(1),
        };
        if symbols == 0 || strings == 0 {
            return 0;
        }
        for symbol in core::slice::from_raw_parts(symbols as *const Symbol, count as usize) {
            let name = (strings + symbol.name as usize) as *const c_char;
            if symbol.section == 0 && symbol.name != 0 && CStr::from_ptr(name).to_bytes() == question.name {
                question.found = true;
                return 1;
            }
        }
    }
    0
}
