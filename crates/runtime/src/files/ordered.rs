//! The order in which threads use files, told to the model.
//!
//! Each file is an object that is looked at or changed, and so are all names of files together: two threads that write to one file are explored in both
//! orders, two that only read are not. A read moves the position of its descriptor, which others may share. Whoever opened the descriptor is said to look, all others to
//! change something: then any two threads that share it are ordered, and threads that read through descriptors of their own are not. A stream's buffer goes
//! the same way as its descriptor.
//!
//! What is told comes before the call, which then is one step, also where libc makes several system calls. As long as there is one thread nothing is told.
//! What is printed is no file: nobody can read it.

use core::ffi::{c_char, c_int, c_long, c_void};

use heddle_model::primitive::file::{FIND, NAME, READ, USE, on_contents, on_names};
use heddle_model::{Operation, ThreadId};

use super::descriptors;
use crate::buffers::Arguments;
use crate::engine::{self, active, caller, visible};
use crate::{channel, sys, trap};

/// Truncating is an operation of its own, on the contents: `open` leaves it to whoever set this.
static mut TRUNCATES_LATER: bool = false;
/// What is to be truncated.
static mut TO_TRUNCATE: i32 = -1;

const TRUNCATE: i32 = 0o1000;
const CREATE: i32 = 0o100;

unsafe extern "C" {
    static stdin: *mut c_void;
    fn fileno(stream: *mut c_void) -> c_int;
    fn __fwritable(stream: *mut c_void) -> c_int;
    fn __errno_location() -> *mut i32;
}

/// Whether nobody else can have used a file, or can before a thread is made.
pub fn is_alone() -> bool {
    !active() || engine::current() == ThreadId::MAIN && engine::children_of_current() == 0
}

fn tell(operation: Operation, pc: u64) {
    visible(operation, pc, |_| {});
}

/// The names of files are looked at.
fn looks_at_names(pc: u64) {
    if !is_alone() {
        tell(on_names(FIND), pc);
    }
}

/// The names of files are changed.
fn changes_names(pc: u64) {
    if !is_alone() {
        tell(on_names(NAME), pc);
    }
}

/// What is done to a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Its contents are read, or its size; the position of the descriptor does not matter.
    Look,
    /// The position of the descriptor moves, or the descriptor goes.
    Position,
    /// The same, and nothing is read.
    Closing,
    /// Its contents change.
    Change,
}

/// The caller is about to use the file behind a descriptor.
pub fn uses(file: i32, how: Use, pc: u64) {
    if is_alone() || file < 0 || trap::is_captured(file) {
        return;
    }
    let known = descriptors::known(file);
    if known.is_file() {
        let looks = how == Use::Look || how != Use::Change && known.is_own();
        tell(on_contents(if looks { READ } else { USE }, known.identity), pc);
    }
}

/// A call of libc's on a stream, told to the model.
pub fn on_stream<T>(stream: *mut c_void, how: Use, pc: u64, call: impl FnOnce() -> T) -> T {
    if is_alone() || stream.is_null() {
        return call();
    }
    // SAFETY: a stream of the program's; libc's variable of the current thread is put back.
    let file = unsafe {
        let error = *__errno_location();
        let file = fileno(stream);
        *__errno_location() = error;
        file
    };
    if file < 0 {
        // Memory that is used as a file.
        tell(on_contents(USE, stream as u64 >> 4), pc);
    } else if channel::is_one(file) && !descriptors::is_outside(file) {
        // What libc has read already need not be waited for.
        let waits = how == Use::Position && !has_more(stream);
        return channel::on_stream(file, waits, pc, call);
    } else {
        uses(file, how, pc);
    }
    call()
}

/// Whether libc has read more from a stream than the program has taken.
fn has_more(stream: *mut c_void) -> bool {
    // SAFETY: glibc's `struct _IO_FILE` begins with flags, where the next byte is, and where the last ends.
    unsafe { *stream.cast::<usize>().add(1) < *stream.cast::<usize>().add(2) }
}

