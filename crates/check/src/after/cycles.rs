//! Asks the graph of all states what can go on for ever, and runs each answer before it counts: stem and cycle, with the states before and
//! after the cycle compared. What does not repeat is not reported.

use std::path::Path;
use std::rc::Rc;

use heddle_model::Property;
use heddle_model::follow::Step;
use heddle_model::primitive::prop;
use heddle_model::round::{Claim, Round};
use heddle_model::{Execution, ExecutorError, FindingKind, Goal, ObjectId, Outcome, Plan, Settings, States, ThreadId};
use heddle_report::livelock::{self, RoundKind};
use heddle_report::outcome::{Class, classify};
use heddle_search::liveness::ltl::Formula;
use heddle_search::liveness::{Lasso, StateGraph};

use super::livelocks::is_of_library;
use crate::engine::Engine;
use crate::resolve;
use crate::tally::{Candidate, Tally};

/// What was asked of the graph, beside what was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// Whether the graph had every cycle of the program, so that nothing is left open.
    pub whole: bool,
    /// Why an answer does not count, in words, if there is one.
    pub open: Option<String>,
    /// The propositions of the formula that the program never sets.
    pub unset: Vec<String>,
}

/// The graph of a search that has come to its end.
pub struct Cycles<'g> {
    /// The graph.
    pub graph: &'g StateGraph,
    /// Whether it has every step of every state. A reduced graph says who waits for ever, and nothing else.
    pub whole: bool,
    /// The steps that every execution begins with.
    pub prefix: &'g [Step],
}

/// Something that the graph is asked.
struct Question {
    claim: Claim,
    lasso: Lasso,
    /// The thread that it is about, if it is about one.
    thread: Option<ThreadId>,
}

/// Asks the graph what `settings` ask for. What is found becomes findings of `tally`: the first, or with `all` one of each kind.
///
/// # Errors
///
/// When the engine fails.
pub fn look(
    tally: &mut Tally,
    engine: &mut dyn Engine,
    cycles: &Cycles<'_>,
    settings: &Settings,
    ran: u64,
    all: bool,
) -> Result<Asked, ExecutorError> {
    let mut asked = Asked { whole: cycles.whole, ..Asked::default() };
    engine.discard()?;
    engine.reveal(&tally.places)?;
    for ask in [waits_for_ever, wanted, livelock] {
        if !tally.findings.is_empty() && !all {
            break;
        }
        for question in ask(cycles, settings, &mut asked) {
            let Some((plan, kind)) = confirm(engine, cycles, question, settings, &mut asked)? else { continue };
            tally.findings.push(Candidate {
                plan,
                execution: ran,
                sample: None,
                count: 1,
                class: Class::Finding(kind),
                message: String::new(),
                lost: false,
                stopped: false,
                minimal: false,
                places: Rc::clone(&tally.places),
            });
            // One of its kind stands for all.
            break;
        }
    }
    Ok(asked)
}

fn threads(graph: &StateGraph) -> impl Iterator<Item = ThreadId> {
    let most = graph.nodes.iter().flat_map(|node| node.ready.iter().chain(&node.waiting)).max().copied();
    (0..most.map_or(0, |most| most.0 + 1)).map(ThreadId)
}

/// Threads that wait for ever, whatever the others do.
fn waits_for_ever(cycles: &Cycles<'_>, settings: &Settings, _: &mut Asked) -> Vec<Question> {
    if !settings.properties.look_for(Property::Deadlock) {
        return Vec::new();
    }
    let stuck = |thread| {
        Some(Question { claim: Claim::Stuck, lasso: cycles.graph.stuck_for_ever(thread)?, thread: Some(thread) })
    };
    let vain = cycles.graph.vain().map(|lasso| Question { claim: Claim::Vain, lasso, thread: None });
    threads(cycles.graph).filter_map(stuck).chain(vain).collect()
}

