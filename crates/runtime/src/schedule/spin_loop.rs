//! Loops that only wait: a thread reads the same places again and again until they change.
//!
//! Left alone, such a thread could loop for ever in every execution. So the runtime recognises it when it comes
//! back to the same call in the same state. The rule, and what then becomes of the operation, are the model's ([`Looks`]).
//! Here is what a state of a native thread is, and when two are the same: the same registers, the same frames on its
//! stack, and memory as it was: a loop may store what it has seen, again and again ([`super::rewritten`]).
//!
//! A loop that locks a mutex, looks at what it protects and unlocks it is recognised, too, at its lock. States of threads that lock are known only
//! after [a few locks](few_locks) without a change.
//!
//! A loop that reads a clock is one that waits if it comes back to the same state whatever the time is ([`super::loop_time`]).
//!
//! A loop that counts its iterations is in another state each time and is not recognised. Neither is a loop that
//! allocates, prints, makes libc or the kernel store something, or calls a function that nobody
//! instrumented and that may keep state ([`crate::entry::foreign`]). Such loops end at the bound on the number of steps.
//!
//! Only the part of the stack that can have changed is compared: from the stack pointer to the end of the frame of the
//! outermost function that ran in between, which is the one with the loop ([`callstack`]), and further up to the
//! highest address written through a pointer. The rest belongs to functions that have not run. Therefore neither the
//! calls between the loop and the load nor the sizes of frames make a difference. [Dead bytes](crate::state::dead) do not count.
//!
//! Awaits do not wait for plain writes, and need not ([`schedule::plain_write`]).

use core::cell::Cell;

use heddle_model::primitive::mutex::{POLL, QUIET, TRYLOCK};
use heddle_model::{Attempts, Event, Look, Looks, MOST_LOOKS, Operation, ThreadId, vain};

use crate::addresses::Reserve;
use crate::lifetime::{self, Exclusive, Lent};
use crate::record::callstack;
use crate::schedule;
use crate::schedule::loop_time::{Times, Waiting};
use crate::schedule::rewritten::Rewritten;
use crate::schedule::stack_log::StackLog;
use crate::schedule::stack_state::{LEVELS, State};
use crate::schedule::unlocked::{Stack, UNLOCKED, Unlocked};
use crate::state::wiping;

/// The state of a thread before a look, where it looked, and what it has done since.
#[derive(Clone, Copy)]
struct Before {
    pc: u64,
    state: State,
    /// The lowest depth of the call stack since.
    lowest: usize,
    /// How far up the thread has written its stack since.
    written: usize,
    /// [`Running::plain_reads`] up to here.
    plain_reads: u64,
    /// How far up the thread has read its stack since.
    read: usize,
    /// The number by which this state is known, alone or with those before it, and how many these are: see [`vain::chain`].
    known: (u64, usize),
    /// How long the thread has been coming back to this state.
    waiting: Waiting,
}

impl Before {
    /// No state that a thread could come back to.
    const NOWHERE: Before = Before {
        pc: 0,
        state: State::NOWHERE,
        lowest: 0,
        written: 0,
        plain_reads: 0,
        read: 0,
        known: (0, 0),
        waiting: Waiting::begins(&Times::NONE),
    };
}

/// The number of the states before `looks` of `thread`, each as far as the stack up to `end` is concerned: see [`vain::chain`]. `None` if
/// the thread has used more of the stack in between, or if they could not be in vain.
fn chain(looks: &[Look<Before>], thread: ThreadId, end: usize) -> Option<u64> {
    let first = looks.first()?;
    let Before { state, lowest, written, .. } = first.state;
    if looks.len() > 1 && (written > end || state.level_up_to(end)? < state.depth.checked_sub(lowest)?) {
        return None;
    }
    let number = |look: &Look<Before>| {
        let Before { state, pc, .. } = look.state;
        state.number(state.level_up_to(end)?, thread, &look.operation, pc)
    };
    let mut numbers = [0; MOST_LOOKS];
    for (to, look) in numbers.iter_mut().zip(looks) {
        *to = number(look)?;
    }
    Some(vain::chain(numbers[..looks.len()].iter().copied()))
}

