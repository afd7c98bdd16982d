//! What a program says to Heddle by names of its own, read off its file: labels that must be reached, and functions that run
//! as one step.
//!
//! `heddle_reachable("label")` leaves the label and its place in a section of its own, whether or not it is ever run: two
//! texts, each ending in a zero byte. Functions named `__VERIFIER_atomic_...` are known by their symbols; a program without
//! symbols has none.

use heddle_model::facts::Label;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

/// What a program says to Heddle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotations {
    /// The labels that must be reached, each once for each place.
    pub labels: Vec<Label>,
    /// Functions that run as one step: from the first address to one past the last.
    pub atomic_functions: Vec<[u64; 2]>,
    /// Where the program begins.
    pub entry: u64,
}

/// The section with the labels.
const SECTION: &str = "heddle_labels";
/// What the names of functions that run as one step begin with; two of these are calls of Heddle's.
pub const ATOMIC: &str = "__VERIFIER_atomic_";

/// Whether a source file has functions that run as one step, or may have.
pub fn are_in(source: &std::path::Path) -> bool {
    std::fs::read(source).is_ok_and(|text| text.windows(ATOMIC.len()).any(|part| part == ATOMIC.as_bytes()))
}

/// What the program in `bytes` says. Nothing, if it cannot be read.
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
