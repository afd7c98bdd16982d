//! What a program declares to Heddle, read from its file: labels that must be reached, and functions that run atomically.
//!
//! `heddle_reachable("label")` puts the label and its place into a section of its own, whether or not it is ever executed:
//! two strings, each ending in a zero byte. Functions named `__VERIFIER_atomic_...` are found by their symbols. A program
//! without a symbol table has none.

use heddle_model::facts::Label;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

/// What a program declares to Heddle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotations {
    /// Labels that must be reached. A label occurs once for each place.
    pub labels: Vec<Label>,
    /// Functions that run atomically: the first address, and one past the last.
    pub atomic_functions: Vec<[u64; 2]>,
    /// The program's entry point.
    pub entry: u64,
}

/// The name of the section with the labels.
const SECTION: &str = "heddle_labels";
/// The prefix of functions that run atomically. `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end` are calls of Heddle's
/// instead.
pub const ATOMIC: &str = "__VERIFIER_atomic_";

/// Whether a source file may have functions that run atomically.
pub fn are_in(source: &std::path::Path) -> bool {
    std::fs::read(source).is_ok_and(|text| text.windows(ATOMIC.len()).any(|part| part == ATOMIC.as_bytes()))
}

/// What the program in `bytes` declares. Nothing, if it cannot be read.
pub fn of(bytes: &[u8]) -> Annotations {
    let Ok(file) = object::File::parse(bytes) else { return Annotations::default() };
    let section = file.section_by_name(SECTION).and_then(|section| section.data().ok());
    let functions = file.symbols().filter(|symbol| {
        let called = |name: &str| name.starts_with(ATOMIC) && !matches!(&name[ATOMIC.len()..], "begin" | "end");
        symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.name().is_ok_and(called)
    });
    Annotations {
        labels: section.map(labels).unwrap_or_default(),
        atomic_functions: functions.map(|symbol| [symbol.address(), symbol.address() + symbol.size()]).collect(),
        entry: file.entry(),
    }
}

fn labels(section: &[u8]) -> Vec<Label> {
    // The linker may leave room between two entries.
    let mut texts = section.split(|byte| *byte == 0).filter(|text| !text.is_empty());
    let mut labels: Vec<Label> = Vec::new();
    while let (Some(name), Some(place)) = (texts.next(), texts.next()) {
        let place = String::from_utf8_lossy(place);
        let (file, line) = place.rsplit_once(':').unwrap_or((&place, ""));
        let label = Label {
            name: String::from_utf8_lossy(name).into_owned(),
            file: file.to_owned(),
            line: line.parse().unwrap_or(0),
        };
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    // Which comes first in the file is the compiler's business.
    labels.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_pairs_of_texts_with_room_between() {
        let found = labels(b"both win\0a.c:12\0\0\0\0late\0b:c.c:3\0both win\0a.c:12\0lost");
        let label = |name: &str, file: &str, line| Label { name: name.into(), file: file.into(), line };
        assert_eq!(found, [label("both win", "a.c", 12), label("late", "b:c.c", 3)]);
        assert!(labels(b"").is_empty());
    }

    #[test]
    fn what_cannot_be_read_says_nothing() {
        assert_eq!(of(b"not a program"), Annotations::default());
    }
}
