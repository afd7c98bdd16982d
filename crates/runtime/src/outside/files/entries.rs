//! The names that an execution has made, replaced and removed, and where the files behind them are.
//!
//! A name that is not listed is what it is on disk, unless a directory above it is listed. A directory that is
//! listed was made by the execution: it contains what is listed below it, and nothing else. The files themselves
//! lie in the scratch directory, under numbers.

use core::cell::Cell;

use super::path::{Path, numbered, of_descriptor};
use super::{Fails, Kind, Status, hash, system};
use crate::addresses::Reserve;
use crate::lifetime::{self, Lent};
use crate::outside::trap;
use crate::schedule;

/// How many names an execution can change.
const MOST: usize = 1 << 14;
/// How many bytes those names can have in total.
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
struct Entry {
    /// The hash of the name.
    hash: u64,
    at: u32,
    length: u32,
    fate: Fate,
    /// The name of the file in the scratch directory.
    number: u32,
    /// What the model knows the file by: see [`identity`].
    identity: u64,
}

/// The names that this execution has changed.
pub struct Entries {
    list: Lent<Cell<Entry>>,
    /// How many there are.
    count: Cell<usize>,
    /// The names themselves, one after the other.
    text: Lent<Cell<u8>>,
    /// How many bytes of it are used.
    used: Cell<usize>,
    /// How many files there have been in the scratch directory.
    files: Cell<u32>,
    /// The current directory, if it is one that only this execution has.
    current: Cell<Option<Path>>,
}

/// Where executions keep their files.
pub struct Scratch {
    /// The directory. Empty: there is none, and nothing is kept apart.
    directory: Cell<&'static [u8]>,
}

impl Scratch {
    /// At start-up.
    pub const fn new() -> Scratch {
        Scratch { directory: Cell::new(&[]) }
    }
}

impl Entries {
    /// At start-up.
    pub const fn new() -> Entries {
        Entries {
            list: Cell::new(&[]),
            count: Cell::new(0),
            text: Cell::new(&[]),
            used: Cell::new(0),
            files: Cell::new(0),
            current: Cell::new(None),
        }
    }

    /// An execution begins.
    pub fn reset(&self) {
        let Entries { list: _, count, text: _, used, files, current } = self;
        if count.replace(0) != 0 || files.get() != 0 {
            current.set(None);
        }
        used.set(0);
        files.set(0);
    }
}

fn entries() -> &'static Entries {
    &lifetime::execution().entries
}

/// The names that were changed.
fn list() -> &'static [Cell<Entry>] {
    &entries().list.get()[..entries().count.get()]
}

/// Makes room. Once.
pub fn set_up(reserve: &mut Reserve, scratch: &'static [u8]) {
    entries().list.set(reserve.take(MOST));
    entries().text.set(reserve.take(ROOM));
    lifetime::process().scratch.directory.set(scratch);
}

/// Where the scratch directory is; empty if there is none.
pub fn scratch() -> &'static [u8] {
    lifetime::process().scratch.directory.get()
}

/// Whether everything is as it is on disk.
pub fn is_untouched() -> bool {
    list().is_empty()
}

/// The current directory, if the kernel does not know it.
pub fn current_directory() -> Option<Path> {
    entries().current.get()
}

/// Sets the current directory, if it is one that the kernel does not know.
pub fn set_current_directory(path: Option<Path>) {
    entries().current.set(path);
}

fn text_of(entry: &Entry) -> &'static [u8] {
    let text = &entries().text.get()[entry.at as usize..][..entry.length as usize];
    // SAFETY: a name is written once, before its entry is counted, and not changed while the execution lasts.
    unsafe { core::slice::from_raw_parts(text.as_ptr().cast(), text.len()) }
}

fn find(name: &[u8]) -> Option<&'static Cell<Entry>> {
    let hash = hash(name);
    list().iter().find(|entry| entry.get().hash == hash && text_of(&entry.get()) == name)
}

fn find_or_add(path: &Path) -> &'static Cell<Entry> {
    if let Some(entry) = find(path.bytes()) {
        return entry;
    }
    let Entries { list, count, text, used, .. } = entries();
    let (name, at, number) = (path.bytes(), used.get(), count.get());
    if number == MOST || at + name.len() > ROOM {
        schedule::unsupported("an execution that changes more than 16,384 files", trap::place());
    }
    text.get()[at..].iter().zip(name).for_each(|(place, &byte)| place.set(byte));
    let (hash, length) = (hash(name), name.len() as u32);
    let entry = &list.get()[number];
    entry.set(Entry { hash, at: at as u32, length, fate: Fate::Removed, number: 0, identity: hash });
    used.set(at + name.len());
    count.set(number + 1);
    entry
}

