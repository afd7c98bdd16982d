//! What libstdc++ does inside its own library or in its own memory, where the compiler's instrumentation does not see all of it.
//!
//! **Its own memory.** Functions in its headers look at memory of the library: the tables of `std::ctype` that regular expressions
//! fill in, the width of `std::cout`, which every output sets back to 0. Two threads that use the library as the standard allows it are
//! not to blame for how it orders its accesses there, so races in this memory are not reported ([`keeps`]). The formats, flags and
//! locales of the standard streams are the program's business, though: only what input and output set themselves is left out.
//!
//! **Stores with release order.** The race detector is told of them.
//!
//! `std::promise::set_value_at_thread_exit` registers an element with a callback, which the library calls when the thread ends.
//! The callback stores that the shared state is ready. Its place in the element is taken by [`ready`], which calls it.

#![allow(non_snake_case)] // The name of the function is mangled.
use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_void};

use crate::detect::race;
use crate::entry::start::{self, LoadedObject, dl_iterate_phdr};
use crate::lifetime;
use crate::schedule::active;

/// What is known of libstdc++ in this process.
pub struct Library {
    /// The library's own callback for promises that are kept at the end of a thread. The same for all of them.
    make_ready: Cell<usize>,
    /// Where the globals of the library are: the lowest address, and one past the highest.
    globals: Cell<(usize, usize)>,
    /// Where the standard streams are; 0 for those that the program does not have.
    streams: Cell<[usize; STREAMS.len()]>,
}

/// The standard streams: `cout`, `cerr`, `clog`, `cin`, and those of wide characters.
const STREAMS: [&CStr; 8] =
    [c"_ZSt4cout", c"_ZSt4cerr", c"_ZSt4clog", c"_ZSt3cin", c"_ZSt5wcout", c"_ZSt5wcerr", c"_ZSt5wclog", c"_ZSt4wcin"];
/// No stream is larger.
const STREAM_SIZE: usize = 288;
/// Where the width is in `std::ios_base`, behind the table of virtual functions and the precision.
const WIDTH: usize = 16;
/// Where the state of the stream is, behind the flags and the mask of exceptions.
const STATE: usize = 32;

impl Library {
    /// The state at the start of the process.
    pub const fn new() -> Library {
        Library { make_ready: Cell::new(0), globals: Cell::new((0, 0)), streams: Cell::new([0; STREAMS.len()]) }
    }

    /// Finds the library's globals and the standard streams, which the linker may have put into the program. Call this once, outside
    /// executions.
    pub fn find(&self) {
        // SAFETY: the loader calls back with valid descriptions and with this structure; symbols that may be missing.
        unsafe {
            dl_iterate_phdr(find_globals, core::ptr::from_ref(self).cast_mut().cast());
            self.streams.set(STREAMS.map(|name| dlsym(core::ptr::null_mut(), name.as_ptr()) as usize));
        }
    }
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

unsafe extern "C" fn find_globals(object: *const LoadedObject, _: usize, library: *mut c_void) -> c_int {
    // SAFETY: as the loader promises; `library` is what was passed.
    unsafe {
        let name = if (*object).name.is_null() { &[][..] } else { CStr::from_ptr((*object).name).to_bytes() };
        let file = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
        if file.starts_with(b"libstdc++.so") {
            start::writable(&*object, |low, high| (*library.cast::<Library>()).globals.set((low, high)));
        }
    }
    0
}

/// Whether what is at `address` is the library's business: its own globals, and what input and output set in the standard streams.
pub fn keeps(address: usize) -> bool {
    let library = &lifetime::process().libstdcxx;
    let streams = library.streams.get();
    let stream =
        streams.iter().copied().find(|&stream| stream != 0 && (stream..stream + STREAM_SIZE).contains(&address));
    let Some(stream) = stream else {
        let (low, high) = library.globals.get();
        return (low..high).contains(&address);
    };
    // SAFETY: a stream begins with its table of virtual functions, before which stands how far away its `std::ios_base` is.
    let base = unsafe { *(*(stream as *const *const usize)).sub(3) };
    // Between the table of an input stream and its base is how much was read.
    let is_count = address >= stream + 8 && address < stream + base;
    is_count || [WIDTH, STATE].iter().any(|field| (address & !7) == ((stream + base + field) & !7))
}

/// `std::__future_base::_State_baseV2::_Make_ready`.
#[repr(C)]
pub struct MakeReady {
    next: usize,
    callback: usize,
    /// A weak pointer: the shared state, and the block that counts its owners.
    state: usize,
    owners: *const Owners,
}

/// `std::_Sp_counted_base`.
#[repr(C)]
pub struct Owners {
    table: usize,
    count: i32,
}

/// Where the status is in a shared state: behind the table of virtual functions and the pointer to the result.
const STATUS: usize = 16;
/// The size of the status in bytes.
const STATUS_SIZE: usize = 4;

originals! {
    fn _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(element: *mut MakeReady);
}

interpose! {
    fn _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(element: *mut MakeReady) {
        real::_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(element);
        let own = ready as *const () as usize;
        if active() && (*element).callback != own {
            lifetime::process().libstdcxx.make_ready.set((*element).callback);
            (*element).callback = own;
        }
    }
}

/// Called at the end of a thread that keeps a promise there.
unsafe extern "C" fn ready(element: *mut MakeReady) {
    // SAFETY: libstdc++ hands over the element that was registered. The original is a function of this type.
    unsafe {
        let MakeReady { state, owners, .. } = *element;
        if active() && owners.as_ref().is_some_and(|owners| owners.count > 0) {
            race::released(state + STATUS, STATUS_SIZE);
        }
        let original = lifetime::process().libstdcxx.make_ready.get();
        let original: unsafe extern "C" fn(*mut MakeReady) = core::mem::transmute(original);
        original(element);
    }
}
