//! The signals that the runtime handles itself: crashes of the program, the driver's request to report a hang, trapped
//! system calls, and first writes to pages of a snapshot.
//!
//! All handlers run on a stack of the runtime, because the program's stack may be exhausted or not writable.

use heddle_model::fault::Doing;
use heddle_model::primitive::process;
use heddle_model::{Ending, ObjectId, Operation, Outcome};

use super::remembered;
use crate::addresses::Reserve;
use crate::calls::tsan;
use crate::detect::{memcheck, race};
use crate::entry::start;
use crate::outside::{children, trap};
use crate::schedule::{self, active, forever};
use crate::state::snapshot;
use crate::{arch, sys};

const SIGILL: usize = 4;
const SIGTRAP: usize = 5;
const SIGABRT: usize = 6;
const SIGBUS: usize = 7;
const SIGFPE: usize = 8;
const SIGSEGV: usize = 11;
const SIGPROF: usize = 27;
const SIGSYS: usize = 31;

/// The flag for a handler with three arguments.
pub const SA_SIGINFO: usize = 4;
const SA_RESTORER: usize = 0x0400_0000;
const SA_ONSTACK: usize = 0x0800_0000;
/// The flag for a signal that is not blocked while its handler runs.
pub const SA_NODEFER: usize = 0x4000_0000;
/// The flag for a handler that is removed when it is called.
pub const SA_RESETHAND: usize = 0x8000_0000;

/// The signals that the runtime handles itself. A program that handles SIGPROF or SIGSYS is not supported; the actions of the others are
/// [remembered].
pub const OURS: [usize; 8] = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPROF, SIGSYS];

const STACK: usize = 256 << 10;

/// What a signal does to the thread that gets it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// The signal has no effect.
    Ignored,
    /// The signal ends the process.
    Kills,
    /// The program has a handler for it.
    Handled,
}

/// The kernel's `struct sigaction`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Action {
    /// The handler, or 0 for the default, or 1 to ignore the signal.
    pub handler: usize,
    /// The flags of the handler.
    pub flags: usize,
    restorer: usize,
    /// The signals that are blocked while the handler runs.
    pub mask: u64,
}

impl Action {
    /// What a signal does by default.
    pub const DEFAULT: Action = Action { handler: 0, flags: 0, restorer: 0, mask: 0 };

    /// The action that the kernel has for `signal`.
    pub fn of_kernel(signal: usize) -> Action {
        let mut action = Action::DEFAULT;
        // SAFETY: only asks.
        unsafe { sys::syscall6(sys::RT_SIGACTION, signal, 0, &raw mut action as usize, 8, 0, 0) };
        action
    }
}

/// The action that the program has set for `signal`.
pub fn action(signal: usize) -> Action {
    remembered::action(signal).unwrap_or_else(|| Action::of_kernel(signal))
}

/// Lets `signal` do what it does by default.
pub fn set_default(signal: usize) {
    let action = Action::DEFAULT;
    if remembered::set(signal, action) {
        return;
    }
    // SAFETY: the kernel's struct sigaction, without a handler.
    unsafe { sys::syscall6(sys::RT_SIGACTION, signal, &raw const action as usize, 0, 8, 0, 0) };
}

/// The effect of `signal` on the program.
pub fn disposition(signal: usize) -> Disposition {
    /// SIGCHLD, SIGCONT, SIGURG and SIGWINCH are ignored unless there is a handler.
    const HARMLESS: [usize; 4] = [17, 18, 23, 28];
    const DEFAULT: usize = 0;
    const IGNORE: usize = 1;
    match action(signal).handler {
        IGNORE => Disposition::Ignored,
        DEFAULT if HARMLESS.contains(&signal) => Disposition::Ignored,
        DEFAULT => Disposition::Kills,
        // A crash is told, whatever a handler would do after it.
        _ if OURS.contains(&signal) => Disposition::Kills,
        _ => Disposition::Handled,
    }
}

type Handler = unsafe extern "C" fn(signal: i32, info: *const u64, context: *mut u64);

/// Installs the handlers. Once in each process that runs executions; a forked child inherits them.
pub fn set_up(reserve: &mut Reserve) {
    remembered::set_up();
    let stack: &mut [u8] = reserve.take(STACK);
    let alternate = [stack.as_mut_ptr() as usize, 0, STACK];
    // SAFETY: the stack lives for ever.
    unsafe { sys::syscall3(sys::SIGALTSTACK, alternate.as_ptr() as usize, 0, 0) };
    for signal in OURS {
        let handler: Handler = match signal {
            SIGPROF => on_hang,
            SIGSYS => trap::on_system_call,
            _ => on_crash,
        };
        let action = [
            handler as usize,
            SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_NODEFER,
            arch::heddle_sigreturn as *const () as usize,
            0,
        ];
        // SAFETY: the kernel's struct sigaction; handlers are ours.
        unsafe { sys::syscall6(sys::RT_SIGACTION, signal, action.as_ptr() as usize, 0, 8, 0, 0) };
    }
}

