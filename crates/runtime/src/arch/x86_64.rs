//! x86-64: system calls, interposed entry points.

use core::arch::asm;

/// Defines functions that the program calls instead of somebody else's of the same name.
///
/// Each is a stub that notes the caller's return address in [`crate::engine::CALLER`] and goes on to the body, so
/// that every operation knows where in the program it was asked for, without unwinding. The body reads it with
/// `caller()` before anything else is called. `rax` is free at the entry of a function that is not variadic.
macro_rules! interpose {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident : $type:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => { $(
        $(#[$meta])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(clippy::too_many_arguments, missing_docs, unused_variables)]
        pub unsafe extern "C" fn $name($($arg: $type),*) $(-> $ret)? {
            core::arch::naked_asm!(
                "mov rax, [rsp]",
                "mov [rip + {caller}], rax",
                "jmp {body}",
                caller = sym crate::engine::CALLER,
                body = sym $name::body,
            )
        }
        #[allow(missing_docs, non_snake_case)]
        mod $name {
            #[allow(unused_imports, clippy::wildcard_imports)]
            use super::*;
            #[allow(clippy::too_many_arguments, clippy::missing_safety_doc, unused_unsafe)]
            pub unsafe extern "C" fn body($($arg: $type),*) $(-> $ret)? {
                // SAFETY: called by the program under the contract of the function that it means to call.
                unsafe { $body }
            }
        }
    )* };
}

/// A system call. Touches no `errno`: the result is the kernel's, negative for an error.
///
/// # Safety
/// As the kernel's.
#[inline(always)]
pub unsafe fn syscall6(n: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
    let result: isize;
    // SAFETY: the caller's; the kernel clobbers rcx and r11 only.
    unsafe {
        asm!("syscall", inlateout("rax") n as isize => result, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d,
             in("r8") e, in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}
