//! Checkpoints: a search in a file, to go on from after Ctrl-C, a crash, or a loss of power (`--checkpoint`, `--resume`).
//!
//! A line that says what it is, a JSON document in one line (what the search is about, and what was collected so far), the search itself
//! in bytes ([`heddle_search::Search::resume`]), and a digest of all that. A file is written beside the old one and takes its
//! place when it is on the disk: there is a whole one at any time.
//!
//! What the search is about: the program, where it and its libraries lie in memory, this version of Heddle, and every option that
//! changes what is explored. All of it must be the same, since schedules and addresses mean nothing elsewhere.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use heddle_model::trace;
use heddle_native::NativeExecutor;
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

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

/// What a search is about: a name for each thing that must be the same, and what it is.
pub fn about(options: &Options, description: &trace::Program, executor: &NativeExecutor) -> Result<Value, String> {
    let program = executor.program();
    let contents = program.contents().map_err(|error| format!("{}: {error}", program.path.display()))?;
    let input = executor.options().input.as_ref().and_then(|path| fs::read(path).ok());
    let runtime = xxh3_64(heddle_native::runtime_library());
    let place = |file: &&heddle_native::symbols::Mapping| {
        let own = file.path.parent() == program.path.parent();
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // What Heddle has made itself lies in a directory that has another name each time.
        let name = if own || name == "libheddle_runtime.so" { name } else { file.path.display().to_string() };
        format!("{:x} {name}", file.start)
    };
    let mut about = Map::new();
    let mut add = |name: &str, what: String| about.insert(name.to_owned(), Value::String(what));
    add("heddle", format!("{} {runtime:016x}", env!("CARGO_PKG_VERSION")));
    add("the program", format!("{:032x}", xxh3_128(&contents)));
    add("the program's arguments", format!("{:?}", description.arguments));
    add("--stdin", input.map_or_else(String::new, |bytes| format!("{:032x}", xxh3_128(&bytes))));
    add("the places of its libraries", executor.mappings().files().iter().map(place).collect::<Vec<_>>().join(", "));
    add("--algorithm", options.search.algorithm.name().to_owned());
    add("--max-steps", format!("{:?}", options.search.max_steps));
    add("what the thread library may do", format!("{:?}", executor.options().latitude));
    add("--races", format!("{:?}", options.races));
    add("--memory", executor.options().memory.to_string());
    add("--leaks", executor.options().leaks.to_string());
    add("--quarantine", executor.options().quarantine.to_string());
    add("--misuse", executor.options().misuse.to_string());
    add("--livelocks", options.livelocks.to_string());
    add("--nondet", format!("{:?}", executor.options().nondet));
    add("--memory-limit", executor.options().memory_limit.to_string());
    Ok(Value::Object(about))
}

impl Keeper {
    /// Keeps checkpoints of a search about `about` in `path`. There must be a directory for it.
    pub fn new(path: &Path, about: Value) -> Result<Keeper, String> {
        let path = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
        match path.parent() {
            Some(directory) if directory.is_dir() => Ok(Keeper { path, about, trouble: None }),
            _ => Err(format!("{}: there is no such directory", path.display())),
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
pub fn read(path: &Path) -> Result<Checkpoint, String> {
    let wrong = |what: &str| format!("{}: {what}", path.display());
    let bytes = fs::read(path).map_err(|error| wrong(&error.to_string()))?;
    let rest =
        bytes.strip_prefix(FIRST_LINE.as_bytes()).ok_or_else(|| wrong("not a checkpoint of this version of heddle"))?;
    let damaged = || wrong("the checkpoint is damaged");
    let (whole, digest) = bytes.split_at(bytes.len() - 8);
    if rest.len() < 8 || digest != xxh3_64(whole).to_le_bytes() {
        return Err(damaged());
    }
    let rest = &rest[..rest.len() - 8];
    let end = rest.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
    let mut document: Value = serde_json::from_slice(&rest[..end]).map_err(|_| damaged())?;
    let (about, collected) = (document["about"].take(), document["collected"].take());
    Ok(Checkpoint { collected, search: rest[end + 1..].to_vec(), about })
}

impl Checkpoint {
    /// Fails unless it is about the same search.
    pub fn must_be_about(&self, about: &Value) -> Result<(), String> {
        let (Some(then), Some(now)) = (self.about.as_object(), about.as_object()) else {
            return Err("--resume: the checkpoint is damaged".to_owned());
        };
        match now.iter().find(|(name, what)| then.get(*name) != Some(what)) {
            None => Ok(()),
            Some((name, what)) => {
                let text = |value: &Value| value.as_str().unwrap_or("nothing").to_owned();
                let then = then.get(name).map_or_else(|| "nothing".to_owned(), text);
                Err(format!(
                    "--resume: {name} is not what it was when the checkpoint was written: {}, then {then}",
                    text(what)
                ))
            }
        }
    }
}
