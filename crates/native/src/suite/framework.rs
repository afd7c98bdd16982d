//! How programs of the common frameworks are asked for their tests, and told to run one of them.
//!
//! | framework | asked with | one test |
//! |---|---|---|
//! | GoogleTest | `--gtest_list_tests` | `--gtest_filter=Suite.Name` |
//! | Catch2 2 | `--list-test-names-only` | the name |
//! | Catch2 3 | `--list-tests --verbosity quiet` | the name |
//! | doctest | `--dt-list-test-cases --dt-reporters=xml` | `--dt-test-case=Name` |
//! | Boost.Test | `--list_content=HRF` | `--run_test=suite/case` |

use crate::Framework;

use super::Test;

/// A question that a program of a framework answers with its tests.
pub struct Question {
    /// The arguments.
    pub words: &'static [&'static str],
    /// Reads the answer. `None` if it is none.
    pub read: fn(&[u8]) -> Option<Vec<Found>>,
}

/// A test in the answer of a program.
#[derive(PartialEq, Eq, Debug)]
pub struct Found {
    name: String,
    arguments: Vec<String>,
    ignored: bool,
}

impl Found {
    /// This test of the program that `whole` runs.
    pub fn of(self, whole: &Test) -> Test {
        Test {
            name: self.name,
            arguments: self.arguments,
            ignored: self.ignored.then(|| "disabled by its program".to_string()),
            ..whole.clone()
        }
    }
}

/// The questions for a framework, one for each of its versions.
pub fn questions(framework: Framework) -> Vec<Question> {
    match framework {
        Framework::GoogleTest => vec![Question { words: &["--gtest_list_tests"], read: google_test }],
        Framework::Catch2 => vec![
            Question { words: &["--list-test-names-only"], read: catch2 },
            Question { words: &["--list-tests", "--verbosity", "quiet"], read: catch2 },
        ],
        Framework::Doctest => vec![Question {
            words: &["--dt-list-test-cases", "--dt-reporters=xml", "--dt-no-skip=true", "--dt-no-colors=true"],
            read: doctest,
        }],
        Framework::Boost => vec![Question { words: &["--list_content=HRF", "--color_output=no"], read: boost }],
    }
}

fn google_test(said: &[u8]) -> Option<Vec<Found>> {
    let text = String::from_utf8_lossy(said);
    let (mut suite, mut found) = (None, Vec::new());
    for line in text.lines() {
        // What follows says which type or value a test with parameters has.
        let name = line.split("  # ").next().unwrap_or_default().trim_end();
        match name.strip_prefix("  ") {
            Some(test) => {
                let name = format!("{}{test}", suite?);
                let ignored = name.split(['.', '/']).any(|part| part.starts_with("DISABLED_"));
                found.push(Found { arguments: vec![format!("--gtest_filter={name}")], name, ignored });
            }
            // Before the first suite, a `main` may print what it likes.
            None => suite = Some(name).filter(|name| name.ends_with('.') && !name.contains(' ')),
        }
    }
    (!found.is_empty()).then_some(found)
}

