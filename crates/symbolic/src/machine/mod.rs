//! Symbolic execution of threads.
//!
//! A thread is executed once, with a guard: branches whose condition is open run both arms and are merged at their
//! post-dominator, loops are unwound while their condition is open, at most [`Options::unwind`] times, and calls are inlined. What can
//! go wrong becomes a [`Condition`]. Memory, values and merging are in [`memory`](crate::memory), functions of the library in
//! [`library`](crate::library).
//!
//! * `run`: functions, blocks, branches, loops.
//! * `inst`, `float`: instructions.
//! * `access`, `initial`: loads and stores, with their checks; what variables begin with.
//! * `threads`, `start`: threads beside each other, in rounds.
//! * `value`: constants and operands.
//! * `watch`: what is told to an engine that runs threads operation by operation.

mod access;
mod float;
mod initial;
mod inst;
mod run;
mod start;
mod threads;
mod value;
mod watch;

use std::collections::HashMap;

pub(crate) use access::ENDED;
pub(crate) use run::Arm;
pub use run::{Frame, State};
pub(crate) use threads::Life;
pub use threads::{Access, Action, Event, Primitive, Thread, Where};
pub(crate) use watch::{GRANULE, Touch, Watch};

use crate::ir::{FuncId, Module, Site};
use crate::memory::{Contents, ObjId, Objects, Rest, Value};
use crate::term::{TermId, Terms};

/// How a program is executed.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most iterations of a loop whose condition is open, and the deepest recursion of that kind.
    pub unwind: u32,
    /// Loops with a bound of their own: file, line, most iterations.
    pub unwind_loops: Vec<(u32, u32, u32)>,
    /// The most instructions of a thread.
    pub steps: u64,
    /// Whether undefined behaviour of integers is looked for: overflow and shifts.
    pub undefined: bool,
    /// Whether blocks that nobody freed are looked for at the end.
    pub leaks: bool,
    /// Whether the program must exit with status 0.
    pub exits: bool,
    /// Whether a thread runs to its end where it is created. Otherwise threads run beside each other.
    pub sequential: bool,
    /// The values of inputs, in order; those behind them are unknowns.
    pub inputs: Vec<u128>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            unwind: 8,
            unwind_loops: Vec::new(),
            steps: 2_000_000,
            undefined: false,
            leaks: false,
            exits: false,
            sequential: false,
            inputs: Vec::new(),
        }
    }
}

/// What a condition is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// `assert`.
    Assertion,
    /// `reach_error` or `__VERIFIER_error`.
    Error,
    /// `abort` or a trap.
    Abort,
    /// Signed arithmetic that overflows.
    Overflow,
    /// A division by zero, or the smallest number by -1.
    Division,
    /// A shift by the width or more, or by a negative number.
    Shift,
    /// A null pointer is used.
    Null,
    /// An address outside of its object, or of no object.
    Bounds,
    /// An object is used after its end.
    Dangling,
    /// A block is freed twice.
    DoubleFree,
    /// Something else than a block is freed.
    InvalidFree,
    /// A block is never freed.
    Leak,
    /// A write to a constant.
    Constant,
    /// A primitive is misused.
    Misuse,
    /// The program exits with a status that is not 0.
    Exit,
    /// Code is reached that the compiler takes for unreachable.
    Unreachable,
}

/// Something that must not happen.
#[derive(Clone, Debug)]
pub struct Condition {
    /// What it is about.
    pub kind: Kind,
    /// When it happens: a boolean.
    pub violated: TermId,
    /// Where.
    pub site: Site,
    /// The thread.
    pub thread: u32,
    /// What is wrong, in words.
    pub message: String,
}

/// A value from outside.
#[derive(Clone, Debug)]
pub struct Input {
    /// The thread that asked for it.
    pub thread: u32,
    /// When it is asked for.
    pub guard: TermId,
    /// Its value.
    pub value: TermId,
    /// Where.
    pub site: Site,
    /// The function that was called.
    pub function: String,
}

impl Input {
    /// Whether whoever runs the program can give it. Other numbers the program chooses itself, by operations of its own.
    pub(crate) fn is_given(&self) -> bool {
        !self.function.starts_with("heddle_")
    }
}

/// A place where execution was given up because of a bound.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The loop or the function.
    pub site: Site,
    /// When it is reached.
    pub guard: TermId,
}

/// What a program prints: a format and its arguments.
#[derive(Clone, Debug)]
pub struct Printed {
    /// The format, or the string itself.
    pub format: Vec<u8>,
    /// What follows the format.
    pub arguments: Vec<Value>,
    /// When.
    pub guard: TermId,
}

/// What is not followed: the verdict is *unsupported*.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Where.
    pub site: Site,
    /// What.
    pub what: String,
}

