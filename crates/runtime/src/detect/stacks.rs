//! Stacks die: the return of a function and the end of a thread free memory, as `free` does.
//!
//! A variable of a function may be used by other threads while the function runs: a result that a task fills in, a
//! completion that is waited for. When the function returns, or its thread ends, these uses must be over.
//!
//! * **Uses before the end.** The shadow call stack keeps the range of each stack that others have touched
//!   ([`callstack::touched`]). Where a frame ends over that range, the range is written to ([`race::ended`]): a use that
//!   is not ordered before the end is a data race with it. Nothing of this is paid for by frames that nobody touched.
//! * **Uses after the end.** What lies below the stack pointer that a suspended thread had when it called the runtime is
//!   dead ([`dead`]). The stack of a thread that has ended is dead. To touch it is a memory error, for plain accesses,
//!   atomics, and the primitives that live there.
//!
//! A frame that nobody has touched ends without a record: most do. If another thread comes too late, what it touches is dead, or belongs
//! to a function that was entered later, which that thread cannot know of ([`known_from`]). Then the place is
//! [suspected](race::suspect): it becomes visible, and the end of each frame over it is an operation.
//!
//! Where the thread could know of both functions, what is there now is alive. A function that was inlined
//! has no frame of its own, and its variables die with the frame that they are in. Frames that were left without
//! a return (by `longjmp`) end when another function is entered at their place.
//!
//! If one of the [visible places](race::places) is in the range, the end is a visible operation like a write, so that
//! what other threads do there is explored before and after it.

use core::cell::Cell;

use heddle_model::fault::{Fault, FaultKind};
use heddle_model::primitive::memory;
use heddle_model::{Phase, ThreadId};

use crate::addresses::{STACK_STRIDE, STACKS, STACKS_END};
use crate::detect::race;
use crate::entry::start;
use crate::lifetime;
use crate::record::callstack;
use crate::schedule::{self, fiber};

/// What is known of another thread's stack until the running thread is suspended: nothing there can end meanwhile.
pub struct Checked {
    /// Addresses that are alive and known to be touched: the lowest, and one past the highest.
    range: Cell<(usize, usize)>,
}

impl Checked {
    /// Nothing is known.
    pub const fn new() -> Checked {
        Checked { range: Cell::new((0, 0)) }
    }

    /// Nothing is known any more: an execution begins, or another thread runs.
    #[inline]
    pub fn reset(&self) {
        self.range.set((0, 0));
    }
}

#[inline(always)]
fn checked() -> &'static Checked {
    &lifetime::execution().stacks
}

/// The running thread is about to be suspended.
#[inline]
pub fn switched() {
    checked().reset();
}

/// Whether the running thread may use these bytes of another thread's stack, and has used some around them since it
/// was resumed. False means that it is not known.
#[inline(always)]
pub fn is_checked(address: usize, size: usize) -> bool {
    let (low, high) = checked().range.get();
    low <= address && address + size <= high
}

/// How a function announced that it returns.
#[derive(Clone, Copy)]
pub enum Exit {
    /// By a call, made at this address. Its frame is still there.
    Called(u64),
    /// By a jump, so that its frame is gone already; or not at all. An address in its function.
    Jumped(u64),
}

/// Whether `address` may be on the stack of another thread than the running one.
#[inline(always)]
pub fn may_be_others(address: usize) -> bool {
    (STACKS..STACKS_END).contains(&address) && (address - STACKS) / STACK_STRIDE != schedule::current().index()
}

/// The thread, other than the running one, whose stack `address` is on.
pub fn owner(address: usize) -> Option<ThreadId> {
    let owner = fiber::thread_at(address).filter(|&owner| owner != schedule::current())?;
    let ((low, high), arguments) = (bounds(owner), start::arguments());
    // The arguments of `main` and the environment live as long as the process.
    ((low..high).contains(&address) && !(arguments.0..arguments.1).contains(&address)).then_some(owner)
}

/// The lowest address of the stack of `thread`, and one past the highest.
fn bounds(thread: ThreadId) -> (usize, usize) {
    let (low, size) = fiber::stack_of(thread);
    (low, low + size)
}

/// The fault of a use of `address` on the stack of `owner`, which is not the running thread, if it is dead.
pub fn dead(owner: ThreadId, address: usize) -> Option<Fault> {
    let kind = match schedule::phase(owner) {
        Phase::Finished => FaultKind::DeadStack,
        Phase::Alive if address < live_from(owner) => FaultKind::DeadFrame,
        Phase::Alive | Phase::Absent | Phase::Lingering => return None,
    };
    Some(Fault { kind, other: Some(owner), ..Fault::default() })
}

