//! A search in a file, to go on from after Ctrl-C, a crash, or a loss of power (`--checkpoint`, `--resume`).
//!
//! The file is a line that says what it is, a [`Checkpoint`] by postcard, and a digest of all that. A new file is written
//! beside the old one and takes its place when it is on the disk: at any time there is a whole one.
//!
//! A checkpoint says what its search is about: the program, where it and its libraries lie in memory, the version of Heddle,
//! and every option that changes what is explored. All of it must be equal when the search goes on, since schedules and
//! addresses mean nothing elsewhere.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use heddle_model::{ExecutorError, Latitude, Property, RestartMode, Settings};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::engine::Engine;
use crate::options::Options;
use crate::tally::Tally;

/// The number changes whenever older files cannot be read any more.
const FIRST_LINE: &str = "heddle checkpoint 2\n";

/// What a search is about: a name for each thing that must be equal, and its value.
pub type About = BTreeMap<String, String>;

/// A checkpoint that was read.
#[derive(Debug, Deserialize)]
pub struct Checkpoint {
    about: About,
    /// All that was collected.
    pub tally: Tally,
    /// The search, for [`heddle_search::Search::resume`].
    pub search: Vec<u8>,
}

/// A checkpoint that is written. Its fields are those of [`Checkpoint`].
#[derive(Serialize)]
struct Written<'w> {
    about: &'w About,
    tally: &'w Tally,
    search: &'w [u8],
}

/// Where checkpoints go.
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
    let settings = engine.settings();
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
    add("--seed", search.seed.to_string());
    add("--depth", search.depth.to_string());
    add("--from", format!("{:?}", options.prefix));
    for (name, what) in named(&settings) {
        add(name, what);
    }
    Ok(about)
}

/// Every setting, by the name of the option that changes it.
pub fn named(settings: &Settings) -> Vec<(&'static str, String)> {
    let Settings {
        memory_limit,
        stack_size,
        quarantine,
        hang_after_ms,
        max_steps,
        outputs,
        restart,
        properties,
        latitude,
        nondet,
    } = settings;
    let Latitude { timeouts, spurious_wakeups, spurious_failures, wakeup } = latitude;
    let restart = match restart {
        RestartMode::Auto => "auto",
        RestartMode::Only(restart) => restart.name(),
    };
    let mut list = vec![
        ("--memory-limit", memory_limit.to_string()),
        ("the size of stacks (ulimit -s)", stack_size.to_string()),
        ("--quarantine", quarantine.to_string()),
        ("--hang-timeout", format!("{hang_after_ms}ms")),
        ("--max-steps", max_steps.to_string()),
        ("--outcomes", outputs.to_string()),
        ("--restart", restart.to_string()),
        ("--max-timeouts", timeouts.to_string()),
        ("--spurious-wakeups", spurious_wakeups.to_string()),
        ("--spurious-failures", spurious_failures.to_string()),
        ("--wakeup", format!("{wakeup:?}")),
        ("--nondet", format!("{:?}", nondet.as_slice())),
    ];
    for property in Property::ALL {
        let name = match property {
            Property::Race => "--races",
            Property::Memory => "--memory",
            Property::Leak => "--leaks",
            Property::Misuse => "--misuse",
            Property::Progress => "--livelocks",
            // No option changes the others.
            other => other.name(),
        };
        list.push((name, properties.of(property).name().to_string()));
    }
    list
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
    /// The search in the file cannot be gone on with.
    #[error("{}: {source}", .path.display())]
    Search {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: heddle_search::CheckpointError,
    },
    /// The directory for the file is not there.
    #[error("{}: there is no such directory", .path.display())]
    NoDirectory {
        /// The file.
        path: PathBuf,
    },
    /// The checkpoint is about another search.
    #[error("--resume: {name} is not what it was when the checkpoint was written: {now}, then {then}")]
    Different {
        /// What differs.
        name: String,
        /// Its value now.
        now: String,
        /// Its value when the checkpoint was written.
        then: String,
    },
    /// The engine cannot say what the search is about.
    #[error(transparent)]
    Engine(ExecutorError),
}

impl Keeper {
    /// Keeps checkpoints of a search about `about` in `path`. There must be a directory for it.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn new(path: &Path, about: About) -> Result<Keeper, CheckpointError> {
        let path = std::path::absolute(path)
            .map_err(|source| CheckpointError::Unreadable { path: path.to_path_buf(), source })?;
        match path.parent() {
            Some(directory) if directory.is_dir() => Ok(Keeper { path, about, trouble: None }),
            _ => Err(CheckpointError::NoDirectory { path }),
        }
    }

    /// Writes a checkpoint. Whoever asks [`Keeper::trouble`] learns whether that failed.
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

    /// The search is complete: there is nothing to go on with.
    pub fn finish(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Reads a checkpoint.
///
/// # Errors
///
/// When the file is no checkpoint, or not a whole one.
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

/// The checkpoint in `bytes`, whatever those are. `None` if they are damaged.
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
                name: name.clone(),
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
        assert!(error.contains("the program is not what it was") && error.ends_with("b, then a"), "{error}");
    }

    /// Bytes that nobody wrote are refused or read, and nothing else: with the digest of a whole file, too.
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
