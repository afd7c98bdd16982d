//! Examines an executable file: whether it can be run under control, and how much of it is observed.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::binary::annotations::{self, Annotations};
use crate::binary::uninstrumented;
use heddle_model::Instrumentation;
use object::elf;
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use rustix::fs::{Access, Mode, access};
use rustix::process::{getgid, getuid};

/// A program that can be run under control.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The absolute path of the file.
    pub path: PathBuf,
    /// The name that the program is told: its argument 0. The path, but for a program that Heddle has compiled.
    pub name: OsString,
    /// How much of the program is observed.
    pub instrumentation: Instrumentation,
    /// Labels and atomic functions that the program declares.
    pub annotations: Annotations,
    /// Linked object files that were not instrumented, by name. Their accesses to memory are not observed.
    pub unseen: Vec<String>,
}

/// The reason why Heddle cannot run a file.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The file does not exist.
    #[error("{}: no such file", .0.display())]
    NotFound(PathBuf),
    /// The path is a directory or a special file.
    #[error("{}: not a file", .0.display())]
    NotAFile(PathBuf),
    /// The user may not execute the file.
    #[error("{}: not executable", .0.display())]
    NotExecutable(PathBuf),
    /// The file cannot be read.
    #[error("{}: cannot be read: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
    /// The file is a script for an interpreter.
    #[error("{}: a script; check the program that it starts", .0.display())]
    Script(PathBuf),
    /// The file is not an ELF file.
    #[error("{}: not a program for Linux (not an ELF file)", .0.display())]
    NotElf(PathBuf),
    /// The program is for 32-bit processors.
    #[error("{}: a 32-bit program; only 64-bit programs are supported", .0.display())]
    Bits32(PathBuf),
    /// The program is for another processor.
    #[error("{}: a program for another processor; only x86-64 is supported", .0.display())]
    OtherProcessor(PathBuf),
    /// The file is a library or an object file.
    #[error("{}: not a program but {}", .0.display(), .1)]
    NotAProgram(PathBuf, &'static str),
    /// The program is linked statically, so there is no loader to load the runtime.
    #[error("{}: a static program; Heddle's runtime can only be loaded into dynamically linked programs", .0.display())]
    Static(PathBuf),
    /// The program changes its user or group, so the loader would not load the runtime.
    #[error("{}: runs as another user (set-user-ID or set-group-ID), so Heddle's runtime cannot be loaded; check a copy without that bit", .0.display())]
    Privileged(PathBuf),
    /// The program is linked with the compiler's own race detector.
    #[error("{}: linked with ThreadSanitizer's own library ({}); link it with Heddle's, or build it without -fsanitize=thread", .0.display(), .1)]
    OtherSanitizer(PathBuf, String),
    /// The file is truncated or inconsistent.
    #[error("{}: damaged: {}", .0.display(), .1)]
    Damaged(PathBuf, String),
}

type Elf = elf::FileHeader64<object::Endianness>;

impl Program {
    /// Examines a file.
    pub fn open(path: &Path) -> Result<Program, ProgramError> {
        let own = path.to_owned();
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => ProgramError::NotFound(own.clone()),
            _ => ProgramError::Unreadable(own.clone(), error),
        };
        let metadata = std::fs::metadata(path).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(ProgramError::NotAFile(own));
        }
        let mut file = File::open(path).map_err(unreadable)?;
        let mut start = Vec::new();
        Read::by_ref(&mut file).take(20).read_to_end(&mut start).map_err(unreadable)?;
        kind(&start, &own)?;
        if !may_execute(path) {
            return Err(ProgramError::NotExecutable(own));
        }
        if changes_user(&metadata) {
            return Err(ProgramError::Privileged(own));
        }
        // SAFETY: somebody who changes the file under us can make us read nonsense, which is checked for, or end us,
        // as anybody can who may write to programs that we are about to run.
        let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(unreadable)?;
        let instrumentation = examine(&bytes, &own)?;
        let path = std::path::absolute(path).map_err(unreadable)?;
        let annotations = annotations::of(&bytes);
        let unseen = uninstrumented::read(&bytes);
        let name = path.clone().into_os_string();
        Ok(Program { path, name, instrumentation, annotations, unseen })
    }
}

impl Program {
    /// The parts of the file that are loaded, without its build ID, which depends on the directory it was built in.
    ///
    /// # Errors
    ///
    /// When the file cannot be read any more.
    pub fn contents(&self) -> io::Result<Vec<u8>> {
        use object::{Object as _, ObjectSection as _, SectionFlags};
        let bytes = std::fs::read(&self.path)?;
        let file = object::File::parse(&*bytes).map_err(io::Error::other)?;
        let mut contents = Vec::new();
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            let is_loaded = sh_flags.0 & elf::SHF_ALLOC.0 != 0;
            if is_loaded && section.name() != Ok(".note.gnu.build-id") {
                contents.extend(section.address().to_le_bytes());
                contents.extend(section.size().to_le_bytes());
                contents.extend(section.data().map_err(io::Error::other)?);
            }
        }
        Ok(contents)
    }
}

