//! Why there is no program.

use std::io;
use std::path::PathBuf;

use super::Language;
use crate::binary::program::ProgramError;

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A file that is not there.
    #[error("{}: no such file", .path.display())]
    NoSuchFile {
        /// Which.
        path: PathBuf,
    },
    /// A file that is neither source nor object nor library.
    #[error("{}: neither a C or C++ source file nor an object file or library", .path.display())]
    UnknownInput {
        /// Which.
        path: PathBuf,
    },
    /// Nothing to compile or link.
    #[error("no source file is given")]
    NoInput,
    /// A flag that Heddle cannot honour.
    #[error("the flag {flag} cannot be used here: {why}")]
    RefusedFlag {
        /// Which.
        flag: String,
        /// Why.
        why: &'static str,
    },
    /// A flag without the word that belongs to it.
    #[error("the flag {flag} needs a value")]
    MissingValue {
        /// Which.
        flag: String,
    },
    /// No compiler on this machine.
    #[error("no {language} compiler was found: install clang or gcc, or name one with --cc or ${}", if *.language == Language::C { "CC" } else { "CXX" })]
    NoCompiler {
        /// For what.
        language: Language,
    },
    /// The compiler that was named is not there.
    #[error("the compiler {command} was not found")]
    CompilerNotFound {
        /// Its name.
        command: String,
    },
    /// The compiler is there and cannot be run.
    #[error("the compiler {command} cannot be run: {source}")]
    CannotRun {
        /// Its name.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// Neither clang nor gcc.
    #[error("{command} is neither clang nor gcc{}", if .said.is_empty() { String::new() } else { format!(": {said}") })]
    UnknownCompiler {
        /// Its name.
        command: String,
        /// What it said when asked.
        said: String,
    },
    /// A compiler for other machines.
    #[error("{command} does not compile for x86-64, the only processor that is supported")]
    OtherTarget {
        /// Its name.
        command: String,
    },
    /// The compiler refused.
    #[error("{} does not compile:\n{}", .path.display(), .said.trim_end())]
    DoesNotCompile {
        /// What.
        path: PathBuf,
        /// What the compiler printed.
        said: String,
    },
    /// The sources have no `main`.
    #[error("the program has no function main:\n{}", .said.trim_end())]
    NoMain {
        /// What the linker printed.
        said: String,
    },
    /// A library is not there.
    #[error("the library {library} was not found:\n{}", .said.trim_end())]
    NoLibrary {
        /// As in `-lm`: `m`.
        library: String,
        /// What the linker printed.
        said: String,
    },
    /// The linker refused.
    #[error("the program does not link:\n{}", .said.trim_end())]
    DoesNotLink {
        /// What the linker printed.
        said: String,
    },
    /// It was linked, and is not a program that Heddle can run.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The machine failed.
    #[error("cannot compile: {0}")]
    Io(#[from] io::Error),
}
