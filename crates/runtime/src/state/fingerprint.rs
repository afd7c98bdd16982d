//! Fingerprints of states, at decisions: every thread stands before an operation.
//!
//! A state is everything that decides what can follow. It has these parts:
//!
//! * the model's part: threads, what they are about to do, objects ([`World::fingerprint`]);
//! * globals of the program and its libraries, and thread-locals of the main thread: every page that was ever written to, against its
//!   image. A page with the content of its image counts nothing, whether it was written to or not;
//! * the live part of the stack of each thread, with what glibc keeps above it, and the registers that calls preserve;
//! * heaps: everything that was ever used, with the headers of blocks and the lists of free ones;
//! * what the runtime keeps for a thread in the kernel's place: signal masks, cancellation, name;
//! * a number that never comes again, once the program has asked or told something that is none of the above: the time, a pipe.
//!   From then on no state equals another.
//!
//! Not in the state: what was printed, the clocks of the race detector, counters of events, stacks of threads that have not begun or
//! have ended.

use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;

use heddle_detect::content::Hasher;
use heddle_model::follow::Follower;
use heddle_model::primitive::{process, thread as life};
use heddle_model::{Digest, Phase, ThreadId, World};

use crate::addresses::PAGE;
use crate::arch;
use crate::entry::start;
use crate::entry::wire::Record;
use crate::heap;
use crate::lifetime::{self, OneThread};
use crate::outside::exit;
use crate::schedule::{self, fiber};
use crate::state::{livelock, snapshot};

/// What states are told apart by beside memory, in one execution.
pub struct Passing {
    /// 0, or a number that no other state of this process has.
    epoch: Cell<u64>,
}

impl Passing {
    /// The state at the start of the process.
    pub const fn new() -> Passing {
        Passing { epoch: Cell::new(0) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        self.epoch.set(0);
    }
}

/// How memory is hashed in this process.
static HASHER: OneThread<Cell<Hasher>> = OneThread::new(Cell::new(Hasher::portable(KEY)));
const KEY: u64 = 0x4528_21e6_38d0_1377;

/// Finds out how this processor hashes best. Call this once.
pub fn set_up() {
    HASHER.set(Hasher::new(KEY));
}

/// Takes note that the program has asked or told something that is no part of its state.
#[inline]
pub fn outside() {
    lifetime::execution().states.epoch.set(fresh());
}

/// A number that no other step of any execution has: how many events there were before.
fn fresh() -> u64 {
    schedule::header().progress.load(Relaxed) + 1
}

/// Records the state at a decision, if `follower` is past its schedule.
#[cold]
pub fn at_decision(follower: &Follower<'_>, world: &World<'_>, record: Record) {
    if !follower.is_past_schedule() {
        return;
    }
    let mut digest = Digest::default();
    let model = world.fingerprint().0;
    add(&mut digest, model);
    digest.add(lifetime::execution().states.epoch.get());
    for thread in world.ids() {
        add_thread(&mut digest, thread, world);
    }
    add_heaps(&mut digest);
    add_pages(&mut digest);
    record.push_state(digest.finish());
}

fn add(digest: &mut Digest, number: u128) {
    digest.add(number as u64);
    digest.add((number >> 64) as u64);
}

/// Adds `length` bytes of memory at `address`.
fn add_memory(digest: &mut Digest, address: usize, length: usize) {
    digest.add(address as u64);
    // SAFETY: callers name memory of the program that is mapped; nobody runs but this.
    add(digest, unsafe { HASHER.get().memory(address, length) });
}

fn add_thread(digest: &mut Digest, thread: ThreadId, world: &World<'_>) {
    let state = world.thread(thread);
    if state.phase != Phase::Alive {
        return;
    }
    let fiber = fiber::of(thread);
    let cancellation = fiber.cancellation.get();
    let flags = [cancellation.disabled, cancellation.asynchronous, cancellation.exiting, fiber.detached.get(), fiber.ends.get()];
    digest.add(flags.iter().fold(0, |flags, &flag| flags << 1 | flag as u64));
    digest.add(fiber.value.get() as u64);
    for mask in [&fiber.signal_mask, &fiber.pending_signals, &fiber.awaited_signals] {
        digest.add(mask.get());
    }
    fiber.kernel_thread.get().words().into_iter().for_each(|word| digest.add(word as u64));
    let name = u128::from_ne_bytes(fiber.name.get());
    add(digest, name);
    let running = schedule::current();
    let pending = state.pending.code;
    if pending == life::START {
        // Its stack and its registers are those of its birth.
        fiber::start_of(thread).into_iter().for_each(|word| digest.add(word as u64));
        return;
    }
    if pending == life::EXIT || pending == life::LAST {
        // Nothing of the program is left on its stack.
        return;
    }
    let noted = livelock::registers_of(thread, running);
    // Who ends the process has called functions of the program since, for example exit handlers.
    let registers = if pending.family() == process::FAMILY { exit::left().unwrap_or(noted) } else { noted };
    registers.into_iter().for_each(|word| digest.add(word));
    let (low, size) = fiber::stack_of(thread);
    let top = if thread == ThreadId::MAIN { arch::MAIN_BASE.get() } else { low + size };
    let stack = registers[6] as usize & !7;
    if stack >= top && thread == ThreadId::MAIN {
        // The main function has returned.
        return;
    }
    // A thread that called from another stack than its own is told apart by all of its own.
    let stack = if (low..top).contains(&stack) { stack } else { low };
    add_memory(digest, stack, top - stack);
}

fn add_heaps(digest: &mut Digest) {
    for (base, length) in heap::arenas() {
        if length > 0 {
            digest.add(length as u64);
            add_memory(digest, base, length);
        }
    }
}

fn add_pages(digest: &mut Digest) {
    let (stack, kernel_stack) = (start::main_stack().0..start::arguments().0, start::kernel_stack());
    let (_, main_top) = start::main_stack();
    let mut sum = 0u128;
    let known = snapshot::each_changed_with_image(|page, image, hash| {
        let is_stack = stack.contains(&page) || (kernel_stack.0..kernel_stack.1).contains(&page);
        let is_others = page >= main_top && fiber::thread_at(page).is_some();
        if is_stack || is_others {
            return;
        }
        // SAFETY: a page that was written to is mapped, and so is its image.
        let (now, before) = unsafe {
            if hash.get() == 0 {
                hash.set(HASHER.get().memory(image, PAGE));
            }
            (HASHER.get().memory(page, PAGE), hash.get())
        };
        if now != before {
            sum = sum.wrapping_add(of_page(page, now)).wrapping_sub(of_page(page, before));
        }
    });
    add(digest, sum);
    if !known {
        // Without a snapshot, nobody knows which pages were written to.
        digest.add(fresh());
    }
}

/// The fingerprint of a page with this content.
fn of_page(page: usize, content: u128) -> u128 {
    Digest::of(&[page as u64, content as u64, (content >> 64) as u64]).0
}
