//! Attempts to make the cache of compiled programs stand for something else. Each changes what a program means without a change that
//! is easy to see, and the verdict must change with it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::common::{Finished, Session, clang};

/// A directory of sources, checked with a cache.
struct Sources {
    session: Session,
    compiler: String,
}

/// A program that is safe if `VALUE` is 1, and fails if not.
const IS_ONE: &str = "#include <assert.h>\nint main(void) { assert(VALUE == 1); }\n";

impl Sources {
    fn new(compiler: &str) -> Sources {
        let session = Session::compiling();
        fs::create_dir(session.path("src")).unwrap();
        Sources { session, compiler: compiler.to_owned() }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.session.path("src").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn tool(&self, words: &[&str]) {
        let done = Command::new(words[0]).args(&words[1..]).current_dir(self.session.path("src")).status().unwrap();
        assert!(done.success(), "{words:?}");
    }

    fn run(&self, words: &[&str], variables: &[(&str, &str)]) -> Finished {
        // The kernel's clock for files is coarse: what was just written is not kept.
        std::thread::sleep(std::time::Duration::from_millis(40));
        let compiler = format!("--cc={}", self.compiler);
        let mut command = self.session.command(["check", &compiler].iter().chain(words));
        command.env_remove("HEDDLE_NO_CACHE").current_dir(self.session.path("src"));
        command.envs(variables.iter().copied());
        self.session.start(command).wait()
    }

    fn entries(&self) -> usize {
        fs::read_dir(self.session.path("cache/programs")).map_or(0, Iterator::count)
    }

    /// Safe twice, from the cache the second time; then after `change` it fails, and fails again.
    fn changes(&self, words: &[&str], variables: &[(&str, &str)], change: impl FnOnce(&Sources)) {
        for _ in 0..2 {
            let run = self.run(words, &[]);
            assert_eq!(run.code, 0, "{} before\n{run}", self.compiler);
        }
        change(self);
        for _ in 0..2 {
            let run = self.run(words, variables);
            assert_eq!(run.code, 1, "{} after\n{run}", self.compiler);
        }
    }
}

fn compilers() -> [&'static str; 2] {
    ["gcc", clang()]
}

#[test]
fn a_header_far_down_in_front_of_another() {
    for compiler in compilers() {
        let sources = Sources::new(compiler);
        sources.write("later/a/b/c/d/e/f.h", "#define VALUE 1\n");
        sources.write("first/other.h", "");
        sources.write("x.c", &format!("#include <a/b/c/d/e/f.h>\n{IS_ONE}"));
        sources.changes(&["-Ifirst", "-Ilater", "x.c"], &[], |sources| {
            sources.write("first/a/b/c/d/e/f.h", "#define VALUE 2\n");
        });
        assert!(sources.entries() > 0, "{compiler}: it was kept at all");
    }
}

#[test]
fn a_header_that_the_command_includes() {
    for compiler in compilers() {
        let sources = Sources::new(compiler);
        sources.write("inc/config.h", "#define VALUE 1\n");
        sources.write("x.c", IS_ONE);
        // The current directory comes first for `-include`.
        sources.changes(&["-Iinc", "-include", "config.h", "x.c"], &[], |sources| {
            sources.write("config.h", "#define VALUE 2\n");
        });
    }
}

#[test]
fn a_header_that_was_compiled_before() {
    let sources = Sources::new("gcc");
    sources.write("h.h", "#define VALUE 1\n");
    sources.write("x.c", &format!("#include \"h.h\"\n{IS_ONE}"));
    assert_eq!(sources.run(&["x.c"], &[]).code, 0);
    assert_eq!(sources.entries(), 1);
    // Whether the compiler takes it depends on the flags that it was made with. In any case it is asked.
    fs::write(sources.session.path("src/h.h.gch"), "not one at all").unwrap();
    let log = sources.session.path("log");
    let script = format!("#!/bin/sh\necho x >> {}\nexec gcc \"$@\"\n", log.display());
    let wrapper = sources.session.path("wrapper");
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(&wrapper, PermissionsExt::from_mode(0o755)).unwrap();
    let sources = Sources { compiler: wrapper.display().to_string(), ..sources };
    for _ in 0..2 {
        let _ = fs::remove_file(&log);
        assert_eq!(sources.run(&["x.c"], &[]).code, 0);
        assert!(log.exists(), "with such a file, the program is compiled anew");
    }
    fs::remove_file(sources.session.path("src/h.h.gch")).unwrap();
    sources.run(&["x.c"], &[]);
    let _ = fs::remove_file(&log);
    sources.run(&["x.c"], &[]);
    assert!(!log.exists(), "without it, it is kept");
}

#[test]
fn links_to_other_files() {
    for compiler in compilers() {
        let sources = Sources::new(compiler);
        sources.write("one/x.c", &format!("#include \"h.h\"\n{IS_ONE}"));
        sources.write("one/h.h", "#define VALUE 1\n");
        sources.write("two/x.c", &format!("#include \"h.h\"\n{IS_ONE}"));
        sources.write("two/h.h", "#define VALUE 2\n");
        let link = sources.session.path("src/current");
        symlink("one", &link).unwrap();
        // The same name, the same source; only the directory behind the link is another one.
        sources.changes(&["current/x.c"], &[], |_| {
            fs::remove_file(&link).unwrap();
            symlink("two", &link).unwrap();
        });
    }
}

#[test]
fn archives_that_only_name_their_members() {
    let sources = Sources::new("gcc");
    sources.write("value.c", "int value(void) { return 1; }\n");
    sources.write("x.c", &format!("int value(void);\n#define VALUE value()\n{IS_ONE}"));
    sources.tool(&["gcc", "-c", "value.c"]);
    sources.tool(&["ar", "rcT", "libvalue.a", "value.o"]);
    sources.changes(&["x.c", "libvalue.a"], &[], |sources| {
        sources.write("value.c", "int value(void) { return 2; }\n");
        sources.tool(&["gcc", "-c", "value.c"]);
    });
}

#[test]
fn files_that_the_assembler_reads() {
    for compiler in compilers() {
        let sources = Sources::new(compiler);
        sources.write("value.txt", ".set content, 1\n");
        let text = "asm(\".include \\\"value.txt\\\"\\n.data\\n.globl value\\nvalue: .long content\\n.text\\n\");\n";
        sources.write("x.c", &format!("{text}extern int value;\n#define VALUE value\n{IS_ONE}"));
        sources.changes(&["x.c"], &[], |sources| sources.write("value.txt", ".set content, 2\n"));
    }
}

#[test]
fn the_time_of_day_is_never_kept() {
    for compiler in compilers() {
        let sources = Sources::new(compiler);
        sources.write("x.c", "int main(void) { return sizeof STAMP == 0; }\n");
        sources.write("pasted.c", "#define J(a, b) a##b\nint main(void) { return sizeof J(__TI, ME__) == 0; }\n");
        for words in [&["-DSTAMP=__TIME__", "x.c"][..], &["-D", "STAMP=__TIMESTAMP__", "x.c"], &["pasted.c"]] {
            let run = sources.run(words, &[]);
            assert_eq!((run.code, sources.entries()), (0, 0), "{words:?}\n{run}");
        }
    }
}

#[test]
fn variables_that_compilers_read() {
    let wrapped = |compiler: &str| {
        let sources = Sources::new(compiler);
        let wrapper = sources.session.path("wrapper");
        fs::write(&wrapper, format!("#!/bin/sh\nexec {compiler} $EXTRA_WORDS \"$@\"\n")).unwrap();
        fs::set_permissions(&wrapper, PermissionsExt::from_mode(0o755)).unwrap();
        Sources { compiler: wrapper.display().to_string(), ..sources }
    };
    let program = format!("#ifndef VALUE\n#define VALUE 1\n#endif\n{IS_ONE}");
    // A script that reads a variable of its own.
    for compiler in compilers() {
        let sources = wrapped(compiler);
        sources.write("x.c", &program);
        sources.changes(&["x.c"], &[("EXTRA_WORDS", "-DVALUE=2")], |_| {});
    }
    // Clang's own, which few know.
    let sources = Sources::new(clang());
    sources.write("x.c", &program);
    sources.changes(&["x.c"], &[("CCC_OVERRIDE_OPTIONS", "+-DVALUE=2")], |_| {});
    // Directories of headers, in C and in C++.
    for (compiler, file, variable) in
        [("gcc", "x.c", "CPATH"), ("gcc", "x.c", "C_INCLUDE_PATH"), ("gcc", "x.cpp", "CPLUS_INCLUDE_PATH")]
    {
        let sources = Sources::new(compiler);
        sources.write("later/value.h", "#define VALUE 1\n");
        sources.write("other/value.h", "#define VALUE 2\n");
        sources.write(file, &format!("#include <value.h>\n{IS_ONE}"));
        let other = sources.session.path("src/other").display().to_string();
        sources.changes(&["-idirafter", "later", file], &[(variable, &other)], |_| {});
    }
}

#[test]
fn response_files() {
    let sources = Sources::new("gcc");
    sources.write("x.c", IS_ONE);
    sources.write("words", "-DVALUE=1\n");
    let run = sources.run(&["@words", "x.c"], &[]);
    if run.code != 2 {
        sources.changes(&["@words", "x.c"], &[], |sources| sources.write("words", "-DVALUE=2\n"));
    }
}

#[test]
fn another_linker_in_front() {
    let sources = Sources::new("gcc");
    sources.write("x.c", "int main(void) { return 0; }\n");
    let bin = sources.session.path("bin");
    fs::create_dir(&bin).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let variables = [("PATH", path.as_str())];
    assert_eq!(sources.run(&["x.c"], &variables).code, 0);
    let before = sources.entries();
    assert_eq!(sources.run(&["x.c"], &variables).code, 0);
    assert_eq!(sources.entries(), before);
    let linker = bin.join("ld");
    fs::write(&linker, "#!/bin/sh\nexec /usr/bin/ld \"$@\"\n").unwrap();
    fs::set_permissions(&linker, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(sources.run(&["x.c"], &variables).code, 0);
    assert_eq!(sources.entries(), before + 1, "another linker makes another program");
}

#[test]
fn many_at_once() {
    let sources = Sources::new("gcc");
    sources.write("h.h", "#define VALUE 1\n");
    sources.write("x.c", &format!("#include \"h.h\"\n{IS_ONE}"));
    // All find the cache empty, then all find it stale; whoever is last, nobody runs a program of another time.
    for (text, code) in [("#define VALUE 1\n", 0), ("#define VALUE 2\n", 1), ("#define VALUE 1\n", 0)] {
        sources.write("h.h", text);
        std::thread::sleep(std::time::Duration::from_millis(40));
        let start = |_| {
            let mut command = sources.session.command(["check", "--cc=gcc", "x.c"].iter());
            command.env_remove("HEDDLE_NO_CACHE").current_dir(sources.session.path("src"));
            sources.session.start(command)
        };
        let runs: Vec<_> = (0..6).map(start).collect();
        for run in runs {
            let run = run.wait();
            assert_eq!(run.code, code, "{text}\n{run}");
        }
    }
    assert!(Path::new(&sources.session.path("cache/programs")).is_dir());
}

#[test]
fn programs_in_cpp() {
    for compiler in ["gcc", clang()] {
        let sources = Sources::new(compiler);
        sources.write("value.hpp", "template <int N> struct Value { static int get() { return N; } };\n");
        let text = "#include \"value.hpp\"\n#include <thread>\n#include <vector>\n#define VALUE Value<1>::get()\n";
        sources.write("x.cpp", &format!("{text}{IS_ONE}"));
        sources.changes(&["x.cpp"], &[], |sources| {
            sources.write("value.hpp", "template <int N> struct Value { static int get() { return N + 1; } };\n");
        });
    }
}
