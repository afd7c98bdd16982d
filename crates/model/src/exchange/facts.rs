//! Facts that an engine has learnt about a program by running it.
//!
//! Processes, workers, engines and whole runs each learn a part. [`Facts::merge`] is the only way to combine the parts.
//! Verdicts and continued searches use the result.
//!
//! Merging is commutative and associative, and `Facts::default()` is its neutral element, so the order of merging does
//! not matter. It is also idempotent, except for [`Statistics`], which are sums: merge each source of statistics once.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::wire::ThreadName;
use crate::{Location, Restart};

/// Facts that an engine has learnt about a program by running it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Facts {
    /// How much of the program is observed.
    pub instrumentation: Instrumentation,
    /// The names of the threads: entry `i` belongs to thread `i`. Plans use these ids.
    pub threads: Vec<ThreadName>,
    /// What must be prepared before executions begin.
    pub needs: Needs,
    /// How executions start over: the safest way that any part needed.
    pub restart: Restart,
    /// Why executions start over by fork although the user did not ask for it.
    pub fallback: Option<Fallback>,
    /// The labels that the program declares and that some execution must reach.
    pub labels: BTreeSet<Label>,
    /// Fingerprints ([`crate::wire::label`]) of the labels that executions have reached.
    pub reached: BTreeSet<u64>,
    /// Whether an execution asked for a nondeterministic value of a type with more values than were tried.
    pub undetermined: bool,
    /// Whether an execution skipped a timeout because its thread had timed out too often before.
    pub timeouts_left_out: bool,
    /// Whether a thread waited in a loop that looks at a clock, whatever the time was.
    #[serde(default)]
    pub waits_by_clock: bool,
    /// What executions did that the model does not cover.
    pub outside: Outside,
    /// The paths of the libraries that the program loaded itself.
    pub libraries: BTreeSet<PathBuf>,
    /// The names of object files and libraries without instrumentation. Their memory accesses are not observed.
    pub unseen: BTreeSet<String>,
    /// Source lines with inline assembly that uses memory, or functions where there are no lines. These accesses are not observed.
    pub assembly: BTreeSet<Location>,
    /// What instrumented code does that is not observed.
    #[serde(default)]
    pub overlooked: BTreeSet<Overlooked>,
    /// The addresses of the granules of plain memory whose accesses are visible operations.
    pub places: BTreeSet<u64>,
    /// How a process died during an execution that succeeded when it was run again.
    pub died: Option<String>,
    /// Counts of what happened to the processes.
    pub statistics: Statistics,
}

/// How much of a program is observed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Instrumentation {
    /// Accesses to memory that may be shared, atomics, and calls of the thread library.
    #[default]
    Memory,
    /// Calls of the thread library only.
    SyncOnly,
}

impl Instrumentation {
    /// The name in Heddle's JSON document.
    pub fn name(self) -> &'static str {
        match self {
            Instrumentation::Memory => "memory",
            Instrumentation::SyncOnly => "sync-only",
        }
    }
}

/// A label that some execution must reach (`heddle_reachable`). Labels are ordered by source location.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Label {
    /// The source file, as named to the compiler.
    pub file: String,
    /// The line, from 1. 0 if it is unknown.
    pub line: u32,
    /// The label's text.
    pub name: String,
}

/// Something that instrumented code does and that is not observed, in words that can stand in a list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overlooked {
    /// It accesses memory.
    Access(String),
    /// Threads can tell in which order they do it, and the order is not explored.
    Order(String),
}

/// What must be prepared before executions begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Needs {
    /// The number of threads to prepare. See [`crate::wire::Header::threads_wanted`].
    pub threads: u32,
    /// Whether the unwinder is needed. See [`crate::wire::Header::unwinder`].
    pub unwinder: bool,
    /// Whether the program makes processes, so that the kernel must not keep it from changing files. See [`crate::wire::Note::Open`].
    #[serde(default)]
    pub open: bool,
}

/// Why executions start over by fork although the user did not ask for it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Fallback {
    /// What the program used that a snapshot cannot restore.
    pub what: String,
    /// A return address in the code that used it, or 0.
    pub pc: u64,
}

