//! The verdict of a proof in one line.

use heddle_model::{Coverage, RunReport, Verdict};

use super::{counted, printable};
use crate::words;

/// Whether the verdict is that of a proof, or of a proof's counterexample.
pub fn is_proof(report: &RunReport) -> bool {
    report.coverage.as_ref().is_some_and(|coverage| coverage.engine.as_deref() == Some("symbolic"))
}

/// The verdict without its name.
pub fn words(report: &RunReport) -> String {
    let reason = report.reason.as_deref().unwrap_or("");
    match (report.verdict, &report.coverage) {
        (Verdict::Safe, Some(coverage)) => {
            format!("all inputs, all orders, sequential consistency; {}; {}", loops(coverage), cost(report))
        }
        (Verdict::Found, _) => {
            let inputs = report.findings.first().map_or(String::new(), |finding| words::inputs(&finding.inputs));
            let inputs =
                if inputs.is_empty() { "no inputs".to_string() } else { format!("inputs {}", printable(&inputs)) };
            let findings = counted(report.findings.len() as u64, "finding");
            format!("{findings}; {inputs}; confirmed natively; {}", cost(report))
        }
        (Verdict::Incomplete, _) => format!("{reason}; {}", cost(report)),
        _ => reason.to_string(),
    }
}

fn loops(coverage: &Coverage) -> String {
    let most = coverage.unwind.iter().map(|unwound| unwound.iterations).max().unwrap_or(0);
    match (coverage.bounds.iterations, coverage.exhaustive) {
        (Some(bound), _) => format!("at most {} of each loop", counted(bound.into(), "iteration")),
        (None, false) => "loops as far as they were bounded".to_string(),
        (None, true) if most > 0 => format!("every loop to its end (at most {})", counted(most.into(), "iteration")),
        (None, true) => "every loop to its end".to_string(),
    }
}

fn cost(report: &RunReport) -> String {
    let (events, formulas) = (counted(report.events, "event"), counted(report.formulas, "formula"));
    let checked = match report.coverage.as_ref().and_then(|coverage| coverage.checked_by.as_deref()) {
        Some("proof") => ", proofs checked",
        _ => "",
    };
    format!("{events}, {formulas}{checked}, {:.2} s", report.seconds)
}
