//! The header of a test program: comment lines `// heddle: key = value` that say what must come out.
//!
//! | key | meaning |
//! |---|---|
//! | `verdict` | the verdict |
//! | `kind` | the kind of the one finding |
//! | `executions` | how many executions an exhaustive search runs: one for each trace |
//! | `count` | in how many of them the finding happens |
//! | `flags` | more flags, for the compiler and for heddle |
//! | `more` | `yes`: what follows from the finding is found too, and not compared |
//! | `notes` | the kinds of notes that are made, or `none`; each is about a line that ends in `// heddle: note` |
//! | `exhaustive` | `no`: not everything can be explored, though nothing else is wrong |
//!
//! A line that ends in `// heddle: here` is where the finding is; in a deadlock, somebody waits on each such line.

use std::path::Path;

use super::Finished;

/// What a header says.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// The program, for messages.
    pub name: String,
    /// The verdict.
    pub verdict: String,
    /// The kind of the finding.
    pub kind: Option<String>,
    /// How many executions there are.
    pub executions: Option<u64>,
    /// How many of them show the finding.
    pub count: Option<u64>,
    /// For the compiler, and options of heddle's.
    pub flags: Vec<String>,
    /// What follows from the finding is found too.
    pub more: bool,
    /// Not everything can be explored.
    pub partial: bool,
    /// The kinds of notes, sorted.
    pub notes: Option<Vec<String>>,
    /// The lines that are marked as having notes.
    pub noted: Vec<u64>,
    /// The lines that are marked.
    pub here: Vec<u64>,
}

impl Expectation {
    /// What the header of `file` says.
    pub fn of(file: &Path) -> Expectation {
        let expectation = Expectation::find(file);
        assert!(!expectation.verdict.is_empty(), "{}: the header has no verdict", file.display());
        expectation
    }

    /// What the header of `file` says; the verdict is empty if there is none.
    pub fn find(file: &Path) -> Expectation {
        let text = std::fs::read_to_string(file).expect("the program can be read");
        let mut expectation = Expectation { name: file.display().to_string(), ..Expectation::default() };
        for (line, number) in text.lines().zip(1..) {
            let Some((before, after)) = line.split_once("// heddle: ") else { continue };
            if after.trim() == "here" {
                expectation.here.push(number);
                continue;
            }
            if after.trim() == "note" {
                expectation.noted.push(number);
                continue;
            }
            assert!(before.is_empty(), "{}:{number}: a header line stands alone", file.display());
            let (key, value) = after.split_once('=').expect("a header line is `key = value`");
            let value = value.trim();
            let number = || value.parse().expect("a number");
            match key.trim() {
                "verdict" => expectation.verdict = value.to_owned(),
                "kind" => expectation.kind = Some(value.to_owned()),
                "executions" => expectation.executions = Some(number()),
                "count" => expectation.count = Some(number()),
                "flags" => expectation.flags = value.split_whitespace().map(str::to_owned).collect(),
                "notes" => {
                    let mut kinds: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
                    kinds.sort();
                    kinds.retain(|kind| kind != "none");
                    expectation.notes = Some(kinds);
                }
                "more" => expectation.more = value == "yes",
                "exhaustive" => expectation.partial = value == "no",
                other => panic!("{}: `{other}` is no key of a header", file.display()),
            }
        }
        expectation
    }

    /// Compares an exhaustive run (`--all`) with the header.
    pub fn hold(&self, run: &Finished) {
        self.hold_verdict(run);
        let report = run.json();
        // A program that does not come to `main` has no coverage.
        let complete = report["coverage"]["exhaustive"].as_bool().or(report["coverage"].is_null().then_some(false));
        // What follows from the finding can be the loss of an execution: a process that has overwritten its own memory.
        let told = self.more || complete == Some(self.can_be_exhausted());
        assert!(told, "{}: exhaustive: {complete:?}\n{run}", self.name);
        if let Some(executions) = self.executions {
            assert_eq!(report["executions"].as_u64(), Some(executions), "{}: executions\n{run}", self.name);
        }
        if let Some(kinds) = &self.notes {
            let none = Vec::new();
            let notes = report["notes"].as_array().unwrap_or(&none);
            let mut told: Vec<&str> = notes.iter().filter_map(|note| note["kind"].as_str()).collect();
            told.sort();
            assert_eq!(told, *kinds, "{}: notes\n{run}", self.name);
            let lines: Vec<u64> = notes.iter().filter_map(|note| note["location"]["line"].as_u64()).collect();
            assert!(lines.iter().all(|line| self.noted.contains(line)), "{}: notes at {lines:?}\n{run}", self.name);
            assert!(self.noted.iter().all(|line| lines.contains(line)), "{}: notes at {lines:?}\n{run}", self.name);
        }
        if let Some(count) = self.count {
            assert_eq!(report["findings"][0]["count"].as_u64(), Some(count), "{}: count\n{run}", self.name);
        }
    }

    /// Whether a search of this program can be complete. An execution ends at a hang: what would have followed is not known,
    /// and must not be claimed.
    pub fn can_be_exhausted(&self) -> bool {
        !self.partial && !matches!(self.kind.as_deref(), Some("hang"))
    }

    /// Compares the verdict, the exit code and what was found.
    pub fn hold_verdict(&self, run: &Finished) {
        let report = run.json();
        assert_eq!(report["verdict"], self.verdict, "{}: verdict\n{run}", self.name);
        assert_eq!(run.code, exit_code(&self.verdict), "{}: exit code\n{run}", self.name);
        let findings = report["findings"].as_array().expect("a list of findings");
        let Some(kind) = &self.kind else {
            assert!(findings.is_empty(), "{}: found something\n{run}", self.name);
            return;
        };
        assert!(findings.len() == 1 || self.more && findings.len() > 1, "{}: one finding\n{run}", self.name);
        assert_eq!(findings[0]["kind"], *kind, "{}: kind\n{run}", self.name);
        if self.here.is_empty() {
            return;
        }
        let location = findings[0]["location"]["line"].as_u64().unwrap_or(0);
        assert!(self.here.contains(&location), "{}: line {location}, not {:?}\n{run}", self.name, self.here);
        let file = findings[0]["location"]["file"].as_str().unwrap_or("");
        assert!(self.name.ends_with(file.trim_start_matches("./")), "{}: in file {file}\n{run}", self.name);
        if kind == "deadlock" {
            let waiting = lines_of(&findings[0]);
            let all = self.here.iter().all(|line| waiting.contains(line));
            assert!(all, "{}: waiting at {waiting:?}, not {:?}\n{run}", self.name, self.here);
        }
    }
}

/// The lines where the threads of a finding were.
fn lines_of(finding: &serde_json::Value) -> Vec<u64> {
    let threads = finding["threads"].as_array().expect("a list of threads");
    threads.iter().filter_map(|thread| thread["at"]["line"].as_u64()).collect()
}

fn exit_code(verdict: &str) -> i32 {
    match verdict {
        "safe" => 0,
        "found" => 1,
        "error" => 2,
        "incomplete" => 3,
        "unsupported" => 4,
        other => panic!("`{other}` is no verdict"),
    }
}
