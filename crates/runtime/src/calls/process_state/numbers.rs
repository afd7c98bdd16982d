//! What system calls do to state of the process that the program makes by number (`syscall(SYS_umask, ...)`): the same as
//! the functions of libc that make them. A table.

use heddle_model::primitive::process_state::How::{Change, Read};
use heddle_model::primitive::process_state::State::{Break, FileModeMask, Identity, Limits, Scheduling};

use super::Touch::{Copy, File, Named, NamedAt, Names, On, OnIf, SignalAction, SignalIf};
use crate::outside::files::ordered::Use::{Change as Contents, Look, Position};
use crate::outside::files::ordered::opens;
use crate::outside::mappings;

/// Makes system call `number` for the program, by `call`, after what it does was taken in the model.
pub unsafe fn made(number: i64, arguments: &[usize; 6], pc: u64, call: impl FnOnce() -> i64) -> i64 {
    const CREATE: usize = 0o100;
    const TRUNCATE: usize = 0o1000;
    let touch = match number {
        // open, openat
        2 | 257 => {
            let flags = if number == 2 { arguments[1] } else { arguments[2] };
            return opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, call);
        }
        // stat, lstat, access, getxattr, lgetxattr, listxattr, llistxattr
        4 | 6 | 21 | 191 | 192 | 194 | 195 => Named(Look, 0),
        // newfstatat, faccessat, statx, faccessat2
        262 | 269 | 332 | 439 => NamedAt(Look, 1),
        // chmod, chown, lchown, utime, utimes, truncate, setxattr, lsetxattr, removexattr, lremovexattr
        90 | 92 | 94 | 132 | 235 | 76 | 188 | 189 | 197 | 198 => Named(Contents, 0),
        // fchownat, futimesat, fchmodat, utimensat, fchmodat2
        260 | 261 | 268 | 280 | 452 => NamedAt(Contents, 1),
        // fstat, pread64, fgetxattr, flistxattr, preadv
        5 | 17 | 193 | 196 | 295 => File(Look, 0),
        // read, lseek, readv, preadv2: of pipes the trap says what comes of it
        0 | 8 | 19 | 327 => File(Position, 0),
        // write, pwrite64, writev, fcntl, flock, ftruncate, fchmod, fchown, fsetxattr, fremovexattr, fallocate, pwritev, pwritev2
        1 | 18 | 20 | 72 | 73 | 77 | 91 | 93 | 190 | 199 | 285 | 296 | 328 => File(Contents, 0),
        40 => Copy(1, 0),
        326 => Copy(0, 2),
        // getdents, getcwd, readlink, getdents64, readlinkat
        78 | 79 | 89 | 217 | 267 => Names(Read),
        // chdir, fchdir, rename, mkdir, rmdir, link, unlink, symlink, mknod, chroot, and those with `at`
        80..=84 | 86..=88 | 133 | 161 | 258 | 259 | 263..=266 | 316 => Names(Change),
        95 => On(FileModeMask, Change),
        12 => OnIf(Break, 0),
        97 => On(Limits, Read),
        160 => On(Limits, Change),
        302 => OnIf(Limits, 2),
        // getpriority, sched_getparam, sched_getscheduler
        140 | 143 | 145 => On(Scheduling, Read),
        // setpriority, sched_setparam, sched_setscheduler
        141 | 142 | 144 => On(Scheduling, Change),
        // uname, getpgrp, getpgid, getsid
        63 | 111 | 121 | 124 => On(Identity, Read),
        // setpgid, setsid, personality
        109 | 112 | 135 => On(Identity, Change),
        13 => SignalIf(1, 0),
        // kill, tkill, tgkill
        62 | 200 => SignalAction(Read, 1),
        234 => SignalAction(Read, 2),
        // mmap, mprotect, munmap, mremap, madvise, pkey_mprotect
        9 | 10 | 11 | 25 | 28 | 329 => {
            return mappings::by_number(number, arguments, pc, || call() as usize) as i64;
        }
        _ => return call(),
    };
    // SAFETY: the program's own call, with its arguments.
    unsafe { touch.take(arguments, pc) };
    call()
}
