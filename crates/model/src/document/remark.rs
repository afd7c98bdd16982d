//! Remarks: what a program leaves at its end. It is not wrong, but worth mentioning.
//!
//! A remark is not a finding. It changes no verdict and has no trace. It is reported once for each object and place,
//! however many executions it occurred in.

use serde::{Deserialize, Serialize};

use crate::Location;

/// The kind of a remark.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemarkKind {
    /// A lock that was still locked when the process ended, by a thread that would not have unlocked it.
    LeftLocked,
    /// A thread that was still running when the process ended.
    StillRunning,
    /// A detached thread that was still running when the process ended.
    DetachedRunning,
    /// An object that requires initialisation by a call and was used as zeroed memory.
    ZeroInitialised,
    /// An object that was initialised by a call and not destroyed when the process ended.
    NeverDestroyed,
}

impl RemarkKind {
    /// The rule, as the standard states it.
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

/// One remark, with names and source locations resolved.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Remark {
    /// The kind of the remark.
    pub kind: RemarkKind,
    /// What was left and by whom, in one line.
    pub message: String,
    /// The source location.
    pub location: Option<Location>,
    /// The rule, as the standard states it.
    pub standard: String,
}
