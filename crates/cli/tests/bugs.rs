//! The patterns of concurrency bugs in `benches/bugs`: each is found, by the strategies that the guide names.

use crate::common::{Session, clang, root, sources};

/// Programs that have a size, and the largest that the exhaustive search finds within seconds.
const BY_OPTIMAL: [(&str, u32); 4] = [("reorder", 4), ("twostage", 3), ("wronglock", 5), ("sigma", 6)];
/// Sizes that only sampling reaches.
const BY_SAMPLING: [(&str, u32); 4] = [("reorder", 20), ("twostage", 100), ("wronglock", 8), ("sigma", 12)];
/// Sizes for the default search.
const BY_DEFAULT: [(&str, &[u32]); 6] = [
    ("reorder", &[3, 5, 10, 20]),
    ("twostage", &[2, 20, 100]),
    ("wronglock", &[3, 8, 20]),
    ("sigma", &[6, 20]),
    ("philosophers", &[3, 10]),
    ("interlocked", &[2, 4]),
];

fn file(name: &str) -> String {
    format!("benches/bugs/{name}.c")
}

/// Bugs that neither an exhaustive search nor a few samples find: three threads and a dozen preemptions.
const DEEP: &str = "safestack";

fn names() -> Vec<String> {
    let files = sources("benches/bugs");
    let names: Vec<String> = files.iter().map(|f| f.file_stem().unwrap_or_default().display().to_string()).collect();
    assert!(names.len() >= 23 && names.iter().any(|name| name == DEEP), "{names:?}");
    names.into_iter().filter(|name| name != DEEP).collect()
}

fn size(name: &str, sizes: &[(&str, u32)]) -> Vec<String> {
    sizes.iter().filter(|(sized, _)| *sized == name).map(|(_, size)| format!("-DK={size}")).collect()
}

#[test]
fn the_exhaustive_search_finds_each() {
    for (number, name) in names().iter().enumerate() {
        let compiler = if number % 2 == 0 { "gcc" } else { clang() };
        let session = Session::new();
        let mut words = vec![file(name), "-O1".to_owned(), "--cc".to_owned(), compiler.to_owned()];
        words.extend(["--minimise", "off", "--algorithm", "optimal"].map(str::to_owned));
        words.extend(size(name, &BY_OPTIMAL));
        let run = session.check(words);
        assert_eq!(run.json()["verdict"], "found", "{name}\n{run}");
    }
}

#[test]
fn a_thousand_samples_of_few_threads_find_each_at_any_size() {
    // The bug of `interlocked` needs threads that go in step for long, those of `stealing` and `shutdown` the main thread among them,
    // which `few` hardly ever draws.
    for name in names().into_iter().filter(|name| !["interlocked", "stealing", "shutdown"].contains(&name.as_str())) {
        for seed in ["0", "1"] {
            let options =
                ["--algorithm", "few", "--max-executions", "1000", "--seed", seed, "-O1", "--minimise", "off"];
            let mut words: Vec<String> = options.map(str::to_owned).to_vec();
            words.push(file(&name));
            words.extend(size(&name, &BY_SAMPLING));
            let run = Session::new().check(words);
            assert_eq!(run.json()["verdict"], "found", "{name}, seed {seed}\n{run}");
        }
    }
}

/// The default search finds each within a few executions, whatever the seed. These are counts of executions and samples, not times:
/// equal on every machine.
#[test]
fn the_default_search_finds_each_soon() {
    let mut until = Vec::new();
    for name in names() {
        let sizes = BY_DEFAULT.iter().find(|(sized, _)| *sized == name).map_or(&[0][..], |(_, sizes)| sizes);
        for &size in sizes {
            let session = Session::new();
            let program = session.path("program").display().to_string();
            let mut build = ["cc", "-g", "-O1", "-pthread", "-o", &program].map(str::to_owned).to_vec();
            build.push(root().join(file(&name)).display().to_string());
            build.extend((size != 0).then(|| format!("-DK={size}")));
            session.run(build).must_say(0, &[]);
            for seed in ["0", "1", "2", "3", "4"] {
                let run =
                    session.check([program.as_str(), "--seed", seed, "--minimise", "off", "--max-executions", "2000"]);
                let json = run.json();
                assert_eq!(json["verdict"], "found", "{name} {size}, seed {seed}\n{run}");
                let count = |field: &str| json[field].as_u64().expect("a number");
                let most = if name == "philosophers" { 50 } else { 1000 };
                assert!(count("executions") + count("samples") <= most, "{name} {size}, seed {seed}\n{run}");
                until.push(count("executions") + count("samples"));
            }
        }
    }
    until.sort_unstable();
    assert!(until[until.len() / 2] <= 20, "the median is {}: {until:?}", until[until.len() / 2]);
}

/// Returning to rare events finds what plain samples do not: none of `random`, `few` and `pct` finds this one in as many executions.
#[test]
fn rare_events_lead_to_a_bug_with_a_dozen_preemptions() {
    let session = Session::new();
    let program = session.path("program").display().to_string();
    let source = root().join(file(DEEP)).display().to_string();
    session.run(["cc", "-g", "-O1", "-pthread", "-o", &program, &source].map(str::to_owned)).must_say(0, &[]);
    let limits = ["--max-executions", "100000", "--minimise", "off", program.as_str()];
    for seed in ["0", "1", "2"] {
        let run = session.check(limits.into_iter().chain(["--algorithm", "rare", "--seed", seed]));
        assert_eq!(run.json()["verdict"], "found", "seed {seed}\n{run}");
    }
}