/// What one thread has looked at, and its counters while it does not run. [`reset`] clears it when the thread begins.
#[derive(Clone, Copy)]
struct Watched {
    /// Since it last changed something.
    looks: Looks<Before>,
    /// What it has tried in vain.
    attempts: Attempts,
    /// Its changes up to the first attempt in vain of those.
    tried: u64,
    /// Its changes so far, while it does not run: see [`Running::changes`].
    changes: u64,
    /// Its changes up to the last look.
    noted: u64,
    /// Its reads of plain memory so far, while it does not run: see [`Running::plain_reads`].
    plain_reads: u64,
    /// What it has read from clocks.
    times: Times,
    /// It awaits, and has read plain memory in the last round of its loop.
    reads_plain: bool,
    /// [`Running::written`] while it does not run.
    written: usize,
    /// [`Running::read`] while it does not run.
    read: usize,
    /// [`Running::stack_writes`] while it does not run.
    stack_writes: u64,
    /// [`Running::logs`] while it does not run.
    logs: bool,
    /// What it has written to its stack lately, if it may be in a loop that polls.
    log: StackLog,
    /// How many mutexes it has locked since it last changed something, and its changes up to the last of them.
    idle_locks: (u64, u64),
    /// Where it was when it last unlocked each of a few mutexes. The next one takes the place of the last.
    unlocked: [Unlocked; UNLOCKED],
    /// How far up it has written its stack between then and its last look.
    written_since: usize,
    /// Its stack when it had last locked a mutex, if it may be in a loop that polls, and whether it was the same when it had last unlocked it.
    locked: (Stack, bool),
}

/// So many locks since a change are no loop yet that polls. Most threads change something under a lock, and their states need not be known. In
/// programs in which threads wait, the first round counts.
#[inline]
fn few_locks() -> u64 {
    u64::from(!wiping::is_on())
}

/// The loads of all threads, and counters of the running thread.
pub struct Running {
    /// One for each thread.
    threads: Lent<Exclusive<Watched>>,
    /// How many changes the running thread has made.
    changes: Cell<u64>,
    /// How often the running thread has read plain memory that is not on its stack.
    plain_reads: Cell<u64>,
    /// How far up the running thread has written its stack since it last looked.
    written: Cell<usize>,
    /// What else the running thread has written since it last looked.
    rewritten: Rewritten,
    /// How far up the running thread has read its stack through pointers since it last looked.
    read: Cell<usize>,
    /// How often the running thread has written its stack through a pointer. Other threads may read it there.
    stack_writes: Cell<u64>,
    /// Whether the running thread's writes to its stack are logged: it may be in a loop that polls.
    logs: Cell<bool>,
}

impl Running {
    /// The state at the start of the process.
    pub const fn new() -> Running {
        Running {
            threads: Cell::new(&[]),
            changes: Cell::new(0),
            plain_reads: Cell::new(0),
            written: Cell::new(0),
            rewritten: Rewritten::new(),
            read: Cell::new(0),
            stack_writes: Cell::new(0),
            logs: Cell::new(false),
        }
    }

    /// Resets the state at the start of an execution, for the main thread.
    pub fn reset(&self) {
        let Running { threads: _, changes, plain_reads, written, read, rewritten, stack_writes, logs } = self;
        logs.set(false);
        read.set(0);
        stack_writes.set(0);
        changes.set(0);
        plain_reads.set(0);
        written.set(0);
        rewritten.reset();
        self::reset(ThreadId::MAIN);
    }
}

#[inline(always)]
fn running() -> &'static Running {
    &lifetime::execution().spin_loops
}

/// Reserves memory for `threads` threads. Call this once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    running().threads.set(reserve.take(threads));
}

/// What `thread` has looked at, by the rule of [`Exclusive`].
fn of(thread: ThreadId) -> &'static mut Watched {
    running().threads.get()[thread.index()].borrow()
}

/// Forgets the loads of `thread`, which begins.
pub fn reset(thread: ThreadId) {
    let watched = of(thread);
    watched.looks.forget();
    watched.attempts = Attempts::default();
    watched.tried = 0;
    watched.changes = 0;
    watched.noted = 0;
    watched.plain_reads = 0;
    watched.times = Times::NONE;
    watched.reads_plain = false;
    watched.written = 0;
    watched.read = 0;
    watched.stack_writes = 0;
    watched.logs = false;
    watched.log.reset();
    watched.idle_locks = (0, 0);
    watched.unlocked = [Unlocked::NOTHING; UNLOCKED];
    watched.written_since = 0;
    watched.locked = (Stack::UNKNOWN, false);
}

