//! Compiles source files to a program that is linked with Heddle's runtime.
//!
//! Each file is compiled with instrumentation ([`crate::build::instrument`]) and debug information. The objects are linked
//! without the instrumentation flag, which would bring the compiler's own runtime, and with Heddle's library. The user's
//! directories are not written to: all output lies in a private directory that is removed with the [`Compiled`] program.

mod arguments;
mod compiler;
mod error;
mod link;

pub use arguments::{Argument, Language, is_compiler_input};
pub(crate) use arguments::{BOTH_WITH_VALUE, COMPILE_WITH_VALUE, CONTRADICTS, LINK_WITH_VALUE};
pub use compiler::{Choice, Compiler, CompilerKind};
pub use error::CompileError;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use tracing::debug;

use crate::binary::program::Program;
use crate::binary::{annotations, uninstrumented};
use crate::build::cache::{self, Inputs, Key, Made, Manifest};
use crate::build::{instrument, library, place};
use crate::temporary::TemporaryDirectory;

/// A program that was compiled for this run. Dropping it removes the program.
#[derive(Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The warnings of the compilers.
    pub warnings: String,
    /// The compilers that were used.
    pub compilers: Vec<Compiler>,
    _directory: TemporaryDirectory,
}

/// The name of the program's file within the private directory, and the name that it is told.
const PROGRAM: &str = "program";
/// How often to look whether a compiler has finished.
const POLL: std::time::Duration = std::time::Duration::from_millis(2);

/// Compiles and links what `words` say: source files, object files, libraries and flags, as for a compiler.
///
/// When `interrupted` becomes true, the running compilers are killed and the compilation ends with an error.
pub fn compile(words: &[String], choice: &Choice, interrupted: &AtomicBool) -> Result<Compiled, CompileError> {
    let arguments = arguments::parse(words)?;
    if !arguments.iter().any(|a| matches!(a, Argument::Source { .. } | Argument::Linkable(_))) {
        return Err(CompileError::NoInput);
    }
    let directory = TemporaryDirectory::new()?;
    let languages = [Language::C, Language::Cxx];
    let uses = |language| arguments.iter().any(|a| matches!(a, Argument::Source { language: l, .. } if *l == language));
    let mut compilers = Vec::new();
    for language in languages.into_iter().filter(|&l| uses(l)) {
        compilers.push(choice.find(language)?);
    }
    if compilers.is_empty() {
        compilers.push(choice.find(Language::C)?);
    }

    let linked = arguments.iter().filter_map(|a| if let Argument::Linkable(path) = a { Some(path) } else { None });
    let unseen = || linked.clone().filter_map(|path| uninstrumented::unseen(path));
    let key = cache::is_on().then(|| Key::of(words, &arguments, &compilers)).flatten();
    if let Some(kept) = key.as_ref().and_then(|key| cache::find(key, directory.path())) {
        let program = opened(&directory.path().join(PROGRAM), unseen())?;
        return Ok(Compiled { program, warnings: kept.warnings, compilers, _directory: directory });
    }

    let place = library::place(directory.path())?;
    let (headers, runtime) = (place.join(place::INCLUDE), place.join(library::NAME));
    let begin = SystemTime::now();
    let mut warnings = String::new();
    let jobs = jobs(&arguments, &compilers, directory.path(), &headers);
    run_all(&jobs, directory.path(), interrupted, &mut warnings)?;

    // With any C++ among the sources the C++ compiler links: it knows its library.
    let linker = compilers.last().expect("there is at least one");
    let output = directory.path().join(PROGRAM);
    let link_words = link_arguments(&arguments, &jobs, linker, &runtime, &output);
    let run = |command: &mut Command, log: &str| finish(start(command, &directory.path().join(log))?, interrupted);
    let direct = key.as_ref().and_then(|_| link::direct(linker, &link_words, directory.path()));
    let linked_directly = direct.map(|mut command| run(&mut command, "direct.log")).transpose()?;
    let (success, said) = match linked_directly.filter(|(success, _)| *success) {
        Some(done) => done,
        None => run(linker.command().args(&link_words), "link.log")?,
    };
    if !success {
        return Err(link_error(said));
    }
    warnings.push_str(&said);
    if let Some(key) = &key {
        let rules = jobs.iter().map(|job| job.object.with_extension("d")).collect();
        let others = linked.clone().cloned().collect();
        let made = Made { rules, others, searched: arguments::searched(&arguments), own: &headers };
        if let Some(inputs) = Inputs::collect(&made, begin) {
            cache::keep(key, &output, Manifest { inputs, warnings: warnings.clone(), ..Manifest::default() });
        }
    }
    let program = opened(&output, unseen())?;
    Ok(Compiled { program, warnings, compilers, _directory: directory })
}

