//! From a plan to the next step.
//!
//! An executor (the runtime in a program, the scripted programs of the tests) asks a [`Follower`] which thread runs
//! next. The follower replays the plan's schedule and then applies its policy. It also keeps the sleep set: threads
//! whose next operation is covered by another execution. It decides nothing else. The search chooses the plans.
//!
//! Each randomised policy has a file. Policies run inside the program under test, so none of them allocates, and none
//! stores more than a priority for each thread.

mod even;
pub mod few;
mod lots;
mod pct;
mod policy;
mod pos;
mod random;
mod step;

pub use policy::Policy;
pub use step::Step;

use lots::Lots;

use crate::immediate::Immediate;
use crate::{Event, Footprint, OpCode, Phase, ThreadId, World};

/// The parts of a plan that a follower needs, wherever they are stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanView<'p> {
    /// The steps to follow.
    pub schedule: &'p [Step],
    /// The sleep set at the end of the schedule.
    pub sleep: &'p [ThreadId],
    /// The policy after the end of the schedule.
    pub policy: Policy,
    /// The seed of randomised policies.
    pub seed: u64,
    /// The largest number of operations for each thread. 0 means no limit. The executor tells its world
    /// ([`World::limit_steps`]).
    pub max_steps: u32,
    /// The largest number of switches between threads. `None` means no limit. A schedule is followed to its end.
    pub max_switches: Option<u32>,
    /// Which operations past the schedule are taken at once, because they are no decisions.
    pub immediate: Immediate,
}

/// What an execution does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Run this step.
    Run(Step),
    /// End the execution: no thread is enabled, and some have not finished.
    Deadlock,
    /// End the execution: no thread is enabled, and one of them stands at an assumption that does not hold.
    Assumed,
    /// End the execution: no thread is enabled, and this one runs for ever without a visible operation.
    Hang(ThreadId),
    /// End the execution: every thread has finished.
    AllFinished,
    /// End the execution: every enabled thread is in the sleep set.
    Blocked,
    /// End the execution: the step of the schedule at this position is impossible.
    Diverged(usize),
    /// End the execution: no thread is enabled, and this one is only stopped by the limit of [`PlanView::max_steps`].
    StepLimit(ThreadId),
    /// End the execution: this thread would go on, with one switch more than [`PlanView::max_switches`] allows.
    SwitchLimit(ThreadId),
}

/// Follows one plan through one execution.
pub struct Follower<'p> {
    plan: PlanView<'p>,
    position: usize,
    current: ThreadId,
    sleepers: usize,
    lots: Lots,
    changes: pct::Changes,
    /// The number of operations that the current thread has taken in its turn: see [`Policy::Turns`].
    taken: u32,
    /// The number of switches that are left. Counted only where they are limited.
    switches: u32,
}

impl<'p> Follower<'p> {
    /// Creates a follower at the start of an execution of `plan`.
    pub fn new(plan: PlanView<'p>) -> Self {
        let lots = Lots::new(plan.seed);
        let changes = pct::Changes::new(plan.policy.parameters());
        let switches = plan.max_switches.unwrap_or(u32::MAX);
        Follower { plan, position: 0, current: ThreadId::MAIN, sleepers: 0, lots, changes, taken: 0, switches }
    }

    /// The position of the next step in the schedule. It is past the end once the policy decides.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Whether the schedule was followed to its end, so that the policy decides next.
    #[inline]
    pub fn is_past_schedule(&self) -> bool {
        self.position >= self.plan.schedule.len()
    }

    /// The thread whose next operation is taken at once: there is nothing to decide. See [`crate::immediate`].
    #[inline]
    pub fn immediate(&self, world: &World) -> Option<ThreadId> {
        if self.is_past_schedule() { world.immediate(self.plan.immediate) } else { None }
    }

    /// The step of the schedule at `position`.
    pub fn step(&self, position: usize) -> Option<Step> {
        self.plan.schedule.get(position).copied()
    }

