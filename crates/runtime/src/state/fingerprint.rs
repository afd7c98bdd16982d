//! Fingerprints of states, at decisions: every thread stands before an operation.
//!
//! A state is everything that decides what can follow. It has these parts:
//!
//! * the model's part: threads, what they are about to do, objects ([`World::fingerprint`]);
//! * globals of the program and its libraries, and thread-locals of the main thread: every page that was ever written to, against its
//!   image. What a page has in common with its image counts nothing, whether it was written to or not: it depends on the process (ids of
//!   the kernel's, names of temporary files);
//! * the live part of the stack of each thread, with what glibc keeps above it, without [bytes that are dead](dead);
//! * the call that each thread is in the middle of: registers that calls preserve, arguments, what it was told ([`calls`]);
//! * heaps: everything that was ever used, with the headers of blocks and the lists of free ones;
//! * what the runtime keeps for a thread in the kernel's place: signal masks, cancellation, name; exit handlers;
//! * what the race detector knows that can still matter ([`race::fingerprint`]);
//! * the **history**, once the program has done something that is none of the above: looked at a clock, drawn a random number, made a
//!   system call, used a primitive that is not among those that are understood. From then on two states are equal only if all events before were.
//!
//! Not in the state: what was printed, counters of events, stacks of threads that have not begun or have ended, notes for reports.

use core::cell::Cell;

use heddle_detect::content::Hasher;
use heddle_model::follow::Follower;
use heddle_model::primitive::{
    assume, atomic, barrier, choice, condvar, futex, memory, mutex, once, process, prop, queue, rwlock, semaphore,
    spin, thread as life, yielding,
};
use heddle_model::{Digest, Event, Fingerprint, Outcome, Phase, ThreadId, World};

use crate::addresses::PAGE;
use crate::arch;
use crate::detect::race;
use crate::entry::report::Record;
use crate::entry::start;
use crate::heap;
use crate::lifetime::{self, OneThread};
use crate::outside::{exit, exit_handlers, virtual_time};
use crate::schedule::{self, fiber};
use crate::state::{calls, cycle, dead, known, snapshot, touches};

/// The families of operations whose meaning is in the model and in memory, and nowhere else.
const UNDERSTOOD: [u8; 17] = [
    life::FAMILY,
    mutex::FAMILY,
    atomic::FAMILY,
    yielding::FAMILY,
    process::FAMILY,
    condvar::FAMILY,
    semaphore::FAMILY,
    choice::FAMILY,
    once::FAMILY,
    rwlock::FAMILY,
    spin::FAMILY,
    barrier::FAMILY,
    assume::FAMILY,
    memory::FAMILY,
    queue::FAMILY,
    futex::FAMILY,
    prop::FAMILY,
];

/// The history of one execution, as far as states are told apart by it.
pub struct Passing {
    /// The program has done something that is not understood since the last decision.
    outside: Cell<bool>,
    /// A digest of all events up to the last decision after something that is not understood. 0 if there was nothing of the kind.
    history: Cell<u128>,
    /// A digest of the first `seen` events.
    past: Cell<Option<Digest>>,
    seen: Cell<usize>,
}

