//! State of the process that is neither in the program's memory nor a primitive of its own: files, exit handlers, what
//! signals do, the working directory, clocks, what libc and the C++ library keep for all threads.
//!
//! There is no state here: the kernel or a library has it, and the program makes the call itself, right after the
//! event. This file only says what commutes: two reads of one state, and calls on two states. A state may be divided
//! into parts, each an object of its own: files by their identities, signals by their numbers.
//!
//! A new state is a line in the table below.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// The family of the operations on state of the process.
pub const FAMILY: u8 = 18;

/// Where the objects of states lie. The program has nothing mapped there.
const OBJECTS: u64 = 0x5b00_0000_0000;
/// The distance of two states, other than files.
const STRIDE: u64 = 1 << 24;
/// The number of parts of one state that are distinguished. Parts with equal numbers modulo this one are treated as one.
const PARTS: u64 = 1 << 20;

/// Declares the states: what each is called, and the names of its two operations.
macro_rules! states {
    ($($(#[$doc:meta])* $state:ident: $object:literal, $read:literal, $change:literal;)*) => {
        /// A state of the process.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum State { $($(#[$doc])* $state,)* }

        /// All states, by their numbers: what each is called, and the names of its two operations.
        const NAMES: &[(State, &str, [&str; 2])] = &[$((State::$state, $object, [$read, $change]),)*];
    };
}

states! {
    /// The contents of a file, in parts by file.
    FileContents: "file", "read", "use";
    /// The names of all files, with the working directory.
    FileNames: "names of files", "look for a file", "make or remove a file";
    /// The handlers that run when the process exits.
    ExitHandlers: "exit handlers", "look for exit handlers", "change the exit handlers";
    /// The handlers that run at `quick_exit`.
    QuickExitHandlers: "quick exit handlers", "look for exit handlers", "change the exit handlers";
    /// What a signal does, in parts by signal.
    SignalAction: "signal", "look what a signal does", "change what a signal does";
    /// The mode bits that new files do not get.
    FileModeMask: "umask", "look at the umask", "change the umask";
    /// The environment variables.
    Environment: "environment", "look at the environment", "change the environment";
    /// The generator behind `rand` and `random`.
    Random: "generator of rand()", "look at random numbers", "draw random numbers";
    /// The generator behind `drand48`.
    Random48: "generator of drand48()", "look at random numbers", "draw random numbers";
    /// The limits of the process's resources.
    Limits: "limits of the process", "look at a limit", "change a limit";
    /// Scheduling parameters, priorities, processors: those of the process.
    Scheduling: "scheduling of the process", "look at the scheduling", "change the scheduling";
    /// The handlers of `pthread_atfork`.
    ForkHandlers: "fork handlers", "look for fork handlers", "change the fork handlers";
    /// The whole memory of the process, which a child gets a copy of. A copy is ordered with everything.
    Memory: "memory of the process", "copy the process", "copy the process";
    /// The locale of the process.
    Locale: "locale", "look at the locale", "change the locale";
    /// The terminate handler and the unexpected handler of the C++ library.
    TerminateHandler: "terminate handler", "look for the terminate handler", "change the terminate handler";
    /// The new handler of the C++ library.
    NewHandler: "new handler", "look for the new handler", "change the new handler";
    /// The default memory resource of the C++ library.
    MemoryResource: "default memory resource", "look for the memory resource", "change the memory resource";
    /// The settings and the numbers of libc's allocator.
    Allocator: "settings of malloc", "look at the allocator", "change the allocator";
    /// The end of the data segment (`brk`).
    Break: "end of the data segment", "look at the end of the data segment", "move the end of the data segment";
    /// The libraries that are loaded.
    Libraries: "loaded libraries", "look for a library", "load or unload a library";
    /// The connection to the system's log.
    Log: "system log", "look at the log", "use the log";
    /// The position of `getopt` in the arguments.
    Options: "options", "look at the options", "take an option";
    /// What functions of libc keep in memory of their own from one call to the next: `strtok`, `localtime`, `hsearch`.
    Static: "memory of libc", "look at memory of libc", "change memory of libc";
    /// The name of the machine, the user and the terminal.
    Identity: "identity of the process", "look at the identity", "change the identity";
    /// The name of a thread, in parts by thread.
    ThreadName: "name of a thread", "look at the name of a thread", "change the name of a thread";
    /// How a thread has asked to be scheduled, in parts by thread.
    ThreadScheduling: "scheduling of a thread", "look at the scheduling of a thread", "change the scheduling of a thread";
    /// The table of descriptors: which numbers are free.
    Descriptors: "table of descriptors", "look at the descriptors", "change the descriptors";
    /// The sizes, times and modes of all files, which walks over directories return. Calls that change a file add to it.
    FileStatus: "sizes and times of files", "look at sizes and times", "change sizes and times";
    /// What the C++ library keeps of the threads that have arrived at a barrier, in parts by barrier.
    Arrivals: "arrivals at a barrier", "look who has arrived at a barrier", "arrive at a barrier";
    /// The number of words that every stream of the C++ library has for the program (`ios_base::xalloc`).
    StreamWords: "words of streams", "look at the words of streams", "take a word of all streams";
    /// All clocks.
    Clock: "clock", "look at a clock", "look at a clock";
}

/// Whether a call only looks at a state or may change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// The operation reads the state.
    Read,
    /// The operation changes the state, or reads and changes it.
    Change,
}

impl State {
    /// The object of part `part` of this state.
    #[inline]
    pub const fn part(self, part: u64) -> ObjectId {
        match self {
            State::FileNames => ObjectId(OBJECTS),
            // Behind the names, which is one object.
            State::FileContents => ObjectId(OBJECTS + 8 + part % PARTS * 8),
            other => ObjectId(OBJECTS + other as u64 * STRIDE + part % PARTS * 8),
        }
    }

    /// The code of an operation on this state.
    #[inline]
    pub const fn code(self, how: How) -> OpCode {
        OpCode::new(FAMILY, 1 + 2 * self as u8 + how as u8)
    }

    /// An operation on part `part` of this state. States that are not divided have one part, number 0.
    #[inline]
    pub const fn operation(self, how: How, part: u64) -> Operation {
        Operation { size: 1, ..Operation::new(self.code(how), self.part(part)) }
    }

    /// The state that an operation with this code is about.
    pub fn of(code: OpCode) -> Option<State> {
        if code.family() != FAMILY {
            return None;
        }
        let number = code.operation().checked_sub(1)? / 2;
        NAMES.get(number as usize).map(|(state, ..)| *state)
    }

    /// The number of the signal that `operation` is about.
    pub fn signal_of(operation: &Operation) -> Option<u8> {
        let first = State::SignalAction.part(0).0;
        (State::of(operation.code) == Some(State::SignalAction)).then(|| ((operation.object.0 - first) / 8) as u8)
    }

    /// The name of the state in reports.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Whether this state has only one part, which needs no number in reports.
    pub const fn is_whole(self) -> bool {
        !matches!(self, State::FileContents | State::SignalAction | State::Static | State::Arrivals)
    }

    /// Whether a change synchronises with later calls on the same state, as the language standards say of exit handlers
    /// and of the handlers, the memory resource and the barriers of the C++ library. Nothing is said of files and the rest.
    pub const fn synchronises(self) -> bool {
        use State::{Arrivals, ExitHandlers, MemoryResource, NewHandler, QuickExitHandlers, TerminateHandler};
        matches!(self, ExitHandlers | QuickExitHandlers | TerminateHandler | NewHandler | MemoryResource | Arrivals)
    }
}

/// Whether `code` looks at its state without changing it.
#[inline]
pub const fn only_reads(code: OpCode) -> bool {
    code.operation() % 2 == 1
}

/// The detail of an operation that also changes its second object.
const CHANGES_SECOND: u32 = 1;
/// The detail of an operation that also looks at the limits of the process.
const READS_LIMITS: u32 = 2;
/// The detail of an operation that also changes the table of descriptors.
const CHANGES_DESCRIPTORS: u32 = 4;
/// The detail of an operation that also changes the size, the times or the mode of a file.
const CHANGES_STATUS: u32 = 8;

/// `operation`, which also looks at another state.
#[inline]
pub const fn and_reads(operation: Operation, other: ObjectId) -> Operation {
    Operation { argument: other.0, ..operation }
}

/// `operation`, which also changes another state.
#[inline]
pub const fn and_changes(operation: Operation, other: ObjectId) -> Operation {
    Operation { argument: other.0, detail: operation.detail | CHANGES_SECOND, ..operation }
}

/// `operation`, which also depends on the limits of the process.
#[inline]
pub const fn within_limits(operation: Operation) -> Operation {
    Operation { detail: operation.detail | READS_LIMITS, ..operation }
}

/// `operation`, which also takes or frees a number of a descriptor.
#[inline]
pub const fn and_changes_descriptors(operation: Operation) -> Operation {
    Operation { detail: operation.detail | CHANGES_DESCRIPTORS, ..operation }
}

/// `operation`, which also changes what is told of a file.
#[inline]
pub const fn and_changes_status(operation: Operation) -> Operation {
    Operation { detail: operation.detail | CHANGES_STATUS, ..operation }
}

/// The semantics of state of the process.
pub struct ProcessState;

impl Primitive for ProcessState {
    fn name(&self) -> &'static str {
        "state"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        State::of(code).map_or("operation", |state| NAMES[state as usize].2[!only_reads(code) as usize])
    }

    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, _: u16) -> Effect {
        Effect::default()
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let operation = &event.operation;
        if operation.object == State::Memory.part(0) {
            // The child gets a copy of everything: of plain memory, which other threads write between their operations, too.
            return into.touch_everything();
        }
        let mode = if only_reads(operation.code) { Mode::Read } else { Mode::Write };
        into.touch(operation.object, mode);
        if operation.argument != 0 {
            let mode = if operation.detail & CHANGES_SECOND != 0 { Mode::Write } else { Mode::Read };
            into.touch(ObjectId(operation.argument), mode);
        }
        for (detail, state, mode) in [
            (READS_LIMITS, State::Limits, Mode::Read),
            (CHANGES_DESCRIPTORS, State::Descriptors, Mode::Write),
            (CHANGES_STATUS, State::FileStatus, Mode::Write),
        ] {
            if operation.detail & detail != 0 {
                into.touch(state.part(0), mode);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict(a: Operation, b: Operation) -> bool {
        let event = |operation, thread| Event { operation, thread: ThreadId(thread), ..Event::default() };
        crate::access::dependent(&event(a, 1), &event(b, 2))
    }

    #[test]
    fn codes_lead_back_to_their_states() {
        for (number, &(state, ..)) in NAMES.iter().enumerate() {
            assert_eq!(state as usize, number);
            for how in [How::Read, How::Change] {
                assert_eq!(State::of(state.code(how)), Some(state));
                assert_eq!(only_reads(state.code(how)), how == How::Read);
            }
        }
        assert_eq!(State::of(OpCode::new(FAMILY, 0)), None);
        assert_eq!(State::of(OpCode::new(FAMILY, 255)), None);
    }

    #[test]
    fn states_and_parts_are_apart() {
        let all = |how| NAMES.iter().flat_map(move |(state, ..)| [0, 1, 64].map(|part| state.operation(how, part)));
        for a in all(How::Change) {
            for b in all(How::Read) {
                let copies = [a, b].iter().any(|one| one.object == State::Memory.part(0));
                assert_eq!(conflict(a, b), a.object == b.object || copies, "{a:?} {b:?}");
                assert_eq!(conflict(b, b), b.object == State::Memory.part(0));
            }
        }
    }

    #[test]
    fn a_copy_of_the_process_has_an_order_with_everything() {
        use crate::primitive::{atomic, mutex};
        let copy = State::Memory.operation(How::Read, 0);
        let on = |code| Operation { size: 4, ..Operation::new(code, ObjectId(0x1000)) };
        for code in [atomic::LOAD, atomic::STORE, mutex::LOCK, mutex::UNLOCK] {
            assert!(conflict(copy, on(code)));
        }
    }

    #[test]
    fn an_operation_can_depend_on_more() {
        let opens = and_changes_descriptors(within_limits(State::FileNames.operation(How::Read, 0)));
        assert!(
            conflict(opens, State::Limits.operation(How::Change, 0))
                && !conflict(opens, State::Limits.operation(How::Read, 0))
        );
        assert!(conflict(opens, State::Descriptors.operation(How::Read, 0)) && conflict(opens, opens));
        let writes = and_changes_status(State::FileContents.operation(How::Change, 3));
        assert!(conflict(writes, State::FileStatus.operation(How::Read, 0)));
        assert!(!conflict(writes, opens));
    }

    #[test]
    fn a_call_can_look_at_a_second_state() {
        let creates = and_reads(State::FileNames.operation(How::Change, 0), State::FileModeMask.part(0));
        assert!(conflict(creates, State::FileModeMask.operation(How::Change, 0)));
        assert!(!conflict(creates, State::FileModeMask.operation(How::Read, 0)));
        assert!(conflict(creates, State::FileNames.operation(How::Read, 0)));
        let (from, to) = (State::FileContents.part(1), State::FileContents.operation(How::Change, 2));
        let reads = State::FileContents.operation(How::Read, 1);
        assert!(!conflict(and_reads(to, from), reads) && conflict(and_changes(to, from), reads));
    }
}
