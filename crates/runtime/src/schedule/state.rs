//! The scheduler's state, and the queries of the rest of the runtime about it.

use core::cell::Cell;
use core::mem::MaybeUninit;

use heddle_model::follow::{Follower, PlanView};
use heddle_model::immediate::Immediate;
use heddle_model::primitive::{self, section};
use heddle_model::race::Race;
use heddle_model::vain::Vain;
use heddle_model::wire::{Header, NO_STATES, Note, ROUNDS, STOP_AT_STATES, known};
use heddle_model::{
    Choice, Event, Latitude, Memory, ObjectId, Operation, Phase, PlainTouch, ThreadId, WakeupOrder, World,
};

use super::{fiber, spin_loop};
use crate::addresses::Reserve;
use crate::arch::Context;
use crate::calls::{custom, tsan};
use crate::detect::{memcheck, race};
use crate::entry::report::Record;
use crate::entry::wire::Wire;
use crate::lifetime::{self, Exclusive, OneThread};
use crate::state::{calls, livelock};

/// The return address of the current interposed call; see `interpose!`. A static of its own, because assembly refers to
/// its symbol.
pub static CALLER: OneThread<Cell<u64>> = OneThread::new(Cell::new(0));
/// The callee-saved registers and the stack pointer at the current interposed call: rbx, rbp, r12 to r15, rsp. A static
/// of its own, because assembly refers to its symbol.
pub static REGISTERS: OneThread<Cell<[u64; 7]>> = OneThread::new(Cell::new([0; 7]));

/// The number of objects (mutexes, semaphores, ...) that one execution has room for.
const OBJECTS: usize = 1 << 20;

/// The scheduler's state in the current execution.
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
    /// What to do about states: a number of [`heddle_model::wire::WirePlan::states`].
    pub(super) states: Cell<u32>,
    /// What is known of looks in vain.
    pub(super) vain: Cell<Vain<'static>>,
    /// How many threads await.
    pub(super) awaiting: Cell<u32>,
    /// How the thread whose turn it is takes its operation.
    pub(super) choice: Cell<Choice>,
    /// The atomic section under way.
    pub(super) section: Section,
    /// Where the controller is suspended while the program runs.
    pub(super) controller: Cell<Context>,
}

/// The atomic section under way.
pub(super) struct Section {
    /// The nesting depth of sections. 0 outside of any.
    pub depth: Cell<u32>,
    /// The index of the event that began the outermost section.
    pub begin: Cell<u32>,
    /// The accesses of the section so far.
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
    /// The state at the start of the process.
    pub const fn new() -> Totals {
        Totals { progress: Cell::new(0) }
    }
}

impl Schedule {
    /// The state at the start of the process.
    pub const fn new() -> Schedule {
        Schedule {
            active: Cell::new(false),
            current: Cell::new(ThreadId::MAIN),
            model: Exclusive::new(MaybeUninit::uninit()),
            record: Cell::new(Record::NOWHERE),
            recording: Cell::new(false),
            states: Cell::new(NO_STATES),
            vain: Cell::new(Vain::NOTHING),
            awaiting: Cell::new(0),
            choice: Cell::new(Choice::FIRST),
            section: Section {
                depth: Cell::new(0),
                begin: Cell::new(0),
                summary: Exclusive::new(MaybeUninit::uninit()),
            },
            controller: Cell::new(Context::EMPTY),
        }
    }

    /// Resets the state at the start of the execution of plan `sequence`. The main thread is about to run.
    pub fn reset(&self, wire: Wire, sequence: u32) {
        let Schedule {
            active,
            current,
            model: _,
            record,
            recording,
            states,
            vain,
            awaiting,
            choice,
            section,
            controller,
        } = self;
        active.set(false);
        current.set(ThreadId::MAIN);
        record.set(wire.record_of(sequence));
        record.get().clear();
        recording.set(wire.recording(sequence));
        states.set(wire.states(sequence));
        vain.set(Vain::new(wire.places()));
        awaiting.set(0);
        choice.set(Choice::FIRST);
        section.depth.set(0);
        controller.set(Context::of_caller());
        world().reset();
        let plan = wire.plan(sequence);
        world().limit_steps(plan.max_steps);
        world().note_sections(plan.immediate == Immediate::Sections);
        *follower() = Follower::new(plan);
    }
}

/// Reads the program's memory for the model.
struct ProgramMemory;

impl Memory for ProgramMemory {
    fn compare_fails(&self, operation: &Operation) -> bool {
        tsan::compare_fails(operation)
    }

