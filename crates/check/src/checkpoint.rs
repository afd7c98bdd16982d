//! Checkpoints: a search in a file, to go on from after Ctrl-C, a crash, or a loss of power (`--checkpoint`, `--resume`).
//!
//! A line that says what it is, a JSON document in one line (what the search is about, and what was collected so far), the search itself
//! in bytes ([`heddle_search::Search::resume`]), and a digest of all that. A file is written beside the old one and takes its
//! place when it is on the disk: there is a whole one at any time.
//!
//! What the search is about: the program, where it and its libraries lie in memory, this version of Heddle, and every option that
//! changes what is explored. All of it must be the same, since schedules and addresses mean nothing elsewhere.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use heddle_model::ExecutorError;
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::engine::Engine;
use crate::options::Options;

const FIRST_LINE: &str = "heddle checkpoint 1\n";

/// A checkpoint that was read.
pub struct Checkpoint {
    /// What was collected.
    pub collected: Value,
    /// The search.
    pub search: Vec<u8>,
    about: Value,
}

/// Where checkpoints go.
pub struct Keeper {
    path: PathBuf,
    about: Value,
    /// Why the last one could not be written.
    pub trouble: Option<String>,
}

/// What a search is about: a name for each thing that must be equal, and its value.
///
/// # Errors
///
/// When the program cannot be read any more.
pub fn about(options: &Options, engine: &dyn Engine) -> Result<Value, CheckpointError> {
    let settings = engine.settings();
    let mut about = Map::new();
    let mut add = |name: &str, what: String| about.insert(name.to_owned(), Value::String(what));
    add("heddle", env!("CARGO_PKG_VERSION").to_owned());
    for (name, what) in engine.identity().map_err(CheckpointError::Engine)? {
        add(name, what);
    }
    add("--algorithm", options.search.algorithm.name().to_owned());
    add("--max-steps", format!("{:?}", options.search.max_steps));
    add("what the thread library may do", format!("{:?}", settings.latitude));
    add("--races", format!("{:?}", options.races));
    add("--memory", settings.memory.to_string());
    add("--leaks", settings.leaks.to_string());
    add("--quarantine", settings.quarantine.to_string());
    add("--misuse", settings.misuse.to_string());
    add("--livelocks", options.livelocks.to_string());
    add("--nondet", format!("{:?}", settings.nondet));
    add("--memory-limit", settings.memory_limit.to_string());
    Ok(Value::Object(about))
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
    pub fn new(path: &Path, about: Value) -> Result<Keeper, CheckpointError> {
        let path = std::path::absolute(path)
            .map_err(|source| CheckpointError::Unreadable { path: path.to_path_buf(), source })?;
        match path.parent() {
            Some(directory) if directory.is_dir() => Ok(Keeper { path, about, trouble: None }),
            _ => Err(CheckpointError::NoDirectory { path }),
        }
    }

    /// Writes one.
    pub fn keep(&mut self, collected: &Value, search: &[u8]) {
        let result = self.write(collected, search);
        self.trouble = result.err().map(|error| format!("{}: {error}", self.path.display()));
    }

    fn write(&self, collected: &Value, search: &[u8]) -> std::io::Result<()> {
        let mut bytes = FIRST_LINE.as_bytes().to_vec();
        bytes.extend(json!({ "about": self.about, "collected": collected }).to_string().into_bytes());
        bytes.push(b'\n');
        bytes.extend_from_slice(search);
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
    let end = rest.iter().position(|&byte| byte == b'\n')?;
    let mut document: Value = serde_json::from_slice(&rest[..end]).ok()?;
    let (about, collected) = (document["about"].take(), document["collected"].take());
    Some(Checkpoint { collected, search: rest[end + 1..].to_vec(), about })
}

impl Checkpoint {
    /// Fails unless the checkpoint is about this search.
    ///
    /// # Errors
    ///
    /// When something differs.
    pub fn must_be_about(&self, about: &Value) -> Result<(), CheckpointError> {
        let nothing = Map::new();
        let (then, now) = (self.about.as_object().unwrap_or(&nothing), about.as_object().unwrap_or(&nothing));
        let Some((name, what)) = now.iter().find(|(name, what)| then.get(*name) != Some(what)) else { return Ok(()) };
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("nothing").to_owned();
        Err(CheckpointError::Different { name: name.clone(), now: text(Some(what)), then: text(then.get(name)) })
    }
}
