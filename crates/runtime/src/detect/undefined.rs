//! Undefined behaviour that compilers detect on request (`-fsanitize=undefined`).
//!
//! Both compilers test each operation that may be undefined, and call a function of the sanitizer's runtime if it is.
//! This module defines those functions, with another runtime behind them: the thread stops, and its next operation is
//! the end of the process, with a sentence about what it did. The sentence is made here, because the values are in
//! memory that will be restored.
//!
//! The interface is that of gcc 12 to 14 and clang 14 to 19: a description in the program, then the values, each in a
//! word if it fits and otherwise as an address. `vptr` checks would need the C++ library's knowledge of types, so they
//! are switched off.

use core::cell::Cell;
use core::ffi::{CStr, c_char};
use core::fmt::{self, Write};

use heddle_model::primitive::process;
use heddle_model::wire::MESSAGE;
use heddle_model::{Ending, ThreadId};

use crate::addresses::Reserve;
use crate::lifetime::{self, Exclusive, Lent};
use crate::schedule::{self, active, caller};

/// A sentence about what a thread did.
struct Text {
    length: usize,
    bytes: [u8; MESSAGE],
}

/// The undefined behaviour of each thread.
pub struct Undefined {
    /// For each thread, a sentence about it. Written before the end of the process that it leads to, and read after.
    texts: Lent<Exclusive<Text>>,
}

impl Undefined {
    /// The state at the start of the process.
    pub const fn new() -> Undefined {
        Undefined { texts: Cell::new(&[]) }
    }
}

/// Reserves memory for `threads` threads. Call this once. It costs nothing until it is used.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    lifetime::process().undefined.texts.set(reserve.take(threads));
}

fn text(thread: ThreadId) -> &'static mut Text {
    lifetime::process().undefined.texts.get()[thread.index()].borrow()
}

/// The sentence about what `thread` did, which ended the process by undefined behaviour.
pub fn text_of(thread: ThreadId) -> &'static [u8] {
    let text = text(thread);
    &text.bytes[..text.length]
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = &mut self.bytes[self.length..];
        let count = text.len().min(room.len());
        room[..count].copy_from_slice(&text.as_bytes()[..count]);
        self.length += count;
        Ok(())
    }
}

/// The source location. It is not needed, since the caller's address says the same.
#[repr(C)]
pub struct Place {
    file: *const c_char,
    line: u32,
    column: u32,
}

/// The description of a type: what kind, how wide, and its name, which follows.
#[repr(C)]
pub struct Type {
    kind: u16,
    info: u16,
    name: [c_char; 0],
}

/// The beginning of most descriptions: the location and the type.
#[repr(C)]
pub struct Data {
    place: Place,
    first: *const Type,
    second: *const Type,
}

/// The description of an access: the type, the logarithm of the alignment, and the kind of access.
#[repr(C)]
pub struct Mismatch {
    place: Place,
    kind: *const Type,
    log_alignment: u8,
    check: u8,
}

/// A value of a type, to be formatted.
struct Value(*const Type, usize);

impl Type {
    fn is_integer(&self) -> bool {
        self.kind == 0
    }

    fn is_signed(&self) -> bool {
        self.info & 1 != 0
    }

    fn bits(&self) -> u32 {
        1 << (self.info >> 1).min(7)
    }

    /// The name, in quotation marks of its own.
    fn name(&self) -> &str {
        // SAFETY: compilers put a name behind each description.
        unsafe { CStr::from_ptr(self.name.as_ptr()) }.to_str().unwrap_or("?")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: descriptions are constants of the program.
        let kind = unsafe { &*self.0 };
        if !kind.is_integer() {
            return f.write_str("a value");
        }
        let bits = kind.bits();
        let wide = if bits > 64 {
            // SAFETY: a value that does not fit is passed by its address.
            unsafe { (self.1 as *const u128).read_unaligned() }
        } else {
            self.1 as u128
        };
        if !kind.is_signed() {
            let mask = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
            return write!(f, "{}", wide & mask);
        }
        let unused = 128 - bits.min(128);
        write!(f, "{}", (wide << unused) as i128 >> unused)
    }
}

/// The running thread did what `text` says, at `pc`, and stops there. Ignored outside executions.
fn undefined(text: fmt::Arguments<'_>, pc: u64) {
    if !active() {
        return;
    }
    let place = self::text(schedule::current());
    place.length = 0;
    // A sentence that does not fit is cut off.
    let _ = place.write_fmt(text);
    schedule::end_process(process::end(Ending::Undefined), pc)
}

