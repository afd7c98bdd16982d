//! The part of YAML that witnesses are written in: blocks of keys and items, scalars as in JSON.

use serde_json::{Map, Value};

/// The value that `text` is. Fails on anything else.
pub fn parse(text: &str) -> Value {
    let lines: Vec<(usize, String)> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| (line.len() - line.trim_start().len(), line.trim_start().to_owned()))
        .collect();
    let mut at = 0;
    let value = block(&lines, &mut at, 0);
    assert_eq!(at, lines.len(), "something is left: {:?}", lines.get(at));
    value
}

fn block(lines: &[(usize, String)], at: &mut usize, indent: usize) -> Value {
    let mut lines = lines.to_vec();
    if lines[*at].1.starts_with("- ") {
        let mut items = Vec::new();
        while *at < lines.len() && lines[*at].0 == indent && lines[*at].1.starts_with("- ") {
            // What follows the dash stands two columns further in.
            let inner = lines[*at].1[2..].trim_start().to_owned();
            let deeper = indent + lines[*at].1.len() - inner.len();
            lines[*at] = (deeper, inner);
            items.push(block(&lines, at, deeper));
        }
        return Value::Array(items);
    }
    if !lines[*at].1.contains(": ") && !lines[*at].1.ends_with(':') {
        *at += 1;
        return scalar(&lines[*at - 1].1);
    }
    let mut fields = Map::new();
    while *at < lines.len() && lines[*at].0 == indent && !lines[*at].1.starts_with("- ") {
        let line = lines[*at].1.clone();
        let (key, rest) = match line.starts_with('"') {
            true => {
                let end = line[1..].find('"').expect("the end of a key") + 2;
                (scalar(&line[..end]).as_str().expect("a key").to_owned(), line[end..].trim_start_matches(':').trim())
            }
            false => {
                let (key, rest) = line.split_once(':').expect("a key");
                (key.to_owned(), rest.trim())
            }
        };
        *at += 1;
        let value = match rest {
            "" => {
                let inner = lines.get(*at).map_or(0, |line| line.0);
                assert!(inner > indent, "`{key}` has no value");
                block(&lines, at, inner)
            }
            rest => scalar(rest),
        };
        assert!(fields.insert(key.clone(), value).is_none(), "`{key}` twice");
    }
    Value::Object(fields)
}

fn scalar(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("`{text}` is no scalar: {error}"))
}
