//! What all processes of one executor have in common.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use heddle_model::Plan;
use heddle_model::vain::Vain;
use tracing::debug;

use crate::binary::liveness::DeadBytes;
use crate::binary::program::Program;
use crate::build::library;
use crate::temporary::TemporaryDirectory;

use super::scratch::Scratch;
use super::{Options, process};

/// The program, how it is run, and the runtime library that is loaded into it.
pub struct Setup {
    /// The program.
    pub program: Program,
    /// How it is run.
    pub options: Options,
    runtime: PathBuf,
    /// The table of dead stack bytes, once somebody has asked for it.
    frames: OnceLock<Vec<u8>>,
    directory: TemporaryDirectory,
}

impl Setup {
    /// Puts the runtime library where the program's loader finds it.
    pub fn new(program: &Program, mut options: Options) -> io::Result<Setup> {
        assert!(options.layout.slots.is_power_of_two(), "plans are numbered modulo 2^32 and slots modulo their count");
        if options.settings.stack_size == 0 {
            // Said, so that a replay has the same one whatever the system's limit is then.
            options.settings.stack_size = process::default_stack_size();
        }
        let directory = TemporaryDirectory::new()?;
        // Before the program runs: it may write to files at any time.
        Scratch::can_be_in(directory.path())?;
        let runtime = library::place(directory.path())?.join(library::NAME);
        Ok(Setup { program: program.clone(), options, runtime, frames: OnceLock::new(), directory })
    }

    /// The path of the runtime library.
    pub fn runtime(&self) -> PathBuf {
        self.runtime.clone()
    }

    /// The table of dead stack bytes of the program ([`heddle_model::wire::FrameTable`]). It is made when it is first asked for: that costs
    /// more than an execution, and most searches compare no stacks.
    pub fn frames(&self) -> &[u8] {
        self.frames.get_or_init(|| {
            // A file that cannot be read any more has no table: then all bytes count.
            let bytes = std::fs::read(&self.program.path).unwrap_or_default();
            let DeadBytes { table, summary } = DeadBytes::of(&bytes);
            debug!(bytes = table.len(), ?summary, "dead stack bytes are known");
            table
        })
    }

    /// A directory for files of this run.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}

/// Whether executions of `plan` compare stacks, while these places are visible: because they compute states, or because threads wait in loops.
pub fn compares_stacks(plan: &Plan, places: &[u64]) -> bool {
    plan.states.are_computed() || Vain::new(places).wipes()
}