    #[inline]
    fn is_vain(&self, state: u64, look: &Operation) -> bool {
        let known = schedule().vain.get();
        // A look at memory that is gone is a fault, whatever is there.
        known.knows(state) && !memcheck::forbids(look) && known.is_vain(state, tsan::content(look))
    }

    fn knows(&self, number: u64) -> bool {
        schedule().vain.get().has(number)
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

/// Whether the search has revealed a number among the visible places.
pub fn is_revealed(number: u64) -> bool {
    schedule().vain.get().has(number)
}

/// What is known of looks in vain.
#[inline(always)]
pub(super) fn vain() -> Vain<'static> {
    schedule().vain.get()
}

/// The memory shared with the driver. Only where there is a driver.
#[inline(always)]
pub(super) fn wire() -> Wire {
    Wire::ATTACHED
}

/// Reserves memory for the states of threads and objects. Call this once.
pub fn set_up(reserve: &mut Reserve, wire: Wire) {
    let threads = wire.header().layout.threads as usize;
    let world = World::over_zeroes(reserve.take(threads), reserve.take(OBJECTS), &ProgramMemory);
    schedule().model.borrow().write(Model { world, follower: Follower::new(PlanView::default()) });
    lifetime::process().schedule.progress.set(wire.progress());
}

/// The return address of the program's call of the function that is running now.
#[inline(always)]
pub fn caller() -> u64 {
    CALLER.get()
}

/// The callee-saved registers and the stack pointer at the program's call of the function that is running now.
#[inline(always)]
pub fn registers() -> [u64; 7] {
    REGISTERS.get()
}

/// The stack pointer at the program's last call of a function of the runtime, by the running thread.
#[inline(always)]
pub(super) fn called_at() -> usize {
    REGISTERS.get()[6] as usize
}

/// Sets what [`called_at`] answers: what it was, where another thread has run in the middle of a call; 0, which means that it is
/// not known, where an operation follows whose call has not noted its registers.
#[inline(always)]
pub fn set_called_at(stack: usize) {
    let mut registers = REGISTERS.get();
    registers[6] = stack as u64;
    REGISTERS.set(registers);
}

/// Whether the program runs under control, inside an execution. Otherwise (before `main`, or without Heddle) every
/// interposed function behaves like the one that it replaces.
#[inline(always)]
pub fn active() -> bool {
    schedule().active.get()
}

/// Ends control for good, because this process is a child that the program has forked.
pub fn release() {
    schedule().active.set(false);
}

/// The thread that is running.
#[inline(always)]
pub fn current() -> ThreadId {
    schedule().current.get()
}

/// Which call for a given input this is of the running thread, from 0. Counts the call.
pub fn next_input() -> u32 {
    let asked = &mut world().thread_mut(current()).inputs;
    *asked += 1;
    *asked - 1
}

/// Whether call stacks and output are recorded in this execution.
#[inline(always)]
pub fn recording() -> bool {
    schedule().recording.get()
}

/// Whether wait loops go round: the execution is one of a search with states.
#[inline(always)]
pub(super) fn has_states() -> bool {
    schedule().states.get() != NO_STATES
}

/// Whether the state is computed at each decision past the schedule.
#[inline(always)]
pub(super) fn computes_states() -> bool {
    has_states() && schedule().states.get() != ROUNDS
}

/// Whether the execution ends at a state that is known.
pub fn stops_at_states() -> bool {
    schedule().states.get() == STOP_AT_STATES
}

/// The phase of the life of `thread`.
pub fn phase(thread: ThreadId) -> Phase {
    world().thread(thread).phase
}

/// The freedom of the thread library that is explored.
#[inline]
pub fn latitude() -> &'static Latitude {
    &header().settings.latitude
}

/// How often the current thread has timed out in this execution.
pub fn timeouts_of_current() -> u32 {
    world().thread(current()).timeouts
}

/// The number of spurious wakeups of the current thread in this execution.
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

/// How many operations the current thread has taken in this execution.
pub fn steps_of_current() -> u32 {
    world().thread(current()).steps
}

/// Whether there has been no other thread yet in this execution.
pub fn is_first() -> bool {
    !active() || current() == ThreadId::MAIN && children_of_current() == 0
}

/// Whether every other thread that there ever was has ended, and its end happens before what the current thread does now. Then nobody
/// can tell in which order this and other threads' calls are made. It follows from what the current thread has joined, and not from who
/// happens to have ended: equivalent executions agree on it.
pub fn is_alone() -> bool {
    !active() || current() == ThreadId::MAIN && fiber::of(ThreadId::MAIN).unjoined.get() == 0
}

