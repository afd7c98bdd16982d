//! What people get wrong, and what programs do to us: a clear message, the right exit code, and nothing left behind
//! (every `Session::run` looks for that).

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Finished, Running, Session, clang, computed, program, root, send, wait_until};

fn check_program(name: &str, more: &[&str]) -> Finished {
    let file = program(name).display().to_string();
    Session::new().run(["check", file.as_str()].into_iter().chain(more.iter().copied()))
}

fn compile(session: &Session, source: &str, name: &str, flags: &[&str]) -> String {
    let file = session.write("source.c", source);
    let binary = session.path(name);
    let status = Command::new("gcc").arg(&file).arg("-o").arg(&binary).args(flags).status().expect("gcc is installed");
    assert!(status.success());
    binary.display().to_string()
}

const EMPTY: &str = "int main(void) { return 0; }\n";

// --- What was typed ---------------------------------------------------------------------------------------------

#[test]
fn nothing_to_check() {
    Session::new().run(["check"]).must_say(2, &["heddle check"]);
}

#[test]
fn no_such_option() {
    Session::new().run(["check", "a.c", "--algoritm", "dfs"]).must_say(2, &["--algoritm"]);
    Session::new().run(["check", "a.c", "--algorithm", "magic"]).must_say(2, &["magic", "dpor"]);
}

#[test]
fn no_such_file() {
    Session::new().run(["check", "no-such-program.c"]).must_say(2, &["no-such-program.c", "no such file"]);
    Session::new().run(["check", "./no-such-program"]).must_say(2, &["no-such-program", "no such file"]);
}

#[test]
fn a_directory() {
    Session::new().run(["check", "examples"]).must_say(2, &["examples"]);
}

#[test]
fn no_such_compiler() {
    let run = Session::new().run(["check", "examples/abba.c", "--cc", "no-such-compiler"]);
    run.must_say(2, &["no-such-compiler"]);
}

#[test]
fn errors_are_json_too() {
    let run = Session::new().check(["no-such-program.c"]);
    assert_eq!(run.code, 2, "{run}");
    assert_eq!(run.json()["verdict"], "error", "{run}");
    assert!(run.json()["reason"].as_str().is_some_and(|reason| reason.contains("no-such-program.c")), "{run}");
}

// --- What does not become a program -----------------------------------------------------------------------------

#[test]
fn does_not_compile() {
    let session = Session::new();
    let file = session.write("broken.c", "int main(void) { return undeclared; }\n");
    for compiler in ["gcc", clang()] {
        let run = session.run(["check", &file.display().to_string(), "--cc", compiler]);
        run.must_say(2, &["broken.c", "undeclared"]);
    }
}

#[test]
fn no_main() {
    let session = Session::new();
    let file = session.write("no-main.c", "int helper(void) { return 0; }\n");
    session.run(["check", &file.display().to_string()]).must_say(2, &["main"]);
}

#[test]
fn an_empty_file() {
    let session = Session::new();
    let file = session.write("empty.c", "");
    session.run(["check", &file.display().to_string()]).must_say(2, &["main"]);
}

// --- What is no program that can be run -------------------------------------------------------------------------

#[test]
fn a_static_program() {
    let session = Session::new();
    let binary = compile(&session, EMPTY, "static", &["-static"]);
    session.run(["check", &binary]).must_say(4, &["static"]);
}

#[test]
fn a_32_bit_program() {
    let session = Session::new();
    // The beginning of an ELF file of 32 bits for the i386, as the kernel would take it: no compiler for those is
    // needed to make one.
    let mut elf = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for field in [2u16, 3] {
        elf.extend(field.to_le_bytes());
    }
    for field in [1u32, 0x0804_8054, 52, 0, 0] {
        elf.extend(field.to_le_bytes());
    }
    for field in [52u16, 32, 1, 40, 0, 0] {
        elf.extend(field.to_le_bytes());
    }
    elf.extend([0; 32]);
    let file = session.write("elf32", elf);
    make_executable(&file);
    session.run(["check", &file.display().to_string()]).must_say(4, &["32-bit"]);
}

fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

#[test]
fn a_script() {
    let session = Session::new();
    let file = session.write("script", "#!/bin/sh\nexit 0\n");
    make_executable(&file);
    session.run(["check", &file.display().to_string()]).must_say(2, &["script"]);
}

#[test]
fn a_text() {
    Session::new().run(["check", "./LICENSE-MIT"]).must_say(2, &["LICENSE-MIT"]);
}

