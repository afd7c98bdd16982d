//! What reports look like, word for word: `tests/golden` has one for each program with a finding.
//!
//! `./x bless` (or HEDDLE_BLESS=1) writes them anew; look at the difference before it is committed. What depends on the
//! machine is replaced: addresses, paths of temporary directories. The compiler is gcc without optimisation, whose lines and
//! columns of calls are the same in all versions that are supported.

use std::path::{Path, PathBuf};

use crate::common::{Expectation, Session, root, sources};

/// Programs whose reports name what is not the same everywhere.
const APART: [&str; 4] = ["everything.cpp", "long-search.c", "race-vector.cpp", "terminates.cpp"];

/// More than the headers say: the same program in another size, or with other options.
const MORE: [(&str, &[&str]); 8] = [
    ("examples/philosophers.c", &["-DN=2"]),
    ("examples/philosophers.c", &["-DN=5"]),
    ("examples/abba.c", &["--verbose"]),
    ("examples/buffer.c", &["--verbose"]),
    ("examples/queue.c", &["--verbose"]),
    ("examples/race.c", &["--races", "off"]),
    ("examples/lost-update.c", &["--algorithm", "dfs"]),
    ("examples/bank.c", &["--max-preemptions", "2"]),
];

/// What to check: a file, options, and the name of the golden file.
fn cases() -> Vec<(PathBuf, Vec<String>, String)> {
    let mut cases = Vec::new();
    for folder in ["examples", "tests/programs"] {
        for file in sources(folder) {
            let expected = Expectation::find(&file);
            if expected.verdict == "found" && !APART.iter().any(|name| file.ends_with(name)) {
                let name = file.file_name().expect("a name").to_string_lossy().into_owned();
                cases.push((file, expected.flags.clone(), name));
            }
        }
    }
    for (file, options) in MORE {
        let name = Path::new(file).file_name().expect("a name").to_string_lossy().into_owned();
        let options: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
        let suffix: String = options.join("").replace(|c: char| !c.is_ascii_alphanumeric(), "");
        cases.push((root().join(file), options, format!("{name}-{suffix}")));
    }
    cases
}

/// `text` without what is another's in every run.
fn normalised(text: &str, session: &Session) -> String {
    let text = text.replace(&session.path("out").display().to_string(), "OUT");
    let text = text.replace(&root().display().to_string(), "ROOT");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len() - at - 2);
        out.push_str(&rest[..at]);
        // A null pointer is one everywhere.
        out.push_str(if digits > 4 { "0xADDRESS" } else { &rest[at..at + 2 + digits] });
        rest = &rest[at + 2 + digits..];
    }
    out + rest
}

#[test]
fn reports_look_as_they_did() {
    let bless = std::env::var_os("HEDDLE_BLESS").is_some();
    let folder = root().join("tests/golden");
    let cases = cases();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (file, options, name) in &cases {
        let golden = folder.join(format!("{name}.txt"));
        // A program that is new has none until the next blessing.
        if !bless && !golden.exists() {
            continue;
        }
        compared += 1;
        let session = Session::new();
        let file = file.strip_prefix(root()).expect("in the repository").display().to_string();
        let mut words = vec!["check".to_owned(), file, "--cc".to_owned(), "gcc".to_owned()];
        // How far the minimiser comes is a matter of time.
        words.extend(["--hang-timeout", "2s", "--minimise", "off"].map(str::to_owned));
        words.extend(options.iter().cloned());
        let run = session.run(words);
        let text = normalised(&run.stdout, &session);
        if bless {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&golden, &text).expect("it can be written");
            continue;
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if expected != text {
            wrong.push(format!("--- {name}: expected\n{expected}\n--- got\n{text}"));
        }
    }
    assert!(compared >= 40, "only {compared} findings");
    assert!(wrong.is_empty(), "{} reports differ; `./x bless` if that is right\n{}", wrong.len(), wrong.join("\n"));
}

/// Every golden file belongs to a program.
#[test]
fn no_report_is_left_over() {
    let names: Vec<String> = cases().into_iter().map(|(_, _, name)| format!("{name}.txt")).collect();
    for entry in std::fs::read_dir(root().join("tests/golden")).expect("the folder is there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(names.contains(&name), "tests/golden/{name} belongs to nothing");
    }
}

/// The three reports that people meet first fit on a screen.
#[test]
fn the_first_reports_are_short() {
    for (program, options) in
        [("examples/philosophers.c", &["-DN=5"][..]), ("examples/race-queue.c", &[]), ("examples/buffer.c", &[])]
    {
        let session = Session::new();
        let words = ["check", program].into_iter().chain(options.iter().copied());
        let run = session.run(words);
        assert_eq!(run.code, 1, "{run}");
        assert!(run.stdout.lines().count() < 40, "{} lines\n{run}", run.stdout.lines().count());
        let widest = run.stdout.lines().filter(|line| line.contains('|')).map(|line| line.chars().count()).max();
        assert!(widest.is_some(), "no columns\n{run}");
    }
}
