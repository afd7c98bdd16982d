//! Signals that threads send and wait for. A signal that is sent while it is blocked stays pending, for the thread or
//! for the process, until a thread waits for it (`sigwait`) or unblocks it.
//!
//! All signals together are one [resource](crate::outside::resource) that threads use one after the other. A signal to
//! a thread that does not block it takes effect at once: it is ignored, or it ends the process, or, if the sender sends
//! it to itself, the sender runs the handler. A handler that would have to interrupt another thread is *unsupported*,
//! because it could run at any instruction. A thread that waits for a handler (`sigsuspend`, `pause`) is different: the
//! handler runs there.
//!
//! Whether a thread still runs when a signal is sent to it matters as well. A separate operation ([`LOOK`]) decides
//! that. The use of the resource then only reads which signals threads block.

use core::cell::Cell;
use core::ffi::c_int;

use heddle_model::primitive::process;
use heddle_model::primitive::process_state::How;
use heddle_model::primitive::thread::{COUNTED, LOOK};
use heddle_model::{Ending, ObjectId, Operation, Phase, ThreadId};

use super::mask::{self, LAST};
use crate::calls::process_state::touches_signal;
use crate::entry::imports;
use crate::lifetime;
use crate::outside::clock::Timespec;
use crate::outside::ids;
use crate::outside::resource::{Resource, Word};
use crate::outside::signals::handlers::{self, Disposition, SA_NODEFER, SA_RESETHAND, SA_SIGINFO, disposition};
use crate::schedule::{self, active, caller, current, fiber, visible};

originals! {
    fn pthread_kill(thread: usize, signal: c_int) -> c_int;
    fn kill(process: c_int, signal: c_int) -> c_int;
    fn raise(signal: c_int) -> c_int;
    fn gsignal(signal: c_int) -> c_int;
    fn sigwait(set: *const u64, signal: *mut c_int) -> c_int;
    fn sigwaitinfo(set: *const u64, info: *mut i32) -> c_int;
    fn sigtimedwait(set: *const u64, info: *mut i32, timeout: *const Timespec) -> c_int;
    fn sigpending(set: *mut u64) -> c_int;
    fn sigsuspend(mask: *const u64) -> c_int;
    fn pause() -> c_int;
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
    #[link_name = "signal"]
    fn libc_signal(signal: c_int, handler: usize) -> usize;
}

const ESRCH: c_int = 3;
const EAGAIN: c_int = 11;
const EINVAL: c_int = 22;

#[unsafe(no_mangle)]
static signals_between_threads: Word = Word::new(Cell::new(0));

/// Signals that were sent in this execution and not delivered. Those sent to a thread are in its [`fiber`].
pub struct Sent {
    /// The order in which threads send, block and wait for signals.
    resource: Resource,
    /// The signals that were sent to the process: a bit for each.
    pending: Cell<u64>,
}

/// What the program can do with signals at all.
pub struct Sending {
    /// The program may send signals to the process.
    to_process: Cell<bool>,
}

impl Sending {
    /// The state at the start of the process.
    pub const fn new() -> Sending {
        Sending { to_process: Cell::new(false) }
    }
}

impl Sent {
    /// The state at the start of the process.
    pub const fn new() -> Sent {
        Sent { resource: Resource::new(&signals_between_threads), pending: Cell::new(0) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Sent { resource, pending } = self;
        resource.reset();
        pending.set(0);
    }
}

fn sent() -> &'static Sent {
    &lifetime::execution().signals
}

/// The detail of a thread's end: whether it makes a difference to a thread that sends a signal to the process.
pub fn detail_of_exit() -> u32 {
    if lifetime::process().sending.to_process.get() { COUNTED } else { 0 }
}

/// Determines whether the program can send signals to its process. Call this once.
pub fn set_up() {
    sent().resource.set_up(&[b"sigwait", b"sigwaitinfo", b"sigtimedwait", b"sigsuspend", b"pause"]);
    lifetime::process().sending.to_process.set(imports::anybody_wants(b"kill"));
}

/// Whether one of `signals` is pending with the current thread or the process.
pub fn is_pending(signals: u64) -> bool {
    (fiber::of(current()).pending_signals.get() | sent().pending.get()) & signals != 0
}

/// Whether a thread waits for a signal that may come from a process that the program has made.
pub fn waits_outside() -> bool {
    sent().resource.is_awaited() && crate::outside::children::has_ever_made_any()
}

