//! A small part of JSON Schema: enough for the schemas in `tests/schemas`, and strict about what it does not know.

use serde_json::Value;

/// A schema of `tests/schemas`.
pub fn read_schema(name: &str) -> Value {
    let path = super::root().join("tests/schemas").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a schema is JSON")
}

/// Fails unless `value` fits `schema`.
pub fn must_fit(value: &Value, schema: &Value, what: &str) {
    let mut wrong = Vec::new();
    check(value, schema, schema, "", &mut wrong);
    assert!(wrong.is_empty(), "{what}: {wrong:#?}\n{value:#}");
}

fn check(value: &Value, schema: &Value, root: &Value, at: &str, wrong: &mut Vec<String>) {
    let known =
        ["$ref", "type", "required", "properties", "additionalProperties", "items", "enum", "pattern", "minimum"];
    let known = [&known[..], &["minItems", "definitions", "$comment", "minLength"]].concat();
    let rules = schema.as_object().unwrap_or_else(|| panic!("{at}: a schema is an object"));
    for rule in rules.keys() {
        assert!(known.contains(&rule.as_str()), "{at}: `{rule}` is not understood here");
    }
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/definitions/").expect("a reference to a definition");
        let definition = &root["definitions"][name];
        assert!(definition.is_object(), "{at}: there is no definition {name}");
        return check(value, definition, root, at, wrong);
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if let Some(wanted) = schema["type"].as_str()
        && wanted != kind
        && !(wanted == "number" && kind == "integer")
    {
        return wrong.push(format!("{at}: {kind}, not {wanted}"));
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        wrong.push(format!("{at}: {value} is not one of {values:?}"));
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_i64(), value.as_i64())
        && number < least
    {
        wrong.push(format!("{at}: {number} is less than {least}"));
    }
    if let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), value.as_str())
        && !matches(pattern, text)
    {
        wrong.push(format!("{at}: {text:?} is not like {pattern}"));
    }
    if let (Some(least), Some(text)) = (schema["minLength"].as_u64(), value.as_str())
        && (text.len() as u64) < least
    {
        wrong.push(format!("{at}: {text:?} is too short"));
    }
    if let Some(items) = value.as_array() {
        if (items.len() as u64) < schema["minItems"].as_u64().unwrap_or(0) {
            wrong.push(format!("{at}: too few items"));
        }
        if schema["items"].is_object() {
            for (index, item) in items.iter().enumerate() {
                check(item, &schema["items"], root, &format!("{at}/{index}"), wrong);
            }
        }
    }
    if let Some(fields) = value.as_object() {
        for required in schema["required"].as_array().into_iter().flatten() {
            if !fields.contains_key(required.as_str().expect("a name")) {
                wrong.push(format!("{at}: {required} is missing"));
            }
        }
        for (name, field) in fields {
            let at = format!("{at}/{name}");
            match schema["properties"].get(name) {
                Some(inner) => check(field, inner, root, &at, wrong),
                None if schema["additionalProperties"] == false => wrong.push(format!("{at}: not in the schema")),
                None if schema["additionalProperties"].is_object() => {
                    check(field, &schema["additionalProperties"], root, &at, wrong);
                }
                None => {}
            }
        }
    }
}

/// The patterns that the schemas here use: classes of characters, each with a count, between `^` and `$`.
fn matches(pattern: &str, text: &str) -> bool {
    let mut rest = pattern.strip_prefix('^').and_then(|p| p.strip_suffix('$')).expect("a pattern for all of the text");
    let mut text = text.as_bytes();
    while !rest.is_empty() {
        let (class, after) = match rest.strip_prefix('[') {
            Some(inner) => inner.split_once(']').expect("the end of a class"),
            None => rest.split_at(1),
        };
        let is_class = rest.starts_with('[');
        let (count, after) = match after.strip_prefix('{') {
            Some(inner) => {
                let (count, after) = inner.split_once('}').expect("the end of a count");
                (count.parse().expect("a count"), after)
            }
            None => (1, after),
        };
        for _ in 0..count {
            let Some((&byte, others)) = text.split_first() else { return false };
            let fits = match is_class {
                true => class.as_bytes().windows(3).any(|w| w[1] == b'-' && (w[0]..=w[2]).contains(&byte)),
                false => class.as_bytes() == [byte],
            };
            if !fits {
                return false;
            }
            text = others;
        }
        rest = after;
    }
    text.is_empty()
}
