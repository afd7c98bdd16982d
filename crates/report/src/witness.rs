//! SV-COMP violation witnesses: YAML, format 2.0.
//!
//! A witness is a violation sequence: waypoints that an execution passes. The last one is the target, where the
//! violation happens. Values that the program was given (`__VERIFIER_nondet_*`) are `function_return` waypoints. The
//! format cannot say which thread runs when, so a validator has to find the schedule again. Heddle's own trace file
//! does replay it.

use heddle_model::primitive::choice::InputType;
use heddle_model::trace::StepResult;
use heddle_model::{FindingKind, Trace};
use serde_json::{Value, json};

use crate::{shown, words};

/// The metadata of a witness. The caller supplies it, because this crate opens no file and reads no clock.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The program's files, each with the SHA-256 of its contents in hexadecimal digits.
    pub files: Vec<(String, String)>,
    /// The time of creation, for example `2026-11-16T12:00:00Z`.
    pub created: String,
    /// A UUID for this witness.
    pub uuid: String,
}

/// Renders the witness of a finding as YAML.
pub fn render(trace: &Trace, origin: &Origin) -> String {
    let mut out = String::new();
    yaml(&document(trace, origin), 0, &mut out);
    // Its strings are JSON's.
    String::from_utf8(shown::in_json(out.into_bytes())).expect("it was text")
}

/// The witness of a finding as a JSON value. [`render`] writes it as YAML.
pub fn document(trace: &Trace, origin: &Origin) -> Value {
    let formula = format!("CHECK( init(main()), LTL({}) )", trace.settings.liveness.formula.as_str());
    let specification = match trace.finding.kind {
        FindingKind::Ltl => formula.as_str(),
        FindingKind::DataRace => "CHECK( init(main()), LTL(G ! data-race) )",
        FindingKind::Memory => "CHECK( init(main()), LTL(G valid-deref) )",
        FindingKind::Leak => "CHECK( init(main()), LTL(G valid-memtrack) )",
        FindingKind::Hang
        | FindingKind::Livelock
        | FindingKind::Starvation
        | FindingKind::Deadlock
        | FindingKind::PartialDeadlock => "CHECK( init(main()), LTL(F end) )",
        _ => "CHECK( init(main()), LTL(G ! call(reach_error())) )",
    };
    let language = match trace.program.compilers.iter().any(|used| used.language == "C++") {
        true => "C++",
        false => "C",
    };
    let hashes: serde_json::Map<String, Value> =
        origin.files.iter().map(|(file, hash)| (file.clone(), json!(hash))).collect();
    let files: Vec<&str> = origin.files.iter().map(|(file, _)| file.as_str()).collect();
    let mut segments: Vec<Value> = Vec::new();
    for step in &trace.steps {
        let value = match step.result {
            Some(StepResult::Chosen { value, .. }) => value.to_string(),
            // Infinity and what is no number have no constant in C.
            Some(StepResult::Input { value, of: InputType::Float(32) })
                if !f32::from_bits(value as u32).is_finite() =>
            {
                continue;
            }
            Some(StepResult::Input { value, of: InputType::Float(64) }) if !f64::from_bits(value).is_finite() => {
                continue;
            }
            Some(StepResult::Input { value, of }) => words::input(value, of),
            _ => continue,
        };
        if let Some(at) = &step.at {
            segments.push(segment(json!({
                "type": "function_return",
                "action": "follow",
                "location": place(at),
                "constraint": { "value": format!("\\result == {value}"), "format": "ext_c_expression" },
            })));
        }
    }
    if let Some(at) = &trace.finding.location {
        segments.push(segment(json!({ "type": "target", "action": "follow", "location": place(at) })));
    }
    json!([{
        "entry_type": "violation_sequence",
        "metadata": {
            "format_version": "2.0",
            "uuid": origin.uuid,
            "creation_time": origin.created,
            "producer": { "name": "Heddle", "version": env!("CARGO_PKG_VERSION") },
            "task": {
                "input_files": files,
                "input_file_hashes": hashes,
                "specification": specification,
                "data_model": "LP64",
                "language": language,
            },
        },
        "content": segments,
    }])
}

fn segment(waypoint: Value) -> Value {
    json!({ "segment": [{ "waypoint": waypoint }] })
}

fn place(at: &heddle_model::Location) -> Value {
    let mut place = json!({ "file_name": at.file, "line": at.line.max(1) });
    if at.column != 0 {
        place["column"] = json!(at.column);
    }
    if !at.function.is_empty() {
        place["function"] = json!(at.function);
    }
    place
}

/// Writes a value as block-style YAML. Strings are written as in JSON, which is valid YAML.
fn yaml(value: &Value, indent: usize, out: &mut String) {
    let margin = " ".repeat(indent);
    match value {
        Value::Array(items) => {
            for item in items {
                let mut inner = String::new();
                yaml(item, indent + 2, &mut inner);
                out.push_str(&format!("{margin}- {}", inner.trim_start_matches(' ')));
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                let key = if key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    key.clone()
                } else {
                    Value::from(key.as_str()).to_string()
                };
                match field {
                    Value::Array(items) if items.is_empty() => out.push_str(&format!("{margin}{key}: []\n")),
                    Value::Object(fields) if fields.is_empty() => out.push_str(&format!("{margin}{key}: {{}}\n")),
                    Value::Array(_) | Value::Object(_) => {
                        out.push_str(&format!("{margin}{key}:\n"));
                        yaml(field, indent + 2, out);
                    }
                    scalar => out.push_str(&format!("{margin}{key}: {scalar}\n")),
                }
            }
        }
        scalar => out.push_str(&format!("{margin}{scalar}\n")),
    }
}
