//! The trap that catches every system call of the program, wherever it is made.
//!
//! The kernel can pass every system call from outside a range of code to a signal handler (Syscall User Dispatch). The
//! range is this library's text, so system calls that libc makes for the program are caught too. Output is captured.
//! Changes of the world outside the program's memory are noticed before they happen. A call that would block the one
//! kernel thread ends the execution as *unsupported*. A trap costs more than a microsecond, so calls that programs make
//! often are interposed by name, and the trap handles the rest.

use core::cell::Cell;

use heddle_model::primitive::process;
use heddle_model::wire::{Note, Restart};
use heddle_model::{Ending, Outcome};

use crate::arch::Trapped;
use crate::calls::pthread::identity;
use crate::calls::unsupported;
use crate::entry::start;
use crate::lifetime;
use crate::outside::files::{self, descriptors, ordered};
use crate::outside::signals::handlers::{Disposition, disposition};
use crate::outside::signals::remembered;
use crate::outside::{channel, children, ids, kernel_thread, machine};
use crate::schedule::{self, active, spin_loop};
use crate::state::{livelock, snapshot};
use crate::sys;

const ALLOW: u8 = 0;
const BLOCK: u8 = 1;
const PR_SET_SYSCALL_USER_DISPATCH: usize = 59;

/// The trap of this process.
pub struct Trap {
    /// Read by the kernel at every system call from outside our text.
    selector: Cell<u8>,
    /// How executions start over.
    restart: Cell<Restart>,
}

impl Trap {
    /// The state at the start of the process.
    pub const fn new() -> Trap {
        Trap { selector: Cell::new(ALLOW), restart: Cell::new(Restart::Snapshot) }
    }
}

/// What the system calls of this execution have done to standard input and output.
pub struct Trapping {
    /// The descriptors, of the first 64, whose output is captured: a bit for each.
    captured: Cell<u64>,
    /// The descriptors, of the first 64, that are standard input: a bit for each.
    input: Cell<u64>,
    /// Where the last system call was made: the stack, and the instruction.
    called: Cell<(usize, u64)>,
    /// The number of the system call that the kernel is doing for the program, if it does one.
    in_kernel: Cell<Option<usize>>,
}

impl Trapping {
    const CAPTURED: u64 = 0b110;
    const INPUT: u64 = 1;

    /// The state at the start of the process.
    pub const fn new() -> Trapping {
        Trapping {
            captured: Cell::new(Self::CAPTURED),
            input: Cell::new(Self::INPUT),
            called: Cell::new((0, 0)),
            in_kernel: Cell::new(None),
        }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Trapping { captured, input, called, in_kernel } = self;
        captured.set(Self::CAPTURED);
        input.set(Self::INPUT);
        called.set((0, 0));
        in_kernel.set(None);
    }
}

fn trap() -> &'static Trap {
    &lifetime::process().trap
}

fn trapping() -> &'static Trapping {
    &lifetime::execution().trapping
}

/// Asks the kernel to trap system calls. Call this in each process that runs executions, because a forked child does
/// not inherit it. Returns false if the kernel does not support it.
pub fn set_up(text: (usize, usize), restart: Restart) -> bool {
    trap().restart.set(restart);
    let selector = trap().selector.as_ptr() as usize;
    // SAFETY: the selector lives for ever.
    unsafe { sys::syscall6(sys::PRCTL, PR_SET_SYSCALL_USER_DISPATCH, 1, text.0, text.1, selector, 0) == 0 }
}

/// Traps system calls from now on: the program's code is about to run.
pub fn arm() {
    set(BLOCK);
}

/// Stops trapping system calls: the program's code has stopped.
pub fn disarm() {
    set(ALLOW);
}

fn set(selector: u8) {
    // SAFETY: the selector is ours. The kernel reads it, which the compiler does not know: so the write is volatile.
    unsafe { trap().selector.as_ptr().write_volatile(selector) };
}

