//! What a check asks about executions that go on for ever.

/// Which schedulers are not to blame. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Fairness {
    /// A thread that is enabled again and again acts again and again.
    #[default]
    Strong = 0,
    /// A thread that is enabled without interruption acts again and again.
    Weak = 1,
    /// Every scheduler counts.
    None = 2,
}

/// What is asked about executions that go on for ever, beside livelocks. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Goal {
    /// Nothing.
    #[default]
    Nothing = 0,
    /// Every execution ends.
    Ends = 1,
    /// Every execution that does not end makes progress again and again.
    Progress = 2,
    /// Every thread gets what it waits for in the end.
    Starvation = 3,
}

/// What a check asks about executions that go on for ever. The layout is part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Liveness {
    /// What is asked.
    pub goal: Goal,
    /// Which executions count.
    pub fairness: Fairness,
    /// The formula of linear temporal logic that must hold.
    pub formula: FormulaText,
}

impl Liveness {
    /// Whether anything is asked that needs all cycles of the program.
    pub fn asks(&self) -> bool {
        self.goal != Goal::Nothing || !self.formula.is_empty()
    }
}

/// The longest formula, in bytes.
pub const LONGEST_FORMULA: usize = 1022;

/// The text of a formula. Empty if there is none. The layout is part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(into = "String", try_from = "String"))]
pub struct FormulaText {
    bytes: [u8; LONGEST_FORMULA],
    length: u16,
}

impl FormulaText {
    /// A text. `None` if it is too long.
    pub fn new(text: &str) -> Option<FormulaText> {
        let mut bytes = [0; LONGEST_FORMULA];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(FormulaText { bytes, length: text.len() as u16 })
    }

    /// Whether there is no formula.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // In shared memory the length could be anything.
        core::str::from_utf8(&self.bytes[..(self.length as usize).min(LONGEST_FORMULA)]).unwrap_or("")
    }
}

impl Default for FormulaText {
    fn default() -> FormulaText {
        FormulaText { bytes: [0; LONGEST_FORMULA], length: 0 }
    }
}

impl core::fmt::Debug for FormulaText {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(feature = "std")]
impl From<FormulaText> for String {
    fn from(text: FormulaText) -> String {
        text.as_str().to_owned()
    }
}

#[cfg(feature = "std")]
impl TryFrom<String> for FormulaText {
    type Error = String;

    fn try_from(text: String) -> Result<FormulaText, String> {
        FormulaText::new(&text)
            .ok_or_else(|| format!("a formula of {} bytes, not at most {LONGEST_FORMULA}", text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_have_a_longest_length() {
        let longest = "a".repeat(LONGEST_FORMULA);
        assert_eq!(FormulaText::new(&longest).unwrap().as_str(), longest);
        assert_eq!(FormulaText::new(&"a".repeat(LONGEST_FORMULA + 1)), None);
        assert!(FormulaText::default().is_empty() && !Liveness::default().asks());
    }
}
