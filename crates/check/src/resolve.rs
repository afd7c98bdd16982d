//! Runs an execution again with everything recorded, and resolves names and source places.

use std::collections::HashMap;
use std::path::Path;

use heddle_model::finding::Location;
use heddle_model::primitive::prop;
use heddle_model::round::{Claim, Round};
use heddle_model::trace::Scalar;
use heddle_model::{Ending, ExecutorError, ObjectId, Operation, Outcome, Plan, ThreadId};
use heddle_report::Recording;
use heddle_report::printed::{self, Printed};
use heddle_report::recording::{Lines, user_frame};
use heddle_search::liveness::ltl::Formula;

use crate::engine::{Engine, Names, Recorded};
use crate::heap::{Blocks, pointees};
use crate::sources::{Reader, shorten};

/// Runs `plan` once more and resolves the recorded execution. File names are relative to `directory`.
pub fn record(engine: &mut dyn Engine, plan: &Plan, directory: &Path) -> Result<Recording, ExecutorError> {
    let mut recorded = engine.replay(plan)?;
    if let (Some(Round { length: 0, claim: Claim::Formula, .. }), true) = (plan.round, recorded.outcome.is_ended()) {
        // It has ended, and stays where it is.
        recorded.outcome = Outcome::Cycle { length: 0, claim: Claim::Formula };
    }
    let mut recording = resolve(recorded, &*engine.names(), directory);
    if let Ok((_, names)) = Formula::of_program(engine.settings().liveness.formula.as_str()) {
        recording.objects.extend(names.into_iter().map(|name| (prop::object(name.as_bytes()), name)));
    }
    Ok(recording)
}

fn resolve(recorded: Recorded, symbols: &dyn Names, directory: &Path) -> Recording {
    let mut places = Places { symbols, directory, known: HashMap::new() };
    let stacks: Vec<_> =
        (0..recorded.events.len()).map(|i| places.stack(recorded.stacks.get(i), recorded.events[i].pc)).collect();
    let mut pending_stacks: Vec<_> = (0..recorded.pending.len())
        .map(|i| places.stack(recorded.pending_stacks.get(i), recorded.pending[i].pc))
        .collect();
    for (pending, stack) in recorded.pending.iter().zip(&mut pending_stacks) {
        // It may be seen anywhere in its loop, so the line says enough.
        if pending.operation.runs_forever()
            && let Some(at) = stack.first_mut()
        {
            at.column = 0;
        }
    }
    let mut end_stack = places.stack(None, recorded.pc);
    if recorded.outcome == Outcome::Hang && !end_stack.is_empty() {
        // A thread that spins was never about to do anything: where it was seen is where it is. It may be seen anywhere
        // in its loop, so the line says enough.
        end_stack.iter_mut().for_each(|at| at.column = 0);
        if let Some(index) = recorded.pending.iter().position(|pending| pending.thread == recorded.thread) {
            pending_stacks[index].clone_from(&end_stack);
        }
    }

    let race = recorded.outcome.race().copied();
    let mut earlier_stack = Vec::new();
    if let Some(race) = &race {
        earlier_stack = places.stack(recorded.more_stacks.first(), race.earlier_pc);
        if let Some(index) = recorded.pending.iter().position(|pending| pending.thread == recorded.thread) {
            end_stack.clone_from(&pending_stacks[index]);
        }
    }

    let mut more_stacks: Vec<_> = recorded.more_stacks.iter().map(|stack| places.stack(Some(stack), 0)).collect();
    // Of a race: the earlier access, the allocation of the block that it is in, and two numbers.
    let mut block = None;
    if race.is_some() {
        block = recorded.more_stacks.get(2).and_then(|words| Some((*words.first()?, *words.get(1)?)));
        more_stacks = more_stacks.into_iter().skip(1).take(1).collect();
    }

    let mut lines = Lines::new();
    let mut reader = Reader::new(directory);
    for at in stacks.iter().chain(&pending_stacks).chain(&more_stacks).chain([&end_stack, &earlier_stack]).flatten() {
        reader.add(at, &mut lines);
    }
    let printed = failure(&recorded, directory);
    if let Some(printed) = &printed {
        reader.add(&printed.location, &mut lines);
    }
    let mut objects = names(&recorded, symbols);
    let mut scalars: HashMap<ObjectId, Scalar> = HashMap::new();
    if let Some(place) = race.map(|race| ObjectId(race.address))
        && let Some(name) = symbols.object(place)
    {
        objects.insert(place, name);
    }
    for object in objects.keys() {
        scalars.extend(symbols.scalar(*object).map(|scalar| (*object, scalar)));
    }
    let blocks = Blocks::of(&recorded, symbols);
    blocks.name(&mut objects, &mut scalars);
    name_locals(&recorded, symbols, &mut objects, &mut scalars);
    let pointees = pointees(&recorded, symbols, &blocks, &objects);
    let mut whereabouts = HashMap::new();
    let unnamed = recorded_objects(&recorded).into_iter().chain(race.map(|race| ObjectId(race.address)));
    for object in unnamed.filter(|object| !objects.contains_key(object)) {
        let site = recorded.sites.iter().find(|site| site.object == object);
        let allocated = site.and_then(|site| user_frame(&places.stack(Some(&site.stack), 0)).cloned());
        let place = match (allocated, symbols.stack_owner(object.0)) {
            (Some(at), _) => format!("allocated at {at}"),
            (None, Some(ThreadId::MAIN)) => "on the stack of main".to_string(),
            (None, Some(thread)) => format!("on the stack of thread {thread}"),
            (None, None) => continue,
        };
        whereabouts.insert(object, place);
    }
    Recording {
        events: recorded.events,
        pending: recorded.pending,
        outcome: recorded.outcome,
        circle: recorded.circle,
        thread: recorded.thread,
        message: recorded.message,
        output: recorded.output,
        stacks,
        pending_stacks,
        end_stack,
        earlier_stack,
        more_stacks,
        whereabouts,
        block,
        objects,
        scalars,
        pointees,
        written: recorded.written,
        called: recorded.called.into_iter().collect(),
        made_before: recorded.made_before,
        printed,
        lines,
    }
}

