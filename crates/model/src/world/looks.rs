//! Loops that only wait: when a thread's next operation becomes an await.
//!
//! A thread *looks* when it takes an operation that changes nothing: a load, a failed `trylock`, a test-and-set of what was
//! set already. If it comes back to an operation in the state that it was in before, and has only looked in between, it
//! can only do the same again, until somebody writes to one of the places that it looked at. Its operation then becomes
//! an await ([`Operation::is_await`]).
//!
//! What a state is differs from engine to engine: registers and stack of a native thread, a position and registers of a
//! scripted one. The rule does not, and it is here. The engine says when it [is about to look](Looks::before), what came
//! of it ([`Looks::after`]), and when the thread changed something else ([`Looks::forget`]).
//!
//! A round can also lock mutexes, look at what they protect, and unlock them: it polls. Whatever another thread writes there, it writes between a
//! lock and an unlock of its own. So the thread waits for such an unlock, before its own lock ([`mutex::POLL`]). If it is not written
//! there, there is a data race.
//!
//! Such a round may try other mutexes under its lock, as `std::lock` does. It is in vain if whatever it got that way was given back because
//! another attempt failed. A thread that gets what it tries for passes, and does not wait, even if it changes nothing and begins anew.
//! Whoever tries the mutex that the round holds, and fails, can tell that it took place. So this is what the thread waits for, too: it may
//! go round once more ([`Attempts`](super::Attempts)).
//! A thread can wait although a mutex is free now that it could not get before. Then its round was needed by nobody, and the executions in
//! which it came later are explored ([`crate::World::waits_needlessly`]).
//!
//! The current values of the places are not considered: whether an operation is an await must not depend on what
//! independent threads did meanwhile.

use crate::primitive::atomic::{self, LOAD, RMW};
use crate::primitive::memory::READ;
use crate::primitive::mutex;
use crate::{Event, EventFlags, MOST_LOOKS, ObjectId, Operation};

/// The largest place that can be awaited, in bytes.
const WORD: u16 = 8;

/// One look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look<S> {
    /// The operation that looked.
    pub operation: Operation,
    /// The state of the thread before it.
    pub state: S,
    /// What the look found. Of an attempt to lock a mutex: whether it was in vain.
    value: u64,
}

/// What one thread has looked at since it last changed something. `S` is the state of the thread before a look.
///
/// All bytes zero is a value of this type, if it is one of `S`: nothing was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looks<S> {
    count: usize,
    looks: [Look<S>; MOST_LOOKS],
}

/// A thread that can only repeat its last round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Await<S> {
    /// Its next operation, as an await.
    pub operation: Operation,
    /// Its state where the round began.
    pub since: S,
    /// What its last look found, if the round looked at one atomic place of at most a word: then that look was
    /// [in vain](crate::vain).
    pub vain: Option<u64>,
    /// The round locks mutexes and tries others.
    pub tries: bool,
    /// Where the round is among the looks: the first, and how many.
    round: (usize, usize),
}

impl<S: Copy> Looks<S> {
    /// Forgets every look: the thread begins, or has changed something.
    #[inline]
    pub fn forget(&mut self) {
        self.count = 0;
    }

    /// The states before the looks that are remembered, oldest first, to note what has happened to them since.
    #[inline]
    pub fn states_mut(&mut self) -> impl Iterator<Item = &mut S> {
        self.looks[..self.count].iter_mut().map(|look| &mut look.state)
    }

    /// The thread is about to take `operation`, which may turn out to change nothing, in `state`. `is_again` says whether
    /// an earlier state is the same as this one.
    ///
    /// Returns the operation as an await if the thread can only repeat what it has done since the last such state. All
    /// looks are then forgotten: once it goes on, a new round begins.
    #[inline]
    pub fn before(&mut self, operation: Operation, state: S, is_again: impl Fn(&S) -> bool) -> Option<Await<S>> {
        let seen = &self.looks[..self.count];
        let same = |at: &usize| {
            let Look { operation: earlier, state, .. } = &seen[*at];
            earlier.code == operation.code && earlier.object == operation.object && is_again(state)
        };
        if let Some(first) = (0..self.count).rev().find(same)
            && unlocks_what_it_locks(&seen[first..])
            && gets_nothing_through(&seen[first..])
            && let Some(also) = other_places(&seen[first..], &operation)
        {
            let looks = &seen[first..];
            let round = looks.len() as u32;
            let since = looks[0].state;
            let found = looks[looks.len() - 1].value;
            let vain = looks.iter().all(|look| is_same_place(look, &operation)).then_some(found);
            let locks = looks.iter().any(Look::locks);
            let tries = locks && looks.iter().any(|look| look.operation.code == mutex::TRYLOCK);
            self.count = 0;
            let operation = match operation.code {
                mutex::LOCK => Operation::new(mutex::POLL, operation.object),
                _ => operation,
            };
            let operation = operation.awaiting(round, also);
            let operation = if locks { operation.under_lock() } else { operation };
            return Some(Await { operation, since, vain, tries, round: (first, round as usize) });
        }
        if self.count == MOST_LOOKS {
            self.count = 0;
        }
        self.looks[self.count] = Look { operation, state, value: 0 };
        self.count += 1;
        None
    }

