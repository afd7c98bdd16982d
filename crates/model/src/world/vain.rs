//! Looks in vain: when a thread that looks at a place could only look again.
//!
//! A thread in a loop that waits takes one operation that may change nothing, a *look*: a load, an exchange, a compare-exchange. If the
//! look finds a value with which the thread comes back to the same operation in the same state, it was in vain. Nobody can tell
//! that it took place: the thread is where it was, and no other thread has noticed. So the operation is not enabled while
//! the place holds such a value, like the lock of a mutex that is locked. The look that counts is the one that gets through.
//!
//! Which values are in vain only the program knows. An engine that sees a look in vain ends the execution
//! ([`crate::Outcome::Learnt`]); the search begins anew and knows it from then on. What is known is a set of numbers among the
//! visible places ([`crate::Executor::reveal`]): for each state and value one, and one for each state. Addresses are smaller than these
//! numbers.
//!
//! A program can wait in ever new states. The search then says that it knows [`ENOUGH`]; what it does not know are looks like others.
//!
//! A state is a number too, a digest of everything that the thread's next steps depend on apart from the value.
//!
//! A round can have several looks at its place, as that of a test-and-test-and-set lock: it loads until the lock is free, then exchanges,
//! and loads again if that has failed. The exchange is in vain if the thread comes back to the state before its load: it could as
//! well have waited there. This holds only for a thread that has been there since it last changed something, so the number is
//! that of all states from there on ([`chain`]). And it must not wait where it could go on: it is in vain only if the load would be
//! in vain, too, with the value that the exchange has found.

/// The bit that tells the numbers of this module from addresses.
pub(crate) const MARK: u64 = 1 << 63;

/// Mixes two numbers. Each result is about as likely as any other.
pub const fn mix(a: u64, b: u64) -> u64 {
    let mut mixed = (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

/// The number that says that a look in `state` is in vain if it finds `value`.
#[inline]
pub const fn finding(state: u64, value: u64) -> u64 {
    mix(state, value.wrapping_add(3)) | MARK
}

/// The number that says that looks in `state` can be in vain.
#[inline]
pub const fn anything(state: u64) -> u64 {
    mix(mix(state, 1), state) | MARK
}

/// The number that says that looks in `state` are operations like others. The search has found that it cannot foresee what they find.
#[inline]
pub const fn nothing(state: u64) -> u64 {
    mix(mix(state, 2), state) | MARK
}

/// The number that says that no more is to be learnt: executions that show a look in vain that is not known go on.
pub const ENOUGH: u64 = MARK;

/// The number that says that threads wait in loops: from now on what the engine leaves on their stacks is wiped. Whether a thread is in the
/// same state again is to depend on the program alone. Without loops that wait nobody asks, and wiping takes time.
pub const WIPED: u64 = MARK | 1;

/// The number that says that rounds that lock one mutex and try another really go round, and are no [polls](crate::primitive::mutex::POLL). A thread
/// [probes](crate::Attempts), or threads that try mutexes politely keep each other from going on: whoever does not get the second gives
/// the first back and takes it again. All of them may do so for ever.
pub const TRIED: u64 = MARK | 2;

/// The number of a thread's states before several looks at one place, since it last changed something. One state has the number that it
/// has alone.
#[inline]
pub fn chain(states: impl Iterator<Item = u64>) -> u64 {
    states.reduce(|all, state| mix(all, state.wrapping_add(4)) | 1).unwrap_or(0)
}

/// Whether a number among the visible places is one of this module. All others are addresses.
#[inline]
pub const fn is_about_looks(place: u64) -> bool {
    place & MARK != 0
}

/// What is known of looks in vain, without the standard library: a sorted list of visible places.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vain<'p>(&'p [u64]);

impl<'p> Vain<'p> {
    /// Nothing is known.
    pub const NOTHING: Vain<'static> = Vain(&[]);

    /// What `places`, which are sorted, say. Addresses among them say nothing.
    pub fn new(places: &'p [u64]) -> Vain<'p> {
        let first = places.partition_point(|place| !is_about_looks(*place));
        Vain(&places[first..])
    }

    /// Whether an execution has to end so that it is known from then on that a look in `state` is in vain if it finds `value`.
    pub fn wants(&self, state: u64, value: u64) -> bool {
        !self.never(state) && !self.is_vain(state, value) && !self.has(ENOUGH)
    }

    /// Whether stacks are wiped: see [`WIPED`].
    pub fn wipes(&self) -> bool {
        self.has(WIPED)
    }

    /// Whether rounds that try mutexes really go round: see [`TRIED`].
    pub fn tries(&self) -> bool {
        self.has(TRIED)
    }

    /// Whether nothing is known.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a look in `state` can be in vain.
    #[inline]
    pub fn knows(&self, state: u64) -> bool {
        state != 0 && !self.0.is_empty() && self.has(anything(state)) && !self.has(nothing(state))
    }

    /// Whether a look in `state` is in vain if it finds `value`.
    #[inline]
    pub fn is_vain(&self, state: u64, value: u64) -> bool {
        self.knows(state) && self.has(finding(state, value))
    }

    /// Whether looks in `state` are operations like others, whatever they find.
    pub fn never(&self, state: u64) -> bool {
        self.has(nothing(state))
    }

    /// Whether a number that is no address is among the visible places.
    pub fn has(&self, number: u64) -> bool {
        self.0.binary_search(&number).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_told_apart_by_state_and_value() {
        let mut places = vec![8, 0x7fff_0000, finding(5, 0), anything(5), finding(6, 1), anything(6), nothing(6)];
        places.sort();
        let vain = Vain::new(&places);
        assert!(vain.is_vain(5, 0) && !vain.is_vain(5, 1) && vain.knows(5));
        assert!(!vain.is_vain(6, 1) && !vain.knows(6) && vain.never(6) && !vain.never(5));
        assert!(!vain.knows(0) && !vain.knows(7));
        assert!(!vain.wants(5, 0) && vain.wants(5, 1) && !vain.wants(6, 2) && vain.wants(7, 0));
        assert!(!vain.wipes());
        places.push(ENOUGH);
        places.push(WIPED);
        places.sort();
        assert!(Vain::new(&places).wipes() && !Vain::new(&places).wants(7, 0) && Vain::new(&places).is_vain(5, 0));
        assert!(Vain::new(&[8, 16]).is_empty() && !Vain::default().is_vain(5, 0));
    }

    #[test]
    fn the_order_of_a_chain_matters_and_one_state_is_itself() {
        assert_eq!(chain([5].into_iter()), 5);
        assert_eq!(chain([].into_iter()), 0);
        assert_ne!(chain([5, 6].into_iter()), chain([6, 5].into_iter()));
        assert_ne!(chain([5, 6].into_iter()), chain([5, 5, 6].into_iter()));
    }

    #[test]
    fn small_numbers_do_not_collide() {
        let states = 1..200u64;
        let all = states.flat_map(|s| (0..50).map(move |v| finding(s, v)).chain([anything(s), nothing(s)]));
        let mut all: Vec<u64> = all.collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(all.iter().all(|number| is_about_looks(*number)));
    }
}
