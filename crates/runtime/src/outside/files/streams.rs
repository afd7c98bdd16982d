//! Streams (`<stdio.h>`) over files and pipes, in the order in which threads use them ([`super::ordered`]).
//!
//! A call is one step, whatever system calls libc makes for it. On a pipe or a socket the call goes through
//! [`crate::outside::channel`], and waits until there is something to read.

use core::cell::Cell;
use core::ffi::{c_char, c_int, c_long, c_void};

use heddle_model::primitive::process_state::{How, State};
use heddle_model::race::Access;

use super::descriptors;
use super::ordered::{Use, by_handle, changes_names, opens, reopens, tell, uses};
use crate::calls::buffers::Arguments;
use crate::detect::{memcheck, race};
use crate::lifetime::{self, Exclusive};
use crate::outside::channel;
use crate::schedule::{self, active, caller, is_alone};
use crate::state::touches;

unsafe extern "C" {
    static stdin: *mut c_void;
    static stdout: *mut c_void;
    static stderr: *mut c_void;
    fn fileno(stream: *mut c_void) -> c_int;
    fn __fwritable(stream: *mut c_void) -> c_int;
    fn __errno_location() -> *mut i32;
}

/// Makes a call of libc on a stream, after its use was taken in the model.
pub fn on_stream<T>(stream: *mut c_void, how: Use, pc: u64, call: impl FnOnce() -> T) -> T {
    touches::unseen();
    if schedule::is_first() || stream.is_null() {
        return call();
    }
    must_be_open(stream, pc);
    let file = descriptor_of(stream);
    if file < 0 {
        if !is_alone() {
            // The stream has no descriptor: its data is in memory.
            tell(State::FileContents.operation(How::Change, stream as u64 >> 4), pc);
        }
    } else if channel::is_one(file) && !descriptors::is_outside(file) {
        // Data that libc has buffered is available without waiting.
        let waits = how == Use::Position && !has_more(stream);
        return channel::on_stream(file, waits, pc, call);
    } else {
        uses(file, how, pc);
    }
    call()
}

/// A use of a stream. To close it frees its memory: a use after that is a memory error, and one that nothing orders with that is a
/// data race.
fn must_be_open(stream: *mut c_void, pc: u64) {
    if active() {
        memcheck::access(stream as usize, 1, true, pc);
        race::plain(stream as usize, 1, Access::new(true, true), pc, false);
    }
}

/// The descriptor of a stream of the program's; negative if it has none.
fn descriptor_of(stream: *mut c_void) -> c_int {
    // SAFETY: a stream of the program's; libc's variable of the current thread is put back.
    unsafe {
        let error = *__errno_location();
        let file = fileno(stream);
        *__errno_location() = error;
        file
    }
}

/// Takes a use of a stream in the model, before the call. On a pipe the trap of system calls says what comes of it.
pub fn uses_stream(stream: *mut c_void, how: Use, pc: u64) {
    if is_alone() || stream.is_null() {
        return;
    }
    must_be_open(stream, pc);
    let file = descriptor_of(stream);
    if file < 0 {
        tell(State::FileContents.operation(How::Change, stream as u64 >> 4), pc);
    } else if !channel::is_one(file) {
        uses(file, how, pc);
        if descriptors::known(file).is_device() {
            // The stream itself has a state: its buffer, errors, the end of the file.
            let looks = matches!(how, Use::Look | Use::Status);
            let how = if looks { How::Read } else { How::Change };
            tell(State::FileContents.operation(how, stream as u64 >> 4), pc);
        }
    }
}

/// Takes a use of standard input, output or error messages (0, 1, 2) in the model, before the call, if it is a file.
pub fn uses_standard(number: usize, how: Use, pc: u64) {
    // SAFETY: libc's variables.
    uses_stream(unsafe { [stdin, stdout, stderr][number] }, how, pc);
}

/// Whether libc has read more from a stream than the program has taken.
fn has_more(stream: *mut c_void) -> bool {
    // SAFETY: glibc's `struct _IO_FILE` begins with flags, where the next byte is, and where the last ends.
    unsafe { *stream.cast::<usize>().add(1) < *stream.cast::<usize>().add(2) }
}

