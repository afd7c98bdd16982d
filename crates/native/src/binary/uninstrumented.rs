//! Object files that were not instrumented: finding them, and recording their names in the linked program.
//!
//! Both compilers give every instrumented file a constructor that calls `__tsan_init`. An object file with code and without
//! that call was not instrumented, and its accesses to memory are not observed. The names of such files are kept in a
//! section of the linked program, where [`crate::binary::program`] finds them.

use std::io;
use std::path::{Path, PathBuf};

use heddle_model::libraries;
use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionKind};

use super::assembly;

/// The name of the section. It contains names of files, each ending in a zero byte.
pub const SECTION: &str = ".heddle.plain";

/// Calls `look` with each object file in `path`, which is an object file or an archive.
fn each(path: &Path, mut look: impl FnMut(&object::File<'_>)) {
    // What cannot be read is no object: the linker will have more to say about it.
    let Ok(bytes) = std::fs::read(path) else { return };
    if let Ok(archive) = ArchiveFile::parse(&*bytes) {
        let members = archive.members().filter_map(Result::ok).filter_map(|member| member.data(&*bytes).ok());
        members.filter_map(|data| object::File::parse(data).ok()).for_each(|file| look(&file));
    } else if let Ok(file) = object::File::parse(&*bytes) {
        look(&file);
    }
}

/// The symbols of `names` that an object file or archive defines.
pub fn defined(path: &Path, names: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    each(path, |file| {
        if file.kind() != object::ObjectKind::Relocatable {
            return;
        }
        let defined = file.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition());
        let defined =
            defined.filter_map(|symbol| symbol.name().ok().filter(|name| names.contains(name)).map(str::to_owned));
        found.extend(defined);
    });
    found
}

/// The functions that create threads: of POSIX, of C, and of libstdc++ for `std::thread`.
const MAKERS: [&str; 3] = [
    "pthread_create",
    "thrd_create",
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
];

/// What follows the name of an object file that may create threads.
const CREATES: &str = ", which may create threads";

/// What follows the name of an object file with atomic instructions.
const ORDERS: &str = ", which has atomic instructions";

/// Whether `name`, as [`unseen`] reports it, stands for an object file with atomic instructions, by which it may order threads.
pub fn orders_threads(name: &str) -> bool {
    name.ends_with(ORDERS)
}

/// Whether the library at `path` keeps something between calls in data of its own, or has atomic instructions.
pub fn keeps_state(path: &Path) -> bool {
    let mut found = false;
    each(path, |file| {
        let keeps = |section: object::Section<'_, '_>| match section.name() {
            // A word for the loader, and a byte for the compiler, which nothing follows that is larger.
            Ok(".data") => section.size() > 8,
            Ok(".bss") => section.size() > 8 || section.align() > 1,
            Ok(".tdata" | ".tbss") => true,
            _ => false,
        };
        found |= file.sections().any(keeps) || assembly::has_atomics(file);
    });
    found
}

/// Whether `name`, as [`unseen`] reports it, stands for an object file that may create threads.
pub fn creates_threads(name: &str) -> bool {
    name.ends_with(CREATES)
}

/// The name to report for an object file or archive that is not (or only partly) instrumented. `None` for instrumented ones,
/// and for shared libraries, which are examined when the program runs.
pub fn unseen(path: &Path) -> Option<String> {
    let (mut all, mut plain, mut creates, mut orders) = (0, 0, false, false);
    each(path, |file| {
        let code = file.sections().any(|section| section.kind() == SectionKind::Text && section.size() > 0);
        if file.kind() == object::ObjectKind::Relocatable && code {
            all += 1;
            let has =
                |names: &[&str]| file.symbols().any(|symbol| symbol.name().is_ok_and(|name| names.contains(&name)));
            let is_plain = !has(&["__tsan_init"]);
            plain += u32::from(is_plain);
            creates |= is_plain && has(&MAKERS);
            orders |= is_plain && assembly::has_atomics(file);
        }
    });
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let is_framework = libraries::is_framework(name.as_bytes());
    let more = if creates {
        CREATES
    } else if orders && !is_framework {
        ORDERS
    } else {
        ""
    };
    match plain {
        0 => None,
        _ if all == 1 => Some(format!("{name}{more}")),
        _ => Some(format!("{name} ({plain} of {all} files){more}")),
    }
}

/// Writes `names` to a file that the compiler can assemble and link.
pub fn write(names: &[String], directory: &Path) -> io::Result<PathBuf> {
    let escaped = |name: &String| name.replace('\\', "\\\\").replace('"', "\\\"");
    let lines: String = names.iter().map(|name| format!("\t.asciz \"{}\"\n", escaped(name))).collect();
    let path = directory.join("plain.s");
    std::fs::write(
        &path,
        format!("\t.section {SECTION},\"\",@progbits\n{lines}\t.section .note.GNU-stack,\"\",@progbits\n"),
    )?;
    Ok(path)
}

/// The names that [`write`] has recorded in a program.
pub fn read(bytes: &[u8]) -> Vec<String> {
    let file = object::File::parse(bytes).ok();
    let data = file.as_ref().and_then(|file| file.section_by_name(SECTION)?.data().ok()).unwrap_or(&[]);
    let names = data.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Whether a shared library was instrumented.
pub fn is_instrumented(path: &Path) -> bool {
    let mut found = false;
    each(path, |file| found |= file.dynamic_symbols().any(|symbol| symbol.name() == Ok("__tsan_init")));
    found
}
