//! The settings as a list of fields, for everything that must not forget one.
//!
//! The list comes from the serialised form, so a new field of [`Settings`] is in it without further work.

use serde_json::Value;

use super::settings::Settings;

impl Settings {
    /// Every field by its path in a trace file (`latitude.wakeup.mutex`), with its value as text. The paths and their order are
    /// the same for all settings.
    pub fn fields(&self) -> Vec<(String, String)> {
        let value = |settings: &Settings| {
            serde_json::to_value(settings).unwrap_or_else(|error| unreachable!("numbers, words and lists: {error}"))
        };
        let mut fields = Vec::new();
        // The default decides what is a group of fields: a mode that is a word may be an object with another value.
        collect("", &value(&Settings::default()), &value(self), &mut fields);
        fields
    }
}

fn collect(path: &str, shape: &Value, value: &Value, into: &mut Vec<(String, String)>) {
    let Value::Object(shape) = shape else {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        return into.push((path.to_owned(), text));
    };
    let dot = if path.is_empty() { "" } else { "." };
    for (name, shape) in shape {
        collect(&format!("{path}{dot}{name}"), shape, &value[name], into);
    }
}