fn catch2(said: &[u8]) -> Option<Vec<Found>> {
    let text = String::from_utf8_lossy(said);
    // An option that this version does not have.
    if text.contains("Unrecognised token") || text.contains("Error(s) in input") {
        return None;
    }
    let mut found: Vec<Found> = Vec::new();
    for name in text.lines().map(str::trim).filter(|name| !name.is_empty()) {
        // A name that begins with # is listed in quotes.
        let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
        if found.iter().all(|known| known.name != name) {
            found.push(Found { name: name.to_string(), arguments: vec![escaped(name, r#"\,[]""#)], ignored: false });
        }
    }
    (!found.is_empty()).then_some(found)
}

/// `name` with a backslash before each of these `signs`.
fn escaped(name: &str, signs: &str) -> String {
    name.chars().flat_map(|c| signs.contains(c).then_some('\\').into_iter().chain([c])).collect()
}

fn doctest(said: &[u8]) -> Option<Vec<Found>> {
    let text = String::from_utf8_lossy(said);
    if !text.contains("<doctest") {
        return None;
    }
    let mut found: Vec<Found> = Vec::new();
    for line in text.lines().filter(|line| line.trim_start().starts_with("<TestCase ")) {
        let Some(name) = attribute(line, "name") else { continue };
        if found.iter().any(|known| known.name == name) {
            continue;
        }
        // A comma begins another filter, and older versions cannot escape it. A question mark is any letter.
        let filter: String = name.chars().map(|c| if matches!(c, ',' | '\\' | '"') { '?' } else { c }).collect();
        let arguments = vec![format!("--dt-test-case={filter}"), "--dt-case-sensitive=true".to_string()];
        found.push(Found { name, arguments, ignored: attribute(line, "skipped").as_deref() == Some("true") });
    }
    Some(found)
}

/// The value of an attribute in a line of XML.
fn attribute(line: &str, name: &str) -> Option<String> {
    let begin = line.find(&format!(" {name}=\""))? + name.len() + 3;
    let value = &line[begin..begin + line[begin..].find('"')?];
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    Some(signs.into_iter().fold(value.to_string(), |value, (escaped, sign)| value.replace(escaped, sign)))
}

fn boost(said: &[u8]) -> Option<Vec<Found>> {
    let text = String::from_utf8_lossy(said);
    let lines: Vec<(usize, &str)> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| (line.len() - line.trim_start().len(), line.trim_start()))
        .collect();
    let (mut path, mut found): (Vec<(usize, &str)>, Vec<Found>) = (Vec::new(), Vec::new());
    for (index, (depth, line)) in lines.iter().enumerate() {
        // `case*: what it is about`; the star says that it is run.
        let name = line.split(": ").next().unwrap_or_default().trim_end();
        let (name, enabled) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
        if name.contains(' ') && !name.contains('<') {
            return None;
        }
        path.retain(|(outer, _)| outer < depth);
        path.push((*depth, name));
        let is_suite = lines.get(index + 1).is_some_and(|(next, _)| next > depth);
        if !is_suite {
            let name = path.iter().map(|(_, name)| *name).collect::<Vec<_>>().join("/");
            found.push(Found { arguments: vec![format!("--run_test={name}")], name, ignored: !enabled });
        }
    }
    // Something else that was printed has no stars.
    found.iter().any(|test| !test.ignored).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: Option<Vec<Found>>) -> Vec<(String, String, bool)> {
        found.expect("tests").into_iter().map(|test| (test.name, test.arguments[0].clone(), test.ignored)).collect()
    }

    fn row(name: &str, argument: &str, ignored: bool) -> (String, String, bool) {
        (name.to_string(), argument.to_string(), ignored)
    }

    #[test]
    fn lists_of_google_test() {
        let said = b"Running main() from gtest_main.cc\nQueue.\n  Push\n  DISABLED_Pop\nTyped/0.  # TypeParam = int\n  Works\n\
            All/Values.\n  Hold/0  # GetParam() = 3\nDISABLED_Old.\n  Test\n";
        let expected = [
            row("Queue.Push", "--gtest_filter=Queue.Push", false),
            row("Queue.DISABLED_Pop", "--gtest_filter=Queue.DISABLED_Pop", true),
            row("Typed/0.Works", "--gtest_filter=Typed/0.Works", false),
            row("All/Values.Hold/0", "--gtest_filter=All/Values.Hold/0", false),
            row("DISABLED_Old.Test", "--gtest_filter=DISABLED_Old.Test", true),
        ];
        assert_eq!(names(google_test(said)), expected);
        assert_eq!(google_test(b"usage: program FILE\n  -v  be loud\n"), None);
        assert_eq!(google_test(b""), None);
    }

    #[test]
    fn lists_of_catch2() {
        let said = b"plain\nwith, comma [and tag]\n\"#number\"\nplain\n";
        let expected = [
            row("plain", "plain", false),
            row("with, comma [and tag]", r"with\, comma \[and tag\]", false),
            row("#number", "#number", false),
        ];
        assert_eq!(names(catch2(said)), expected);
        assert_eq!(catch2(b"Error(s) in input:\n  Unrecognised token: --list-test-names-only\n"), None);
    }

    #[test]
    fn lists_of_doctest() {
        let said = b"<?xml version=\"1.0\"?>\n<doctest binary=\"./a\">\n  <TestCase name=\"a &lt;b&gt;, c\" line=\"1\" skipped=\"false\"/>\n  \
            <TestCase name=\"later\" skipped=\"true\"/>\n</doctest>\n";
        let expected = [row("a <b>, c", "--dt-test-case=a <b>? c", false), row("later", "--dt-test-case=later", true)];
        assert_eq!(names(doctest(said)), expected);
        assert_eq!(doctest(b"something else"), None);
    }

    #[test]
    fn lists_of_boost() {
        let said = b"outer*: all of it\n    inner*\n        one*\n        two \n    three*\nfour*\n";
        let expected = [
            row("outer/inner/one", "--run_test=outer/inner/one", false),
            row("outer/inner/two", "--run_test=outer/inner/two", true),
            row("outer/three", "--run_test=outer/three", false),
            row("four", "--run_test=four", false),
        ];
        assert_eq!(names(boost(said)), expected);
        assert_eq!(boost(b"usage: program FILE\n"), None);
    }
}
