//! The tests of a build by meson: its file `meson-info/intro-tests.json`.

use std::path::PathBuf;

use serde_json::Value;

use super::Test;

/// The tests in the file.
pub fn tests(listed: &[u8]) -> Result<Vec<Test>, String> {
    let document: Value =
        serde_json::from_slice(listed).map_err(|error| format!("meson-info/intro-tests.json: {error}"))?;
    let listed = document.as_array().ok_or("meson-info/intro-tests.json is no list")?;
    Ok(listed.iter().filter_map(test).collect())
}

fn test(listed: &Value) -> Option<Test> {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect()
    };
    let words = texts(&listed["cmd"]);
    let (program, arguments) = words.split_first()?;
    let environment = listed["env"].as_object().into_iter().flatten();
    Some(Test {
        name: listed["name"].as_str()?.to_string(),
        program: PathBuf::from(program),
        arguments: arguments.to_vec(),
        directory: listed["workdir"].as_str().map(PathBuf::from),
        environment: environment
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_string())))
            .collect(),
        ..Test::default()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_meson_says() {
        let said =
            br#"[{"name": "queue", "workdir": null, "cmd": ["/b/queue", "-v"], "env": {"A": "1"}, "suite": ["p"]},
            {"name": "other", "workdir": "/w", "cmd": ["/b/other"], "env": {}}]"#;
        let found = super::tests(said).expect("tests");
        assert_eq!((found[0].name.as_str(), found[0].arguments.as_slice()), ("queue", &["-v".to_string()][..]));
        assert_eq!(found[0].environment, [("A".to_string(), "1".to_string())]);
        assert_eq!((found[0].directory.clone(), found[1].directory.clone()), (None, Some("/w".into())));
        assert!(super::tests(b"{}").is_err());
    }
}