/// What to do with a system call.
enum Answer {
    /// The program gets this result.
    Result(isize),
    /// Make the call.
    Pass,
    /// The call changes what a snapshot does not hold.
    Outside(&'static str),
    /// The call makes a process: the instruction must run in its own place.
    Clone(&'static str),
    /// The call is not supported.
    Unsupported(&'static str),
}

/// The handler of SIGSYS: answers a trapped system call.
pub unsafe extern "C" fn on_system_call(_: i32, _: *const u64, context: *mut u64) {
    // SAFETY: the third argument of the handler.
    let mut trapped = unsafe { Trapped::new(context) };
    let (number, arguments) = (trapped.number(), trapped.arguments());
    if number == RT_SIGRETURN {
        trapped.redirect_to_sigreturn();
        return;
    }
    let pass = |number: usize, a: [usize; 6]| {
        trapping().in_kernel.set(Some(number));
        // SAFETY: the program's own call, made for it.
        let result = unsafe { sys::syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]) };
        trapping().in_kernel.set(None);
        result
    };
    if active() && (number == WRITE || number == WRITEV) && is_captured(arguments[0] as i32) {
        livelock::printed();
    } else {
        livelock::outside();
    }
    trapping().called.set((trapped.stack(), trapped.pc()));
    let answer = match machine::answer(number, &arguments) {
        Some(result) => Answer::Result(result),
        None if active() => answer(number, &arguments),
        None => Answer::Pass,
    };
    let in_snapshot = trap().restart.get() == Restart::Snapshot;
    let result = match answer {
        Answer::Result(result) => result,
        Answer::Outside(name) | Answer::Clone(name) if in_snapshot && active() => {
            schedule::stop(Outcome::NeedsFork, program_pc(&trapped), name.as_bytes())
        }
        Answer::Unsupported(name) => schedule::unsupported(name, program_pc(&trapped)),
        Answer::Clone(_) => {
            schedule::goes_outside(Note::Processes);
            // The call is repeated at its own place in the program, untrapped. The next visible operation arms the trap
            // again.
            disarm();
            trapped.repeat();
            return;
        }
        Answer::Pass | Answer::Outside(_) => {
            if matches!(answer, Answer::Outside(_)) {
                // A loop that makes this call does not only wait.
                spin_loop::changed();
            }
            let (arguments, later) = if active() { without_truncation(number, arguments) } else { (arguments, false) };
            let answer = if active() && !in_snapshot { files::answer(number, &arguments) } else { None };
            let private =
                active() && !in_snapshot && grows_file(number) && descriptors::known(arguments[0] as i32).is_private();
            let mut result = answer.unwrap_or_else(|| pass(number, arguments));
            if private {
                result = files::with_room(result);
            }
            children::set_waits_outside(false);
            // The kernel does not fault on pages that the snapshot made read-only, it refuses the call.
            let mut reach = 1;
            while result == -sys::EFAULT && arguments.iter().any(|&a| snapshot::open(a, reach)) {
                result = pass(number, arguments);
                reach *= 4;
            }
            if active() && !in_snapshot {
                keep_track(number, &arguments, result);
                if later && result >= 0 {
                    ordered::to_truncate(result as i32);
                }
            }
            result
        }
    };
    trapped.set_result(result);
}

/// Whether `file` is standard input, and the user has given no file for it.
fn is_missing_input(file: i32) -> bool {
    (0..64).contains(&file) && trapping().input.get() & 1 << file != 0 && schedule::header().input[0] == 0
}

/// Whether what is written to `file` is what the program prints.
pub fn is_captured(file: i32) -> bool {
    (0..64).contains(&file) && trapping().captured.get() & 1 << file != 0
}

/// Updates the knowledge about the program's descriptors after a call was made.
fn keep_track(number: usize, arguments: &[usize; 6], result: isize) {
    const FCNTL_DUP: [usize; 2] = [0, 1030];
    if result < 0 {
        return;
    }
    let (old, new) = match number {
        2 | 257 | 437 | 85 => {
            stands_for(result as i32, None);
            return descriptors::opened(result as i32);
        }
        3 => {
            stands_for(arguments[0] as i32, None);
            return descriptors::closed(arguments[0] as i32);
        }
        32 | 33 | 292 => (arguments[0] as i32, result as i32),
        72 if FCNTL_DUP.contains(&arguments[1]) => (arguments[0] as i32, result as i32),
        _ => return,
    };
    stands_for(new, Some(old));
    descriptors::copied(old, new);
}

/// Notes that `file` is a duplicate of `old`, or something new.
fn stands_for(file: i32, old: Option<i32>) {
    if !(0..64).contains(&file) {
        return;
    }
    for mask in [&trapping().captured, &trapping().input] {
        let is = old.filter(|old| (0..64).contains(old)).is_some_and(|old| mask.get() & 1 << old != 0);
        mask.set(mask.get() & !(1 << file) | u64::from(is) << file);
    }
}

/// The arguments of an `open` without truncation, if the caller truncates the file later, and whether it does.
fn without_truncation(number: usize, mut arguments: [usize; 6]) -> ([usize; 6], bool) {
    const TRUNCATE: usize = 0o1000;
    let flags = match number {
        2 => &mut arguments[1],
        257 => &mut arguments[2],
        _ => return (arguments, false),
    };
    let later = ordered::truncates_later() && *flags & TRUNCATE != 0;
    if later {
        *flags &= !TRUNCATE;
    }
    (arguments, later)
}

/// The number of the system call that the kernel is doing for the program, if it does one. It was not modelled, or it would
/// not wait there.
pub fn in_kernel() -> Option<usize> {
    trapping().in_kernel.get()
}

/// The position in the program of the current system call.
pub fn place() -> u64 {
    let (stack, pc) = trapping().called.get();
    nearest_program_pc(stack, pc)
}

/// Whether the current system call is made by an instruction of the program itself.
fn is_by_program() -> bool {
    let (low, high) = start::program_text();
    (low..high).contains(&(trapping().called.get().1 as usize))
}

/// The call in the program's own code that led to a trapped system call in libc.
fn program_pc(trapped: &Trapped) -> u64 {
    nearest_program_pc(trapped.stack(), trapped.pc())
}

/// The first address on the stack above `stack` that points into the program's text, otherwise `pc`. This is a guess,
/// for messages only.
pub fn nearest_program_pc(stack: usize, pc: u64) -> u64 {
    let (low, high) = start::program_text();
    let stack = stack as *const u64;
    (0..512)
        // SAFETY: the stack of a running thread; 4 KiB above its pointer there is at least glibc's own start-up frame.
        .map(|i| unsafe { *stack.add(i) })
        .find(|&word| (word as usize) > low && (word as usize) < high)
        .unwrap_or(pc)
}

/// Ends the execution as *unsupported*: the program waits in the kernel, in a system call that is not modelled.
pub fn unknown_wait(number: usize) -> ! {
    const WORDS: &[u8] = b"waiting in the kernel, in system call ";
    let mut name = [0u8; WORDS.len() + 5];
    name[..WORDS.len()].copy_from_slice(WORDS);
    let (mut digits, mut rest) = ([0u8; 5], number as u32 % 100_000);
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 || first == 0 {
            break;
        }
    }
    let count = digits.len() - first;
    name[WORDS.len()..][..count].copy_from_slice(&digits[first..]);
    let name = core::str::from_utf8(&name[..WORDS.len() + count]).unwrap_or("waiting in the kernel");
    schedule::unsupported(name, place())
}

