//! The directory for files that executions write. Each process has its own, so that workers do not see each other's files.
//!
//! The driver makes and removes the directory; the runtime fills it, and empties it between executions. It lies in the
//! temporary directory of the run, which is removed in any case.

use std::io;
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

    /// Makes a directory in `parent`.
    pub fn new(parent: &Path) -> io::Result<Scratch> {
        // Links in it would be seen as something else by the program.
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = parent.canonicalize()?.join(format!("files-{number}"));
        std::fs::create_dir(&path)?;
        Ok(Scratch { path: Some(path) })
    }

    /// Whether private copies of files can be made in `parent`: its name is not too long, and there is some room.
    ///
    /// # Errors
    ///
    /// When they cannot. The text says why, and what to do.
    pub fn can_be_in(parent: &Path) -> io::Result<()> {
        /// The longest name of a directory, and of a file in it.
        const NAMES: usize = "/files-18446744073709551615/16384".len();
        const ROOM: u64 = 64 << 10;
        const FILES: u64 = 16;
        let path = parent.canonicalize()?;
        if path.as_os_str().len() + NAMES >= SCRATCH {
            let what = "has too long a name for private copies of files: name a directory with a shorter one ($TMPDIR)";
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, format!("{} {what}", path.display())));
        }
        let system = rustix::fs::statvfs(&path)?;
        // A system without a number of files has as many as there is room for.
        if system.f_bavail * system.f_frsize < ROOM || system.f_files > 0 && system.f_favail < FILES {
            let what = "has no room for private copies of files: free some, or name another directory ($TMPDIR)";
            return Err(io::Error::new(io::ErrorKind::StorageFull, format!("{} {what}", path.display())));
        }
        Ok(())
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
