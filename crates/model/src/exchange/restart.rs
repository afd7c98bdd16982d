//! How executions start over.

/// How an execution starts over, from the fastest way to the most widely applicable one. The numbers are part of the
/// wire format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u32)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Restart {
    /// The process restores its memory from a snapshot.
    #[default]
    Snapshot = 1,
    /// Each execution runs in a forked child.
    Fork = 2,
    /// Each execution runs in a new process.
    Exec = 3,
}

impl Restart {
    /// The name on the command line and in Heddle's JSON documents.
    pub const fn name(self) -> &'static str {
        match self {
            Restart::Snapshot => "snapshot",
            Restart::Fork => "fork",
            Restart::Exec => "exec",
        }
    }
}

/// The restart mode that the user asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum RestartMode {
    /// Restores snapshots until the program does something that a snapshot cannot undo, then forks.
    #[default]
    Auto,
    /// Uses one way only.
    Only(Restart),
}