const RT_SIGRETURN: usize = 15;
const WRITE: usize = 1;
const WRITEV: usize = 20;
const ENOSYS: isize = 38;

fn answer(number: usize, arguments: &[usize; 6]) -> Answer {
    let file = arguments[0];
    match number {
        // read, pread64, readv: nobody can type in the middle of a thousand executions, and a program that finds nothing
        // there is not the program that was meant. All other files only exist in processes of their own.
        0 | 17 | 19 if is_missing_input(file as i32) => {
            Answer::Unsupported("reading from standard input (--stdin gives it a file)")
        }
        0 | 1 | 17..=20 if descriptors::is_outside(file as i32) => {
            children::set_waits_outside(true);
            Answer::Pass
        }
        // sendfile: it reads a file and writes to the other end in one step, which would be two steps here.
        40 if channel::is_one(file as i32) => Answer::Unsupported("sendfile into a pipe or socket"),
        // accept, sendto, recvfrom, sendmsg, recvmsg, shutdown, accept4, recvmmsg, sendmmsg, and the next: nobody who
        // waits at the other end would hear of it.
        0 | 1 | 17..=20 | 43..=48 | 288 | 299 | 307 if is_by_program() && channel::is_one(file as i32) => {
            Answer::Unsupported("a pipe or socket that is used by an instruction, not through libc")
        }
        // Through stdio, mostly: who reads there was told to wait, who writes there cannot.
        0 | 1 | 17..=20 if channel::is_one(file as i32) => match channel::from_libc(number, arguments) {
            Some(result) => Answer::Result(result),
            None => Answer::Unsupported("stdio on a pipe or socket that has to wait in the middle"),
        },
        // getpid, getppid, gettid
        39 if is_by_program() => Answer::Result(ids::PID as isize),
        110 if is_by_program() => Answer::Result(ids::PARENT as isize),
        186 if is_by_program() => Answer::Result(ids::current_tid() as isize),
        // gettimeofday, time, clock_gettime: a look at a clock has an order, and there is no place for it here
        96 | 201 | 228 if is_by_program() => {
            Answer::Unsupported("a clock that is read by an instruction, not through libc")
        }
        0 | 17 | 19 => Answer::Outside("read"),
        // write
        WRITE if is_captured(file as i32) => {
            // SAFETY: the program vouches for its buffer; the kernel would read it too.
            schedule::printed(unsafe { core::slice::from_raw_parts(arguments[1] as *const u8, arguments[2]) });
            Answer::Result(arguments[2] as isize)
        }
        // writev
        WRITEV if is_captured(file as i32) => Answer::Result(printed_vector(arguments[1], arguments[2])),
        1 | 20 | 18 => Answer::Outside("write"),
        2 | 257 | 437 | 85 => Answer::Outside("open"),
        // close, dup: only of what was opened
        3 | 436 => Answer::Outside("close"),
        32 | 33 | 292 => Answer::Outside("dup"),
        22 | 293 => Answer::Outside("pipe"),
        41 | 53 => Answer::Outside("socket"),
        9 => Answer::Outside("mmap"),
        10 => Answer::Outside("mprotect"),
        11 => Answer::Outside("munmap"),
        25 => Answer::Outside("mremap"),
        12 => Answer::Outside("brk"),
        28 => Answer::Outside("madvise"),
        // rt_sigaction
        // SAFETY: the program's own call.
        13 if remembered::keeps(arguments[0]) => Answer::Result(unsafe { remembered::sigaction(arguments) }),
        13 if crate::outside::signals::handlers::OURS.contains(&arguments[0]) && arguments[1] != 0 => {
            Answer::Unsupported("sigaction of a signal that Heddle needs itself")
        }
        13 if arguments[0] == children::SIGCHLD && arguments[1] != 0 && children::has_ever_made_any() => {
            Answer::Unsupported(children::HANDLES_ENDS)
        }
        13 => Answer::Outside("sigaction"),
        // rt_sigprocmask, by libc itself: on the way out of a handler by a jump
        14 => match crate::outside::signals::mask::change_by_libc(arguments) {
            Some(result) => Answer::Result(result),
            None => Answer::Unsupported("a jump that unblocks a signal that is pending"),
        },
        // sigaltstack
        131 => Answer::Result(kernel_thread::sigaltstack(arguments[0], arguments[1])),
        // sched_yield, nanosleep, clock_nanosleep from inside libc
        24 | 35 | 230 => Answer::Result(0),
        // fork, vfork, clone, clone3
        56 | 435 => Answer::Clone("clone"),
        57 => Answer::Clone("fork"),
        58 => Answer::Clone("vfork"),
        59 | 322 => Answer::Unsupported("exec, by which the program becomes another one"),
        // exit: of one thread, of which nobody would be told
        60 => Answer::Unsupported("exit of a thread by a system call"),
        // exit_group
        231 => schedule::end_process(process::end(Ending::Exit { status: arguments[0] as i32 }), 0),
        // kill, tkill, tgkill
        62 | 200 | 234 => send_signal(number, arguments),
        // set_tid_address, set_robust_list, rseq: about kernel threads, of which there is one
        218 | 273 => Answer::Result(0),
        334 => Answer::Result(-ENOSYS),
        202 => futex(arguments),
        // select, poll, accept, connect, recv, epoll_wait, wait4: they may block, which the watchdog sees
        7 | 23 | 42..=52 | 61 | 232 | 233 | 247 | 270 | 271 | 281 | 288 => Answer::Outside("input or output"),
        // Not newfstatat (262), readlink and readlinkat (89, 267), which only look: every printf asks what it writes to.
        76
        | 77
        | 80..=84
        | 86..=88
        | 90..=95
        | 132
        | 133
        | 188..=190
        | 197..=199
        | 235
        | 258..=261
        | 263..=266
        | 268
        | 280
        | 285
        | 316
        | 452 => Answer::Outside("a change to the file system"),
        // getrandom, for the names of temporary files
        318 => {
            // SAFETY: the program's own buffer.
            Answer::Result(unsafe {
                crate::outside::random::getrandom(arguments[0] as *mut u8, arguments[1], arguments[2] as u32)
            })
        }
        // flock, and fcntl that waits for a lock: somebody else in this process has it, who could not go on
        73 | 72 if waits_for_lock(number, arguments) => {
            Answer::Unsupported("waiting for a lock on a file (flock, fcntl)")
        }
        // setsockopt: SO_RCVTIMEO, SO_SNDTIMEO, by their old and new numbers
        54 if arguments[1] == 1 && matches!(arguments[2], 20 | 21 | 66 | 67) => {
            Answer::Unsupported("a time-out of a socket (SO_RCVTIMEO, SO_SNDTIMEO)")
        }
        // getpriority, setpriority
        140 if is_own_thread(arguments) => Answer::Result(kernel_thread::raw_nice()),
        141 if is_own_thread(arguments) => Answer::Result(kernel_thread::set_nice(arguments[2] as i32)),
        // prctl: the timer slack
        157 if arguments[0] == 29 => Answer::Result(kernel_thread::set_timer_slack(arguments[1])),
        157 if arguments[0] == 30 => Answer::Result(kernel_thread::timer_slack()),
        // capset, and prctl that drops a capability or keeps it: the kernel never gives back what a thread has dropped
        126 => Answer::Unsupported("a change of the capabilities of a thread (capset)"),
        157 if matches!(arguments[0], 8 | 24 | 28 | 38) => {
            Answer::Unsupported("a change of the capabilities of a thread (prctl)")
        }
        // prctl: the name of the thread
        157 if arguments[0] == 15 => Answer::Result(identity::set_own_name(arguments[1])),
        157 if arguments[0] == 16 => Answer::Result(identity::own_name(arguments[1])),
        // mlock, munlock, mlockall, munlockall, mlock2: whether memory is swapped out makes no difference
        149..=152 | 325 => Answer::Result(0),
        // sched_setparam, sched_setscheduler, setpriority, sched_setaffinity, sched_setattr, ioprio_set, personality, prctl,
        // setrlimit, chroot, setsid, setpgid, prlimit64 that sets one
        142 | 144 | 141 | 203 | 314 | 251 | 135 | 157 | 160 | 161 | 112 | 109 => {
            Answer::Outside("a setting of the process")
        }
        302 if arguments[2] != 0 => Answer::Outside("a setting of the process"),
        _ => unsupported::by_number(number).map_or(Answer::Pass, Answer::Unsupported),
    }
}

