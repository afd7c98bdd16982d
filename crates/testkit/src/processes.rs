//! Processes of the tests: a test in a process of its own, and waiting for what other processes do.
//!
//! No test waits for a time: it waits until something is so, however long a loaded machine takes for it. [`wait_until`] is the one place
//! that polls.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// After this time something hangs, whatever the load.
const LIMIT: Duration = Duration::from_secs(600);

/// Waits until `condition` holds.
///
/// # Panics
/// If it does not within ten minutes. The message says `what` was waited for.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        let waited = begin.elapsed();
        assert!(waited < LIMIT, "{what}: not within {LIMIT:?}");
        // Seldom, if it takes long.
        std::thread::sleep((waited / 16).clamp(Duration::from_micros(200), Duration::from_millis(10)));
    }
}

/// Runs `body` in a process that runs nothing else: for tests that change their environment or count what their process holds.
/// `test` is the test's own name with its module's, which the new process is told to run.
///
/// # Panics
/// If the test fails there.
pub fn alone(test: &str, body: impl FnOnce()) {
    const VARIABLE: &str = "HEDDLE_TEST_ALONE";
    if std::env::var(VARIABLE).is_ok_and(|running| running == test) {
        return body();
    }
    let mut command = Command::new(std::env::current_exe().expect("this program has a file"));
    let output =
        command.args(["--exact", test, "--nocapture"]).env(VARIABLE, test).output().expect("it can be run again");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// The fields of a process in `/proc/PID/stat` after its name, from its state on. Empty if there is no such process.
fn fields(process: &Path) -> Vec<String> {
    let stat = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
    // The name is in parentheses, and may contain some.
    stat.rsplit_once(") ").map_or(Vec::new(), |(_, rest)| rest.split(' ').map(str::to_owned).collect())
}

fn folder(process: u32) -> std::path::PathBuf {
    Path::new("/proc").join(process.to_string())
}

/// Whether a process with this number runs. One that has ended and was not waited for does not.
pub fn is_running(process: u32) -> bool {
    fields(&folder(process)).first().is_some_and(|state| state != "Z")
}

/// How long a process has computed, in hundredths of a second; nothing if it is gone. Unlike the time on the wall, it does not pass
/// while other processes have the machine.
pub fn computed(process: u32) -> u64 {
    // The time in the program and in the kernel.
    fields(&folder(process)).iter().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// The processes of a process group.
pub fn group(number: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").expect("/proc is there").flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| fields(&folder(*id)).get(2).is_some_and(|group| *group == number.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_seen_until_it_is_over() {
        let mut child = Command::new("sleep").arg("600").spawn().expect("it can be started");
        assert!(is_running(child.id()));
        child.kill().expect("it can be killed");
        wait_until("it has ended", || !is_running(child.id()));
        child.wait().expect("it was killed");
        assert!(!is_running(child.id()));
        assert_eq!(computed(child.id()), 0);
    }

    #[test]
    fn time_passes_by_computing() {
        let own = std::process::id();
        let before = computed(own);
        wait_until("this process has computed", || computed(own) > before);
        let number = fields(&folder(own))[2].parse().expect("a number");
        assert!(group(number).contains(&own));
    }
}
