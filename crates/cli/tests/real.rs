//! Programs with the structure of those that the papers looked at (`tests/real`): a download in segments, a search through files, a
//! compressor in blocks, and the containers of a library. The mistakes that were found in them are found here; without them they are
//! proved right.

use crate::common::{Expectation, Session, clang, sources};

#[test]
fn mistakes_are_found_and_the_rest_is_right() {
    let files = sources("tests/real");
    assert!(files.len() >= 14);
    for file in files {
        let expected = Expectation::of(&file);
        for (compiler, level) in [("gcc", "-O0"), (clang(), "-O2")] {
            let mut words = vec![file.display().to_string(), level.to_owned(), "--cc".to_owned(), compiler.to_owned()];
            words.extend(expected.flags.iter().cloned());
            let run = Session::new().check(words.iter().chain([&"--all".to_owned()]));
            expected.hold(&run);
        }
    }
}
