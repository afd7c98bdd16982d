//! Bounds that grow until nothing is cut, and what is said in the end.

use super::{Answer, Conjecture, Question, Verdict, ask};
use crate::ir::{Module, Site};
use crate::machine::Refusal;

/// The largest bound that is tried by itself.
const LARGEST: u32 = 1 << 10;

/// What a proof comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// Nothing can happen, and every loop was followed to its end: with so many iterations at most.
    Safe(u32),
    /// Nothing can happen with at most as many iterations as the user asked for.
    Within(u32),
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
    Found(Box<Conjecture>),
    /// This should happen, and the program did not do it.
    Unconfirmed(Box<Conjecture>),
}

/// Asks with growing bounds, or with `only` one. `confirm` runs the program and says whether a conjecture is true.
///
/// # Errors
///
/// What is not followed, and where.
pub fn deepen(
    module: &Module,
    question: &Question,
    only: Option<u32>,
    confirm: &mut dyn FnMut(&Conjecture) -> bool,
) -> Result<(Conclusion, Answer), Refusal> {
    deepen_by(&mut |question| ask(module, question), question, only, confirm)
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
    confirm: &mut dyn FnMut(&Conjecture) -> bool,
) -> Result<(Conclusion, Answer), Refusal> {
    let mut bound = only.unwrap_or(1);
    let (mut done, mut cut) = (None, Vec::new());
    loop {
        let answer = ask(&Question { unwind: bound, ..question.clone() })?;
        let conclusion = match &answer.verdict {
            Verdict::Safe => Conclusion::Safe(bound),
            Verdict::Cut(_) if only.is_some() => Conclusion::Within(bound),
            Verdict::Cut(sites) => {
                done = Some(bound);
                cut.clone_from(sites);
                let late = question.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline);
                if bound < LARGEST && !late {
                    bound *= 2;
                    continue;
                }
                let why = if late { "the time limit was reached" } else { "loops go on" };
                Conclusion::Incomplete { iterations: done, cut, why: why.to_owned() }
            }
            Verdict::Unknown(why) => Conclusion::Incomplete { iterations: done, cut, why: why.clone() },
            Verdict::Possible(conjecture) if confirm(conjecture) => Conclusion::Found(conjecture.clone()),
            Verdict::Possible(conjecture) => Conclusion::Unconfirmed(conjecture.clone()),
        };
        return Ok((conclusion, answer));
    }
}
