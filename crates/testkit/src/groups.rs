//! Random programs by subject: exits and their handlers, signals, state of the process, clocks, retries, waits that ends cut off.
//!
//! A program of a group is one of [`generate`], with calls of the group put in at random places.

use crate::generate::{self, Random, Shape};
use crate::outside::{AREA_VARIABLES, Action, Becomes, Call, FIRST_IN_AREAS, Named};
use crate::program::{Instruction, Program, Value};

/// A subject of random programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// Exits by any thread, exit handlers that any thread registers, and what they do while other threads run.
    Exits,
    /// What signals do, and threads that send them to themselves.
    Signals,
    /// State of the process that has a name.
    States,
    /// Clocks that several threads look at.
    Clocks,
    /// Loops that try something a few times.
    Retries,
    /// Loops that wait, in programs whose process ends early.
    Awaits,
    /// Memory that goes: mappings, and variables of functions that return and of threads that end.
    Areas,
    /// Mappings that go.
    Mappings,
    /// Threads that run for ever from some point on, and what the others do meanwhile.
    Hangs,
    /// Some of everything but waits, areas and hangs.
    Mixed,
}

impl Group {
    /// All groups.
    pub const ALL: [Group; 10] = [
        Group::Exits,
        Group::Signals,
        Group::States,
        Group::Clocks,
        Group::Retries,
        Group::Awaits,
        Group::Areas,
        Group::Mappings,
        Group::Hangs,
        Group::Mixed,
    ];

    /// The name of the group on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Group::Exits => "exits",
            Group::Signals => "signals",
            Group::States => "states",
            Group::Clocks => "clocks",
            Group::Retries => "retries",
            Group::Awaits => "awaits",
            Group::Areas => "areas",
            Group::Mappings => "mappings",
            Group::Hangs => "hangs",
            Group::Mixed => "mixed",
        }
    }

    /// The group with this name.
    pub fn named(name: &str) -> Option<Group> {
        Group::ALL.into_iter().find(|group| group.name() == name)
    }

    /// Whether all interleavings of its programs can be enumerated. A loop that waits goes round as often as it is scheduled,
    /// unless it is taken for a wait.
    pub fn is_finite(self) -> bool {
        self != Group::Awaits
    }
}

/// The most functions of a program.
const FUNCTIONS: u64 = 3;

/// Draws a program of this group, with at most `operations` operations of a thread besides the calls of the group.
pub fn program(random: &mut Random, group: Group, operations: u64) -> Program {
    if matches!(group, Group::Areas | Group::Mappings) {
        return areas(random, operations, group == Group::Areas);
    }
    use generate::{ATOMICS, AWAITS, COMPARE, ENDS, JOINS, LOCKS, SEMAPHORES, THREADS, TRYLOCKS};
    let others = [ATOMICS, ATOMICS | LOCKS, ATOMICS | ENDS, ATOMICS | THREADS | JOINS, LOCKS | SEMAPHORES | ENDS];
    let kinds = match group {
        Group::Awaits => AWAITS | ENDS | [ATOMICS, LOCKS | TRYLOCKS, COMPARE][random.below(3) as usize],
        Group::Retries => [ATOMICS, LOCKS, LOCKS | ENDS][random.below(3) as usize],
        _ => others[random.below(others.len() as u64) as usize],
    };
    let shape = Shape { threads: 2 + random.below(2), operations: 1 + random.below(operations), kinds };
    let mut program = generate::program(random, shape);
    program.bounded = group != Group::Awaits;
    program.registers = matches!(group, Group::Exits | Group::Mixed);
    if matches!(group, Group::Exits | Group::Signals | Group::Mixed) {
        program.functions = (0..1 + random.below(FUNCTIONS)).map(|_| function(random)).collect();
        let last = program.functions.len() as u8 - 1;
        if program.registers && random.one_in(3) {
            // A handler that registers another one.
            program.functions[0].push(Instruction::Outside(Call::AtExit(last)));
            if last == 0 {
                program.functions.push(function(random));
                program.functions[0].pop();
                program.functions[0].push(Instruction::Outside(Call::AtExit(1)));
            }
        }
    }
    let calls = match group {
        Group::Awaits => random.below(2),
        _ => 1 + random.below(4),
    };
    let mut looks = vec![0; program.threads.len()];
    for _ in 0..calls {
        let thread = random.below(program.threads.len() as u64) as usize;
        // Clocks are looked at twice by a thread; more looks are not ordered.
        if group == Group::Clocks && looks[thread] == 2 {
            continue;
        }
        let piece = piece(random, group, &program, &mut looks[thread]);
        let code = &mut program.threads[thread];
        // Not in a loop that waits: it would not wait then.
        let at = if group == Group::Awaits { code.len() as u64 } else { random.below(code.len() as u64 + 1) };
        splice(code, at as usize, &piece);
    }
    program
}

