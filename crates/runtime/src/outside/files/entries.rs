//! What an execution has changed: which names it has made, replaced and removed, and where the files behind them are.
//!
//! A name that is not here is what it is on disk, unless a directory above it is here. A directory that is here was made by the execution: it has what is
//! here below it, and nothing else. The files themselves lie in the scratch directory, under numbers.

use super::path::{Path, numbered, of_descriptor};
use super::{Fails, Kind, Status, hash, system};
use crate::addresses::Reserve;
use crate::outside::trap;
use crate::schedule;

/// The most names that an execution can change.
const MOST: usize = 1 << 14;
/// Room for those names.
const ROOM: usize = 4 << 20;

const ENOENT: isize = -2;

/// What became of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Fate {
    Removed = 0,
    Here = 1,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    /// Of the name.
    hash: u64,
    at: u32,
    length: u32,
    fate: Fate,
    /// Its file's name in the scratch directory.
    number: u32,
    /// See [`identity`].
    identity: u64,
}

struct Entries {
    list: &'static mut [Entry],
    length: usize,
    text: &'static mut [u8],
    used: usize,
    files: u32,
    /// Where the scratch directory is. Empty: there is none, and nothing is kept apart.
    scratch: &'static [u8],
    /// The current directory, if it is one that only this execution has.
    current: Option<Path>,
}

/// In a process for one execution: nobody has to put it back.
static mut ENTRIES: Entries =
    Entries { list: &mut [], length: 0, text: &mut [], used: 0, files: 0, scratch: &[], current: None };

#[allow(clippy::mut_from_ref)]
fn entries() -> &'static mut Entries {
    // SAFETY: one kernel thread, and no reference outlives a function of this file.
    unsafe { &mut ENTRIES }
}

/// Makes room. Once.
pub fn set_up(reserve: &mut Reserve, scratch: &'static [u8]) {
    let entries = entries();
    // SAFETY: zeroes are an entry.
    entries.list = reserve.take(MOST);
    entries.text = reserve.take(ROOM);
    entries.scratch = scratch;
}

/// Where the scratch directory is; empty if there is none.
pub fn scratch() -> &'static [u8] {
    entries().scratch
}

/// Whether everything is as it is on disk.
pub fn is_untouched() -> bool {
    entries().length == 0
}

/// The current directory, if the kernel does not know it.
pub fn current_directory() -> Option<Path> {
    entries().current
}

/// Says what the current directory is, if it is one that the kernel does not know.
pub fn set_current_directory(path: Option<Path>) {
    entries().current = path;
}

fn text_of(entry: &Entry) -> &'static [u8] {
    let text: &'static [u8] = entries().text;
    &text[entry.at as usize..][..entry.length as usize]
}

fn find(name: &[u8]) -> Option<&'static mut Entry> {
    let entries = entries();
    let hash = hash(name);
    let at = (0..entries.length).find(|&at| entries.list[at].hash == hash && text_of(&entries.list[at]) == name)?;
    Some(&mut entries.list[at])
}

fn find_or_add(path: &Path) -> &'static mut Entry {
    if let Some(entry) = find(path.bytes()) {
        return entry;
    }
    let entries = entries();
    let name = path.bytes();
    if entries.length == MOST || entries.used + name.len() > ROOM {
        schedule::unsupported("an execution that changes more than 16,384 files", trap::place());
    }
    entries.text[entries.used..][..name.len()].copy_from_slice(name);
    let hash = hash(name);
    entries.list[entries.length] = Entry {
        hash,
        at: entries.used as u32,
        length: name.len() as u32,
        fate: Fate::Removed,
        number: 0,
        identity: hash,
    };
    entries.used += name.len();
    entries.length += 1;
    &mut entries.list[entries.length - 1]
}

fn in_scratch(number: u32) -> Path {
    // The driver gives a short one.
    numbered(entries().scratch, number)
        .unwrap_or_else(|_| schedule::unsupported("a scratch directory with so long a name", trap::place()))
}

/// Room for a new file in the scratch directory: its number, and where it is.
pub fn new_file() -> (u32, Path) {
    let entries = entries();
    entries.files += 1;
    schedule::header().scratch_used.store(1, core::sync::atomic::Ordering::Relaxed);
    (entries.files, in_scratch(entries.files))
}

/// From now on `path` is file `number`. It is the same file to the model as before, if it was one, or as `identity`.
pub fn put(path: &Path, number: u32, identity: Option<u64>) {
    let entry = find_or_add(path);
    (entry.fate, entry.number) = (Fate::Here, number);
    entry.identity = identity.unwrap_or(entry.hash);
}

