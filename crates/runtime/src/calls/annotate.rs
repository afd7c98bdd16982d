//! The program's calls of Heddle itself: `heddle.h`, and the names that the competition on software verification uses.
//!
//! Functions whose names begin with `__VERIFIER_atomic_` are atomic sections too. The driver says where they are, and
//! instrumented code calls [`entered`] and [`left`] for them.
//!
//! If the program defines one of these names itself, its definition is called instead of ours, because the executable
//! comes before its libraries. Outside executions (in constructors) these calls do nothing, and numbers are zero.

use core::cell::Cell;
use core::ffi::{CStr, c_char};

use heddle_model::primitive::choice::InputType;
use heddle_model::primitive::{assume, choice, process, prop};
use heddle_model::wire;
use heddle_model::{Choice, Ending, Event, Input, MOST_INPUTS, MOST_VALUES, ObjectId, Operation};

use crate::entry::wire::Wire;
use crate::lifetime::{self, Lent};
use crate::schedule::{self, active, caller};

/// Chooses a number below `count`. Each is explored in an execution of its own.
fn choose(count: u64, pc: u64) -> u64 {
    if !active() {
        return 0;
    }
    if count == 0 || count > u16::MAX as u64 {
        schedule::unsupported("a choice among none or more than 65535 values", pc)
    }
    if count == 1 {
        return 0;
    }
    let operation = Operation::new(choice::CHOOSE, ObjectId::NONE).with_argument(count);
    schedule::visible(operation, pc, |_| {}).result
}

/// Discards this execution unless `holds`.
fn assume(holds: bool, pc: u64) {
    if active() && !holds {
        schedule::visible(Operation::new(assume::FALSE, ObjectId::NONE), pc, |_| {});
        unreachable!()
    }
}

fn fail(text: &'static CStr, pc: u64) -> ! {
    if active() {
        let end = process::end(Ending::Assertion);
        schedule::end_process(Operation { object: ObjectId(text.as_ptr() as u64), ..end }, pc)
    }
    // SAFETY: never returns.
    unsafe { crate::entry::real::abort() }
}

/// The value that is given for this call of the running thread. Counts the call.
fn given(annotations: &wire::Annotations) -> Option<u64> {
    let inputs = &annotations.inputs[..(annotations.inputs_len as usize).min(MOST_INPUTS)];
    if inputs.is_empty() {
        return None;
    }
    Input::find(inputs, schedule::current(), schedule::next_input())
}

/// Reads a number of type `of`: the value that the plan gives, or one of those of the settings. Always an operation, also
/// where the settings have one value, so that a plan can give another.
fn undetermined(of: InputType, pc: u64) -> u64 {
    if !active() {
        return 0;
    }
    let header = schedule::header();
    let mut values = [0u64; MOST_VALUES];
    let mut count = 0;
    let mask = of.mask();
    let given = given(&header.annotations);
    if let Some(value) = given {
        (values[0], count) = (value & mask, 1);
    }
    let tried = if given.is_some() { &[] } else { header.settings.nondet.as_slice() };
    for &value in tried {
        let value = value as u64 & mask;
        if !values[..count].contains(&value) {
            values[count] = value;
            count += 1;
        }
    }
    // A type without other values is covered completely.
    if given.is_none() && (count as u64) <= mask {
        schedule::note_values();
    }
    let count = count.max(1);
    let complete = |event: &mut Event| {
        if let Choice::Way(way) = event.choice() {
            let value = values[(way as usize).min(count - 1)];
            event.result = match of {
                _ if given.is_some() => value,
                InputType::Float(32) => (value as i32 as f32).to_bits().into(),
                InputType::Float(_) => (value as i64 as f64).to_bits(),
                InputType::Unsigned(_) | InputType::Signed(_) => value,
            };
        }
    };
    schedule::visible(choice::input(of, count as u64), pc, complete).result
}

/// The functions of the program that are atomic sections.
pub struct AtomicFunctions {
    /// For each function, its first address and one past its last, relative to `base`.
    ranges: Lent<[u64; 2]>,
    /// Where the program was loaded.
    base: Cell<u64>,
}

impl AtomicFunctions {
    /// The state at the start of the process.
    pub const fn new() -> AtomicFunctions {
        AtomicFunctions { ranges: Cell::new(&[]), base: Cell::new(0) }
    }
}

fn atomic_functions() -> &'static AtomicFunctions {
    &lifetime::process().atomic_functions
}

unsafe extern "C" {
    fn getauxval(kind: u64) -> u64;
}

/// Looks up the functions that are atomic sections. Call this once.
pub fn set_up(header: &'static wire::Header) {
    const ENTRY: u64 = 9;
    let given = &header.annotations;
    let AtomicFunctions { ranges, base } = atomic_functions();
    ranges.set(&given.functions[..(given.functions_len as usize).min(wire::ATOMIC_FUNCTIONS)]);
    // SAFETY: only asks.
    base.set(unsafe { getauxval(ENTRY) }.wrapping_sub(given.entry));
}

/// The difference from addresses in the program's file to those in memory.
pub fn load_address() -> u64 {
    atomic_functions().base.get()
}

/// Whether some functions are atomic sections.
#[inline(always)]
pub fn has_atomic_functions() -> bool {
    !atomic_functions().ranges.get().is_empty()
}

fn is_atomic(pc: u64) -> bool {
    let at = pc.wrapping_sub(atomic_functions().base.get());
    atomic_functions().ranges.get().iter().any(|[from, to]| (*from..*to).contains(&at))
}

/// Called when the running thread has entered the function that contains `pc`.
pub fn entered(pc: u64) {
    if is_atomic(pc) {
        begin(pc);
    }
}