/// The lowest address of the suspended thread `owner`'s stack that is in use; 0 if that is not known.
fn live_from(owner: ThreadId) -> usize {
    let (low, high) = bounds(owner);
    let fiber = fiber::of(owner);
    let suspended = fiber.context.get().stack();
    // A thread that crashed is suspended on another stack: then its own is as it was.
    if !(low..high).contains(&suspended) {
        return 0;
    }
    if fiber.ends.get() && owner != ThreadId::MAIN {
        return fiber::outermost_frame(owner);
    }
    // Where the runtime was called, what lies below are frames of the runtime. The place was noted by the last call. If that was not
    // the call in which the thread is suspended, it was made by another function, whose frame is gone, or by a caller.
    let called = fiber.called_at.get();
    let is_current = suspended <= called && callstack::innermost(owner).is_some_and(|frame| called < frame);
    if is_current { called } else { suspended }
}

/// Takes note that the running thread uses `size` bytes at `address` on the stack of `owner`, by an instruction at `pc`.
pub fn used(owner: ThreadId, address: usize, size: usize, pc: u64) {
    let (low, high) = callstack::touched(owner, address, address + size);
    if schedule::phase(owner) != Phase::Alive {
        return;
    }
    let known = known_from(owner);
    if address < known {
        race::suspect(owner, address, size, pc);
    }
    checked().range.set((low.max(live_from(owner)).max(known), high));
}

/// The lowest address of `owner`'s stack in functions that were entered before something that the running thread knows of. Nobody
/// can have told it where a variable below is: it means one of a function that was there before, and has returned unseen.
fn known_from(owner: ThreadId) -> usize {
    let (low, high) = bounds(owner);
    let from = callstack::known_from(owner, |time| race::knows(owner, time));
    if (low..high).contains(&from) { from } else { 0 }
}

/// Whether `address` is on the running thread's stack, and no other thread has used that part of it. What a new
/// variable there holds before the thread writes to it was left by an earlier call, maybe by one of the runtime's.
#[inline]
pub fn is_private(address: usize) -> bool {
    fiber::is_on_own_stack(address) && !callstack::is_touched_at(address)
}

/// The running thread returns from a function whose frame ends at `end`, and others have touched what is below that.
#[cold]
#[inline(never)]
pub fn returns(end: usize, exit: Exit) {
    // A function on a stack of the program's own making says nothing about frames on the thread's stack.
    if !fiber::is_on_own_stack(end) {
        return;
    }
    match exit {
        Exit::Called(pc) => {
            announce(end, pc);
            ended(end, pc);
        }
        // The variables are gone: others must not run before it, since they could not be there any more.
        Exit::Jumped(pc) => ended(end, pc),
    }
}

/// The running thread, which is not the main thread, ends.
#[inline]
pub fn thread_ends() {
    let end = bounds(schedule::current()).1;
    if callstack::is_touched(end) {
        announce(end, 0);
        ended(end, 0);
    }
}

/// Announces the end of everything below `end`, if there are visible places in it: other threads may run before.
fn announce(end: usize, pc: u64) {
    /// The most bytes that an operation can say that it touches.
    const STEP: usize = 1 << 20;
    if !race::places::any() || schedule::in_section() {
        return;
    }
    // The entry point of a return notes no registers.
    schedule::set_called_at(0);
    let (low, high) = callstack::touched_below(end);
    for from in (low..high).step_by(STEP) {
        let size = STEP.min(high - from);
        if race::places::within(from, size) {
            schedule::visible(memory::access(memory::WRITE, from as u64, size), pc, |_| {});
        }
    }
}

fn ended(end: usize, pc: u64) {
    if let Some((low, high)) = callstack::take_touched(end) {
        race::ended(low, high - low, pc);
    }
}

/// The range of visible places on the stack of `thread`: a frame that ends over it counts as touched. The lowest
/// address, and one past the highest.
pub fn visible_part(thread: ThreadId) -> (usize, usize) {
    if !race::places::any() {
        return callstack::NOTHING;
    }
    let (low, high) = bounds(thread);
    let places = race::places::listed().map(|granule| granule << 3).filter(|place| (low..high).contains(place));
    places.fold(callstack::NOTHING, |(low, high), place| (low.min(place), high.max(place + 8)))
}
