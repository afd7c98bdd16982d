//! Overwrites dead bytes with garbage in running programs, which must not notice.
//!
//! Programs are compiled by both compilers at several optimisation levels, with and without instrumentation. At every call of a hook
//! they walk over the frames of their stack by the table, and overwrite what the table calls dead. Their output must stay the same. The
//! tests at the end leave out rules of the analysis one by one: then it does not.

mod counted;
mod random;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Rule, Rules, analyse};
use crate::temporary::TemporaryDirectory;
use heddle_testkit::environment;

const GARBLE: &str = include_str!("garble.c");
const SPECIAL: &str = include_str!("special.c");
const SPECIAL_CPP: &str = include_str!("special.cpp");

/// Different garbage.
const SEEDS: [&str; 2] = ["1", "77"];

/// How a program is compiled.
#[derive(Clone, Copy, Debug)]
struct Way {
    compiler: &'static str,
    is_cpp: bool,
    flags: &'static [&'static str],
}

const fn way(compiler: &'static str, is_cpp: bool, flags: &'static [&'static str]) -> Way {
    Way { compiler, is_cpp, flags }
}

/// The flags of instrumented code. Its own library is not linked.
const INSTRUMENTED: &[&str] = &["-O0", "-fsanitize=thread", "-fno-omit-frame-pointer"];

/// The flags of instrumented code by clang, with calls for all variables, as Heddle compiles it.
const ALL_INSTRUMENTED: &[&str] = &[
    "-O0",
    "-fsanitize=thread",
    "-fno-omit-frame-pointer",
    "-mllvm",
    "-tsan-instrument-read-before-write=1",
    "-mllvm",
    "-tsan-distinguish-volatile=1",
    "-mllvm",
    "-capture-tracking-max-uses-to-explore=0",
];

const WAYS: [Way; 16] = [
    way("gcc", false, &["-O0"]),
    way("gcc", false, &["-O1"]),
    way("gcc", false, &["-O2"]),
    way("gcc", false, &["-Os", "-fno-omit-frame-pointer"]),
    way("gcc", false, INSTRUMENTED),
    way("gcc", false, &["-O2", "-fsanitize=thread", "-fno-omit-frame-pointer"]),
    way("clang", false, &["-O0"]),
    way("clang", false, &["-O1", "-fno-omit-frame-pointer"]),
    way("clang", false, &["-O2"]),
    way("clang", false, ALL_INSTRUMENTED),
    way("g++", true, &["-O0"]),
    way("g++", true, &["-O2"]),
    way("g++", true, INSTRUMENTED),
    way("clang++", true, &["-O0"]),
    way("clang++", true, &["-O1"]),
    way("clang++", true, ALL_INSTRUMENTED),
];

/// The command for a compiler, which may have its version in its name. `None` if it is not installed.
fn command(compiler: &str) -> Option<String> {
    let names = ["", "-19", "-18", "-17", "-16", "-15", "-14"].map(|version| format!("{compiler}{version}"));
    let is_there =
        |name: &&String| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let found = names.iter().find(is_there).cloned();
    environment::can_use(compiler, found.is_some()).then_some(found).flatten()
}

/// A program in a directory of its own.
struct Built {
    way: Way,
    folder: TemporaryDirectory,
    path: PathBuf,
}

/// Compiles a random program. `None` without the compiler.
fn build(way: Way, seed: u64) -> Option<Built> {
    let main = random::program(seed, way.is_cpp);
    build_text(way, &format!("{SPECIAL}\n{}\n{main}", if way.is_cpp { SPECIAL_CPP } else { "" }))
}

fn build_text(way: Way, text: &str) -> Option<Built> {
    let compiler = command(way.compiler)?;
    let folder = TemporaryDirectory::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = at(if way.is_cpp { "program.cpp" } else { "program.c" });
    std::fs::write(&source, text).unwrap();
    std::fs::write(at("garble.c"), GARBLE).unwrap();
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{way:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    };
    let standard = if way.is_cpp { "-std=c++17" } else { "-std=gnu11" };
    run(Command::new(&compiler)
        .args([standard, "-g", "-w"])
        .args(way.flags)
        .arg("-c")
        .arg(&source)
        .arg("-o")
        .arg(at("program.o")));
    run(Command::new("gcc").args(["-O1", "-w", "-c"]).arg(at("garble.c")).arg("-o").arg(at("garble.o")));
    run(Command::new(&compiler).arg(at("program.o")).arg(at("garble.o")).arg("-o").arg(at("program")));
    let path = at("program");
    Some(Built { way, folder, path })
}

/// The output of a program, or how it ended badly, and what it says about garbage.
fn run(program: &Path, table: Option<(&Path, &str)>) -> (String, String) {
    let mut command = Command::new("timeout");
    command.arg("20").arg(program);
    if let Some((table, seed)) = table {
        command.env("LIVENESS_TABLE", table).env("LIVENESS_SEED", seed);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let ending = if output.status.success() { "" } else { "failed" };
    (format!("{text}{ending}"), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// How a program's output changes if dead bytes are overwritten, with the analysis by these rules. `None` if it does not.
fn difference(built: &Built, rules: Rules) -> Option<String> {
    let found = analyse(&std::fs::read(&built.path).unwrap(), rules);
    let table = built.folder.path().join("table");
    std::fs::write(&table, &found.table).unwrap();
    let (expected, _) = run(&built.path, None);
    assert!(!expected.ends_with("failed"), "the program fails by itself: {expected}");
    for seed in SEEDS {
        let (output, said) = run(&built.path, Some((&table, seed)));
        if output != expected {
            let lines = expected.lines().zip(output.lines()).find(|(expected, output)| expected != output);
            return Some(format!("{lines:?} {:?}", output.lines().last()));
        }
        assert!(said.contains("garbled "), "{said}");
        // Optimised functions keep little on the stack, and less of it dead.
        let is_optimised = built.way.flags.iter().any(|flag| flag.starts_with("-O") && *flag != "-O0");
        assert!(is_optimised || !said.contains("garbled 0 bytes"), "{said}");
    }
    None
}

/// Overwrites the dead bytes of random programs, from `first` on.
fn overwrite(ways: &[Way], first: u64, count: u64) {
    for seed in first..first + count {
        for &way in ways {
            let Some(built) = build(way, seed) else { continue };
            if let Some(difference) = difference(&built, Rules::ALL) {
                panic!("program {seed} of {way:?} notices: {difference}");
            }
        }
    }
}

/// Whether a program compiled in one of these ways notices garbage if `rule` is left out.
fn is_needed(rule: Rule, ways: &[Way]) {
    let rules = Rules(!(1 << rule as u32));
    let built: Vec<Built> = ways.iter().filter_map(|&way| build(way, 1)).collect();
    let notices = built.iter().any(|built| difference(built, rules).is_some());
    assert!(notices || built.len() < ways.len(), "nobody notices that {rule:?} is left out");
}

/// How many random programs each test runs: `$LIVENESS_PROGRAMS`, or `otherwise`.
fn programs(otherwise: u64) -> u64 {
    let otherwise = if environment::is_full() { otherwise * 10 } else { otherwise };
    environment::number("LIVENESS_PROGRAMS", otherwise)
}

#[test]
fn programs_do_not_notice_garbage_in_c_by_gcc() {
    overwrite(&WAYS[..6], environment::seed(1), programs(2));
}

#[test]
fn programs_do_not_notice_garbage_in_c_by_clang() {
    overwrite(&WAYS[6..10], environment::seed(1), programs(2));
}

#[test]
fn programs_do_not_notice_garbage_in_cpp_by_gcc() {
    overwrite(&WAYS[10..13], environment::seed(1), programs(1));
}

#[test]
fn programs_do_not_notice_garbage_in_cpp_by_clang() {
    overwrite(&WAYS[13..], environment::seed(1), programs(1));
}

#[test]
fn arguments_on_the_stack_are_live() {
    is_needed(Rule::StackArguments, &[WAYS[0], WAYS[6]]);
}

/// By those who take the address, or by the unwinder.
#[test]
fn taken_addresses_and_saved_registers_are_live() {
    is_needed(Rule::TakenAddresses, &[WAYS[0]]);
    is_needed(Rule::Announcements, &[WAYS[0], WAYS[6]]);
    is_needed(Rule::KeptAddresses, &[WAYS[0], WAYS[6], WAYS[9]]);
    is_needed(Rule::SavedRegisters, &[WAYS[11], WAYS[14]]);
    is_needed(Rule::UnknownObjects, &[WAYS[2], WAYS[8]]);
}

#[test]
fn objects_with_an_index_are_live() {
    is_needed(Rule::IndexedAccesses, &[WAYS[0], WAYS[6]]);
}

#[test]
fn what_handlers_of_exceptions_read_is_live() {
    is_needed(Rule::LandingPads, &[WAYS[10]]);
}

#[test]
fn everything_is_live_where_the_way_is_not_known() {
    is_needed(Rule::ReturnsTwice, &[WAYS[0]]);
    is_needed(Rule::Leaving, &[WAYS[0]]);
}

#[test]
fn registers_of_the_caller_are_live() {
    is_needed(Rule::KeptRegisters, &[WAYS[2], WAYS[8]]);
}

/// Without optimisation most functions are understood, and a good part of their frames is dead.
#[test]
fn without_optimisation_much_is_dead() {
    for way in [WAYS[0], WAYS[4], WAYS[6], WAYS[9]] {
        let Some(built) = build(way, 1) else { continue };
        let found = analyse(&std::fs::read(&built.path).unwrap(), Rules::ALL).summary;
        assert!(found.understood * 3 > found.functions * 2, "{way:?}: {found:?}");
        assert!(found.dead * 10 > found.bytes, "{way:?}: {found:?}");
    }
}

/// Bytes of a program, damaged or cut off: no panic, and a table that can be read or none.
#[test]
fn damaged_programs_are_no_trouble() {
    let Some(built) = build(WAYS[0], 1) else { return };
    let bytes = std::fs::read(&built.path).unwrap();
    let mut state = environment::seed(1) | 1;
    for round in 0..60 {
        let mut bytes = bytes.clone();
        for _ in 0..1 + round % 7 * 40 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (state >> 16) as usize % bytes.len();
            bytes[at] = (state >> 8) as u8;
        }
        bytes.truncate(if round % 5 == 0 { (state >> 20) as usize % bytes.len() } else { bytes.len() });
        let found = analyse(&bytes, Rules::ALL);
        assert!(found.table.is_empty() || heddle_model::wire::FrameTable::read(&found.table).is_some());
    }
}
