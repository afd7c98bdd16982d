//! x86-64: entry points that pass registers of the caller as arguments, and atomics wider than the language has.
//!
//! `interpose!` stores the return address in memory, which suits functions that are called now and then. The functions
//! that instrumented code calls at every access get it in a register instead.

use core::arch::asm;

/// Defines functions that the program calls, each with one more argument than it knows of: the return address, that
/// is, where in the program the call was made. `in "register"` is where the argument of that position is passed.
macro_rules! with_caller {
    ($(fn $name:ident($($arg:ident : $type:ty),*; $pc:ident in $register:literal) $(-> $ret:ty)? $body:block)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(missing_docs, unused_variables)]
        pub unsafe extern "C" fn $name($($arg: $type),*) $(-> $ret)? {
            core::arch::naked_asm!(
                concat!("mov ", $register, ", [rsp]"),
                // While plain memory is visible, a thread may wait in a loop of accesses: as in `interpose!`.
                "cmp qword ptr [rip + {places} + {filter}], 0",
                "jne 2f",
                "jmp {body}",
                "2:",
                "lea rax, [rip + {registers}]",
                "mov [rax], rbx",
                "mov [rax + 8], rbp",
                "mov [rax + 16], r12",
                "mov [rax + 24], r13",
                "mov [rax + 32], r14",
                "mov [rax + 40], r15",
                "mov [rax + 48], rsp",
                "jmp {body}",
                places = sym crate::detect::race::places::PLACES,
                filter = const heddle_detect::places::Places::FILTER,
                registers = sym crate::schedule::REGISTERS,
                body = sym $name::body,
            )
        }
        #[allow(missing_docs, non_snake_case)]
        mod $name {
            #[allow(unused_imports, clippy::wildcard_imports)]
            use super::*;
            #[allow(clippy::missing_safety_doc, unused_unsafe, unused_variables)]
            pub unsafe extern "C" fn body($($arg: $type,)* $pc: u64) $(-> $ret)? {
                // SAFETY: called by instrumented code, under the contract between it and its compiler's runtime.
                unsafe { $body }
            }
        }
    )* };
}

/// Defines functions that get, after their own argument (one at most), the caller's stack pointer and frame pointer.
macro_rules! with_frame {
    ($(fn $name:ident($arg:ident; $stack:ident, $frame:ident) $body:block)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(missing_docs, unused_variables)]
        pub unsafe extern "C" fn $name($arg: u64) {
            core::arch::naked_asm!("lea rsi, [rsp + 8]", "mov rdx, rbp", "jmp {body}", body = sym $name::body)
        }
        #[allow(missing_docs, non_snake_case)]
        mod $name {
            #[allow(unused_imports, clippy::wildcard_imports)]
            use super::*;
            #[allow(clippy::missing_safety_doc, unused_unsafe, unused_variables)]
            pub unsafe extern "C" fn body($arg: u64, $stack: usize, $frame: usize) {
                // SAFETY: as above.
                unsafe { $body }
            }
        }
    )* };
}

/// Replaces the sixteen bytes at `address` by `new` if they are `expected`; returns what they were. Atomic among
/// kernel threads.
///
/// # Safety
/// `address` is valid, writable, and a multiple of 16.
#[inline]
pub unsafe fn compare_exchange_128(address: *mut u128, expected: u128, new: u128) -> u128 {
    let (low, high): (u64, u64);
    // SAFETY: the caller's. rbx cannot be named as an operand, so it is swapped in and out; the others are named, so
    // that none of them is rbx.
    unsafe {
        asm!(
            "xchg rsi, rbx",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") address,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inlateout("rax") expected as u64 => low,
            inlateout("rdx") (expected >> 64) as u64 => high,
            options(nostack),
        );
    }
    u128::from(low) | u128::from(high) << 64
}

/// Raises floating-point exceptions: marks them in the control word, as an operation that met them would.
pub fn raise_exceptions(exceptions: u32) {
    let mut control = 0u32;
    // SAFETY: sets status bits only.
    unsafe {
        asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack));
        control |= exceptions & 0x3f;
        asm!("ldmxcsr [{}]", in(reg) &raw const control, options(nostack));
    }
}

/// Defines functions that ask `crate::calls::unsupported::decide` what to do and then become the original, with all arguments
/// as they came, however many and of whatever type.
macro_rules! forwarded {
    ($($index:expr => $name:ident,)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(missing_docs)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov r11d, {index}",
                "jmp {forward}",
                index = const $index,
                forward = sym $crate::arch::forward,
            )
        }
    )* };
}

/// Where `forwarded!` functions go: the index of the function is in r11.
#[unsafe(naked)]
pub unsafe extern "C" fn forward() {
    core::arch::naked_asm!(
        // Seven words and the return address: the stack is aligned for the call. rax counts vector registers for
        // variadic functions; no thread function passes floating-point numbers otherwise.
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "push rax",
        "mov edi, r11d",
        "mov rsi, [rsp + 56]",
        "call {decide}",
        "mov r11, rax",
        "pop rax",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "jmp r11",
        decide = sym crate::calls::unsupported::decide,
    )
}

