//! `heddle replay --step`: steps through a trace, forward and backward, by commands from standard input.
//!
//! The execution was reproduced before, and this module shows its recording, so going back costs nothing. Commands come from a
//! terminal or a pipe; only a terminal gets a prompt.

use std::io::{BufRead, IsTerminal, Write};

use heddle_model::Trace;
use heddle_report::text::stepping;

use crate::console::Console;

const HELP: &str = "\
  Enter, n, next   one step forward           b, back       one step back
  g N, goto N      to the state after step N  f, first      to the beginning
  l, last          to the end                 s, switch     to the next switch of threads
  t, threads       what every thread does     w, why        what this step follows from
  h, help          this list                  q, quit       leave
";

/// Steps through `trace` until `quit` or the end of the input.
pub fn walk(trace: &Trace, console: &Console) {
    let options = console.report_options();
    let asks = std::io::stdin().is_terminal();
    let all = trace.steps.len();
    let mut taken = 0;
    console.result(&stepping::position(trace, taken, &options));
    if asks {
        console.result(HELP);
    }
    let mut lines = std::io::stdin().lock();
    loop {
        if asks {
            let _ = write!(std::io::stderr(), "step {taken}/{all}> ");
        }
        let mut line = String::new();
        // What is not UTF-8 is not a command either: both end the walk.
        if !matches!(lines.read_line(&mut line), Ok(read) if read > 0) {
            return;
        }
        let mut words = line.split_whitespace();
        let (command, argument) = (words.next().unwrap_or("n"), words.next());
        let number = || argument.and_then(|text| text.parse::<usize>().ok());
        taken = match command {
            "n" | "next" | "\u{1b}[C" | "\u{1b}[B" => (taken + number().unwrap_or(1)).min(all),
            "b" | "p" | "back" | "\u{1b}[D" | "\u{1b}[A" => taken.saturating_sub(number().unwrap_or(1)),
            "f" | "first" => 0,
            "l" | "last" => all,
            "s" | "switch" => next_switch(trace, taken),
            "g" | "goto" => match number() {
                Some(step) if step <= all => step,
                _ => {
                    console.error(&format!("goto needs a number from 0 to {all}"));
                    continue;
                }
            },
            "t" | "threads" => {
                console.result(&stepping::threads(trace, taken));
                continue;
            }
            "w" | "why" => {
                console.result(&stepping::why(trace, taken));
                continue;
            }
            "h" | "help" | "?" => {
                console.result(HELP);
                continue;
            }
            "q" | "quit" => return,
            other => {
                console.error(&format!("unknown command `{other}`; h lists the commands"));
                continue;
            }
        };
        console.result(&stepping::position(trace, taken, &options));
    }
}

/// The number of steps up to and including the next context switch.
fn next_switch(trace: &Trace, taken: usize) -> usize {
    let current = taken.checked_sub(1).and_then(|index| trace.steps.get(index)).map(|step| step.thread);
    let ahead = trace.steps.iter().skip(taken).position(|step| Some(step.thread) != current);
    ahead.map_or(trace.steps.len(), |ahead| taken + ahead + 1)
}
