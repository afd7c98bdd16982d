//! Atomic sections: everything that a thread does inside one is a single step of the schedule.

use heddle_model::primitive::process::END;
use heddle_model::primitive::section;
use heddle_model::{ObjectId, Operation};

use super::finish::finish_ended;
use super::state::{current, schedule, world};
use super::visible::{note, reschedule, take, visible};

/// Whether the running thread is inside an atomic section.
#[inline(always)]
pub fn in_section() -> bool {
    schedule().section.depth.get() != 0
}

/// Ends the execution if the running thread has announced, inside a section, an operation that would have to wait there.
#[cold]
pub(super) fn unless_stuck(pc: u64) {
    if world().thread(current()).pending.code == END {
        reschedule();
        note(take(current()));
        finish_ended(pc);
    }
}

/// Begins an atomic section. No other thread runs until it ends.
pub fn begin_section(pc: u64) {
    let section = &schedule().section;
    if section.depth.get() == 0 {
        visible(Operation::new(section::BEGIN, ObjectId::NONE), pc, |_| {});
        section.begin.set(world().events - 1);
        section.summary.borrow().write(section::Summary::default());
    }
    section.depth.set(section.depth.get() + 1);
}

/// Ends the innermost atomic section. Returns false if there is none.
pub fn end_section(pc: u64) -> bool {
    let section = &schedule().section;
    match section.depth.get() {
        0 => return false,
        1 => {
            section.depth.set(0);
            visible(Operation::new(section::END, ObjectId::NONE), pc, |_| {});
            // SAFETY: written when the section began.
            let summary = unsafe { section.summary.borrow().assume_init_ref() };
            schedule().record.get().change_event(section.begin.get(), |begin| summary.close(begin));
        }
        depth => section.depth.set(depth - 1),
    }
    true
}
