//! What a check looks for, and what happens at a violation.
//!
//! A check names the [`Property`]s that executions must have. Each gets an [`Attention`]: not checked, checked without
//! a report, reported and continued, or reported and stopped. [`Properties`] holds one for each property. The runtime,
//! the search, the reports and the verdicts all ask this value.

/// A property that every execution must have. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Property {
    /// Some thread is enabled until all have finished: no deadlock, and no circle of threads that wait for each other.
    Deadlock,
    /// No data race: of two accesses to one place, at least one a write and at least one not atomic, one happens before
    /// the other.
    Race,
    /// No assertion fails, and no thread calls `abort`.
    Assertion,
    /// No signal kills the process.
    Crash,
    /// The process exits with status 0.
    Exit,
    /// There is no undefined behaviour that the compiler can test for.
    Undefined,
    /// Every access is to valid memory: no use after free, no access out of bounds.
    Memory,
    /// Every block was freed before the last pointer to it was lost.
    Leak,
    /// Every primitive is used according to its rules.
    Misuse,
    /// Threads make progress: no livelock.
    Progress,
    /// Every thread reaches its next visible operation in time.
    Hang,
    /// Some execution reaches each label that must be reached.
    Reach,
    /// The program behaves equally when one schedule is run twice.
    Determinism,
}

impl Property {
    /// All properties, in order of their numbers.
    pub const ALL: [Property; 13] = [
        Property::Deadlock,
        Property::Race,
        Property::Assertion,
        Property::Crash,
        Property::Exit,
        Property::Undefined,
        Property::Memory,
        Property::Leak,
        Property::Misuse,
        Property::Progress,
        Property::Hang,
        Property::Reach,
        Property::Determinism,
    ];

    /// The name in trace files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Property::Deadlock => "deadlock",
            Property::Race => "race",
            Property::Assertion => "assertion",
            Property::Crash => "crash",
            Property::Exit => "exit",
            Property::Undefined => "undefined",
            Property::Memory => "memory",
            Property::Leak => "leak",
            Property::Misuse => "misuse",
            Property::Progress => "progress",
            Property::Hang => "hang",
            Property::Reach => "reach",
            Property::Determinism => "determinism",
        }
    }
}

/// What happens at a violation of a property. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Attention {
    /// The property is not checked.
    Off = 0,
    /// A violation is noticed but not reported, and the execution continues. The search explores what depends on it.
    Ignore = 1,
    /// A violation is reported, and the execution continues.
    Go = 2,
    /// A violation is reported, and the execution ends.
    Stop = 3,
    /// A violation is reported if executions disagree: some violate the property and others do not, or do so otherwise.
    Differ = 4,
}

impl Attention {
    /// Whether the property is checked at all.
    #[inline]
    pub const fn is_on(self) -> bool {
        !matches!(self, Attention::Off)
    }

    /// Whether the property is checked and the execution continues after a violation.
    #[inline]
    pub const fn goes_on(self) -> bool {
        matches!(self, Attention::Ignore | Attention::Go)
    }

    /// Whether a violation is a finding.
    #[inline]
    pub const fn reports(self) -> bool {
        matches!(self, Attention::Go | Attention::Stop | Attention::Differ)
    }

    /// The name in trace files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Attention::Off => "off",
            Attention::Ignore => "ignore",
            Attention::Go => "go",
            Attention::Stop => "stop",
            Attention::Differ => "differ",
        }
    }
}

/// The attention for each property. The layout is part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
#[cfg_attr(
    feature = "std",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        into = "std::collections::BTreeMap<Property, Attention>",
        from = "std::collections::BTreeMap<Property, Attention>"
    )
)]
pub struct Properties([Attention; Property::ALL.len()]);

impl Properties {
    /// No property is checked.
    pub const NONE: Properties = Properties([Attention::Off; Property::ALL.len()]);

    /// The attention for `property`.
    #[inline]
    pub const fn of(&self, property: Property) -> Attention {
        self.0[property as usize]
    }

    /// Sets the attention for `property`.
    pub const fn set(&mut self, property: Property, attention: Attention) {
        self.0[property as usize] = attention;
    }

    /// These properties with another attention for `property`.
    pub const fn with(mut self, property: Property, attention: Attention) -> Properties {
        self.set(property, attention);
        self
    }

    /// Whether `property` is checked.
    #[inline]
    pub const fn look_for(&self, property: Property) -> bool {
        self.of(property).is_on()
    }

    /// Whether violations of `property` are noticed but not reported.
    #[inline]
    pub const fn ignore(&self, property: Property) -> bool {
        matches!(self.of(property), Attention::Ignore)
    }
}

impl Default for Properties {
    /// Checks everything but leaks. A violation ends its execution.
    fn default() -> Properties {
        Properties([Attention::Stop; Property::ALL.len()]).with(Property::Leak, Attention::Off)
    }
}

#[cfg(feature = "std")]
impl From<Properties> for std::collections::BTreeMap<Property, Attention> {
    fn from(properties: Properties) -> Self {
        Property::ALL.into_iter().map(|property| (property, properties.of(property))).collect()
    }
}

#[cfg(feature = "std")]
impl From<std::collections::BTreeMap<Property, Attention>> for Properties {
    /// Properties that the map does not contain are not checked.
    fn from(map: std::collections::BTreeMap<Property, Attention>) -> Self {
        map.into_iter().fold(Properties::NONE, |all, (property, attention)| all.with(property, attention))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_list_and_names_are_those_of_trace_files() {
        for (number, property) in Property::ALL.into_iter().enumerate() {
            assert_eq!(property as usize, number);
            assert_eq!(serde_json::to_value(property).unwrap(), property.name());
        }
        for attention in [Attention::Off, Attention::Ignore, Attention::Go, Attention::Stop, Attention::Differ] {
            assert_eq!(serde_json::to_value(attention).unwrap(), attention.name());
        }
    }

    #[test]
    fn each_property_keeps_its_own_attention() {
        for property in Property::ALL {
            let properties = Properties::NONE.with(property, Attention::Go);
            for other in Property::ALL {
                assert_eq!(properties.look_for(other), other == property);
            }
            let text = serde_json::to_string(&properties).unwrap();
            assert_eq!(serde_json::from_str::<Properties>(&text).unwrap(), properties);
        }
    }
}
