//! The controller: receives plans, runs each from the start of `main`, and returns the executions.
//!
//! It runs on a stack of its own while the program is suspended. The three restart modes differ only here:
//!
//! * **snapshot**: one process. Memory is restored after each execution, while the driver already reads the result.
//! * **fork**: this process stays at `main` and forks a child for each execution.
//! * **exec**: one execution, then the process ends, and the driver starts the next process.

use core::sync::atomic::Ordering::Acquire;

use heddle_model::wire::{Note, Restart, Stage};
use heddle_model::{Death, Outcome, ThreadId};

use crate::arch::Context;
use crate::calls::pthread::unwinder;
use crate::entry::wire::Wire;
use crate::entry::{loaded, start};
use crate::outside::files::{self, descriptors};
use crate::outside::trap;
use crate::schedule::{self, fiber};
use crate::state::snapshot;
use crate::sys;

/// The smallest number of threads to prepare for.
const FEW: usize = 4;

/// The controller: its entry point, which never returns.
pub extern "C" fn controller() -> ! {
    let Some(wire) = start::wire() else { sys::die(b"heddle: internal error: no shared memory\n") };
    // The main fiber has just been suspended for the first time.
    let controller = Controller { wire, main: fiber::of(ThreadId::MAIN).context.get() };
    let restart = wire.header().restart;
    controller.prepare_unwinder();
    controller.prepare(wire.header().threads_wanted as usize);
    if restart == Restart::Fork as u32 {
        controller.by_fork()
    } else if restart == Restart::Exec as u32 {
        controller.by_exec()
    } else {
        controller.by_snapshot()
    }
}

struct Controller {
    wire: Wire,
    /// Where the main thread waits before the program's main function.
    main: Context,
}

impl Controller {
    fn trap(&self, restart: Restart) {
        if !trap::set_up(start::own_text(), restart) {
            self.wire.trouble(b"this kernel has no Syscall User Dispatch (Linux 5.11), which Heddle needs");
        }
    }

    fn prepare_unwinder(&self) {
        let wanted = self.wire.header().unwinder != 0 || self.wire.has_noted(Note::Unwinder);
        if wanted && !unwinder::is_ready_for_exit() {
            unwinder::load();
        }
    }

    /// Prepares for `threads` threads besides the main one, and some more.
    fn prepare(&self, threads: usize) {
        let header = self.wire.header();
        let room = header.layout.threads as usize - 1;
        if !fiber::prepare(threads.max(FEW).min(room), header.settings.stack_size as usize) {
            self.wire.trouble(b"the system refuses to make more threads");
        }
    }

    /// Prepares what the last execution lacked: `threads` threads, larger stacks, the unwinder.
    fn prepare_more(&self, threads: usize) {
        self.prepare_unwinder();
        if threads > fiber::donors() {
            // Twice as many, so that a program with ever more threads needs few attempts.
            self.prepare(threads.max(2 * fiber::donors()));
        }
        fiber::resize_stacks();
    }

    /// Runs one plan. The execution is recorded but not yet published.
    fn run(&self, sequence: u32) {
        if self.wire.header().restart != Restart::Snapshot as u32 {
            self.give_input();
        }
        if self.wire.takes_scratch() {
            files::wipe();
        }
        trap::arm();
        schedule::run(sequence, self.main);
        trap::disarm();
    }

    /// Makes standard input start again from its beginning.
    fn give_input(&self) {
        const DUP2: usize = 33;
        let input = &self.wire.header().input;
        if input[0] == 0 {
            return;
        }
        // SAFETY: a path that ends in zero, and descriptors.
        unsafe {
            let file = sys::syscall3(sys::OPEN, input.as_ptr() as usize, 0, 0);
            if file < 0 {
                self.wire.trouble(b"the file that is to be standard input cannot be read any more");
            }
            if file != 0 {
                sys::syscall3(DUP2, file as usize, 0, 0);
                sys::syscall3(sys::CLOSE, file as usize, 0, 0);
            }
        }
    }

    /// The number of threads that the last execution needs, if it stopped because there were too few.
    fn threads_needed(&self, sequence: u32) -> Option<usize> {
        match self.wire.record_of(sequence).result().head.outcome.read(&[]) {
            Some(Outcome::NeedsThreads { count }) if self.wire.is_sealed(sequence) => Some(count as usize),
            _ => None,
        }
    }

    fn wait(&self, sequence: u32) {
        if self.wire.wait_for_plan(sequence).is_none() {
            sys::exit_process(0);
        }
    }

    fn first(&self) -> u32 {
        self.wire.header().first.load(Acquire)
    }

    fn note_runner(&self, process: usize) {
        self.wire.set_runner(process);
    }

