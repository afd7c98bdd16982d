//! The tests of a build by CMake: what `ctest --show-only=json-v1` says.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Test;

/// The tests in the answer of ctest.
pub fn tests(said: &[u8]) -> Result<Vec<Test>, String> {
    let document: Value = serde_json::from_slice(said)
        .map_err(|_| format!("ctest does not list its tests: {}", String::from_utf8_lossy(said).trim()))?;
    let listed = document["tests"].as_array().ok_or("ctest lists no tests")?;
    let mut found: Vec<Test> = listed.iter().filter_map(test).collect();
    // The module that comes with Heddle has one test for each of a program, which is asked once.
    found.dedup_by(|next, before| !next.program.as_os_str().is_empty() && is_same(next, before));
    Ok(found)
}

fn is_same(next: &Test, before: &Test) -> bool {
    next.program == before.program
        && next.arguments.is_empty()
        && before.arguments.is_empty()
        && next.name == before.name
}

fn test(listed: &Value) -> Option<Test> {
    let name = listed["name"].as_str()?.to_string();
    let words: Vec<&str> = listed["command"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let property = |name: &str| {
        let properties = listed["properties"].as_array().into_iter().flatten();
        properties.filter(|property| property["name"] == name).map(|property| property["value"].clone()).next()
    };
    let is_on = |name: &str| property(name).is_some_and(|value| value.as_bool().unwrap_or(!value.is_null()));
    let texts = |name: &str| match property(name) {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).map(str::to_string).collect(),
        Some(Value::String(value)) => vec![value],
        _ => Vec::new(),
    };
    let Some((program, arguments)) = words.split_first() else {
        return Some(Test { name, broken: Some("has no program: is it built?".to_string()), ..Test::default() });
    };
    let test = Test {
        directory: property("WORKING_DIRECTORY").and_then(|value| value.as_str().map(PathBuf::from)),
        environment: texts("ENVIRONMENT")
            .iter()
            .filter_map(|variable| variable.split_once('='))
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        // The build says what counts as a failure.
        any_status: ["WILL_FAIL", "PASS_REGULAR_EXPRESSION", "SKIP_RETURN_CODE"].into_iter().any(is_on),
        ignored: is_on("DISABLED").then(|| "disabled by the build".to_string()),
        ..Test::default()
    };
    Some(match of_heddle(program, arguments) {
        Some((program, name)) => Test { name, program, ..test },
        None => Test {
            name,
            program: PathBuf::from(program),
            arguments: arguments.iter().map(|word| (*word).to_string()).collect(),
            ..test
        },
    })
}

/// The program of a test that `heddle_discover_tests` has made, which runs Heddle itself, and the name of its target.
fn of_heddle(program: &str, arguments: &[&str]) -> Option<(PathBuf, String)> {
    let is_heddle = Path::new(program).file_name().is_some_and(|name| name == "heddle");
    match arguments {
        ["test", program, ..] if is_heddle => Some((PathBuf::from(program), super::file_name(Path::new(program)))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ctest_says() {
        let said = br#"{"kind": "ctestInfo", "tests": [
            {"name": "all", "command": ["/b/tests"], "properties": [{"name": "WORKING_DIRECTORY", "value": "/b"}]},
            {"name": "Q.Push", "command": ["/b/tests", "--gtest_filter=Q.Push"], "properties": [
                {"name": "ENVIRONMENT", "value": ["A=1", "B=x=y"]}, {"name": "WILL_FAIL", "value": true}]},
            {"name": "off", "command": ["/b/tests"], "properties": [{"name": "DISABLED", "value": true}]},
            {"name": "unbuilt_NOT_BUILT"},
            {"name": "h.one", "command": ["/usr/bin/heddle", "test", "/b/h", "--exact", "--filter", "one"]},
            {"name": "h.two", "command": ["/usr/bin/heddle", "test", "/b/h", "--exact", "--filter", "two"]}]}"#;
        let found = super::tests(said).expect("tests");
        let names: Vec<&str> = found.iter().map(|test| test.name.as_str()).collect();
        assert_eq!(names, ["all", "Q.Push", "off", "unbuilt_NOT_BUILT", "h"]);
        assert_eq!((found[0].directory.as_deref(), found[0].arguments.len()), (Some(Path::new("/b")), 0));
        assert_eq!(found[1].arguments, ["--gtest_filter=Q.Push"]);
        assert_eq!(found[1].environment[1], ("B".to_string(), "x=y".to_string()));
        assert!(found[1].any_status && !found[0].any_status);
        assert!(found[2].ignored.is_some() && found[3].broken.is_some() && found[0].ignored.is_none());
        assert_eq!(found[4].program, Path::new("/b/h"));
        assert!(super::tests(b"no such option").is_err());
    }
}
