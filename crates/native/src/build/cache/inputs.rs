//! What a program was made of: files by their contents, and directories that compilers have searched.
//!
//! A compiler takes the first header of a name that it finds. A new file in a directory that it searches before may come in
//! front of one that it has found. So the places where such a file would be are kept too: nothing may be there. The
//! system's own directories are held to be unchanged.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::xxh3_128;

/// What a program was made of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    /// Files that were read, with digests of their contents.
    files: Vec<(PathBuf, u128)>,
    /// The system's directories that were searched, with the times of their last changes.
    directories: Vec<(PathBuf, u128)>,
    /// Files and directories that do not exist, and in which others would be found first.
    absent: Vec<PathBuf>,
}

/// A text in a source file with which its meaning depends on more than the files that compilers list. The assembler's `.include`
/// and `.incbin` are among these.
const RESTLESS: [&[u8]; 7] =
    [b"__has_include", b"__has_embed", b"embed", b".inc", b"__DATE__", b"__TIME__", b"__TIMESTAMP__"];
/// Beginnings and ends of such a text, of which `##` may make a whole one.
const PARTS: [&[u8]; 8] = [b"__D", b"__T", b"ATE__", b"IME__", b"AMP__", b"TE__", b"ME__", b"MP__"];
/// The ends of the names of headers that were compiled before. Compilers take such a file for the header beside it.
const PRECOMPILED: [&str; 2] = ["gch", "pch"];
/// Directories of headers that compilers search by themselves.
const SYSTEMS: [&str; 2] = ["/usr/local/include", "/usr/include"];
/// What is below is the system's, and changes only when the system does.
const SYSTEM: &str = "/usr/";

/// Where a program came from.
pub struct Made<'m> {
    /// Files in which compilers have listed what they have read (`-MD`).
    pub rules: Vec<PathBuf>,
    /// Other files.
    pub others: Vec<PathBuf>,
    /// The directories of headers that the command names.
    pub searched: Vec<PathBuf>,
    /// The directory of Heddle's own headers. The key stands for these.
    pub own: &'m Path,
}

impl Inputs {
    /// The inputs of a program that has been compiled since `begin`. None if something cannot be held to be unchanged, or has
    /// changed since.
    pub fn collect(made: &Made<'_>, begin: SystemTime) -> Option<Inputs> {
        let mut paths: BTreeSet<PathBuf> = made.others.iter().cloned().collect();
        for rule in &made.rules {
            paths.extend(prerequisites(&fs::read_to_string(rule).ok()?));
        }
        paths.retain(|path| !path.starts_with(made.own));
        let mut inputs = Inputs::default();
        // Those that a program's author works in change all the time, those of the system hardly ever.
        let mut searched: BTreeSet<PathBuf> = made.searched.iter().cloned().collect();
        let mut systems: BTreeSet<PathBuf> = SYSTEMS.map(PathBuf::from).into();
        for path in &paths {
            if is_younger(path, begin) {
                return None;
            }
            let bytes = fs::read(path).ok()?;
            let is_text = path.extension().is_none_or(|suffix| suffix != "o" && suffix != "a");
            let is_system = path.starts_with(SYSTEM);
            let is_restless = if is_text { is_restless(&bytes) } else { !has_contents(&bytes) };
            if !is_system && (is_restless || precompiled(path).any(|file| file.exists())) {
                return None;
            }
            inputs.files.push((path.clone(), xxh3_128(&bytes)));
            let folders = if is_system { &mut systems } else { &mut searched };
            folders.extend(path.parent().map(Path::to_owned));
        }
        searched.insert(PathBuf::new());
        let headers: Vec<PathBuf> = paths.iter().flat_map(|path| precompiled(path).chain([path.clone()])).collect();
        let absent = searched.iter().flat_map(|folder| headers.iter().flat_map(|path| shadows(folder, path)));
        inputs.absent = absent.collect::<BTreeSet<_>>().into_iter().collect();
        inputs.directories = systems.into_iter().map(|folder| (folder.clone(), time(&folder))).collect();
        let all = inputs.files.iter().chain(&inputs.directories).map(|(path, _)| path).chain(&inputs.absent);
        all.into_iter().all(|path| path.to_str().is_some_and(|path| !path.contains('\n'))).then_some(inputs)
    }

    /// Whether everything is still as it was.
    pub fn are_unchanged(&self) -> bool {
        self.directories.iter().all(|(path, at)| time(path) == *at)
            && self.absent.iter().all(|path| !path.exists())
            && self.files.iter().all(|(path, digest)| fs::read(path).is_ok_and(|bytes| xxh3_128(&bytes) == *digest))
    }

