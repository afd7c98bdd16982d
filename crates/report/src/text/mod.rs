//! Reports for people, on a terminal or in a pipe.
//!
//! Colours are escape sequences in the text. [`Options::color`] switches them on. The caller knows what the terminal
//! supports.

mod compact;
mod interleaving;
mod snippet;
pub mod stepping;
mod table;
mod verdict;

use anstyle::Style;
use heddle_model::{Finding, Trace};

pub(crate) use crate::shown::line as printable;

pub use compact::compact;
pub use verdict::{coverage, verdict};

/// What the terminal can show, and how much the user wants to see.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether to use colours and other styles.
    pub color: bool,
    /// Whether to draw with characters beyond ASCII.
    pub unicode: bool,
    /// The number of columns of the terminal.
    pub width: usize,
    /// Whether to show every step and every stack frame.
    pub verbose: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { color: false, unicode: false, width: 100, verbose: false }
    }
}

impl Options {
    /// `text` in `style`, or unchanged without colours.
    fn paint(&self, style: Style, text: &str) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(anstyle::AnsiColor::Red)));

/// The report of one finding: what happened and where, which threads hold and wait for which locks, the interleaving,
/// and the command that replays it.
pub fn finding(trace: &Trace, options: &Options) -> String {
    let mut text = snippet::render(&trace.finding, &trace.lines, options);
    text.push('\n');
    let threads = table::render(&trace.finding, options);
    if !threads.is_empty() {
        text.push_str(&threads);
        text.push('\n');
    }
    if trace.finding.count > 1 {
        let what = if trace.finding.sample.is_some() { "sample" } else { "execution" };
        text.push_str(&format!("it happens in {}; this is the first\n\n", counted(trace.finding.count, what)));
    }
    text.push_str(&interleaving::render(trace, options));
    if !trace.output.is_empty() {
        text.push('\n');
        text.push_str(&output(&trace.output, options));
    }
    if let Some(path) = &trace.finding.trace {
        text.push('\n');
        text.push_str(&format!("replay it: {}\n", options.paint(BOLD, &format!("heddle replay {}", shell_word(path)))));
    }
    text
}

/// A finding in one line: what, where and how often.
pub fn headline(finding: &Finding) -> String {
    let place = finding.location.as_ref().map_or(String::new(), |at| format!("{at}: "));
    let trace = finding.trace.as_ref().map_or(String::new(), |path| format!(" [{path}]"));
    printable(&format!("{place}{}: {}{trace}", finding.kind, finding.message)) + "\n"
}

/// The end of the program's output, which usually explains the most.
fn output(output: &str, options: &Options) -> String {
    const SHOWN: usize = 10;
    let lines: Vec<&str> = output.lines().collect();
    let hidden = if options.verbose { 0 } else { lines.len().saturating_sub(SHOWN) };
    let mut text = options.paint(BOLD, "output of the program:");
    text.push('\n');
    if hidden > 0 {
        text.push_str(&format!("  ... {hidden} lines before (--verbose shows all)\n"));
    }
    for line in &lines[hidden..] {
        text.push_str(&format!("  | {}\n", printable(line)));
    }
    text
}

/// `word`, quoted for a shell if necessary.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 step`, `2 steps`, `3 switches`.
pub fn counted(number: u64, noun: &str) -> String {
    let ending = match number {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", grouped(number))
}
