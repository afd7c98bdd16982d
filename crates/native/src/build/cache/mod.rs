//! Programs that were compiled before, so that an unchanged program starts at once.
//!
//! An entry is found by everything that is known before the compilation (`key`): the words of the command, the directory,
//! the compilers, Heddle itself. It is used only if everything that the compilers have read is still the same
//! (`inputs`): each file by its contents, and the directories that they have searched. So an entry never stands for
//! something else; what cannot be held to that is not kept.
//!
//! The cache is private to the user. An entry is a directory that is complete before it gets its name, and that has a digest
//! over all that is in it: several Heddles may use the cache at once, and a file that was cut off is not used. An entry that
//! is used is linked into the directory of the run first, so that nobody can take it away from a program that runs.
//! The oldest entries go when there are too many.

mod answers;
mod inputs;
mod key;
mod manifest;

pub(crate) use answers::{answer, keep_answer};
pub(crate) use inputs::{Inputs, Made};
pub(crate) use key::{Key, of_compiler, question};
pub(crate) use manifest::Manifest;

use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use std::{env, fs, io};

use tracing::debug;
use xxhash_rust::xxh3::xxh3_128;

use super::place;

/// Switches the cache off, like `--no-cache`, when it is set and not empty.
pub const OFF: &str = "HEDDLE_NO_CACHE";

/// The most entries that are kept, and the most bytes of programs.
const MOST_ENTRIES: usize = 256;
const MOST_BYTES: u64 = 512 << 20;

const PROGRAM: &str = "program";
const MANIFEST: &str = "manifest";

static SWITCHED_OFF: AtomicBool = AtomicBool::new(false);

/// Neither uses nor fills the cache from now on, in this process.
pub fn switch_off() {
    SWITCHED_OFF.store(true, Ordering::Relaxed);
}

/// Whether the cache is used.
pub fn is_on() -> bool {
    !SWITCHED_OFF.load(Ordering::Relaxed) && env::var_os(OFF).is_none_or(|value| value.is_empty())
}

/// The directory of entries, which nobody else may enter. None if it is not ours.
fn directory() -> Option<PathBuf> {
    place::must_be_own(&place::parent()).ok()?;
    let directory = place::parent().join("programs");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory).ok()?;
    let data = fs::symlink_metadata(&directory).ok()?;
    (data.is_dir() && data.uid() == place::own_uid() && data.mode() & 0o077 == 0).then_some(directory)
}

/// Looks for a program. If there is one, it is put into the directory `into`, with the name `program`.
pub(crate) fn find(key: &Key, into: &Path) -> Option<Manifest> {
    let entry = directory()?.join(key.name());
    let manifest = Manifest::read(&fs::read(entry.join(MANIFEST)).ok()?)?;
    if !manifest.inputs.are_unchanged() {
        debug!(entry = %entry.display(), "what the program was made of has changed");
        return None;
    }
    let program = into.join(PROGRAM);
    let kept = entry.join(PROGRAM);
    fs::hard_link(&kept, &program).or_else(|_| fs::copy(&kept, &program).map(drop)).ok()?;
    if fs::read(&program).ok().map(|bytes| xxh3_128(&bytes)) != Some(manifest.program) {
        debug!(entry = %entry.display(), "the program in the cache is damaged");
        let _ = fs::remove_file(&program);
        let _ = fs::remove_dir_all(&entry);
        return None;
    }
    // The time of the last use decides which entry goes first.
    let _ = fs::File::open(entry.join(MANIFEST)).and_then(|file| file.set_modified(SystemTime::now()));
    debug!(entry = %entry.display(), "the program was compiled before");
    Some(manifest)
}

/// Keeps a program. Failures are no matter: it is compiled again the next time.
pub(crate) fn keep(key: &Key, program: &Path, manifest: Manifest) {
    if let Err(error) = try_keep(key, program, manifest) {
        debug!(%error, "the program is not kept");
    }
}

fn try_keep(key: &Key, program: &Path, mut manifest: Manifest) -> io::Result<()> {
    let Some(directory) = directory() else { return Err(io::Error::other("no private directory")) };
    let bytes = fs::read(program)?;
    manifest.program = xxh3_128(&bytes);
    let new = place::unfinished(&directory)?;
    let entry = directory.join(key.name());
    let written = (|| {
        fs::copy(program, new.join(PROGRAM))?;
        fs::write(new.join(MANIFEST), manifest.write())?;
        // What was there is of another time, or of another Heddle that was as fast.
        let _ = fs::remove_dir_all(&entry);
        fs::rename(&new, &entry)
    })();
    if written.is_err() {
        let _ = fs::remove_dir_all(&new);
    }
    tidy(&directory, MOST_ENTRIES, MOST_BYTES);
    written
}

/// Removes the entries that were not used for the longest time, until there are at most `entries` with at most `bytes` in all.
/// What was never completed goes, too.
fn tidy(directory: &Path, entries: usize, bytes: u64) {
    const ABANDONED: u64 = 3600;
    let mut all: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let used = fs::metadata(path.join(MANIFEST)).and_then(|data| data.modified());
        let size = fs::metadata(path.join(PROGRAM)).map_or(0, |data| data.len());
        match used {
            Ok(used) if !entry.file_name().as_encoded_bytes().starts_with(b".") => all.push((used, size, path)),
            _ => {
                let made = entry.metadata().and_then(|data| data.modified()).ok();
                if made.and_then(|at| at.elapsed().ok()).is_some_and(|age| age.as_secs() > ABANDONED) {
                    let _ = fs::remove_dir_all(&path);
                }
            }
        }
    }
    all.sort_by_key(|entry| std::cmp::Reverse(entry.0));
    let mut total = 0;
    for (number, (_, size, path)) in all.into_iter().enumerate() {
        total += size;
        if number >= entries || total > bytes {
            let _ = fs::remove_dir_all(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryDirectory;

    #[test]
    fn the_oldest_go_first() {
        let directory = TemporaryDirectory::new().unwrap();
        for number in 0..5u64 {
            let entry = directory.path().join(format!("e{number}"));
            fs::create_dir(&entry).unwrap();
            fs::write(entry.join(PROGRAM), [0; 10]).unwrap();
            fs::write(entry.join(MANIFEST), []).unwrap();
            let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000 + number);
            fs::File::open(entry.join(MANIFEST)).unwrap().set_modified(at).unwrap();
        }
        let left = || {
            let names = fs::read_dir(directory.path()).unwrap().flatten().map(|e| e.file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        tidy(directory.path(), 3, 1000);
        assert_eq!(left(), ["e2", "e3", "e4"]);
        tidy(directory.path(), 3, 25);
        assert_eq!(left(), ["e3", "e4"]);
    }
}
