//! Puts [`caching_compiler`](super::caching_compiler) in front of the compilers, so that each program of the tests is compiled once for all
//! its runs. `HEDDLE_TEST_CACHE=off` does without.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use super::caching_compiler::{SESSION, STORE};

/// The program in front, which is compiled here.
const SOURCE: &str = include_str!("caching_compiler.rs");
/// The names of compilers, with and without the versions that a distribution may have.
const NAMES: [&str; 6] = ["cc", "c++", "gcc", "g++", "clang", "clang++"];
const VERSIONS: std::ops::RangeInclusive<u32> = 11..=22;

/// Has `heddle`, and whatever it starts, use the cache. `session` is the directory of the test.
pub fn put_before(command: &mut Command, session: &Path) {
    static PATH: OnceLock<Option<OsString>> = OnceLock::new();
    let Some(path) = PATH.get_or_init(path) else { return };
    command.env("PATH", path).env(STORE, folder().join("made")).env(SESSION, session);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled")
}

/// `$PATH` with the directory of the caching compilers in front. None if there is to be no cache.
fn path() -> Option<OsString> {
    if env::var_os("HEDDLE_TEST_CACHE").is_some_and(|value| value == "off") {
        return None;
    }
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let commands = folder().join("bin");
    fs::create_dir_all(&commands).expect("a directory in the target directory");
    let program = program();
    let versions = || VERSIONS.map(|version| format!("-{version}")).chain([String::new()]);
    for name in NAMES.iter().flat_map(|name| versions().map(move |version| format!("{name}{version}"))) {
        let link = commands.join(&name);
        if !folders.iter().any(|folder| folder.join(&name).is_file()) {
            let _ = fs::remove_file(&link);
        } else if fs::read_link(&link).ok().as_ref() != Some(&program) {
            // Aside first: other tests may be about to use it.
            let aside = commands.join(format!("{name}.{}", std::process::id()));
            std::os::unix::fs::symlink(&program, &aside).expect("a link");
            fs::rename(&aside, &link).expect("in one directory");
        }
    }
    Some(env::join_paths([commands].into_iter().chain(folders)).expect("they came from there"))
}

/// The caching compiler, compiled if it is not there yet.
fn program() -> PathBuf {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    SOURCE.hash(&mut hasher);
    let program = folder().join(format!("compiler-{:016x}", hasher.finish()));
    if !program.exists() {
        // In a directory of this process: others may build it at the same time, and rustc names what it writes by the output.
        let own = folder().join(format!("building-{}", std::process::id()));
        fs::create_dir_all(&own).expect("a directory in the target directory");
        let (aside, source) = (own.join("compiler"), own.join("compiler.rs"));
        fs::write(&source, SOURCE).expect("it can be written");
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()));
        let options = ["--edition=2024", "--crate-name=caching_compiler", "-O", "-Adead_code", "-o"];
        let built = rustc.args(options).arg(&aside).arg(&source).status().expect("rustc built this, too");
        assert!(built.success(), "the caching compiler does not compile");
        fs::rename(&aside, &program).expect("in one file system");
        fs::remove_dir_all(&own).expect("it was there");
    }
    program
}
