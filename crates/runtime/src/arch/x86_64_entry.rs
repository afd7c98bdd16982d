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
                ".cfi_startproc",
                concat!("mov ", $register, ", [rsp]"),
                // While plain memory is visible, a thread may wait in a loop of accesses: as in `interpose!`.
                "cmp qword ptr [rip + {places} + {filter}], 0",
                "jne 3f",
                unless_wiping!(),
                "jmp {body}",
                "3:",
                "lea rax, [rip + {registers}]",
                keep_registers!("rax"),
                "mov [rax + 48], rsp",
                unless_wiping!(),
                "jmp {body}",
                call_and_wipe!(),
                ".cfi_endproc",
                places = sym crate::detect::race::places::PLACES,
                filter = const heddle_detect::places::Places::FILTER,
                registers = sym crate::schedule::REGISTERS,
                body = sym $name::body,
                words = const 1 $(+ core::mem::size_of::<$type>().div_ceil(8))*,
                wide = const $crate::arch::returns_two_words(concat!("" $(, stringify!($ret))?)) as usize,
                wiped = sym $crate::arch::WIPED,
                arguments = sym $crate::arch::ARGUMENTS,
                wipe = sym $crate::arch::heddle_wipe,
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
            core::arch::naked_asm!(
                ".cfi_startproc",
                "lea rsi, [rsp + 8]",
                "mov rdx, rbp",
                unless_wiping!(),
                "jmp {body}",
                call_and_wipe!(),
                ".cfi_endproc",
                body = sym $name::body,
                words = const 3,
                wide = const 0,
                wiped = sym $crate::arch::WIPED,
                arguments = sym $crate::arch::ARGUMENTS,
                wipe = sym $crate::arch::heddle_wipe,
            )
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

/// Defines functions that hand their number in a table to a forwarder ([`forwarder!`]). It decides what the call does, and
/// goes on to the original with all arguments as they came, however many and of whatever type.
macro_rules! forwarded {
    (by $forwarder:ident: $($index:expr => $name:ident,)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(missing_docs, non_snake_case)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov r11d, {index}",
                "jmp {forwarder}",
                index = const $index,
                forwarder = sym $crate::arch::$forwarder,
            )
        }
    )* };
}

/// Defines where `forwarded!` functions go: a function that calls `decide` with the index in r11, the return address, and the
/// six arguments that came in registers, and jumps to the address that it returns.
///
/// `keep` and `restore` are instructions around that call. They see the six arguments and rax at the top of the stack, and
/// the return address above these seven words, so that the stack is aligned for a call. rax counts the vector registers of
/// a variadic call.
macro_rules! forwarder {
    ($(#[$meta:meta])* $name:ident, decide = $decide:path, keep = [$($keep:expr),*], restore = [$($restore:literal),*] $(, $key:ident = $symbol:path)*) => {
        $(#[$meta])*
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "push rax",
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "push rdi",
                "mov rsi, [rsp + 56]",
                "mov rdx, rsp",
                $($keep,)*
                "mov edi, r11d",
                "call {decide}",
                "call {wipe}",
                "mov r11, rax",
                $($restore,)*
                "pop rdi",
                "pop rsi",
                "pop rdx",
                "pop rcx",
                "pop r8",
                "pop r9",
                "pop rax",
                "jmp r11",
                decide = sym $decide,
                wipe = sym $crate::arch::heddle_wipe,
                $($key = sym $symbol,)*
            )
        }
    };
}

forwarder! {
    /// The forwarder of functions that are unsupported under control.
    forward_unsupported, decide = crate::calls::unsupported::decide, keep = [], restore = []
}

forwarder! {
    /// The forwarder of the C++ library's allocation functions.
    forward_allocation, decide = crate::heap::decide, keep = [], restore = []
}

forwarder! {
    /// The forwarder of functions that use state of the process. Other threads may run before the original does, so the
    /// vector registers are kept as well.
    forward_process_state,
    decide = crate::calls::process_state::decide,
    keep = [
        "mov [rip + {caller}], rsi",
        "lea rcx, [rip + {registers}]",
        keep_registers!("rcx"),
        "lea rdi, [rsp + 56]",
        "mov [rcx + 48], rdi",
        "sub rsp, 128",
        "movaps [rsp], xmm0",
        "movaps [rsp + 16], xmm1",
        "movaps [rsp + 32], xmm2",
        "movaps [rsp + 48], xmm3",
        "movaps [rsp + 64], xmm4",
        "movaps [rsp + 80], xmm5",
        "movaps [rsp + 96], xmm6",
        "movaps [rsp + 112], xmm7"
    ],
    restore = [
        "movaps xmm0, [rsp]",
        "movaps xmm1, [rsp + 16]",
        "movaps xmm2, [rsp + 32]",
        "movaps xmm3, [rsp + 48]",
        "movaps xmm4, [rsp + 64]",
        "movaps xmm5, [rsp + 80]",
        "movaps xmm6, [rsp + 96]",
        "movaps xmm7, [rsp + 112]",
        "add rsp, 128"
    ],
    caller = crate::schedule::CALLER,
    registers = crate::schedule::REGISTERS
}

/// Defines variadic functions: `body` is called with the `fixed` arguments (1 to 3), the address of a `va_list` of the others,
/// and the return address.
macro_rules! variadic {
    ($($name:ident => $body:ident, fixed $fixed:tt;)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(missing_docs)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                // As in `interpose!`.
                "lea r11, [rip + {registers}]",
                keep_registers!("r11"),
                "mov [r11 + 48], rsp",
                // What a variadic function does first: all registers that may hold arguments (176 bytes), then the list.
                "sub rsp, 216",
                ".cfi_adjust_cfa_offset 216",
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
                ".cfi_adjust_cfa_offset -216",
                "jmp {wipe}",
                ".cfi_endproc",
                registers = sym crate::schedule::REGISTERS,
                fixed = const $fixed,
                body = sym $body,
                wipe = sym $crate::arch::heddle_wipe,
            )
        }
    )* };
    (@arguments 1) => { "lea rsi, [rsp + 176]\nmov rdx, rax" };
    (@arguments 2) => { "lea rdx, [rsp + 176]\nmov rcx, rax" };
    (@arguments 3) => { "lea rcx, [rsp + 176]\nmov r8, rax" };
}
