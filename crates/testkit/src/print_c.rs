//! Scripted programs as C, so that native executions can be compared with scripted ones.
//!
//! A thread of the script becomes a function with the visible operations of its instructions, in their order. Registers
//! are local variables. The objects lie in one structure, at the distances that they have in a script. The low bits of
//! their addresses are the script's ([`OBJECTS_ALIGNMENT`]). Several programs share one file and one run of the compiler;
//! the first argument of the program chooses one of them.
//!
//! A script can do more than C. [`printable`] removes what C leaves undefined or has no call for.

use std::fmt::Write;

use crate::executor::{FinalState, PLAIN};
use crate::outside::{Becomes, Call, FIRST_IN_AREAS};
use crate::print_calls;
use crate::program::{ERRORCHECK, Instruction, Program, RECURSIVE, Register, Value, orders};

/// The alignment of the structure of objects. Below this power of two, the bits of an address are the script's.
pub const OBJECTS_ALIGNMENT: u64 = 0x10_0000;

/// The exit status if there is no program with the requested number, or if the objects are not at their expected
/// addresses.
pub const WRONG: u32 = 125;

/// The program without what C cannot express:
///
/// * joining or detaching oneself, or a thread that may not exist yet, because its handle would be undefined;
/// * a branch past the creation of a thread, because the n-th thread that a thread creates must always be the same one;
/// * a loop, unless its rounds are [bounded](Program::bounded).
///
/// Each is replaced by a fence, which touches nothing. Timeouts are not limited.
pub fn printable(program: &Program) -> Program {
    without_the_impossible(program, program.bounded)
}

/// Like [`printable`], with loops that may go round for ever.
pub fn printable_with_loops(program: &Program) -> Program {
    without_the_impossible(program, true)
}

fn without_the_impossible(program: &Program, has_loops: bool) -> Program {
    use Instruction::*;
    let mut program = program.clone();
    for code in &mut program.threads {
        let creates: Vec<usize> = (0..code.len()).filter(|&at| matches!(code[at], Create(_))).collect();
        for (at, instruction) in code.iter_mut().enumerate() {
            let skips = match *instruction {
                BranchIf(_, _, to) | BranchUnless(_, _, to) | Jump(to) => {
                    let between = (at.min(to as usize))..at.max(to as usize);
                    let back = to as usize <= at && !has_loops;
                    back || creates.iter().any(|create| between.contains(create))
                }
                _ => false,
            };
            if skips {
                *instruction = Fence;
            }
        }
    }
    // The threads that certainly exist when a thread starts: those that its creator has created or could rely on
    // itself.
    let mut begun = vec![(0, Vec::new())];
    while let Some((thread, mut known)) = begun.pop() {
        for instruction in &mut program.threads[thread as usize] {
            match *instruction {
                Create(child) => {
                    begun.push((child, known.clone()));
                    known.push(child);
                }
                Join(other) | Detach(other) | TryJoin(other, _) | TimedJoin(other, _) | Cancel(other)
                    if other == thread || !known.contains(&other) =>
                {
                    *instruction = Fence
                }
                _ => {}
            }
        }
    }
    // Deadlines of the script are unrelated to those of a clock, so none may decide anything: every thread can time out
    // at any time.
    program.timeouts = 1000;
    program
}

/// The threads that `thread` creates, in the order of their creation.
pub fn children(program: &Program, thread: usize) -> Vec<u8> {
    let creates = |i: &Instruction| if let Instruction::Create(child) = i { Some(*child) } else { None };
    program.threads.get(thread).map_or_else(Vec::new, |code| code.iter().filter_map(creates).collect())
}

const PROLOGUE: &str = r#"#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <heddle.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* `volatile` where registers must keep what nobody reads any more, as in a script. */
#ifndef KEPT
#define KEPT
#endif
/* Whoever has the address of a register may read it: it belongs to the state of its thread, as in a script, although nobody does. */
static __attribute__((noinline, unused)) void kept(const volatile unsigned *at) {
    (void)*at;
}

