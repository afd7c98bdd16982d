//! What scripts do to state of the process: exit handlers, what signals do, state by name, clocks.
//!
//! The operations are the model's ([`heddle_model::primitive::process_state`]), and so is what commutes. The state itself, which
//! the kernel and libc have in a real program, is here. So the claims of the model can be held against brute force, and the
//! runtime against scripts.

use heddle_model::primitive::process_state::{How, State, and_reads, within_limits};
use heddle_model::primitive::{atomic, memory, process, process_state, thread};
use heddle_model::{Ending, Event, Operation, ThreadId};

use crate::interpret::Position;
use crate::program::{Instruction, Program, Register};
use crate::variables::Variables;

/// A call that looks at state of the process or changes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Call {
    /// Registers a function of [`Program::functions`] to run at the exit (`atexit`, `on_exit`).
    AtExit(u8),
    /// Registers a function to run at `quick_exit`.
    AtQuickExit(u8),
    /// Exits with this status, after the functions that are registered, the last one first.
    Exit(u8),
    /// Exits with this status, after the functions that are registered for that.
    QuickExit(u8),
    /// Sets what a signal does. The register gets what it did before.
    Signal(u8, Action, Register),
    /// Sends the calling thread a signal.
    Raise(u8),
    /// Looks at a state. The register gets its value.
    Look(Named, Register),
    /// Changes a state to this value. The register gets the value before, if the call of C returns it, else 0.
    Change(Named, u8, Register),
    /// Looks at the clock. The register gets the number of looks before.
    Clock(Register),
    /// Something becomes of an area of memory.
    Area(u8, Becomes),
}

/// What a signal does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Action {
    /// It ends the process.
    #[default]
    Default,
    /// Nothing.
    Ignore,
    /// It runs a function of [`Program::functions`].
    Handle(u8),
    /// It runs a function, once: then it ends the process again.
    HandleOnce(u8),
}

impl Action {
    /// The number that a register gets for it.
    pub fn number(self) -> u64 {
        match self {
            Action::Default => 0,
            Action::Ignore => 1,
            Action::Handle(function) | Action::HandleOnce(function) => 2 + u64::from(function),
        }
    }
}

/// What becomes of an area of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Becomes {
    /// It can be accessed (`mprotect`).
    #[default]
    Open,
    /// It can only be read (`mprotect`).
    Constant,
    /// It cannot be accessed (`mprotect`).
    Forbidden,
    /// Its contents are zero (`madvise`).
    Empty,
    /// It is gone (`munmap`).
    Unmapped,
    /// The function has returned, or the thread has ended, whose variables were there.
    Dead,
}

/// The number of areas. The first one is the frame of a thread's function, the second one that of a function that it calls, the
/// others are mappings.
pub const AREAS: usize = 4;
/// The number of variables in an area.
pub const AREA_VARIABLES: usize = 2;
/// The number of the first variable in an area, among all variables.
pub const FIRST_IN_AREAS: u8 = 32;
/// Where the first area lies. They are a page apart.
pub const AREAS_AT: u64 = 0x90000;

/// The address of variable `variable` in an area.
pub(crate) const fn in_area(variable: u8) -> u64 {
    let number = (variable - FIRST_IN_AREAS) as u64;
    AREAS_AT + number / AREA_VARIABLES as u64 * 0x1000 + number % AREA_VARIABLES as u64 * 4
}

/// The area and the number of the variable at this address, if it is in an area.
pub(crate) fn variable_in_area(address: u64) -> Option<(usize, usize)> {
    let offset = address.checked_sub(AREAS_AT)?;
    let area = (offset / 0x1000) as usize;
    (area < AREAS).then(|| (area, FIRST_IN_AREAS as usize + area * AREA_VARIABLES + (offset % 0x1000 / 4) as usize))
}

/// A state of the process that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Named {
    /// A variable of the environment.
    Environment,
    /// A limit of the process.
    Limit,
    /// The mode bits that new files do not get.
    Mask,
    /// The working directory.
    Directory,
}

impl Named {
    /// All of them.
    pub const ALL: [Named; 4] = [Named::Environment, Named::Limit, Named::Mask, Named::Directory];

