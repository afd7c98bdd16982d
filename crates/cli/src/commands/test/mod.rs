//! `heddle test`: checks every test of test programs, each alone, and prints a line a test.

mod one;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::Instant;

use heddle_report::suite::{self, Checked};
use heddle_report::{junit, sarif};

use crate::arguments;
use crate::console::Console;
use crate::progress::Progress;
use crate::{interrupt, store};
use heddle_native::suite::{Finder, Test};

/// Checks the tests. Returns the exit code.
pub fn run(options: arguments::Test, console: &Console) -> u8 {
    let interrupted = match interrupt::catch() {
        Ok(interrupted) => interrupted,
        Err(error) => return console.fail(&format!("cannot catch signals: {error}")),
    };
    let (tests, filtered) = match chosen(&options, &interrupted) {
        Ok(chosen) => chosen,
        Err(message) => return console.fail(&message),
    };
    if options.list {
        console.result(&tests.iter().map(|test| format!("{}\n", test.name)).collect::<String>());
        return 0;
    }
    if tests.is_empty() {
        return console.fail(&match filtered {
            0 => "there are no tests".to_string(),
            _ => format!("none of the {filtered} tests has such a name (--list prints all)"),
        });
    }
    let says = !options.output.json && !console.wishes().quiet;
    let look = console.report_options();
    if says {
        console.result(&format!("running {}\n", heddle_report::text::counted(tests.len() as u64, "test")));
    }
    let begin = Instant::now();
    let progress = Progress::new(console.progress());
    let told = |number: usize, checked: &Checked| {
        progress.beside(|| {
            if says {
                console.result(&suite::line(checked, &look));
            }
        });
        progress.say(&format!("{number} of {} tests", tests.len()));
    };
    let checked = all(&tests, &options, &interrupted, &told);
    progress.finish();
    if checked.len() < tests.len() {
        console.warning(&format!("interrupted: {} of {} tests were checked", checked.len(), tests.len()));
    }
    let elapsed = begin.elapsed();
    if options.output.json {
        console.result(&String::from_utf8_lossy(&suite::json(&checked)));
    } else {
        if says {
            console.result(&suite::failures(&checked, &look));
        }
        console.result(&suite::summary(&checked, filtered, elapsed, &look));
    }
    if let Some(hint) = one::hint(&checked) {
        console.note(&hint);
    }
    let complete = checked.len() == tests.len();
    match write(&options, &checked) {
        Ok(()) if complete => suite::verdict(&checked).exit_code(),
        // Not all that was asked for was looked at.
        Ok(()) => suite::verdict(&checked).exit_code().max(u8::from(suite::verdict(&checked).exit_code() == 0) * 3),
        Err(message) => console.fail(&message),
    }
}

/// The tests that are asked for, and how many others there are.
fn chosen(options: &arguments::Test, interrupted: &AtomicBool) -> Result<(Vec<Test>, usize), String> {
    let finder = Finder { framework: options.framework.map(Into::into), interrupted };
    let mut all = Vec::new();
    for path in &options.paths {
        let mut tests = finder.tests(path)?;
        let whole = tests.len() == 1 && tests[0].arguments.is_empty();
        if options.paths.len() > 1 && !whole {
            let of = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            tests.iter_mut().for_each(|test| test.name = format!("{of}::{}", test.name));
        }
        all.extend(tests);
    }
    let count = all.len();
    let asked = |name: &str| match options.exact {
        true => options.filter.iter().any(|wanted| wanted == name),
        false => options.filter.is_empty() || options.filter.iter().any(|wanted| name.contains(wanted.as_str())),
    };
    all.retain(|test| asked(&test.name));
    let filtered = count - all.len();
    for test in &mut all {
        test.arguments.extend(options.arguments.iter().cloned());
    }
    Ok((all, filtered))
}

/// Checks all tests, some at the same time. The results are in the order of `tests`; those that were not begun when the user
/// interrupted are not among them.
fn all(
    tests: &[Test],
    options: &arguments::Test,
    interrupted: &Arc<AtomicBool>,
    told: &dyn Fn(usize, &Checked),
) -> Vec<Checked> {
    let next = AtomicUsize::new(0);
    let names = one::directories(tests);
    let (send, receive) = mpsc::channel();
    let mut results: Vec<Option<Checked>> = tests.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.min(tests.len() as u32) {
            let (send, next, names) = (send.clone(), &next, &names);
            scope.spawn(move || {
                while !interrupted.load(Relaxed) {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(test) = tests.get(index) else { break };
                    let checked = one::check(test, &names[index], options, interrupted);
                    if send.send((index, checked)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        for (number, (index, checked)) in receive.iter().enumerate() {
            told(number + 1, &checked);
            results[index] = Some(checked);
        }
    });
    results.into_iter().flatten().collect()
}

/// Writes the reports that the options ask for.
fn write(options: &arguments::Test, checked: &[Checked]) -> Result<(), String> {
    if let Some(path) = &options.output.junit {
        store::write_file(path, &junit::render_tests(checked))?;
    }
    if let Some(path) = &options.output.sarif {
        let root = std::env::current_dir().unwrap_or_default();
        store::write_file(path, &sarif::render_tests(checked, &root.display().to_string()))?;
    }
    Ok(())
}

/// Words of `names` that can be names of files, each different.
fn as_files<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    names
        .map(|name| {
            let plain: String = name
                .chars()
                .map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' })
                .take(100)
                .collect();
            let plain = plain.trim_matches(['.', '-']).to_string();
            let mut file = if plain.is_empty() { "test".to_string() } else { plain.clone() };
            for number in 2.. {
                if taken.insert(file.clone()) {
                    break;
                }
                file = format!("{plain}-{number}");
            }
            file
        })
        .collect()
}

/// The name of a path below the current directory.
fn below_here(path: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    Path::new(path).strip_prefix(here).map_or_else(|_| path.to_string(), |rest| rest.display().to_string())
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_directories_differ() {
        let names = ["Q.Push", "Q/Push", "Q Push", "..", "a::b"];
        assert_eq!(super::as_files(names.into_iter()), ["Q.Push", "Q-Push", "Q-Push-2", "test", "a--b"]);
    }
}
