//! A resource outside the program's memory that threads use one after the other: pipes and sockets in the kernel, or
//! signals that are not delivered yet.
//!
//! In the model one word represents the whole resource. Every use reads and changes that word, so any two uses are
//! ordered and the search explores every order of them. A thread that cannot continue sleeps on the word, as on a
//! futex, until another thread has used the resource. If no thread can continue, that is a deadlock. A cancellation
//! request counts as a use.

use core::cell::Cell;

use heddle_model::primitive::atomic::{LOAD, RMW};
use heddle_model::{ObjectId, Operation};

use crate::calls::pthread::{cancel, futex};
use crate::entry::imports;
use crate::lifetime::OneThread;
use crate::outside::clock::Timespec;
use crate::schedule::visible;
use crate::state::livelock;

/// The word that represents a resource: the number of its uses. It is a static with a symbol, so that reports can name
/// it.
pub type Word = OneThread<Cell<u32>>;

/// A resource that threads use one after the other.
pub struct Resource {
    /// How often it was used.
    word: &'static Word,
    /// How many threads have tried in vain and not tried again. Changed only while the word is used, so that whether
    /// a thread has to be woken follows from the order of the uses.
    in_vain: Cell<u32>,
    /// The program may wait here and be cancelled. Found out once, and kept from one execution to the next.
    cancellable: Cell<bool>,
}

const ETIMEDOUT: i64 = 110;
const ATOMIC_ADD: u32 = 2;
const SEQUENTIAL: u32 = 5 << 4;

/// The result of one attempt.
#[derive(Clone, Copy)]
struct Tried {
    /// What the attempt led to; none if it would have to wait.
    done: Option<isize>,
    /// How often the resource was used by now.
    count: u32,
    /// Another thread waits for the resource to be used.
    awaited: bool,
}

impl Resource {
    /// The resource that `word` represents.
    pub const fn new(word: &'static Word) -> Resource {
        Resource { word, in_vain: Cell::new(0), cancellable: Cell::new(false) }
    }

    /// Determines whether the program may wait here and be cancelled: whether it imports one of the functions `waits`
    /// and `pthread_cancel`. Call this once.
    pub fn set_up(&self, waits: &[&[u8]]) {
        let waits = || waits.iter().any(|name| imports::anybody_wants(name));
        self.cancellable.set(imports::anybody_wants(b"pthread_cancel") && waits());
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Resource { word, in_vain, cancellable: _ } = self;
        word.set(0);
        in_vain.set(0);
    }

    fn object(&self) -> ObjectId {
        ObjectId(self.word.as_ptr() as u64)
    }

    /// One use, or an attempt at one. `again` means that an earlier attempt failed. `last` means that no other attempt
    /// follows.
    fn step(&self, pc: u64, again: bool, last: bool, attempt: &mut dyn FnMut() -> Option<isize>) -> Tried {
        let mut tried = Tried { done: None, count: 0, awaited: false };
        let operation =
            Operation { object: self.object(), argument: 1, code: RMW, size: 4, detail: ATOMIC_ADD | SEQUENTIAL };
        visible(operation, pc, |event| {
            event.result = u64::from(self.word.get());
            self.in_vain.set(self.in_vain.get() - u32::from(again));
            tried.done = attempt();
            match tried.done {
                Some(_) => self.word.set(self.word.get() + 1),
                None => self.in_vain.set(self.in_vain.get() + u32::from(!last)),
            }
            (tried.count, tried.awaited) = (self.word.get(), self.is_awaited());
        });
        // Livelock detection compares memory, which does not contain the resource.
        livelock::outside();
        tried
    }

    /// Whether a thread waits here.
    pub fn is_awaited(&self) -> bool {
        self.in_vain.get() > 0
    }

    /// Repeats `attempt` until it succeeds. `timeout` returns the longest time to wait before the next attempt, if
    /// there is a limit, and whether more attempts follow after it. Returns `None` when the time is over.
    pub fn until(
        &self,
        pc: u64,
        timeout: &dyn Fn() -> (Option<Timespec>, bool),
        attempt: &mut dyn FnMut() -> Option<isize>,
    ) -> Option<isize> {
        const WAIT: usize = 0;
        let (word, cancellable) = (self.word.as_ptr() as usize, self.cancellable.get());
        let mut again = false;
        let mut over = false;
        if cancellable {
            cancel::point(pc);
        }
        loop {
            let tried = self.step(pc, again, over, attempt);
            if tried.done.is_some() {
                if tried.awaited {
                    self.wake(pc);
                }
                return tried.done;
            }
            if over {
                return None;
            }
            if cancellable {
                // A cancellation request after this point changes the word.
                cancel::point(pc);
            }
            let (timeout, goes_on) = timeout();
            let time = timeout.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
            // SAFETY: a word and a time that are there.
            let late =
                unsafe { futex::call([word, WAIT, tried.count as usize, time as usize, 0, 0], pc) } == -ETIMEDOUT;
            over = late && !goes_on;
            again = true;
        }
    }

    /// A use that never waits.
    pub fn take(&self, pc: u64, act: impl FnOnce()) {
        let mut act = Some(act);
        let mut attempt = || {
            act.take().map(|act| {
                act();
                0
            })
        };
        if self.step(pc, false, true, &mut attempt).awaited {
            self.wake(pc);
        }
    }

    /// A use that commutes with other uses of this kind and is ordered with all others.
    pub fn beside(&self, pc: u64, act: impl FnOnce()) {
        let operation = Operation { object: self.object(), argument: 0, code: LOAD, size: 4, detail: SEQUENTIAL };
        visible(operation, pc, |event| {
            event.result = u64::from(self.word.get());
            act();
        });
        livelock::outside();
    }

    /// Wakes the threads that wait here, because one of them may have been cancelled.
    pub fn stir(&self, pc: u64) {
        if self.cancellable.get() {
            self.take(pc, || {});
        }
    }

    fn wake(&self, pc: u64) {
        const WAKE: usize = 1;
        // SAFETY: a word that is there.
        unsafe { futex::call([self.word.as_ptr() as usize, WAKE, i32::MAX as usize, 0, 0, 0], pc) };
    }
}
