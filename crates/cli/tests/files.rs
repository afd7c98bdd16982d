//! Files and standard input from the outside: what is on disk stays as it was, and what is read can be read again.

use std::fs;
use std::process::Stdio;

use crate::common::{Session, can_use, installed, program};

/// Appends to a file that is there makes another one, and finds that the threads did not come in one order.
const WRITER: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *append(void *word)
{
    FILE *file = fopen("notes.txt", "a");
    fputs(word, file);
    fclose(file);
    return NULL;
}

int main(int count, char **words)
{
    pthread_t one, two;
    char line[100];
    assert(count == 2 && chdir(words[1]) == 0);
    FILE *made = fopen("made.txt", "wx");
    assert(made);
    fclose(made);
    pthread_create(&one, NULL, append, "one ");
    pthread_create(&two, NULL, append, "two ");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    FILE *file = fopen("notes.txt", "r");
    assert(fgets(line, sizeof line, file));
    fclose(file);
    assert(unlink("notes.txt") == 0);
    assert(strcmp(line, "begin one two ") == 0);
    return 0;
}
"#;

/// The session, and the words for its program.
fn writer() -> (Session, [String; 3]) {
    let session = Session::new();
    let file = session.write("writer.c", WRITER).display().to_string();
    session.write("notes.txt", "begin ");
    let place = session.path("").display().to_string();
    (session, [file, "--".to_owned(), place])
}

fn must_be_untouched(session: &Session) {
    assert_eq!(fs::read_to_string(session.path("notes.txt")).unwrap(), "begin ");
    assert!(!session.path("made.txt").exists());
}

/// Opens files before `main`, and changes them in ways other than a write: through a mapping that is made writable later, and by a copy.
const EARLY: &str = r#"
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int one, other;

__attribute__((constructor)) static void begin(int count, char **words)
{
    if (count == 2 && chdir(words[1]) == 0) {
        one = open("notes.txt", O_RDWR);
        other = open("other.txt", O_RDWR);
    }
}

int main(void)
{
    char *text = mmap(NULL, 4096, PROT_READ, MAP_SHARED, one, 0);
    assert(text != MAP_FAILED && mprotect(text, 4096, PROT_READ | PROT_WRITE) == 0);
    text[0] = 'X';
    assert(copy_file_range(one, NULL, other, NULL, 3, 0) == 3);
    return 0;
}
"#;

#[test]
fn files_that_were_open_before_main_stay() {
    let session = Session::new();
    let file = session.write("early.c", EARLY).display().to_string();
    session.write("notes.txt", "begin ");
    session.write("other.txt", "other ");
    let run = session.check([file, "--".to_owned(), session.path("").display().to_string()]);
    assert_eq!(run.json()["verdict"], "safe", "{run}");
    must_be_untouched(&session);
    assert_eq!(fs::read_to_string(session.path("other.txt")).unwrap(), "other ");
}

