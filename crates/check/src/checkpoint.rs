//! Saves a search to a file and resumes it after Ctrl-C, a crash, or a power failure (`--checkpoint`, `--resume`).
//!
//! The file has a first line with the format's version, a [`Checkpoint`] encoded by postcard, and a digest of both. A new file is
//! written beside the old one and renamed when it is on the disk, so that there is a complete file at any time.
//!
//! A checkpoint records what its search is about: the program, the addresses of the program and its libraries, the version of
//! Heddle, and every option that changes what is explored. All of these must be equal when the search is resumed, because schedules
//! and addresses are valid only there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use heddle_model::ExecutorError;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::engine::Engine;
use crate::options::Options;
use crate::tally::Tally;

/// The first line of the file. Its number changes whenever older files cannot be read any more.
const FIRST_LINE: &str = "heddle checkpoint 6\n";

/// What a search is about: a name for each thing that must be equal, and its value.
pub type About = BTreeMap<String, String>;

/// A checkpoint that was read.
#[derive(Debug, Deserialize)]
pub struct Checkpoint {
    about: About,
    /// What was kept of the executions.
    pub tally: Tally,
    /// The encoded search, for [`heddle_search::Search::resume`].
    pub search: Vec<u8>,
}

/// A checkpoint that borrows its parts, for writing. Its fields are those of [`Checkpoint`].
#[derive(Serialize)]
struct Written<'w> {
    about: &'w About,
    tally: &'w Tally,
    search: &'w [u8],
}

/// Writes checkpoints to a file.
#[derive(Debug)]
pub struct Keeper {
    path: PathBuf,
    about: About,
    /// Why the last checkpoint could not be written.
    pub trouble: Option<String>,
}

/// What the search of `options` over the program of `engine` is about.
///
/// # Errors
///
/// When the program cannot be read any more.
pub fn about(options: &Options, engine: &dyn Engine) -> Result<About, CheckpointError> {
    let mut about = About::new();
    let mut add = |name: &str, what: String| about.insert(name.to_owned(), what);
    add("heddle", env!("CARGO_PKG_VERSION").to_owned());
    for (name, what) in engine.identity().map_err(CheckpointError::Engine)? {
        add(name, what);
    }
    let search = &options.search;
    add("--algorithm", search.algorithm.name().to_owned());
    add("--max-preemptions", format!("{:?}", search.max_preemptions));
    add("--max-switches", format!("{:?}", search.max_switches));
    add("--max-delays", format!("{:?}", search.max_delays));
    add("--iterate", search.iterate.to_string());
    add("--no-sleep-sets", (!search.sleep_sets).to_string());
    add("--no-locksets", (!search.locksets).to_string());
    // What locks are taken for is part of what the graph of states means.
    add("--sections", search.sections.to_string());
    add("--seed", search.seed.to_string());
    add("--depth", search.depth.to_string());
    add("--from", format!("{:?}", options.prefix));
    for (path, what) in engine.settings().fields() {
        add(&path, what);
    }
    Ok(about)
}

/// What people call a thing that a search is about. The fields of the settings are compared under their own paths; the option that
/// changes a field says more. A field without an option has its path as its name.
fn name_of(key: &str) -> &str {
    match key {
        "memory_limit" => "--memory-limit",
        "stack_size" => "the size of stacks (ulimit -s)",
        "quarantine" => "--quarantine",
        "hang_after_ms" => "--hang-timeout",
        "max_steps" => "--max-steps",
        "outputs" => "--outcomes",
        "restart" => "--restart",
        "properties.race" => "--races",
        "properties.memory" => "--memory",
        "properties.leak" => "--leaks",
        "properties.misuse" => "--misuse",
        "properties.progress" => "--livelocks",
        "latitude.timeouts" => "--max-timeouts",
        "latitude.spurious_wakeups" => "--spurious-wakeups",
        "latitude.spurious_failures" => "--spurious-failures",
        key if key.starts_with("latitude.wakeup.") => "--wakeup",
        key if key.starts_with("nondet.") => "--nondet",
        other => other,
    }
}

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read, or its name makes no sense.
    #[error("{}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is something else, or of another version.
    #[error("{}: not a checkpoint of this version of heddle", .path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// The file is cut off or was changed.
    #[error("{}: the checkpoint is damaged", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The search in the file cannot be resumed.
    #[error("{}: {source}", .path.display())]
    Search {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: heddle_search::CheckpointError,
    },
    /// The directory of the file does not exist.
    #[error("{}: there is no such directory", .path.display())]
    NoDirectory {
        /// The file.
        path: PathBuf,
    },
    /// The checkpoint is about another search.
    #[error("--resume: {name} has changed since the checkpoint was written: now {now}, then {then}")]
    Different {
        /// What differs.
        name: String,
        /// The value of the setting now.
        now: String,
        /// The value of the setting when the checkpoint was written.
        then: String,
    },
    /// The engine cannot describe the program that the search is about.
    #[error(transparent)]
    Engine(ExecutorError),
}

