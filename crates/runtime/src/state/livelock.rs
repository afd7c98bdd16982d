//! Whether threads go round for ever: the search suspects a part of an execution ([`Round`]) and has it run once more; here the
//! state of the program is compared before and after it.
//!
//! The state is all of it: every page of globals and stacks that was ever written to, all heaps, the registers that a
//! call preserves and the live part of the stack of every thread that has not ended, what each is about to do, the model's state of every
//! object. If it is the same at both moments, and no clock, random number or system call played a part, then the program, given the
//! same schedule again, does the same again, as often as one likes. It is a livelock if besides
//!
//! * everybody who could act at any time in the round did: no scheduler is to blame, however fair it is (that is strong
//!   fairness: a thread that could take a lock now and then, and does not, is no livelock of the others);
//! * everybody who acted had to look or to try, and nothing but that, locks and yielding was done: threads that hand each other work
//!   for ever, as servers do, are none;
//! * no choice among several outcomes was needed: no weak compare-exchange that fails for no reason, no time-out.
//!
//! Two states are compared by 128 bits of a hash. What is not compared: memory below a stack pointer, the stacks of threads that have ended, and
//! what only the detectors know (clocks of the race detector, records of blocks).
//!
//! Programs that are restarted by `fork` have no list of what was written; of those nothing is said.

use heddle_model::primitive::{assume, atomic, memory, mutex, rwlock, semaphore, spin, yielding};
use heddle_model::round::Round;
use heddle_model::{Event, EventFlags, ObjectId, OpCode, Outcome, Phase, ThreadId, World};

use crate::addresses::PAGE;
use crate::arch::{self, Context};
use crate::entry::start;
use crate::heap;
use crate::schedule::{self, fiber};
use crate::state::snapshot;

const MOST: usize = 1 << 16;

/// What is asked for. No length: nothing.
static mut ROUND: Round = Round { first: 0, length: 0 };
/// How often something outside of the program's state was asked or told.
static mut OUTSIDE: u64 = 0;
/// The registers of threads that do not run, as they were when they called. Of the few threads that there are, few pages are touched.
static mut REGISTERS: [[u64; 7]; MOST] = [[0; 7]; MOST];
/// The last event at which each thread could act, and at which it did.
static mut COULD: [u32; MOST] = [0; MOST];
static mut DID: [u32; MOST] = [0; MOST];
/// The last event at which it looked or tried in vain.
static mut LOOKED: [u32; MOST] = [0; MOST];
/// The state at the beginning, if it can be one.
static mut BEFORE: Option<(Digest, u64)> = None;

/// An execution begins.
pub fn reset(round: Round) {
    // SAFETY: one kernel thread.
    unsafe {
        ROUND = round;
        BEFORE = None;
    }
}

/// The program has asked something, or told, that is no part of its state: the time, a system call.
#[inline]
pub fn outside() {
    // SAFETY: one kernel thread.
    unsafe { OUTSIDE = OUTSIDE.wrapping_add(1) };
}

/// `heddle_switch` that keeps the registers of `me`, who is left, for when it goes on.
///
/// # Safety
/// As that; the running thread is already the other one.
#[cold]
pub unsafe fn switched(me: ThreadId, from: *mut Context, to: &Context) {
    // SAFETY: the caller's; one kernel thread. The registers are on this stack while others run, and known to them.
    unsafe {
        let mine = schedule::registers();
        REGISTERS[me.index()] = mine;
        arch::heddle_switch(from, to);
        schedule::REGISTERS.set(mine);
    }
}

/// The event with this index was taken by the running thread, in a recorded execution. Whether it completes a round of a livelock.
pub fn took(index: u32, event: &Event, world: &World) -> bool {
    // SAFETY: one kernel thread.
    unsafe {
        let Round { first, length } = ROUND;
        if length == 0 || index < first || index > first + length {
            return false;
        }
        let digest = |event: &Event| digest(event, world).map(|digest| (digest, OUTSIDE));
        if index == first {
            BEFORE = digest(event);
            for thread in world.ids() {
                (COULD[thread.index()], DID[thread.index()], LOOKED[thread.index()]) = (u32::MAX, u32::MAX, u32::MAX);
            }
            note_enabled(index, world);
            return false;
        }
        if BEFORE.is_none() || !is_harmless(event) {
            BEFORE = None;
            return false;
        }
        DID[event.thread.index()] = index;
        if looks_in_vain(event) {
            LOOKED[event.thread.index()] = index;
        }
        if index < first + length {
            note_enabled(index, world);
            return false;
        }
        let fair = world.ids().all(|thread| {
            let within = |event: u32| (first..=first + length).contains(&event);
            let (could, did) = (within(COULD[thread.index()]), within(DID[thread.index()]));
            let alive = world.thread(thread).phase == Phase::Alive;
            !alive || !could && !did || did && within(LOOKED[thread.index()])
        });
        fair && BEFORE.is_some() && BEFORE == digest(event)
    }
}

/// Ends the execution at the end of a round.
pub fn end(event: &Event) -> ! {
    // SAFETY: reads a number.
    let length = unsafe { ROUND.length };
    schedule::stop(Outcome::Livelock { length }, event.pc, b"")
}

