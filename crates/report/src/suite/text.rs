//! One line a test, as test runners print it, and a summary.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use heddle_model::{FindingKind, RunReport, Verdict};

use super::{Checked, Result, verdict};
use crate::text::{Options, counted, coverage, headline, printable, shell_word};

fn colour(color: AnsiColor) -> Style {
    Style::new().bold().fg_color(Some(color.into()))
}

/// The line of one test: its name, its verdict, and why.
pub fn line(test: &Checked, options: &Options) -> String {
    let told = match &test.result {
        Result::Ignored(why) => format!("{} ({why})", options.paint(colour(AnsiColor::Yellow), "ignored")),
        Result::Ran { report, accepted, .. } => {
            let name = match report.verdict {
                Verdict::Safe => options.paint(colour(AnsiColor::Green), "ok"),
                Verdict::Found => options.paint(colour(AnsiColor::Red), "FAILED"),
                Verdict::Error => options.paint(colour(AnsiColor::Red), "error"),
                verdict if *accepted => {
                    format!("{} ({})", options.paint(colour(AnsiColor::Green), "accepted"), verdict.name())
                }
                verdict => options.paint(colour(AnsiColor::Yellow), verdict.name()),
            };
            let why = why(report);
            if report.verdict == Verdict::Safe { format!("{name} ({why})") } else { format!("{name}: {why}") }
        }
    };
    format!("test {} ... {told}\n", printable(&test.name))
}

/// What is worth a line of a verdict.
fn why(report: &RunReport) -> String {
    let executions = || match report.states {
        0 => counted(report.executions, "execution"),
        states => counted(states, "state"),
    };
    let text = match (report.verdict, report.findings.first()) {
        (Verdict::Safe, _) => executions(),
        (Verdict::Found, Some(finding)) => {
            let at = finding.location.as_ref().map_or(String::new(), |at| format!(" ({at})"));
            let more = match report.findings.len() {
                0 | 1 => String::new(),
                all => format!(", and {} more", all - 1),
            };
            // The line says already that it failed.
            let kind = match finding.kind {
                FindingKind::Failed => String::new(),
                kind => format!("{kind}: "),
            };
            format!("{kind}{}{at}{more}", finding.message)
        }
        (_, Some(finding)) => {
            let at = finding.location.as_ref().map_or(String::new(), |at| format!(" ({at})"));
            format!("{}: {}{at}; {}", finding.kind, finding.message, report.reason.as_deref().unwrap_or_default())
        }
        (_, None) => report.reason.clone().unwrap_or_default(),
    };
    let incomplete = report.verdict == Verdict::Incomplete && report.findings.is_empty();
    printable(&if incomplete { format!("{text}; nothing found in {}", executions()) } else { text })
}

/// The tests that failed, each with the command that replays it. With `verbose` their reports come before.
pub fn failures(tests: &[Checked], options: &Options) -> String {
    let failed = || tests.iter().filter(|test| test.verdict() == Some(Verdict::Found));
    let mut text = String::new();
    if options.verbose {
        for test in failed() {
            text.push_str(&format!("\n---- {} ----\n", printable(&test.name)));
            test.traces().iter().for_each(|trace| text.push_str(&crate::text::finding(trace, options)));
            if test.traces().is_empty() {
                test.report().into_iter().flat_map(|r| &r.findings).for_each(|f| text.push_str(&headline(f)));
            }
        }
    }
    let replays = failed().filter_map(|test| Some((test, test.finding()?.trace.as_ref()?)));
    let replays: Vec<String> = replays
        .map(|(test, trace)| format!("    {}: heddle replay {}\n", printable(&test.name), shell_word(trace)))
        .collect();
    if !replays.is_empty() {
        text.push_str(&format!("\nfailures, and how to replay them:\n{}", replays.concat()));
    }
    text
}

/// The last line: the verdict of all tests, and how many had which. `filtered` were left out on request.
pub fn summary(tests: &[Checked], filtered: usize, elapsed: Duration, options: &Options) -> String {
    let worst = verdict(tests);
    let name = match worst {
        Verdict::Safe => options.paint(colour(AnsiColor::Green), "ok"),
        Verdict::Found | Verdict::Error => options.paint(colour(AnsiColor::Red), "FAILED"),
        Verdict::Incomplete | Verdict::Unsupported => options.paint(colour(AnsiColor::Yellow), worst.name()),
    };
    let with = |wanted: Option<Verdict>| tests.iter().filter(|test| test.verdict() == wanted).count();
    let accepted = tests.iter().filter(|test| matches!(test.result, Result::Ran { accepted: true, .. })).count();
    let mut parts = vec![
        format!("{} passed", with(Some(Verdict::Safe)) - accepted),
        format!("{} failed", with(Some(Verdict::Found))),
        format!("{} incomplete", with(Some(Verdict::Incomplete))),
    ];
    let rest = [
        (accepted, "accepted"),
        (with(Some(Verdict::Unsupported)), "unsupported"),
        (with(Some(Verdict::Error)), "without a verdict"),
        (with(None), "ignored"),
        (filtered, "filtered out"),
    ];
    parts.extend(rest.into_iter().filter(|(many, _)| *many > 0).map(|(many, what)| format!("{many} {what}")));
    let mut text = format!("\ntest result: {name}. {}; {:.1} s\n", parts.join("; "), elapsed.as_secs_f64());
    // What all of them cover is said once.
    let reports = || tests.iter().filter_map(Checked::report).filter(|report| report.verdict == Verdict::Safe);
    if let Some(of) = reports().find_map(|report| report.coverage.as_ref()) {
        let mut notes: Vec<&String> = Vec::new();
        for note in reports().filter_map(|report| report.coverage.as_ref()).flat_map(|of| &of.notes) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        text.push_str(&format!("  passed means: all orders, {}\n", coverage(of)));
        notes.into_iter().for_each(|note| text.push_str(&format!("  not covered: {}\n", printable(note))));
    }
    text
}