impl Keeper {
    /// Makes a keeper that writes checkpoints of a search about `about` to `path`.
    ///
    /// # Errors
    ///
    /// When the directory of `path` does not exist.
    pub fn new(path: &Path, about: About) -> Result<Keeper, CheckpointError> {
        let path = std::path::absolute(path)
            .map_err(|source| CheckpointError::Unreadable { path: path.to_path_buf(), source })?;
        match path.parent() {
            Some(directory) if directory.is_dir() => Ok(Keeper { path, about, trouble: None }),
            _ => Err(CheckpointError::NoDirectory { path }),
        }
    }

    /// Writes a checkpoint. [`Keeper::trouble`] says whether that failed.
    pub fn keep(&mut self, tally: &Tally, search: &[u8]) {
        let result = self.write(tally, search);
        self.trouble = result.err().map(|error| format!("{}: {error}", self.path.display()));
    }

    fn write(&self, tally: &Tally, search: &[u8]) -> io::Result<()> {
        let written = Written { about: &self.about, tally, search };
        let mut bytes = postcard::to_extend(&written, FIRST_LINE.as_bytes().to_vec()).map_err(io::Error::other)?;
        let digest = xxh3_64(&bytes);
        bytes.extend(digest.to_le_bytes());
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        let new = self.path.with_file_name(name);
        let mut file = File::create(&new)?;
        file.write_all(&bytes)?;
        // On the disk before it takes the old one's place.
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }

    /// Removes the file, because the search is complete.
    pub fn finish(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Reads a checkpoint.
///
/// # Errors
///
/// When the file is not a checkpoint, or is damaged.
pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
    let path = path.to_path_buf();
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(source) => return Err(CheckpointError::Unreadable { path, source }),
    };
    if !bytes.starts_with(FIRST_LINE.as_bytes()) {
        return Err(CheckpointError::NotACheckpoint { path });
    }
    parse(&bytes).ok_or(CheckpointError::Damaged { path })
}

/// Decodes a checkpoint. `None` if `bytes` are not a complete one. Any bytes are allowed.
pub fn parse(bytes: &[u8]) -> Option<Checkpoint> {
    let (whole, digest) = bytes.split_last_chunk::<8>()?;
    if *digest != xxh3_64(whole).to_le_bytes() {
        return None;
    }
    let rest = whole.strip_prefix(FIRST_LINE.as_bytes())?;
    let checkpoint: Checkpoint = postcard::from_bytes(rest).ok()?;
    checkpoint.tally.is_sound().then_some(checkpoint)
}

impl Checkpoint {
    /// Fails unless the checkpoint is about this search.
    ///
    /// # Errors
    ///
    /// When something differs.
    pub fn must_be_about(&self, about: &About) -> Result<(), CheckpointError> {
        let then = |name: &str| self.about.get(name).cloned();
        match about.iter().find(|(name, now)| then(name).as_ref() != Some(now)) {
            None => Ok(()),
            Some((name, now)) => Err(CheckpointError::Different {
                name: name_of(name).to_owned(),
                now: now.clone(),
                then: then(name).unwrap_or_else(|| "nothing".to_owned()),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::tests::full;

    fn written(tally: &Tally) -> Vec<u8> {
        let about = About::from([("the program".to_owned(), "a".to_owned())]);
        let whole = Written { about: &about, tally, search: &[1, 2, 3] };
        let bytes = postcard::to_extend(&whole, FIRST_LINE.as_bytes().to_vec()).expect("all of it can be written");
        sealed(bytes)
    }

    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let digest = xxh3_64(&bytes);
        bytes.extend(digest.to_le_bytes());
        bytes
    }

    #[test]
    fn the_whole_tally_comes_back() {
        let tally = full();
        let read = parse(&written(&tally)).expect("it is a checkpoint");
        assert_eq!(format!("{:?}", read.tally), format!("{tally:?}"));
        assert_eq!(read.search, [1, 2, 3]);
    }

    #[test]
    fn another_search_is_refused_by_name() {
        let read = parse(&written(&Tally::default())).expect("it is a checkpoint");
        let now = |what: &str| About::from([("the program".to_owned(), what.to_owned())]);
        assert!(read.must_be_about(&now("a")).is_ok());
        let error = read.must_be_about(&now("b")).expect_err("another program").to_string();
        assert!(error.contains("the program has changed") && error.ends_with("b, then a"), "{error}");
    }

    /// Arbitrary bytes are refused or read, and never cause a panic, even with a valid digest.
    #[test]
    fn damaged_bytes_are_refused_without_a_panic() {
        let bytes = written(&full());
        let content = &bytes[..bytes.len() - 8];
        for length in 0..bytes.len() {
            assert!(parse(&bytes[..length]).is_none(), "cut off after {length} bytes");
            let _ = parse(&sealed(content[..length.min(content.len())].to_vec()));
        }
        for at in 0..content.len() {
            for flip in [1u8, 0x80, 0xff] {
                let mut bad = content.to_vec();
                bad[at] ^= flip;
                if let Some(read) = parse(&sealed(bad)) {
                    assert!(read.tally.is_sound());
                }
            }
        }
    }
}
