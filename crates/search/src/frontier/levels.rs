//! How many executions a search will have at least, from how many there are of each number of preemptions.
//!
//! A search that runs the sequences with the fewest preemptions first goes through them level by level. Where a bug or a proof
//! needs many preemptions, each level is many times as large as the one before, by a factor that falls from level to level
//! and is below one from the middle on. So three whole levels tell how the others will be: the factor is taken to fall as it
//! fell last. With two threads it falls at every other level only, so the smaller one of the last two guesses is taken. The
//! tests have how near that comes.
//!
//! The level that is being run counts as whole, too, if more follows from it then: it has at least what was run of it.
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
    /// How many are expected in all.
    expected: u64,
}

/// How many executions of the last level there are between two guesses. Some of the levels before it were under way when it began.
const AGAIN: u64 = 256;

impl Levels {
    /// Notes an execution with this many preemptions.
    pub fn ran(&mut self, preemptions: u32) {
        let level = (preemptions as usize).min(MOST - 1);
        if self.ran.len() <= level {
            self.ran.resize(level + 1, 0);
            self.guess();
        }
        self.ran[level] += 1;
        if self.ran[level].is_multiple_of(AGAIN) {
            self.guess();
        }
    }

    /// Guesses anew from the levels as they are now.
    fn guess(&mut self) {
        let without = |last: usize| Levels::extrapolated(&self.ran[..self.ran.len().saturating_sub(last)]);
        let [running, whole, before] = [without(0), without(1), without(2)];
        self.expected = running.min(whole).max(whole.min(before));
    }

    /// How many executions there may be in all. 0 before there are four levels, and when levels become smaller.
    pub fn expected(&self) -> u64 {
        self.expected
    }

    /// How many executions there are in all if these levels are whole.
    fn extrapolated(whole: &[u64]) -> u64 {
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
    pub fn save(&self) -> (Vec<u64>, u64) {
        (self.ran.clone(), self.expected)
    }

    /// Goes on with what another one knew. None if that is no such list.
    pub fn restore((ran, expected): (Vec<u64>, u64)) -> Option<Levels> {
        let is_small = ran.iter().chain([&expected]).all(|&number| number < 1 << 50);
        (ran.len() <= MOST && is_small).then_some(Levels { ran, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is expected after so many executions of each level.
    fn expected(counts: &[u64]) -> u64 {
        let mut levels = Levels { ran: counts.to_vec(), expected: 0 };
        levels.guess();
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
        for counts in [&[][..], &[5], &[1, 9], &[1, 9, 50], &[1, 9, 50, 1], &[0, 0, 5, 7, 9], &[9, 8, 5, 3, 1]] {
            assert_eq!(expected(counts), 0, "{counts:?}");
        }
        assert!(expected(&[6, 100, 1200, 8400, 1]) > 100_000);
    }

    #[test]
    fn what_was_run_of_a_level_raises_what_is_expected() {
        let at = |count| expected(&[1, 46, 1007, 10_836, count]);
        assert_eq!(at(1), at(20_000));
        assert!(at(1) > 200_000 && at(60_000) > at(1) && at(90_000) >= at(60_000));
        // More is not expected than without that level.
        assert_eq!(at(90_000), at(10_000_000));
    }

    /// Where many plans are under way at once, a level begins before the one in front of it was run.
    #[test]
    fn what_was_under_way_when_a_level_began_counts() {
        let mut levels = Levels::default();
        let mut run = |level, count| (0..count).for_each(|_| levels.ran(level));
        for (level, count) in [(0, 1), (1, 13), (2, 21), (3, 30), (1, 33), (2, 954), (3, 10_088), (4, 256)] {
            run(level, count);
        }
        assert_eq!(levels.save().0, [1, 46, 975, 10_118, 256]);
        assert!(levels.expected() > 200_000, "{levels:?}");
    }

    #[test]
    fn many_preemptions_are_one_level() {
        let mut levels = Levels::default();
        levels.ran(u32::MAX);
        levels.ran(0);
        assert_eq!(levels.save().0.len(), MOST);
        assert_eq!(Levels::restore(levels.save()), Some(levels));
        assert!(Levels::restore((vec![0; MOST + 1], 0)).is_none());
    }
}
