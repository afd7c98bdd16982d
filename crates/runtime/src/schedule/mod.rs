//! The scheduler: every visible operation of the program comes through here.
//!
//! A thread that wants to do something visible announces it, then asks the follower of the plan who goes next. If that
//! is another thread, it switches to that thread's fiber and comes back when it is its own turn; then it takes the
//! operation and writes the event down. The scheduler runs on the stack of whoever called it; there is no scheduler
//! thread. Nothing here allocates, formats or makes a system call.

pub mod fiber;
mod finish;
mod measure;
pub mod spin_loop;
pub mod spurious_failure;
pub mod timed;
pub mod wakeup_policy;

use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::Relaxed;

use heddle_model::follow::{Decision, Follower, PlanView};
use heddle_model::primitive::atomic::FENCE;
use heddle_model::primitive::choice::ATTEMPT;
use heddle_model::primitive::process::END;
use heddle_model::primitive::{self, section, thread, yielding};
use heddle_model::race::Race;
use heddle_model::wire::Outside;
use heddle_model::{Event, EventFlags, Latitude, Memory, ObjectId, Operation, Order, Outcome, Phase, ThreadId, World};

use self::finish::{finish, record_stack};
use crate::addresses::Reserve;
use crate::arch::{self, Context};
use crate::calls::{custom, tsan};
use crate::detect::{memcheck, misuse, race};
use crate::entry::wire::{Record, Wire};
use crate::heap;
use crate::outside::files::streams;
use crate::outside::signals::delivery;
use crate::outside::{channel, exit, random, virtual_time};
use crate::record::{callstack, debug, locals};
use crate::state::livelock;

/// The return address of the interposed call under way; see `interpose!`.
pub static mut CALLER: u64 = 0;
/// The registers that a call preserves, and the stack pointer, at the same call: rbx, rbp, r12 to r15, rsp.
pub static mut REGISTERS: [u64; 7] = [0; 7];

static mut ACTIVE: bool = false;
static mut CURRENT: ThreadId = ThreadId::MAIN;
static mut ENGINE: MaybeUninit<Engine> = MaybeUninit::uninit();

/// Room for the objects (mutexes, semaphores, ...) of one execution.
const OBJECTS: usize = 1 << 20;

/// The state of the execution under way, and what outlives it.
struct Engine {
    /// Reset for each execution.
    world: World<'static>,
    /// Reset for each execution.
    follower: Follower<'static>,
    /// Where the execution is written. Reset for each execution.
    record: Record,
    /// Whether call stacks and output are recorded. Reset for each execution.
    recording: bool,
    /// Threads that await. Reset for each execution.
    awaiting: u32,
    /// The section under way: the index of its first event, what it touched, how deep sections are nested.
    section: (u32, section::Summary, u32),
    /// The alternative that the thread whose turn it is takes.
    choice: u16,
    /// Events of all executions of this process.
    progress: u64,
    controller: Context,
    wire: Wire,
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

#[inline(always)]
fn engine() -> &'static mut Engine {
    // SAFETY: one kernel thread, and `set_up` has run before anything can be active.
    unsafe { ENGINE.assume_init_mut() }
}

/// Makes room for the states of threads and objects. Once.
pub fn set_up(reserve: &mut Reserve, wire: Wire) {
    let threads = wire.header().layout.threads as usize;
    let world = World::over_zeroes(reserve.take(threads), reserve.take(OBJECTS), &ProgramMemory);
    // SAFETY: at start-up.
    unsafe {
        ENGINE.write(Engine {
            world,
            follower: Follower::new(PlanView::default()),
            record: Record::NOWHERE,
            recording: false,
            awaiting: 0,
            section: (0, section::Summary::default(), 0),
            choice: 0,
            progress: wire.header().progress.load(Relaxed),
            controller: Context::EMPTY,
            wire,
        });
    }
}

/// Where the program called the function that is running now.
#[inline(always)]
pub fn caller() -> u64 {
    // SAFETY: one kernel thread.
    unsafe { CALLER }
}

