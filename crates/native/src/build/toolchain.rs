//! The system's compilers as the toolchain of a check.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_checking::prepare::{self, Failure};
use heddle_model::trace;

use crate::binary::program::{Program, ProgramError};
use crate::build::compile::{self, Choice, CompileError, Compiled, Compiler, CompilerKind};

/// Clang or gcc, with Heddle's instrumentation.
#[derive(Debug)]
pub struct Toolchain {
    /// Which compilers to use.
    pub choice: Choice,
    /// Set to true to end a compilation early.
    pub interrupted: Arc<AtomicBool>,
}

impl Toolchain {
    /// The compiler that the user names, or those that the environment names: `$CC` and `$CXX`, clang, gcc.
    pub fn new(named: Option<String>, interrupted: &Arc<AtomicBool>) -> Toolchain {
        Toolchain { choice: Choice::from_environment(named), interrupted: Arc::clone(interrupted) }
    }

    /// The compilers that a trace names, to build the same program again.
    pub fn of_trace(program: &trace::Program, interrupted: &Arc<AtomicBool>) -> Toolchain {
        let command = |language: &str| {
            let used = program.compilers.iter().find(|used| used.language == language)?;
            Some(used.command.join(" "))
        };
        let choice = Choice { cc: command("C"), cxx: command("C++"), ..Choice::from_environment(None) };
        Toolchain { choice, interrupted: Arc::clone(interrupted) }
    }
}

/// A program that can be run under control. A program that was compiled for a check is removed when this is dropped.
#[derive(Debug)]
pub struct Built {
    /// The program.
    pub program: Program,
    /// Keeps the compiled program on the disk.
    _compiled: Option<Compiled>,
}

impl prepare::Toolchain for Toolchain {
    type Program = Built;

    fn is_input(&self, path: &Path) -> bool {
        compile::is_compiler_input(path)
    }

    fn open(&self, path: &Path) -> Result<Built, Failure> {
        Ok(Built { program: Program::open(path)?, _compiled: None })
    }

    fn compile(&self, words: &[String]) -> Result<prepare::Compiled<Built>, Failure> {
        let compiled = compile::compile(words, &self.choice, &self.interrupted)?;
        Ok(prepare::Compiled {
            compilers: compiled.compilers.iter().map(used).collect(),
            warnings: compiled.warnings.clone(),
            program: Built { program: compiled.program.clone(), _compiled: Some(compiled) },
        })
    }
}

fn used(compiler: &Compiler) -> trace::CompilerUsed {
    let kind = match compiler.kind {
        CompilerKind::Clang => "clang",
        CompilerKind::Gcc => "gcc",
    };
    trace::CompilerUsed {
        language: compiler.language.to_string(),
        command: compiler.command.clone(),
        version: format!("{kind} {}", compiler.version),
    }
}

impl From<ProgramError> for Failure {
    fn from(error: ProgramError) -> Failure {
        match error {
            ProgramError::Static(_)
            | ProgramError::Privileged(_)
            | ProgramError::Bits32(_)
            | ProgramError::OtherProcessor(_) => Failure::Unsupported(Box::new(error)),
            error => Failure::Program(Box::new(error)),
        }
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Failure {
        match error {
            CompileError::Interrupted => Failure::Interrupted,
            CompileError::Program(error) => error.into(),
            error => Failure::Program(Box::new(error)),
        }
    }
}
