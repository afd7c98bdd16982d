//! What a state consists of, word for word: everything that its fingerprint is computed from.
//!
//! An execution that is [asked](crate::Plan::contents) for it writes the content of each state that it records. Content is a sequence of
//! parts. A part is two words, which say what it is, and then what it has. Equal states have equal parts, apart from the order of those
//! of one [kind](PartKind).

/// What a part of a state is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum PartKind {
    /// The first part of each state. The key is the number of the state in [`crate::Execution::states`]. It has nothing.
    State,
    /// The model's part of a thread. The key is its number.
    Thread,
    /// An object. The key is its number.
    Object,
    /// What the runtime keeps for a thread in the kernel's place, and the call that it is in the middle of. The key is its number.
    Call,
    /// A piece of the stack of a thread. The key is its number.
    Stack,
    /// What has changed in a page. The key is its address.
    Page,
    /// What was used of a heap. The key is its address.
    Heap,
    /// An access that the race detector still knows of. The key is the granule.
    Access,
    /// The events so far, where the program has done something that is not understood.
    History,
    /// Exit handlers, and who is inside an atomic section.
    Rest,
}

impl PartKind {
    /// All kinds, by their numbers.
    pub const ALL: [PartKind; 10] = [
        PartKind::State,
        PartKind::Thread,
        PartKind::Object,
        PartKind::Call,
        PartKind::Stack,
        PartKind::Page,
        PartKind::Heap,
        PartKind::Access,
        PartKind::History,
        PartKind::Rest,
    ];

    /// The first word of a part of this kind with so many words.
    pub const fn head(self, words: usize) -> u64 {
        (words as u64) << 8 | self as u64
    }
}

/// A part of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Part<'c> {
    /// What it is about.
    pub kind: PartKind,
    /// Which one of its kind.
    pub key: u64,
    /// What it has.
    pub words: &'c [u64],
}

/// The parts in `content`, up to the first that makes no sense.
pub fn parts(content: &[u64]) -> impl Iterator<Item = Part<'_>> {
    let mut rest = content;
    core::iter::from_fn(move || {
        let [head, key, after @ ..] = rest else { return None };
        let kind = *PartKind::ALL.get(*head as usize & 0xff)?;
        let (words, left) = after.split_at_checked(usize::try_from(head >> 8).ok()?)?;
        rest = left;
        Some(Part { kind, key: *key, words })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_were_written() {
        assert!(PartKind::ALL.iter().enumerate().all(|(number, kind)| *kind as usize == number));
        let content = [PartKind::State.head(0), 7, PartKind::Page.head(2), 4096, 1, 2, PartKind::Rest.head(1), 0, 9];
        let read: Vec<Part<'_>> = parts(&content).collect();
        assert_eq!(read[0], Part { kind: PartKind::State, key: 7, words: &[] });
        assert_eq!(read[1], Part { kind: PartKind::Page, key: 4096, words: &[1, 2] });
        assert_eq!(read[2], Part { kind: PartKind::Rest, key: 0, words: &[9] });
        // Whatever is cut off or damaged ends the parts.
        for length in 0..content.len() {
            assert!(parts(&content[..length]).count() <= 2);
        }
        for head in [u64::MAX, 10, 0xff, PartKind::Page.head(usize::MAX >> 8)] {
            assert_eq!(parts(&[head, 0, 0]).count(), 0, "{head:#x}");
        }
    }
}
