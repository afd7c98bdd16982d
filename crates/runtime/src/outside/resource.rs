//! Taking turns at something that is outside of the program's memory: pipes and sockets, which are in the kernel, or signals that wait to
//! be delivered.
//!
//! What the model gets to see of it is one word that stands for all of it, which everything that is done to it reads and
//! changes: so any two of those are ordered, and every order of them is explored. Who cannot go on sleeps on that word as on a futex
//! until somebody has done something. When nobody can, that is a deadlock. To be asked to end is something that is done, too.

use heddle_model::primitive::atomic::{LOAD, RMW};
use heddle_model::{ObjectId, Operation};

use crate::calls::pthread::{cancel, futex};
use crate::entry::imports;
use crate::outside::clock::Timespec;
use crate::schedule::visible;
use crate::state::livelock;

/// What threads take turns at. All functions here are for the one kernel thread.
pub struct Turns {
    /// How often something was done.
    word: *mut u32,
    /// Threads that have tried in vain and not tried again. Changed only while something is done to the word, so that whether somebody
    /// has to be woken follows from the order of those.
    in_vain: u32,
    /// The program may wait here and be asked to end.
    cancellable: bool,
}

const ETIMEDOUT: i64 = 110;
const ATOMIC_ADD: u32 = 2;
const SEQUENTIAL: u32 = 5 << 4;

/// What came of trying.
#[derive(Clone, Copy)]
struct Tried {
    /// What it led to; none if it would have to wait.
    done: Option<isize>,
    /// How often something was done by now.
    count: u32,
    /// Somebody waits for something to be done.
    awaited: bool,
}

impl Turns {
    /// With a word that has a name which can stand in a report.
    pub const fn new(word: *mut u32) -> Turns {
        Turns { word, in_vain: 0, cancellable: false }
    }
}

/// Whether the program may wait here and be asked to end: it has one of these functions, and `pthread_cancel`. Once.
pub fn set_up(turns: *mut Turns, waits: &[&[u8]]) {
    let cancellable =
        imports::anybody_wants(b"pthread_cancel") && waits.iter().any(|name| imports::anybody_wants(name));
    // SAFETY: one kernel thread.
    unsafe { (*turns).cancellable = cancellable };
}

/// An execution begins.
pub fn reset(turns: *mut Turns) {
    // SAFETY: one kernel thread.
    unsafe {
        (*turns).in_vain = 0;
        *(*turns).word = 0;
    }
}

/// Something is done, or tried; `again` after it was tried in vain, and `last` if it is not going to be tried any more.
fn step(turns: *mut Turns, pc: u64, again: bool, last: bool, attempt: &mut dyn FnMut() -> Option<isize>) -> Tried {
    let mut tried = Tried { done: None, count: 0, awaited: false };
    // SAFETY: one kernel thread. Nothing of `turns` is borrowed while others run.
    unsafe {
        let object = ObjectId((*turns).word as u64);
        let operation = Operation { object, argument: 1, code: RMW, size: 4, detail: ATOMIC_ADD | SEQUENTIAL };
        visible(operation, pc, |event| {
            let Turns { word, in_vain, .. } = &mut *turns;
            event.result = u64::from(**word);
            *in_vain -= u32::from(again);
            tried.done = attempt();
            match tried.done {
                Some(_) => **word += 1,
                None => *in_vain += u32::from(!last),
            }
            (tried.count, tried.awaited) = (**word, *in_vain > 0);
        });
    }
    // What it is about is not in the memory that is compared.
    livelock::outside();
    tried
}

/// Whether somebody waits here.
pub fn is_awaited(turns: *const Turns) -> bool {
    // SAFETY: one kernel thread.
    unsafe { (*turns).in_vain > 0 }
}

/// Tries until something comes of it. None when the time is over: `timeout` says how long to wait at most before the next attempt, if there is
/// a limit, and whether there will be more then.
pub fn until(
    turns: *mut Turns,
    pc: u64,
    timeout: &dyn Fn() -> (Option<Timespec>, bool),
    attempt: &mut dyn FnMut() -> Option<isize>,
) -> Option<isize> {
    const WAIT: usize = 0;
    // SAFETY: set once.
    let (word, cancellable) = unsafe { ((*turns).word as usize, (*turns).cancellable) };
    let mut again = false;
    let mut over = false;
    if cancellable {
        cancel::point(pc);
    }
    loop {
        let tried = step(turns, pc, again, over, attempt);
        if tried.done.is_some() {
            if tried.awaited {
                wake(word, pc);
            }
            return tried.done;
        }
        if over {
            return None;
        }
        if cancellable {
            // Who asks it to end from here on changes the word after that.
            cancel::point(pc);
        }
        let (timeout, goes_on) = timeout();
        let time = timeout.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
        // SAFETY: a word and a time that are there.
        let late = unsafe { futex::call([word, WAIT, tried.count as usize, time as usize, 0, 0], pc) } == -ETIMEDOUT;
        over = late && !goes_on;
        again = true;
    }
}

/// Something that never has to wait.
pub fn take(turns: *mut Turns, pc: u64, act: impl FnOnce()) {
    let mut act = Some(act);
    let mut attempt = || {
        act.take().map(|act| {
            act();
            0
        })
    };
    if step(turns, pc, false, true, &mut attempt).awaited {
        // SAFETY: set once.
        wake(unsafe { (*turns).word } as usize, pc);
    }
}

/// Something that commutes with its like, and is ordered with what is done otherwise.
pub fn beside(turns: *mut Turns, pc: u64, act: impl FnOnce()) {
    // SAFETY: one kernel thread.
    unsafe {
        let object = ObjectId((*turns).word as u64);
        let operation = Operation { object, argument: 0, code: LOAD, size: 4, detail: SEQUENTIAL };
        visible(operation, pc, |event| {
            event.result = u64::from(*(*turns).word);
            act();
        });
    }
    livelock::outside();
}

/// A thread was asked to end: if it waits here, it is to look.
pub fn stir(turns: *mut Turns, pc: u64) {
    // SAFETY: set once.
    if unsafe { (*turns).cancellable } {
        take(turns, pc, || {});
    }
}

fn wake(word: usize, pc: u64) {
    const WAKE: usize = 1;
    // SAFETY: a word that is there.
    unsafe { futex::call([word, WAKE, i32::MAX as usize, 0, 0, 0], pc) };
}
