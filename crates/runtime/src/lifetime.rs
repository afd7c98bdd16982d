//! The runtime's own state, by lifetime.
//!
//! [`PerProcess`] holds what is determined or mapped once. [`PerExecution`] holds what starts over with each execution,
//! and [`PerExecution::reset`] is the only place that resets it. Both consist of structs that the modules define. A
//! module accesses its own part through [`process`] or [`execution`].
//!
//! Large tables are not fields. They are memory lent for the life of the process
//! ([`Reserve`](crate::addresses::Reserve)), and a field refers to them.
//!
//! # Aliasing
//!
//! Modules get shared references, and what changes is in a [`Cell`]. Therefore two references to one part cannot
//! conflict, however calls nest. Two obligations remain, and both are met here:
//!
//! 1. **One kernel thread.** [`OneThread`] makes the state `Sync`. All threads of the program are fibers on one kernel
//!    thread. There are other kernel threads in two cases only. First, a donor (see [`fiber`]) exists for a moment,
//!    while the kernel thread that created it waits for its end. Second, before `main` or without the driver, the
//!    program has real threads. Then no execution is [active](schedule::active), and interposed functions read that
//!    flag and little else. Signal handlers run on the same kernel thread. They interrupt the program, or this library
//!    while it touches the program's memory. The handlers that return change only the state of the snapshot, the trap
//!    and the files, and this library does not use that state where it touches the program's memory.
//! 2. **Exclusive parts.** Some types have methods that need `&mut`, for instance the model's world. They are in an
//!    [`Exclusive`], which states the rule for borrowing them.

use core::cell::{Cell, UnsafeCell};

use heddle_model::vain::Vain;
use heddle_model::wire::NO_STATES;

use crate::calls::pthread::{cancel, keys, named, unwinder};
use crate::calls::tsan::{self, expected};
use crate::calls::{annotate, buffers, custom, libstdcxx, process_state};
use crate::detect::{memcheck, misuse, race, stacks, undefined};
use crate::entry::wire::{self, Wire};
use crate::entry::{imports, loaded, start};
use crate::heap;
use crate::outside::files::{descriptors, entries, ordered, streams};
use crate::outside::signals::{delivery, remembered};
use crate::outside::{channel, children, exit, exit_handlers, random, timers, trap, virtual_time};
use crate::record::{callstack, locals};
use crate::schedule::{self, fiber, forever, spin_loop, wakeup_policy};
use crate::state::{calls, cycle, dead, fingerprint, known, livelock, snapshot, touches, wiping};

/// State that only the one kernel thread touches: see [the module](self).
#[repr(transparent)]
pub struct OneThread<T>(T);

// SAFETY: the first obligation of the module: no second kernel thread runs while one of these is in use.
unsafe impl<T> Sync for OneThread<T> {}

impl<T> OneThread<T> {
    /// State with this value at start-up.
    pub const fn new(value: T) -> OneThread<T> {
        OneThread(value)
    }
}

impl<T> core::ops::Deref for OneThread<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A part that is changed through `&mut`.
///
/// The invariant is that no two borrows overlap. It holds by this rule: a borrow ends before a call that may borrow the
/// same part, before a switch to another fiber, and before a controlled call of a function of the program. A function
/// of the program that is called [uncontrolled](schedule::uncontrolled) finds no execution active, so it borrows
/// nothing. A call that never returns (the end of the execution) ends every borrow.
#[repr(transparent)]
pub struct Exclusive<T>(UnsafeCell<T>);

impl<T> Exclusive<T> {
    /// A part with this value at start-up.
    pub const fn new(value: T) -> Exclusive<T> {
        Exclusive(UnsafeCell::new(value))
    }

    /// The part, for as long as the rule above allows.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub fn borrow(&self) -> &mut T {
        // SAFETY: the rule above, and one kernel thread.
        unsafe { &mut *self.0.get() }
    }

    /// The address of the part, for code that accesses it without borrowing it.
    pub const fn as_ptr(&self) -> *mut T {
        self.0.get()
    }
}

/// A table lent for the life of the process. Empty until start-up has made it.
pub type Lent<T> = Cell<&'static [T]>;

