//! Fibers: the program's threads, all on one kernel thread.
//!
//! A fiber needs what a real thread has: a stack, a thread control block that glibc has initialised, and the frames at
//! the bottom of the stack that run destructors when the thread ends. Instead of imitating glibc, the runtime lets it
//! create a real thread, the **donor**. The donor's start routine ([`arch::heddle_donor`]) saves its registers, leaves
//! the stack and lets the kernel thread end, without glibc noticing. A stack with a valid context remains. The one
//! kernel thread resumes that context, with the donor's thread pointer, whenever the thread is scheduled.
//!
//! Therefore `errno`, `thread_local`, `pthread_self`, exceptions, cleanup handlers and thread-specific data need no
//! support from the runtime. The end of a thread is noticed by a key for thread-specific data, which glibc visits last.
//! glibc calls destructors in at most four rounds. The runtime's destructor asks to be called again in the first three
//! and never returns from the fourth.
//!
//! Donors are created before the program's `main` runs, so that restarts keep them. An execution that needs more donors
//! is abandoned and run again with enough of them.

use core::cell::Cell;
use core::ffi::c_void;

use heddle_model::ThreadId;

use crate::addresses::{self, PAGE, Reserve, STACK_STRIDE, STACKS};
use crate::arch::{self, Birth, Context};
use crate::calls::pthread::identity::Scheduling;
use crate::calls::pthread::keys;
use crate::entry::{real, start};
use crate::lifetime::{self, Exclusive, Lent};
use crate::outside::exit::Leaving;
use crate::outside::kernel_thread::KernelThread;
use crate::{heap, schedule, sys};

/// The size of a thread's name in bytes, as in Linux.
pub const NAME: usize = 16;

/// Whether and how a thread can be cancelled. Only the thread itself changes it. All false when the thread begins.
#[derive(Clone, Copy, Default)]
pub struct Cancellation {
    /// The program has disabled cancellation.
    pub disabled: bool,
    /// The program has asked for asynchronous cancellation.
    pub asynchronous: bool,
    /// The thread is ending already.
    pub exiting: bool,
}

/// One thread's place to run. Fiber `i` belongs to thread `i`; fiber 0 is the main thread
/// ([`crate::entry::main_thread`]).
///
/// [`create`] resets a fiber when its thread is created; that of the main thread is reset by [`reset_main`].
pub struct Fiber {
    /// The context at which the fiber resumes.
    pub context: Cell<Context>,
    /// The stack pointer at the program's last call of the runtime before the thread was suspended.
    pub called_at: Cell<usize>,
    /// The thread's function and all destructors have returned.
    pub ends: Cell<bool>,
    /// What its donor handed over. For the life of the process.
    birth: Exclusive<Birth>,
    /// The program's start routine and its argument.
    start: Cell<Start>,
    /// The value that the start routine returned.
    pub value: Cell<usize>,
    /// Whether and how the thread can be cancelled.
    pub cancellation: Cell<Cancellation>,
    /// Whether the thread was created detached.
    pub detached: Cell<bool>,
    /// The thread that created this one.
    pub creator: Cell<ThreadId>,
    /// How many threads the thread has created and not joined, and those that it has joined left behind.
    pub unjoined: Cell<u32>,
    /// Whether the thread has called a library that is not instrumented since its last event: see [`crate::detect::library_calls`].
    pub called_library: Cell<bool>,
    /// How often the thread has looked at a clock.
    pub looks_at_clocks: Cell<u32>,
    /// How the thread has asked to be scheduled.
    pub scheduling: Cell<Scheduling>,
    /// The signals that the thread has blocked: a bit for each.
    pub signal_mask: Cell<u64>,
    /// The signals that were sent to the thread while it had them blocked: a bit for each.
    pub pending_signals: Cell<u64>,
    /// The signals that the thread waits for in `sigwait`: a bit for each.
    pub awaited_signals: Cell<u64>,
    /// What the kernel would keep for the thread.
    pub kernel_thread: Cell<KernelThread>,
    /// How the thread ends the process, if it does.
    pub leaving: Cell<Leaving>,
    /// The thread's name, with a zero byte at the end.
    pub name: Cell<[u8; NAME]>,
    /// The thread as a member of a parallel region of OpenMP: the address of its description. 0 outside of regions.
    pub openmp: Cell<usize>,
    /// How many threads the thread wants in its parallel regions. 0 if it did not say.
    pub openmp_threads: Cell<u32>,
    /// How many threads the thread wants in its next parallel region. 0 if it did not say.
    pub openmp_asked: Cell<u32>,
    /// The size of the stack in bytes. For the life of the process.
    stack_size: Cell<usize>,
    /// The size of the stack that the program has asked for, in this execution or an earlier one. For the life of the process.
    wanted_stack: Cell<usize>,
}

