//! Finds what a failing test printed about its failure, and the place that it named.
//!
//! The formats are those of the common test frameworks:
//!
//! | framework | line |
//! |---|---|
//! | GoogleTest | `bank_test.cc:12: Failure` |
//! | Catch2 | `bank_test.cpp:12: FAILED:` |
//! | doctest | `bank_test.cpp:12: ERROR: CHECK( ... ) is NOT correct!` |
//! | Boost.Test | `bank_test.cpp(12): error: in "case": check ... has failed` |
//! | CppUTest, Unity, cmocka, Check | `bank_test.c:12: error: ...`, `bank_test.c:12:name:FAIL: ...` |
//!
//! If no line names a place together with a word of failure, the first line that begins with a place is taken:
//! `bank.c:12: the balance is wrong`.

use heddle_model::finding::Location;

/// What a program printed about its failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The place that it named.
    pub location: Location,
    /// The line and those that follow up to an empty one, without the place.
    pub text: String,
}

/// How many lines of a failure are kept.
const LINES: usize = 6;

/// How the names of source files end.
const ENDINGS: [&str; 14] = ["c", "cc", "cpp", "cxx", "c++", "C", "h", "hh", "hpp", "hxx", "ipp", "inl", "tpp", "inc"];

/// Words that say that something failed. They are compared without regard to case.
const FAILURES: [&str; 4] = ["fail", "error", "not ok", "mismatch"];

/// The first failure that `output` tells of with a place.
pub fn failure(output: &str) -> Option<Printed> {
    let lines: Vec<String> = output.lines().map(without_colours).collect();
    let places = || lines.iter().enumerate().filter_map(|(index, line)| Some((index, place(line)?)));
    let failed = |rest: &str| {
        let rest = rest.to_lowercase();
        FAILURES.iter().any(|word| rest.contains(word))
    };
    let (index, (location, rest, _)) = places()
        .find(|(index, (_, rest, _))| failed(rest) || failed(lines[*index].split(':').next().unwrap_or_default()))
        .or_else(|| places().find(|(_, (_, rest, begins))| *begins && !rest.trim().is_empty()))?;
    let first = rest.trim_start_matches([':', ' ']).trim_end();
    let more = lines[index + 1..].iter().map(|line| line.trim()).take_while(|line| !line.is_empty());
    let text: Vec<&str> = [first].into_iter().filter(|line| !line.is_empty()).chain(more).take(LINES).collect();
    Some(Printed { location, text: text.join("; ").replace(":; ", ": ") })
}

/// The first place in `line`, what follows it, and whether the line begins with it.
fn place(line: &str) -> Option<(Location, &str, bool)> {
    let marks = line.char_indices().filter(|(_, c)| matches!(c, ':' | '('));
    marks.into_iter().find_map(|(at, mark)| {
        let begin = line[..at].rfind([' ', '\t', '[', '"', '\'', '(', '<']).map_or(0, |index| index + 1);
        let file = &line[begin..at];
        let (name, ending) = file.rsplit_once('.')?;
        if name.is_empty() || name.ends_with('/') || !ENDINGS.contains(&ending) {
            return None;
        }
        let rest = &line[at + 1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..digits].parse().ok().filter(|number| *number != 0)?;
        let rest = &rest[digits..];
        let rest = match mark {
            '(' => rest.strip_prefix(')')?,
            _ if rest.is_empty() || rest.starts_with([':', ' ', ',', ')', ']']) => rest,
            _ => return None,
        };
        let location = Location { file: file.to_string(), line: number, ..Location::default() };
        Some((location, rest, begin == 0))
    })
}

/// `line` without the escape sequences that colour it.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |index| index + 1);
        plain.push_str(&part[end..]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file, the line and the words of the failure in `output`.
    fn found(output: &str) -> Option<(String, u32, String)> {
        failure(output).map(|printed| (printed.location.file, printed.location.line, printed.text))
    }

    fn at(file: &str, line: u32, text: &str) -> Option<(String, u32, String)> {
        Some((file.to_string(), line, text.to_string()))
    }

    #[test]
    fn google_test() {
        let output = "[ RUN      ] Bank.Transfers\n../test/bank_test.cc:31: Failure\nExpected equality of these values:\n  \
                      balance\n    Which is: 90\n  100\n\n[  FAILED  ] Bank.Transfers (0 ms)\n";
        let text = "Failure; Expected equality of these values: balance; Which is: 90; 100";
        assert_eq!(found(output), at("../test/bank_test.cc", 31, text));
    }

    #[test]
    fn catch2_names_the_case_before_the_failure() {
        let output = "-----\nTransfers\n-----\nbank_test.cpp:8\n.....\n\nbank_test.cpp:12: FAILED:\n  REQUIRE( balance == 100 )\n\
                      with expansion:\n  90 == 100\n\n=====\n";
        let text = "FAILED: REQUIRE( balance == 100 ); with expansion: 90 == 100";
        assert_eq!(found(output), at("bank_test.cpp", 12, text));
    }

    #[test]
    fn doctest_with_colours() {
        let output = "\u{1b}[0mbank_test.cpp:5:\nTEST CASE:  Transfers\n\n\u{1b}[0;37mbank_test.cpp:9: \u{1b}[1;31mERROR: \
                      \u{1b}[0;36mCHECK( balance == 100 )\u{1b}[0m is NOT correct!\n  values: CHECK( 90 == 100 )\n";
        let text = "ERROR: CHECK( balance == 100 ) is NOT correct!; values: CHECK( 90 == 100 )";
        assert_eq!(found(output), at("bank_test.cpp", 9, text));
    }

    #[test]
    fn boost_test() {
        let output = "Running 1 test case...\ntests/bank.cpp(17): error: in \"transfers\": check balance == 100 has failed [90 != 100]\n\n\
                      *** 1 failure is detected in the test module \"Bank\"\n";
        let text = "error: in \"transfers\": check balance == 100 has failed [90 != 100]";
        assert_eq!(found(output), at("tests/bank.cpp", 17, text));
    }

    #[test]
    fn plain_c() {
        assert_eq!(
            found("bank.c:12:transfers:FAIL: Expected 100 Was 90\n"),
            at("bank.c", 12, "transfers:FAIL: Expected 100 Was 90")
        );
        assert_eq!(found("[   LINE   ] --- a/b.c:7: error: Failure!\n"), at("a/b.c", 7, "error: Failure!"));
        assert_eq!(found("begins\nbank.c:12: the balance is wrong\n"), at("bank.c", 12, "the balance is wrong"));
    }

    #[test]
    fn what_names_no_place_is_left_alone() {
        for output in [
            "",
            "the balance is wrong\n",
            "at 12:30: failure\n",
            "http://host:80: error\n",
            "a.c: failed\n",
            ".c:1: error\n",
        ] {
            assert_eq!(found(output), None, "{output}");
        }
        assert_eq!(
            found("see bank.c:12 for the invariant\n"),
            None,
            "a place in the middle of a sentence is no failure"
        );
    }
}
