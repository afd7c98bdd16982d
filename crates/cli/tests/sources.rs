//! Rules about the sources that no compiler checks.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::root;

/// The longest that a file of hand-written code may be. A table may be longer if its first lines say that it is one.
const LONGEST_FILE: usize = 600;
/// The longest line of a page of the documentation.
const LONGEST_LINE: usize = 160;
/// What the command line, its words and its files may take.
const COMMAND_LINE: usize = 4500;
/// How a table says that it is one, in the comment at its beginning.
const TABLE: &str = "a table";

/// The files below `folder` with one of these endings.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())).flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn files_are_short() {
    let all = ["crates", "benches", "examples"]
        .map(|folder| files(&root().join(folder), &["rs", "py", "js", "css", "c", "cpp", "h"]));
    let all: Vec<PathBuf> = all.into_iter().flatten().collect();
    assert!(all.len() > 200, "only {} files", all.len());
    let is_table = |text: &str| text.lines().take(10).any(|line| line.starts_with("//") && line.contains(TABLE));
    let is_long = |path: &&PathBuf| {
        let text = text(path);
        text.lines().count() > LONGEST_FILE && !is_table(&text)
    };
    let long: Vec<&PathBuf> = all.iter().filter(is_long).collect();
    assert!(long.is_empty(), "over {LONGEST_FILE} lines: look for the seam: {long:#?}");
}

#[test]
fn the_command_line_stays_small() {
    let lines: usize =
        files(&root().join("crates/cli/src"), &["rs"]).iter().map(|path| text(path).lines().count()).sum();
    assert!(
        lines < COMMAND_LINE,
        "crates/cli/src has {lines} lines: what another front end would need belongs to crates/check"
    );
}

#[test]
fn lines_of_the_documentation_fit_on_a_screen() {
    let pages = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"].map(|page| root().join(page));
    let pages: Vec<PathBuf> = pages.into_iter().chain(files(&root().join("docs"), &["md"])).collect();
    assert!(pages.len() > 10, "the documentation is elsewhere: {pages:?}");
    for page in pages {
        let text = text(&page);
        let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > LONGEST_LINE).collect();
        assert!(long.is_empty(), "{}: over {LONGEST_LINE} characters: {long:#?}", page.display());
    }
}

/// How a comment begins that needs the one above it.
const LEANING: [&str; 8] = ["The same ", "The same:", "And ", "Likewise", "Ditto", "As above", "Like above", "Those "];

/// Rustdoc shows an item's comment alone, so nobody knows what it is the same as.
#[test]
fn comments_stand_alone() {
    let mut wrong = Vec::new();
    for path in files(&root().join("crates"), &["rs"]) {
        let text = text(&path);
        let mut before = "";
        for (line, number) in text.lines().zip(1..) {
            let line = line.trim_start();
            let text = line.strip_prefix("/// ").filter(|_| !before.starts_with("///"));
            if text.is_some_and(|text| LEANING.iter().any(|word| text.starts_with(word))) {
                wrong.push(format!("{}:{number}: {line}", path.display()));
            }
            before = line;
        }
    }
    assert!(wrong.is_empty(), "{} comments need the one above them:\n{}", wrong.len(), wrong.join("\n"));
}