/// The caller is about to look at a file by its name: the kernel is asked for it, then for what it is now.
unsafe fn look_at(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int, pc: u64) -> c_int {
    const PATH_ONLY: c_int = 0o12_000_000;
    const NO_FOLLOW: c_int = 0o400_000;
    const SYMLINK_NOFOLLOW: c_int = 0x100;
    const EMPTY_PATH: c_int = 0x1000;
    // SAFETY: the program's own call.
    unsafe {
        if is_alone() || flags & EMPTY_PATH != 0 {
            return real::fstatat(directory, name, into, flags);
        }
        looks_at_names(pc);
        let follow = if flags & SYMLINK_NOFOLLOW != 0 { NO_FOLLOW } else { 0 };
        let file = real::openat(directory, name, PATH_ONLY | follow, 0);
        if file < 0 {
            return -1;
        }
        uses(file, Use::Look, pc);
        let result = real::fstat(file, into);
        real::close(file);
        result
    }
}

/// Whether `open` is to leave truncating to the caller.
pub fn truncates_later() -> bool {
    // SAFETY: one kernel thread.
    unsafe { TRUNCATES_LATER }
}

/// `open` has left it.
pub fn to_truncate(file: i32) {
    // SAFETY: one kernel thread.
    unsafe { TO_TRUNCATE = file };
}

/// Opens something: `open` is called with the names in hand.
fn opens<T>(creates: bool, truncates: bool, pc: u64, open: impl FnOnce() -> T) -> T {
    const FTRUNCATE: usize = 77;
    if is_alone() {
        return open();
    }
    if creates {
        changes_names(pc)
    } else {
        looks_at_names(pc)
    }
    // SAFETY: one kernel thread, and nobody else runs until this one has opened it.
    let (opened, file) = unsafe {
        TO_TRUNCATE = -1;
        TRUNCATES_LATER = truncates;
        let opened = open();
        TRUNCATES_LATER = false;
        (opened, TO_TRUNCATE)
    };
    if file >= 0 {
        uses(file, Use::Change, pc);
        // SAFETY: a file that was opened for writing.
        unsafe { sys::syscall3(FTRUNCATE, file as usize, 0, 0) };
    }
    opened
}

/// What `fopen` is asked for: whether it may make a file, and whether it cuts one off.
unsafe fn mode_of(mode: *const c_char) -> (bool, bool) {
    // SAFETY: a string of the program's.
    match unsafe { *mode } as u8 {
        b'w' => (true, true),
        b'a' => (true, false),
        _ => (false, false),
    }
}