/// Whether `getpriority` or `setpriority` is about the calling thread: the kernel keeps a nice value for each thread.
fn is_own_thread(&[which, who, ..]: &[usize; 6]) -> bool {
    const PROCESS: usize = 0;
    which == PROCESS && (who == 0 || who as i32 == ids::current_tid())
}

/// Whether a system call can make the file in its first argument larger: write, pwrite64, writev, sendfile, ftruncate,
/// fallocate, pwritev, pwritev2.
fn grows_file(number: usize) -> bool {
    matches!(number, 1 | 18 | 20 | 40 | 77 | 285 | 296 | 328)
}

/// Whether a call would have to wait for a lock on a file. Does not take the lock unless it is free.
fn waits_for_lock(number: usize, arguments: &[usize; 6]) -> bool {
    const FLOCK: usize = 73;
    const NOT_WAITING: usize = 4;
    const UNLOCK: usize = 8;
    let again = |result: isize| result == -EAGAIN;
    // SAFETY: the program's own call, without waiting: whoever gets the lock now gets it again.
    unsafe {
        match (number, arguments[1]) {
            (FLOCK, how) if how & (NOT_WAITING | UNLOCK) == 0 && trap().restart.get() != Restart::Snapshot => {
                files::answer(number, arguments);
                again(sys::syscall3(number, arguments[0], how | NOT_WAITING, 0))
            }
            // For a file description: F_OFD_SETLKW by F_OFD_SETLK.
            (_, 38) if trap().restart.get() != Restart::Snapshot => {
                files::answer(number, arguments);
                again(sys::syscall3(number, arguments[0], 37, arguments[2]))
            }
            _ => false,
        }
    }
}

