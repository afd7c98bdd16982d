//! Rust programs: built with the thread sanitizer's instrumentation and linked by `heddle cc`, so that Heddle's runtime takes the place
//! of the sanitizer's. The standard library is not instrumented here: its locks show as futexes.
//!
//! The flags are unstable. Where this compiler does not take them the tests are skipped.

use std::path::PathBuf;
use std::process::Command;

use crate::common::{Finished, Session, can_use};

/// Without them nothing is instrumented, or the sanitizer's own runtime is linked.
const FLAGS: [&str; 6] =
    ["-g", "-Cpanic=abort", "-Zsanitizer=thread", "-Zexternal-clangrt", "-Cunsafe-allow-abi-mismatch=sanitizer", "-o"];

fn rustc(session: &Session) -> Command {
    let mut command = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()));
    command.env("RUSTC_BOOTSTRAP", "1").env("HEDDLE_CACHE", session.path("cache")).env("TMPDIR", session.path("tmp"));
    command
}

/// Whether this compiler takes the flags at all. What it builds with them must then be right.
fn takes_the_flags(session: &Session) -> bool {
    let source = session.write("empty.rs", "#![no_std]\n");
    let output = rustc(session)
        .args(FLAGS)
        .arg(session.path("empty.o"))
        .args(["--crate-type=lib", "--emit=obj"])
        .arg(source)
        .output();
    let said =
        output.map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stderr).into_owned());
    println!("{said}");
    can_use("rust-sanitizer", session.path("empty.o").exists())
}

/// What Heddle says of a program, if it can be built.
fn check(source: &str) -> Option<Finished> {
    let session = Session::new();
    if !takes_the_flags(&session) {
        return None;
    }
    let linker = session.path("heddle-cc");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_heddle"), &linker).expect("a link");
    let (source, program): (PathBuf, PathBuf) = (session.write("program.rs", source), session.path("program"));
    let built = rustc(&session)
        .args(FLAGS)
        .arg(&program)
        .arg(format!("-Clinker={}", linker.display()))
        .arg(source)
        .output()
        .expect("rustc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(session.run(["check", "--json", &program.display().to_string()]))
}

fn must_find(source: &str, kind: &str) {
    let Some(finished) = check(source) else { return };
    assert_eq!((finished.code, finished.json()["findings"][0]["kind"].as_str()), (1, Some(kind)), "{finished}");
}

const LOCKS: &str = "
use std::sync::{Arc, Mutex};
fn main() {
    let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let (c, d) = if REVERSED { (b.clone(), a.clone()) } else { (a.clone(), b.clone()) };
    let thread = std::thread::spawn(move || *c.lock().unwrap() += *d.lock().unwrap());
    *a.lock().unwrap() += *b.lock().unwrap();
    thread.join().unwrap();
}
";

#[test]
fn locks_in_opposite_orders() {
    must_find(&LOCKS.replace("REVERSED", "true"), "deadlock");
}

#[test]
fn locks_in_one_order() {
    let Some(finished) = check(&LOCKS.replace("REVERSED", "false")) else { return };
    let json = finished.json();
    // The standard library was not built by Heddle, creates the threads and has atomics of its own: nothing is proved.
    assert_eq!((finished.code, json["verdict"].as_str()), (3, Some("incomplete")), "{finished}");
    assert!(json["reason"].to_string().contains("threads were created by"), "{finished}");
    assert!(json["executions"].as_u64() > Some(1), "{finished}");
    assert!(json["coverage"]["notes"].to_string().contains("libstd-"), "what is not seen is said\n{finished}");
}

#[test]
fn a_race() {
    let source = "
static mut COUNT: u32 = 0;
fn main() {
    let thread = std::thread::spawn(|| unsafe { COUNT += 1 });
    unsafe { COUNT += 1 };
    thread.join().unwrap();
}
";
    let Some(finished) = check(source) else { return };
    let race = &finished.json()["findings"][0];
    // For all that Heddle knows, the standard library may have ordered the accesses.
    assert_eq!((finished.code, race["kind"].as_str()), (3, Some("data-race")), "{finished}");
    assert_eq!(race["certain"], false, "{finished}");
}

/// A panic aborts, which is what is found.
#[test]
fn a_lost_update() {
    let source = "
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
static COUNT: AtomicUsize = AtomicUsize::new(0);
fn count() {
    let seen = COUNT.load(SeqCst);
    COUNT.store(seen + 1, SeqCst);
}
fn main() {
    let thread = std::thread::spawn(count);
    count();
    thread.join().unwrap();
    assert_eq!(COUNT.load(SeqCst), 2);
}
";
    must_find(source, "abort");
}