originals! {
    fn open(name: *const c_char, flags: c_int, mode: usize) -> c_int;
    fn open64(name: *const c_char, flags: c_int, mode: usize) -> c_int;
    fn openat(directory: c_int, name: *const c_char, flags: c_int, mode: usize) -> c_int;
    fn openat64(directory: c_int, name: *const c_char, flags: c_int, mode: usize) -> c_int;
    fn creat(name: *const c_char, mode: usize) -> c_int;
    fn creat64(name: *const c_char, mode: usize) -> c_int;
    fn close(file: c_int) -> c_int;
    fn stat(name: *const c_char, into: *mut c_void) -> c_int;
    fn stat64(name: *const c_char, into: *mut c_void) -> c_int;
    fn lstat(name: *const c_char, into: *mut c_void) -> c_int;
    fn lstat64(name: *const c_char, into: *mut c_void) -> c_int;
    fn fstat(file: c_int, into: *mut c_void) -> c_int;
    fn fstat64(file: c_int, into: *mut c_void) -> c_int;
    fn fstatat(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int) -> c_int;
    fn fstatat64(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int) -> c_int;
    fn access(name: *const c_char, mode: c_int) -> c_int;
    fn faccessat(directory: c_int, name: *const c_char, mode: c_int, flags: c_int) -> c_int;
    fn readlink(name: *const c_char, into: *mut c_char, size: usize) -> isize;
    fn unlink(name: *const c_char) -> c_int;
    fn unlinkat(directory: c_int, name: *const c_char, flags: c_int) -> c_int;
    fn remove(name: *const c_char) -> c_int;
    fn rename(from: *const c_char, to: *const c_char) -> c_int;
    fn renameat(old: c_int, from: *const c_char, new: c_int, to: *const c_char) -> c_int;
    fn link(from: *const c_char, to: *const c_char) -> c_int;
    fn symlink(from: *const c_char, to: *const c_char) -> c_int;
    fn mkdir(name: *const c_char, mode: u32) -> c_int;
    fn rmdir(name: *const c_char) -> c_int;
    fn chdir(name: *const c_char) -> c_int;
    fn opendir(name: *const c_char) -> *mut c_void;
    fn readdir(directory: *mut c_void) -> *mut c_void;
    fn readdir64(directory: *mut c_void) -> *mut c_void;
    fn mkstemp(name: *mut c_char) -> c_int;
    fn mkstemp64(name: *mut c_char) -> c_int;
    fn mkostemp(name: *mut c_char, flags: c_int) -> c_int;
    fn mkdtemp(name: *mut c_char) -> *mut c_char;
    fn tmpfile() -> *mut c_void;
    fn truncate(name: *const c_char, size: i64) -> c_int;
    fn truncate64(name: *const c_char, size: i64) -> c_int;
    fn ftruncate(file: c_int, size: i64) -> c_int;
    fn ftruncate64(file: c_int, size: i64) -> c_int;
    fn lseek(file: c_int, by: i64, from: c_int) -> i64;
    fn lseek64(file: c_int, by: i64, from: c_int) -> i64;
    fn fopen(name: *const c_char, mode: *const c_char) -> *mut c_void;
    fn fopen64(name: *const c_char, mode: *const c_char) -> *mut c_void;
    fn freopen(name: *const c_char, mode: *const c_char, stream: *mut c_void) -> *mut c_void;
    fn freopen64(name: *const c_char, mode: *const c_char, stream: *mut c_void) -> *mut c_void;
    fn fdopen(file: c_int, mode: *const c_char) -> *mut c_void;
    fn fclose(stream: *mut c_void) -> c_int;
    fn fflush(stream: *mut c_void) -> c_int;
    fn fgetc(stream: *mut c_void) -> c_int;
    fn getc(stream: *mut c_void) -> c_int;
    fn getchar() -> c_int;
    fn ungetc(byte: c_int, stream: *mut c_void) -> c_int;
    fn fputc(byte: c_int, stream: *mut c_void) -> c_int;
    fn putc(byte: c_int, stream: *mut c_void) -> c_int;
    fn getline(line: *mut *mut c_char, size: *mut usize, stream: *mut c_void) -> isize;
    fn getdelim(line: *mut *mut c_char, size: *mut usize, end: c_int, stream: *mut c_void) -> isize;
    fn fseek(stream: *mut c_void, by: c_long, from: c_int) -> c_int;
    fn fseeko(stream: *mut c_void, by: c_long, from: c_int) -> c_int;
    fn fseeko64(stream: *mut c_void, by: c_long, from: c_int) -> c_int;
    fn ftell(stream: *mut c_void) -> c_long;
    fn ftello(stream: *mut c_void) -> c_long;
    fn ftello64(stream: *mut c_void) -> c_long;
    fn rewind(stream: *mut c_void);
    fn vfprintf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int;
    fn vdprintf(file: c_int, format: *const c_char, arguments: *mut Arguments) -> c_int;
    fn vfscanf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int;
    fn __isoc99_vfscanf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int;
    fn __isoc23_vfscanf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int;
}

/// Defines functions that look at names or change them, in one step.
macro_rules! by_name {
    ($(fn $name:ident($($arg:ident : $type:ty),*) -> $ret:ty : $how:ident;)*) => {
        interpose! {
            $(fn $name($($arg: $type),*) -> $ret {
                $how(caller());
                real::$name($($arg),*)
            })*
        }
    };
}

by_name! {
    fn access(name: *const c_char, mode: c_int) -> c_int: looks_at_names;
    fn faccessat(directory: c_int, name: *const c_char, mode: c_int, flags: c_int) -> c_int: looks_at_names;
    fn readlink(name: *const c_char, into: *mut c_char, size: usize) -> isize: looks_at_names;
    fn opendir(name: *const c_char) -> *mut c_void: looks_at_names;
    fn readdir(directory: *mut c_void) -> *mut c_void: looks_at_names;
    fn readdir64(directory: *mut c_void) -> *mut c_void: looks_at_names;
    fn unlink(name: *const c_char) -> c_int: changes_names;
    fn unlinkat(directory: c_int, name: *const c_char, flags: c_int) -> c_int: changes_names;
    fn remove(name: *const c_char) -> c_int: changes_names;
    fn rename(from: *const c_char, to: *const c_char) -> c_int: changes_names;
    fn renameat(old: c_int, from: *const c_char, new: c_int, to: *const c_char) -> c_int: changes_names;
    fn link(from: *const c_char, to: *const c_char) -> c_int: changes_names;
    fn symlink(from: *const c_char, to: *const c_char) -> c_int: changes_names;
    fn mkdir(name: *const c_char, mode: u32) -> c_int: changes_names;
    fn rmdir(name: *const c_char) -> c_int: changes_names;
    fn chdir(name: *const c_char) -> c_int: changes_names;
    fn mkstemp(name: *mut c_char) -> c_int: changes_names;
    fn mkstemp64(name: *mut c_char) -> c_int: changes_names;
    fn mkostemp(name: *mut c_char, flags: c_int) -> c_int: changes_names;
    fn mkdtemp(name: *mut c_char) -> *mut c_char: changes_names;
}