/// What executions did that the model does not cover.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Outside {
    /// Whether they created processes, which run uncontrolled.
    pub processes: bool,
    /// Whether they changed files in place, because there was no scratch directory for copies.
    pub files: bool,
    /// Whether libraries that are not instrumented created threads.
    #[serde(default)]
    pub threads: bool,
    /// Whether threads opened or closed descriptors, and nothing orders which of them gets which number.
    #[serde(default)]
    pub numbers: bool,
    /// Whether a file was mapped to be shared, and was also mapped elsewhere, or used by calls.
    #[serde(default)]
    pub shared_files: bool,
    /// Whether a function that ran before `main` changed files.
    #[serde(default)]
    pub early_files: bool,
    /// Whether the program talked with servers outside of it.
    #[serde(default)]
    pub servers: bool,
    /// Whether the kernel kept them from changing files outside the scratch directory.
    #[serde(default)]
    pub second_net: bool,
}

/// Counts of what happened to the processes that ran executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Processes started.
    pub processes: u64,
    /// Executions lost because their process died or was killed.
    pub lost: u64,
    /// Executions repeated alone because their process died for another reason.
    pub repeated: u64,
    /// Memory restorations that were compared with the snapshot.
    pub checked: u64,
    /// Pages that differed in these comparisons.
    pub differing: u64,
}

impl Facts {
    /// Adds the facts of `other`.
    ///
    /// Sets are united, flags are or-ed, needs and restart modes take the larger value, and statistics are added. The
    /// longer list of threads wins: both describe one program, so one is a prefix of the other. (An engine with several
    /// processes ensures that.) Of two fallbacks or deaths, the smaller text wins.
    pub fn merge(&mut self, other: &Facts) {
        // Without `..`: a field that is added here must be merged.
        let Facts {
            instrumentation,
            threads,
            needs,
            restart,
            fallback,
            labels,
            reached,
            undetermined,
            timeouts_left_out,
            waits_by_clock,
            outside,
            libraries,
            unseen,
            assembly,
            overlooked,
            places,
            died,
            statistics,
        } = other;
        self.instrumentation = self.instrumentation.max(*instrumentation);
        if (threads.len(), threads) > (self.threads.len(), &self.threads) {
            self.threads.clone_from(threads);
        }
        self.needs.threads = self.needs.threads.max(needs.threads);
        self.needs.unwinder |= needs.unwinder;
        self.needs.open |= needs.open;
        self.restart = self.restart.max(*restart);
        keep_one(&mut self.fallback, fallback.as_ref());
        self.labels.extend(labels.iter().cloned());
        self.reached.extend(reached);
        self.undetermined |= undetermined;
        self.timeouts_left_out |= timeouts_left_out;
        self.waits_by_clock |= waits_by_clock;
        self.outside.processes |= outside.processes;
        self.outside.files |= outside.files;
        self.outside.threads |= outside.threads;
        self.outside.numbers |= outside.numbers;
        self.outside.shared_files |= outside.shared_files;
        self.outside.early_files |= outside.early_files;
        self.outside.servers |= outside.servers;
        self.outside.second_net |= outside.second_net;
        self.libraries.extend(libraries.iter().cloned());
        self.unseen.extend(unseen.iter().cloned());
        self.assembly.extend(assembly.iter().cloned());
        self.overlooked.extend(overlooked.iter().cloned());
        self.places.extend(places);
        keep_one(&mut self.died, died.as_ref());
        self.statistics.add(statistics);
    }

    /// The declared labels that no execution has reached, ordered by source location.
    pub fn unreached(&self) -> impl Iterator<Item = &Label> {
        self.labels.iter().filter(|label| !self.reached.contains(&crate::wire::label(label.name.as_bytes())))
    }
}

impl Statistics {
    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Statistics) {
        let Statistics { processes, lost, repeated, checked, differing } = *other;
        for (count, more) in [
            (&mut self.processes, processes),
            (&mut self.lost, lost),
            (&mut self.repeated, repeated),
            (&mut self.checked, checked),
            (&mut self.differing, differing),
        ] {
            // The program can write to the memory that some counts are read from.
            *count = count.saturating_add(more);
        }
    }
}

