//! Finds the clang that compiles a program to bitcode, and the libLLVM that reads it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::reader::ReadError;

/// The oldest version whose bitcode and library are read: the first with opaque pointers only.
pub const OLDEST: u32 = 17;
/// The newest version that is looked for by name. `HEDDLE_CLANG` names any other.
pub const NEWEST: u32 = 22;

/// A compiler and its library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// The clang.
    pub clang: PathBuf,
    /// Its major version.
    pub version: u32,
    /// The libLLVM of that version.
    pub library: PathBuf,
}

/// What decides where to look; tests look elsewhere than in the environment.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// `HEDDLE_CLANG`: this compiler and no other.
    pub clang: Option<PathBuf>,
    /// `HEDDLE_LIBLLVM`: this library and no other.
    pub library: Option<PathBuf>,
    /// `PATH`.
    pub path: Vec<PathBuf>,
}

impl Places {
    /// What the environment says.
    pub fn from_environment() -> Places {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Places {
            clang: std::env::var_os("HEDDLE_CLANG").map(PathBuf::from),
            library: std::env::var_os("HEDDLE_LIBLLVM").map(PathBuf::from),
            path: std::env::split_paths(&path).collect(),
        }
    }

    /// The newest clang that has its library.
    ///
    /// # Errors
    ///
    /// When there is none: what was found instead.
    pub fn find(&self) -> Result<Toolchain, ReadError> {
        let mut candidates: Vec<PathBuf> = Vec::new();
        if let Some(clang) = &self.clang {
            candidates.push(clang.clone());
        } else {
            let names = (OLDEST..=NEWEST).rev().map(|n| format!("clang-{n}")).chain(["clang".to_owned()]);
            for name in names {
                candidates.extend(self.path.iter().map(|folder| folder.join(&name)).filter(|file| file.is_file()));
            }
        }
        let (mut too_old, mut without) = (None, None);
        for clang in candidates {
            let Some(version) = version_of(&clang) else { continue };
            if version < OLDEST {
                too_old.get_or_insert((clang, version));
                continue;
            }
            match self.library_of(&clang, version) {
                Some(library) => return Ok(Toolchain { clang, version, library }),
                None => drop(without.get_or_insert((clang, version))),
            }
        }
        Err(match (without, too_old) {
            (Some((clang, version)), _) => ReadError::NoLibrary { clang, version },
            (None, Some((clang, version))) => ReadError::TooOld { clang, version },
            (None, None) => ReadError::NoClang,
        })
    }

    fn library_of(&self, clang: &Path, version: u32) -> Option<PathBuf> {
        if let Some(library) = &self.library {
            return library.is_file().then(|| library.clone());
        }
        let mut folders = Vec::new();
        if let Ok(real) = clang.canonicalize() {
            folders.extend(real.parent().and_then(Path::parent).map(|root| root.join("lib")));
        }
        folders.push(PathBuf::from(format!("/usr/lib/llvm-{version}/lib")));
        folders.push(PathBuf::from(format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH)));
        folders.extend(["/usr/lib64", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
        let names =
            [format!("libLLVM.so.{version}.1"), format!("libLLVM-{version}.so"), format!("libLLVM.so.{version}")];
        folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).find(|file| file.is_file())
    }
}

/// The major version of a clang.
fn version_of(clang: &Path) -> Option<u32> {
    let output = Command::new(clang).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    let rest = words.split("clang version ").nth(1)?;
    rest.split(['.', ' ', '-', '\n']).next()?.parse().ok()
}