/// Notes that the running thread changed something.
#[inline(always)]
pub fn changed() {
    let changes = &running().changes;
    changes.set(changes.get() + 1);
}

/// Notes that the running thread is about to write `size` bytes of plain memory that is not on its stack. That is a change unless it
/// leaves what is there. Then it counts as a read: what the thread's looks find is not all that decides whether they are in vain.
#[inline(always)]
pub fn writes_plain(address: usize, size: usize) {
    if running().rewritten.writes(address, size) {
        changed();
    } else {
        read_plain();
    }
}

/// Counts the noted writes of the running thread as a change if they have changed something.
#[inline]
fn settle_writes() {
    if running().rewritten.take_changes() {
        changed();
    }
}

/// The address of the count of changes of the running thread, for code that notes one as [`changed`] does.
pub fn counter() -> usize {
    running().changes.as_ptr() as usize
}

/// Notes that the running thread read plain memory that is not on its stack.
#[inline(always)]
pub fn read_plain() {
    let reads = &running().plain_reads;
    reads.set(reads.get() + 1);
}

/// Notes that `thread`, which runs, has read a clock that shows `now`.
pub fn read_clock(thread: ThreadId, now: u64) {
    of(thread).times.read(now);
}

/// Notes that the running thread is about to write `size` bytes of its stack through a pointer.
#[inline(always)]
pub fn wrote_stack(address: usize, size: usize) {
    let Running { written, stack_writes, logs, .. } = running();
    written.set(written.get().max(address + size));
    stack_writes.set(stack_writes.get() + 1);
    if logs.get() {
        log_write(address, size);
    }
}

#[cold]
#[inline(never)]
fn log_write(address: usize, size: usize) {
    of(schedule::current()).log.writes(running().stack_writes.get(), address, size);
}

/// Notes that the running thread read its stack through a pointer, up to address `end`.
#[inline(always)]
pub fn read_stack(end: usize) {
    let read = &running().read;
    read.set(read.get().max(end));
}

/// Saves the counters of thread `from` and restores those of thread `to`, between which the scheduler switches.
#[inline]
pub fn switched(from: ThreadId, to: ThreadId) {
    settle_writes();
    let Running { threads: _, changes, plain_reads, written, read, rewritten: _, stack_writes, logs } = running();
    let new = of(to);
    let logged = logs.replace(new.logs);
    let now = (changes.replace(new.changes), plain_reads.replace(new.plain_reads), written.replace(new.written));
    let stack = (read.replace(new.read), stack_writes.replace(new.stack_writes));
    let old = of(from);
    (old.changes, old.plain_reads, old.written) = now;
    (old.read, old.stack_writes) = stack;
    old.logs = logged;
}

/// What is known of an operation that may change nothing, before the running thread takes it.
pub struct Prospect {
    /// The operation, as an await if the thread can only repeat what it did before.
    pub operation: Operation,
    /// The number of the thread's state, if it is known that the operation is a look that can be [in vain](vain). Otherwise 0.
    pub state: u64,
    /// The number of the thread's state and what its last look found, if that was in vain.
    pub vain: Option<(u64, u64)>,
}

impl Prospect {
    /// That of an operation of which nothing is known.
    fn unknown(operation: Operation) -> Prospect {
        Prospect { operation, state: 0, vain: None }
    }
}

