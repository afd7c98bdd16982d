//! What all processes of one executor have in common.

use std::io;
use std::path::{Path, PathBuf};

use crate::binary::program::Program;
use crate::build::library;
use crate::temporary::TemporaryDirectory;

use super::{Options, process};

/// The program, how it is run, and the runtime library that is loaded into it.
pub struct Setup {
    /// The program.
    pub program: Program,
    /// How it is run.
    pub options: Options,
    runtime: PathBuf,
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
        let runtime = library::place(directory.path())?.join(library::NAME);
        Ok(Setup { program: program.clone(), options, runtime, directory })
    }

    /// The path of the runtime library.
    pub fn runtime(&self) -> PathBuf {
        self.runtime.clone()
    }

    /// A directory for files of this run.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}