/// Keeps the smaller of two values that mean the same.
fn keep_one<T: Clone + Ord>(own: &mut Option<T>, other: Option<&T>) {
    if let Some(other) = other
        && own.as_ref().is_none_or(|own| other < own)
    {
        *own = Some(other.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ThreadId;
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    fn location() -> impl Strategy<Value = Location> {
        ("[ab]", 0..3u32).prop_map(|(file, line)| Location { file, line, ..Location::default() })
    }

    fn overlooked() -> impl Strategy<Value = Overlooked> {
        prop_oneof!["[ab]".prop_map(Overlooked::Access), "[ab]".prop_map(Overlooked::Order)]
    }

    fn label() -> impl Strategy<Value = Label> {
        ("[ab]", 0..3u32, "[xy]").prop_map(|(file, line, name)| Label { file, line, name })
    }

    fn thread() -> impl Strategy<Value = ThreadName> {
        (0..3u16, 0..3u32).prop_map(|(parent, ordinal)| ThreadName {
            parent: ThreadId(parent),
            ordinal,
            ..ThreadName::default()
        })
    }

    fn statistics() -> impl Strategy<Value = Statistics> {
        // Some are so large that their sum does not fit.
        let count = || prop_oneof![0..5u64, u64::MAX - 1..=u64::MAX];
        (count(), count(), count(), count(), count()).prop_map(|(processes, lost, repeated, checked, differing)| {
            Statistics { processes, lost, repeated, checked, differing }
        })
    }

    prop_compose! {
        fn facts()(
            instrumentation in prop_oneof![Just(Instrumentation::Memory), Just(Instrumentation::SyncOnly)],
            threads in vec(thread(), 0..4),
            (needed, unwinder) in (0..9u32, any::<bool>()),
            restart in prop_oneof![Just(Restart::Snapshot), Just(Restart::Fork), Just(Restart::Exec)],
            fallback in proptest::option::of(("[ab]", 0..3u64)),
            (labels, reached) in (btree_set(label(), 0..3), btree_set(0..4u64, 0..3)),
            flags in any::<[bool; 5]>(),
            (libraries, unseen) in (btree_set("[ab]", 0..3), btree_set("[ab]", 0..3)),
            (assembly, overlooked) in (btree_set(location(), 0..3), btree_set(overlooked(), 0..3)),
            places in btree_set(0..4u64, 0..3),
            died in proptest::option::of("[ab]"),
            statistics in statistics(),
        ) -> Facts {
            Facts {
                instrumentation,
                threads,
                needs: Needs { threads: needed, unwinder, open: flags[2] },
                restart,
                fallback: fallback.map(|(what, pc)| Fallback { what, pc }),
                labels,
                reached,
                undetermined: flags[0],
                timeouts_left_out: flags[1],
                waits_by_clock: flags[4],
                outside: Outside {
                    processes: flags[2],
                    files: flags[3],
                    threads: flags[3],
                    numbers: flags[2],
                    shared_files: flags[3],
                    early_files: flags[0],
                    servers: flags[1],
                    second_net: flags[4],
                },
                libraries: libraries.into_iter().map(PathBuf::from).collect(),
                unseen,
                assembly,
                overlooked,
                places,
                died,
                statistics,
            }
        }
    }

    fn merged(a: &Facts, b: &Facts) -> Facts {
        let mut all = a.clone();
        all.merge(b);
        all
    }

    /// The cases are the same in every run, unless `$HEDDLE_SEED` asks for others. Miri is a hundred times slower.
    fn cases() -> Config {
        let seed = std::env::var("HEDDLE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
        println!("HEDDLE_SEED={seed}");
        let cases = if cfg!(miri) { 4 } else { 256 };
        Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Config::default() }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn merging_is_commutative(a in facts(), b in facts()) {
            prop_assert_eq!(merged(&a, &b), merged(&b, &a));
        }

        #[test]
        fn merging_is_associative(a in facts(), b in facts(), c in facts()) {
            prop_assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
        }

        #[test]
        fn merging_is_idempotent_but_for_statistics(a in facts(), b in facts()) {
            let once = merged(&a, &b);
            let again = merged(&once, &Facts { statistics: Statistics::default(), ..b });
            prop_assert_eq!(once, again);
        }

        #[test]
        fn nothing_adds_nothing(a in facts()) {
            prop_assert_eq!(merged(&a, &Facts::default()), a);
        }

        #[test]
        fn facts_survive_a_file(a in facts()) {
            let text = serde_json::to_string(&a).expect("facts can be written");
            prop_assert_eq!(serde_json::from_str::<Facts>(&text).expect("and read"), a);
        }
    }

    #[test]
    fn labels_are_unreached_until_their_fingerprint_is_known() {
        let label = |name: &str| Label { file: "a.c".into(), line: 1, name: name.into() };
        let mut facts = Facts { labels: [label("won"), label("lost")].into(), ..Facts::default() };
        facts.reached.insert(crate::wire::label(b"won"));
        assert_eq!(facts.unreached().map(|label| label.name.as_str()).collect::<Vec<_>>(), ["lost"]);
    }

    #[test]
    fn the_longer_list_of_threads_stays() {
        let name = |ordinal| ThreadName { ordinal, ..ThreadName::default() };
        let short = Facts { threads: vec![name(9)], ..Facts::default() };
        let long = Facts { threads: vec![name(0), name(1)], ..Facts::default() };
        assert_eq!(merged(&short, &long).threads, long.threads);
    }
}
