//! Bounds that grow until nothing is cut, and what is said in the end.

use std::time::Instant;

use super::{Answer, Conjecture, Question, Verdict, ask};
use crate::ir::{Module, Site};
use crate::machine::Refusal;

/// The largest bound that is tried by itself.
const LARGEST: u32 = 1 << 10;
/// After so many conjectures that the program does not do, the engine is not believed any more.
const PATIENCE: usize = 8;

/// What a proof comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// Nothing can happen, and every loop was followed to its end: with so many iterations at most.
    Safe(u32),
    /// Nothing can happen with at most as many iterations as the user asked for; here there are more.
    Within(u32, Vec<Site>),
    /// Nothing was found, and not everything was looked at: the bound, where loops were cut, and why there is no more.
    Incomplete {
        /// The largest bound within which nothing can happen, if any.
        iterations: Option<u32>,
        /// Where loops were cut.
        cut: Vec<Site>,
        /// Why no larger bound was tried.
        why: String,
    },
    /// This happens: it was confirmed.
    Found(Vec<Conjecture>),
    /// This should happen, and the program did not do it. Nothing else was found.
    Unconfirmed(Vec<Conjecture>),
}

/// What is told while a proof is under way.
#[derive(Debug)]
pub enum Event<'a> {
    /// A bound is about to be tried.
    Begin(u32),
    /// A bound was tried.
    Tried(u32, &'a Answer),
}

/// Asks with growing bounds, or with `only` one. `confirm` runs the program and says whether a conjecture is true. With `all`, the search
/// goes on after that.
///
/// # Errors
///
/// What is not followed, and where.
pub fn deepen(
    module: &Module,
    question: &Question,
    only: Option<u32>,
    all: bool,
    confirm: &mut dyn FnMut(&Conjecture) -> bool,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<(Conclusion, Answer), Refusal> {
    deepen_by(&mut |question| ask(module, question), question, only, all, confirm, tell)
}

/// Like [`deepen`], by asking in another way.
///
/// # Errors
///
/// What is not followed, and where.
pub fn deepen_by(
    ask: &mut dyn FnMut(&Question) -> Result<Answer, Refusal>,
    question: &Question,
    only: Option<u32>,
    all: bool,
    confirm: &mut dyn FnMut(&Conjecture) -> bool,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<(Conclusion, Answer), Refusal> {
    let mut question = Question { unwind: only.unwrap_or(1), ..question.clone() };
    let (mut done, mut cut) = (None, Vec::new());
    let (mut found, mut unconfirmed) = (Vec::new(), Vec::new());
    let mut total = Answer::default();
    loop {
        let bound = question.unwind;
        tell(Event::Begin(bound));
        let answer = ask(&question)?;
        tell(Event::Tried(bound, &answer));
        total = add(total, answer);
        let late = question.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || question.stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed));
        let conclusion = match &total.verdict {
            Verdict::Safe => Conclusion::Safe(bound),
            Verdict::Cut(sites) if only.is_some() || own_bounds(&question, sites) => {
                Conclusion::Within(bound, sites.clone())
            }
            Verdict::Cut(sites) => {
                done = Some(bound);
                cut.clone_from(sites);
                if bound < LARGEST && !late {
                    question.unwind *= 2;
                    continue;
                }
                let why = if late { "the time limit was reached" } else { "loops go on" };
                Conclusion::Incomplete { iterations: done, cut, why: why.to_owned() }
            }
            Verdict::Unknown(why) => Conclusion::Incomplete { iterations: done, cut, why: why.clone() },
            Verdict::Possible(conjecture) => {
                let confirmed = confirm(conjecture);
                if confirmed { &mut found } else { &mut unconfirmed }.push((**conjecture).clone());
                let stop = if confirmed { !all } else { unconfirmed.len() >= PATIENCE };
                if !stop && !late && !question.known.contains(&conjecture.wrong) {
                    question.known.push(conjecture.wrong);
                    continue;
                }
                Conclusion::Unconfirmed(Vec::new())
            }
        };
        let conclusion = match (found.is_empty(), unconfirmed.is_empty()) {
            (false, _) => Conclusion::Found(found),
            (true, false) => Conclusion::Unconfirmed(unconfirmed),
            _ => conclusion,
        };
        return Ok((conclusion, total));
    }
}

/// Whether the user has bounded all these loops.
fn own_bounds(question: &Question, sites: &[Site]) -> bool {
    let bounded =
        |site: &Site| question.unwind_loops.iter().any(|(file, line, _)| (*file, *line) == (site.file, site.line));
    !sites.is_empty() && sites.iter().all(bounded)
}

/// The last answer, with what all of them took.
fn add(total: Answer, last: Answer) -> Answer {
    Answer {
        queries: total.queries + last.queries,
        formulas: total.formulas + last.formulas,
        conflicts: total.conflicts + last.conflicts,
        certified: total.certified + last.certified,
        ..last
    }
}
