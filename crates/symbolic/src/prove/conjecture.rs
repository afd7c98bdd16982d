//! What may go wrong, as it is told to those who can run the program: inputs, and who does something when.

use std::collections::HashMap;

use heddle_model::primitive::{atomic, barrier, condvar, memory, mutex, rwlock, semaphore, spin, thread};
use heddle_model::wire::ThreadName;
use heddle_model::{Input, ThreadId};

use super::follow;
use super::translate::Translated;
use crate::ir::Site;
use crate::machine::{Action, Kind, Machine};
use crate::order::{Counterexample, Query};
use crate::term::Sort;

/// What a conjecture is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// A condition of one thread, and where it is.
    Condition(Kind, Site),
    /// Everybody waits for ever.
    Deadlock,
    /// Two accesses race, here and here.
    Race(Site, Site),
}

/// An input of a conjecture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The thread that asks for it, which of its inputs it is, and the value.
    pub input: Input,
    /// The function that it calls.
    pub function: String,
    /// The value's width.
    pub bits: u8,
    /// Where it is asked for.
    pub site: Site,
}

impl Given {
    /// The value as the program sees it.
    pub fn shown(&self) -> String {
        let name = self.function.trim_start_matches("__VERIFIER_nondet_");
        let unsigned = ["u", "size", "bool", "_Bool"].iter().any(|prefix| name.starts_with(prefix));
        if unsigned {
            return self.input.value.to_string();
        }
        let unused = 64 - u32::from(self.bits.clamp(1, 64));
        ((self.input.value << unused) as i64 >> unused).to_string()
    }
}

/// Something that a thread does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The thread.
    pub thread: ThreadId,
    /// Where.
    pub site: Site,
    /// The families of operations as which the program may show it. None: it shows nothing.
    pub families: &'static [u8],
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
    /// The inputs, sorted.
    pub inputs: Vec<Given>,
    /// Who does something when, up to what goes wrong.
    pub order: Vec<Step>,
    /// Who creates each thread, by number: the first is `main`.
    pub threads: Vec<ThreadName>,
    /// The thread that goes wrong, if it is one.
    pub last: Option<ThreadId>,
}

impl Conjecture {
    /// The inputs alone.
    pub fn inputs(&self) -> Vec<Input> {
        self.inputs.iter().map(|given| given.input).collect()
    }

    /// How many times another thread goes on although the one before could.
    pub fn switches(&self) -> usize {
        let visible: Vec<ThreadId> =
            self.order.iter().filter(|step| !step.families.is_empty()).map(|step| step.thread).collect();
        visible.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}

/// As which operations the program shows an action.
fn families(action: &Action) -> &'static [u8] {
    match action {
        Action::Load { plain: true, .. } | Action::Store { plain: true, .. } => &[memory::FAMILY],
        Action::Load { .. } | Action::Store { .. } | Action::Update { .. } => &[atomic::FAMILY, memory::FAMILY],
        Action::Create(_) | Action::Join(_) => &[thread::FAMILY],
        Action::Lock(_) | Action::TryLock(..) | Action::Unlock(_) => &[mutex::FAMILY, spin::FAMILY],
        Action::ReadLock(_) | Action::WriteLock(_) | Action::RwUnlock(_) => &[rwlock::FAMILY],
        Action::Sleep(..) | Action::Wake(..) | Action::Signal(_) | Action::Broadcast(_) => &[condvar::FAMILY],
        Action::Post(_) | Action::Take(_) | Action::TryTake(..) => &[semaphore::FAMILY],
        Action::Arrive(_) | Action::Depart(_) => &[barrier::FAMILY],
        Action::Assume(_) | Action::Check(_) | Action::Cut => &[],
    }
}

/// The numbers that the program's threads have: by their creators, and the order in which these create them.
struct Numbers {
    of: HashMap<usize, ThreadId>,
    names: Vec<ThreadName>,
}

