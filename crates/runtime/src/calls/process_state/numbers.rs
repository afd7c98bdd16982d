//! What system calls do to state of the process that the program makes by number (`syscall(SYS_umask, ...)`): the same as
//! the functions of libc that make them. A table.

use heddle_model::primitive::process_state::How::{Change, Read};
use heddle_model::primitive::process_state::State::{Break, FileModeMask, Identity, Limits, Scheduling};

use super::Touch::{Copy, File, Named, NamedAt, Names, Number, On, OnIf, Replaced, Setting, SignalAction, SignalIf};
use crate::calls::pthread::identity;
use crate::outside::files::ordered::Use::{Change as Contents, Look, Position, Status};
use crate::outside::files::ordered::{self, opens};
use crate::outside::mappings;
use crate::schedule;

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
        // openat2: the flags begin the structure
        437 => {
            // SAFETY: the program's own structure.
            let flags = unsafe { (arguments[2] as *const usize).read_unaligned() };
            return opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, call);
        }
        // stat, lstat
        4 | 6 => Named(Status, 0),
        // access, getxattr, lgetxattr, listxattr, llistxattr
        21 | 191 | 192 | 194 | 195 => Named(Look, 0),
        // newfstatat, statx
        262 | 332 => NamedAt(Status, 1),
        // faccessat, faccessat2
        269 | 439 => NamedAt(Look, 1),
        // chmod, chown, lchown, utime, utimes, truncate, setxattr, lsetxattr, removexattr, lremovexattr
        90 | 92 | 94 | 132 | 235 | 76 | 188 | 189 | 197 | 198 => Named(Contents, 0),
        // fchownat, futimesat, fchmodat, utimensat, fchmodat2
        260 | 261 | 268 | 280 | 452 => NamedAt(Contents, 1),
        5 => File(Status, 0),
        // pipe, dup, socket, socketpair, eventfd, eventfd2, epoll_create1, pipe2
        22 | 32 | 41 | 53 | 284 | 290 | 291 | 293 => Number,
        // dup2, dup3
        33 | 292 => Replaced(1),
        157 => Setting,
        // pread64, fgetxattr, flistxattr, preadv
        17 | 193 | 196 | 295 => File(Look, 0),
        // read, lseek, readv, preadv2: of pipes the trap says what comes of it
        0 | 8 | 19 | 327 => File(Position, 0),
        // write, pwrite64, writev, fcntl, flock, ftruncate, fchmod, fchown, fsetxattr, fremovexattr, fallocate, pwritev, pwritev2
        1 | 18 | 20 | 72 | 73 | 77 | 91 | 93 | 190 | 199 | 285 | 296 | 328 => File(Contents, 0),
        40 => Copy(1, 0),
        326 => Copy(0, 2),
        // getdents, getdents64: what the program has made of a directory is told by `readdir` alone
        78 | 217 => schedule::unsupported("getdents by its number", pc),
        // getcwd, readlink, readlinkat
        79 | 89 | 267 => Names(Read),
        // chdir, fchdir, rename, mkdir, rmdir, link, unlink, symlink, mknod, chroot, and those with `at`
        80..=84 | 86..=88 | 133 | 161 | 258 | 259 | 263..=266 | 316 => Names(Change),
        95 => On(FileModeMask, Change),
        12 => OnIf(Break, 0),
        97 => On(Limits, Read),
        160 => On(Limits, Change),
        302 => OnIf(Limits, 2),
        3 => {
            ordered::closes(arguments[0] as i32, pc);
            return call();
        }
        // getpriority, setpriority
        140 => On(Scheduling, Read),
        141 => On(Scheduling, Change),
        // sched_getparam, sched_getscheduler, sched_getaffinity, and those that set
        143 | 145 | 204 | 142 | 144 | 203 => {
            let how = if matches!(number, 143 | 145 | 204) { Read } else { Change };
            identity::touches_scheduling(arguments[0] as i32, how, pc);
            return call();
        }
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
