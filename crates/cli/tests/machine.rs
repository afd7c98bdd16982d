//! The same on every machine: what a program can see of addresses, processors and the kernel does not depend on where and by
//! whom Heddle was started, so executions and reports are the same, byte for byte.

use std::process::Command;

use crate::common::{Finished, Session};

/// Prints what a program can see of its place: addresses of threads, stacks, thread-locals, heap, arguments and environment, and
/// the machine. Threads take different ways by the hash of their ids.
const SEES: &str = "tests/programs/sees-the-machine.cpp";

/// One way to start Heddle.
struct Way {
    name: &'static str,
    /// Words before the command.
    before: Vec<String>,
    change: fn(&mut Command, &Session),
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn has(command: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(command).is_file())
}

/// Ways to start Heddle that differ in everything that should not matter.
fn ways() -> Vec<Way> {
    let plain = |name, change: fn(&mut Command, &Session)| Way { name, before: Vec::new(), change };
    let mut ways = vec![
        plain("as it is", |_, _| {}),
        plain("a large environment", |command, _| {
            command.envs((0..200).map(|i| (format!("LARGE_{i}"), "x".repeat(97 + i))));
        }),
        plain("a small environment", |command, session| {
            let kept = ["PATH", "TMPDIR", "HEDDLE_CACHE", "HEDDLE_TEST_SESSION"];
            let keep: Vec<_> = command
                .get_envs()
                .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
                .filter(|(name, _)| name.to_str().is_some_and(|name| kept.contains(&name) || name.contains("HEDDLE")))
                .collect();
            command.env_clear().env("PATH", "/usr/bin:/bin").envs(keep).env("HOME", session.path(""));
        }),
        plain("a long name of the directory for temporary files", |command, session| {
            let long = session.path(&"long-".repeat(40));
            std::fs::create_dir_all(&long).expect("a directory");
            command.env("TMPDIR", long);
        }),
        plain("another user's name and home", |command, session| {
            command.env("USER", "somebody-else").env("LOGNAME", "somebody-else").env("HOME", session.path("tmp"));
        }),
        plain("a cache of its own", |command, session| {
            command.env("HEDDLE_CACHE", session.path("another-cache-with-a-longer-name"));
        }),
        plain("no cache", |command, _| {
            command.env("HEDDLE_NO_CACHE", "1");
        }),
    ];
    let mut add = |name, command: &str, line: &str| {
        if has(command) {
            ways.push(Way { name, before: words(line), change: |_, _| {} });
        }
    };
    add("one processor", "taskset", "taskset -c 0");
    add("the legacy layout of memory", "setarch", "setarch x86_64 --addr-compat-layout");
    add("an old kernel's name", "setarch", "setarch x86_64 --uname-2.6");
    add("a small stack", "prlimit", "prlimit --stack=1048576:");
    add("few open files", "prlimit", "prlimit --nofile=200:");
    ways
}

/// Runs `heddle` with these arguments, as `way` says.
fn run(way: &Way, arguments: &[&str]) -> Finished {
    let session = Session::new();
    let mut command = session.command(arguments);
    (way.change)(&mut command, &session);
    if let [program, rest @ ..] = way.before.as_slice() {
        let mut outer = Command::new(program);
        outer.args(rest).arg(command.get_program()).args(command.get_args());
        outer.current_dir(command.get_current_dir().expect("it has one"));
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => outer.env(name, value),
                None => outer.env_remove(name),
            };
        }
        command = outer;
    }
    let mut finished = session.start(command).wait();
    let out = session.path("out").display().to_string();
    for text in [&mut finished.stdout, &mut finished.stderr] {
        *text = text.replace(&out, "OUT");
    }
    finished
}

