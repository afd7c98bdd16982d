//! Every data race that was put into a program of the tests is found, by builds of gcc and clang, with and without optimisation;
//! and so is what it leads to.

use std::path::PathBuf;

use crate::common::matrix::{for_each, some_of};
use crate::common::{Expectation, Session, clang, is_full, sources};

/// Programs with a race in them.
fn seeded() -> Vec<(PathBuf, Vec<String>)> {
    let files = ["tests/small/found", "tests/programs"].into_iter().flat_map(sources);
    let races = files.filter_map(|file| {
        let expected = Expectation::find(&file);
        (expected.kind.as_deref() == Some("data-race")).then_some((file, expected.flags))
    });
    races.collect()
}

#[test]
fn at_every_level() {
    let programs = seeded();
    assert!(programs.len() >= 50, "{} programs", programs.len());
    let compilers = ["gcc", clang()];
    for_each(programs.len() * 2, |number| {
        let ((file, flags), compiler) = (&programs[number / 2], compilers[number % 2]);
        // Programs take turns between compilers.
        if !is_full() && number / 2 % 2 != number % 2 {
            return None;
        }
        for level in some_of(&["-O0", "-O1", "-O2"], number / 2 + number % 2) {
            let mut words = vec![file.display().to_string(), level.to_owned(), "--cc".to_owned(), compiler.to_owned()];
            words.extend(["--minimise", "off"].map(str::to_owned));
            words.extend(flags.iter().cloned());
            let run = Session::new().check(words);
            if run.json()["findings"][0]["kind"] != "data-race" {
                return Some(format!(
                    "{} with {compiler} {level}:
{run}",
                    file.display()
                ));
            }
        }
        None
    });
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