    fn look(self) -> Operation {
        match self {
            Named::Environment => State::Environment.operation(How::Read, 0),
            Named::Limit => State::Limits.operation(How::Read, 0),
            // Nothing only looks at it.
            Named::Mask => State::FileModeMask.operation(How::Change, 0),
            Named::Directory => within_limits(State::FileNames.operation(How::Read, 0)),
        }
    }

    fn change(self) -> Operation {
        match self {
            Named::Environment => State::Environment.operation(How::Change, 0),
            Named::Limit => State::Limits.operation(How::Change, 0),
            Named::Mask => State::FileModeMask.operation(How::Change, 0),
            Named::Directory => {
                within_limits(and_reads(State::FileNames.operation(How::Change, 0), State::FileModeMask.part(0)))
            }
        }
    }
}

/// The numbers of the signals of scripts.
pub const SIGNALS: [u8; 2] = [10, 12];

/// A rule of the model that a test leaves out, to see that it is needed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Registering an exit handler and taking one are changes.
    ExitHandlers,
    /// A signal that is sent looks at what it does.
    SignalLooks,
    /// To set what a signal does is a change.
    SignalChanges,
    /// Taking a handler that runs once is a change.
    HandlerRemoved,
    /// A change of a state by name is a change.
    NamedChanges,
    /// A look at a state by name is a look.
    NamedLooks,
    /// A look at a clock commutes with no other.
    Clocks,
    /// What becomes of an area is a write to it.
    Areas,
}

/// Where a thread is that runs functions of the program or exits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Calls {
    /// The function that the thread runs, and where its own code goes on.
    function: Option<(u8, usize)>,
    /// The status of the exit that is under way, and whether it is a quick one.
    exit: Option<(u8, bool)>,
    /// The exit has found no more handlers.
    last: bool,
    /// The thread has seen a handler that runs once, and is about to take it.
    takes: bool,
    /// How the process ends next.
    pub(crate) ends: Option<Ending>,
}

impl Calls {
    /// The instructions that the thread runs now.
    pub(crate) fn code<'p>(&self, program: &'p Program, thread: ThreadId) -> &'p [Instruction] {
        match self.function {
            Some((function, _)) => &program.functions[function as usize],
            None => &program.threads[thread.index()],
        }
    }
}

/// The end of a function that a handler is: goes on where it was called. False if the thread runs its own code.
pub(crate) fn returns(position: &mut Position) -> bool {
    let Some((_, back)) = position.calls.function.take() else { return false };
    position.next = back;
    true
}

/// Whether `event` of a thread at `position` belongs to a call of this file.
pub(crate) fn is_call(program: &Program, thread: ThreadId, position: &Position, event: &Event) -> bool {
    if event.operation.code.family() == process_state::FAMILY {
        return true;
    }
    let at = position.calls.code(program, thread).get(position.next);
    event.operation.code.family() == memory::FAMILY && matches!(at, Some(Instruction::Outside(_)))
}

/// State of the process. Reset for each execution.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Process {
    /// The functions that are registered, and whether for a quick exit.
    handlers: Vec<(u8, bool)>,
    actions: [Action; SIGNALS.len()],
    named: [u64; Named::ALL.len()],
    looks: u64,
    /// How many threads each thread has created and not joined, with those that the joined ones left behind.
    unjoined: Vec<u32>,
    areas: [Becomes; AREAS],
    creators: Vec<ThreadId>,
    /// The rule that is left out.
    pub(crate) without: Option<Rule>,
}

impl Process {
    /// Begins an execution.
    pub(crate) fn reset(&mut self, threads: usize) {
        let Process { handlers, actions, named, looks, unjoined, areas, creators, without: _ } = self;
        handlers.clear();
        (*actions, *named, *looks, *areas) = Default::default();
        unjoined.clear();
        unjoined.resize(threads, 0);
        creators.clear();
        creators.resize(threads, ThreadId::MAIN);
    }

    /// How many exit handlers are registered.
    pub(crate) fn handlers(&self) -> usize {
        self.handlers.len()
    }

