//! Both engines in turns: what one does not follow, or not in time, the other may.
//!
//! One formula over all orders is the better engine where threads race a lot, traces are where they lock and compute. So a program is given
//! to the formula for a while, then to the traces for half as long, and so on with turns that double. Where the formula says *safe* and cannot
//! say that no primitive is misused, the traces are asked too: the model looks at each operation there.

use std::time::{Duration, Instant};

use crate::ir::Module;
use crate::machine::Refusal;
use crate::prove::{self, Answer, Question, Verdict};
use crate::solve::thread_time;
use crate::trace::{self, Way};

/// How long the first turn of the traces is. The formula has twice as long: it loses more when it begins anew.
const FIRST: Duration = Duration::from_secs(4);

/// How long traces are asked for misuse, if a proof without that counts too.
const MISUSE: Duration = Duration::from_secs(2);

/// What is asked of the portfolio besides the question.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    /// How traces are chosen.
    pub way: Way,
    /// Whether a proof that does not cover misuse is worth nothing: all the time is spent on it then.
    pub complete: bool,
}

/// An engine whose turn it may be.
struct Player<'a> {
    ask: &'a dyn Fn(&Question) -> Result<Answer, Refusal>,
    refused: Option<Refusal>,
    /// It has said that it does not know, although there was time left.
    gave_up: Option<Answer>,
}

impl Player<'_> {
    fn plays(&self) -> bool {
        self.refused.is_none() && self.gave_up.is_none()
    }

    /// One turn, for so long: what other processes compute meanwhile does not count. An answer that is one.
    fn turn(&mut self, question: &Question, slice: Option<Duration>) -> Option<Answer> {
        let computed = slice.map(|slice| thread_time() + slice);
        match (self.ask)(&Question { computed, ..question.clone() }) {
            Ok(answer) if !matches!(answer.verdict, Verdict::Unknown(_)) => Some(answer),
            Ok(answer) => {
                // Early: more time would not help.
                let late = question.deadline.is_some_and(|end| Instant::now() >= end);
                if !late && computed.is_none_or(|end| thread_time() < end) {
                    self.gave_up = Some(answer);
                }
                None
            }
            Err(refusal) => {
                self.refused = Some(refusal);
                None
            }
        }
    }
}

/// Asks about a program. Needs a large stack: [`with_stack`](prove::with_stack).
///
/// # Errors
///
/// What neither engine follows, and where.
pub fn ask(module: &Module, question: &Question, turns: &Turns) -> Result<Answer, Refusal> {
    let (order, traces) = (
        |question: &Question| prove::ask(module, question),
        |question: &Question| trace::ask(module, question, &turns.way),
    );
    let mut order = Player { ask: &order, refused: None, gave_up: None };
    let mut traces = Player { ask: &traces, refused: None, gave_up: None };
    let over = || {
        question.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || question.stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed))
    };
    let mut slice = FIRST;
    loop {
        for first in [true, false] {
            let (player, other) = if first { (&mut order, &traces) } else { (&mut traces, &order) };
            if !player.plays() {
                continue;
            }
            // Who plays alone has all the time.
            if let Some(answer) = player.turn(question, other.plays().then_some(if first { 2 * slice } else { slice }))
            {
                return Ok(if first { with_misuse(&mut traces, question, turns, answer) } else { answer });
            }
            if over() {
                break;
            }
        }
        if !order.plays() && !traces.plays() {
            return match (order.gave_up, traces.gave_up, order.refused) {
                (Some(answer), ..) | (None, Some(answer), _) => Ok(answer),
                (None, None, Some(refusal)) => Err(refusal),
                (None, None, None) => Ok(Answer::default()),
            };
        }
        if over() {
            return Ok(Answer::default());
        }
        slice *= 2;
    }
}

/// What the formula has answered; if that is *safe* and misuse is not excluded, what traces say about that.
fn with_misuse(traces: &mut Player<'_>, question: &Question, turns: &Turns, answer: Answer) -> Answer {
    let open = answer.misuse.is_some() && matches!(answer.verdict, Verdict::Safe | Verdict::Cut(_));
    if !open || !traces.plays() {
        return answer;
    }
    match traces.turn(question, (!turns.complete).then_some(MISUSE)) {
        Some(more) if matches!(more.verdict, Verdict::Possible(_)) => more,
        // Only few switches were looked at: they say nothing about the others.
        Some(more) if matches!(more.verdict, Verdict::Safe) && !more.bounded && more.timeouts.is_none() => {
            Answer { misuse: None, executions: more.executions, ..answer }
        }
        _ => answer,
    }
}
