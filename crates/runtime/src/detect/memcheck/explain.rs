//! Explanations of bad accesses: what is at an address that must not be used.

use heddle_model::ThreadId;
use heddle_model::fault::{Doing, Fault, FaultKind};

use crate::addresses::{STACK_STRIDE, STACKS, STACKS_END};
use crate::heap::{self, State};
use crate::schedule::fiber;

/// Addresses closer to null than this are taken for a null pointer plus an offset.
const ALMOST_NULL: usize = 64 << 10;

/// The fault of an access of `size` bytes at `address`, which is in the heap's range, and which the heap does not allow.
pub fn heap(address: usize, size: usize, doing: Doing) -> Fault {
    let mut fault =
        Fault { kind: FaultKind::OutOfBounds, doing, address: address as u64, size: size as u64, ..Fault::default() };
    let Some(place) = heap::nearest(address) else {
        fault.kind = FaultKind::Wild;
        return fault;
    };
    fault.block = place.block as u64;
    fault.block_size = place.size as u64;
    if place.state == State::Free && place.contains(address) {
        fault.kind = FaultKind::UseAfterFree;
    }
    fault
}

/// The fault of an access to `address` that the processor refused. `denied`: memory is there, but not for this kind of access. `general`: the
/// processor did not say which address it was.
pub fn crashed(address: usize, doing: Doing, denied: bool, general: bool) -> Fault {
    let fault = Fault { doing, address: address as u64, ..Fault::default() };
    if general {
        return Fault { kind: FaultKind::NotAnAddress, ..fault };
    }
    if !(ALMOST_NULL..=usize::MAX - ALMOST_NULL).contains(&address) {
        return Fault { kind: FaultKind::Null, ..fault };
    }
    if let Some(owner) = below_stack(address) {
        return Fault { kind: FaultKind::Guard, other: Some(owner), ..fault };
    }
    if heap::in_range(address) {
        return heap(address, 0, doing);
    }
    Fault { kind: if denied { FaultKind::ReadOnly } else { FaultKind::Wild }, ..fault }
}

/// The thread whose stack ends just above `address`: it has overflowed.
fn below_stack(address: usize) -> Option<ThreadId> {
    if !(STACKS..STACKS_END).contains(&address) {
        return None;
    }
    let index = (address - STACKS) / STACK_STRIDE;
    let owner = ThreadId(index as u16);
    (index <= fiber::donors() && address < fiber::stack_of(owner).0).then_some(owner)
}
