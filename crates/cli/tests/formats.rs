//! What machines read: SARIF, JUnit, the witness, graphs. Their shapes are checked against schemas in `tests/schemas`,
//! which are ours: the parts of the published ones that Heddle uses, closed against anything else. Where `./x test` could get the
//! published ones (SARIF's, and the one that Jenkins has for JUnit), against those too.

use std::path::PathBuf;
use std::process::Command;

use crate::common::schema::{must_fit, read_schema};
use crate::common::{Session, can_use};
use serde_json::Value;

const ABBA: &str = "examples/abba.c";
const FIXED: &str = "examples/abba-fixed.c";

/// Programs with findings of all kinds that there are examples of.
const FINDINGS: [&str; 7] = [
    ABBA,
    "examples/race.c",
    "examples/buffer.c",
    "examples/queue.c",
    "tests/programs/null-pointer.c",
    "tests/programs/aborts.c",
    "tests/programs/spin-forever.c",
];

fn written(session: &Session, option: &str, name: &str, program: &str) -> String {
    let file = session.path(name).display().to_string();
    session.run(["check", program, option, &file, "--quiet", "--hang-timeout", "2s"]);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{program} {option}: {error}"))
}

#[test]
fn sarif_fits_its_schema() {
    let schema = read_schema("sarif-2.1.0-subset.json");
    for program in FINDINGS {
        let session = Session::new();
        let document: Value = serde_json::from_str(&written(&session, "--sarif", "x.sarif", program)).expect("JSON");
        must_fit(&document, &schema, program);
        let result = &document["runs"][0]["results"][0];
        assert_eq!(result["level"], "error");
        let rules = document["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
        let rule = result["ruleIndex"].as_u64().expect("a rule") as usize;
        assert_eq!(rules[rule]["id"], result["ruleId"], "{program}");
    }
}

/// A published schema, if it is here.
fn published(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("schemas").join(name);
    can_use("schemas", path.exists()).then_some(path)
}

/// Whether `command` has nothing to say against a file with this text. None if it cannot be run.
fn accepted(command: &[&str], text: &str) -> Option<Result<(), String>> {
    let session = Session::new();
    let file = session.write("document", text);
    let output = Command::new(command[0]).args(&command[1..]).arg(file).output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { Ok(()) } else { Err(said) })
}

/// What is written with `option` for programs of all kinds is valid for `command`, which `nonsense` is not.
fn fits(validator: &str, command: &[&str], option: &str, empty: &str, nonsense: &str) {
    if !can_use(validator, matches!(accepted(command, empty), Some(Ok(())))) {
        return;
    }
    assert!(matches!(accepted(command, nonsense), Some(Err(_))), "{} says yes to anything", command[0]);
    for program in FINDINGS.into_iter().chain([FIXED, "tests/programs/unsupported.c"]) {
        let text = written(&Session::new(), option, "x", program);
        assert_eq!(accepted(command, &text), Some(Ok(())), "{program}: {text}");
    }
}

#[test]
fn sarif_fits_the_published_schema() {
    let Some(schema) = published("sarif-2.1.0.json").map(|path| path.display().to_string()) else { return };
    // Debian's, which has the package that `./x test` installs.
    let validator = "import json, jsonschema, sys; jsonschema.validate(*[json.load(open(f)) for f in sys.argv[:0:-1]])";
    let command = ["/usr/bin/python3", "-c", validator, &schema];
    fits(
        "jsonschema",
        &command,
        "--sarif",
        r#"{"version": "2.1.0", "runs": []}"#,
        r#"{"version": "2.1.0", "runs": 1}"#,
    );
}

#[test]
fn junit_fits_the_published_schema() {
    let Some(schema) = published("jenkins-junit.xsd").map(|path| path.display().to_string()) else { return };
    let command = ["xmllint", "--noout", "--schema", &schema];
    fits("xmllint", &command, "--junit", "<testsuites/>", "<testsuites><nonsense/></testsuites>");
}

#[test]
fn sarif_tells_the_interleaving_as_a_code_flow() {
    let session = Session::new();
    let document: Value = serde_json::from_str(&written(&session, "--sarif", "x.sarif", ABBA)).expect("JSON");
    let result = &document["runs"][0]["results"][0];
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 19);
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("thread flows");
    assert_eq!(flows.len(), 1, "viewers show one");
    let steps = flows[0]["locations"].as_array().expect("locations");
    let mut orders: Vec<u64> = steps.iter().map(|step| step["executionOrder"].as_u64().expect("an order")).collect();
    assert!(orders.is_sorted(), "the order of time: {orders:?}");
    orders.dedup();
    assert_eq!(orders, (1..=8).collect::<Vec<u64>>(), "seven steps, and what is about to happen");
}

