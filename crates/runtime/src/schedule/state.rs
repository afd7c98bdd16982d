//! The scheduler's state, and what the rest of the runtime asks of it.

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::Relaxed;

use heddle_model::follow::{Follower, PlanView};
use heddle_model::primitive::{self, section};
use heddle_model::race::Race;
use heddle_model::wire::{Header, Outside};
use heddle_model::{Event, Latitude, Memory, ObjectId, Operation, Order, Phase, ThreadId, World};

use super::spin_loop;
use crate::addresses::Reserve;
use crate::arch::Context;
use crate::calls::{custom, tsan};
use crate::entry::wire::{Record, Wire};
use crate::lifetime::{self, Exclusive, OneThread};
use crate::state::livelock;

/// The return address of the interposed call under way; see `interpose!`. A static of its own, because assembly refers to it
/// by its symbol.
pub static CALLER: OneThread<Cell<u64>> = OneThread::new(Cell::new(0));
/// The registers that a call preserves, and the stack pointer, at the interposed call under way: rbx, rbp, r12 to r15, rsp.
/// A static of its own, because assembly refers to it by its symbol.
pub static REGISTERS: OneThread<Cell<[u64; 7]>> = OneThread::new(Cell::new([0; 7]));

/// Room for the objects (mutexes, semaphores, ...) of one execution.
const OBJECTS: usize = 1 << 20;

/// The scheduler's state in the execution under way.
pub struct Schedule {
    /// The program runs under control.
    pub(super) active: Cell<bool>,
    /// The thread that is running.
    pub(super) current: Cell<ThreadId>,
    /// The model's state of threads and objects, and the follower of the plan. Written by [`set_up`].
    model: Exclusive<MaybeUninit<Model>>,
    /// Where the execution is written.
    pub(super) record: Cell<Record>,
    /// Whether call stacks and output are recorded.
    pub(super) recording: Cell<bool>,
    /// How many threads await.
    pub(super) awaiting: Cell<u32>,
    /// The alternative that the thread whose turn it is takes.
    pub(super) choice: Cell<u16>,
    /// The atomic section under way.
    pub(super) section: Section,
    /// Where the controller is suspended while the program runs.
    pub(super) controller: Cell<Context>,
}

/// The atomic section under way.
pub(super) struct Section {
    /// How deep sections are nested; 0 outside of any.
    pub depth: Cell<u32>,
    /// The index of the event that began the outermost one.
    pub begin: Cell<u32>,
    /// What it has touched.
    pub summary: Exclusive<MaybeUninit<section::Summary>>,
}

/// The model's part of the state.
pub(super) struct Model {
    pub world: World<'static>,
    pub follower: Follower<'static>,
}

/// Counters over all executions of this process.
pub struct Totals {
    /// Events.
    pub(super) progress: Cell<u64>,
}

impl Totals {
    /// At start-up.
    pub const fn new() -> Totals {
        Totals { progress: Cell::new(0) }
    }
}

impl Schedule {
    /// At start-up.
    pub const fn new() -> Schedule {
        Schedule {
            active: Cell::new(false),
            current: Cell::new(ThreadId::MAIN),
            model: Exclusive::new(MaybeUninit::uninit()),
            record: Cell::new(Record::NOWHERE),
            recording: Cell::new(false),
            awaiting: Cell::new(0),
            choice: Cell::new(0),
            section: Section {
                depth: Cell::new(0),
                begin: Cell::new(0),
                summary: Exclusive::new(MaybeUninit::uninit()),
            },
            controller: Cell::new(Context::EMPTY),
        }
    }

    /// At the beginning of the execution of plan `sequence`: the main thread is about to run.
    pub fn reset(&self, wire: Wire, sequence: u32) {
        let Schedule { active, current, model: _, record, recording, awaiting, choice, section, controller } = self;
        active.set(false);
        current.set(ThreadId::MAIN);
        record.set(wire.record_of(sequence));
        record.get().clear();
        recording.set(wire.recording(sequence));
        awaiting.set(0);
        choice.set(0);
        section.depth.set(0);
        controller.set(Context::of_caller());
        world().reset();
        *follower() = Follower::new(wire.plan(sequence));
    }
}

/// Looks into the program's memory.
struct ProgramMemory;

impl Memory for ProgramMemory {
    fn compare_fails(&self, operation: &Operation) -> bool {
        tsan::compare_fails(operation)
    }

    fn custom_enabled(&self, operation: &Operation) -> Option<bool> {
        Some(custom::is_enabled(operation))
    }
}

/// The scheduler's state.
#[inline(always)]
pub(super) fn schedule() -> &'static Schedule {
    &lifetime::execution().schedule
}

/// The model's part of the state, by the rule of [`Exclusive`].
#[inline(always)]
pub(super) fn model() -> &'static mut Model {
    // SAFETY: `set_up` has run before anything can be active.
    unsafe { schedule().model.borrow().assume_init_mut() }
}

/// The states of threads and objects, by the rule of [`Exclusive`].
#[inline(always)]
pub(super) fn world() -> &'static mut World<'static> {
    &mut model().world
}

/// The follower of the plan, by the rule of [`Exclusive`].
#[inline(always)]
pub(super) fn follower() -> &'static mut Follower<'static> {
    &mut model().follower
}

/// The memory shared with the driver. Only where there is a driver.
#[inline(always)]
pub(super) fn wire() -> Wire {
    Wire::ATTACHED
}

