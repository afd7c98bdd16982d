//! Memory that belongs to the owner of a structure and is lent to it.
//!
//! The structures of this crate do not allocate. Their owner lends them zeroed memory when they are made, and some of them ask
//! for more as they grow.

/// A type for which a value of all zero bytes is valid.
///
/// # Safety
/// All bytes zero must be a valid value, and dropping one must do nothing.
pub unsafe trait Zero: Copy {}

// SAFETY: a number.
unsafe impl Zero for u8 {}
// SAFETY: a number.
unsafe impl Zero for u32 {}
// SAFETY: a number.
unsafe impl Zero for u64 {}
// SAFETY: a number.
unsafe impl Zero for usize {}
// SAFETY: each element may be zero.
unsafe impl<T: Zero, const N: usize> Zero for [T; N] {}

/// An owner of memory that lends zeroed parts of it for the lifetime `'m`.
///
/// # Safety
/// Lent memory must be zeroed, valid for reads and writes during `'m`, and not accessible in any other way.
pub unsafe trait Lender<'m> {
    /// Lends `count` values. Memory should cost nothing before it is touched: structures ask for as much as they may ever need.
    fn lend<T: Zero>(&mut self, count: usize) -> &'m mut [T];

    /// Makes lent memory zero again.
    fn wipe<T: Zero>(&mut self, lent: &mut [T]) {
        // SAFETY: the type says that zero is a valid value.
        unsafe { core::ptr::write_bytes(lent.as_mut_ptr(), 0, lent.len()) };
    }
}

/// The error that a structure has no room left. The structure is unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;
