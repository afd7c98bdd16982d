//! Collects what executions leave behind, such as locked mutexes and running threads. One execution is kept for each new thing.
//!
//! [`Leftovers::look`] is called for every execution that ended well. If the execution left nothing new, the call costs a comparison
//! or a lookup in a set.

use std::collections::HashSet;
use std::path::Path;

use heddle_model::{Execution, ExecutorError, ObjectId, Remark, RemarkKind};
use heddle_report::left;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::resolve;
use crate::tally::Candidate;

/// The most different remains that are examined. For a program in which each execution leaves something else, only the first ones
/// are reported.
const MOST_LOOKED_AT: usize = 4096;
/// The most executions that are kept and run again at the end.
const MOST_KEPT: usize = 16;

/// What executions left behind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Leftovers {
    /// Digests of the remains that were examined.
    seen: HashSet<u64>,
    known: HashSet<(RemarkKind, ObjectId, u64)>,
    kept: Vec<Candidate>,
}

impl Leftovers {
    /// Examines what `execution`, which ended well, left behind. If something is new, keeps the candidate that `candidate` makes.
    #[inline]
    pub fn look(&mut self, execution: &Execution<'_>, candidate: impl FnOnce() -> Candidate) {
        if execution.left != 0 || !execution.pending.is_empty() {
            self.look_closely(execution, candidate);
        }
    }

    fn look_closely(&mut self, execution: &Execution<'_>, candidate: impl FnOnce() -> Candidate) {
        let running = execution.pending.iter().map(|pending| (u64::from(pending.thread.0) + 1) << 40);
        let remains = running.fold(execution.left, |all, one| all.rotate_left(7) ^ one);
        if self.seen.len() >= MOST_LOOKED_AT || self.kept.len() >= MOST_KEPT || !self.seen.insert(remains) {
            return;
        }
        let mut new = false;
        for left in left::find(execution.events, execution.pending) {
            let threads = matches!(left.kind, RemarkKind::StillRunning | RemarkKind::DetachedRunning);
            // Threads that were made in one place, or left at one end, are told once.
            let object = if threads { ObjectId::NONE } else { left.object };
            new |= self.known.insert((left.kind, object, execution.events[left.event].pc));
        }
        if new {
            self.kept.push(candidate());
        }
    }

    /// Runs the kept executions again and returns remarks about what they left. If a run fails, the remarks so far are returned.
    pub fn tell(&self, engine: &mut dyn Engine, directory: &Path) -> Vec<Remark> {
        let mut remarks: Vec<Remark> = Vec::new();
        for candidate in &self.kept {
            let recorded = engine
                .discard()
                .and_then(|()| engine.reveal(&candidate.places))
                .and_then(|()| resolve::record(engine, &candidate.plan, directory));
            match recorded {
                Ok(recording) => add(&mut remarks, left::tell(&recording)),
                Err(ExecutorError::Interrupted) => break,
                // What cannot be repeated is told elsewhere, where it is a finding.
                Err(_) => {}
            }
        }
        remarks.sort();
        remarks
    }
}

/// Adds the remarks that are new. Two threads created at one place, or two objects initialised by one line, are one remark.
fn add(remarks: &mut Vec<Remark>, more: Vec<Remark>) {
    for remark in more {
        let same = |known: &&Remark| known.kind == remark.kind && known.location == remark.location;
        let known = remark.location.is_some() && remarks.iter().any(|known| same(&known));
        if !known && !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
}