static struct {
    char start[0x10000];
    union { pthread_mutex_t of[12]; char room[0x10000]; } mutex;
    union { pthread_cond_t of[4]; char room[0x10000]; } condition;
    union { sem_t of[4]; char room[0x10000]; } semaphore;
    union { struct { atomic_uint of[16]; unsigned plain[16]; }; char room[0x10000]; } variable;
    union { pthread_rwlock_t of[4]; char room[0x10000]; } rwlock;
    union { pthread_spinlock_t of[4]; char room[0x10000]; } spin;
    union { pthread_barrier_t of[4]; char room[0x10000]; } barrier;
    union { struct { alignas(8) pthread_once_t control; } of[4]; char room[0x10000]; } once;
} objects __attribute__((aligned(ALIGNMENT)));

static const struct timespec deadline __attribute__((unused)) = { 2000000000, 0 };
static pthread_t handle[256];
static struct { alignas(8) unsigned value; } outcome[8] __attribute__((unused));
static __thread unsigned ran;
static void __attribute__((unused)) run(void) { ran = 1; }
"#;

/// One file with all of `programs`, each of them [`printable`].
pub fn print_all(programs: &[Program]) -> String {
    let mut text = PROLOGUE.replace("ALIGNMENT", &format!("{OBJECTS_ALIGNMENT:#x}"));
    let calls: Vec<Call> = programs.iter().flat_map(print_calls::of).collect();
    if !calls.is_empty() {
        text.push_str(&print_calls::PROLOGUE.replace("MAPPED", &format!("{:#x}ul", print_calls::MAPPED)));
        let functions: Vec<usize> = programs.iter().map(|program| program.functions.len()).collect();
        text.push_str(&print_calls::declarations(&functions));
        if calls.iter().any(|call| matches!(call, Call::Signal(..))) {
            text.push_str(&print_calls::action_of(&functions));
        }
    }
    for (number, program) in programs.iter().enumerate() {
        for (id, code) in program.functions.iter().enumerate() {
            print_function(&mut text, &print_calls::names(number, id as u8)[0], number, code);
        }
        // The main thread comes last, because it names the others, which name the threads that they create.
        for thread in 1..program.threads.len() {
            let _ = writeln!(text, "\nstatic void *program{number}_thread{thread}(void *argument);");
        }
        for (thread, code) in program.threads.iter().enumerate().rev() {
            let status = uses_plain(program).then_some(program.threads.len());
            let mut function = String::new();
            // A function whose variables die is one of C, too.
            let returns = |i: &Instruction| *i == Instruction::Outside(Call::Area(1, Becomes::Dead));
            let inner = code.iter().position(returns).map(|at| (&code[..at], &code[at..]));
            let code = match inner {
                Some((inside, after)) => {
                    print_function(&mut function, &format!("program{number}_inner"), number, inside);
                    after
                }
                None => code,
            };
            print_thread(&mut function, number, thread, code, status, inner.is_some());
            // A compare-exchange that may fail spuriously.
            let weak = program.failures > 0;
            text.push_str(&if weak { function.replace("exchange_strong", "exchange_weak") } else { function });
        }
    }
    text.push_str("\nint main(int count, char **arguments) {\n");
    text.push_str("    int which = count == 2 ? atoi(arguments[1]) : -1;\n");
    // Not a visible operation, because no other thread exists yet, and the kind is in the memory of the mutex.
    for (from, to, kind) in [(RECURSIVE, ERRORCHECK, "RECURSIVE"), (ERRORCHECK, 12, "ERRORCHECK")] {
        let _ = writeln!(text, "    for (int i = {from}; i < {to}; i++)");
        let _ = writeln!(text, "        objects.mutex.of[i] = (pthread_mutex_t)PTHREAD_{kind}_MUTEX_INITIALIZER_NP;");
    }
    let _ = writeln!(text, "    if ((uintptr_t)&objects % {OBJECTS_ALIGNMENT:#x}) return {WRONG};");
    // Only where it is needed: what the kernel keeps makes executions slow.
    if calls.iter().any(|call| matches!(call, Call::Look(..) | Call::Change(..))) {
        text.push_str(print_calls::BEFORE);
    }
    if calls.iter().any(|call| matches!(call, Call::Area(..))) {
        text.push_str(print_calls::MAP);
    }
    text.push_str("    switch (which) {\n");
    for (number, program) in programs.iter().enumerate() {
        let _ = write!(text, "    case {number}:");
        for (variable, value) in program.variables.iter().enumerate().filter(|(_, value)| **value != 0) {
            // Before other threads exist, so the policy holds from the start.
            let _ = write!(text, " *(unsigned *)&objects.variable.of[{variable}] = {value}u;");
        }
        let _ = writeln!(text, " return program{number}_thread0();");
    }
    let _ = write!(text, "    }}\n    return {WRONG};\n}}\n");
    text
}

