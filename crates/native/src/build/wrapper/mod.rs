//! `heddle cc` and `heddle c++`: a compiler wrapper that instruments, for use as the compiler of an existing build.
//!
//! The build's own arguments go to the compiler unchanged and in their order. The wrapper adds instrumentation flags when C
//! or C++ is compiled, the runtime library when a program or library is linked, and nothing to queries such as
//! `--version` (`words`). A command that compiles and links at once is run in two steps, like [`crate::build::compile`]:
//! at the link, the instrumentation flag would bring the compiler's own runtime.
//!
//! The runtime library and the headers lie in a permanent directory (`place`), because the programs run later, also
//! without Heddle. Configure scripts, for example, run what they build.
//!
//! A linked program carries the names of its object files that were not instrumented (`uninstrumented`), so that the
//! report of a check can list them.

mod response;
mod words;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::binary::{annotations, uninstrumented};
use crate::build::compile::{Choice, CompileError, Compiler, CompilerKind, Language};
use crate::build::{instrument, library, place};
use crate::temporary::TemporaryDirectory;
use words::{Input, Line, Step, Word};

/// The reason why the wrapper did not run the compiler.
#[derive(Debug, thiserror::Error)]
pub enum WrapperError {
    /// The wrapped compiler was not found or does not work.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A response file cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Response(PathBuf, String),
    /// A flag contradicts the flags that the wrapper adds.
    #[error("{flag}: {why}")]
    Refused {
        /// The flag.
        flag: String,
        /// The reason.
        why: &'static str,
    },
    /// The directory for the runtime library and headers cannot be used.
    #[error("{}: {} ($HEDDLE_CACHE names another directory for Heddle's runtime and headers)", .0.display(), .1)]
    Place(PathBuf, std::io::Error),
    /// An input or output error of the system.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The compiler to wrap: `$HEDDLE_CC` or `$HEDDLE_CXX`, else clang, else gcc. Not `$CC`, which usually names the wrapper
/// itself.
pub fn choice() -> Choice {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let plain = Choice::from_environment(None);
    Choice { cc: variable("HEDDLE_CC"), cxx: variable("HEDDLE_CXX"), ..plain }
}

/// Runs the compiler for `language` with the arguments `words`. The compiler writes to the terminal itself. Returns the
/// exit status.
pub fn run(language: Language, words: &[String]) -> Result<i32, WrapperError> {
    let compiler = choice().find(language)?;
    let words = response::expand(words)?;
    let line = words::understand(&words, language);
    if line.step == Step::Query || !(line.compiles() || line.step == Step::Link) {
        let mut command = compiler.start();
        command.args(&words);
        return Ok(status(command.status()?));
    }
    if let Some((flag, why)) = line.refused() {
        return Err(WrapperError::Refused { flag, why });
    }
    let place = place::find().map_err(|(place, error)| WrapperError::Place(place, error))?;
    match line.step {
        Step::Link => link(&compiler, &line, &place),
        _ => {
            let mut command = compiler.start();
            let first = line.inputs().find(|input| input.language.is_some());
            command.args(before(&line, &place, first)).args(line.all());
            command.args(after(&compiler, first.map(|input| input.path.as_path())));
            Ok(status(command.status()?))
        }
    }
}

/// The exit status as a shell reports it: 128 plus the signal's number for a process that was killed.
fn status(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// The arguments before the build's own: Heddle's header must come before all others.
fn before(line: &Line, place: &Path, input: Option<&Input>) -> Vec<String> {
    let mut words = vec!["-g".to_owned()];
    // Text that is preprocessed for others than the compiler is not to have declarations in front of it.
    if line.step != Step::Preprocess || line.is_for_a_compiler(input) {
        let headers = place.join(place::INCLUDE);
        words.extend(instrument::search(&headers));
        words.extend(["-include".to_owned(), headers.join(instrument::FIRST).display().to_string()]);
    }
    words
}

/// The arguments after the build's own, which override them.
fn after(compiler: &Compiler, source: Option<&Path>) -> Vec<String> {
    let flags = instrument::flags(compiler.kind, compiler.version, compiler.language);
    let mut words: Vec<String> = Vec::new();
    let mut flags = flags.into_iter();
    while let Some(flag) = flags.next() {
        // It stands in front already.
        if flag == "-include" { flags.next().map_or((), drop) } else { words.push(flag) }
    }
    if source.is_some_and(annotations::are_in) {
        words.extend(["-fno-inline", "-fno-optimize-sibling-calls"].map(str::to_owned));
    }
    words.extend(["-fno-omit-frame-pointer", "-fno-lto"].map(str::to_owned));
    words.extend(quiet(compiler));
    words
}

/// A flag that silences warnings about unused arguments, which would break builds that treat warnings as errors.
fn quiet(compiler: &Compiler) -> Option<String> {
    (compiler.kind == CompilerKind::Clang).then(|| "-Qunused-arguments".to_owned())
}

/// Compiles each source file to an object of its own, then links.
fn link(compiler: &Compiler, line: &Line, place: &Path) -> Result<i32, WrapperError> {
    let directory = TemporaryDirectory::new()?;
    let mut objects: Vec<PathBuf> = Vec::new();
    for (number, input) in line.inputs().enumerate() {
        let Some(compiled) = input.language.as_ref() else {
            objects.push(input.path.clone());
            continue;
        };
        let object = directory.path().join(format!("{number}.o"));
        let mut command = compiler.start();
        command.args(before(line, place, Some(input))).args(line.flags_to_compile());
        command.args(after(compiler, Some(&input.path))).args(line.dependencies_of(input));
        command.arg("-c").arg("-x").arg(compiled).arg(&input.path).arg("-o").arg(&object);
        let code = status(command.status()?);
        if code != 0 {
            return Ok(code);
        }
        objects.push(object);
    }
    let mut command = compiler.start();
    command.args(link_words(compiler, line, &objects, place, directory.path())?);
    Ok(status(command.status()?))
}

fn link_words(
    compiler: &Compiler,
    line: &Line,
    objects: &[PathBuf],
    place: &Path,
    directory: &Path,
) -> Result<Vec<String>, WrapperError> {
    let mut words: Vec<String> = Vec::new();
    let whole = !line.is_partial();
    let mut runtime = whole.then(|| runtime_words(place));
    if whole {
        words.push("-pthread".to_owned());
        let own: HashSet<String> =
            objects.iter().flat_map(|path| uninstrumented::defined(path, instrument::RENAMED)).collect();
        words.extend(instrument::wrap_flags(&own));
        let unseen: Vec<String> = objects.iter().filter_map(|path| uninstrumented::unseen(path)).collect();
        if !unseen.is_empty() {
            words.push(uninstrumented::write(&unseen, directory)?.display().to_string());
        }
    }
    let mut objects = objects.iter();
    for word in line.words() {
        match word {
            Word::Input(input) => {
                let object = objects.next().expect("one for each input");
                // Before the first library that is loaded, libc may be among them, and after what is linked in: a
                // function of the program's own comes first.
                let extension = input.path.extension().and_then(|extension| extension.to_str());
                let linked_in = input.language.is_some() || matches!(extension, Some("o" | "lo" | "a" | "rlib"));
                words.extend(runtime.take_if(|_| !linked_in).into_iter().flatten());
                words.push(object.display().to_string());
            }
            Word::Flag(flag) if words::is_for_linking(flag) => {
                words.extend(runtime.take_if(|_| flag[0].starts_with("-l")).into_iter().flatten());
                words.extend(flag.iter().cloned());
            }
            Word::Flag(_) | Word::Language(_) => {}
        }
    }
    words.extend(runtime.into_iter().flatten());
    words.push("-fno-lto".to_owned());
    words.extend(quiet(compiler));
    Ok(words)
}

/// The arguments that link the runtime library: even if no symbol seems to need it, and as a shared library even where the
/// build asks for static ones.
fn runtime_words(place: &Path) -> Vec<String> {
    vec![
        "-Wl,--push-state,--no-as-needed,-Bdynamic".to_owned(),
        place.join(library::NAME).display().to_string(),
        "-Wl,--pop-state".to_owned(),
        format!("-Wl,-rpath,{}", place.display()),
    ]
}

impl Compiler {
    /// A command with the build's standard input.
    fn start(&self) -> Command {
        let mut command = self.command();
        command.stdin(Stdio::inherit());
        command
    }
}
