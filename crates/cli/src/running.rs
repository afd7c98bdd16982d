//! Options that say how to run the program and which errors to look for, and the [`Settings`] that they make.
//!
//! An option that is not given leaves the base settings as they are. The base is Heddle's defaults or, with `--from`, the
//! settings of the trace.

use std::time::Duration;

use clap::{Args, ValueEnum};
use heddle_checking::values;
use heddle_model::{
    Attention, Fairness, FormulaText, Goal, Latitude, Liveness, Property, Restart, RestartMode, Settings, Values,
    Wakeup,
};

/// `--restart`: how the program returns to its start after each execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RestartWish {
    /// Snapshot where possible, else fork.
    Auto,
    /// Restore the program's memory. The fastest.
    Snapshot,
    /// Run each execution in a forked process.
    Fork,
    /// Run each execution in a new process. The slowest.
    Exec,
}

/// `--races`: what to do about data races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RaceWish {
    /// Report data races as findings.
    Report,
    /// Do not report data races, but explore both orders of the accesses.
    Ignore,
    /// Do not look for data races.
    Off,
}

/// `--exit-status`: what to do about exit statuses that are not 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExitWish {
    /// Report an exit status that is not 0 as a finding: a test fails.
    Report,
    /// Accept every exit status.
    Ignore,
    /// Report an exit status that is not 0 only if other executions end with another one.
    Differ,
}

/// `--memory`: what to do about memory errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MemoryWish {
    /// Report memory errors as findings.
    Report,
    /// Do not look for memory errors.
    Off,
}

/// `--misuse`: what to do about misuse of synchronisation primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MisuseWish {
    /// Report misuse as a finding: its behaviour is undefined.
    Report,
    /// Continue and do what glibc does.
    Off,
}

/// `--livelocks`: what to do about threads that loop for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LivelockWish {
    /// Report a livelock if all threads keep running without progress.
    Report,
    /// Only say that an execution did not end. For programs that are meant to run for ever.
    Off,
}

/// `--liveness`: what is asked about executions that go on for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LivenessWish {
    /// Every execution ends.
    Ends,
    /// Every execution that does not end calls heddle_progress again and again.
    Progress,
    /// Every thread gets what it waits for in the end.
    Starvation,
}

/// `--fairness`: which schedulers are not to blame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FairnessWish {
    /// A thread that can run again and again does run again and again.
    Strong,
    /// A thread that can run without interruption does run.
    Weak,
    /// Every scheduler counts, also one that never lets a thread run.
    None,
}

/// Options that say how to run the program and which errors to look for.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is looked for, and how the program runs")]
pub struct Running {
    /// Stop a thread when it has made N operations. The other threads go on.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_steps: Option<u32>,
    /// What to do about data races [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub races: Option<RaceWish>,
    /// What to do about exit statuses that are not 0 [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub exit_status: Option<ExitWish>,
    /// What to do about memory errors: use after free, heap buffer overflow, double free, use of a dead stack
    /// [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub memory: Option<MemoryWish>,
    /// Report memory leaks: heap blocks that nothing points to when the program ends.
    #[arg(long)]
    pub leaks: bool,
    /// What to do about misuse of primitives, such as unlocking another thread's mutex or destroying a locked one
    /// [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub misuse: Option<MisuseWish>,
    /// What to do about threads that loop for ever [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub livelocks: Option<LivelockWish>,
    /// What must be true of executions that go on for ever. Searches all states (--algorithm stateful) without reduction, because a reduction
    /// keeps no cycles.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub liveness: Option<LivenessWish>,
    /// A formula of linear temporal logic over the propositions that the program sets with heddle_prop: 'G (request -> F answer)'. Operators:
    /// ! && || -> <-> G F U W R. Searches all states without reduction.
    #[arg(long, value_name = "FORMULA", value_parser = values::formula)]
    pub ltl: Option<FormulaText>,
    /// Which schedulers count for --liveness, --ltl and livelocks [default: strong].
    #[arg(long, value_enum, value_name = "WHICH")]
    pub fairness: Option<FairnessWish>,
    /// How many timed waits of one thread may time out while other threads could run. After that, a wait times out only when no
    /// thread can run [default: 3].
    #[arg(long, value_name = "N")]
    pub max_timeouts: Option<u32>,
    /// How many condition waits of one thread may wake up spuriously [default: 0].
    #[arg(long, value_name = "N")]
    pub spurious_wakeups: Option<u32>,
    /// How many weak compare-exchanges and trylocks of one thread may fail spuriously [default: 0].
    #[arg(long, value_name = "N")]
    pub spurious_failures: Option<u32>,
    /// The order in which waiting threads are woken: arbitrary, fifo or lifo. Or one for each kind of object:
    /// mutex=fifo,cond=lifo,sem=fifo,rwlock=arbitrary [default: arbitrary].
    #[arg(long, value_name = "POLICY", value_parser = values::wakeup)]
    pub wakeup: Option<Wakeup>,
    /// The values that __VERIFIER_nondet_... functions return: 0,1,-1 or 0..9 or both. Without it Heddle tries a few values, and
    /// the verdict cannot be safe.
    #[arg(long, value_name = "VALUES", value_parser = values::numbers, allow_hyphen_values = true)]
    pub nondet: Option<Values>,
    /// How much freed memory each thread keeps out of use to detect use after free; 0 to reuse it at once [default: 64K].
    #[arg(long, value_name = "SIZE", value_parser = values::size_or_none)]
    pub quarantine: Option<u64>,
    /// How much memory the program may allocate: 512M, 4G [default: 1G].
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub memory_limit: Option<u64>,
    /// How long a thread may run without a visible operation before it counts as hanging [default: 3s].
    #[arg(long, alias = "watchdog", value_name = "DURATION", value_parser = values::duration)]
    pub hang_timeout: Option<Duration>,
    /// How the program returns to its start after each execution [default: auto].
    #[arg(long, value_enum, value_name = "HOW")]
    pub restart: Option<RestartWish>,
}

