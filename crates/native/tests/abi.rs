//! What compilers make of programs, and what the runtime makes of that, without Heddle: the program is run as it is,
//! with real threads.
//!
//! Each program in `abi/` checks itself and says how many of its checks failed. Each is built by every compiler that
//! is here, at several levels of optimisation, with all warnings as errors: instrumenting must add none.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use heddle_native::compile::{Choice, compile};
use heddle_native::instrument::RENAMED;
use heddle_testkit::environment::can_use;
use object::{Object as _, ObjectSymbol as _};

const COMPILERS: [&str; 9] =
    ["gcc", "gcc-13", "gcc-14", "clang-14", "clang-15", "clang-16", "clang-17", "clang-18", "clang-19"];
const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];
/// Where the level hardly matters, two tell enough.
const FEW: [&str; 2] = ["-O0", "-O2"];
const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-fno-strict-aliasing"];

/// The compilers that are here.
fn compilers() -> Vec<&'static str> {
    let is_here = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    let (here, missing): (Vec<_>, Vec<_>) = COMPILERS.into_iter().partition(is_here);
    println!("not here, and so not tested: {missing:?}");
    assert!(here.contains(&"gcc"), "gcc is missing");
    can_use("clang", here.iter().any(|name| name.starts_with("clang")));
    here
}

/// Builds `sources` of `abi/`, runs the program, and looks at what it needs from libraries. What was wrong.
fn check(compiler: &str, sources: &[&str], flags: &[&str]) -> Vec<String> {
    let what = format!("{compiler} {flags:?} {sources:?}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/abi");
    let sources = sources.iter().map(|source| folder.join(source).display().to_string());
    let words: Vec<String> = sources.chain(STRICT.iter().chain(flags).map(|&flag| flag.to_owned())).collect();
    let choice = Choice::from_environment(Some(compiler.to_owned()));
    let compiled = match compile(&words, &choice, &AtomicBool::new(false)) {
        Ok(compiled) => compiled,
        Err(error) => return vec![format!("{what}: {error}")],
    };
    let program = &compiled.program.path;
    let runtime = heddle_native::TemporaryDirectory::new().expect("a directory");
    std::fs::write(runtime.path().join("libheddle_runtime.so"), heddle_native::runtime_library()).expect("written");
    let output = Command::new(program).env("LD_LIBRARY_PATH", runtime.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);

    let bytes = std::fs::read(program).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let wanted: Vec<&str> = file.dynamic_symbols().filter(|s| s.is_undefined()).filter_map(|s| s.name().ok()).collect();
    let in_libc: Vec<_> = wanted.iter().filter(|name| RENAMED.contains(name)).collect();
    let in_libstdcxx: Vec<_> = wanted.iter().filter(|name| name.starts_with("_ZNSt7__cxx1112basic_string")).collect();

    let complaints = [
        (!compiled.warnings.is_empty(), format!("warnings: {}", compiled.warnings)),
        (said != "0 failures\n" || !output.status.success(), format!("{:?}, said: {said}", output.status)),
        (!wanted.contains(&"__tsan_func_entry"), "not instrumented".to_owned()),
        (!in_libc.is_empty(), format!("{in_libc:?} are libc's: nobody sees what they touch")),
        (!in_libstdcxx.is_empty(), format!("{in_libstdcxx:?} are libstdc++'s: nobody sees what they touch")),
        (!inline_atomics(program).is_empty(), format!("atomics that nobody sees: {}", inline_atomics(program))),
    ];
    complaints.into_iter().filter(|(wrong, _)| *wrong).map(|(_, why)| format!("{what}: {why}")).collect()
}

/// Instructions of the program's own code that are atomic or fences. Empty if there is no disassembler.
fn inline_atomics(program: &Path) -> String {
    let output = Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(program).output();
    can_use("objdump", output.is_ok());
    let Ok(output) = output else { return String::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    let instructions: Vec<&str> = text.lines().filter_map(|line| line.split('\t').nth(1)).map(str::trim).collect();
    let count = |part: &str| instructions.iter().filter(|instruction| instruction.contains(part)).count();
    // clang loads a second time, for nothing, after every load that it has instrumented. Where it can, it does that
    // with this instruction, which writes back what it found.
    let second_loads = count("cmpxchg16b") <= count("<__tsan_atomic128_load");
    let is_atomic = |instruction: &&&str| {
        let exchanges = instruction.starts_with("xchg") && instruction.contains('(');
        let is_second_load = second_loads && instruction.contains("cmpxchg16b");
        let atomic = ["lock", "mfence", "cmpxchg", "xadd"].iter().any(|name| instruction.starts_with(name));
        exchanges || (atomic && !is_second_load)
    };
    instructions.iter().filter(is_atomic).take(5).copied().collect::<Vec<_>>().join("\n")
}

fn check_all(sources: &[&str], levels: &[&str], flags: &[&str]) {
    let mut wrong = Vec::new();
    for compiler in compilers() {
        for level in levels {
            // It says of large atomics that they are slow.
            let quiet: &[&str] = if compiler.starts_with("clang") { &["-Wno-atomic-alignment"] } else { &[] };
            wrong.extend(check(compiler, sources, &[&[*level], quiet, flags].concat()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn atomics() {
    check_all(&["atomics.c"], &LEVELS, &["-std=gnu11"]);
}

#[test]
fn atomics_of_sixteen_bytes() {
    check_all(&["atomics.c"], &LEVELS, &["-std=gnu11", "-DWITH_128"]);
    check_all(&["atomics.c"], &FEW, &["-std=gnu11", "-DWITH_128", "-mcx16"]);
}

#[test]
fn heap() {
    check_all(&["heap.c"], &FEW, &["-std=gnu11"]);
}

#[test]
fn strings() {
    check_all(&["strings.c"], &LEVELS, &["-std=gnu11"]);
}

#[test]
fn functions_of_the_programs_own() {
    check_all(&["names.c", "names_other.c"], &FEW, &["-std=gnu11"]);
}

#[test]
fn the_language_in_its_versions() {
    check_all(&["language.cpp"], &["-O0"], &["-std=c++11"]);
    check_all(&["language.cpp"], &["-O2"], &["-std=c++14"]);
    check_all(&["language.cpp"], &FEW, &["-std=gnu++17"]);
    check_all(&["language.cpp"], &["-O2"], &["-std=c++20"]);
}