/// State that is determined or mapped once.
pub struct PerProcess {
    /// What start-up found out.
    pub start: start::Start,
    /// The memory shared with the driver.
    pub mapped: wire::Mapped,
    /// The libraries of the program.
    pub loaded: loaded::Loaded,
    /// Libraries that create threads and are not instrumented.
    pub unseen_makers: imports::UnseenMakers,
    /// What is known of libstdc++.
    pub libstdcxx: libstdcxx::Library,
    /// The scheduler's counters.
    pub schedule: schedule::Totals,
    /// The program's threads.
    pub fibers: fiber::Fibers,
    /// Calls of the runtime that threads are in the middle of.
    pub calls: calls::Calls,
    /// Shadow call stacks.
    pub callstacks: callstack::Areas,
    /// The program's memory at `main`.
    pub snapshot: snapshot::Snapshot,
    /// The trap of system calls.
    pub trap: trap::Trap,
    /// Whether threads can be cancelled.
    pub cancelling: cancel::Cancelling,
    /// Keys of thread-specific data.
    pub keys: keys::Keys,
    /// The library that unwinds stacks.
    pub unwinder: unwinder::Unwinder,
    /// Names of semaphores.
    pub named_semaphores: named::Named,
    /// What the program can do with signals.
    pub sending: delivery::Sending,
    /// Actions of signals that were set before `main`.
    pub before: remembered::Before,
    /// Whether the program is instrumented.
    pub instrumented: tsan::Instrumented,
    /// What pending compare-exchanges expect.
    pub expected: expected::Expected,
    /// Whether accesses of libc's are told.
    pub telling: buffers::Telling,
    /// Functions that run as one step.
    pub atomic_functions: annotate::AtomicFunctions,
    /// Undefined behaviour that was seen.
    pub undefined: undefined::Undefined,
    /// Misuse of primitives.
    pub misuses: misuse::Misuses,
    /// Where executions keep their files.
    pub scratch: entries::Scratch,
    /// Files that were opened before `main`.
    pub early: descriptors::Early,
    /// State of the process that the program can change.
    pub changeable: process_state::Changeable,
}

/// State that starts over with each execution.
pub struct PerExecution {
    /// The scheduler.
    pub schedule: schedule::Schedule,
    /// Wakeup policies.
    pub policies: wakeup_policy::Policies,
    /// Whether the running thread was asked where it is.
    pub asked: forever::Asked,
    /// Loops that only wait.
    pub spin_loops: spin_loop::Running,
    /// The shadow call stack of the running thread.
    pub callstack: callstack::Running,
    /// Local variables that threads share.
    pub locals: locals::Locals,
    /// States of primitives that the program defines itself.
    pub custom: custom::Kept,
    /// How the process ends.
    pub exit: exit::Exit,
    /// Exit handlers.
    pub exit_handlers: exit_handlers::Handlers,
    /// Processes that the program has made.
    pub children: children::Children,
    /// What system calls have done.
    pub trapping: trap::Trapping,
    /// Signals that were sent.
    pub signals: delivery::Sent,
    /// Actions of signals that were set.
    pub actions: remembered::Remembered,
    /// Pipes and sockets.
    pub channels: channel::Channels,
    /// Timers that are files.
    pub timers: timers::Timers,
    /// Random numbers that were drawn.
    pub random: random::Drawn,
    /// Names of files that were changed.
    pub entries: entries::Entries,
    /// Open files.
    pub descriptors: descriptors::Descriptors,
    /// An `open` that truncates.
    pub truncation: ordered::Truncation,
    /// Open streams.
    pub streams: streams::Streams,
    /// Virtual time.
    pub clocks: virtual_time::Clocks,
    /// Data races.
    pub races: race::Races,
    /// Memory errors.
    pub memory_errors: memcheck::Memcheck,
    /// What is known of other threads' stacks.
    pub stacks: stacks::Checked,
    /// The round that may be a livelock.
    pub rounds: livelock::Watch,
    /// The cycle that is tested.
    pub cycle: cycle::Watch,
    /// What states are told apart by beside memory.
    pub states: fingerprint::Passing,
    /// Bytes of stacks that do not count where states are compared.
    pub dead: dead::Dead,
    /// States that this execution has passed.
    pub passed: known::Own,
    /// What is told of plain memory.
    pub touches: touches::Touches,
    /// Calls of `new` and `delete`.
    pub operators: heap::Calls,
}