    /// Takes note of an event: which threads there are decides whether calls are operations.
    pub(crate) fn observe(&mut self, event: &Event) {
        let Some(target) = event.operation.object.as_thread().filter(|t| t.index() < self.unjoined.len()) else {
            return;
        };
        let by = event.thread.index();
        match event.operation.code {
            thread::CREATE => {
                self.unjoined[by] += 1;
                self.creators[target.index()] = event.thread;
            }
            thread::JOIN | thread::TRYJOIN | thread::TIMEDJOIN if event.result == 0 && !event.failed() => {
                let one = u32::from(self.creators[target.index()] == event.thread);
                self.unjoined[by] = self.unjoined[by] + self.unjoined[target.index()] - one;
            }
            _ => {}
        }
    }

    /// Whether no other thread can tell what `thread` does: it is the main thread, and has joined all others.
    fn is_alone(&self, thread: ThreadId) -> bool {
        thread == ThreadId::MAIN && self.unjoined[0] == 0
    }

    /// The next operation of a thread that exits or is about to end the process. `None` if it goes on with its code.
    pub(crate) fn leaves(&mut self, program: &Program, thread: ThreadId, position: &mut Position) -> Option<Operation> {
        loop {
            if let Some(ending) = position.calls.ends {
                return Some(process::end(ending));
            }
            if position.calls.function.is_some() {
                return None;
            }
            let (status, quick) = position.calls.exit?;
            if position.calls.last {
                return Some(process::end(Ending::Exit { status: status.into() }));
            }
            if program.registers && !self.is_alone(thread) {
                let state = if quick { State::QuickExitHandlers } else { State::ExitHandlers };
                return Some(self.weakened(state.operation(How::Change, 0), Rule::ExitHandlers));
            }
            self.take_handler(position);
        }
    }

    /// How the process ends because of an access to memory that cannot be accessed. `None` if it can be accessed.
    pub(crate) fn denies(&self, event: &Event) -> Option<Ending> {
        const SIGSEGV: u8 = 11;
        let (code, family) = (event.operation.code, event.operation.code.family());
        if family != atomic::FAMILY && family != memory::FAMILY {
            return None;
        }
        let (area, _) = variable_in_area(event.operation.object.0)?;
        let writes = code != memory::READ && code != atomic::LOAD;
        match self.areas[area] {
            Becomes::Dead => Some(Ending::Memory),
            Becomes::Constant if !writes => None,
            Becomes::Constant | Becomes::Forbidden | Becomes::Unmapped => {
                Some(Ending::Crash { signal: SIGSEGV, overflow: false })
            }
            Becomes::Open | Becomes::Empty => None,
        }
    }

    /// Begins the exit of a thread.
    pub(crate) fn exits(position: &mut Position, status: u8, quick: bool) {
        position.calls.exit = Some((status, quick));
    }

    fn take_handler(&mut self, position: &mut Position) {
        let quick = position.calls.exit.is_some_and(|(_, quick)| quick);
        match self.handlers.iter().rposition(|&(_, it)| it == quick) {
            Some(at) => {
                position.calls.function = Some((self.handlers.remove(at).0, 0));
                position.next = 0;
            }
            None => position.calls.last = true,
        }
    }

    /// `operation`, as it is if `rule` holds, or weaker if that is left out.
    fn weakened(&self, operation: Operation, rule: Rule) -> Operation {
        if self.without != Some(rule) {
            return operation;
        }
        let state = State::of(operation.code).unwrap_or(State::Log);
        match rule {
            // Looks at something that nobody changes.
            Rule::SignalLooks | Rule::NamedLooks => state.operation(How::Read, 1 << 10),
            _ => Operation { code: state.code(How::Read), ..operation },
        }
    }

