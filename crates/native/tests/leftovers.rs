//! Nothing stays behind: no process, no descriptor, no mapping, no file.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use crate::common::{WAYS, alone, build, is_running, launch, options, patient, wait_for_work, wait_until};
use heddle_model::wire::Restart;
use heddle_model::{Executor, Plan};
use heddle_native::compile::{Choice, CompileError, compile};

const SPIN: &str = "#include <pthread.h>\nint main(void) { for (;;) ; }\n";

fn count(folder: &str) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

fn shared_mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps").unwrap().lines().filter(|line| line.contains("memfd:heddle")).count()
}

#[test]
fn nothing_stays_behind() {
    alone("leftovers::nothing_stays_behind", start_and_stop);
}

/// Builds and runs programs in every way, then compares what this process holds with what it held before.
fn start_and_stop() {
    let folder = heddle_native::TemporaryDirectory::new().unwrap();
    // SAFETY: no other thread of this process looks at the environment.
    unsafe { std::env::set_var("TMPDIR", folder.path()) };
    let empty = count(folder.path().to_str().unwrap());
    let descriptors = count("/proc/self/fd");
    let error = build("broken.c", "int main(void) {", &[]);
    assert!(error.is_err());
    let source = folder.path().join("spin.c");
    std::fs::write(&source, SPIN).unwrap();
    let interrupted = compile(&[source.display().to_string()], &Choice::from_environment(None), &AtomicBool::new(true));
    assert!(matches!(interrupted, Err(CompileError::Interrupted)));
    std::fs::remove_file(&source).unwrap();
    let program = build("spin.c", SPIN, &[]).unwrap();
    let mut processes = Vec::new();
    for way in WAYS {
        let mut executor = launch(&program, options(way));
        processes.extend(executor.process_id());
        executor.submit(&Plan::default()).unwrap();
        let group = executor.process_id().unwrap();
        wait_for_work(group);
        drop(executor);
        // SAFETY: a call that only asks.
        let left = unsafe { libc::kill(-(group as i32), 0) } == 0;
        assert!(!left || !is_running(group), "{way:?}: processes are left");
    }
    drop(program);
    assert!(processes.iter().all(|&process| !is_running(process)));
    assert_eq!(count("/proc/self/fd"), descriptors, "descriptors");
    assert_eq!(shared_mappings(), 0, "mappings");
    assert_eq!(count(folder.path().to_str().unwrap()), empty, "files");
}

/// Not a test: what [`killed_heddle_leaves_nothing_running`] kills. Holds a program in the middle of an execution.
#[test]
#[ignore = "a helper of another test"]
fn holds_a_program() {
    let way = std::env::var("HOLD").unwrap();
    let way = WAYS.into_iter().find(|known| format!("{known:?}") == way).unwrap();
    let program = build("spin.c", SPIN, &[]).unwrap();
    let mut executor = launch(&program, patient(options(way), 600));
    println!("\nprocess {}", executor.process_id().unwrap());
    let _ = executor.run(&Plan::default());
}

#[test]
fn killed_heddle_leaves_nothing_running() {
    for way in [Restart::Snapshot, Restart::Fork, Restart::Exec] {
        let mut heddle = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "leftovers::holds_a_program", "--ignored", "--nocapture"])
            .env("HOLD", format!("{way:?}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(heddle.stdout.take().unwrap()).lines();
        let group: i32 =
            lines.map_while(Result::ok).find_map(|line| line.strip_prefix("process ")?.parse().ok()).unwrap();
        wait_for_work(group as u32);
        // SAFETY: a call that only asks.
        let exists = || unsafe { libc::kill(-group, 0) } == 0;
        assert!(exists(), "{way:?}: the program does not run");
        heddle.kill().unwrap();
        heddle.wait().unwrap();
        wait_until(&format!("{way:?}: no process is left"), || !exists());
    }
}
