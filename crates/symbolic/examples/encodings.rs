//! Measures the formulas on small programs of the literature: CPU seconds, events, conflicts.
//!
//! `cargo run --release -p heddle-symbolic --example encodings [--lazy] [NAME...]`; a name selects the programs that begin with it.

use heddle_symbolic::order::{Formula, Options, Outcome, Query};
use heddle_symbolic::script::{self, Script};
use heddle_symbolic::solve::Budget;
use heddle_symbolic::term::Terms;

/// The CPU time of this process so far, in seconds.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn programs() -> Vec<(String, Script, Query)> {
    let property = Query::Property(0);
    let mut all = Vec::new();
    let mut add = |name: String, make: &dyn Fn(bool) -> Script, query: Query| {
        all.push((format!("{name} ok"), make(false), query));
        all.push((format!("{name} bad"), make(true), query));
    };
    for n in 3..=8 {
        add(format!("fib{n}"), &|bad| script::fib(n, bad), property);
    }
    for n in [2, 3, 4, 6, 10] {
        add(format!("vsum{n}"), &|bad| script::vsum(n, bad), property);
    }
    for (t, n) in [(2, 4), (2, 5), (2, 8), (3, 3)] {
        add(format!("micro{t}_{n}"), &|bad| script::micro(t, n, bad), property);
    }
    for n in [10, 20, 100] {
        add(format!("reorder{n}"), &|bad| script::reorder(n, bad), property);
    }
    for n in [4, 10, 20, 50, 100] {
        add(format!("twostage{n}"), &|bad| script::twostage(n, bad), property);
    }
    add("account".into(), &script::account, property);
    add("square".into(), &script::square, property);
    for n in [3, 100] {
        add(format!("philosophers{n}"), &|bad| script::philosophers(n, bad), Query::Deadlock);
    }
    all
}

fn main() {
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    let lazy = wanted.iter().any(|w| w == "--lazy");
    wanted.retain(|w| w != "--lazy");
    println!("{:<20} {:>7} {:>8} {:>8} {:>9}  answer", "program", "events", "encode", "solve", "conflicts");
    for (name, script, query) in programs() {
        if !wanted.is_empty() && !wanted.iter().any(|w| name.starts_with(w.as_str())) {
            continue;
        }
        let begin = cpu();
        let mut terms = Terms::new();
        let events = script::events(&script, &mut terms);
        let count: usize = events.program.threads.iter().map(|t| t.events.len()).sum();
        let options = Options { deadlocks: query == Query::Deadlock, lazy_data: lazy, ..Options::default() };
        let Ok(mut formula) = Formula::new(&events.program, &mut terms, &options, Budget::seconds(60.0)) else {
            println!("{name:<20} {count:>7}  too large");
            continue;
        };
        let middle = cpu();
        let outcome = formula.solve(&mut terms, query, Budget::seconds(20.0));
        let end = cpu();
        let answer = match outcome {
            Outcome::Impossible => "impossible",
            Outcome::Possible(_) => "possible",
            Outcome::Unknown => "unknown",
        };
        let (encode, solve) = (middle - begin, end - middle);
        println!("{name:<20} {count:>7} {encode:>8.2} {solve:>8.2} {:>9}  {answer}", formula.conflicts());
    }
}
