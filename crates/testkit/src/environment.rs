//! What the environment asks of the tests.
//!
//! | variable | meaning |
//! |---|---|
//! | `HEDDLE_REQUIRE` | tools that must be there, with commas between them, or `all`: a test that needs one and does not find it fails |
//! | `HEDDLE_SKIPPED` | a file to which tests that were skipped add a line |
//! | `HEDDLE_FULL` | run every combination of compiler, optimisation level and restart mode |
//! | `HEDDLE_SEED` | where random numbers begin |

use std::env;
use std::io::Write;

/// Whether a test that needs `tool` can run: `is_there`. If not, the test is skipped.
///
/// A skip is printed past the capture of the test's output and written to `$HEDDLE_SKIPPED`. If `$HEDDLE_REQUIRE` names
/// the tool, the test fails instead.
pub fn can_use(tool: &str, is_there: bool) -> bool {
    if is_there {
        return true;
    }
    let required = env::var("HEDDLE_REQUIRE").unwrap_or_default();
    let named = required.split(',').map(str::trim).any(|name| name == "all" || name == tool);
    assert!(
        !named,
        "{tool} is missing, and HEDDLE_REQUIRE={required} asks for it: `./x test` installs it where it can"
    );
    let line = format!("skipped: {}: {tool} is missing\n", test_name());
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = env::var_os("HEDDLE_SKIPPED") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("$HEDDLE_SKIPPED can be written");
    }
    false
}

/// The name of the test that runs in this thread.
fn test_name() -> String {
    let current = std::thread::current();
    let thread = current.name().filter(|name| *name != "main").map(str::to_owned);
    thread.or_else(|| env::var("NEXTEST_TEST_NAME").ok()).unwrap_or_else(|| "a test".to_owned())
}

/// Whether to run every combination of compiler, optimisation level and restart mode, not only some of each.
pub fn is_full() -> bool {
    env::var_os("HEDDLE_FULL").is_some_and(|value| !value.is_empty() && value != "0")
}

/// The seed of a test's random numbers: `$HEDDLE_SEED`, or `otherwise`. The seed is printed, so that a failure can be
/// repeated.
pub fn seed(otherwise: u64) -> u64 {
    let seed = number("HEDDLE_SEED", otherwise);
    println!("HEDDLE_SEED={seed}");
    seed
}

/// A number from the environment variable `variable`, or `otherwise` if it is not set.
///
/// # Panics
///
/// If the value is not a number.
pub fn number(variable: &str, otherwise: u64) -> u64 {
    match env::var(variable) {
        Ok(text) => text.trim().parse().unwrap_or_else(|_| panic!("{variable}={text}: a number is expected")),
        Err(_) => otherwise,
    }
}
