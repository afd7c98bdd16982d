//! The names that an execution has changed ([`heddle_detect::names`]), and the scratch directory, which contains the
//! files behind them.

use core::cell::Cell;

use heddle_detect::Full;
use heddle_detect::names::{Names, Place};
use heddle_detect::path::ENOENT;

use super::path::{Path, numbered, of_descriptor};
use super::{Fails, Kind, Status, hash, system};
use crate::addresses::Reserve;
use crate::entry::wire::Wire;
use crate::lifetime::{self, Exclusive};
use crate::outside::trap;
use crate::schedule;

/// The most names that an execution can change.
const MOST: usize = 1 << 14;
/// Room for those names, in bytes.
const ROOM: usize = 4 << 20;

/// The names that this execution has changed.
pub struct Entries {
    names: Exclusive<Names<'static>>,
    /// How many files there have been in the scratch directory.
    files: Cell<u32>,
    /// The current directory, if it is one that only this execution has.
    current: Cell<Option<Path>>,
}

/// The directory in which executions keep their files.
pub struct Scratch {
    /// The directory. Empty: there is none, and nothing is kept apart.
    directory: Cell<&'static [u8]>,
}

impl Scratch {
    /// The state at the start of the process.
    pub const fn new() -> Scratch {
        Scratch { directory: Cell::new(&[]) }
    }
}

impl Entries {
    /// The state at the start of the process.
    pub const fn new() -> Entries {
        Entries { names: Exclusive::new(Names::empty()), files: Cell::new(0), current: Cell::new(None) }
    }

    /// Begins an execution.
    pub fn reset(&self) {
        let Entries { names, files, current } = self;
        if !names.borrow().is_untouched() || files.get() != 0 {
            current.set(None);
        }
        names.borrow().reset();
        files.set(0);
    }
}

fn entries() -> &'static Entries {
    &lifetime::execution().entries
}

fn names() -> &'static mut Names<'static> {
    entries().names.borrow()
}

/// Reserves memory. Call this once.
pub fn set_up(reserve: &mut Reserve, scratch: &'static [u8]) {
    *names() = Names::new(reserve, MOST, ROOM);
    lifetime::process().scratch.directory.set(scratch);
}

/// The path of the scratch directory. Empty if there is none.
pub fn scratch() -> &'static [u8] {
    lifetime::process().scratch.directory.get()
}

/// Whether this execution has changed no name.
pub fn is_untouched() -> bool {
    names().is_untouched()
}

/// The current directory, if only this execution has it and the kernel does not know it.
pub fn current_directory() -> Option<Path> {
    entries().current.get()
}

/// Sets the current directory if only this execution has it. `None` if the kernel knows it.
pub fn set_current_directory(path: Option<Path>) {
    entries().current.set(path);
}

/// Ends the execution if there is no room for a change.
fn fits(result: Result<(), Full>) {
    if let Err(Full) = result {
        schedule::unsupported("an execution that changes more than 16,384 files", trap::place());
    }
}

fn in_scratch(number: u32) -> Path {
    // The driver gives a short one.
    numbered(scratch(), number)
        .unwrap_or_else(|_| schedule::unsupported("a scratch directory with so long a name", trap::place()))
}

/// A new file in the scratch directory: its number and its path.
pub fn new_file() -> (u32, Path) {
    let number = entries().files.get() + 1;
    entries().files.set(number);
    Wire::ATTACHED.uses_scratch();
    (number, in_scratch(number))
}

/// Makes `path` the name of file `number`. `identity` is the identity of the file in the model. Without one, the file
/// keeps the identity that belongs to the name.
pub fn put(path: &Path, number: u32, identity: Option<u64>) {
    fits(names().put(path, number, identity));
}

/// Removes the name `path`.
pub fn remove(path: &Path) {
    fits(names().remove(path));
}

/// The number of the file behind `path`, if it is not on disk.
pub fn number(path: &Path) -> Option<u32> {
    names().number(path)
}

/// The identity of the file at `path` in the model. It does not depend on numbers that the kernel assigns, because
/// those differ in the next execution.
pub fn identity(path: &Path) -> u64 {
    if path.is_direct() {
        // Such paths contain process ids.
        return hash(b"/proc");
    }
    if !scratch().is_empty() && path.is_below(scratch()) {
        // The file has no name, or has lost it.
        return hash(b"");
    }
    names().identity(path)
}

/// The real path of the file at `path`. The file may be missing there.
pub fn place(path: &Path) -> Fails<Path> {
    match names().place(path) {
        Place::OnDisk => Ok(*path),
        Place::Numbered(number) => Ok(in_scratch(number)),
        Place::Missing => Err(ENOENT),
    }
}

/// The status of the file at `path`, without following a symbolic link.
pub fn status(path: &Path) -> Fails<Status> {
    const LSTAT: usize = 6;
    let mut status = Status([0; 18]);
    system(LSTAT, [place(path)?.address(), &raw mut status as usize, 0, 0, 0])?;
    Ok(status)
}

/// The kind of the file at `path`.
pub fn kind(path: &Path) -> Fails<Kind> {
    status(path).map(|status| status.kind())
}

/// The program's name for a path that the kernel returned.
pub fn name_of(place: Path) -> Path {
    let scratch = scratch();
    let number = place.bytes().strip_prefix(scratch).and_then(|rest| rest.strip_prefix(b"/"));
    let number = number.and_then(|digits| core::str::from_utf8(digits).ok()?.parse::<u32>().ok());
    if scratch.is_empty() {
        return place;
    }
    let Some(number) = number else { return place };
    names().name_of(number).and_then(|name| Path::from_bytes(name).ok()).unwrap_or(place)
}

/// Whether a name directly in `directory` was changed.
pub fn changes(directory: &Path) -> bool {
    names().changes(directory)
}

/// The first entry, from number `at` on, that is a name directly in `directory` and has a file. Returns its number, the
/// last component of the name, and the path of the file.
pub fn next_in(directory: &Path, at: usize) -> Option<(usize, &'static [u8], Path)> {
    names().next_in(directory, at).map(|(at, name, number)| (at, name, in_scratch(number)))
}

/// Whether `name` in `directory` was changed.
pub fn is_changed(directory: &Path, name: &[u8]) -> bool {
    let mut path = *directory;
    path.push(name).is_ok() && names().contains(&path)
}

/// Renames everything below `from`, a directory that this execution created, to be below `to`.
pub fn move_below(from: &Path, to: &Path) -> Fails<()> {
    names().move_below(from, to).map(fits)
}

/// The identity in the model of the file behind a descriptor.
pub fn identity_of_descriptor(file: i32) -> u64 {
    of_descriptor(file).map_or(0, |path| identity(&path))
}