static PROCESS: OneThread<PerProcess> = OneThread::new(PerProcess {
    start: start::Start::new(),
    mapped: wire::Mapped::new(),
    loaded: loaded::Loaded::new(),
    unseen_makers: imports::UnseenMakers::new(),
    libstdcxx: libstdcxx::Library::new(),
    schedule: schedule::Totals::new(),
    fibers: fiber::Fibers::new(),
    calls: calls::Calls::new(),
    callstacks: callstack::Areas::new(),
    snapshot: snapshot::Snapshot::new(),
    trap: trap::Trap::new(),
    cancelling: cancel::Cancelling::new(),
    keys: keys::Keys::new(),
    unwinder: unwinder::Unwinder::new(),
    named_semaphores: named::Named::new(),
    sending: delivery::Sending::new(),
    before: remembered::Before::new(),
    instrumented: tsan::Instrumented::new(),
    expected: expected::Expected::new(),
    telling: buffers::Telling::new(),
    atomic_functions: annotate::AtomicFunctions::new(),
    undefined: undefined::Undefined::new(),
    misuses: misuse::Misuses::new(),
    scratch: entries::Scratch::new(),
    early: descriptors::Early::new(),
    changeable: process_state::Changeable::new(),
});

static EXECUTION: OneThread<PerExecution> = OneThread::new(PerExecution {
    schedule: schedule::Schedule::new(),
    policies: wakeup_policy::Policies::new(),
    asked: forever::Asked::new(),
    spin_loops: spin_loop::Running::new(),
    callstack: callstack::Running::new(),
    locals: locals::Locals::new(),
    custom: custom::Kept::new(),
    exit: exit::Exit::new(),
    exit_handlers: exit_handlers::Handlers::new(),
    children: children::Children::new(),
    trapping: trap::Trapping::new(),
    signals: delivery::Sent::new(),
    actions: remembered::Remembered::new(),
    channels: channel::Channels::new(),
    timers: timers::Timers::new(),
    random: random::Drawn::new(),
    entries: entries::Entries::new(),
    descriptors: descriptors::Descriptors::new(),
    truncation: ordered::Truncation::new(),
    streams: streams::Streams::new(),
    clocks: virtual_time::Clocks::new(),
    races: race::Races::new(),
    memory_errors: memcheck::Memcheck::new(),
    stacks: stacks::Checked::new(),
    rounds: livelock::Watch::new(),
    cycle: cycle::Watch::new(),
    states: fingerprint::Passing::new(),
    dead: dead::Dead::new(),
    passed: known::Own::new(),
    touches: touches::Touches::new(),
    operators: heap::Calls::new(),
});

/// The state that is determined or mapped once.
#[inline(always)]
pub fn process() -> &'static PerProcess {
    &PROCESS
}

/// The state of the current execution.
#[inline(always)]
pub fn execution() -> &'static PerExecution {
    &EXECUTION
}

impl PerExecution {
    /// Resets everything to the start of the execution of plan `sequence`. The destructuring names every field, so a
    /// new field must be handled here.
    pub fn reset(&self, wire: Wire, sequence: u32) {
        #[rustfmt::skip]
        let PerExecution {
            schedule, policies, asked, spin_loops, callstack, locals, custom, exit, exit_handlers, children, trapping, signals, actions, channels,
            timers, random, entries, descriptors, truncation, streams, clocks, races, memory_errors, stacks, rounds, cycle, states,
            dead, passed, touches, operators,
        } = self;
        schedule.reset(wire, sequence);
        policies.reset();
        asked.reset();
        spin_loops.reset();
        // Before the call stacks, which ask for the visible places.
        races.reset(fiber::donors() + 1, wire.aim(sequence), wire.places());
        callstack.reset();
        locals.reset();
        custom.reset();
        exit.reset();
        exit_handlers.reset();
        children.reset();
        trapping.reset();
        signals.reset();
        actions.reset();
        channels.reset();
        timers.reset();
        random.reset();
        entries.reset();
        descriptors.reset();
        truncation.reset();
        streams.reset();
        clocks.reset();
        memory_errors.reset();
        stacks.reset();
        rounds.reset(wire.round(sequence));
        cycle.reset(wire.round(sequence));
        states.reset();
        dead.reset(wire, sequence);
        passed.reset();
        touches.reset(wire.touches(sequence));
        let compares_states = wire.round(sequence).is_some() || wire.states(sequence) != NO_STATES;
        wiping::begin(compares_states || Vain::new(wire.places()).wipes());
        operators.reset();
    }
}
