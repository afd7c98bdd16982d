//! A command that stands in front of a compiler and keeps what the compiler makes: the build cache of the end-to-end tests.
//!
//! `heddle check program.c` compiles the program, and every replay of what it finds compiles it again. The tests do that thousands of
//! times, mostly with sources, flags and compilers that were there before. This program is compiled by the test harness
//! (`build_cache.rs`), which puts it into a directory in front of `$PATH` under the names of the compilers. Heddle calls it as it calls a compiler.
//!
//! A compilation is known by the compiler (path, size, time of change), the working directory, the arguments, and the content of every file
//! among the arguments and of every header that was read. Heddle's temporary directory, which has another name each time, is left
//! out; something that contains its name is not kept. Anything unusual goes to the compiler.
//!
//! An entry is a directory that is made aside and renamed, so that processes need no lock.

use std::collections::hash_map::DefaultHasher;
use std::ffi::{OsStr, OsString};
use std::hash::Hasher;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, exit};
use std::{env, fs, io};

/// Where entries are kept.
pub const STORE: &str = "HEDDLE_TEST_STORE";
/// The directory of one test. What was compiled from a file in it is kept there, and goes with it.
pub const SESSION: &str = "HEDDLE_TEST_DIRECTORY";

/// The files of an entry.
const MADE: &str = "made";
const SAID: [&str; 2] = ["stdout", "stderr"];
const HEADERS: &str = "headers";

/// Does what the compiler of this name would do.
pub fn main() {
    let words: Vec<OsString> = env::args_os().collect();
    let name = Path::new(&words[0]).file_name().expect("a command has a name").to_owned();
    let (real, path) = behind(&name);
    let mut compiler = Command::new(&real);
    compiler.env("PATH", path);
    if let Some(job) = Job::new(&real, &words[1..]) {
        job.run(compiler);
    }
    panic!("{}: {}", real.display(), compiler.args(&words[1..]).exec());
}

/// The compiler of this name that comes after us on `$PATH`, and the rest of `$PATH`.
fn behind(name: &OsStr) -> (PathBuf, OsString) {
    let own = env::current_exe().and_then(fs::canonicalize).expect("this program has a file");
    let all = env::var_os("PATH").unwrap_or_default();
    let is_other = |folder: &PathBuf| fs::canonicalize(folder.join(name)).is_ok_and(|file| file != own);
    let folders: Vec<PathBuf> = env::split_paths(&all).skip_while(|folder| !is_other(folder)).collect();
    let first = folders.first().unwrap_or_else(|| panic!("{}: no such compiler", name.display()));
    (first.join(name), env::join_paths(&folders).expect("they came from there"))
}

/// One call of a compiler whose result can be kept.
struct Job<'a> {
    words: &'a [OsString],
    /// The file to make; none if it only prints.
    output: Option<&'a Path>,
    /// Heddle's temporary directory.
    temporary: PathBuf,
    /// Where its entry is, or will be.
    entry: PathBuf,
}