/// Checks the first bytes of a file.
fn kind(start: &[u8], path: &Path) -> Result<(), ProgramError> {
    let own = path.to_owned();
    if start.starts_with(b"#!") {
        return Err(ProgramError::Script(own));
    }
    if !start.starts_with(&elf::ELFMAG) || start.len() < 20 {
        return Err(ProgramError::NotElf(own));
    }
    if start[4] == elf::ELFCLASS32.0 {
        return Err(ProgramError::Bits32(own));
    }
    let machine = if start[5] == elf::ELFDATA2LSB.0 { u16::from_le_bytes([start[18], start[19]]) } else { 0 };
    if machine != elf::EM_X86_64.0 {
        return Err(ProgramError::OtherProcessor(own));
    }
    Ok(())
}

/// Whether the kernel would run the program with another user's or group's rights.
fn changes_user(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let mode = Mode::from_raw_mode(metadata.mode());
    mode.contains(Mode::SUID) && metadata.uid() != getuid().as_raw()
        || mode.contains(Mode::SGID) && metadata.gid() != getgid().as_raw()
}

fn may_execute(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
}

fn examine(bytes: &[u8], path: &Path) -> Result<Instrumentation, ProgramError> {
    let damaged = |error: object::Error| ProgramError::Damaged(path.to_owned(), error.to_string());
    let header = Elf::parse(bytes).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    let segments = header.program_headers(endian, bytes).map_err(damaged)?;
    match header.e_type(endian) {
        elf::ET_EXEC | elf::ET_DYN => {}
        elf::ET_REL => {
            return Err(ProgramError::NotAProgram(path.to_owned(), "an object file (name it with its suffix .o)"));
        }
        elf::ET_CORE => return Err(ProgramError::NotAProgram(path.to_owned(), "a memory dump")),
        _ => return Err(ProgramError::NotAProgram(path.to_owned(), "something else")),
    }
    if !segments.iter().any(|segment| segment.p_type(endian) == elf::PT_INTERP) {
        // A library has no loader either. It has a name that programs ask for, or is not meant to be started.
        let is_pie = dynamic_flags(segments, endian, bytes) & elf::DF_1_PIE.0 != 0;
        return Err(if header.e_type(endian) == elf::ET_EXEC || is_pie {
            ProgramError::Static(path.to_owned())
        } else {
            ProgramError::NotAProgram(path.to_owned(), "a library")
        });
    }
    let sections = header.sections(endian, bytes).map_err(damaged)?;
    let symbols = sections.symbols(endian, bytes, elf::SHT_DYNSYM).map_err(damaged)?;
    let mut instrumented = false;
    for symbol in symbols.iter() {
        use object::read::elf::Sym;
        if symbol.name(endian, symbols.strings()).map_err(damaged)? == b"__tsan_init" {
            if !symbol.is_undefined(endian) {
                return Err(ProgramError::OtherSanitizer(path.to_owned(), "built in".to_owned()));
            }
            instrumented = true;
        }
    }
    if let Some(name) =
        needed(header, endian, bytes).map_err(damaged)?.into_iter().find(|name| name.contains("libtsan."))
    {
        return Err(ProgramError::OtherSanitizer(path.to_owned(), name));
    }
    Ok(if instrumented { Instrumentation::Memory } else { Instrumentation::SyncOnly })
}

fn dynamic_flags(
    segments: &[elf::ProgramHeader64<object::Endianness>],
    endian: object::Endianness,
    bytes: &[u8],
) -> u64 {
    let entries = segments.iter().find_map(|segment| segment.dynamic(endian, bytes).ok().flatten()).unwrap_or(&[]);
    entries.iter().find(|entry| entry.d_tag(endian) == elf::DT_FLAGS_1).map_or(0, |entry| entry.d_val(endian))
}

