//! x86-64: wiping what this library leaves on the program's stacks.
//!
//! Functions of this library run on the stack of the thread that calls them. When they have returned, their frames lie below the
//! stack pointer. The program's next frames lie over them, and where these have padding the remains show through: pointers into
//! the record, numbers of events. A program hardly ever reads them. But two executions that come to the same point in
//! different ways would never have the same bytes on their stacks.
//!
//! So executions whose states are compared have their stacks wiped: whenever a function of this library returns to the
//! program, the stack below the stack pointer becomes zero, as far down as it was used. Registers that calls do not
//! preserve become zero as well, since variadic functions store them without looking.
//!
//! Wiping also erases what the program's own frames have left below. No program may read that. One that does reads zero,
//! in every execution whose states are compared.

use core::arch::naked_asm;
use core::cell::Cell;

use crate::lifetime::OneThread;

/// The stack that is wiped: its lowest address, and one past its highest. Both are zero where nothing is wiped. A static of
/// its own, because assembly refers to its symbol.
pub static WIPED: OneThread<Cell<[usize; 2]>> = OneThread::new(Cell::new([0; 2]));

/// What the current call of this library has to do, in executions whose states are compared: its arguments in registers, zero where it has
/// fewer than six; then a digest of what it was told so far ([`crate::state::calls`]). A static of its own, because assembly refers
/// to its symbol.
pub static ARGUMENTS: OneThread<Cell<[u64; 7]>> = OneThread::new(Cell::new([0; 7]));

/// Where the stack of the program's main function begins: everything from here on upwards is this library's. A static of
/// its own, because assembly refers to its symbol.
pub static MAIN_BASE: OneThread<Cell<usize>> = OneThread::new(Cell::new(0));

/// Calls the program's main function, and notes where its stack begins in [`MAIN_BASE`].
///
/// # Safety
/// `main` is that function, with its own arguments.
#[unsafe(naked)]
pub unsafe extern "C" fn heddle_enter_main(
    main: usize,
    argc: i32,
    argv: *mut *mut u8,
    environment: *mut *mut u8,
) -> i32 {
    naked_asm!(
        ".cfi_startproc",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "mov [rip + {base}], rsp",
        "mov rax, rdi",
        "mov edi, esi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "call rax",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        ".cfi_endproc",
        base = sym MAIN_BASE,
    )
}

/// Instructions of a stub: store the arguments that are in registers in [`ARGUMENTS`].
macro_rules! keep_arguments {
    () => {
        concat!(
            keep_arguments!(0, "rdi"),
            keep_arguments!(1, "rsi"),
            keep_arguments!(2, "rdx"),
            keep_arguments!(3, "rcx"),
            keep_arguments!(4, "r8"),
            keep_arguments!(5, "r9"),
            "mov qword ptr [rip + {arguments} + 48], 0\n"
        )
    };
    ($index:literal, $register:literal) => {
        concat!(
            ".if {words} > ",
            $index,
            "\nmov [rip + {arguments} + 8 * ",
            $index,
            "], ",
            $register,
            "\n.else\nmov qword ptr [rip + {arguments} + 8 * ",
            $index,
            "], 0\n.endif\n"
        )
    };
}

/// Instructions of a stub: go to its label `2` if stacks are wiped, unless there are arguments on the stack, which the body
/// would not find any more if it were called. In that case only the arguments in registers are kept.
macro_rules! unless_wiping {
    () => {
        concat!(
            "cmp qword ptr [rip + {wiped} + 8], 0\n",
            ".if {words} <= 6\n",
            "jne 2f\n",
            ".else\n",
            "je 4f\n",
            keep_arguments!(),
            "4:\n",
            ".endif"
        )
    };
}

/// Instructions of a stub, at its label `2`: call the body, and wipe what it has left.
macro_rules! call_and_wipe {
    () => {
        concat!(
            ".if {words} <= 6\n",
            "2:\n",
            keep_arguments!(),
            "sub rsp, 8\n",
            ".cfi_adjust_cfa_offset 8\n",
            "call {body}\n",
            "add rsp, 8\n",
            ".cfi_adjust_cfa_offset -8\n",
            ".if {wide} == 0\n",
            "xor edx, edx\n",
            ".endif\n",
            "jmp {wipe}\n",
            ".endif"
        )
    };
}

