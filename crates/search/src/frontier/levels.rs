//! How many executions a search will have at least, from how many there are of each number of preemptions.
//!
//! A search that runs the sequences with the fewest preemptions first goes through them level by level. Where a bug or a proof
//! needs many preemptions, each level is many times as large as the one before, by a factor that falls from level to level
//! and is below one from the middle on. So three whole levels tell how the others will be: the factor is taken to fall as it
//! fell last. With two threads it falls at every other level only, so the smaller one of the last two guesses is taken. The
//! tests have how near that comes.
//!
//! Only counts decide that, never the time, unlike [`super::estimate`]: whoever goes by it does the same again.

/// The most levels that are told apart. Executions with more preemptions belong to the last one.
const MOST: usize = 64;

/// The largest factor by which the growth from level to level changes. With 1, there would be no end.
const FALL: f64 = 0.9;

/// How many executions were run, by their number of preemptions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Levels {
    ran: Vec<u64>,
    /// What was expected from the levels that were whole when the last level began, and when the one before it began.
    guesses: [u64; 2],
}

impl Levels {
    /// Notes an execution with this many preemptions.
    pub fn ran(&mut self, preemptions: u32) {
        let level = (preemptions as usize).min(MOST - 1);
        if self.ran.len() <= level {
            self.ran.resize(level + 1, 0);
            self.guesses = [self.extrapolated(), self.guesses[0]];
        }
        self.ran[level] += 1;
    }

    /// How many executions there may be in all. 0 before there are four whole levels, and when levels become smaller.
    pub fn expected(&self) -> u64 {
        let [last, before] = self.guesses;
        last.min(before)
    }

    fn extrapolated(&self) -> u64 {
        let [whole @ .., _] = &self.ran[..] else { return 0 };
        let [.., a, b, c] = whole else { return 0 };
        let [a, b, c] = [*a, *b, *c].map(|count| count as f64);
        if a == 0.0 || b == 0.0 || c <= b {
            return 0;
        }
        let fall = ((c / b) / (b / a)).min(FALL);
        let (mut factor, mut level, mut sum) = (c / b * fall, c, whole.iter().sum::<u64>() as f64);
        for _ in whole.len()..MOST {
            level *= factor;
            factor *= fall;
            sum += level;
        }
        // Larger than anything that will be run.
        sum.min(1e15) as u64
    }

    /// What it knows.
    pub fn save(&self) -> (Vec<u64>, [u64; 2]) {
        (self.ran.clone(), self.guesses)
    }

    /// Goes on with what another one knew. None if that is no such list.
    pub fn restore((ran, guesses): (Vec<u64>, [u64; 2])) -> Option<Levels> {
        let is_small = |numbers: &[u64]| numbers.iter().all(|&number| number < 1 << 50);
        (ran.len() <= MOST && is_small(&ran) && is_small(&guesses)).then_some(Levels { ran, guesses })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is expected after so many executions of each level.
    fn expected(counts: &[u64]) -> u64 {
        let mut levels = Levels::default();
        for (level, &count) in counts.iter().enumerate() {
            levels.ran(level as u32);
            levels.ran[level] = count;
        }
        levels.expected()
    }

    /// How many orders of the operations `left` of each thread there are, by preemptions. `current` has run last.
    fn orders(left: &mut [u32], current: Option<usize>) -> Vec<u64> {
        let mut all = vec![u64::from(left.iter().all(|&count| count == 0))];
        for thread in 0..left.len() {
            if left[thread] == 0 {
                continue;
            }
            let preempts = current.is_some_and(|current| current != thread && left[current] != 0);
            left[thread] -= 1;
            for (level, count) in orders(left, Some(thread)).into_iter().enumerate() {
                let level = level + usize::from(preempts);
                if all.len() <= level {
                    all.resize(level + 1, 0);
                }
                all[level] += count;
            }
            left[thread] += 1;
        }
        all
    }

    /// Threads whose operations all conflict: as many traces as orders.
    #[test]
    #[cfg_attr(miri, ignore = "a million orders are counted one by one")]
    fn what_is_expected_is_hardly_ever_too_much() {
        for (threads, operations) in [(2, 6), (2, 8), (2, 9), (3, 3), (3, 4), (4, 3), (5, 2)] {
            let levels = orders(&mut vec![operations; threads], None);
            let sum: u64 = levels.iter().sum();
            for known in 1..=levels.len() {
                let expected = expected(&levels[..known]);
                assert!(expected <= sum * 2, "{threads} of {operations}: {expected} of {sum}, {known} levels");
            }
        }
    }

    #[test]
    fn before_four_whole_levels_nothing_is_expected() {
        for counts in [&[][..], &[5], &[1, 9], &[1, 9, 50], &[1, 9, 50, 200], &[0, 0, 5, 7, 9], &[9, 8, 5, 3, 1]] {
            assert_eq!(expected(counts), 0, "{counts:?}");
        }
        assert!(expected(&[6, 100, 1200, 8400, 1]) > 100_000);
    }

    #[test]
    fn many_preemptions_are_one_level() {
        let mut levels = Levels::default();
        levels.ran(u32::MAX);
        levels.ran(0);
        assert_eq!(levels.save().0.len(), MOST);
        assert_eq!(Levels::restore(levels.save()), Some(levels));
        assert!(Levels::restore((vec![0; MOST + 1], [0; 2])).is_none());
    }
}
