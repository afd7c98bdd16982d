//! The shared memory as a program could leave it.

use super::*;
use heddle_model::race::Access;
use heddle_model::wire::WireOutcome;
use heddle_model::{Ending, Values};

fn settings() -> Settings {
    Settings { quarantine: 4, outputs: true, nondet: Values::given(&[1, -1]).unwrap(), ..Settings::default() }
}

fn wire(names: &[ThreadName]) -> Wire {
    let briefing = Briefing {
        settings: settings(),
        inputs: vec![Input { value: 9, ..Input::default() }],
        restart: Restart::Fork,
        threads_wanted: 3,
        check_restore: true,
        input: Vec::new(),
        scratch: Vec::new(),
        places: vec![8, 16],
        unwinder: true,
        entry: 5,
        functions: vec![[6, 7]],
    };
    Wire::new(Layout::new(2, 8, 64, 32, 16), &briefing, names).unwrap()
}

#[test]
fn the_header_says_what_was_asked_for() {
    let names = [ThreadName::default(), ThreadName { ordinal: 7, ..ThreadName::default() }];
    let wire = wire(&names);
    let header = wire.header();
    assert_eq!((header.magic, header.version, header.restart), (MAGIC, VERSION, Restart::Fork as u32));
    assert_eq!((header.threads_wanted, header.check_restore), (3, 1));
    assert_eq!(header.settings, settings());
    assert_eq!(header.unwinder, 1);
    let annotations = &header.annotations;
    assert_eq!(annotations.entry, 5);
    assert_eq!(header.places.load(Relaxed), 2);
    assert_eq!((annotations.functions_len, annotations.functions[0]), (1, [6, 7]));
    assert_eq!((annotations.inputs_len, annotations.inputs[0].value), (1, 9));
    assert_eq!((wire.stage(), wire.progress(), wire.runner()), (Some(Stage::Launched), Some(0), 0));
    assert_eq!(wire.reports().names.load(Relaxed), 2);
    assert!(wire.descriptor() >= 100);
}

/// Words that the runtime has not written say nothing.
#[test]
fn words_that_were_written_over_are_noticed() {
    let wire = wire(&[]);
    for word in [0, 1, 2, 3, u64::MAX, wire.key.veil(4)] {
        wire.reports().stage.store(word, Relaxed);
        assert_eq!(wire.stage(), None, "{word}");
    }
    wire.reports().progress.store(77, Relaxed);
    wire.reports().runner.store(77, Relaxed);
    assert_eq!((wire.progress(), wire.runner()), (None, 0));
    assert_eq!(wire.trouble(), None);
}

#[test]
fn nobody_makes_the_memory_smaller() {
    let wire = wire(&[]);
    let file = File::from(wire.file.try_clone().unwrap());
    assert!(file.set_len(0).is_err() && file.set_len(wire.layout.size * 2).is_err());
}

#[test]
fn plans_that_do_not_fit_are_refused() {
    let mut wire = wire(&[]);
    let plan = |steps| Plan { schedule: vec![Step::default(); steps], ..Plan::default() };
    assert!(wire.put(0, &plan(64)));
    assert!(!wire.put(0, &plan(65)));
}

/// Writes a result as the runtime would: with its sum and its seal.
fn write(wire: &Wire, index: u32, head: ResultHead) {
    let mut taken = Taken::new();
    let slot = wire.result_slot(index);
    let room = &wire.layout;
    // SAFETY: within the slot, or counts beyond it are not followed.
    unsafe {
        let within = |count: u32, most: u32| count.min(most) as usize;
        copy(slot.add(room.events_at as usize).cast(), within(head.events, room.events), &mut taken.events);
        copy(slot.add(room.pending_at as usize).cast(), within(head.pending, room.threads), &mut taken.pending);
        copy(slot.add(room.touches_at as usize).cast(), within(head.touches, 64), &mut taken.touches);
    }
    let lists = [wire.key.of_names(std::iter::empty()), wire.key.of_libraries(&[])];
    let lists = lists.into_iter().fold(0, u64::wrapping_add);
    let head = ResultHead { sequence: index, sum: taken.sum(&wire.key, head.notes), lists, ..head };
    let mut result = WireResult { head, seal: 0, message: [0; heddle_model::wire::MESSAGE] };
    result.seal = wire.key.seal(&result);
    // SAFETY: within the slot.
    unsafe { slot.cast::<WireResult>().write(result) };
}

fn good() -> ResultHead {
    let outcome = WireOutcome::new(&Outcome::Deadlock, false);
    ResultHead { outcome, events: 64, pending: 8, ..ResultHead::default() }
}

