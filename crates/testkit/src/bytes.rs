//! Damaged bytes for code that reads files and memory written by others: a small fuzzer that needs no special compiler.
//!
//! A target is an ordinary test, named `foreign_bytes…`. It starts with valid bytes, taken from real files, and calls
//! [`damage`], which calls it back with damaged ones. A target must end without a panic, whatever it gets. `./x fuzz
//! bytes SECONDS` runs all targets for longer.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use crate::environment;
use crate::generate::Random;

/// Numbers at the limits of common types.
const EDGES: [u64; 10] = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// The number of calls of a target if no time is given.
const ROUNDS: u64 = 3000;

/// Calls `target` with damaged copies of the entries of `corpus`, for `$HEDDLE_FUZZ_SECONDS` seconds or, without that,
/// a few thousand times.
///
/// # Panics
///
/// If `target` does. The bytes are kept in a file, whose name is printed.
pub fn damage(corpus: &[Vec<u8>], mut target: impl FnMut(&[u8])) {
    assert!(corpus.iter().any(|bytes| !bytes.is_empty()), "there is nothing to damage");
    let seconds = environment::number("HEDDLE_FUZZ_SECONDS", 0);
    let end = Instant::now() + Duration::from_secs(seconds);
    let seed = environment::seed(1);
    let mut random = Random::new(seed);
    let mut rounds = 0u64;
    while if seconds == 0 { rounds < ROUNDS } else { Instant::now() < end } {
        rounds += 1;
        let bytes = damaged(corpus, &mut random);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&bytes))) {
            let path = std::env::temp_dir().join(format!("heddle-damaged-{}-{rounds}", std::process::id()));
            let kept = std::fs::write(&path, &bytes);
            println!("round {rounds}: the bytes are in {} ({kept:?})", path.display());
            resume_unwind(panic);
        }
    }
    println!("{rounds} rounds");
}

/// An entry of `corpus`, changed in one to eight ways.
fn damaged(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = corpus[below(random, corpus.len())].clone();
    for _ in 0..=below(random, 8) {
        let at = below(random, bytes.len().max(1)).min(bytes.len());
        match below(random, 8) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << below(random, 8),
            2 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
            // A number of two, four or eight bytes, as programs write them.
            3 | 4 => {
                let edge = EDGES[below(random, EDGES.len())].to_le_bytes();
                let size = (1 << (1 + below(random, 3))).min(bytes.len() - at);
                bytes[at..at + size].copy_from_slice(&edge[..size]);
            }
            // A number in a text.
            5 => {
                let edge = EDGES[below(random, EDGES.len())].to_string();
                let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                bytes.splice(at..at + digits, edge.into_bytes());
            }
            // A piece of another, or of itself.
            6 => {
                let other = &corpus[below(random, corpus.len())];
                let from = below(random, other.len().max(1)).min(other.len());
                let length = below(random, 64).min(other.len() - from);
                let piece = other[from..from + length].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let length = below(random, 32).min(bytes.len() - at);
                bytes.drain(at..at + length);
            }
        }
    }
    bytes
}

fn below(random: &mut Random, bound: usize) -> usize {
    random.below(bound as u64) as usize
}
