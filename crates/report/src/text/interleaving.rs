//! The interleaving as a table: one column for each thread, time downwards.
//!
//! Each row belongs to one thread, and its text stays in the thread's column: what does not fit goes on in the next line. If there is too
//! little room for that (many threads, a narrow terminal), each row begins with the thread instead, without columns.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;

use heddle_model::finding::Location;
use heddle_model::trace::TraceStep;
use heddle_model::{ThreadId, Trace};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::table::pad;
use super::{BOLD, DIM, Options, RED, counted, printable};
use crate::{relevance, words};

/// The largest number of rows, unless the user asks for all.
const MOST: usize = 24;
/// The smallest width of a column. With less room there are no columns.
const NARROWEST: usize = 14;
/// The largest width of the places.
const PLACE: usize = 24;
/// The smallest width of the source column. With less room it is left out.
const SOURCE: usize = 16;

/// What comes before steps that are repeated for ever.
const AND_THEN: &str = "   and then for ever:";

/// Renders the interleaving of `trace`.
pub fn render(trace: &Trace, options: &Options) -> String {
    let shown = match options.verbose {
        true => vec![true; trace.steps.len()],
        false => relevance::most_relevant(trace, MOST),
    };
    let shown = with_cycle(trace, shown);
    let mut rows = rows(trace, &shown, options);
    let file = only_file(&mut rows);
    for row in &mut rows {
        row.place = end_of(&row.place, PLACE);
    }
    let mut text = heading(trace, &shown, options);
    if rows.is_empty() {
        return text;
    }
    let table = Table::of(&rows, file, trace, options);
    text.push_str(&table.header(trace, options));
    for row in &rows {
        if row.begins_cycle {
            text.push_str(&options.paint(BOLD, AND_THEN));
            text.push('\n');
        }
        text.push_str(&table.row(row, options));
    }
    text
}

/// `shown`, with all steps that are repeated for ever, if there is room for them.
fn with_cycle(trace: &Trace, mut shown: Vec<bool>) -> Vec<bool> {
    if let Some(cycle) = trace.finding.cycle.filter(|cycle| cycle.length as usize <= MOST) {
        shown.iter_mut().skip(cycle.first as usize - 1).for_each(|shown| *shown = true);
    }
    shown
}

fn heading(trace: &Trace, shown: &[bool], options: &Options) -> String {
    let all = trace.steps.len() as u64;
    let told = shown.iter().filter(|shown| **shown).count() as u64;
    let steps = match told < all {
        true => format!("{told} of {}", counted(all, "step")),
        false => counted(all, "step"),
    };
    let heading = format!(
        "interleaving: {steps}, {}, {}{}",
        counted(trace.finding.switches as u64, "switch"),
        counted(trace.finding.preemptions as u64, "preemption"),
        // With no preemption this is obvious.
        if trace.finding.minimal && trace.finding.preemptions > 0 { ", the fewest possible" } else { "" },
    );
    let all = if told < all { "; --verbose shows all" } else { "" };
    format!("{} (> switch, >> preemption{all})\n", options.paint(BOLD, &heading))
}

/// One row of the table.
struct Row {
    mark: &'static str,
    number: String,
    place: String,
    thread: ThreadId,
    what: String,
    source: String,
    /// Whether this is the step at which the execution failed.
    wrong: bool,
    /// Whether this and all steps after it are repeated for ever.
    begins_cycle: bool,
}

