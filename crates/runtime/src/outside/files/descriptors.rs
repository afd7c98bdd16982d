//! The program's open files: which thread opened them, and their identities in the model.
//!
//! The table is updated at system calls, so no file that libc opens or closes is missed.

use core::cell::Cell;

use heddle_model::ThreadId;
use heddle_model::wire::Note;

use super::path::{numbered, of_descriptor};
use super::{Fails, Kind, Status, entries, system};
use crate::addresses::Reserve;
use crate::detect::race;
use crate::lifetime::{self, Exclusive, Lent};
use crate::outside::trap;
use crate::schedule;

/// How many files can be open.
const MOST: usize = 4096;

const FCNTL: usize = 72;
const GET_FLAGS: usize = 3;
const OPEN: usize = 2;
const LSEEK: usize = 8;
const CLOSE: usize = 3;
const DUP3: usize = 292;
const FSTAT: usize = 5;
const CLOSE_ON_EXEC: usize = 0o2_000_000;

/// What is known of a descriptor.
#[derive(Clone, Copy)]
pub struct Descriptor {
    /// The number of the open file description; 0 if nothing is known. Descriptors with the same number share a
    /// position.
    description: u32,
    /// The thread that opened it, plus 1; 0 if that is not known.
    opener: u32,
    /// That thread's own time when it did.
    time: u32,
    /// See [`entries::identity`].
    pub identity: u64,
    /// What kind of file it is.
    kind: u32,
    /// The file lies in the scratch directory.
    private: bool,
    /// A process outside the model is at its other end.
    outside: bool,
    /// How many of the names that this execution has made its listing has told.
    pub listed: u64,
}

/// A descriptor of which nothing is known.
const UNKNOWN: Descriptor =
    Descriptor { description: 0, opener: 0, time: 0, identity: 0, kind: 0, private: false, outside: false, listed: 0 };

/// The open files of this execution.
pub struct Descriptors {
    table: Lent<Cell<Descriptor>>,
    /// Stands for a descriptor that is not open.
    nowhere: Cell<Descriptor>,
    /// How many descriptions there have been.
    descriptions: Cell<u32>,
    /// One past the highest descriptor that something is known of.
    extent: Cell<usize>,
    /// The thread that was the last to take or free a number, and its own time then.
    changed: Cell<(ThreadId, u32)>,
    /// The files that are mapped to be shared: their identities, and whether the mapping can be written to. Zeros behind the last.
    mapped: Cell<[(u64, bool); MAPPED]>,
    /// One file is mapped twice, or there are more than can be remembered.
    twice: Cell<bool>,
}

/// How many files that are mapped to be shared are remembered.
const MAPPED: usize = 8;

/// Files that were opened before `main`.
pub struct Early {
    list: Exclusive<[i32; 64]>,
    count: Cell<usize>,
}

impl Early {
    /// The state at the start of the process.
    pub const fn new() -> Early {
        Early { list: Exclusive::new([0; 64]), count: Cell::new(0) }
    }
}

impl Descriptors {
    /// The state at the start of the process.
    pub const fn new() -> Descriptors {
        Descriptors {
            table: Cell::new(&[]),
            nowhere: Cell::new(UNKNOWN),
            descriptions: Cell::new(0),
            extent: Cell::new(0),
            changed: Cell::new((ThreadId::MAIN, 0)),
            mapped: Cell::new([(0, false); MAPPED]),
            twice: Cell::new(false),
        }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Descriptors { table, nowhere, descriptions, extent, changed, mapped, twice } = self;
        table.get()[..extent.replace(0)].iter().for_each(|slot| slot.set(UNKNOWN));
        nowhere.set(UNKNOWN);
        descriptions.set(0);
        changed.set((ThreadId::MAIN, 0));
        mapped.set([(0, false); MAPPED]);
        twice.set(false);
    }
}

fn descriptors() -> &'static Descriptors {
    &lifetime::execution().descriptors
}

/// Reserves memory. Call this once.
pub fn set_up(reserve: &mut Reserve) {
    descriptors().table.set(reserve.take(MOST));
}