/// Whether the program has plain variables. If so, its exit status tells its final state ([`status`]).
pub fn uses_plain(program: &Program) -> bool {
    let plain = |i: &Instruction| match i {
        Instruction::PlainLoad(v, _) | Instruction::PlainStore(v, _) => (*v as usize) < PLAIN,
        _ => false,
    };
    program.threads.iter().flatten().any(plain)
}

/// The number of plain variables and registers that an exit status is made of.
const PLAINS: usize = 3;
const COUNTED: usize = 2;

/// The exit status of a program with plain variables that ends in `state`.
pub fn status(state: &FinalState) -> u32 {
    let variable = |i: usize| state.variables.get(PLAIN + i).copied().unwrap_or(0) as u32;
    let plain = (0..PLAINS).map(|i| (i as u32 + 1).wrapping_mul(variable(i)));
    let threads = state.registers.iter().enumerate().skip(1).map(|(thread, registers)| {
        let counted = (0..COUNTED).map(|r| (2 * r as u32 + 1).wrapping_mul(registers[r] as u32));
        (7 * (thread as u32 + 1)).wrapping_mul(counted.fold(0, u32::wrapping_add))
    });
    plain.chain(threads).fold(0, u32::wrapping_add) % 97
}

fn print_thread(
    text: &mut String,
    number: usize,
    thread: usize,
    code: &[Instruction],
    status: Option<usize>,
    calls_inner: bool,
) {
    let (result, parameters) = if thread == 0 { ("int ", "void") } else { ("void *", "void *argument") };
    let _ = writeln!(text, "\nstatic {result}program{number}_thread{thread}({parameters}) {{");
    if calls_inner {
        let _ =
            writeln!(text, "    unsigned area[2] = {{ 0, 0 }};\n    set_frame(0, area);\n    program{number}_inner();");
    }
    let registers = print_body(text, number, code);
    let mut result = if thread == 0 { "0" } else { "argument" }.to_owned();
    if let Some(threads) = status {
        let sum = |parts: Vec<String>| if parts.is_empty() { "0u".to_owned() } else { parts.join(" + ") };
        if thread == 0 {
            let plain = (0..PLAINS).map(|i| format!("{}u * objects.variable.plain[{i}]", i + 1));
            let others = (1..threads).map(|t| format!("{}u * outcome[{t}].value", 7 * (t + 1)));
            result = format!("(int)(({}) % 97u)", sum(plain.chain(others).collect()));
        } else {
            let counted = registers.iter().filter(|r| (**r as usize) < COUNTED);
            let counted = counted.map(|r| format!("{}u * r{r}", 2 * r + 1)).collect();
            let _ = writeln!(text, "    outcome[{thread}].value = {};", sum(counted));
        }
    }
    let _ = writeln!(text, "    return {result};\n}}");
}

/// A function without an argument and a result: a handler, or one whose variables are area 1.
fn print_function(text: &mut String, name: &str, number: usize, code: &[Instruction]) {
    let _ = writeln!(text, "\nstatic __attribute__((noinline)) void {name}(void) {{");
    if name.ends_with("inner") {
        let _ = writeln!(text, "    unsigned area[2] = {{ 0, 0 }};\n    set_frame(1, area);");
    }
    print_body(text, number, code);
    let _ = writeln!(text, "}}");
}

