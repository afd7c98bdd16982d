//! Data races of the program: what the detector ([`heddle_detect::race`]) is told, and what happens after a race.
//!
//! Plain accesses are not events, and threads do not switch there. This is sound: if no order of the events leads to a
//! race, the order of plain accesses makes no difference. A race ends the execution if only the first race is wanted.
//! Otherwise it is listed and the execution continues; the search then makes its place visible ([`places`]) and starts
//! again. Accesses to visible places are events, but they synchronise nothing, so a race on them remains a race.

pub mod places;

use core::cell::Cell;

use heddle_detect::race::{Capacity, Detector};
use heddle_detect::shadow::{Exceeded, Found};
use heddle_detect::{Full, Lender, Zero, happens_before, shadow};
use heddle_model::content::PartKind;
use heddle_model::primitive::{atomic, memory as plain_memory, mutex, process_state, queue, section};
use heddle_model::race::{Access, Race};
use heddle_model::wire::Outside;
use heddle_model::{self as model, Event, Outcome, ThreadId, immediate, vain};

use crate::addresses::{self, PAGE, Reserve, SHADOW};
use crate::calls::libstdcxx;
use crate::calls::process_state::mappings_can_go;
use crate::detect::{library_calls, memcheck, stacks};
use crate::lifetime::{self, Exclusive};
use crate::state::{content, touches};
use crate::{heap, schedule};

/// How many objects and accesses the detector has room for.
const OBJECTS: happens_before::objects::Capacity =
    happens_before::objects::Capacity { granules: 1 << 18, words: 1 << 28 };
const ACCESSES: shadow::Capacity = shadow::Capacity { pages: 1 << 22, blocks: 1 << 23 };

/// Lends the cells of the shadow memory, one piece right after the other: the kernel keeps them as one mapping.
struct Cells {
    next: usize,
}

// SAFETY: maps zeroed memory in a range that nobody else uses, each piece once.
unsafe impl Lender<'static> for Cells {
    fn lend<T: Zero>(&mut self, count: usize) -> &'static mut [T] {
        let (at, bytes) = (self.next, (count * size_of::<T>()).next_multiple_of(PAGE));
        addresses::map(at, bytes);
        self.next += bytes;
        // SAFETY: freshly mapped, page aligned, zeroed, handed out once.
        unsafe { core::slice::from_raw_parts_mut(at as *mut T, count) }
    }

    fn wipe<T: Zero>(&mut self, lent: &mut [T]) {
        // Mapped anew, everything is zero, and what was not touched costs nothing.
        addresses::map(lent.as_ptr() as usize, size_of_val(lent));
    }
}

/// The place that stands for what libraries keep that nobody instrumented. The program has nothing there.
const LIBRARIES: usize = addresses::STATES - 8;
/// How many frames of the call stack of an earlier access are kept.
const FRAMES: usize = 128;

/// The data races of an execution.
pub struct Races {
    /// None if races are not looked for.
    detector: Exclusive<Option<Detector<'static, Cells>>>,
    /// Whether executions go on after races. Set once.
    goes_on: Cell<bool>,
    /// The race that this execution is to end at.
    aim: Cell<Option<Race>>,
    /// The call stack of the earlier access of that race, and how many words of it are known.
    earlier: Exclusive<([u64; FRAMES], usize)>,
}

impl Races {
    /// Races are not looked for.
    pub const fn new() -> Races {
        Races {
            detector: Exclusive::new(None),
            goes_on: Cell::new(false),
            aim: Cell::new(None),
            earlier: Exclusive::new(([0; FRAMES], 0)),
        }
    }

    /// Begins an execution with room for `threads` threads. It ends at the race `aim`, if there is one. `visible` are
    /// the visible places.
    pub fn reset(&self, threads: usize, aim: Option<Race>, visible: &[u64]) {
        places::forget_notes();
        if let Some(detector) = self.detector.borrow() {
            self.aim.set(aim);
            self.earlier.borrow().1 = 0;
            let addresses = visible.partition_point(|place| !vain::is_about_looks(*place));
            places::set(&visible[..addresses], aim.is_some_and(|aim| !aim.is_anywhere()));
            detector.reset(threads);
        }
    }
}

#[inline(always)]
fn races() -> &'static Races {
    &lifetime::execution().races
}

