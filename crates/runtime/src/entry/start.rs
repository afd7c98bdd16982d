//! Start-up: how this library enters the process and takes over `main`.
//!
//! The loader runs [`construct`] before any other constructor. If the driver has put the shared memory into the
//! environment, the program is under control: `main` is replaced by [`controlled_main`], which suspends the main thread
//! before the program's own main function and leaves the rest to the [controller](crate::entry::control). Without the
//! driver the program runs as if this library were not there.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_void};

use heddle_model::wire::{ENVIRONMENT, PADDING, Restart, Stage};
use heddle_model::{Property, ThreadId};

use crate::addresses::{PAGE, Reserve, STATES, map};
use crate::arch::{self, Context};
use crate::calls::pthread::{cancel, unwinder};
use crate::calls::tsan::expected;
use crate::calls::{annotate, buffers, custom};
use crate::detect::{memcheck, misuse, race, undefined};
use crate::entry::main_thread::{self, Arguments};
use crate::entry::wire::Wire;
use crate::entry::{control, foreign, real};
use crate::outside::signals::handlers;
use crate::outside::{exit, exit_handlers, files, random, virtual_time};
use crate::record::callstack;
use crate::schedule::{self, fiber, spin_loop};
use crate::state::{calls, cycle, dead, fingerprint, known, livelock, snapshot};
use crate::{heap, lifetime, sys};

type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

/// What was determined at start-up. Set once.
pub struct Start {
    wire: Cell<Option<Wire>>,
    main: Cell<Option<Main>>,
    own_text: Cell<(usize, usize)>,
    own_data: Cell<(usize, usize)>,
    program_text: Cell<(usize, usize)>,
    kernel_stack: Cell<(usize, usize)>,
    main_stack: Cell<(usize, usize)>,
    arguments: Cell<(usize, usize)>,
    control_block: Cell<usize>,
}

impl Start {
    /// Before start-up.
    pub const fn new() -> Start {
        Start {
            wire: Cell::new(None),
            main: Cell::new(None),
            own_text: Cell::new((0, 0)),
            own_data: Cell::new((0, 0)),
            program_text: Cell::new((0, 0)),
            kernel_stack: Cell::new((0, 0)),
            main_stack: Cell::new((0, 0)),
            arguments: Cell::new((0, 0)),
            control_block: Cell::new(0),
        }
    }
}

#[inline(always)]
fn start() -> &'static Start {
    &lifetime::process().start
}

