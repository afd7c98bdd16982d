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
            let orders = match coverage.bounds.switches {
                Some(most) => format!("orders with at most {} between threads", counted(most.into(), "switch")),
                None => "all orders".to_string(),
            };
            format!("all inputs, {orders}, sequential consistency; {}; {}", loops(coverage), cost(report))
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
    let to_the_end = coverage.exhaustive
        || coverage.bounds.switches.or(coverage.bounds.timeouts).is_some()
            && !coverage.unwind.iter().any(|unwound| unwound.cut);
    match (coverage.bounds.iterations, to_the_end) {
        (Some(bound), _) => format!("at most {} of each loop", counted(bound.into(), "iteration")),
        (None, false) => "loops as far as they were bounded".to_string(),
        (None, true) if most > 0 => format!("every loop to its end (at most {})", counted(most.into(), "iteration")),
        (None, true) => "every loop to its end".to_string(),
    }
}

fn cost(report: &RunReport) -> String {
    let events = counted(report.events, "event");
    let formulas = match (report.formulas, report.executions) {
        (0, 0) => "no formula".to_string(),
        (0, executions) => counted(executions, "execution"),
        (formulas, _) => counted(formulas, "formula"),
    };
    let engine = report.algorithm.as_deref().map_or(String::new(), |engine| format!(" (engine {engine})"));
    let checked = match report.coverage.as_ref().and_then(|coverage| coverage.checked_by.as_deref()) {
        Some("proof") => ", proofs checked",
        _ => "",
    };
    format!("{events}, {formulas}{checked}, {:.2} s{engine}", report.seconds)
}
