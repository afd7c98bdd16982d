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
use crate::outside::channel::by_number;
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

        forwarded! { by forward_unsupported: $(Index::$name as u32 => $name,)* }
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
    // OpenMP: tasks, ordered and cancelled constructs, devices, teams, regions with several threads inside of others.
    GOMP_barrier_cancel,
    GOMP_cancel,
    GOMP_cancellation_point,
    GOMP_doacross_post,
    GOMP_doacross_ull_post,
    GOMP_doacross_ull_wait,
    GOMP_doacross_wait,
    GOMP_loop_doacross_dynamic_start,
    GOMP_loop_doacross_guided_start,
    GOMP_loop_doacross_runtime_start,
    GOMP_loop_doacross_start,
    GOMP_loop_doacross_static_start,
    GOMP_loop_end_cancel,
    GOMP_loop_ordered_dynamic_next,
    GOMP_loop_ordered_dynamic_start,
    GOMP_loop_ordered_guided_next,
    GOMP_loop_ordered_guided_start,
    GOMP_loop_ordered_runtime_next,
    GOMP_loop_ordered_runtime_start,
    GOMP_loop_ordered_start,
    GOMP_loop_ordered_static_next,
    GOMP_loop_ordered_static_start,
    GOMP_loop_start,
    GOMP_loop_static_next,
    GOMP_loop_static_start,
    GOMP_loop_ull_doacross_dynamic_start,
    GOMP_loop_ull_doacross_guided_start,
    GOMP_loop_ull_doacross_runtime_start,
    GOMP_loop_ull_doacross_start,
    GOMP_loop_ull_doacross_static_start,
    GOMP_loop_ull_maybe_nonmonotonic_runtime_next,
    GOMP_loop_ull_maybe_nonmonotonic_runtime_start,
    GOMP_loop_ull_nonmonotonic_runtime_next,
    GOMP_loop_ull_nonmonotonic_runtime_start,
    GOMP_loop_ull_ordered_dynamic_next,
    GOMP_loop_ull_ordered_dynamic_start,
    GOMP_loop_ull_ordered_guided_next,
    GOMP_loop_ull_ordered_guided_start,
    GOMP_loop_ull_ordered_runtime_next,
    GOMP_loop_ull_ordered_runtime_start,
    GOMP_loop_ull_ordered_start,
    GOMP_loop_ull_ordered_static_next,
    GOMP_loop_ull_ordered_static_start,
    GOMP_loop_ull_runtime_next,
    GOMP_loop_ull_runtime_start,
    GOMP_loop_ull_start,
    GOMP_loop_ull_static_next,
    GOMP_loop_ull_static_start,
    GOMP_ordered_end,
    GOMP_ordered_start,
    GOMP_parallel_end,
    GOMP_parallel_loop_dynamic_start,
    GOMP_parallel_loop_guided_start,
    GOMP_parallel_loop_runtime_start,
    GOMP_parallel_loop_static,
    GOMP_parallel_loop_static_start,
    GOMP_parallel_reductions,
    GOMP_parallel_sections_start,
    GOMP_parallel_start,
    GOMP_scope_start,
    GOMP_sections2_start,
    GOMP_sections_end_cancel,
    GOMP_target,
    GOMP_target_data,
    GOMP_target_data_ext,
    GOMP_target_end_data,
    GOMP_target_enter_exit_data,
    GOMP_target_ext,
    GOMP_target_update,
    GOMP_target_update_ext,
    GOMP_task,
    GOMP_task_reduction_remap,
    GOMP_taskgroup_end,
    GOMP_taskgroup_reduction_register,
    GOMP_taskgroup_reduction_unregister,
    GOMP_taskgroup_start,
    GOMP_taskloop,
    GOMP_taskloop_ull,
    GOMP_taskwait,
    GOMP_taskwait_depend,
    GOMP_taskyield,
    GOMP_teams,
    GOMP_teams4,
    GOMP_teams_reg,
    GOMP_workshare_task_reduction_unregister,
    omp_set_nested,
    omp_set_max_active_levels,
    omp_fulfill_event,
    __kmpc_omp_task_alloc,
    __kmpc_omp_task,
    __kmpc_omp_taskwait,
    __kmpc_omp_taskyield,
    __kmpc_omp_task_begin_if0,
    __kmpc_omp_task_with_deps,
    __kmpc_omp_wait_deps,
    __kmpc_taskgroup,
    __kmpc_end_taskgroup,
    __kmpc_taskloop,
    __kmpc_ordered,
    __kmpc_end_ordered,
    __kmpc_cancel,
    __kmpc_cancellationpoint,
    __kmpc_cancel_barrier,
    __kmpc_fork_teams,
    __kmpc_push_num_teams,
    __kmpc_copyprivate,
    __kmpc_threadprivate_cached,
    __kmpc_end_serialized_parallel,
    __kmpc_for_static_init_8u,
    __kmpc_dispatch_init_4u,
    __kmpc_dispatch_init_8u,
    __kmpc_dispatch_next_4u,
    __kmpc_dispatch_next_8u,
    __kmpc_doacross_init,
    __kmpc_doacross_post,
    __kmpc_doacross_wait,
    __kmpc_sections_init,
    __kmpc_next_section,
}

