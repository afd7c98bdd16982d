//! Random scripted programs.

use heddle_model::{Wakeup, WakeupOrder as Turn};

use crate::program::{self, Instruction, Program, Value};
use crate::wait_loops;

/// A generator of random numbers. Equal seeds give equal numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number (splitmix64).
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// The limits of a random program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The largest number of threads besides the main one.
    pub threads: u64,
    /// The largest number of operations of one thread.
    pub operations: u64,
    /// The kinds of operations: a bit for each of the constants of this module.
    pub kinds: u32,
}

/// Mutexes.
pub const LOCKS: u32 = 1;
/// Trylocks.
pub const TRYLOCKS: u32 = 2;
/// Atomic variables.
pub const ATOMICS: u32 = 4;
/// Compare-exchange.
pub const COMPARE: u32 = 8;
/// Condition variables.
pub const CONDITIONS: u32 = 16;
/// Semaphores.
pub const SEMAPHORES: u32 = 32;
/// Data choices.
pub const CHOICES: u32 = 64;
/// Early ends: assertions, exit, a main thread that does not wait.
pub const ENDS: u32 = 128;
/// Threads that create, join and detach others.
pub const THREADS: u32 = 256;
/// Joins by threads other than the main one.
pub const JOINS: u32 = 512;
/// Recursive and error-checking mutexes, beside normal ones.
pub const KINDS: u32 = 1024;
/// Read-write locks.
pub const RWLOCKS: u32 = 2048;
/// Spin locks.
pub const SPIN_LOCKS: u32 = 4096;
/// Barriers.
pub const BARRIERS: u32 = 8192;
/// One-time initialisation.
pub const ONCE: u32 = 16384;
/// Threads that cancel others.
pub const CANCELS: u32 = 1 << 15;
/// Attempts to join.
pub const TRYJOINS: u32 = 1 << 16;
/// Robust mutexes, beside others.
pub const ROBUST: u32 = 1 << 17;
/// Read-write locks that prefer writers, beside others.
pub const PREFERS: u32 = 1 << 18;
/// Wait loops: loops that only read until another thread changes something.
pub const AWAITS: u32 = 1 << 19;
/// Timed operations on the objects of the other kinds, and spurious wakeups.
pub const TIMED: u32 = 1 << 20;
/// Futexes: sleeping on variables, with and without timeouts.
pub const FUTEXES: u32 = 1 << 21;
/// Assumptions about what was read.
pub const ASSUMES: u32 = 1 << 22;
/// Atomic sections.
pub const SECTIONS: u32 = 1 << 23;
/// Plain variables.
pub const PLAIN: u32 = 1 << 24;
/// Spurious failures of trylocks and compare-exchanges.
pub const FAILURES: u32 = 1 << 25;
/// Memory orders of the atomics of the other kinds, and fences.
pub const ORDERS: u32 = 1 << 26;
/// Wakeup policies: the objects have queues.
pub const QUEUES: u32 = 1 << 27;
/// Loops: some threads never end, others go round while a variable has some value.
pub const LOOPS: u32 = 1 << 28;
/// Everything that a C program can do as well, without atomic sections, which take more executions than others.
pub const ALL: u32 = 32767 | TIMED | FUTEXES | ASSUMES;
/// [`ALL`], and wait loops.
pub const EVERYTHING: u32 = ALL | AWAITS;
/// All kinds with traces that can be counted, without wait loops, which take long to enumerate.
pub const MIXED: u32 = ALL | CANCELS | TRYJOINS | ROBUST | PREFERS | FAILURES | QUEUES;
/// Kinds without an instruction of their own.
const OTHERWISE: u32 = JOINS | KINDS | ROBUST | PREFERS | FAILURES | QUEUES | LOOPS;

/// Chooses about a quarter of `kinds`.
pub fn some_of(kinds: u32, random: &mut Random) -> u32 {
    let some = kinds & random.number() as u32 & random.number() as u32;
    // A program needs a kind with instructions of its own, and a timeout needs something to wait for.
    if some & !OTHERWISE & !TIMED == 0 || some & TIMED != 0 { some | LOCKS } else { some }
}

