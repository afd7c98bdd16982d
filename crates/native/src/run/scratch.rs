//! Where executions write to files: a directory for each process, so that workers do not see each other's.
//!
//! The runtime fills it and empties it between executions; here it is made and removed. It lies in the run's temporary directory, which is
//! removed in any case.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use heddle_model::wire::SCRATCH;

/// A directory, removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: Option<PathBuf>,
}

/// Directories ever made by this process.
static MADE: AtomicU64 = AtomicU64::new(0);

impl Scratch {
    /// No directory, for executions that cannot write to files.
    pub fn none() -> Scratch {
        Scratch { path: None }
    }

    /// A new one in `parent`; none if that cannot be.
    pub fn new(parent: &Path) -> Scratch {
        // Links in it would be seen as something else by the program.
        let path = parent.canonicalize().ok().map(|parent| {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            parent.join(format!("files-{number}"))
        });
        let fits = |path: &PathBuf| path.as_os_str().len() + 1 < SCRATCH;
        Scratch { path: path.filter(fits).filter(|path| std::fs::create_dir(path).is_ok()) }
    }

    /// Its path; empty if there is none.
    pub fn bytes(&self) -> Vec<u8> {
        self.path.as_ref().map_or_else(Vec::new, |path| path.as_os_str().as_bytes().to_vec())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Directories that nobody may read can be removed if they are empty, which all are.
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                let _ = std::fs::remove_file(entry.path()).or_else(|_| std::fs::remove_dir(entry.path()));
            }
            // What is left goes with the directory that it is in.
            let _ = std::fs::remove_dir_all(path);
        }
    }
}