/// System calls that are not controlled, whoever makes them, by their numbers: those that [`table`] has as functions, and others.
const NUMBERS: &[(usize, &str)] = &[
    (29, "shmget"),
    (30, "shmat"),
    (31, "shmctl"),
    (37, "alarm"),
    (38, "setitimer"),
    (56, "clone"),
    (60, "exit"),
    (64, "semget"),
    (65, "semop"),
    (66, "semctl"),
    (67, "shmdt"),
    (68, "msgget"),
    (69, "msgsnd"),
    (70, "msgrcv"),
    (71, "msgctl"),
    (101, "ptrace"),
    (105, "setuid"),
    (106, "setgid"),
    (113, "setreuid"),
    (114, "setregid"),
    (116, "setgroups"),
    (117, "setresuid"),
    (119, "setresgid"),
    (129, "rt_sigqueueinfo"),
    (153, "vhangup"),
    (155, "pivot_root"),
    (159, "adjtimex"),
    (161, "chroot"),
    (163, "acct"),
    (164, "settimeofday"),
    (165, "mount"),
    (166, "umount2"),
    (167, "swapon"),
    (168, "swapoff"),
    (169, "reboot"),
    (170, "sethostname"),
    (171, "setdomainname"),
    (172, "iopl"),
    (173, "ioperm"),
    (175, "init_module"),
    (176, "delete_module"),
    (179, "quotactl"),
    (206, "io_setup"),
    (208, "io_getevents"),
    (209, "io_submit"),
    (220, "semtimedop"),
    (222, "timer_create"),
    (223, "timer_settime"),
    (227, "clock_settime"),
    (240, "mq_open"),
    (241, "mq_unlink"),
    (242, "mq_timedsend"),
    (243, "mq_timedreceive"),
    (244, "mq_notify"),
    (245, "mq_getsetattr"),
    (246, "kexec_load"),
    (253, "inotify_init"),
    (272, "unshare"),
    (275, "splice"),
    (276, "tee"),
    (278, "vmsplice"),
    (282, "signalfd"),
    (289, "signalfd4"),
    (294, "inotify_init1"),
    (297, "rt_tgsigqueueinfo"),
    (298, "perf_event_open"),
    (300, "fanotify_init"),
    (305, "clock_adjtime"),
    (308, "setns"),
    (311, "process_vm_writev"),
    (313, "finit_module"),
    (317, "seccomp"),
    (320, "kexec_file_load"),
    (321, "bpf"),
    (323, "userfaultfd"),
    (424, "pidfd_send_signal"),
    (425, "io_uring_setup"),
    (426, "io_uring_enter"),
    (427, "io_uring_register"),
    (428, "open_tree"),
    (429, "move_mount"),
    (430, "fsopen"),
    (431, "fsconfig"),
    (432, "fsmount"),
    (433, "fspick"),
    (435, "clone3"),
    (436, "close_range"),
    (438, "pidfd_getfd"),
    (440, "process_madvise"),
    (442, "mount_setattr"),
    (443, "quotactl_fd"),
    (446, "landlock_restrict_self"),
    (448, "process_mrelease"),
    (449, "futex_waitv"),
    (454, "futex_wake"),
    (455, "futex_wait"),
    (456, "futex_requeue"),
    (463, "setxattrat"),
    (466, "removexattrat"),
    (467, "open_tree_attr"),
    (469, "file_setattr"),
];

/// The name of a system call that is not controlled. `None` if it is another one.
pub fn by_number(number: usize) -> Option<&'static str> {
    NUMBERS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
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
                96 => return i64::from(crate::outside::clock::gettimeofday(a as *mut _, b as *mut _)),
                201 => return crate::outside::clock::time(a as *mut _),
                228 => return i64::from(crate::outside::clock::clock_gettime(a as i32, b as *mut _)),
                318 => return crate::outside::random::getrandom(a as *mut u8, b, c as u32) as i64,
                _ => {}
            }
            if let Some(name) = by_number(number as usize) {
                schedule::unsupported(name, pc);
            }
            if let Some(result) = by_number::made(number, &[a, b, c, d, e, f]) {
                return result as i64;
            }
        }
        // creat: an open that creates and truncates, which are two steps.
        let (number, b, c) = if number == 85 && active() { (2, 0o1101, b) } else { (number, b, c) };
        let arguments = [a, b, c, d, e, f];
        crate::calls::process_state::numbers::made(number, &arguments, pc, || real::syscall(number, a, b, c, d, e, f))
    }
}
