//! The layout of the shared file.

use super::known::{self, Entry};
use super::{FRAMES, Header, PLACES, RACES, Reports, TOUCHES, ThreadName, WirePlan, WireResult};
use crate::follow::Step;
use crate::race::Race;
use crate::{Event, Fingerprint, Pending, PlainTouch, ThreadId};

/// The offsets and capacities of the shared file. Set by the driver.
///
/// The file has two parts. What the driver says comes first: the program's process can only read it. What the runtime reports begins at
/// [`reports_at`](Self::reports_at). A process maps the two at two addresses that it draws.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Layout {
    /// The size of the file in bytes.
    pub size: u64,
    /// The offset of the visible places of plain memory. Each is the address of a granule of eight bytes.
    pub places_at: u64,
    /// The offset of the first plan.
    pub plans_at: u64,
    /// The distance from one plan to the next.
    pub plan_size: u64,
    /// The offset of the steps in a plan.
    pub steps_at: u64,
    /// The offset of the sleep set in a plan.
    pub sleep_at: u64,
    /// The offset of the table of dead stack bytes ([`super::FrameTable`]).
    pub frames_at: u64,
    /// The offset of the table of [known states](super::known).
    pub known_at: u64,
    /// The offset of what the runtime reports ([`super::Reports`]), up to the end of the file.
    pub reports_at: u64,
    /// The offset of the thread names.
    pub names_at: u64,
    /// The offset of the first result.
    pub results_at: u64,
    /// The distance from one result to the next.
    pub result_size: u64,
    /// The offset of the events in a result.
    pub events_at: u64,
    /// The offset of the pending operations in a result.
    pub pending_at: u64,
    /// The offset of the call stacks in a result ([`super::ResultHead::stack_words`]).
    pub stacks_at: u64,
    /// The offset of the program's output in a result.
    pub output_at: u64,
    /// The offset of the execution's data races in a result.
    pub races_at: u64,
    /// The offset of the execution's states in a result.
    pub states_at: u64,
    /// The offset of what the execution tells of plain memory in a result.
    pub touches_at: u64,
    /// The number of plans, and of results.
    pub slots: u32,
    /// The capacity for threads.
    pub threads: u32,
    /// The capacity for the steps of a plan and the events of an execution.
    pub events: u32,
    /// The capacity for words of call stacks.
    pub stack_words: u32,
    /// The capacity for bytes of output.
    pub output: u32,
    /// Padding, always zero.
    pub reserved: u32,
}

const PAGE: u64 = 4096;

impl Layout {
    /// Creates a layout with these capacities.
    pub const fn new(slots: u32, threads: u32, events: u32, stack_words: u32, output: u32) -> Layout {
        const fn up(at: u64) -> u64 {
            at.next_multiple_of(PAGE)
        }
        let places_at = up(size_of::<Header>() as u64);
        let plans_at = up(places_at + PLACES as u64 * 8);
        let steps_at = up(size_of::<WirePlan>() as u64);
        let sleep_at = up(steps_at + events as u64 * size_of::<Step>() as u64);
        let plan_size = up(sleep_at + threads as u64 * size_of::<ThreadId>() as u64);
        let frames_at = plans_at + slots as u64 * plan_size;
        let known_at = up(frames_at + FRAMES as u64);
        let reports_at = up(known_at + (known::ENTRIES * size_of::<Entry>()) as u64);
        let names_at = up(reports_at + size_of::<Reports>() as u64);
        let results_at = up(names_at + threads as u64 * size_of::<ThreadName>() as u64);
        let events_at = up(size_of::<WireResult>() as u64);
        let pending_at = up(events_at + events as u64 * size_of::<Event>() as u64);
        let stacks_at = up(pending_at + threads as u64 * size_of::<Pending>() as u64);
        let output_at = up(stacks_at + stack_words as u64 * 8);
        let races_at = up(output_at + output as u64);
        let states_at = up(races_at + RACES as u64 * size_of::<Race>() as u64);
        // One before each event, and one at the end.
        let touches_at = up(states_at + (events as u64 + 1) * size_of::<Fingerprint>() as u64);
        let result_size = up(touches_at + TOUCHES as u64 * size_of::<PlainTouch>() as u64);
        Layout {
            size: results_at + slots as u64 * result_size,
            places_at,
            plans_at,
            plan_size,
            steps_at,
            sleep_at,
            frames_at,
            known_at,
            reports_at,
            names_at,
            results_at,
            result_size,
            events_at,
            pending_at,
            stacks_at,
            output_at,
            races_at,
            states_at,
            touches_at,
            slots,
            threads,
            events,
            stack_words,
            output,
            reserved: 0,
        }
    }
}
