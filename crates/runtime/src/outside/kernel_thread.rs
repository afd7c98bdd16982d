//! What the kernel keeps for each thread, beside its registers: the alternate signal stack, the nice value, the timer slack.
//!
//! All threads of the program run on one kernel thread, so each fiber has these itself, and the kernel is never told. A new
//! thread inherits the nice value and the timer slack of its creator, and has no alternate stack, as in Linux. The
//! floating-point environment is a part of a fiber's context ([`crate::arch`]).

use crate::schedule::{current, fiber};

/// What the kernel would keep for one thread.
#[derive(Clone, Copy)]
pub struct KernelThread {
    /// The alternate signal stack: its address, its flags, its size.
    alternate: [usize; 3],
    /// The nice value, from -20 to 19.
    nice: i32,
    /// The timer slack in nanoseconds.
    slack: usize,
}

/// The flag of an alternate stack that is not there.
const SS_DISABLE: usize = 2;
/// The timer slack of a process that has not changed it, in nanoseconds.
const USUAL_SLACK: usize = 50_000;
/// The smallest alternate stack.
const MINSIGSTKSZ: usize = 2048;

const EINVAL: isize = 22;
const ENOMEM: isize = 12;
const EACCES: isize = 13;

impl KernelThread {
    /// What a process begins with.
    pub const INITIAL: KernelThread = KernelThread { alternate: [0, SS_DISABLE, 0], nice: 0, slack: USUAL_SLACK };

    /// This state as words to compare.
    pub fn words(self) -> [usize; 5] {
        let [address, flags, size] = self.alternate;
        [address, flags, size, self.nice as usize, self.slack]
    }

    /// What a thread begins with that the thread with this state creates.
    pub fn inherited(self) -> KernelThread {
        KernelThread { alternate: Self::INITIAL.alternate, ..self }
    }
}

fn mine() -> KernelThread {
    fiber::of(current()).kernel_thread.get()
}

fn change(state: KernelThread) {
    fiber::of(current()).kernel_thread.set(state);
}

/// `sigaltstack`: the stack at `new`, if there is one, becomes the alternate stack of the current thread. The one before is
/// written to `old`, if there is room.
pub fn sigaltstack(new: usize, old: usize) -> isize {
    let before = mine();
    if new != 0 {
        // SAFETY: the program's structure: the address, the flags in 32 bits, the size.
        let [address, flags, size] = unsafe { (new as *const [usize; 3]).read_unaligned() };
        let flags = flags & 0xffff_ffff;
        let alternate = match flags {
            SS_DISABLE => KernelThread::INITIAL.alternate,
            0 if size < MINSIGSTKSZ => return -ENOMEM,
            0 => [address, 0, size],
            _ => return -EINVAL,
        };
        change(KernelThread { alternate, ..before });
    }
    if old != 0 {
        // SAFETY: the program's structure.
        unsafe { (old as *mut [usize; 3]).write_unaligned(before.alternate) };
    }
    0
}

/// `getpriority`: the nice value of the current thread as the system call has it, from 40 to 1.
pub fn raw_nice() -> isize {
    20 - mine().nice as isize
}

/// `setpriority`: sets the nice value of the current thread. Who has no privileges cannot lower it.
pub fn set_nice(nice: i32) -> isize {
    let (before, nice) = (mine(), nice.clamp(-20, 19));
    if nice < before.nice {
        return -EACCES;
    }
    change(KernelThread { nice, ..before });
    0
}

/// `prctl(PR_GET_TIMERSLACK)`.
pub fn timer_slack() -> isize {
    mine().slack as isize
}

/// `prctl(PR_SET_TIMERSLACK)`. 0 is the slack that the process began with.
pub fn set_timer_slack(slack: usize) -> isize {
    change(KernelThread { slack: if slack == 0 { USUAL_SLACK } else { slack }, ..mine() });
    0
}

/// The number by which the kernel knows the process, and the one kernel thread that there is.
pub fn real_id() -> i32 {
    // SAFETY: only asks.
    unsafe { crate::sys::syscall3(crate::sys::GETPID, 0, 0, 0) as i32 }
}
