//! The shadow call stack: the position of each thread in the program. The entries and exits of instrumented functions
//! keep it up to date, so recording the call stack of an event only costs a copy.
//!
//! Each thread has its own area at a fixed address: an [`Area`], then the frames. A frame is its return address and its
//! stack address. Frames that were left without an exit (by `longjmp`, or by an exception through code without
//! cleanups) are recognised by their stack addresses: if a function is entered at or above the address of an older
//! frame, that frame is gone.
//!
//! Functions that are not instrumented do not appear. Outside executions nothing is recorded, because the program's
//! threads may be real then.
//!
//! A frame that other threads have touched is reported to [`stacks`] when it ends. The area knows the range that was
//! touched, so a frame that nobody touched costs one comparison.

use core::cell::Cell;

use heddle_model::ThreadId;

use crate::addresses::Reserve;
use crate::calls::annotate;
use crate::detect::race;
use crate::detect::stacks::{self, Exit};
use crate::lifetime::{self, Lent};
use crate::{addresses, schedule};

/// The address of the first area.
const CALLSTACKS: usize = 0x6200_0000_0000;
/// The distance from one thread's area to the next.
const STRIDE: usize = 16 << 20;
/// How much of a stack above the stack pointer is looked at to find where a frame begins.
const NEAR: usize = 64 << 10;

/// No part of a stack: the lowest address, and one past the highest.
pub const NOTHING: (usize, usize) = (usize::MAX, 0);

#[derive(Clone, Copy)]
#[repr(C)]
struct Frame {
    /// The address that the function will return to.
    pc: u64,
    /// The frame's place on the stack: the address of its return address if that is known, else below that.
    at: usize,
    /// An address in the function's code.
    code: u64,
    /// The thread's own time ([`race::time`]) when the function was entered.
    time: u32,
}

/// The beginning of an area. Frames follow.
#[repr(C)]
struct Area {
    /// One past the innermost frame, while the thread does not run.
    top: *mut Frame,
    /// [`Running::lowest`] while the thread does not run.
    lowest: *mut Frame,
    /// How many frames there was no room for.
    beyond: usize,
    /// The lowest address of the thread's stack that others have touched and whose frame has not ended yet;
    /// `usize::MAX` if there is none.
    touched_low: usize,
    /// One past the highest such address.
    touched_high: usize,
    /// The lowest [visible place](stacks::visible_part) of the thread's stack; `usize::MAX` if there is none.
    visible_low: usize,
    /// One past the highest one.
    visible_high: usize,
    reserved: usize,
}

/// The areas of this process.
pub struct Areas {
    /// For each thread, whether its area is mapped.
    mapped: Lent<Cell<bool>>,
}

/// The running thread's part of the shadow call stacks. It is null before the first execution.
pub struct Running {
    /// The area of the running thread.
    area: Cell<*mut Area>,
    /// One past the innermost frame.
    top: Cell<*mut Frame>,
    /// The lowest that `top` has been since the thread last [`looked`]: the functions below that have not run
    /// in between.
    lowest: Cell<*mut Frame>,
}

impl Areas {
    /// The state at the start of the process.
    pub const fn new() -> Areas {
        Areas { mapped: Cell::new(&[]) }
    }
}

impl Running {
    /// The state at the start of the process.
    pub const fn new() -> Running {
        let (area, frame) = (core::ptr::null_mut(), core::ptr::null_mut());
        Running { area: Cell::new(area), top: Cell::new(frame), lowest: Cell::new(frame) }
    }

    /// An execution begins: the main thread is about to run, and is in no function yet.
    pub fn reset(&self) {
        self::reset(ThreadId::MAIN);
        self.run(area(ThreadId::MAIN));
    }

    /// Switches to the call stack of the thread that `next` belongs to.
    #[inline]
    fn run(&self, next: *mut Area) {
        let Running { area, top, lowest } = self;
        area.set(next);
        // SAFETY: areas live for ever.
        unsafe {
            top.set((*next).top);
            lowest.set((*next).lowest);
        }
    }
}

#[inline(always)]
fn running() -> &'static Running {
    &lifetime::execution().callstack
}

/// Reserves memory for `threads` threads. Call this once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    lifetime::process().callstacks.mapped.set(reserve.take(threads));
}

fn area(thread: ThreadId) -> *mut Area {
    let area = (CALLSTACKS + thread.index() * STRIDE) as *mut Area;
    if !lifetime::process().callstacks.mapped.get()[thread.index()].replace(true) {
        addresses::map(area as usize, STRIDE);
        // SAFETY: just mapped, and this thread's own.
        unsafe {
            (*area).top = first(area);
            (*area).lowest = first(area);
            ((*area).touched_low, (*area).touched_high) = NOTHING;
            ((*area).visible_low, (*area).visible_high) = NOTHING;
        }
    }
    area
}

/// One past the innermost frame of the thread that `area` belongs to.
fn top_of(area: *mut Area) -> *mut Frame {
    // SAFETY: areas live for ever.
    if running().area.get() == area { running().top.get() } else { unsafe { (*area).top } }
}