/// Called when the running thread is about to leave the function that contains `pc`.
pub fn left(pc: u64) {
    if is_atomic(pc) {
        end(pc);
    }
}

fn begin(pc: u64) {
    if active() {
        schedule::begin_section(pc);
    }
}

fn end(pc: u64) {
    if active() && !schedule::end_section(pc) {
        schedule::unsupported("the end of an atomic section that has not begun", pc)
    }
}

/// Sets a proposition. An operation only where a formula is asked for: nothing else depends on propositions.
unsafe fn proposition(name: *const c_char, holds: bool, pc: u64) {
    if !active() || name.is_null() || schedule::header().settings.liveness.formula.is_empty() {
        return;
    }
    // SAFETY: the caller's: a string.
    let object = prop::object(unsafe { CStr::from_ptr(name) }.to_bytes());
    schedule::visible(Operation::new(prop::SET, object).with_argument(holds.into()), pc, |_| {});
}

/// Records that a label was reached, once for all executions.
unsafe fn reached(text: *const c_char, pc: u64) {
    if !active() || text.is_null() {
        return;
    }
    // SAFETY: the header passes a string literal.
    let label = wire::label(unsafe { CStr::from_ptr(text) }.to_bytes());
    if !Wire::ATTACHED.reach(label) {
        schedule::unsupported("more than 512 labels of heddle_reachable", pc)
    }
}

interpose! {
    fn heddle_choose(count: u32) -> u32 {
        choose(count as u64, caller()) as u32
    }
    fn heddle_range(low: i32, high: i32) -> i32 {
        let count = (high as i64 - low as i64 + 1).max(0) as u64;
        low.wrapping_add(choose(count, caller()) as i32)
    }
    fn heddle_assume(condition: i32) {
        assume(condition != 0, caller());
    }
    fn heddle_failed(condition: *const c_char) -> ! {
        let pc = caller();
        if active() {
            let end = process::end(Ending::Assertion);
            schedule::end_process(Operation { object: ObjectId(condition as u64), ..end }, pc)
        }
        crate::entry::real::abort()
    }
    fn heddle_wakeup(object: *mut core::ffi::c_void, policy: i32) {
        if active() {
            let order = heddle_model::WakeupOrder::from_code(policy as u32);
            crate::schedule::wakeup_policy::set(ObjectId(object as u64), order, caller());
        }
    }
    fn heddle_prop(name: *const c_char, value: i32) {
        proposition(name, value != 0, caller());
    }
    fn heddle_progress() {
        if active() {
            schedule::visible(Operation::new(prop::PROGRESS, ObjectId::NONE), caller(), |_| {});
        }
    }
    fn heddle_reached(label: *const c_char) {
        reached(label, caller());
    }

    fn heddle_atomic_begin() {
        begin(caller());
    }
    fn heddle_atomic_end() {
        end(caller());
    }
    fn __VERIFIER_atomic_begin() {
        begin(caller());
    }
    fn __VERIFIER_atomic_end() {
        end(caller());
    }

    fn __VERIFIER_assume(condition: i32) {
        assume(condition != 0, caller());
    }
    fn __VERIFIER_assert(condition: i32) {
        if condition == 0 {
            fail(c"__VERIFIER_assert", caller())
        }
    }
    fn __VERIFIER_error() -> ! {
        fail(c"__VERIFIER_error", caller())
    }
    fn reach_error() -> ! {
        fail(c"reach_error", caller())
    }
}

/// Undetermined numbers by type. A table.
macro_rules! undetermined {
    ($($kind:ident($bits:literal) $type:ty: $($name:ident)*;)*) => { interpose! { $($(
        fn $name() -> $type {
            undetermined(InputType::$kind($bits), caller()) as $type
        }
    )*)* } };
}

undetermined! {
    Unsigned(1) u8: __VERIFIER_nondet_bool __VERIFIER_nondet__Bool;
    Unsigned(8) u8: __VERIFIER_nondet_uchar __VERIFIER_nondet_u8 __VERIFIER_nondet_unsigned_char;
    Signed(8) i8: __VERIFIER_nondet_char __VERIFIER_nondet_schar __VERIFIER_nondet_s8;
    Unsigned(16) u16: __VERIFIER_nondet_ushort __VERIFIER_nondet_u16;
    Signed(16) i16: __VERIFIER_nondet_short __VERIFIER_nondet_s16;
    Unsigned(32) u32: __VERIFIER_nondet_uint __VERIFIER_nondet_u32 __VERIFIER_nondet_unsigned __VERIFIER_nondet_unsigned_int;
    Signed(32) i32: __VERIFIER_nondet_int __VERIFIER_nondet_s32;
    Unsigned(64) u64: __VERIFIER_nondet_ulong __VERIFIER_nondet_ulonglong __VERIFIER_nondet_size_t __VERIFIER_nondet_u64
            __VERIFIER_nondet_loff_t __VERIFIER_nondet_unsigned_long;
    Signed(64) i64: __VERIFIER_nondet_long __VERIFIER_nondet_longlong __VERIFIER_nondet_s64;
}

interpose! {
    fn __VERIFIER_nondet_float() -> f32 {
        f32::from_bits(undetermined(InputType::Float(32), caller()) as u32)
    }
    fn __VERIFIER_nondet_double() -> f64 {
        f64::from_bits(undetermined(InputType::Float(64), caller()))
    }
    fn __VERIFIER_nondet_pointer() -> usize {
        undetermined_pointer(caller())
    }
}

/// An undetermined pointer: *unsupported* in an execution, null outside.
fn undetermined_pointer(pc: u64) -> usize {
    if active() {
        schedule::unsupported("__VERIFIER_nondet_pointer", pc)
    }
    0
}