/// The fibers of this process.
pub struct Fibers {
    /// One for each thread that there can be.
    all: Lent<Fiber>,
    /// How many threads besides the main one there are donors for.
    donors: Cell<usize>,
    /// The key of thread-specific data whose destructor is [`end_of_thread`].
    end_key: Cell<u32>,
}

impl Fibers {
    /// The state at the start of the process.
    pub const fn new() -> Fibers {
        Fibers { all: Cell::new(&[]), donors: Cell::new(0), end_key: Cell::new(0) }
    }
}

fn fibers() -> &'static Fibers {
    &lifetime::process().fibers
}

/// The number of rounds in which glibc calls destructors of thread-specific data.
const ROUNDS: usize = 4;
/// The size in bytes of the stack for the last few instructions of a donor.
const PARKING: usize = 512;

unsafe extern "C" {
    fn pthread_attr_init(attributes: *mut c_void) -> i32;
    fn pthread_attr_setstack(attributes: *mut c_void, low: *mut c_void, size: usize) -> i32;
    fn pthread_attr_destroy(attributes: *mut c_void) -> i32;
    fn pthread_setspecific(key: u32, value: *const c_void) -> i32;
}

impl Fiber {
    /// Resets the fiber for a new thread, which resumes at `context`, calls `routine`, and has the name `name`.
    fn reset(&self, context: Context, routine: Start, mask: u64, kernel: KernelThread, name: [u8; NAME]) {
        #[rustfmt::skip]
        let Fiber {
            birth: _, stack_size: _, wanted_stack: _,
            context: at, called_at, ends, start, value, cancellation, detached, signal_mask, pending_signals, awaited_signals,
            kernel_thread, name: called, creator, unjoined, called_library, looks_at_clocks, leaving, openmp, openmp_threads, openmp_asked,
            scheduling,
        } = self;
        at.set(context);
        called_at.set(0);
        ends.set(false);
        start.set(routine);
        value.set(0);
        cancellation.set(Cancellation::default());
        detached.set(false);
        signal_mask.set(mask);
        pending_signals.set(0);
        awaited_signals.set(0);
        kernel_thread.set(kernel);
        called.set(name);
        creator.set(ThreadId::MAIN);
        unjoined.set(0);
        called_library.set(false);
        looks_at_clocks.set(0);
        scheduling.set(Scheduling::default());
        openmp.set(0);
        openmp_threads.set(0);
        openmp_asked.set(0);
        leaving.set(Leaving::default());
    }

    /// Marks the thread as exiting. The destructors that follow are not cancellation points.
    pub fn begin_exit(&self) {
        self.cancellation.update(|state| Cancellation { exiting: true, ..state });
    }
}

/// Resets the fiber of the main thread at the start of an execution. The thread resumes at `context`.
pub fn reset_main(context: Context) {
    let nothing = Start { routine: 0, argument: 0 };
    of(ThreadId::MAIN).reset(context, nothing, 0, KernelThread::INITIAL, start::program_name());
}

/// Reserves memory for `threads` fibers. Call this once, before the first donor.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    fibers().all.set(reserve.take(threads));
    // Nothing has requested a key before, so the highest one is free.
    fibers().end_key.set(keys::last(end_of_thread as *const () as usize));
    arm();
}

/// The fiber of `thread`.
#[inline(always)]
pub fn of(thread: ThreadId) -> &'static Fiber {
    &fibers().all.get()[thread.index()]
}

/// The context at which `thread` is suspended, for [`arch::heddle_switch`].
#[inline(always)]
pub fn context_of(thread: ThreadId) -> *mut Context {
    of(thread).context.as_ptr()
}

/// The number of threads, besides the main one, that have donors.
pub fn donors() -> usize {
    fibers().donors.get()
}

/// One past the highest address of the stack of `thread`.
fn stack_top(thread: usize) -> usize {
    STACKS + (thread + 1) * STACK_STRIDE - PAGE
}

/// The stacks of all threads: the lowest address, and one past the highest.
pub fn stacks() -> impl Iterator<Item = (usize, usize)> {
    let others = (1..=donors()).map(|i| (stack_top(i) - of(ThreadId(i as u16)).stack_size.get(), stack_top(i)));
    core::iter::once(start::main_stack()).chain(others)
}

