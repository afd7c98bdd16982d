//! Follows a counterexample in the machine: what the formula found must happen there.

use super::brute::{Finding, Machine, Op};
use crate::order::event::{Kind, Program};
use crate::order::{Counterexample, Formula};
use crate::script::{Events, Script, Statement};

/// Panics if the execution is none, or if the finding does not happen in it.
pub fn replay(script: &Script, events: &Events, found: &Counterexample, finding: Finding) {
    let mut machine = Machine::new(script);
    let inputs = |thread: usize, site: u32| {
        let input = events.inputs.iter().find(|(t, s, _)| (*t, *s) == (thread, site))?;
        Some(found.values.get(input.2) as u64)
    };
    let one = |mut states: Vec<_>| {
        assert!(states.len() == 1, "{} states after a step", states.len());
        states.remove(0)
    };
    let mut state = one(machine.first(&inputs));
    machine.look(&state);
    for &(t, i) in &found.schedule {
        let event = &events.program.threads[t].events[i];
        if matches!(event.kind, Kind::Check { .. }) || is_input(script, &events.program, t, i) {
            continue;
        }
        let (site, second) = match machine.pending(&state, t) {
            Some(Op::Do(_, site)) => (*site, false),
            Some(Op::Wake(_, _, site) | Op::Depart(_, site)) => (*site, true),
            other => panic!("thread {t} is at {other:?}, not at {event:?}"),
        };
        let is_second = matches!(event.kind, Kind::Wake { .. } | Kind::Depart { .. });
        assert_eq!((site, second), (event.site, is_second), "thread {t} is elsewhere");
        assert!(machine.enabled(&state, t), "thread {t} cannot {event:?}");
        let sleeper = matches!(event.kind, Kind::Signal { .. })
            .then(|| found.wakes.get(&(t, i)).and_then(|all| all.first()).map(|(u, _)| *u));
        state = one(machine.step(&state, t, &inputs, sleeper));
        if finding != Finding::Deadlock {
            machine.look(&state);
        }
    }
    machine.look(&state);
    assert!(
        machine.findings.contains(&finding),
        "{finding:?} is not among {:?}\n{script:?}\n{:?}",
        machine.findings,
        found.schedule
    );
}

/// Whether an event is the assumption that belongs to an input.
fn is_input(script: &Script, program: &Program, thread: usize, event: usize) -> bool {
    let event = &program.threads[thread].events[event];
    matches!(event.kind, Kind::Assume { .. })
        && statement(&script.threads[thread], &mut 0, event.site).is_some_and(|s| matches!(s, Statement::Input(..)))
}

/// The statement with a number.
pub fn statement<'s>(body: &'s [Statement], site: &mut u32, wanted: u32) -> Option<&'s Statement> {
    for s in body {
        *site += 1;
        if *site == wanted {
            return Some(s);
        }
        if let Statement::If(_, yes, no) = s
            && let Some(found) = statement(yes, site, wanted).or_else(|| statement(no, site, wanted))
        {
            return Some(found);
        }
    }
    None
}

/// What a formula's pair of accesses is called by the machine.
pub fn name(formula: &Formula, program: &Program, pair: usize) -> Finding {
    let pair = formula.pairs().nth(pair).expect("a pair");
    let site = |(t, i): (usize, usize)| (t, program.threads[t].events[i].site);
    Finding::Race(site(pair.first), site(pair.second))
}