#[inline(always)]
fn first(area: *mut Area) -> *mut Frame {
    // SAFETY: the area is longer than its beginning.
    unsafe { area.add(1).cast() }
}

#[inline(always)]
fn end(area: *mut Area) -> *mut Frame {
    const MOST: usize = (STRIDE - size_of::<Area>()) / size_of::<Frame>();
    // SAFETY: so many fit into the area.
    unsafe { first(area).add(MOST) }
}

/// Makes `thread` the running thread.
#[inline]
pub fn switch_to(thread: ThreadId) {
    let Running { area: from, top, lowest } = running();
    // SAFETY: areas live for ever.
    unsafe {
        (*from.get()).top = top.get();
        (*from.get()).lowest = lowest.get();
    }
    running().run(area(thread));
}

/// Forgets the frames of `thread`, which starts over.
pub fn reset(thread: ThreadId) {
    let area = area(thread);
    let visible = stacks::visible_part(thread);
    // SAFETY: areas live for ever.
    unsafe {
        (*area).top = first(area);
        (*area).lowest = first(area);
        (*area).beyond = 0;
        (*first(area)).at = 0;
        ((*area).touched_low, (*area).touched_high) = NOTHING;
        ((*area).visible_low, (*area).visible_high) = visible;
    }
}

/// Takes note that another thread has touched the addresses from `low` to `high` on the stack of `thread`. Returns the
/// whole range that was touched.
pub fn touched(thread: ThreadId, low: usize, high: usize) -> (usize, usize) {
    let area = area(thread);
    // SAFETY: areas live for ever.
    unsafe {
        (*area).touched_low = (*area).touched_low.min(low);
        (*area).touched_high = (*area).touched_high.max(high);
        ((*area).touched_low, (*area).touched_high)
    }
}

/// Whether `address` is in the part of the running thread's stack that others have touched, or among its visible places.
#[inline]
pub fn is_touched_at(address: usize) -> bool {
    let area = running().area.get();
    // SAFETY: areas live for ever.
    unsafe {
        let Area { touched_low, touched_high, visible_low, visible_high, .. } = *area;
        (touched_low..touched_high).contains(&address) || (visible_low..visible_high).contains(&address)
    }
}

/// The lowest address of the running thread's stack that others have touched and whose frame has not ended; `usize::MAX` if there is
/// none.
pub fn lowest_touched() -> usize {
    // SAFETY: areas live for ever.
    unsafe { (*running().area.get()).touched_low }
}

/// The range of the running thread's visible places: the lowest address, and one past the highest.
pub fn visible_range() -> (usize, usize) {
    // SAFETY: areas live for ever.
    unsafe { ((*running().area.get()).visible_low, (*running().area.get()).visible_high) }
}

/// What is left of the running thread's stack when it ends: where the frame of its first function ends, if that has returned, else 0.
pub fn left_from() -> usize {
    let first = first(running().area.get());
    // SAFETY: areas live for ever. The place of a frame that was not written since the thread began is 0.
    if running().top.get() == first { unsafe { (*first).at } } else { 0 }
}

/// Takes the part of the running thread's stack below `end` that others have touched: it is touched no more. The lowest
/// address, and one past the highest.
pub fn take_touched(end: usize) -> Option<(usize, usize)> {
    let area = running().area.get();
    // SAFETY: areas live for ever.
    unsafe {
        let (low, high) = ((*area).touched_low, (*area).touched_high);
        if low >= end {
            return None;
        }
        let rest = if high > end { (end, high) } else { NOTHING };
        ((*area).touched_low, (*area).touched_high) = rest;
        Some((low, high.min(end)))
    }
}

/// The place of the innermost frame of `thread`. None if it has no frame.
pub fn innermost(thread: ThreadId) -> Option<usize> {
    let area = area(thread);
    let top = top_of(area);
    // SAFETY: frames between the first and the top were written.
    (top > first(area)).then(|| unsafe { (*top.sub(1)).at })
}

/// The lowest address of the stack of `thread` that belongs to functions which were entered at a time that `knows` accepts. It
/// accepts all times up to some point. 0 if it accepts all.
pub fn known_from(thread: ThreadId, knows: impl Fn(u32) -> bool) -> usize {
    let area = area(thread);
    // SAFETY: frames between the first and the top were written.
    let frames = unsafe {
        let first = first(area);
        core::slice::from_raw_parts(first, top_of(area).offset_from(first) as usize)
    };
    let known = frames.partition_point(|frame| knows(frame.time));
    frames.get(known).map_or(0, |frame| frame.at)
}

/// Copies the return addresses of `thread`'s frames, innermost first, as many as there is room for. Returns how
/// many.
pub fn copy(thread: ThreadId, into: &mut [u64]) -> usize {
    let area = area(thread);
    // SAFETY: frames between the first and the top were written.
    unsafe {
        let top = top_of(area);
        let depth = top.offset_from(first(area)) as usize;
        let count = depth.min(into.len());
        for (i, word) in into[..count].iter_mut().enumerate() {
            *word = (*top.sub(i + 1)).pc;
        }
        count
    }
}