/// Wakes the threads that wait for a signal, because one of them may have been cancelled.
pub fn stir(pc: u64) {
    sent().resource.stir(pc);
}

interpose! {
    fn pthread_kill(thread: usize, signal: c_int) -> c_int {
        if !active() {
            return real::pthread_kill(thread, signal);
        }
        let pc = caller();
        let Some(target) = fiber::thread_at(thread) else { return ESRCH };
        if !(0..=LAST).contains(&signal) {
            return EINVAL;
        }
        if signal == 0 {
            return 0;
        }
        if target == current() {
            send_to_self(signal, pc);
        } else if visible(Operation::new(LOOK, ObjectId::thread(target)), pc, |_| {}).result != 0 {
            send_to_other(target, signal, pc);
        }
        0
    }
    fn kill(process: c_int, signal: c_int) -> c_int {
        if !active() || process != ids::PID || signal == 0 {
            // Others: the trap of system calls knows what that comes to.
            return real::kill(process, signal);
        }
        if !(0..=LAST).contains(&signal) {
            *__errno_location() = EINVAL;
            return -1;
        }
        send_to_process(signal, caller());
        0
    }
    fn raise(signal: c_int) -> c_int {
        if !active() {
            return real::raise(signal);
        }
        send_to_self(signal, caller())
    }
    fn gsignal(signal: c_int) -> c_int {
        if !active() {
            return real::gsignal(signal);
        }
        send_to_self(signal, caller())
    }
    fn sigwait(set: *const u64, signal: *mut c_int) -> c_int {
        if !active() {
            return real::sigwait(set, signal);
        }
        *signal = wait(*set, None, false, caller()).map_or(0, |taken| taken.signal);
        0
    }
    fn sigwaitinfo(set: *const u64, info: *mut i32) -> c_int {
        if !active() {
            return real::sigwaitinfo(set, info);
        }
        describe(wait(*set, None, false, caller()), info)
    }
    fn sigtimedwait(set: *const u64, info: *mut i32, timeout: *const Timespec) -> c_int {
        if !active() {
            return real::sigtimedwait(set, info, timeout);
        }
        let timeout = if timeout.is_null() { None } else { Some(*timeout) };
        let at_once = timeout.is_some_and(|time| time.is_zero());
        describe(wait(*set, timeout.filter(|_| !at_once), at_once, caller()), info)
    }
    fn sigsuspend(mask: *const u64) -> c_int {
        if !active() {
            return real::sigsuspend(mask);
        }
        suspend(*mask, caller())
    }
    fn pause() -> c_int {
        if !active() {
            return real::pause();
        }
        suspend(fiber::of(current()).signal_mask.get(), caller())
    }
    fn sigpending(set: *mut u64) -> c_int {
        if !active() {
            return real::sigpending(set);
        }
        let mut pending = 0;
        sent().resource.beside(caller(), || {
            let mine = fiber::of(current());
            pending = (mine.pending_signals.get() | sent().pending.get()) & mine.signal_mask.get();
        });
        mask::write(set, pending);
        0
    }
}

/// A call that waits for a signal, which the program makes by its number. Returns `None` if it is another call.
///
/// # Safety
/// The program's own arguments.
pub unsafe fn by_number(number: i64, arguments: &[usize; 6]) -> Option<isize> {
    let [a, b, c, ..] = *arguments;
    // SAFETY: the caller's. These functions are not entered from the program, so the place is that of the call by number.
    let result = unsafe {
        match number {
            34 => pause::body(),
            128 => sigtimedwait::body(a as *const u64, b as *mut i32, c as *const Timespec),
            130 => sigsuspend::body(a as *const u64),
            _ => return None,
        }
    };
    Some(result as isize)
}

const fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// The current thread sends itself a signal.
pub fn send_to_self(signal: c_int, pc: u64) -> c_int {
    if !(1..=LAST).contains(&signal) {
        // SAFETY: the program's own call, which fails.
        return unsafe { real::raise(signal) };
    }
    if !mask::is_blocked(signal as usize) {
        deliver(signal, pc);
        return 0;
    }
    sent().resource.take(pc, || set_pending(&fiber::of(current()).pending_signals, signal, pc));
    0
}

/// Delivers a signal to the current thread. A handler is called like any function: run by the kernel, it would be
/// on a stack that threads share, and another thread could not be interrupted by the same signal meanwhile.
fn deliver(signal: c_int, pc: u64) {
    touches_signal(signal, How::Read, pc);
    match disposition(signal as usize) {
        Disposition::Ignored => {}
        Disposition::Kills => end_by(signal, pc),
        Disposition::Handled => handle(signal, pc),
    }
}