/// Whether a function that returns a value of the type with this name returns it in two registers.
pub const fn returns_two_words(name: &str) -> bool {
    matches!(name.as_bytes(), b"u128" | b"i128")
}

/// Wipes the stack below the caller's stack pointer, if it is the stack that is [wiped](WIPED), and clears the registers that
/// calls do not preserve but those that hold a result: rax, rdx, xmm0.
///
/// The part in use ends where 1,024 bytes are zero. Functions of this library that leave larger holes in their frames are those
/// with paths of files, which no execution with states calls.
#[unsafe(naked)]
pub unsafe extern "C" fn heddle_wipe() {
    naked_asm!(
        "mov rsi, [rip + {wiped}]",
        "cmp rsp, rsi",
        "jb 5f",
        "cmp rsp, [rip + {wiped} + 8]",
        "jae 5f",
        // The word below the return address, then whole blocks of 256 bytes.
        "lea rcx, [rsp - 8]",
        "cmp rcx, rsi",
        "jb 4f",
        "mov qword ptr [rcx], 0",
        "and rcx, -16",
        "pxor xmm2, xmm2",
        // So many blocks in a row were zero.
        "mov edi, {holes}",
        "2:",
        "lea r8, [rcx - 256]",
        "cmp r8, rsi",
        "jb 4f",
        "movdqa xmm3, [r8]",
        "por xmm3, [r8 + 16]",
        "por xmm3, [r8 + 32]",
        "por xmm3, [r8 + 48]",
        "por xmm3, [r8 + 64]",
        "por xmm3, [r8 + 80]",
        "por xmm3, [r8 + 96]",
        "por xmm3, [r8 + 112]",
        "por xmm3, [r8 + 128]",
        "por xmm3, [r8 + 144]",
        "por xmm3, [r8 + 160]",
        "por xmm3, [r8 + 176]",
        "por xmm3, [r8 + 192]",
        "por xmm3, [r8 + 208]",
        "por xmm3, [r8 + 224]",
        "por xmm3, [r8 + 240]",
        "pcmpeqb xmm3, xmm2",
        "pmovmskb r9d, xmm3",
        "mov rcx, r8",
        "cmp r9d, 0xffff",
        "jne 3f",
        "dec edi",
        "jnz 2b",
        "jmp 4f",
        "3:",
        "movdqa [r8], xmm2",
        "movdqa [r8 + 16], xmm2",
        "movdqa [r8 + 32], xmm2",
        "movdqa [r8 + 48], xmm2",
        "movdqa [r8 + 64], xmm2",
        "movdqa [r8 + 80], xmm2",
        "movdqa [r8 + 96], xmm2",
        "movdqa [r8 + 112], xmm2",
        "movdqa [r8 + 128], xmm2",
        "movdqa [r8 + 144], xmm2",
        "movdqa [r8 + 160], xmm2",
        "movdqa [r8 + 176], xmm2",
        "movdqa [r8 + 192], xmm2",
        "movdqa [r8 + 208], xmm2",
        "movdqa [r8 + 224], xmm2",
        "movdqa [r8 + 240], xmm2",
        "mov edi, {holes}",
        "jmp 2b",
        "4:",
        "xor ecx, ecx",
        "xor edi, edi",
        "xor esi, esi",
        "xor r8d, r8d",
        "xor r9d, r9d",
        "xor r10d, r10d",
        "xor r11d, r11d",
        "pxor xmm1, xmm1",
        "pxor xmm2, xmm2",
        "pxor xmm3, xmm3",
        "pxor xmm4, xmm4",
        "pxor xmm5, xmm5",
        "pxor xmm6, xmm6",
        "pxor xmm7, xmm7",
        "5:",
        "ret",
        wiped = sym WIPED,
        holes = const HOLES,
    )
}

/// How many blocks of 256 bytes are zero where the part of a stack that was used ends.
const HOLES: u32 = 4;