/// The libraries that the program needs, by name.
fn needed(header: &Elf, endian: object::Endianness, bytes: &[u8]) -> object::Result<Vec<String>> {
    let sections = header.sections(endian, bytes)?;
    let Some((entries, strings)) = sections.dynamic(endian, bytes)? else { return Ok(Vec::new()) };
    let strings = sections.strings(endian, bytes, strings)?;
    let mut names = Vec::new();
    for entry in entries.iter().filter(|entry| entry.d_tag(endian) == elf::DT_NEEDED) {
        names.push(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryDirectory;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    fn file(folder: &TemporaryDirectory, name: &str, bytes: &[u8], mode: u32) -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    }

    /// Compiles `text`; none where this machine's compiler cannot do what `flags` ask for.
    fn compiled(folder: &TemporaryDirectory, name: &str, text: &str, flags: &[&str]) -> Option<PathBuf> {
        let source = file(folder, &format!("{name}.c"), text.as_bytes(), 0o644);
        let output = folder.path().join(name);
        let done = Command::new("cc").args(flags).arg("-o").arg(&output).arg(&source).output().ok()?;
        done.status.success().then_some(output)
    }

    const MAIN: &str = "int main(void) { return 0; }";

    #[test]
    fn files_that_are_no_programs() {
        let folder = TemporaryDirectory::new().unwrap();
        let open = |path: &Path| Program::open(path).unwrap_err();
        assert!(matches!(open(Path::new("/no/such/file")), ProgramError::NotFound(_)));
        assert!(matches!(open(folder.path()), ProgramError::NotAFile(_)));
        assert!(matches!(open(&file(&folder, "script", b"#!/bin/sh\n", 0o755)), ProgramError::Script(_)));
        assert!(matches!(open(&file(&folder, "empty", b"", 0o755)), ProgramError::NotElf(_)));
        assert!(matches!(open(&file(&folder, "text", b"hello, this is text", 0o755)), ProgramError::NotElf(_)));
        let header = |class: u8, machine: u8| {
            let mut header = vec![0x7f, b'E', b'L', b'F', class, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, machine, 0];
            header.resize(64, 0);
            header
        };
        assert!(matches!(open(&file(&folder, "i386", &header(1, 3), 0o755)), ProgramError::Bits32(_)));
        assert!(matches!(open(&file(&folder, "arm", &header(2, 183), 0o755)), ProgramError::OtherProcessor(_)));
        assert!(matches!(open(&file(&folder, "cut", &header(2, 62)[..30], 0o755)), ProgramError::Damaged(..)));
    }

    #[test]
    fn programs_and_their_relatives() {
        let folder = TemporaryDirectory::new().unwrap();
        let program = compiled(&folder, "program", MAIN, &[]).expect("this machine has a C compiler");
        let opened = Program::open(&program).unwrap();
        assert_eq!((opened.path, opened.instrumentation), (program.clone(), Instrumentation::SyncOnly));
        if let Some(object) = compiled(&folder, "object", MAIN, &["-c"]) {
            std::fs::set_permissions(&object, PermissionsExt::from_mode(0o755)).unwrap();
            assert!(matches!(Program::open(&object), Err(ProgramError::NotAProgram(..))));
        }
        if let Some(library) = compiled(&folder, "library", MAIN, &["-shared", "-fPIC"]) {
            assert!(matches!(Program::open(&library), Err(ProgramError::NotAProgram(_, "a library"))));
        }
        for (name, flag) in [("static", "-static"), ("static-pie", "-static-pie")] {
            if let Some(linked) = compiled(&folder, name, MAIN, &[flag]) {
                assert!(matches!(Program::open(&linked), Err(ProgramError::Static(_))), "{name}");
            }
        }
        // A reference that another library fills.
        let definition = "void __tsan_init(void) {}";
        let library = compiled(&folder, "libdefines.so", definition, &["-shared", "-fPIC"]).unwrap();
        let uses = "void __tsan_init(void); int main(void) { __tsan_init(); return 0; }";
        let object = compiled(&folder, "uses.o", uses, &["-c"]).unwrap();
        let instrumented = folder.path().join("instrumented");
        let linked = Command::new("cc").arg(&object).arg(&library).arg("-o").arg(&instrumented).status().unwrap();
        assert!(linked.success());
        assert_eq!(Program::open(&instrumented).unwrap().instrumentation, Instrumentation::Memory);
        let own = "void __tsan_init(void) {} int main(void) { __tsan_init(); return 0; }";
        let own = compiled(&folder, "own", own, &["-rdynamic"]).unwrap();
        assert!(matches!(Program::open(&own), Err(ProgramError::OtherSanitizer(..))));
        // As another user: only who may give a file away can try.
        if std::os::unix::fs::chown(&program, Some(65534), Some(65534)).is_ok() {
            for mode in [0o4755, 0o2755] {
                std::fs::set_permissions(&program, PermissionsExt::from_mode(mode)).unwrap();
                assert!(matches!(Program::open(&program), Err(ProgramError::Privileged(_))), "{mode:o}");
            }
        }
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o644)).unwrap();
        // The superuser may execute what anybody may; nobody may execute this.
        assert!(matches!(Program::open(&program), Err(ProgramError::NotExecutable(_))));
    }
}
