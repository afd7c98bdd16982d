//! Leaks: blocks that no pointer leads to when the process ends.
//!
//! The roots are the program's globals, the live part of the stacks, thread control blocks, and the blocks that were
//! allocated before `main`. Every aligned word in them that could point into a block counts as a pointer to it, and so
//! do the words of every block that is reached. The remaining blocks were allocated by threads of the program in this
//! execution, and nothing can free them. A pointer that is stored in another form (as an offset, or with some of its
//! bits in use) is not recognised.
//!
//! This runs only with `--leaks`, because it reads all memory after each execution.

use heddle_model::fault::{Fault, FaultKind};
use heddle_model::{Phase, ThreadId};

use crate::addresses::{HEAPS, PRIVATE, PRIVATE_END, Reserve, STACKS_END};
use crate::arch;
use crate::entry::start;
use crate::heap::{self, State};
use crate::lifetime::Exclusive;
use crate::outside::{exit, exit_handlers};
use crate::schedule::{self, fiber};
use crate::state::snapshot;

/// Room for blocks that are reached and not scanned yet. Blocks that have no room are found by going over all blocks again.
const WAITING: usize = 1 << 20;
/// How many lost blocks are reported one by one.
const TOLD: usize = 16;
const MAPS: usize = 4 << 20;

/// What the search for lost blocks needs.
pub struct Search {
    reached: Exclusive<Reached>,
    /// Room for the kernel's list of mappings. None if leaks are not looked for.
    text: Exclusive<&'static mut [u8]>,
    /// The first blocks that were lost, and how many they are.
    lost: Exclusive<([usize; TOLD], usize)>,
}

/// The blocks that are reached and not scanned yet.
struct Reached {
    stack: &'static mut [usize],
    depth: usize,
    /// Whether some had no room.
    overflow: bool,
}

impl Search {
    /// Leaks are not looked for.
    pub const fn new() -> Search {
        Search {
            reached: Exclusive::new(Reached { stack: &mut [], depth: 0, overflow: false }),
            text: Exclusive::new(&mut []),
            lost: Exclusive::new(([0; TOLD], 0)),
        }
    }
}

fn search() -> &'static Search {
    &super::state().leaks
}

/// Reserves memory. Call this once, and only if leaks are looked for.
pub fn set_up(reserve: &mut Reserve) {
    search().reached.borrow().stack = reserve.take(WAITING);
    *search().text.borrow() = reserve.take(MAPS);
}

fn on() -> bool {
    !search().text.borrow().is_empty()
}

/// The blocks that were lost, as many as are reported one by one.
pub fn lost() -> impl Iterator<Item = usize> {
    let (blocks, count) = search().lost.borrow();
    blocks[..*count].iter().copied()
}

/// Looks for leaks at the end of the process, which exited normally on the stack of the running thread.
pub fn look() -> Option<Fault> {
    if !on() {
        return None;
    }
    roots();
    follow();
    let mut fault = Fault { kind: FaultKind::Leak, ..Fault::default() };
    let (lost, count) = search().lost.borrow();
    *count = 0;
    for place in heap::blocks_of_threads().filter(|place| place.state == State::Live && !heap::is_marked(place.block)) {
        fault.count += 1;
        fault.bytes += place.size as u64;
        if *count < TOLD {
            lost[*count] = place.block;
            *count += 1;
        }
    }
    fault.block = lost[0] as u64;
    fault.block_size = heap::size_of_block(fault.block as usize) as u64;
    (fault.count > 0).then_some(super::notes::taken().complete(fault))
}

/// Reaches everything that the roots point to.
fn roots() {
    let own = start::own_data();
    let main_stack = start::main_stack();
    let reached = search().reached.borrow();
    (reached.depth, reached.overflow) = (0, false);
    snapshot::writable_mappings(search().text.borrow(), |low, high| {
        let ours = (PRIVATE..PRIVATE_END).contains(&low);
        let heap_or_stack = (HEAPS..STACKS_END).contains(&low);
        // One of the pieces it is in: a snapshot protects the pages that were not written to.
        let is_main_stack = low < main_stack.1 && main_stack.0 < high;
        if !ours && !heap_or_stack && !is_main_stack {
            scan(low, high.min(own.0));
            scan(low.max(own.1), high);
        }
    });
    for place in heap::blocks_of_system().filter(|place| place.state == State::Live) {
        scan(place.block, place.block + place.size);
    }
    exit_handlers::arguments().for_each(reach);
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
        } else if let Some(registers) = exit::left(thread) {
            registers[..6].iter().for_each(|&register| reach(register as usize));
            registers[6] as usize
        } else {
            arch::stack_pointer()
        };
        // If the thread is on another stack, that of a signal handler, its whole own stack is in use.
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

/// Reaches the block that `word` may point to.
fn reach(word: usize) {
    if heap::in_range(word)
        && let Some(block) = heap::block_containing(word)
        && heap::mark(block)
    {
        push(block);
    }
}

fn push(block: usize) {
    let Reached { stack, depth, overflow } = search().reached.borrow();
    match stack.get_mut(*depth) {
        Some(free) => {
            *free = block;
            *depth += 1;
        }
        None => *overflow = true,
    }
}

fn pop() -> Option<usize> {
    let Reached { stack, depth, .. } = search().reached.borrow();
    *depth = depth.checked_sub(1)?;
    Some(stack[*depth])
}

/// Scans the blocks that were reached until no more are.
fn follow() {
    loop {
        while let Some(block) = pop() {
            scan(block, block + heap::size_of_block(block));
        }
        if !core::mem::take(&mut search().reached.borrow().overflow) {
            return;
        }
        for place in heap::blocks_of_threads().filter(|place| heap::is_marked(place.block)) {
            scan(place.block, place.block + place.size);
        }
    }
}