/// The thread whose stack or control block contains `address`. glibc's `pthread_t` is such an address.
pub fn thread_at(address: usize) -> Option<ThreadId> {
    if address == of(ThreadId::MAIN).context.get().thread_pointer() {
        return Some(ThreadId::MAIN);
    }
    let index = address.checked_sub(STACKS)? / STACK_STRIDE;
    (index <= donors()).then_some(ThreadId(index as u16))
}

/// Creates donors until there are `count`. Call this outside executions only. Returns false if the machine refuses more
/// threads.
pub fn prepare(count: usize, stack_size: usize) -> bool {
    heap::enter_system();
    let mut made = true;
    while donors() < count && made {
        made = make_donor(donors() + 1, stack_size);
        if made {
            fibers().donors.update(|donors| donors + 1);
        }
    }
    heap::leave_system();
    made
}

fn make_donor(index: usize, stack_size: usize) -> bool {
    let top = stack_top(index);
    addresses::map(top - stack_size, stack_size);
    let mut parking = [0u8; PARKING];
    let fiber = of(ThreadId(index as u16));
    fiber.stack_size.set(stack_size);
    fiber.wanted_stack.set(stack_size);
    *fiber.birth.borrow() =
        Birth { context: Context::EMPTY, parking_stack: (parking.as_mut_ptr_range().end as u64) & !15, gone: 1 };
    let mut attributes = [0u64; 8];
    let attributes = attributes.as_mut_ptr().cast::<c_void>();
    let mut handle = 0usize;
    let everything = u64::MAX;
    let mut mask = 0u64;
    // SAFETY: the stack is ours and unused; the signal mask is restored; `birth` and `parking` outlive the donor, for
    // whose end we wait. glibc keeps nothing of `attributes`.
    let failed = unsafe {
        pthread_attr_init(attributes);
        pthread_attr_setstack(attributes, (top - stack_size) as *mut c_void, stack_size);
        sys::syscall6(sys::RT_SIGPROCMASK, 2, &raw const everything as usize, &raw mut mask as usize, 8, 0, 0);
        let birth = fiber.birth.as_ptr().cast();
        let failed = real::pthread_create(&mut handle, attributes, arch::heddle_donor as *const () as usize, birth);
        sys::syscall6(sys::RT_SIGPROCMASK, 2, &raw const mask as usize, 0, 8, 0, 0);
        pthread_attr_destroy(attributes);
        failed
    };
    if failed != 0 {
        return false;
    }
    // SAFETY: an aligned word that the kernel clears when the donor is off every stack of ours.
    let gone = unsafe { core::sync::atomic::AtomicU32::from_ptr(&raw mut (*fiber.birth.as_ptr()).gone) };
    while gone.load(core::sync::atomic::Ordering::Acquire) != 0 {
        sys::futex_wait(gone, 1, 0);
    }
    true
}

/// Prepares the fiber of a new thread to run `routine` on a stack of `stack_size` bytes. Returns false if the stack has
/// another size and cannot be changed now, because the snapshot must contain it. [`resize_stacks`] can change it
/// outside executions.
pub fn create(thread: ThreadId, routine: usize, argument: usize, stack_size: usize) -> bool {
    let fiber = of(thread);
    // These are inherited from the thread that creates this one, and so is its floating-point environment.
    let creator = of(schedule::current());
    let (mask, kernel) = (creator.signal_mask.get(), creator.kernel_thread.get().inherited());
    let name = of(ThreadId::MAIN).name.get();
    fiber.reset(fiber.birth.borrow().context, Start { routine, argument }, mask, kernel, name);
    fiber.scheduling.set(creator.scheduling.get());
    // SAFETY: the donor was suspended there, and the thread has not run yet in this execution.
    unsafe { fiber.context.get().set_float_environment(arch::float_environment()) };
    fiber.wanted_stack.set(stack_size.next_multiple_of(PAGE).min(STACK_STRIDE - 2 * PAGE));
    if fiber.wanted_stack != fiber.stack_size && !start::restarts_by_snapshot() {
        resize_stack(thread.index());
    }
    fiber.wanted_stack == fiber.stack_size
}

/// Gives each thread the stack size that the program has requested. Nothing is ever mapped below a stack, so an
/// overflow is noticed.
pub fn resize_stacks() {
    (1..=donors()).for_each(resize_stack);
}

fn resize_stack(index: usize) {
    let fiber = of(ThreadId(index as u16));
    let (old, new) = (stack_top(index) - fiber.stack_size.get(), stack_top(index) - fiber.wanted_stack.get());
    if new < old {
        addresses::map(new, old - new);
    } else if new > old {
        // SAFETY: a part of the stack that nobody has used yet in this execution.
        unsafe { sys::syscall3(sys::MUNMAP, old, new - old, 0) };
    }
    fiber.stack_size.set(fiber.wanted_stack.get());
}