#[inline(always)]
fn detector() -> Option<&'static mut Detector<'static, Cells>> {
    races().detector.borrow().as_mut()
}

/// Reserves memory for `threads` threads. Call this once, and only if races are looked for.
pub fn set_up(reserve: &mut Reserve, threads: usize, goes_on: bool) {
    let capacity = Capacity { threads, objects: OBJECTS, accesses: ACCESSES };
    places::set_up(reserve);
    *races().detector.borrow() = Some(Detector::new(reserve, capacity, Cells { next: SHADOW }));
    races().goes_on.set(goes_on);
}

/// Whether races are looked for.
#[inline(always)]
pub fn on() -> bool {
    detector().is_some()
}

/// The running thread's own time: it advances with each event. 0 if races are not looked for.
#[inline(always)]
pub fn time() -> u32 {
    detector().map_or(0, |detector| detector.now().1)
}

/// Whether what `thread` did at its time `time` happens before what the running thread does now. True if races are not looked for.
pub fn knows(thread: ThreadId, time: u32) -> bool {
    detector().is_none_or(|detector| detector.knows(thread, time))
}

/// Takes note that the running thread uses memory on the stack of `owner` where a frame may have ended unseen. If it is not
/// visible yet, it is to become so.
#[cold]
pub fn suspect(owner: ThreadId, address: usize, size: usize, pc: u64) {
    if on() && !places::within(address, size) {
        let earlier = Found { how: Access::ENDING, thread: owner, time: 0, pc: 0 };
        suspect_after(address, size, Access::new(false, false), pc, address >> 3, &earlier);
    }
}

/// Takes note of the races of an access to memory that is not there any more: what freed it, if nothing orders the two. The access is
/// about to be reported as a memory error, which says more. Its place is to become visible, so that it is known in every order.
#[cold]
pub fn too_late(address: usize, size: usize, how: Access, pc: u64) {
    let Some(detector) = detector() else { return };
    // A wrong size can be as large as all memory.
    let size = size.min(PAGE);
    let races = |granule, found: &Found| suspect_after(address, size, how, pc, granule, found);
    if let Err(exceeded) = detector.access(address, size, how, pc, true, races) {
        too_many(exceeded);
    }
}

/// Lists a race that is no finding: see [`Race::is_suspected`].
fn suspect_after(address: usize, size: usize, how: Access, pc: u64, granule: usize, earlier: &Found) {
    schedule::raced(&Race {
        address: address as u64,
        size: size as u64,
        later: how,
        later_thread: schedule::current(),
        later_pc: pc,
        earlier: earlier.how.suspected(),
        earlier_thread: earlier.thread,
        earlier_pc: earlier.pc,
        place: (granule as u64) << 3,
        earlier_time: earlier.time,
        events: schedule::events(),
    });
}

/// Tells the detector that `thread` runs from now on.
#[inline]
pub fn switched(thread: ThreadId) {
    if let Some(detector) = detector() {
        detector.switched(thread);
    }
}

/// Tells the detector of an event, which orders what follows it.
#[inline]
pub fn event(event: &Event) {
    library_calls::at_event(event, false);
    orders(event);
    library_calls::at_event(event, true);
}

