//! Livelocks: tests whether a suspected part of an execution, which the search has run again, can repeat forever.
//!
//! [`heddle_detect::rounds`] defines which rounds are livelocks. This module hashes the state of the program before and
//! after the round. The state consists of every page of globals and stacks that was ever written, all heaps, the
//! callee-saved registers, the live part of the stack and the next operation of every thread that has not ended, and
//! the model's state of every object. If both states are equal, and no clock, random number or system call was
//! involved, the program repeats the round under the same schedule.
//!
//! States are compared by a hash of 128 bits. Memory below a stack pointer, the stacks of threads that have ended, and
//! the state of the detectors (clocks of the race detector, records of blocks) are not compared. While a round is
//! tested, this library [wipes](crate::state::wiping) what it leaves on stacks, since that differs from round to round.
//!
//! Programs that restart by `fork` have no list of written pages, so this test does not apply to them.

use core::cell::Cell;

use heddle_detect::digest::Digest;
use heddle_detect::rounds::Rounds;
use heddle_model::primitive::assume;
use heddle_model::round::{Claim, Round};
use heddle_model::{Event, ObjectId, Outcome, Phase, ThreadId, World};

use crate::addresses::{PAGE, Reserve};
use crate::arch;
use crate::entry::start;
use crate::heap;
use crate::lifetime::{self, Exclusive};
use crate::schedule::{self, fiber};
use crate::state::{calls, fingerprint, snapshot};

/// What is known of the round that is suspected.
pub struct Watch {
    rounds: Exclusive<Rounds<'static>>,
    /// How often something outside of the program's state was asked or told.
    outside: Cell<u64>,
}

impl Watch {
    /// Nothing is suspected, and there is no room for threads.
    pub const fn new() -> Watch {
        Watch { rounds: Exclusive::new(Rounds::empty()), outside: Cell::new(0) }
    }

    /// Begins an execution in which `round` is to be tested, if there is one. What states decide is tested elsewhere
    /// ([`crate::state::cycle`]).
    pub fn reset(&self, round: Option<Round>) {
        self.rounds.borrow().reset(round.filter(|round| round.claim == Claim::Suspected).unwrap_or_default());
    }
}

#[inline(always)]
fn watch() -> &'static Watch {
    &lifetime::execution().rounds
}

/// Reserves memory for `threads` threads. Call this once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    *watch().rounds.borrow() = Rounds::new(reserve, threads);
}

/// Takes note that the program has asked or told something that is no part of its state: the time, a system call.
#[inline]
pub fn outside() {
    watch().outside.set(watch().outside.get().wrapping_add(1));
    fingerprint::outside();
}

/// Takes note that the program has printed something.
#[inline]
pub fn printed() {
    watch().outside.set(watch().outside.get().wrapping_add(1));
}

/// Takes note of the event with this index, of the running thread, in a recorded execution. Returns whether it completes a round of a
/// livelock.
pub fn took(index: u32, event: &Event, world: &World) -> bool {
    let outside = watch().outside.get();
    watch().rounds.borrow().took(index, event, world, || digest(event, world).map(|digest| (digest, outside)))
}

/// Ends the execution at the end of a round.
pub fn end(event: &Event) -> ! {
    let length = watch().rounds.borrow().round().length;
    schedule::stop(Outcome::Cycle { length, claim: Claim::Suspected }, event.pc, b"")
}

/// The state after `event`, of the running thread. None if it is one of which nothing can be said.
fn digest(event: &Event, world: &World) -> Option<Digest> {
    let mut digest = Digest::default();
    if schedule::in_section() {
        return None;
    }
    // What the running thread is told of the event when it goes on.
    digest.add_all([event.thread.0 as u64, event.pc, event.result, event.flags.0 as u64, event.way as u64]);
    for thread in world.ids() {
        add_thread(&mut digest, thread, event.thread, world)?;
    }
    // In whichever order they are found.
    digest.add_unordered(world.objects.iter().map(|(object, slot)| {
        let mut one = Digest::default();
        let [a, b, c] = slot.words;
        one.add_all([object.0, u64::from(slot.family()), slot.life as u64, a, b, c]);
        one
    }));
    for (base, length) in heap::arenas() {
        digest.add(length as u64);
        // SAFETY: what was used of an arena is mapped.
        unsafe { digest.add_memory(base, base + length / 8 * 8) };
    }
    let main_stack = start::main_stack();
    let known = snapshot::each_changed(|page| {
        let owner = if (main_stack.0..main_stack.1).contains(&page) {
            Some(ThreadId::MAIN)
        } else {
            fiber::thread_at(page).filter(|&owner| owner != ThreadId::MAIN)
        };
        let low = match owner {
            None => page,
            Some(owner) if owner.index() >= world.extent() || world.thread(owner).phase != Phase::Alive => page + PAGE,
            Some(owner) => (calls::of(owner, event.thread).registers[6] as usize & !7).clamp(page, page + PAGE),
        };
        // Above the main function's stack, up to its arguments, are frames of this library.
        let is_main = owner == Some(ThreadId::MAIN) && page < start::arguments().0;
        let high = if is_main { arch::MAIN_BASE.get().clamp(low, page + PAGE) } else { page + PAGE };
        digest.add(page as u64);
        // SAFETY: a page that was written to is mapped.
        unsafe { digest.add_memory(low, high) };
    });
    known.then_some(digest)
}

fn add_thread(digest: &mut Digest, thread: ThreadId, running: ThreadId, world: &World) -> Option<()> {
    let state = world.thread(thread);
    digest.add(state.phase as u64);
    if state.phase != Phase::Alive {
        return Some(());
    }
    digest.add_all(calls::of(thread, running).registers);
    if thread != running {
        let pending = state.pending;
        if pending.code.family() == assume::FAMILY {
            return None;
        }
        let code = pending.code.0 as u64 | (pending.size as u64) << 16 | (pending.detail as u64) << 32;
        digest.add_all([code, pending.object.0, pending.argument, state.pc]);
    }
    // Who came first matters among those that wait for the same; when does not.
    let before = |other: ThreadId| {
        let other = world.thread(other);
        let same = (other.waits_on, other.queued_on) == (state.waits_on, state.queued_on);
        other.phase == Phase::Alive && same && other.ticket < state.ticket
    };
    let waits = state.waits_on != ObjectId::NONE || state.queued_on != ObjectId::NONE;
    let place = if waits { world.ids().filter(|&other| before(other)).count() as u64 } else { 0 };
    let flags = [
        state.detached,
        state.joined,
        state.requests > 0,
        state.woken_alone,
        state.expired,
        state.woken_by != 0,
        state.stirs != 0,
    ];
    let flags = flags.iter().fold(0, |flags, &flag| flags << 1 | flag as u64);
    let numbers = [state.timeouts, state.spurious, state.failures, state.inputs, state.children, state.mask];
    digest.add_all([state.waits_on.0, state.waits_with.0, state.queued_on.0, place, flags]);
    digest.add_all(numbers.map(u64::from));
    Some(())
}