/// Called when the running thread is about to take `operation`, which may change nothing.
pub fn before(thread: ThreadId, operation: Operation, pc: u64) -> Prospect {
    let Watched { looks, attempts, noted, reads_plain, written_since, times, .. } = of(thread);
    let Some((depth, lowest)) = callstack::looked() else {
        looks.forget();
        return Prospect::unknown(operation);
    };
    let state = State::of_caller(depth, times);
    let (written, read) = (running().written.take(), running().read.take());
    *written_since = (*written_since).max(written);
    for before in looks.states_mut() {
        before.lowest = before.lowest.min(lowest);
        before.written = before.written.max(written);
        before.read = before.read.max(read);
    }
    settle_writes();
    let changes = running().changes.get();
    if *noted != changes {
        *noted = changes;
        looks.forget();
    }
    let known = super::state::vain();
    let mut operation = operation;
    if operation.code == TRYLOCK {
        // Where it has failed further up than its state reaches, and what was written there, is not known.
        if !state.reaches(written) {
            attempts.forget();
        }
        operation.detail |=
            if attempts.before(state.digest(operation.object.0, pc), known.tries()) { QUIET } else { 0 };
    }
    let plain_reads = running().plain_reads.get();
    let waiting = Waiting::begins(times);
    let now = Before { pc, state, plain_reads, lowest: depth, written: 0, read: 0, known: (0, 0), waiting };
    let is_again =
        |earlier: &Before| earlier.pc == pc && earlier.state.is_again(&state, earlier.lowest, earlier.written);
    // The same state has several numbers, by how much of the stack counts.
    let alone = || (0..LEVELS).filter_map(|level| state.number(level, thread, &operation, pc));
    match looks.before(operation, now, is_again) {
        Some(found) if found.tries && known.tries() => {
            looks.before(operation, now, |_| false);
            Prospect::unknown(operation)
        }
        Some(found) if found.since.waiting.has_read(times) => {
            // What it does next may depend on the time, which is no part of its state: nobody may learn what it waits for.
            *reads_plain = plain_reads != found.since.plain_reads && found.operation.code != POLL;
            let mut waiting = found.since.waiting;
            let waits = waiting.is_patient(times);
            if !waits || found.operation.code != POLL {
                looks.before(operation, Before { waiting, ..now }, |_| false);
            }
            let operation = if waits {
                // It gives up later than that, or never, or acts at other times: that is not explored.
                schedule::waits_by_clock();
                found.operation
            } else {
                operation
            };
            Prospect { operation, state: 0, vain: None }
        }
        Some(found) => {
            // Only what it has read in the loop: who has read before it came there does not wait for that to change.
            // What is read under a lock, a change of which is waited for, is written under it, too.
            *reads_plain = plain_reads != found.since.plain_reads && found.operation.code != POLL;
            let Before { state: since, lowest, written, read, .. } = found.since;
            let level = since.comprising(&state, depth - lowest, read.max(written)).filter(|_| !*reads_plain);
            let round = looks.round(&found);
            let number = level.and_then(|level| chain(round, thread, since.levels[level].0));
            // What was known by more states than these is known by those from now on, too.
            let last = round.last().map_or((0, 0), |look| look.state.known);
            let number = if last.1 >= round.len() { number.map(|_| last.0) } else { number };
            // It must not wait where it could go on.
            let waits = |value: &u64| round.len() == 1 || alone().any(|number| known.is_vain(number, *value));
            let vain = found.vain.filter(waits).and_then(|value| number.map(|number| (number, value)));
            let state = alone().find(|&number| known.knows(number)).unwrap_or(0);
            Prospect { operation: found.operation, state, vain }
        }
        None if known.is_empty() => Prospect::unknown(operation),
        None => {
            let seen = looks.at_one_place();
            let ends = || state.levels.iter().map(|level| level.0).take_while(|end| *end != 0);
            let longest = (0..seen.len()).find_map(|from| {
                let mut numbers = ends().filter_map(|end| chain(&seen[from..], thread, end));
                numbers.find(|&number| known.knows(number)).map(|number| (number, seen.len() - from))
            });
            if let (Some(longest), Some(now)) = (longest, looks.states_mut().last()) {
                now.known = longest;
            }
            Prospect { state: longest.unwrap_or_default().0, ..Prospect::unknown(operation) }
        }
    }
}

/// Called when `thread`, which runs, is about to lock a mutex. Returns what it has to wait for first, if it can only repeat what it did since it
/// last locked it.
#[inline]
pub fn before_lock(thread: ThreadId, lock: Operation, pc: u64) -> Option<Operation> {
    settle_writes();
    let Watched { looks, idle_locks, .. } = of(thread);
    let changes = running().changes.get();
    *idle_locks = if idle_locks.1 == changes { (idle_locks.0 + 1, changes) } else { (1, changes) };
    running().logs.set(idle_locks.0 > few_locks());
    if idle_locks.0 <= few_locks() {
        looks.forget();
        return None;
    }
    before_idle_lock(thread, lock, pc)
}