#[inline]
fn orders(event: &Event) {
    // A plain access synchronises nothing, visible or not, and no language standard says that a file does.
    let Some(detector) = detector() else { return };
    let family = event.operation.code.family();
    let state = process_state::State::of(event.operation.code);
    // That a thread waits until others have noticed what it did orders nothing either.
    let polls = event.operation.code == mutex::POLL;
    if family == plain_memory::FAMILY || polls || state.is_some_and(|state| !state.synchronises()) {
        return;
    }
    if event.operation.code.family() == section::FAMILY {
        return fits(detector.section(event));
    }
    if queue::may_queue(event) {
        match queue::without_queue(event) {
            Some(event) => fits(detector.event(&event)),
            None => return,
        }
    } else {
        fits(detector.event(event));
    }
    let operation = &event.operation;
    if operation.code.family() == atomic::FAMILY && operation.code != atomic::FENCE {
        let write = operation.code != atomic::LOAD && !event.failed();
        watch(operation.object.0 as usize, operation.size as usize, event.pc);
        if stacks::may_be_others(operation.object.0 as usize)
            && let Some(owner) = stacks::owner(operation.object.0 as usize)
        {
            stacks::used(owner, operation.object.0 as usize, operation.size as usize, event.pc);
        }
        // In dead memory this is a memory error, which is about to be reported.
        if memcheck::forbids(operation) {
            advance(event.thread);
            return;
        }
        let (address, size) = (operation.object.0 as usize, operation.size as usize);
        access(address, size, Access::new(write, true), event.pc, true);
    }
    if memcheck::needs_its_object(operation) && operation.code.family() != atomic::FAMILY {
        // Freeing or overwriting a lock in the heap must be ordered after every use of it, and so must the end of the
        // frame or of the mapping that it is in.
        let address = operation.object.0 as usize;
        let owner = if stacks::may_be_others(address) { stacks::owner(address) } else { None };
        let may_go = heap::in_range(address) || owner.is_some() || mappings_can_go();
        if may_go && !memcheck::forbids(operation) {
            if let Some(owner) = owner {
                stacks::used(owner, address, 1, event.pc);
            }
            watch(address, 1, event.pc);
            access(address, 1, Access::new(false, true), event.pc, true);
        }
    }
    // Not earlier: threads that synchronise with this event also synchronise with its access.
    advance(event.thread);
}

/// Tells the detector that the running thread releases `size` bytes at `address`, in code that is not instrumented.
pub fn released(address: usize, size: usize) {
    touches::everything();
    if let Some(detector) = detector() {
        fits(detector.release(address, size));
        advance(schedule::current());
    }
}

/// Tells the detector that a library changes a variable that the program may look at itself. Calls of the library do not race with each
/// other, but with the program's own accesses.
pub fn changed_by_library(address: usize, size: usize, pc: u64) {
    touches::note(address, size, Access::new(true, true));
    if on() {
        watch(address, size, pc);
        access(address, size, Access::new(true, true), pc, true);
    }
}

/// Tells the detector that a library reads a variable that the program may set itself.
pub fn read_by_library(address: usize, size: usize, pc: u64) {
    touches::note(address, size, Access::new(false, true));
    if on() {
        watch(address, size, pc);
        access(address, size, Access::new(false, true), pc, true);
    }
}

/// Records that the running thread has called libraries that nobody instrumented, and tells the search if nothing orders that after the calls of
/// another thread.
#[cold]
pub fn called_library() {
    let Some(detector) = detector() else { return };
    let tell = |_, _: &Found| schedule::goes_outside(Outside::Calls);
    if let Err(exceeded) = detector.access(LIBRARIES, 8, Access::new(true, false), 0, true, tell) {
        too_many(exceeded);
    }
}

/// Looks at an access of the running thread. If it is the earlier access of the race that this execution is to end at, its call stack is
/// kept.
#[cold]
fn watch(address: usize, size: usize, pc: u64) {
    let Some(aim) = races().aim.get() else { return };
    let Some((thread, time)) = detector().map(|detector| detector.now()) else { return };
    let place = aim.place as usize;
    let (frames, count) = races().earlier.borrow();
    if (thread, time, pc) == (aim.earlier_thread, aim.earlier_time, aim.earlier_pc)
        && address < place + 8
        && place < address + size
        && *count == 0
    {
        frames[0] = pc;
        *count = 1 + crate::record::callstack::copy(thread, &mut frames[1..]);
    }
}

/// Calls `each` with the call stacks that belong to the race at `address` that ended the execution, as the wire format has them. First that
/// of the earlier access. If `address` is in a block of the heap, then that of its allocation, and two words that are no stack: the
/// block's address and its size.
pub fn stacks_of(address: usize, mut each: impl FnMut(&[u64])) {
    let (frames, count) = races().earlier.borrow();
    each(&frames[..*count]);
    if heap::in_range(address) {
        memcheck::block_at(address, each);
    }
}

/// Records a plain access of the running thread. Only in executions. `visible`: it is an event, which was just taken.
#[inline(always)]
pub fn plain(address: usize, size: usize, how: Access, pc: u64, visible: bool) {
    if visible && on() {
        watch(address, size, pc);
    }
    if !visible {
        touches::note(address, size, how);
    }
    access(address, size, how, pc, visible);
}

/// Records that the running thread frees a block. Only in executions.
pub fn freed(address: usize, size: usize, pc: u64) {
    touches::note(address, size, Access::FREEING);
    if on() {
        watch(address, size, pc);
        access(address, size, Access::FREEING, pc, false);
    }
}

