//! Executions until the bug of each program of `benches/bugs` is found, by algorithm.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use heddle_model::{Attention, Properties};
use heddle_native::NativeExecutor;

use crate::{build, looking, root};

/// Executions until the bug of each pattern is found, by algorithm.
pub fn table() {
    use heddle_search::{Algorithm, Flow, Info, Observer, Search};

    /// Stops at the first execution that ends badly. Races are no bad end: their places become visible, and the search begins
    /// anew; all executions count.
    #[derive(Default)]
    struct First {
        found: Option<u64>,
        ran: u64,
        /// What drew the execution that ended badly, if it was a sample.
        sampler: Option<&'static str>,
    }
    impl Observer for First {
        fn execution(&mut self, execution: &heddle_model::Execution<'_>, info: &Info<'_>) -> Flow {
            use heddle_report::outcome::{Class, classify};
            self.ran += 1;
            if let Class::Finding(_) = classify(execution, &Properties::default()) {
                (self.found, self.sampler) = (Some(self.ran), info.sampler);
                return Flow::Stop;
            }
            Flow::Continue
        }
    }

    const LIMIT: u64 = 10_000;
    /// For the program with a dozen preemptions, whose threads may also go round for ever.
    const DEEP: (&str, u64) = ("safestack", 100_000);
    const SIZED: [(&str, &[u32]); 6] = [
        ("reorder", &[3, 5, 10, 20]),
        ("twostage", &[2, 20, 100]),
        ("wronglock", &[3, 8, 20]),
        ("sigma", &[6, 20]),
        ("philosophers", &[3, 10]),
        ("interlocked", &[2, 4]),
    ];
    /// How many seeds the default search is tried with.
    const SEEDS: u64 = 5;
    println!("\n## Executions until the bug is found (at most {LIMIT}, {}: {})\n", DEEP.0, DEEP.1);
    // The second: with no preemption, then with one, and so on.
    let algorithms = [
        (Algorithm::Optimal, false),
        (Algorithm::Source, false),
        (Algorithm::Dpor, false),
        (Algorithm::Optimal, true),
        (Algorithm::Random, false),
        (Algorithm::Pct, false),
        (Algorithm::Pos, false),
        (Algorithm::Few, false),
        (Algorithm::Rare, false),
    ];
    let name = |&(algorithm, iterate): &(Algorithm, bool)| if iterate { "iterate" } else { algorithm.name() };
    let names: Vec<&str> = algorithms.iter().map(name).collect();
    println!("The default search by seed; samples count, too. Then what found it. Others with seed 0.\n");
    let seeds: Vec<String> = (0..SEEDS).map(|seed| format!("seed {seed}")).collect();
    println!("| program | {} | found by | {} |", seeds.join(" | "), names.join(" | "));
    println!("|---|{}---|{}", "---:|".repeat(seeds.len()), "---:|".repeat(names.len()));
    let mut all = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("benches/bugs"))
        .expect("the patterns are there")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap_or_default().display().to_string();
        let sizes = SIZED.iter().find(|(sized, _)| *sized == name).map_or(&[0][..], |(_, sizes)| sizes);
        // Where it has shared atomics, the same without: what races, and what is wrong all the same.
        let source = std::fs::read_to_string(&file).expect("the pattern can be read");
        let variants = if source.contains("ifdef PLAIN") { &[false, true][..] } else { &[false][..] };
        for (&size, &plain) in sizes.iter().flat_map(|size| variants.iter().map(move |plain| (size, plain))) {
            let flag = (size != 0).then(|| format!("-DK={size}"));
            let flags: Vec<&str> = flag.as_deref().into_iter().chain(plain.then_some("-DPLAIN")).collect();
            let program = build(&format!("benches/bugs/{name}.c"), &flags);
            let until = |algorithm, iterate, seed| {
                let options = looking(if plain { Attention::Go } else { Attention::Off }, Attention::Stop);
                let mut executor = NativeExecutor::launch(&program.program, options).expect("it starts");
                let mut first = First::default();
                let options = heddle_search::Options {
                    algorithm,
                    iterate,
                    seed,
                    max_executions: Some(if name == DEEP.0 { DEEP.1 } else { LIMIT }),
                    max_steps: (name == DEEP.0).then_some(100),
                    timeout: Some(Duration::from_secs(if name == DEEP.0 { 30 } else { 8 })),
                    ..heddle_search::Options::default()
                };
                Search::new(options).run(&mut executor, &mut first).expect("it runs");
                first
            };
            let shown = |found: Option<u64>| found.map_or("-".to_owned(), |number| number.to_string());
            let default: Vec<First> = (0..SEEDS).map(|seed| until(Algorithm::Portfolio, false, seed)).collect();
            let by: BTreeSet<&str> =
                default.iter().filter(|run| run.found.is_some()).map(|run| run.sampler.unwrap_or("optimal")).collect();
            let by = by.into_iter().collect::<Vec<_>>().join(", ");
            let cells = default.iter().map(|run| shown(run.found)).chain([by]);
            let others = algorithms.iter().map(|&(algorithm, iterate)| shown(until(algorithm, iterate, 0).found));
            let cells: Vec<String> = cells.chain(others).collect();
            if name != DEEP.0 {
                all.extend(default.iter().map(|run| run.found.unwrap_or(u64::MAX)));
            }
            let label = if size == 0 { name.clone() } else { format!("{name}_{size}") };
            let label = if plain { format!("{label}, plain") } else { label };
            println!("| {label} | {} |", cells.join(" | "));
        }
    }
    all.sort_unstable();
    let missed = all.iter().filter(|&&number| number == u64::MAX).count();
    println!(
        "\nBy default: median {}, most {}, missed {missed} of {}",
        all[all.len() / 2],
        all[all.len() - 1 - missed],
        all.len()
    );
}
