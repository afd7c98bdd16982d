//! Functions that look at state of the process or change it: state that threads share, that the program can observe,
//! and that instrumentation does not see (`heddle_model::primitive::process_state`).
//!
//! The order in which two threads call `umask`, or draw from one generator, decides what they get. Each such call is
//! therefore an operation on the state, and then the original does the work, in the same step. [`table`] has a line for
//! each function, whatever its arguments; [`numbers`] has one for each system call that is made by its number.
//!
//! While there is only one thread, the model is told nothing. Nor is it told that a function looks at something that
//! nothing in the program can change.

pub mod numbers;
pub mod table;

use core::cell::Cell;

use heddle_model::Operation;
use heddle_model::primitive::process_state::{How, State, and_changes, and_reads};
use heddle_model::wire::Outside;

use crate::detect::race;
use crate::entry::imports;
use crate::lifetime;
use crate::outside::channel;
use crate::outside::files::ordered::{self, Use, tell};
use crate::outside::files::streams;
use crate::schedule::{self, is_alone};
use crate::state::touches as told;

/// What a call does to state of the process. Arguments are named by their positions.
#[derive(Clone, Copy)]
pub enum Touch {
    /// Looks at a state that is not divided, or changes it.
    On(State, How),
    /// Changes a state that is not divided if the argument is not null, else looks at it.
    OnIf(State, usize),
    /// Changes what libc keeps in memory of its own for this group of functions.
    Kept(u64),
    /// Changes what the C++ library keeps for the object at the address in this argument.
    Within(State, usize),
    /// Looks at what the signal with the number in this argument does, or changes it.
    SignalAction(How, usize),
    /// Changes what a signal does if the first argument is not null, else looks at it. The second argument is the signal's number.
    SignalIf(usize, usize),
    /// Looks at names of files, or changes some.
    Names(How),
    /// Looks at names of files, and at the sizes and times of all that have them.
    Walk,
    /// Changes the environment, and with it the program's variable `environ`.
    Environ,
    /// Sets the time zone by the environment, and the program's variables of it.
    Zone,
    /// Sets the time zone by the environment and keeps broken-down time, if true, or uses the zone.
    Zoned(bool),
    /// Uses the locale and the time zone.
    Format,
    /// Looks for options, by the program's variables, in a way that the environment says.
    Options,
    /// Takes this, and looks at the environment.
    ByEnvironment(&'static Touch),
    /// Takes or changes the mode of a descriptor.
    Mode,
    /// `prctl`: looks at a setting of the process or changes it, by its first argument.
    Setting,
    /// Puts another file at the descriptor in this argument.
    Replaced(usize),
    /// Takes or frees a number of a descriptor.
    Number,
    /// Uses the file behind a descriptor.
    File(Use, usize),
    /// Reads from the first descriptor and writes to the second.
    Copy(usize, usize),
    /// Uses the file with the name in this argument, which is looked up first.
    Named(Use, usize),
    /// The same, in the directory behind the descriptor in the argument before.
    NamedAt(Use, usize),
    /// Uses a stream.
    Stream(Use, usize),
    /// Reads from the list that a `DIR` has of names.
    Listing(usize),
    /// Reads standard input.
    Input,
    /// Prints to standard output, which may have been made a file.
    Output,
    /// Prints to the stream of error messages, which may have been made a file.
    Errors,
}

pub use Touch::Errors;

/// The functions that keep broken-down time.
const TIME: u64 = 0;
/// `strtok`, which keeps where it is.
const TOKENS: u64 = 1;
/// The functions that keep digits.
const NUMBERS: u64 = 2;
/// The functions that keep a shift state.
const MULTIBYTE: u64 = 3;
/// The functions that keep a table or a pattern to search with.
const SEARCH: u64 = 4;
/// The functions that keep names of terminals and file systems.
const PLACES: u64 = 5;
/// The functions that keep entries of users and groups.
const USERS: u64 = 6;
/// The functions that keep entries of machines, networks and services.
const HOSTS: u64 = 7;

/// Which states the program can change at all. Determined once.
pub struct Changeable {
    /// A bit for each state.
    states: Cell<u64>,
    /// Mappings of memory can go, or what is allowed in them can change.
    mappings: Cell<bool>,
    /// The limits of the process can change.
    limits: Cell<bool>,
    /// What is printed can be led into a file.
    output: Cell<bool>,
    /// The program can walk over directories, and be told sizes and times.
    walks: Cell<bool>,
}

impl Changeable {
    /// The state at the start of the process.
    pub const fn new() -> Changeable {
        Changeable {
            states: Cell::new(0),
            mappings: Cell::new(false),
            limits: Cell::new(false),
            output: Cell::new(false),
            walks: Cell::new(false),
        }
    }
}

/// Whether the kernel keeps this state: then a system call by number can change it, too.
const fn is_kernels(state: State) -> bool {
    use State::{
        Break, Clock, FileContents, FileModeMask, FileNames, Identity, Limits, Memory, Scheduling, SignalAction,
    };
    matches!(
        state,
        Break
            | Clock
            | FileContents
            | FileModeMask
            | FileNames
            | Identity
            | Limits
            | Memory
            | Scheduling
            | SignalAction
    )
}

const fn bit(state: State) -> u64 {
    1 << state as u8
}

/// Determines which states the program can change. Call this once, outside executions.
pub fn set_up() {
    let any = imports::program_wants(b"dlsym") || imports::program_wants(b"dlopen");
    let mut states = 0;
    for (function, touch) in table::TABLE.iter().zip(table::TOUCHES) {
        if let Some(state) = touch.may_change()
            && states & bit(state) == 0
            && (any || imports::program_wants(function.c_name().to_bytes()))
        {
            states |= bit(state);
        }
    }
    if any || crate::outside::exit_handlers::REGISTER.iter().any(|name| imports::program_wants(name)) {
        states |= bit(State::ExitHandlers) | bit(State::QuickExitHandlers);
    }
    lifetime::process().changeable.states.set(states);
    let wants = |names: &[&[u8]]| any || names.iter().any(|name| imports::program_wants(name));
    let mappings =
        wants(&[b"munmap", b"mremap", b"mprotect", b"pkey_mprotect", b"madvise", b"mmap", b"mmap64", b"syscall"]);
    let changeable = &lifetime::process().changeable;
    changeable.mappings.set(mappings);
    changeable.limits.set(states & bit(State::Limits) != 0 || wants(&[b"syscall"]));
    changeable.output.set(wants(&[b"freopen", b"freopen64", b"dup2", b"dup3"]));
    changeable.walks.set(wants(&[b"ftw", b"ftw64", b"nftw", b"nftw64", b"fts_read", b"fts64_read"]));
}

/// Whether mappings of memory can go, or what is allowed in them can change.
#[inline]
pub fn mappings_can_go() -> bool {
    lifetime::process().changeable.mappings.get()
}

/// Whether the program can change the limits of the process.
#[inline]
pub fn limits_can_change() -> bool {
    lifetime::process().changeable.limits.get()
}

/// Whether the program can make a file of what it prints.
#[inline]
pub fn output_can_move() -> bool {
    lifetime::process().changeable.output.get()
}

/// Whether the program can walk over directories, and be told the sizes and times of files.
#[inline]
pub fn walks_files() -> bool {
    lifetime::process().changeable.walks.get()
}

impl Touch {
    /// The state in the program's own memory that such a call may change. What the kernel or libc keeps of files, signals and settings can
    /// always change.
    const fn may_change(self) -> Option<State> {
        match self {
            Touch::On(state, How::Change) | Touch::OnIf(state, _) => Some(state),
            Touch::Environ => Some(State::Environment),
            Touch::ByEnvironment(touch) => touch.may_change(),
            Touch::On(_, How::Read)
            | Touch::Within(..)
            | Touch::Kept(_)
            | Touch::Zone
            | Touch::Zoned(_)
            | Touch::Format
            | Touch::Options
            | Touch::Mode
            | Touch::SignalAction(..)
            | Touch::SignalIf(..)
            | Touch::Names(_)
            | Touch::Walk
            | Touch::Setting
            | Touch::Replaced(_)
            | Touch::Number
            | Touch::File(..)
            | Touch::Copy(..)
            | Touch::Named(..)
            | Touch::NamedAt(..)
            | Touch::Stream(..)
            | Touch::Listing(_)
            | Touch::Input
            | Touch::Output
            | Touch::Errors => None,
        }
    }
}

/// Whether the program can change `state`.
pub fn can_change(state: State) -> bool {
    is_kernels(state) || lifetime::process().changeable.states.get() & bit(state) != 0
}

/// Takes an operation on a state that is not divided in the model, before the call.
pub fn touches(state: State, how: How, pc: u64) {
    if !is_alone() && (how == How::Change || can_change(state)) {
        tell(state.operation(how, 0), pc);
    }
}

/// Takes an operation on a part of a state in the model, before the call.
pub fn touches_part(state: State, how: How, part: u64, pc: u64) {
    if !is_alone() {
        tell(state.operation(how, part), pc);
    }
}

/// Takes an operation on what `signal` does in the model, before the call.
pub fn touches_signal(signal: i32, how: How, pc: u64) {
    if !is_alone() && (1..=64).contains(&signal) {
        tell(State::SignalAction.operation(how, signal as u64), pc);
    }
}

impl Touch {
    /// Takes what a call with these arguments does in the model, before the call.
    unsafe fn take(self, arguments: &[usize; 6], pc: u64) {
        if is_alone() {
            return;
        }
        told::unseen();
        match self {
            Touch::On(State::Environment, How::Read) => {
                touches(State::Environment, How::Read, pc);
                // The program may set the variable itself.
                race::read_by_library(environ_address(), size_of::<usize>(), pc);
            }
            Touch::On(state, how) => touches(state, how, pc),
            Touch::OnIf(state, at) => touches(state, how_if(arguments[at]), pc),
            // Such objects are sixteen bytes long or longer.
            Touch::Within(state, at) => touches_part(state, How::Change, arguments[at] as u64 >> 4, pc),
            Touch::Kept(MULTIBYTE) if can_change(State::Locale) => {
                let shift = State::Static.operation(How::Change, MULTIBYTE);
                tell(and_reads(shift, State::Locale.part(0)), pc);
            }
            Touch::Zone => {
                tell(by_environment(State::Static.operation(How::Change, TIME)), pc);
                for (variable, size) in zone_variables() {
                    race::changed_by_library(variable, size, pc);
                }
            }
            Touch::Zoned(true) => tell(by_environment(State::Static.operation(How::Change, TIME)), pc),
            // The zone stays what it is where nothing can change the environment.
            Touch::Zoned(false) if !can_change(State::Environment) => {}
            Touch::Zoned(false) => tell(State::Static.operation(How::Read, TIME), pc),
            Touch::Format if can_change(State::Environment) => {
                tell(and_reads(State::Locale.operation(How::Read, 0), State::Static.part(TIME)), pc);
            }
            Touch::Format => touches(State::Locale, How::Read, pc),
            Touch::Options => {
                tell(by_environment(State::Options.operation(How::Change, 0)), pc);
                for (variable, size) in option_variables() {
                    race::changed_by_library(variable, size, pc);
                }
            }
            Touch::ByEnvironment(touch) => {
                let operation = match *touch {
                    Touch::On(state, how) => Some(state.operation(how, 0)),
                    Touch::OnIf(state, at) => Some(state.operation(how_if(arguments[at]), 0)),
                    Touch::Names(how) => Some(State::FileNames.operation(how, 0)),
                    _ => None,
                };
                match operation {
                    // In one step, which is that of the call.
                    Some(operation) if can_change(State::Environment) => tell(by_environment(operation), pc),
                    // SAFETY: the caller's.
                    _ => unsafe { touch.take(arguments, pc) },
                }
            }
            Touch::Mode => {
                const SET: [usize; 2] = [4, 1031];
                if channel::is_one(arguments[0] as i32) && SET.contains(&arguments[1]) {
                    schedule::goes_outside(Outside::Modes);
                }
                ordered::uses(arguments[0] as i32, Use::Change, pc);
            }
            Touch::Kept(group) => tell(State::Static.operation(How::Change, group), pc),
            Touch::SignalAction(how, at) => touches_signal(arguments[at] as i32, how, pc),
            Touch::SignalIf(new, at) => touches_signal(arguments[at] as i32, how_if(arguments[new]), pc),
            Touch::Names(How::Read) => ordered::looks_at_names(pc),
            Touch::Names(How::Change) => ordered::changes_names(pc),
            Touch::Walk => {
                let names = State::FileNames.operation(How::Read, 0);
                tell(and_reads(names, State::FileStatus.part(0)), pc);
            }
            Touch::Environ => {
                touches(State::Environment, How::Change, pc);
                race::changed_by_library(environ_address(), size_of::<usize>(), pc);
            }
            Touch::Setting => {
                if let Some(how) = how_of_setting(arguments[0]) {
                    touches(State::Identity, how, pc);
                }
            }
            Touch::Replaced(at) => ordered::uses(arguments[at] as i32, Use::Change, pc),
            Touch::Number => ordered::changes_numbers(pc),
            Touch::File(how, at) => ordered::uses(arguments[at] as i32, how, pc),
            Touch::Copy(from, to) => copies(arguments[from] as i32, arguments[to] as i32, pc),
            // SAFETY: the program's own call, which is about to read the same name.
            Touch::Named(how, at) => unsafe { ordered::uses_named(AT_WORKING_DIRECTORY, arguments[at], how, pc) },
            Touch::NamedAt(how, at) => {
                let directory = arguments[at - 1] as i32;
                // SAFETY: as above.
                unsafe { ordered::uses_named(directory, arguments[at], how, pc) }
            }
            Touch::Stream(how, at) => streams::uses_stream(arguments[at] as *mut _, how, pc),
            Touch::Listing(at) => {
                let list = State::FileContents.part(arguments[at] as u64 >> 4);
                tell(and_changes(State::FileNames.operation(How::Read, 0), list), pc);
            }
            Touch::Input => streams::uses_standard(0, Use::Position, pc),
            Touch::Output => streams::uses_standard(1, Use::Change, pc),
            Touch::Errors => streams::uses_standard(2, Use::Change, pc),
        }
    }
}

/// A change if there is something new, else a look.
const fn how_if(new: usize) -> How {
    if new == 0 { How::Read } else { How::Change }
}

/// What `prctl` does to settings that all threads share: dumpable, timing, memory map, subreaper, huge pages. `None` if it is about the
/// calling thread.
const fn how_of_setting(option: usize) -> Option<How> {
    match option {
        3 | 13 | 37 | 42 => Some(How::Read),
        4 | 14 | 35 | 36 | 41 => Some(How::Change),
        _ => None,
    }
}

/// Where the program's variable `environ` is.
fn environ_address() -> usize {
    unsafe extern "C" {
        static mut environ: *mut *mut core::ffi::c_char;
    }
    &raw const environ as usize
}

/// Where the program's variables `timezone`, `daylight` and `tzname` are, and their sizes.
fn zone_variables() -> [(usize, usize); 3] {
    unsafe extern "C" {
        static mut timezone: core::ffi::c_long;
        static mut daylight: core::ffi::c_int;
        static mut tzname: [*mut core::ffi::c_char; 2];
    }
    [(&raw const timezone as usize, 8), (&raw const daylight as usize, 4), (&raw const tzname as usize, 16)]
}

/// Where the program's variables `optarg`, `optind` and `optopt` are, and their sizes.
fn option_variables() -> [(usize, usize); 3] {
    unsafe extern "C" {
        static mut optarg: *mut core::ffi::c_char;
        static mut optind: core::ffi::c_int;
        static mut optopt: core::ffi::c_int;
    }
    [(&raw const optarg as usize, 8), (&raw const optind as usize, 4), (&raw const optopt as usize, 4)]
}

/// The operation, which also depends on the environment.
fn by_environment(operation: Operation) -> Operation {
    if can_change(State::Environment) { and_reads(operation, State::Environment.part(0)) } else { operation }
}

const AT_WORKING_DIRECTORY: i32 = -100;

/// A call that reads from one descriptor and writes to another, as one step.
fn copies(from: i32, to: i32, pc: u64) {
    let operation = match (ordered::use_of(from, Use::Position), ordered::use_of(to, Use::Change)) {
        (None, None) => return,
        (Some(one), None) | (None, Some(one)) => one.0.operation(one.1, one.2),
        (Some((state, How::Read, part)), Some(to)) => and_reads(to.0.operation(to.1, to.2), state.part(part)),
        (Some((state, How::Change, part)), Some(to)) => and_changes(to.0.operation(to.1, to.2), state.part(part)),
    };
    tell(operation, pc);
}

/// Takes what a call of entry `index` from `pc` does, and returns the address of the original.
pub unsafe extern "C" fn decide(index: u32, pc: u64, arguments: *const [usize; 6]) -> usize {
    let index = index as usize;
    // SAFETY: the arguments as they came, in registers that were saved.
    unsafe { table::TOUCHES[index].take(&*arguments, pc) };
    table::TABLE[index].address()
}
