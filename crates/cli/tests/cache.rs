//! Programs that were compiled before: an unchanged program is not compiled again, and a changed one always is.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::{Finished, Session, wait_until};

/// A session with a cache and a compiler that writes a line for each time it compiles or links.
struct Cached {
    session: Session,
    compiler: PathBuf,
}

const OK: &str = "int value(void);\nint main(void) { return value(); }\n";

impl Cached {
    fn new() -> Cached {
        let session = Session::compiling();
        let compiler = session.path("gcc");
        let log = session.path("log");
        let script = format!("#!/bin/sh\necho \"$@\" >> {}\nexec /usr/bin/env gcc \"$@\"\n", log.display());
        fs::write(&compiler, script).unwrap();
        fs::set_permissions(&compiler, PermissionsExt::from_mode(0o755)).unwrap();
        fs::create_dir(session.path("src")).unwrap();
        Cached { session, compiler }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.session.path("src").join(name), text).unwrap();
    }

    /// Waits until what was written is old enough to be kept: the kernel's clock for files is coarse, so a file is written until
    /// it is clearly younger.
    fn settle(&self) {
        let probe = self.session.path("probe");
        let changed = || {
            fs::write(&probe, "").unwrap();
            let status = fs::metadata(&probe).unwrap();
            Duration::new(status.ctime() as u64, status.ctime_nsec() as u32)
        };
        let first = changed();
        wait_until("the clock for files", || changed() >= first + Duration::from_millis(40));
    }

    /// Checks with these words, in the directory of the sources. Returns how often the compiler was started, and the run.
    fn check(&self, words: &[&str]) -> (usize, Finished) {
        self.settle();
        let log = self.session.path("log");
        let _ = fs::remove_file(&log);
        let cc = format!("--cc={}", self.compiler.display());
        let mut command = self.session.command(["check", &cc].iter().chain(words));
        command.env_remove("HEDDLE_NO_CACHE").current_dir(self.session.path("src"));
        if words.contains(&"by-variable.c") {
            command.env("HEDDLE_NO_CACHE", "1");
        }
        let run = self.session.start(command).wait();
        self.session.must_be_clean(&run);
        (fs::read_to_string(&log).map_or(0, |text| text.lines().count()), run)
    }

    fn entries(&self) -> Vec<PathBuf> {
        let programs = self.session.path("cache/programs");
        fs::read_dir(programs).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }
}

fn exits(status: i32) -> String {
    format!("#include <assert.h>\n#include \"h.h\"\nint main(void) {{ assert(VALUE == {status}); }}\n")
}

#[test]
fn an_unchanged_program_is_not_compiled_again() {
    let cached = Cached::new();
    cached.write("h.h", "#define VALUE 1\n");
    cached.write("a.c", &exits(1));
    let (first, run) = cached.check(&["a.c"]);
    run.must_say(0, &["safe"]);
    // It is asked what it is, compiles and links.
    assert_eq!(first, 3, "{run}");
    let (second, run) = cached.check(&["a.c"]);
    run.must_say(0, &["safe"]);
    assert_eq!(second, 0, "{run}");
    // Its warnings are said again.
    cached.write("w.c", "int main(void) { int unused; return 0; }\n");
    for times in [2, 0] {
        let (count, run) = cached.check(&["-Wall", "w.c"]);
        assert_eq!(count, times, "{run}");
        run.must_say(0, &["unused"]);
    }
}