impl Numbers {
    fn new(machine: &Machine<'_>, translated: &Translated, schedule: &[(usize, usize)]) -> Numbers {
        let mut numbers = Numbers { of: HashMap::from([(0, ThreadId::MAIN)]), names: vec![ThreadName::default()] };
        let mut children: HashMap<ThreadId, u32> = HashMap::new();
        for &(creator, event) in schedule {
            let Action::Create(created) = action(machine, translated, (creator, event)) else { continue };
            let Some(created) = translated.threads.iter().position(|number| number == created) else { continue };
            let Some(&parent) = numbers.of.get(&creator) else { continue };
            let ordinal = children.entry(parent).or_insert(0);
            numbers.of.insert(created, ThreadId(numbers.names.len() as u16));
            numbers.names.push(ThreadName { parent, ordinal: *ordinal, ..ThreadName::default() });
            *ordinal += 1;
        }
        numbers
    }
}

fn action<'a>(machine: &'a Machine<'_>, translated: &Translated, at: (usize, usize)) -> &'a Action {
    &machine.threads[translated.threads[at.0] as usize].events[at.1].action
}

/// Tells what the solver found.
pub(super) fn conjecture(
    machine: &Machine<'_>,
    translated: &Translated,
    query: Query,
    found: &Counterexample,
) -> Conjecture {
    let followed = follow::follow(&machine.terms, translated, found);
    let values = &followed.values;
    let place = |at: (usize, usize)| machine.threads[translated.threads[at.0] as usize].events[at.1].site;
    let failed = followed.failed.filter(|_| matches!(query, Query::Property(_)));
    // What happens after the failure does not matter.
    let end = failed.and_then(|failed| found.schedule.iter().position(|at| *at == failed));
    let schedule = &found.schedule[..end.unwrap_or(found.schedule.len())];
    let numbers = Numbers::new(machine, translated, schedule);
    let number = |thread: u32| {
        let index = translated.threads.iter().position(|t| *t == thread)?;
        numbers.of.get(&index).copied()
    };
    let mut asked: HashMap<ThreadId, u32> = HashMap::new();
    let mut inputs = Vec::new();
    for input in machine.inputs.iter().filter(|input| input.is_given() && machine.terms.eval(input.guard, values) != 0)
    {
        let Some(thread) = number(input.thread) else { continue };
        let index = asked.entry(thread).or_insert(0);
        let value = machine.terms.eval(input.value, values) as u64;
        inputs.push(Given {
            input: Input { thread, index: *index, value, ..Input::default() },
            function: input.function.clone(),
            bits: match machine.terms.sort(input.value) {
                Sort::Bool => 1,
                Sort::Bits(bits) => bits,
            },
            site: input.site,
        });
        *index += 1;
    }
    inputs.sort_by_key(|given| given.input);
    let order: Vec<Step> = schedule
        .iter()
        .filter_map(|&at| {
            let thread = *numbers.of.get(&at.0)?;
            Some(Step { thread, site: place(at), families: families(action(machine, translated, at)) })
        })
        .collect();
    let (wrong, site, message) = match query {
        Query::Property(_) => {
            let condition = failed.and_then(|failed| {
                let Action::Check(index) = action(machine, translated, failed) else { return None };
                machine.conditions.get(*index)
            });
            match condition {
                Some(condition) => {
                    (Wrong::Condition(condition.kind, condition.site), condition.site, condition.message.clone())
                }
                None => (Wrong::Condition(Kind::Error, Site::default()), Site::default(), "a check fails".to_owned()),
            }
        }
        Query::Deadlock => {
            let site = order.last().map_or_else(Site::default, |step| step.site);
            (Wrong::Deadlock, site, "everybody waits for ever".to_owned())
        }
        Query::Race(_) | Query::AnyRace => {
            let pair = found.races.first().map(|pair| (place(pair.first), place(pair.second)));
            let (a, b) = pair.unwrap_or_default();
            (Wrong::Race(a, b), a, "two accesses race".to_owned())
        }
    };
    let last = failed.and_then(|(thread, _)| numbers.of.get(&thread).copied());
    Conjecture { wrong, site, message, inputs, order, threads: numbers.names, last }
}