/// Defines functions that use a descriptor or a stream, in one step.
macro_rules! by_handle {
    ($($uses:ident: fn $name:ident($($arg:ident : $type:ty),*) $(-> $ret:ty)? : $how:ident of $handle:ident;)*) => {
        interpose! {
            $(fn $name($($arg: $type),*) $(-> $ret)? {
                $uses($handle, Use::$how, caller(), || real::$name($($arg),*))
            })*
        }
    };
}

by_handle! {
    on_file: fn fstat(file: c_int, into: *mut c_void) -> c_int: Look of file;
    on_file: fn fstat64(file: c_int, into: *mut c_void) -> c_int: Look of file;
    on_file: fn ftruncate(file: c_int, size: i64) -> c_int: Change of file;
    on_file: fn ftruncate64(file: c_int, size: i64) -> c_int: Change of file;
    on_file: fn lseek(file: c_int, by: i64, from: c_int) -> i64: Position of file;
    on_file: fn lseek64(file: c_int, by: i64, from: c_int) -> i64: Position of file;
    on_file: fn vdprintf(file: c_int, format: *const c_char, arguments: *mut Arguments) -> c_int: Change of file;
    on_stream: fn fgetc(stream: *mut c_void) -> c_int: Position of stream;
    on_stream: fn getc(stream: *mut c_void) -> c_int: Position of stream;
    on_stream: fn ungetc(byte: c_int, stream: *mut c_void) -> c_int: Closing of stream;
    on_stream: fn fputc(byte: c_int, stream: *mut c_void) -> c_int: Change of stream;
    on_stream: fn putc(byte: c_int, stream: *mut c_void) -> c_int: Change of stream;
    on_stream: fn getline(line: *mut *mut c_char, size: *mut usize, stream: *mut c_void) -> isize: Position of stream;
    on_stream: fn getdelim(line: *mut *mut c_char, size: *mut usize, end: c_int, stream: *mut c_void) -> isize:
        Position of stream;
    on_stream: fn vfprintf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int:
        Change of stream;
    on_stream: fn vfscanf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int:
        Position of stream;
    on_stream: fn __isoc99_vfscanf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int:
        Position of stream;
    on_stream: fn __isoc23_vfscanf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int:
        Position of stream;
    writes_out: fn fseek(stream: *mut c_void, by: c_long, from: c_int) -> c_int: Closing of stream;
    writes_out: fn fseeko(stream: *mut c_void, by: c_long, from: c_int) -> c_int: Closing of stream;
    writes_out: fn fseeko64(stream: *mut c_void, by: c_long, from: c_int) -> c_int: Closing of stream;
    writes_out: fn rewind(stream: *mut c_void): Closing of stream;
    writes_out: fn ftell(stream: *mut c_void) -> c_long: Closing of stream;
    writes_out: fn ftello(stream: *mut c_void) -> c_long: Closing of stream;
    writes_out: fn ftello64(stream: *mut c_void) -> c_long: Closing of stream;
}

/// A call of libc's on a descriptor, told to the model.
fn on_file<T>(file: i32, how: Use, pc: u64, call: impl FnOnce() -> T) -> T {
    uses(file, how, pc);
    call()
}

/// A call that writes out what a stream holds back, if it holds back anything.
fn writes_out<T>(stream: *mut c_void, otherwise: Use, pc: u64, call: impl FnOnce() -> T) -> T {
    if is_alone() || stream.is_null() {
        return call();
    }
    // SAFETY: a stream of the program's.
    let how = match (unsafe { __fwritable(stream) } != 0, otherwise) {
        (true, _) => Use::Change,
        // Nothing is read, so there is nothing to wait for.
        (false, how) => how,
    };
    on_stream(stream, how, pc, call)
}