    fn by_snapshot(&self) -> ! {
        self.trap(Restart::Snapshot);
        self.note_runner(own_pid());
        self.give_input();
        snapshot::take(&self.main);
        self.wire.set_stage(Stage::Ready);
        let mut sequence = self.first();
        loop {
            self.wait(sequence);
            self.run(sequence);
            self.wire.seal(sequence);
            if let Some(more) = self.threads_needed(sequence) {
                snapshot::restore();
                // Donors are kernel threads for a moment, and cannot handle the fault of a first write.
                snapshot::release();
                self.prepare_more(more);
                snapshot::take(&self.main);
                continue;
            }
            self.wire.publish(sequence);
            sequence = sequence.wrapping_add(1);
            snapshot::restore();
            if self.wire.header().check_restore != 0 {
                snapshot::check(self.wire.reports());
            }
        }
    }

    fn by_fork(&self) -> ! {
        let server = own_pid();
        loaded::set_up();
        adopt_orphans();
        descriptors::find_early();
        self.wire.set_stage(Stage::Ready);
        let mut sequence = self.first();
        loop {
            self.wait(sequence);
            // SAFETY: there is no other kernel thread; the child continues here with a copy of everything.
            let child = unsafe { sys::syscall3(sys::FORK, 0, 0, 0) };
            if child == 0 {
                die_with(server);
                descriptors::separate();
                self.note_runner(own_pid());
                self.trap(Restart::Fork);
                self.run(sequence);
                loaded::note(self.wire);
                self.wire.seal(sequence);
                sys::exit_process(0);
            }
            if child < 0 {
                self.wire.trouble(b"fork failed: too many processes, or no memory");
            }
            let status = wait_for(child as usize);
            self.wire.adopt(sequence);
            // If its process has died: what it left there, whoever has written it.
            if self.wire.record_of(sequence).result().head.notes & Note::Processes as u64 != 0 {
                end_orphans();
            }
            if let Some(more) = self.threads_needed(sequence) {
                self.prepare_more(more);
                continue;
            }
            if status != 0 {
                let death = Outcome::Killed(Death::from_status(status));
                self.wire.seal_lost(sequence, &death);
            }
            self.wire.publish(sequence);
            sequence = sequence.wrapping_add(1);
        }
    }

    fn by_exec(&self) -> ! {
        loaded::set_up();
        self.trap(Restart::Exec);
        self.note_runner(own_pid());
        self.wire.set_stage(Stage::Ready);
        let sequence = self.first();
        self.wait(sequence);
        self.run(sequence);
        loaded::note(self.wire);
        self.wire.seal(sequence);
        self.wire.publish(sequence);
        sys::exit_process(0)
    }
}

/// Makes this process end with `parent`, which ends with Heddle, so that no hanging execution stays behind.
fn die_with(parent: usize) {
    const GETPPID: usize = 110;
    const PR_SET_PDEATHSIG: usize = 1;
    const SIGKILL: usize = 9;
    // SAFETY: plain system calls.
    unsafe {
        sys::syscall3(sys::PRCTL, PR_SET_PDEATHSIG, SIGKILL, 0);
        if sys::syscall3(GETPPID, 0, 0, 0) as usize != parent {
            sys::exit_process(1);
        }
    }
}

/// Makes this process the parent of orphans among its descendants, so that it can end them.
fn adopt_orphans() {
    const PR_SET_CHILD_SUBREAPER: usize = 36;
    // SAFETY: a plain system call.
    unsafe { sys::syscall3(sys::PRCTL, PR_SET_CHILD_SUBREAPER, 1, 0) };
}

/// Ends the processes that an execution has created and not waited for. Thousands of executions would otherwise leave
/// thousands of them.
fn end_orphans() {
    const KILL: usize = 62;
    const SIGKILL: usize = 9;
    let mut text = [0u8; 4096];
    // Those whose parents are ended come next.
    loop {
        let mut ended = false;
        for number in sys::read_file(c"/proc/thread-self/children", &mut text).split(|&byte| byte == b' ') {
            let number = core::str::from_utf8(number).ok().and_then(|number| number.trim().parse::<usize>().ok());
            if let Some(number) = number {
                // SAFETY: a child of our own, which is there until it is waited for.
                unsafe { sys::syscall3(KILL, number, SIGKILL, 0) };
                wait_for(number);
                ended = true;
            }
        }
        if !ended {
            return;
        }
    }
}

fn own_pid() -> usize {
    // SAFETY: only asks.
    unsafe { sys::syscall3(sys::GETPID, 0, 0, 0) as usize }
}

/// Waits for the end of `child`. Returns its status as `wait` gives it.
fn wait_for(child: usize) -> i32 {
    const EINTR: isize = 4;
    let mut status = 0i32;
    loop {
        // SAFETY: writes to our own word.
        let ended = unsafe { sys::syscall6(sys::WAIT4, child, &raw mut status as usize, 0, 0, 0, 0) };
        if ended != -EINTR {
            return status;
        }
    }
}