    /// Appends the inputs to `text`: a line for each.
    pub fn write(&self, text: &mut String) {
        for (list, name) in [(&self.files, "file"), (&self.directories, "directory")] {
            for (path, digest) in list {
                let _ = writeln!(text, "{name} {digest:032x} {}", path.display());
            }
        }
        for path in &self.absent {
            let _ = writeln!(text, "absent {}", path.display());
        }
    }

    /// The inputs that `text` begins with, and what follows them.
    pub fn read(mut text: &str) -> Option<(Inputs, &str)> {
        let mut inputs = Inputs::default();
        while let Some((line, rest)) = text.split_once('\n') {
            let Some((name, value)) = line.split_once(' ') else { break };
            let with_digest = || {
                let (digest, path) = value.split_once(' ')?;
                Some((PathBuf::from(path), u128::from_str_radix(digest, 16).ok()?))
            };
            match name {
                "file" => inputs.files.push(with_digest()?),
                "directory" => inputs.directories.push(with_digest()?),
                "absent" => inputs.absent.push(PathBuf::from(value)),
                _ => break,
            }
            text = rest;
        }
        Some((inputs, text))
    }
}

/// What must not be there, below `folder`, lest an `#include` finds it before `path`: a file whose name is the end of that path, or
/// the first directory on the way to it that does not exist.
fn shadows(folder: &Path, path: &Path) -> Vec<PathBuf> {
    const DEEPEST: usize = 12;
    let parts: Vec<_> = path.components().collect();
    let suffixes = (1..=DEEPEST.min(parts.len())).map(|length| &parts[parts.len() - length..]);
    let missing = |suffix: &[Component<'_>]| {
        let mut at = folder.to_owned();
        // What is there is found by the compiler already, or comes later in its order.
        suffix.iter().find_map(|part| {
            at.push(part);
            (!at.exists()).then(|| at.clone())
        })
    };
    suffixes
        .filter(|suffix| suffix.iter().all(|part| matches!(part, Component::Normal(_))))
        .filter_map(missing)
        .collect()
}

/// Whether a file was changed after `begin`, or may have been: the kernel's clock for files is coarse.
fn is_younger(path: &Path, begin: SystemTime) -> bool {
    const COARSE: Duration = Duration::from_millis(20);
    let changed = fs::metadata(path).map(|data| {
        let status = SystemTime::UNIX_EPOCH + Duration::new(data.ctime() as u64, data.ctime_nsec() as u32);
        data.modified().map_or(status, |contents| contents.max(status))
    });
    changed.map_or(true, |changed| changed + COARSE >= begin)
}

/// The time of a directory's last change; 0 if there is none.
fn time(path: &Path) -> u128 {
    let nanoseconds = |data: fs::Metadata| (data.mtime() as u64 as u128) << 64 | data.mtime_nsec() as u128;
    fs::metadata(path).map_or(0, nanoseconds)
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// Whether the meaning of this text, of a source file or of a word of the command, depends on more than the files that compilers
/// list.
pub fn is_restless(text: &[u8]) -> bool {
    let has = |parts: &[&[u8]]| parts.iter().any(|part| contains(text, part));
    has(&RESTLESS) || contains(text, b"##") && has(&PARTS)
}

/// Whether an object or an archive has all its contents in itself. A thin archive names other files, and so does a script of the
/// linker's that has the name of an archive.
fn has_contents(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"!<arch>\n")
}

/// The files that a compiler may take for this header if they are there.
fn precompiled(header: &Path) -> impl Iterator<Item = PathBuf> {
    PRECOMPILED.into_iter().map(|end| {
        let mut name = header.as_os_str().to_owned();
        name.push(".");
        name.push(end);
        name.into()
    })
}