/// Executes the threads of a program.
pub struct Machine<'m> {
    /// The program.
    pub module: &'m Module,
    /// How it is executed.
    pub options: Options,
    /// All terms.
    pub terms: Terms,
    /// All objects.
    pub objects: Objects,
    /// How much time and memory execution may take.
    pub budget: crate::solve::Budget,
    /// What must not happen.
    pub conditions: Vec<Condition>,
    /// The inputs, each thread's in order.
    pub inputs: Vec<Input>,
    /// What was given up.
    pub cuts: Vec<Cut>,
    /// By the place of a loop: the most iterations that were followed.
    pub unwound: std::collections::BTreeMap<Site, u32>,
    /// What was printed, in the order of execution.
    pub printed: Vec<Printed>,
    /// Library functions that were called, by name.
    pub modelled: std::collections::BTreeSet<String>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// What threads share: kept from round to round.
    pub(crate) sharing: threads::Sharing,
    /// The thread that is executed.
    pub(crate) current: u32,
    pub(crate) site: Site,
    pub(crate) steps: u64,
    /// How many bytes the local variables of the calls have that are under way.
    pub(crate) stack: u64,
    over: bool,
    /// How many blocks were executed.
    blocks: u64,
    /// Whether a thread of the round had too many instructions.
    pub(crate) exhausted: bool,
    pub(crate) forks: u32,
    pub(crate) active: Vec<(FuncId, u32)>,
    pub(crate) made: HashMap<(u32, FuncId, u32, u32), u32>,
    pub(crate) library_made: HashMap<u32, u32>,
    pub(crate) place: (FuncId, u32, u32),
    /// What is told to an engine that runs threads operation by operation, if one does.
    pub(crate) watch: Option<Watch>,
    /// The exit code of `main` or `exit`, and when.
    pub exits: Vec<(TermId, TermId)>,
}

impl<'m> Machine<'m> {
    /// A machine that has executed nothing.
    pub fn new(module: &'m Module, options: Options) -> Machine<'m> {
        Machine {
            module,
            options,
            terms: Terms::new(),
            objects: Objects::default(),
            budget: crate::solve::Budget::unlimited(),
            conditions: Vec::new(),
            inputs: Vec::new(),
            cuts: Vec::new(),
            unwound: std::collections::BTreeMap::new(),
            printed: Vec::new(),
            modelled: std::collections::BTreeSet::new(),
            threads: Vec::new(),
            sharing: threads::Sharing::default(),
            current: 0,
            site: Site::default(),
            steps: 0,
            stack: 0,
            over: false,
            blocks: 0,
            exhausted: false,
            forks: 0,
            active: Vec::new(),
            made: HashMap::new(),
            library_made: HashMap::new(),
            place: (0, 0, 0),
            watch: None,
            exits: Vec::new(),
        }
    }

    /// Whether execution was given up because time or memory were used up.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Refuses what is being executed.
    pub(crate) fn refuse<T>(&self, what: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal { site: self.site, what: what.into() })
    }

    /// Says that `holds` must hold, and goes on only where it does.
    pub(crate) fn check(&mut self, state: &mut State, kind: Kind, holds: TermId, message: impl Into<String>) {
        let not = self.terms.not(holds);
        let violated = self.terms.and(state.guard, not);
        if violated == Terms::FALSE {
            return;
        }
        let index = self.conditions.len();
        self.conditions.push(Condition {
            kind,
            violated,
            site: self.site,
            thread: self.current,
            message: message.into(),
        });
        self.event(violated, Action::Check(index));
        state.guard = self.terms.and(state.guard, holds);
    }

    /// The most iterations of the loop at a site.
    pub(crate) fn bound_of(&self, site: Site) -> u32 {
        let own = self.options.unwind_loops.iter().find(|(file, line, _)| (*file, *line) == (site.file, site.line));
        own.map_or(self.options.unwind, |(.., bound)| *bound)
    }

    /// Notes how the program exits.
    pub(crate) fn exit(&mut self, state: &mut State, code: TermId) {
        self.exits.push((state.guard, code));
        if self.options.exits {
            // The parent sees eight bits.
            let status = self.terms.trunc(code, 8);
            let zero = self.terms.constant(8, 0);
            let fine = self.terms.eq(status, zero);
            self.check(state, Kind::Exit, fine, "the program exits with a status that is not 0");
        }
    }

    /// The source line of a site.
    pub fn place_of(&self, site: Site) -> (String, u32) {
        (self.module.files.get(site.file as usize).cloned().unwrap_or_default(), site.line)
    }

    /// A new object of the thread, made at the current instruction.
    pub(crate) fn make(&mut self, state: &mut State, size: TermId, heap: bool, rest: Rest) -> ObjId {
        let (function, block, inst) = self.place;
        let count = self.made.entry((self.current, function, block, inst)).or_insert(0);
        let key = crate::memory::Key::Made(self.current, function, block, *count, inst, heap);
        *count += 1;
        let object = self.objects.intern(key, size, false, self.site);
        self.sharing.fresh.insert(object, rest);
        state.memory.set(object, Contents::new(rest));
        object
    }
}
