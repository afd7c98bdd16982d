//! Asks the questions one after the other, with the data in the formula or beside it.
//!
//! Sums that commute are easy as normal forms and hard bit by bit, other data is the other way round. So a question is asked with all data in
//! the formula first, for so many conflicts, then with lazy data for half as long as that took, and so on with budgets that double.

use std::time::{Duration, Instant};

use super::conjecture::conjecture;
use super::translate::{CUTS, Translated};
use super::{Answer, Question, Verdict, Wrong};
use crate::ir::Site;
use crate::machine::Machine;
use crate::order::{Encoding, Formula, Options, Outcome, Query};
use crate::solve::Budget;

/// How many conflicts the first try may have.
const FIRST: u64 = 20_000;

/// The formulas of a program.
struct Formulas<'t> {
    translated: &'t Translated,
    options: Options,
    budget: Budget,
    eager: Formula,
    lazy: Option<Formula>,
}

impl Formulas<'_> {
    fn conflicts(&self) -> u64 {
        self.eager.conflicts() + self.lazy.as_ref().map_or(0, Formula::conflicts)
    }

    /// Asks until there is an answer or the budget is over.
    fn solve(&mut self, machine: &mut Machine<'_>, query: Query, answer: &mut Answer) -> Outcome {
        let alone = self.options.certify || self.options.encoding != Encoding::Order;
        let mut conflicts = FIRST;
        loop {
            let began = Instant::now();
            let budget = Budget { conflicts: (!alone).then_some(conflicts), ..self.budget };
            let outcome = self.eager.solve(&mut machine.terms, query, budget);
            answer.iterations = self.eager.iterations();
            if alone || !matches!(outcome, Outcome::Unknown) || self.budget.is_over() {
                return outcome;
            }
            let slice = (began.elapsed() / 2).max(Duration::from_millis(100));
            if self.lazy.is_none() {
                let options = Options { lazy_data: true, ..self.options.clone() };
                let made = Formula::new(&self.translated.program, &mut machine.terms, &options, self.budget);
                answer.formulas += 1;
                self.lazy = made.ok();
            }
            if let Some(lazy) = &mut self.lazy {
                let end = Instant::now() + slice;
                let deadline = Some(self.budget.deadline.map_or(end, |deadline| deadline.min(end)));
                let outcome = lazy.solve(&mut machine.terms, query, Budget { deadline, ..self.budget });
                answer.iterations = lazy.iterations();
                if !matches!(outcome, Outcome::Unknown) {
                    return outcome;
                }
            }
            if self.budget.is_over() {
                return Outcome::Unknown;
            }
            conflicts = conflicts.saturating_mul(2);
        }
    }

    /// Checks the proofs of the last answer *impossible*.
    fn certify(&self, answer: &mut Answer) -> Result<(), String> {
        match self.eager.certify() {
            None => Ok(()),
            Some(Ok(_)) => {
                answer.certified += 1;
                Ok(())
            }
            Some(Err(error)) => Err(format!("the checker did not accept the proof: {error}")),
        }
    }
}

/// Asks all questions in their order. The first that is not answered by *impossible* decides.
pub(super) fn decide(
    machine: &mut Machine<'_>,
    translated: &Translated,
    question: &Question,
    queries: &[Query],
    budget: Budget,
    answer: &mut Answer,
) {
    let options = Options {
        deadlocks: question.deadlocks,
        races: question.races,
        encoding: question.encoding,
        certify: question.certify,
        without: question.without,
        ..Options::default()
    };
    answer.formulas += 1;
    let eager = match Formula::new(&translated.program, &mut machine.terms, &options, budget) {
        Ok(formula) => formula,
        Err(error) => {
            answer.verdict = Verdict::Unknown(error.to_string());
            return;
        }
    };
    answer.misuse = super::misuse::may_be(machine);
    let mut formulas = Formulas { translated, options, budget, eager, lazy: None };
    for query in queries {
        let single = [*query];
        let unknown = match query {
            Query::AnyRace => unknown_races(machine, translated, question, &formulas.eager),
            _ => None,
        };
        for query in unknown.as_deref().unwrap_or(&single) {
            answer.queries += 1;
            let outcome = formulas.solve(machine, *query, answer);
            answer.conflicts = formulas.conflicts();
            match outcome {
                Outcome::Impossible => {
                    if let Err(words) = formulas.certify(answer) {
                        answer.verdict = Verdict::Unknown(words);
                        return;
                    }
                }
                Outcome::Unknown => {
                    answer.verdict = Verdict::default();
                    return;
                }
                Outcome::Possible(found) => {
                    answer.verdict = match query {
                        Query::Property(CUTS) => {
                            let mut sites: Vec<Site> = machine.cuts.iter().map(|cut| cut.site).collect();
                            sites.sort_unstable();
                            sites.dedup();
                            Verdict::Cut(sites)
                        }
                        _ => Verdict::Possible(Box::new(conjecture(machine, translated, *query, &found))),
                    };
                    return;
                }
            }
        }
    }
    answer.verdict = Verdict::Safe;
}

/// If some races are known: the questions about the others.
fn unknown_races(
    machine: &Machine<'_>,
    translated: &Translated,
    question: &Question,
    formula: &Formula,
) -> Option<Vec<Query>> {
    let known: Vec<[Site; 2]> = question
        .known
        .iter()
        .filter_map(|wrong| match wrong {
            Wrong::Race(a, b) => Some([*a, *b]),
            _ => None,
        })
        .collect();
    if known.is_empty() {
        return None;
    }
    let place = |at: (usize, usize)| machine.threads[translated.threads[at.0] as usize].events[at.1].site;
    let pairs = formula.pairs().enumerate().filter(|(_, pair)| {
        let (a, b) = (place(pair.first), place(pair.second));
        !known.contains(&[a, b]) && !known.contains(&[b, a])
    });
    Some(pairs.map(|(number, _)| Query::Race(number)).collect())
}
