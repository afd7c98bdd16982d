//! Options that say how the program is run and what is looked for, and the [`Settings`] that they make.
//!
//! An option that was not typed says nothing: it leaves what the settings underneath say. Those are Heddle's defaults, or, with
//! `--from`, the settings of the trace.

use std::time::Duration;

use clap::{Args, ValueEnum};
use heddle_model::{Attention, Latitude, Property, Restart, RestartMode, Settings, Values, Wakeup};

use crate::values;

/// How executions start over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RestartWish {
    /// By snapshot where that is possible, else by fork.
    Auto,
    /// Memory is put back: the fastest.
    Snapshot,
    /// Each execution in a forked process.
    Fork,
    /// Each execution in a new process: the slowest.
    Exec,
}

/// What to do about data races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RaceWish {
    /// Look for them, and report them as findings.
    Report,
    /// Do not report them, but explore the orders of the accesses.
    Ignore,
    /// Do not look for them.
    Off,
}

/// What to do about accesses to memory that is not there, or not any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MemoryWish {
    /// Look for them, and report them as findings.
    Report,
    /// Do not look for them.
    Off,
}

/// What to do when a primitive is used against its rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MisuseWish {
    /// Report it: the standard says nothing about what would follow.
    Report,
    /// Go on as glibc does.
    Off,
}

/// What to do when threads go round for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LivelockWish {
    /// Report it if they all act and get nowhere.
    Report,
    /// Only say that an execution did not end: for programs that are meant to run for ever.
    Off,
}

/// How the program is run, and what is looked for.
#[derive(Args, Clone, Debug, Default)]
pub struct Running {
    /// The most operations of one thread in an execution.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_steps: Option<u32>,
    /// What to do about data races [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub races: Option<RaceWish>,
    /// What to do about memory errors: use after free, out of a heap block, double free, a dead thread's stack
    /// [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub memory: Option<MemoryWish>,
    /// Look for memory that nothing points to any more when the program ends.
    #[arg(long)]
    pub leaks: bool,
    /// What to do when a primitive is used against its rules: unlocked by a stranger, destroyed while it is locked, ...
    /// [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub misuse: Option<MisuseWish>,
    /// What to do when threads go round for ever: look for a livelock behind it, and report that [default: report].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub livelocks: Option<LivelockWish>,
    /// The most time-outs of one thread in an execution while others could go on; 0 for none. Beyond that, a time-out passes
    /// only when nobody can go on [default: 3].
    #[arg(long, value_name = "N")]
    pub max_timeouts: Option<u32>,
    /// How many condition waits of one thread may end for no reason [default: 0].
    #[arg(long, value_name = "N")]
    pub spurious_wakeups: Option<u32>,
    /// How many weak compare-exchanges and trylocks of one thread may fail for no reason [default: 0].
    #[arg(long, value_name = "N")]
    pub spurious_failures: Option<u32>,
    /// In what order those that wait get what they wait for: arbitrary, fifo, lifo, or for each kind of object, as in
    /// mutex=fifo,cond=lifo,sem=fifo,rwlock=arbitrary [default: arbitrary].
    #[arg(long, value_name = "POLICY", value_parser = values::wakeup)]
    pub wakeup: Option<Wakeup>,
    /// The values that undetermined numbers take: 0,1,-1 or 0..9, or both. Without it a few are tried, and the verdict
    /// cannot be safe.
    #[arg(long, value_name = "VALUES", value_parser = values::numbers, allow_hyphen_values = true)]
    pub nondet: Option<Values>,
    /// How much freed memory each thread keeps unused, to see who still uses it; 0: reuse it at once [default: 64K].
    #[arg(long, value_name = "SIZE", value_parser = values::size_or_none)]
    pub quarantine: Option<u64>,
    /// How much memory the program may allocate: 512M, 4G [default: 1G].
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub memory_limit: Option<u64>,
    /// How long a thread may run without a visible operation [default: 3s].
    #[arg(long, alias = "watchdog", value_name = "DURATION", value_parser = values::duration)]
    pub hang_timeout: Option<Duration>,
    /// How executions start over [default: auto].
    #[arg(long, value_enum, value_name = "HOW")]
    pub restart: Option<RestartWish>,
}

impl Running {
    /// The settings: what was typed, over `base`. `goes_on`: the search goes on after the first finding. `outputs`: what the
    /// program prints is kept of every execution.
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
        }
    }
}
