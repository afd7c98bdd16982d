//! gdb on a replayed execution, by scripts. `./x test` installs gdb; without it these tests are skipped.

use crate::common::{Finished, Session, can_use, installed};

/// Two threads, each with a local variable, that lock in opposite orders.
const PROGRAM: &str = "#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void *worker(void *argument)
{
    int mine = 40 + (int)(long)argument;
    pthread_mutex_lock(mine == 41 ? &a : &b);
    shared += mine;
    pthread_mutex_lock(mine == 41 ? &b : &a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return NULL;
}
int main(void)
{
    pthread_t one, two;
    int kept = 7;
    pthread_create(&one, NULL, worker, (void *)1L);
    pthread_create(&two, NULL, worker, (void *)2L);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return kept - 7;
}
";

/// What gdb printed for these commands, run on the finding of `program`; none without gdb.
fn gdb(program: &str, kind: &str, commands: &str) -> Option<Finished> {
    if !can_use("gdb", installed("gdb")) {
        return None;
    }
    let session = Session::new();
    let file = session.write("p.c", program).display().to_string();
    let run = session.check([&file, "--races", "off"]);
    let trace = session.path(&format!("out/latest/{kind}-1.json")).display().to_string();
    let script = session.write("script.gdb", commands).display().to_string();
    let finished = session.run(["replay", &trace, "--gdb-batch", &script]);
    assert_eq!(finished.code, 1, "{finished}\n{run}");
    Some(finished)
}

#[test]
fn opens_at_the_failing_line_with_locals_of_suspended_threads() {
    let commands = "heddle thread 1 print mine\nheddle thread 2 print mine\nheddle thread 0 print kept\n\
                    heddle thread 1 bt\nheddle locks\nheddle why\nheddle threads\nprint shared\n";
    let Some(run) = gdb(PROGRAM, "deadlock", commands) else { return };
    run.must_say(1, &["the end, after ", "p.c:9", "$1 = 41", "$2 = 42", "$3 = 7", "$4 = 83"]);
    run.must_say(
        1,
        &["in worker (argument=0x1)", "thread 1 (worker) holds mutex `a`", "thread 2 (worker) holds mutex `b`"],
    );
    run.must_say(1, &["is blocked: lock mutex `b`", "wait for each other", "#0 main", "#0 worker"]);
}

#[test]
fn steps_back_and_forward() {
    let commands = "heddle goto 0\nheddle next\nheddle next 4\nprint shared\nheddle back\nheddle next\nheddle goto end\n\
                    print shared\nheddle back 2\nheddle where\n";
    let Some(run) = gdb(PROGRAM, "deadlock", commands) else { return };
    let says: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| {
            line.starts_with("step ")
                || line.starts_with("before")
                || line.starts_with('$')
                || line.starts_with("the end")
        })
        .map(|line| line.split(':').next().unwrap_or(""))
        .collect();
    let expected = [
        "the end, after 7 steps",
        "before the first of 7 steps",
        "step 1 of 7",
        "step 5 of 7",
        "$1 = 0",
        "step 4 of 7",
        "step 5 of 7",
        "the end, after 7 steps",
        "$2 = 83",
        "step 5 of 7",
        "step 5 of 7",
    ];
    assert_eq!(says, expected, "{run}");
}

#[test]
fn breakpoints_and_watchpoints_work() {
    let commands = "heddle goto 0\nbreak worker\ncontinue\nprint argument\ncontinue\nprint argument\ndelete\nwatch shared\n\
                    heddle goto 5\ncontinue\nprint shared\n";
    let Some(run) = gdb(PROGRAM, "deadlock", commands) else { return };
    run.must_say(
        1,
        &["hit Breakpoint", "worker (argument=0x1)", "worker (argument=0x2)", "Hardware watchpoint", "New value = 41"],
    );
}

#[test]
fn assertions_crashes_and_races_are_reached() {
    let assertion = "#include <assert.h>\n#include <pthread.h>\nstatic _Atomic int x;\n\
                     static void *set(void *u) { x = 1; return u; }\nint main(void)\n{\n    pthread_t t;\n    int local = 5;\n    \
                     pthread_create(&t, NULL, set, NULL);\n    assert(x + local == 5);\n    pthread_join(t, NULL);\n}\n";
    if let Some(run) = gdb(assertion, "assertion", "print local\nheddle back\nheddle why\n") {
        run.must_say(1, &["assertion", "p.c:10", "$1 = 5", "follows from step"]);
    }
    let crash = "#include <pthread.h>\nstatic _Atomic(int *) p;\nstatic void *read(void *u)\n{\n    int *mine = p;\n    \
                 *mine = 3;\n    return u;\n}\nint main(void)\n{\n    pthread_t t;\n    static int v;\n    \
                 pthread_create(&t, NULL, read, NULL);\n    p = &v;\n    pthread_join(t, NULL);\n}\n";
    if let Some(run) = gdb(crash, "crash", "bt\nprint mine\n") {
        run.must_say(1, &["p.c:6", "read (u=0x0)", "$1 = (int *) 0x0"]);
    }
}

#[test]
fn without_gdb_it_says_what_to_do() {
    let session = Session::new();
    session.check(["examples/abba.c"]);
    let trace = session.path("out/latest/deadlock-1.json").display().to_string();
    let script = session.write("script.gdb", "bt\n").display().to_string();
    let mut command = session.command(["replay", &trace, "--gdb-batch", &script]);
    command.env("HEDDLE_GDB", "/nowhere/gdb");
    session.start(command).wait().must_say(2, &["/nowhere/gdb is not installed", "HEDDLE_GDB"]);
    session.run(["replay", &trace, "--gdb-batch", "/nowhere/script"]).must_say(2, &["/nowhere/script: no such file"]);
}

/// Backtraces, `next` and `step` stay in the program's source, the list of threads is right at every step, and nothing strange is printed.
#[test]
fn it_stays_in_the_program() {
    let commands = "bt\necho ==\\n\nheddle goto 5\nheddle threads\nnext\nnext\nbt\nnext\nheddle help\n";
    let Some(run) = gdb(PROGRAM, "deadlock", commands) else { return };
    let text = &run.stdout;
    for stray in [
        "libheddle_runtime",
        "heddle_runtime::",
        "not defined",
        "no line number information",
        "heddle_debug_stop",
        "start_thread",
    ] {
        assert!(!text.contains(stray) && !run.stderr.contains(stray), "{stray}\n{run}");
    }
    let (first, rest) = text.split_once("==").expect("two parts");
    assert!(first.contains("in worker (argument=0x1) at ") || first.contains("worker (argument=0x1) at "), "{run}");
    // After five steps thread 1 holds a lock, and thread 2 is created and has not begun.
    for line in [
        "thread 0 (main), is blocked: join thread 1",
        "thread 1 (worker), next: lock mutex `b`",
        "thread 2 (worker), next: begin",
    ] {
        assert!(rest.contains(line), "{line}\n{run}");
    }
    let stops: Vec<&str> = rest.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    let stops: Vec<&str> = stops.iter().map(|line| line.split_whitespace().next().unwrap_or("")).collect();
    assert_eq!(stops, ["7", "8", "9", "9"], "where it came, twice what follows, and the end\n{run}");
    run.must_say(1, &["heddle threads", "this list"]);
}