const FUTEX_WAIT: usize = 0;
const FUTEX_WAKE: usize = 1;
const FUTEX_WAIT_BITSET: usize = 9;
const FUTEX_WAKE_BITSET: usize = 10;
const EAGAIN: isize = 11;

/// A futex call of libc: a lock of libc's own that is held by a thread that cannot run now. Waking is harmless, because
/// no thread sleeps on such a lock. Sleeping would last forever.
fn futex(arguments: &[usize; 6]) -> Answer {
    match arguments[1] & 0x7f {
        FUTEX_WAKE | FUTEX_WAKE_BITSET => Answer::Result(0),
        // SAFETY: the program's own word, which the kernel would read too.
        FUTEX_WAIT | FUTEX_WAIT_BITSET if unsafe { *(arguments[0] as *const u32) } != arguments[2] as u32 => {
            Answer::Result(-EAGAIN)
        }
        _ if is_by_program() => Answer::Unsupported("a futex that is used by an instruction, not through syscall()"),
        _ => Answer::Unsupported("waiting on a lock inside a library (futex)"),
    }
}

fn printed_vector(vector: usize, count: usize) -> isize {
    let mut total = 0;
    for i in 0..count {
        // SAFETY: the program vouches for its iovec; the kernel would read it too.
        let bytes = unsafe {
            let part = (vector as *const [usize; 2]).add(i);
            core::slice::from_raw_parts((*part)[0] as *const u8, (*part)[1])
        };
        schedule::printed(bytes);
        total += bytes.len() as isize;
    }
    total
}

