//! For tests: memory to lend, random programs, and happens-before by its definition.

mod program;
mod reference;

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::RefCell;
use std::vec::Vec;

use proptest::test_runner::{Config, RngSeed};

pub use self::program::{Action, THREADS, actions, event_of};
pub use self::reference::Reference;
use crate::lend::{Lender, Zero};

/// Owns the memory that it lends, and frees it at its end.
#[derive(Default)]
pub struct Owner(RefCell<Vec<(*mut u8, Layout)>>);

// SAFETY: each piece is a zeroed allocation of its own, freed after `'m`.
unsafe impl<'m> Lender<'m> for &'m Owner {
    fn lend<T: Zero>(&mut self, count: usize) -> &'m mut [T] {
        let layout = Layout::array::<T>(count).expect("a size");
        assert_ne!(layout.size(), 0);
        // SAFETY: the size is not zero; the type may be zero.
        unsafe {
            let at = alloc_zeroed(layout);
            self.0.borrow_mut().push((at, layout));
            std::slice::from_raw_parts_mut(at.cast(), count)
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        for (at, layout) in self.0.get_mut().drain(..) {
            // SAFETY: allocated above with this layout.
            unsafe { dealloc(at, layout) };
        }
    }
}

/// How many random cases a property is tried on: few under Miri, which is a hundred times slower. The cases are the same in every run,
/// unless `$HEDDLE_SEED` asks for others.
pub fn cases(natively: u32) -> Config {
    let cases = if cfg!(miri) { 4 } else { natively };
    let seed = std::env::var("HEDDLE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    std::println!("HEDDLE_SEED={seed}");
    Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Config::default() }
}