/// The return addresses of `thread`'s two outermost frames, the outermost last: the first of them is in the function that it
/// began with. None if there are fewer.
pub fn outermost(thread: ThreadId) -> Option<[u64; 2]> {
    let area = area(thread);
    // SAFETY: frames between the first and the top were written.
    unsafe {
        let top = top_of(area);
        let first = first(area);
        (top.offset_from(first) >= 2).then(|| [(*first.add(1)).pc, (*first).pc])
    }
}

/// How many frames the running thread has now, and the fewest that it had since this was last called. None if that
/// is not known.
pub fn looked() -> Option<(usize, usize)> {
    let Running { area, top, lowest } = running();
    let first = first(area.get());
    // SAFETY: all three point into one area.
    unsafe {
        if (*area.get()).beyond > 0 {
            return None;
        }
        let depth = top.get().offset_from(first);
        Some((depth as usize, lowest.replace(top.get()).offset_from(first) as usize))
    }
}

/// The end of the frame that is `level` frames out from the running thread's innermost one, up to its return
/// address. If that is not known, the end of the nearest frame further out for which it is.
pub fn frame_end(level: usize) -> Option<usize> {
    // SAFETY: frames between the first and the top were written; where they say they belong is on the stack.
    unsafe {
        let top = running().top.get();
        let depth = top.offset_from(first(running().area.get())) as usize;
        (level..depth).map(|n| *top.sub(n + 1)).find(|f| *(f.at as *const u64) == f.pc).map(|f| f.at + 8)
    }
}

/// The frame of `thread` that contains `address`: an address in the code of its function, and where the frame ends.
/// None if that is not known.
pub fn frame_around(thread: ThreadId, address: usize) -> Option<(u64, usize)> {
    let area = area(thread);
    // SAFETY: frames between the first and the top were written; where they say they belong is on the stack.
    unsafe {
        let top = top_of(area);
        let depth = top.offset_from(first(area)) as usize;
        let frame = (0..depth).map(|n| *top.sub(n + 1)).find(|frame| frame.at > address)?;
        (*(frame.at as *const u64) == frame.pc).then_some((frame.code, frame.at + 8))
    }
}

with_frame! {
    fn __tsan_func_entry(pc; stack, frame) {
        if !schedule::active() {
            return;
        }
        let Running { area, top: innermost, lowest } = running();
        let area = area.get();
        // The return address of the call of this function, inside the entered function, is right below.
        let code = *((stack - 8) as *const u64);
        if annotate::has_atomic_functions() {
            annotate::entered(code);
        }
        // With frame pointers (Heddle's flags ask for them) the return address is right above where the frame pointer
        // points; if it is there, the frame's place is exact.
        let near = frame.wrapping_sub(stack) < NEAR && frame.is_multiple_of(8);
        let at = if near && *((frame + 8) as *const u64) == pc { frame + 8 } else { stack };
        let mut top = innermost.get();
        let left = top > first(area) && (*top.sub(1)).at <= at;
        if (*area).touched_low < at || left && (*area).visible_low < at {
            // Frames there were left without an exit.
            stacks::returns((0, at), Exit::Jumped(code));
        }
        while top > first(area) && (*top.sub(1)).at <= at {
            // A stale frame. Those that there was no room for were deeper still.
            (*area).beyond = 0;
            top = top.sub(1);
            lowest.set(lowest.get().min(top));
        }
        if top == end(area) {
            (*area).beyond += 1;
        } else {
            top.write(Frame { pc, at, code, time: race::time() });
            top = top.add(1);
        }
        innermost.set(top);
    }
    fn __tsan_func_exit(unused; stack, frame) {
        if !schedule::active() {
            return;
        }
        let Running { area, top: innermost, lowest } = running();
        let area = area.get();
        if annotate::has_atomic_functions() {
            annotate::left(*((stack - 8) as *const u64));
        }
        let mut top = innermost.get();
        if (*area).beyond > 0 {
            (*area).beyond -= 1;
            return;
        }
        // Who has jumped here, instead of calling, has left its own frame already: what is below is its own return address.
        let below = *((stack - 8) as *const u64);
        let (mut jumped, mut low) = (false, stack);
        while top > first(area) && (*top.sub(1)).at < stack {
            top = top.sub(1);
            jumped = (*top).pc == below;
            low = 0;
        }
        if top > first(area) && !jumped {
            top = top.sub(1);
        }
        if top != innermost.get() {
            let end = (*top).at;
            if (*area).touched_low < end || (*area).visible_low < end && low < (*area).visible_high {
                stacks::returns((low, end), if jumped { Exit::Jumped((*top).code) } else { Exit::Called(below) });
            }
        }
        innermost.set(top);
        lowest.set(lowest.get().min(top));
    }
}
