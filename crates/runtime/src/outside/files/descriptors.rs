//! The program's open files: who opened them, what the model knows them by.
//!
//! Filled in where system calls are seen, so that nothing that libc opens or closes is missed.

use super::path::{numbered, of_descriptor};
use super::{Fails, Kind, Status, entries, system};
use crate::addresses::Reserve;
use crate::outside::trap;
use crate::schedule;

/// The most open files.
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
#[repr(C)]
pub struct Descriptor {
    /// 0: nothing is known. Descriptors with the same number share a position.
    description: u32,
    /// Who opened it, and 1 more; 0 if nobody knows.
    opener: u32,
    /// See [`entries::identity`].
    pub identity: u64,
    /// What kind of file it is.
    kind: u32,
    /// It lies in the scratch directory.
    private: u32,
    /// Somebody outside the model is at its other end.
    outside: u32,
    reserved: u32,
    /// How far its listing has come behind what is on disk.
    pub listed: u64,
}

static mut NOWHERE: Descriptor =
    Descriptor { description: 0, opener: 0, identity: 0, kind: 0, private: 0, outside: 0, reserved: 0, listed: 0 };
static mut TABLE: &mut [Descriptor] = &mut [];
static mut DESCRIPTIONS: u32 = 0;

/// Makes room. Once.
pub fn set_up(reserve: &mut Reserve) {
    // SAFETY: at start-up.
    unsafe { TABLE = reserve.take(MOST) };
}

fn slot(file: i32) -> &'static mut Descriptor {
    // SAFETY: one kernel thread, and nobody keeps the reference.
    let table = unsafe { &mut *TABLE };
    match table.get_mut(file as usize) {
        Some(slot) => slot,
        None if status(file).is_ok() => schedule::unsupported("more than 4,096 open files", trap::place()),
        // SAFETY: as above. There is no such file, and nothing is known of it.
        None => unsafe {
            NOWHERE.description = 0;
            &mut NOWHERE
        },
    }
}

/// What is told about the file behind a descriptor.
pub fn status(file: i32) -> Fails<Status> {
    let mut status = Status([0; 18]);
    system(FSTAT, [file as usize, &raw mut status as usize, 0, 0, 0])?;
    Ok(status)
}

fn fill(file: i32, opener: u32, identity: u64) {
    let Ok(status) = status(file) else { return };
    // SAFETY: one kernel thread.
    let description = unsafe {
        DESCRIPTIONS += 1;
        DESCRIPTIONS
    };
    let private = of_descriptor(file).is_ok_and(|path| entries::number(&path).is_some());
    *slot(file) = Descriptor {
        description,
        opener,
        identity,
        kind: status.kind() as u32,
        private: private.into(),
        outside: 0,
        reserved: 0,
        listed: 0,
    };
}

/// The current thread has opened `file`.
pub fn opened(file: i32) {
    fill(file, u32::from(schedule::current().0) + 1, entries::identity_of_descriptor(file));
}

/// `new` is another number for `old`.
pub fn copied(old: i32, new: i32) {
    if old != new {
        let copy = *known(old);
        *slot(new) = copy;
    }
}

/// `file` is closed.
pub fn closed(file: i32) {
    if (file as usize) < MOST {
        slot(file).description = 0;
    }
}

/// What is known of `file`. Of one that was opened before `main`, or by a way that is not watched, it is found out.
pub fn known(file: i32) -> &'static mut Descriptor {
    if slot(file).description == 0 {
        fill(file, 0, entries::identity_of_descriptor(file));
    }
    slot(file)
}

/// At the other end of `file` is a process that the program has made.
pub fn leads_outside(file: i32) {
    closed(file);
    known(file).outside = 1;
}

/// Whether there is.
pub fn is_outside(file: i32) -> bool {
    (0..MOST as i32).contains(&file) && slot(file).description != 0 && slot(file).outside != 0
}

impl Descriptor {
    /// Whether what it stands for is on disk, or a copy of that.
    pub fn is_file(&self) -> bool {
        self.description != 0 && (self.kind == Kind::Regular as u32 || self.kind == Kind::Directory as u32)
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == Kind::Directory as u32
    }

    /// Whether it is this execution's own.
    pub fn is_private(&self) -> bool {
        self.private != 0
    }

    /// Whether it was the current thread that opened it.
    pub fn is_own(&self) -> bool {
        self.opener == u32::from(schedule::current().0) + 1
    }
}

/// The file that is known as `identity` has moved from disk to `place`: those who have it open go there, to where they were.
pub fn move_open(identity: u64, place: usize) {
    for file in 0..MOST as i32 {
        let one = *slot(file);
        if one.description == 0 || one.identity != identity || one.private != 0 || one.kind != Kind::Regular as u32 {
            continue;
        }
        move_to(file, place, |moved| {
            for other in file..MOST as i32 {
                if slot(other).description == one.description {
                    put_at(moved, other);
                    slot(other).private = 1;
                }
            }
        });
    }
}

/// Files that were opened before `main`, at most so many.
static mut EARLY: [i32; 64] = [0; 64];
static mut EARLY_LENGTH: usize = 0;

/// Finds the files that are open before the first execution. Once, where executions are forked from.
pub fn find_early() {
    for file in 3..MOST as i32 {
        let regular = status(file).is_ok_and(|status| status.kind() == Kind::Regular);
        // SAFETY: one kernel thread.
        unsafe {
            if regular && EARLY_LENGTH < EARLY.len() {
                EARLY[EARLY_LENGTH] = file;
                EARLY_LENGTH += 1;
            }
        }
    }
}

/// In a process for one execution: gives it positions of its own in those files, where they were.
pub fn separate() {
    // SAFETY: one kernel thread.
    let early = unsafe { &EARLY[..EARLY_LENGTH] };
    for &file in early {
        let Ok(path) = numbered(b"/proc/self/fd", file as u32) else { continue };
        move_to(file, path.address(), |moved| put_at(moved, file));
    }
}

/// `file` becomes another number for what `moved` is.
fn put_at(moved: usize, file: i32) {
    const GET: usize = 1;
    let on_exec = system(FCNTL, [file as usize, GET, 0, 0, 0]).unwrap_or(0);
    let flag = if on_exec != 0 { CLOSE_ON_EXEC } else { 0 };
    let _ = system(DUP3, [moved, file as usize, flag, 0, 0]);
}

/// Opens what is at `place` as `file` was opened, at the position where that is, for `use_it`.
fn move_to(file: i32, place: usize, use_it: impl FnOnce(usize)) {
    const CREATE_EXCLUSIVE_TRUNCATE: usize = 0o1300;
    let Ok(flags) = system(FCNTL, [file as usize, GET_FLAGS, 0, 0, 0]) else { return };
    let position = system(LSEEK, [file as usize, 0, 1, 0, 0]).unwrap_or(0);
    let Ok(moved) = system(OPEN, [place, flags as usize & !CREATE_EXCLUSIVE_TRUNCATE, 0, 0, 0]) else { return };
    let _ = system(LSEEK, [moved as usize, position as usize, 0, 0, 0]);
    use_it(moved as usize);
    let _ = system(CLOSE, [moved as usize, 0, 0, 0, 0]);
}