unsafe extern "C" {
    static mut __libc_single_threaded: u8;
    static program_invocation_short_name: *const c_char;
    static __rseq_offset: isize;
    static __rseq_size: u32;
    fn getauxval(kind: u64) -> u64;
    pub fn dl_iterate_phdr(
        each: unsafe extern "C" fn(*const LoadedObject, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// The constructor. It runs before all others, since the library is linked with `-z initfirst`.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCT: extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) = construct;

/// The constructor's code. It runs before libc has initialised itself, which is why the environment is taken from
/// the loader's argument.
extern "C" fn construct(_argc: c_int, _argv: *mut *mut c_char, environment: *mut *mut c_char) {
    real::resolve();
    // SAFETY: before any other code of the program; one thread.
    unsafe {
        let file = take_from_environment(environment);
        if file.is_some() {
            main_thread::replace_drawn();
        }
        exit::set_up();
        if let Some(file) = file {
            let Some(wire) = Wire::attach(file) else {
                sys::die(b"heddle: the shared memory is not of this version\n")
            };
            start().wire.set(Some(wire));
            leave_rseq();
            control::adopt_orphans(true);
            start().control_block.set(main_thread::move_control_block());
            wire.set_stage(Stage::Loaded);
        }
    }
}

/// Removes Heddle's variables from the environment, so that neither the program nor its children see them. Returns
/// the number of the descriptor of the shared memory.
unsafe fn take_from_environment(environment: *mut *mut c_char) -> Option<usize> {
    let mut found = None;
    // SAFETY: the environment is a list of strings that ends with null; one thread.
    unsafe {
        let (mut from, mut to) = (environment, environment);
        while !(*from).is_null() {
            let text = CStr::from_ptr(*from).to_bytes();
            if let Some(value) = value_of(text, ENVIRONMENT.as_bytes()) {
                found = core::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
            }
            from = from.add(1);
        }
        if found.is_some() {
            from = environment;
            while !(*from).is_null() {
                let text = CStr::from_ptr(*from).to_bytes();
                let ours = [ENVIRONMENT, "LD_PRELOAD", "LD_BIND_NOW"];
                let is_ours = ours.iter().any(|name| value_of(text, name.as_bytes()).is_some());
                if !is_ours && !text.starts_with(PADDING.as_bytes()) {
                    *to = *from;
                    to = to.add(1);
                }
                from = from.add(1);
            }
            *to = core::ptr::null_mut();
        }
    }
    found
}

fn value_of<'t>(text: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    text.strip_prefix(name)?.strip_prefix(b"=")
}

/// The memory shared with the driver, if the program is under control.
pub fn wire() -> Option<Wire> {
    start().wire.get()
}

/// The kernel's name for the program: the beginning of its file's name.
pub fn program_name() -> [u8; fiber::NAME] {
    // SAFETY: set by libc before `main`, and a string.
    unsafe {
        let mut name = [0; fiber::NAME];
        let whole = CStr::from_ptr(program_invocation_short_name).to_bytes();
        let length = whole.len().min(fiber::NAME - 1);
        name[..length].copy_from_slice(&whole[..length]);
        name
    }
}

/// Whether memory is restored from a snapshot between executions.
pub fn restarts_by_snapshot() -> bool {
    wire().is_some_and(|wire| wire.header().restart == Restart::Snapshot as u32)
}

/// The address and the length of this library's code.
pub fn own_text() -> (usize, usize) {
    start().own_text.get()
}

/// This library's globals, in whole pages: lowest and highest address.
pub fn own_data() -> (usize, usize) {
    start().own_data.get()
}

/// The code of the program itself: lowest and highest address.
pub fn program_text() -> (usize, usize) {
    start().program_text.get()
}

/// The stack of the main thread, with what lies above it ([`main_thread`]): lowest and highest address.
pub fn main_stack() -> (usize, usize) {
    start().main_stack.get()
}

/// The arguments of `main` and the environment, which lie above the main thread's stack: lowest and highest address.
pub fn arguments() -> (usize, usize) {
    start().arguments.get()
}

/// The stack that the kernel has made, on which the program is brought to `main`: lowest and highest address.
pub fn kernel_stack() -> (usize, usize) {
    start().kernel_stack.get()
}

interpose! {
    fn __libc_start_main(
        main: Main, argc: c_int, argv: usize, init: usize, fini: usize, rtld_fini: usize, stack_end: usize,
    ) -> c_int {
        start().main.set(Some(main));
        let main = if start().wire.get().is_some() { controlled_main } else { main };
        real::__libc_start_main(main as usize, argc, argv, init, fini, rtld_fini, stack_end)
    }
}

/// The function that glibc calls as `main`. Never returns.
unsafe extern "C" fn controlled_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    // SAFETY: everything below is set up exactly once, before the program has threads.
    unsafe {
        let Some(wire) = start().wire.get() else { sys::die(b"heddle: internal error at start\n") };
        // Those who called this function never go on.
        main_thread::guard_frames();
        set_up(wire);
        let controller_stack: &mut [u8] = Reserve::new(STATES + (1 << 38)).take(256 << 10);
        let controller = Context::fresh(controller_stack.as_mut_ptr_range().end as usize, control::controller);
        let given = Arguments { count: argc, values: argv, environment: envp };
        let (arguments, stack) = place_main(wire, &given);
        fiber::of(ThreadId::MAIN).context.set(controller);
        arch::heddle_switch(fiber::context_of(ThreadId::MAIN), &controller);
        // Every execution begins here.
        let Arguments { count, values, environment } = arguments;
        arch::heddle_call_main(run_main as *const () as usize, count, values.cast(), environment.cast(), stack);
        sys::die(b"heddle: internal error: main was left\n")
    }
}

/// Runs the program's main function, on the stack of the main thread. Never returns.
unsafe extern "C" fn run_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    // SAFETY: the program's own function, with its own arguments.
    unsafe {
        schedule::started_main();
        let Some(main) = start().main.get() else { sys::die(b"heddle: internal error at start\n") };
        arch::heddle_wipe();
        let status = arch::heddle_enter_main(main as usize, argc, argv.cast(), envp.cast());
        exit::leaves_from(arch::stack_pointer());
        exit::exit_normally(status)
    }
}