interpose! {
    fn open(name: *const c_char, flags: c_int, mode: usize) -> c_int {
        let pc = caller();
        opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, || real::open(name, flags, mode))
    }
    fn open64(name: *const c_char, flags: c_int, mode: usize) -> c_int {
        let pc = caller();
        opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, || real::open64(name, flags, mode))
    }
    fn openat(directory: c_int, name: *const c_char, flags: c_int, mode: usize) -> c_int {
        let pc = caller();
        opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, || real::openat(directory, name, flags, mode))
    }
    fn openat64(directory: c_int, name: *const c_char, flags: c_int, mode: usize) -> c_int {
        let pc = caller();
        opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, || real::openat64(directory, name, flags, mode))
    }
    fn creat(name: *const c_char, mode: usize) -> c_int {
        let pc = caller();
        opens(true, true, pc, || real::creat(name, mode))
    }
    fn creat64(name: *const c_char, mode: usize) -> c_int {
        let pc = caller();
        opens(true, true, pc, || real::creat64(name, mode))
    }
    fn stat(name: *const c_char, into: *mut c_void) -> c_int {
        look_at(-100, name, into, 0, caller())
    }
    fn stat64(name: *const c_char, into: *mut c_void) -> c_int {
        look_at(-100, name, into, 0, caller())
    }
    fn lstat(name: *const c_char, into: *mut c_void) -> c_int {
        look_at(-100, name, into, 0x100, caller())
    }
    fn lstat64(name: *const c_char, into: *mut c_void) -> c_int {
        look_at(-100, name, into, 0x100, caller())
    }
    fn fstatat(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int) -> c_int {
        look_at(directory, name, into, flags, caller())
    }
    fn fstatat64(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int) -> c_int {
        look_at(directory, name, into, flags, caller())
    }
    fn truncate(name: *const c_char, size: i64) -> c_int {
        truncate_named(name, size, caller())
    }
    fn truncate64(name: *const c_char, size: i64) -> c_int {
        truncate_named(name, size, caller())
    }
    fn fopen(name: *const c_char, mode: *const c_char) -> *mut c_void {
        let pc = caller();
        let (creates, truncates) = mode_of(mode);
        note_stream(opens(creates, truncates, pc, || real::fopen(name, mode)))
    }
    fn fopen64(name: *const c_char, mode: *const c_char) -> *mut c_void {
        let pc = caller();
        let (creates, truncates) = mode_of(mode);
        note_stream(opens(creates, truncates, pc, || real::fopen64(name, mode)))
    }
    fn freopen(name: *const c_char, mode: *const c_char, stream: *mut c_void) -> *mut c_void {
        let pc = caller();
        writes_out(stream, Use::Closing, pc, || real::fflush(stream));
        let (creates, truncates) = mode_of(mode);
        note_stream(opens(creates, truncates, pc, || real::freopen(name, mode, stream)))
    }
    fn freopen64(name: *const c_char, mode: *const c_char, stream: *mut c_void) -> *mut c_void {
        let pc = caller();
        writes_out(stream, Use::Closing, pc, || real::fflush(stream));
        let (creates, truncates) = mode_of(mode);
        note_stream(opens(creates, truncates, pc, || real::freopen64(name, mode, stream)))
    }
    fn fdopen(file: c_int, mode: *const c_char) -> *mut c_void {
        note_stream(real::fdopen(file, mode))
    }
    fn tmpfile() -> *mut c_void {
        changes_names(caller());
        note_stream(real::tmpfile())
    }
    fn fclose(stream: *mut c_void) -> c_int {
        let pc = caller();
        forget_stream(stream);
        writes_out(stream, Use::Closing, pc, || real::fclose(stream))
    }
    fn getchar() -> c_int {
        on_stream(stdin, Use::Position, caller(), || real::getchar())
    }
    fn fflush(stream: *mut c_void) -> c_int {
        let pc = caller();
        if stream.is_null() && !is_alone() {
            return flush_all(pc);
        }
        writes_out(stream, Use::Closing, pc, || real::fflush(stream))
    }
}