/// The lowest address and the size of the stack of `thread`.
pub fn stack_of(thread: ThreadId) -> (usize, usize) {
    if thread == ThreadId::MAIN {
        let (low, high) = start::main_stack();
        return (low, high - low);
    }
    let size = of(thread).wanted_stack.get();
    (stack_top(thread.index()) - size, size)
}

/// The lowest address of the page with the control block of `thread`, which lies above its stack. Not for the main thread.
pub fn control_page(thread: ThreadId) -> usize {
    of(thread).birth.borrow().context.thread_pointer() & !(PAGE - 1)
}

/// The end of the frame of the function that `thread` began with: the address of its return address. Not for the main
/// thread.
pub fn outermost_frame(thread: ThreadId) -> usize {
    of(thread).birth.borrow().context.stack() + arch::CAPTURED
}

/// What decides what `thread` does when it begins: its start routine and the argument.
pub fn start_of(thread: ThreadId) -> [usize; 2] {
    let Start { routine, argument } = of(thread).start.get();
    [routine, argument]
}

/// What decides what `thread` does, of all that is kept for it and is neither in its memory nor in the model. It has taken `steps` operations.
pub fn words_of(thread: ThreadId, steps: u32) -> [u64; 20] {
    let fiber = of(thread);
    let Cancellation { disabled, asynchronous, exiting } = fiber.cancellation.get();
    let flags = [disabled, asynchronous, exiting, fiber.detached.get(), fiber.ends.get()];
    let flags = flags.iter().fold(0, |flags, &flag| flags << 1 | flag as u64);
    let [name, more_of_name] = [0, 8].map(|at| {
        let name = fiber.name.get();
        u64::from_ne_bytes(core::array::from_fn(|i| name[at + i]))
    });
    let [alternate, alternate_flags, alternate_size, nice, slack] = fiber.kernel_thread.get().words();
    let openmp = fiber.openmp_threads.get() as u64 | (fiber.openmp_asked.get() as u64) << 32;
    [
        flags,
        fiber.value.get() as u64,
        fiber.creator.get().0 as u64,
        fiber.unjoined.get() as u64,
        fiber.looks_at_clocks.get() as u64,
        fiber.scheduling.get().word(),
        fiber.signal_mask.get(),
        fiber.pending_signals.get(),
        fiber.awaited_signals.get(),
        alternate as u64,
        alternate_flags as u64,
        alternate_size as u64,
        nice as u64,
        slack as u64,
        fiber.leaving.get().word(steps),
        name,
        more_of_name,
        fiber.openmp.get() as u64,
        openmp,
        fiber.stack_size.get() as u64,
    ]
}

/// The floating-point environment of `thread`, which does not run and has run.
pub fn float_environment_of(thread: ThreadId) -> u64 {
    // SAFETY: what `heddle_switch` has stored last is the environment.
    unsafe { (of(thread).context.get().stack() as *const u64).read() }
}

/// Whether `address` is on the stack of the running thread.
#[inline]
pub fn is_on_own_stack(address: usize) -> bool {
    let (low, size) = stack_of(schedule::current());
    (low..low + size).contains(&address)
}

/// Asks glibc to call [`end_of_thread`] at the end of the thread. Called on the donor, or on the main thread.
pub extern "C" fn arm() {
    set_round(1);
}

/// Sets the value of the key: the number of the round in which glibc will call the destructor.
fn set_round(round: usize) {
    // SAFETY: the key exists.
    unsafe { pthread_setspecific(fibers().end_key.get(), round as *const c_void) };
}

/// A start routine of the program and its argument: what the assembly calls after `begin`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Start {
    routine: usize,
    argument: usize,
}

/// Returns the routine to call. The assembly calls this on a fiber that runs for the first time.
pub extern "C" fn begin() -> Start {
    schedule::started();
    of(schedule::current()).start.get()
}

/// Stores `value`, which the start routine has returned, and returns it for glibc. The assembly calls this on the
/// fiber.
pub extern "C" fn returned(value: usize) -> usize {
    let fiber = of(schedule::current());
    fiber.value.set(value);
    fiber.begin_exit();
    value
}

/// The destructor that glibc calls at the end of a thread, once in each round, on the fiber.
unsafe extern "C" fn end_of_thread(round: *mut c_void) {
    let round = round as usize;
    // Without destructors of the program nothing follows the first round, so the other rounds are not awaited.
    if round < ROUNDS && keys::have_destructors() || !schedule::active() {
        set_round(round + 1);
        return;
    }
    schedule::ended()
}