/// Draws a program of about this shape.
pub fn program(random: &mut Random, shape: Shape) -> Program {
    let workers = 1 + random.below(shape.threads) as usize;
    // Joining a detached thread is meaningless, so a program either joins or detaches.
    let detaches = random.one_in(3);
    let shape = if detaches { Shape { kinds: shape.kinds & !JOINS, ..shape } } else { shape };
    let mut threads = vec![Vec::new()];
    for _ in 0..workers {
        let length = 1 + random.below(shape.operations) as usize;
        threads.push(body(random, shape, length));
    }
    let mut main = Vec::new();
    if shape.kinds & SEMAPHORES != 0 {
        for semaphore in 0..2 {
            main.push(Instruction::SemInit(semaphore, random.below(3) as u8));
        }
    }
    if shape.kinds & BARRIERS != 0 {
        main.extend((0..2).map(|barrier| Instruction::BarrierInit(barrier, 1 + random.below(3) as u8)));
    }
    let has = |random: &mut Random, kind| shape.kinds & kind != 0 && random.one_in(4);
    let mut created = Vec::new();
    for worker in 1..=workers as u8 {
        // Some threads are created by another thread.
        if worker > 1 && has(random, THREADS) {
            let parent = 1 + random.below(worker as u64 - 1) as usize;
            let at = random.below(threads[parent].len() as u64 + 1) as usize;
            // Not in a loop, which would then change something and never end.
            let at = if shape.kinds & AWAITS == 0 { at } else { threads[parent].len() };
            insert(&mut threads[parent], at, Instruction::Create(worker));
        } else {
            main.push(Instruction::Create(worker));
        }
        created.push(worker);
    }
    if random.one_in(2) {
        main.extend(body(random, shape, 2));
    }
    for worker in created {
        if has(random, ENDS) {
            continue;
        }
        main.push(if detaches && has(random, THREADS) {
            Instruction::Detach(worker)
        } else {
            Instruction::Join(worker)
        });
    }
    let shift = threads[0].len() as u16;
    debug_assert_eq!(shift, 0);
    threads[0] = relocate(main);
    if shape.kinds & LOOPS != 0 {
        threads[1..].iter_mut().for_each(|code| go_round(random, code));
    }
    let timed = shape.kinds & (TIMED | FUTEXES) != 0;
    let timeouts = if timed { random.below(4).min(2) as u32 } else { 0 };
    let spurious = if timed && random.one_in(3) { 1 } else { 0 };
    let failures = if shape.kinds & FAILURES != 0 { random.below(3) as u32 } else { 0 };
    let mut order = || Turn::from_code(random.below(3) as u32);
    let wakeup = match shape.kinds & QUEUES {
        0 => Wakeup::default(),
        _ => Wakeup { mutex: order(), cond: order(), sem: order(), rwlock: order() },
    };
    Program { threads, timeouts, spurious, failures, wakeup, ..Program::default() }
}

/// Makes a thread go round, for ever or while it reads some value, three times out of four. It does not count on the way,
/// so that it has few states.
fn go_round(random: &mut Random, code: &mut Vec<Instruction>) {
    use Instruction::*;
    // A thread is created once.
    if random.one_in(4) || code.iter().any(|instruction| matches!(instruction, Create(_))) {
        return;
    }
    for instruction in code.iter_mut() {
        if let FetchAdd(variable, _, register) = *instruction {
            *instruction = CompareExchange(variable, Value::Constant(0), Value::Constant(1), register);
        }
    }
    // An operation in each round: a thread that goes round by itself is no use to anybody.
    let register = random.below(2) as u8;
    code.push(Load(random.below(2) as u8, register));
    let start = if random.one_in(2) { 0 } else { random.below(code.len() as u64) as u16 };
    // Not into the middle of what belongs together.
    let start = if code[..=start as usize].iter().any(is_branch) { 0 } else { start };
    code.push(match random.below(4) {
        0 | 1 => Jump(start),
        2 => BranchIf(register, random.below(2), start),
        _ => BranchUnless(register, random.below(2), start),
    });
}

fn is_branch(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::BranchIf(..) | Instruction::BranchUnless(..) | Instruction::Jump(_))
}