fn end_by(signal: c_int, pc: u64) -> ! {
    /// SIGSTOP, SIGTSTP, SIGTTIN and SIGTTOU stop the process until another process resumes it.
    const STOPS: core::ops::RangeInclusive<c_int> = 19..=22;
    if STOPS.contains(&signal) {
        schedule::unsupported("a signal that stops the process", pc);
    }
    schedule::end_process(process::end(Ending::Crash { signal: signal as u8, overflow: false }), pc)
}

fn handle(signal: c_int, pc: u64) {
    /// The size of `ucontext_t` in words. It is empty, since nothing was interrupted.
    const CONTEXT: usize = 128;
    let action = handlers::action(signal as usize);
    let own = if action.flags & SA_NODEFER == 0 { bit(signal) } else { 0 };
    let me = fiber::of(current());
    let before = me.signal_mask.get();
    me.signal_mask.set(before | (action.mask | own) & !mask::NEVER_BLOCKED);
    // SAFETY: the program's handler, with what it asked for.
    unsafe {
        if action.flags & SA_RESETHAND != 0 {
            touches_signal(signal, How::Change, pc);
            libc_signal(signal, 0);
        }
        if action.flags & SA_SIGINFO != 0 {
            let (mut info, mut context) = ([0i32; INFO], [0u64; CONTEXT]);
            write_info(info.as_mut_ptr(), &Taken { signal, shared: false });
            let handler: unsafe extern "C" fn(c_int, *mut i32, *mut u64) = core::mem::transmute(action.handler);
            handler(signal, info.as_mut_ptr(), context.as_mut_ptr());
        } else {
            let handler: unsafe extern "C" fn(c_int) = core::mem::transmute(action.handler);
            handler(signal);
        }
        // What came meanwhile and was blocked by that comes now.
        if is_pending(me.signal_mask.get() & !before) {
            change_mask(before, pc);
        }
    }
    me.signal_mask.set(before);
}

/// The current thread sends a signal to another, which is running.
fn send_to_other(target: ThreadId, signal: c_int, pc: u64) {
    let mut blocked = false;
    sent().resource.take(pc, || {
        let target = fiber::of(target);
        blocked = (target.signal_mask.get() | target.awaited_signals.get()) & bit(signal) != 0;
        if blocked {
            set_pending(&target.pending_signals, signal, pc);
        }
    });
    if !blocked {
        act_on_another(signal, pc);
    }
}

/// How many threads are remembered to have ended. Others are assumed to run.
const SURVEYED: usize = 1024;

/// The current thread sends a signal to the process: to any thread that waits for it or does not block it. A thread
/// that is created between the look and the use of the resource blocks what its creator did, or has changed that by
/// a use of its own, so which of those threads exist makes no difference.
fn send_to_process(signal: c_int, pc: u64) {
    let me = current();
    let mut ended = [0u64; SURVEYED / 64];
    visible(Operation::new(LOOK, ObjectId::POPULATION), pc, |_| {
        for thread in schedule::threads().map(ThreadId::index).filter(|&index| index < SURVEYED) {
            let runs = schedule::phase(ThreadId(thread as u16)) == Phase::Alive;
            ended[thread / 64] |= u64::from(!runs) << (thread % 64);
        }
    });
    let runs = |thread: ThreadId| ended.get(thread.index() / 64).is_none_or(|e| e >> (thread.index() % 64) & 1 == 0);
    let mut to = None;
    sent().resource.take(pc, || {
        let gets = |thread: ThreadId| runs(thread) && fiber::of(thread).signal_mask.get() & bit(signal) == 0;
        let is_awaited = schedule::threads().any(|t| runs(t) && fiber::of(t).awaited_signals.get() & bit(signal) != 0);
        to = if is_awaited {
            None
        } else {
            Some(me).filter(|&me| gets(me)).or_else(|| schedule::threads().find(|&t| gets(t)))
        };
        if to.is_none() {
            set_pending(&sent().pending, signal, pc);
        }
    });
    match to {
        Some(thread) if thread == me => deliver(signal, pc),
        Some(_) => act_on_another(signal, pc),
        None => {}
    }
}

/// A signal takes effect in another thread.
fn act_on_another(signal: c_int, pc: u64) {
    touches_signal(signal, How::Read, pc);
    match disposition(signal as usize) {
        Disposition::Ignored => {}
        Disposition::Kills => end_by(signal, pc),
        Disposition::Handled => schedule::unsupported("a signal handler that interrupts another thread", pc),
    }
}

