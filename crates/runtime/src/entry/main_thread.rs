//! The main thread at addresses of ours: its control block, its thread-locals, its arguments and its stack.
//!
//! The kernel puts the main thread's stack below the arguments and the environment, and the loader puts its control block
//! behind whatever it has allocated before. Both depend on the machine: on the shell's variables, on the length of a path,
//! on the directories that the loader searches for this processor. But programs see these addresses. `std::thread::id`
//! is the address of a control block, and its hash decides which slots `std::barrier` tries first.
//!
//! So the main thread gets a place like every other thread: the first of the places for stacks. From the top, it has
//! the control block, the thread-locals, a copy of the arguments and the environment, and the stack.

use core::ffi::{CStr, c_char, c_int, c_void};

use crate::addresses::{self, PAGE, STACK_STRIDE, STACKS};
use crate::{arch, sys};

/// One past the highest address of the main thread's place.
pub const TOP: usize = STACKS + STACK_STRIDE - PAGE;
/// Arguments and environment take a multiple of this, so that their size hardly ever decides on where the stack begins.
const ROOM: usize = 256 << 10;

/// glibc's `struct pthread` begins with these words.
#[repr(C)]
struct ControlBlock {
    own_address: usize,
    /// The list of this thread's thread-locals, by module.
    vector: *mut [usize; 2],
    own_address_again: usize,
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn getauxval(kind: u64) -> u64;
    static mut environ: *mut *mut c_char;
    static mut program_invocation_name: *mut c_char;
    static mut program_invocation_short_name: *mut c_char;
}

/// Moves the control block and the thread-locals of the calling thread, which is the only one, to the top of the main
/// thread's place. Returns the lowest address that they take there.
///
/// Nothing of the program has run yet, so all that points to them is the loader's and libc's: their globals, the list of
/// thread-locals, and the block itself. Every word there that points into the old block is made to point into the new one.
///
/// Where glibc does not say how large the block is, it stays where it is.
///
/// # Safety
/// Called from the first constructor.
pub unsafe fn move_control_block() -> usize {
    // SAFETY: symbols with these types, in all versions of glibc that have them. What is copied is mapped, and what is
    // written to are the globals of libraries, after their relocation.
    unsafe {
        let (mut size, mut align) = (0usize, 0usize);
        let describe = dlsym(core::ptr::null_mut(), c"_dl_get_tls_static_info".as_ptr());
        let own_size = dlsym(core::ptr::null_mut(), c"_thread_db_sizeof_pthread".as_ptr()).cast::<u32>();
        if describe.is_null() || own_size.is_null() {
            return TOP;
        }
        core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut usize, *mut usize)>(describe)(
            &mut size, &mut align,
        );
        let own_size = *own_size as usize;
        // Behind the block, glibc keeps the address to free.
        let behind = size_of::<usize>();
        let old = arch::thread_pointer() as usize;
        let new = (TOP - own_size - behind) & !(align.max(PAGE) - 1);
        let (low, high) = (old + own_size - size, old + own_size);
        let start = new + own_size - size;
        let page = start & !(PAGE - 1);
        addresses::map(page, TOP - page);
        core::ptr::copy_nonoverlapping(low as *const u8, start as *mut u8, size + behind);
        let moved = Moved { low, high, distance: new.wrapping_sub(old) };
        moved.repair(start & !7, new + own_size);
        let block = new as *mut ControlBlock;
        let vector = (*block).vector;
        let length = (*vector.sub(1))[0] + 1;
        moved.repair(vector as usize, vector.add(length) as usize);
        crate::entry::start::dl_iterate_phdr(repair_globals, (&raw const moved).cast_mut().cast());
        if (*block).own_address != new || (*block).own_address_again != new {
            sys::die(b"heddle: the main thread's control block is not as glibc lays it out\n");
        }
        const ARCH_SET_FS: usize = 0x1002;
        sys::syscall3(sys::ARCH_PRCTL, ARCH_SET_FS, new, 0);
        page
    }
}

/// What the kernel draws for each process, and the program can see: numbers of ours. With others, the states of two processes would never
/// be the same. The first byte of what guards stacks is zero, so that no text runs into it.
const DRAWN: [u8; 16] = *b"\0heddle\xd1nothing!";
const STACK_GUARD: u64 = u64::from_le_bytes(*b"\0heddle\xd1");
const POINTER_GUARD: u64 = u64::from_le_bytes(*b"\xa7nothing");