/// Records that a part of the running thread's stack dies. Only in executions.
pub fn ended(address: usize, size: usize, pc: u64) {
    touches::note(address, size, Access::ENDING);
    if on() {
        watch(address, size, pc);
        access(address, size, Access::ENDING, pc, false);
    }
}

/// Records that the running thread does something to a range of memory as a whole. `gone`: nothing is there afterwards.
pub fn range(address: usize, size: usize, how: Access, pc: u64, gone: bool) {
    touches::everything();
    let Some(detector) = detector() else { return };
    watch(address, size, pc);
    let result = detector.range((address, size), how, pc, gone, |granule, found| {
        report(granule << 3, 8, how, pc, granule, found);
    });
    if let Err(exceeded) = result {
        too_many(exceeded);
    }
}

/// Whether something was done to memory as a whole in this execution (unmapped, protected) that this access may have to do with.
#[inline(always)]
pub fn is_changed(address: usize, size: usize) -> bool {
    detector().is_some_and(|detector| detector.is_changed(address, size))
}

/// What the detector knows that can still matter to threads that are `alive`: see [`Detector::fingerprint`]. Where the search is told of plain
/// memory, only the places count of which it has found out that locks alone do not order who uses them.
pub fn fingerprint(alive: impl Fn(ThreadId) -> bool) -> Option<u128> {
    let Some(detector) = detector() else { return Some(0) };
    let show = |granule: u64, words: &[u64]| content::words(PartKind::Access, granule, words);
    if !touches::are_told() || schedule::is_revealed(immediate::ALL_WATCHED) {
        detector.fingerprint(alive, |_| true, show)
    } else if schedule::is_revealed(immediate::SOME_WATCHED) {
        detector.fingerprint(alive, |granule| schedule::is_revealed(immediate::watched(granule as u64)), show)
    } else {
        detector.ranges_are_empty().then_some(0)
    }
}

/// Takes note that other memory is at these addresses now. Only in executions.
pub fn renewed(address: usize, size: usize) {
    if let Some(detector) = detector() {
        detector.renewed((address, size));
    }
}

/// Records an access of the running thread, and reports its races. `again`: see [`Detector::access`].
#[inline(always)]
fn access(address: usize, size: usize, how: Access, pc: u64, again: bool) {
    let Some(detector) = detector() else { return };
    let result = detector.access(address, size, how, pc, again, |granule, found| {
        report(address, size, how, pc, granule, found);
    });
    if let Err(exceeded) = result {
        too_many(exceeded);
    }
}

#[cold]
fn too_many(exceeded: Exceeded) -> ! {
    let what = match exceeded {
        Exceeded::Pages => model::Capacity::Shadow,
        Exceeded::Blocks => model::Capacity::Readers,
    };
    schedule::stop(Outcome::Capacity(what), 0, b"")
}

fn advance(thread: ThreadId) {
    if let Some(detector) = detector() {
        detector.advance(thread);
    }
}

/// Ends the execution if the detector has no room for what was done.
#[inline]
fn fits(result: Result<(), Full>) {
    if let Err(Full) = result {
        schedule::stop(Outcome::Capacity(model::Capacity::Atomics), 0, b"");
    }
}

#[cold]
fn report(address: usize, size: usize, how: Access, pc: u64, granule: usize, earlier: &Found) {
    if libstdcxx::keeps(address) {
        return;
    }
    // A frame ends over everything from the first variable that others have used. The one that this race is about counts.
    let (address, size) = if how.ends() {
        let (from, to) = (address.max(granule << 3), (address + size).min((granule + 1) << 3));
        (from, to - from)
    } else {
        (address, size)
    };
    let race = Race {
        address: address as u64,
        size: size as u64,
        later: how,
        later_thread: schedule::current(),
        later_pc: pc,
        earlier: earlier.how,
        earlier_thread: earlier.thread,
        earlier_pc: earlier.pc,
        place: (granule as u64) << 3,
        earlier_time: earlier.time,
        events: schedule::events(),
    };
    if !races().goes_on.get() || races().aim.get().is_some_and(|aim| aim.is_again(&race)) {
        schedule::stop(Outcome::Race(race), pc, b"")
    }
    schedule::raced(&race);
}
