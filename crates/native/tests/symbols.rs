//! The thread library of the installed glibc, symbol by symbol, against `docs/calls.md` and against what the runtime defines.
//!
//! A call that is in none of the three lists (modelled, harmless, unsupported by name) would go through to glibc and block the one
//! kernel thread that runs everything, or synchronise behind the model's back. So every symbol that glibc exports and that belongs
//! to these families must be in the table, and the table must be true: what it calls modelled or unsupported is defined by
//! the runtime, what it calls harmless is not, and the programs that it names call what they are said to test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every symbol that begins like this belongs.
const PREFIXES: [&str; 12] = [
    "pthread_",
    "__pthread_",
    "_pthread_",
    "sem_",
    "mtx_",
    "cnd_",
    "thrd_",
    "tss_",
    "sched_",
    "__sched_",
    "aio_",
    "sig",
];

/// Further symbols that belong.
const OTHERS: [&str; 22] = [
    "call_once",
    "raise",
    "gsignal",
    "kill",
    "killpg",
    "tgkill",
    "alarm",
    "ualarm",
    "pause",
    "setitimer",
    "timer_create",
    "timer_delete",
    "timer_settime",
    "timer_gettime",
    "timer_getoverrun",
    "mq_notify",
    "lio_listio",
    "lio_listio64",
    "getaddrinfo_a",
    "clone",
    "sleep",
    "nanosleep",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The functions that a shared library defines for others.
fn exported(library: &Path) -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().expect("nm runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let symbols = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (kind, name) = (words.next()?, words.next()?);
        let name = name.split('@').next().unwrap_or(name);
        matches!(kind, "T" | "W" | "i").then(|| name.to_owned())
    });
    symbols.collect()
}

/// The C library that programs on this machine get.
fn libc() -> PathBuf {
    let output = Command::new("gcc").arg("-print-file-name=libc.so.6").output().expect("gcc runs");
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}

struct Row {
    how: String,
    tested: Vec<String>,
}

/// The rows of the table, by call.
fn table() -> BTreeMap<String, Row> {
    let text = std::fs::read_to_string(root().join("docs/calls.md")).expect("the table is there");
    let mut rows = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> =
            line.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('|').trim()).collect();
        assert_eq!(cells.len(), 4, "four columns: {line}");
        let how = cells[1].split([':', ' ']).next().unwrap_or("").to_owned();
        let tested = cells[3].split(", ").filter(|name| !name.is_empty()).map(|name| name.trim_matches('`').to_owned());
        let row = Row { how, tested: tested.collect() };
        let call = cells[0].trim_matches('`').to_owned();
        assert!(rows.insert(call, row).is_none(), "twice: {line}");
    }
    rows
}

fn belongs(symbol: &str) -> bool {
    PREFIXES.iter().any(|prefix| symbol.starts_with(prefix)) || OTHERS.contains(&symbol)
}

#[test]
fn every_call_is_accounted_for() {
    let rows = table();
    let exported = exported(&libc());
    let missing: Vec<_> = exported.iter().filter(|symbol| belongs(symbol) && !rows.contains_key(*symbol)).collect();
    assert!(missing.is_empty(), "not in docs/calls.md: {missing:?}");
    let gone: Vec<_> = rows.keys().filter(|call| !exported.contains(*call)).collect();
    assert!(gone.is_empty(), "glibc does not have them: {gone:?}");
}

/// The functions that the runtime defines.
fn defined_by_runtime() -> BTreeSet<String> {
    let directory = heddle_native::TemporaryDirectory::new().expect("a directory");
    let library = directory.path().join("libheddle_runtime.so");
    std::fs::write(&library, heddle_native::runtime_library()).expect("written");
    exported(&library)
}

#[test]
fn the_table_is_true() {
    let defined = defined_by_runtime();
    let source = std::fs::read_to_string(root().join("crates/runtime/src/calls/unsupported.rs")).expect("readable");
    let listed = source.split("\ntable! {").nth(1).and_then(|rest| rest.split('}').next()).expect("the list is there");
    let unsupported: BTreeSet<&str> = listed.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    for (call, row) in table() {
        let is = match (defined.contains(&call), unsupported.contains(call.as_str())) {
            (true, true) => "unsupported",
            (true, false) => "modelled",
            (false, _) => "harmless",
        };
        assert_eq!(row.how, is, "{call}: the table says that it is {}, and it is {is}", row.how);
    }
}

