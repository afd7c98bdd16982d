//! The second net: the kernel's own refusal (Landlock) to let this process change files outside its scratch directory.
//!
//! The first net answers the program's system calls as this library understands them. What it does not understand, or what gets
//! around it, must not reach the user's files. Landlock holds for system calls of whatever kind, wherever they are made, and for good. It also
//! keeps signals and `ptrace` from processes that the program has not made.
//!
//! Processes that the program makes inherit it, and they use the real files. So the net is not cast for a program that makes processes. If
//! it turns out to be one only later, its plan is run again without.

use heddle_model::Outcome;
use heddle_model::wire::Note;

use crate::entry::wire::Wire;
use crate::schedule;
use crate::sys;

const CREATE_RULESET: usize = 444;
const ADD_RULE: usize = 445;
const RESTRICT_SELF: usize = 446;
const NO_NEW_PRIVILEGES: usize = 38;

/// What is refused: to write to files, to remove, make and move them, to truncate them. From version 1, 2 and 3 on.
const WRITE: u64 = 1 << 1;
const NAMES: u64 = 0x1ff0;
const MOVE: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
/// Not to signal processes outside. From version 6 on.
const SIGNALS: u64 = 1 << 1;

/// Casts the net, if the driver wants it and the kernel has it. Executions then can change files in the scratch directory, and devices.
pub fn cast(wire: Wire) {
    let header = wire.header();
    if header.second_net == 0 {
        return;
    }
    let call = |number: usize, a: [usize; 4]| {
        // SAFETY: structures of our own, and descriptors.
        unsafe { sys::syscall6(number, a[0], a[1], a[2], a[3], 0, 0) }
    };
    let version = call(CREATE_RULESET, [0, 0, 1, 0]);
    if version < 1 {
        return;
    }
    let moves = if version >= 2 { MOVE } else { 0 };
    let files = WRITE | NAMES | moves | if version >= 3 { TRUNCATE } else { 0 };
    // Older kernels know a shorter structure.
    let (ruleset, size) = ([files, 0, SIGNALS], if version >= 6 { 24 } else { 8 });
    let ruleset = call(CREATE_RULESET, [ruleset.as_ptr() as usize, size, 0, 0]);
    if ruleset < 0 {
        return;
    }
    let ruleset = ruleset as usize;
    let allow = |path: *const u8, rights: u64| {
        const PATH_ONLY: usize = 0o10_000_000;
        const CLOSE_ON_EXEC: usize = 0o2_000_000;
        let file = call(sys::OPEN, [path as usize, PATH_ONLY | CLOSE_ON_EXEC, 0, 0]);
        if file >= 0 {
            #[repr(C, packed)]
            struct Beneath(u64, i32);
            let beneath = Beneath(rights, file as i32);
            call(ADD_RULE, [ruleset, 1, &raw const beneath as usize, 0]);
            call(sys::CLOSE, [file as usize, 0, 0, 0]);
        }
    };
    if header.scratch[0] != 0 {
        allow(header.scratch.as_ptr(), files);
    }
    for path in [c"/dev", c"/proc", c"/sys"] {
        allow(path.as_ptr().cast(), WRITE | files & TRUNCATE);
    }
    call(sys::PRCTL, [NO_NEW_PRIVILEGES, 1, 0, 0]);
    let holds = call(RESTRICT_SELF, [ruleset, 0, 0, 0]) == 0;
    call(sys::CLOSE, [ruleset, 0, 0, 0]);
    if holds {
        wire.note(Note::SecondNet);
    }
}

/// Ends the execution if the net is cast: it is to be run again without, because the program is about to make a process.
pub fn must_be_away(pc: u64) {
    let wire = Wire::ATTACHED;
    if wire.has_noted(Note::SecondNet) {
        wire.note(Note::Open);
        schedule::stop(Outcome::NeedsThreads { count: 0 }, pc, b"");
    }
}
