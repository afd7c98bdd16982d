//! The sources that a program or library was made from, as its debug information names them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use addr2line::Loader;

use super::assembly::is_of_library;

/// A source file, with the lines that the program has code for.
pub struct Source {
    /// The name in debug information.
    pub file: String,
    /// The text of the file.
    pub text: String,
    /// The lines with code, from 1.
    pub lines: BTreeSet<u32>,
}

/// The sources of a file that can be read, apart from those of the system and of compilers.
pub fn of(path: &Path) -> Vec<Source> {
    let mut active: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let Ok(loader) = Loader::new(path) else { return Vec::new() };
    if let Ok(all) = loader.find_location_range(0, u64::MAX) {
        for (_, _, at) in all {
            let Some((file, line)) = at.file.zip(at.line).filter(|(file, _)| !is_of_system(file)) else { continue };
            match active.get_mut(file) {
                Some(lines) => lines.insert(line),
                None => active.entry(file.to_owned()).or_default().insert(line),
            };
        }
    }
    let texts = active.into_iter().filter_map(|(file, lines)| {
        let text = std::fs::read_to_string(&file).ok()?;
        Some(Source { file, text, lines })
    });
    texts.collect()
}

/// Whether a source file belongs to the system or a compiler.
fn is_of_system(file: &str) -> bool {
    is_of_library(file) || file.starts_with("/usr/include/") || file.starts_with("/usr/lib/")
}