/// What the program printed about the failure that it exited for, if it exited with a status that is not 0.
fn failure(recorded: &Recorded, directory: &Path) -> Option<Printed> {
    recorded.outcome.ending().and_then(Ending::exit_status).filter(|status| *status != 0)?;
    let mut printed = printed::failure(&String::from_utf8_lossy(&recorded.output))?;
    printed.location.file = shorten(&printed.location.file, directory);
    Some(printed)
}

/// Resolves call stacks, each address once.
struct Places<'s> {
    symbols: &'s dyn Names,
    directory: &'s Path,
    known: HashMap<u64, Vec<Location>>,
}

impl Places<'_> {
    /// The places of a call stack, or of `pc` alone if there is none.
    fn stack(&mut self, stack: Option<&Vec<u64>>, pc: u64) -> Vec<Location> {
        match stack {
            Some(stack) if !stack.is_empty() => stack.iter().flat_map(|&address| self.frames(address)).collect(),
            _ if pc != 0 => self.frames(pc),
            _ => Vec::new(),
        }
    }

    fn frames(&mut self, address: u64) -> Vec<Location> {
        let (symbols, directory) = (self.symbols, self.directory);
        let resolve = || {
            let mut frames = symbols.frames(address);
            for frame in &mut frames {
                frame.file = shorten(&frame.file, directory);
            }
            frames
        };
        self.known.entry(address).or_insert_with(resolve).clone()
    }
}

/// The objects that the operations of an execution use.
fn recorded_objects(recorded: &Recorded) -> Vec<ObjectId> {
    let events = recorded.events.iter().map(|event| &event.operation);
    let pending = recorded.pending.iter().map(|pending| &pending.operation);
    let objects = |operation: &Operation| {
        use heddle_model::primitive::condvar;
        let waits = matches!(operation.code, condvar::WAIT | condvar::REACQUIRE);
        [Some(operation.object), waits.then_some(ObjectId(operation.argument))].into_iter().flatten()
    };
    let mut all: Vec<ObjectId> = events.chain(pending).flat_map(objects).collect();
    all.retain(|object| *object != ObjectId::NONE && object.as_thread().is_none());
    all.sort();
    all.dedup();
    all
}

/// Adds the names of local variables. Function and thread are part of a name only if it would otherwise be ambiguous.
fn name_locals(
    recorded: &Recorded,
    symbols: &dyn Names,
    objects: &mut HashMap<ObjectId, String>,
    scalars: &mut HashMap<ObjectId, Scalar>,
) {
    let unnamed = recorded.locals.iter().filter(|(object, ..)| !objects.contains_key(object));
    let locals: Vec<_> =
        unnamed.filter_map(|&(object, code, end)| Some((object, symbols.local(object.0, code, end)?))).collect();
    let taken: Vec<String> = objects.values().cloned().collect();
    for (object, local) in &locals {
        let others = locals.iter().filter(|(other, _)| other != object);
        let name = if taken.contains(&local.name) || { others }.any(|(_, other)| other.name == local.name) {
            let thread = symbols.stack_owner(object.0).unwrap_or(ThreadId::MAIN);
            format!("{}::{} of thread {thread}", local.function, local.name)
        } else {
            local.name.clone()
        };
        scalars.extend(local.scalar.map(|scalar| (*object, scalar)));
        objects.insert(*object, name);
    }
}

/// The program's names for the objects of an execution.
fn names(recorded: &Recorded, symbols: &dyn Names) -> HashMap<ObjectId, String> {
    let named = |object| Some((object, symbols.object(object)?));
    recorded_objects(recorded).into_iter().filter_map(named).collect()
}