    /// The looks of the round that `found` has ended, oldest first. Only right after the call of [`before`](Self::before) that
    /// found it.
    #[inline]
    pub fn round(&self, found: &Await<S>) -> &[Look<S>] {
        let (first, length) = found.round;
        &self.looks[first..][..length]
    }

    /// The looks at one atomic place that the last call of [`before`](Self::before) has added to, oldest first: nothing has
    /// changed since the first of them. The last of them is about to be taken.
    #[inline]
    pub fn at_one_place(&self) -> &[Look<S>] {
        let seen = &self.looks[..self.count];
        let Some(last) = seen.last() else { return seen };
        let others = seen.iter().rev().take_while(|look| is_same_place(look, &last.operation)).count();
        &seen[self.count - others..]
    }

    /// The thread has taken the operation of the last call of [`before`](Self::before). Forgets everything unless it has
    /// only looked.
    #[inline]
    pub fn after(&mut self, event: &Event) {
        let unchanged = match event.operation.code {
            LOAD | READ => true,
            // Whether the round changes nothing is seen at its end.
            mutex::LOCK | mutex::UNLOCK => !event.failed() && mutex::can_poll(&event.operation),
            mutex::TRYLOCK => event.failed() || mutex::can_poll(&event.operation),
            // Test-and-set of what was set already.
            RMW => event.flags.contains(EventFlags::UNCHANGED),
            _ => event.failed(),
        };
        // What failed for no reason has not looked: a loop must not be taken for one that waits because of it.
        if !unchanged || event.flags.contains(EventFlags::SPURIOUS) {
            self.forget();
            return;
        }
        if let Some(last) = self.looks[..self.count].last_mut() {
            last.value = if event.operation.code == mutex::TRYLOCK { event.failed() as u64 } else { event.result };
        }
    }
}

impl<S> Look<S> {
    /// Whether this look has tried a mutex in vain.
    fn fails_to_lock(&self) -> bool {
        self.operation.code == mutex::TRYLOCK && self.value != 0
    }

    /// Whether this look has locked a mutex.
    fn locks(&self) -> bool {
        self.operation.code == mutex::LOCK || self.operation.code == mutex::TRYLOCK && self.value == 0
    }
}

/// Whether `look` was at the atomic place of `operation`.
fn is_same_place<S>(look: &Look<S>, operation: &Operation) -> bool {
    let Operation { object, size, code, .. } = look.operation;
    code.family() == atomic::FAMILY && object == operation.object && size == operation.size && size <= WORD
}

/// Whether a round leaves all mutexes as it found them: it unlocks what it has locked, and nothing else.
fn unlocks_what_it_locks<S>(round: &[Look<S>]) -> bool {
    let held = |up_to: usize, mutex: ObjectId| {
        round[..up_to]
            .iter()
            .filter(|look| look.operation.object == mutex)
            .fold(0i32, |held, look| held + i32::from(look.locks()) - i32::from(look.operation.code == mutex::UNLOCK))
    };
    round.iter().enumerate().all(|(at, look)| match look.operation.code {
        mutex::UNLOCK => held(at, look.operation.object) == 1,
        _ if look.locks() => held(round.len(), look.operation.object) == 0,
        _ => true,
    })
}

/// Whether a round has given back whatever it got by trying because another attempt failed: between such an attempt that succeeds and the unlock
/// there is one that fails. The thread has passed otherwise.
fn gets_nothing_through<S>(round: &[Look<S>]) -> bool {
    let is_tried = |look: &Look<S>| look.operation.code == mutex::TRYLOCK && look.locks();
    round.iter().enumerate().filter(|(_, look)| is_tried(look)).all(|(at, tried)| {
        let unlocks =
            |look: &&Look<S>| (look.operation.code, look.operation.object) == (mutex::UNLOCK, tried.operation.object);
        round[at..].iter().take_while(|look| !unlocks(look)).any(Look::fails_to_lock)
    })
}

