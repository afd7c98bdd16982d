//! OpenMP: parallel regions, worksharing, critical sections and locks, as compilers call them.
//!
//! gcc calls functions of libgomp ([`gomp`]), clang those of libomp ([`kmpc`]). Both libraries synchronise by atomics and futexes of their
//! own, which nobody instruments. So the runtime defines these functions itself, on the model's threads, barriers and mutexes: a region
//! creates its threads and joins them. Functions that are not here are *unsupported* ([`crate::calls::unsupported`]).
//!
//! Threads of a region are new ones. OpenMP may keep them, and their `threadprivate` variables, from one region to the next; here such
//! variables begin anew in each region. Regions inside of regions have one thread, which is OpenMP's default.

mod gomp;
mod kmpc;
mod library;

use core::cell::Cell;
use core::ffi::c_char;

use heddle_model::primitive::atomic::RMW;
use heddle_model::primitive::{barrier, mutex};
use heddle_model::{ObjectId, OpCode, Operation, ThreadId};

use crate::calls::pthread::thread;
use crate::outside::machine::PROCESSORS;
use crate::schedule::{active, current, fiber, unsupported, visible, visible_look, wakeup_policy};

/// The most threads of a region.
const MOST: usize = 64;
/// How many worksharing constructs one thread of a region may be ahead of another.
const AHEAD: usize = 64;

/// The threads of a parallel region. It lives on the stack of the thread that begins the region, and waits for the others.
struct Team {
    size: u32,
    /// Stands for the barrier in the model.
    barrier: Cell<u32>,
    /// For each of the last worksharing constructs, its number and how many pieces of it were taken.
    shares: [Cell<(u32, u32)>; AHEAD],
    /// What one thread tells the others at the end of a `single`.
    copied: Cell<usize>,
}

/// A loop, or a number of sections, of which threads take pieces.
#[derive(Clone, Copy, Default)]
struct Work {
    start: u64,
    end: u64,
    step: u64,
    /// The number of steps that are taken at once.
    chunk: u64,
    /// Counts upwards.
    up: bool,
}

/// A thread of a region.
struct Member {
    team: *const Team,
    number: u32,
    /// How many worksharing constructs the thread has begun.
    shares: Cell<u32>,
    /// The loop or the sections that the thread takes pieces of.
    work: Cell<Work>,
    /// What the thread runs, if clang has compiled it.
    task: Task,
    /// The member that the thread was when the region began.
    outer: usize,
}

/// A function that clang has made of a region, and its arguments.
#[derive(Clone, Copy)]
struct Task {
    function: usize,
    arguments: [usize; kmpc::ARGUMENTS],
}

impl Task {
    const NONE: Task = Task { function: 0, arguments: [0; kmpc::ARGUMENTS] };
}

/// The current thread as a member of a region. `None` outside of regions.
fn member() -> Option<&'static Member> {
    if !active() {
        return None;
    }
    let member = fiber::of(current()).openmp.get() as *const Member;
    // SAFETY: it lives until the region is over, and one of its threads is the caller.
    unsafe { member.as_ref() }
}

fn team() -> Option<&'static Team> {
    // SAFETY: the team lives longer than its members.
    member().map(|member| unsafe { &*member.team })
}

/// The number of threads that a region gets if it does not ask for one.
fn wanted() -> u32 {
    let asked = if active() { fiber::of(current()).openmp_threads.get() } else { 0 };
    if asked > 0 { asked } else { from_environment().unwrap_or(PROCESSORS as u32) }
}

/// What `OMP_NUM_THREADS` says for the outermost regions.
fn from_environment() -> Option<u32> {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    const NAME: &[u8] = b"OMP_NUM_THREADS=";
    // SAFETY: the list ends in a null pointer, its strings in zero bytes.
    unsafe {
        let mut at = environ;
        while !at.is_null() && !(*at).is_null() {
            let text = core::ffi::CStr::from_ptr(*at).to_bytes();
            if let Some(value) = text.strip_prefix(NAME) {
                let digits = value.iter().take_while(|byte| byte.is_ascii_digit());
                let number =
                    digits.fold(0u32, |sum, digit| sum.saturating_mul(10).saturating_add(u32::from(digit - b'0')));
                return (number > 0).then_some(number);
            }
            at = at.add(1);
        }
    }
    None
}

