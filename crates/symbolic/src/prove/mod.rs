//! Asks all questions about a program for all inputs and all orders, with loops unwound to a bound.
//!
//! The answer *possible* is a [`Conjecture`]: inputs and an order. Only an execution of the program makes it a finding.

mod deepen;
mod follow;
mod translate;

use std::time::Instant;

use crate::ir::{Module, Site};
use crate::machine::{Action, Kind, Machine, Options, Refusal};
use crate::order::{self, Counterexample, Formula, Outcome, Query};
use crate::solve::Budget;
use crate::term::Sort;
pub use deepen::{Conclusion, deepen, deepen_by};
use translate::{CHECKS, CUTS, Translated};

/// What is asked, and how much it may cost.
#[derive(Clone, Debug)]
pub struct Question {
    /// The most iterations of each loop.
    pub unwind: u32,
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
    /// Gives up at this time.
    pub deadline: Option<Instant>,
    /// Gives up when the process uses more bytes of memory.
    pub memory: Option<u64>,
}

impl Default for Question {
    fn default() -> Self {
        Question {
            unwind: 8,
            steps: 2_000_000,
            undefined: false,
            leaks: false,
            races: false,
            deadlocks: true,
            deadline: None,
            memory: None,
        }
    }
}

/// What a conjecture is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// A condition of one thread.
    Condition(Kind),
    /// Everybody waits for ever.
    Deadlock,
    /// Two accesses race.
    Race,
}

/// An input of a conjecture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The thread that asks for it: 0 is `main`.
    pub thread: usize,
    /// The function that it calls.
    pub function: String,
    /// The value.
    pub value: u128,
    /// The value's width.
    pub bits: u8,
    /// Where it is asked for.
    pub site: Site,
}

/// Something that may go wrong: inputs, and an order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conjecture {
    /// What it is about.
    pub wrong: Wrong,
    /// Where.
    pub site: Site,
    /// In words.
    pub message: String,
    /// The inputs, each thread's in its order.
    pub inputs: Vec<Given>,
    /// Who does something when: the thread and the place in the source.
    pub order: Vec<(usize, Site)>,
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

/// An answer, with what it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What is known.
    pub verdict: Verdict,
    /// How many events the threads have.
    pub events: usize,
    /// How many threads there are.
    pub threads: usize,
    /// How many questions the solver was asked.
    pub queries: u32,
    /// How many conflicts the solver had.
    pub conflicts: u64,
    /// How often the threads were executed.
    pub rounds: u32,
    /// How many executions were looked at one by one.
    pub executions: u64,
    /// Library functions whose models were used.
    pub modelled: Vec<String>,
}

/// Asks about a program. Needs a large stack: [`with_stack`].
///
/// # Errors
///
/// What is not followed, and where.
pub fn ask(module: &Module, question: &Question) -> Result<Answer, Refusal> {
    let options = Options {
        unwind: question.unwind,
        steps: question.steps,
        undefined: question.undefined,
        leaks: question.leaks,
        ..Options::default()
    };
    let mut machine = Machine::new(module, options);
    let rounds = machine.execute()?;
    let translated = translate::translate(&mut machine)?;
    let mut answer = Answer {
        verdict: Verdict::Safe,
        events: translated.program.threads.iter().map(|thread| thread.events.len()).sum(),
        threads: translated.program.threads.len(),
        queries: 0,
        conflicts: 0,
        rounds,
        executions: 0,
        modelled: machine.modelled.iter().cloned().collect(),
    };
    let budget = Budget { deadline: question.deadline, conflicts: None, memory: question.memory };
    let options = order::Options { deadlocks: question.deadlocks, races: question.races, ..order::Options::default() };
    let formula = Formula::new(&translated.program, &mut machine.terms, &options, budget);
    let mut formula = match formula {
        Ok(formula) => formula,
        Err(error) => {
            answer.verdict = Verdict::Unknown(error.to_string());
            return Ok(answer);
        }
    };
    let mut queries = vec![Query::Property(CHECKS)];
    if question.deadlocks {
        queries.push(Query::Deadlock);
    }
    if question.races {
        queries.push(Query::AnyRace);
    }
    queries.push(Query::Property(CUTS));
    for query in queries {
        answer.queries += 1;
        let outcome = formula.solve(&mut machine.terms, query, budget);
        answer.conflicts = formula.conflicts();
        match outcome {
            Outcome::Impossible => {}
            Outcome::Unknown => {
                answer.verdict = Verdict::Unknown("the limits of time and memory were reached".to_owned());
                return Ok(answer);
            }
            Outcome::Possible(found) => {
                answer.verdict = match query {
                    Query::Property(CUTS) => {
                        let mut sites: Vec<Site> = machine.cuts.iter().map(|cut| cut.site).collect();
                        sites.sort_unstable();
                        sites.dedup();
                        Verdict::Cut(sites)
                    }
                    _ => Verdict::Possible(Box::new(conjecture(&machine, &translated, query, &found))),
                };
                return Ok(answer);
            }
        }
    }
    Ok(answer)
}

/// Runs on a thread with a large stack: execution recurses where branches are open.
///
/// # Panics
///
/// As `run` does, and when there is no memory for a stack.
pub fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        match thread.expect("memory for a stack").join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Reserved, not used: pages cost nothing until they are touched.
const STACK: usize = 4 << 30;

fn conjecture(machine: &Machine<'_>, translated: &Translated, query: Query, found: &Counterexample) -> Conjecture {
    let followed = follow::follow(&machine.terms, translated, found);
    let values = &followed.values;
    let holds = |term| machine.terms.eval(term, values) != 0;
    let number = |thread: u32| translated.threads.iter().position(|t| *t == thread).unwrap_or(0);
    let inputs = machine.inputs.iter().filter(|input| holds(input.guard)).map(|input| Given {
        thread: number(input.thread),
        function: input.function.clone(),
        value: machine.terms.eval(input.value, values),
        bits: match machine.terms.sort(input.value) {
            Sort::Bool => 1,
            Sort::Bits(bits) => bits,
        },
        site: input.site,
    });
    let inputs = inputs.collect();
    let place =
        |(thread, event): (usize, usize)| machine.threads[translated.threads[thread] as usize].events[event].site;
    let order: Vec<(usize, Site)> = found.schedule.iter().map(|at| (at.0, place(*at))).collect();
    let (wrong, site, message) = match query {
        Query::Property(_) => {
            let failed = followed.failed.and_then(|(thread, event)| {
                let events = &machine.threads[translated.threads[thread] as usize].events;
                let Action::Check(index) = events[event].action else { return None };
                machine.conditions.get(index)
            });
            match failed {
                Some(condition) => (Wrong::Condition(condition.kind), condition.site, condition.message.clone()),
                None => (Wrong::Condition(Kind::Error), Site::default(), "a check fails".to_owned()),
            }
        }
        Query::Deadlock => {
            let site = order.last().map_or_else(Site::default, |(_, site)| *site);
            (Wrong::Deadlock, site, "everybody waits for ever".to_owned())
        }
        Query::Race(_) | Query::AnyRace => {
            let site = found.races.first().map_or_else(Site::default, |pair| place(pair.first));
            (Wrong::Race, site, "two accesses race".to_owned())
        }
    };
    Conjecture { wrong, site, message, inputs, order }
}
