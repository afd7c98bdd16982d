//! Detects executions that hang.
//!
//! Elapsed time is not enough: on a busy machine a program may not get to run at all. A hang is processor time used without
//! a visible operation, or a wait in the kernel that does not end. The process is then asked where it is by SIGPROF, which
//! the runtime answers by stopping the running thread there: the others continue. A process that does not answer is asked a few
//! times, and then killed.

use std::time::{Duration, Instant};

use tracing::debug;

use crate::run::options::Options;
use crate::run::process::{Activity, Process};
use crate::run::wire::Wire;

/// How long a hanging process may take to answer: elapsed time if it sleeps, processor time if it runs. A process that is
/// ready to run but gets no processor is given more time.
const ANSWER: Duration = Duration::from_secs(1);
/// How long until a process that has not answered is asked again.
const AGAIN: Duration = Duration::from_millis(100);
/// How long a process that gets no processor may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Watches one wait for one execution.
pub struct Watchdog {
    progress: Option<u64>,
    runner: u32,
    /// When the execution last made progress.
    pub since: Instant,
    first: Option<Activity>,
    /// When the process was asked where it is, and how much processor time it had used by then.
    asked: Option<(Instant, Duration)>,
    /// When it was asked last.
    last: Instant,
}

const SPINS: &str = "ran without a visible operation, at an unknown place";
const WAITS: &str = "waited for something that Heddle does not control, at an unknown place";

impl Watchdog {
    /// Watches from now on. `progress` is the current value of the runtime's counter.
    pub fn new(progress: Option<u64>) -> Watchdog {
        let now = Instant::now();
        Watchdog { progress, runner: 0, since: now, first: None, asked: None, last: now }
    }

    /// Checks the process. Returns how it hangs, if it hangs and did not answer.
    pub fn look(&mut self, process: &Process, wire: &Wire, options: &Options) -> Option<&'static str> {
        let (progress, runner) = (wire.progress(), wire.runner());
        // What the program has written there is no progress, however often it does.
        if progress.is_some() && progress != self.progress || runner != 0 && runner != self.runner {
            *self = Watchdog { runner, ..Watchdog::new(progress) };
            return None;
        }
        let still = self.since.elapsed();
        let hang_after = options.settings.hang_after();
        if still < hang_after / 8 {
            return None;
        }
        let now = process.activity(runner)?;
        let Some(first) = self.first else {
            self.first = Some(now);
            return None;
        };
        if now.state == 'T' || now.state == 't' {
            // Somebody has stopped it, to look at it.
            *self = Watchdog { runner, ..Watchdog::new(progress) };
            return None;
        }
        if still < hang_after {
            return None;
        }
        let used = now.processor.saturating_sub(first.processor);
        let spins = used >= hang_after / 2;
        let waits = now.state != 'R' && used < still / 20;
        if !spins && !waits {
            return None;
        }
        if self.asked.is_some() && self.last.elapsed() >= AGAIN {
            self.last = Instant::now();
            process.ask(runner);
        }
        match self.asked {
            None => {
                debug!(process = runner, ?still, ?used, state = %now.state, "process makes no progress: it is asked where it is");
                process.ask(runner);
                self.last = Instant::now();
                self.asked = Some((self.last, now.processor));
                None
            }
            Some((asked, _)) if asked.elapsed() < ANSWER => None,
            Some((asked, used))
                if now.state == 'R'
                    && now.processor.saturating_sub(used) < ANSWER / 2
                    && asked.elapsed() < PATIENCE =>
            {
                None
            }
            Some(_) => Some(if spins { SPINS } else { WAITS }),
        }
    }
}