/// Who can act after the event with this index.
unsafe fn note_enabled(index: u32, world: &World) {
    for thread in world.ids().filter(|&thread| world.enabled(thread)) {
        // SAFETY: one kernel thread; ids are below the number of threads.
        unsafe { COULD[thread.index()] = index };
    }
}

/// What can be part of a round: it has no effect but on memory and on locks, and there was no choice.
fn is_harmless(event: &Event) -> bool {
    const CODES: [OpCode; 23] = [
        atomic::LOAD,
        atomic::STORE,
        atomic::RMW,
        atomic::COMPARE_EXCHANGE,
        atomic::FENCE,
        memory::READ,
        memory::WRITE,
        memory::COPY,
        mutex::LOCK,
        mutex::TRYLOCK,
        mutex::UNLOCK,
        rwlock::READ_LOCK,
        rwlock::TRY_READ_LOCK,
        rwlock::WRITE_LOCK,
        rwlock::TRY_WRITE_LOCK,
        rwlock::UNLOCK,
        semaphore::TRYWAIT,
        semaphore::POST,
        spin::LOCK,
        spin::TRYLOCK,
        spin::UNLOCK,
        yielding::YIELD,
        yielding::SLEEP,
    ];
    CODES.contains(&event.operation.code) && event.choice == 0 && !event.flags.contains(EventFlags::MISUSE)
}

/// Whether who took it has learnt something, and changed nothing.
fn looks_in_vain(event: &Event) -> bool {
    match event.operation.code {
        atomic::LOAD | memory::READ => true,
        atomic::RMW => event.flags.contains(EventFlags::UNCHANGED),
        atomic::COMPARE_EXCHANGE => event.failed(),
        mutex::TRYLOCK | rwlock::TRY_READ_LOCK | rwlock::TRY_WRITE_LOCK | semaphore::TRYWAIT | spin::TRYLOCK => {
            event.failed()
        }
        _ => false,
    }
}

/// 128 bits of a hash.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Digest(u64, u64);

impl Digest {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        self.1 = (self.1.rotate_left(23) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }

    /// The words from `low` to `high`, both multiples of eight.
    fn add_memory(&mut self, low: usize, high: usize) {
        for at in (low..high).step_by(8) {
            // SAFETY: callers pass mapped memory of the program's.
            self.add(unsafe { *(at as *const u64) });
        }
    }
}

/// The state after `event`, of the running thread. None if it is one of which nothing can be said.
fn digest(event: &Event, world: &World) -> Option<Digest> {
    let mut digest = Digest::default();
    if schedule::in_section() {
        return None;
    }
    // What the running thread is told of the event when it goes on.
    for word in [event.thread.0 as u64, event.pc, event.result, event.flags.0 as u64, event.choice as u64] {
        digest.add(word);
    }
    for thread in world.ids() {
        add_thread(&mut digest, thread, event.thread, world)?;
    }
    // In whichever order they are found.
    let mut objects = Digest::default();
    for (object, slot) in world.objects.iter() {
        let mut one = Digest::default();
        let [a, b, c] = slot.words;
        [object.0, slot.family as u64, slot.life as u64, slot.order as u64, a, b, c]
            .into_iter()
            .for_each(|word| one.add(word));
        objects = Digest(objects.0.wrapping_add(one.0), objects.1.wrapping_add(one.1));
    }
    digest.add(objects.0);
    digest.add(objects.1);
    for (base, length) in heap::arenas() {
        digest.add(length as u64);
        digest.add_memory(base, base + length / 8 * 8);
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
            Some(owner) => (registers_of(owner, event.thread)[6] as usize & !7).clamp(page, page + PAGE),
        };
        digest.add(page as u64);
        digest.add_memory(low, page + PAGE);
    });
    known.then_some(digest)
}

/// The registers with which `thread` called, while `running` runs.
fn registers_of(thread: ThreadId, running: ThreadId) -> [u64; 7] {
    // SAFETY: one kernel thread.
    if thread == running { schedule::registers() } else { unsafe { REGISTERS[thread.index()] } }
}

fn add_thread(digest: &mut Digest, thread: ThreadId, running: ThreadId, world: &World) -> Option<()> {
    let state = world.thread(thread);
    digest.add(state.phase as u64);
    if state.phase != Phase::Alive {
        return Some(());
    }
    registers_of(thread, running).into_iter().for_each(|word| digest.add(word));
    if thread != running {
        let pending = state.pending;
        if pending.code.family() == assume::FAMILY {
            return None;
        }
        let code = pending.code.0 as u64 | (pending.size as u64) << 16 | (pending.detail as u64) << 32;
        [code, pending.object.0, pending.argument, state.pc].into_iter().for_each(|word| digest.add(word));
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
    let numbers = [state.timeouts, state.spurious, state.failures, state.children, state.mask];
    [state.waits_on.0, state.waits_with.0, state.queued_on.0, place, flags]
        .into_iter()
        .for_each(|word| digest.add(word));
    numbers.into_iter().for_each(|number| digest.add(number as u64));
    Some(())
}
