//! What there is at an address that should not have been used.

use heddle_model::ThreadId;
use heddle_model::fault::{Doing, Fault, FaultKind};

use crate::addresses::{STACK_STRIDE, STACKS, STACKS_END};
use crate::entry::start;
use crate::heap::{self, State};
use crate::schedule::fiber;

/// Addresses this close to null are a null pointer and an offset.
const ALMOST_NULL: usize = 64 << 10;
/// Below the stack of the main thread: addresses that the kernel keeps free, as far as we say that they belong to it.
const BELOW_MAIN: usize = 1 << 20;

/// An access of `size` bytes at `address`, in the heap's range, that the heap does not allow.
pub fn heap(address: usize, size: usize, doing: Doing) -> Fault {
    let mut fault =
        Fault { kind: FaultKind::OutOfBounds, doing, address: address as u64, size: size as u64, ..Fault::default() };
    let mut before: Option<heap::Place> = None;
    let mut nearest: Option<heap::Place> = None;
    for place in heap::places_around(address).filter(|place| place.state != State::Gap) {
        if place.block <= address {
            before = Some(place);
            continue;
        }
        // Between two blocks: it is about the nearer one. What runs past an end is more frequent.
        let past = before.as_ref().map_or(usize::MAX, |before| address - (before.block + before.size).min(address));
        nearest = if place.block - address < past { Some(place) } else { before.take() };
        break;
    }
    let Some(place) = nearest.or(before) else {
        fault.kind = FaultKind::Wild;
        return fault;
    };
    fault.block = place.block as u64;
    fault.block_size = place.size as u64;
    if place.state == State::Free && (place.block..place.block + place.size.max(1)).contains(&address) {
        fault.kind = FaultKind::UseAfterFree;
    }
    fault
}

/// The processor refused an access to `address`. `denied`: there is memory, but not for this; `general`: the processor did
/// not say for which address.
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

/// Whose stack ends just above `address`.
fn below_stack(address: usize) -> Option<ThreadId> {
    let (low, _) = start::main_stack();
    if (low - BELOW_MAIN..low).contains(&address) {
        return Some(ThreadId::MAIN);
    }
    if !(STACKS..STACKS_END).contains(&address) {
        return None;
    }
    let index = (address - STACKS) / STACK_STRIDE;
    let owner = ThreadId(index as u16);
    ((1..=fiber::donors()).contains(&index) && address < fiber::stack_of(owner).0).then_some(owner)
}
