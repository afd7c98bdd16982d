//! The output directory: traces are put there, whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use heddle_model::Trace;

/// Writes `trace` into `directory`, which is made if it is not there. Returns the path of the file.
///
/// The file appears under its name only when all of it is on the disk: a full disk leaves no half trace behind.
pub fn write(directory: &Path, trace: &Trace) -> Result<PathBuf, String> {
    let complain = |doing: &str, path: &Path, error: io::Error| {
        let hint = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "; make room, or give another place with --out"
            }
            _ => "; give another place with --out",
        };
        format!("cannot {doing} {}: {error}{hint}", path.display())
    };
    if directory.exists() && !directory.is_dir() {
        let what = "is in the way: it is not a directory; give another place with --out";
        return Err(format!("{} {what}", directory.display()));
    }
    fs::create_dir_all(directory).map_err(|error| complain("make the directory", directory, error))?;
    let path = directory.join(format!("{}.json", trace.finding.id));
    let partial = directory.join(format!(".{}.{}.partial", trace.finding.id, std::process::id()));
    let written = write_through(&partial, &trace.to_bytes()).and_then(|()| fs::rename(&partial, &path));
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        complain("write", &path, error)
    })?;
    Ok(path)
}

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(bytes)?;
    // Some file systems say only now that the disk is full.
    file.sync_all()
}
