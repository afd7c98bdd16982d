//! Names of threads and objects in reports.

use std::collections::{BTreeMap, HashMap};

use crate::outcome::signal_name;
use heddle_model::primitive::{self, atomic, condvar, mutex, once, process, process_state, rwlock, semaphore};
use heddle_model::{Ending, ObjectId, OpCode, Operation, ThreadId};

use crate::Recording;
use crate::recording::is_user;

/// The name of a thread, an object or a place in memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Name {
    /// The whole name: "mutex `a`", "thread 1 (worker)".
    pub full: String,
    /// The name without its kind, or without what only explains it: `a`, `thread 1`.
    pub short: String,
}

impl Name {
    /// A name that has no shorter form.
    pub fn plain(full: String) -> Name {
        Name { short: full.clone(), full }
    }

    /// The name as a step has it: [`TraceStep::object`](heddle_model::trace::TraceStep::object) and its short form, which is empty if
    /// the two are equal.
    pub fn of_step(self) -> (String, String) {
        let Name { full, short } = self;
        if short == full { (full, String::new()) } else { (full, short) }
    }

    /// This name and another: "condition variable `c` with mutex `m`".
    pub fn with(self, other: Name) -> Name {
        let both = |one: String, two: String| format!("{one} with {two}");
        Name { full: both(self.full, other.full), short: both(self.short, other.short) }
    }
}

/// The names of one recording. Objects without a name in the program are numbered in the order of their first use,
/// which is equal in every replay.
#[derive(Clone, Debug)]
pub struct Names {
    threads: BTreeMap<ThreadId, String>,
    objects: HashMap<ObjectId, Name>,
}

impl Names {
    /// The names of `recording`.
    pub fn of(recording: &Recording) -> Names {
        Names { threads: threads(recording), objects: objects(recording) }
    }

    /// The start function of each thread, as far as it is known.
    pub fn functions(&self) -> &BTreeMap<ThreadId, String> {
        &self.threads
    }

    /// The start function of `thread`. Empty if it is unknown.
    pub fn function(&self, thread: ThreadId) -> &str {
        self.threads.get(&thread).map_or("", String::as_str)
    }

    /// The name of `thread` in reports: `thread 1 (worker)`.
    pub fn thread(&self, thread: ThreadId) -> String {
        thread_label(thread, self.function(thread))
    }

    /// The name of `object` in reports: "mutex `a`".
    pub fn object(&self, object: ObjectId) -> String {
        self.name(object).full
    }

    /// The whole and the short name of `object`.
    pub fn name(&self, object: ObjectId) -> Name {
        if let Some(thread) = object.as_thread() {
            return Name { full: self.thread(thread), short: thread_label(thread, "") };
        }
        self.objects.get(&object).cloned().unwrap_or_default()
    }
}

/// The name of a thread with this start function: `thread 1 (worker)`, or `thread 1` if it is empty.
pub fn thread_label(thread: ThreadId, function: &str) -> String {
    if function.is_empty() { format!("thread {thread}") } else { format!("thread {thread} ({function})") }
}

/// The name that each thread was given, or else its start function: the outermost frame in the user's own source on any of its call stacks.
fn threads(recording: &Recording) -> BTreeMap<ThreadId, String> {
    let events = recording.events.iter().map(|e| e.thread).zip(&recording.stacks);
    let pending = recording.pending.iter().map(|p| p.thread).zip(&recording.pending_stacks);
    let mut names: BTreeMap<ThreadId, String> = BTreeMap::new();
    names.insert(ThreadId::MAIN, "main".to_string());
    names.extend(recording.called.clone());
    let earlier = recording.outcome.race().map(|race| (race.earlier_thread, &recording.earlier_stack));
    for (thread, stack) in events.chain(pending).chain(earlier) {
        if names.contains_key(&thread) {
            continue;
        }
        if let Some(frame) = stack.iter().rev().find(|at| is_user(at) && !at.function.is_empty()) {
            names.insert(thread, short(&frame.function));
        }
    }
    names
}

