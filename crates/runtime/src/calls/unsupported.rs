//! Functions of the thread library that Heddle does not control. A table.
//!
//! A call of one of them ends the execution as *unsupported*, with its name and place. If it were passed through, it
//! could block the one kernel thread that runs all threads, start uncontrolled threads, or synchronise without the
//! model's knowledge, and the verdict would be worthless. Outside executions the original is called.
//!
//! To model a function, define it in another file and remove its line here.
//!
//! Functions that are not listed are modelled or harmless. `docs/calls.md` says which and why, and a test compares it
//! with glibc.

use core::ffi::CStr;

use crate::entry::real::Real;
use crate::schedule::{self, active, caller};

/// Decides about a call of entry `index` from `pc`: returns the address of the original, or ends the execution.
pub unsafe extern "C" fn decide(index: u32, pc: u64) -> usize {
    let entry = &TABLE[index as usize];
    if active() {
        schedule::unsupported(entry.name(), pc);
    }
    entry.address()
}

macro_rules! table {
    ($($name:ident,)*) => {
        #[allow(non_camel_case_types, clippy::enum_variant_names)]
        #[repr(u32)]
        enum Index { $($name,)* Count }

        /// The functions, in the order of their indices.
        pub static TABLE: [Real; Index::Count as usize] = [$(Real::new(
            // SAFETY: ends in the only zero byte.
            unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
        )),*];

        forwarded! { $(Index::$name as u32 => $name,)* }
    };
}

table! {
    pthread_sigqueue,
    pthread_setattr_default_np,
    sigpause,
    sigqueue,
    tgkill,
    killpg,
    sigset,
    sighold,
    sigrelse,
    sigblock,
    sigsetmask,
    siggetmask,
    timer_settime,
    pthread_kill_other_threads_np,
    signalfd,
    timer_create,
    setitimer,
    alarm,
    ualarm,
    mq_notify,
    aio_read,
    aio_read64,
    aio_write,
    aio_write64,
    aio_fsync,
    aio_fsync64,
    aio_suspend,
    aio_suspend64,
    lio_listio,
    lio_listio64,
    getaddrinfo_a,
    clone,
    // Locks of streams: others that use the stream would have to wait, which they do not.
    flockfile,
    ftrylockfile,
    funlockfile,
    // Processes that outlive the one that made them.
    daemon,
    forkpty,
    login_tty,
    // What they move through pipes, nobody sees.
    splice,
    tee,
    vmsplice,
    // They act on all streams, or on all descriptors.
    fcloseall,
    closefrom,
    close_range,
    // They act on the whole machine, or on other processes.
    acct,
    adjtime,
    adjtimex,
    clock_adjtime,
    clock_settime,
    delete_module,
    init_module,
    klogctl,
    mount,
    ntp_adjtime,
    pivot_root,
    process_madvise,
    process_mrelease,
    process_vm_writev,
    ptrace,
    quotactl,
    reboot,
    setdomainname,
    sethostid,
    sethostname,
    setns,
    settimeofday,
    swapoff,
    swapon,
    umount,
    umount2,
    unshare,
    vhangup,
    // Queues, semaphores and memory that the kernel keeps when the program has ended, and waits that nobody models.
    mkfifo,
    mkfifoat,
    mq_open,
    msgget,
    semget,
    shmget,
    inotify_init,
    inotify_init1,
    // glibc interrupts all threads to change these for each.
    setuid,
    setgid,
    seteuid,
    setegid,
    setreuid,
    setregid,
    setresuid,
    setresgid,
    setgroups,
    initgroups,
}

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

originals! {
    fn syscall(number: i64, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> i64;
}

interpose! {
    // Through the original, not made here: what the program asks of the kernel is watched, what this library asks is
    // not.
    fn syscall(number: i64, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> i64 {
        let pc = caller();
        if active() {
            match number {
                24 => {
                    crate::outside::clock::sched_yield();
                    return 0;
                }
                39 => return i64::from(crate::outside::ids::PID),
                56 => schedule::unsupported("syscall(SYS_clone)", pc),
                // fork, vfork
                57 | 58 => return i64::from(crate::outside::children::forks(pc)),
                61 => return i64::from(crate::outside::children::wait_for(a as i32, b as *mut i32, c as i32, d, pc)),
                186 => return i64::from(crate::outside::ids::current_tid()),
                202 => {
                    let result = crate::calls::pthread::futex::call([a, b, c, d, e, f], pc);
                    if result < 0 {
                        *__errno_location() = -result as i32;
                        return -1;
                    }
                    return result;
                }
                206..=210 => schedule::unsupported("syscall(SYS_io_submit)", pc),
                96 => return i64::from(crate::outside::clock::gettimeofday(a as *mut _, b as *mut _)),
                201 => return crate::outside::clock::time(a as *mut _),
                228 => return i64::from(crate::outside::clock::clock_gettime(a as i32, b as *mut _)),
                318 => return crate::outside::random::getrandom(a as *mut u8, b, c as u32) as i64,
                425..=427 => schedule::unsupported("syscall(SYS_io_uring_setup)", pc),
                435 => schedule::unsupported("syscall(SYS_clone3)", pc),
                449 | 454..=456 => schedule::unsupported("syscall(SYS_futex_waitv)", pc),
                _ => {}
            }
        }
        // creat: an open that creates and truncates, which are two steps.
        let (number, b, c) = if number == 85 && active() { (2, 0o1101, b) } else { (number, b, c) };
        let arguments = [a, b, c, d, e, f];
        crate::calls::process_state::numbers::made(number, &arguments, pc, || real::syscall(number, a, b, c, d, e, f))
    }
}
