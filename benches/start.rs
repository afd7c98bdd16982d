//! What a check of a tiny program costs from the command line to the verdict, in processor time of all processes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::root;

const ROUNDS: u32 = 20;

/// Two threads that increment a counter under a mutex.
const TINY: &str = "#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return count != 2;
}
";

/// Processor time that this process's children took which are over, in milliseconds.
fn used_by_children() -> f64 {
    let line = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may contain anything: field 3 is the first. Children's times are fields 16 and 17, in ticks of 10 ms.
    let fields = line.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 * 10.0
}

/// The mean of several rounds of a command; `prepare` is told which round it is.
fn mean(prepare: impl Fn(u32), command: impl Fn() -> Command) -> f64 {
    prepare(ROUNDS);
    let run = || {
        let status = command().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()), "{:?}", command());
    };
    run();
    let before = used_by_children();
    for round in 0..ROUNDS {
        prepare(round);
        run();
    }
    (used_by_children() - before) / f64::from(ROUNDS)
}

/// Unchanged and changed programs, and what the compiler takes alone. `HEDDLE_BEFORE` names an older `heddle` to compare with.
pub fn table() {
    let place = std::env::temp_dir().join(format!("heddle-start-{}", std::process::id()));
    fs::create_dir_all(&place).expect("a directory");
    let (source, built) = (place.join("tiny.c"), place.join("tiny"));
    let same = |_: u32| fs::write(&source, TINY).expect("it can be written");
    let other =
        |round: u32| fs::write(&source, format!("{TINY}unsigned version = {round}u;\n")).expect("it can be written");
    let own = env!("CARGO_BIN_EXE_heddle").to_owned();
    let versions: Vec<(&str, String)> =
        std::env::var("HEDDLE_BEFORE").ok().map(|path| ("before", path)).into_iter().chain([("now", own)]).collect();
    println!("\n## Start-up: milliseconds of processor time of all processes, mean of {ROUNDS}\n");
    println!("| compiler | what | {} |", versions.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | "));
    println!("|---|---|{}", "---:|".repeat(versions.len()));
    for compiler in ["gcc", "clang-19", "clang"] {
        if Command::new(compiler).arg("--version").stdout(Stdio::null()).status().is_err() {
            continue;
        }
        let check = |heddle: &str| {
            let mut command = Command::new(heddle);
            command.current_dir(&place).arg("check").arg(&source).args(["--cc", compiler, "--no-progress"]);
            command
        };
        let row = |what: &str, cells: &[f64]| {
            let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:.1}")).collect();
            println!("| {compiler} | {what} | {} |", cells.join(" | "));
        };
        let unchanged: Vec<f64> = versions.iter().map(|(_, heddle)| mean(same, || check(heddle))).collect();
        row("unchanged", &unchanged);
        // Another text each time, for each version, also from one run to the next: nothing is in the cache.
        let base = |version: u32| (std::process::id() * 2 + version).wrapping_mul(ROUNDS + 1);
        let changed = |((_, heddle), version): (&(&str, String), u32)| {
            mean(|round| other(base(version).wrapping_add(round)), || check(heddle))
        };
        row("changed", &versions.iter().zip(0..).map(changed).collect::<Vec<_>>());
        let words: [(&str, &[&str]); 2] = [
            ("the compiler alone, -fsanitize=thread -c", &["-fsanitize=thread", "-c"]),
            ("the compiler and the linker alone", &["-pthread"]),
        ];
        for (what, flags) in words {
            let alone = mean(&other, || {
                let mut command = Command::new(compiler);
                command.arg("-g").args(flags).arg(&source).arg("-o").arg(&built).current_dir(root());
                command
            });
            row(what, &vec![alone; versions.len()]);
        }
    }
    remove(&place);
}

fn remove(place: &Path) {
    if let Err(error) = fs::remove_dir_all(place) {
        eprintln!("{}: {error}", place.display());
    }
}
