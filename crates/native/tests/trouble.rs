//! Whatever a program does costs one execution at most, and leaves nothing behind.

use std::sync::atomic::Ordering;

use crate::common::{WAYS, build, launch, options, patient, symbols, wait_for_work};
use heddle_model::RestartMode;
use heddle_model::primitive::process;
use heddle_model::wire::Restart;
use heddle_model::{Death, Ending, Executor, ExecutorError, Outcome, Plan};
use heddle_native::compile::CompileError;
use heddle_native::{NativeExecutor, Options, StartError};

#[test]
fn sources_that_make_no_program() {
    let error = build("a.c", "int main(void) { retrun 0; }\n", &[]).unwrap_err();
    let CompileError::DoesNotCompile { said, .. } = &error else { panic!("{error:?}") };
    assert!(said.contains("retrun") && error.to_string().contains("a.c does not compile"), "{error}");
    let error = build("a.c", "int f(void) { return 0; }\n", &[]).unwrap_err();
    assert!(matches!(error, CompileError::NoMain { .. }), "{error:?}");
    let error = build("a.c", "int main(void) { return 0; }\n", &["-lnowhere"]).unwrap_err();
    assert!(matches!(&error, CompileError::NoLibrary { library, .. } if library == "nowhere"), "{error:?}");
    let error = build("a.c", "int f(void); int main(void) { return f(); }\n", &[]).unwrap_err();
    assert!(matches!(error, CompileError::DoesNotLink { .. }), "{error:?}");
}

#[test]
fn death_before_main() {
    let text = r#"#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void early(void) { fprintf(stderr, "no luck\n"); fflush(stderr); abort(); }
int main(void) { return 0; }
"#;
    let program = build("early.c", text, &[]).unwrap();
    for way in WAYS {
        let error = NativeExecutor::launch(&program.program, options(way)).err().expect("it cannot start");
        let StartError::DiedBeforeMain { what, printed } = &error else { panic!("{way:?} {error:?}") };
        assert!(what.contains("SIGABRT") && printed.contains("no luck"), "{error}");
    }
}

#[test]
fn a_library_that_is_not_there() {
    let folder = heddle_native::TemporaryDirectory::new().unwrap();
    let library = folder.path().join("libgone.so");
    let source = folder.path().join("gone.c");
    std::fs::write(&source, "int gone(void) { return 0; }\n").unwrap();
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-Wl,-soname,libgone.so", "-o"]).arg(&library).arg(&source);
    assert!(compiler.status().unwrap().success());
    let text = "int gone(void); int main(void) { return gone(); }\n";
    let program = build("a.c", text, &[library.to_str().unwrap()]).unwrap();
    let error = NativeExecutor::launch(&program.program, Options::default()).err().expect("it cannot start");
    assert!(matches!(&error, StartError::CannotLoad { printed } if printed.contains("libgone.so")), "{error:?}");
}

#[test]
fn endings_are_events() {
    let text = |end: &str| {
        format!("#include <assert.h>\n#include <stdlib.h>\nint main(void) {{\n    {end};\n    return 7;\n}}\n")
    };
    let endings = [
        ("", Ending::Exit { status: 7 }),
        ("exit(3)", Ending::Exit { status: 3 }),
        ("_Exit(4)", Ending::Exit { status: 4 }),
        ("abort()", Ending::Abort),
        ("assert(!\"reached\")", Ending::Assertion),
        ("*(volatile int *)0 = 1", Ending::Crash { signal: libc::SIGSEGV as u8, overflow: false }),
        (
            "volatile int zero = 0; volatile int x = 1 / zero; (void)x",
            Ending::Crash { signal: libc::SIGFPE as u8, overflow: false },
        ),
    ];
    for (end, expected) in endings {
        let program = build("end.c", &text(end), &[]).unwrap();
        for way in WAYS {
            let mut executor = launch(&program, options(way));
            for _ in 0..3 {
                let execution = executor.run(&Plan::default()).unwrap();
                assert!(execution.outcome.is_ended(), "{end} {way:?}: {}", execution.message);
                let last = execution.events.last().unwrap().operation;
                assert_eq!(process::ending(&last), Some(expected), "{end} {way:?}");
                assert_eq!(execution.outcome.ending(), Some(expected), "{end} {way:?}");
            }
            assert_eq!(executor.facts().statistics.lost, 0, "{end} {way:?}");
        }
    }
}

