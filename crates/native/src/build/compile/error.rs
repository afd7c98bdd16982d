//! The reasons why source files did not become a program.

use std::io;
use std::path::PathBuf;

use super::Language;
use crate::binary::program::ProgramError;

/// The reason why source files did not become a program.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A file does not exist.
    #[error("{}: no such file", .path.display())]
    NoSuchFile {
        /// The file.
        path: PathBuf,
    },
    /// A file is neither a source file nor an object file nor a library.
    #[error("{}: neither a C or C++ source file nor an object file or library", .path.display())]
    UnknownInput {
        /// The file.
        path: PathBuf,
    },
    /// Nothing to compile or link.
    #[error("there is no source file; name one or more C or C++ files")]
    NoInput,
    /// A flag asks for something that Heddle cannot do.
    #[error("the flag {flag} cannot be used here: {why}")]
    RefusedFlag {
        /// The flag.
        flag: String,
        /// The reason.
        why: &'static str,
    },
    /// A flag lacks its value.
    #[error("the flag {flag} needs a value")]
    MissingValue {
        /// The flag.
        flag: String,
    },
    /// No compiler was found on this machine.
    #[error("no {language} compiler was found: install clang or gcc, or name one with --cc or ${}", if *.language == Language::C { "CC" } else { "CXX" })]
    NoCompiler {
        /// The language to compile.
        language: Language,
    },
    /// The compiler that the user named does not exist.
    #[error("the compiler {command} was not found")]
    CompilerNotFound {
        /// The compiler's name.
        command: String,
    },
    /// The compiler exists but cannot be run.
    #[error("the compiler {command} cannot be run: {source}")]
    CannotRun {
        /// The compiler's name.
        command: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The compiler is neither clang nor gcc.
    #[error("{command} is neither clang nor gcc{}", if .said.is_empty() { String::new() } else { format!(": {said}") })]
    UnknownCompiler {
        /// The compiler's name.
        command: String,
        /// What the compiler printed when it was asked.
        said: String,
    },
    /// The compiler does not compile for x86-64.
    #[error("{command} does not compile for x86-64, the only processor that is supported")]
    OtherTarget {
        /// The compiler's name.
        command: String,
    },
    /// A source file does not compile.
    #[error("{} does not compile:\n{}", .path.display(), .said.trim_end())]
    DoesNotCompile {
        /// The source file.
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
    /// A library was not found.
    #[error("the library {library} was not found:\n{}", .said.trim_end())]
    NoLibrary {
        /// The library's name as after `-l`: `m` for `-lm`.
        library: String,
        /// What the linker printed.
        said: String,
    },
    /// The program does not link.
    #[error("the program does not link:\n{}", .said.trim_end())]
    DoesNotLink {
        /// What the linker printed.
        said: String,
    },
    /// The linked program cannot be run by Heddle.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The user interrupted the compilation.
    #[error("interrupted")]
    Interrupted,
    /// An input or output error of the system.
    #[error("cannot compile: {0}")]
    Io(#[from] io::Error),
}
