//! What a run tells people and other programs: findings, remarks, verdicts and trace files.

pub mod finding;
pub mod remark;
mod step;
pub mod trace;
pub mod verdict;
