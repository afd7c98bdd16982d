//! Every data race that was put into a program of the tests is found, by builds of gcc and clang, with and without optimisation;
//! and so is what it leads to.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Expectation, Session, clang, sources};

/// Programs with a race in them.
fn seeded() -> Vec<(PathBuf, Vec<String>)> {
    let files = ["tests/small/found", "tests/programs"].into_iter().flat_map(sources);
    let races = files.filter_map(|file| {
        let expected = Expectation::find(&file);
        (expected.kind.as_deref() == Some("data-race")).then_some((file, expected.flags))
    });
    races.collect()
}

/// Runs `work` for each of `count` numbers, on as many threads as there are cores, and fails with what it says.
fn for_each(count: usize, work: impl Fn(usize) -> Option<String> + Sync) {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from) + 1;
    std::thread::scope(|scope| {
        for _ in 0..workers {
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

fn all_are_found(level: &str) {
    let programs = seeded();
    assert!(programs.len() >= 50, "{} programs", programs.len());
    let compilers = ["gcc", clang()];
    for_each(programs.len() * 2, |number| {
        let ((file, flags), compiler) = (&programs[number / 2], compilers[number % 2]);
        let mut words = vec![file.display().to_string(), level.to_owned(), "--cc".to_owned(), compiler.to_owned()];
        words.extend(["--minimise", "off"].map(str::to_owned));
        words.extend(flags.iter().cloned());
        let run = Session::new().check(words);
        let right = run.json()["findings"][0]["kind"] == "data-race";
        (!right).then(|| format!("{} with {compiler} {level}:\n{run}", file.display()))
    });
}

#[test]
fn without_optimisation() {
    all_are_found("-O0");
}

#[test]
fn with_some_optimisation() {
    all_are_found("-O1");
}

#[test]
fn with_optimisation() {
    all_are_found("-O2");
}

/// The patterns of bugs with plain variables instead of atomic ones: the race is found, and what it leads to as well.
#[test]
fn what_races_lead_to_is_found() {
    const SIZES: [(&str, &str); 3] = [("reorder", "-DK=3"), ("wronglock", "-DK=3"), ("sigma", "-DK=4")];
    let has_plain =
        |file: &PathBuf| std::fs::read_to_string(file).expect("the pattern can be read").contains("ifdef PLAIN");
    let files: Vec<PathBuf> = sources("benches/bugs").into_iter().filter(has_plain).collect();
    assert!(files.len() >= 8, "{files:?}");
    let compilers = ["gcc", clang()];
    let wishes = [("report", "data-race"), ("ignore", "assertion")];
    for_each(files.len() * 4, |number| {
        let (file, compiler) = (&files[number / 4], compilers[number % 2]);
        let (races, kind) = wishes[number / 2 % 2];
        let name = file.file_stem().unwrap_or_default().display().to_string();
        let size = SIZES.iter().find(|(sized, _)| *sized == name).map(|(_, size)| *size);
        let words = [&file.display().to_string(), "-DPLAIN", "--cc", compiler, "--races", races, "--minimise", "off"];
        let run = Session::new().check(words.into_iter().chain(size));
        let right = run.json()["findings"][0]["kind"] == kind;
        (!right).then(|| format!("{name} with {compiler}, --races {races}:\n{run}"))
    });
}
