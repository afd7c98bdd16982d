//! What decides how an execution goes, beyond the program, its input and its schedule.
//!
//! One value for all: the options of a check have it, the process of the program is told it when it starts, the trace file of a
//! finding carries it, and a checkpoint must have been made with the same. A replay, a search from the middle of an execution and
//! a search that is resumed run the program exactly as the first search did because there is nothing to convert. The places of
//! plain memory that are visible belong to it as well, but are a list that grows during a search, so they stand beside it.

use core::time::Duration;

use super::latitude::Latitude;
use super::property::Properties;
use super::restart::RestartMode;

/// What decides how an execution goes, beyond the program, its input and its schedule. Part of the wire format.
///
/// A new field must be handled wherever this type is taken apart: those places name every field, so they stop compiling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Settings {
    /// Bytes that the program may allocate from its heap in one execution.
    pub memory_limit: u64,
    /// The stack of a thread whose attributes do not say, in bytes. 0: the system's limit.
    pub stack_size: u64,
    /// Bytes of freed blocks that each thread's heap keeps unused before it hands them out again. Addresses depend on it.
    pub quarantine: u64,
    /// Milliseconds that a thread may run without a visible operation before that is called a hang.
    pub hang_after_ms: u64,
    /// The most operations that one thread may take in an execution; 0 for no limit.
    pub max_steps: u32,
    /// What the program prints is kept of every execution, not only of recorded ones.
    pub outputs: bool,
    /// How an execution starts over.
    pub restart: RestartMode,
    /// What is looked for.
    pub properties: Properties,
    /// What the thread library may do of its own accord.
    pub latitude: Latitude,
    /// The values that an undetermined number takes.
    pub nondet: Values,
}

impl Settings {
    /// How long a thread may run without a visible operation before that is called a hang.
    pub const fn hang_after(&self) -> Duration {
        Duration::from_millis(self.hang_after_ms)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            memory_limit: 1 << 30,
            stack_size: 0,
            // What is kept is memory to put back after each execution.
            quarantine: 64 << 10,
            hang_after_ms: 3000,
            max_steps: 0,
            outputs: false,
            restart: RestartMode::Auto,
            properties: Properties::default(),
            latitude: Latitude::default(),
            nondet: Values::default(),
        }
    }
}

/// The most values that an undetermined number can take.
pub const MOST_VALUES: usize = 64;

/// The values of an undetermined number where nobody says otherwise: the edges of the types, and what is next to zero.
const USUAL: [i64; 8] = [0, 1, -1, 2, i32::MAX as i64, i32::MIN as i64, i64::MAX, i64::MIN];

/// The values that an undetermined number (`__VERIFIER_nondet_int`) takes, each cut to its type. Part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
#[cfg_attr(
    feature = "std",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "ListedValues", try_from = "ListedValues")
)]
pub struct Values {
    /// The values; zeros behind the last one.
    values: [i64; MOST_VALUES],
    /// How many there are.
    len: u32,
    /// Somebody named them. If not, they are a few guesses, and nothing is proven by them.
    given: bool,
}

impl Values {
    /// These values, named by somebody. None if there are none, or more than [`MOST_VALUES`].
    pub fn given(list: &[i64]) -> Option<Values> {
        if list.is_empty() || list.len() > MOST_VALUES {
            return None;
        }
        let mut values = [0; MOST_VALUES];
        values[..list.len()].copy_from_slice(list);
        Some(Values { values, len: list.len() as u32, given: true })
    }

    /// Whether somebody named them. If not, they are a few guesses.
    pub const fn are_given(&self) -> bool {
        self.given
    }

    /// The values, at least one.
    #[inline]
    pub fn as_slice(&self) -> &[i64] {
        // In shared memory the length could be anything.
        &self.values[..(self.len as usize).clamp(1, MOST_VALUES)]
    }
}

impl Default for Values {
    fn default() -> Values {
        let mut values = [0; MOST_VALUES];
        values[..USUAL.len()].copy_from_slice(&USUAL);
        Values { values, len: USUAL.len() as u32, given: false }
    }
}

/// [`Values`] as they stand in files.
#[cfg(feature = "std")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedValues {
    given: bool,
    values: Vec<i64>,
}

#[cfg(feature = "std")]
impl From<Values> for ListedValues {
    fn from(values: Values) -> ListedValues {
        ListedValues { given: values.given, values: values.as_slice().to_vec() }
    }
}

#[cfg(feature = "std")]
impl TryFrom<ListedValues> for Values {
    type Error = String;

    fn try_from(listed: ListedValues) -> Result<Values, String> {
        let values = Values::given(&listed.values);
        let values =
            values.ok_or_else(|| format!("{} undetermined values, not 1 to {MOST_VALUES}", listed.values.len()))?;
        Ok(Values { given: listed.given, ..values })
    }
}
