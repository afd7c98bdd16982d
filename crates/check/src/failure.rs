//! Why there is no conclusion.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use heddle_model::ExecutorError;

use crate::checkpoint::CheckpointError;

/// Why there is no conclusion.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// What was asked for makes no sense. The user must ask for something else.
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
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// An execution that was found cannot be had again. The engine or the machine failed.
    #[error("a finding cannot be repeated: {0}")]
    Unrepeatable(ExecutorError),
    /// The user asked to stop before there was anything to conclude.
    #[error("interrupted")]
    Interrupted,
}
