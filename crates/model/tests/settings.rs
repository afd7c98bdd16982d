//! Settings as text: every field is written and read.

use heddle_model::Settings;
use serde_json::{Value, json};

/// Other values of a field whose default is `usual`. Those that the field cannot have are refused when they are read.
fn candidates(usual: &Value) -> Vec<Value> {
    match usual {
        Value::Number(number) => vec![json!(number.as_u64().expect("settings are not negative") + 1)],
        Value::Bool(is) => vec![json!(!is)],
        Value::Array(_) => vec![json!([i64::MIN, 7])],
        // The words of all modes.
        _ => vec![
            json!({"only": "exec"}),
            json!("lifo"),
            json!("fifo"),
            json!("ignore"),
            json!("go"),
            json!("weak"),
            json!("starvation"),
        ],
    }
}

/// Settings that differ from the default in the one field at `path`.
fn variations(path: &str) -> Vec<Settings> {
    let usual = serde_json::to_value(Settings::default()).unwrap();
    let pointer = format!("/{}", path.replace('.', "/"));
    let at = usual.pointer(&pointer).unwrap_or_else(|| panic!("there is no {path}"));
    let changed = candidates(at).into_iter().filter_map(|value| {
        let mut whole = usual.clone();
        *whole.pointer_mut(&pointer).unwrap() = value;
        serde_json::from_value::<Settings>(whole).ok()
    });
    changed.filter(|settings| *settings != Settings::default()).collect()
}

#[test]
fn every_field_is_written_and_read() {
    let usual = Settings::default().fields();
    assert!(usual.len() > 20, "{usual:?}");
    for (number, (path, _)) in usual.iter().enumerate() {
        let varied = variations(path);
        assert!(!varied.is_empty(), "no other value for {path}: `candidates` needs one");
        for settings in varied {
            let text = serde_json::to_string(&settings).unwrap();
            assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings, "{text}");
            // That field has another text, and no other.
            let fields = settings.fields();
            assert_eq!(fields.len(), usual.len());
            for (other, (one, two)) in fields.iter().zip(&usual).enumerate() {
                assert_eq!(one.0, two.0);
                assert_eq!(one.1 == two.1, other != number, "{path}: {one:?}, usually {two:?}");
            }
        }
    }
}

#[test]
fn a_field_that_is_missing_or_unknown_is_refused() {
    let text = serde_json::to_value(Settings::default()).unwrap();
    for name in text.as_object().unwrap().keys() {
        let mut less = text.clone();
        less.as_object_mut().unwrap().remove(name);
        assert!(serde_json::from_value::<Settings>(less).is_err(), "{name}");
    }
    let mut more = text.clone();
    more["speed"] = 3.into();
    assert!(serde_json::from_value::<Settings>(more).is_err());
    for wrong in [json!({"given": true, "values": []}), json!({"given": true, "values": vec![0; 65]})] {
        let mut changed = text.clone();
        changed["nondet"] = wrong;
        assert!(serde_json::from_value::<Settings>(changed).is_err());
    }
}
