//! Exit handlers that threads register in an execution: `atexit`, destructors of static objects (`__cxa_atexit`), `on_exit`,
//! `at_quick_exit`.
//!
//! Threads can tell in which order handlers are registered and whether the process exits before one is, so
//! registering is an operation, and so is taking the next handler from the list while the process exits. libc would take them
//! from its own list without anybody noticing. Handlers that were registered before `main` stay in libc's list: it runs them
//! after these, as the last registered runs first.

use core::cell::Cell;
use core::ffi::c_int;

use heddle_model::primitive::process_state::{How, State};

use crate::addresses::Reserve;
use crate::calls::process_state::{can_change, touches};
use crate::lifetime::{self, Exclusive};
use crate::schedule::{self, active, caller};

/// How many handlers can be registered in one execution.
const MOST: usize = 1 << 16;

/// The functions that register handlers.
pub const REGISTER: [&[u8]; 3] = [b"__cxa_atexit", b"on_exit", b"__cxa_at_quick_exit"];

/// When a handler runs and what it is given.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    /// The handler has run.
    #[default]
    Gone,
    /// At the exit, with its argument.
    AtExit,
    /// At the exit, with the exit status and its argument.
    OnExit,
    /// At `quick_exit`, with its argument.
    QuickExit,
}

/// A handler that was registered.
#[derive(Clone, Copy, Default)]
pub struct Handler {
    kind: Kind,
    function: usize,
    argument: usize,
    /// The handle of the library that registered it. Its handlers run when it is unloaded.
    library: usize,
}

// SAFETY: zeroes are a handler that has run.
unsafe impl heddle_detect::Zero for Handler {}

/// The handlers of this execution.
pub struct Handlers {
    /// In the order of their registration.
    list: Exclusive<&'static mut [Handler]>,
    /// How many there are.
    count: Cell<usize>,
}

impl Handlers {
    /// The state at the start of the process.
    pub const fn new() -> Handlers {
        Handlers { list: Exclusive::new(&mut []), count: Cell::new(0) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Handlers { list: _, count } = self;
        count.set(0);
    }
}

fn handlers() -> &'static Handlers {
    &lifetime::execution().exit_handlers
}

/// Reserves memory. Call this once.
pub fn set_up(reserve: &mut Reserve) {
    *handlers().list.borrow() = reserve.take(MOST);
}

/// The arguments of the handlers that have not run, which may be the only pointers to blocks.
pub fn arguments() -> impl Iterator<Item = usize> {
    let list = &handlers().list.borrow()[..handlers().count.get()];
    list.iter().filter(|handler| handler.kind != Kind::Gone).map(|handler| handler.argument)
}

/// The handlers that there are, in their order, to be compared: kind, function, argument and library of each.
pub fn words() -> impl Iterator<Item = [u64; 4]> {
    let list = &handlers().list.borrow()[..handlers().count.get()];
    let words = |handler: &Handler| {
        [handler.kind as u64, handler.function as u64, handler.argument as u64, handler.library as u64]
    };
    list.iter().map(words)
}

fn state_of(kind: Kind) -> State {
    if kind == Kind::QuickExit { State::QuickExitHandlers } else { State::ExitHandlers }
}

fn register(handler: Handler, pc: u64) -> c_int {
    touches(state_of(handler.kind), How::Change, pc);
    let count = handlers().count.get();
    if count == MOST {
        schedule::unsupported("more than 65,536 exit handlers", pc);
    }
    handlers().list.borrow()[count] = handler;
    handlers().count.set(count + 1);
    0
}

/// Takes the last handler that `wanted` accepts from the list.
fn take(wanted: impl Fn(&Handler) -> bool) -> Option<Handler> {
    let count = handlers().count.get();
    let list = &mut handlers().list.borrow()[..count];
    let handler = list.iter_mut().rev().find(|handler| handler.kind != Kind::Gone && wanted(handler))?;
    let taken = core::mem::take(handler);
    // So that many that come and go need no more room than those that stay.
    let last = list.iter().rposition(|handler| handler.kind != Kind::Gone).map_or(0, |last| last + 1);
    handlers().count.set(last);
    Some(taken)
}

/// Runs the handlers for the exit with this status, the last registered first. Other threads may register more meanwhile.
/// Taking one, or finding none, is an operation.
pub fn run_for_exit(status: i32, pc: u64) {
    run(State::ExitHandlers, status, pc, |handler| handler.kind != Kind::QuickExit);
}

fn run(state: State, status: i32, pc: u64, wanted: impl Fn(&Handler) -> bool) {
    loop {
        // Where nothing registers handlers, there is nothing that others could tell.
        if can_change(state) {
            touches(state, How::Change, pc);
        }
        let Some(handler) = take(&wanted) else { return };
        // SAFETY: a function that the program has registered.
        unsafe {
            if handler.kind == Kind::OnExit {
                let function: unsafe extern "C" fn(c_int, usize) = core::mem::transmute(handler.function);
                function(status, handler.argument);
            } else {
                let function: unsafe extern "C" fn(usize) = core::mem::transmute(handler.function);
                function(handler.argument);
            }
        }
    }
}

originals! {
    fn __cxa_atexit(function: usize, argument: usize, library: usize) -> c_int;
    fn __cxa_at_quick_exit(function: usize, library: usize) -> c_int;
    fn on_exit(function: usize, argument: usize) -> c_int;
    fn __cxa_finalize(library: usize);
    fn quick_exit(status: c_int) -> !;
    fn __call_tls_dtors();
}

/// Runs the destructors of the current thread's `thread_local` objects, which come before all handlers.
pub fn run_for_thread() {
    if real::symbols::__call_tls_dtors.found() != 0 {
        // SAFETY: as libc's `exit` does; what has run is no longer in its list.
        unsafe { real::__call_tls_dtors() };
    }
}

/// Whether a handler is kept here: in executions, and in processes that the program has made if they inherit some, so that
/// the last registered runs first there, too. Before `main` libc keeps them.
fn is_ours() -> bool {
    active() || handlers().count.get() > 0
}

interpose! {
    fn __cxa_atexit(function: usize, argument: usize, library: usize) -> c_int {
        if !is_ours() {
            return real::__cxa_atexit(function, argument, library);
        }
        register(Handler { kind: Kind::AtExit, function, argument, library }, caller())
    }
    fn on_exit(function: usize, argument: usize) -> c_int {
        if !is_ours() {
            return real::on_exit(function, argument);
        }
        register(Handler { kind: Kind::OnExit, function, argument, library: 0 }, caller())
    }
    fn __cxa_at_quick_exit(function: usize, library: usize) -> c_int {
        if !is_ours() {
            return real::__cxa_at_quick_exit(function, library);
        }
        register(Handler { kind: Kind::QuickExit, function, argument: 0, library }, caller())
    }
    // A library is unloaded, or everything ends.
    fn __cxa_finalize(library: usize) {
        let pc = caller();
        let wanted = |handler: &Handler| handler.kind == Kind::AtExit && (library == 0 || handler.library == library);
        // Every library calls this at the exit, when its handlers have run.
        if handlers().list.borrow()[..handlers().count.get()].iter().any(wanted) {
            run(State::ExitHandlers, 0, pc, wanted);
        }
        real::__cxa_finalize(library)
    }
    fn quick_exit(status: c_int) -> ! {
        let pc = caller();
        if !is_ours() {
            real::quick_exit(status)
        }
        run(State::QuickExitHandlers, status, pc, |handler| handler.kind == Kind::QuickExit);
        crate::outside::exit::end_at_once(status, pc)
    }
}
