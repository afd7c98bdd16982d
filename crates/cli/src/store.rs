//! Writes traces and other files, completely or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use heddle_model::Trace;

/// Keeps a trace in `directory`, which is created if it does not exist. Returns the path of its file.
///
/// The name is made of the program, the kind of the finding and its fingerprint: `bank-deadlock-5be1c0a2.json`. A file that is there is never
/// overwritten: another trace of the same finding gets the next number at its end. The trace names its own file, so that a report made from
/// it can say how to replay it. The file gets its name only when all of it is on the disk, so a full disk leaves no partial trace behind.
pub fn keep(directory: &Path, trace: &mut Trace) -> Result<PathBuf, String> {
    if directory.exists() && !directory.is_dir() {
        let what = "is not a directory; choose another one with --out";
        return Err(format!("{} {what}", directory.display()));
    }
    fs::create_dir_all(directory).map_err(|error| complain("create the directory", directory, error))?;
    let name = name(trace);
    for number in 1_u32.. {
        let file = if number == 1 { format!("{name}.json") } else { format!("{name}-{number}.json") };
        let path = directory.join(file);
        trace.finding.trace = Some(path.display().to_string());
        let bytes = trace.to_bytes();
        if write_new(&path, &bytes).map_err(|error| complain("write", &path, error))? {
            return Ok(path);
        }
        if fs::read(&path).is_ok_and(|there| there == bytes) {
            return Ok(path);
        }
    }
    unreachable!("a name is free")
}

/// Makes `directory/latest` anew: a link to each of these files, by the finding that it holds, as in `latest/deadlock-1.json`.
pub fn link_latest(directory: &Path, files: &[(String, PathBuf)]) -> Result<(), String> {
    let latest = directory.join(LATEST);
    fs::create_dir_all(&latest).map_err(|error| complain("create the directory", &latest, error))?;
    let old = fs::read_dir(&latest).map_err(|error| complain("read", &latest, error))?;
    // Only links: what somebody else put there stays.
    for entry in old.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink())) {
        fs::remove_file(entry.path()).map_err(|error| complain("replace", &entry.path(), error))?;
    }
    for (id, file) in files {
        let link = latest.join(format!("{id}.json"));
        let target = Path::new("..").join(file.file_name().unwrap_or_default());
        match std::os::unix::fs::symlink(target, &link) {
            // Another run of Heddle in the same directory was quicker.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Some file systems have no links.
            Err(_) => drop(fs::copy(file, &link).map_err(|error| complain("write", &link, error))?),
            Ok(()) => {}
        }
    }
    Ok(())
}

/// The directory of links to the findings of the last run.
const LATEST: &str = "latest";

/// What the file of a trace is called, without its ending: the program, the kind of the finding, and its fingerprint.
fn name(trace: &Trace) -> String {
    let program = &trace.program;
    let path = program.binary.as_ref().or(program.sources.first()).map_or("program", |file| file.path.as_str());
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_alphanumeric() || "._-+".contains(c) { c } else { '_' };
    let stem: String = stem.chars().map(plain).take(LONGEST).collect();
    let fingerprint = heddle_report::fingerprint::of(&trace.finding);
    format!("{}-{}-{}", stem.trim_start_matches('.'), trace.finding.kind, &fingerprint[..8])
}

/// How much of a program's name is in the name of a file. File systems take names of 255 bytes.
const LONGEST: usize = 50;

fn complain(doing: &str, path: &Path, error: io::Error) -> String {
    let hint = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space, or choose another directory with --out"
        }
        _ => "; choose another directory with --out",
    };
    format!("cannot {doing} {}: {error}{hint}", path.display())
}

/// Writes a file that must not exist yet, completely or not at all. Returns false if it exists.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    let partial = partial(path);
    // A link fails where a rename would replace what another run of Heddle has just written.
    let written = write_through(&partial, bytes).and_then(|()| match fs::hard_link(&partial, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        // Some file systems have no links.
        Err(_) => fs::rename(&partial, path).map(|()| true),
        Ok(()) => Ok(true),
    });
    let _ = fs::remove_file(&partial);
    written
}

/// The name under which a file is written until it is complete.
fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.partial", std::process::id()));
    PathBuf::from(name)
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
    let partial = partial(path);
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
