//! From source files to our intermediate representation.
//!
//! Clang compiles each file to bitcode at `-O0`. Another process opens libLLVM and reads the files ([`serve`]), so a crash in LLVM is
//! an error message here, and its memory is given back. The answer comes through a pipe.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::find::{Places, Toolchain};
use super::types::Module;
use super::{decode, flow, promote};

/// Why a program could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no clang. The user installs one, or uses `heddle check`.
    #[error(
        "proving needs clang 17 or newer with its libLLVM, and no clang was found (Debian: apt install clang-19; \
         HEDDLE_CLANG names one elsewhere)"
    )]
    NoClang,
    /// All that were found are too old.
    #[error("proving needs clang 17 or newer with its libLLVM; {} is version {version} (Debian: apt install clang-19)", clang.display())]
    TooOld {
        /// The compiler.
        clang: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The clang has no shared libLLVM.
    #[error(
        "proving needs the libLLVM of {}, version {version}, and it was not found (Debian: apt install libllvm{version}; \
         HEDDLE_LIBLLVM names one elsewhere)", clang.display()
    )]
    NoLibrary {
        /// The compiler.
        clang: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The program does not compile.
    #[error("{} does not compile:\n{output}", file.display())]
    Compile {
        /// The source file.
        file: PathBuf,
        /// What the compiler said.
        output: String,
    },
    /// The other process failed.
    #[error("reading LLVM bitcode failed: {0}")]
    Child(String),
    /// A file could not be written or a process not started.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: String,
        /// What the system said.
        error: std::io::Error,
    },
}

impl ReadError {
    /// Whether the machine lacks what proving needs, rather than the program being wrong.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, ReadError::NoClang | ReadError::TooOld { .. } | ReadError::NoLibrary { .. })
    }
}

/// What the compiled part of libstdc++ does for threads, in terms of POSIX.
const CXX: &str = include_str!("cxx.c");

fn is_cxx(file: &Path) -> bool {
    file.extension().and_then(|ending| ending.to_str()).is_some_and(|e| matches!(e, "cc" | "cpp" | "cxx" | "C" | "ii"))
}

/// Reads programs.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The compiler and its library.
    pub toolchain: Toolchain,
    /// The program that calls [`serve`], and its first arguments. The library and the files follow.
    pub child: Vec<OsString>,
}

impl Reader {
    /// A reader with the newest toolchain that is installed.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn new(places: &Places, child: Vec<OsString>) -> Result<Reader, ReadError> {
        Ok(Reader { toolchain: places.find()?, child })
    }

    /// Compiles and reads a program. `folder` takes the bitcode; whoever made it removes it.
    ///
    /// # Errors
    ///
    /// When the program does not compile, or cannot be read.
    pub fn read(&self, files: &[PathBuf], flags: &[String], folder: &Path) -> Result<Module, ReadError> {
        let mut bitcode = Vec::new();
        for (file, number) in files.iter().zip(0..) {
            let out = folder.join(format!("{number}.bc"));
            self.compile(file, flags, "-g", &out)?;
            bitcode.push(out);
        }
        if files.iter().any(|file| is_cxx(file)) {
            let (source, out) = (folder.join("cxx.c"), folder.join("cxx.bc"));
            std::fs::write(&source, CXX)
                .map_err(|error| ReadError::System { what: source.display().to_string(), error })?;
            // Without lines: what is done there is done where the program calls it.
            self.compile(&source, &[], "-g0", &out)?;
            bitcode.push(out);
        }
        let mut module = self.ask(&bitcode)?;
        for function in &mut module.functions {
            promote::promote(function);
            flow::analyse(function);
        }
        Ok(module)
    }

    fn compile(&self, file: &Path, flags: &[String], debug: &str, out: &Path) -> Result<(), ReadError> {
        let ours =
            ["-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", debug, "-c", "-w", "-U_FORTIFY_SOURCE", "-o"];
        let kept = flags.iter().filter(|flag| !flag.starts_with("-O") && !flag.starts_with("-fsanitize"));
        let mut command = Command::new(&self.toolchain.clang);
        command.args(kept).args(ours).arg(out).arg(file).stdin(Stdio::null());
        let output = command
            .output()
            .map_err(|error| ReadError::System { what: self.toolchain.clang.display().to_string(), error })?;
        if output.status.success() {
            return Ok(());
        }
        let output = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        Err(ReadError::Compile { file: file.to_owned(), output })
    }

    fn ask(&self, bitcode: &[PathBuf]) -> Result<Module, ReadError> {
        let (program, first) = self.child.split_first().ok_or_else(|| ReadError::Child("no reader".to_owned()))?;
        let mut command = Command::new(program);
        command.args(first).arg(&self.toolchain.library).args(bitcode).stdin(Stdio::null());
        let output = command
            .output()
            .map_err(|error| ReadError::System { what: program.to_string_lossy().into_owned(), error })?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
            let words = if words.is_empty() { output.status.to_string() } else { words };
            return Err(ReadError::Child(words));
        }
        postcard::from_bytes(&output.stdout).map_err(|error| ReadError::Child(error.to_string()))
    }
}

/// The other process: opens the library that the first argument names, reads the files that the others name, and writes the
/// module.
///
/// # Errors
///
/// When a file cannot be read. Whoever calls it writes the words to standard error.
pub fn serve(arguments: &[OsString], out: &mut dyn Write) -> Result<(), String> {
    let (library, files) = arguments.split_first().ok_or("no library")?;
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let module = decode::decode(Path::new(library), &files)?;
    let bytes = postcard::to_allocvec(&module).map_err(|error| error.to_string())?;
    out.write_all(&bytes).and_then(|()| out.flush()).map_err(|error| error.to_string())
}
