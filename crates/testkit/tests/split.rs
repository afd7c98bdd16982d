//! A search that is cut into items: each is explored alone, by a search that knows nothing else, and what comes back is
//! applied. Together they run exactly the traces of the undivided search: none twice, none lost, none blocked.

use std::collections::{BTreeSet, HashMap};

use heddle_model::{Execution, Outcome};
use heddle_search::canonical::{Label, canonical};
use heddle_search::split::explore;
use heddle_search::{Commit, Flow, Info, ItemId, Observer, Options, Split, Stop, WorkItem};
use heddle_testkit::environment;
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Program, Scripted, known, oracle};

#[derive(Default)]
struct Traces(HashMap<Vec<Label>, u64>);

impl Observer for Traces {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        if matches!(execution.outcome, Outcome::Ended { .. } | Outcome::Deadlock | Outcome::Assumed) {
            *self.0.entry(canonical(execution.events)).or_default() += 1;
        }
        Flow::Continue
    }
}

/// What became of a divided search.
#[derive(Default)]
struct Tally {
    items: u64,
    /// Executions that were run inside of items.
    inside: u64,
    /// Items where somebody sleeps.
    with_sleepers: u64,
    /// Sequences that were sent out of items.
    sent: u64,
}

/// `program`, where `places` say what is known of looks in vain.
fn knowing<'p>(program: &'p Program, places: &BTreeSet<u64>) -> Scripted<'p> {
    let mut executor = Scripted::new(program);
    executor.know(places);
    executor
}

/// Searches `program`, of which `places` are known, in parts. Up to `most` items are out at once, and come back in any order; now and then an execution
/// is run here. `change` may falsify an item before it is explored, and `forget` what comes back. An error says that a part
/// could not be explored or applied: what was falsified may lead to a schedule that no execution can follow.
fn divided(
    (program, places): (&Program, &BTreeSet<u64>),
    options: &Options,
    random: &mut Random,
    tally: &mut Tally,
    change: impl Fn(&mut WorkItem),
    forget: impl Fn(&mut Commit),
) -> Result<(Traces, u64, u64), String> {
    let mut traces = Traces::default();
    let mut split = Split::new(options.clone());
    let mut out: Vec<(ItemId, Vec<u8>)> = Vec::new();
    for _ in 0..1 + random.below(6) {
        split.run(&mut knowing(program, places), &mut traces).map_err(|error| error.to_string())?;
    }
    let most = 1 + random.below(5) as usize;
    while split.pending() > 0 || !out.is_empty() {
        match random.below(4) {
            0 if split.pending() > 0 => {
                split.run(&mut knowing(program, places), &mut traces).map_err(|error| error.to_string())?;
            }
            1 | 2 if out.len() < most => out.extend(split.item().map(|(id, item)| (id, item.to_bytes()))),
            _ if !out.is_empty() => {
                let (id, bytes) = out.swap_remove(random.below(out.len() as u64) as usize);
                let mut item = WorkItem::from_bytes(&bytes).expect("an item");
                change(&mut item);
                let explored = explore(&item, options, &mut knowing(program, places), &mut traces);
                let commit = explored.map_err(|error| error.to_string())?;
                tally.items += 1;
                tally.inside += commit.executions;
                tally.with_sleepers += u64::from(!item.sleepers.is_empty());
                tally.sent += commit.outgoing.len() as u64;
                let mut commit = Commit::from_bytes(&commit.to_bytes()).expect("a commit");
                forget(&mut commit);
                split.commit(id, commit).map_err(|error| error.to_string())?;
            }
            _ => {}
        }
        if traces.0.values().sum::<u64>() > 5000 {
            // Somebody explores everything again and again.
            break;
        }
    }
    let (executions, blocked) = split.counts();
    Ok((traces, executions, blocked))
}

/// Whether the divided search runs what the undivided one runs. None if the program is too large to ask.
fn agrees(
    program: &Program,
    random: &mut Random,
    tally: &mut Tally,
    change: impl Fn(&mut WorkItem),
    forget: impl Fn(&mut Commit),
) -> Option<Result<(), String>> {
    let limit = Options { max_executions: Some(400), ..Options::default() };
    let whole = oracle::explore(program, &limit, 1);
    if whole.summary.stop != Stop::Exhausted {
        return None;
    }
    let memory = if random.below(2) == 0 { 0 } else { Options::default().memory };
    let options = Options { memory, ..Options::default() };
    let (parts, executions, blocked) = match divided((program, &whole.places), &options, random, tally, change, forget)
    {
        Ok(divided) => divided,
        Err(what) => return Some(Err(what)),
    };
    if blocked != whole.summary.counts.blocked {
        return Some(Err(format!("{blocked} blocked, not {}", whole.summary.counts.blocked)));
    }
    if parts.0 != whole.traces {
        let twice = parts.0.values().filter(|&&times| times > 1).count();
        let lost = whole.traces.keys().filter(|trace| !parts.0.contains_key(*trace)).count();
        return Some(Err(format!(
            "{executions} executions, {twice} traces twice, {lost} of {} lost",
            whole.traces.len()
        )));
    }
    Some(Ok(()))
}

