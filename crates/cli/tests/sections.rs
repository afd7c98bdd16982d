//! `--algorithm stateful`: critical sections as steps, and data races by lock discipline.

use serde_json::Value;

use crate::common::{Finished, Session};

/// N threads with a lock, in several shapes: `BODY` is what a thread does in a round.
const THREADS: &str = r#"#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count, ready;
static long own[N][8], drawn[N];
static void *worker(void *argument) {
    int me = (int)(long)argument;
    (void)me;
    for (int round = 0; round < ROUNDS; round++) { BODY }
    return 0;
}
int main(void) {
    pthread_t threads[N];
#ifdef BEFORE
    BEFORE
#endif
    for (long i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, (void *)i);
#ifdef MEANWHILE
    MEANWHILE
#endif
    for (long i = 0; i < N; i++) pthread_join(threads[i], 0);
#ifdef AFTER
    AFTER
#endif
    return 0;
}
"#;

const ADD: &str = "pthread_mutex_lock(&lock); count++; pthread_mutex_unlock(&lock);";
const OWN: &str = "pthread_mutex_lock(&lock); own[me][0]++; pthread_mutex_unlock(&lock);";

fn check(session: &Session, body: &str, more: &[&str]) -> (Finished, Value) {
    let file = session.write("threads.c", THREADS).display().to_string();
    let body = format!("-DBODY={body}");
    let words = [file.as_str(), &body, "--algorithm", "stateful", "--timeout", "60s"];
    let run = session.check(words.iter().chain(more).copied());
    let report = run.json();
    (run, report)
}

