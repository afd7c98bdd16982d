//! Writes traces and other files, completely or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use heddle_model::Trace;

/// Writes `trace` into `directory`, which is created if it does not exist. Returns the path of the file.
///
/// The file gets its name only when all of it is on the disk, so a full disk leaves no partial trace behind.
pub fn write(directory: &Path, trace: &Trace) -> Result<PathBuf, String> {
    let complain = |doing: &str, path: &Path, error: io::Error| {
        let hint = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "; free some space, or choose another directory with --out"
            }
            _ => "; choose another directory with --out",
        };
        format!("cannot {doing} {}: {error}{hint}", path.display())
    };
    if directory.exists() && !directory.is_dir() {
        let what = "is not a directory; choose another one with --out";
        return Err(format!("{} {what}", directory.display()));
    }
    fs::create_dir_all(directory).map_err(|error| complain("create the directory", directory, error))?;
    let path = directory.join(format!("{}.json", trace.finding.id));
    let partial = directory.join(format!(".{}.{}.partial", trace.finding.id, std::process::id()));
    let written = write_through(&partial, &trace.to_bytes()).and_then(|()| fs::rename(&partial, &path));
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        complain("write", &path, error)
    })?;
    Ok(path)
}

/// Writes a file that the user named, completely or not at all.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let complain = |error: io::Error| format!("{} cannot be written: {error}", path.display());
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(directory) = directory {
        fs::create_dir_all(directory).map_err(complain)?;
    }
    // A device or a pipe is written to as it is: it cannot be replaced by a file.
    if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return fs::write(path, bytes).map_err(complain);
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = PathBuf::from(partial);
    write_through(&partial, bytes).and_then(|()| fs::rename(&partial, path)).map_err(|error| {
        let _ = fs::remove_file(&partial);
        complain(error)
    })
}

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(bytes)?;
    // Some file systems say only now that the disk is full.
    file.sync_all()
}
