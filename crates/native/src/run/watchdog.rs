//! Notices that nothing happens any more.
//!
//! Time on the clock is not enough: on a busy machine a program may not get to run at all. A hang is processor time used
//! up without a visible operation, or a wait in the kernel that nobody will end. The process is asked where it is
//! (SIGPROF, which the runtime answers by ending the execution there); one that does not answer is given up.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::run::options::Options;
use crate::run::process::{Activity, Process};
use crate::run::wire::Wire;

/// How long a process that hangs has to say where: on the clock if it sleeps all the same, else while it runs. One that is
/// ready to run and does not get a processor is waited for.
const ANSWER: Duration = Duration::from_secs(1);
/// And how long in any case.
const PATIENCE: Duration = Duration::from_secs(30);

/// Watches one wait for one execution.
pub struct Watchdog {
    progress: u64,
    runner: u32,
    /// When something last happened.
    pub since: Instant,
    first: Option<Activity>,
    /// When it was asked where it is, and how much processor time it had used.
    asked: Option<(Instant, Duration)>,
}

const SPINS: &str = "ran without a visible operation and did not say where";
const WAITS: &str = "waited for something outside of Heddle's control and did not say where";

impl Watchdog {
    /// From now on.
    pub fn new(progress: u64) -> Watchdog {
        Watchdog { progress, runner: 0, since: Instant::now(), first: None, asked: None }
    }

    /// Looks; a reason if the process hangs and does not even say where.
    pub fn look(&mut self, process: &Process, wire: &Wire, options: &Options) -> Option<&'static str> {
        let header = wire.header();
        let (progress, runner) = (header.progress.load(Ordering::Relaxed), header.runner.load(Ordering::Relaxed));
        if progress != self.progress || runner != self.runner {
            *self = Watchdog { runner, ..Watchdog::new(progress) };
            return None;
        }
        let still = self.since.elapsed();
        if still < options.hang_after / 8 {
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
        if still < options.hang_after {
            return None;
        }
        let used = now.processor.saturating_sub(first.processor);
        let spins = used >= options.hang_after / 2;
        let waits = now.state != 'R' && used < still / 20;
        if !spins && !waits {
            return None;
        }
        match self.asked {
            None => {
                process.signal(runner, libc::SIGPROF);
                self.asked = Some((Instant::now(), now.processor));
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