fn set_pending(pending: &Cell<u64>, signal: c_int, pc: u64) {
    const FIRST_QUEUED: c_int = 32;
    if signal >= FIRST_QUEUED && pending.get() & bit(signal) != 0 {
        schedule::unsupported("a real-time signal that is sent again before it is delivered", pc);
    }
    pending.set(pending.get() | bit(signal));
}

/// A signal that a thread waited for and got.
struct Taken {
    signal: c_int,
    /// The signal was sent to the process, not to the thread.
    shared: bool,
}

/// Waits for one of the signals in `set` and takes it. None when the time is over, or if none is pending and the
/// wait is `at_once`.
fn wait(set: u64, timeout: Option<Timespec>, at_once: bool, pc: u64) -> Option<Taken> {
    let me = current();
    let mut taken = None;
    sent().resource.until(pc, &|| (timeout, false), &mut || {
        let mine = fiber::of(me);
        // The thread's own first, and the lowest first: as the kernel does.
        let shared = mine.pending_signals.get() & set == 0;
        let from = if shared { &sent().pending } else { &mine.pending_signals };
        let signal = (from.get() & set).trailing_zeros() as c_int + 1;
        if signal <= LAST {
            from.set(from.get() & !bit(signal));
            taken = Some(Taken { signal, shared });
        }
        mine.awaited_signals.set(if taken.is_some() || at_once { 0 } else { set });
        (taken.is_some() || at_once).then_some(0)
    });
    fiber::of(me).awaited_signals.set(0);
    taken
}

/// Waits, with the signal mask `mask`, for a signal that is not ignored, and delivers it. This is the only place
/// where a handler can run in a thread that others send the signal to: it interrupts nothing else.
fn suspend(mask: u64, pc: u64) -> c_int {
    const EINTR: c_int = 4;
    let acts = |signal: c_int| {
        touches_signal(signal, How::Read, pc);
        disposition(signal as usize) != Disposition::Ignored
    };
    let me = fiber::of(current());
    let before = me.signal_mask.get();
    while let Some(taken) = wait(!mask, None, false, pc) {
        if acts(taken.signal) {
            me.signal_mask.set(mask);
            deliver(taken.signal, pc);
            me.signal_mask.set(before);
            break;
        }
    }
    // SAFETY: libc's address of the calling thread's own variable.
    unsafe { *__errno_location() = EINTR };
    -1
}

/// The return value of `sigwaitinfo` and its relatives. Fills in `info`.
unsafe fn describe(taken: Option<Taken>, info: *mut i32) -> c_int {
    // SAFETY: the program's room for it, and libc's address of the thread's own variable.
    unsafe {
        let Some(taken) = taken else {
            *__errno_location() = EAGAIN;
            return -1;
        };
        if !info.is_null() {
            write_info(info, &taken);
        }
        taken.signal
    }
}

/// The size of `siginfo_t` in words.
const INFO: usize = 32;

/// Fills in `siginfo_t` for a signal.
///
/// # Safety
/// There is room for [`INFO`] words.
unsafe fn write_info(info: *mut i32, taken: &Taken) {
    const BY_THREAD: i32 = -6;
    const BY_USER: i32 = 0;
    // SAFETY: the caller's.
    unsafe {
        core::ptr::write_bytes(info, 0, INFO);
        info.write(taken.signal);
        info.add(2).write(if taken.shared { BY_USER } else { BY_THREAD });
        info.add(4).write(ids::PID);
    }
}

/// Changes the signal mask of the current thread to `mask`. Pending signals that are no longer blocked take effect.
pub fn change_mask(mask: u64, pc: u64) {
    let me = current();
    let (mut own, mut shared) = (0, 0);
    sent().resource.beside(pc, || {
        let fiber = fiber::of(me);
        fiber.signal_mask.set(mask);
        let leave = |pending: &Cell<u64>| pending.replace(pending.get() & mask) & !mask;
        own = leave(&fiber.pending_signals);
        shared = leave(&sent().pending);
    });
    for signal in (1..=LAST).filter(|&signal| (own | shared) & bit(signal) != 0) {
        if own & bit(signal) == 0 && disposition(signal as usize) == Disposition::Handled {
            // Two threads that unblock it at the same time would not commute.
            schedule::unsupported("a handler of a signal to the process that was pending", pc);
        }
        deliver(signal, pc);
    }
}
