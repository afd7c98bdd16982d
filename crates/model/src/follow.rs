//! From a plan to the next step.
//!
//! Whoever runs threads (the runtime in a program, the scripted programs of the tests) asks a [`Follower`] which
//! one goes next. It follows the plan's schedule to its end, then a policy, and on the way keeps asleep those
//! threads whose next operation is covered by another execution. It decides nothing beyond that: which plans to
//! run is the business of the search.

use crate::{Event, Footprint, OpCode, Phase, ThreadId, World};

/// One step of a schedule: who goes, and which way where there are several. Part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// Who goes.
    #[cfg_attr(feature = "std", serde(rename = "t"))]
    pub thread: ThreadId,
    /// Which alternative.
    #[cfg_attr(feature = "std", serde(rename = "c", default))]
    pub choice: u16,
    /// What it is expected to do ([`OpCode::ANY`]: whatever it does). Anything else is a divergence.
    #[cfg_attr(feature = "std", serde(rename = "op", default))]
    pub code: OpCode,
    /// Zero.
    #[cfg_attr(feature = "std", serde(skip))]
    pub reserved: u16,
}

impl Step {
    /// The step that `event` was.
    pub const fn of(event: &Event) -> Step {
        Step { thread: event.thread, choice: event.choice, code: event.operation.code, reserved: 0 }
    }
}

/// How to go on after the schedule. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u32)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub enum Policy {
    /// The same thread as long as it can go on, then the lowest that can: the fewest preemptions.
    #[default]
    NonPreemptive = 0,
    /// Any thread that can go on, and any alternative, with equal chances.
    Random = 1,
}

/// The parts of a plan that a follower needs, wherever they are stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanView<'p> {
    /// The steps to follow.
    pub schedule: &'p [Step],
    /// Who is asleep at the end of the schedule.
    pub sleep: &'p [ThreadId],
    /// How to go on.
    pub policy: Policy,
    /// For policies that draw lots.
    pub seed: u64,
    /// The most operations that one thread may take; 0 for no limit.
    pub max_steps: u32,
}

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// This step.
    Run(Step),
    /// Nobody can go on, and somebody has not ended.
    Deadlock,
    /// Every thread has ended.
    AllFinished,
    /// All that can go on are asleep.
    Blocked,
    /// The schedule cannot be followed at this position.
    Diverged(usize),
    /// This thread has taken all the operations it may.
    StepLimit(ThreadId),
}

/// Follows one plan through one execution.
pub struct Follower<'p> {
    plan: PlanView<'p>,
    position: usize,
    current: ThreadId,
    sleepers: usize,
    random: u64,
}

impl<'p> Follower<'p> {
    /// At the start of an execution of `plan`.
    pub fn new(plan: PlanView<'p>) -> Self {
        // An odd multiple of an odd constant: never zero, which would be xorshift's fixed point.
        let random = (plan.seed << 1 | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Follower { plan, position: 0, current: ThreadId::MAIN, sleepers: 0, random }
    }

    /// Where in the schedule the next step stands; past its end once the policy decides.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The next step in `world`. Take it, and [`observe`](Self::observe) the event, before asking again.
    #[inline]
    pub fn decide(&mut self, world: &mut World) -> Decision {
        if let Some(&step) = self.plan.schedule.get(self.position) {
            let at = self.position;
            self.position += 1;
            let thread = step.thread;
            let known = thread.index() < world.extent();
            if !known || !world.enabled(thread) || step.choice >= world.alternatives(thread) {
                return Decision::Diverged(at);
            }
            if step.code != OpCode::ANY && step.code != world.thread(thread).pending.code {
                return Decision::Diverged(at);
            }
            self.current = thread;
            return Decision::Run(step);
        }
        if self.position == self.plan.schedule.len() {
            self.position += 1;
            self.sleepers = 0;
            for &thread in self.plan.sleep {
                if thread.index() < world.extent() {
                    world.thread_mut(thread).asleep = true;
                    self.sleepers += 1;
                }
            }
        }
        let next = match self.plan.policy {
            Policy::NonPreemptive => self.same_or_lowest(world),
            Policy::Random => self.any(world),
        };
        match next {
            Some(step) => {
                let limit = self.plan.max_steps;
                if limit != 0 && world.thread(step.thread).steps >= limit {
                    return Decision::StepLimit(step.thread);
                }
                self.current = step.thread;
                Decision::Run(step)
            }
            None => self.nobody(world),
        }
    }

    /// Wakes the threads whose next operation depends on `event`, which has just been taken. Needed only while
    /// [`has_sleepers`](Self::has_sleepers).
    ///
    /// Asking what a sleeper would touch after the event, and not before, is the same: an event that changes what
    /// it would touch has changed something that the sleeper looks at, and conflicts with it either way.
    pub fn observe(&mut self, world: &mut World, event: &Event) {
        let touched = Footprint::of(event);
        for thread in world.ids() {
            if !world.thread(thread).asleep {
                continue;
            }
            if thread == event.thread || world.foresee(thread).conflicts_with(&touched) {
                world.thread_mut(thread).asleep = false;
                self.sleepers -= 1;
            }
        }
    }

    /// Whether anybody is asleep.
    #[inline]
    pub fn has_sleepers(&self) -> bool {
        self.sleepers != 0
    }

    #[inline]
    fn same_or_lowest(&self, world: &World) -> Option<Step> {
        let ready = |t: ThreadId| !world.thread(t).asleep && world.enabled(t);
        let thread = if ready(self.current) { self.current } else { world.ids().find(|&t| ready(t))? };
        Some(Step { thread, ..Step::default() })
    }

    fn any(&mut self, world: &World) -> Option<Step> {
        let ready = |t: &ThreadId| !world.thread(*t).asleep && world.enabled(*t);
        let count = world.ids().filter(ready).count();
        let pick = self.draw(count as u64)? as usize;
        let thread = world.ids().filter(ready).nth(pick)?;
        let choice = self.draw(world.alternatives(thread) as u64)? as u16;
        Some(Step { thread, choice, ..Step::default() })
    }

    /// A number below `bound`; none if that is zero.
    fn draw(&mut self, bound: u64) -> Option<u64> {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        // The high bits of a product are the better ones.
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(32).checked_rem(bound)
    }

    fn nobody(&self, world: &World) -> Decision {
        if world.ids().any(|t| world.thread(t).asleep && world.enabled(t)) {
            Decision::Blocked
        } else if world.ids().any(|t| world.thread(t).phase == Phase::Alive) {
            Decision::Deadlock
        } else {
            Decision::AllFinished
        }
    }
}
