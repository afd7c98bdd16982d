//! The JSON document of a run: schema `heddle/1`.

use heddle_model::RunReport;

use crate::shown;

/// Renders the document: one JSON value and a newline.
pub fn render(report: &RunReport) -> Vec<u8> {
    let mut bytes = shown::in_json(serde_json::to_vec_pretty(report).expect("a report has only string keys"));
    bytes.push(b'\n');
    bytes
}
