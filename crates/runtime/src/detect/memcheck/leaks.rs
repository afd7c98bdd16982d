//! Blocks that nobody can reach any more when the process ends: nothing that may be a pointer leads to them.
//!
//! Every aligned word of the program's globals, of the live part of the stacks, of thread control blocks and of what was
//! allocated before `main` is taken for a pointer if it could be one, to anywhere in a block; so are the words of every
//! block that is reached like that. What is left was allocated by a thread of the program's in this execution, and
//! cannot be freed by anybody. A pointer that is kept in another form (as an offset, or with bits of it in use) is not
//! recognised.
//!
//! Only with `--leaks`: it reads all memory after each execution.

use heddle_model::fault::{Fault, FaultKind};
use heddle_model::{Phase, ThreadId};

use crate::addresses::{HEAPS, PRIVATE, PRIVATE_END, Reserve, STACKS_END};
use crate::arch;
use crate::entry::start;
use crate::heap::{self, State};
use crate::outside::exit;
use crate::schedule::{self, fiber};
use crate::state::snapshot;

/// Blocks that are reached and not looked into yet. When there is no room, those that were left out are found by going
/// over all blocks again.
const WAITING: usize = 1 << 20;
/// Blocks that are told one by one.
const TOLD: usize = 16;
const MAPS: usize = 4 << 20;

static mut STACK: &mut [usize] = &mut [];
static mut DEPTH: usize = 0;
static mut OVERFLOW: bool = false;
static mut TEXT: &mut [u8] = &mut [];
static mut LOST: [usize; TOLD] = [0; TOLD];
static mut LOST_COUNT: usize = 0;

/// Makes room. Once; only if leaks are to be looked for.
pub fn set_up(reserve: &mut Reserve) {
    // SAFETY: at start-up.
    unsafe {
        STACK = reserve.take(WAITING);
        TEXT = reserve.take(MAPS);
    }
}

fn on() -> bool {
    // SAFETY: set once.
    unsafe { !STACK.is_empty() }
}

/// The blocks that were lost, as many as are told.
pub fn lost() -> impl Iterator<Item = usize> {
    // SAFETY: one kernel thread.
    unsafe { LOST[..LOST_COUNT].iter().copied() }
}

/// The process has ended in good order, on the stack of the thread that is running: what it leaves behind.
pub fn look() -> Option<Fault> {
    if !on() {
        return None;
    }
    roots();
    follow();
    let mut fault = Fault { kind: FaultKind::Leak, ..Fault::default() };
    // SAFETY: one kernel thread.
    unsafe {
        LOST_COUNT = 0;
        for place in
            heap::blocks_of_threads().filter(|place| place.state == State::Live && !heap::is_marked(place.block))
        {
            fault.count += 1;
            fault.bytes += place.size as u64;
            if LOST_COUNT < TOLD {
                LOST[LOST_COUNT] = place.block;
                LOST_COUNT += 1;
            }
        }
        fault.block = LOST[0] as u64;
    }
    fault.block_size = heap::size_of_block(fault.block as usize) as u64;
    (fault.count > 0).then_some(super::notes::complete(fault))
}

/// Everything that the program can still name.
fn roots() {
    let own = start::own_data();
    let main_stack = start::main_stack();
    // SAFETY: one kernel thread.
    unsafe {
        DEPTH = 0;
        OVERFLOW = false;
        snapshot::writable_mappings(TEXT, |low, high| {
            let ours = (PRIVATE..PRIVATE_END).contains(&low);
            let heap_or_stack = (HEAPS..STACKS_END).contains(&low);
            // One of the pieces it is in: a snapshot protects the pages that were not written to.
            let is_main_stack = low < main_stack.1 && main_stack.0 < high;
            if !ours && !heap_or_stack && !is_main_stack {
                scan(low, high.min(own.0));
                scan(low.max(own.1), high);
            }
        });
    }
    for place in heap::blocks_of_system().filter(|place| place.state == State::Live) {
        scan(place.block, place.block + place.size);
    }
    for index in 0..=fiber::donors() {
        let thread = ThreadId(index as u16);
        let (low, high) = if thread == ThreadId::MAIN {
            main_stack
        } else {
            let (low, size) = fiber::stack_of(thread);
            (low, low + size)
        };
        if schedule::phase(thread) != Phase::Alive && thread != schedule::current() {
            continue;
        }
        let from = if thread != schedule::current() {
            fiber::of(thread).context.get().stack()
        } else if let Some(registers) = exit::left() {
            registers[..6].iter().for_each(|&register| reach(register as usize));
            registers[6] as usize
        } else {
            arch::stack_pointer()
        };
        // Who stands on another stack, a signal handler's, has all of its own in use.
        scan(if (low..high).contains(&from) { from } else { low }, high);
    }
}

/// Reaches what the words from `low` to `high` may point to.
fn scan(low: usize, high: usize) {
    let mut at = low.next_multiple_of(size_of::<usize>());
    while at + size_of::<usize>() <= high {
        // SAFETY: the callers pass memory of the program's that is mapped.
        reach(unsafe { (at as *const usize).read_volatile() });
        at += size_of::<usize>();
    }
}

/// Reaches what this may point to.
fn reach(word: usize) {
    if heap::in_range(word)
        && let Some(block) = heap::block_containing(word)
        && heap::mark(block)
    {
        push(block);
    }
}

fn push(block: usize) {
    // SAFETY: one kernel thread.
    unsafe {
        if DEPTH == WAITING {
            OVERFLOW = true;
        } else {
            STACK[DEPTH] = block;
            DEPTH += 1;
        }
    }
}

/// Reaches all that can be reached from what was reached.
fn follow() {
    // SAFETY: one kernel thread.
    unsafe {
        loop {
            while DEPTH > 0 {
                DEPTH -= 1;
                let block = STACK[DEPTH];
                scan(block, block + heap::size_of_block(block));
            }
            if !OVERFLOW {
                return;
            }
            OVERFLOW = false;
            for place in heap::blocks_of_threads().filter(|place| heap::is_marked(place.block)) {
                scan(place.block, place.block + place.size);
            }
        }
    }
}
