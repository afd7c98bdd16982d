//! Calls into code that nobody instrumented.
//!
//! A function that Heddle neither instruments nor replaces may keep state: `rand_r` writes a seed, `strtok` a position, a plain
//! library whatever it likes. No instrumentation tells of those writes. So a loop that calls such a function is not taken for
//! one that only waits ([`crate::schedule::spin_loop`]).
//!
//! Instrumented code calls other objects through slots in its own data, which the loader has filled in. Here each slot of such a
//! function gets a few instructions instead, which count the call and go on to the function. They use one register, which belongs to
//! nobody at a call. Calls of libraries that are not the system's are counted apart ([`library_calls`]). Function pointers come from such
//! slots, too: those that code loads (`-fno-plt` makes all calls so), and those in
//! tables of the program.
//!
//! Not seen: pointers that unseen code hands out (`dlsym`, virtual tables of libraries), and unseen code that is linked into an
//! instrumented object.

use core::ffi::{c_int, c_void};

use heddle_model::libraries;

use crate::addresses::{PAGE, Reserve, STATES};
use crate::arch;
use crate::detect::library_calls;
use crate::entry::imports;
use crate::entry::start::{self, LoadedObject, dl_iterate_phdr};
use crate::lifetime;
use crate::schedule::spin_loop;
use crate::sys;

/// Functions that keep no state, or only that of a place that the caller sees.
const HARMLESS: [&[u8]; 26] = [
    b"__errno_location",
    b"__tls_get_addr",
    b"__ctype_b_loc",
    b"__ctype_tolower_loc",
    b"__ctype_toupper_loc",
    b"abs",
    b"labs",
    b"llabs",
    b"tolower",
    b"toupper",
    // `std::hash`
    b"_ZSt11_Hash_bytesPKvmm",
    // `lock`, `try_lock` and `unlock` of LLVM's `std::mutex`, which only call the thread library
    b"_ZNSt3__15mutex4lockEv",
    b"_ZNSt3__15mutex8try_lockEv",
    b"_ZNSt3__15mutex6unlockEv",
    // `std::thread::hardware_concurrency`
    b"_ZNSt6thread20hardware_concurrencyEv",
    b"_ZNSt3__16thread20hardware_concurrencyEv",
    // Clocks and sleeping, which end in calls that are seen.
    b"_ZNSt6chrono3_V212steady_clock3nowEv",
    b"_ZNSt6chrono3_V212system_clock3nowEv",
    b"_ZNSt3__16chrono12steady_clock3nowEv",
    b"_ZNSt3__16chrono12system_clock3nowEv",
    b"_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE",
    b"_ZNSt3__111this_thread9sleep_forERKNS_6chrono8durationIxNS_5ratioILl1ELl1000000000EEEEE",
    // LLVM's library: a look at a word of its own, and a sleep on that word. It counts who sleeps, and then no more.
    b"_ZNSt3__123__libcpp_atomic_monitorEPVKv",
    b"_ZNSt3__123__libcpp_atomic_monitorEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_implIiEEEE",
    b"_ZNSt3__120__libcpp_atomic_waitEPVKvi",
    b"_ZNSt3__120__libcpp_atomic_waitEPVKNS_17__cxx_atomic_implIiNS_22__cxx_atomic_base_implIiEEEEi",
];

/// Functions of which the loader's tables have the address, and nobody calls it: the unwinder compares some of them.
const NOT_CALLED: [&[u8]; 4] =
    [b"__gxx_personality_v0", b"__gcc_personality_v0", b"__cxa_pure_virtual", b"__cxa_deleted_virtual"];

/// The bytes of the instructions for one slot.
const STUB: usize = 48;
/// The most slots that are changed. What a program with more calls beyond them is not counted.
const MOST: usize = 1 << 14;
/// The most objects whose calls count as seen.
const OBJECTS: usize = 64;

/// `Elf64_Rela`.
#[repr(C)]
struct Relocation {
    place: u64,
    info: u64,
    addend: i64,
}

/// An address in data.
const ABSOLUTE: u64 = 1;
/// An address that code loads.
const GLOBAL: u64 = 6;
const JUMP_SLOT: u64 = 7;
const DT_PLTRELSZ: u64 = 2;
const DT_JMPREL: u64 = 23;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const RELRO: u32 = 0x6474_e552;

/// What is known while the objects are visited.
struct Visit {
    /// Code whose calls need not be counted: the first address of each piece, and the one past its end.
    seen: [(usize, usize); OBJECTS],
    known: usize,
    /// Code of libraries that are neither instrumented nor the system's, likewise.
    libraries: [(usize, usize); library_calls::MOST],
    of_libraries: usize,
    stubs: &'static mut [u8],
    used: usize,
}