fn grounds(report: &Value) -> String {
    let grounds = report["coverage"]["grounds"].as_array().cloned().unwrap_or_default();
    grounds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

/// What is left when all but one lock is revealed.
fn steps(report: &Value) -> bool {
    grounds(report).contains("one step each")
}

#[test]
fn adders_are_sets() {
    let session = Session::new();
    for level in ["-O0", "-O2"] {
        for count in [2u64, 5, 8] {
            let (run, report) = check(&session, ADD, &[level, &format!("-DN={count}"), "-DAFTER=assert(count == N);"]);
            // Those that have added while `main` waits for the first, and while it waits for others.
            let expected = (2 << count) + count - 1;
            assert_eq!((run.code, report["states"].as_u64()), (0, Some(expected)), "{level} {count}\n{run}");
            assert!(grounds(&report).contains("data races: none by lock discipline (1 place, 1 lock)"), "{run}");
        }
    }
    let (run, report) = check(&session, ADD, &["-DN=5", "--sections", "off"]);
    assert!(report["states"].as_u64() > Some(68) && !steps(&report), "{run}");
}

#[test]
fn own_data_is_one_execution() {
    let session = Session::new();
    for count in [1, 2, 7, 32] {
        let (run, report) = check(&session, OWN, &["-DROUNDS=2", &format!("-DN={count}")]);
        let executions = report["executions"].as_u64().unwrap_or(0) + report["visited"].as_u64().unwrap_or(0);
        assert_eq!((run.code, executions), (0, 1), "{count}\n{run}");
    }
}

/// Each of these has an order that a section in one piece would hide, or something that a section must not have. What is found is the same with and without
/// sections.
#[test]
fn locks_that_do_more_are_seen() {
    let session = Session::new();
    // What a thread does, more options, what is found, and whether sections stay.
    let rows: [(&str, &[&str], i32, bool); 12] = [
        (ADD, &["-DMEANWHILE=int seen = pthread_mutex_trylock(&lock); assert(seen != EBUSY);"], 1, false),
        (
            ADD,
            &[
                "-DMEANWHILE=struct timespec now = {0}; int seen = pthread_mutex_timedlock(&lock, &now); assert(seen != ETIMEDOUT);",
            ],
            1,
            false,
        ),
        (
            "pthread_mutex_lock(&lock); atomic_store((_Atomic int *)&ready, 1); atomic_store((_Atomic int *)&ready, 0); pthread_mutex_unlock(&lock);",
            &["-DMEANWHILE=assert(!atomic_load((_Atomic int *)&ready));"],
            1,
            false,
        ),
        (
            "pthread_mutex_t *one = me ? &lock : &other, *two = me ? &other : &lock; pthread_mutex_lock(one); \
             pthread_mutex_lock(two); count++; pthread_mutex_unlock(two); pthread_mutex_unlock(one);",
            &[],
            1,
            false,
        ),
        (
            "pthread_mutex_lock(&lock); while (ready != me) pthread_cond_wait(&changed, &lock); ready++; \
             pthread_cond_signal(&changed); pthread_mutex_unlock(&lock);",
            &["-DN=3"],
            1,
            false,
        ),
        (
            "pthread_mutex_lock(&lock); if (ready != me) pthread_cond_wait(&changed, &lock); ready++; \
             pthread_cond_broadcast(&changed); pthread_mutex_unlock(&lock);",
            &[],
            0,
            false,
        ),
        ("pthread_mutex_lock(&lock); count++; pthread_mutex_unlock(&lock); count++;", &[], 1, false),
        ("pthread_mutex_lock(&lock); count++; assert(count != 2); pthread_mutex_unlock(&lock);", &[], 1, false),
        ("pthread_mutex_lock(&lock); count++; if (count == 2) exit(0); pthread_mutex_unlock(&lock);", &[], 0, false),
        (
            "pthread_mutex_lock(&lock); if (me == 0) ready = 1; else count = ready; pthread_mutex_unlock(&lock);",
            &["-DAFTER=assert(count == 0);"],
            1,
            true,
        ),
        (
            "if (me) { pthread_mutex_lock(&other); own[me][0]++; pthread_mutex_unlock(&other); } \
             else { pthread_mutex_lock(&lock); count++; pthread_mutex_unlock(&lock); }",
            &[],
            0,
            true,
        ),
        (ADD, &["-DMEANWHILE=assert(count == 0);"], 1, false),
    ];
    for (number, (body, more, code, stay)) in rows.iter().enumerate() {
        for sections in ["on", "off"] {
            let (run, report) =
                check(&session, body, &[more, &["--sections", sections, "--minimise", "off"][..]].concat());
            assert_eq!(run.code, *code, "row {number}, sections {sections}: {body}\n{run}");
            if *code == 0 {
                assert_eq!(steps(&report), *stay && sections == "on", "row {number}: {body}\n{run}");
            }
        }
    }
}

/// Mutexes of other kinds are no sections. What they say about their owner is kept.
#[test]
fn other_kinds_of_mutexes() {
    let session = Session::new();
    for kind in ["RECURSIVE", "ERRORCHECK", "NORMAL"] {
        let before = format!(
            "-DBEFORE=pthread_mutexattr_t kind; pthread_mutexattr_init(&kind); \
             pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_{kind}); pthread_mutex_init(&lock, &kind);"
        );
        let (run, report) = check(&session, ADD, &["-D_GNU_SOURCE", &before, "-DAFTER=assert(count == N);"]);
        assert_eq!((run.code, steps(&report)), (0, kind == "NORMAL"), "{kind}\n{run}");
    }
    let robust = "-DBEFORE=pthread_mutexattr_t kind; pthread_mutexattr_init(&kind); \
                  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST); pthread_mutex_init(&lock, &kind);";
    // The second one learns that the first has died.
    let dies = "if (pthread_mutex_lock(&lock) == EOWNERDEAD) assert(ready);";
    let (run, _) = check(&session, dies, &["-D_GNU_SOURCE", robust]);
    assert_eq!(run.code, 1, "{run}");
}

/// What a library keeps for itself is not told. The first number that is drawn is not always the first thread's.
#[test]
fn sections_of_libraries() {
    let session = Session::new();
    let draws = "pthread_mutex_lock(&lock); drawn[me] = rand(); pthread_mutex_unlock(&lock);";
    let first = "-DBEFORE=srand(1); int first = rand(); srand(1);";
    let (run, _) = check(&session, draws, &[first, "-DAFTER=assert(drawn[0] == first);"]);
    assert_eq!(run.code, 1, "{run}");
    let (run, _) = check(&session, draws, &[first, "-DAFTER=assert(drawn[1] == first);"]);
    assert_eq!(run.code, 1, "{run}");
}

/// What functions of the C library do with the program's memory is not always told: to change a place in a section, or to look at it.
#[test]
fn sections_with_calls_that_do_not_tell() {
    const TEXT: &str = r#"#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int exponent, seen;
static volatile double eight = 8;
static char digits[8] = "0", shown[8];
static sigset_t set;
static void *block;
static void *changes(void *argument) {
    pthread_mutex_lock(&lock);
    CHANGE;
    pthread_mutex_unlock(&lock);
    return argument;
}
static void *looks(void *argument) {
    pthread_mutex_lock(&lock);
    seen = LOOK;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, changes, 0);
    pthread_create(&threads[1], 0, looks, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(seen);
}
"#;
    let session = Session::new();
    let file = session.write("calls.c", TEXT).display().to_string();
    for (change, look, names) in [
        ("frexp(eight, &exponent)", "exponent", Some("frexp")),
        ("sigaddset(&set, 5)", "sigismember(&set, 5)", Some("sigaddset")),
        ("digits[0] = '5'", "(int)strtod(digits, 0)", None),
        ("if (posix_memalign(&block, 16, 32)) abort()", "block != 0", None),
        ("digits[0] = '5'", "(snprintf(shown, 8, \"%s\", digits), shown[0] - '0')", None),
    ] {
        let (change, look) = (format!("-DCHANGE={change}"), format!("-DLOOK={look}"));
        for algorithm in ["dfs", "stateful"] {
            let words = [&*file, "-O1", &*change, &*look, "--algorithm", algorithm, "--minimise", "off", "-lm"];
            let run = session.check(words);
            assert_eq!((run.code, &run.json()["findings"][0]["kind"]), (1, &"assertion".into()), "{change}\n{run}");
        }
        // Nothing fails without the thread that looks too early: then the verdict says what is not known.
        let words = [&*file, "-O1", &*change, &*look, "-Dassert(x)=", "--algorithm", "stateful", "-lm"];
        let report = session.check(words).json();
        let told = grounds(&report);
        assert_eq!(names.is_some(), told.contains("none as one step, because heddle does not know what"), "{told}");
        assert!(names.is_none_or(|name| told.contains(name)), "{told}");
    }
}

/// Threads that lock and unlock for ever get nowhere, but they do not wait for anybody. Those that look at a flag do.
#[test]
fn sections_that_go_round() {
    let session = Session::new();
    let forever = |work: &str| format!("for (;;) {{ pthread_mutex_lock(&lock); {work} pthread_mutex_unlock(&lock); }}");
    for sections in ["on", "off"] {
        let (run, report) = check(&session, &forever(""), &["--sections", sections]);
        assert_eq!((run.code, &report["verdict"]), (0, &"safe".into()), "{sections}\n{run}");
    }
    let (run, report) = check(&session, &forever("if (ready) abort();"), &[]);
    assert_eq!((run.code, &report["findings"][0]["kind"]), (1, &"deadlock".into()), "{run}");
}

/// As many states and executions with several processes, which have a table of known states each. A search that is interrupted and resumed has them, too.
#[test]
fn several_processes_and_resumed() {
    let session = Session::new();
    let counts = |more: &[&str]| {
        let (run, report) = check(&session, ADD, &[more, &["-DN=6"][..]].concat());
        let executions = report["executions"].as_u64().unwrap_or(0) + report["visited"].as_u64().unwrap_or(0);
        (run.code, report["states"].clone(), executions)
    };
    let alone = counts(&[]);
    assert_eq!((alone.0, alone.1.as_u64()), (0, Some(133)));
    assert_eq!(counts(&["--jobs", "3", "--jobs-at-once"]), alone);
    let file = session.path("kept").display().to_string();
    let cut = counts(&["--max-states", "50", "--checkpoint", &file]);
    assert!(cut.0 == 3 && cut.1.as_u64().is_some_and(|states| (50..133).contains(&states)), "{cut:?}");
    let resumed = counts(&["--resume", &file]);
    assert_eq!((resumed.0, &resumed.1), (0, &alone.1), "{resumed:?}");
}

/// Whether a frame has ended is no operation: who uses another thread's stack is told apart by what the race detector knows.
#[test]
fn stacks_of_others() {
    const TEXT: &str = r#"#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared, seen;
static void *user(void *argument) {
    pthread_mutex_lock(&lock);
    if (shared) seen = *shared;
    pthread_mutex_unlock(&lock);
    return argument;
}
static __attribute__((noinline)) void lend(void) {
    int local = 1;
    pthread_mutex_lock(&lock);
    shared = &local;
    pthread_mutex_unlock(&lock);
#ifndef BAD
    pthread_mutex_lock(&lock);
    shared = 0;
    pthread_mutex_unlock(&lock);
#endif
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, user, 0);
    lend();
    pthread_join(thread, 0);
    return seen > 1;
}
"#;
    let session = Session::new();
    let file = session.write("lent.c", TEXT).display().to_string();
    for (more, code) in [(&[][..], 0), (&["-DBAD"], 1)] {
        for sections in ["on", "off"] {
            let words = [file.as_str(), "--algorithm", "stateful", "--sections", sections];
            let run = session.check(words.iter().chain(more).copied());
            assert_eq!(run.code, code, "sections {sections}\n{run}");
            assert!(!steps(&run.json()), "{run}");
        }
    }
}

/// The process ends while a section is under way: what is left locked is told, as without sections.
#[test]
fn the_end_inside_a_section() {
    const TEXT: &str = r#"#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *adder(void *argument) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, adder, 0);
    pthread_detach(thread);
    return 0;
}
"#;
    let session = Session::new();
    let file = session.write("ends.c", TEXT).display().to_string();
    let notes = |sections| {
        let run = session.check([file.as_str(), "--algorithm", "stateful", "--sections", sections]);
        assert_eq!(run.code, 0, "{run}");
        assert_eq!(steps(&run.json()), sections == "on", "{run}");
        run.json()["notes"].clone()
    };
    let (on, off) = (notes("on"), notes("off"));
    assert!(off.to_string().contains("detached-running"), "{off}");
    assert_eq!(on, off);
}
