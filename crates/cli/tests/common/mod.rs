//! What the end-to-end tests share: running the built `heddle` as a person would, what a program's header expects,
//! and looking for anything that was left behind.
//!
//! Every test works in a directory of its own, which is also where its `heddle` puts temporary files, and marks its
//! processes with a variable in their environment. So tests can run side by side and each sees only its own litter.

mod build_cache;
#[allow(dead_code)] // It is a program of its own, which the build cache compiles. Here it is looked at by the lints.
mod caching_compiler;
mod expectation;
pub mod matrix;
pub mod schema;
mod session;
pub mod yaml;

pub use expectation::Expectation;
pub use heddle_testkit::environment::{can_use, is_full, number, seed};
pub use heddle_testkit::processes::{alone, computed, wait_until};
pub use session::{Finished, Running, Session, send};

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The ways to start over.
pub const RESTARTS: [&str; 3] = ["snapshot", "fork", "exec"];

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// A program of `tests/programs`.
pub fn program(name: &str) -> PathBuf {
    root().join("tests/programs").join(name)
}

/// The C and C++ files of a folder, in order.
pub fn sources(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join(folder))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} has no programs");
    files
}

/// Whether a command can be run.
pub fn installed(command: &str) -> bool {
    Command::new(command)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// The newest clang there is. A machine without one cannot run these tests; `./x test` installs one.
pub fn clang() -> &'static str {
    CLANGS.into_iter().find(|name| installed(name)).expect("no clang is installed: `./x test` installs one")
}

/// The clangs besides [`clang`].
pub fn other_clangs() -> Vec<&'static str> {
    let newest = clang();
    CLANGS.into_iter().filter(|name| *name != newest && *name != "clang" && installed(name)).collect()
}

const CLANGS: [&str; 7] = ["clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14", "clang"];

/// Fails unless every finding of `run` replays to itself, from its file alone.
pub fn must_replay(session: &Session, run: &Finished) {
    // A run that was refused, or whose traces could not be stored, has nothing to replay.
    let Ok(report) = serde_json::from_str::<serde_json::Value>(&run.stdout) else { return };
    for finding in report["findings"].as_array().into_iter().flatten() {
        let Some(trace) = finding["trace"].as_str() else {
            // What no execution does has no trace.
            assert!(run.code != 1 || finding["kind"] == "unreached", "no trace file\n{run}");
            continue;
        };
        let replay = session.run(["replay", "--json", trace]);
        assert_eq!(replay.code, 1, "replay\n{replay}\nof\n{run}");
        let again = &replay.json()["findings"][0];
        // Where in its loop a thread that runs for ever is interrupted is chance.
        let exact = finding["kind"] != "hang";
        let fields = ["id", "kind", "message", "notes", "switches", "preemptions", "location", "threads"];
        for field in &fields[..if exact { fields.len() } else { fields.len() - 2 }] {
            assert_eq!(again[field], finding[field], "another {field}\n{replay}\nof\n{run}");
        }
    }
}

/// The JSON document of a run without what depends on the clock, and without the names of files. Proposed commands depend on both.
pub fn timeless(mut json: serde_json::Value) -> serde_json::Value {
    for field in ["seconds", "executions_per_second", "advice"] {
        json.as_object_mut().expect("a document").remove(field);
    }
    for finding in json["findings"].as_array_mut().expect("a list") {
        finding.as_object_mut().expect("a finding").remove("trace");
    }
    json
}
