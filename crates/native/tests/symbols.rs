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

/// And these.
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

#[test]
fn the_table_is_true() {
    let directory = tempfile();
    let library = directory.join("libheddle_runtime.so");
    std::fs::write(&library, heddle_native::runtime_library()).expect("written");
    let defined = exported(&library);
    let _ = std::fs::remove_dir_all(&directory);
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

fn tempfile() -> PathBuf {
    let directory = std::env::temp_dir().join(format!("heddle-symbols-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}
