//! The output formats of a run or a finding, for people and for machines.

use std::path::Path;

use clap::ValueEnum;
use heddle_model::{RunReport, Trace};
use heddle_report::witness::Origin;
use heddle_report::{graph, html, json, junit, sarif, text, witness};
use sha2::{Digest, Sha256};

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Text, as on the terminal.
    Text,
    /// Heddle's JSON document, schema heddle/1.
    Json,
    /// An HTML page that steps through the interleaving.
    Html,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for continuous integration.
    Junit,
    /// An SV-COMP violation witness (YAML 2.0) of the first finding.
    Witness,
    /// The happens-before graph of the first finding, for Graphviz.
    Dot,
    /// The happens-before graph of the first finding, for Mermaid.
    Mermaid,
}

/// Renders the run and its traces in `format`.
pub fn render(
    format: Format,
    report: &RunReport,
    traces: &[Trace],
    options: &text::Options,
) -> Result<Vec<u8>, String> {
    let first = || traces.first().ok_or_else(|| "there is no finding to write in this format".to_string());
    Ok(match format {
        Format::Text => {
            let told: String = traces.iter().map(|trace| text::finding(trace, options)).collect();
            told.into_bytes()
        }
        Format::Json => json::render(report),
        Format::Html => html::render(report, traces),
        Format::Sarif => sarif::render(report, traces),
        Format::Junit => junit::render(report, traces, &program_name(traces)),
        Format::Witness => {
            let trace = first()?;
            witness::render(trace, &origin(trace)?).into_bytes()
        }
        Format::Dot => graph::dot(first()?).into_bytes(),
        Format::Mermaid => graph::mermaid(first()?).into_bytes(),
    })
}

/// The format of a graph, by the extension of its file name.
pub fn of_graph(path: &Path) -> Result<Format, String> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("dot" | "gv") => Ok(Format::Dot),
        Some("mmd" | "mermaid") => Ok(Format::Mermaid),
        _ => Err(format!("--graph {}: unknown extension; use .dot for Graphviz or .mmd for Mermaid", path.display())),
    }
}

/// The name of the program of these traces, for reports.
fn program_name(traces: &[Trace]) -> String {
    traces.first().map_or("program".to_string(), |trace| named(&trace.program.build, &trace.program.binary))
}

/// The name of a program that was built from `words` or is `binary`, for reports.
fn named(words: &[String], binary: &Option<heddle_model::trace::SourceFile>) -> String {
    match binary {
        Some(binary) => binary.path.clone(),
        None => words.iter().filter(|word| !word.starts_with('-')).cloned().collect::<Vec<_>>().join(" "),
    }
}

/// The JUnit document of a run of the program that `words` name, whatever its verdict.
pub fn junit_of(words: &[String], report: &RunReport, traces: &[Trace]) -> Vec<u8> {
    junit::render(report, traces, &named(words, &None))
}

/// The origin of a witness: its program's files with their hashes, an identifier and the time.
fn origin(trace: &Trace) -> Result<Origin, String> {
    let directory = Path::new(&trace.program.directory);
    let mut files = Vec::new();
    for source in trace.program.sources.iter().chain(&trace.program.binary) {
        let bytes = std::fs::read(directory.join(&source.path))
            .map_err(|error| format!("cannot read {} for the file hashes of the witness: {error}", source.path))?;
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        files.push((source.path.clone(), hash));
    }
    let number = xxhash_rust::xxh3::xxh3_128(&trace.to_bytes());
    // A number of our own making, in the form that RFC 9562 calls version 8.
    let digits = format!("{:032x}", number & !(0xf << 76) & !(3 << 62) | 8 << 76 | 2 << 62);
    let uuid = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-");
    Ok(Origin { files, created: now(), uuid })
}

/// The current time in ISO 8601 format.
fn now() -> String {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds)
}

/// Formats seconds since 1970 as a date and a time of day. The calendar follows `civil_from_days` in Howard Hinnant's
/// "chrono-compatible low-level date algorithms".
fn date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates() {
        assert_eq!(super::date(0), "1970-01-01T00:00:00Z");
        assert_eq!(super::date(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(super::date(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(super::date(1_794_787_200), "2026-11-16T00:00:00Z");
    }
}