impl Running {
    fn liveness_over(&self, base: Liveness) -> Liveness {
        let goal = self.liveness.map(|wish| match wish {
            LivenessWish::Ends => Goal::Ends,
            LivenessWish::Progress => Goal::Progress,
            LivenessWish::Starvation => Goal::Starvation,
        });
        let fairness = self.fairness.map(|wish| match wish {
            FairnessWish::Strong => Fairness::Strong,
            FairnessWish::Weak => Fairness::Weak,
            FairnessWish::None => Fairness::None,
        });
        Liveness {
            goal: goal.unwrap_or(base.goal),
            fairness: fairness.unwrap_or(base.fairness),
            formula: self.ltl.unwrap_or(base.formula),
        }
    }

    /// Returns `base`, changed by the options that were given. `goes_on`: the search continues after the first finding.
    /// `outputs`: the program's output is kept for every execution.
    pub fn over(&self, base: Settings, goes_on: bool, outputs: bool) -> Settings {
        let mut properties = base.properties;
        let mut look = |property, wish: Option<bool>| match wish {
            Some(true) if !properties.look_for(property) => properties.set(property, Attention::Stop),
            Some(false) => properties.set(property, Attention::Off),
            _ => {}
        };
        look(Property::Memory, self.memory.map(|wish| wish == MemoryWish::Report));
        look(Property::Leak, self.leaks.then_some(true));
        look(Property::Misuse, self.misuse.map(|wish| wish == MisuseWish::Report));
        look(Property::Progress, self.livelocks.map(|wish| wish == LivelockWish::Report));
        let races = properties.of(Property::Race);
        let races = match self.races {
            Some(RaceWish::Off) => Attention::Off,
            Some(RaceWish::Ignore) => Attention::Ignore,
            Some(RaceWish::Report) if races.goes_on() => Attention::Go,
            Some(RaceWish::Report) => Attention::Stop,
            None => races,
        };
        // A search that ends with the first race may as well end the execution there.
        properties.set(Property::Race, if races == Attention::Stop && goes_on { Attention::Go } else { races });
        if let Some(wish) = self.exit_status {
            let attention = match wish {
                ExitWish::Report => Attention::Stop,
                ExitWish::Ignore => Attention::Off,
                ExitWish::Differ => Attention::Differ,
            };
            properties.set(Property::Exit, attention);
        }
        let restart = self.restart.map(|wish| match wish {
            RestartWish::Auto => RestartMode::Auto,
            RestartWish::Snapshot => RestartMode::Only(Restart::Snapshot),
            RestartWish::Fork => RestartMode::Only(Restart::Fork),
            RestartWish::Exec => RestartMode::Only(Restart::Exec),
        });
        let hang_after_ms = self.hang_timeout.map(|time| (time.as_millis() as u64).max(1));
        Settings {
            memory_limit: self.memory_limit.unwrap_or(base.memory_limit),
            stack_size: base.stack_size,
            quarantine: self.quarantine.unwrap_or(base.quarantine),
            hang_after_ms: hang_after_ms.unwrap_or(base.hang_after_ms),
            max_steps: self.max_steps.unwrap_or(base.max_steps),
            outputs: outputs || base.outputs,
            restart: restart.unwrap_or(base.restart),
            properties,
            latitude: Latitude {
                timeouts: self.max_timeouts.unwrap_or(base.latitude.timeouts),
                spurious_wakeups: self.spurious_wakeups.unwrap_or(base.latitude.spurious_wakeups),
                spurious_failures: self.spurious_failures.unwrap_or(base.latitude.spurious_failures),
                wakeup: self.wakeup.unwrap_or(base.latitude.wakeup),
            },
            nondet: self.nondet.unwrap_or(base.nondet),
            liveness: self.liveness_over(base.liveness),
        }
    }
}
