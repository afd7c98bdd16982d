//! From a plan to an execution.

use heddle_model::follow::{Decision, Follower};
use heddle_model::primitive::{process, section, thread};
use heddle_model::{
    Ending, Event, EventFlags, Execution, Executor, ExecutorError, NoMemory, Operation, Outcome, Pending, Phase, Plan,
    ThreadId, World,
};

use super::thread::{Next, Running, Then, Way};
use super::{THREADS, Tracer};
use crate::ir::FuncId;
use crate::machine::Refusal;
use crate::memory::{Memory, Value};
use crate::term::Terms;

impl Tracer<'_> {
    fn reset(&mut self) {
        let machine = &mut self.machine;
        machine.conditions.clear();
        machine.inputs.clear();
        machine.cuts.clear();
        machine.printed.clear();
        machine.exits.clear();
        machine.made.clear();
        machine.library_made.clear();
        machine.active.clear();
        machine.steps = 0;
        if let Some(watch) = &mut machine.watch {
            watch.touched.clear();
            watch.asked.clear();
            watch.allowed = false;
        }
        self.state.guard = Terms::TRUE;
        self.state.memory = Memory::default();
        self.threads.clear();
        self.threads.push(Running { next: Some(Next::Start), ..Running::default() });
        self.timeouts.clear();
        self.timeouts.push(0);
        self.children.clear();
        self.children.push(0);
        self.initialised.clear();
        self.past.reset();
        self.shadow.reset();
        self.events.clear();
        self.sites.clear();
        self.pending.clear();
        self.races.clear();
        self.current = 0;
        self.inside = false;
        self.skip_call = false;
    }

    /// The number of the thread that the current one creates next.
    pub(crate) fn next_child(&mut self) -> Result<usize, Refusal> {
        let next = self.names.len() + 1;
        let number = *self.names.entry((self.current, self.children[self.current])).or_insert(next);
        if number >= THREADS {
            return self.machine.refuse(format!("more than {THREADS} threads"));
        }
        if self.threads.len() <= number {
            self.threads.resize_with(number + 1, Running::default);
            self.timeouts.resize(number + 1, 0);
            self.children.resize(number + 1, 0);
        }
        Ok(number)
    }

    /// The current thread has created one.
    pub(crate) fn begin(&mut self, child: usize, function: FuncId, argument: Value) {
        self.children[self.current] += 1;
        let site = self.machine.site;
        self.threads[child] = Running::new(function, argument, site);
    }

    /// The first thread begins: with what runs before `main`.
    fn begin_main(&mut self) -> Result<(), Refusal> {
        let module = self.machine.module;
        let Some(main) = module.function("main").filter(|f| !module.functions[*f as usize].blocks.is_empty()) else {
            return self.machine.refuse("a program without main");
        };
        self.machine.refuse_what_is_aside()?;
        let args = self.machine.main_arguments(&mut self.state, main);
        self.push(main, args, None, Then::Nothing)?;
        for constructor in module.constructors.iter().rev() {
            self.push(*constructor, Vec::new(), None, Then::Constructor)?;
        }
        Ok(())
    }

    /// The current thread's operation was taken. Returns its next one.
    fn resume(&mut self, event: &Event) -> Result<(Operation, Next), Refusal> {
        let next = self.running_mut().next.take();
        match next {
            Some(Next::Start) => match self.running_mut().begin.take() {
                None => self.begin_main()?,
                Some((function, argument)) => self.push(function, vec![argument], None, Then::Nothing)?,
            },
            Some(Next::Choose(mut ways)) => {
                let chosen = (event.way as usize).min(ways.len().saturating_sub(1));
                let (condition, way) = ways.swap_remove(chosen);
                let thread = self.current;
                self.past.add(thread, condition);
                let Some(call) = self.running_mut().calls.last_mut() else { return Ok(Self::stopped()) };
                match way {
                    Way::Pin(reg, value) => call.frame.registers[reg as usize] = Some(value),
                    Way::Arm(arm) => {
                        let (function, block) = (call.frame.function, call.block);
                        if let Some(next) = self.take_arm(self.code(function), block, arm)? {
                            return Ok(next);
                        }
                    }
                }
            }
            Some(Next::Execute) => {
                let Some(call) = self.running().calls.last() else { return Ok(Self::stopped()) };
                let code = self.code(call.frame.function);
                let inst = &code.blocks[call.block as usize].insts[call.index].0;
                if let Some(watch) = &mut self.machine.watch {
                    watch.allowed = true;
                }
                self.machine.place = (call_function(&self.threads, self.current), self.block(), self.index());
                self.machine.site = self.running().site;
                let done = self.execute(inst);
                if let Some(watch) = &mut self.machine.watch {
                    watch.allowed = false;
                }
                done?;
            }
            Some(Next::End(local)) => {
                if let Some(watch) = &mut self.machine.watch {
                    watch.allowed = true;
                }
                let ended = self.machine.end_object(&mut self.state, local, Terms::TRUE);
                if let Some(watch) = &mut self.machine.watch {
                    watch.allowed = false;
                }
                ended?;
            }
            Some(Next::Call(waiting)) => {
                if let Some(next) = self.taken(waiting, event)? {
                    return Ok(next);
                }
            }
            Some(Next::Exit | Next::Stop) | None => return Ok(Self::stopped()),
        }
        self.advance()
    }

    fn block(&self) -> u32 {
        self.running().calls.last().map_or(0, |call| call.block)
    }

    fn index(&self) -> u32 {
        self.running().calls.last().map_or(0, |call| call.index as u32)
    }

    fn execute_plan(&mut self, plan: &Plan) {
        self.reset();
        let (mut threads, mut objects) = std::mem::take(&mut self.worlds);
        let mut world = World::new(&mut threads, &mut objects, &NoMemory);
        world.limit_steps(plan.max_steps);
        let mut follower = Follower::new(plan.view());
        let mut open = (0, section::Summary::default());
        let outcome = loop {
            if world.objects.is_full() {
                self.short = Some("too many synchronisation objects");
                break Outcome::Capacity(heddle_model::Capacity::Objects);
            }
            let step = match follower.decide(&mut world) {
                Decision::Run(step) => step,
                Decision::Deadlock => break Outcome::Deadlock,
                Decision::AllFinished => break Outcome::Ended { ending: Ending::Exit { status: 0 }, fault: None },
                Decision::Assumed => break Outcome::Assumed,
                Decision::Hang(_) => break Outcome::Hang,
                Decision::Blocked => break Outcome::Blocked,
                Decision::Diverged(at) => break Outcome::Diverged { step: at as u32 },
                Decision::StepLimit(thread) => break Outcome::StepLimit { thread },
                Decision::SwitchLimit(thread) => break Outcome::SwitchLimit { thread },
            };
            self.current = step.thread.index();
            self.machine.current = self.current as u32;
            let event = world.take(step.thread, step.choice());
            if follower.has_sleepers() {
                follower.observe(&mut world, &event);
            }
            match event.operation.code {
                section::BEGIN => open = (self.events.len(), section::Summary::default()),
                section::END => open.1.close(&mut self.events[open.0]),
                _ if event.flags.contains(EventFlags::INSIDE) => open.1.add(&event),
                _ => {}
            }
            self.inside = world.exclusive().is_some();
            self.events.push(event);
            let site = self.running().site;
            self.sites.push(site);
            self.past.take(&event);
            if event.operation.code == process::END {
                self.end(&event);
                let ending = process::ending(&event.operation).unwrap_or(Ending::Exit { status: 0 });
                break Outcome::Ended { ending, fault: None };
            }
            let raw = match self.uninitialised(&event) {
                Ok(raw) => raw,
                Err(refusal) => {
                    self.refusal.get_or_insert(refusal);
                    self.stop.set(true);
                    break Outcome::Unsupported;
                }
            };
            if let Some(misuse) = world.misuse.or(raw) {
                self.machine.site = site;
                self.misused(misuse);
                world.announce(step.thread, Self::stopped().0, 0);
                continue;
            }
            if event.operation.code == thread::EXIT && world.thread(step.thread).phase == Phase::Finished {
                continue;
            }
            let (operation, next) = match self.resume(&event) {
                Ok(next) => next,
                Err(refusal) => {
                    if self.possible_with(Terms::TRUE) {
                        self.refusal.get_or_insert(refusal);
                        self.stop.set(true);
                        break Outcome::Unsupported;
                    }
                    Self::stopped()
                }
            };
            self.running_mut().next = Some(next);
            world.announce(step.thread, operation, 0);
        };
        world.end_section();
        for id in world.ids() {
            let state = *world.thread(id);
            if state.phase == Phase::Alive {
                self.pending.push(Pending {
                    flags: world.foresee_flags(id),
                    operation: state.pending,
                    state: state.state,
                    pc: state.pc,
                    thread: id,
                    enabled: u8::from(world.enabled_without_limit(id)),
                    asleep: u8::from(state.asleep),
                    stopped: u8::from(world.is_stopped(id)),
                    ..Pending::default()
                });
            }
        }
        self.worlds = (threads, objects);
        if outcome == Outcome::Deadlock && self.question.deadlocks {
            self.deadlock();
        }
        self.outcome = (outcome, ThreadId(self.current as u16));
    }

    /// The process has ended.
    fn end(&mut self, event: &Event) {
        if let Some(Ending::Waits { .. }) = process::ending(&event.operation) {
            self.short = Some("a thread waits in an atomic section");
        }
        if self.question.leaks && process::ending(&event.operation) == Some(Ending::Exit { status: 0 }) {
            self.machine.leaks(&mut self.state);
            self.look_at_conditions();
        }
    }
}

fn call_function(threads: &[Running], current: usize) -> FuncId {
    threads[current].calls.last().map_or(0, |call| call.frame.function)
}

impl Executor for Tracer<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.plans.push_back(plan.clone());
        Ok(())
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let plan = self.plans.pop_front().ok_or_else(|| ExecutorError::CannotRun("no plan".into()))?;
        self.execute_plan(&plan);
        Ok(Execution {
            events: &self.events,
            pending: &self.pending,
            outcome: self.outcome.0,
            circle: false,
            left: 0,
            thread: self.outcome.1,
            message: "",
            output: &[],
            races: &self.races,
            states: &[],
            touches: &[],
            contents: &[],
        })
    }

    fn abandon(&mut self) {
        self.plans.clear();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        if let Some(watch) = &mut self.machine.watch {
            watch.revealed = places.iter().copied().collect();
        }
        Ok(())
    }
}