/// A program that was never instrumented is run, and the report says what was not seen.
#[test]
fn a_program_without_instrumentation() {
    let session = Session::new();
    let source = fs::read_to_string(root().join("examples/abba.c")).expect("the example is there");
    let binary = compile(&session, &source, "plain", &["-g", "-pthread"]);
    let run = session.check([binary.as_str()]);
    let report = run.json();
    assert_eq!(report["verdict"], "found", "{run}");
    assert_eq!(report["findings"][0]["kind"], "deadlock", "{run}");
    assert_eq!(report["coverage"]["instrumented"], "sync-only", "{run}");
    let source = fs::read_to_string(root().join("examples/queue-fixed.c")).expect("the example is there");
    let binary = compile(&session, &source, "fixed", &["-g", "-pthread"]);
    let says = ["sequential consistency, sync-only", "`heddle cc`"];
    session
        .run(["check", &binary])
        .must_say(3, &[&says[..], &["incomplete: sync-only: ", "--accept sync-only"]].concat());
    session.run(["check", &binary, "--accept", "sync-only"]).must_say(0, &[&says[..], &["safe: "]].concat());
    // It may wait for an atomic, which is not seen: that is no hang.
    let source = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int set;\n\
        static void *work(void *p) { set = 1; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); while (!set) {} pthread_join(t, 0); return 0; }\n";
    let binary = compile(&session, source, "spins", &["-g", "-O1", "-pthread"]);
    let run = session.run(["check", &binary, "--hang-timeout", "1s"]);
    run.must_say(4, &["unsupported", "not built by heddle", "source.c:5"]);
}

// --- What programs do -------------------------------------------------------------------------------------------

#[test]
fn crashes_before_main() {
    check_program("crash-before-main.c", &[]).must_say(2, &["before main", "SIGSEGV"]);
}

#[test]
fn exits_before_main() {
    check_program("exit-before-main.c", &[]).must_say(2, &["before main"]);
}

#[test]
fn an_infinite_loop() {
    let run = check_program("infinite-loop.c", &[]);
    run.must_say(1, &["infinite-loop.c:11"]);
}

/// A program that makes processes is run in processes of its own; that it does so is said.
#[test]
fn makes_processes() {
    check_program("fork.c", &[])
        .must_say(0, &["restarted by fork", "the program uses processes", "not covered: child processes"]);
    for restart in ["fork", "exec"] {
        check_program("fork.c", &["--restart", restart]).must_say(0, &["all 13 executions"]);
    }
    check_program("fork.c", &["--restart", "snapshot"]).must_say(3, &["processes", "a snapshot cannot undo"]);
}

#[test]
fn reads_its_standard_input() {
    for restart in ["auto", "fork", "exec"] {
        let run = check_program("reads-stdin.c", &["--restart", restart]);
        run.must_say(4, &["reading from standard input", "reads-stdin.c:8"]);
    }
}

#[test]
fn five_hundred_threads() {
    for restart in ["snapshot", "fork"] {
        let file = program("threads-500.c").display().to_string();
        let run = Session::new().check([file.as_str(), "--restart", restart]);
        assert_eq!(run.json()["verdict"], "safe", "{run}");
        assert_eq!(run.json()["executions"], 1, "{run}");
        assert_eq!(run.json()["threads"], 501, "{run}");
    }
}

#[test]
fn four_gibibytes() {
    let run = check_program("allocates-4gib.c", &[]);
    run.must_say(3, &["memory", "allocates-4gib.c:9"]);
}

#[test]
fn a_stack_overflow() {
    let run = check_program("stack-overflow.c", &[]);
    run.must_say(1, &["stack overflow", "stack-overflow.c"]);
}

#[test]
fn something_unsupported() {
    let run = check_program("unsupported.c", &[]);
    run.must_say(4, &["pthread_setattr_default_np", "unsupported.c:"]);
}

// --- What happens to us -----------------------------------------------------------------------------------------

fn start_long_search(session: &Session, more: &[&str]) -> (Running, Vec<u32>) {
    let file = program("long-search.c").display().to_string();
    let words = ["check", file.as_str(), "--json"];
    let running = session.start(session.command(words.into_iter().chain(more.iter().copied())));
    // The search itself has begun when both have computed for a while.
    let mut programs = Vec::new();
    wait_until("the search is under way", || {
        programs = session.programs(&running);
        programs.iter().map(|pid| computed(*pid)).sum::<u64>() >= 10 && computed(running.pid()) >= 10
    });
    // First the one that stays. Numbers of processes begin again when they run out, so its children may have lower ones.
    programs.sort_by_key(|pid| std::cmp::Reverse(computed(*pid)));
    (running, programs)
}

/// Somebody kills the program under test: one execution is lost, the search goes on and never calls itself complete.
#[test]
fn the_program_is_killed_from_outside() {
    for restart in ["snapshot", "fork"] {
        let session = Session::new();
        let (running, targets) = start_long_search(&session, &["--restart", restart]);
        send(targets[0], "KILL");
        let is_other = |pid: &u32| !targets.contains(pid) && computed(*pid) >= 10;
        wait_until("another process goes on", || session.programs(&running).iter().any(is_other));
        running.signal("INT");
        let run = running.wait();
        session.must_be_clean(&run);
        let report = run.json();
        assert_eq!((report["verdict"].as_str(), run.code), (Some("incomplete"), 3), "{run}");
        // It may have turned to states.
        let ran = report["executions"].as_u64().unwrap_or(0) + report["visited"].as_u64().unwrap_or(0);
        assert!(ran > 100, "the search did not go on\n{run}");
        assert!(run.words().contains("killed"), "does not say so\n{run}");
    }
}