/// Draws the instructions of a function: what a handler of a signal may do.
fn function(random: &mut Random) -> Vec<Instruction> {
    use Instruction::{Assert, FetchAdd, Load, Set, Store};
    let mut code = vec![Set(4, Value::Constant(0)), Set(5, Value::Constant(0))];
    for _ in 0..1 + random.below(2) {
        let variable = random.below(2) as u8;
        code.push(match random.below(5) {
            0 | 1 => Store(variable, Value::Constant(random.below(3))),
            2 => FetchAdd(variable, Value::Constant(1), 4),
            3 => Load(variable, 5),
            _ => Assert(5, random.below(2)),
        });
    }
    code
}

/// Draws a call of the group, or a loop.
fn piece(random: &mut Random, group: Group, program: &Program, looks: &mut u32) -> Vec<Instruction> {
    use Instruction::{Assert, BranchIf, Outside};
    let register = random.below(2) as u8;
    let function = random.below(program.functions.len().max(1) as u64) as u8;
    let group = match group {
        Group::Mixed => [Group::Exits, Group::Signals, Group::States, Group::Retries][random.below(4) as usize],
        other => other,
    };
    let call = match group {
        Group::Exits => match random.below(8) {
            0..=3 => Call::AtExit(function),
            4 => Call::AtQuickExit(function),
            5 => Call::QuickExit(random.below(3) as u8),
            _ => Call::Exit(random.below(3) as u8),
        },
        Group::Signals => {
            let signal = u8::from(random.one_in(4));
            match random.below(8) {
                0 | 1 => Call::Raise(signal),
                2 => Call::Signal(signal, Action::Ignore, register),
                3 => Call::Signal(signal, Action::Default, register),
                4 | 5 => Call::Signal(signal, Action::Handle(function), register),
                _ => Call::Signal(signal, Action::HandleOnce(function), register),
            }
        }
        Group::States => {
            let named = Named::ALL[random.below(Named::ALL.len() as u64) as usize];
            if named != Named::Mask && random.one_in(2) {
                Call::Look(named, register)
            } else {
                Call::Change(named, random.below(3) as u8, register)
            }
        }
        Group::Clocks => {
            *looks += 1;
            Call::Clock(register)
        }
        Group::Awaits => Call::Exit(random.below(2) as u8),
        Group::Hangs => {
            use Instruction::{Forever, Load};
            return vec![Load(random.below(2) as u8, register), BranchIf(register, random.below(2), 3), Forever];
        }
        Group::Retries | Group::Areas | Group::Mappings | Group::Mixed => return retries(random),
    };
    let mut piece = vec![Outside(call)];
    match random.below(6) {
        0 => piece.push(Assert(register, random.below(3))),
        1 => piece
            .extend([BranchIf(register, random.below(2), 3), Instruction::FetchAdd(0, Value::Constant(1), register)]),
        _ => {}
    }
    piece
}