fn slot(file: i32) -> &'static Cell<Descriptor> {
    match descriptors().table.get().get(file as usize) {
        Some(slot) => slot,
        None if status(file).is_ok() => schedule::unsupported("more than 4,096 open files", trap::place()),
        // There is no such file, and nothing is known of it.
        None => {
            descriptors().nowhere.set(UNKNOWN);
            &descriptors().nowhere
        }
    }
}

/// Sets what is known of `file`.
fn set(file: i32, known: Descriptor) {
    let extent = &descriptors().extent;
    if (0..MOST as i32).contains(&file) {
        extent.set(extent.get().max(file as usize + 1));
    }
    slot(file).set(known);
}

/// The status of the file behind a descriptor.
pub fn status(file: i32) -> Fails<Status> {
    let mut status = Status([0; 18]);
    system(FSTAT, [file as usize, &raw mut status as usize, 0, 0, 0])?;
    Ok(status)
}

fn fill(file: i32, opener: u32, identity: u64) {
    let Ok(status) = status(file) else { return };
    let description = descriptors().descriptions.get() + 1;
    descriptors().descriptions.set(description);
    let private = of_descriptor(file).is_ok_and(|path| entries::number(&path).is_some());
    let kind = status.kind() as u32;
    let time = race::time();
    set(file, Descriptor { description, opener, time, identity, kind, private, outside: false, listed: 0 });
}

/// Notes that the current thread has opened `file`.
pub fn opened(file: i32) {
    fill(file, u32::from(schedule::current().0) + 1, entries::identity_of_descriptor(file));
}

/// Notes that `new` is a duplicate of `old`.
pub fn copied(old: i32, new: i32) {
    if old != new {
        set(new, known(old));
    }
}

/// The thread whose descriptor the running thread uses though nothing has told it of it; any thread if `file` is not open, because
/// another thread could have opened it meanwhile.
pub fn is_others(file: i32) -> Option<ThreadId> {
    if !(0..MOST as i32).contains(&file) || trap::is_captured(file) {
        return None;
    }
    let Descriptor { description, opener, time, .. } = known(file);
    if description == 0 {
        return Some(ThreadId::MAIN);
    }
    let opener = ThreadId(opener.checked_sub(1)? as u16);
    (opener != schedule::current() && !race::knows(opener, time)).then_some(opener)
}

/// Notes that the running thread takes or frees a number. If nothing orders it with the one before, by another thread, which numbers the
/// two get is not explored, and the verdict says so.
pub fn changes_numbers() {
    let now = (schedule::current(), race::time());
    let (thread, time) = descriptors().changed.replace(now);
    if thread != now.0 && time != 0 && !race::knows(thread, time) {
        schedule::goes_outside(Note::Numbers);
    }
}

/// Whether `file` was opened for writing, or for reading and writing.
pub fn is_for_writing(file: i32) -> bool {
    const ACCESS: isize = 3;
    system(FCNTL, [file as usize, GET_FLAGS, 0, 0, 0]).is_ok_and(|flags| flags & ACCESS != 0)
}

/// Notes that `file` is mapped to be shared, to write to it or only to read. Two mappings of one file are one memory at two addresses.
pub fn mapped(file: i32, writes: bool) {
    let known = known(file);
    if !known.is_file() {
        return;
    }
    let mut mapped = descriptors().mapped.get();
    let same = mapped.iter().any(|&(identity, written)| identity == known.identity && (writes || written));
    match mapped.iter_mut().find(|(identity, _)| *identity == 0) {
        Some(place) => *place = (known.identity, writes),
        None => descriptors().twice.set(true),
    }
    descriptors().mapped.set(mapped);
    if same {
        descriptors().twice.set(true);
    }
    if !schedule::is_alone() {
        threads_share();
    }
}

/// Notes that there are several threads: the verdict says it if they share memory that has two addresses.
pub fn threads_share() {
    if descriptors().twice.get() {
        schedule::goes_outside(Note::SharedFiles);
    }
}

/// Notes that a call reads or changes the file with this identity, while there are several threads.
pub fn used_by_call(identity: u64, changes: bool) {
    if descriptors().mapped.get().iter().any(|&(mapped, written)| mapped == identity && (changes || written)) {
        schedule::goes_outside(Note::SharedFiles);
    }
}

/// Notes that `file` is closed.
pub fn closed(file: i32) {
    if (file as usize) < MOST {
        set(file, UNKNOWN);
    }
}