/// Whether the program runs under control: inside an execution. Otherwise (before `main`, or run without Heddle)
/// every interposed function does what the one it replaces would do.
#[inline(always)]
pub fn active() -> bool {
    // SAFETY: one kernel thread.
    unsafe { ACTIVE }
}

/// From now on the program runs by itself: it is a child that the program has forked.
pub fn release() {
    // SAFETY: one kernel thread.
    unsafe { ACTIVE = false };
}

/// The thread that is running.
#[inline(always)]
pub fn current() -> ThreadId {
    // SAFETY: one kernel thread.
    unsafe { CURRENT }
}

/// Whether call stacks and output are recorded in this execution.
#[inline(always)]
pub fn recording() -> bool {
    engine().recording
}

/// How far `thread` has come.
pub fn phase(thread: ThreadId) -> Phase {
    engine().world.thread(thread).phase
}

/// What the thread library may do of its own accord.
#[inline]
pub fn latitude() -> &'static Latitude {
    &engine().wire.header().latitude
}

/// How often the current thread has timed out in this execution.
pub fn timeouts_of_current() -> u32 {
    engine().world.thread(current()).timeouts
}

/// How many waits of the current thread have ended for no reason in this execution.
pub fn spurious_of_current() -> u32 {
    engine().world.thread(current()).spurious
}

/// How many attempts of the current thread have failed for no reason in this execution.
#[inline]
pub fn failures_of_current() -> u32 {
    engine().world.thread(current()).failures
}

/// The wakeup policy that the program has given to `object`.
pub fn own_order(object: ObjectId) -> Option<Order> {
    let order = engine().world.objects.get(object).map_or(0, |slot| slot.order);
    order.checked_sub(1).map(Order::from_code)
}

/// Whether more threads wait at `barrier` than can be chosen from.
pub fn barrier_is_crowded(barrier: ObjectId) -> bool {
    primitive::barrier::is_crowded(&engine().world, barrier)
}

/// How many operations there were on a primitive of the program's own.
pub fn custom_steps(object: ObjectId) -> u32 {
    primitive::custom::steps(&engine().world, object)
}

/// Calls a function of the program's while nothing is under control.
pub fn uncontrolled<T>(call: impl FnOnce() -> T) -> T {
    // SAFETY: one kernel thread. What the function calls on its way notes where it was called, and the call under way goes on.
    unsafe {
        let (active, pc, registers) = (ACTIVE, CALLER, REGISTERS);
        ACTIVE = false;
        let result = call();
        (ACTIVE, CALLER, REGISTERS) = (active, pc, registers);
        result
    }
}

/// The events of this execution.
pub fn events_so_far() -> &'static [Event] {
    engine().record.events_so_far()
}

/// The threads that there have been so far.
pub fn threads() -> impl Iterator<Item = ThreadId> {
    engine().world.ids()
}

/// Whether there are other threads than the current one.
pub fn has_others() -> bool {
    others_are_about_to(|_| true)
}

/// Whether another thread than the current one is about to take an operation of which this holds.
pub fn others_are_about_to(holds: impl Fn(&Operation) -> bool) -> bool {
    let world = &engine().world;
    let about = |thread: ThreadId| world.thread(thread).phase == Phase::Alive && holds(&world.thread(thread).pending);
    world.ids().any(|thread| thread != current() && about(thread))
}

/// A time-out of the current thread is left out.
#[cold]
pub fn leave_out_timeouts() {
    engine().wire.header().timeouts_left_out.store(1, Relaxed);
}

/// The program does something that is outside the model.
#[cold]
pub fn goes_outside(how: Outside) {
    engine().wire.header().outside.fetch_or(how as u32, Relaxed);
}

/// The beginning of the shared memory.
pub fn header() -> &'static heddle_model::wire::Header {
    engine().wire.header()
}

/// How many children `current` has created in this execution.
pub fn children_of_current() -> u32 {
    engine().world.thread(current()).children
}

