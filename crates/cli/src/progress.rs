//! Progress on standard error: a line that moves on a terminal, a new line now and then elsewhere.

use std::io::Write;
use std::time::{Duration, Instant};

use heddle_report::text::{counted, grouped};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use heddle_checking::words::duration as show_duration;

/// How long nothing is said where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

/// Shows the progress of the search.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// When the last line was printed, where there is no terminal.
    last: Option<Instant>,
}

/// Where progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// On a terminal: one line that moves.
    Terminal,
    /// In a log: a line every half minute.
    Log,
    /// Nowhere.
    Nowhere,
}

impl Progress {
    /// Begins to show progress.
    pub fn new(place: Where) -> Progress {
        let bar = (place == Where::Terminal).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar
        });
        Progress { bar, last: (place == Where::Log).then(Instant::now) }
    }

    /// Shows what Heddle does before the search.
    pub fn say(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_string());
            bar.tick();
        }
    }

    /// Runs `print`, which prints, with the line out of the way.
    pub fn beside(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Shows the progress of the search.
    pub fn update(&mut self, progress: &heddle_search::Progress, findings: usize) {
        if let Some(bar) = &self.bar {
            bar.set_message(line(progress, findings));
            bar.tick();
        }
        if let Some(last) = self.last.as_mut().filter(|last| last.elapsed() >= BETWEEN_LINES) {
            *last = Instant::now();
            // What cannot be printed is not worth ending the search for.
            let _ = writeln!(std::io::stderr(), "heddle: {}", line(progress, findings));
        }
    }

    /// Removes the line.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The progress in one line: executions, rate, the estimated total, the depth, findings, time.
fn line(progress: &heddle_search::Progress, findings: usize) -> String {
    let rate = progress.executions as f64 / progress.elapsed.as_secs_f64().max(1e-9);
    let mut text = format!("{} ({}/s)", counted(progress.executions, "execution"), grouped(rate as u64));
    if progress.samples > 0 {
        text.push_str(&format!(" and {}", counted(progress.samples, "sample")));
    }
    if let Some((low, high)) = progress.estimate {
        text.push_str(&format!(" of {} {}", grouped(low), up_to(high.map(grouped))));
    } else if let Some(all) = progress.at_least.filter(|&all| all > progress.executions) {
        text.push_str(&format!(" of at least {}", grouped(all)));
    }
    if let Some(steps) = progress.events.checked_div(progress.executions + progress.blocked) {
        text.push_str(&format!(", {} deep", counted(steps, "step")));
    }
    if findings > 0 {
        text.push_str(&format!(", {}", counted(findings as u64, "finding")));
    }
    text.push_str(&format!(", {}", show_duration(progress.elapsed)));
    if let Some((low, high)) = progress.estimate.filter(|_| rate >= 1.0) {
        let left = |all: u64| {
            let seconds = all.saturating_sub(progress.executions) as f64 / rate;
            // A century says no more than that it is too long.
            show_duration(std::time::Duration::from_secs(seconds.min(3e9) as u64))
        };
        text.push_str(&format!(", {} {} left", left(low), up_to(high.map(left))));
    }
    text
}

/// The upper end of a range, if it has one.
fn up_to(high: Option<String>) -> String {
    high.map_or_else(|| "or more".to_string(), |high| format!("to {high}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::line;

    #[test]
    fn all_that_is_known_is_told() {
        let mut progress = heddle_search::Progress {
            executions: 1000,
            events: 40_000,
            elapsed: Duration::from_secs(2),
            ..heddle_search::Progress::default()
        };
        assert_eq!(line(&progress, 0), "1,000 executions (500/s), 40 steps deep, 2 s");
        progress.at_least = Some(1500);
        assert_eq!(line(&progress, 0), "1,000 executions (500/s) of at least 1,500, 40 steps deep, 2 s");
        progress.estimate = Some((1500, Some(4000)));
        assert_eq!(
            line(&progress, 1),
            "1,000 executions (500/s) of 1,500 to 4,000, 40 steps deep, 1 finding, 2 s, 1 s to 6 s left"
        );
        progress.estimate = Some((3000, None));
        assert_eq!(
            line(&progress, 0),
            "1,000 executions (500/s) of 3,000 or more, 40 steps deep, 2 s, 4 s or more left"
        );
        assert!(line(&heddle_search::Progress::default(), 0).starts_with("0 executions"));
    }
}