/// Makes instrumented code count its calls of functions that nobody instrumented. Call this once, before the program runs.
pub fn set_up() {
    let stubs = Reserve::new(STATES + (1 << 37)).take(MOST * STUB);
    let mut visit = Visit {
        seen: [(0, 0); OBJECTS],
        known: 0,
        libraries: [(0, 0); library_calls::MOST],
        of_libraries: 0,
        stubs,
        used: 0,
    };
    // SAFETY: the loader calls back with valid descriptions, and with what is handed over; one thread.
    unsafe {
        dl_iterate_phdr(note_seen, (&raw mut visit).cast());
        lifetime::process().unseen_code.set(visit.libraries);
        dl_iterate_phdr(change, (&raw mut visit).cast());
        const EXECUTABLE: usize = 4;
        let length = visit.used.next_multiple_of(PAGE);
        sys::syscall3(sys::MPROTECT, visit.stubs.as_ptr() as usize, length, sys::PROT_READ | EXECUTABLE);
    }
}

unsafe extern "C" fn note_seen(object: *const LoadedObject, _: usize, visit: *mut c_void) -> c_int {
    // SAFETY: as the loader promises, and what `set_up` handed over.
    let (object, visit) = unsafe { (&*object, &mut *visit.cast::<Visit>()) };
    // SAFETY: the loader's description.
    let (text, instrumented) = unsafe { (start::text_of(object), imports::is_instrumented(object)) };
    let own = (text.0..text.1).contains(&(note_seen as *const () as usize));
    if (own || instrumented) && visit.known < OBJECTS {
        visit.seen[visit.known] = text;
        visit.known += 1;
    }
    // SAFETY: the loader's description.
    let name = unsafe { imports::file_name(object) };
    let is_known =
        own || instrumented || name.is_empty() || libraries::is_of_system(name) || libraries::is_framework(name);
    if !is_known && visit.of_libraries < library_calls::MOST {
        visit.libraries[visit.of_libraries] = text;
        visit.of_libraries += 1;
    }
    0
}

unsafe extern "C" fn change(object: *const LoadedObject, _: usize, visit: *mut c_void) -> c_int {
    // SAFETY: as the loader promises, and what `set_up` handed over.
    unsafe {
        let (object, visit) = (&*object, &mut *visit.cast::<Visit>());
        if imports::is_instrumented(object) {
            change_slots(object, visit);
        }
    }
    0
}

/// Changes the slots of one instrumented object.
///
/// # Safety
/// The description is the loader's, and nothing of the program runs.
unsafe fn change_slots(object: &LoadedObject, visit: &mut Visit) {
    // SAFETY: tables of a loaded object are as its dynamic section says.
    unsafe {
        let Some(tables) = imports::tables(object) else { return };
        let list = |at: u64, length: u64| match (tables.find(at), tables.find(length)) {
            (Some(at), Some(length)) => {
                let count = length as usize / size_of::<Relocation>();
                core::slice::from_raw_parts(tables.absolute(at) as *const Relocation, count)
            }
            _ => &[],
        };
        let relocations = list(DT_JMPREL, DT_PLTRELSZ).iter().chain(list(DT_RELA, DT_RELASZ));
        let headers = core::slice::from_raw_parts(object.headers, object.count as usize);
        let read_only = headers.iter().find(|header| header.kind == RELRO).map_or((0, 0), |header| {
            let low = object.base + header.address as usize;
            (low & !(PAGE - 1), (low + header.size as usize) & !(PAGE - 1))
        });
        let is_function = |relocation: &&Relocation| match relocation.info & 0xffff_ffff {
            JUMP_SLOT => true,
            ABSOLUTE | GLOBAL => relocation.addend == 0 && tables.is_foreign_function((relocation.info >> 32) as usize),
            _ => false,
        };
        for relocation in relocations.filter(is_function) {
            let slot = (object.base + relocation.place as usize) as *mut usize;
            let target = *slot;
            let seen = visit.seen[..visit.known].iter().any(|&(low, high)| (low..high).contains(&target));
            let name = tables.name((relocation.info >> 32) as usize).to_bytes();
            let harmless = HARMLESS.contains(&name) || NOT_CALLED.contains(&name);
            // A slot that holds an address of the object itself waits for its first call. There are none: the loader was told to
            // fill in everything.
            if target == 0 || seen || harmless || visit.used + STUB > visit.stubs.len() {
                continue;
            }
            let stub = &mut visit.stubs[visit.used..visit.used + STUB];
            let is_library = lifetime::process().unseen_code.has(target);
            let counters = [spin_loop::counter(), library_calls::counter()];
            arch::write_counting_jump(stub, if is_library { &counters } else { &counters[..1] }, target);
            visit.used += STUB;
            let page = slot as usize & !(PAGE - 1);
            let protected = (read_only.0..read_only.1).contains(&page);
            if protected && sys::syscall3(sys::MPROTECT, page, PAGE, sys::PROT_READ | sys::PROT_WRITE) != 0 {
                continue;
            }
            *slot = stub.as_ptr() as usize;
            if protected {
                sys::syscall3(sys::MPROTECT, page, PAGE, sys::PROT_READ);
            }
        }
    }
}