/// Makes room for the states of threads and objects. Once.
pub fn set_up(reserve: &mut Reserve, wire: Wire) {
    let threads = wire.header().layout.threads as usize;
    let world = World::over_zeroes(reserve.take(threads), reserve.take(OBJECTS), &ProgramMemory);
    schedule().model.borrow().write(Model { world, follower: Follower::new(PlanView::default()) });
    lifetime::process().schedule.progress.set(wire.header().progress.load(Relaxed));
}

/// Where the program called the function that is running now.
#[inline(always)]
pub fn caller() -> u64 {
    CALLER.get()
}

/// The registers that a called function must preserve, and the stack pointer, as they were when the program called the
/// function that is running now.
#[inline(always)]
pub fn registers() -> [u64; 7] {
    REGISTERS.get()
}

/// Whether the program runs under control: inside an execution. Otherwise (before `main`, or run without Heddle)
/// every interposed function does what the one it replaces would do.
#[inline(always)]
pub fn active() -> bool {
    schedule().active.get()
}

/// From now on the program runs by itself: it is a child that the program has forked.
pub fn release() {
    schedule().active.set(false);
}

/// The thread that is running.
#[inline(always)]
pub fn current() -> ThreadId {
    schedule().current.get()
}

/// Whether call stacks and output are recorded in this execution.
#[inline(always)]
pub fn recording() -> bool {
    schedule().recording.get()
}

/// How far `thread` has come.
pub fn phase(thread: ThreadId) -> Phase {
    world().thread(thread).phase
}

/// What the thread library may do of its own accord.
#[inline]
pub fn latitude() -> &'static Latitude {
    &header().settings.latitude
}

/// How often the current thread has timed out in this execution.
pub fn timeouts_of_current() -> u32 {
    world().thread(current()).timeouts
}

/// How many waits of the current thread have been woken spuriously in this execution.
pub fn spurious_of_current() -> u32 {
    world().thread(current()).spurious
}

/// How many attempts of the current thread have failed spuriously in this execution.
#[inline]
pub fn failures_of_current() -> u32 {
    world().thread(current()).failures
}

/// How many children the current thread has created in this execution.
pub fn children_of_current() -> u32 {
    world().thread(current()).children
}

/// The wakeup policy that the program has given to `object`.
pub fn own_order(object: ObjectId) -> Option<Order> {
    let order = world().objects.get(object).map_or(0, |slot| slot.order);
    order.checked_sub(1).map(Order::from_code)
}

/// Whether more threads wait at `barrier` than can be chosen from.
pub fn barrier_is_crowded(barrier: ObjectId) -> bool {
    primitive::barrier::is_crowded(world(), barrier)
}

/// How many operations there were on a primitive that the program defines itself.
pub fn custom_steps(object: ObjectId) -> u32 {
    primitive::custom::steps(world(), object)
}

/// Whether `object` is known to have been initialised or destroyed: see `heddle_model::misuse`.
pub fn life(object: ObjectId) -> u32 {
    world().objects.get(object).map_or(0, |slot| slot.life)
}

/// Whether this execution has used `object`.
pub fn knows(object: ObjectId) -> bool {
    world().objects.get(object).is_some()
}

/// How many events there were in this execution.
pub fn events() -> u32 {
    world().events
}

/// The events of this execution.
pub fn events_so_far() -> &'static [Event] {
    schedule().record.get().events_so_far()
}

/// The threads that there have been so far.
pub fn threads() -> impl Iterator<Item = ThreadId> {
    world().ids()
}

/// Whether there are other threads than the current one.
pub fn has_others() -> bool {
    others_are_about_to(|_| true)
}

/// Whether another thread than the current one is about to take an operation for which `holds` is true.
pub fn others_are_about_to(holds: impl Fn(&Operation) -> bool) -> bool {
    let world = world();
    let about = |thread: ThreadId| world.thread(thread).phase == Phase::Alive && holds(&world.thread(thread).pending);
    world.ids().any(|thread| thread != current() && about(thread))
}

/// Whether any thread awaits.
#[inline(always)]
pub fn somebody_awaits() -> bool {
    schedule().awaiting.get() > 0
}

/// The beginning of the shared memory.
#[inline(always)]
pub fn header() -> &'static Header {
    wire().header()
}

/// A time-out of the current thread is left out of the search.
#[cold]
pub fn leave_out_timeouts() {
    header().timeouts_left_out.store(1, Relaxed);
}

/// The program does something that is outside the model.
#[cold]
pub fn goes_outside(how: Outside) {
    header().outside.fetch_or(how as u32, Relaxed);
}

/// A data race was seen, and the execution goes on.
pub fn raced(race: &Race) {
    schedule().record.get().push_race(race);
}

/// What the program prints.
pub fn printed(bytes: &[u8]) {
    spin_loop::changed();
    livelock::outside();
    if recording() || header().settings.outputs {
        schedule().record.get().push_output(bytes, header().layout.output);
    }
}

/// The current thread writes plain memory while others await. A thread whose loop reads plain memory must not wait for
/// a write that it may miss, so it is woken.
#[cold]
pub fn plain_write() {
    let world = world();
    for thread in world.ids() {
        if thread != current() && world.thread(thread).pending.is_await() && spin_loop::has_read_plain(thread) {
            world.thread_mut(thread).stirs += 1;
        }
    }
}

/// Calls a function of the program's while nothing is under control.
pub fn uncontrolled<T>(call: impl FnOnce() -> T) -> T {
    // Functions that it calls on its way note where they were called; afterwards the call under way goes on.
    let (active, pc, registers) = (active(), caller(), registers());
    schedule().active.set(false);
    let result = call();
    schedule().active.set(active);
    CALLER.set(pc);
    REGISTERS.set(registers);
    result
}
