//! `--jobs`: several processes, one search. Whatever is said of a program is the same, but for the time; and it stays so
//! when processes are killed on the way.

use crate::common::{Session, computed, root, send, timeless, wait_until};

/// All of it must be the same with one process and with several.
fn must_agree(words: &[&str]) {
    let check = |jobs: &str| {
        let session = Session::new();
        timeless(session.check([words, &["--jobs", jobs, "--jobs-at-once", "--minimise", "off"]].concat()).json())
    };
    let one = check("1");
    for jobs in ["2", "3", "4"] {
        let several = check(jobs);
        assert_eq!(one, several, "{words:?} with {jobs} jobs");
    }
}

#[test]
fn known_counts() {
    for (file, flags) in [
        ("tests/counts/lastzero.c", &["-DN=7"][..]),
        ("tests/counts/readers.c", &["-DN=5"]),
        ("tests/counts/condvar_buffer.c", &[]),
        ("tests/counts/philosophers.c", &["--all"]),
    ] {
        must_agree(&[&[file], flags].concat());
    }
}

#[test]
fn findings() {
    for file in ["examples/abba.c", "examples/queue.c", "examples/race-queue.c", "examples/store-buffer.c"] {
        must_agree(&[file]);
        must_agree(&[file, "--all"]);
    }
}

/// Threads that create threads: processes meet them in different orders and must call them by the same names.
#[test]
fn threads_in_any_order() {
    must_agree(&["tests/programs/nested.c", "--all"]);
    let session = Session::new();
    let source = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int turn;\n\
        static void *leaf(void *p) { atomic_fetch_add(&turn, 1); return p; }\n\
        static void *branch(void *p) { pthread_t t; if (atomic_fetch_add(&turn, 1) % 2 == 0) { pthread_create(&t, 0, leaf, 0); pthread_join(t, 0); } return p; }\n\
        int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, branch, 0);\n\
          for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }\n";
    let file = session.write("tree.c", source).display().to_string();
    must_agree(&[&file]);
    must_agree(&[&file, "--restart", "fork"]);
}

#[test]
fn samples() {
    must_agree(&["examples/queue-fixed.c", "--algorithm", "random", "--max-executions", "500", "--seed", "7"]);
}

#[test]
fn limits() {
    must_agree(&["tests/counts/lastzero.c", "-DN=8", "--max-executions", "333"]);
}

/// Processes of the program that are killed cost executions that are run again, and nothing else.
#[test]
fn processes_that_are_killed() {
    let file = root().join("tests/counts/lastzero.c").display().to_string();
    let session = Session::new();
    let mut killed = 0;
    let running = session.start(session.command(["check", &file, "-DN=14", "--jobs", "3", "--jobs-at-once", "--json"]));
    let mut running = running;
    while killed < 6 && !running.has_ended() {
        // Far apart: an execution whose process is killed again when it is run alone counts as lost.
        let mut programs = Vec::new();
        wait_until("all processes are at work", || {
            programs = session.programs(&running);
            let at_work = programs.len() == 3 && programs.iter().all(|pid| computed(*pid) >= 10);
            at_work || running.has_ended()
        });
        if let Some(&pid) = programs.get(killed % 3) {
            send(pid, "KILL");
            killed += 1;
        }
    }
    let finished = running.wait();
    session.must_be_clean(&finished);
    let json = finished.json();
    // lastzero(n): (n + 3) * 2^(n - 2).
    assert_eq!((json["verdict"].as_str(), json["executions"].as_u64()), (Some("safe"), Some(17 << 12)), "{finished}");
    assert!(killed > 0, "it was over too soon\n{finished}");
}
