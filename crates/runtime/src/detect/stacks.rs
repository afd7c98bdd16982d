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
//! to a function that was entered later, and nothing that the thread has synchronised with tells it of that function ([`known_from`]).
//! Then the place is [suspected](race::suspect). It becomes visible, and the search begins anew.
//!
//! The end of a frame with [visible places](race::places) in it is a visible operation like a write, so that what other threads do there
//! is explored before and after it. Which bytes it writes depends on the frame and on the places, so it is the same in every order.
//!
//! Where a thread has synchronised with the later function, too, what is there now is alive. A function that was inlined
//! has no frame of its own, and its variables die with the frame that they are in. Frames that were left without
//! a return (by `longjmp`) end when another function is entered at their place.

use core::cell::Cell;

use heddle_model::fault::{Fault, FaultKind};
use heddle_model::primitive::memory;
use heddle_model::{Phase, ThreadId};

use crate::addresses::{STACK_STRIDE, STACKS, STACKS_END};
use crate::detect::race;
use crate::entry::start;
use crate::lifetime;
use crate::outside::exit;
use crate::record::callstack;
use crate::schedule::{self, fiber};
use crate::state::touches;

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
    let (suspended, called) = (fiber.context.get().stack(), fiber.called_at.get());
    // A thread that crashed is suspended on another stack: then its own is as it was. So is one on a stack of the program's making.
    if !(low..high).contains(&suspended) {
        let crashed = schedule::is_about_to_end_process(owner) && (low..high).contains(&called);
        return if crashed { called } else { 0 };
    }
    if fiber.ends.get() && owner != ThreadId::MAIN {
        return fiber::outermost_frame(owner);
    }
    // Where a thread ends the process, the library's frames are below those of the program, unless an exit handler runs there.
    let innermost = callstack::innermost(owner);
    if let Some(left) = exit::left(owner).map(|left| left[6] as usize)
        && (low..high).contains(&left)
        && innermost.is_none_or(|frame| frame >= left)
    {
        return left;
    }
    // Where the runtime was called, what lies below are frames of the runtime. The place was noted by the last call. If that was not
    // the call in which the thread is suspended, it was made by another function, whose frame is gone, or by a caller.
    let is_current = suspended <= called && innermost.is_some_and(|frame| called < frame);
    if is_current { called } else { suspended }
}

/// Takes note that the running thread uses `size` bytes at `address` on the stack of `owner`, by an instruction at `pc`.
pub fn used(owner: ThreadId, address: usize, size: usize, pc: u64) {
    // When its frame ends, and who is known to come before that, is not told.
    touches::everything();
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

/// The running thread returns from a function whose frame has these addresses: the lowest, and one past the highest. Others have
/// touched what is below the end, or there are visible places around.
#[cold]
#[inline(never)]
pub fn returns((low, end): (usize, usize), exit: Exit) {
    // A function on a stack of the program's own making says nothing about frames on the thread's stack.
    if !fiber::is_on_own_stack(end) {
        return;
    }
    match exit {
        Exit::Called(pc) => {
            announce(low, end, pc);
            ended(low, end, pc);
        }
        // The variables are gone: others must not run before it, since they could not be there any more.
        Exit::Jumped(pc) => ended(low, end, pc),
    }
}

/// The running thread, which is not the main thread, ends. Its functions have returned, or will not.
pub fn thread_ends() {
    let (low, end) = (callstack::left_from(), bounds(schedule::current()).1);
    // Frames that were not left (by `pthread_exit`) are there until their end is taken.
    fiber::of(schedule::current()).ends.set(low != 0);
    announce(low, end, 0);
    ended(low, end, 0);
    fiber::of(schedule::current()).ends.set(true);
}

/// Announces the end of everything between `low` and `end`, and of what others have touched below, if there are visible places in
/// it: other threads may run before.
fn announce(low: usize, end: usize, pc: u64) {
    /// The most bytes that an operation can say that it touches.
    const STEP: usize = 1 << 20;
    if schedule::in_section() {
        return;
    }
    let called_at = low;
    let Some((low, high)) = visible_between(low, end) else { return };
    // Frames that have ended before, which are below, stay dead while the thread waits. The entry point of a return notes no registers.
    schedule::set_called_at(called_at);
    for from in (low..high).step_by(STEP) {
        let size = STEP.min(high - from);
        if race::places::within(from, size) {
            schedule::visible(memory::access(memory::WRITE, from as u64, size), pc, |_| {});
        }
    }
}

/// The visible places of the running thread's stack between `low` and `end`, and in what others have touched below: the lowest
/// address, and one past the highest.
///
/// Others may touch memory below the frame that returns: in a function that nobody instrumented, which has returned unnoticed.
fn visible_between(low: usize, end: usize) -> Option<(usize, usize)> {
    let visible = callstack::visible_range();
    let low = low.min(callstack::lowest_touched()).max(visible.0);
    race::places::hull(low, end.min(visible.1))
}

fn ended(low: usize, end: usize, pc: u64) {
    if let Some((low, high)) = visible_between(low, end) {
        race::ended(low, high - low, pc);
    }
    if let Some((low, high)) = callstack::take_touched(end) {
        race::ended(low, high - low, pc);
    }
}

/// The range of visible places on the stack of `thread`: the end of a frame over one of them is an operation. The lowest address,
/// and one past the highest.
pub fn visible_part(thread: ThreadId) -> (usize, usize) {
    if !race::places::any() {
        return callstack::NOTHING;
    }
    let (low, high) = bounds(thread);
    let places = race::places::listed().map(|granule| granule << 3).filter(|place| (low..high).contains(place));
    places.fold(callstack::NOTHING, |(low, high), place| (low.min(place), high.max(place + 8)))
}