/// Runs plan `sequence` from the start of `main`, whose context is `main`. On the controller's stack. Returns when
/// the execution is over and written, but not yet published.
pub fn run(sequence: u32, main: Context) {
    let engine = engine();
    engine.record = engine.wire.record_of(sequence);
    engine.record.clear();
    engine.recording = engine.wire.recording(sequence);
    engine.world.reset();
    engine.follower = Follower::new(engine.wire.plan(sequence));
    engine.awaiting = 0;
    engine.section.2 = 0;
    engine.controller = Context::of_caller();
    virtual_time::reset();
    race::reset(fiber::donors() + 1, engine.wire.aim(sequence), engine.wire.places());
    memcheck::reset();
    livelock::reset(engine.wire.round(sequence));
    heap::forget_operators();
    wakeup_policy::reset();
    custom::reset();
    delivery::reset();
    random::reset();
    exit::reset();
    locals::reset();
    streams::reset();
    fiber::of(ThreadId::MAIN).context = main;
    fiber::of(ThreadId::MAIN).reset_main();
    // SAFETY: one kernel thread; the fiber is suspended.
    unsafe {
        CURRENT = ThreadId::MAIN;
        callstack::reset(ThreadId::MAIN);
        callstack::switch_to(ThreadId::MAIN);
        spin_loop::reset(ThreadId::MAIN);
        ACTIVE = true;
        if engine.recording {
            debug::begin();
        }
        arch::heddle_switch(&mut engine.controller, &fiber::of(ThreadId::MAIN).context);
    }
}

/// On the main fiber, at the beginning of each execution.
pub fn started_main() {
    reschedule();
    started();
}

/// On a fiber that runs for the first time in this execution.
pub fn started() {
    note(take(current()));
}

/// A visible operation: waits until the schedule says that the current thread goes on and the model says that it
/// can, takes it, and lets `perform` do what the model cannot (memory accesses: it sets the event's result and
/// flags). Returns the event. Only while [`active`].
#[inline(always)]
pub fn visible(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    // To let others go first changes nothing, and an attempt is about to be made.
    if operation.code.family() != yielding::FAMILY && operation.code != FENCE && operation.code != ATTEMPT {
        spin_loop::changed();
    }
    announce_and_take(operation, pc, perform)
}

/// The same for an operation that may turn out to change nothing: one that reads, or that tries.
#[inline(always)]
pub fn visible_look(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    let me = current();
    let operation = spin_loop::before(me, operation, pc);
    let awaits = operation.is_await();
    engine().awaiting += awaits as u32;
    let event = if awaits { await_and_take(operation, pc, perform) } else { announce_and_take(operation, pc, perform) };
    engine().awaiting -= awaits as u32;
    spin_loop::after(me, &event);
    event
}

/// The same for an await, which may have to look back at what was written since the thread looked.
#[cold]
fn await_and_take(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    memcheck::before(&operation, pc);
    let engine = engine();
    engine.world.announce_look(current(), operation, pc, engine.record.events_so_far());
    take_when_due(operation, pc, perform)
}

#[inline(always)]
fn announce_and_take(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    memcheck::before(&operation, pc);
    engine().world.announce(current(), operation, pc);
    take_when_due(operation, pc, perform)
}

#[inline(always)]
fn take_when_due(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    let me = current();
    if in_section() {
        unless_stuck(pc);
    }
    reschedule();
    let event = take(me);
    perform(event);
    note(event);
    memcheck::after(&operation, pc);
    if event.flags.contains(EventFlags::MISUSE) {
        misuse::taken(engine().world.misuse, event);
    }
    *event
}

/// Whether the running thread is inside a section that runs as one step.
#[inline(always)]
pub fn in_section() -> bool {
    engine().section.2 != 0
}

/// What the running thread has announced cannot be done inside a section: then that is the end.
#[cold]
fn unless_stuck(pc: u64) {
    let engine = engine();
    if engine.world.thread(current()).pending.code == END {
        reschedule();
        note(take(current()));
        finish(Outcome::Ended, 0, pc, b"");
    }
}

