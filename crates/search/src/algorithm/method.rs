//! Which algorithm runs, with its parameters.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::algorithm::bound::{Bound, Conservative};
use crate::algorithm::sdpor::Sdpor;
use crate::algorithm::stateful::Stateful;
use crate::algorithm::switches::{By, Cost, Switches};
use crate::algorithm::{dfs::Dfs, dpor::Dpor, optimal::Optimal, sampling::Sampling, source::Source, stack::Stack};
use crate::drive::strategy::Strategy;
use crate::options::{Algorithm, Options};

/// The algorithm that runs, with its parameters.
///
/// [`Algorithm`] is what the user asks for. What runs may be another one:
///
/// * Samples run beside `optimal` by default ([`crate::algorithm::portfolio`]); the method names the exhaustive search.
/// * Within a bound, sleep sets and source sets are not complete. [`crate::algorithm::bound`] runs instead of every
///   algorithm that reduces.
/// * A search by switches has one bound at most. With several it is [`Method::Bounded`], like the algorithms that reduce.
/// * What an atomic section would touch at another place is known only when it runs there. An algorithm that leaves out
///   executions by what a sleeping thread would touch must know that. Programs with atomic sections are therefore
///   searched by persistent sets without sleep sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Method {
    /// [`crate::algorithm::optimal`].
    Optimal,
    /// [`crate::algorithm::source`].
    Source,
    /// [`crate::algorithm::dpor`].
    Dpor {
        /// Whether sleep sets are used.
        sleep_sets: bool,
        /// Whether two operations under one lock count as not possible at the same time.
        locksets: bool,
    },
    /// [`crate::algorithm::bound`].
    Bounded(Bound),
    /// [`crate::algorithm::dfs`].
    Dfs(Bound),
    /// [`crate::algorithm::stateful`].
    Stateful {
        /// Whether every step of every state is run.
        everybody: bool,
    },
    /// [`crate::algorithm::switches`].
    Switches(Cost),
    /// [`crate::algorithm::sdpor`].
    Sdpor,
    /// Samples: every thread that can go on has equal chances.
    Random,
    /// Samples: priorities that change at a few places.
    Pct {
        /// How many ordering constraints a bug may need.
        depth: u32,
    },
    /// Samples: priorities for operations.
    Pos,
    /// Samples: a few threads in any order, then the others.
    Few,
    /// Samples: back to a rare event of an earlier one, and on from there.
    Rare,
}

impl Method {
    /// The method that `options` lead to, with at most `preemptions` preemptions, for a program with or without atomic `sections`.
    pub(crate) fn of(options: &Options, preemptions: Option<u32>, sections: bool) -> Method {
        let bound = Bound { preemptions, switches: options.max_switches, delays: options.max_delays };
        let dpor = |sleep_sets| Method::Dpor { sleep_sets, locksets: options.locksets };
        match options.algorithm {
            Algorithm::Dfs => Method::Dfs(bound),
            Algorithm::Stateful => Method::Stateful { everybody: sections },
            Algorithm::States => Method::Stateful { everybody: true },
            Algorithm::Switches | Algorithm::Csdr => {
                let limits =
                    [(By::Switches, bound.switches), (By::Preemptions, preemptions), (By::Delays, bound.delays)];
                let mut set = limits.into_iter().filter(|(_, most)| most.is_some());
                let (by, most) = set.next().unwrap_or((By::Switches, None));
                // A shortest way is one by one measure.
                if set.next().is_some() {
                    return Method::Bounded(bound);
                }
                Method::Switches(Cost { by, most, exact: options.algorithm == Algorithm::Switches })
            }
            Algorithm::Sdpor => Method::Sdpor,
            Algorithm::Random => Method::Random,
            Algorithm::Pct => Method::Pct { depth: options.depth },
            Algorithm::Pos => Method::Pos,
            Algorithm::Few => Method::Few,
            Algorithm::Rare => Method::Rare,
            _ if bound.limits() => Method::Bounded(bound),
            _ if sections => dpor(false),
            Algorithm::Optimal | Algorithm::Portfolio => Method::Optimal,
            Algorithm::Source => Method::Source,
            Algorithm::Dpor => dpor(options.sleep_sets),
        }
    }

