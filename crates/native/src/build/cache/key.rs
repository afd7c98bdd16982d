//! What is known of a program before it is compiled.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::inputs::is_restless;
use crate::build::compile::{Argument, Compiler};
use crate::build::place;

/// The name of an entry: a digest of the words, the directory, the environment, the compilers and Heddle itself.
#[derive(Clone, Debug)]
pub struct Key(u128);

/// Where one of these variables is set, there are directories of headers that Heddle does not know of.
const UNKNOWN: [&str; 4] = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH"];

/// Beginnings of the names of variables that no compiler reads and that differ from terminal to terminal. All others belong to the
/// key: compilers read dozens, and a script that starts one may read any.
const UNREAD: [&str; 21] = [
    "HEDDLE_",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "COLUMNS",
    "LINES",
    "TERM",
    "COLORTERM",
    "LS_COLORS",
    "DISPLAY",
    "WAYLAND_",
    "WINDOW",
    "TMUX",
    "STY",
    "SSH_",
    "XDG_SESSION",
    "DBUS_",
    "GPG_",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "VSCODE_",
];

/// Programs that compilers start by themselves, and look for like a shell.
const TOOLS: [&str; 2] = ["as", "ld"];

/// Libraries that are the system's own, and shared: what is linked does not depend on what is in them.
const LIBRARIES: [&str; 7] = ["-lm", "-lpthread", "-lrt", "-ldl", "-latomic", "-lstdc++", "-lc"];

impl Key {
    /// The key of a command, if its program can be kept: no word may lead to a file that is not seen among the inputs.
    pub fn of(words: &[String], arguments: &[Argument], compilers: &[Compiler]) -> Option<Key> {
        let is_unknown = |name: &&str| env::var_os(name).is_some();
        if !arguments.iter().all(is_understood) || UNKNOWN.iter().any(is_unknown) {
            return None;
        }
        // `-DNOW=__TIME__`. Names of files say nothing.
        if words.iter().any(|word| word.contains("__") && is_restless(word.as_bytes())) {
            return None;
        }
        let mut digest = Digest::default();
        digest.add(env!("CARGO_PKG_VERSION").as_bytes());
        digest.add(&place::digest().to_le_bytes());
        digest.add(env::current_dir().ok()?.as_os_str().as_bytes());
        words.iter().for_each(|word| digest.add(word.as_bytes()));
        digest.add_environment();
        let path = env::var_os("PATH");
        for tool in TOOLS {
            digest.add(&of_compiler(&[tool.to_owned()], path.as_deref()).unwrap_or(0).to_le_bytes());
        }
        for compiler in compilers {
            digest.add(compiler.language.to_string().as_bytes());
            digest.add(&of_compiler(&compiler.command, path.as_deref())?.to_le_bytes());
        }
        Some(Key(digest.value()))
    }

    /// The name of the entry's directory.
    pub fn name(&self) -> String {
        format!("{:032x}", self.0)
    }
}

/// Whether all files that an argument leads to are among the inputs of the compilation.
fn is_understood(argument: &Argument) -> bool {
    match argument {
        Argument::Source { .. } => true,
        // A script of the linker's may name others.
        Argument::Linkable(path) => path.extension().is_some_and(|suffix| suffix == "o" || suffix == "a"),
        Argument::LinkFlag(flag) => LIBRARIES.contains(&flag[0].as_str()),
        Argument::CompileFlag(flag) | Argument::Flag(flag) => {
            let word = flag[0].as_str();
            let known = ["-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-std=", "-O", "-g", "-m"];
            let is_known = known.iter().any(|known| word.starts_with(known)) && !word.starts_with("-mllvm");
            let warns = word.starts_with("-W") && !word.contains(',');
            // `-fplugin=x`, `-fprofile-use=x` and their like name files.
            let chooses = word.starts_with("-f") && !word.contains('=') && !word.contains("profile");
            // What the processor has is not written in any file.
            !word.ends_with("=native")
                && (is_known
                    || warns
                    || chooses
                    || word == "-pthread"
                    || word == "-w"
                    || word.starts_with("-fsanitize="))
        }
    }
}