/// Runs a command in all ways, and fails unless all print the same.
fn must_be_the_same_everywhere(arguments: &[&str], code: i32) {
    let ways = ways();
    let first = run(&ways[0], arguments);
    assert_eq!(first.code, code, "{first}");
    assert!(!first.stdout.is_empty(), "{first}");
    for way in &ways[1..] {
        let other = run(way, arguments);
        assert_eq!(other.code, code, "{}\n{other}", way.name);
        assert_eq!(other.stdout, first.stdout, "{}", way.name);
    }
}

#[test]
fn what_a_program_sees() {
    must_be_the_same_everywhere(&["check", "--cc=gcc", "-std=c++20", "--outcomes", SEES], 0);
}

#[test]
fn the_executions_of_a_barrier_whose_slots_depend_on_ids() {
    let barrier = "tests/programs/barrier-cpp-missing.cpp";
    let arguments = ["check", "--cc=gcc", "-std=c++20", "--dump-executions", "--max-executions", "200", barrier];
    let code = run(&ways()[0], &arguments).code;
    must_be_the_same_everywhere(&arguments, code);
}

#[test]
fn a_report_of_a_bug() {
    must_be_the_same_everywhere(&["check", "--cc=gcc", "--verbose", "examples/abba.c"], 1);
}

/// A trace that was written in one place is followed in another.
#[test]
fn a_trace_of_another_place() {
    let session = Session::new();
    let found = session.run(["check", "--cc=gcc", "examples/lost-update.c"]);
    assert_eq!(found.code, 1, "{found}");
    let mut traces = std::fs::read_dir(session.path("out")).expect("traces").flatten().map(|entry| entry.path());
    let trace = traces.find(|path| path.extension().is_some_and(|suffix| suffix == "json")).expect("a trace");
    for way in ways() {
        let replayed = run(&way, &["replay", &trace.display().to_string()]);
        replayed.must_say(1, &[]);
    }
}

/// All ways to ask for processors give one answer, and more than one processor.
#[test]
fn processors_are_two_whoever_asks() {
    let session = Session::new();
    for compiler in ["gcc", "clang"] {
        if compiler == "clang" && !has("clang") && !has("clang-19") {
            continue;
        }
        let compiler = if compiler == "clang" && !has("clang") { "clang-19" } else { compiler };
        for level in ["-O0", "-O2"] {
            let cc = format!("--cc={compiler}");
            let run = session.run(["check", cc.as_str(), level, "tests/programs/processors.c"]);
            run.must_say(0, &["safe"]);
        }
    }
}

/// Twenty at once on different programs: none takes another's directory away, and all come to their verdicts.
#[test]
fn twenty_at_once() {
    let session = Session::new();
    let program = |number: usize| {
        let source = format!(
            "#include <assert.h>\n#include <pthread.h>\nstatic int n;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             static void *t(void *p) {{ pthread_mutex_lock(&m); n += {number}; pthread_mutex_unlock(&m); return p; }}\n\
             int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); t(0); pthread_join(a, 0); assert(n != {bad}); }}\n",
            bad = if number.is_multiple_of(2) { 2 * number } else { 1 },
        );
        session.write(&format!("program-{number}.c"), source)
    };
    let started: Vec<_> = (1..=20)
        .map(|number| {
            let file = program(number).display().to_string();
            let out = session.path(&format!("out-{number}")).display().to_string();
            // Some with the cache, some without: they share one directory for temporary files in any case.
            let cache = if number % 3 == 0 { "--no-cache" } else { "--cc=gcc" };
            let command = session.command(
                ["check", "--out", &out, "--cc=gcc", &file][..]
                    .iter()
                    .chain((cache == "--no-cache").then_some(&"--no-cache")),
            );
            (number, session.start(command))
        })
        .collect();
    for (number, running) in started {
        let finished = running.wait();
        let expected = if number % 2 == 0 { 1 } else { 0 };
        assert_eq!(finished.code, expected, "program {number}\n{finished}");
        assert!(!finished.words().contains("cannot"), "{finished}");
    }
    let last = session.run(["check", "--cc=gcc", "examples/bank.c", "--max-executions", "1"]);
    session.must_be_clean(&last);
}