    /// The name in reports. A person can type it after `--algorithm`, except `bounded`, which is what the other
    /// algorithms become within a bound.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Optimal => "optimal",
            Method::Source => "source",
            Method::Dpor { .. } => "dpor",
            Method::Bounded(_) => "bounded",
            Method::Dfs(_) => "dfs",
            Method::Stateful { everybody: false } => "stateful",
            Method::Stateful { everybody: true } => "states",
            Method::Switches(Cost { exact: true, .. }) => "switches",
            Method::Switches(_) => "csdr",
            Method::Sdpor => "sdpor",
            Method::Random => "random",
            Method::Pct { .. } => "pct",
            Method::Pos => "pos",
            Method::Few => "few",
            Method::Rare => "rare",
        }
    }

    /// Whether it only samples, so that its end proves nothing.
    pub fn samples(&self) -> bool {
        matches!(self, Method::Random | Method::Pct { .. } | Method::Pos | Method::Few | Method::Rare)
    }

    /// What it may miss although it has come to its end. `None` if it misses nothing.
    pub fn misses(&self) -> Option<&'static str> {
        (*self == Method::Sdpor).then_some(
            "it stops at known states before all that follows is known, and leaves out threads that wait or are ignored there",
        )
    }

    /// The most switches of an execution, if they are bounded.
    pub(crate) fn max_switches(&self) -> Option<u32> {
        match self {
            Method::Bounded(bound) | Method::Dfs(bound) => bound.switches,
            _ => None,
        }
    }

    /// Whether it leaves out executions because of what a thread would touch that does not run.
    pub(crate) fn foresees(&self) -> bool {
        let sleeps = matches!(self, Method::Optimal | Method::Source | Method::Dpor { sleep_sets: true, .. });
        sleeps || *self == Method::Stateful { everybody: false }
    }

    /// The algorithm, before its first plan.
    pub(crate) fn start(&self, options: &Options) -> Box<dyn Strategy> {
        match *self {
            Method::Optimal => Box::new(Optimal::new(options)),
            Method::Source => Box::new(Stack::new(Source::default(), true, options)),
            Method::Dpor { sleep_sets, locksets } => {
                Box::new(Stack::new(Dpor::new(sleep_sets, locksets), sleep_sets, options))
            }
            Method::Bounded(bound) => Box::new(Stack::new(Conservative, false, options).within(bound)),
            Method::Dfs(bound) => Box::new(Dfs::new(bound, options)),
            Method::Switches(cost) => Box::new(Switches::new(cost, options)),
            Method::Sdpor => Box::new(Sdpor::new(options)),
            Method::Stateful { everybody } => Box::new(Stateful::new(everybody, options)),
            Method::Random | Method::Pct { .. } | Method::Pos | Method::Few | Method::Rare => {
                Box::new(Sampling::new(options))
            }
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Method::Dpor { sleep_sets, locksets } => {
                let without = [(*sleep_sets, "sleep sets"), (*locksets, "locksets")];
                let mut join = " without ";
                for (_, what) in without.iter().filter(|(with, _)| !with) {
                    write!(f, "{join}{what}")?;
                    join = " and ";
                }
                Ok(())
            }
            Method::Switches(Cost { by, most: Some(most), .. }) => {
                let what = match by {
                    By::Switches => "switches",
                    By::Preemptions => "preemptions",
                    By::Delays => "delays",
                };
                write!(f, ", {what} at most {most}")
            }
            Method::Pct { depth } => write!(f, ", depth {depth}"),
            Method::Bounded(bound) | Method::Dfs(bound) => {
                let Bound { preemptions, switches, delays } = *bound;
                for (limit, what) in [(preemptions, "preemptions"), (switches, "switches"), (delays, "delays")] {
                    if let Some(limit) = limit {
                        write!(f, ", {what} at most {limit}")?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_not_always_what_was_asked_for() {
        let with = |algorithm| Options { algorithm, ..Options::default() };
        let of = |options: &Options, sections| Method::of(options, options.max_preemptions, sections).to_string();
        assert_eq!(of(&with(Algorithm::Optimal), false), "optimal");
        assert_eq!(of(&with(Algorithm::Optimal), true), "dpor without sleep sets");
        assert_eq!(of(&with(Algorithm::Source), true), "dpor without sleep sets");
        assert_eq!(of(&with(Algorithm::Dfs), true), "dfs");
        let options = Options { max_preemptions: Some(2), ..with(Algorithm::Optimal) };
        assert_eq!(of(&options, true), "bounded, preemptions at most 2");
        let options = Options { locksets: false, ..with(Algorithm::Dpor) };
        assert_eq!(of(&options, true), "dpor without sleep sets and locksets");
    }

    /// What an option is called and what the report says are one name, wherever they are one algorithm.
    #[test]
    fn names_are_those_of_the_options() {
        for (name, algorithm) in Algorithm::NAMES.iter().filter(|(_, algorithm)| *algorithm != Algorithm::Portfolio) {
            assert_eq!(Method::of(&Options { algorithm: *algorithm, ..Options::default() }, None, false).name(), *name);
        }
    }
}