fn name(kind: *const Type) -> &'static str {
    // SAFETY: descriptions are constants of the program.
    if kind.is_null() { "?" } else { unsafe { (*kind).name() } }
}

fn overflow(data: *const Data, left: usize, right: usize, sign: &str, pc: u64) {
    // SAFETY: the program's description.
    let kind = unsafe { (*data).first };
    // SAFETY: as above.
    let signed = if unsafe { (*kind).is_signed() } { "signed" } else { "unsigned" };
    let (left, right) = (Value(kind, left), Value(kind, right));
    undefined(
        format_args!("{signed} integer overflow: {left} {sign} {right} does not fit into type {}", name(kind)),
        pc,
    );
}

fn division(data: *const Data, left: usize, right: usize, pc: u64) {
    // SAFETY: the program's description.
    let kind = unsafe { (*data).first };
    // SAFETY: as above.
    if unsafe { (*kind).is_integer() && (*kind).bits() <= 64 } && right == 0 {
        undefined(format_args!("division by zero: {} / 0", Value(kind, left)), pc);
    }
    let (left, right) = (Value(kind, left), Value(kind, right));
    undefined(format_args!("division: {left} / {right} does not fit into type {}", name(kind)), pc);
}

fn shift(data: *const Data, left: usize, right: usize, pc: u64) {
    // SAFETY: the program's description.
    let (kind, by) = unsafe { ((*data).first, (*data).second) };
    let (value, distance) = (Value(kind, left), Value(by, right));
    undefined(format_args!("shift of {value} by {distance} is not possible in type {}", name(kind)), pc);
}

/// The sanitizers' words for the kinds of accesses.
const ACCESSES: [&str; 12] = [
    "load of",
    "store to",
    "reference to",
    "member access within",
    "member call on",
    "constructor call on",
    "downcast of",
    "downcast of",
    "upcast of",
    "cast to virtual base of",
    "_Nonnull binding to",
    "dynamic operation on",
];

fn mismatch(data: *const Mismatch, address: usize, pc: u64) {
    // SAFETY: the program's description.
    let (kind, alignment, check) = unsafe { ((*data).kind, 1usize << (*data).log_alignment.min(63), (*data).check) };
    let access = ACCESSES.get(check as usize).unwrap_or(&"use of");
    if address == 0 {
        undefined(format_args!("{access} a null pointer of type {}", name(kind)), pc);
    } else if !address.is_multiple_of(alignment) {
        undefined(
            format_args!(
                "{access} address {address:#x}, which is misaligned for type {} (it needs {alignment} bytes)",
                name(kind)
            ),
            pc,
        );
    }
    undefined(format_args!("{access} address {address:#x}, where there is no room for type {}", name(kind)), pc);
}

fn pointer(base: usize, result: usize, pc: u64) {
    match (base, result) {
        (0, _) => undefined(format_args!("pointer arithmetic on a null pointer (+ {result})"), pc),
        (_, 0) => undefined(format_args!("pointer arithmetic on {base:#x} gives a null pointer"), pc),
        _ => undefined(format_args!("pointer arithmetic overflows: {base:#x} becomes {result:#x}"), pc),
    }
}

/// Defines functions and the same under the name that ends in `_abort`: none of ours comes back.
macro_rules! handlers {
    ($(fn $name:ident $abort:ident($($arg:ident : $type:ty),*; $pc:ident) $body:block)*) => { interpose! { $(
        fn $name($($arg: $type),*) {
            let $pc = caller();
            $body
        }
        fn $abort($($arg: $type),*) {
            let $pc = caller();
            $body
        }
    )* } };
}

