//! What is looked for in executions, and what happens where it is found.
//!
//! A check names the [`Property`]s that executions must have. Each has an [`Attention`]: it is not looked at, it is looked at
//! without a report, or a violation is reported, and the execution ends there or goes on. [`Properties`] has one for each, as a value
//! that the runtime, the search, the reports and the verdicts ask.

/// Something that every execution must have. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Property {
    /// Some thread can go on until all have ended: no deadlock, no circle of threads that wait for each other.
    Deadlock,
    /// Any two accesses to one place, one of them a write, are ordered by happens-before.
    Race,
    /// No assertion fails, and nobody calls `abort`.
    Assertion,
    /// No signal kills the process.
    Crash,
    /// The process ends with the status that it should.
    Exit,
    /// No undefined behaviour that the compiler can test for.
    Undefined,
    /// Every access is to memory that is there: no use after free, nothing out of bounds.
    Memory,
    /// Every block that nothing points to any more was freed.
    Leak,
    /// Every primitive is used by its rules.
    Misuse,
    /// Threads get somewhere by what they do: no livelock.
    Progress,
    /// Every thread comes to its next visible operation in time.
    Hang,
    /// Every label that must be reached is reached by some execution.
    Reach,
    /// The program does the same thing when it is run twice with one schedule.
    Determinism,
}

impl Property {
    /// All properties, in the order of their numbers.
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

/// What happens where a property is violated. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Attention {
    /// Nobody looks.
    Off = 0,
    /// The violation is noticed and not reported, and the execution goes on. The search explores what depends on it.
    Ignore = 1,
    /// The violation is reported, and the execution goes on.
    Go = 2,
    /// The violation is reported, and the execution ends with it.
    Stop = 3,
}

impl Attention {
    /// Whether violations are looked for at all.
    #[inline]
    pub const fn is_on(self) -> bool {
        !matches!(self, Attention::Off)
    }

    /// Whether violations are looked for and the execution goes on after one.
    #[inline]
    pub const fn goes_on(self) -> bool {
        matches!(self, Attention::Ignore | Attention::Go)
    }

    /// Whether a violation is a finding.
    #[inline]
    pub const fn reports(self) -> bool {
        matches!(self, Attention::Go | Attention::Stop)
    }

    /// The name in trace files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Attention::Off => "off",
            Attention::Ignore => "ignore",
            Attention::Go => "go",
            Attention::Stop => "stop",
        }
    }
}

/// The attention that each property gets. Part of the wire format.
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
    /// No property gets any attention.
    pub const NONE: Properties = Properties([Attention::Off; Property::ALL.len()]);

    /// The attention that `property` gets.
    #[inline]
    pub const fn of(&self, property: Property) -> Attention {
        self.0[property as usize]
    }

    /// Gives `property` this attention.
    pub const fn set(&mut self, property: Property, attention: Attention) {
        self.0[property as usize] = attention;
    }

    /// These properties, with this attention for `property`.
    pub const fn with(mut self, property: Property, attention: Attention) -> Properties {
        self.set(property, attention);
        self
    }

    /// Whether `property` is looked for.
    #[inline]
    pub const fn look_for(&self, property: Property) -> bool {
        self.of(property).is_on()
    }

    /// Whether violations of `property` are noticed and not reported.
    #[inline]
    pub const fn ignore(&self, property: Property) -> bool {
        matches!(self.of(property), Attention::Ignore)
    }
}

impl Default for Properties {
    /// Everything but leaks is looked for, and a violation ends its execution.
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
    /// Properties that the map does not name get no attention.
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
        for attention in [Attention::Off, Attention::Ignore, Attention::Go, Attention::Stop] {
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
