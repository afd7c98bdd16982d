//! What an engine does not see of a program, and what follows from that: neither a false alarm nor a false proof.
//!
//! A library that was not built by Heddle may order two accesses without Heddle's knowledge, and so may an atomic instruction in
//! inline assembly. A data race in such a program is a suspicion. And a program whose threads synchronise where Heddle does not see
//! it has orders that were not explored.

use heddle_model::primitive::{atomic, memory, mutex};
use heddle_model::{Facts, FindingKind, Instrumentation, OpCode, Trace, libraries};

use crate::coverage;

fn is_framework(name: &str) -> bool {
    libraries::is_framework(name.rsplit('/').next().unwrap_or(name).as_bytes())
}

/// Why a finding of this kind may be none: something that was not seen may do what makes it one not true, which the words `then` say. With what to
/// do about it. `None` if there is nothing.
fn may_differ(facts: &Facts, then: &str) -> Option<String> {
    if facts.instrumentation != Instrumentation::Memory {
        return None;
    }
    let names: Vec<&str> = facts.unseen.iter().map(String::as_str).filter(|name| !is_framework(name)).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        return Some(format!(
            "{names} was not built by heddle: {then}; build it with `heddle cc` or `heddle c++` to know"
        ));
    }
    coverage::assembly(&facts.assembly)
}

/// Whether executions tell all that threads do with plain memory: nothing was built by somebody else, or accesses memory where nobody sees it.
pub(crate) fn tells_of_plain_memory(facts: &Facts) -> bool {
    let Facts { instrumentation, unseen, assembly, overlooked, untold, .. } = facts;
    let is_whole = unseen.is_empty() && assembly.is_empty() && overlooked.is_empty() && untold.is_empty();
    *instrumentation == Instrumentation::Memory && is_whole
}

/// What is not explored where a thread waits in a loop that looks at a clock.
pub(crate) const AT_CERTAIN_TIMES: &str =
    "what loops that look at a clock do only at certain times, or after more than a year: they are taken to wait";

/// Whether operations with this code look at memory, so that a thread that waits with one is in a loop.
fn looks_at_memory(code: OpCode) -> bool {
    [memory::FAMILY, atomic::FAMILY].contains(&code.family()) || code == mutex::POLL
}

/// Marks findings of `traces` as uncertain, with a note that says why, if something that was not seen may make them none: data races, which it may
/// order, and threads in loops, for which it may write. Notes at deadlocks that loops which look at a clock may go on at some time.
pub(crate) fn doubt(traces: &mut [Trace], facts: &Facts) {
    let note = |message: &str| heddle_model::finding::Note { message: message.to_string(), location: None };
    for trace in traces {
        let in_loop = || trace.last.iter().any(|step| step.waits && step.action.code().is_some_and(looks_at_memory));
        let then = match trace.finding.kind {
            FindingKind::DataRace => Some("if it orders the two accesses, this is no data race"),
            FindingKind::Hang => Some("if it writes what the thread waits for, this is no hang"),
            FindingKind::Deadlock if in_loop() => Some("if it writes what a thread waits for, this is no deadlock"),
            _ => None,
        };
        if let Some(why) = then.and_then(|then| may_differ(facts, then)) {
            trace.finding.certain = false;
            trace.finding.notes.push(note(&why));
        }
        match trace.finding.kind {
            FindingKind::Deadlock if facts.waits_by_clock => {
                trace.finding.notes.push(note(&format!("not explored: {AT_CERTAIN_TIMES}")));
            }
            _ => {}
        }
    }
}

/// Why nothing is proved of a program that Heddle did not build: its atomics and its accesses to memory were not seen.
pub(crate) fn why_sync_only(facts: &Facts) -> Option<String> {
    (facts.instrumentation == Instrumentation::SyncOnly).then(|| {
        "sync-only: the program was not built by heddle, and only its calls to the thread library were seen; build it with `heddle cc` or \
         `heddle c++` (--accept sync-only: that is enough)"
            .to_string()
    })
}

/// Why orders may exist that were not explored, because threads synchronise where Heddle does not see it. `None` if nothing says so.
pub(crate) fn why_incomplete(facts: &Facts) -> Option<String> {
    if facts.instrumentation != Instrumentation::Memory {
        return None;
    }
    if facts.outside.threads {
        let names = facts.unseen.iter().cloned().collect::<Vec<_>>().join(", ");
        let names = if names.is_empty() { "a library".to_string() } else { names };
        return Some(format!(
            "threads were created by {names}, which was not built by heddle: heddle does not see how they synchronise, and did not \
             explore every order; build it with `heddle cc` or `heddle c++`"
        ));
    }
    if facts.outside.calls {
        let names: Vec<&str> = facts.unseen.iter().map(String::as_str).filter(|name| !is_framework(name)).collect();
        return Some(format!(
            "nothing that heddle sees orders how threads use {}, not built by heddle: it may keep or order something, and not every order was \
             explored; build it with `heddle cc` or `heddle c++`",
            names.join(", ")
        ));
    }
    if facts.outside.stuck_child {
        return Some("a child process waits for ever for a lock that another thread held at the `fork`".to_string());
    }
    if facts.outside.shared_files {
        return Some(
            "a file is mapped as shared memory, and also mapped elsewhere or used by calls: heddle does not see that these are the same \
             bytes, and did not explore every order"
                .to_string(),
        );
    }
    coverage::assembly(&facts.assembly)
}