/// The handler for SIGPROF, which the driver sends when it has waited for too long: stops the running thread for ever at the
/// place where it is ([`forever`]).
unsafe extern "C" fn on_hang(_: i32, _: *const u64, context: *mut u64) {
    if children::waits_outside() {
        schedule::unsupported("waiting for a process for longer than --hang-timeout", schedule::caller());
    }
    if active()
        && let Some(number) = trap::in_kernel()
    {
        trap::unknown_wait(number);
    }
    if active() {
        // SAFETY: the third argument of a handler.
        let (pc, stack) = unsafe { (arch::interrupted_pc(context), arch::interrupted_stack(context)) };
        // A loop over plain memory spends half its time in our functions; what is asked for is who called them.
        let (low, high) = start::program_text();
        let outside = (pc as usize) < low || pc as usize >= high;
        // On the way there, too: the stubs for calls into libraries have no lines.
        // SAFETY: what the program was just running.
        let own = outside || unsafe { arch::is_library_stub(pc) };
        let place = if own { trap::nearest_program_pc(stack, pc) } else { pc + 1 };
        if !tsan::sees_memory() {
            // It may well wait for an atomic that another thread would write.
            schedule::unsupported(
                "a loop that makes no call, in a program that was not built by heddle (see `heddle cc`)",
                place,
            );
        }
        if !race::on() {
            // It may well wait for plain memory that another thread would write.
            schedule::unsupported("a thread that makes no call for long, where data races are not looked for", place);
        }
        let (text, length) = start::own_text();
        let ours = (text..text + length).contains(&(pc as usize));
        if ours && forever::stop_at_access() {
            return;
        }
        if ours || schedule::in_section() {
            schedule::stop(Outcome::Hang, place, b"");
        }
        // SAFETY: as above, outside this library.
        unsafe { forever::stop_here(context, place) };
    }
}

unsafe extern "C" fn on_crash(signal: i32, info: *const u64, context: *mut u64) {
    // SAFETY: si_addr is 16 bytes into siginfo_t.
    let address = unsafe { *info.add(2) } as usize;
    if signal as usize == SIGSEGV && snapshot::first_write(address) {
        return;
    }
    // SAFETY: the third argument of a handler.
    if unsafe { arch::gives_up_peek(context) } {
        return;
    }
    if !active() {
        // Before main, or in ourselves: die of it, as the program would have.
        let default = [0usize; 4];
        // SAFETY: the kernel's struct sigaction. Returning runs the instruction again.
        unsafe { sys::syscall6(sys::RT_SIGACTION, signal as usize, default.as_ptr() as usize, 0, 8, 0, 0) };
        return;
    }
    // SAFETY: the third argument of a handler.
    let (pc, stack) = unsafe { (arch::interrupted_pc(context), arch::interrupted_stack(context)) };
    if matches!(signal as usize, SIGSEGV | SIGBUS) {
        /// The `si_code` of an access that the mapping does not allow.
        const DENIED: i32 = 2;
        /// The `si_code` of an access for which the processor gave no address.
        const BY_KERNEL: i32 = 128;
        // SAFETY: si_code is eight bytes into siginfo_t; the third argument of a handler.
        let (code, (write, run)) = unsafe { (*info.cast::<i32>().add(2), arch::interrupted_access(context)) };
        let doing = match (write, run) {
            (_, true) => Doing::Running,
            (true, _) => Doing::Writing,
            _ => Doing::Reading,
        };
        memcheck::note(memcheck::crashed(address, doing, code == DENIED, code == BY_KERNEL));
    }
    schedule::note_interrupted();
    let (text, length) = start::own_text();
    if !(text..text + length).contains(&(pc as usize)) {
        // Frames that have ended before, which are below, stay dead. Functions of ours have noted where they were called.
        schedule::set_called_at(stack);
    }
    let overflow = signal as usize == SIGSEGV && address.abs_diff(stack) < STACK_REACH;
    // The interrupted instruction itself, where others give a return address: one more, since readers subtract one.
    let end = Operation {
        object: ObjectId(address as u64),
        ..process::end(Ending::Crash { signal: signal as u8, overflow })
    };
    schedule::end_process(end, pc + 1)
}

/// A fault this close to the stack pointer has run off the stack.
const STACK_REACH: usize = 64 << 10;