#[test]
fn sarif_of_a_safe_program_has_no_results() {
    let session = Session::new();
    let document: Value = serde_json::from_str(&written(&session, "--sarif", "x.sarif", FIXED)).expect("JSON");
    must_fit(&document, &read_schema("sarif-2.1.0-subset.json"), FIXED);
    assert_eq!(document["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(document["runs"][0]["properties"]["verdict"], "safe");
}

#[test]
fn junit_fails_passes_and_errs() {
    let cases = [(ABBA, "failure"), (FIXED, "system-out"), ("tests/programs/unsupported.c", "error")];
    for (program, element) in cases {
        let session = Session::new();
        let text = written(&session, "--junit", "x.xml", program);
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{program}: {error}\n{text}"));
        let suites = document.root_element();
        assert_eq!(suites.tag_name().name(), "testsuites");
        let case = document.descendants().find(|node| node.has_tag_name("testcase")).expect("a test case");
        assert_eq!(case.attribute("name"), Some(program));
        let inside: Vec<&str> = case.children().filter(|n| n.is_element()).map(|n| n.tag_name().name()).collect();
        assert_eq!(inside, [element], "{program}\n{text}");
        for suite in document.descendants().filter(|n| n.has_tag_name("testsuite") || n.has_tag_name("testsuites")) {
            assert_eq!(suite.attribute("tests"), Some("1"));
            assert_eq!(suite.attribute("failures"), Some(if element == "failure" { "1" } else { "0" }));
            assert_eq!(suite.attribute("errors"), Some(if element == "error" { "1" } else { "0" }));
        }
        // Nothing that the schema of Jenkins does not have.
        let known = ["name", "tests", "failures", "errors", "skipped", "time", "classname", "message", "type"];
        for node in document.descendants() {
            assert!(node.attributes().all(|attribute| known.contains(&attribute.name())), "{program}\n{text}");
        }
    }
}

#[test]
fn a_program_that_does_not_compile_is_an_error_in_every_report() {
    let session = Session::new();
    let file = session.write("broken.c", "int main(void) { return undeclared; }\n").display().to_string();
    let (xml, sarif) = (session.path("x.xml"), session.path("x.sarif"));
    let (x, s) = (xml.display().to_string(), sarif.display().to_string());
    assert_eq!(session.run(["check", &file, "--junit", &x, "--sarif", &s]).code, 2);
    assert!(std::fs::read_to_string(xml).expect("written").contains("<error "));
    let document: Value = serde_json::from_slice(&std::fs::read(sarif).expect("written")).expect("JSON");
    assert_eq!(document["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn the_witness_fits_its_schema() {
    let schema = read_schema("witness-2.0-subset.json");
    for program in FINDINGS {
        let session = Session::new();
        let text = written(&session, "--witness", "w.yml", program);
        let document = crate::common::yaml::parse(&text);
        must_fit(&document, &schema, program);
        let metadata = &document[0]["metadata"];
        let files = metadata["task"]["input_files"].as_array().expect("files");
        assert!(files.iter().any(|file| file == program), "{text}");
        let content = document[0]["content"].as_array().expect("segments");
        assert_eq!(content.last().expect("a target")["segment"][0]["waypoint"]["type"], "target", "{text}");
    }
}

#[test]
fn graphs_name_every_step_and_every_cause() {
    let session = Session::new();
    let dot = written(&session, "--graph", "x.dot", "examples/queue.c");
    assert!(dot.starts_with("digraph heddle {") && dot.ends_with("}\n"));
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    assert!(dot.contains("signal not_empty"), "{dot}");
    assert!(dot.contains("[color=blue"), "{dot}");
    let mermaid = written(&session, "--graph", "x.mmd", "examples/queue.c");
    assert!(mermaid.contains("flowchart TB") && mermaid.contains("==>"), "{mermaid}");
    let run = session.run(["check", ABBA, "--graph", &session.path("x.png").display().to_string()]);
    run.must_say(2, &[".dot for Graphviz or .mmd for Mermaid"]);
}

#[test]
fn a_stored_finding_and_a_stored_run_have_every_format() {
    let session = Session::new();
    let run = session.check([ABBA]);
    let document = session.write("run.json", &run.stdout).display().to_string();
    let trace = session.path("out/latest/deadlock-1.json").display().to_string();
    for file in [&trace, &document] {
        for format in ["text", "json", "html", "sarif", "junit", "witness", "dot", "mermaid"] {
            let told = session.run(["report", file, "--format", format]);
            assert_eq!(told.code, 0, "{told}");
            assert!(told.stdout.contains("abba.c"), "{told}");
        }
    }
    session.run(["report", &document]).must_say(0, &["deadlock: threads 1 and 2", "found: 1 finding"]);
    let html = session.path("x.html").display().to_string();
    assert_eq!(session.run(["report", &document, "--html", "--output", &html]).code, 0);
    assert!(std::fs::read_to_string(&html).expect("written").starts_with("<!DOCTYPE html>"));
    session.run(["report", &trace, "--html", "--format", "dot"]).must_say(2, &["cannot be used with"]);
    session.write("not.json", "{\"schema\": \"other\"}");
    session.run(["report", &session.path("not.json").display().to_string()]).must_say(2, &["not a trace file"]);
}

#[test]
fn manual_pages_and_completions_come_from_the_options() {
    let session = Session::new();
    let pages = session.path("man");
    assert_eq!(session.run(["man", &pages.display().to_string()]).code, 0);
    let page = std::fs::read_to_string(pages.join("heddle-check.1")).expect("a page");
    assert!(page.contains("dump\\-executions") && page.contains(".TH"), "{page}");
    for name in ["heddle.1", "heddle-replay.1", "heddle-report.1"] {
        assert!(pages.join(name).is_file(), "{name}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = session.run(["completions", shell]);
        script.must_say(0, &["max-preemptions", "gdb-batch"]);
    }
}
