//! The patterns of concurrency bugs in `benches/bugs`: each is found, by the strategies that the guide names.

use crate::common::{Session, clang, must_replay, sources};

/// Programs that have a size, and the largest that the default search finds within seconds.
const BY_DEFAULT: [(&str, u32); 4] = [("reorder", 4), ("twostage", 3), ("wronglock", 5), ("sigma", 6)];
/// Sizes that only sampling reaches.
const BY_SAMPLING: [(&str, u32); 4] = [("reorder", 20), ("twostage", 100), ("wronglock", 8), ("sigma", 12)];

fn file(name: &str) -> String {
    format!("benches/bugs/{name}.c")
}

fn names() -> Vec<String> {
    let files = sources("benches/bugs");
    let names: Vec<String> = files.iter().map(|f| f.file_stem().unwrap_or_default().display().to_string()).collect();
    assert!(names.len() >= 14, "{names:?}");
    names
}

fn size(name: &str, sizes: &[(&str, u32)]) -> Vec<String> {
    sizes.iter().filter(|(sized, _)| *sized == name).map(|(_, size)| format!("-DK={size}")).collect()
}

#[test]
fn the_default_search_finds_each() {
    for (number, name) in names().iter().enumerate() {
        let compiler = if number % 2 == 0 { "gcc" } else { clang() };
        let session = Session::new();
        let mut words = vec![file(name), "-O1".to_owned(), "--cc".to_owned(), compiler.to_owned()];
        words.extend(size(name, &BY_DEFAULT));
        let run = session.check(words);
        assert_eq!(run.json()["verdict"], "found", "{name}\n{run}");
        must_replay(&session, &run);
    }
}

#[test]
fn a_thousand_samples_of_few_threads_find_each_at_any_size() {
    for name in names() {
        for seed in ["0", "1"] {
            let options = ["--algorithm", "few", "--max-executions", "1000", "--seed", seed, "-O1"];
            let mut words: Vec<String> = options.map(str::to_owned).to_vec();
            words.push(file(&name));
            words.extend(size(&name, &BY_SAMPLING));
            let run = Session::new().check(words);
            assert_eq!(run.json()["verdict"], "found", "{name}, seed {seed}\n{run}");
        }
    }
}
