//! The table of threads: which locks each holds, what it waits for, and where.

use heddle_model::finding::Finding;
use unicode_width::UnicodeWidthStr;

use super::{BOLD, Options, printable};
use crate::names::thread_label;

/// Renders one line for each thread of `finding`. Empty if it has none.
pub fn render(finding: &Finding, options: &Options) -> String {
    if finding.threads.is_empty() {
        return String::new();
    }
    let mut rows: Vec<[String; 3]> = Vec::new();
    for thread in &finding.threads {
        let mut doing = thread.state.clone();
        if !thread.holds.is_empty() {
            doing.push_str(&format!(", holds {}", thread.holds.join(", ")));
        }
        let at = thread.at.as_ref().map_or(String::new(), |at| at.to_string());
        rows.push([printable(&thread_label(thread.id, &thread.name)), printable(&at), printable(&doing)]);
    }
    let widths = [0, 1].map(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0));
    let mut text = format!("{}\n", options.paint(BOLD, "threads:"));
    for ([name, at, doing], thread) in rows.iter().zip(&finding.threads) {
        text.push_str("  ");
        text.push_str(&pad(name, widths[0]));
        text.push_str("  ");
        text.push_str(&pad(at, widths[1]));
        text.push_str("  ");
        text.push_str(doing);
        text.push('\n');
        if options.verbose {
            for frame in thread.stack.iter().skip(1) {
                text.push_str(&format!(
                    "      called from {} {}\n",
                    printable(&frame.function),
                    printable(&frame.to_string())
                ));
            }
        }
    }
    text
}

/// `text`, padded with spaces to `width` columns.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}
