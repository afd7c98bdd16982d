//! The imports of the program and its libraries: the names that they use but do not define.
//!
//! Some features cost time in every execution and are needed only by programs that call a certain function. The dynamic
//! symbols of the program, and of the libraries that it starts with, tell whether it can call that function.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_void};

use heddle_model::libraries;

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
    /// Libraries that every program has do not count.
    own: bool,
    found: bool,
}

/// Whether the program, or a library that it starts with, uses a function with this name that it does not define
/// itself. Call this outside executions only.
pub fn anybody_wants(name: &[u8]) -> bool {
    ask(name, false)
}

/// Whether the program, or a library that it starts with and that not every program has, uses a function with this name. Call this
/// outside executions only.
pub fn program_wants(name: &[u8]) -> bool {
    ask(name, true)
}

/// The libraries that most programs have here, by the beginnings of their names.
const EVERYBODYS: [&[u8]; 10] = [
    b"libheddle_runtime.so",
    b"libc.so",
    b"libm.so",
    b"libgcc_s.so",
    b"libstdc++.so",
    b"libc++.so",
    b"libc++abi.so",
    b"libunwind.so",
    b"libatomic.so",
    b"ld-linux",
];

fn is_everybodys(path: &[u8]) -> bool {
    let file = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    EVERYBODYS.iter().any(|name| file.starts_with(name))
}

fn ask(name: &[u8], own: bool) -> bool {
    let mut question = Question { name, own, found: false };
    // SAFETY: the loader calls back with valid descriptions, and with the question.
    unsafe { dl_iterate_phdr(look, (&raw mut question).cast()) };
    question.found
}

unsafe extern "C" fn look(object: *const LoadedObject, _: usize, question: *mut c_void) -> c_int {
    // SAFETY: as the loader promises.
    unsafe {
        let (object, question) = (&*object, &mut *question.cast::<Question>());
        if question.own && !object.name.is_null() && is_everybodys(CStr::from_ptr(object.name).to_bytes()) {
            return 0;
        }
        question.found = wants(object, question.name);
        c_int::from(question.found)
    }
}

/// The tables of a loaded object that its dynamic section names.
pub struct Tables<'o> {
    object: &'o LoadedObject,
    dynamic: *const [u64; 2],
    symbols: usize,
    strings: usize,
}

/// The tables of `object`. `None` if it has none.
///
/// # Safety
/// The description is the loader's.
pub unsafe fn tables(object: &LoadedObject) -> Option<Tables<'_>> {
    // SAFETY: as the loader promises.
    let headers = unsafe { core::slice::from_raw_parts(object.headers, object.count as usize) };
    let dynamic = headers.iter().find(|header| header.kind == PT_DYNAMIC)?;
    let dynamic = (object.base + dynamic.address as usize) as *const [u64; 2];
    let mut tables = Tables { object, dynamic, symbols: 0, strings: 0 };
    tables.symbols = tables.absolute(tables.find(DT_SYMTAB)?);
    tables.strings = tables.absolute(tables.find(DT_STRTAB)?);
    Some(tables)
}

impl Tables<'_> {
    /// What the dynamic section says under `tag`.
    pub fn find(&self, tag: u64) -> Option<u64> {
        let mut entry = self.dynamic;
        // SAFETY: a dynamic section ends with a zero tag.
        unsafe {
            while (*entry)[0] != 0 {
                if (*entry)[0] == tag {
                    return Some((*entry)[1]);
                }
                entry = entry.add(1);
            }
        }
        None
    }

    /// The address of a table. glibc relocates what the dynamic section says, but not that of the kernel's own object.
    pub fn absolute(&self, value: u64) -> usize {
        if (value as usize) < self.object.base { value as usize + self.object.base } else { value as usize }
    }

    /// Whether symbol `index` is a function of another object.
    pub fn is_foreign_function(&self, index: usize) -> bool {
        /// `STT_FUNC`, and `STT_GNU_IFUNC`, whose address the loader asks for.
        const FUNCTIONS: [u8; 2] = [2, 10];
        // SAFETY: the index is one of the object's own tables.
        let symbol = unsafe { &*(self.symbols as *const Symbol).add(index) };
        symbol.section == 0 && FUNCTIONS.contains(&(symbol.info & 15))
    }

    /// The name of symbol `index`.
    pub fn name(&self, index: usize) -> &CStr {
        // SAFETY: the index is one of the object's own tables, which are as the dynamic section says.
        unsafe {
            let symbol = &*(self.symbols as *const Symbol).add(index);
            CStr::from_ptr((self.strings + symbol.name as usize) as *const c_char)
        }
    }
}

/// Whether `object` was compiled with the instrumentation that Heddle uses.
///
/// # Safety
/// The description is the loader's.
pub unsafe fn is_instrumented(object: &LoadedObject) -> bool {
    // SAFETY: the caller's.
    unsafe { wants(object, b"__tsan_init") }
}

