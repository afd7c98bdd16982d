//! Searches over states: how many there are, how many are new in a second, and what one takes.

use std::time::Instant;

use heddle_model::{Attention, Execution};
use heddle_native::NativeExecutor;
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search};

use crate::{build, looking};

struct Nobody;

impl Observer for Nobody {
    fn execution(&mut self, _: &Execution<'_>, _: &Info<'_>) -> Flow {
        Flow::Continue
    }
}

/// Adders: threads, rounds of each, and whether data races are looked for.
const ADDERS: [(u32, u32, bool); 8] = [
    (4, 1, true),
    (8, 1, true),
    (8, 1, false),
    (12, 1, true),
    (12, 1, false),
    (14, 1, false),
    (4, 12, false),
    (4, 24, false),
];

/// Prints the table.
pub fn table() {
    page();
    println!(
        "\n{:<12} {:>7} {:>10} {:>10} {:>11} {:>9} {:>11} {:>8}",
        "adders", "races", "states", "edges", "executions", "seconds", "states/s", "bytes"
    );
    for (threads, rounds, races) in ADDERS {
        let flags = [format!("-DN={threads}"), format!("-DROUNDS={rounds}")];
        let compiled = build("benches/adders.c", &flags.each_ref().map(String::as_str));
        let attention = if races { Attention::Stop } else { Attention::Off };
        let options = looking(attention, Attention::Stop);
        let mut executor = NativeExecutor::launch(&compiled.program, options).expect("it starts");
        let mut search = Search::new(Options { algorithm: Algorithm::Stateful, ..Options::default() });
        let begin = Instant::now();
        let summary = search.run(&mut executor, &mut Nobody).expect("it runs");
        let seconds = begin.elapsed().as_secs_f64();
        let counts = summary.states.unwrap_or_default();
        println!(
            "{:<12} {:>7} {:>10} {:>10} {:>11} {:>9.2} {:>11.0} {:>8}",
            format!("{threads} × {rounds}"),
            if races { "looked" } else { "off" },
            counts.states,
            counts.edges,
            summary.counts.ran(),
            seconds,
            counts.states as f64 / seconds,
            counts.bytes / counts.states.max(1),
        );
    }
}

/// What a page costs that the program has written to: its fingerprint in each new state, and bringing it back for each execution.
fn page() {
    let time = |pages: &str| {
        let compiled = build("benches/adders.c", &["-DROUNDS=12", pages]);
        let run = || {
            let options = looking(Attention::Off, Attention::Stop);
            let mut executor = NativeExecutor::launch(&compiled.program, options).expect("it starts");
            let mut search = Search::new(Options { algorithm: Algorithm::Stateful, ..Options::default() });
            let begin = Instant::now();
            let summary = search.run(&mut executor, &mut Nobody).expect("it runs");
            let states = summary.states.unwrap_or_default().states;
            (begin.elapsed().as_nanos() as f64 / states as f64, summary.counts.ran() as f64 / states as f64)
        };
        (0..3).map(|_| run()).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    };
    let ((few, _), (many, executions)) = (time("-DPAGES=1"), time("-DPAGES=257"));
    println!(
        "\na page that was written to: {:.0} ns a state ({executions:.2} executions a state)",
        (many - few) / 256.0
    );
}
