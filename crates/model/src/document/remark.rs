//! What a program does that is not wrong and worth a word: what it leaves behind when it ends.
//!
//! A remark is not a finding. It changes no verdict, has no trace, and is told once for each object and place, however many
//! executions it was seen in.

use serde::{Deserialize, Serialize};

use crate::Location;

/// What kind of thing is worth a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemarkKind {
    /// A lock that was locked when the process ended, by a thread that would not have unlocked it any more.
    LeftLocked,
    /// A thread that still ran when the process ended.
    StillRunning,
    /// A detached thread that still ran when the process ended.
    DetachedRunning,
    /// An object that needs a call to be made, used as it was found: zero.
    ZeroInitialised,
    /// An object that a call made, and that none had destroyed when the process ended.
    NeverDestroyed,
}

impl RemarkKind {
    /// What the standard says.
    pub const fn standard(self) -> &'static str {
        match self {
            RemarkKind::NeverDestroyed => {
                "POSIX: what an initialisation has taken is given back by the destruction; that is not required at the end"
            }
            RemarkKind::LeftLocked => "POSIX: the end of a thread or of the process unlocks nothing",
            RemarkKind::StillRunning => {
                "C and POSIX: a return from main, or exit, ends the process and every thread in it, wherever it is"
            }
            RemarkKind::DetachedRunning => {
                "POSIX: a detached thread cannot be waited for, and the end of the process ends it, wherever it is"
            }
            RemarkKind::ZeroInitialised => {
                "POSIX: it must be initialised by a call before it is used; that zeros do is a property of glibc"
            }
        }
    }
}

/// One remark, with names and places.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Remark {
    /// What kind.
    pub kind: RemarkKind,
    /// What, and who, in one line.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// What the standard says.
    pub standard: String,
}