/// A section begins: until it ends, nobody else goes on.
pub fn begin_section(pc: u64) {
    let engine = engine();
    if engine.section.2 == 0 {
        visible(Operation::new(section::BEGIN, ObjectId::NONE), pc, |_| {});
        engine.section = (engine.world.events - 1, section::Summary::default(), 0);
    }
    engine.section.2 += 1;
}

/// The innermost section ends. False if there is none.
pub fn end_section(pc: u64) -> bool {
    let engine = engine();
    match engine.section.2 {
        0 => return false,
        1 => {
            engine.section.2 = 0;
            visible(Operation::new(section::END, ObjectId::NONE), pc, |_| {});
            let (begin, summary, _) = &engine.section;
            // SAFETY: an event of this execution that was written.
            summary.close(unsafe { &mut *engine.record.event(*begin) });
        }
        _ => engine.section.2 -= 1,
    }
    true
}

/// Lets the thread go on whose turn it is. Returns when it is the current one's.
#[inline]
fn reschedule() {
    let engine = engine();
    match engine.follower.decide(&mut engine.world) {
        Decision::Run(step) => {
            engine.choice = step.choice;
            if step.thread != current() {
                switch_to(step.thread);
            }
        }
        other => conclude(other),
    }
}

#[inline]
fn switch_to(thread: ThreadId) {
    let engine = engine();
    if engine.world.thread(thread).pending.code == END {
        // The end of the process needs no stack; a thread that has crashed has none that could be resumed.
        note(take(thread));
        finish(Outcome::Ended, 0, 0, b"");
    }
    spin_loop::switched(current(), thread);
    race::switched(thread);
    let me = current();
    let from: *mut Context = &mut fiber::of(me).context;
    // SAFETY: the other fiber is suspended in here, or has never run.
    unsafe {
        CURRENT = thread;
        callstack::switch_to(thread);
        if engine.recording {
            livelock::switched(me, from, &fiber::of(thread).context);
            return;
        }
        arch::heddle_switch(from, &fiber::of(thread).context);
    }
}

#[cold]
fn conclude(decision: Decision) -> ! {
    match decision {
        Decision::Blocked => finish(Outcome::Blocked, 0, 0, b""),
        Decision::Assumed => finish(Outcome::Assumed, 0, 0, b""),
        Decision::Diverged(step) => finish(Outcome::Diverged, step as u64, 0, b""),
        Decision::StepLimit(thread) => finish(Outcome::StepLimit, thread.0 as u64, 0, b""),
        Decision::Deadlock if delivery::waits_outside() => {
            let pc = engine().world.thread(current()).pc;
            finish(
                Outcome::Unsupported,
                0,
                pc,
                b"waiting for a signal in a program that makes processes, which may send it",
            )
        }
        Decision::Deadlock if channel::waits_outside() => {
            let pc = engine().world.thread(current()).pc;
            finish(Outcome::Unsupported, 0, pc, b"waiting for a process that does nothing for a second")
        }
        // All cannot have ended: the process has then, too. So whoever is left waits.
        Decision::Deadlock | Decision::AllFinished | Decision::Run(_) => finish(Outcome::Deadlock, 0, 0, b""),
    }
}

/// Takes what `thread` has announced, as the next event in the record: in its place there at once.
#[inline]
fn take(thread: ThreadId) -> &'static mut Event {
    let engine = engine();
    let index = engine.world.events;
    if index >= engine.wire.header().layout.events {
        finish(Outcome::Capacity, 0, engine.world.thread(thread).pc, b"events in one execution");
    }
    // SAFETY: just checked; nobody looks at it before it is counted.
    let event = unsafe { &mut *engine.record.event(index) };
    engine.world.take_into(thread, engine.choice, event);
    event
}