fn check(programs: u64, kinds: u32) {
    let mut tally = Tally::default();
    let mut looked_at = 0;
    let mut seed = environment::seed(0);
    while looked_at < programs {
        seed += 1;
        let mut random = Random::new(seed.wrapping_mul(104_729) ^ (kinds as u64) << 32);
        let operations = 3 + random.below(3);
        let program = generate::program(&mut random, Shape { threads: 3, operations, kinds });
        match agrees(&program, &mut random, &mut tally, |_| {}, |_| {}) {
            None => {}
            Some(Ok(())) => looked_at += 1,
            Some(Err(what)) => panic!("seed {seed}, kinds {kinds}: {what}\n{program}"),
        }
    }
    let Tally { items, inside, with_sleepers, sent } = tally;
    eprintln!("kinds {kinds}: {items} items, {inside} executions inside, {with_sleepers} with sleepers, {sent} sent");
    assert!(items > programs / 4 && inside >= items);
}

const WITHOUT_SECTIONS: u32 = generate::ALL & !generate::SECTIONS;

#[test]
fn parts_make_the_whole() {
    check(600, generate::LOCKS | generate::ATOMICS);
    check(400, generate::SEMAPHORES | generate::CONDITIONS | generate::LOCKS);
    check(400, generate::CHOICES | generate::ATOMICS);
    check(300, generate::RWLOCKS | generate::TRYLOCKS | generate::LOCKS);
    check(300, generate::QUEUES | generate::LOCKS | generate::SEMAPHORES);
    check(300, generate::ENDS | generate::ATOMICS);
}

#[test]
fn parts_of_everything() {
    check(1500, WITHOUT_SECTIONS);
}

/// Whether one of some random programs shows that its parts were falsified.
fn is_noticed(kinds: u32, change: impl Fn(&mut WorkItem), forget: impl Fn(&mut Commit)) -> bool {
    let mut tally = Tally::default();
    (0..2000).any(|seed| {
        let mut random = Random::new(seed);
        let program = generate::program(&mut random, Shape { threads: 3, operations: 5, kinds });
        let verdict = agrees(&program, &mut random, &mut tally, &change, &forget);
        verdict.is_some_and(|verdict| verdict.is_err())
    })
}

/// Every part of an item and of a commit matters: without sleepers others' traces are run again, and traces are lost without
/// what goes out.
#[test]
fn nothing_can_be_left_out() {
    let kinds = generate::LOCKS | generate::ATOMICS;
    assert!(is_noticed(kinds, |item| item.sleepers.clear(), |_| {}));
    assert!(is_noticed(kinds, |_| {}, |commit| commit.outgoing.clear()));
    assert!(is_noticed(generate::CHOICES | generate::ATOMICS, |_| {}, |commit| commit.ways.clear()));
    // What an event happens after decides whether it can come first.
    let after = |commit: &mut Commit| {
        commit.outgoing.iter_mut().flat_map(|insertion| &mut insertion.sequence).for_each(|item| item.after.clear());
    };
    assert!(is_noticed(generate::ALL & !generate::SECTIONS, |_| {}, after));
}

/// Known counts, in parts.
#[test]
fn known_counts_in_parts() {
    for seed in 0..5 {
        let program = known::counter(4);
        let mut tally = Tally::default();
        let (traces, executions, blocked) = divided(
            (&program, &BTreeSet::new()),
            &Options::default(),
            &mut Random::new(seed),
            &mut tally,
            |_| {},
            |_| {},
        )
        .expect("it is explored");
        assert_eq!((traces.0.len(), executions, blocked), (24, 24, 0));
        assert!(tally.items > 0);
    }
}

/// Bytes that are no item or no commit are refused.
#[test]
fn damaged_bytes_are_refused() {
    let program = known::counter(3);
    let mut split = Split::new(Options::default());
    split.run(&mut Scripted::new(&program), &mut Traces::default()).expect("scripted programs can be run");
    let (_, item) = split.item().expect("something is pending");
    let bytes = item.to_bytes();
    assert!((0..bytes.len()).all(|length| WorkItem::from_bytes(&bytes[..length]).is_err()));
    let longer = [&bytes[..], &[0]].concat();
    assert!(WorkItem::from_bytes(&longer).is_err());
}

/// Items and commits come from other processes, so that anything can be in them. Whatever can be read is explored, or
/// refused: it does not panic.
#[test]
fn foreign_bytes_as_a_work_item() {
    let program = known::readers(3);
    let limited = Options { max_executions: Some(50), ..Options::default() };
    let mut split = Split::new(Options::default());
    split.run(&mut Scripted::new(&program), &mut Traces::default()).expect("it runs");
    let (mut items, mut commits) = (Vec::new(), Vec::new());
    while let Some((id, item)) = split.item() {
        let explored = explore(&item, &Options::default(), &mut Scripted::new(&program), &mut Traces::default());
        let commit = explored.expect("it can be explored");
        items.push(item.to_bytes());
        commits.push(commit.to_bytes());
        split.commit(id, commit).expect("it can be applied");
    }
    assert!(!items.is_empty());
    heddle_testkit::bytes::damage(&items, |bytes| {
        if let Ok(item) = WorkItem::from_bytes(bytes) {
            let _ = explore(&item, &limited, &mut Scripted::new(&program), &mut Traces::default());
        }
    });
    heddle_testkit::bytes::damage(&commits, |bytes| {
        if let Ok(commit) = Commit::from_bytes(bytes) {
            let mut split = Split::new(Options::default());
            split.run(&mut Scripted::new(&program), &mut Traces::default()).expect("it runs");
            let (id, _) = split.item().expect("something is pending");
            let _ = split.commit(id, commit);
        }
    });
}
