//! Asks all questions about a program for all inputs and all orders, with loops unwound to a bound.
//!
//! The answer *possible* is a [`Conjecture`]: inputs and an order. Only an execution of the program makes it a finding.

mod conjecture;
mod decide;
mod deepen;
mod follow;
mod misuse;
mod translate;

use std::time::{Duration, Instant};

pub use crate::order::{Encoding, Family};

use crate::ir::{Module, Site};
use crate::machine::{Machine, Options, Refusal};
use crate::order::Query;
use crate::solve::Budget;
pub use conjecture::{Conjecture, Given, Step, Wrong};
pub use deepen::{Conclusion, Event, deepen, deepen_by};
use translate::{CHECKS, CUTS};

/// What is asked, and how much it may cost.
#[derive(Clone, Debug)]
pub struct Question {
    /// The most iterations of each loop.
    pub unwind: u32,
    /// Loops with a bound of their own: file, line, most iterations.
    pub unwind_loops: Vec<(u32, u32, u32)>,
    /// The most instructions of a thread.
    pub steps: u64,
    /// Overflow and shifts too.
    pub undefined: bool,
    /// Blocks that are never freed too.
    pub leaks: bool,
    /// Data races too.
    pub races: bool,
    /// Everybody waiting for ever too.
    pub deadlocks: bool,
    /// An exit status that is not 0 too.
    pub exits: bool,
    /// How orders are expressed.
    pub encoding: Encoding,
    /// Every answer *impossible* is checked by its proof.
    pub certify: bool,
    /// A family of clauses that is left out: the tests must notice.
    pub without: Option<Family>,
    /// What is not asked again.
    pub known: Vec<Wrong>,
    /// Gives up at this time.
    pub deadline: Option<Instant>,
    /// Gives up when this thread has computed for so long in all.
    pub computed: Option<Duration>,
    /// Gives up when the process uses more bytes of memory.
    pub memory: Option<u64>,
    /// Gives up when this is set.
    pub stop: Option<&'static std::sync::atomic::AtomicBool>,
}

impl Default for Question {
    fn default() -> Self {
        Question {
            unwind: 8,
            unwind_loops: Vec::new(),
            steps: 2_000_000,
            undefined: false,
            leaks: false,
            races: false,
            deadlocks: true,
            exits: false,
            encoding: Encoding::Order,
            certify: false,
            without: None,
            known: Vec::new(),
            deadline: None,
            computed: None,
            memory: None,
            stop: None,
        }
    }
}

/// What is known after one bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing of what was asked can happen, for any input, in any order, and no loop was cut.
    Safe,
    /// Nothing can happen within the bounds; these places were reached with more to do.
    Cut(Vec<Site>),
    /// This may happen.
    Possible(Box<Conjecture>),
    /// Time or memory were used up.
    Unknown(String),
}

impl Default for Verdict {
    fn default() -> Self {
        Verdict::Unknown("the limits of time and memory were reached".to_owned())
    }
}

/// What answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// One formula over all orders.
    #[default]
    Order,
    /// Executions for all inputs, one for each trace.
    Trace,
}

/// An answer, with what it took.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// What is known.
    pub verdict: Verdict,
    /// How many events the threads have.
    pub events: usize,
    /// How many threads there are.
    pub threads: usize,
    /// How many questions the solver was asked.
    pub queries: u32,
    /// How many formulas were made.
    pub formulas: u32,
    /// How often the last question was asked with more allowed, by underapproximation or with lazy data.
    pub iterations: u64,
    /// How many answers were checked by their proofs.
    pub certified: u32,
    /// How many conflicts the solver had.
    pub conflicts: u64,
    /// How often the threads were executed.
    pub rounds: u32,
    /// Why misuse of primitives was not looked for; none if it was.
    pub misuse: Option<&'static str>,
    /// The engine that answered.
    pub engine: Engine,
    /// Whether only executions with few switches were looked at, as was asked.
    pub bounded: bool,
    /// How often each thread may time out while others could go on, if it would have done so more often.
    pub timeouts: Option<u32>,
    /// How many executions were looked at one by one.
    pub executions: u64,
    /// Library functions whose models were used.
    pub modelled: Vec<String>,
    /// The loops that were unwound: the most iterations of each.
    pub unwound: Vec<(Site, u32)>,
}

/// Asks about a program. Needs a large stack: [`with_stack`].
///
/// # Errors
///
/// What is not followed, and where.
pub fn ask(module: &Module, question: &Question) -> Result<Answer, Refusal> {
    let options = Options {
        unwind: question.unwind,
        unwind_loops: question.unwind_loops.clone(),
        steps: question.steps,
        undefined: question.undefined,
        leaks: question.leaks,
        exits: question.exits,
        ..Options::default()
    };
    let budget = Budget {
        deadline: question.deadline,
        computed: question.computed,
        memory: question.memory,
        stop: question.stop,
        conflicts: None,
    };
    let mut machine = Machine::new(module, options);
    machine.budget = budget;
    let mut answer = Answer::default();
    let rounds = match machine.execute() {
        Ok(rounds) => rounds,
        Err(_) if machine.is_over() => return Ok(answer),
        Err(refusal) => return Err(refusal),
    };
    let translated = translate::translate(&mut machine, &question.known)?;
    answer.events = translated.program.threads.iter().map(|thread| thread.events.len()).sum();
    answer.threads = translated.program.threads.len();
    answer.rounds = rounds;
    answer.modelled = machine.modelled.iter().cloned().collect();
    answer.unwound = machine.unwound.iter().map(|(site, most)| (*site, *most)).collect();
    let mut queries = vec![Query::Property(CHECKS)];
    if question.deadlocks && !question.known.contains(&Wrong::Deadlock) {
        queries.push(Query::Deadlock);
    }
    if question.races {
        queries.push(Query::AnyRace);
    }
    queries.push(Query::Property(CUTS));
    decide::decide(&mut machine, &translated, question, &queries, budget, &mut answer);
    Ok(answer)
}

/// Runs on a thread with a large stack: execution recurses where branches are open.
///
/// # Panics
///
/// As `run` does, and when there is no memory for a stack.
pub fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        // Where memory cannot be reserved that is never used, a smaller stack does.
        let fits = |size: &&usize| {
            let probe = std::thread::Builder::new().stack_size(**size).spawn_scoped(scope, || ());
            probe.is_ok_and(|probe| probe.join().is_ok())
        };
        let size = STACKS.iter().find(fits).unwrap_or(&STACKS[STACKS.len() - 1]);
        let thread = std::thread::Builder::new().stack_size(*size).spawn_scoped(scope, run);
        match thread.expect("memory for a stack").join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Reserved, not used: pages cost nothing until they are touched.
const STACKS: [usize; 3] = [4 << 30, 1 << 30, 128 << 20];

/// Whether a function means no more than its model says.
pub fn is_understood(name: &str) -> bool {
    [
        "__VERIFIER_",
        "__assert_fail",
        "reach_error",
        "pthread_",
        "sem_",
        "mtx_",
        "cnd_",
        "thrd_",
        "llvm.",
        "abort",
        "exit",
    ]
    .iter()
    .any(|known| name.starts_with(known))
}