#[test]
fn what_is_said_to_test_a_call_calls_it() {
    for (call, row) in table() {
        assert!(row.how != "modelled" || !row.tested.is_empty(), "{call} is modelled, and nothing tests it");
        for name in &row.tested {
            let file = root().join("tests/programs").join(name);
            let text = std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("{call}: there is no {name}"));
            let function = call.trim_start_matches('_');
            assert!(text.contains(function), "{name} does not call {call}");
        }
    }
}

/// The words in backticks of one column of the tables with this heading in `docs/libc.md`.
fn column(heading: &str, column: usize) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/libc.md")).expect("the page is there");
    let section = text.split("\n## ").find(|part| part.starts_with(heading)).expect("the section is there");
    let cells = section.lines().filter(|line| line.starts_with("| ")).filter_map(|line| line.split(" | ").nth(column));
    let words = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    words.map(str::to_owned).collect()
}

/// Whether `symbol` is one of those that `pattern` stands for: `*` for anything, `[ab]` for one of these letters.
fn matches(pattern: &[u8], symbol: &[u8]) -> bool {
    match pattern {
        [] => symbol.is_empty(),
        [b'*', rest @ ..] => (0..=symbol.len()).any(|from| matches(rest, &symbol[from..])),
        [b'[', rest @ ..] => {
            let end = rest.iter().position(|&byte| byte == b']').expect("closed");
            symbol.first().is_some_and(|letter| rest[..end].contains(letter)) && matches(&rest[end + 1..], &symbol[1..])
        }
        [letter, rest @ ..] => symbol.first() == Some(letter) && matches(rest, &symbol[1..]),
    }
}

#[test]
fn every_function_of_glibc_is_accounted_for() {
    let (defined, threads, exported) = (defined_by_runtime(), table(), exported(&libc()));
    let open: Vec<&String> =
        exported.iter().filter(|symbol| !defined.contains(*symbol) && !threads.contains_key(*symbol)).collect();
    let patterns = column("Passed on", 0);
    let is = |pattern: &String, symbol: &str| matches(pattern.as_bytes(), symbol.as_bytes());
    let missing: Vec<_> = open.iter().filter(|symbol| !patterns.iter().any(|pattern| is(pattern, symbol))).collect();
    assert!(missing.is_empty(), "neither defined by the runtime nor in docs/libc.md: {missing:?}");
    let idle: Vec<_> = patterns.iter().filter(|pattern| !open.iter().any(|symbol| is(pattern, symbol))).collect();
    assert!(idle.is_empty(), "docs/libc.md has patterns for nothing: {idle:?}");
}

/// The functions of the runtime's table of state of the process, and those that the page says are there.
#[test]
fn the_page_has_the_functions_of_the_table() {
    let file = root().join("crates/runtime/src/calls/process_state/table.rs");
    let source = std::fs::read_to_string(file).expect("readable");
    let lines = source.split("\ntable! {").nth(1).expect("the table is there").lines();
    let code: String = lines.map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join(" ");
    let listed =
        code.split(';').filter_map(|line| line.split_once("=>")).flat_map(|(_, names)| names.split_whitespace());
    let (listed, told): (BTreeSet<String>, BTreeSet<String>) =
        (listed.map(str::to_owned).collect(), column("Ordered by the table", 2).into_iter().collect());
    assert!(listed.len() > 300);
    assert_eq!(listed, told);
    let (defined, exported) = (defined_by_runtime(), exported(&libc()));
    for function in &listed {
        assert!(defined.contains(function), "{function} is in the table, and the runtime does not define it");
        assert!(function.starts_with("_Z") || exported.contains(function), "glibc has no {function}");
    }
    for function in column("Ordered by functions of their own", 1) {
        // These two are in the part of glibc that is linked into programs.
        let linked = ["atexit", "at_quick_exit"].contains(&function.as_str()) || function.starts_with('<');
        assert!(linked || defined.contains(&function), "{function}");
    }
}