#[cold]
fn before_idle_lock(thread: ThreadId, lock: Operation, pc: u64) -> Option<Operation> {
    let found = before(thread, lock, pc);
    if !found.operation.is_await() {
        return None;
    }
    // A new round begins with the lock.
    before(thread, lock, pc);
    Some(found.operation)
}

/// Called when `thread` has locked a mutex.
#[inline]
pub fn locked(thread: ThreadId, event: &Event) {
    running().rewritten.look();
    let watched = of(thread);
    watched.attempts.after(event);
    if watched.idle_locks.0 > few_locks() {
        let stack = Stack::now();
        let mutex = event.operation.object.0;
        watched.locked = (stack, watched.unlocked.iter().any(|before| before.mutex == mutex && before.stack == stack));
        watched.looks.after(event);
    }
}

/// Called when `thread`, which runs, is about to unlock a mutex. Returns whether it has changed nothing since it last unlocked it: what it wrote
/// in between would be seen by whoever locks the mutex next, even if it was written before the lock.
#[inline]
pub fn before_unlock(thread: ThreadId, unlock: Operation) -> bool {
    settle_writes();
    let Watched { looks, attempts, idle_locks, unlocked, written_since, locked, log, .. } = of(thread);
    let Running { changes, stack_writes, written, .. } = running();
    let (changes, stack_writes) = (changes.get(), stack_writes.get());
    let polls = idle_locks.0 > few_locks() && idle_locks.1 == changes;
    // What it does after an attempt that failed is another matter than what it did before.
    let changes = changes + attempts.news();
    let (at_lock, was_same) = core::mem::replace(locked, (Stack::UNKNOWN, false));
    let stack = if polls { at_lock.again() } else { Stack::UNKNOWN };
    let now = Unlocked { mutex: unlock.object.0, changes, stack_writes, stack };
    let at = unlocked.iter().position(|before| before.mutex == now.mutex).unwrap_or(UNLOCKED - 1);
    let before = core::mem::replace(&mut unlocked[at], now);
    unlocked[..=at].rotate_right(1);
    let written = core::mem::take(written_since).max(written.get());
    if polls {
        looks.before(unlock, Before::NOWHERE, |_| false);
    } else {
        looks.forget();
    }
    // What was written on the stack may be what was there before: compilers that do not optimise write their temporaries there. It must be the
    // same at the lock, too: others may have changed it in between.
    let from = schedule::registers()[6] as usize;
    let same_stack = before.stack_writes == stack_writes
        || was_same && stack.from != 0 && stack == at_lock && stack.to >= written
        || log.is_as_before(before.stack_writes, stack_writes, from);
    (before.mutex, before.changes) == (now.mutex, changes) && same_stack
}

/// Called when the running thread has taken the operation of the last call of [`before`].
pub fn after(thread: ThreadId, event: &Event) {
    let Watched { looks, attempts, tried, .. } = of(thread);
    looks.after(event);
    if event.operation.code == TRYLOCK {
        if !attempts.wants() {
            *tried = running().changes.get();
        }
        attempts.after(event);
    }
    running().rewritten.look();
}

/// How many changes the running thread has made so far.
pub fn changes() -> u64 {
    settle_writes();
    running().changes.get()
}

/// Notes that `thread`, which runs, has slept until a deadline and was not woken, in two operations that began with `sleep`. Before, it had
/// made so many `changes`. It has changed nothing since, and has looked at the place where it slept.
pub fn slept_in_vain(thread: ThreadId, sleep: Operation, changes: u64) {
    running().changes.set(changes);
    let looks = &mut of(thread).looks;
    for _ in 0..2 {
        looks.before(sleep, Before::NOWHERE, |_| false);
    }
}

/// Whether `thread`, which runs, [probes](Attempts): it has changed something, and has not got a mutex that it tried before.
#[cold]
pub fn probes(thread: ThreadId) -> bool {
    settle_writes();
    let Watched { attempts, tried, .. } = of(thread);
    let changes = running().changes.get();
    attempts.wants() && *tried != changes && attempts.changed()
}

/// Whether `thread`, which awaits, reads plain memory in its loop.
pub fn has_read_plain(thread: ThreadId) -> bool {
    of(thread).reads_plain
}