/// Like `forwarded!`, but tells `crate::calls::process_state::decide`, which also sees the arguments.
macro_rules! stateful {
    ($($index:expr => $name:ident,)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(missing_docs, non_snake_case)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov r11d, {index}",
                "jmp {forward}",
                index = const $index,
                forward = sym $crate::arch::forward_stateful,
            )
        }
    )* };
}

/// Where `stateful!` functions go. Other threads may run before the original does, so everything that may hold an argument is kept.
#[unsafe(naked)]
pub unsafe extern "C" fn forward_stateful() {
    core::arch::naked_asm!(
        "push rax",
        "push r9",
        "push r8",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        // As in `interpose!`.
        "lea rcx, [rip + {registers}]",
        "mov [rcx], rbx",
        "mov [rcx + 8], rbp",
        "mov [rcx + 16], r12",
        "mov [rcx + 24], r13",
        "mov [rcx + 32], r14",
        "mov [rcx + 40], r15",
        "lea rdi, [rsp + 56]",
        "mov [rcx + 48], rdi",
        "mov rsi, [rsp + 56]",
        "mov [rip + {caller}], rsi",
        "mov rdx, rsp",
        "sub rsp, 128",
        "movaps [rsp], xmm0",
        "movaps [rsp + 16], xmm1",
        "movaps [rsp + 32], xmm2",
        "movaps [rsp + 48], xmm3",
        "movaps [rsp + 64], xmm4",
        "movaps [rsp + 80], xmm5",
        "movaps [rsp + 96], xmm6",
        "movaps [rsp + 112], xmm7",
        "mov edi, r11d",
        "call {decide}",
        "mov r11, rax",
        "movaps xmm0, [rsp]",
        "movaps xmm1, [rsp + 16]",
        "movaps xmm2, [rsp + 32]",
        "movaps xmm3, [rsp + 48]",
        "movaps xmm4, [rsp + 64]",
        "movaps xmm5, [rsp + 80]",
        "movaps xmm6, [rsp + 96]",
        "movaps xmm7, [rsp + 112]",
        "add rsp, 128",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop r8",
        "pop r9",
        "pop rax",
        "jmp r11",
        caller = sym crate::schedule::CALLER,
        registers = sym crate::schedule::REGISTERS,
        decide = sym crate::calls::process_state::decide,
    )
}

/// Like `forwarded!`, but asks `crate::heap::decide`, which also sees the arguments.
macro_rules! watched {
    ($($index:expr => $name:ident,)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(missing_docs, non_snake_case)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov r11d, {index}",
                "jmp {forward}",
                index = const $index,
                forward = sym $crate::arch::forward_watched,
            )
        }
    )* };
}

/// Where `watched!` functions go.
#[unsafe(naked)]
pub unsafe extern "C" fn forward_watched() {
    core::arch::naked_asm!(
        "push rax",
        "push r9",
        "push r8",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "mov edi, r11d",
        "mov rsi, [rsp + 56]",
        "mov rdx, rsp",
        "call {decide}",
        "mov r11, rax",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop r8",
        "pop r9",
        "pop rax",
        "jmp r11",
        decide = sym crate::heap::decide,
    )
}

/// Defines variadic functions: `body` is called with the `fixed` arguments (1 to 3), the address of a `va_list` of the others, and the return
/// address.
macro_rules! variadic {
    ($($name:ident => $body:ident, fixed $fixed:tt;)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(missing_docs)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                // As in `interpose!`.
                "lea r11, [rip + {registers}]",
                "mov [r11], rbx",
                "mov [r11 + 8], rbp",
                "mov [r11 + 16], r12",
                "mov [r11 + 24], r13",
                "mov [r11 + 32], r14",
                "mov [r11 + 40], r15",
                "mov [r11 + 48], rsp",
                // What a variadic function does first: all registers that may hold arguments (176 bytes), then the list.
                "sub rsp, 216",
                "mov [rsp], rdi",
                "mov [rsp + 8], rsi",
                "mov [rsp + 16], rdx",
                "mov [rsp + 24], rcx",
                "mov [rsp + 32], r8",
                "mov [rsp + 40], r9",
                "test al, al",
                "je 2f",
                "movaps [rsp + 48], xmm0",
                "movaps [rsp + 64], xmm1",
                "movaps [rsp + 80], xmm2",
                "movaps [rsp + 96], xmm3",
                "movaps [rsp + 112], xmm4",
                "movaps [rsp + 128], xmm5",
                "movaps [rsp + 144], xmm6",
                "movaps [rsp + 160], xmm7",
                "2:",
                "mov dword ptr [rsp + 176], 8 * {fixed}",
                "mov dword ptr [rsp + 180], 48",
                "lea rax, [rsp + 224]",
                "mov [rsp + 184], rax",
                "mov [rsp + 192], rsp",
                "mov rax, [rsp + 216]",
                variadic!(@arguments $fixed),
                "call {body}",
                "add rsp, 216",
                "ret",
                registers = sym crate::schedule::REGISTERS,
                fixed = const $fixed,
                body = sym $body,
            )
        }
    )* };
    (@arguments 1) => { "lea rsi, [rsp + 176]\nmov rdx, rax" };
    (@arguments 2) => { "lea rdx, [rsp + 176]\nmov rcx, rax" };
    (@arguments 3) => { "lea rcx, [rsp + 176]\nmov r8, rax" };
}