/// What the user asks for.
fn wanted(cycles: &Cycles<'_>, settings: &Settings, asked: &mut Asked) -> Vec<Question> {
    if !cycles.whole {
        return Vec::new();
    }
    let (graph, fairness) = (cycles.graph, settings.liveness.fairness);
    let about = |claim| move |lasso| Question { claim, lasso, thread: None };
    let mut questions: Vec<Question> = match settings.liveness.goal {
        Goal::Nothing => Vec::new(),
        Goal::Ends => graph.endless(fairness).map(about(Claim::Endless)).into_iter().collect(),
        Goal::Progress => graph.idle(fairness).map(about(Claim::Idle)).into_iter().collect(),
        Goal::Starvation => threads(graph)
            .filter_map(|thread| {
                let lasso = graph.starvation(thread, fairness)?;
                Some(Question { claim: Claim::Starvation, lasso, thread: Some(thread) })
            })
            .collect(),
    };
    let text = settings.liveness.formula.as_str();
    if !text.is_empty() {
        match Formula::of_program(text) {
            Ok((formula, names)) => {
                let objects: Vec<ObjectId> = names.iter().map(|name| prop::object(name.as_bytes())).collect();
                let is_set = |object: &ObjectId| graph.nodes.iter().any(|node| node.holds.contains(object));
                let unset = names.iter().zip(&objects).filter(|(_, object)| !is_set(object));
                asked.unset = unset.map(|(name, _)| name.clone()).collect();
                let violation = graph.violation(&formula, fairness, |node| graph.letter(node, &objects));
                questions.extend(violation.map(about(Claim::Formula)));
            }
            // Refused before the search.
            Err(error) => asked.open = Some(error.to_string()),
        }
    }
    questions
}

/// Threads that act for ever and get nowhere.
fn livelock(cycles: &Cycles<'_>, settings: &Settings, _: &mut Asked) -> Vec<Question> {
    let covered = matches!(settings.liveness.goal, Goal::Ends | Goal::Progress);
    if !cycles.whole || covered || !settings.properties.look_for(Property::Progress) {
        return Vec::new();
    }
    let lasso = cycles.graph.livelock(settings.liveness.fairness);
    lasso.map(|lasso| Question { claim: Claim::Livelock, lasso, thread: None }).into_iter().collect()
}

/// The plan that goes through the lasso of `question` once.
fn plan(cycles: &Cycles<'_>, question: &Question) -> Plan {
    let Question { claim, lasso, .. } = question;
    let schedule: Vec<Step> = cycles.prefix.iter().copied().chain(cycles.graph.schedule(lasso, 1)).collect();
    let length = cycles.graph.steps(&lasso.cycle).count();
    let round = Round { first: (schedule.len() - length) as u32, length: length as u32, claim: *claim };
    Plan { schedule, record: true, round: Some(round), states: States::Record, ..Plan::default() }
}

/// Runs what the graph says. `None` if it is none of what is reported.
fn confirm(
    engine: &mut dyn Engine,
    cycles: &Cycles<'_>,
    mut question: Question,
    settings: &Settings,
    asked: &mut Asked,
) -> Result<Option<(Plan, FindingKind)>, ExecutorError> {
    let execution = engine.run(&plan(cycles, &question))?;
    if question.lasso.cycle.is_empty() {
        // An execution that ends: it stays in its last state.
        let ends = classify(&execution, &settings.properties) == Class::Fine;
        if !ends {
            asked.open =
                Some("an execution that violates the formula ended in another way when it was run again".to_owned());
        }
        return Ok(ends.then(|| (plan(cycles, &question), FindingKind::Ltl)));
    }
    let Outcome::Cycle { length, .. } = execution.outcome else {
        asked.open = Some(format!(
            "a cycle of {} steps was found that does not lead back to the same state when it is run",
            question.lasso.cycle.len()
        ));
        return Ok(None);
    };
    match question.claim {
        Claim::Stuck if waits_for_a_thread(&execution, question.thread) => return Ok(None),
        Claim::Livelock => {
            let round = &execution.events[execution.events.len().saturating_sub(length as usize)..];
            if livelock::kind_of(round) == RoundKind::Starves {
                question.claim = Claim::Starvation;
            }
            let recording = resolve::record(engine, &plan(cycles, &question), Path::new("."))?;
            if is_of_library(&recording) {
                asked.open = Some(
                    "std::lock, which takes several locks by trying, can go round for ever; whether the program can is not known"
                        .to_owned(),
                );
                return Ok(None);
            }
        }
        _ => {}
    }
    let plan = plan(cycles, &question);
    let Class::Finding(kind) = classify(&engine.run(&plan)?, &settings.properties) else { return Ok(None) };
    Ok(Some((plan, kind)))
}

/// Whether `thread` waits for the end of another thread: that one goes on, or is told of itself.
fn waits_for_a_thread(execution: &Execution<'_>, thread: Option<ThreadId>) -> bool {
    let own = execution.pending.iter().find(|pending| Some(pending.thread) == thread);
    own.is_none_or(|pending| pending.enabled != 0 || pending.operation.object.as_thread().is_some())
}
