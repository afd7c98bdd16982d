//! Actions of signals that the program sets, and the kernel is never told: those of crashes, which the runtime handles itself, and those
//! that usually end a program. Test frameworks set them all, to report a crash before the process ends.
//!
//! A crash is reported where it happens, before any handler would run: what a handler does after it is not explored. A program that asks
//! for the action gets the one that it has set. SIGTERM and SIGINT reach the program only by its own calls, which look here, so their
//! handlers run as others do.

use core::cell::Cell;

use super::handlers::Action;
use crate::lifetime;
use crate::sys;

/// The signals whose actions are remembered: SIGINT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM.
const SIGNALS: [usize; 8] = [2, 4, 5, 6, 7, 8, 11, 15];

/// The actions that were set before `main`.
pub struct Before([Cell<Action>; SIGNALS.len()]);

/// The actions that were set in this execution.
pub struct Remembered([Cell<Option<Action>>; SIGNALS.len()]);

impl Before {
    /// The state at the start of the process.
    pub const fn new() -> Before {
        Before([const { Cell::new(Action::DEFAULT) }; SIGNALS.len()])
    }
}

impl Remembered {
    /// The state at the start of the process.
    pub const fn new() -> Remembered {
        Remembered([const { Cell::new(None) }; SIGNALS.len()])
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Remembered(set) = self;
        set.iter().for_each(|action| action.set(None));
    }
}

fn place(signal: usize) -> Option<usize> {
    SIGNALS.iter().position(|&known| known == signal)
}

/// Takes over the actions that were set so far. Call this once, before the runtime sets its own handlers.
pub fn set_up() {
    let Before(before) = &lifetime::process().before;
    for (signal, action) in SIGNALS.into_iter().zip(before) {
        action.set(Action::of_kernel(signal));
    }
}

/// The action of `signal`, if it is one of those that are remembered.
pub fn action(signal: usize) -> Option<Action> {
    let place = place(signal)?;
    let Remembered(set) = &lifetime::execution().actions;
    Some(set[place].get().unwrap_or_else(|| lifetime::process().before.0[place].get()))
}

/// Sets the action of `signal`. Returns whether it is one of those that are remembered.
pub fn set(signal: usize, action: Action) -> bool {
    let Some(place) = place(signal) else { return false };
    lifetime::execution().actions.0[place].set(Some(action));
    true
}

/// Whether the action of `signal` is remembered here.
pub fn keeps(signal: usize) -> bool {
    place(signal).is_some()
}

/// The system call `rt_sigaction` for a signal whose action is kept here.
///
/// # Safety
/// The program's own arguments.
pub unsafe fn sigaction(arguments: &[usize; 6]) -> isize {
    const EINVAL: isize = 22;
    let [signal, new, old, size, ..] = *arguments;
    let Some(before) = action(signal).filter(|_| size == 8) else { return -EINVAL };
    // SAFETY: the caller's: the kernel's structure. The two may be the same.
    unsafe {
        if new != 0 {
            set(signal, (new as *const Action).read_unaligned());
        }
        if old != 0 {
            (old as *mut Action).write_unaligned(before);
        }
    }
    0
}

/// Tells the kernel, in a process that goes on without control.
pub fn release() {
    for signal in SIGNALS {
        if let Some(action) = action(signal) {
            // SAFETY: the kernel's structure, as the program has set it.
            unsafe { sys::syscall6(sys::RT_SIGACTION, signal, &raw const action as usize, 0, 8, 0, 0) };
        }
    }
}