/// The rows of the shown steps, and of the last operations of threads at the end.
fn rows(trace: &Trace, shown: &[bool], options: &Options) -> Vec<Row> {
    let files = file_names(trace);
    let mut rows: Vec<Row> = Vec::new();
    let mut before: Option<ThreadId> = None;
    let mut preempts = false;
    let mut index = 0;
    let mut cycle = trace.finding.cycle.map(|cycle| cycle.first as usize - 1);
    while index < trace.steps.len() {
        let step = &trace.steps[index];
        if index > 0 && trace.steps[index - 1].thread != step.thread {
            preempts = false;
        }
        preempts |= step.preempts;
        if !shown[index] {
            index += 1;
            continue;
        }
        let mut end = index + 1;
        if !options.verbose {
            while end < trace.steps.len() && shown[end] && cycle != Some(end) && alike(step, &trace.steps[end]) {
                end += 1;
            }
        }
        let switch = before.is_some_and(|before| before != step.thread);
        let mark = match (switch, preempts) {
            (true, true) => ">>",
            (true, false) => ">",
            _ => "",
        };
        let number = if end - index == 1 { format!("{}", index + 1) } else { format!("{}-{end}", index + 1) };
        let what = together(&trace.steps[index..end]);
        let last = end == trace.steps.len() && trace.end.outcome.is_ended();
        // The first step of the cycle may not be worth a row.
        let begins_cycle = cycle.is_some_and(|first| index >= first);
        cycle = cycle.filter(|_| !begins_cycle);
        rows.push(Row { begins_cycle, ..Row::of(trace, &files, step, mark, number, what, (last, options.unicode)) });
        before = Some(step.thread);
        preempts = false;
        index = end;
    }
    let focus: HashSet<ThreadId> = trace.focus.iter().map(|&step| trace.steps[step as usize].thread).collect();
    for step in &trace.last {
        // The end of the process is a step of its own. The table of threads shows what the other threads were doing.
        if options.verbose || (!trace.end.outcome.is_ended() && focus.contains(&step.thread)) {
            let waits = if step.waits { "waits: " } else { "" };
            let what = format!("{waits}{}", words::brief(step));
            let mark = if focus.contains(&step.thread) { "x" } else { "" };
            let how = (mark == "x", options.unicode);
            rows.push(Row::of(trace, &files, step, mark, String::new(), what, how));
        }
    }
    rows
}

/// Whether two steps can share a row.
fn alike(a: &TraceStep, b: &TraceStep) -> bool {
    let line = |step: &TraceStep| step.at.as_ref().map(|at| (at.file.clone(), at.line));
    a.thread == b.thread && a.action == b.action && a.result == b.result && line(a) == line(b) && a.at.is_some()
}

/// Steps that share a row, in words.
fn together(steps: &[TraceStep]) -> String {
    let first = &steps[0];
    let [_, .., last] = steps else { return words::brief(first) };
    if steps.iter().all(|step| step.object == first.object) {
        return format!("{}, {} times", words::brief(first), steps.len());
    }
    let between = if steps.len() == 2 { "," } else { " .." };
    words::brief(&TraceStep {
        short: format!("{}{between} {}", first.short_name(), last.short_name()),
        ..first.clone()
    })
}

impl Row {
    fn of(
        trace: &Trace,
        files: &HashMap<&str, &str>,
        step: &TraceStep,
        mark: &'static str,
        number: String,
        what: String,
        (wrong, unicode): (bool, bool),
    ) -> Row {
        let at = step.at.as_ref();
        let line = at.and_then(|at| trace.lines.get(&at.file)?.get(&at.line));
        let place = at.map_or(String::new(), |at| {
            let file = files.get(at.file.as_str()).copied().unwrap_or(&at.file);
            printable(&Location { file: file.to_string(), ..at.clone() }.to_string())
        });
        Row {
            mark,
            number,
            place,
            thread: step.thread,
            what: if unicode { printable(&what).replace(" -> ", " → ") } else { printable(&what) },
            source: line.map_or(String::new(), |line| printable(line.trim())),
            wrong,
            begins_cycle: false,
        }
    }
}

/// The layout of the table.
struct Table {
    number: usize,
    place: usize,
    /// The first character of each thread's column, relative to the first column. `None` if there are no columns.
    lanes: Option<BTreeMap<ThreadId, usize>>,
    /// The width of all columns together.
    width: usize,
    source: usize,
    /// The file that all rows are in. Empty if there are several.
    file: String,
}

