//! Why there is no conclusion.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use heddle_model::ExecutorError;

use crate::checkpoint::CheckpointError;

/// Why there is no conclusion.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The options make no sense. The user must change them.
    #[error("{0}")]
    Usage(String),
    /// A file of the program cannot be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The program cannot be built, opened or started.
    #[error(transparent)]
    Program(Box<dyn Error + Send + Sync>),
    /// The program is of a kind that the engine does not control.
    #[error(transparent)]
    Unsupported(Box<dyn Error + Send + Sync>),
    /// The program has damaged what it shares with the engine before the first execution.
    #[error(transparent)]
    Damaged(Box<dyn Error + Send + Sync>),
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A finding could not be reproduced, because the engine or the machine failed.
    #[error("a finding cannot be reproduced: {0}")]
    Unrepeatable(ExecutorError),
    /// The user interrupted the check before there was a result.
    #[error("interrupted")]
    Interrupted,
}