/// A parallel region with `count` threads (0: as many as wanted). `run` is what the calling thread does in it; other threads call `routine`
/// with `argument`, or with their member if that is 0.
fn region(
    count: u32,
    first: Option<Work>,
    task: Task,
    routine: usize,
    argument: usize,
    pc: u64,
    run: &mut dyn FnMut(&Member),
) {
    let inside = member();
    let outer = inside.map_or(core::ptr::null(), |member| &raw const *member) as usize;
    let size = match count {
        _ if !active() || inside.is_some() => 1,
        0 => wanted(),
        count => count,
    };
    if size as usize > MOST {
        unsupported("a parallel region of OpenMP with more than 64 threads", pc);
    }
    let team = Team { size, barrier: Cell::new(0), shares: [const { Cell::new((0, 0)) }; AHEAD], copied: Cell::new(0) };
    let make = |number: u32| Member {
        team: &raw const team,
        number,
        // The work that a region begins with is the first.
        shares: Cell::new(u32::from(first.is_some())),
        work: Cell::new(first.unwrap_or_default()),
        task,
        outer,
    };
    let mine = make(0);
    let me = if active() { Some(fiber::of(current())) } else { None };
    if size == 1 {
        if let Some(me) = me {
            me.openmp.set(&raw const mine as usize);
        }
        run(&mine);
        if let Some(me) = me {
            me.openmp.set(outer);
        }
        return;
    }
    let others: [Member; MOST] = core::array::from_fn(|number| make(number as u32));
    let on_barrier = |code: OpCode, argument: u64| {
        let object = ObjectId(team.barrier.as_ptr() as u64);
        visible(Operation::new(code, object).with_argument(argument), pc, |_| {});
    };
    on_barrier(barrier::INIT, u64::from(size));
    let mut handles = [0usize; MOST];
    for number in 1..size as usize {
        let member = &raw const others[number] as usize;
        let argument = if argument == 0 { member } else { argument };
        // SAFETY: a function of one argument, and a place for the handle.
        unsafe { thread::create_member(&mut handles[number], routine, argument, member, pc) };
    }
    if let Some(me) = me {
        me.openmp.set(&raw const mine as usize);
    }
    run(&mine);
    for &handle in &handles[1..size as usize] {
        // SAFETY: no place for the value.
        unsafe { thread::join(handle, core::ptr::null_mut(), pc) };
    }
    if let Some(me) = me {
        me.openmp.set(outer);
    }
    on_barrier(barrier::DESTROY, 0);
}

/// Waits until all threads of the region have come.
fn wait_for_all(pc: u64) {
    let Some(team) = team().filter(|team| team.size > 1) else { return };
    let object = ObjectId(team.barrier.as_ptr() as u64);
    visible(Operation::new(barrier::ARRIVE, object), pc, |_| {});
    visible(Operation::new(barrier::LEAVE, object), pc, |_| {});
}

/// Begins the next worksharing construct of the region.
fn begin_share(member: &Member, work: Work) {
    member.shares.set(member.shares.get() + 1);
    member.work.set(work);
}

/// Takes the next piece of the current worksharing construct, and returns its number: 0 for the first thread that comes. Orders nothing:
/// OpenMP does not either.
fn take_piece(member: &Member, pc: u64) -> u32 {
    const ATOMIC_ADD: u32 = 2;
    // SAFETY: the team lives longer than its members.
    let (share, team) = (member.shares.get(), unsafe { &*member.team });
    let word = &team.shares[share as usize % AHEAD];
    let take = || {
        let (number, taken) = word.get();
        if number > share {
            unsupported("a thread of an OpenMP region that is 64 loops ahead of another", pc);
        }
        let taken = if number == share { taken } else { 0 };
        word.set((share, taken + 1));
        taken
    };
    if team.size == 1 {
        return take();
    }
    let object = ObjectId(word.as_ptr() as u64);
    let operation = Operation { object, argument: 1, code: RMW, size: 4, detail: ATOMIC_ADD };
    let event = visible(operation, pc, |event| event.result = u64::from(take()));
    event.result as u32
}

/// Takes the next piece of the current loop: from the first number to the one past the last. `None` if there is none left.
fn next_piece(member: &Member, pc: u64) -> Option<(u64, u64)> {
    let Work { start, end, step, chunk, up } = member.work.get();
    let length = if up { end.wrapping_sub(start) as i64 } else { start.wrapping_sub(end) as i64 };
    let stride = if up { step } else { step.wrapping_neg() };
    let taken = u64::from(take_piece(member, pc));
    let chunk = chunk.max(1);
    if length <= 0 || stride == 0 || taken.saturating_mul(chunk).saturating_mul(stride) >= length as u64 {
        return None;
    }
    let begin = taken * chunk * stride;
    let past = begin.saturating_add(chunk.saturating_mul(stride)).min(length as u64);
    let at = |offset: u64| if up { start.wrapping_add(offset) } else { start.wrapping_sub(offset) };
    Some((at(begin), at(past)))
}

/// Locks a mutex of OpenMP's, which stands at this address.
fn lock(address: u64, kind: u32, pc: u64) {
    if active() {
        let operation = Operation { detail: kind, ..Operation::new(mutex::LOCK, ObjectId(address)) };
        visible(wakeup_policy::in_turn(operation, pc), pc, |_| {});
    }
}

/// Locks it if it is free. Returns whether it was.
fn try_lock(address: u64, kind: u32, pc: u64) -> bool {
    let operation = Operation { detail: kind, ..Operation::new(mutex::TRYLOCK, ObjectId(address)) };
    !active() || visible_look(operation, pc, |_| {}).result == 0
}

/// Unlocks it, begins it or ends it.
fn on_lock(code: OpCode, address: u64, kind: u32, pc: u64) {
    if active() {
        visible(Operation { detail: kind, ..Operation::new(code, ObjectId(address)) }, pc, |_| {});
    }
}

/// The number of threads that `thread` asks for in its regions, for a thread that it creates.
pub fn inherit(child: ThreadId, parent: ThreadId, member: usize) {
    fiber::of(child).openmp.set(member);
    fiber::of(child).openmp_threads.set(fiber::of(parent).openmp_threads.get());
}