const SPIN: &str = r#"#include <pthread.h>
static int stop;
static void *worker(void *argument) {
    while (!stop)
        ;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
"#;

#[test]
fn a_hang_is_noticed_and_named() {
    let program = build("spin.c", SPIN, &[]).unwrap();
    for way in WAYS {
        let mut executor = launch(&program, options(way));
        let recording = executor.record(&[]).unwrap();
        assert_eq!(recording.outcome, Outcome::Hang, "{way:?}: {}", recording.message);
        let symbols = symbols(&executor);
        let at = symbols.location(&[recording.pc]).unwrap_or_else(|| panic!("{way:?}: no place in {recording:?}"));
        assert_eq!(at.function, "worker", "{way:?}");
        assert!((4..=5).contains(&at.line), "{way:?}: {at:?}");
        assert_eq!(recording.thread.0, 1, "{way:?}");
        // The next execution comes, too.
        assert_eq!(executor.run(&Plan::default()).unwrap().outcome, Outcome::Hang, "{way:?}");
    }
}

#[test]
fn killed_from_outside() {
    let program = build("spin.c", SPIN, &[]).unwrap();
    for way in [Restart::Snapshot, Restart::Fork] {
        let mut executor = launch(&program, patient(options(way), 60));
        let victim = executor.process_id().unwrap();
        let killer = std::thread::spawn(move || {
            wait_for_work(victim);
            // SAFETY: our own child.
            unsafe { libc::kill(victim as i32, libc::SIGKILL) };
        });
        let execution = executor.run(&Plan::default()).unwrap();
        let killed = Outcome::Killed(Death::Signal(libc::SIGKILL as u8));
        assert_eq!(execution.outcome, killed, "{way:?}");
        assert!(execution.message.contains("SIGKILL"), "{}", execution.message);
        killer.join().unwrap();
        assert_eq!(executor.facts().statistics.lost, 1);
    }
}

#[test]
fn plans_behind_a_lost_one_are_run() {
    // Writes all over the memory that it shares with Heddle, if thread 1 comes before main's lock.
    let text = r#"#include <pthread.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;
static void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    if (!first) memset((void *)0x600000000000, 0xee, 64 << 20);
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&lock);
    first = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
"#;
    let program = build("vandal.c", text, &[]).unwrap();
    let mut executor = launch(&program, options(Restart::Snapshot));
    let good = Plan::default();
    assert!(executor.run(&good).unwrap().outcome.is_ended());
    let bad = (0..100).find_map(|seed| {
        let plan = Plan { policy: heddle_model::follow::Policy::Random, seed, ..Plan::default() };
        (!executor.run(&plan).unwrap().outcome.is_ended()).then_some(plan)
    });
    let bad = bad.expect("some schedule goes wrong");
    for plan in [&good, &bad, &good, &bad, &good] {
        executor.submit(plan).unwrap();
    }
    // How a process ends that has destroyed what it shares with Heddle depends on when it is asked where it is.
    let outcomes: Vec<Outcome> = (0..5).map(|_| executor.receive().unwrap().outcome).collect();
    let ended: Vec<bool> = outcomes.iter().map(Outcome::is_ended).collect();
    assert_eq!(ended, [true, false, true, false, true], "{outcomes:?}");
}

#[test]
fn an_interruption_is_heard() {
    let program = build("spin.c", SPIN, &[]).unwrap();
    let options = patient(options(Restart::Snapshot), 60);
    let interrupted = options.interrupted.clone();
    let mut executor = launch(&program, options);
    let group = executor.process_id().unwrap();
    std::thread::spawn(move || {
        wait_for_work(group);
        interrupted.store(true, Ordering::Relaxed);
    });
    assert!(matches!(executor.run(&Plan::default()), Err(ExecutorError::Interrupted)));
}

#[test]
fn files_need_fork() {
    let text = r#"#include <stdio.h>
int main(void) {
    FILE *file = fopen("/dev/null", "w");
    return file ? 0 : 1;
}
"#;
    let program = build("file.c", text, &[]).unwrap();
    let mut auto = options(Restart::Snapshot);
    auto.settings.restart = RestartMode::Auto;
    let mut executor = launch(&program, auto);
    for _ in 0..3 {
        let execution = executor.run(&Plan::default()).unwrap();
        assert!(execution.outcome.is_ended(), "{}", execution.message);
    }
    assert_eq!(executor.restart(), Restart::Fork);
    let fallback = executor.facts().fallback.unwrap();
    assert!(fallback.what.contains("open"), "{fallback:?}");
    let mut only = launch(&program, options(Restart::Snapshot));
    assert_eq!(only.run(&Plan::default()).unwrap().outcome, Outcome::NeedsFork);
}

#[test]
fn many_threads() {
    let text = r#"#include <pthread.h>
static void *worker(void *argument) { return argument; }
int main(void) {
    static pthread_t threads[500];
    for (int i = 0; i < 500; i++) pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 500; i++) pthread_join(threads[i], 0);
    return 0;
}
"#;
    let program = build("many.c", text, &[]).unwrap();
    for way in WAYS {
        let mut executor = launch(&program, options(way));
        for _ in 0..2 {
            let execution = executor.run(&Plan::default()).unwrap();
            assert!(execution.outcome.is_ended(), "{way:?}: {}", execution.message);
        }
        assert_eq!(executor.thread_names().len(), 501, "{way:?}");
    }
}

#[test]
fn too_much_memory() {
    let text = "#include <stdlib.h>\n#include <string.h>\nint main(void) { char *p = malloc(4ul << 30); memset(p, 1, 4ul << 30); return 0; }\n";
    let program = build("huge.c", text, &[]).unwrap();
    for way in WAYS {
        let mut executor = launch(&program, options(way));
        let outcome = executor.run(&Plan::default()).unwrap().outcome;
        assert!(matches!(outcome, Outcome::MemoryLimit { .. }), "{way:?}: {outcome:?}");
    }
}