/// Gives the main thread its arguments and its stack, below its control block. Returns the arguments, and where the stack
/// begins.
unsafe fn place_main(wire: Wire, given: &Arguments) -> (Arguments, usize) {
    let top = start().control_block.get();
    // SAFETY: at start-up, one thread; `given` is what `main` was called with.
    let (arguments, stack) = unsafe { main_thread::copy_arguments(given, top) };
    let low = stack - (wire.header().settings.stack_size as usize).next_multiple_of(PAGE);
    map(low, stack - low);
    start().arguments.set((stack, top));
    start().main_stack.set((low, main_thread::TOP));
    (arguments, stack)
}

unsafe fn set_up(wire: Wire) {
    const AT_HWCAP2: u64 = 26;
    let header = wire.header();
    let threads = header.layout.threads as usize;
    // SAFETY: at start-up, one thread.
    unsafe {
        if !arch::has_thread_pointer_instructions(getauxval(AT_HWCAP2)) {
            wire.trouble(
                b"this processor or kernel has no FSGSBASE instructions, which Heddle needs to switch threads",
            );
        }
        // Libraries take short cuts while there is one thread: those of the program are not seen by glibc.
        __libc_single_threaded = 0;
        dl_iterate_phdr(look_at, core::ptr::null_mut());
        start().kernel_stack.set(grow_kernel_stack());
    }
    unwinder::warm_up();
    cancel::set_up();
    lifetime::process().unseen_makers.find();
    lifetime::process().libstdcxx.find();
    let mut reserve = Reserve::new(STATES);
    fiber::set_up(&mut reserve, threads);
    schedule::set_up(&mut reserve, wire);
    handlers::set_up(&mut reserve);
    snapshot::set_up(&mut reserve, threads);
    spin_loop::set_up(&mut reserve, threads);
    foreign::set_up();
    callstack::set_up(&mut reserve, threads);
    expected::set_up(&mut reserve, threads);
    random::set_up(&mut reserve, threads);
    files::set_up(&mut reserve, wire);
    exit_handlers::set_up(&mut reserve);
    custom::set_up(&mut reserve);
    let settings = &header.settings;
    misuse::set_up(settings.properties.look_for(Property::Misuse));
    annotate::set_up(header);
    let races = settings.properties.of(Property::Race);
    if races.is_on() {
        race::set_up(&mut reserve, threads, races.goes_on());
    }
    buffers::set_up();
    undefined::set_up(&mut reserve, threads);
    memcheck::set_up(&mut reserve, threads, &settings.properties);
    virtual_time::set_up(&mut reserve, threads);
    livelock::set_up(&mut reserve, threads);
    calls::set_up(&mut reserve, threads);
    fingerprint::set_up();
    known::set_up(&mut reserve);
    dead::set_up(&mut reserve);
    cycle::set_up(&mut reserve);
    heap::set_limits(settings.memory_limit as usize, settings.quarantine as usize);
}

/// Ends the registration of restartable sequences. The kernel would write into the thread control blocks of donors,
/// which are no kernel threads any more; donors inherit that there is no registration.
unsafe fn leave_rseq() {
    const UNREGISTER: usize = 1;
    const SIGNATURE: usize = 0x5305_3053;
    const REGISTRATION_FAILED: i32 = -2;
    // SAFETY: glibc's own registration, at the place that glibc names.
    unsafe {
        if __rseq_size != 0 {
            let area = arch::thread_pointer() as usize as isize + __rseq_offset;
            sys::syscall6(sys::RSEQ, area as usize, 32, UNREGISTER, SIGNATURE, 0, 0);
            // cpu_id: glibc's sched_getcpu then asks the kernel.
            ((area + 4) as *mut i32).write(REGISTRATION_FAILED);
        }
    }
}

