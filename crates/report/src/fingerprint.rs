//! Fingerprints of findings: the same for the same mistake in every run, and in the next version of the program as far as possible.

use std::fmt::Write;

use heddle_model::{Finding, FindingKind};

/// The fingerprint of a finding: its kind, the functions and files that it names, and its words, without numbers. Lines do not count: they
/// change whenever something is added above them.
pub fn of(finding: &Finding) -> String {
    let places = finding.location.iter().chain(finding.notes.iter().filter_map(|note| note.location.as_ref()));
    let mut parts: Vec<String> = places.map(|at| format!("{}:{}", at.file, at.function)).collect();
    parts.sort();
    parts.dedup();
    let mut text = format!("{}|{}", finding.kind, parts.join("|"));
    // How often a test fails is no part of what fails.
    if finding.kind != FindingKind::Failed {
        let _ = write!(text, "|{}", without_numbers(&finding.message));
    }
    of_bytes(text.as_bytes())
}

/// The fingerprint of any bytes.
pub fn of_bytes(bytes: &[u8]) -> String {
    format!("{:016x}", fnv(bytes))
}

/// Numbers differ between runs and versions of the program, and so do addresses with their letters.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii_digit() {
            out.push(c);
            continue;
        }
        let is_address = c == '0' && chars.next_if_eq(&'x').is_some();
        while chars.next_if(|next| next.is_ascii_digit() || is_address && next.is_ascii_hexdigit()).is_some() {}
        out.push('#');
    }
    out
}

/// FNV-1a, of 64 bits (Fowler, Noll and Vo).
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use heddle_model::Location;

    use super::*;

    fn finding(line: u32, message: &str, kind: FindingKind) -> String {
        let location = Location { file: "a.c".into(), line, column: 3, function: "work".into() };
        let report = heddle_model::RunReport::error(String::new());
        assert!(report.findings.is_empty());
        of(&Finding {
            id: format!("{kind}-1"),
            kind,
            message: message.to_string(),
            location: Some(location),
            count: u64::from(line),
            execution: 1,
            sample: None,
            threads: Vec::new(),
            switches: 1,
            preemptions: 1,
            minimal: false,
            certain: true,
            cycle: None,
            trace: None,
            inputs: Vec::new(),
            notes: Vec::new(),
        })
    }

    #[test]
    fn the_same_mistake_has_the_same_fingerprint() {
        let first = finding(12, "threads 1 and 2 wait for each other", FindingKind::Deadlock);
        assert_eq!(first, finding(345, "threads 11 and 12 wait for each other", FindingKind::Deadlock));
        assert_ne!(first, finding(12, "all threads wait", FindingKind::Deadlock));
        assert_ne!(first, finding(12, "threads 1 and 2 wait for each other", FindingKind::Livelock));
        let failed = |message| finding(3, message, FindingKind::Failed);
        assert_eq!(
            failed("exits with status 1 in this order; with 0 in 1 other"),
            failed("exits with status 1 in this order")
        );
    }
    #[test]
    fn addresses_do_not_count() {
        let race = |at: &str| finding(3, &format!("8 bytes at {at}: thread 1 writes"), FindingKind::DataRace);
        assert_eq!(race("0x7f00"), race("0x10cafe"));
        assert_ne!(race("0x7f00"), race("`x`"));
    }
}