/// The table's entry for `file`. If the file was opened before `main`, or in a way that is not watched, the entry is
/// created now.
pub fn known(file: i32) -> Descriptor {
    if slot(file).get().description == 0 {
        fill(file, 0, entries::identity_of_descriptor(file));
    }
    slot(file).get()
}

/// Sets how many of the names that this execution has created the listing of the directory `file` has returned.
pub fn set_listed(file: i32, listed: u64) {
    set(file, Descriptor { listed, ..known(file) });
}

/// Notes that a process that the program has made is at the other end of `file`.
pub fn leads_outside(file: i32) {
    closed(file);
    set(file, Descriptor { outside: true, ..known(file) });
}

/// Whether a process that the program has made is at the other end of `file`.
pub fn is_outside(file: i32) -> bool {
    (0..MOST as i32).contains(&file) && slot(file).get().description != 0 && slot(file).get().outside
}

impl Descriptor {
    /// Whether the descriptor is of a file or directory on disk, or of a copy of one.
    pub fn is_file(&self) -> bool {
        self.description != 0 && (self.kind == Kind::Regular as u32 || self.kind == Kind::Directory as u32)
    }

    /// Whether the descriptor is of a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == Kind::Directory as u32
    }

    /// Whether the file lies in the scratch directory.
    pub fn is_private(&self) -> bool {
        self.private
    }

    /// Whether the current thread opened the descriptor.
    pub fn is_own(&self) -> bool {
        self.opener == u32::from(schedule::current().0) + 1
    }
}

/// Reopens the descriptors of the file with this identity, at their positions, because the file has moved from disk to
/// `place`.
pub fn move_open(identity: u64, place: usize) {
    for file in 0..MOST as i32 {
        let one = slot(file).get();
        if one.description == 0 || one.identity != identity || one.private || one.kind != Kind::Regular as u32 {
            continue;
        }
        move_to(file, place, |moved| {
            for other in file..MOST as i32 {
                let other_one = slot(other).get();
                if other_one.description == one.description {
                    put_at(moved, other);
                    set(other, Descriptor { private: true, ..other_one });
                }
            }
        });
    }
}

/// Finds the files that are open before the first execution. Call this once, in the process from which executions are
/// forked.
pub fn find_early() {
    let Early { list, count } = &lifetime::process().early;
    for file in 3..MOST as i32 {
        let regular = status(file).is_ok_and(|status| status.kind() == Kind::Regular);
        if regular && let Some(place) = list.borrow().get_mut(count.get()) {
            *place = file;
            count.set(count.get() + 1);
        }
    }
}

/// Reopens the files that were open before `main`, at their positions. Called in a process that runs one execution,
/// which must not move the positions of other processes.
pub fn separate() {
    let Early { list, count } = &lifetime::process().early;
    for &file in &list.borrow()[..count.get()] {
        let Ok(path) = numbered(b"/proc/self/fd", file as u32) else { continue };
        move_to(file, path.address(), |moved| put_at(moved, file));
    }
}

/// Makes `file` a duplicate of `moved`.
fn put_at(moved: usize, file: i32) {
    const GET: usize = 1;
    let on_exec = system(FCNTL, [file as usize, GET, 0, 0, 0]).unwrap_or(0);
    let flag = if on_exec != 0 { CLOSE_ON_EXEC } else { 0 };
    let _ = system(DUP3, [moved, file as usize, flag, 0, 0]);
}

/// Opens the file at `place` with the flags of `file`, at its position, and calls `use_it` with the descriptor.
fn move_to(file: i32, place: usize, use_it: impl FnOnce(usize)) {
    const CREATE_EXCLUSIVE_TRUNCATE: usize = 0o1300;
    let Ok(flags) = system(FCNTL, [file as usize, GET_FLAGS, 0, 0, 0]) else { return };
    let position = system(LSEEK, [file as usize, 0, 1, 0, 0]).unwrap_or(0);
    let Ok(moved) = system(OPEN, [place, flags as usize & !CREATE_EXCLUSIVE_TRUNCATE, 0, 0, 0]) else { return };
    let _ = system(LSEEK, [moved as usize, position as usize, 0, 0, 0]);
    use_it(moved as usize);
    let _ = system(CLOSE, [moved as usize, 0, 0, 0, 0]);
}
