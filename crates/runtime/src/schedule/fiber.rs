//! Fibers: the program's threads, all on one kernel thread.
//!
//! A fiber needs what a real thread has: a stack, a thread control block that glibc has initialised, the frames
//! at the bottom of the stack that run destructors when the thread ends. Instead of imitating glibc we let it make a
//! real thread, the **donor**: its start routine ([`arch::heddle_donor`]) saves its registers, leaves the stack and lets
//! the kernel thread end, without glibc noticing. What is left is a stack with a valid context on it, which the
//! one kernel thread resumes with the donor's thread pointer whenever that thread is to run.
//!
//! So `errno`, `thread_local`, `pthread_self`, exceptions, cleanup handlers and thread-specific data need nothing
//! from us. The end of the thread is caught by a key of our own for thread-specific data, the last of all: glibc calls
//! destructors in at most four rounds, ours asks to be called again in the first three and never returns from the fourth.
//!
//! Donors are made before the program's `main` runs, so that starting over keeps them. An execution that needs more
//! than there are is abandoned and run again with enough of them.

use core::cell::Cell;
use core::ffi::c_void;

use heddle_model::ThreadId;

use crate::addresses::{self, PAGE, Reserve, STACK_STRIDE, STACKS};
use crate::arch::{self, Birth, Context};
use crate::calls::pthread::keys;
use crate::entry::{real, start};
use crate::lifetime::{self, Exclusive, Lent};
use crate::{heap, schedule, sys};

/// The size of a thread's name in bytes, as Linux has it.
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

/// One thread's place to run. Fiber `i` belongs to thread `i`; fiber 0 is the main thread on the kernel's stack.
///
/// [`create`] resets a fiber when its thread is created; that of the main thread is reset by [`reset_main`].
pub struct Fiber {
    /// Where it resumes.
    pub context: Cell<Context>,
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
    /// The signals that the thread has blocked: a bit for each.
    pub signal_mask: Cell<u64>,
    /// The signals that were sent to the thread while it had them blocked: a bit for each.
    pub pending_signals: Cell<u64>,
    /// The signals that the thread waits for in `sigwait`: a bit for each.
    pub awaited_signals: Cell<u64>,
    /// The thread's name, with a zero byte at the end.
    pub name: Cell<[u8; NAME]>,
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
    /// At start-up.
    pub const fn new() -> Fibers {
        Fibers { all: Cell::new(&[]), donors: Cell::new(0), end_key: Cell::new(0) }
    }
}

fn fibers() -> &'static Fibers {
    &lifetime::process().fibers
}

/// Rounds in which glibc calls destructors of thread-specific data.
const ROUNDS: usize = 4;
/// Room for the last few instructions of a donor.
const PARKING: usize = 512;

unsafe extern "C" {
    fn pthread_attr_init(attributes: *mut c_void) -> i32;
    fn pthread_attr_setstack(attributes: *mut c_void, low: *mut c_void, size: usize) -> i32;
    fn pthread_attr_destroy(attributes: *mut c_void) -> i32;
    fn pthread_setspecific(key: u32, value: *const c_void) -> i32;
}

impl Fiber {
    /// At the start of its thread, which resumes at `context`, calls `routine`, and is called `name`.
    fn reset(&self, context: Context, routine: Start, mask: u64, name: [u8; NAME]) {
        #[rustfmt::skip]
        let Fiber {
            birth: _, stack_size: _, wanted_stack: _,
            context: at, start, value, cancellation, detached, signal_mask, pending_signals, awaited_signals, name: called,
        } = self;
        at.set(context);
        start.set(routine);
        value.set(0);
        cancellation.set(Cancellation::default());
        detached.set(false);
        signal_mask.set(mask);
        pending_signals.set(0);
        awaited_signals.set(0);
        called.set(name);
    }

    /// The thread ends: the destructors that follow are no cancellation points.
    pub fn is_exiting(&self) {
        self.cancellation.update(|state| Cancellation { exiting: true, ..state });
    }
}

/// The main thread at the beginning of an execution, where it resumes at `context`.
pub fn reset_main(context: Context) {
    of(ThreadId::MAIN).reset(context, Start { routine: 0, argument: 0 }, 0, start::program_name());
}

/// Makes room for `threads` fibers. Once, before the first donor.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    fibers().all.set(reserve.take(threads));
    // The first thing that asks glibc for a key.
    fibers().end_key.set(keys::last(end_of_thread as *const () as usize));
    arm();
}