/// Returns the file that all rows are in, and removes it from the rows. Empty if there are several files.
fn only_file(rows: &mut [Row]) -> String {
    let file = |place: &str| place.rsplit_once(':').map(|(file, _)| file.to_string());
    let Some(first) = rows.iter().find_map(|row| file(&row.place)) else { return String::new() };
    if !rows.iter().all(|row| row.place.is_empty() || file(&row.place).as_ref() == Some(&first)) {
        return String::new();
    }
    for row in rows {
        row.place.replace_range(..first.len().min(row.place.len()), "");
    }
    first
}

impl Table {
    fn of(rows: &[Row], file: String, trace: &Trace, options: &Options) -> Table {
        let widest = |cell: fn(&Row) -> &str| rows.iter().map(|row| cell(row).width()).max().unwrap_or(0);
        let mut table = Table {
            number: widest(|row| &row.number),
            place: widest(|row| &row.place),
            lanes: None,
            width: 0,
            source: 0,
            file,
        };
        // The name of the file is printed above the step numbers and line numbers.
        let needed = table.file.width().min(20).saturating_sub(3 + table.number + 2);
        table.place = table.place.max(needed);
        let room = options.width.saturating_sub(table.start());
        let mut natural: BTreeMap<ThreadId, usize> = BTreeMap::new();
        for row in rows {
            let needed = row.what.width().max(label(trace, row.thread).width()) + 3;
            let known = natural.entry(row.thread).or_default();
            *known = (*known).max(needed);
        }
        let wanted: usize = natural.values().sum();
        let share = room / natural.len().max(1);
        let widths: Option<Vec<usize>> = match wanted <= room {
            true => Some(natural.values().copied().collect()),
            false if share >= NARROWEST => Some(narrowed(&natural, room)),
            false => None,
        };
        match widths {
            Some(widths) => {
                let mut at = 0;
                let mut lanes = BTreeMap::new();
                for (&thread, width) in natural.keys().zip(&widths) {
                    lanes.insert(thread, at);
                    at += width;
                }
                table.width = if wanted <= room { at } else { room };
                table.lanes = Some(lanes);
            }
            None => {
                let listed = |row: &Row| label(trace, row.thread).width() + 2 + row.what.width();
                table.width = rows.iter().map(listed).max().unwrap_or(0).min(room);
            }
        }
        let left = room.saturating_sub(table.width + 2);
        table.source = if left >= SOURCE { left } else { 0 };
        table
    }

    /// The position at which the threads' columns begin.
    fn start(&self) -> usize {
        3 + self.number + 2 + self.place + 2
    }

    fn header(&self, trace: &Trace, options: &Options) -> String {
        let file = cut(&self.file, self.start() - 2);
        let Some(lanes) = &self.lanes else {
            return if file.is_empty() { file } else { options.paint(BOLD, &file) + "\n" };
        };
        let names: Vec<Vec<String>> =
            self.columns(lanes).map(|(thread, room)| wrapped(&label(trace, thread), room - 3)).collect();
        let mut text = String::new();
        for line in 0..names.iter().map(Vec::len).max().unwrap_or(0) {
            let mut heading = format!("{:>1$}  ", if line == 0 { file.as_str() } else { "" }, self.start() - 2);
            for ((_, room), name) in self.columns(lanes).zip(&names) {
                heading
                    .push_str(&pad(&format!("{} {}", bar(options), name.get(line).map_or("", String::as_str)), room));
            }
            text.push_str(&options.paint(BOLD, heading.trim_end()));
            text.push('\n');
        }
        text
    }

