//! Finds a compiler and asks it what it is.
//!
//! Candidates in this order: the compiler that the user names, `$CC` (`$CXX` for C++), clang, gcc. clang comes before gcc
//! because its instrumentation is complete by construction. gcc's has holes, which flags and headers close.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{CompileError, Language};
use crate::build::cache;

/// The families of compilers that Heddle supports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompilerKind {
    /// LLVM's clang.
    Clang,
    /// GNU's gcc.
    Gcc,
}

/// A compiler for one language, which was run to find out its kind and version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiler {
    /// The command with the words that always come first: `ccache gcc -m64`.
    pub command: Vec<String>,
    /// The compiler's family.
    pub kind: CompilerKind,
    /// The compiler's major version.
    pub version: u32,
    /// The language that it compiles.
    pub language: Language,
}

/// Versions that are tried by name (`clang-19`), newest first, if there is no plain `clang`.
const CLANG_VERSIONS: std::ops::RangeInclusive<u32> = 14..=21;

/// The places where a compiler may be named.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The user's choice: `--cc`.
    pub explicit: Option<String>,
    /// `$CC`.
    pub cc: Option<String>,
    /// `$CXX`.
    pub cxx: Option<String>,
    /// The directories to find commands in: `$PATH`.
    pub path: Option<std::ffi::OsString>,
}

impl Choice {
    /// The choice of the user and of the environment variables.
    pub fn from_environment(explicit: Option<String>) -> Choice {
        // Who builds with `CC="heddle cc"` does not mean that the compiler is Heddle.
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty() && !is_heddle(value));
        Choice { explicit, cc: variable("CC"), cxx: variable("CXX"), path: env::var_os("PATH") }
    }

    /// The compiler for `language`.
    pub fn find(&self, language: Language) -> Result<Compiler, CompileError> {
        if let Some(named) = &self.explicit {
            return self.named(named, language);
        }
        let (own, other) = match language {
            Language::C => (&self.cc, &self.cxx),
            Language::Cxx => (&self.cxx, &self.cc),
        };
        // Somebody who sets only one of the two means the other language too: objects of two compilers do not mix.
        if let Some(named) = own.as_ref().or(other.as_ref()) {
            return self.named(named, language);
        }
        let plain = |name: &str| sibling(name, language).filter(|name| self.which(name).is_some());
        let versioned = || CLANG_VERSIONS.rev().find_map(|version| plain(&format!("clang-{version}")));
        let found = plain("clang").or_else(versioned).or_else(|| plain("gcc")).or_else(|| plain("cc"));
        found.ok_or(CompileError::NoCompiler { language }).and_then(|name| self.probe(vec![name], language))
    }

    fn named(&self, named: &str, language: Language) -> Result<Compiler, CompileError> {
        let mut command: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
        let Some(last) = command.iter().rposition(|word| !word.starts_with('-')) else {
            return Err(CompileError::NoCompiler { language });
        };
        if let Some(other) = sibling(&command[last], language).filter(|other| self.which(other).is_some()) {
            command[last] = other;
        }
        if self.which(&command[0]).is_none() {
            return Err(CompileError::CompilerNotFound { command: command[0].clone() });
        }
        self.probe(command, language)
    }

    /// The path of a command, if it can be run.
    fn which(&self, command: &str) -> Option<PathBuf> {
        if command.contains('/') {
            return is_executable(Path::new(command)).then(|| PathBuf::from(command));
        }
        env::split_paths(self.path.as_deref()?).map(|folder| folder.join(command)).find(|path| is_executable(path))
    }

    /// Asks the compiler what it is. Its name does not tell: `cc` may be either, and `gcc` may be clang.
    fn probe(&self, command: Vec<String>, language: Language) -> Result<Compiler, CompileError> {
        let identity = cache::is_on().then(|| cache::of_compiler(&command, self.path.as_deref())).flatten();
        if let Some((kind, version)) = identity.and_then(cache::answer).and_then(|answer| understood(&answer)) {
            return Ok(Compiler { command, kind, version, language });
        }
        let output = Command::new(&command[0])
            .args(&command[1..])
            .args(["-E", "-dM", "-x", "c", "/dev/null"])
            .env("PATH", self.path.as_deref().unwrap_or(OsStr::new("")))
            .stdin(Stdio::null())
            .output()
            .map_err(|source| CompileError::CannotRun { command: command.join(" "), source })?;
        let macros = String::from_utf8_lossy(&output.stdout);
        let value = |name: &str| {
            let line =
                macros.lines().find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|value| value.trim().parse::<u32>().ok())
        };
        let (kind, version) = match (value("__clang_major__"), value("__GNUC__")) {
            (Some(version), _) => (CompilerKind::Clang, version),
            (None, Some(version)) => (CompilerKind::Gcc, version),
            (None, None) => {
                let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                return Err(CompileError::UnknownCompiler { command: command.join(" "), said });
            }
        };
        if value("__x86_64__").is_none() {
            return Err(CompileError::OtherTarget { command: command.join(" ") });
        }
        if let Some(identity) = identity {
            cache::keep_answer(identity, &format!("{kind:?} {version}"));
        }
        Ok(Compiler { command, kind, version, language })
    }
}

impl Compiler {
    /// A command that runs the compiler, to add arguments to.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).stdin(Stdio::null());
        command
    }
}

/// The kind and the version of a compiler that was asked before.
fn understood(answer: &str) -> Option<(CompilerKind, u32)> {
    let (kind, version) = answer.split_once(' ')?;
    let kind = [CompilerKind::Clang, CompilerKind::Gcc].into_iter().find(|known| format!("{known:?}") == kind)?;
    Some((kind, version.parse().ok()?))
}

