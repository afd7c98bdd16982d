//! What follows from what, and what matters to a finding.

use crate::common::*;
use heddle_model::{Ending, Outcome};
use heddle_report::state::State;
use heddle_report::{causes, graph, html, junit, relevance, sarif, text};

/// Thread 1 locks and unlocks; thread 2 locks after it and its assertion fails; thread 3 does something else.
fn script() -> Vec<Scripted> {
    vec![
        start(0),
        create(0, 1, 27),
        create(0, 2, 28),
        create(0, 3, 28),
        start(1),
        lock(1, A, 8),
        unlock(1, A, 12),
        start(3),
        lock(3, C, 17),
        unlock(3, C, 18),
        start(2),
        lock(2, A, 18),
        finish(2, Ending::Assertion, 19),
    ]
}

#[test]
fn only_direct_causes_of_other_threads_are_named() {
    let recording = record(&script(), &[join(0, 1, 29)], ended(Ending::Assertion), "shared == 0");
    let causes = causes::causes(&recording.events);
    let expected: [&[u32]; 13] = [&[], &[], &[], &[], &[1], &[], &[], &[3], &[], &[], &[2], &[6], &[]];
    assert_eq!(causes, expected, "a create and its thread's begin, an unlock and the next lock, nothing else");
}

#[test]
fn what_did_not_lead_to_the_finding_does_not_matter() {
    let trace = trace(&record(&script(), &[join(0, 1, 29)], ended(Ending::Assertion), "shared == 0"));
    let matters = relevance::before_finding(&trace);
    // Thread 3, and its creation, could be left out; main went on to create it after what mattered.
    let left_out: Vec<usize> = (0..matters.len()).filter(|&step| !matters[step]).collect();
    assert_eq!(left_out, [3, 7, 8, 9]);
    let short = text::finding(&trace, &text::Options::default());
    assert!(!short.contains("mutex #1"), "{short}");
    let long = text::finding(&trace, &text::Options { verbose: true, ..text::Options::default() });
    assert!(long.contains("mutex #1"), "{long}");
}

#[test]
fn who_holds_what_and_who_waits_between_two_steps() {
    let trace = trace(&abba());
    let state = |taken| State::after(&trace, taken);
    assert!(state(4).holds.is_empty());
    assert_eq!(state(5).holds.into_iter().collect::<Vec<_>>(), [(1.into_id(), vec!["mutex `a`".to_string()])]);
    assert_eq!(state(7).holds.len(), 2);
    assert!(state(2).blocked.is_empty());
    assert_eq!(state(7).blocked.len(), 3, "a cycle, and main, which waits for it");
}

trait IntoId {
    fn into_id(self) -> heddle_model::ThreadId;
}

impl IntoId for u16 {
    fn into_id(self) -> heddle_model::ThreadId {
        heddle_model::ThreadId(self)
    }
}

/// Names that mean something in every format stay names.
#[test]
fn hostile_names_are_escaped_everywhere() {
    let hostile = "</script><b>\"]]>&amp;\u{1}\\n#;`";
    let mut recording = abba();
    recording.objects.insert(A, hostile.to_string());
    let trace = trace(&recording);
    let report = heddle_model::RunReport {
        verdict: heddle_model::Verdict::Found,
        findings: vec![trace.finding.clone()],
        ..heddle_model::RunReport::error(String::new())
    };
    let traces = [trace.clone()];
    let page = String::from_utf8(html::render(&report, &traces)).unwrap();
    assert_eq!(page.matches("</script>").count(), 2, "the page's own two");
    assert!(!page.contains("<b>"));
    let xml = String::from_utf8(junit::render(&report, &traces, hostile)).unwrap();
    assert!(!xml.contains("<b>") && !xml.contains('\u{1}') && !xml.contains("]]>"), "{xml}");
    let document: serde_json::Value = serde_json::from_slice(&sarif::render(&report, &traces)).unwrap();
    assert!(document["runs"][0]["results"][0]["message"]["text"].as_str().unwrap().contains("</script>"));
    let dot = graph::dot(&trace);
    let open = dot.lines().filter(|line| line.replace("\\\\", "").replace("\\\"", "").matches('"').count() % 2 == 1);
    assert_eq!(open.count(), 0, "every string ends in its line\n{dot}");
    assert!(!graph::mermaid(&trace).contains("<b>"));
    let told = text::finding(&trace, &text::Options::default());
    assert!(!told.contains('\u{1}'), "{told}");
}

#[test]
fn objects_without_a_name_are_told_by_where_they_are() {
    let mut recording = record(&[start(0), lock(0, C, 8)], &[lock(0, C, 9)], Outcome::Deadlock, "");
    recording.whereabouts.insert(C, "allocated at abba.c:3".to_string());
    let told = text::finding(&trace(&recording), &text::Options::default());
    assert!(told.contains("waits for mutex #1 (allocated at abba.c:3), which it holds itself"), "{told}");
    assert!(told.contains("| waits: lock mutex #1  "), "the columns have room for the number only\n{told}");
}