    /// The next step in `world`. Take it and [`observe`](Self::observe) the event before the next call.
    #[inline]
    pub fn decide(&mut self, world: &mut World) -> Decision {
        if let Some(&step) = self.plan.schedule.get(self.position) {
            let at = self.position;
            self.position += 1;
            let thread = step.thread;
            let known = thread.index() < world.extent();
            if !known || !can_go_on(world, thread) || !world.accepts(thread, step.choice()) {
                return Decision::Diverged(at);
            }
            if step.code != OpCode::ANY && step.code != world.thread(thread).pending.code {
                return Decision::Diverged(at);
            }
            if thread != self.current {
                self.switches = self.switches.saturating_sub(1);
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
        if let Some(thread) = self.immediate(world) {
            // It is nobody's turn.
            return Decision::Run(Step::new(thread));
        }
        let next = match self.plan.policy {
            Policy::NonPreemptive => self.same_or_lowest(world),
            Policy::Random => random::next(&mut self.lots, world),
            Policy::Pct { .. } => pct::next(&mut self.changes, &mut self.lots, world),
            Policy::Pos => pos::next(&mut self.lots, world),
            Policy::Few { .. } => few::next(self.plan.policy.parameters(), self.plan.seed, &mut self.lots, world),
            Policy::Even { operations } => even::next(operations, &mut self.lots, world),
            Policy::RoundRobin => self.same_or_next(world),
            Policy::Turns { operations } => self.in_turn(operations, world),
            Policy::Alone => Some(Step::new(self.current)).filter(|step| ready(world, step.thread)),
        };
        match next {
            Some(step) => self.go_on(step),
            None if self.leaves_alone(world) => Decision::Blocked,
            None => match self.nobody(world) {
                Decision::Deadlock => match world.expire() {
                    Some(thread) => self.go_on(Step::new(thread)),
                    None => match (world.stopped_by_limit(), world.running_forever()) {
                        (Some(thread), _) => Decision::StepLimit(thread),
                        (None, Some(thread)) => Decision::Hang(thread),
                        (None, None) => Decision::Deadlock,
                    },
                },
                other => other,
            },
        }
    }

    /// Runs `step`, unless that takes one switch too many.
    #[inline]
    fn go_on(&mut self, step: Step) -> Decision {
        if step.thread != self.current && self.plan.max_switches.is_some() {
            match self.switches.checked_sub(1) {
                Some(left) => self.switches = left,
                None => return Decision::SwitchLimit(step.thread),
            }
        }
        self.current = step.thread;
        Decision::Run(step)
    }

    /// Removes the threads from the sleep set whose next operation depends on `event`, which has just been taken.
    /// Needed only while [`has_sleepers`](Self::has_sleepers).
    ///
    /// The footprint of a sleeper is predicted after the event instead of before it. Both give the same answer: an
    /// event that changes the footprint has written something that the sleeper reads, so the two conflict either way.
    pub fn observe(&mut self, world: &mut World, event: &Event) {
        let mut touched = Footprint::new();
        touched.add(event);
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

    /// Whether the sleep set contains a thread.
    #[inline]
    pub fn has_sleepers(&self) -> bool {
        self.sleepers != 0
    }

    #[inline]
    fn same_or_lowest(&self, world: &World) -> Option<Step> {
        let thread = self.current;
        let thread = if ready(world, thread) { thread } else { world.ids().find(|&t| ready(world, t))? };
        Some(Step::new(thread))
    }

    fn same_or_next(&self, world: &World) -> Option<Step> {
        let current = self.current;
        let round = world.ids().skip(current.index()).chain(world.ids().take(current.index()));
        let thread = { round }.find(|&t| ready(world, t))?;
        Some(Step::new(thread))
    }

    fn in_turn(&mut self, operations: u32, world: &World) -> Option<Step> {
        if self.taken < operations && ready(world, self.current) {
            self.taken += 1;
            return Some(Step::new(self.current));
        }
        let after = self.current.index() + 1;
        let round = world.ids().skip(after).chain(world.ids().take(after));
        let thread = { round }.find(|&t| ready(world, t))?;
        self.taken = 1;
        Some(Step::new(thread))
    }

    /// Whether the policy runs one thread only, and another one could go on.
    fn leaves_alone(&self, world: &mut World) -> bool {
        self.plan.policy == Policy::Alone
            && (world.ids().any(|thread| world.enabled(thread))
                || self.nobody(world) == Decision::Deadlock
                    && world.expire().is_some_and(|thread| thread != self.current))
    }

    fn nobody(&self, world: &World) -> Decision {
        if world.ids().any(|t| world.thread(t).asleep && world.enabled(t)) {
            Decision::Blocked
        } else if world.is_assumed_away() {
            Decision::Assumed
        } else if world.ids().any(|t| world.thread(t).phase == Phase::Alive) {
            Decision::Deadlock
        } else {
            Decision::AllFinished
        }
    }
}

/// Whether `thread` is enabled, or would be because no thread is and its timeout expires.
#[inline]
fn can_go_on(world: &mut World, thread: ThreadId) -> bool {
    world.enabled(thread) || world.expire_if_quiescent() == Some(thread)
}

/// Whether `thread` is enabled and not in the sleep set.
#[inline]
fn ready(world: &World, thread: ThreadId) -> bool {
    !world.thread(thread).asleep && world.enabled(thread)
}
