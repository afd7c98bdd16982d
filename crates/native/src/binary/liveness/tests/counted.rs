//! Which loops only count their looks.

use std::process::Command;

use super::super::counters;
use super::super::{Image, Rules, function, objects, unwind};
use super::command;
use crate::temporary::TemporaryDirectory;

const SOURCE: &str = include_str!("counted.c");

/// The functions with a loop that only counts, of those in [`SOURCE`], compiled in this way.
fn counting(compiler: &str, flags: &[&str]) -> Option<Vec<(String, bool)>> {
    let compiler = command(compiler)?;
    let folder = TemporaryDirectory::new().unwrap();
    let (source, library) = (folder.path().join("counted.c"), folder.path().join("counted.so"));
    std::fs::write(&source, SOURCE).unwrap();
    let instrumented = ["-g", "-w", "-fsanitize=thread", "-fno-omit-frame-pointer", "-fPIC", "-shared", "-nostdlib"];
    let output = Command::new(compiler).args(instrumented).args(flags).arg(&source).arg("-o").arg(&library).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{flags:?}: {}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&library).unwrap();
    let image = Image::of(&bytes).unwrap();
    let unwind_tables = unwind::UnwindTables::of(&image);
    let objects = image.dwarf().map(|dwarf| objects::of(&dwarf)).unwrap_or_default();
    let named = image.functions().into_iter().filter_map(|function| Some((image.name(function.start)?, function)));
    let found =
        named.filter(|(name, _)| name.starts_with("only_") || name.starts_with("not_")).map(|(name, function)| {
            let unwind = unwind_tables.function(&image, function.start, function.end).unwrap();
            let nodes = function::nodes(&image, &function, &unwind, Rules::ALL).unwrap();
            let known = objects.get(&function.start);
            let calls = function::calls(&image, &nodes, &function, &unwind, known, Rules::ALL)
                .unwrap_or_else(|reason| function::calls_only(&image, &nodes, &unwind, reason, Rules::ALL));
            (name.to_owned(), calls.iter().any(|call| call.counters != counters::Counters::default()))
        });
    Some(found.collect())
}

#[test]
fn loops_that_only_count_are_known_from_others() {
    let ways: [(&str, &[&str]); 6] = [
        ("gcc", &["-O0"]),
        ("gcc", &["-O1"]),
        ("gcc", &["-O2", "-fno-optimize-sibling-calls"]),
        ("clang", &["-O0"]),
        ("clang", &["-O1", "-fno-unroll-loops"]),
        ("clang", &["-O2", "-fno-unroll-loops"]),
    ];
    for (compiler, flags) in ways {
        let Some(found) = counting(compiler, flags) else { continue };
        assert!(found.len() >= 15, "{compiler} {flags:?}: {found:?}");
        let wrong: Vec<&str> = found
            .iter()
            .filter(|(name, counts)| name.starts_with("only_") != *counts)
            .map(|(name, _)| &name[..])
            .collect();
        assert!(wrong.is_empty(), "{compiler} {flags:?}: {wrong:?}");
    }
}
