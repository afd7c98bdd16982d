//! What `heddle prove` takes for programs that other provers are measured on, with everything: reading, execution, formulas, confirmation.

use std::process::{Command, Stdio};

/// Program, flags, what must come out (`safe` or `found`), and the bound in seconds of processor time.
type Row = (&'static str, &'static str, &'static str, f64);

const ROWS: &[Row] = &[
    ("fib.c", "-DN=6", "safe", 1.0),
    ("fib.c", "-DN=6 -DBAD", "found", 1.0),
    ("twostage.c", "-DN=10", "safe", 0.5),
    ("twostage.c", "-DN=10 -DBAD", "found", 0.5),
    ("twostage.c", "-DN=100 -DBAD", "found", 5.0),
    ("reorder.c", "-DN=100", "found", 1.0),
    ("philosophers.c", "-DN=100", "found", 1.0),
    ("philosophers.c", "-DN=100 -DFREE", "safe", 1.0),
    ("sums.c", "-DN=6", "safe", 1.0),
    ("sums.c", "-DN=10 -DBAD", "found", 1.0),
    ("product.c", "", "safe", 0.5),
    ("product.c", "-DBAD", "found", 0.5),
    ("micro.c", "-DT=3 -DK=3", "safe", 3.0),
    ("stack.c", "-DN=4", "safe", 2.0),
    ("stack.c", "-DN=4 -DBAD", "found", 2.0),
    ("queue.c", "-DN=4", "safe", 2.0),
    ("queue.c", "-DN=4 -DBAD", "found", 2.0),
];

/// The classical deadlocks: all of them together have this bound.
const DEADLOCKS: [&str; 5] = ["philosophers.c", "bank.c", "traffic.c", "printers.c", "chefs.c"];
const TOGETHER: f64 = 60.0;

/// The most time on the clock for one row.
const LIMIT: &str = "60s";

/// Proves one program. Returns the verdict and the seconds of processor time, children included.
fn prove(file: &str, flags: &str) -> (String, f64) {
    let heddle = env!("CARGO_BIN_EXE_heddle");
    let folder = std::env::temp_dir().join(format!("heddle-bench-prove-{}", std::process::id()));
    let line = format!(
        "'{heddle}' prove 'benches/prove/{file}' {flags} --timeout {LIMIT} --minimise off --out '{}' > /dev/null 2>&1; echo $?; times",
        folder.display()
    );
    let output = Command::new("sh").args(["-c", &line]).stdin(Stdio::null()).output().expect("there is a shell");
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let verdict = match lines.next() {
        Some("0") => "safe",
        Some("1") => "found",
        Some("3") => "incomplete",
        Some("4") => "unsupported",
        _ => "error",
    };
    // The second line of `times` is that of the children: user and system, as 0m1.23s.
    let seconds = |word: &str| {
        let (minutes, rest) = word.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + rest.parse::<f64>().ok()?)
    };
    let computed = lines.nth(1).unwrap_or_default().split(' ').filter_map(seconds).sum();
    (verdict.to_owned(), computed)
}

/// Prints the table.
pub fn table() {
    println!("\n`heddle prove`, seconds of processor time from C source to verdict\n");
    println!("| program | flags | verdict | seconds | bound |");
    println!("|---|---|---|---|---|");
    for (file, flags, expected, bound) in ROWS {
        let (verdict, seconds) = prove(file, flags);
        let verdict = if verdict == *expected { verdict } else { format!("{verdict}, not {expected}") };
        println!("| {file} | {flags} | {verdict} | {seconds:.2} | {bound:.1} |");
    }
    let (mut together, mut wrong, mut count) = (0.0, Vec::new(), 0);
    for file in DEADLOCKS {
        for n in [3, 5, 7] {
            for (more, expected) in [("", "found"), (" -DFREE", "safe")] {
                let flags = format!("-DN={n}{more}");
                let (verdict, seconds) = prove(file, &flags);
                (together, count) = (together + seconds, count + 1);
                if verdict != expected {
                    wrong.push(format!("{file} {flags}: {verdict}"));
                }
            }
        }
    }
    println!("| {count} deadlocks | with inputs | {} wrong | {together:.2} | {TOGETHER:.1} |", wrong.len());
    wrong.iter().for_each(|line| println!("{line}"));
}