#[test]
fn a_change_of_whatever_it_is_made_of_is_seen() {
    let cached = Cached::new();
    cached.write("h.h", "#define VALUE 1\n");
    cached.write("a.c", &exits(1));
    assert_eq!(cached.check(&["a.c"]).1.code, 0);
    assert_eq!(cached.check(&["a.c"]).0, 0);
    // A header, with as many bytes and the same time as before.
    let header = cached.session.path("src/h.h");
    let before = fs::metadata(&header).unwrap().modified().unwrap();
    cached.write("h.h", "#define VALUE 2\n");
    fs::File::open(&header).unwrap().set_modified(before).unwrap();
    let (count, run) = cached.check(&["a.c"]);
    assert_eq!((count, run.code), (2, 1), "{run}");
    // The source itself.
    cached.write("a.c", &exits(2));
    assert_eq!(cached.check(&["a.c"]).1.code, 0);
    // A flag.
    assert_eq!(cached.check(&["-DVALUE=2", "-Wno-all", "a.c"]).0, 2);
    // A header that comes in front of another.
    fs::create_dir(cached.session.path("src/first")).unwrap();
    fs::create_dir(cached.session.path("src/later")).unwrap();
    cached.write("later/g.h", "#define VALUE 3\n");
    cached.write("g.c", "#include <assert.h>\n#include <g.h>\nint main(void) { assert(VALUE == 3); }\n");
    let words = ["-Ifirst", "-Ilater", "g.c"];
    assert_eq!(cached.check(&words).1.code, 0);
    assert_eq!(cached.check(&words).0, 0);
    cached.write("first/g.h", "#define VALUE 4\n");
    let (count, run) = cached.check(&words);
    assert_eq!((count, run.code), (2, 1), "{run}");
    // An object that is linked.
    cached.write("value.c", "int value(void) { return 0; }\n");
    cached.write("main.c", OK);
    let object = |cached: &Cached| {
        let folder = cached.session.path("src");
        let done = std::process::Command::new("gcc").args(["-c", "value.c"]).current_dir(folder).status();
        assert!(done.unwrap().success());
    };
    object(&cached);
    assert_eq!(cached.check(&["main.c", "value.o"]).0, 2);
    assert_eq!(cached.check(&["main.c", "value.o"]).0, 0);
    cached.write("value.c", "#include <stdlib.h>\nint value(void) { abort(); }\n");
    object(&cached);
    let (count, run) = cached.check(&["main.c", "value.o"]);
    assert_eq!((count, run.code), (2, 1), "{run}");
    // The compiler.
    assert_eq!(cached.check(&["a.c"]).0, 0);
    let script = fs::read_to_string(&cached.compiler).unwrap();
    fs::write(&cached.compiler, script + "# another version\n").unwrap();
    assert_eq!(cached.check(&["a.c"]).0, 3);
}

#[test]
fn the_cache_can_be_switched_off() {
    let cached = Cached::new();
    cached.write("a.c", "int main(void) { return 0; }\n");
    cached.write("by-variable.c", "int main(void) { return 0; }\n");
    for _ in 0..2 {
        assert_eq!(cached.check(&["--no-cache", "a.c"]).0, 3);
        assert_eq!(cached.check(&["by-variable.c"]).0, 3);
    }
    assert!(!cached.session.path("cache").exists());
}

#[test]
fn damaged_files_are_not_used() {
    let cached = Cached::new();
    cached.write("a.c", "int main(void) { return 0; }\n");
    cached.check(&["a.c"]);
    for file in ["manifest", "program"] {
        assert_eq!(cached.check(&["a.c"]).0, 0, "{file}");
        let [entry] = &cached.entries()[..] else { panic!("one entry: {:?}", cached.entries()) };
        let path = entry.join(file);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let (count, run) = cached.check(&["a.c"]);
        assert_eq!((count, run.code), (2, 0), "{file}\n{run}");
    }
    // A compiler that said only half of what it is.
    let said = fs::read_dir(cached.session.path("cache/answers")).unwrap().flatten().next().unwrap().path();
    fs::write(&said, "Gc").unwrap();
    assert_eq!(cached.check(&["a.c"]).1.code, 0);
}

#[test]
fn nobody_else_can_put_programs_there() {
    let cached = Cached::new();
    cached.write("a.c", "int main(void) { return 0; }\n");
    cached.check(&["a.c"]);
    let programs = cached.session.path("cache/programs");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&programs), 0o700);
    // One that others can write to is not used.
    fs::set_permissions(&programs, PermissionsExt::from_mode(0o777)).unwrap();
    let (count, run) = cached.check(&["a.c"]);
    assert_eq!((count, run.code), (2, 0), "{run}");
}