/// A program that was compiled. Its own name is the same wherever its file is.
fn opened(path: &Path, unseen: impl Iterator<Item = String>) -> Result<Program, CompileError> {
    let mut program = Program::open(path)?;
    program.unseen.extend(unseen);
    program.name = PROGRAM.into();
    Ok(program)
}

/// One file to compile.
struct Job<'a> {
    source: &'a Path,
    object: PathBuf,
    compiler: &'a Compiler,
    arguments: Vec<String>,
}

fn jobs<'a>(arguments: &'a [Argument], compilers: &'a [Compiler], directory: &Path, headers: &Path) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    for argument in arguments {
        let Argument::Source { path, language } = argument else { continue };
        let compiler = compilers.iter().find(|c| c.language == *language).expect("one for each language in use");
        let object = directory.join(format!("{}.o", jobs.len()));
        let arguments = compile_arguments(arguments, path, &object, compiler, headers);
        jobs.push(Job { source: path, object, compiler, arguments });
    }
    jobs
}

fn compile_arguments(
    arguments: &[Argument],
    source: &Path,
    object: &Path,
    compiler: &Compiler,
    headers: &Path,
) -> Vec<String> {
    let mut words = vec!["-c".to_owned(), "-g".to_owned(), "-fno-omit-frame-pointer".to_owned()];
    if !arguments::has_optimisation(arguments) {
        words.push("-O0".to_owned());
    }
    for argument in arguments {
        if let Argument::CompileFlag(flag) | Argument::Flag(flag) = argument {
            words.extend(flag.iter().cloned());
        }
    }
    // After the user's own: these must hold whatever the project's usual flags say. Code generation at link time
    // would come after the instrumentation is off.
    words.extend(instrument::flags(compiler.kind, compiler.version, compiler.language));
    if annotations::are_in(source) {
        // What is inlined is not entered, and what is left by a jump to the call that says so is left too early.
        words.extend(["-fno-inline", "-fno-optimize-sibling-calls"].map(str::to_owned));
    }
    words.extend(["-fno-omit-frame-pointer", "-fno-lto"].map(str::to_owned));
    words.extend(instrument::search(headers));
    words.extend(["-x", compiler.language.option()].map(str::to_owned));
    // What it reads: the cache must know.
    words.extend(["-MD".to_owned(), "-MF".to_owned(), object.with_extension("d").display().to_string()]);
    words.extend([source.display().to_string(), "-o".to_owned(), object.display().to_string()]);
    words
}