/// From now on there is no `path`.
pub fn remove(path: &Path) {
    find_or_add(path).fate = Fate::Removed;
}

/// The number of the file behind `path`, if it is not on disk.
pub fn number(path: &Path) -> Option<u32> {
    find(path.bytes()).filter(|entry| entry.fate == Fate::Here).map(|entry| entry.number)
}

/// What the model knows the file behind `path` by. It does not depend on numbers that the kernel gives, which are others in the next execution.
pub fn identity(path: &Path) -> u64 {
    if path.is_direct() {
        // Process ids are among those.
        return hash(b"/proc");
    }
    if !scratch().is_empty() && path.is_below(scratch()) {
        // It has no name, or not any more.
        return hash(b"");
    }
    find(path.bytes()).map_or_else(|| hash(path.bytes()), |entry| entry.identity)
}

/// Where the file behind `path` really is. It may be missing there.
pub fn place(path: &Path) -> Fails<Path> {
    if is_untouched() {
        return Ok(*path);
    }
    match find(path.bytes()) {
        Some(entry) if entry.fate == Fate::Here => return Ok(in_scratch(entry.number)),
        Some(_) => return Err(ENOENT),
        None => {}
    }
    let mut above = path.parent();
    loop {
        if find(above.bytes()).is_some() {
            return Err(ENOENT);
        }
        if above.bytes().len() <= 1 {
            return Ok(*path);
        }
        above.pop();
    }
}

/// What is told about the file behind `path`, without following it.
pub fn status(path: &Path) -> Fails<Status> {
    const LSTAT: usize = 6;
    let mut status = Status([0; 18]);
    system(LSTAT, [place(path)?.address(), &raw mut status as usize, 0, 0, 0])?;
    Ok(status)
}

/// What the file behind `path` is.
pub fn kind(path: &Path) -> Fails<Kind> {
    status(path).map(|status| status.kind())
}

/// Where the kernel says that something is, as the program calls it.
pub fn name_of(place: Path) -> Path {
    let scratch = entries().scratch;
    let number = place.bytes().strip_prefix(scratch).and_then(|rest| rest.strip_prefix(b"/"));
    let number = number.and_then(|digits| core::str::from_utf8(digits).ok()?.parse::<u32>().ok());
    if scratch.is_empty() {
        return place;
    }
    let Some(number) = number else { return place };
    let entries = entries();
    let list = &entries.list[..entries.length];
    let entry = list.iter().find(|entry| entry.fate == Fate::Here && entry.number == number);
    entry.and_then(|entry| Path::from_bytes(text_of(entry)).ok()).unwrap_or(place)
}

/// Whether something directly in `directory` was changed.
pub fn changes(directory: &Path) -> bool {
    (0..entries().length).any(|at| is_in(at, directory))
}

fn is_in(at: usize, directory: &Path) -> bool {
    let name = text_of(&entries().list[at]);
    let end = name.iter().rposition(|&byte| byte == b'/').unwrap_or(0).max(1);
    &name[..end] == directory.bytes()
}

/// The first entry from `at` that is a name in `directory` which was made: where it stands, the name, and where its file is.
pub fn next_in(directory: &Path, at: usize) -> Option<(usize, &'static [u8], Path)> {
    let entries = entries();
    let made = |at: usize| is_in(at, directory) && entries.list[at].fate == Fate::Here;
    let at = (at..entries.length).find(|&at| made(at))?;
    let name = text_of(&entries.list[at]);
    let begin = name.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    Some((at, &name[begin..], in_scratch(entries.list[at].number)))
}

/// Whether `name` in `directory` was changed.
pub fn is_changed(directory: &Path, name: &[u8]) -> bool {
    let mut path = *directory;
    path.push(name).is_ok() && find(path.bytes()).is_some()
}

/// All that is below `from`, which is a directory of this execution's, is now below `to`.
pub fn move_below(from: &Path, to: &Path) -> Fails<()> {
    for at in 0..entries().length {
        let entry = entries().list[at];
        let name = Path::from_bytes(text_of(&entry))?;
        if !name.is_below(from.bytes()) || entry.fate != Fate::Here {
            continue;
        }
        let mut moved = *to;
        moved.push(&name.bytes()[from.bytes().len() + 1..])?;
        put(&moved, entry.number, Some(entry.identity));
        remove(&name);
    }
    Ok(())
}

/// What the model knows the file behind a descriptor by.
pub fn identity_of_descriptor(file: i32) -> u64 {
    of_descriptor(file).map_or(0, |path| identity(&path))
}
