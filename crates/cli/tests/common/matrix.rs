//! Which programs are run in which ways.
//!
//! The full matrix of compilers, optimisation levels and restart modes is run by `./x test --full`. Otherwise each program gets a few ways,
//! other ones than its neighbours, so that every way is taken by many programs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{clang, is_full};

/// A way to build and run a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Way {
    /// The compiler.
    pub compiler: &'static str,
    /// How much it optimises.
    pub level: &'static str,
    /// How executions start over.
    pub restart: &'static str,
}

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// Ways for program number `index`: all 18, or three that have each restart mode, each level and both compilers in them.
pub fn ways(index: usize) -> Vec<Way> {
    let compilers = ["gcc", clang()];
    if is_full() {
        let pairs = compilers.into_iter().flat_map(|compiler| LEVELS.map(|level| (compiler, level)));
        let all = pairs.flat_map(|(compiler, level)| super::RESTARTS.map(|restart| Way { compiler, level, restart }));
        return all.collect();
    }
    let one = |(number, restart)| Way {
        compiler: compilers[(index + number) % 2],
        level: LEVELS[(index / 2 + number) % 3],
        restart,
    };
    super::RESTARTS.into_iter().enumerate().map(one).collect()
}

/// All of `choices`, or the one of them that program number `index` gets.
pub fn some_of<T: Copy>(choices: &[T], index: usize) -> Vec<T> {
    if is_full() { choices.to_vec() } else { vec![choices[index % choices.len()]] }
}

/// Runs `work` for each of `count` numbers, on as many threads as there are cores and one more for those that wait for a compiler.
/// Fails with all that was wrong.
pub fn for_each(count: usize, work: impl Fn(usize) -> Option<String> + Sync) {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from) + 1;
    std::thread::scope(|scope| {
        for _ in 0..workers.min(count) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    wrong.lock().expect("nobody panics with it").extend(work(number));
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("nobody panics with it");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
