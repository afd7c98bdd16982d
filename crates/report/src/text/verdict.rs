//! The verdict in a few lines. `safe` is always printed with its coverage.

use anstyle::{AnsiColor, Style};
use heddle_model::{Coverage, Estimate, OutcomeCount, RunReport, Verdict};

use super::{Options, counted, grouped, printable, proved};

/// Renders the verdict of a run.
pub fn verdict(report: &RunReport, options: &Options) -> String {
    let color = match report.verdict {
        Verdict::Safe => AnsiColor::Green,
        Verdict::Found | Verdict::Error => AnsiColor::Red,
        Verdict::Incomplete | Verdict::Unsupported => AnsiColor::Yellow,
    };
    let name = options.paint(Style::new().bold().fg_color(Some(color.into())), report.verdict.name());
    let reason = report.reason.as_deref().unwrap_or("");
    let mut text = match report.verdict {
        _ if proved::is_proof(report) => format!("{name}: {}\n", proved::words(report)),
        Verdict::Safe => {
            let executions = match report.executions {
                0 if report.states > 0 && report.coverage.as_ref().is_some_and(|of| of.exhaustive) => {
                    format!("all {}; the program does not end", counted(report.states, "state"))
                }
                n if report.states > 0 && report.coverage.as_ref().is_some_and(|of| of.bounds.is_of_schedules()) => {
                    let within = counted(n + report.visited, "execution");
                    format!("all {} within ({within}); there are more", counted(report.states, "state"))
                }
                n if report.states > 0 => {
                    format!("all {} ({})", counted(report.states, "state"), counted(n + report.visited, "execution"))
                }
                1 => "the only execution".to_string(),
                n => format!("all {} executions", grouped(n)),
            };
            let coverage = report.coverage.as_ref().map_or(String::new(), |c| format!(", {}", coverage(c)));
            format!("{name}: {executions}{}{}{coverage}\n", assumed(report), samples(report))
        }
        Verdict::Found => {
            format!("{name}: {} in {}\n", counted(report.findings.len() as u64, "finding"), executions(report))
        }
        Verdict::Incomplete => {
            let coverage = report.coverage.as_ref().map_or(String::new(), |c| format!(", {}", coverage(c)));
            let found = match report.findings.len() as u64 {
                0 => "nothing found".to_string(),
                uncertain => counted(uncertain, "uncertain finding"),
            };
            format!("{name}: {reason}; {found} in {}{coverage}\n", executions(report))
        }
        Verdict::Unsupported | Verdict::Error => format!("{name}: {reason}\n"),
    };
    if matches!(report.verdict, Verdict::Safe | Verdict::Incomplete)
        && let Some(coverage) = &report.coverage
    {
        for note in &coverage.notes {
            text.push_str(&format!("  not covered: {note}\n"));
        }
        for ground in &coverage.grounds {
            text.push_str(&format!("  rests on: {ground}\n"));
        }
        if let Some(reason) = &coverage.restart_reason {
            text.push_str(&format!("  restarted by {}: {reason}\n", coverage.restart));
        }
        if let Some(reason) = &coverage.states_reason {
            text.push_str(&format!("  {reason}\n"));
        }
    }
    text.push_str(&what_next(report));
    text.push_str(&outcomes(report));
    // Findings come first; notes would distract from them.
    if report.verdict != Verdict::Found || options.verbose {
        text.push_str(&notes(report, options));
    }
    if matches!(report.verdict, Verdict::Found)
        && let Some(reason) = &report.reason
    {
        text.push_str(&format!("  the search ended early: {reason}\n"));
    }
    text
}

/// How much was explored, and what to try next.
fn what_next(report: &RunReport) -> String {
    let mut text = String::new();
    if let Some(Estimate { low, high }) = report.estimate {
        let all = match high {
            Some(high) if high > low => format!("about {} to {}", grouped(low), counted(high, "execution")),
            Some(_) => format!("about {}", counted(low, "execution")),
            None => format!("{} or more", counted(low, "execution")),
        };
        text.push_str(&format!("  explored: {} of {all}\n", grouped(report.executions)));
    }
    for (advice, begin) in report.advice.iter().zip(["try:", " or:"].into_iter().cycle()) {
        text.push_str(&format!("  {begin} {}\n       {}\n", printable(&advice.command), printable(&advice.because)));
    }
    text
}

