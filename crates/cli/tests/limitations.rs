//! Each paragraph and each point of `docs/limitations.md` is shown by a verdict, or by a test of its own, or it is said why none can. `tests/limitations/shown.txt`
//! has an entry for each: a new line without one fails.

use crate::common::matrix::for_each;
use crate::common::{Session, root};

/// The paragraphs and points of a page, each in one line.
fn items(page: &str) -> Vec<String> {
    let (mut items, mut begins) = (Vec::new(), true);
    for line in page.lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            begins = true;
            continue;
        }
        match line.strip_prefix("- ") {
            Some(point) => items.push(point.to_owned()),
            None if begins => items.push(line.trim().to_owned()),
            None => {
                let last: &mut String = items.last_mut().expect("it goes on from a line");
                last.push(' ');
                last.push_str(line.trim());
            }
        }
        begins = false;
    }
    items
}

/// How one of them is shown.
#[derive(Default)]
struct Entry {
    begins: String,
    check: Option<String>,
    code: i32,
    says: Vec<String>,
    test: Option<String>,
    told: Option<String>,
}

fn entries() -> Vec<Entry> {
    let text = std::fs::read_to_string(root().join("tests/limitations/shown.txt")).expect("the file is there");
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (key, value) = line.split_once(' ').expect("a key and a value");
        if key == ">" {
            entries.push(Entry { begins: value.to_owned(), ..Entry::default() });
            continue;
        }
        let entry = entries.last_mut().expect("an entry begins with `>`");
        match key {
            "check" => entry.check = Some(value.to_owned()),
            "code" => entry.code = value.parse().expect("a number"),
            "says" => entry.says.push(value.to_owned()),
            "test" => entry.test = Some(value.to_owned()),
            "told" => entry.told = Some(value.to_owned()),
            other => panic!("`{other}` is no key of an entry"),
        }
    }
    entries
}

/// Whether there is a test with this name, `module::function`.
fn is_a_test(name: &str) -> bool {
    let (module, function) = name.split_once("::").expect("a module and a function");
    let source = std::fs::read_to_string(root().join(format!("crates/cli/tests/{module}.rs"))).unwrap_or_default();
    source.contains(&format!("#[test]\nfn {function}()"))
}

#[test]
fn every_line_of_the_page_has_an_entry() {
    let page = std::fs::read_to_string(root().join("docs/limitations.md")).expect("the page is there");
    let (items, entries) = (items(&page), entries());
    let missing: Vec<&String> =
        items.iter().filter(|item| !entries.iter().any(|entry| item.starts_with(&entry.begins))).collect();
    assert!(missing.is_empty(), "tests/limitations/shown.txt has no entry for: {missing:#?}");
    for entry in &entries {
        let ways = [entry.check.is_some(), entry.test.is_some(), entry.told.is_some()];
        assert_eq!(ways.into_iter().filter(|&way| way).count(), 1, "{}: shown, or told why not", entry.begins);
        assert!(entry.test.as_deref().is_none_or(is_a_test), "{}: there is no test {:?}", entry.begins, entry.test);
        assert!(entry.check.is_none() || !entry.says.is_empty(), "{}: says nothing", entry.begins);
    }
    let told = entries.iter().filter(|entry| entry.told.is_some()).count();
    assert!(told <= 1, "{told} of {} are only told", entries.len());
}

#[test]
fn verdicts_say_what_the_page_says() {
    let entries: Vec<Entry> = entries().into_iter().filter(|entry| entry.check.is_some()).collect();
    let folder = root().join("tests/limitations");
    for_each(entries.len(), |number| {
        let entry = &entries[number];
        let session = Session::new();
        let is_file = |word: &str| word.ends_with(".c") || word.ends_with(".cpp");
        let name = |word: &str| if is_file(word) { folder.join(word).display().to_string() } else { word.to_owned() };
        let words: Vec<String> = entry.check.iter().flat_map(|line| line.split_whitespace()).map(name).collect();
        let own = ["check", "--hang-timeout", "2s", "--minimise", "off"];
        let run = session.run(own.into_iter().map(str::to_owned).chain(words));
        let said = run.to_string();
        let right = run.code == entry.code && entry.says.iter().all(|words| said.contains(words));
        (!right).then(|| format!("{}: expected {}, {:?}\n{run}", entry.begins, entry.code, entry.says))
    });
}