/// Replaces what the kernel has drawn for this process: the bytes that the program finds by `getauxval`, and what guards pointers.
///
/// # Safety
/// Called from the first constructor: nobody has guarded a pointer yet.
pub unsafe fn replace_drawn() {
    const AT_RANDOM: u64 = 25;
    // SAFETY: the kernel has put sixteen bytes there, on the stack that it has made.
    unsafe {
        let drawn = getauxval(AT_RANDOM) as *mut [u8; 16];
        if !drawn.is_null() {
            drawn.write(DRAWN);
        }
        arch::set_pointer_guard(POINTER_GUARD);
    }
}

/// Replaces what guards the frames of functions, from now on.
///
/// # Safety
/// No function is running that has a guarded frame and will return.
pub unsafe fn guard_frames() {
    // SAFETY: the caller's.
    unsafe { arch::set_stack_guard(STACK_GUARD) };
}

/// A block that was moved: where it was, and how far it went.
struct Moved {
    low: usize,
    high: usize,
    distance: usize,
}

impl Moved {
    /// Repairs the words from `from` to `to` that point into the block.
    unsafe fn repair(&self, from: usize, to: usize) {
        for word in (from.next_multiple_of(8)..to & !7).step_by(8).map(|at| at as *mut usize) {
            // SAFETY: the caller's: mapped and writable.
            unsafe {
                if (self.low..self.high).contains(&*word) {
                    *word = (*word).wrapping_add(self.distance);
                }
            }
        }
    }
}

/// Repairs the globals of libc and of the loader. Nobody else has seen the block.
unsafe extern "C" fn repair_globals(object: *const super::start::LoadedObject, _: usize, moved: *mut c_void) -> c_int {
    // SAFETY: as the loader promises; `moved` is what was passed.
    unsafe {
        let name = (*object).name;
        let name = if name.is_null() { &[][..] } else { CStr::from_ptr(name).to_bytes() };
        let is_named = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
        if is_named(b"/libc.so") || is_named(b"/ld-linux") || is_named(b"/ld.so") {
            super::start::writable(&*object, |low, high| (*moved.cast::<Moved>()).repair(low, high));
        }
    }
    0
}

/// The arguments of `main`, as it gets them.
#[derive(Clone, Copy)]
pub struct Arguments {
    /// How many there are.
    pub count: c_int,
    /// The arguments, with null at the end.
    pub values: *mut *mut c_char,
    /// The environment, with null at the end.
    pub environment: *mut *mut c_char,
}

/// Copies the arguments and the environment to below `top`. Returns the copy, and the address below which nothing is used.
///
/// # Safety
/// The arguments are those of `main`. Nobody but libc has seen the environment's list.
pub unsafe fn copy_arguments(from: &Arguments, top: usize) -> (Arguments, usize) {
    // SAFETY: lists that end with null, of strings that end with zero. The room is mapped here, and is large enough.
    unsafe {
        let (values, environment) = (list(from.values), list(from.environment));
        let words = values.len() + environment.len() + 2;
        let bytes: usize = values.iter().chain(environment).map(|&text| CStr::from_ptr(text).count_bytes() + 1).sum();
        // Each list is followed by its strings: the arguments are where they are whatever the environment is.
        let bottom = top - ((words + 1) * size_of::<usize>() + bytes).next_multiple_of(ROOM);
        addresses::map(bottom, top - bottom);
        let mut free = bottom;
        let mut copy = |from: &[*mut c_char]| {
            let begin = free.next_multiple_of(size_of::<usize>()) as *mut *mut c_char;
            let mut text = begin.add(from.len() + 1).cast::<c_char>();
            for (place, &string) in from.iter().enumerate() {
                let length = CStr::from_ptr(string).count_bytes() + 1;
                core::ptr::copy_nonoverlapping(string, text, length);
                for name in [&raw mut program_invocation_name, &raw mut program_invocation_short_name] {
                    if (string as usize..string as usize + length).contains(&(*name as usize)) {
                        *name = text.add(*name as usize - string as usize);
                    }
                }
                begin.add(place).write(text);
                text = text.add(length);
            }
            begin.add(from.len()).write(core::ptr::null_mut());
            free = text as usize;
            begin
        };
        let copied = Arguments { count: from.count, values: copy(values), environment: copy(environment) };
        if environ == from.environment {
            environ = copied.environment;
        }
        (copied, bottom)
    }
}

/// A list that ends with null.
unsafe fn list<'l>(from: *mut *mut c_char) -> &'l [*mut c_char] {
    // SAFETY: the caller's.
    unsafe {
        let length = (0..).find(|&i| (*from.add(i)).is_null()).unwrap_or(0);
        core::slice::from_raw_parts(from, length)
    }
}