handlers! {
    fn __ubsan_handle_add_overflow __ubsan_handle_add_overflow_abort(data: *const Data, left: usize, right: usize; pc) {
        overflow(data, left, right, "+", pc)
    }
    fn __ubsan_handle_sub_overflow __ubsan_handle_sub_overflow_abort(data: *const Data, left: usize, right: usize; pc) {
        overflow(data, left, right, "-", pc)
    }
    fn __ubsan_handle_mul_overflow __ubsan_handle_mul_overflow_abort(data: *const Data, left: usize, right: usize; pc) {
        overflow(data, left, right, "*", pc)
    }
    fn __ubsan_handle_negate_overflow __ubsan_handle_negate_overflow_abort(data: *const Data, old: usize; pc) {
        let kind = (*data).first;
        undefined(format_args!("signed integer overflow: -({}) does not fit into type {}", Value(kind, old), name(kind)), pc)
    }
    fn __ubsan_handle_divrem_overflow __ubsan_handle_divrem_overflow_abort(data: *const Data, left: usize, right: usize; pc) {
        division(data, left, right, pc)
    }
    fn __ubsan_handle_shift_out_of_bounds __ubsan_handle_shift_out_of_bounds_abort(
        data: *const Data, left: usize, right: usize; pc
    ) {
        shift(data, left, right, pc)
    }
    fn __ubsan_handle_out_of_bounds __ubsan_handle_out_of_bounds_abort(data: *const Data, index: usize; pc) {
        let (array, kind) = ((*data).first, (*data).second);
        undefined(format_args!("index {} is out of bounds of type {}", Value(kind, index), name(array)), pc)
    }
    fn __ubsan_handle_builtin_unreachable __ubsan_handle_builtin_unreachable_abort(data: *const Place; pc) {
        undefined(format_args!("a place was reached that is marked as unreachable"), pc)
    }
    fn __ubsan_handle_missing_return __ubsan_handle_missing_return_abort(data: *const Place; pc) {
        undefined(format_args!("a function that returns a value ends without one"), pc)
    }
    fn __ubsan_handle_vla_bound_not_positive __ubsan_handle_vla_bound_not_positive_abort(data: *const Data, bound: usize; pc) {
        undefined(format_args!("an array of {} elements", Value((*data).first, bound)), pc)
    }
    fn __ubsan_handle_float_cast_overflow __ubsan_handle_float_cast_overflow_abort(data: *const Data, from: usize; pc) {
        undefined(
            format_args!("a value of type {} does not fit into type {}", name((*data).first), name((*data).second)),
            pc,
        )
    }
    fn __ubsan_handle_load_invalid_value __ubsan_handle_load_invalid_value_abort(data: *const Data, value: usize; pc) {
        let kind = (*data).first;
        undefined(format_args!("{} is not a value of type {}", Value(kind, value), name(kind)), pc)
    }
    fn __ubsan_handle_type_mismatch_v1 __ubsan_handle_type_mismatch_v1_abort(data: *const Mismatch, address: usize; pc) {
        mismatch(data, address, pc)
    }
    fn __ubsan_handle_nonnull_arg __ubsan_handle_nonnull_arg_abort(data: *const Place; pc) {
        undefined(format_args!("a null pointer is passed as an argument that must not be null"), pc)
    }
    fn __ubsan_handle_nullability_arg __ubsan_handle_nullability_arg_abort(data: *const Place; pc) {
        undefined(format_args!("a null pointer is passed as an argument that must not be null"), pc)
    }
    fn __ubsan_handle_nonnull_return_v1 __ubsan_handle_nonnull_return_v1_abort(data: *const Place, place: *const Place; pc) {
        undefined(format_args!("a null pointer is returned where it must not be null"), pc)
    }
    fn __ubsan_handle_nullability_return_v1 __ubsan_handle_nullability_return_v1_abort(
        data: *const Place, place: *const Place; pc
    ) {
        undefined(format_args!("a null pointer is returned where it must not be null"), pc)
    }
    fn __ubsan_handle_pointer_overflow __ubsan_handle_pointer_overflow_abort(
        data: *const Place, base: usize, result: usize; pc
    ) {
        pointer(base, result, pc)
    }
    fn __ubsan_handle_invalid_builtin __ubsan_handle_invalid_builtin_abort(data: *const Place; pc) {
        undefined(format_args!("a builtin that counts bits is given zero"), pc)
    }
    fn __ubsan_handle_function_type_mismatch __ubsan_handle_function_type_mismatch_abort(
        data: *const Data, function: usize; pc
    ) {
        undefined(format_args!("a function is called through a pointer of another type, {}", name((*data).first)), pc)
    }
    fn __ubsan_handle_alignment_assumption __ubsan_handle_alignment_assumption_abort(
        data: *const Data, address: usize, alignment: usize, offset: usize; pc
    ) {
        undefined(format_args!("address {address:#x} is assumed to be aligned to {alignment} bytes, and is not"), pc)
    }
    fn __ubsan_handle_implicit_conversion __ubsan_handle_implicit_conversion_abort(data: *const Data, from: usize, to: usize; pc) {
        undefined(
            format_args!("a conversion from type {} to type {} changes the value", name((*data).first), name((*data).second)),
            pc,
        )
    }
}