/// Whether `object` uses a function with this name that it does not define itself.
///
/// # Safety
/// The description is the loader's.
unsafe fn wants(object: &LoadedObject, wanted: &[u8]) -> bool {
    // SAFETY: as the loader promises; the tables are as the dynamic section says.
    unsafe {
        let Some(tables) = tables(object) else { return false };
        // The newer table leaves out what is not defined, which stands first; the older one counts everything.
        let count = |tag| tables.find(tag).map(|hash| *(tables.absolute(hash) as *const u32).add(1));
        let count = count(DT_GNU_HASH).or_else(|| count(DT_HASH)).unwrap_or(0);
        core::slice::from_raw_parts(tables.symbols as *const Symbol, count as usize).iter().any(|symbol| {
            let name = (tables.strings + symbol.name as usize) as *const c_char;
            symbol.section == 0 && symbol.name != 0 && CStr::from_ptr(name).to_bytes() == wanted
        })
    }
}

/// The libraries that create threads and are not instrumented.
pub struct UnseenMakers {
    /// The first address of each library, and the one past its end. Zeros where there is none.
    libraries: Cell<[(usize, usize); MAKERS]>,
    /// The address range of libstdc++. Empty if it is not loaded.
    libstdcxx: Cell<(usize, usize)>,
}

/// The most libraries that are remembered. A program with more of them has enough among these.
const MAKERS: usize = 16;

impl UnseenMakers {
    /// The state at the start of the process.
    pub const fn new() -> UnseenMakers {
        UnseenMakers { libraries: Cell::new([(0, 0); MAKERS]), libstdcxx: Cell::new((0, 0)) }
    }

    /// Looks for such libraries. Call this outside executions only.
    pub fn find(&self) {
        let mut found = Found { libraries: [(0, 0); MAKERS], libstdcxx: (0, 0) };
        // SAFETY: a function of this type, with what it expects.
        unsafe { dl_iterate_phdr(add_library, (&raw mut found).cast()) };
        self.libraries.set(found.libraries);
        self.libstdcxx.set(found.libstdcxx);
    }

    /// Whether such a library creates a thread that calls `routine` with `argument`, in a call from `pc`. The call may be the last thing
    /// that its function does, and then comes from elsewhere; but then the routine is the library's, or, with `std::thread`, the virtual
    /// table of the state that is handed over.
    pub fn creates(&self, pc: u64, routine: usize, argument: usize) -> bool {
        if self.libraries.get()[0] == (0, 0) {
            return false;
        }
        let inside = |address: usize| self.libraries.get().iter().any(|&(begin, end)| (begin..end).contains(&address));
        let (begin, end) = self.libstdcxx.get();
        // SAFETY: what libstdc++ hands to its own routine is an object with a virtual table.
        let table = || unsafe { *(argument as *const usize) };
        inside(pc as usize) || inside(routine) || (begin..end).contains(&routine) && inside(table())
    }
}

/// The name of a loaded file, without its directory. Empty for the program itself.
///
/// # Safety
/// The description is the loader's.
pub unsafe fn file_name(object: &LoadedObject) -> &[u8] {
    // SAFETY: the caller's.
    let path = unsafe { CStr::from_ptr(object.name) }.to_bytes();
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// The first address of a loaded file, and the one past its end.
///
/// # Safety
/// The description is the loader's.
unsafe fn extent(object: &LoadedObject) -> (usize, usize) {
    const PT_LOAD: u32 = 1;
    // SAFETY: the caller's.
    let headers = unsafe { core::slice::from_raw_parts(object.headers, object.count as usize) };
    let loaded =
        || headers.iter().filter(|header| header.kind == PT_LOAD).map(|header| object.base + header.address as usize);
    let end = headers
        .iter()
        .filter(|header| header.kind == PT_LOAD)
        .map(|header| object.base + (header.address + header.size) as usize);
    (loaded().min().unwrap_or(0), end.max().unwrap_or(0))
}

/// The functions that create threads: of POSIX, of C, and of libstdc++ for `std::thread`.
const CREATE: [&[u8]; 3] = [
    b"pthread_create",
    b"thrd_create",
    b"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
];

/// What [`UnseenMakers::find`] has found so far.
struct Found {
    libraries: [(usize, usize); MAKERS],
    libstdcxx: (usize, usize),
}

unsafe extern "C" fn add_library(object: *const LoadedObject, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: as the loader promises, and what `find` handed over.
    unsafe {
        let (object, found) = (&*object, &mut *found.cast::<Found>());
        let name = file_name(object);
        if name.starts_with(b"libstdc++.so") {
            found.libstdcxx = extent(object);
        }
        // The program itself has no name.
        let seen = name.is_empty() || libraries::is_of_system(name) || is_instrumented(object);
        if !seen
            && CREATE.iter().any(|function| wants(object, function))
            && let Some(free) = found.libraries.iter_mut().find(|(_, end)| *end == 0)
        {
            *free = extent(object);
        }
    }
    0
}