/// A digest of a question to a compiler: its answer may depend on the words and the environment. None if there is no such compiler.
pub fn question(command: &[String], words: &[String]) -> Option<u128> {
    let path = env::var_os("PATH");
    let mut digest = Digest::default();
    digest.add(&of_compiler(command, path.as_deref())?.to_le_bytes());
    words.iter().for_each(|word| digest.add(word.as_bytes()));
    digest.add_environment();
    Some(digest.value())
}

/// A digest that tells a compiler from others and from itself after an update: the words of the command, and the path, the
/// size and the time of each program among them. None if one cannot be found.
pub fn of_compiler(command: &[String], path: Option<&OsStr>) -> Option<u128> {
    let mut digest = Digest::default();
    for (number, word) in command.iter().enumerate() {
        digest.add(word.as_bytes());
        if word.starts_with('-') {
            continue;
        }
        let is_file = |file: &Path| file.metadata().is_ok_and(|data| data.is_file());
        let file = if word.contains('/') {
            Some(Path::new(word).to_owned()).filter(|file| is_file(file))
        } else {
            env::split_paths(path?).map(|folder| folder.join(word)).find(|file| is_file(file))
        };
        match file.and_then(|file| file.canonicalize().ok()) {
            Some(file) => {
                let data = file.metadata().ok()?;
                digest.add(file.as_os_str().as_bytes());
                for number in [data.size(), data.ino(), data.mtime() as u64, data.mtime_nsec() as u64] {
                    digest.add(&number.to_le_bytes());
                }
            }
            None if number == 0 => return None,
            None => {}
        }
    }
    Some(digest.value())
}

/// A digest of several texts, each with its length.
#[derive(Default)]
struct Digest(Xxh3);

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn add_environment(&mut self) {
        let is_read = |name: &OsStr| {
            let name = name.as_bytes();
            name != b"_" && !UNREAD.iter().any(|unread| name.starts_with(unread.as_bytes()))
        };
        let all: BTreeMap<OsString, OsString> = env::vars_os().filter(|(name, _)| is_read(name)).collect();
        for (name, value) in all {
            self.add(name.as_bytes());
            self.add(value.as_bytes());
        }
    }

    fn value(&self) -> u128 {
        self.0.digest128()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_lead_to_files_nobody_sees_are_not_understood() {
        let flag = |word: &str| is_understood(&Argument::Flag(vec![word.to_owned()]));
        for word in ["-O2", "-Wall", "-DN=3", "-pthread", "-fno-inline", "-std=c11", "-m64", "-fsanitize=undefined"] {
            assert!(flag(word), "{word}");
        }
        for word in [
            "-fplugin=x.so",
            "-fprofile-use=x",
            "-fprofile-use",
            "-Wl,-T,x",
            "-specs=x",
            "-B",
            "@file",
            "-mllvm",
            "-march=native",
        ] {
            assert!(!flag(word), "{word}");
        }
        assert!(is_understood(&Argument::LinkFlag(vec!["-lm".to_owned()])));
        assert!(!is_understood(&Argument::LinkFlag(vec!["-lown".to_owned()])));
        assert!(!is_understood(&Argument::LinkFlag(vec!["-L".to_owned(), "lib".to_owned()])));
        assert!(!is_understood(&Argument::Linkable("libown.so".into())));
    }

    #[test]
    fn a_compiler_that_was_updated_is_another_one() {
        let folder = crate::temporary::TemporaryDirectory::new().unwrap();
        let command = [folder.path().join("cc").display().to_string()];
        assert_eq!(of_compiler(&command, None), None);
        std::fs::write(&command[0], b"1").unwrap();
        let first = of_compiler(&command, None);
        assert!(first.is_some());
        assert_eq!(of_compiler(&command, None), first);
        std::fs::write(&command[0], b"12").unwrap();
        assert_ne!(of_compiler(&command, None), first);
    }
}