/// Whether a mode of `fopen` creates a file, and whether it truncates one.
unsafe fn mode_of(mode: *const c_char) -> (bool, bool) {
    // SAFETY: a string of the program's.
    match unsafe { *mode } as u8 {
        b'w' => (true, true),
        b'a' => (true, false),
        _ => (false, false),
    }
}

originals! {
    fn tmpfile() -> *mut c_void;
    fn tmpfile64() -> *mut c_void;
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
    fn vfscanf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int;
    fn __isoc99_vfscanf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int;
    fn __isoc23_vfscanf(stream: *mut c_void, format: *const c_char, arguments: *mut Arguments) -> c_int;
}

by_handle! {
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

/// A call that writes out a stream's buffer, if there is anything in it.
fn writes_out<T>(stream: *mut c_void, otherwise: Use, pc: u64, call: impl FnOnce() -> T) -> T {
    if schedule::is_first() || stream.is_null() {
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
        note_stream(reopens(descriptor_of(stream), mode_of(mode), pc, || real::freopen(name, mode, stream)))
    }
    fn freopen64(name: *const c_char, mode: *const c_char, stream: *mut c_void) -> *mut c_void {
        let pc = caller();
        writes_out(stream, Use::Closing, pc, || real::fflush(stream));
        note_stream(reopens(descriptor_of(stream), mode_of(mode), pc, || real::freopen64(name, mode, stream)))
    }
    fn fdopen(file: c_int, mode: *const c_char) -> *mut c_void {
        note_stream(real::fdopen(file, mode))
    }
    fn tmpfile() -> *mut c_void {
        changes_names(caller());
        note_stream(real::tmpfile())
    }
    fn tmpfile64() -> *mut c_void {
        changes_names(caller());
        note_stream(real::tmpfile64())
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
        if stream.is_null() && !schedule::is_first() {
            return flush_all(pc);
        }
        writes_out(stream, Use::Closing, pc, || real::fflush(stream))
    }
}

/// How many open streams are remembered.
const MOST_STREAMS: usize = 256;

/// The streams that this execution has open, for `fflush` of all of them.
pub struct Streams {
    /// Without gaps: zeros after the last one.
    open: Exclusive<[usize; MOST_STREAMS]>,
    /// There were more streams than that.
    more: Cell<bool>,
}

impl Streams {
    /// The state at the start of the process.
    pub const fn new() -> Streams {
        Streams { open: Exclusive::new([0; MOST_STREAMS]), more: Cell::new(false) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Streams { open, more } = self;
        if open.borrow()[0] != 0 {
            *open.borrow() = [0; MOST_STREAMS];
        }
        more.set(false);
    }
}

fn streams() -> &'static Streams {
    &lifetime::execution().streams
}

fn is_open(stream: *mut c_void) -> bool {
    streams().open.borrow().contains(&(stream as usize))
}

/// A stream was opened.
fn note_stream(stream: *mut c_void) -> *mut c_void {
    if !stream.is_null() && !is_open(stream) {
        match streams().open.borrow().iter_mut().find(|place| **place == 0) {
            Some(place) => *place = stream as usize,
            None => streams().more.set(true),
        }
    }
    stream
}

/// A stream is about to go.
fn forget_stream(stream: *mut c_void) {
    let streams = streams().open.borrow();
    if let Some(at) = streams.iter().position(|&place| place == stream as usize) {
        // Without gaps: the first tells whether there are any.
        streams[at..].rotate_left(1);
        streams[streams.len() - 1] = 0;
    }
}

/// `fflush` of all streams: one after the other, as libc does.
unsafe fn flush_all(pc: u64) -> c_int {
    // SAFETY: streams that are open.
    unsafe {
        if streams().more.get() {
            schedule::unsupported("fflush of all streams, where there are more than 256", pc);
        }
        // Others may open and close some on the way.
        let all = *streams().open.borrow();
        for stream in all.map(|stream| stream as *mut c_void) {
            if !stream.is_null() && is_open(stream) && __fwritable(stream) != 0 {
                on_stream(stream, Use::Change, pc, || {
                    if is_open(stream) {
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
