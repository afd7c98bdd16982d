//! The shadow call stack: where in the program each thread is, kept up to date by the entries and exits of
//! instrumented functions, so that a call stack can be had at any event for the price of a copy.
//!
//! One area for each thread, at an address that is its own: a [`Area`], then the frames. A frame is the address it will
//! return to and the stack address it belongs to. Frames that were left without an exit (by `longjmp`, or by an
//! exception through code that has no cleanups) are recognised by their stack addresses: a function that is entered at
//! or above the place of an older frame proves that frame gone.
//!
//! Functions that were not instrumented do not appear. Outside executions nothing is recorded: the program's threads
//! may be real then.

use heddle_model::ThreadId;

use crate::calls::annotate;
use crate::{addresses, schedule};

/// Where the areas are.
const CALLSTACKS: usize = 0x6200_0000_0000;
/// From one thread's area to the next.
const STRIDE: usize = 16 << 20;
/// How much of a stack above the stack pointer is looked at to find where a frame begins.
const NEAR: usize = 64 << 10;

#[derive(Clone, Copy)]
#[repr(C)]
struct Frame {
    /// Where the function will return to.
    pc: u64,
    /// Where on the stack it belongs: the address of its return address if that is known, else below that.
    at: usize,
    /// An address in its code.
    code: u64,
}

/// The beginning of an area. Frames follow.
#[repr(C)]
struct Area {
    /// One past the innermost frame, while the thread does not run.
    top: *mut Frame,
    /// [`LOWEST`] while the thread does not run.
    lowest: *mut Frame,
    /// How many frames there was no room for.
    beyond: usize,
    reserved: usize,
}

/// Which areas are mapped. Ids are handed out densely; the few pages of this that are touched are all that it costs.
static mut MAPPED: [bool; 1 << 16] = [false; 1 << 16];
/// The running thread's area.
static mut AREA: *mut Area = core::ptr::null_mut();
/// One past the running thread's innermost frame.
static mut TOP: *mut Frame = core::ptr::null_mut();
/// The lowest that [`TOP`] has been since the running thread last [looked](looked): the functions below that have not run
/// in between.
static mut LOWEST: *mut Frame = core::ptr::null_mut();

fn area(thread: ThreadId) -> *mut Area {
    let address = CALLSTACKS + thread.index() * STRIDE;
    // SAFETY: one kernel thread; the range is this thread's own.
    unsafe {
        if !MAPPED[thread.index()] {
            addresses::map(address, STRIDE);
            MAPPED[thread.index()] = true;
            (*(address as *mut Area)).top = first(address as *mut Area);
            (*(address as *mut Area)).lowest = first(address as *mut Area);
        }
    }
    address as *mut Area
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

/// From now on `thread` runs.
#[inline]
pub fn switch_to(thread: ThreadId) {
    // SAFETY: areas live for ever.
    unsafe {
        if !AREA.is_null() {
            (*AREA).top = TOP;
            (*AREA).lowest = LOWEST;
        }
        AREA = area(thread);
        TOP = (*AREA).top;
        LOWEST = (*AREA).lowest;
    }
}

/// Forgets the frames of `thread`: it starts over.
pub fn reset(thread: ThreadId) {
    let area = area(thread);
    // SAFETY: areas live for ever.
    unsafe {
        (*area).top = first(area);
        (*area).lowest = first(area);
        (*area).beyond = 0;
        if AREA == area {
            TOP = first(area);
            LOWEST = first(area);
        }
    }
}

/// Copies the return addresses of `thread`'s frames, innermost first, as many as there is room for. How many.
pub fn copy(thread: ThreadId, into: &mut [u64]) -> usize {
    let area = area(thread);
    // SAFETY: frames between the first and the top were written.
    unsafe {
        let top = if AREA == area { TOP } else { (*area).top };
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
        let top = if AREA == area { TOP } else { (*area).top };
        let first = first(area);
        (top.offset_from(first) >= 2).then(|| [(*first.add(1)).pc, (*first).pc])
    }
}

/// How deep the running thread is now, and how far out it has been since this was last asked: two numbers of frames.
/// None if that is not known.
pub fn looked() -> Option<(usize, usize)> {
    // SAFETY: one kernel thread; all three point into one area.
    unsafe {
        if AREA.is_null() || (*AREA).beyond > 0 {
            return None;
        }
        let (depth, lowest) = (TOP.offset_from(first(AREA)), LOWEST.offset_from(first(AREA)));
        LOWEST = TOP;
        Some((depth as usize, lowest as usize))
    }
}

/// The end of the stack of the running thread's innermost function but `level`, up to where it returns to. If that is
/// not known, of the nearest function further out of which it is.
pub fn frame_end(level: usize) -> Option<usize> {
    // SAFETY: frames between the first and the top were written; where they say they belong is on the stack.
    unsafe {
        let depth = TOP.offset_from(first(AREA)) as usize;
        (level..depth).map(|n| *TOP.sub(n + 1)).find(|f| *(f.at as *const u64) == f.pc).map(|f| f.at + 8)
    }
}

/// The frame of `thread` that `address` lies in: an address in the code of its function, and where it ends. None if that is not
/// known.
pub fn frame_around(thread: ThreadId, address: usize) -> Option<(u64, usize)> {
    let area = area(thread);
    // SAFETY: frames between the first and the top were written; where they say they belong is on the stack.
    unsafe {
        let top = if AREA == area { TOP } else { (*area).top };
        let depth = top.offset_from(first(area)) as usize;
        let frame = (0..depth).map(|n| *top.sub(n + 1)).find(|frame| frame.at > address)?;
        (*(frame.at as *const u64) == frame.pc).then_some((frame.code, frame.at + 8))
    }
}

with_frame! {
    fn __tsan_func_entry(pc; stack, frame) {
        if !schedule::active() || AREA.is_null() {
            return;
        }
        // Right below is where the entered function called this one.
        let code = *((stack - 8) as *const u64);
        if annotate::has_atomic_functions() {
            annotate::entered(code);
        }
        // With frame pointers (Heddle's flags ask for them) the return address is right above where the frame pointer
        // points; if it is there, the frame's place is exact.
        let near = frame.wrapping_sub(stack) < NEAR && frame.is_multiple_of(8);
        let at = if near && *((frame + 8) as *const u64) == pc { frame + 8 } else { stack };
        let mut top = TOP;
        while top > first(AREA) && (*top.sub(1)).at <= at {
            // A stale frame. Those that there was no room for were deeper still.
            (*AREA).beyond = 0;
            top = top.sub(1);
            LOWEST = LOWEST.min(top);
        }
        if top == end(AREA) {
            (*AREA).beyond += 1;
        } else {
            top.write(Frame { pc, at, code });
            top = top.add(1);
        }
        TOP = top;
    }
    fn __tsan_func_exit(unused; stack, frame) {
        if !schedule::active() || AREA.is_null() {
            return;
        }
        if annotate::has_atomic_functions() {
            annotate::left(*((stack - 8) as *const u64));
        }
        let mut top = TOP;
        if (*AREA).beyond > 0 {
            (*AREA).beyond -= 1;
            return;
        }
        // Who has jumped here, instead of calling, has left its own frame already: what is below is its own return address.
        let below = *((stack - 8) as *const u64);
        let mut jumped = false;
        while top > first(AREA) && (*top.sub(1)).at < stack {
            top = top.sub(1);
            jumped = (*top).pc == below;
        }
        if top > first(AREA) && !jumped {
            top = top.sub(1);
        }
        TOP = top;
        LOWEST = LOWEST.min(top);
    }
}