impl<'a> Job<'a> {
    /// None for anything but the three calls that `heddle check` makes: a question, a compilation, a link.
    fn new(real: &Path, words: &'a [OsString]) -> Option<Job<'a>> {
        let store = PathBuf::from(env::var_os(STORE)?);
        let asks = words.iter().any(|word| word == "-dM");
        let output = words.iter().position(|word| word == "-o").and_then(|at| words.get(at + 1)).map(Path::new);
        // Responses, dependencies and libraries outside the system's directories have inputs that are not seen here.
        let unusual =
            |word: &OsString| ["@", "-M", "-Wp,", "-L", "-B"].iter().any(|odd| starts(word, odd)) || word == "-";
        if words.iter().any(unusual) || output.is_some() == asks {
            return None;
        }
        let temporary = output.and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
        let mut hash = Hash::default();
        let status = fs::metadata(fs::canonicalize(real).ok()?).ok()?;
        hash.add(real.as_os_str().as_bytes());
        hash.add(format!("{} {} {}", status.size(), status.mtime(), status.mtime_nsec()).as_bytes());
        // Whatever is installed or upgraded may be a header or a library that it uses.
        if let Ok(packages) = fs::metadata("/var/lib/dpkg/status") {
            hash.add(format!("{} {}", packages.mtime(), packages.mtime_nsec()).as_bytes());
        }
        let here = env::current_dir().ok()?;
        hash.add(here.as_os_str().as_bytes());
        let session = env::var_os(SESSION)?;
        let mut in_session = here.starts_with(&session);
        for word in words {
            let bytes = without(word.as_bytes(), temporary.as_os_str().as_bytes());
            in_session |= contains(&bytes, session.as_bytes());
            hash.add(&bytes);
            if Some(Path::new(word)) != output && Path::new(word).is_file() {
                hash.add(&fs::read(word).ok()?);
            }
        }
        // Heddle's own headers.
        hash.add_folder(&temporary.join("include"));
        let store = if in_session { Path::new(&session).join("compiled") } else { store };
        Some(Job { words, output, temporary, entry: store.join(hash.name()) })
    }

    /// Ends with what the compiler said before, or says now.
    fn run(&self, mut compiler: Command) -> ! {
        if let Some(said) = self.kept() {
            answer(&said);
        }
        compiler.args(self.words);
        let headers = self.temporary.join("headers.d");
        let compiles = self.words.iter().any(|word| word == "-c");
        if compiles {
            compiler.arg("-MD").arg("-MF").arg(&headers);
        }
        // Whoever kills us means the compiler.
        // SAFETY: one system call, which may be made between fork and exec.
        unsafe {
            compiler.pre_exec(|| if prctl(1, 9, 0, 0, 0) == 0 { Ok(()) } else { Err(io::Error::last_os_error()) })
        };
        let said = compiler.output().unwrap_or_else(|error| panic!("{}: {error}", compiler.get_program().display()));
        if said.status.success() {
            // What cannot be kept is made again.
            let _ = self.keep(&said, compiles.then_some(&headers));
        }
        let _ = fs::remove_file(headers);
        answer(&said);
    }

    /// What is there from before, with its output in place.
    fn kept(&self) -> Option<Output> {
        for line in fs::read_to_string(self.entry.join(HEADERS)).ok()?.lines() {
            let (hash, header) = line.split_once(' ')?;
            if Hash::of(&fs::read(header).ok()?).name() != hash {
                return None;
            }
        }
        let [stdout, stderr] = SAID.map(|name| fs::read(self.entry.join(name)));
        if let Some(output) = self.output {
            fs::copy(self.entry.join(MADE), output).ok()?;
        }
        Some(Output { status: Default::default(), stdout: stdout.ok()?, stderr: stderr.ok()? })
    }

    fn keep(&self, said: &Output, headers: Option<&PathBuf>) -> io::Result<()> {
        let made = self.output.map(fs::read).transpose()?;
        let mut known = String::new();
        if let Some(headers) = headers {
            for header in read_headers(&fs::read_to_string(headers)?) {
                let is_hashed =
                    Path::new(&header).starts_with("/usr") || Path::new(&header).starts_with(&self.temporary);
                if !is_hashed {
                    known += &format!("{} {header}\n", Hash::of(&fs::read(&header)?).name());
                }
            }
        }
        let temporary = self.temporary.as_os_str().as_bytes();
        let mut texts = made.iter().chain([&said.stdout, &said.stderr]);
        if self.output.is_some() && texts.any(|text| contains(text, temporary)) {
            return Ok(());
        }
        let aside = self.entry.with_extension(std::process::id().to_string());
        fs::create_dir_all(&aside)?;
        if let Some(output) = self.output {
            fs::copy(output, aside.join(MADE))?;
        }
        for (name, text) in SAID.iter().zip([&said.stdout, &said.stderr]) {
            fs::write(aside.join(name), text)?;
        }
        fs::write(aside.join(HEADERS), known)?;
        // An entry whose headers have changed gives way; one that another process has just made is as good as this.
        let _ = fs::remove_dir_all(&self.entry);
        fs::rename(&aside, &self.entry).or_else(|_| fs::remove_dir_all(&aside))
    }
}

unsafe extern "C" {
    /// `prctl(2)`; option 1 is `PR_SET_PDEATHSIG`.
    fn prctl(option: i32, signal: u64, _: u64, _: u64, _: u64) -> i32;
}

/// Says it and ends as it ended.
fn answer(said: &Output) -> ! {
    let _ = io::stdout().write_all(&said.stdout);
    let _ = io::stderr().write_all(&said.stderr);
    exit(said.status.code().unwrap_or_else(|| 128 + said.status.signal().unwrap_or(0)));
}

/// The files in a rule for `make`: `made: one two \`.
fn read_headers(rule: &str) -> Vec<String> {
    let files = rule.split_once(": ").map_or("", |(_, files)| files).replace("\\\n", " ");
    files.replace("\\ ", "\0").split_whitespace().map(|file| file.replace('\0', " ")).collect()
}

fn starts(word: &OsStr, with: &str) -> bool {
    word.as_bytes().starts_with(with.as_bytes())
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    !part.is_empty() && text.windows(part.len()).any(|window| window == part)
}

/// `text` with `part` replaced by something that no path contains.
fn without(text: &[u8], part: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) =
        (!part.is_empty()).then(|| rest.windows(part.len()).position(|window| window == part)).flatten()
    {
        out.extend(&rest[..at]);
        out.push(0);
        rest = &rest[at + part.len()..];
    }
    out.extend(rest);
    out
}

/// Two hashes of 64 bits.
#[derive(Clone)]
struct Hash([DefaultHasher; 2]);

impl Default for Hash {
    fn default() -> Hash {
        let mut hash = Hash([DefaultHasher::new(), DefaultHasher::new()]);
        hash.0[1].write_u8(1);
        hash
    }
}

impl Hash {
    fn of(bytes: &[u8]) -> Hash {
        let mut hash = Hash::default();
        hash.add(bytes);
        hash
    }

    fn add(&mut self, bytes: &[u8]) {
        for half in &mut self.0 {
            half.write_usize(bytes.len());
            half.write(bytes);
        }
    }

    /// All files below `folder`, in order.
    fn add_folder(&mut self, folder: &Path) {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        for path in paths {
            self.add(path.file_name().unwrap_or_default().as_bytes());
            match path.is_dir() {
                true => self.add_folder(&path),
                false => self.add(&fs::read(&path).unwrap_or_default()),
            }
        }
    }

    fn name(&self) -> String {
        format!("{:016x}{:016x}", self.0[0].finish(), self.0[1].finish())
    }
}