#[test]
fn interrupted() {
    let session = Session::new();
    let (running, _) = start_long_search(&session, &[]);
    running.signal("INT");
    let run = running.wait();
    session.must_be_clean(&run);
    assert_eq!(run.code, 3, "{run}");
    assert_eq!(run.json()["verdict"], "incomplete", "{run}");
    assert!(run.json()["executions"].as_u64().is_some_and(|n| n > 0), "{run}");
}

/// Nothing can be tidied up by somebody who is killed, but the program under test must not stay.
#[test]
fn heddle_itself_is_killed() {
    let session = Session::new();
    let (running, _) = start_long_search(&session, &[]);
    running.signal("KILL");
    running.wait();
    wait_until("no process is left", || session.processes().is_empty());
}

#[test]
fn limits_end_the_search() {
    let file = program("long-search.c").display().to_string();
    let run = Session::new().check([file.as_str(), "--max-executions", "100"]);
    assert_eq!((run.code, &run.json()["executions"]), (3, &100.into()), "{run}");
    let run = Session::new().check([file.as_str(), "--timeout", "1s"]);
    assert_eq!(run.code, 3, "{run}");
    assert_eq!(run.json()["coverage"]["exhaustive"], false, "{run}");
}

// --- Files of ours ----------------------------------------------------------------------------------------------

/// A finding and its trace file.
fn found(session: &Session) -> String {
    let run = session.check(["examples/abba.c"]);
    run.json()["findings"][0]["trace"].as_str().unwrap_or_else(|| panic!("no trace\n{run}")).to_owned()
}

#[test]
fn a_damaged_trace() {
    let session = Session::new();
    let trace = found(&session);
    let text = fs::read_to_string(&trace).expect("the trace is there");
    session.run(["replay", &trace]).must_say(1, &["deadlock"]);
    let damaged = session.path("damaged.json").display().to_string();
    let half = &text[..text.len() / 2];
    for content in [half, "", "{}", "[1, 2, 3]", "not a trace", &text.replace("heddle", "needle")] {
        fs::write(&damaged, content).expect("it can be written");
        session.run(["replay", &damaged]).must_say(2, &["damaged.json"]);
    }
    session.run(["replay", "no-such-trace.json"]).must_say(2, &["no-such-trace.json"]);
}

/// A trace of a program that has changed since is refused, with the first difference.
#[test]
fn a_trace_of_another_program() {
    let session = Session::new();
    let source = fs::read_to_string(root().join("examples/abba.c")).expect("the example is there");
    let file = session.write("changing.c", &source);
    let run = session.check([file.display().to_string()]);
    let trace = run.json()["findings"][0]["trace"].as_str().expect("a trace").to_owned();
    let fixed = fs::read_to_string(root().join("examples/abba-fixed.c")).expect("the example is there");
    session.write("changing.c", fixed);
    let replay = session.run(["replay", &trace]);
    assert!(replay.code == 2, "{replay}");
    assert!(replay.words().contains("changed") || replay.words().contains("diverge"), "{replay}");
}

#[test]
fn no_room_for_the_output() {
    let session = Session::new();
    let in_the_way = session.write("in-the-way", "a file");
    let run = session.run(["check", "examples/abba.c", "--out", &in_the_way.display().to_string()]);
    run.must_say(2, &["in-the-way"]);

    // A disk without any room left, where we may make one.
    let full = session.path("full");
    fs::create_dir(&full).expect("a directory");
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=4k", "tmpfs"]).arg(&full).output();
    if mount.is_ok_and(|output| output.status.success()) {
        let filled = fs::write(full.join("filler"), [1; 4096]);
        let run = session.run(["check", "examples/abba.c", "--out", &full.display().to_string()]);
        let unmounted = Command::new("umount").arg(&full).status().is_ok_and(|status| status.success());
        assert!(filled.is_ok() && unmounted);
        run.must_say(2, &["space"]);
    }
}

/// The time limit does not wait for an execution that takes longer, nor for others that are under way.
#[test]
fn the_time_is_up_in_the_middle_of_an_execution() {
    const SOURCE: &str = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *work(void *p) { volatile long sum = 0; for (int i = 0; i < 2000; i++) { for (int k = 0; k < 2000000; k++) sum += k;\n\
          pthread_mutex_lock(&m); pthread_mutex_unlock(&m); } return p; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";
    for more in
        [&["--restart", "auto"][..], &["--restart", "fork"], &["--restart", "exec"], &["--jobs", "2", "--jobs-at-once"]]
    {
        let session = Session::new();
        let file = session.write("long.c", SOURCE).display().to_string();
        let run = session.check([&[file.as_str(), "--timeout", "1s"], more].concat());
        let json = run.json();
        assert_eq!((run.code, json["verdict"].as_str()), (3, Some("incomplete")), "{run}");
        assert_eq!(json["executions"].as_u64(), Some(0), "{run}");
        session.must_be_clean(&run);
    }
}
