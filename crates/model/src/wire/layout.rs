//! Where things are in the shared file.

use super::{Header, PLACES, RACES, Slot, ThreadName};
use crate::follow::Step;
use crate::race::Race;
use crate::{Event, Pending, ThreadId};

/// Where things are in the file, and how much room they have. Set by the driver.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Layout {
    /// Bytes in all.
    pub size: u64,
    /// The thread names.
    pub names_at: u64,
    /// The visible places of plain memory: granules of eight bytes, by their addresses.
    pub places_at: u64,
    /// The first slot.
    pub slots_at: u64,
    /// From one slot to the next.
    pub slot_size: u64,
    /// In a slot: the steps of the plan.
    pub steps_at: u64,
    /// In a slot: the plan's sleeping threads.
    pub sleep_at: u64,
    /// In a slot: the events of the execution.
    pub events_at: u64,
    /// In a slot: what the threads were about to do at the end.
    pub pending_at: u64,
    /// In a slot: call stacks ([`WireResult::stack_words`]).
    pub stacks_at: u64,
    /// In a slot: what the program printed.
    pub output_at: u64,
    /// In a slot: the races of the execution.
    pub races_at: u64,
    /// How many slots.
    pub slots: u32,
    /// Room for threads.
    pub threads: u32,
    /// Room for the steps of a plan and the events of an execution.
    pub events: u32,
    /// Room for words of call stacks.
    pub stack_words: u32,
    /// Room for bytes of output.
    pub output: u32,
    /// Zero.
    pub reserved: u32,
}

const PAGE: u64 = 4096;

impl Layout {
    /// A layout with room for these.
    pub const fn new(slots: u32, threads: u32, events: u32, stack_words: u32, output: u32) -> Layout {
        const fn up(at: u64) -> u64 {
            at.next_multiple_of(PAGE)
        }
        let names_at = up(size_of::<Header>() as u64);
        let places_at = up(names_at + threads as u64 * size_of::<ThreadName>() as u64);
        let slots_at = up(places_at + PLACES as u64 * 8);
        let steps_at = up(size_of::<Slot>() as u64);
        let sleep_at = up(steps_at + events as u64 * size_of::<Step>() as u64);
        let events_at = up(sleep_at + threads as u64 * size_of::<ThreadId>() as u64);
        let pending_at = up(events_at + events as u64 * size_of::<Event>() as u64);
        let stacks_at = up(pending_at + threads as u64 * size_of::<Pending>() as u64);
        let output_at = up(stacks_at + stack_words as u64 * 8);
        let races_at = up(output_at + output as u64);
        let slot_size = up(races_at + RACES as u64 * size_of::<Race>() as u64);
        Layout {
            size: slots_at + slots as u64 * slot_size,
            names_at,
            places_at,
            slots_at,
            slot_size,
            steps_at,
            sleep_at,
            events_at,
            pending_at,
            stacks_at,
            output_at,
            races_at,
            slots,
            threads,
            events,
            stack_words,
            output,
            reserved: 0,
        }
    }
}
