//! Text from the program, its files and its names, made safe to look at.
//!
//! A name or a line of output can hold characters that do not show themselves but change how other text is shown: control characters move a
//! terminal's cursor or change its colours, and Unicode's directional formatting characters reorder what stands around them, so that
//! a line reads otherwise than a compiler reads it. Every report shows these as escapes (`\u{202e}`). A file that is data, such as JSON, keeps
//! the text and writes the characters as escapes of its own.

use serde_json::Value;

/// Whether a character changes how the text around it is shown, instead of being seen itself.
pub fn misleads(c: char) -> bool {
    let is_directional =
        matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_directional || matches!(c, '\u{2028}' | '\u{2029}')
}

/// `text` on one line, with an escape for each character that misleads: `a\nb.c`. A tab becomes a space.
pub fn line(text: &str) -> String {
    escaped(text, |c| (c == '\t').then_some(' '))
}

/// `text`, whose lines stay lines, with an escape for each other character that misleads.
pub fn lines(text: &str) -> String {
    escaped(text, |c| matches!(c, '\n' | '\t').then_some(c))
}

fn escaped(text: &str, keep: impl Fn(char) -> Option<char>) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match keep(c) {
            Some(kept) => shown.push(kept),
            None if misleads(c) => shown.extend(c.escape_default()),
            None => shown.push(c),
        }
    }
    shown
}

/// `json`, a document, with the same content and with JSON's own escapes for characters that mislead whoever looks at the file.
pub fn in_json(json: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8(json).expect("JSON is UTF-8");
    if !text.chars().any(|c| c != '\n' && misleads(c)) {
        return text.into_bytes();
    }
    // Outside of strings there is no such character but the end of a line, and all of them have one unit in UTF-16.
    let escape = |c: char| match c {
        c if c != '\n' && misleads(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(escape).collect::<String>().into_bytes()
}

/// `data` with [`lines()`] of each string in it, for a page that shows the strings.
pub fn in_data(data: Value) -> Value {
    match data {
        Value::String(text) => Value::String(lines(&text)),
        Value::Array(items) => items.into_iter().map(in_data).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (lines(&key), in_data(value))).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_misleads_is_escaped() {
        assert_eq!(line("a\tb\nc\x1b[31m"), "a b\\nc\\u{1b}[31m");
        assert_eq!(lines("a\tb\nc\u{9b}"), "a\tb\nc\\u{9b}");
        assert_eq!(line("if (x) \u{202e}/* \u{2066}"), "if (x) \\u{202e}/* \\u{2066}");
        assert_eq!(line("schön, 漢字"), "schön, 漢字");
    }

    #[test]
    fn json_keeps_its_content() {
        let value = serde_json::json!({ "a\u{202e}": ["\u{7f}\u{9b}\u{2067}", "schön\n\x1b"] });
        let bytes = in_json(serde_json::to_vec_pretty(&value).unwrap());
        assert!(!bytes.iter().any(|&byte| byte == 0x7f || byte == 0x1b));
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.chars().any(|c| c != '\n' && misleads(c)), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn a_page_shows_escapes() {
        let value = serde_json::json!({ "k\u{202e}": ["x\u{2067}\n", 7] });
        assert_eq!(in_data(value), serde_json::json!({ "k\\u{202e}": ["x\\u{2067}\n", 7] }));
    }
}