/// The wakeup policy that the program has given to `object`.
pub fn own_order(object: ObjectId) -> Option<WakeupOrder> {
    primitive::queue::policy_of(world(), object)
}

/// Whether so many threads wait at `barrier` that its possible rounds cannot be numbered.
pub fn barrier_is_crowded(barrier: ObjectId) -> bool {
    primitive::barrier::is_crowded(world(), barrier)
}

/// The number of operations on `object`, a custom primitive, in this execution.
pub fn custom_steps(object: ObjectId) -> u32 {
    primitive::custom::steps(world(), object)
}

/// Whether `object`, of this family, is known to have been initialised or destroyed: see `heddle_model::misuse`.
pub fn life(object: ObjectId, family: u8) -> u32 {
    world().objects.get(object, family).map_or(0, |slot| slot.life)
}

/// What this execution has done to the control of a one-time initialisation.
pub fn once_phase(control: ObjectId) -> primitive::once::Phase {
    primitive::once::phase(world(), control)
}

/// A control of a one-time initialisation that is done, among these bytes.
pub fn first_finished_once(address: usize, size: usize) -> Option<ObjectId> {
    primitive::once::finished(world(), address as u64, (address + size) as u64)
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

/// Whether the next operation of another thread satisfies `holds`.
pub fn others_are_about_to(holds: impl Fn(&Operation) -> bool) -> bool {
    let world = world();
    let about = |thread: ThreadId| world.thread(thread).phase == Phase::Alive && holds(&world.thread(thread).pending);
    world.ids().any(|thread| thread != current() && about(thread))
}

/// Whether the next operation of `thread` is the end of the process.
pub fn is_about_to_end_process(thread: ThreadId) -> bool {
    world().thread(thread).pending.ends_process()
}

/// Whether any thread awaits.
#[inline(always)]
pub fn somebody_awaits() -> bool {
    schedule().awaiting.get() > 0
}

/// The states that the search knows.
pub fn known_states() -> &'static [known::Entry] {
    wire().known()
}

/// The header of the shared memory.
#[inline(always)]
pub fn header() -> &'static Header {
    wire().header()
}

/// Notes that the search skips a timeout of the current thread.
#[cold]
pub fn leave_out_timeouts() {
    wire().note(Note::TimeoutsLeftOut);
}

/// Notes that the current thread waits in a loop that looks at a clock. What it does only at certain times is not explored.
#[cold]
pub fn waits_by_clock() {
    wire().note(Note::WaitsByClock);
}

/// Notes that the program has asked for a number with more values than are tried.
#[cold]
pub fn note_values() {
    wire().note(Note::ValuesUsed);
}

/// Notes that the program does something outside the model.
#[cold]
pub fn goes_outside(how: Note) {
    wire().note(how);
}

/// Where the execution is written.
pub fn record() -> Record {
    schedule().record.get()
}

/// Records a data race after which the execution continues.
pub fn raced(race: &Race) {
    schedule().record.get().push_race(race);
}

/// Tells the search what was done with plain memory.
pub fn told(touch: PlainTouch) {
    schedule().record.get().push_touch(touch);
}

/// Records output of the program.
pub fn printed(bytes: &[u8]) {
    spin_loop::changed();
    livelock::printed();
    if recording() || header().settings.outputs {
        schedule().record.get().push_output(bytes, header().layout.output);
    }
}

/// Notes that the current thread writes plain memory while others await. Where data races are not looked for, threads whose loops
/// read plain memory are woken, because they could miss the write.
///
/// Elsewhere they cannot. If nothing orders the write with the read in the loop, that is a race, and the place becomes visible: then
/// the loop awaits it. If something does, the thread learns of the write by an operation on a place that it awaits. To wake it earlier
/// would make what it does depend on when an independent thread wrote.
#[cold]
pub fn plain_write() {
    if race::on() {
        return;
    }
    let world = world();
    for thread in world.ids() {
        if thread != current() && world.thread(thread).pending.is_await() && spin_loop::has_read_plain(thread) {
            world.thread_mut(thread).stirs += 1;
        }
    }
}

/// Calls a function of the program while nothing is under control.
pub fn uncontrolled<T>(call: impl FnOnce() -> T) -> T {
    // Interposed functions that it calls overwrite the return address and registers of the current call, so these are
    // restored.
    let (active, pc, interrupted) = (active(), caller(), calls::current());
    schedule().active.set(false);
    let result = call();
    schedule().active.set(active);
    CALLER.set(pc);
    calls::resume(interrupted);
    result
}
