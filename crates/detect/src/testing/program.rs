//! Random programs: what some threads do, one after the other.

use std::vec::Vec;

use heddle_model::primitive::{atomic, futex, process, section, semaphore};
use heddle_model::race::Access;
use heddle_model::{Ending, Event, EventFlags, ObjectId, OpCode, Operation, ThreadId};
use proptest::prelude::*;

/// How many threads random programs have.
pub const THREADS: usize = 7;

/// Where atomics lie; accesses lie there, too.
const ATOMICS: u64 = 0x1000;
/// Where semaphores lie. Neighbours, so that they share granules.
const SEMAPHORES: u64 = 0x2000;

/// What a thread does.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// An atomic operation with orders by the compilers' numbers: of the operation, and if it fails.
    Atomic { code: OpCode, offset: u64, size: u16, order: u32, failure: u32, fails: bool },
    /// An operation of a semaphore.
    Semaphore { code: OpCode, number: u64 },
    /// A wake of the waiters for a futex.
    Wake { offset: u64 },
    /// A section begins.
    Begin,
    /// A section ends.
    End,
    /// The end of the process: after everything.
    Last,
    /// A plain access.
    Access { offset: usize, size: usize, how: Access, pc: u64 },
}

/// The event of an action of `thread`; none for an access.
pub fn event_of(thread: usize, action: Action) -> Option<Event> {
    let mut flags = EventFlags::NONE;
    let operation = match action {
        Action::Atomic { code, offset, size, order, failure, fails } => {
            if fails && code == atomic::COMPARE_EXCHANGE {
                flags = EventFlags::FAILED;
            }
            let plain = Operation::new(code, ObjectId(ATOMICS + offset));
            Operation { size, detail: atomic::orders(order, failure), ..plain }
        }
        Action::Semaphore { code, number } => Operation::new(code, ObjectId(SEMAPHORES + number)),
        Action::Wake { offset } => futex::wake(ObjectId(ATOMICS + offset / 4 * 4), 1, 0),
        Action::Begin => Operation::new(section::BEGIN, ObjectId::NONE),
        Action::End => Operation::new(section::END, ObjectId::NONE),
        Action::Last => process::end(Ending::Exit { status: 0 }),
        Action::Access { .. } => return None,
    };
    Some(Event { operation, thread: ThreadId(thread as u16), flags, ..Event::default() })
}

fn atomics() -> impl Strategy<Value = Action> {
    let codes = [atomic::LOAD, atomic::STORE, atomic::RMW, atomic::COMPARE_EXCHANGE, atomic::FENCE];
    let sizes = prop::sample::select(std::vec![1u16, 2, 4, 8, 16]);
    (prop::sample::select(codes.to_vec()), 0u64..8, sizes, 0u32..6, 0u32..6, any::<bool>()).prop_map(
        |(code, at, size, order, failure, fails)| Action::Atomic {
            code,
            offset: at * size as u64 % 32,
            size,
            order,
            failure,
            fails,
        },
    )
}

fn accesses() -> impl Strategy<Value = Action> {
    let how = prop::sample::select(std::vec![
        Access::new(false, false),
        Access::new(true, false),
        Access::new(false, true),
        Access::new(true, true),
        Access::FREEING,
        Access::ENDING,
    ]);
    (0usize..24, prop::sample::select(std::vec![1usize, 1, 2, 4, 8, 13, 24]), how, 1u64..4)
        .prop_map(|(offset, size, how, pc)| Action::Access { offset: ATOMICS as usize + offset, size, how, pc })
}

/// Random actions, each with the thread that takes it. `plain`: accesses are among them, many.
pub fn actions(plain: bool) -> impl Strategy<Value = Vec<(usize, Action)>> {
    let semaphores = prop::sample::select(std::vec![semaphore::POST, semaphore::WAIT, semaphore::GETVALUE]);
    let action = prop_oneof![
        10 => atomics(),
        4 => (semaphores, 0u64..3).prop_map(|(code, number)| Action::Semaphore { code, number }),
        1 => (0u64..16).prop_map(|offset| Action::Wake { offset }),
        1 => Just(Action::Begin),
        1 => Just(Action::End),
        (if plain { 40 } else { 1 }) => accesses(),
    ];
    let last = prop_oneof![60 => action, 1 => Just(Action::Last)];
    // Miri is a hundred times slower.
    prop::collection::vec((0..THREADS, last), 1..if cfg!(miri) { 12 } else { 120 })
}
