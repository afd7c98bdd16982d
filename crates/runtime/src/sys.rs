//! System calls, made directly: no `errno`, no locks of libc's, no cancellation points, and never trapped.

pub use crate::arch::syscall6;

// Numbers. All of them are x86-64's; another architecture moves this table into its own file.
pub const READ: usize = 0;
pub const WRITE: usize = 1;
pub const OPEN: usize = 2;
pub const CLOSE: usize = 3;
pub const MMAP: usize = 9;
pub const MPROTECT: usize = 10;
pub const MUNMAP: usize = 11;
pub const RT_SIGACTION: usize = 13;
pub const RT_SIGPROCMASK: usize = 14;
pub const IOCTL: usize = 16;
pub const SCHED_YIELD: usize = 24;
pub const MADVISE: usize = 28;
pub const GETPID: usize = 39;
pub const FORK: usize = 57;
pub const WAIT4: usize = 61;
pub const SIGALTSTACK: usize = 131;
pub const PRCTL: usize = 157;
pub const FUTEX: usize = 202;
pub const CLOCK_GETTIME: usize = 228;
pub const EXIT_GROUP: usize = 231;
pub const RSEQ: usize = 334;
pub const ARCH_PRCTL: usize = 158;
pub const GETRANDOM: usize = 318;

pub const PROT_READ: usize = 1;
pub const PROT_WRITE: usize = 2;
pub const MAP_SHARED: usize = 1;
pub const MAP_PRIVATE: usize = 2;
pub const MAP_FIXED: usize = 0x10;
pub const MAP_ANONYMOUS: usize = 0x20;
pub const MAP_NORESERVE: usize = 0x4000;
pub const MADV_DONTNEED: usize = 4;
pub const MADV_NOHUGEPAGE: usize = 15;

/// The error for an address that the process may not access.
pub const EFAULT: isize = 14;

/// A system call with up to three arguments.
///
/// # Safety
/// As the kernel's.
#[inline(always)]
pub unsafe fn syscall3(n: usize, a: usize, b: usize, c: usize) -> isize {
    // SAFETY: the caller's.
    unsafe { syscall6(n, a, b, c, 0, 0, 0) }
}

/// Sleeps while `*word` is `value`, for at most `nanoseconds`. 0 means no limit. May return early.
pub fn futex_wait(word: &core::sync::atomic::AtomicU32, value: u32, nanoseconds: u64) {
    let time = [nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000];
    let time = if nanoseconds == 0 { 0 } else { time.as_ptr() as usize };
    // SAFETY: the word and the time live until the call returns. Not private: the word may be shared memory.
    unsafe { syscall6(FUTEX, word.as_ptr() as usize, 0, value as usize, time, 0, 0) };
}

/// Wakes every thread that sleeps on `word`.
pub fn futex_wake(word: &core::sync::atomic::AtomicU32) {
    // SAFETY: the kernel only uses the address.
    unsafe { syscall6(FUTEX, word.as_ptr() as usize, 1, i32::MAX as usize, 0, 0, 0) };
}

/// Reads a small file of `/proc` into `buffer`. Returns the part that was filled.
pub fn read_file<'b>(path: &core::ffi::CStr, buffer: &'b mut [u8]) -> &'b [u8] {
    let mut length = 0;
    // SAFETY: plain reads into memory that we hold.
    unsafe {
        let file = syscall3(OPEN, path.as_ptr() as usize, 0o2000000, 0);
        if file >= 0 {
            loop {
                let rest = &mut buffer[length..];
                let n = syscall3(READ, file as usize, rest.as_mut_ptr() as usize, rest.len());
                if n <= 0 {
                    break;
                }
                length += n as usize;
            }
            syscall3(CLOSE, file as usize, 0, 0);
        }
    }
    &buffer[..length]
}

/// Ends the process with a message on standard error. The driver sees exit status 111.
pub fn die(message: &[u8]) -> ! {
    // SAFETY: plain system calls on memory that we hold.
    unsafe {
        syscall3(WRITE, 2, message.as_ptr() as usize, message.len());
    }
    exit_process(111)
}

/// Ends the process without a message.
pub fn exit_process(status: usize) -> ! {
    loop {
        // SAFETY: does not return.
        unsafe { syscall3(EXIT_GROUP, status, 0, 0) };
    }
}