/// `truncate` is an `open` and an `ftruncate`: the name is looked at, then the contents change.
unsafe fn truncate_named(name: *const c_char, size: i64, pc: u64) -> c_int {
    const TO_WRITE: c_int = 0o2_000_001;
    // SAFETY: the program's own call.
    unsafe {
        if is_alone() {
            return real::truncate(name, size);
        }
        looks_at_names(pc);
        let file = real::open(name, TO_WRITE, 0);
        if file < 0 {
            return -1;
        }
        uses(file, Use::Change, pc);
        let result = real::ftruncate(file, size);
        real::close(file);
        result
    }
}

/// The streams that are open, for who writes out what all of them hold back.
static mut STREAMS: [usize; 256] = [0; 256];
/// There were more.
static mut MORE_STREAMS: bool = false;

/// A stream was opened.
fn note_stream(stream: *mut c_void) -> *mut c_void {
    // SAFETY: one kernel thread.
    unsafe {
        let streams = &mut *(&raw mut STREAMS);
        if !stream.is_null() && !streams.contains(&(stream as usize)) {
            match streams.iter_mut().find(|place| **place == 0) {
                Some(place) => *place = stream as usize,
                None => MORE_STREAMS = true,
            }
        }
    }
    stream
}

/// A stream is about to go.
fn forget_stream(stream: *mut c_void) {
    // SAFETY: one kernel thread.
    let streams = unsafe { &mut *(&raw mut STREAMS) };
    streams.iter_mut().filter(|place| **place == stream as usize).for_each(|place| *place = 0);
}

/// `fflush` of all streams: one after the other, as libc does.
unsafe fn flush_all(pc: u64) -> c_int {
    // SAFETY: one kernel thread; streams that are open.
    unsafe {
        if MORE_STREAMS {
            engine::unsupported("fflush of all streams, where there are more than 256", pc);
        }
        for at in 0..STREAMS.len() {
            let stream = STREAMS[at] as *mut c_void;
            if !stream.is_null() && __fwritable(stream) != 0 {
                on_stream(stream, Use::Change, pc, || {
                    if STREAMS[at] == stream as usize {
                        real::fflush(stream);
                    }
                });
            }
        }
        // What is left is what is printed.
        real::fflush(core::ptr::null_mut())
    }
}

variadic! {
    scanf => scan_input, fixed 1;
    __isoc99_scanf => scan_input99, fixed 1;
    __isoc23_scanf => scan_input23, fixed 1;
    fprintf => print_to_stream, fixed 2;
    dprintf => print_to_file, fixed 2;
    fscanf => scan, fixed 2;
    __isoc99_fscanf => scan99, fixed 2;
    __isoc23_fscanf => scan23, fixed 2;
}

unsafe extern "C" fn print_to_stream(
    stream: *mut c_void,
    format: *const c_char,
    arguments: *mut Arguments,
    pc: u64,
) -> c_int {
    // SAFETY: the program's own call.
    on_stream(stream, Use::Change, pc, || unsafe { real::vfprintf(stream, format, arguments) })
}

unsafe extern "C" fn print_to_file(file: c_int, format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    uses(file, Use::Change, pc);
    // SAFETY: the program's own call.
    unsafe { real::vdprintf(file, format, arguments) }
}

unsafe extern "C" fn scan(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    // SAFETY: the program's own call.
    on_stream(stream, Use::Position, pc, || unsafe { real::vfscanf(stream, format, arguments) })
}

unsafe extern "C" fn scan99(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    // SAFETY: the program's own call.
    on_stream(stream, Use::Position, pc, || unsafe { real::__isoc99_vfscanf(stream, format, arguments) })
}

unsafe extern "C" fn scan23(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    // SAFETY: the program's own call.
    on_stream(stream, Use::Position, pc, || unsafe { real::__isoc23_vfscanf(stream, format, arguments) })
}

unsafe extern "C" fn scan_input(format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    // SAFETY: the program's own call.
    unsafe { on_stream(stdin, Use::Position, pc, || real::vfscanf(stdin, format, arguments)) }
}

unsafe extern "C" fn scan_input99(format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    // SAFETY: the program's own call.
    unsafe { on_stream(stdin, Use::Position, pc, || real::__isoc99_vfscanf(stdin, format, arguments)) }
}

unsafe extern "C" fn scan_input23(format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    // SAFETY: the program's own call.
    unsafe { on_stream(stdin, Use::Position, pc, || real::__isoc23_vfscanf(stdin, format, arguments)) }
}
