//! Limits of the system that are too small for Heddle itself, though not for the program.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The stack that Heddle and the start of a program need, in bytes.
pub const STACK: u64 = 8 << 20;

/// Raises the limits on the size of stacks and files as far as the system allows: a shell may have set them low (`ulimit -s`,
/// `ulimit -f`) for other reasons, and the shared memory counts as a file. Call this before anything else. Returns whether there
/// is room for Heddle's own stack; if not, it must run on another one.
pub fn raise_limits() -> bool {
    for (resource, wanted) in [(Resource::Stack, Some(STACK)), (Resource::Fsize, None)] {
        let Rlimit { current, maximum } = getrlimit(resource);
        let enough = |limit: Option<u64>| limit.is_none_or(|limit| wanted.is_some_and(|wanted| limit >= wanted));
        if enough(current) {
            continue;
        }
        // Who has the privilege may exceed the maximum. What cannot be raised is told by whatever fails for it.
        let higher = if enough(maximum) { maximum } else { wanted };
        if setrlimit(resource, Rlimit { current: wanted, maximum: higher }).is_err() {
            let _ = setrlimit(resource, Rlimit { current: maximum, maximum });
        }
    }
    has_room()
}

/// Whether the limit on the size of the stack is large enough.
pub(crate) fn has_room() -> bool {
    getrlimit(Resource::Stack).current.is_none_or(|limit| limit >= STACK)
}
