//! What to call threads and objects.

use std::collections::{BTreeMap, HashMap};

use heddle_model::primitive::{self, atomic, condvar, file, mutex, once, process, rwlock, semaphore};
use heddle_model::{Ending, ObjectId, OpCode, Operation, ThreadId};

use crate::Recording;
use crate::recording::is_user;

/// The names of one recording. Objects that the program has no name for are numbered in the order of their first
/// use, which is the same in every replay.
#[derive(Clone, Debug)]
pub struct Names {
    threads: BTreeMap<ThreadId, String>,
    objects: HashMap<ObjectId, String>,
}

impl Names {
    /// The names of `recording`.
    pub fn of(recording: &Recording) -> Names {
        Names { threads: threads(recording), objects: objects(recording) }
    }

    /// The functions that the threads began with, as far as they are known.
    pub fn functions(&self) -> &BTreeMap<ThreadId, String> {
        &self.threads
    }

    /// The function that `thread` began with; empty if it is not known.
    pub fn function(&self, thread: ThreadId) -> &str {
        self.threads.get(&thread).map_or("", String::as_str)
    }

    /// `thread 1 (worker)`.
    pub fn thread(&self, thread: ThreadId) -> String {
        thread_label(thread, self.function(thread))
    }

    /// "mutex `a`".
    pub fn object(&self, object: ObjectId) -> String {
        if let Some(thread) = object.as_thread() {
            return self.thread(thread);
        }
        self.objects.get(&object).cloned().unwrap_or_default()
    }
}

/// `thread 1 (worker)`, or `thread 1` for one whose function is not known.
pub fn thread_label(thread: ThreadId, function: &str) -> String {
    if function.is_empty() { format!("thread {thread}") } else { format!("thread {thread} ({function})") }
}

/// The function that each thread began with: the outermost frame of its own source on any of its call stacks.
fn threads(recording: &Recording) -> BTreeMap<ThreadId, String> {
    let events = recording.events.iter().map(|e| e.thread).zip(&recording.stacks);
    let pending = recording.pending.iter().map(|p| p.thread).zip(&recording.pending_stacks);
    let mut names: BTreeMap<ThreadId, String> = BTreeMap::new();
    names.insert(ThreadId::MAIN, "main".to_string());
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

/// A function's name without its parameters and template arguments: reports have little room, and the line says the
/// rest. Functions without a name are called by where they are: `lambda #1 in main`.
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
    if called == "operator()" {
        return called.to_string();
    }
    let end = called.find(['(', '<']).filter(|&end| end > 0).unwrap_or(called.len());
    called[..end].to_string()
}

fn objects(recording: &Recording) -> HashMap<ObjectId, String> {
    let mut names = HashMap::new();
    let mut unnamed: HashMap<&str, u32> = HashMap::new();
    let operations =
        recording.events.iter().map(|e| &e.operation).chain(recording.pending.iter().map(|p| &p.operation));
    for operation in operations {
        for (object, kind) in mentioned(operation) {
            if object == ObjectId::NONE || object.as_thread().is_some() || names.contains_key(&object) {
                continue;
            }
            let name = match recording.objects.get(&object) {
                Some(name) => format!("{kind} `{name}`"),
                None => {
                    let number = unnamed.entry(kind).or_default();
                    *number += 1;
                    let place = recording.whereabouts.get(&object).map_or(String::new(), |at| format!(" ({at})"));
                    format!("{kind} #{number}{place}")
                }
            };
            names.insert(object, name);
        }
    }
    names
}

/// The objects that an operation mentions, and what kind of thing each is.
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
        _ => primitive::of(OpCode::new(family, 0)).name(),
    };
    // What a crash is about is an address, not an object; what was misused is one.
    // The names of files are none of them.
    let nothing =
        operation.code == process::END && misused.is_none() || matches!(operation.code, file::FIND | file::NAME);
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
            ("main::{lambda()#1}::operator()() const", "lambda #1 in main"),
            ("main::$_1::operator()() const", "lambda #2 in main"),
            ("start(int)::{lambda(int)#3}::operator()(int) const", "lambda #3 in start"),
            ("", ""),
        ] {
            assert_eq!(short(whole), called, "{whole}");
        }
    }
}