#[test]
fn results_are_checked() {
    let mut wire = wire(&[]);
    let (mut taken, mut names) = (Taken::new(), Vec::new());
    let good = good();
    write(&wire, 3, good);
    assert!(wire.get(3, &mut taken, true, &mut names).is_some());
    assert_eq!((taken.events.len(), taken.pending.len()), (64, 8));
    assert!(wire.get(1, &mut taken, true, &mut names).is_none(), "slot 3 is slot 1 of 2, and has another plan");
    let race = |change: fn(&mut Race)| {
        let mut race = Race { later: Access::new(true, false), events: 64, ..Race::default() };
        change(&mut race);
        WireOutcome::new(&Outcome::Race(race), false)
    };
    write(&wire, 0, ResultHead { outcome: race(|_| {}), ..good });
    assert!(wire.get(0, &mut taken, true, &mut names).is_some());
    // No event of these ends the process.
    let ended = Outcome::Ended { ending: Ending::Abort, fault: None };
    for bad in [
        ResultHead { events: 65, ..good },
        ResultHead { pending: 9, ..good },
        ResultHead { stack_words: 33, ..good },
        ResultHead { races: RACES as u32 + 1, ..good },
        ResultHead { touches: TOUCHES as u32 + 1, ..good },
        // What is there is no memory: it has no bytes.
        ResultHead { touches: 1, ..good },
        ResultHead { thread: ThreadId(8), ..good },
        ResultHead { names: 9, ..good },
        ResultHead { labels: LABELS as u32 + 1, ..good },
        ResultHead { libraries: LIBRARIES as u32 + 1, ..good },
        ResultHead { outcome: race(|race| race.later_thread = ThreadId(8)), ..good },
        ResultHead { outcome: race(|race| race.earlier_thread = ThreadId(8)), ..good },
        ResultHead { outcome: race(|race| race.events = 65), ..good },
        ResultHead {
            outcome: WireOutcome::new(
                &Outcome::Cycle { length: 65, claim: heddle_model::round::Claim::Suspected },
                false,
            ),
            ..good
        },
        ResultHead { outcome: WireOutcome::new(&ended, false), ..good },
    ] {
        write(&wire, 0, bad);
        assert!(wire.get(0, &mut taken, true, &mut names).is_none(), "{bad:?}");
    }
}

/// Names, labels and notes are taken with the result that counts them, and only if they are those that were sealed.
#[test]
fn lists_are_checked() {
    let mut wire = wire(&[]);
    let (mut taken, mut names) = (Taken::new(), Vec::new());
    let child = ThreadName { ordinal: 4, ..ThreadName::default() };
    // SAFETY: within the table.
    unsafe { wire.at::<ThreadName>(wire.layout.names_at).add(1).write(child) };
    wire.reports().labels[0].store(99, Relaxed);
    let listed = [ThreadName::default(), child];
    let sum = |key: &Key, labels: &[u64]| {
        let sum = key.of_names(listed.into_iter()).wrapping_add(key.of_libraries(&[]));
        sum.wrapping_add(key.of_labels(labels.iter().copied()))
    };
    let seal = |wire: &Wire, lists: u64| {
        write(wire, 0, ResultHead { names: 2, labels: 1, notes: Note::Files as u64, ..good() });
        let slot = wire.result_slot(0).cast::<WireResult>();
        // SAFETY: within the slot.
        unsafe {
            (*slot).head.lists = lists;
            (*slot).seal = wire.key.seal(&*slot);
        }
    };
    let right = sum(&wire.key, &[99]);
    seal(&wire, right.wrapping_add(1));
    assert!(wire.get(0, &mut taken, false, &mut names).is_none());
    assert!(names.is_empty() && wire.labels().is_empty() && !wire.went(Note::Files));
    seal(&wire, right);
    assert!(wire.get(0, &mut taken, false, &mut names).is_some());
    assert_eq!((names.as_slice(), wire.labels(), wire.went(Note::Files)), (&listed[..], &[99][..], true));
    wire.reports().labels[0].store(98, Relaxed);
    assert!(wire.get(0, &mut taken, false, &mut names).is_some(), "what was taken counts");
}

/// A stray write to any part of a result is noticed: to its fixed part, its text, its events, and what follows.
#[test]
fn a_stray_write_to_a_result_is_noticed() {
    let mut wire = wire(&[]);
    let (mut taken, mut names) = (Taken::new(), Vec::new());
    let message = std::mem::offset_of!(WireResult, message);
    let layout = wire.layout;
    let parts = [
        (0, message),
        (layout.events_at as usize, 64 * size_of::<Event>()),
        (layout.pending_at as usize, 8 * size_of::<Pending>()),
    ];
    write(&wire, 0, good());
    for (from, length) in parts {
        for at in (from..from + length).filter(|at| from == 0 || at % 5 == 0) {
            // SAFETY: within the slot.
            let byte = unsafe { wire.result_slot(0).add(at) };
            // SAFETY: as above; nobody else has it.
            unsafe { *byte ^= 0x11 };
            let passes = wire.get(0, &mut taken, true, &mut names).is_some();
            // SAFETY: as above.
            unsafe { *byte ^= 0x11 };
            let is_padding = from == 0 && (size_of::<ResultHead>() - 6..size_of::<ResultHead>()).contains(&at)
                || from == layout.pending_at as usize && (at - from) % size_of::<Pending>() == size_of::<Pending>() - 1;
            assert_eq!(passes, is_padding, "byte {at}");
        }
    }
    assert!(wire.get(0, &mut taken, true, &mut names).is_some());
}

/// Any bytes in a slot are taken as a result or refused.
#[test]
fn foreign_bytes_as_a_result() {
    let mut wire = wire(&[]);
    let size = wire.layout.result_size as usize;
    write(&wire, 0, good());
    // SAFETY: a slot is as long as this, within the mapping, and no process has it.
    let right = unsafe { std::slice::from_raw_parts(wire.result_slot(0), size).to_vec() };
    let (mut taken, mut names) = (Taken::new(), Vec::new());
    heddle_testkit::bytes::damage(&[right], |bytes| {
        // SAFETY: no more than there is room for in the slot, which no process has.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), wire.result_slot(0), bytes.len().min(size)) };
        // Sealed, so that more than the seal is tried.
        let head = wire.result_slot(0).cast::<WireResult>();
        // SAFETY: within the slot.
        let head = unsafe { (*head).head };
        write(&wire, 0, head);
        let _ = wire.get(0, &mut taken, true, &mut names);
    });
}