/// How much of a mutex an await reads whose loop locks it: what is locked and unlocked, and [what tells](mutex::noticed) that it was.
const LOCKED: u16 = 2;

/// Whether a thread about to take `operation` can await what the looks of `round` looked at: none is larger than a word, and those beside
/// the operation's own are near each other. Returns the part of memory with these, if there are any, with its size.
fn other_places<S>(round: &[Look<S>], operation: &Operation) -> Option<Option<(ObjectId, u16)>> {
    let mut others: Option<(u64, u64)> = None;
    for look in round {
        let Operation { object, size, code, .. } = look.operation;
        let can_be_awaited = match operation.code {
            LOAD | READ => true,
            // What else is tried under a lock may be seen by others.
            mutex::LOCK => matches!(code, mutex::LOCK | mutex::UNLOCK | mutex::TRYLOCK | LOAD | READ),
            _ => !look.locks() && code != mutex::UNLOCK,
        };
        if size > WORD || !can_be_awaited || !Operation::can_also_await(object) {
            return None;
        }
        if object != operation.object || size > operation.size {
            // What is not in memory (a mutex of the model's) has no size.
            let size = if look.locks() || code == mutex::UNLOCK { LOCKED } else { size.max(1) };
            let (from, to) = others.unwrap_or((object.0, object.0));
            others = Some((from.min(object.0), to.max(object.0 + size as u64)));
        }
    }
    let Some((from, to)) = others else { return Some(None) };
    // Only these have room for other places.
    let has_room = matches!(operation.code, LOAD | READ | mutex::LOCK);
    u16::try_from(to - from).ok().filter(|_| has_room).map(|size| Some((ObjectId(from), size)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpCode;

    fn at(code: OpCode, place: u64, size: u16) -> Operation {
        Operation { size, ..Operation::new(code, ObjectId(place)) }
    }

    fn load(place: u64) -> Operation {
        at(LOAD, place, 4)
    }

    /// Looks at these in turn; the state is the position in the round. Returns what the last one became.
    fn round(looks: &mut Looks<usize>, operations: &[Operation]) -> Option<Await<usize>> {
        let mut last = None;
        for (state, operation) in operations.iter().enumerate() {
            assert_eq!(last, None, "an await before the end");
            last = looks.before(*operation, state, |earlier| *earlier == state);
            let fails = matches!(operation.code, mutex::TRYLOCK | atomic::COMPARE_EXCHANGE);
            let flags = if fails { EventFlags::FAILED } else { EventFlags::NONE };
            looks.after(&Event { operation: *operation, flags, ..Event::default() });
        }
        last
    }

    /// Goes round once, and then to the first operation again.
    fn again(operations: &[Operation]) -> Option<Operation> {
        let mut looks = Looks::default();
        assert_eq!(round(&mut looks, operations), None);
        round(&mut looks, &operations[..1]).map(|found| found.operation)
    }

    #[test]
    fn several_places_can_be_awaited() {
        assert_eq!(again(&[load(8)]), Some(load(8).awaiting(1, None)));
        assert_eq!(again(&[load(8), load(8)]), Some(load(8).awaiting(2, None)));
        let two = load(8).awaiting(2, Some((ObjectId(16), 4)));
        assert_eq!(again(&[load(8), load(16)]), Some(two));
        let four = load(8).awaiting(4, Some((ObjectId(16), 4)));
        assert_eq!(again(&[load(8), load(16), load(8), load(16)]), Some(four));
        let three = load(8).awaiting(3, Some((ObjectId(16), 12)));
        assert_eq!(again(&[load(8), load(16), load(24)]), Some(three), "what lies between, too");
        assert_eq!(again(&[load(8), load(24), load(16)]), Some(three));
        assert_eq!(again(&[load(8), load(1 << 32), load(16)]), None, "too far apart");
        assert_eq!(again(&[load(8), load(1 << 50)]), None, "no address");
    }

    #[test]
    fn places_fit_a_word() {
        let two = load(8).awaiting(3, Some((ObjectId(16), 8)));
        assert_eq!(again(&[load(8), at(LOAD, 16, 8), load(16)]), Some(two), "the same place in two sizes");
        let large = load(8).awaiting(2, Some((ObjectId(8), 8)));
        assert_eq!(again(&[load(8), at(LOAD, 8, 8)]), Some(large), "its own place in two sizes");
        assert_eq!(again(&[load(8), at(LOAD, 16, 16)]), None, "larger than a word");
        assert_eq!(again(&[at(LOAD, 8, 16)]), None, "larger than a word");
        let lock = Operation::new(mutex::TRYLOCK, ObjectId(16));
        assert_eq!(again(&[load(8), lock]), Some(load(8).awaiting(2, Some((ObjectId(16), 1)))));
    }

    #[test]
    fn only_a_load_has_room_for_a_second_place() {
        let exchange = at(atomic::COMPARE_EXCHANGE, 8, 4);
        assert_eq!(again(&[exchange]), Some(exchange.awaiting(1, None)));
        assert_eq!(again(&[exchange, load(16)]), None);
        let plain = at(READ, 8, 4);
        assert_eq!(again(&[plain, load(16)]), Some(plain.awaiting(2, Some((ObjectId(16), 4)))));
    }

    #[test]
    fn the_state_and_the_place_must_be_the_same() {
        let mut looks = Looks::default();
        assert_eq!(looks.before(load(8), 1, |s| *s == 1), None);
        assert_eq!(looks.before(load(8), 2, |s| *s == 2), None, "another state");
        assert_eq!(looks.before(load(16), 2, |s| *s == 2), None, "another place");
        assert!(looks.before(load(8), 1, |s| *s == 1).is_some());
    }

    #[test]
    fn the_round_is_the_shortest_and_says_where_it_began() {
        let mut looks = Looks::default();
        for (place, state) in [(24, 1), (32, 2), (8, 30), (16, 4)] {
            assert_eq!(looks.before(load(place), state, |s| *s == state), None);
        }
        // The states 30 and 31 are the same to this engine.
        let found = looks.before(load(8), 31, |s| *s / 10 == 3).unwrap();
        assert_eq!((found.since, found.operation.looks()), (30, 2), "what came before the loop does not count");
        assert_eq!(looks.before(load(8), 31, |s| *s / 10 == 3), None, "a new round begins");
    }

    #[test]
    fn a_round_has_a_longest_length() {
        let mut longest = vec![load(8); MOST_LOOKS];
        assert_eq!(again(&longest), Some(load(8).awaiting(MOST_LOOKS as u32, None)));
        longest.push(load(8));
        assert_eq!(again(&longest), None);
    }

    #[test]
    fn what_changes_something_ends_a_round() {
        let goes_on = |code, flags| {
            let mut looks = Looks::default();
            assert_eq!(looks.before(at(code, 8, 4), 0, |_| true), None);
            looks.after(&Event { operation: at(code, 8, 4), flags, ..Event::default() });
            looks.before(at(code, 8, 4), 0, |_| true).is_some()
        };
        assert!(goes_on(LOAD, EventFlags::NONE));
        assert!(goes_on(READ, EventFlags::NONE));
        assert!(!goes_on(RMW, EventFlags::NONE));
        assert!(goes_on(RMW, EventFlags::UNCHANGED));
        assert!(!goes_on(atomic::COMPARE_EXCHANGE, EventFlags::NONE));
        assert!(goes_on(atomic::COMPARE_EXCHANGE, EventFlags::FAILED));
        assert!(!goes_on(atomic::COMPARE_EXCHANGE, EventFlags::FAILED.union(EventFlags::SPURIOUS)));
        assert!(!goes_on(mutex::TRYLOCK, EventFlags::NONE));
        assert!(goes_on(mutex::TRYLOCK, EventFlags::FAILED));
        let mut looks = Looks::default();
        assert_eq!(looks.before(load(8), 0, |_| true), None);
        looks.forget();
        assert_eq!(looks.before(load(8), 0, |_| true), None);
    }

    /// A lock and an unlock of mutex `place`.
    fn locked(place: u64, inside: &[Operation]) -> Vec<Operation> {
        let on = |code| Operation::new(code, ObjectId(place));
        [&[on(mutex::LOCK)], inside, &[on(mutex::UNLOCK)]].concat()
    }

    fn poll(place: u64) -> Operation {
        Operation::new(mutex::POLL, ObjectId(place))
    }

    #[test]
    fn a_round_can_look_under_locks() {
        assert_eq!(again(&locked(8, &[])), Some(poll(8).awaiting(2, None).under_lock()));
        let one = poll(8).awaiting(3, Some((ObjectId(16), 4))).under_lock();
        assert_eq!(again(&locked(8, &[load(16)])), Some(one));
        let two = poll(8).awaiting(4, Some((ObjectId(16), LOCKED))).under_lock();
        assert_eq!(again(&locked(8, &locked(16, &[]))), Some(two));
        let after = [&[load(16)], &locked(8, &[])[..]].concat();
        assert_eq!(again(&after), Some(load(16).awaiting(3, Some((ObjectId(8), LOCKED))).under_lock()));
    }

    #[test]
    fn a_round_under_locks_unlocks_what_it_locks() {
        let on = |code, place| Operation::new(code, ObjectId(place));
        assert_eq!(again(&[on(mutex::LOCK, 8)]), None, "it stays locked");
        assert_eq!(again(&[load(16), on(mutex::UNLOCK, 8)]), None, "it was locked before");
        assert_eq!(again(&[load(16), on(mutex::UNLOCK, 8), on(mutex::LOCK, 8)]), None, "others come in between");
        assert_eq!(again(&[load(16), on(mutex::LOCK, 8), on(mutex::UNLOCK, 24)]), None, "another one");
    }

    #[test]
    fn a_round_under_locks_may_try_others() {
        let fails = |place| Operation::new(mutex::TRYLOCK, ObjectId(place));
        let tried = poll(8).awaiting(3, Some((ObjectId(16), 1))).under_lock();
        assert_eq!(again(&locked(8, &[fails(16)])), Some(tried));
        assert_eq!(again(&locked(8, &[at(atomic::COMPARE_EXCHANGE, 16, 4)])), None, "others may see that");
        let tries = |operations: &[Operation]| {
            let mut looks = Looks::default();
            assert_eq!(round(&mut looks, operations), None);
            round(&mut looks, &operations[..1]).is_some_and(|found| found.tries)
        };
        assert!(tries(&locked(8, &[fails(16)])) && !tries(&locked(8, &[])) && !tries(&[fails(16)]));
        let in_turn = [locked(8, &[fails(16)]), locked(16, &[fails(8)])].concat();
        assert!(again(&in_turn).is_some());
    }

    /// Whether a thread waits that takes these again and again, each of which fails or does not.
    fn waits(operations: &[(Operation, bool)]) -> bool {
        let mut looks = Looks::default();
        for (state, (operation, fails)) in operations.iter().chain(operations).enumerate() {
            let state = state % operations.len();
            if looks.before(*operation, state, |earlier| *earlier == state).is_some() {
                return true;
            }
            let flags = if *fails { EventFlags::FAILED } else { EventFlags::NONE };
            looks.after(&Event { operation: *operation, flags, ..Event::default() });
        }
        false
    }

    #[test]
    fn who_gets_what_it_tries_for_does_not_wait() {
        let on = |code, place| (Operation::new(code, ObjectId(place)), false);
        let fails = |place| (Operation::new(mutex::TRYLOCK, ObjectId(place)), true);
        let (lock, unlock) = (on(mutex::LOCK, 8), on(mutex::UNLOCK, 8));
        let (tries, gives_back) = (on(mutex::TRYLOCK, 16), on(mutex::UNLOCK, 16));
        assert!(!waits(&[lock, tries, gives_back, unlock]), "it passes");
        assert!(!waits(&[lock, tries, gives_back, fails(24), unlock]), "it has passed before that failed");
        assert!(!waits(&[lock, fails(24), tries, gives_back, unlock]), "it passes after that failed");
        assert!(waits(&[lock, tries, fails(24), gives_back, unlock]), "it gives back because that failed");
        assert!(!waits(&[lock, tries, fails(24), unlock]), "it stays locked");
        assert!(!waits(&[tries, fails(24), gives_back]), "an attempt cannot say that somebody noticed");
    }

    #[test]
    fn some_mutexes_cannot_be_polled() {
        let goes_on = |detail| {
            let lock = Operation { detail, ..Operation::new(mutex::LOCK, ObjectId(8)) };
            let mut looks = Looks::default();
            assert_eq!(looks.before(lock, 0, |_| true), None);
            looks.after(&Event { operation: lock, ..Event::default() });
            looks.count == 1
        };
        assert!(goes_on(mutex::NORMAL) && goes_on(mutex::CHECKS_OWNER));
        assert!(!goes_on(mutex::RECURSIVE) && !goes_on(mutex::ERRORCHECK) && !goes_on(mutex::ROBUST));
    }

    #[test]
    fn states_can_be_noted() {
        let mut looks = Looks::default();
        assert_eq!(looks.before(load(8), 3, |_| false), None);
        assert_eq!(looks.before(load(8), 4, |_| false), None);
        looks.states_mut().for_each(|state| *state += 10);
        let found = looks.before(load(8), 0, |state| *state == 13).unwrap();
        assert_eq!((found.since, found.operation.looks()), (13, 2));
    }
}
