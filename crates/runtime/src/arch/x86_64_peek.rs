//! Reads of memory that may not be readable.

use core::arch::global_asm;

use super::x86_64::interrupted_pc;

/// Whether the thread was interrupted in [`heddle_peek`]. If so, that returns 0 when the thread goes on.
///
/// # Safety
/// `context` is the third argument of a signal handler.
pub unsafe fn gives_up_peek(context: *mut u64) -> bool {
    let begin = heddle_peek as *const () as u64;
    let failed = &raw const heddle_peek_failed as u64;
    // SAFETY: as above.
    unsafe {
        let peeks = (begin..failed).contains(&interrupted_pc(context));
        if peeks {
            *context.add(5 + 16) = failed;
        }
        peeks
    }
}

unsafe extern "C" {
    /// The `size` bytes at `address`, at most eight, as a number. 0 if they cannot be read.
    pub fn heddle_peek(address: usize, size: usize) -> u64;
    static heddle_peek_failed: u8;
}

global_asm!(
    ".text",
    ".globl heddle_peek",
    ".hidden heddle_peek",
    ".globl heddle_peek_failed",
    ".hidden heddle_peek_failed",
    ".type heddle_peek, @function",
    "heddle_peek:",
    "xor eax, eax",
    "2:",
    "dec rsi",
    "js 3f",
    "shl rax, 8",
    "movzx edx, byte ptr [rdi + rsi]",
    "or rax, rdx",
    "jmp 2b",
    "3:",
    "ret",
    "heddle_peek_failed:",
    "xor eax, eax",
    "ret",
    ".size heddle_peek, . - heddle_peek",
);
