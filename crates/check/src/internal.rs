//! Errors of Heddle itself: a panic ends what was being done, not the check.
//!
//! A panic is a bug in Heddle and says nothing about the program. What was found before it is still true, so it is kept and told, and
//! the verdict is *error*. [`guard`] runs one part of a check and turns a panic in it into a [`Panic`]. The front end prints the panic
//! where it happens, from its panic hook; it asks [`is_guarded`] whether somebody will go on after it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// How many guards there are around what runs now.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
    /// Where the last panic happened, as the panic hook saw it.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A bug in Heddle that ended a part of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Panic {
    /// What was being done.
    pub doing: &'static str,
    /// The message of the panic, and its place in Heddle's sources if a panic hook has [noted](note_place) it.
    pub message: String,
}

/// Whether a panic of the current thread is caught, so that the check goes on.
pub fn is_guarded() -> bool {
    GUARDS.get() > 0
}

/// Called by the panic hook of the front end: the panic that is under way happened at `place`.
pub fn note_place(place: String) {
    PLACE.set(Some(place));
}

/// The message of a panic.
pub fn message(payload: &dyn Any) -> &str {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("")
}

/// Does something. `None` if it panics; the panic is then added to `panics`.
///
/// Whatever `action` was changing may be half done after a panic. The caller uses it only to tell what was found.
pub fn guard<T>(doing: &'static str, panics: &mut Vec<Panic>, action: impl FnOnce() -> T) -> Option<T> {
    GUARDS.set(GUARDS.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(|| {
        inject(doing);
        action()
    }));
    GUARDS.set(GUARDS.get() - 1);
    match result {
        Ok(value) => Some(value),
        Err(payload) => {
            let place = PLACE.take().map_or(String::new(), |place| format!(" ({place})"));
            panics.push(Panic { doing, message: format!("{}{place}", message(&*payload)) });
            None
        }
    }
}

/// The variable that makes a check panic, for tests: what was being done, and for a search how many executions were run.
const INJECTED: &str = "HEDDLE_TEST_PANIC";

/// Panics if a test asks for a panic here. No feature for users.
fn inject(doing: &str) {
    if std::env::var_os(INJECTED).is_some_and(|wanted| wanted == doing) {
        panic!("injected by {INJECTED}");
    }
}

/// The number of executions after which a search is to panic, if a test asks for that. No feature for users.
pub(crate) fn injected_after() -> Option<u64> {
    std::env::var(INJECTED).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_kept_and_others_go_on() {
        let mut panics = Vec::new();
        assert_eq!(guard("counting", &mut panics, || 1 + 1), Some(2));
        assert!(!is_guarded() && panics.is_empty());
        let nothing: Vec<u32> = Vec::new();
        let lost = guard("looking", &mut panics, || {
            assert!(is_guarded());
            nothing[nothing.len() + 3]
        });
        assert!(lost.is_none() && !is_guarded());
        note_place("a.rs:1".to_string());
        assert_eq!(guard("speaking", &mut panics, || panic!("no {}", 7)), None::<()>);
        assert_eq!((panics[0].doing, panics[1].message.as_str()), ("looking", "no 7 (a.rs:1)"));
        assert_eq!(guard("speaking", &mut panics, || panic!("never")), None::<()>);
        assert_eq!(panics[2].message, "never", "a place belongs to one panic");
    }
}