fn in_scratch(number: u32) -> Path {
    // The driver gives a short one.
    numbered(scratch(), number)
        .unwrap_or_else(|_| schedule::unsupported("a scratch directory with so long a name", trap::place()))
}

/// Makes room for a new file in the scratch directory. Returns its number, and where it is.
pub fn new_file() -> (u32, Path) {
    let number = entries().files.get() + 1;
    entries().files.set(number);
    schedule::header().scratch_used.store(1, core::sync::atomic::Ordering::Relaxed);
    (number, in_scratch(number))
}

/// From now on `path` is file `number`. To the model it is the same file as before, if there was one, or the one
/// known as `identity`.
pub fn put(path: &Path, number: u32, identity: Option<u64>) {
    let place = find_or_add(path);
    let entry = place.get();
    place.set(Entry { fate: Fate::Here, number, identity: identity.unwrap_or(entry.hash), ..entry });
}

/// From now on there is no `path`.
pub fn remove(path: &Path) {
    let place = find_or_add(path);
    place.set(Entry { fate: Fate::Removed, ..place.get() });
}

/// The number of the file behind `path`, if it is not on disk.
pub fn number(path: &Path) -> Option<u32> {
    find(path.bytes()).map(Cell::get).filter(|entry| entry.fate == Fate::Here).map(|entry| entry.number)
}

/// What the model knows the file behind `path` by. It does not depend on numbers that the kernel gives, which
/// differ from execution to execution.
pub fn identity(path: &Path) -> u64 {
    if path.is_direct() {
        // Process ids are among those.
        return hash(b"/proc");
    }
    if !scratch().is_empty() && path.is_below(scratch()) {
        // It has no name, or not any more.
        return hash(b"");
    }
    find(path.bytes()).map_or_else(|| hash(path.bytes()), |entry| entry.get().identity)
}

/// Where the file behind `path` really is. It may be missing there.
pub fn place(path: &Path) -> Fails<Path> {
    if is_untouched() {
        return Ok(*path);
    }
    match find(path.bytes()).map(Cell::get) {
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

/// The status of the file behind `path`, without following a link.
pub fn status(path: &Path) -> Fails<Status> {
    const LSTAT: usize = 6;
    let mut status = Status([0; 18]);
    system(LSTAT, [place(path)?.address(), &raw mut status as usize, 0, 0, 0])?;
    Ok(status)
}

/// The kind of the file behind `path`.
pub fn kind(path: &Path) -> Fails<Kind> {
    status(path).map(|status| status.kind())
}

/// The program's name for the file that the kernel says is at `place`.
pub fn name_of(place: Path) -> Path {
    let scratch = scratch();
    let number = place.bytes().strip_prefix(scratch).and_then(|rest| rest.strip_prefix(b"/"));
    let number = number.and_then(|digits| core::str::from_utf8(digits).ok()?.parse::<u32>().ok());
    if scratch.is_empty() {
        return place;
    }
    let Some(number) = number else { return place };
    let entry = list().iter().map(Cell::get).find(|entry| entry.fate == Fate::Here && entry.number == number);
    entry.and_then(|entry| Path::from_bytes(text_of(&entry)).ok()).unwrap_or(place)
}

/// Whether something directly in `directory` was changed.
pub fn changes(directory: &Path) -> bool {
    list().iter().any(|entry| is_in(&entry.get(), directory))
}

fn is_in(entry: &Entry, directory: &Path) -> bool {
    let name = text_of(entry);
    let end = name.iter().rposition(|&byte| byte == b'/').unwrap_or(0).max(1);
    &name[..end] == directory.bytes()
}

/// The first name in `directory`, from entry `at` on, that was made: its index, the name, and where its file is.
pub fn next_in(directory: &Path, at: usize) -> Option<(usize, &'static [u8], Path)> {
    let made = |entry: &Entry| is_in(entry, directory) && entry.fate == Fate::Here;
    let (at, entry) = list().iter().map(Cell::get).enumerate().skip(at).find(|(_, entry)| made(entry))?;
    let name = text_of(&entry);
    let begin = name.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    Some((at, &name[begin..], in_scratch(entry.number)))
}

/// Whether `name` in `directory` was changed.
pub fn is_changed(directory: &Path, name: &[u8]) -> bool {
    let mut path = *directory;
    path.push(name).is_ok() && find(path.bytes()).is_some()
}

/// Moves all names below `from`, which is a directory of this execution's, to below `to`.
pub fn move_below(from: &Path, to: &Path) -> Fails<()> {
    for entry in list().iter().map(Cell::get) {
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