/// Whether a command is `heddle cc` or `heddle c++`.
fn is_heddle(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let name = words.next().and_then(|word| Path::new(word).file_name()).unwrap_or_default();
    name == "heddle-cc" || name == "heddle-c++" || name == "heddle" && matches!(words.next(), Some("cc" | "c++"))
}

/// The name under which a compiler compiles `language`: `clang++-19` for `clang-19`. `None` if the name follows no known
/// pattern.
fn sibling(name: &str, language: Language) -> Option<String> {
    const PAIRS: [(&str, &str); 3] = [("clang", "clang++"), ("gcc", "g++"), ("cc", "c++")];
    let (folder, file) = match name.rfind('/') {
        Some(at) => name.split_at(at + 1),
        None => ("", name),
    };
    // `x86_64-linux-gnu-gcc-12`: a prefix, the name, and a version.
    let is_version =
        |text: &str| text.is_empty() || text.starts_with('-') && text[1..].starts_with(|c: char| c.is_ascii_digit());
    for (c, cxx) in PAIRS {
        for known in [cxx, c] {
            let Some(at) = file.rfind(known) else { continue };
            let (prefix, rest) = file.split_at(at);
            let version = &rest[known.len()..];
            if !is_version(version) || !(prefix.is_empty() || prefix.ends_with('-')) {
                continue;
            }
            let wanted = if language == Language::C { c } else { cxx };
            return Some(format!("{folder}{prefix}{wanted}{version}"));
        }
    }
    None
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryDirectory;

    #[test]
    fn the_same_compiler_for_the_other_language() {
        for (name, c, cxx) in [
            ("clang", "clang", "clang++"),
            ("clang-19", "clang-19", "clang++-19"),
            ("clang++-19", "clang-19", "clang++-19"),
            ("/opt/bin/gcc-12", "/opt/bin/gcc-12", "/opt/bin/g++-12"),
            ("x86_64-linux-gnu-g++", "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-g++"),
            ("cc", "cc", "c++"),
        ] {
            assert_eq!(sibling(name, Language::C).as_deref(), Some(c), "{name}");
            assert_eq!(sibling(name, Language::Cxx).as_deref(), Some(cxx), "{name}");
        }
        assert_eq!(sibling("tcc", Language::C), None);
        assert_eq!(sibling("ccache", Language::C), None);
    }

    #[test]
    fn heddle_is_no_compiler_behind_itself() {
        for command in ["heddle cc", "/opt/heddle c++ -m64", "heddle-cc", "/usr/bin/heddle-c++"] {
            assert!(is_heddle(command), "{command}");
        }
        for command in ["gcc", "heddle", "cc", "my-heddle cc", ""] {
            assert!(!is_heddle(command), "{command}");
        }
    }

    /// A folder with commands that answer as compilers do.
    fn compilers(names: &[(&str, &str)]) -> TemporaryDirectory {
        use std::os::unix::fs::PermissionsExt;
        let folder = TemporaryDirectory::new().unwrap();
        for (name, macros) in names {
            let path = folder.path().join(name);
            let lines: String = macros.split(',').map(|m| format!("echo '#define {m}'\n")).collect();
            std::fs::write(&path, format!("#!/bin/sh\n{lines}")).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        folder
    }

    const CLANG: &str = "__clang_major__ 19,__GNUC__ 4,__x86_64__ 1";
    const GCC: &str = "__GNUC__ 12,__x86_64__ 1";

    #[test]
    fn clang_before_gcc_and_the_newest_clang() {
        let folder = compilers(&[("clang-14", CLANG), ("clang-19", CLANG), ("gcc", GCC), ("g++", GCC)]);
        let choice = Choice { path: Some(folder.path().into()), ..Choice::default() };
        let c = choice.find(Language::C).unwrap();
        assert_eq!((c.command, c.kind, c.version), (vec!["clang-19".to_owned()], CompilerKind::Clang, 19));
        let cxx = choice.find(Language::Cxx).unwrap();
        assert_eq!((cxx.command, cxx.kind, cxx.version), (vec!["g++".to_owned()], CompilerKind::Gcc, 12));
    }

    #[test]
    fn the_user_before_the_environment() {
        let folder = compilers(&[("clang", CLANG), ("gcc", GCC), ("g++", GCC), ("mine", CLANG)]);
        let mut choice = Choice { path: Some(folder.path().into()), cc: Some("gcc -m64".into()), ..Choice::default() };
        assert_eq!(choice.find(Language::C).unwrap().command, ["gcc", "-m64"]);
        assert_eq!(choice.find(Language::Cxx).unwrap().command, ["g++", "-m64"]);
        choice.explicit = Some("mine".into());
        assert_eq!(choice.find(Language::Cxx).unwrap().command, ["mine"]);
        choice.explicit = Some("missing".into());
        assert!(
            matches!(choice.find(Language::C), Err(CompileError::CompilerNotFound { command }) if command == "missing")
        );
    }

    #[test]
    fn none_at_all_and_strangers() {
        let folder = compilers(&[("odd", "X 1"), ("arm-gcc", "__GNUC__ 12,__arm__ 1")]);
        let mut choice = Choice { path: Some(folder.path().into()), ..Choice::default() };
        assert!(matches!(choice.find(Language::C), Err(CompileError::NoCompiler { language: Language::C })));
        choice.explicit = Some("odd".into());
        assert!(matches!(choice.find(Language::C), Err(CompileError::UnknownCompiler { .. })));
        choice.explicit = Some("arm-gcc".into());
        assert!(matches!(choice.find(Language::C), Err(CompileError::OtherTarget { .. })));
    }
}