    /// The operation of `call`. `None` if it is none, and was made.
    pub(crate) fn call(&mut self, call: Call, thread: ThreadId, position: &mut Position) -> Option<Operation> {
        let signal = |how, signal: u8| State::SignalAction.operation(how, SIGNALS[signal as usize].into());
        let operation = match call {
            Call::Exit(status) | Call::QuickExit(status) => {
                Process::exits(position, status, matches!(call, Call::QuickExit(_)));
                return None;
            }
            Call::AtExit(_) => self.weakened(State::ExitHandlers.operation(How::Change, 0), Rule::ExitHandlers),
            Call::AtQuickExit(_) => {
                self.weakened(State::QuickExitHandlers.operation(How::Change, 0), Rule::ExitHandlers)
            }
            Call::Signal(number, ..) => self.weakened(signal(How::Change, number), Rule::SignalChanges),
            Call::Raise(number) if position.calls.takes => {
                self.weakened(signal(How::Change, number), Rule::HandlerRemoved)
            }
            Call::Raise(number) => self.weakened(signal(How::Read, number), Rule::SignalLooks),
            Call::Look(named, _) => self.weakened(named.look(), Rule::NamedLooks),
            Call::Change(named, ..) => self.weakened(named.change(), Rule::NamedChanges),
            Call::Clock(_) => self.weakened(State::Clock.operation(How::Change, 0), Rule::Clocks),
            Call::Area(area, _) => {
                let code = if self.without == Some(Rule::Areas) { memory::READ } else { memory::WRITE };
                return Some(memory::access(code, AREAS_AT + u64::from(area) * 0x1000, 0x1000));
            }
        };
        if !self.is_alone(thread) {
            return Some(operation);
        }
        loop {
            self.made(call, position);
            if !position.calls.takes {
                return None;
            }
        }
    }

    /// Updates the state and the position of a thread after an event on state of the process.
    pub(crate) fn finish(
        &mut self,
        program: &Program,
        variables: &Variables,
        thread: ThreadId,
        position: &mut Position,
    ) {
        if position.calls.exit.is_some() && position.calls.function.is_none() {
            return self.take_handler(position);
        }
        if let Instruction::Outside(call) = position.calls.code(program, thread)[position.next] {
            self.made(call, position);
            if let Call::Area(area, Becomes::Empty) = call
                && self.areas[area as usize] != Becomes::Unmapped
            {
                let first = FIRST_IN_AREAS as usize + area as usize * AREA_VARIABLES;
                variables.cells[first..first + AREA_VARIABLES].iter().for_each(|cell| cell.set(0));
            }
        }
    }

    /// Makes a call: changes the state, and goes to the next instruction.
    fn made(&mut self, call: Call, position: &mut Position) {
        let at = position.next;
        position.next += 1;
        let mut gives = |register: Register, value| position.registers[register as usize] = value;
        match call {
            Call::AtExit(function) => self.handlers.push((function, false)),
            Call::AtQuickExit(function) => self.handlers.push((function, true)),
            Call::Signal(signal, action, register) => {
                let before = std::mem::replace(&mut self.actions[signal as usize], action);
                gives(register, before.number());
            }
            Call::Raise(signal) => {
                let action = self.actions[signal as usize];
                match action {
                    Action::HandleOnce(_) if !position.calls.takes => {
                        position.calls.takes = true;
                        position.next = at;
                        return;
                    }
                    Action::Default => {
                        let signal = SIGNALS[signal as usize];
                        position.calls.ends = Some(Ending::Crash { signal, overflow: false });
                    }
                    Action::Ignore => {}
                    Action::Handle(function) | Action::HandleOnce(function) => {
                        if matches!(action, Action::HandleOnce(_)) {
                            self.actions[signal as usize] = Action::Default;
                        }
                        position.calls.function = Some((function, position.next));
                        position.next = 0;
                    }
                }
                position.calls.takes = false;
            }
            Call::Look(named, register) => gives(register, self.named[named as usize]),
            Call::Change(named, value, register) => {
                let before = std::mem::replace(&mut self.named[named as usize], value.into());
                gives(register, if named == Named::Mask { before } else { 0 });
            }
            Call::Clock(register) => {
                gives(register, self.looks);
                self.looks += 1;
            }
            Call::Area(_, Becomes::Empty) | Call::Exit(_) | Call::QuickExit(_) => {}
            // What is not mapped stays so.
            Call::Area(area, _) if self.areas[area as usize] == Becomes::Unmapped => {}
            Call::Area(area, becomes) => self.areas[area as usize] = becomes,
        }
    }
}
