//! The user's source files: their lines, their fingerprints, and their names in reports.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use heddle_model::finding::Location;
use heddle_report::recording::{Lines, is_user};
use xxhash_rust::xxh3::xxh3_128;

/// A fingerprint of a file's bytes.
pub fn fingerprint(path: &Path) -> io::Result<String> {
    Ok(format!("{:032x}", xxh3_128(&fs::read(path)?)))
}

/// The name of a file in reports. Debug information has absolute paths; those below `directory` become relative to it.
pub fn shorten(file: &str, directory: &Path) -> String {
    let path = Path::new(file);
    // `dir/./a.c` and `dir/sub/../a.c` are what compilers make of relative names.
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir if clean.file_name().is_some() => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    let short = clean.strip_prefix(directory).unwrap_or(&clean);
    short.display().to_string()
}

/// Reads the source lines around places. Each file is read once.
pub struct Reader {
    directory: PathBuf,
    files: HashMap<String, Option<Vec<String>>>,
}

/// How many lines are kept before and after each place, so that a report can show what is between two nearby places.
const CONTEXT: u32 = 2;

impl Reader {
    /// Reads files relative to `directory`.
    pub fn new(directory: &Path) -> Reader {
        Reader { directory: directory.to_path_buf(), files: HashMap::new() }
    }

    /// Adds the lines around `at` to `lines`, if the file can be read and is the user's own.
    pub fn add(&mut self, at: &Location, lines: &mut Lines) {
        if !is_user(at) {
            return;
        }
        let directory = &self.directory;
        let text = self.files.entry(at.file.clone()).or_insert_with(|| {
            let bytes = fs::read(directory.join(&at.file)).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_string).collect())
        });
        let Some(text) = text else { return };
        let kept = lines.entry(at.file.clone()).or_default();
        for number in at.line.saturating_sub(CONTEXT).max(1)..=at.line.saturating_add(CONTEXT) {
            if let Some(line) = text.get(number as usize - 1) {
                kept.entry(number).or_insert_with(|| line.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_below_the_directory_are_relative() {
        let directory = Path::new("/home/me/project");
        assert_eq!(shorten("/home/me/project/./src/../a.c", directory), "a.c");
        assert_eq!(shorten("/home/me/project/src/a.c", directory), "src/a.c");
        assert_eq!(shorten("/usr/include/x.h", directory), "/usr/include/x.h");
        assert_eq!(shorten("a.c", directory), "a.c");
        assert_eq!(shorten("../a.c", directory), "../a.c");
    }
}
