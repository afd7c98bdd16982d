//! Progress on standard error, only on a terminal.

use heddle_report::text::{counted, grouped};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::values::show_duration;

/// A line that says how far the search has come.
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A line, or none.
    pub fn new(shown: bool) -> Progress {
        let bar = shown.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar
        });
        Progress { bar }
    }

    /// Says what is being done before the search.
    pub fn say(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_string());
            bar.tick();
        }
    }

    /// Shows how far it has come.
    pub fn update(&self, progress: &heddle_search::Progress, findings: usize) {
        let Some(bar) = &self.bar else { return };
        let rate = progress.executions as f64 / progress.elapsed.as_secs_f64().max(1e-9);
        let mut text = format!("{} ({}/s)", counted(progress.executions, "execution"), grouped(rate as u64));
        if let Some((_, about)) = progress.estimate {
            text.push_str(&format!(" of about {}", grouped(about)));
        }
        text.push_str(&format!(", {}", show_duration(progress.elapsed)));
        if findings > 0 {
            text.push_str(&format!(", {}", counted(findings as u64, "finding")));
        }
        bar.set_message(text);
        bar.tick();
    }

    /// Takes the line away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
