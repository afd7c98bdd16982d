//! x86-64: system calls, interposed entry points, the fiber switch, the birth of a fiber.

use core::arch::{asm, global_asm};

use crate::calls::pthread::unwinder;

/// Instructions that store the registers that calls preserve, all but the stack pointer, at the address in register `base`.
macro_rules! keep_registers {
    ($base:literal) => {
        concat!(
            "mov [",
            $base,
            "], rbx\n",
            "mov [",
            $base,
            " + 8], rbp\n",
            "mov [",
            $base,
            " + 16], r12\n",
            "mov [",
            $base,
            " + 24], r13\n",
            "mov [",
            $base,
            " + 32], r14\n",
            "mov [",
            $base,
            " + 40], r15"
        )
    };
}

/// Defines functions that the program calls instead of a library's functions of the same name.
///
/// Each is a stub that notes the caller's return address in [`crate::schedule::CALLER`], and the registers that calls
/// preserve in [`crate::schedule::REGISTERS`], and goes on to the body. So every operation knows where in the program it
/// was asked for, without unwinding, and in which state. The body reads it with
/// `caller()` before anything else is called. `rax` is free at the entry of a function that is not variadic.
///
/// The stub jumps to the body, which returns to the program. Where stacks are [wiped](crate::arch::WIPED) it calls the body
/// instead, and wipes what the body has left.
macro_rules! interpose {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident : $type:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => { $(
        $(#[$meta])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(clippy::too_many_arguments, missing_docs, unused_variables)]
        pub unsafe extern "C" fn $name($($arg: $type),*) $(-> $ret)? {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov rax, [rsp]",
                "mov [rip + {caller}], rax",
                "lea rax, [rip + {registers}]",
                keep_registers!("rax"),
                "mov [rax + 48], rsp",
                unless_wiping!(),
                "jmp {body}",
                call_and_wipe!(),
                ".cfi_endproc",
                caller = sym crate::schedule::CALLER,
                registers = sym crate::schedule::REGISTERS,
                body = sym $name::body,
                words = const 0 $(+ core::mem::size_of::<$type>().div_ceil(8))*,
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
            #[allow(clippy::too_many_arguments, clippy::missing_safety_doc, unused_unsafe, unused_variables)]
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

/// Where a suspended fiber goes on: its stack pointer (everything else is on its stack) and its thread pointer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Context {
    stack: u64,
    thread_pointer: u64,
}

impl Context {
    /// A context that nothing was suspended in yet.
    pub const EMPTY: Context = Context { stack: 0, thread_pointer: 0 };

    /// A context that calls `entry` on the stack that ends at `top`, with the caller's thread pointer. `entry` does
    /// not return.
    ///
    /// # Safety
    /// The stack is writable and nobody else's.
    pub unsafe fn fresh(top: usize, entry: extern "C" fn() -> !) -> Context {
        // Entered as if called: eight bytes below a multiple of sixteen.
        let frame = ((top & !15) - 88) as *mut u64;
        // What `heddle_switch` pops: control words, r15, r14, r13, r12, rbx, rbp, return address.
        // SAFETY: within the stack that the caller vouches for.
        unsafe {
            frame.write(u64::from(INITIAL_MXCSR) | u64::from(INITIAL_X87) << 32);
            for i in 1..7 {
                frame.add(i).write(0);
            }
            frame.add(7).write(entry as usize as u64);
            frame.add(8).write(0);
        }
        Context { stack: frame as u64, thread_pointer: thread_pointer() }
    }

    /// A context for the caller to be suspended into.
    pub fn of_caller() -> Context {
        Context { stack: 0, thread_pointer: thread_pointer() }
    }

    /// Makes the fiber continue with this floating-point environment ([`float_environment`]).
    ///
    /// # Safety
    /// Something was suspended in the context, and is not running.
    pub unsafe fn set_float_environment(&self, environment: u64) {
        // SAFETY: what `heddle_switch` has stored last is the environment.
        unsafe { (self.stack as *mut u64).write(environment) };
    }

    /// The stack pointer of a suspended fiber.
    pub fn stack(&self) -> usize {
        self.stack as usize
    }

    /// The thread pointer, which is also the `pthread_t` of the thread.
    pub fn thread_pointer(&self) -> usize {
        self.thread_pointer as usize
    }
}

/// The floating-point environment of the caller, as `heddle_switch` stores it: the control and status register of vector
/// instructions, and the control and status words of the old floating-point unit.
pub fn float_environment() -> u64 {
    let (mut vector, mut control, mut status) = (0u32, 0u16, 0u16);
    // SAFETY: only stores three words.
    unsafe {
        asm!("stmxcsr [{}]", "fnstcw [{}]", "fnstsw [{}]", in(reg) &raw mut vector, in(reg) &raw mut control,
             in(reg) &raw mut status, options(nostack, preserves_flags));
    }
    u64::from(vector) | u64::from(control) << 32 | u64::from(status) << 48
}

/// The distance from the stack pointer of a context that `heddle_capture` saved to the return address of that call, where
/// the return address of the thread's function will be.
pub const CAPTURED: usize = 56;

/// The floating-point settings: rounding mode, and which exceptions trap.
pub fn float_control() -> u64 {
    /// The control bits, without the bits for exceptions that were raised.
    const CONTROL: u32 = 0xffc0;
    let (mut vector, mut stack) = (0u32, 0u16);
    // SAFETY: only stores two words.
    unsafe {
        asm!("stmxcsr [{}]", "fnstcw [{}]", in(reg) &raw mut vector, in(reg) &raw mut stack, options(nostack, preserves_flags));
    }
    u64::from(vector & CONTROL) << 16 | u64::from(stack)
}

const INITIAL_MXCSR: u32 = 0x1f80;
const INITIAL_X87: u32 = 0x037f;

/// The thread pointer: the address of the thread control block, which glibc also uses as `pthread_t`.
#[inline(always)]
pub fn thread_pointer() -> u64 {
    let value: u64;
    // SAFETY: only reads; `has_thread_pointer_instructions` was checked at the start.
    unsafe { asm!("rdfsbase {}", out(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

/// The stack pointer of this function or of its caller.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let value: usize;
    // SAFETY: only reads.
    unsafe { asm!("mov {}, rsp", out(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

/// How the memory access was made that faulted: whether it was a write, and whether it was an instruction fetch.
///
/// # Safety
/// `context` is the third argument of a signal handler.
pub unsafe fn interrupted_access(context: *const u64) -> (bool, bool) {
    // SAFETY: the error code of a page fault stands three registers after rip.
    let error = unsafe { *context.add(5 + 19) };
    (error & 2 != 0, error & 16 != 0)
}

/// Whether the code at `pc` is a stub that jumps to a function of a library: `endbr64` or not, `bnd` or not, and a jump to what a
/// word of the file's holds.
///
/// # Safety
/// `pc` is in code.
pub unsafe fn is_library_stub(pc: u64) -> bool {
    const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
    const BND: u8 = 0xf2;
    const JUMP: [u8; 2] = [0xff, 0x25];
    // SAFETY: a stub is sixteen bytes long, and never the last thing in a file's code.
    let code = unsafe { core::slice::from_raw_parts(pc as *const u8, 7) };
    let code = code.strip_prefix(&ENDBR64).unwrap_or(code);
    let code = if code.first() == Some(&BND) { &code[1..] } else { code };
    code.starts_with(&JUMP)
}

/// Writes instructions to `code` (at least 26 bytes) that add one to the counter at the address `counter` and go on at
/// `target`. They change `r11` and the flags, which belong to nobody at a call through a slot of the loader's.
pub fn write_counting_jump(code: &mut [u8], counter: usize, target: usize) {
    // mov r11, counter; inc qword ptr [r11]; mov r11, target; jmp r11
    code[..2].copy_from_slice(&[0x49, 0xbb]);
    code[2..10].copy_from_slice(&counter.to_le_bytes());
    code[10..15].copy_from_slice(&[0x49, 0xff, 0x03, 0x49, 0xbb]);
    code[15..23].copy_from_slice(&target.to_le_bytes());
    code[23..26].copy_from_slice(&[0x41, 0xff, 0xe3]);
}

/// Whether the processor and the kernel let a program read and set its thread pointer (FSGSBASE).
pub fn has_thread_pointer_instructions(hwcap2: u64) -> bool {
    hwcap2 & 2 != 0
}

/// The instruction at which the interrupted thread was, from the third argument of a signal handler.
///
/// # Safety
/// `context` is that argument.
pub unsafe fn interrupted_pc(context: *const u64) -> u64 {
    // SAFETY: the general registers start 40 bytes into ucontext_t; rip is the 17th.
    unsafe { *context.add(5 + 16) }
}

/// The stack pointer of the interrupted thread, from the third argument of a signal handler.
///
/// # Safety
/// `context` is the third argument of a signal handler.
pub unsafe fn interrupted_stack(context: *const u64) -> usize {
    // SAFETY: rsp stands before rip.
    unsafe { *context.add(5 + 15) as usize }
}

/// A system call that was trapped: its number and arguments, and where to put its result.
#[repr(transparent)]
pub struct Trapped(*mut u64);

impl Trapped {
    // Offsets in words from the general registers of ucontext_t: r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax
    // rcx rsp rip.
    const REGISTERS: usize = 5;

    /// The system call that SIGSYS was sent for, from the third argument of its handler.
    ///
    /// # Safety
    /// `context` is that argument.
    pub unsafe fn new(context: *mut u64) -> Trapped {
        // SAFETY: the caller's.
        Trapped(unsafe { context.add(Self::REGISTERS) })
    }

    fn register(&self, index: usize) -> u64 {
        // SAFETY: inside the frame that `new` was given.
        unsafe { *self.0.add(index) }
    }

    /// The number of the system call.
    pub fn number(&self) -> usize {
        self.register(13) as usize
    }

    /// The arguments of the system call.
    pub fn arguments(&self) -> [usize; 6] {
        [8, 9, 12, 2, 0, 1].map(|i| self.register(i) as usize)
    }

    /// The instruction after the system call.
    pub fn pc(&self) -> u64 {
        self.register(16)
    }

    /// The stack pointer at the system call.
    pub fn stack(&self) -> usize {
        self.register(15) as usize
    }

    /// Sets what the program gets back.
    pub fn set_result(&mut self, result: isize) {
        // SAFETY: inside the frame that `new` was given.
        unsafe { *self.0.add(13) = result as u64 }
    }

    /// Makes the program continue at the `rt_sigreturn` that it asked for, made from the text of this library.
    pub fn redirect_to_sigreturn(&mut self) {
        // SAFETY: inside the frame that `new` was given.
        unsafe { *self.0.add(16) = heddle_sigreturn as *const () as u64 }
    }
}

/// What a donor thread hands over: see `fiber.rs`. The assembly below knows the layout.
#[derive(Debug)]
#[repr(C)]
pub struct Birth {
    /// The context right inside the thread's start routine.
    pub context: Context,
    /// Where the donor goes when it has handed over its stack.
    pub parking_stack: u64,
    /// The kernel sets this to 0 and wakes a futex on it when the donor is gone.
    pub gone: u32,
}

unsafe extern "C" {
    /// Suspends the caller into `from` and resumes `to`. Returns when something switches back to `from`.
    pub fn heddle_switch(from: *mut Context, to: *const Context);
    /// The start routine of a donor; its argument is a [`Birth`].
    pub fn heddle_donor(birth: *mut Birth) -> usize;
    /// Calls `routine`. If it is left by an exception or by the end of the thread, `control` is given up first.
    pub fn heddle_call_guarded(routine: usize, control: usize, pc: u64);
    /// What a signal handler returns to.
    pub fn heddle_sigreturn();
    /// Calls the program's `main` so that unwinding through the call works, and with the same stack pointer whatever
    /// the size of the arguments and the environment, which lie above (up to 200 KiB): programs hash the addresses of
    /// their variables, and a replay must not depend on who starts it.
    pub fn heddle_call_main(main: usize, argc: i32, argv: *mut *mut u8, environment: *mut *mut u8, stack: usize)
    -> i32;
}

global_asm!(
    r#"
    .text
    .p2align 5
    .globl heddle_switch
    .hidden heddle_switch
    .type heddle_switch, @function
heddle_switch:
    .cfi_startproc
    push rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    push rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbx, 0
    push r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r12, 0
    push r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r13, 0
    push r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r14, 0
    push r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r15, 0
    sub rsp, 8
    .cfi_adjust_cfa_offset 8
    stmxcsr [rsp]
    fnstcw [rsp + 4]
    fnstsw [rsp + 6]
    # Read back in the sizes in which they were written: anything wider would wait for the stores to reach the cache.
    mov ecx, [rsp]
    movzx edx, word ptr [rsp + 4]
    movzx r8d, word ptr [rsp + 6]
    mov [rdi], rsp
    mov rax, [rsi + 8]
    mov rsp, [rsi]
    # The control words are callee-saved, but hardly ever differ, and loading them is slow.
    cmp ecx, [rsp]
    jne 2f
    cmp dx, [rsp + 4]
    jne 2f
    # Of the status word, the exceptions that were raised.
    xor r8b, [rsp + 6]
    jne 2f
1:  add rsp, 8
    .cfi_adjust_cfa_offset -8
    pop r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore r15
    pop r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore r14
    pop r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore r13
    pop r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore r12
    pop rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbx
    pop rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbp
    # Not `ret`: the return predictor belongs to the other stack and would always be wrong.
    pop rcx
    .cfi_adjust_cfa_offset -8
    .cfi_register rip, rcx
    # Last, because it waits for what was begun before it: two nanoseconds less than in the middle.
    wrfsbase rax
    jmp rcx
2:  .cfi_restore rip
    ldmxcsr [rsp]
    # Both words of the old floating-point unit are loaded with its whole environment of 28 bytes.
    sub rsp, 32
    .cfi_adjust_cfa_offset 32
    fnstenv [rsp]
    mov cx, [rsp + 36]
    mov [rsp], cx
    mov cl, [rsp + 38]
    mov [rsp + 4], cl
    fldenv [rsp]
    add rsp, 32
    .cfi_adjust_cfa_offset -32
    jmp 1b
    .cfi_endproc
    .size heddle_switch, . - heddle_switch

    # The frames below this one (clone, start_thread) stay at the bottom of the fiber's stack: returning from here, or
    # unwinding through it, runs glibc's own end of a thread.
    .p2align 5
    .globl heddle_donor
    .hidden heddle_donor
    .type heddle_donor, @function
heddle_donor:
    .cfi_startproc
    push rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbx, 0
    mov rbx, rdi
    call {arm}
    mov rdi, rbx
    call heddle_capture
    # Resumed, for the first time or again, on the one kernel thread that runs the program.
    call {begin}
    call {wipe}
    mov rdi, rdx
    call rax
    mov rdi, rax
    call {returned}
    pop rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbx
    ret
    .cfi_endproc
    .size heddle_donor, . - heddle_donor

    # Saves the caller's context as heddle_switch would, then leaves the stack for good and lets the kernel thread end
    # behind glibc's back: with the address that the kernel clears moved away from the thread control block.
    .type heddle_capture, @function
heddle_capture:
    .cfi_startproc
    push rbp
    push rbx
    push r12
    push r13
    push r14
    push r15
    sub rsp, 8
    .cfi_adjust_cfa_offset 56
    stmxcsr [rsp]
    fnstcw [rsp + 4]
    fnstsw [rsp + 6]
    mov [rdi], rsp
    rdfsbase rax
    mov [rdi + 8], rax
    mov rsp, [rdi + 16]
    lea rdi, [rdi + 24]
    mov eax, 218                # set_tid_address
    syscall
    xor edi, edi
    mov eax, 60                 # exit
    syscall
    hlt
    .cfi_endproc
    .size heddle_capture, . - heddle_capture

    .globl heddle_call_main
    .hidden heddle_call_main
    .type heddle_call_main, @function
heddle_call_main:
    .cfi_startproc
    push rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    mov rbp, rsp
    .cfi_def_cfa_register rbp
    mov rsp, r8
    mov rax, rdi
    mov edi, esi
    mov rsi, rdx
    mov rdx, rcx
    call rax
    leave
    .cfi_def_cfa rsp, 8
    ret
    .cfi_endproc
    .size heddle_call_main, . - heddle_call_main

    # Has a personality routine but no landing pad: the routine itself does what is to be done.
    .globl heddle_call_guarded
    .hidden heddle_call_guarded
    .type heddle_call_guarded, @function
heddle_call_guarded:
    .cfi_startproc
    .cfi_personality 0x1b, {personality}
    push rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    mov rbp, rsp
    .cfi_def_cfa_register rbp
    push rsi
    push rdx
    call rdi
    leave
    .cfi_def_cfa rsp, 8
    ret
    .cfi_endproc
    .size heddle_call_guarded, . - heddle_call_guarded

    .globl heddle_sigreturn
    .hidden heddle_sigreturn
    .type heddle_sigreturn, @function
heddle_sigreturn:
    mov eax, 15
    syscall
    .size heddle_sigreturn, . - heddle_sigreturn

    # Parts of the precompiled core library name it in tables for unwinding, which nobody reads: panics abort. Whether one
    # of those parts is linked depends on what the optimiser leaves. Weak: where there is a standard library it has its own.
    .weak rust_eh_personality
    .hidden rust_eh_personality
    .type rust_eh_personality, @function
rust_eh_personality:
    ud2
    .size rust_eh_personality, . - rust_eh_personality
"#,
    arm = sym crate::schedule::fiber::arm,
    begin = sym crate::schedule::fiber::begin,
    returned = sym crate::schedule::fiber::returned,
    personality = sym guarded_personality,
    wipe = sym super::heddle_wipe,
);

/// The unwinder's question to `heddle_call_guarded`'s frame (Itanium C++ ABI, exception handling, 2.5.2).
unsafe extern "C" fn guarded_personality(
    _version: i32,
    actions: i32,
    _class: u64,
    _exception: *mut u8,
    context: *mut u8,
) -> i32 {
    const CLEANUP_PHASE: i32 = 2;
    const CONTINUE_UNWIND: i32 = 8;
    if actions & CLEANUP_PHASE != 0
        && let Some(bottom) = unwinder::stack_in_frame(context)
    {
        // SAFETY: the frame is as the assembly has made it: `pc` was pushed last, `control` before it.
        let (pc, control) = unsafe { (*bottom, *bottom.add(1)) };
        crate::calls::pthread::given_up(control as usize, pc);
    }
    CONTINUE_UNWIND
}
