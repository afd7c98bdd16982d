//! Everything that decides how an execution runs, beyond the program, its input and its schedule.
//!
//! There is one type for all uses: the options of a check contain it, the process receives it at its start, a trace
//! file stores it, and a checkpoint must match it. Replays, searches from the middle of an execution and resumed
//! searches run the program exactly as the first search did, because nothing is converted. The visible places of plain
//! memory belong to the settings too, but their list grows during a search, so it is stored separately.

use core::time::Duration;

use super::latitude::Latitude;
use super::liveness::Liveness;
use super::property::Properties;
use super::restart::RestartMode;

/// Everything that decides how an execution runs, beyond the program, its input and its schedule. The layout is part of
/// the wire format.
///
/// Code that takes this type apart names every field, so a new field stops it from compiling until the field is
/// handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Settings {
    /// How many bytes the program may allocate on its heap in one execution.
    pub memory_limit: u64,
    /// The stack size in bytes of a thread whose attributes set none. 0 means the system's limit.
    pub stack_size: u64,
    /// How many bytes of freed blocks each thread's heap holds back before reusing them. Addresses depend on it.
    pub quarantine: u64,
    /// How many milliseconds a thread may run without a visible operation before it counts as a hang.
    pub hang_after_ms: u64,
    /// The largest number of operations for each thread in an execution. 0 means no limit.
    pub max_steps: u32,
    /// Whether the output of every execution is kept, not only of recorded ones.
    pub outputs: bool,
    /// How executions start over.
    pub restart: RestartMode,
    /// What is checked.
    pub properties: Properties,
    /// The freedom of the thread library that is explored.
    pub latitude: Latitude,
    /// The values of nondeterministic numbers.
    pub nondet: Values,
    /// What is asked about executions that go on for ever.
    pub liveness: Liveness,
}

impl Settings {
    /// How long a thread may run without a visible operation before it counts as a hang.
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
            liveness: Liveness::default(),
        }
    }
}

/// The largest number of values for a nondeterministic number.
pub const MOST_VALUES: usize = 64;

/// The default values of a nondeterministic number: the limits of the types and the neighbours of zero.
const USUAL: [i64; 8] = [0, 1, -1, 2, i32::MAX as i64, i32::MIN as i64, i64::MAX, i64::MIN];

/// The values that a nondeterministic number (`__VERIFIER_nondet_int`) takes, each truncated to its type. The layout is
/// part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
#[cfg_attr(
    feature = "std",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "ListedValues", try_from = "ListedValues")
)]
pub struct Values {
    /// The values, padded with zeros.
    values: [i64; MOST_VALUES],
    /// The number of values.
    len: u32,
    /// Whether the user named the values. Default values are guesses and prove nothing.
    given: bool,
}

impl Values {
    /// The values that the user named. `None` if the list is empty or longer than [`MOST_VALUES`].
    pub fn given(list: &[i64]) -> Option<Values> {
        if list.is_empty() || list.len() > MOST_VALUES {
            return None;
        }
        let mut values = [0; MOST_VALUES];
        values[..list.len()].copy_from_slice(list);
        Some(Values { values, len: list.len() as u32, given: true })
    }

    /// Whether the user named the values. Default values are guesses.
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

/// The form of [`Values`] in files.
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
