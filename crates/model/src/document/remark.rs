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
                "POSIX: destroying an object releases what its initialisation acquired. Not an error at exit."
            }
            RemarkKind::LeftLocked => "POSIX: neither the end of a thread nor of the process unlocks a mutex",
            RemarkKind::StillRunning => {
                "C and POSIX: a return from main, or exit, ends the process and every thread in it, whatever it is doing"
            }
            RemarkKind::DetachedRunning => {
                "POSIX: nobody can wait for a detached thread, and the end of the process ends it, whatever it is doing"
            }
            RemarkKind::ZeroInitialised => {
                "POSIX: it must be initialised by a call before it is used. That zeroed memory works is specific to glibc."
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