/// The name of a function without parameters and template arguments, because reports have little room. A lambda is
/// named after the function that contains it: `lambda #1 in main`.
pub fn short(function: &str) -> String {
    let called = function.rfind("::operator()").map_or(function, |end| &function[..end]);
    // gcc: `main::{lambda(int)#1}`, clang: `main::$_0` (from 0) or `main::'lambda0'(int)`.
    if let Some(at) = called.find("::{lambda(") {
        let number = called.rfind('#').map_or("", |number| called[number..].trim_end_matches('}'));
        return format!("lambda {number} in {}", short(&called[..at])).replace("lambda  in", "lambda in");
    }
    if let Some((around, number)) = called.split_once("::$_") {
        let number = number.parse::<u32>().map_or(String::new(), |number| format!(" #{}", number + 1));
        return format!("lambda{number} in {}", short(around));
    }
    // clang: a local class of a thread's function has no name of its own.
    if called == "operator()" {
        return "lambda".to_string();
    }
    let end = called.find(['(', '<']).filter(|&end| end > 0).unwrap_or(called.len());
    // A function of a template is told with what it returns.
    match called[..end].rsplit_once(' ') {
        Some((_, name)) if !called.contains("operator ") => name.to_string(),
        _ => called[..end].to_string(),
    }
}

fn objects(recording: &Recording) -> HashMap<ObjectId, Name> {
    let mut names = HashMap::new();
    let mut unnamed: HashMap<&str, u32> = HashMap::new();
    let operations =
        recording.events.iter().map(|e| &e.operation).chain(recording.pending.iter().map(|p| &p.operation));
    for operation in operations {
        for (object, kind) in mentioned(operation) {
            if object == ObjectId::NONE || object.as_thread().is_some() || names.contains_key(&object) {
                continue;
            }
            let signal = process_state::State::signal_of(operation);
            let name = match (recording.objects.get(&object), signal) {
                (Some(name), _) => Name { full: format!("{kind} `{name}`"), short: name.clone() },
                (_, Some(signal)) => Name::plain(signal_name(signal)),
                _ => {
                    let number = unnamed.entry(kind).or_default();
                    *number += 1;
                    let place = recording.whereabouts.get(&object).map_or(String::new(), |at| format!(" ({at})"));
                    Name { full: format!("{kind} #{number}{place}"), short: format!("{kind} #{number}") }
                }
            };
            names.insert(object, name);
        }
    }
    names
}

/// The objects of an operation, each with its kind.
fn mentioned(operation: &Operation) -> impl Iterator<Item = (ObjectId, &'static str)> {
    let misused = match process::ending(operation) {
        Some(Ending::Misuse { family, .. }) => Some(family),
        _ => None,
    };
    let family = misused.unwrap_or(operation.code.family());
    let kind = match family {
        atomic::FAMILY => "atomic",
        condvar::FAMILY => "condition variable",
        mutex::FAMILY => "mutex",
        once::FAMILY => "initialisation",
        rwlock::FAMILY => "reader-writer lock",
        semaphore::FAMILY => "semaphore",
        process_state::FAMILY => process_state::State::of(operation.code).map_or("state", |state| state.name()),
        _ => primitive::of(OpCode::new(family, 0)).name(),
    };
    // The object of a misuse is an object. The object of a crash is only an address, and what there is only one of is
    // told by the operation.
    let state = process_state::State::of(operation.code);
    let nothing = operation.code == process::END && misused.is_none() || state.is_some_and(|state| state.is_whole());
    let object = if nothing { ObjectId::NONE } else { operation.object };
    let waits = matches!(operation.code, condvar::WAIT | condvar::REACQUIRE);
    let second = waits.then_some((ObjectId(operation.argument), "mutex"));
    [(object, kind)].into_iter().chain(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_called_by_their_names() {
        for (whole, called) in [
            ("worker", "worker"),
            ("Account::withdraw(int)", "Account::withdraw"),
            ("run<int>(int)", "run"),
            ("Job::operator()() const", "Job"),
            ("void run<int>(int)", "run"),
            ("A::operator bool()", "A::operator bool"),
            ("void run<int>(int&)::{lambda()#1}::operator()() const", "lambda #1 in run"),
            ("main::{lambda()#1}::operator()() const", "lambda #1 in main"),
            ("main::$_1::operator()() const", "lambda #2 in main"),
            ("start(int)::{lambda(int)#3}::operator()(int) const", "lambda #3 in start"),
            ("", ""),
        ] {
            assert_eq!(short(whole), called, "{whole}");
        }
    }
}
