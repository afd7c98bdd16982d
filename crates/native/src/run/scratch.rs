//! The directory for files that executions write. Each process has its own, so that workers do not see each other's files.
//!
//! The driver makes and removes the directory; the runtime fills it, and empties it between executions. It lies in the
//! temporary directory of the run, which is removed in any case.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use heddle_model::wire::SCRATCH;

/// A directory for files. Dropping it removes the directory with its contents.
#[derive(Debug)]
pub struct Scratch {
    path: Option<PathBuf>,
}

/// How many directories this process has made.
static MADE: AtomicU64 = AtomicU64::new(0);

impl Scratch {
    /// No directory, for executions that cannot write to files.
    pub fn none() -> Scratch {
        Scratch { path: None }
    }

    /// Makes a directory in `parent`. No directory, if that fails.
    pub fn new(parent: &Path) -> Scratch {
        // Links in it would be seen as something else by the program.
        let path = parent.canonicalize().ok().map(|parent| {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            parent.join(format!("files-{number}"))
        });
        let fits = |path: &PathBuf| path.as_os_str().len() + 1 < SCRATCH;
        Scratch { path: path.filter(fits).filter(|path| std::fs::create_dir(path).is_ok()) }
    }

    /// The path of the directory; empty if there is none.
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