/// Draws a message-passing program with random memory orders and fences. One thread writes plain memory and then an atomic
/// flag, another accesses the memory if it reads the flag, and perhaps a third one writes the flag in between. Whether
/// there is a data race depends on the memory orders alone.
pub fn publication(random: &mut Random) -> Program {
    use Instruction::*;
    let order = |random: &mut Random| Order([0, 0, 0, 1, 2, 3, 4, 5][random.below(8) as usize]);
    let fence = |random: &mut Random, code: &mut Vec<Instruction>| {
        if random.one_in(2) {
            code.extend([Order(2 + random.below(4) as u8), Fence]);
        }
    };
    let write = |random: &mut Random, code: &mut Vec<Instruction>, by: u64| {
        code.push(order(random));
        code.push(match random.below(4) {
            0 => FetchAdd(0, Value::Constant(by), 1),
            1 => CompareExchange(0, Value::Constant(random.below(2)), Value::Constant(by), 1),
            _ => Store(0, Value::Constant(by)),
        });
    };
    let mut publisher = vec![PlainStore(0, Value::Constant(1))];
    fence(random, &mut publisher);
    write(random, &mut publisher, 1);
    if random.one_in(3) {
        fence(random, &mut publisher);
        if random.one_in(3) {
            publisher.push(PlainStore(2, Value::Constant(1)));
        }
        write(random, &mut publisher, 2);
    }
    let mut reader = vec![order(random)];
    reader.push(match random.below(4) {
        0 => FetchAdd(0, Value::Constant(0), 0),
        1 => CompareExchange(0, Value::Constant(random.below(3)), Value::Constant(1), 0),
        _ => Load(0, 0),
    });
    let branch = reader.len();
    reader.push(Fence);
    fence(random, &mut reader);
    reader.push(if random.one_in(2) { PlainLoad(0, 1) } else { PlainStore(0, Value::Constant(2)) });
    if random.one_in(4) {
        reader.push(PlainLoad(2, 1));
    }
    let end = reader.len() as u16;
    reader[branch] = if random.one_in(2) { BranchIf(0, 0, end) } else { BranchUnless(0, 1 + random.below(2), end) };
    let mut threads = vec![publisher, reader];
    if random.one_in(2) {
        let mut between = Vec::new();
        if random.one_in(2) {
            between.extend([order(random), Load(0, 0)]);
            fence(random, &mut between);
        }
        let by = 1 + random.below(2);
        write(random, &mut between, by);
        threads.push(between);
    }
    Program::fork_join(threads)
}

/// Makes every branch skip the instruction after it. The main thread is put together from pieces, so targets that were
/// drawn for a piece mean nothing.
fn relocate(mut pieces: Vec<Instruction>) -> Vec<Instruction> {
    let length = pieces.len() as u16;
    for (at, instruction) in pieces.iter_mut().enumerate() {
        if let Instruction::BranchIf(_, _, to) | Instruction::BranchUnless(_, _, to) | Instruction::Jump(to) =
            instruction
        {
            *to = (at as u16 + 2).min(length);
        }
    }
    pieces
}

/// Inserts an instruction in front of position `at`. Branches keep their targets.
pub fn insert(code: &mut Vec<Instruction>, at: usize, instruction: Instruction) {
    for other in code.iter_mut() {
        if let Instruction::BranchIf(_, _, to) | Instruction::BranchUnless(_, _, to) | Instruction::Jump(to) = other
            && *to as usize > at
        {
            *to += 1;
        }
    }
    code.insert(at, instruction);
}

/// Draws the memory order of the next atomic operation, if the program has memory orders.
fn order_in(random: &mut Random, shape: Shape) -> Option<Instruction> {
    (shape.kinds & ORDERS != 0).then(|| Instruction::Order([0, 0, 1, 2, 3, 4, 5][random.below(7) as usize]))
}