/// The registers and the statements of a function. Returns its registers.
fn print_body(text: &mut String, number: usize, code: &[Instruction]) -> Vec<Register> {
    let mut registers: Vec<Register> = code.iter().flat_map(registers_of).collect();
    registers.sort_unstable();
    registers.dedup();
    for register in &registers {
        let _ = writeln!(text, "    KEPT unsigned r{register} = 0;");
    }
    let goes_back = |(at, instruction): (usize, &Instruction)| match *instruction {
        Instruction::BranchIf(_, _, to) | Instruction::BranchUnless(_, _, to) | Instruction::Jump(to) => {
            to as usize <= at
        }
        _ => false,
    };
    if code.iter().enumerate().any(goes_back) {
        registers.iter().for_each(|register| _ = writeln!(text, "    kept(&r{register});"));
    }
    let is_target = |at: usize| {
        code.iter().any(|instruction| match *instruction {
            Instruction::BranchIf(_, _, to) | Instruction::BranchUnless(_, _, to) | Instruction::Jump(to) => {
                to as usize == at
            }
            _ => false,
        })
    };
    for at in 0..code.len() {
        if is_target(at) {
            let _ = writeln!(text, "at{at}:");
        }
        let _ = writeln!(text, "    {}", statement(code, at, number));
    }
    if is_target(code.len()) {
        let _ = writeln!(text, "at{}:", code.len());
    }
    for register in &registers {
        let _ = writeln!(text, "    (void)r{register};");
    }
    registers
}

fn registers_of(instruction: &Instruction) -> Vec<Register> {
    use Instruction::*;
    let of = |value: Value| if let Value::Register(r) = value { Some(r) } else { None };
    match *instruction {
        Consistent(_, r) | TryJoin(_, r) | TimedJoin(_, r) => vec![r],
        TryLock(_, r) | SemTryWait(_, r) | SemValue(_, r) | TryReadLock(_, r) | TryWriteLock(_, r) => vec![r],
        FutexWait(_, _, r) | FutexTimedWait(_, _, r) | FutexWake(_, _, r) => vec![r],
        FutexRequeue(_, _, _, r) | FutexCompareRequeue(_, _, _, r) => vec![r],
        TimedLock(_, r) | TimedWait(_, _, r) | SemTimedWait(_, r) => vec![r],
        TimedReadLock(_, r) | TimedWriteLock(_, r) => vec![r],
        SpinTryLock(_, r) | BarrierWait(_, r) | Once(_, r) | Load(_, r) | Choose(_, r) => vec![r],
        BranchIf(r, _, _) | BranchUnless(r, _, _) | Assert(r, _) | Assume(r, _) => vec![r],
        PlainLoad(_, r) => vec![r],
        Outside(call) => print_calls::register_of(call).into_iter().collect(),
        Store(_, value) | PlainStore(_, value) => of(value).into_iter().collect(),
        FetchAdd(_, value, r) | Set(r, value) | Add(r, value) => of(value).into_iter().chain([r]).collect(),
        CompareExchange(_, expected, new, r) => of(expected).into_iter().chain(of(new)).chain([r]).collect(),
        _ => Vec::new(),
    }
}

fn futex(variable: u8, operation: &str, arguments: &str, register: Register) -> String {
    let call = format!("syscall(SYS_futex, &objects.variable.of[{variable}], {operation}, {arguments})");
    format!("{{ long n = {call}; r{register} = n < 0 ? (unsigned)errno : (unsigned)n; }}")
}

/// The statement at `at` of `code`. Variables in areas are not in the structure of objects.
fn statement(code: &[Instruction], at: usize, number: usize) -> String {
    let text = statement_on_objects(code, at, number);
    let in_area = |variable: u8| variable.checked_sub(FIRST_IN_AREAS);
    match code[at] {
        Instruction::Load(v, _)
        | Instruction::Store(v, _)
        | Instruction::FetchAdd(v, ..)
        | Instruction::CompareExchange(v, ..)
            if in_area(v).is_some() =>
        {
            let place = format!("(atomic_uint *)VARIABLE({})", v - FIRST_IN_AREAS);
            text.replace(&format!("&objects.variable.of[{v}]"), &place)
        }
        Instruction::PlainLoad(v, _) | Instruction::PlainStore(v, _) if in_area(v + PLAIN as u8).is_some() => {
            let place = format!("*VARIABLE({})", v + PLAIN as u8 - FIRST_IN_AREAS);
            text.replace(&format!("objects.variable.plain[{v}]"), &place)
        }
        _ => text,
    }
}