/// The files that a rule for `make` names after its colon.
fn prerequisites(rule: &str) -> Vec<PathBuf> {
    let mut words: Vec<String> = vec![String::new()];
    let mut letters = rule.split_once(": ").map_or("", |(_, files)| files).chars().peekable();
    while let Some(letter) = letters.next() {
        let last = words.last_mut().expect("there is always one");
        match letter {
            '\\' if letters.peek() == Some(&'\n') => drop(letters.next()),
            '\\' if letters.peek().is_some_and(|next| " #\\".contains(*next)) => last.extend(letters.next()),
            '$' if letters.peek() == Some(&'$') => last.extend(letters.next()),
            letter if letter.is_whitespace() => words.push(String::new()),
            letter => last.push(letter),
        }
    }
    words.into_iter().filter(|word| !word.is_empty()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryDirectory;

    #[test]
    fn rules_with_blanks_and_signs() {
        let rule = "x.o: a.c \\\n b\\ c.h /usr/d$$.h \\\n  e\\#.h\n";
        assert_eq!(prerequisites(rule), ["a.c", "b c.h", "/usr/d$.h", "e#.h"].map(PathBuf::from));
        assert!(prerequisites("").is_empty());
    }

    fn later() -> SystemTime {
        SystemTime::now() + Duration::from_secs(1)
    }

    /// A directory with a source file that includes `sub/x.h`, found in `later` and not in `first`.
    fn project() -> (TemporaryDirectory, Inputs) {
        let root = TemporaryDirectory::new().unwrap();
        let at = |path: &str| root.path().join(path);
        for folder in ["first/sub", "later/sub", "src"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("src/a.c"), b"#include <sub/x.h>").unwrap();
        fs::write(at("later/sub/x.h"), b"int x;").unwrap();
        let rule = at("a.d");
        fs::write(&rule, format!("a.o: {} {}\n", at("src/a.c").display(), at("later/sub/x.h").display())).unwrap();
        let searched = vec![at("first"), at("later")];
        let made = Made { rules: vec![rule], others: Vec::new(), searched, own: Path::new("/nowhere") };
        // What was just written is too young to be kept.
        assert_eq!(Inputs::collect(&made, SystemTime::now()), None);
        let inputs = Inputs::collect(&made, later()).unwrap();
        assert!(inputs.are_unchanged());
        (root, inputs)
    }

    #[test]
    fn other_contents_are_a_change_and_another_time_is_none() {
        let (root, inputs) = project();
        let header = root.path().join("later/sub/x.h");
        fs::write(&header, b"int x;").unwrap();
        assert!(inputs.are_unchanged());
        fs::write(&header, b"int y;").unwrap();
        assert!(!inputs.are_unchanged());
        fs::remove_file(&header).unwrap();
        assert!(!inputs.are_unchanged());
    }

    #[test]
    fn a_header_that_comes_in_front_of_another_is_a_change() {
        let (root, inputs) = project();
        fs::write(root.path().join("first/sub/x.h"), b"int z;").unwrap();
        assert!(!inputs.are_unchanged());
        let (root, inputs) = project();
        fs::create_dir(root.path().join("src/sub")).unwrap();
        assert!(!inputs.are_unchanged());
        let (root, inputs) = project();
        fs::write(root.path().join("src/result.json"), b"{}").unwrap();
        assert!(inputs.are_unchanged());
    }

    #[test]
    fn what_depends_on_more_than_files_is_not_kept() {
        let root = TemporaryDirectory::new().unwrap();
        for text in [
            "#if __has_include(\"x.h\")",
            "char *t = __TIME__;",
            "asm(\".incbin \\\"x\\\"\");",
            "asm(\".include \\\"x\\\"\");",
            "#define J(a, b) a##b\nchar *t = J(__DA, TE__);",
        ] {
            let source = root.path().join("a.c");
            fs::write(&source, text).unwrap();
            let others = vec![source];
            let made = Made { rules: Vec::new(), others, searched: Vec::new(), own: Path::new("/nowhere") };
            assert_eq!(Inputs::collect(&made, later()), None, "{text}");
        }
    }

    #[test]
    fn a_header_that_was_compiled_before_is_a_change() {
        for folder in ["first/sub", "later/sub", "src/sub"] {
            let (root, inputs) = project();
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join("x.h.gch"), b"anything").unwrap();
            assert!(!inputs.are_unchanged(), "{folder}");
        }
    }

    #[test]
    fn an_archive_that_names_other_files_is_not_kept() {
        let root = TemporaryDirectory::new().unwrap();
        for (text, is_kept) in
            [(&b"!<arch>\nx"[..], true), (b"!<thin>\nx", false), (b"GROUP(x.o)", false), (b"\x7fELF", true)]
        {
            let archive = root.path().join("x.a");
            fs::write(&archive, text).unwrap();
            let others = vec![archive];
            let made = Made { rules: Vec::new(), others, searched: Vec::new(), own: Path::new("/nowhere") };
            assert_eq!(Inputs::collect(&made, later()).is_some(), is_kept, "{text:?}");
        }
    }

    #[test]
    fn as_text_and_back() {
        let (_root, inputs) = project();
        let mut text = String::new();
        inputs.write(&mut text);
        text.push_str("warnings 0\n");
        assert_eq!(Inputs::read(&text), Some((inputs, "warnings 0\n")));
    }
}