fn link_arguments(
    arguments: &[Argument],
    jobs: &[Job<'_>],
    linker: &Compiler,
    runtime: &Path,
    output: &Path,
) -> Vec<String> {
    let mut words = vec!["-o".to_owned(), output.display().to_string(), "-g".to_owned(), "-pthread".to_owned()];
    let linked =
        arguments.iter().filter_map(|a| if let Argument::Linkable(path) = a { Some(path.as_path()) } else { None });
    words.extend(instrument::link_flags(jobs.iter().map(|job| job.object.as_path()).chain(linked)));
    if linker.kind == CompilerKind::Clang {
        // Flags of the user's that mean nothing at the link are no news.
        words.push("-Wno-unused-command-line-argument".to_owned());
    }
    let mut objects = jobs.iter().map(|job| job.object.display().to_string());
    let mut runtime = Some(runtime.display().to_string());
    for argument in arguments {
        match argument {
            Argument::Source { .. } => words.extend(objects.next()),
            Argument::Linkable(path) => {
                // Before the first library that could define the same names.
                let is_object = path.extension().is_some_and(|e| e == "o");
                words.extend(runtime.take_if(|_| !is_object));
                words.push(path.display().to_string());
            }
            Argument::LinkFlag(flag) => {
                words.extend(runtime.take_if(|_| flag[0].starts_with("-l")));
                words.extend(flag.iter().cloned());
            }
            Argument::Flag(flag) => words.extend(flag.iter().cloned()),
            Argument::CompileFlag(_) => {}
        }
    }
    words.extend(runtime);
    words.push("-fno-lto".to_owned());
    if linker.language == Language::Cxx && !linker.command.iter().any(|word| word.contains("++")) {
        words.extend(["-lstdc++", "-lm"].map(str::to_owned));
    }
    words
}

/// Compiles all files, as many at once as there are processors. Of several failures the first in the order of the files is
/// reported, so that the message does not depend on timing.
fn run_all(
    jobs: &[Job<'_>],
    directory: &Path,
    interrupted: &AtomicBool,
    warnings: &mut String,
) -> Result<(), CompileError> {
    let width = std::thread::available_parallelism().map_or(1, usize::from);
    for (batch, jobs) in jobs.chunks(width).enumerate() {
        let mut running = Vec::new();
        for (i, job) in jobs.iter().enumerate() {
            let mut command = job.compiler.command();
            command.args(&job.arguments);
            running.push(start(&mut command, &directory.join(format!("{batch}-{i}.log")))?);
        }
        let mut failed = None;
        for (compiling, job) in running.into_iter().zip(jobs) {
            let (success, said) = finish(compiling, interrupted)?;
            if success {
                warnings.push_str(&said);
            } else {
                failed.get_or_insert(CompileError::DoesNotCompile { path: job.source.to_owned(), said });
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(())
}

/// A compiler at work. Dropping it kills the compiler, so that an error in one file ends the compilation of the others.
struct Running {
    child: Child,
    log: PathBuf,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(command: &mut Command, log: &Path) -> Result<Running, CompileError> {
    debug!(?command, "compiler starts");
    // A file and not a pipe: nobody has to read while it writes.
    let file = std::fs::File::create(log)?;
    let child =
        command.stdout(file.try_clone()?).stderr(Stdio::from(file)).spawn().map_err(|source| {
            CompileError::CannotRun { command: command.get_program().display().to_string(), source }
        })?;
    Ok(Running { child, log: log.to_owned() })
}

fn finish(mut running: Running, interrupted: &AtomicBool) -> Result<(bool, String), CompileError> {
    let status = loop {
        if let Some(status) = running.child.try_wait()? {
            break status;
        }
        if interrupted.load(Ordering::Relaxed) {
            return Err(CompileError::Interrupted);
        }
        std::thread::sleep(POLL);
    };
    // Ctrl-C reaches the compiler too; that it died of it is no error in the source.
    if interrupted.load(Ordering::Relaxed) {
        return Err(CompileError::Interrupted);
    }
    Ok((status.success(), String::from_utf8_lossy(&std::fs::read(&running.log)?).into_owned()))
}

/// Classifies a linker's failure by its message. Messages differ between linkers; an unknown one is reported as it is.
fn link_error(said: String) -> CompileError {
    if said.contains("undefined reference to `main'") || said.contains("undefined symbol: main\n") {
        return CompileError::NoMain { said };
    }
    let name = |after: &str| {
        let rest = &said[said.find(after)? + after.len()..];
        Some(rest.split(|c: char| c.is_whitespace() || c == ':').next()?.to_owned())
    };
    match name("cannot find -l").or_else(|| name("unable to find library -l")) {
        Some(library) => CompileError::NoLibrary { library, said },
        None => CompileError::DoesNotLink { said },
    }
}