#[test]
fn the_disk_stays_as_it_was() {
    let mut counts = Vec::new();
    for flags in
        [&["--restart", "auto"][..], &["--restart", "fork"], &["--restart", "exec"], &["--jobs", "3", "--jobs-at-once"]]
    {
        let (session, [file, rest, place]) = writer();
        let run = session.check([&["--all", &file], flags, &[&rest, &place]].concat());
        let report = run.json();
        assert_eq!(report["verdict"], "found", "{run}");
        assert_eq!(report["findings"].as_array().unwrap().len(), 1, "{run}");
        assert_eq!(report["coverage"]["exhaustive"], true, "{run}");
        counts.push((report["executions"].clone(), report["findings"][0]["count"].clone()));
        must_be_untouched(&session);
    }
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn a_debugger_sees_the_same_and_changes_nothing() {
    if !can_use("gdb", installed("gdb")) {
        return;
    }
    let (session, words) = writer();
    let run = session.check(&words);
    let trace = session.path("out/latest/assertion-1.json").display().to_string();
    let script = "heddle thread 0 print line\nheddle goto 2\nheddle goto end\nheddle thread 0 print line\n";
    let script = session.write("script.gdb", script).display().to_string();
    let seen = session.run(["replay", &trace, "--gdb-batch", &script]);
    assert_eq!(seen.code, 1, "{seen}\n{run}");
    assert_eq!(seen.stdout.matches("begin two one ").count(), 2, "{seen}");
    must_be_untouched(&session);
}

#[test]
fn standard_input_can_be_a_pipe() {
    let session = Session::new();
    let shared = program("stdin-shared.c").display().to_string();
    let mut command = session.command(["check", &shared, "--stdin", "-", "--json", "--out"]);
    command.arg(session.path("out")).stdin(Stdio::from(fs::File::open(session.write("input", "root")).unwrap()));
    let run = session.start(command).wait();
    let report = run.json();
    assert_eq!(report["findings"][0]["kind"], "assertion", "{run}");
    let trace = report["findings"][0]["trace"].as_str().unwrap();
    session.run(["replay", trace]).must_say(1, &["reproduced: "]);
    // Nothing is left where nothing was found.
    let mut command = session.command(["check", "examples/abba-fixed.c", "--stdin", "-", "--out"]);
    command.arg(session.path("none")).stdin(Stdio::null());
    session.start(command).wait().must_say(0, &["safe"]);
    assert!(!session.path("none").exists());
}

#[test]
fn standard_input_can_be_read_again() {
    let session = Session::new();
    let input = session.write("input", "root").display().to_string();
    let shared = program("stdin-shared.c").display().to_string();
    let run = session.check([&shared, "--stdin", &input]);
    assert_eq!(run.json()["findings"][0]["kind"], "assertion", "{run}");
    session.write("input", "other");
    let trace = session.path("out/latest/assertion-1.json").display().to_string();
    session.run(["replay", &trace]).must_say(1, &["input has changed since the trace was recorded"]);
    session.write("input", "");
    session.run(["replay", &trace]).must_say(2, &["input has changed since the trace was recorded"]);
    for (name, why) in
        [("nothing", "No such file"), ("/dev/null", "is not a regular file"), (".", "is not a regular file")]
    {
        session.run(["check", &shared, "--stdin", name]).must_say(2, &[why, "--stdin"]);
    }
}

/// One thread writes by name and by a shared descriptor, the other looks at the size, renames, cuts off and reads.
const MIXED: &str = r#"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int shared, results[2][3];

static void *writer(void *unused)
{
    int file = open("f", O_CREAT | O_WRONLY | O_APPEND, 0600);
    results[0][0] = write(file, "new", 3);
    close(file);
    results[0][1] = write(shared, "xy", 2);
    return unused;
}

static void *reader(void *unused)
{
    struct stat status;
    char byte = 0;
    if (FIRST) {
        results[1][0] = stat("f", &status) ? -1 : (int)status.st_size;
        results[1][1] = rename("f", "g");
    } else {
        FILE *file = fopen("f", "w");
        results[1][0] = fclose(file);
        results[1][1] = read(shared, &byte, 1);
    }
    results[1][2] = byte;
    return unused;
}

static void show(const char *name)
{
    struct stat status;
    printf("%s %d, ", name, stat(name, &status) ? -1 : (int)status.st_size);
}

int main(void)
{
    pthread_t one, two;
    int file = open("f", O_CREAT | O_WRONLY, 0600);
    if (write(file, "first", 5) != 5)
        return 1;
    close(file);
    shared = open("s", O_CREAT | O_RDWR, 0600);
    if (write(shared, "shared", 6) != 6 || lseek(shared, 0, SEEK_SET) != 0)
        return 1;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    show("f");
    show("g");
    show("s");
    for (int i = 0; i < 6; i++)
        printf("%d ", results[i / 3][i % 3]);
    return 0;
}
"#;

#[test]
fn no_order_of_uses_is_missed() {
    for variant in ["-DFIRST=1", "-DFIRST=0"] {
        let outcomes = |algorithm: &str| {
            let session = Session::new();
            let file = session.write("mixed.c", MIXED).display().to_string();
            let run = session.check([&file, variant, "--outcomes", "--races", "off", "--algorithm", algorithm]);
            let report = run.json();
            assert_eq!(report["verdict"], "safe", "{run}");
            let list = report["outcomes"].as_array().expect("a list").clone();
            let mut outputs: Vec<String> = list.iter().map(|outcome| outcome["output"].to_string()).collect();
            outputs.sort();
            (outputs, report["executions"].as_u64().unwrap())
        };
        let (all, most) = outcomes("dfs");
        let (some, few) = outcomes("optimal");
        assert_eq!(all, some, "{variant}");
        assert!(all.len() > 2 && few < most, "{variant}: {few} of {most}, {all:?}");
    }
}

/// A file has other names than its own: through what the kernel tells about the process, and by a link that leads there.
#[test]
fn by_way_of_proc() {
    const SOURCE: &str = "#include <fcntl.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n\
        static char name[200];\n\
        static void *work(void *p) { int f = open(name, O_WRONLY | O_TRUNC | O_CREAT, 0600); if (f < 0 || write(f, \"x\", 1) != 1) _exit(3); close(f); return p; }\n\
        int main(int n, char **words) { pthread_t t; if (chdir(words[n - 2])) return 2; int f = open(\"notes.txt\", O_RDONLY); symlink(\"/proc/self/cwd\", \"way\");\n\
          if (words[n - 1][0] == '#') sprintf(name, \"/proc/self/fd/%d\", f); else strcpy(name, words[n - 1]);\n\
          pthread_create(&t, 0, work, 0); pthread_join(t, 0); char b[9] = {0}; int g = open(\"notes.txt\", O_RDONLY); return !(read(g, b, 8) == 1 && b[0] == 'x'); }\n";
    for name in [
        "/proc/self/cwd/notes.txt",
        "/proc/thread-self/cwd/notes.txt",
        "way/notes.txt",
        "#",
        "/dev/fd/../cwd/notes.txt",
    ] {
        let session = Session::new();
        let file = session.write("proc.c", SOURCE).display().to_string();
        session.write("notes.txt", "begin ");
        let place = session.path("").display().to_string();
        let run = session.check([&file, "--", &place, name]);
        assert_eq!(run.json()["verdict"], "safe", "{name}: {run}");
        must_be_untouched(&session);
        assert!(!session.path("way").exists(), "{name}");
    }
}