fn statement_on_objects(code: &[Instruction], at: usize, number: usize) -> String {
    use Instruction::*;
    const ORDERS: [&str; 6] = ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"];
    let (order, failure) = orders(code, at);
    let (order, failure) = (ORDERS[order as usize], ORDERS[failure as usize]);
    let value = |value: Value| match value {
        Value::Constant(constant) => format!("{constant}u"),
        Value::Register(register) => format!("r{register}"),
    };
    match code[at] {
        Lock(m) => format!("pthread_mutex_lock(&objects.mutex.of[{m}]);"),
        TryLock(m, r) => format!("r{r} = (unsigned)pthread_mutex_trylock(&objects.mutex.of[{m}]);"),
        Unlock(m) => format!("pthread_mutex_unlock(&objects.mutex.of[{m}]);"),
        Consistent(m, r) => format!("r{r} = (unsigned)pthread_mutex_consistent(&objects.mutex.of[{m}]);"),
        Wait(c, m) => format!("pthread_cond_wait(&objects.condition.of[{c}], &objects.mutex.of[{m}]);"),
        Signal(c) => format!("pthread_cond_signal(&objects.condition.of[{c}]);"),
        Broadcast(c) => format!("pthread_cond_broadcast(&objects.condition.of[{c}]);"),
        FutexWait(v, value, r) => futex(v, "FUTEX_WAIT_PRIVATE", &format!("{value}u, 0, 0, 0"), r),
        FutexTimedWait(v, value, r) => {
            let forever = "FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME";
            futex(v, forever, &format!("{value}u, &deadline, 0, ~0u"), r)
        }
        FutexWake(v, most, r) => futex(v, "FUTEX_WAKE", &format!("{most}, 0, 0, 0"), r),
        FutexRequeue(v, to, most, r) => {
            let to = format!("&objects.variable.of[{to}]");
            futex(v, "FUTEX_REQUEUE", &format!("1, {most}ul, {to}, 0"), r)
        }
        FutexCompareRequeue(v, to, most, r) => {
            let to = format!("&objects.variable.of[{to}]");
            futex(v, "FUTEX_CMP_REQUEUE_PRIVATE", &format!("1, {most}ul, {to}, 0u"), r)
        }
        TimedLock(m, r) => format!("r{r} = (unsigned)pthread_mutex_timedlock(&objects.mutex.of[{m}], &deadline);"),
        TimedWait(c, m, r) => {
            let wait = "pthread_cond_timedwait(&objects.condition.of";
            format!("r{r} = (unsigned){wait}[{c}], &objects.mutex.of[{m}], &deadline);")
        }
        SemTimedWait(s, r) => {
            format!("r{r} = sem_timedwait(&objects.semaphore.of[{s}], &deadline) ? (unsigned)errno : 0;")
        }
        TimedReadLock(l, r) => {
            format!("r{r} = (unsigned)pthread_rwlock_timedrdlock(&objects.rwlock.of[{l}], &deadline);")
        }
        TimedWriteLock(l, r) => {
            format!("r{r} = (unsigned)pthread_rwlock_timedwrlock(&objects.rwlock.of[{l}], &deadline);")
        }
        SemInit(s, n) => format!("sem_init(&objects.semaphore.of[{s}], 0, {n});"),
        SemWait(s) => format!("sem_wait(&objects.semaphore.of[{s}]);"),
        SemTryWait(s, r) => format!("r{r} = sem_trywait(&objects.semaphore.of[{s}]) ? (unsigned)errno : 0;"),
        SemPost(s) => format!("sem_post(&objects.semaphore.of[{s}]);"),
        SemValue(s, r) => {
            format!("{{ int v; sem_getvalue(&objects.semaphore.of[{s}], &v); r{r} = (unsigned)v; }}")
        }
        ReadLock(l) => format!("pthread_rwlock_rdlock(&objects.rwlock.of[{l}]);"),
        TryReadLock(l, r) => format!("r{r} = (unsigned)pthread_rwlock_tryrdlock(&objects.rwlock.of[{l}]);"),
        WriteLock(l) => format!("pthread_rwlock_wrlock(&objects.rwlock.of[{l}]);"),
        TryWriteLock(l, r) => format!("r{r} = (unsigned)pthread_rwlock_trywrlock(&objects.rwlock.of[{l}]);"),
        RwUnlock(l) => format!("pthread_rwlock_unlock(&objects.rwlock.of[{l}]);"),
        SpinLock(l) => format!("pthread_spin_lock(&objects.spin.of[{l}]);"),
        SpinTryLock(l, r) => format!("r{r} = (unsigned)pthread_spin_trylock(&objects.spin.of[{l}]);"),
        SpinUnlock(l) => format!("pthread_spin_unlock(&objects.spin.of[{l}]);"),
        BarrierInit(b, n) => format!("pthread_barrier_init(&objects.barrier.of[{b}], 0, {n});"),
        BarrierWait(b, r) => {
            let wait = format!("pthread_barrier_wait(&objects.barrier.of[{b}])");
            format!("r{r} = {wait} == PTHREAD_BARRIER_SERIAL_THREAD;")
        }
        Once(o, r) => format!("ran = 0; pthread_once(&objects.once.of[{o}].control, run); r{r} = ran;"),
        Create(t) => format!("pthread_create(&handle[{t}], 0, program{number}_thread{t}, 0);"),
        Join(t) => format!("pthread_join(handle[{t}], 0);"),
        TimedJoin(t, r) => format!("r{r} = (unsigned)pthread_timedjoin_np(handle[{t}], 0, &deadline);"),
        TryJoin(t, r) => format!("r{r} = (unsigned)pthread_tryjoin_np(handle[{t}], 0);"),
        Cancel(t) => format!("pthread_cancel(handle[{t}]);"),
        TestCancel => "pthread_testcancel();".to_owned(),
        Cancellable(can) => format!("pthread_setcancelstate({}, 0);", 1 - can),
        Detach(t) => format!("pthread_detach(handle[{t}]);"),
        Load(v, r) => {
            format!("r{r} = atomic_load_explicit(&objects.variable.of[{v}], memory_order_{order});")
        }
        Store(v, what) => {
            format!("atomic_store_explicit(&objects.variable.of[{v}], {}, memory_order_{order});", value(what))
        }
        FetchAdd(v, what, r) => format!(
            "r{r} = atomic_fetch_add_explicit(&objects.variable.of[{v}], {}, memory_order_{order});",
            value(what)
        ),
        CompareExchange(v, expected, new, r) => format!(
            "{{ unsigned e = {}; atomic_compare_exchange_strong_explicit(&objects.variable.of[{v}], &e, {}, \
             memory_order_{order}, memory_order_{failure}); r{r} = e; }}",
            value(expected),
            value(new)
        ),
        Fence => format!("atomic_thread_fence(memory_order_{order});"),
        Order(_) => ";".to_owned(),
        Yield => "sched_yield();".to_owned(),
        Forever => "for (;;) ;".to_owned(),
        Set(r, what) => format!("r{r} = {};", value(what)),
        Add(r, what) => format!("r{r} += {};", value(what)),
        BranchIf(r, what, to) => format!("if (r{r} == {what}u) goto at{to};"),
        BranchUnless(r, what, to) => format!("if (r{r} != {what}u) goto at{to};"),
        Jump(to) => format!("goto at{to};"),
        Choose(n, r) => format!("r{r} = heddle_choose({n});"),
        PlainLoad(v, r) => format!("r{r} = objects.variable.plain[{v}];"),
        PlainStore(v, what) => format!("objects.variable.plain[{v}] = {};", value(what)),
        AtomicBegin => "heddle_atomic_begin();".to_owned(),
        AtomicEnd => "heddle_atomic_end();".to_owned(),
        Assume(r, what) => format!("heddle_assume(r{r} == {what}u);"),
        Assert(r, what) => format!("assert(r{r} == {what}u);"),
        Exit(status) => format!("_exit({status});"),
        Outside(call) => print_calls::statement(call, number),
    }
}
