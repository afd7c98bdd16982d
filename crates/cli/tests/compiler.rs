//! `heddle cc` and `heddle c++` in the place of a build's compiler: whatever a build asks for, what comes of it runs as
//! usual, and Heddle sees into it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Finished, Session, clang, root};

/// Both compilers behind the wrapper.
fn compilers() -> [(&'static str, &'static str); 2] {
    [("gcc", "g++"), (clang(), "")]
}

/// A session whose wrapper keeps what stays of it in the session's own directory.
struct Build {
    session: Session,
    behind: (String, String),
}

const COUNTER: &str = "
#include <pthread.h>
int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void count(void) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
}
void count_badly(void) { counter++; }
";

const MAIN: &str = "
#include <pthread.h>
#include <stdio.h>
#include <string.h>
extern int counter;
void count(void);
void count_badly(void);
#ifndef COUNT
#define COUNT count
#endif
static void *work(void *unused) {
    COUNT();
    return unused;
}
int main(void) {
    pthread_t threads[2];
    char text[32];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    strcpy(text, \"counted to \");
    printf(\"%s%d\\n\", text, counter);
    return 0;
}
";

impl Build {
    fn new((cc, cxx): (&str, &str)) -> Build {
        let cxx = if cxx.is_empty() { cc.replace("clang", "clang++") } else { cxx.to_owned() };
        let build = Build { session: Session::compiling(), behind: (cc.to_owned(), cxx) };
        build.session.write("counter.c", COUNTER);
        build.session.write("main.c", MAIN);
        build
    }

    fn command(&self, line: &str) -> Command {
        let mut command = self.session.command(line.split_whitespace());
        command.current_dir(self.session.path("."));
        command.env("HEDDLE_CACHE", self.session.path("cache"));
        command.env("HEDDLE_CC", &self.behind.0).env("HEDDLE_CXX", &self.behind.1);
        command
    }

    /// Runs the wrapper, whatever it says.
    fn say(&self, line: &str) -> Finished {
        let finished = self.session.start(self.command(line)).wait();
        self.session.must_be_clean(&finished);
        finished
    }

    /// Runs the wrapper, which must succeed and have nothing to complain of.
    fn run(&self, line: &str) -> Finished {
        let finished = self.say(line);
        assert_eq!((finished.code, finished.stderr.as_str()), (0, ""), "{finished}");
        finished
    }

    /// Runs what was built, without Heddle.
    fn outside(&self, program: &str) -> String {
        let output = Command::new(self.session.path(program)).stderr(Stdio::inherit()).output().expect("it can be run");
        assert!(output.status.success(), "{program}: {}", output.status);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Checks what was built.
    fn check(&self, program: &str) -> serde_json::Value {
        self.session.check([self.session.path(program).display().to_string()]).json()
    }

    /// Two orders of two critical sections, and memory is seen.
    fn must_be_safe(&self, program: &str) -> serde_json::Value {
        assert_eq!(self.outside(program), "counted to 2\n");
        let json = self.check(program);
        assert_eq!((json["verdict"].as_str(), json["executions"].as_u64()), (Some("safe"), Some(2)), "{json:#}");
        assert_eq!(json["coverage"]["instrumented"], "memory");
        json
    }

    fn must_race(&self, program: &str) {
        self.outside(program);
        let json = self.check(program);
        assert_eq!(json["verdict"], "found", "{json:#}");
        assert_eq!(json["findings"][0]["kind"], "data-race");
        assert_eq!(json["findings"][0]["location"]["file"].as_str().map(|f| f.ends_with("counter.c")), Some(true));
    }

    fn has(&self, file: &str) -> bool {
        self.session.path(file).exists()
    }

    fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.session.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }
}

fn notes(json: &serde_json::Value) -> String {
    json["coverage"]["notes"].to_string()
}

#[test]
fn in_one_step_and_in_two() {
    for compiler in compilers() {
        let build = Build::new(compiler);
        build.run("cc -O2 -Wall -Werror main.c counter.c -o once -pthread");
        let json = build.must_be_safe("once");
        assert!(!notes(&json).contains("not built by heddle"), "{json:#}");
        build.run("cc -DCOUNT=count_badly main.c counter.c -o badly");
        build.must_race("badly");
        build.run("cc -c main.c");
        build.run("cc -c -O1 -o counter.o counter.c");
        let before = std::fs::metadata(build.session.path("main.o")).unwrap().modified().unwrap();
        build.run("cc main.o counter.o -o twice");
        build.must_be_safe("twice");
        assert_eq!(std::fs::metadata(build.session.path("main.o")).unwrap().modified().unwrap(), before);
        build.run("cc main.o counter.o");
        build.must_be_safe("a.out");
    }
}

#[test]
fn libraries_of_both_kinds() {
    for compiler in compilers() {
        let build = Build::new(compiler);
        build.run("cc -fPIC -c counter.c -o counter.o");
        build.run("cc -shared -Wl,-z,defs -Wl,--as-needed -Wl,-soname,libcounter.so -o libcounter.so counter.o");
        let here = build.session.path(".").display().to_string();
        build.run(&format!("cc main.c -L. -lcounter -Wl,-rpath,{here} -o shared"));
        let json = build.must_be_safe("shared");
        assert!(!notes(&json).contains("not built by heddle"), "{json:#}");
        build.run(&format!("cc -DCOUNT=count_badly main.c libcounter.so -Wl,-rpath,{here} -o shared-badly"));
        build.must_race("shared-badly");
        let archive = Command::new("ar").args(["rcs", "libstatic.a", "counter.o"]).current_dir(&here).status().unwrap();
        assert!(archive.success());
        build.run("cc main.c -DCOUNT=count_badly libstatic.a -o static-badly");
        build.must_race("static-badly");
        build.run("cc -r counter.o -o partial.o");
        build.run("cc main.c partial.o -o partial");
        build.must_be_safe("partial");
    }
}

#[test]
fn plain_objects_are_named() {
    for compiler in compilers() {
        let build = Build::new(compiler);
        let plain = |arguments: &str| {
            let mut command = Command::new(compiler.0);
            command.args(arguments.split_whitespace()).current_dir(build.session.path("."));
            assert!(command.status().unwrap().success());
        };
        plain("-fPIC -c counter.c -o counter.o");
        build.run("cc main.c counter.o -o mixed");
        let json = build.must_be_safe("mixed");
        assert!(notes(&json).contains("in counter.o: not built by heddle"), "{json:#}");
        assert!(
            Command::new("ar")
                .args(["rcs", "libc2.a", "counter.o"])
                .current_dir(build.session.path("."))
                .status()
                .unwrap()
                .success()
        );
        build.run("cc main.c libc2.a -o archive");
        assert!(notes(&build.must_be_safe("archive")).contains("in libc2.a: not built by heddle"));
        plain("-shared counter.o -o libplain.so");
        let here = build.session.path(".").display().to_string();
        build.run(&format!("cc main.c -L{here} -lplain -Wl,-rpath,{here} -o loaded"));
        assert!(notes(&build.must_be_safe("loaded")).contains("in libplain.so: not built by heddle"));
        let words = ["main.c", "counter.o"].map(|name| build.session.path(name).display().to_string());
        let json = build.session.check(words).json();
        assert!(notes(&json).contains("in counter.o: not built by heddle"), "{json:#}");
    }
}

#[test]
fn a_program_that_was_never_instrumented() {
    let build = Build::new(("gcc", "g++"));
    let mut built = Command::new("gcc");
    let built = built.args(["main.c", "counter.c", "-o", "plain", "-pthread", "-DCOUNT=count_badly"]);
    assert!(built.current_dir(build.session.path(".")).status().unwrap().success());
    let json = build.check("plain");
    assert_eq!(
        (json["verdict"].as_str(), json["coverage"]["instrumented"].as_str()),
        (Some("incomplete"), Some("sync-only"))
    );
    assert_eq!(json["coverage"]["races"], "not checked");
    assert!(notes(&json).contains("`heddle cc` or `heddle c++`"), "{json:#}");
    // A deadlock of locks is seen all the same.
    let abba = crate::common::root().join("examples/abba.c");
    let mut built = Command::new("gcc");
    let built = built.arg(abba).args(["-o", "abba", "-pthread"]).current_dir(build.session.path("."));
    assert!(built.status().unwrap().success());
    assert_eq!(build.check("abba")["findings"][0]["kind"], "deadlock");
}

#[test]
fn what_else_compilers_are_asked_for() {
    for compiler in compilers() {
        let build = Build::new(compiler);
        assert!(build.run("cc --version").stdout.lines().next().unwrap().contains(if compiler.0 == "gcc" {
            "gcc"
        } else {
            "clang"
        }));
        assert!(!build.run("cc -dumpmachine").stdout.is_empty());
        assert!(build.run("cc -print-file-name=libc.so.6").stdout.contains("libc.so.6"));
        assert_eq!(build.say("cc -v").code, 0);
        assert!(build.run("cc -E -dM -x c /dev/null").stdout.contains("__x86_64__"));
        assert!(build.run("cc -S counter.c -o -").stdout.contains("__tsan_"));
        assert!(build.run("cc -E counter.c").stdout.contains("count_badly"));
        // Other texts are preprocessed too, and are not to have declarations in front.
        build.session.write("map.in", "#define V 1\nLIB_V { global: *; };\n");
        assert_eq!(build.run("cc -E -P -x c map.in").stdout.trim(), "LIB_V { global: *; };");
        assert!(build.run("cc -MM counter.c").stdout.contains("counter.o: counter.c"));
        build.run("cc -MMD -MP -MF deps.d -c counter.c -o counter.o");
        assert!(build.text("deps.d").contains("counter.o: counter.c"));
        build.run("cc -MMD main.c counter.o -o prog");
        assert!(build.text("prog-main.d").contains("prog: main.c"));
        assert_eq!(build.run("cc -fsyntax-only counter.c").stdout, "");
        build.session.write("words", "-DNAME=\"two words\"\n-c 'counter.c'\n-o from-file.o\n");
        build.run("cc @words");
        assert!(build.has("from-file.o"));
        build
            .session
            .write("assembly.S", ".globl seven\nseven: movl $7, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n");
        build.session.write(
            "seven.c",
            "#include <stdio.h>\nint seven(void);\nint main(void) { printf(\"%d\\n\", seven()); return 0; }\n",
        );
        build.run("cc seven.c assembly.S -o seven");
        assert_eq!(build.outside("seven"), "7\n");
        build.run("cc -c assembly.S -o assembly.o");
        assert!(build.has("assembly.o"));
    }
}

#[test]
fn from_standard_input() {
    let build = Build::new(("gcc", "g++"));
    let mut command = build.command("cc -x c - -o piped");
    command.stdin(std::fs::File::open(build.session.write("text", "int main(void) { return 0; }\n")).unwrap());
    assert_eq!(build.session.start(command).wait().code, 0);
    assert_eq!(build.outside("piped"), "");
}

#[test]
fn failures_are_the_compilers_own() {
    for compiler in compilers() {
        let build = Build::new(compiler);
        build.session.write("wrong.c", "int main(void) { return nothing; }\n");
        let wrong = build.say("cc wrong.c -o wrong");
        assert!(wrong.code == 1 && wrong.stderr.contains("wrong.c:1"), "{wrong}");
        assert!(!build.has("wrong"));
        assert_ne!(build.say("cc -c wrong.c").code, 0);
        let missing = build.say("cc main.c -o missing");
        assert!(missing.code != 0 && missing.stderr.contains("count"), "{missing}");
        let missing = build.say("cc main.c counter.c -lno_such_library -o missing");
        assert!(missing.code != 0 && missing.stderr.contains("no_such_library"), "{missing}");
        assert!(build.say("cc nowhere.c").stderr.contains("nowhere.c"));
        // As for a test of configure: what libc does not have is not found.
        build.session.write("probe.c", "char no_such_function(); int main(void) { return no_such_function(); }\n");
        assert_ne!(build.say("cc probe.c -o probe").code, 0);
        build
            .say("cc -static main.c counter.c")
            .must_say(1, &["-static", "a static program cannot carry Heddle's runtime"]);
        build.say("cc -fsanitize=address -c main.c").must_say(1, &["-fsanitize=address"]);
    }
    let build = Build::new(("no-such-compiler", "no-such-compiler"));
    build.say("cc main.c").must_say(1, &["heddle cc: error:", "no-such-compiler"]);
}

#[test]
fn cxx() {
    for compiler in compilers() {
        let build = Build::new(compiler);
        let source = "#include <thread>\n#include <mutex>\n#include <iostream>\n#include <string>\nint counter; std::mutex lock;\n\
            int main() { auto work = [] { std::lock_guard<std::mutex> held(lock); counter++; };\n\
            std::thread one(work), two(work); one.join(); two.join();\n\
            try { throw std::string(\"counted to \"); } catch (const std::string &text) { std::cout << text << counter << \"\\n\"; } }\n";
        build.session.write("main.cpp", source);
        build.run("c++ -std=c++17 -O1 main.cpp -o prog");
        build.must_be_safe("prog");
        build.run("c++ -c main.cpp");
        build.run("c++ main.o -o linked");
        build.must_be_safe("linked");
    }
}

/// The functions of `<string.h>` that a program defines itself stay its own, in an archive too.
#[test]
fn own_string_functions() {
    for compiler in compilers() {
        let build = Build::new(compiler);
        build.session.write(
            "own.c",
            "#include <stddef.h>\nsize_t strnlen(const char *s, size_t n) { (void)s; (void)n; return 42; }\n",
        );
        build.session.write("use.c", "#include <string.h>\n#include <stdio.h>\nint main(void) { printf(\"%zu\\n\", strnlen(\"x\", 3)); return 0; }\n");
        build.run("cc -fno-builtin -c own.c -o own.o");
        assert!(
            Command::new("ar")
                .args(["rcs", "libown.a", "own.o"])
                .current_dir(build.session.path("."))
                .status()
                .unwrap()
                .success()
        );
        build.run("cc -fno-builtin use.c own.o -o use");
        assert_eq!(build.outside("use"), "42\n");
        build.run("cc -fno-builtin use.c libown.a -o use");
        assert_eq!(build.outside("use"), "42\n");
    }
}

#[test]
fn in_a_makefile() {
    let build = Build::new(("gcc", "g++"));
    let rules = "prog: main.o libcounter.a\n\t$(CC) $(CFLAGS) -o $@ main.o -L. -lcounter\n\
        libcounter.a: counter.o\n\t$(AR) rcs $@ $^\n%.o: %.c\n\t$(CC) $(CFLAGS) -MMD -c $< -o $@\n-include $(wildcard *.d)\n";
    build.session.write("Makefile", rules);
    let heddle = env!("CARGO_BIN_EXE_heddle");
    let make = || {
        let mut make = Command::new("make");
        make.args(["-s", "-j2", &format!("CC={heddle} cc"), "CFLAGS=-O2 -Wall -Werror"]);
        make.current_dir(build.session.path("."))
            .env("HEDDLE_CACHE", build.session.path("cache"))
            .env("HEDDLE_CC", "gcc");
        let output = make.output().expect("make is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    make();
    build.must_be_safe("prog");
    assert!(build.text("counter.d").contains("counter.o: counter.c"));
    assert_eq!(make(), "", "nothing is left to do");
}

#[test]
fn by_another_name() {
    let build = Build::new(("gcc", "g++"));
    let link = build.session.path("heddle-cc");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_heddle"), &link).unwrap();
    let mut command = Command::new(&link);
    command.args(["main.c", "counter.c", "-o", "prog"]).current_dir(build.session.path("."));
    command.env("HEDDLE_CACHE", build.session.path("cache")).env("HEDDLE_CC", "gcc");
    assert!(command.status().unwrap().success());
    build.must_be_safe("prog");
    assert!(Path::new(&build.session.path("cache")).is_dir());
}

/// Outside Heddle threads are real: nothing in the runtime may get in their way.
#[test]
fn real_threads_without_heddle() {
    for compiler in compilers() {
        let build = Build::new(compiler);
        let source = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
            static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t done = PTHREAD_COND_INITIALIZER;\n\
            static atomic_long sum; static long counter; static int ready; static __thread int own;\n\
            static void *work(void *p) { for (int i = 0; i < 20000; i++) { own++; atomic_fetch_add(&sum, 1);\n\
              pthread_mutex_lock(&lock); counter++; pthread_mutex_unlock(&lock);\n\
              char *b = malloc(i % 500 + 1); memset(b, 7, i % 500 + 1); b = realloc(b, 900); free(b); }\n\
              if (own != 20000) abort();\n\
              pthread_mutex_lock(&lock); ready++; pthread_cond_signal(&done); pthread_mutex_unlock(&lock); return p; }\n\
            int main(void) { pthread_t t[8]; for (int i = 0; i < 8; i++) pthread_create(&t[i], 0, work, 0);\n\
              pthread_mutex_lock(&lock); while (ready < 8) pthread_cond_wait(&done, &lock); pthread_mutex_unlock(&lock);\n\
              for (int i = 0; i < 8; i++) pthread_join(t[i], 0); printf(\"%ld %ld\\n\", (long)sum, counter); return 0; }\n";
        build.session.write("real.c", source);
        build.run("cc -O2 real.c -o real -pthread");
        for _ in 0..5 {
            assert_eq!(build.outside("real"), "160000 160000\n");
        }
    }
}

/// What is written down in assembly orders nothing that Heddle sees: it says where that is.
#[test]
fn atomic_instructions_in_assembly() {
    const SOURCE: &str = "#include <pthread.h>\nstatic int lock, x;\n\
        static void take(void) { int one; do { one = 1;\n\
          __asm__ volatile(\"xchgl %0, %1\" : \"+r\"(one), \"+m\"(lock) : : \"memory\"); } while (one); }\n\
        static int add(int *p) { int v = 1;\n\
          __asm__ volatile(\"lock; xaddl %0, %1\" : \"+r\"(v), \"+m\"(*p) : : \"memory\"); return v; }\n\
        #ifdef RACE\n#define USE take(); x++; *(volatile int *)&lock = 0\n#else\n#define USE (void)take\n#endif\n\
        static void *work(void *p) { USE; add(&x); return p; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);\n\
          pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";
    let session = Session::compiling();
    let file = session.write("assembly.c", SOURCE).display().to_string();
    for compiler in ["gcc", clang()] {
        for level in ["-O0", "-O2"] {
            let words = ["check", &file, "--cc", compiler, level];
            session.run(words).must_say(3, &["incomplete: accesses in inline assembly", "assembly.c:6"]);
            session.run([&words[..], &["-DRACE"]].concat()).must_say(
                3,
                &[
                    "incomplete: data-race-1 is not certain",
                    "1 uncertain finding",
                    "warning: accesses in inline assembly",
                    "assembly.c:4, ",
                ],
            );
        }
    }
    // The compilers' own atomics are seen.
    let file = root().join("tests/programs/memory-atomics.cpp").display().to_string();
    let run = session.run(["check", &file]);
    assert!(!run.to_string().contains("inline assembly"), "{run}");
}

/// A library that was not built by Heddle may order two accesses: a data race is not certain then. If it creates threads, nothing is
/// proven. Built by Heddle, it is seen.
#[test]
fn libraries_that_were_not_seen() {
    const LIBRARY: &str = "#include <pthread.h>\n#include <stdatomic.h>\n\
        static atomic_int gate;\n\
        void open_gate(void) { atomic_store(&gate, 1); }\n\
        int is_open(void) { return atomic_load(&gate); }\n\
        void run(void *(*work)(void *)) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); }\n";
    const ORDERED: &str = "#include <pthread.h>\nvoid open_gate(void); int is_open(void); static int data;\n\
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *work(void *p) { data = 1; open_gate(); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);\n\
          int seen = is_open() ? data : 1;\n\
          pthread_join(t, 0); return seen != 1; }\n";
    const MADE: &str = "#include <pthread.h>\nvoid run(void *(*work)(void *)); static int data;\n\
        static void *work(void *p) { data = 1; return p; }\n\
        int main(void) { run(work); return data != 1; }\n";
    let session = Session::compiling();
    let source = session.write("gate.c", LIBRARY).display().to_string();
    let library = session.path("libgate.so").display().to_string();
    let here = session.path(".").display().to_string();
    let build = ["-shared", "-fPIC", "-g", "-o", &library, &source];
    let ordered = session.write("ordered.c", ORDERED).display().to_string();
    let made = session.write("made.c", MADE).display().to_string();
    let path = format!("-Wl,-rpath,{here}");
    let built = std::process::Command::new("gcc").args(build).status().expect("gcc runs");
    assert!(built.success());
    for compiler in ["gcc", clang()] {
        let check = |file: &str, more: &[&str]| {
            session.run([&["check", file, &library, &path, "--cc", compiler][..], more].concat())
        };
        check(&ordered, &["--algorithm", "random", "--max-executions", "40", "--all"])
            .must_say(3, &["libgate.so was not built by heddle", "heddle cc", "data-race-1 is not certain"]);
        check(&made, &[]).must_say(3, &["incomplete: threads were created by libgate.so"]);
    }
    session.run([&["cc"][..], &build].concat()).must_say(0, &[]);
    for compiler in ["gcc", clang()] {
        let check = |file: &str| session.run(["check", file, &library, &path, "--cc", compiler]);
        check(&ordered).must_say(0, &["safe"]);
        check(&made).must_say(0, &["safe"]);
    }
}

/// The order in which threads call a library that keeps something shows only inside it. Nothing is proved then, and nobody is accused of hanging.
#[test]
fn libraries_that_keep_something() {
    const LIBRARY: &str = "static int count, flag;\n\
        int next(void) { return count++; }\nint twice(int n) { return 2 * n; }\n\
        void set(void) { __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); }\n\
        void await(void) { while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)); }\n\
        void write_to(int *place) { *place = 1; }\n";
    const ATOMIC: &str =
        "static int count;\nint next(void) { return __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST); }\n";
    const WORD: &str = "static int count;\nint next(void) { return count++; }\n";
    const PURE: &str = "int next(void) { return 0; }\n";
    const COUNTS: &str = "#include <pthread.h>\nint next(void);\n\
        static void *work(void *p) { return next() ? p : 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0);\n\
          int first = JOINED ? 0 : next(); pthread_join(t, 0); if (JOINED) next(); return first; }\n";
    const AWAITS: &str = "#include <pthread.h>\nvoid set(void); void await(void); void write_to(int *); static volatile int place;\n\
        static void *work(void *p) { set(); write_to((int *)&place); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); if (INSIDE) await(); else while (!place);\n\
          pthread_join(t, 0); return 0; }\n";
    let session = Session::compiling();
    let counts = session.write("counts.c", COUNTS).display().to_string();
    let awaits = session.write("awaits.c", AWAITS).display().to_string();
    let path = format!("-Wl,-rpath,{}", session.path(".").display());
    let build = |text: &str, source: &str, output: &str, kind: &str| {
        let source = session.write(source, text).display().to_string();
        let output = session.path(output).display().to_string();
        let built = std::process::Command::new("gcc").args([kind, "-fPIC", "-o", &output, &source]).status();
        assert!(built.expect("gcc runs").success());
        output
    };
    let keeps = build(LIBRARY, "keeps.c", "libkeeps.so", "-shared");
    let word = build(WORD, "word.c", "libword.so", "-shared");
    let pure = build(PURE, "pure.c", "libpure.so", "-shared");
    let object = build(ATOMIC, "object.c", "object.o", "-c");
    for compiler in ["gcc", clang()] {
        let check = |file: &str, library: &str, how: &str| {
            session.run(["check", file, library, &path, how, "--cc", compiler, "--hang-timeout", "2s"])
        };
        check(&counts, &word, "-DJOINED=0").must_say(3, &["how threads use libword.so, not built by heddle"]);
        check(&counts, &word, "-DJOINED=1").must_say(0, &["safe"]);
        check(&counts, &pure, "-DJOINED=0").must_say(0, &["safe", "atomics in libpure.so"]);
        check(&counts, &object, "-DJOINED=1").must_say(3, &["object.o, which has atomic instructions"]);
        check(&awaits, &keeps, "-DINSIDE=1").must_say(3, &["hang-1 is not certain", "this is no hang"]);
        check(&awaits, &keeps, "-DINSIDE=0").must_say(3, &["deadlock-1 is not certain", "this is no deadlock"]);
    }
}

/// Threads of code that nobody instrumented are noticed however they are created: by a call that is the last thing a function does, by
/// `std::thread`, and in an object file.
#[test]
fn threads_of_code_that_was_not_seen() {
    const LAST: &str = "#include <pthread.h>\nstatic pthread_t t; static void (*job)(void);\n\
        static void *call(void *p) { job(); return p; }\n\
        void spawn(void (*f)(void)) { job = f; pthread_create(&t, 0, call, 0); }\nvoid finish(void) { pthread_join(t, 0); }\n";
    const CXX: &str = "#include <thread>\nstatic std::thread t;\n\
        extern \"C\" void spawn(void (*f)()) { t = std::thread([f] { f(); }); }\nextern \"C\" void finish() { t.join(); }\n";
    const PROGRAM: &str = "void spawn(void (*)(void)); void finish(void); static int n; static void work(void) { n = 1; }\n\
        int main(void) { spawn(work); finish(); return n != 1; }\n";
    let session = Session::compiling();
    let program = session.write("program.c", PROGRAM).display().to_string();
    let run = format!("-Wl,-rpath,{}", session.path(".").display());
    for (compiler, source, text) in [("gcc", "last.c", LAST), ("g++", "last.cpp", CXX)] {
        let source = session.write(source, text).display().to_string();
        for (name, kind) in [("libspawn.so", "-shared"), ("spawn.o", "-c")] {
            let output = session.path(name).display().to_string();
            let built =
                std::process::Command::new(compiler).args(["-O2", "-fPIC", kind, "-o", &output, &source]).status();
            assert!(built.expect("it runs").success());
            let words = ["check", &program, &output, &run, "-lstdc++", "--cc", "gcc"];
            session.run(words).must_say(3, &["incomplete: threads were created by", name]);
        }
    }
}

/// A library that the program loads itself is not there when `main` begins, and may be gone when it ends.
#[test]
fn libraries_that_are_loaded_later() {
    let session = Session::compiling();
    let plugin = session.write("plugin.c", "int answer(void) { return 42; }\n").display().to_string();
    let source = "#include <dlfcn.h>\n#include <pthread.h>\n\
        static void *work(void *p) { return p; }\n\
        int main(int n, char **words) { pthread_t t; void *l = dlopen(words[n - 1], RTLD_NOW); if (!l) return 2;\n\
          int (*answer)(void) = (int (*)(void))dlsym(l, \"answer\"); pthread_create(&t, 0, work, 0); pthread_join(t, 0);\n\
          int right = answer() == 42; dlclose(l); return !right; }\n";
    let program = session.write("program.c", source).display().to_string();
    let library = session.path("plugin.so").display().to_string();
    let build = ["-shared", "-fPIC", "-o", &library, &plugin];
    let built = std::process::Command::new("gcc").args(build).status().expect("gcc runs");
    assert!(built.success());
    for restart in ["auto", "exec"] {
        let check = ["check", &program, "--restart", restart, "--", &library];
        session.run(check).must_say(0, &["safe", "not covered: memory accesses and atomics in plugin.so"]);
    }
    session.run([&["cc"][..], &build].concat()).must_say(0, &[]);
    let run = session.run(["check", &program, "--", &library]);
    assert!(run.code == 0 && !run.to_string().contains("atomics in plugin.so"), "{run}");
}
