//! Follows an execution that the solver found: what each load brings, and which check fails.
//!
//! The formula may have left out loads whose value it knew. Following the order of the events on concrete memory gives every unknown
//! its value, and says whether the execution is one.

use super::translate::Translated;
use crate::order::Counterexample;
use crate::order::event::{Kind, Place, Program};
use crate::term::{Assignment, TermId, Terms};

/// What came of following an execution.
pub(super) struct Followed {
    /// The values of all unknowns.
    pub(super) values: Assignment,
    /// The first check that failed: thread and event.
    pub(super) failed: Option<(usize, usize)>,
}

/// The place of a cell.
fn cell(terms: &Terms, program: &Program, place: &Place, values: &Assignment) -> Option<(usize, usize)> {
    let index = place.index.map_or(0, |index| terms.eval(index, values)) as usize;
    (index < program.variables[place.variable].initial.len()).then_some((place.variable, index))
}

fn assign(terms: &Terms, values: &mut Assignment, unknown: TermId, value: u128) {
    if let Some(variable) = terms.as_variable(unknown) {
        values.set(variable, value);
    }
}

/// Follows the events in their order.
pub(super) fn follow(terms: &Terms, translated: &Translated, found: &Counterexample) -> Followed {
    let program = &translated.program;
    let mut values = found.values.clone();
    let initial = |values: &Assignment| -> Vec<Vec<u128>> {
        let each = |cells: &Vec<TermId>| cells.iter().map(|cell| terms.eval(*cell, values)).collect();
        program.variables.iter().map(|variable| each(&variable.initial)).collect()
    };
    let mut memory = initial(&values);
    let mut failed = None;
    for &(thread, event) in &found.schedule {
        let event_of = &program.threads[thread].events[event];
        if terms.eval(event_of.guard, &values) == 0 {
            continue;
        }
        match &event_of.kind {
            Kind::Load { place, value, .. } => {
                if let Some((variable, index)) = cell(terms, program, place, &values) {
                    assign(terms, &mut values, *value, memory[variable][index]);
                }
            }
            Kind::Store { place, value, .. } => {
                if let Some((variable, index)) = cell(terms, program, place, &values) {
                    memory[variable][index] = terms.eval(*value, &values);
                }
            }
            Kind::Update { place, old, new, writes } => {
                if let Some((variable, index)) = cell(terms, program, place, &values) {
                    assign(terms, &mut values, *old, memory[variable][index]);
                    if terms.eval(*writes, &values) != 0 {
                        memory[variable][index] = terms.eval(*new, &values);
                    }
                }
            }
            Kind::Check { violated, property } => {
                let fails = *property == super::translate::CHECKS && terms.eval(*violated, &values) != 0;
                if fails && failed.is_none() {
                    failed = Some((thread, event));
                }
            }
            _ => {}
        }
    }
    Followed { values, failed }
}