/// The outcomes of the executions, one line each.
fn outcomes(report: &RunReport) -> String {
    let most = report.outcomes.iter().map(|outcome| grouped(outcome.executions).len()).max().unwrap_or(0);
    let line = |outcome: &OutcomeCount| {
        let output = outcome.output.trim_end().replace('\n', " | ");
        let end = if outcome.status == Some(0) { String::new() } else { format!(" ({})", outcome.end) };
        let output = if output.is_empty() { "nothing printed".to_string() } else { output };
        format!("  {:>most$}  {}{}\n", grouped(outcome.executions), printable(&output), printable(&end))
    };
    let lines: String = report.outcomes.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("{}:\n{lines}", counted(report.outcomes.len() as u64, "outcome")) }
}

/// The largest number of notes, unless the user asks for all.
const SHOWN: usize = 6;

/// The notes of a run, one line each.
fn notes(report: &RunReport, options: &Options) -> String {
    let shown = if options.verbose { report.notes.len() } else { SHOWN.min(report.notes.len()) };
    let mut text = String::new();
    for (index, note) in report.notes[..shown].iter().enumerate() {
        let place = note.location.as_ref().map_or(String::new(), |at| format!("{at}: "));
        // The rule of the standard is printed once for each kind of note.
        let said = report.notes[..index].iter().any(|before| before.kind == note.kind);
        let standard = if said { String::new() } else { format!(" ({})", note.standard) };
        text.push_str(&printable(&format!("  note: {place}{}{standard}", note.message)));
        text.push('\n');
    }
    if shown < report.notes.len() {
        text.push_str(&format!(
            "  and {} (--verbose shows all)\n",
            counted((report.notes.len() - shown) as u64, "more note")
        ));
    }
    text
}

/// The number of executions, and how many more were redundant or assumed away.
pub fn executions(report: &RunReport) -> String {
    if report.executions + report.visited == 0 && report.verdict == Verdict::Found {
        return format!("an execution that was cut off there{}", samples(report));
    }
    let mut text = counted(report.executions + report.visited, "execution");
    if report.states > 0 {
        text.push_str(&format!(" with {}", counted(report.states, "state")));
    }
    if report.blocked > 0 {
        text.push_str(&format!(" ({} more abandoned as redundant)", grouped(report.blocked)));
    }
    text + &assumed(report) + &samples(report)
}

/// The number of samples beside the executions. Empty if there are none.
fn samples(report: &RunReport) -> String {
    if report.samples == 0 { String::new() } else { format!(" (and {})", counted(report.samples, "sample")) }
}

fn assumed(report: &RunReport) -> String {
    if report.assumed == 0 {
        String::new()
    } else {
        format!(" ({} more discarded by an assumption)", grouped(report.assumed))
    }
}

/// The coverage of a verdict in a few words.
pub fn coverage(coverage: &Coverage) -> String {
    let model = match coverage.model.as_str() {
        "sc" => "sequential consistency",
        other => other,
    };
    let model = match coverage.instrumented.as_str() {
        "sync-only" => format!("{model}, sync-only"),
        _ => model.to_owned(),
    };
    let bounds = &coverage.bounds;
    let mut limits = Vec::new();
    if let Some(n) = bounds.preemptions {
        limits.push(counted(n as u64, "preemption"));
    }
    if let Some(n) = bounds.switches {
        limits.push(counted(n as u64, "switch"));
    }
    if let Some(n) = bounds.delays {
        limits.push(counted(n as u64, "delay"));
    }
    if let Some(n) = bounds.steps {
        limits.push(format!("{} of each thread", counted(n as u64, "operation")));
    }
    if let Some(n) = bounds.timeouts {
        limits.push(format!("{} of each thread", counted(n as u64, "time-out")));
    }
    let begin = bounds.prefix.map_or(String::new(), |steps| {
        format!(", only executions that begin with the {} given", counted(steps, "step"))
    });
    if !begin.is_empty() && limits.is_empty() {
        format!("{model}{begin}")
    } else if coverage.exhaustive {
        format!("{model}, unbounded")
    } else if limits.is_empty() {
        model
    } else {
        format!("{model}, bounded: at most {}{begin}", limits.join(", "))
    }
}