/// Whether `process` is one that the program has made, and that has not been waited for.
fn is_child(process: i32) -> bool {
    const WAITID: usize = 247;
    const BY_ID: usize = 1;
    /// Whether it has ended or not, at once, and without reaping it.
    const ANY: usize = 0x4 | 0x1 | 0x0100_0000;
    let mut info = [0u64; 16];
    // SAFETY: only asks, with room of our own.
    unsafe { sys::syscall6(WAITID, BY_ID, process as usize, info.as_mut_ptr() as usize, ANY, 0, 0) == 0 }
}

/// A signal that the program sends. If the program sends itself a signal that kills by default, the process ends as
/// after a crash.
fn send_signal(number: usize, arguments: &[usize; 6]) -> Answer {
    const KILL: usize = 62;
    const TGKILL: usize = 234;
    let (to, signal) = (arguments[0] as i32, if number == TGKILL { arguments[2] } else { arguments[1] });
    if number == KILL && to != ids::PID {
        // The process group has others in it than the program: Heddle itself. And what the program takes for its parent is a number that
        // somebody else may have.
        return match to {
            1.. if is_child(to) => Answer::Outside("a signal to another process"),
            1.. => Answer::Unsupported("a signal to a process that the program has not made"),
            _ => Answer::Unsupported("kill of a group"),
        };
    }
    if signal == 0 {
        return Answer::Result(0);
    }
    if crate::outside::signals::mask::is_blocked(signal) {
        return Answer::Unsupported("a signal that is sent while it is blocked");
    }
    match disposition(signal) {
        Disposition::Ignored => Answer::Result(0),
        // The kernel would run it on our stack, which threads share.
        Disposition::Handled => Answer::Unsupported("a handler for a signal that is sent by a system call"),
        Disposition::Kills => {
            schedule::end_process(process::end(Ending::Crash { signal: signal as u8, overflow: false }), 0)
        }
    }
}
