//! The interleaving: one line for each step, with the switches marked.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;

use heddle_model::Trace;
use heddle_model::finding::Location;
use heddle_model::trace::TraceStep;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::table::pad;
use super::{BOLD, DIM, Options, counted, grouped, printable};

/// From so many steps on, those that do not matter to the finding are folded.
const FOLD_FROM: usize = 30;
/// The end of an execution is always shown.
const TAIL: usize = 8;
/// The most lines that are shown of a folded execution.
const MOST: usize = 80;

/// The interleaving of `trace`.
pub fn render(trace: &Trace, options: &Options) -> String {
    let finding = &trace.finding;
    let heading = format!(
        "interleaving: {}, {}, {}{} (`>` switch, `>>` preemption)",
        counted(trace.steps.len() as u64, "step"),
        counted(finding.switches as u64, "switch"),
        counted(finding.preemptions as u64, "preemption"),
        // Nobody wonders about none.
        if finding.minimal && finding.preemptions > 0 { ", the fewest possible" } else { "" },
    );
    let mut text = format!("{}\n", options.paint(BOLD, &heading));
    let shown = shown(trace, options);
    let files = file_names(trace);
    let rows: Vec<Row> = trace.steps.iter().enumerate().map(|(i, step)| Row::of(i, step, trace, &files)).collect();
    let width_of = |cell: fn(&Row) -> &str| {
        rows.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(row, _)| cell(row).width()).max().unwrap_or(0)
    };
    let widths = Widths {
        number: grouped(trace.steps.len() as u64).width(),
        thread: width_of(|row| &row.thread),
        what: width_of(|row| &row.what),
        place: width_of(|row| &row.place),
    };
    let mut folded = 0;
    for (row, shown) in rows.iter().zip(&shown) {
        if !shown {
            folded += 1;
            continue;
        }
        text.push_str(&fold_line(&mut folded, &widths, options));
        text.push_str(&row.render(&widths, options));
    }
    text.push_str(&fold_line(&mut folded, &widths, options));
    text
}

fn fold_line(folded: &mut u64, widths: &Widths, options: &Options) -> String {
    if *folded == 0 {
        return String::new();
    }
    let text = format!("   {:>1$} {2}\n", "...", widths.number, counted(*folded, "step"));
    *folded = 0;
    options.paint(DIM, text.trim_end_matches('\n')) + "\n"
}

/// Which steps are shown: all of a short execution; of a long one those that touch what the finding is about, the
/// switches, and the end.
fn shown(trace: &Trace, options: &Options) -> Vec<bool> {
    let steps = &trace.steps;
    if options.verbose || steps.len() <= FOLD_FROM {
        return vec![true; steps.len()];
    }
    let finding = &trace.finding;
    let matters = |step: &TraceStep| {
        let named = |text: &str| !step.object.is_empty() && text.contains(&step.object);
        finding.threads.iter().any(|t| named(&t.state) || t.holds.iter().any(|held| named(held)))
    };
    let mut shown: Vec<bool> = (0..steps.len())
        .map(|i| {
            let switch = i > 0 && steps[i].thread != steps[i - 1].thread;
            i == 0 || i + TAIL >= steps.len() || switch || steps[i].preempts || matters(&steps[i])
        })
        .collect();
    // A fold that hides one step hides nothing.
    for i in 1..steps.len() - 1 {
        shown[i] |= shown[i - 1] && shown[i + 1];
    }
    // From the end: what happened last explains the most.
    let mut left = MOST;
    for mark in shown.iter_mut().rev() {
        if *mark {
            *mark = left > 0;
            left = left.saturating_sub(1);
        }
    }
    shown
}

struct Widths {
    number: usize,
    thread: usize,
    what: usize,
    place: usize,
}

struct Row {
    mark: &'static str,
    number: String,
    thread: String,
    what: String,
    place: String,
    source: String,
}

impl Row {
    fn of(index: usize, step: &TraceStep, trace: &Trace, files: &HashMap<&str, &str>) -> Row {
        let switch = index > 0 && trace.steps[index - 1].thread != step.thread;
        let mark = match (switch, step.preempts) {
            (true, true) => ">>",
            (true, false) => "> ",
            _ => "  ",
        };
        let mut what = step.operation.clone();
        for part in [&step.object, &step.result] {
            if !part.is_empty() {
                what.push(' ');
                what.push_str(part);
            }
        }
        let name = trace.threads.get(&step.thread).map_or("", String::as_str);
        let at = step.at.as_ref();
        let line = at.and_then(|at| trace.lines.get(&at.file)?.get(&at.line));
        Row {
            mark,
            number: grouped(index as u64 + 1),
            thread: printable(format!("{} {name}", step.thread).trim_end()),
            what: printable(&what),
            place: at.map_or(String::new(), |at| {
                let file = files.get(at.file.as_str()).copied().unwrap_or(&at.file);
                printable(&Location { file: file.to_string(), ..at.clone() }.to_string())
            }),
            source: line.map_or(String::new(), |line| printable(line.trim())),
        }
    }

    fn render(&self, widths: &Widths, options: &Options) -> String {
        let start = format!(
            "{} {:>number$}  {}  {}  {}",
            self.mark,
            self.number,
            pad(&self.thread, widths.thread),
            pad(&self.what, widths.what),
            pad(&self.place, widths.place),
            number = widths.number,
        );
        // With less room than this the source says nothing: the place is enough.
        const LEAST: usize = 12;
        let room = options.width.saturating_sub(start.width() + 2);
        let source = if room < LEAST { String::new() } else { cut(&self.source, room) };
        if source.is_empty() {
            return format!("{}\n", start.trim_end());
        }
        format!("{start}  {}\n", options.paint(DIM, &source))
    }
}

/// What to call the files of a trace: without their directories, unless two have the same name.
fn file_names(trace: &Trace) -> HashMap<&str, &str> {
    let whole: HashSet<&str> = trace.steps.iter().filter_map(|step| Some(step.at.as_ref()?.file.as_str())).collect();
    let short = |file: &'_ str| {
        Path::new(file).file_name().and_then(OsStr::to_str).filter(|name| file.ends_with(name)).unwrap_or(file).len()
    };
    let mut names: HashMap<&str, &str> = HashMap::new();
    for &file in &whole {
        let name = &file[file.len() - short(file)..];
        let alone = whole.iter().all(|&other| other == file || !other.ends_with(name));
        names.insert(file, if alone { name } else { file });
    }
    names
}

/// The first `room` columns of `text`.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_string();
    }
    let mut used = 3;
    let fits = text.chars().take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= room
    });
    format!("{}...", fits.collect::<String>())
}