    /// The threads with the widths of their columns, borders included.
    fn columns<'l>(&self, lanes: &'l BTreeMap<ThreadId, usize>) -> impl Iterator<Item = (ThreadId, usize)> + use<'l> {
        let ends = lanes.values().skip(1).copied().chain([self.width]);
        lanes.iter().zip(ends).map(|((&thread, &start), end)| (thread, end - start))
    }

    fn row(&self, row: &Row, options: &Options) -> String {
        let start = format!("{:<2} {:>2$}  {3}  ", row.mark, row.number, self.number, pad(&row.place, self.place));
        let what = |text: &str| if row.wrong { options.paint(RED, text) } else { text.to_string() };
        let Some(lanes) = &self.lanes else {
            let text = cut(&format!("{}  {}", row.thread, row.what), self.width);
            return self.with_source(&format!("{start}{}", what(&text)), text.width(), row, options);
        };
        let own = self.columns(lanes).find(|(thread, _)| *thread == row.thread).map_or(0, |(_, room)| room);
        let mut text = String::new();
        for (index, words) in wrapped(&row.what, own.saturating_sub(3)).iter().enumerate() {
            let (cell, used) = self.lane(row.thread, words, lanes, &what, options);
            text.push_str(&match index {
                0 => self.with_source(&format!("{start}{cell}"), used, row, options),
                _ => format!("{}{cell}", " ".repeat(self.start())).trim_end().to_string() + "\n",
            });
        }
        text
    }

    /// A line with the source behind it.
    fn with_source(&self, line: &str, used: usize, row: &Row, options: &Options) -> String {
        if self.source == 0 || row.source.is_empty() {
            return line.trim_end().to_string() + "\n";
        }
        let gap = " ".repeat((self.width + 2).saturating_sub(used));
        format!("{line}{gap}{}\n", options.paint(DIM, &cut(&row.source, self.source)))
    }

    /// `words` in the cell of a thread, with the borders of all columns, and the width of that.
    fn lane(
        &self,
        thread: ThreadId,
        words: &str,
        lanes: &BTreeMap<ThreadId, usize>,
        what: &dyn Fn(&str) -> String,
        options: &Options,
    ) -> (String, usize) {
        let mut text = String::new();
        let mut used = 0;
        for (&column, &at) in lanes {
            text.push_str(&" ".repeat(at - used));
            text.push_str(&options.paint(DIM, bar(options)));
            used = at + 1;
            if column == thread {
                text.push_str(&format!(" {}", what(words)));
                used += 1 + words.width();
            }
        }
        (text, used)
    }
}

/// `text` in lines of at most `room` columns, broken between words where that is possible. At least one line.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.width() + 1 + word.width() <= room {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        for c in word.chars() {
            let line = lines.last_mut().expect("there is a line");
            if line.width() + c.width().unwrap_or(0) > room && !line.is_empty() {
                lines.push(c.to_string());
            } else {
                line.push(c);
            }
        }
    }
    lines
}

/// The end of `text`, at most `room` columns.
fn end_of(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_string();
    }
    let mut used = 3;
    let kept: Vec<char> = text
        .chars()
        .rev()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect();
    "...".chars().chain(kept.into_iter().rev()).collect()
}

/// Reduces the widths of columns until they fit into `room`, the widest column first.
fn narrowed(natural: &BTreeMap<ThreadId, usize>, room: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = natural.values().copied().collect();
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max().expect("there is a column");
        *widest -= 1;
    }
    widths
}

fn bar(options: &Options) -> &'static str {
    if options.unicode { "│" } else { "|" }
}

/// The heading of a column: the thread's number and its start function.
fn label(trace: &Trace, thread: ThreadId) -> String {
    let name = trace.threads.get(&thread).map_or("", String::as_str);
    printable(format!("{thread} {name}").trim_end())
}

/// The names of the files of a trace as reports show them: without directories, unless two files share a name.
fn file_names(trace: &Trace) -> HashMap<&str, &str> {
    let steps = trace.steps.iter().chain(&trace.last);
    let whole: HashSet<&str> = steps.filter_map(|step| Some(step.at.as_ref()?.file.as_str())).collect();
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

/// Cuts `text` to at most `room` columns.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_string();
    }
    let mut used = 3;
    let fits = text.chars().take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= room
    });
    let mut short = fits.collect::<String>();
    short.push_str(&"..."[..room.min(3)]);
    short
}