/// Counts an event that is complete, and tells everybody of it.
#[inline]
fn note(event: &Event) {
    let engine = engine();
    let index = engine.world.events - 1;
    // Written for each event, so that the driver knows how far a process came that died.
    engine.record.result().events = index + 1;
    if engine.recording {
        // Every event that is counted has a call stack, and what follows may end the execution.
        record_stack(event.thread, event.pc);
        locals::used(event.operation.object.0);
        debug::took(index + 1, event.thread);
    }
    race::event(event);
    if virtual_time::passes() {
        virtual_time::event(event);
    }
    if engine.section.2 != 0 {
        engine.section.1.add(event);
    }
    engine.progress += 1;
    engine.wire.header().progress.store(engine.progress, Relaxed);
    if engine.recording && livelock::took(index, event, &engine.world) {
        livelock::end(event);
    }
    if engine.awaiting > 0 {
        engine.world.settle(event);
    }
    if engine.follower.has_sleepers() {
        engine.follower.observe(&mut engine.world, event);
    }
    if engine.world.objects.is_full() {
        finish(Outcome::Capacity, 0, event.pc, b"synchronisation objects in one execution");
    }
}

/// On the fiber of a thread that has run to its end, destructors and all.
pub fn ended() -> ! {
    let me = current();
    let exit = Operation { detail: delivery::detail_of_exit(), ..Operation::new(thread::EXIT, ObjectId::thread(me)) };
    // A section does not outlive its thread.
    engine().section.2 = 0;
    if me != ThreadId::MAIN {
        visible(exit, 0, |_| {});
        reschedule();
        unreachable!()
    }
    // The last one turns off the light: the process exits as if main had returned 0. It is always the main thread that
    // does this, whoever was last, because the order of two ends must not decide who acts next.
    visible(exit.with_argument(1), 0, |_| {});
    visible(Operation::new(thread::LAST, ObjectId::thread(me)), 0, |_| {});
    exit::leaves_from(arch::stack_pointer());
    exit::exit_normally(0)
}

/// The process ends: a visible operation like any other, and the last one of this execution.
pub fn end_process(operation: Operation, pc: u64) -> ! {
    visible(operation, pc, |_| {});
    finish(Outcome::Ended, 0, pc, b"")
}

/// Ends the execution here, for a reason that is no event of the program's.
pub fn stop(outcome: Outcome, detail: u64, pc: u64, message: &[u8]) -> ! {
    finish(outcome, detail, pc, message)
}

/// The program called `name`, which Heddle does not control yet: ends the execution with that.
pub fn unsupported(name: &str, pc: u64) -> ! {
    finish(Outcome::Unsupported, 0, pc, name.as_bytes())
}

/// Whether `object` is known to have been made or destroyed: see `heddle_model::misuse`.
pub fn life(object: ObjectId) -> u32 {
    engine().world.objects.get(object).map_or(0, |slot| slot.life)
}

/// How many events there were in this execution.
pub fn events() -> u32 {
    engine().world.events
}

/// A race was seen, and the execution goes on.
pub fn raced(race: &Race) {
    engine().record.push_race(race);
}

/// Whether this execution has used `object`.
pub fn knows(object: ObjectId) -> bool {
    engine().world.objects.get(object).is_some()
}

/// A plain write of the current thread, while others may await: one of those whose loop reads plain memory must not
/// wait for what it may miss.
#[cold]
pub fn plain_write() {
    let world = &mut engine().world;
    for thread in world.ids() {
        if thread != current() && world.thread(thread).pending.is_await() && spin_loop::has_read_plain(thread) {
            world.thread_mut(thread).stirs += 1;
        }
    }
}

/// Whether anybody awaits.
#[inline(always)]
pub fn somebody_awaits() -> bool {
    engine().awaiting > 0
}

/// The registers that a called function must preserve, and the stack pointer, as they were when the program called the
/// function that is running now.
pub fn registers() -> [u64; 7] {
    // SAFETY: one kernel thread; the stub has just noted them.
    unsafe { REGISTERS }
}

/// What the program prints.
pub fn printed(bytes: &[u8]) {
    spin_loop::changed();
    livelock::outside();
    let engine = engine();
    if engine.recording || engine.wire.header().outputs != 0 {
        engine.record.push_output(bytes, engine.wire.header().layout.output);
    }
}
