//! What executions leave behind, collected while a search runs: one execution is kept for each thing that is new.
//!
//! Called for every execution that ended well. Where it left nothing that was not left before, that is a comparison or a look
//! into a set; only what is new is looked at closely.

use std::collections::HashSet;
use std::path::Path;

use heddle_model::{Execution, ExecutorError, ObjectId, Remark, RemarkKind};
use heddle_report::left;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::resolve;
use crate::tally::Candidate;

/// So many different remains are looked at closely: a program in which each execution leaves something else is told
/// about the first of them.
const MOST_LOOKED_AT: usize = 4096;
/// So many executions are kept and run again in the end.
const MOST_KEPT: usize = 16;

/// What executions left behind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Leftovers {
    /// The remains that were looked at.
    seen: HashSet<u64>,
    known: HashSet<(RemarkKind, ObjectId, u64)>,
    kept: Vec<Candidate>,
}

impl Leftovers {
    /// `execution` has ended well. `candidate` makes one of it.
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

    /// Makes what was kept happen again, and tells it. However that ends, what is known is told.
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

/// Adds what is not known yet. Two threads that were made in one place, or two objects of an array that one line makes, are one remark.
fn add(remarks: &mut Vec<Remark>, more: Vec<Remark>) {
    for remark in more {
        let same = |known: &&Remark| known.kind == remark.kind && known.location == remark.location;
        let known = remark.location.is_some() && remarks.iter().any(|known| same(&known));
        if !known && !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
}