impl Passing {
    /// The state at the start of the process.
    pub const fn new() -> Passing {
        Passing { outside: Cell::new(false), history: Cell::new(0), past: Cell::new(None), seen: Cell::new(0) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Passing { outside, history, past, seen } = self;
        outside.set(false);
        history.set(0);
        past.set(None);
        seen.set(0);
    }

    /// Takes note of the events since the last decision.
    fn pass(&self, events: &[Event], world: &World<'_>) {
        let mut past = self.past.get().unwrap_or_default();
        for event in &events[self.seen.get()..] {
            let Event { operation, result, thread, way, flags, .. } = event;
            let code = operation.code.0 as u64 | (operation.size as u64) << 16 | (operation.detail as u64) << 32;
            let how = thread.0 as u64 | (*way as u64) << 16 | (flags.0 as u64) << 32;
            [code, operation.object.0, operation.argument, *result, how].into_iter().for_each(|word| past.add(word));
            self.outside.set(self.outside.get() || !is_understood(operation.code.family()));
        }
        self.past.set(Some(past));
        self.seen.set(events.len());
        let waits = |thread: ThreadId| {
            let state = world.thread(thread);
            state.phase == Phase::Alive && !is_understood(state.pending.code.family())
        };
        if self.outside.replace(false) || virtual_time::passes() || world.ids().any(waits) {
            self.history.set(past.finish().0);
        }
    }
}

fn is_understood(family: u8) -> bool {
    UNDERSTOOD.contains(&family)
}

/// How memory is hashed in this process.
static HASHER: OneThread<Cell<Hasher>> = OneThread::new(Cell::new(Hasher::portable(KEY)));
const KEY: u64 = 0x4528_21e6_38d0_1377;
/// The fingerprint of the changes of a page that is as its image.
static UNCHANGED: OneThread<Cell<u128>> = OneThread::new(Cell::new(0));

/// Finds out how this processor hashes best. Call this once.
pub fn set_up() {
    let hasher = Hasher::new(KEY);
    HASHER.set(hasher);
    static ZEROES: [u8; PAGE] = [0; PAGE];
    // SAFETY: a page of zeroes.
    UNCHANGED.set(unsafe { hasher.memory(ZEROES.as_ptr() as usize, PAGE) });
}

/// Takes note that the program has asked or told something that is no part of its state.
#[inline]
pub fn outside() {
    lifetime::execution().states.outside.set(true);
}

/// Records the state at a decision, if `follower` is past its schedule. Returns how the execution ends here, if it does: because the
/// state is known, or because it is the end of a [cycle](cycle).
#[cold]
pub fn at_decision(follower: &Follower<'_>, world: &World<'_>, record: Record) -> Option<Outcome> {
    let passing = &lifetime::execution().states;
    passing.pass(record.events_so_far(), world);
    let is_due = cycle::is_due(record.events_so_far().len());
    if !is_due && !follower.is_past_schedule() {
        if touches::begins_at(record.events_so_far().len()) {
            touches::decision(hidden_pages(world), passing.history.get(), true);
        }
        return None;
    }
    if follower.immediate(world).is_some() {
        record.push_state(Fingerprint::NONE);
        return None;
    }
    let mut digest = Digest::default();
    add(&mut digest, world.fingerprint().0);
    for thread in world.ids() {
        add_thread(&mut digest, thread, world);
    }
    exit_handlers::words().flatten().for_each(|word| digest.add(word));
    digest.add(exit::ends() as u64);
    add_heaps(&mut digest);
    let (is_whole, hidden) = add_pages(&mut digest, world);
    let alive = |thread: ThreadId| thread.index() < world.extent() && world.thread(thread).phase == Phase::Alive;
    // What the detector knows decides nothing that the program does: a cycle is one without it.
    let races = if is_due { Some(0) } else { race::fingerprint(alive) };
    match races {
        Some(races) if is_whole => add(&mut digest, races),
        // Not everything is known that there is to know.
        _ => passing.outside.set(true),
    }
    passing.pass(record.events_so_far(), world);
    add(&mut digest, passing.history.get());
    touches::decision(hidden, passing.history.get(), false);
    let state = digest.finish();
    if is_due && let Some(outcome) = cycle::seen(state) {
        return Some(outcome);
    }
    if !follower.is_past_schedule() {
        return None;
    }
    record.push_state(state);
    // A section is one step: no execution ends inside.
    let ends = schedule::stops_at_states() && known::meet(state) && !schedule::in_section();
    ends.then_some(Outcome::Visited)
}

fn add(digest: &mut Digest, number: u128) {
    digest.add(number as u64);
    digest.add((number >> 64) as u64);
}

/// Adds `length` bytes of memory at `address`.
fn add_memory(digest: &mut Digest, address: usize, length: usize) {
    digest.add(address as u64);
    cycle::bytes(address, length);
    // SAFETY: callers name memory of the program that is mapped; nobody runs but this.
    add(digest, unsafe { HASHER.get().memory(address, length) });
}

fn add_thread(digest: &mut Digest, thread: ThreadId, world: &World<'_>) {
    let state = world.thread(thread);
    if state.phase != Phase::Alive {
        // Whoever joins it gets its value.
        digest.add(fiber::of(thread).value.get() as u64);
        return;
    }
    fiber::words_of(thread, state.steps).into_iter().for_each(|word| digest.add(word));
    let running = schedule::current();
    let pending = state.pending.code;
    if pending == life::START {
        // Its stack and its registers are those of its birth.
        fiber::start_of(thread).into_iter().for_each(|word| digest.add(word as u64));
        return;
    }
    let environment = if thread == running { arch::float_environment() } else { fiber::float_environment_of(thread) };
    digest.add(environment);
    if pending == life::EXIT || pending == life::LAST {
        // Nothing of the program is left on its stack.
        return;
    }
    let call = calls::of(thread, running);
    // Who ends the process has called functions of the program since, for example exit handlers.
    let left = if pending.family() == process::FAMILY { exit::left(thread) } else { None };
    if left.is_none() {
        call.arguments.into_iter().for_each(|word| digest.add(word));
    }
    let registers = left.unwrap_or(call.registers);
    // Where it has left, the call is over.
    let live = dead::live(thread, if left.is_none() { registers } else { [0; 7] });
    let counted = if left.is_none() { live.registers } else { registers };
    counted.into_iter().for_each(|word| digest.add(word));
    let (low, _) = fiber::stack_of(thread);
    // Control blocks hold ids of the kernel's: they count by what has changed in them, with the pages.
    let top = if thread == ThreadId::MAIN { arch::MAIN_BASE.get() } else { fiber::control_page(thread) };
    let stack = registers[6] as usize & !7;
    if stack >= top && thread == ThreadId::MAIN {
        // The main function has returned.
        return;
    }
    // A thread that called from another stack than its own is told apart by all of its own.
    let stack = if (low..top).contains(&stack) { stack } else { low };
    digest.add(stack as u64);
    live.each_part(stack, top, |address, length| {
        cycle::bytes(address, length);
        // SAFETY: memory of the program that is mapped, or a copy of it.
        add(digest, unsafe { HASHER.get().memory(address, length) });
    });
}

fn add_heaps(digest: &mut Digest) {
    for (base, length) in heap::arenas() {
        if length > 0 {
            digest.add(length as u64);
            add_memory(digest, base, length);
        }
    }
}

/// Whether functions of the program are on the stack of `thread`.
fn has_frames(thread: ThreadId, world: &World<'_>) -> bool {
    let is_there = thread.index() < world.extent() && world.thread(thread).phase == Phase::Alive;
    is_there && ![life::START, life::EXIT, life::LAST].contains(&world.thread(thread).pending.code)
}

/// Adds the pages that were written to. Returns whether these are known, and what is hidden in them.
fn add_pages(digest: &mut Digest, world: &World<'_>) -> (bool, u128) {
    let (mut sum, mut hidden) = (0u128, 0u128);
    let known = each_page(world, |page, changes| {
        cycle::bytes(page, PAGE);
        let fingerprint = of_page(page, changes);
        sum = sum.wrapping_add(fingerprint);
        hidden = hidden.wrapping_add(if touches::is_hidden(page) { fingerprint } else { 0 });
    });
    add(digest, sum);
    (known, hidden)
}

/// What libraries keep for themselves: see [`touches`].
fn hidden_pages(world: &World<'_>) -> u128 {
    let mut hidden = 0u128;
    each_page(world, |page, changes| {
        hidden = hidden.wrapping_add(if touches::is_hidden(page) { of_page(page, changes) } else { 0 });
    });
    hidden
}

/// Calls `each` with the pages that are not as they were and count, and with a digest of what has changed. Returns whether these are known.
fn each_page(world: &World<'_>, mut each: impl FnMut(usize, u128)) -> bool {
    let (stack, kernel_stack) = (start::main_stack().0..start::arguments().0, start::kernel_stack());
    let (_, main_top) = start::main_stack();
    let unchanged = UNCHANGED.get();
    snapshot::each_changed_with_image(|page, image| {
        let is_stack = stack.contains(&page) || (kernel_stack.0..kernel_stack.1).contains(&page);
        let others = if page >= main_top { fiber::thread_at(page) } else { None };
        if is_stack || others.is_some_and(|thread| !has_frames(thread, world) || page < fiber::control_page(thread)) {
            return;
        }
        // SAFETY: a page that was written to is mapped, and so is its image.
        let changes = unsafe { HASHER.get().difference(page, image, PAGE) };
        if changes != unchanged {
            each(page, changes);
        }
    })
}

/// The fingerprint of a page with these changes.
fn of_page(page: usize, changes: u128) -> u128 {
    Digest::of(&[page as u64, changes as u64, (changes >> 64) as u64]).0
}
