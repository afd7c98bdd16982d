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

/// Programs of the shapes in tables 1 and 2 of "Verifying multi-threaded software using SMT-based context-bounded model checking" (2011), and
/// whether something is wrong with them.
const PAPERS: &[(&str, &str, &str)] = &[
    ("reorder.c", "-DN=2", "found"),
    ("reorder.c", "-DN=4", "found"),
    ("twostage.c", "-DN=2 -DBAD", "found"),
    ("twostage.c", "-DN=4 -DBAD", "found"),
    ("wronglock.c", "-DN=3", "found"),
    ("wronglock.c", "-DN=3 -DGOOD", "safe"),
    ("micro.c", "-DT=2 -DK=2", "safe"),
    ("micro.c", "-DT=2 -DK=3", "safe"),
    ("circular.c", "-DN=2", "safe"),
    ("circular.c", "-DN=2 -DBAD", "found"),
    ("queue.c", "-DN=2", "safe"),
    ("queue.c", "-DN=2 -DBAD", "found"),
    ("stack.c", "-DN=2", "safe"),
    ("stack.c", "-DN=2 -DBAD", "found"),
    ("fsbench.c", "-DN=2", "safe"),
    ("indexer.c", "-DN=2", "safe"),
    ("stateful.c", "", "safe"),
    ("stateful.c", "-DBAD", "found"),
    ("sync.c", "", "safe"),
    ("sync.c", "-DBAD", "found"),
    ("aget.c", "-DN=2", "safe"),
    ("aget.c", "-DN=2 -DBAD", "found"),
    ("bzip2smp.c", "-DN=2", "safe"),
];

/// Our approaches: their names, and what asks for them. Lazy exploration has a bound on switches, as there.
const APPROACHES: [(&str, &str); 5] = [
    ("lazy", "--engine trace --algorithm dfs --max-switches 6"),
    ("schedule", "--encoding schedule"),
    ("UW", "--encoding uw"),
    ("order", "--engine order"),
    ("trace", "--engine trace"),
];

/// Other tools, if they are there: the command and its words.
const OTHERS: [(&str, &str); 2] = [("cbmc", "--unwind 9 --no-standard-checks"), ("deagle", "--64 --unwind 9")];

/// The most time on the clock for one program and approach.
const EACH: &str = "15";

/// Runs a line of the shell. Returns what it printed last, its exit code, and the seconds of processor time.
fn shell(line: &str) -> (String, i32, f64) {
    let line = format!("{line}\ncode=$?\necho\necho $code\ntimes");
    let output = Command::new("sh").args(["-c", &line]).stdin(Stdio::null()).output().expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    // The last line of `times` is that of the children: user and system, as 0m1.23s.
    let seconds = |word: &str| {
        let (minutes, rest) = word.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + rest.parse::<f64>().ok()?)
    };
    let [printed @ .., code, _, children] = &lines[..] else { return (text, -1, 0.0) };
    (printed.join("\n"), code.parse().unwrap_or(-1), children.split(' ').filter_map(seconds).sum())
}

/// The number before a word, at its last place in a text.
fn number_before(text: &str, word: &str) -> u64 {
    let before = text.rfind(word).map_or("", |at| text[..at].trim_end());
    let digits: String = before.rsplit(' ').next().unwrap_or("").chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// The programs of the paper by all approaches: seconds of processor time; interleavings or widenings; beside them other tools.
fn papers() {
    let heddle = env!("CARGO_BIN_EXE_heddle");
    let folder = std::env::temp_dir().join(format!("heddle-bench-papers-{}", std::process::id()));
    let others: Vec<_> = OTHERS
        .into_iter()
        .filter(|(tool, _)| shell(&format!("command -v {tool} > /dev/null && echo yes")).0.contains("yes"))
        .collect();
    println!(
        "\nThe programs of the paper of 2011, seconds of processor time from C source to verdict (limit {EACH} s on the clock)."
    );
    println!("Lazy: interleavings looked at, and failed ones among them; UW: iterations; trace: executions.\n");
    let names: Vec<&str> =
        APPROACHES.iter().map(|(name, _)| *name).chain(others.iter().map(|(tool, _)| *tool)).collect();
    println!("| program | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    for (file, flags, expected) in PAPERS {
        let mut row = Vec::new();
        for (name, words) in APPROACHES {
            let (text, code, seconds) = shell(&format!(
                "'{heddle}' prove 'benches/prove/{file}' {flags} {words} --stats --timeout {EACH}s --minimise off --out '{}' 2>&1",
                folder.display()
            ));
            let verdict = verdict(code);
            let stats: String = text.lines().filter(|line| line.starts_with("note: ")).collect::<Vec<_>>().join("\n");
            let effort = match name {
                "lazy" => format!(" ({}, {})", number_before(&stats, "execution"), u8::from(verdict == "found")),
                "UW" => format!(" ({})", number_before(&stats, "widening")),
                "trace" => format!(" ({})", number_before(&stats, "execution")),
                _ => String::new(),
            };
            let wrong = if verdict == *expected { String::new() } else { format!(" **{verdict}**") };
            row.push(format!("{seconds:.2}{effort}{wrong}"));
        }
        for (tool, words) in &others {
            let (text, _, seconds) =
                shell(&format!("timeout {EACH} {tool} 'benches/prove/{file}' {flags} {words} 2>&1"));
            let failed = text.contains("VERIFICATION FAILED");
            let done = failed || text.contains("VERIFICATION SUCCESSFUL");
            let right = done && failed == (*expected == "found");
            row.push(if right {
                format!("{seconds:.2}")
            } else {
                format!("{seconds:.2} **{}**", if done { "wrong" } else { "-" })
            });
        }
        println!("| {file} {flags}, {expected} | {} |", row.join(" | "));
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// Proves one program. Returns the verdict and the seconds of processor time, children included.
fn prove(file: &str, flags: &str) -> (String, f64) {
    let heddle = env!("CARGO_BIN_EXE_heddle");
    let folder = std::env::temp_dir().join(format!("heddle-bench-prove-{}", std::process::id()));
    let (_, code, seconds) = shell(&format!(
        "'{heddle}' prove 'benches/prove/{file}' {flags} --timeout {LIMIT} --minimise off --out '{}' > /dev/null 2>&1",
        folder.display()
    ));
    let _ = std::fs::remove_dir_all(&folder);
    (verdict(code).to_owned(), seconds)
}

/// What an exit code says.
fn verdict(code: i32) -> &'static str {
    usize::try_from(code)
        .ok()
        .and_then(|code| ["safe", "found", "error", "incomplete", "unsupported"].get(code))
        .copied()
        .unwrap_or("?")
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
    papers();
}