/// The fiber of `thread`.
#[inline(always)]
pub fn of(thread: ThreadId) -> &'static Fiber {
    &fibers().all.get()[thread.index()]
}

/// Where `thread` is suspended, for [`arch::heddle_switch`].
#[inline(always)]
pub fn context_of(thread: ThreadId) -> *mut Context {
    of(thread).context.as_ptr()
}

/// How many threads besides the main one there are donors for.
pub fn donors() -> usize {
    fibers().donors.get()
}

/// One past the highest address of the stack of `thread`.
fn stack_top(thread: usize) -> usize {
    STACKS + (thread + 1) * STACK_STRIDE - PAGE
}

/// The stacks of all threads but the main one: lowest and highest address.
pub fn stacks() -> impl Iterator<Item = (usize, usize)> {
    (1..=donors()).map(|i| (stack_top(i) - of(ThreadId(i as u16)).stack_size.get(), stack_top(i)))
}

/// The thread whose stack `address` is on, or whose control block it is: glibc's `pthread_t` is an address in there.
pub fn thread_at(address: usize) -> Option<ThreadId> {
    if address == of(ThreadId::MAIN).context.get().thread_pointer() {
        return Some(ThreadId::MAIN);
    }
    let index = address.checked_sub(STACKS)? / STACK_STRIDE;
    (1..=donors()).contains(&index).then_some(ThreadId(index as u16))
}

/// Makes donors until there are `count`. Outside executions only. False if the machine refuses more threads.
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

/// Prepares the fiber of a new thread to run `routine` on a stack of `stack_size` bytes. False if its stack has
/// another size and cannot be changed now, because a snapshot has to know of it. [`resize_stacks`] can change it,
/// outside executions.
pub fn create(thread: ThreadId, routine: usize, argument: usize, stack_size: usize) -> bool {
    let fiber = of(thread);
    // The mask is inherited from the thread that creates this one.
    let mask = of(schedule::current()).signal_mask.get();
    let name = of(ThreadId::MAIN).name.get();
    fiber.reset(fiber.birth.borrow().context, Start { routine, argument }, mask, name);
    fiber.wanted_stack.set(stack_size.next_multiple_of(PAGE).min(STACK_STRIDE - 2 * PAGE));
    if fiber.wanted_stack != fiber.stack_size && !start::restarts_by_snapshot() {
        resize_stack(thread.index());
    }
    fiber.wanted_stack == fiber.stack_size
}

/// Gives each thread the stack size that the program has asked for. Nothing is ever mapped below a stack, so that
/// an overflow is noticed.
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

/// Where the stack of `thread` begins and how large it is.
pub fn stack_of(thread: ThreadId) -> (usize, usize) {
    let size = of(thread).wanted_stack.get();
    (stack_top(thread.index()) - size, size)
}

/// Whether `address` is on the stack of the running thread.
#[inline]
pub fn is_on_own_stack(address: usize) -> bool {
    let me = schedule::current();
    let (low, high) = if me == ThreadId::MAIN {
        start::main_stack()
    } else {
        let (low, size) = stack_of(me);
        (low, low + size)
    };
    (low..high).contains(&address)
}

/// Asks glibc to call [`end_of_thread`] at the end of the thread. On the donor, or on the main thread.
pub extern "C" fn arm() {
    set_round(1);
}

/// Sets the value of the key: the number of the round in which glibc will call the destructor.
fn set_round(round: usize) {
    // SAFETY: the key exists.
    unsafe { pthread_setspecific(fibers().end_key.get(), round as *const c_void) };
}

/// A start routine of the program's and its argument: what `begin` tells the assembly to call.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Start {
    routine: usize,
    argument: usize,
}

/// Called by the assembly on a fiber that runs for the first time. Returns what to call.
pub extern "C" fn begin() -> Start {
    schedule::started();
    of(schedule::current()).start.get()
}

/// Called by the assembly on the fiber when the start routine has returned `value`, which glibc gets too.
pub extern "C" fn returned(value: usize) -> usize {
    let fiber = of(schedule::current());
    fiber.value.set(value);
    fiber.is_exiting();
    value
}

/// The destructor that glibc calls at the end of a thread, once in each round, on the fiber.
unsafe extern "C" fn end_of_thread(round: *mut c_void) {
    let round = round as usize;
    // Where nobody has a destructor, nothing comes after the first round, and the others need not be waited for.
    if round < ROUNDS && keys::have_destructors() || !schedule::active() {
        set_round(round + 1);
        return;
    }
    schedule::ended()
}
