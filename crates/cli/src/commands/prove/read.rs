//! Reads a program for a proof: its sources, by clang and libLLVM in another process, which is this program too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use heddle_native::TemporaryDirectory;
use heddle_symbolic::ir::{Module, Places, ReadError, Reader, Site, serve};

/// The word that makes this program the process that reads bitcode.
const READ: &str = "__read-ir";
/// Heddle's header for programs.
const HEADER: &str = "heddle.h";

/// Reads bitcode if the line asks for it. Only `heddle` itself does.
pub fn intercept(line: &[OsString]) -> Option<ExitCode> {
    if line.get(1).is_none_or(|word| word != READ) {
        return None;
    }
    Some(match serve(&line[2..], &mut std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            eprintln!("{words}");
            ExitCode::from(2)
        }
    })
}

/// Why a program is not read.
pub enum Unread {
    /// The engine cannot read it, or the machine lacks what reading needs.
    Unsupported(String),
    /// It is wrong, or reading failed.
    Failed(String),
}

impl From<ReadError> for Unread {
    fn from(error: ReadError) -> Unread {
        match error.is_unsupported() {
            true => Unread::Unsupported(format!("{error}; `heddle check` runs the program without them")),
            false => Unread::Failed(error.to_string()),
        }
    }
}

/// The ending of a file's name, of a word that names a file.
fn ending(word: &str) -> Option<&str> {
    (!word.starts_with('-')).then(|| Path::new(word).extension().and_then(|ending| ending.to_str())).flatten()
}

fn is_source(word: &str) -> bool {
    ending(word).is_some_and(|ending| matches!(ending, "c" | "cc" | "cpp" | "cxx" | "C" | "i" | "ii"))
}

fn is_object(word: &str) -> bool {
    ending(word).is_some_and(|ending| matches!(ending, "o" | "a" | "so"))
}

/// Whether all code of the program is named by its sources.
pub fn has_sources(words: &[String]) -> bool {
    words.iter().any(|word| is_source(word)) && !words.iter().any(|word| is_object(word))
}

/// Compiles and reads the program that `words` name.
pub fn read(words: &[String]) -> Result<Module, Unread> {
    if let Some(word) = words.iter().find(|word| is_object(word)) {
        let what = format!("{word}: a proof needs the sources of all code; `heddle check` runs object files too");
        return Err(Unread::Unsupported(what));
    }
    let (files, flags): (Vec<String>, Vec<String>) = words.iter().cloned().partition(|word| is_source(word));
    if files.is_empty() {
        return Err(Unread::Failed("nothing to prove: give C or C++ files (see `heddle prove --help`)".to_string()));
    }
    if let Some(missing) = files.iter().find(|file| !Path::new(file).is_file()) {
        return Err(Unread::Failed(format!("{missing}: no such file")));
    }
    let system = |what: String, error| Unread::from(ReadError::System { what, error });
    let own = std::env::current_exe().map_err(|error| system("the path of heddle".to_string(), error))?;
    let reader = Reader::new(&Places::from_environment(), vec![own.into(), READ.into()])?;
    let folder = TemporaryDirectory::new().map_err(|error| system("a temporary directory".to_string(), error))?;
    let header = heddle_native::instrument::HEADERS.iter().find(|header| header.name == HEADER);
    let written = header.map(|header| std::fs::write(folder.path().join(HEADER), header.text)).transpose();
    written.map_err(|error| system(folder.path().join(HEADER).display().to_string(), error))?;
    // What is proved is the program that a check runs: what its sources do under Heddle only is a part of it.
    let own = ["-D__HEDDLE__=1".to_string(), "-isystem".to_string(), folder.path().display().to_string()];
    let flags: Vec<String> = flags.into_iter().chain(own).collect();
    let files: Vec<PathBuf> = files.into_iter().map(PathBuf::from).collect();
    Ok(reader.read(&files, &flags, folder.path())?)
}

/// The file of a site, as the user names it.
pub fn file(module: &Module, site: Site) -> String {
    let file = module.files.get(site.file as usize).map_or("", String::as_str);
    let here = std::env::current_dir().unwrap_or_default();
    Path::new(file).strip_prefix(&here).unwrap_or(Path::new(file)).display().to_string()
}

/// What is said about a site: its file and line first, if it has any.
pub fn said(module: &Module, site: Site, what: &str) -> String {
    match site.line {
        0 => what.to_string(),
        _ => format!("{}: {what}", place(module, site)),
    }
}

/// File and line.
pub fn place(module: &Module, site: Site) -> String {
    format!("{}:{}", file(module, site), site.line)
}