fn body(random: &mut Random, shape: Shape, length: usize) -> Vec<Instruction> {
    use Instruction::*;
    let kinds: Vec<u32> = (0..27).map(|bit| 1 << bit).filter(|kind| shape.kinds & !OTHERWISE & kind != 0).collect();
    let mut entered: Vec<u8> = Vec::new();
    let mut code = Vec::new();
    let mut held: Vec<u8> = Vec::new();
    while code.len() < length {
        let register = random.below(2) as u8;
        let object = random.below(2) as u8;
        let mutex = object + if shape.kinds & KINDS != 0 { 4 * random.below(3) as u8 } else { 0 };
        let robust = shape.kinds & ROBUST != 0 && !random.one_in(3);
        let mutex = if robust { mutex + program::ROBUST } else { mutex };
        let prefers = shape.kinds & PREFERS != 0 && !random.one_in(3);
        let lock_of = |object: u8| if prefers { object + program::PREFERS_WRITERS } else { object };
        let value = if random.one_in(4) { Value::Register(register) } else { Value::Constant(random.below(3)) };
        match kinds[random.below(kinds.len() as u64) as usize] {
            LOCKS => match held.pop() {
                // One more lock or unlock of a mutex that checks its owner.
                Some(mutex) if mutex % program::ROBUST >= program::RECURSIVE && random.one_in(3) => {
                    code.extend([Lock(mutex), Unlock(mutex)].into_iter().skip(random.below(2) as usize));
                    held.extend(random.one_in(2).then_some(mutex));
                }
                Some(mutex) if random.one_in(2) => code.push(Unlock(mutex)),
                other => {
                    held.extend(other);
                    // Not with condition variables, because a wait without its mutex is misuse.
                    if shape.kinds & CONDITIONS == 0 && random.one_in(12) {
                        code.push(Unlock(mutex));
                    } else if held.contains(&mutex) && !random.one_in(8) {
                        code.push(Unlock(mutex));
                        held.retain(|&m| m != mutex);
                    } else {
                        code.push(Lock(mutex));
                        if robust && random.one_in(2) {
                            code.push(Consistent(mutex, register));
                        }
                        held.push(mutex);
                    }
                }
            },
            TRYLOCKS => {
                code.push(TryLock(mutex, register));
                // Past the unlock if it did not get it.
                let target = code.len() as u16 + 2;
                code.push(BranchUnless(register, 0, target));
                code.push(Unlock(mutex));
            }
            ATOMICS => {
                code.extend(order_in(random, shape));
                code.push(match random.below(6) {
                    0 | 1 => Load(object, register),
                    2 | 3 => Store(object, value),
                    4 => FetchAdd(object, value, register),
                    _ => {
                        let target = code.len() as u16 + 2;
                        BranchIf(register, random.below(2), target)
                    }
                });
            }
            ORDERS => code.extend([Order(2 + random.below(4) as u8), Fence]),
            COMPARE => {
                code.extend(order_in(random, shape));
                code.push(CompareExchange(object, Value::Constant(random.below(2)), value, register));
            }
            CONDITIONS => match random.below(4) {
                0 | 1 => {
                    let mutex = match held.last() {
                        Some(&mutex) => mutex,
                        None => {
                            code.push(Lock(0));
                            held.push(0);
                            0
                        }
                    };
                    code.push(Wait(object, mutex));
                }
                2 => code.push(Signal(object)),
                _ => code.push(if random.one_in(2) { Signal(object) } else { Broadcast(object) }),
            },
            SEMAPHORES => code.push(match random.below(6) {
                0 | 1 => SemWait(object),
                2 | 3 => SemPost(object),
                4 => SemTryWait(object, register),
                _ => SemValue(object, register),
            }),
            CHOICES => {
                code.push(Choose(2, register));
                if random.one_in(2) {
                    let target = code.len() as u16 + 2;
                    code.push(BranchIf(register, 0, target));
                }
            }
            CANCELS => code.push(match random.below(6) {
                0 | 1 => Cancel(1 + random.below(3) as u8),
                2 => TestCancel,
                3 => Cancellable(random.below(2) as u8),
                _ => SemWait(object),
            }),
            TRYJOINS => code.push(TryJoin(1 + random.below(3) as u8, register)),
            RWLOCKS => match (random.below(8), entered.pop()) {
                (0..4, Some(lock)) => code.push(RwUnlock(lock)),
                (what, lock) => {
                    entered.extend(lock);
                    match what {
                        0 | 1 | 4 => code.push(ReadLock(lock_of(object))),
                        2 | 5 => code.push(WriteLock(lock_of(object))),
                        3 if random.one_in(6) => code.push(RwUnlock(lock_of(object))),
                        _ => {
                            let writes = random.one_in(2);
                            code.push(if writes {
                                TryWriteLock(lock_of(object), register)
                            } else {
                                TryReadLock(lock_of(object), register)
                            });
                            let target = code.len() as u16 + 2;
                            code.push(BranchUnless(register, 0, target));
                            code.push(RwUnlock(lock_of(object)));
                            continue;
                        }
                    }
                    if !matches!(code.last(), Some(RwUnlock(_))) {
                        entered.push(lock_of(object));
                    }
                }
            },
            SPIN_LOCKS => {
                if random.one_in(2) {
                    code.push(SpinLock(object));
                } else {
                    code.push(SpinTryLock(object, register));
                    let target = code.len() as u16 + 2;
                    code.push(BranchUnless(register, 0, target));
                }
                code.push(SpinUnlock(object));
            }
            FUTEXES => match random.below(8) {
                0 | 1 => code.push(FutexWait(object, random.below(2) as u8, register)),
                2 => code.push(FutexTimedWait(object, random.below(2) as u8, register)),
                3 | 4 => code.push(FutexWake(object, 1 + random.below(2) as u8, register)),
                5 => code.push(FutexRequeue(object, 1 - object, random.below(3) as u8, register)),
                6 => code.push(FutexCompareRequeue(object, 1 - object, random.below(3) as u8, register)),
                _ => code.push(Store(object, Value::Constant(random.below(2)))),
            },
            TIMED => {
                if shape.kinds & TRYJOINS != 0 && random.one_in(2) {
                    code.push(TimedJoin(1 + random.below(3) as u8, register));
                    continue;
                }
                let possible: Vec<u32> = [LOCKS, CONDITIONS, SEMAPHORES, RWLOCKS]
                    .into_iter()
                    .filter(|kind| shape.kinds & kind != 0)
                    .collect();
                let Some(&kind) = possible.get(random.below(possible.len().max(1) as u64) as usize) else { continue };
                match kind {
                    LOCKS => code.push(TimedLock(mutex, register)),
                    RWLOCKS if random.one_in(2) => code.push(TimedReadLock(lock_of(object), register)),
                    RWLOCKS => code.push(TimedWriteLock(lock_of(object), register)),
                    SEMAPHORES => code.push(SemTimedWait(object, register)),
                    _ => {
                        if held.is_empty() {
                            code.push(Lock(0));
                            held.push(0);
                        }
                        code.push(TimedWait(object, *held.last().unwrap_or(&0), register));
                    }
                }
                // Past the unlock if it did not get it.
                let unlock = match kind {
                    LOCKS => Unlock(mutex),
                    RWLOCKS => RwUnlock(lock_of(object)),
                    SEMAPHORES => SemPost(object),
                    _ => Signal(object),
                };
                let target = code.len() as u16 + 2;
                code.push(BranchUnless(register, 0, target));
                code.push(unlock);
            }
            BARRIERS => code.push(BarrierWait(object, register)),
            ONCE => code.push(Once(object, register)),
            AWAITS => wait_loops::add(random, &mut code, object, register),
            SECTIONS => {
                let inside = random.below(3) as usize;
                let kinds = shape.kinds & (ATOMICS | COMPARE | CHOICES | ASSUMES | TRYLOCKS | SEMAPHORES);
                // No branch leads into a section, or out of it.
                let ends_in_branch =
                    |code: &[Instruction]| matches!(code.last(), Some(BranchIf(..) | BranchUnless(..)));
                if ends_in_branch(&code) {
                    code.push(Fence);
                }
                code.push(AtomicBegin);
                if kinds != 0 && inside > 0 {
                    let at = code.len() as u16;
                    let mut body = body(random, Shape { kinds, ..shape }, inside);
                    for instruction in &mut body {
                        if let BranchIf(_, _, to) | BranchUnless(_, _, to) | Jump(to) = instruction {
                            *to += at;
                        }
                    }
                    code.extend(body);
                }
                if ends_in_branch(&code) {
                    code.push(Fence);
                }
                code.push(AtomicEnd);
            }
            PLAIN => code.push(match random.below(2) {
                0 => PlainLoad(random.below(3) as u8, register),
                _ => PlainStore(random.below(3) as u8, value),
            }),
            ASSUMES => code.push(Assume(register, random.below(2))),
            ENDS => match random.below(8) {
                0 => code.push(Exit(1)),
                1 | 2 => code.push(Assert(register, random.below(2))),
                3 => code.push(Fence),
                _ => {}
            },
            _ => match random.below(4) {
                0 => code.push(Yield),
                1 if shape.kinds & JOINS != 0 => code.push(Join(1 + random.below(3) as u8)),
                _ => code.push(Load(object, register)),
            },
        }
    }
    while let Some(mutex) = held.pop() {
        if !random.one_in(6) {
            code.push(Unlock(mutex));
        }
    }
    while let Some(lock) = entered.pop() {
        if !random.one_in(6) {
            code.push(RwUnlock(lock));
        }
    }
    let length = code.len() as u16;
    for instruction in &mut code {
        if let BranchIf(_, _, to) | BranchUnless(_, _, to) | Jump(to) = instruction {
            *to = (*to).min(length);
        }
    }
    code
}