/// Makes the kernel's stack a little larger than it is. The kernel lets it grow down page by page, and a snapshot would not
/// know pages that appear by themselves. Only a few calls of this library are made on it. Returns its lowest and highest address.
unsafe fn grow_kernel_stack() -> (usize, usize) {
    const MORE: usize = 64 << 10;
    let mut found = (0, 0);
    let here = &raw const found as usize;
    // SAFETY: the kernel's stack, as far below the frames in use as it lets it grow at once.
    unsafe {
        ((here - MORE) as *mut u8).write_volatile(0);
        let text: &mut [u8] = Reserve::new(STATES + (1 << 39)).take(1 << 20);
        snapshot::writable_mappings(text, |low, high| {
            if (low..high).contains(&here) {
                found = (low, high);
            }
        });
    }
    found
}

/// glibc's `dl_phdr_info`.
#[repr(C)]
pub struct LoadedObject {
    pub base: usize,
    pub name: *const c_char,
    pub headers: *const ProgramHeader,
    pub count: u16,
}

/// `Elf64_Phdr`.
#[repr(C)]
pub struct ProgramHeader {
    pub kind: u32,
    pub flags: u32,
    offset: u64,
    pub address: u64,
    physical: u64,
    file_size: u64,
    pub size: u64,
    align: u64,
}

const PT_LOAD: u32 = 1;
const EXECUTABLE: u32 = 1;
const WRITABLE: u32 = 2;

/// The range of an object's segments that have `flag`, from the first to the end of the last.
unsafe fn segments(object: &LoadedObject, flag: u32) -> (usize, usize) {
    // SAFETY: as the loader promises.
    let headers = unsafe { core::slice::from_raw_parts(object.headers, object.count as usize) };
    let mut range = (usize::MAX, 0);
    for header in headers.iter().filter(|h| h.kind == PT_LOAD && h.flags & flag != 0) {
        let low = object.base + header.address as usize;
        range = (range.0.min(low & !(PAGE - 1)), range.1.max((low + header.size as usize).next_multiple_of(PAGE)));
    }
    range
}

/// Calls `each` with the ranges of an object's globals that are still writable after its relocation.
///
/// # Safety
/// It is one that the loader described.
pub unsafe fn writable(object: &LoadedObject, mut each: impl FnMut(usize, usize)) {
    const RELRO: u32 = 0x6474_e552;
    // SAFETY: as the loader promises.
    let headers = unsafe { core::slice::from_raw_parts(object.headers, object.count as usize) };
    let range = |header: &ProgramHeader| {
        let low = object.base + header.address as usize;
        (low, low + header.size as usize)
    };
    let read_only = headers.iter().find(|header| header.kind == RELRO).map_or((0, 0), range);
    for header in headers.iter().filter(|h| h.kind == PT_LOAD && h.flags & WRITABLE != 0) {
        let (low, high) = range(header);
        each(if low == read_only.0 { read_only.1 & !(PAGE - 1) } else { low }, high);
    }
}

/// The range of an object's instructions.
///
/// # Safety
/// It is one that the loader described.
pub unsafe fn text_of(object: &LoadedObject) -> (usize, usize) {
    // SAFETY: the caller's.
    unsafe { segments(object, EXECUTABLE) }
}

unsafe extern "C" fn look_at(object: *const LoadedObject, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: called by glibc with valid descriptions.
    let (text, data) = unsafe { (segments(&*object, EXECUTABLE), segments(&*object, WRITABLE)) };
    let here = construct as *const () as usize;
    if (text.0..text.1).contains(&here) {
        start().own_text.set((text.0, text.1 - text.0));
        start().own_data.set(data);
    } else if start().program_text.get() == (0, 0) {
        // The program itself is always the first.
        start().program_text.set(text);
    }
    0
}
