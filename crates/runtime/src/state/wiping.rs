//! Which stack is wiped: that of the running thread, in executions whose states are compared ([`arch::WIPED`]). The states of single threads
//! are compared, too, with those that are known before looks ([`heddle_model::vain`]).

use heddle_model::ThreadId;

use crate::arch;
use crate::schedule::fiber;

/// Begins an execution, with the main thread. `compares` says whether its states are compared.
pub fn begin(compares: bool) {
    arch::WIPED.set(if compares { bounds(ThreadId::MAIN) } else { [0; 2] });
}

/// Whether a stack is wiped.
#[inline(always)]
pub fn is_on() -> bool {
    arch::WIPED.get()[1] != 0
}

/// Takes note that `thread` runs from now on.
pub fn switched(thread: ThreadId) {
    if is_on() {
        arch::WIPED.set(bounds(thread));
    }
}

/// The stack of `thread`: its lowest address, and one past its highest.
fn bounds(thread: ThreadId) -> [usize; 2] {
    let (low, size) = fiber::stack_of(thread);
    [low, low + size]
}
