//! Which test framework a program was built with, from what its file contains. The program is not run for this.

use std::path::Path;

use object::{Object, ObjectSection};

/// A framework of tests for C and C++.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framework {
    /// GoogleTest.
    GoogleTest,
    /// Catch2, version 2 or 3.
    Catch2,
    /// doctest.
    Doctest,
    /// Boost.Test.
    Boost,
}

/// What only programs with a framework contain: names of its options, of its functions, of its library.
const MARKS: [(Framework, [&str; 3]); 4] = [
    (Framework::GoogleTest, ["gtest_list_tests", "libgtest", "libgmock"]),
    (Framework::Doctest, ["list-test-cases", "_ZN7doctest7Context", "libdoctest"]),
    (Framework::Catch2, ["list all/matching test cases", "_ZN5Catch7Session", "libCatch2"]),
    (Framework::Boost, ["list_content", "libboost_unit_test_framework", "_ZN5boost9unit_test"]),
];

/// The sections that are looked at: strings, names of functions, names of libraries.
const SECTIONS: [&str; 3] = [".rodata", ".strtab", ".dynstr"];

impl Framework {
    /// The frameworks that the program at `path` may have been built with, the likeliest first. `None` if it is no program.
    pub fn of(path: &Path) -> Option<Vec<Framework>> {
        let bytes = std::fs::read(path).ok()?;
        let file = object::File::parse(bytes.as_slice()).ok()?;
        let sections = || SECTIONS.iter().filter_map(|name| file.section_by_name(name)?.data().ok());
        let has = |mark: &&str| sections().any(|data| contains(data, mark.as_bytes()));
        Some(MARKS.iter().filter(|(_, marks)| marks.iter().any(has)).map(|(known, _)| *known).collect())
    }
}

fn contains(data: &[u8], mark: &[u8]) -> bool {
    let (first, rest) = (mark[0], mark.len());
    let mut from = 0;
    while let Some(at) = data[from..].iter().position(|byte| *byte == first) {
        let at = from + at;
        if data.len() - at < rest {
            return false;
        }
        if &data[at..at + rest] == mark {
            return true;
        }
        from = at + 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_wherever_they_stand() {
        assert!(contains(b"libgtest", b"libgtest") && contains(b"llibgtest.so", b"libgtest"));
        assert!(!contains(b"libgtes", b"libgtest") && !contains(b"", b"l") && !contains(b"libgtelibgtes", b"libgtest"));
    }

    #[test]
    fn a_source_is_no_program_and_this_one_has_no_framework() {
        assert_eq!(Framework::of(Path::new(file!())), None);
        let shell = Framework::of(Path::new("/bin/sh"));
        assert_eq!(shell, Some(Vec::new()));
    }
}