/// Draws a program whose threads use areas that go. The main thread creates thread 1. That creates thread 2 in a function whose variables
/// are area 1, in its own function, whose variables are area 0. So both areas are there before thread 2 is.
/// Without `frames`, only mappings are used.
fn areas(random: &mut Random, operations: u64, frames: bool) -> Program {
    use Instruction::{Create, Exit, Join, Lock, Outside, Unlock};
    let user = |random: &mut Random, areas: &[u8]| {
        let mut code = Vec::new();
        for _ in 0..1 + random.below(operations) {
            let area = areas[random.below(areas.len() as u64) as usize];
            match random.below(8) {
                0 if area >= 2 => code.push(Outside(Call::Area(area, becomes(random)))),
                1 => {
                    let lock = random.below(2) as u8;
                    code.push(Lock(lock));
                    code.extend(access(random, area));
                    code.push(Unlock(lock));
                }
                _ => code.extend(access(random, area)),
            }
        }
        code
    };
    // What the mappings are is drawn once, so that threads meet.
    let mapping = 2 + random.below(2) as u8;
    let (inside, other) = if frames { ([0, 1, mapping], [0, 1, 1, mapping]) } else { ([mapping; 3], [mapping; 4]) };
    let mut owner = user(random, &inside);
    let at = random.below(owner.len() as u64 + 1) as usize;
    // No branch: what comes before and after are two functions of C.
    owner.truncate(at);
    owner.push(Create(2));
    owner.extend(user(random, &inside));
    if random.one_in(3) {
        owner.push(Join(2));
    }
    owner.push(Outside(Call::Area(1, Becomes::Dead)));
    owner.extend(user(random, &[mapping]));
    if random.one_in(4) {
        owner.push(Join(2));
    }
    owner.push(Outside(Call::Area(0, Becomes::Dead)));
    let mut joined = false;
    owner.retain(|instruction| *instruction != Join(2) || !std::mem::replace(&mut joined, true));
    let mut threads = vec![vec![Create(1)], owner, user(random, &other)];
    if random.one_in(2) {
        let more = user(random, &[mapping]);
        threads[0].extend(more);
    }
    if !random.one_in(4) {
        threads[0].push(Join(1));
    }
    if random.one_in(6) {
        threads[0].push(Exit(1));
    }
    Program { threads, ..Program::default() }
}

/// What may become of a mapping.
fn becomes(random: &mut Random) -> Becomes {
    [Becomes::Open, Becomes::Constant, Becomes::Forbidden, Becomes::Empty, Becomes::Unmapped][random.below(5) as usize]
}

/// Draws an access to a variable of an area.
fn access(random: &mut Random, area: u8) -> Vec<Instruction> {
    use Instruction::{Assert, FetchAdd, Load, PlainLoad, PlainStore, Store};
    let variable = FIRST_IN_AREAS + area * AREA_VARIABLES as u8 + random.below(AREA_VARIABLES as u64) as u8;
    let plain = variable - crate::executor::PLAIN as u8;
    let value = Value::Constant(1 + random.below(2));
    match random.below(8) {
        0..=2 => vec![PlainStore(plain, value)],
        3 => vec![PlainLoad(plain, 0)],
        4 => vec![PlainLoad(plain, 0), Assert(0, random.below(2))],
        5 => vec![Store(variable, value)],
        6 => vec![FetchAdd(variable, value, 0)],
        _ => vec![Load(variable, 0), Assert(0, random.below(2))],
    }
}

/// Draws a loop that tries something at most a few times. Register 6 counts.
fn retries(random: &mut Random) -> Vec<Instruction> {
    use Instruction::{Add, BranchIf, BranchUnless, CompareExchange, Load, Set, TryLock, Unlock};
    let (object, register) = (random.below(2) as u8, random.below(2) as u8);
    let (times, one) = (1 + random.below(2), Value::Constant(1));
    let begin = Set(6, Value::Constant(0));
    match random.below(3) {
        0 => vec![
            begin,
            TryLock(object, register),
            BranchIf(register, 0, 6),
            Add(6, one),
            BranchUnless(6, times, 1),
            Instruction::Jump(7),
            Unlock(object),
        ],
        1 => vec![
            begin,
            Load(object, register),
            BranchIf(register, random.below(3), 5),
            Add(6, one),
            BranchUnless(6, times, 1),
        ],
        _ => vec![
            begin,
            CompareExchange(object, Value::Constant(random.below(2)), one, register),
            BranchIf(register, 0, 5),
            Add(6, one),
            BranchUnless(6, times, 1),
        ],
    }
}

/// Puts `piece` in front of position `at`. Branches of the code keep their targets; those of the piece count from its beginning.
pub fn splice(code: &mut Vec<Instruction>, at: usize, piece: &[Instruction]) {
    let branches = |code: &mut [Instruction], change: &dyn Fn(u16) -> u16| {
        for instruction in code {
            if let Instruction::BranchIf(_, _, to) | Instruction::BranchUnless(_, _, to) | Instruction::Jump(to) =
                instruction
            {
                *to = change(*to);
            }
        }
    };
    branches(code, &|to| if to as usize > at { to + piece.len() as u16 } else { to });
    let mut piece = piece.to_vec();
    branches(&mut piece, &|to| to + at as u16);
    code.splice(at..at, piece);
}
