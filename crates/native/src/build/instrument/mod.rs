//! The flags and headers that turn every access to memory that may be shared, and every atomic, into a call.
//!
//! Both compilers do that for their own race detector (`-fsanitize=thread`). Heddle defines other functions under the
//! same names. This leaves holes, which are closed here:
//!
//! * What libc's memory and string functions touch. libc is not instrumented, so calls of them from instrumented code
//!   are renamed, `strcpy` to `__wrap_strcpy`, which the runtime defines. [`HEADERS`] rename what is declared and
//!   defined (so that a program's own `strsep` stays its own); [`link_flags`] catch the calls that compilers make up
//!   for copies and loops, and those that C++ headers declare under a linker name of their own. gcc renames a
//!   definition only if there was a declaration before; [`link_flags`] looks for definitions that kept their names.
//! * Both compilers know what these functions do and put their work in place of the call, uninstrumented. They are
//!   told to forget it (`NOT_BUILT_IN`). `strlen` is not among them: it is never expanded, and programs use it in
//!   constant expressions.
//! * clang omits the read of `x++`, and both compilers treat `volatile` accesses like others. Flags change that.
//! * clang does not instrument vectors of more than 16 bytes. Vectorisation is turned off.
//! * libstdc++ polls an atomic many times before it waits for it. Headers that replace its own poll once.
//! * The lock inside an `std::atomic` of a shared pointer is given back by readers without a release. A header makes them release.
//! * The members of `std::string`, and the functions that link the nodes of maps, sets and lists, are compiled in
//!   libstdc++. Headers that replace its own compile them with the program.
//!
//! The remaining holes are listed in `docs/limitations.md`.

use std::collections::HashSet;
use std::path::Path;

use crate::binary::uninstrumented;
use crate::build::compile::{CompilerKind, Language};

/// A header that Heddle brings.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The file's name.
    pub name: &'static str,
    /// The file's text.
    pub text: &'static str,
}

/// The header that [`flags`] includes before every source file.
pub const FIRST: &str = "heddle-instrument.h";

/// The headers that Heddle brings. Their directory must come first on the path of system headers (`-isystem`).
pub const HEADERS: &[Header] = &[
    Header { name: FIRST, text: include_str!("include/heddle-instrument.h") },
    Header { name: "string", text: include_str!("include/string") },
    Header { name: "bits/atomic_wait.h", text: include_str!("include/bits/atomic_wait.h") },
    Header { name: "bits/atomic_timed_wait.h", text: include_str!("include/bits/atomic_timed_wait.h") },
    Header { name: "bits/shared_ptr_atomic.h", text: include_str!("include/bits/shared_ptr_atomic.h") },
    Header { name: "bits/stl_list.h", text: include_str!("include/bits/stl_list.h") },
    Header { name: "bits/stl_tree.h", text: include_str!("include/bits/stl_tree.h") },
    Header { name: "heddle.h", text: include_str!("include/heddle.h") },
];

/// The flags that add `directory`, which has the [`HEADERS`], to the path of system headers. Debug information names it as a
/// part of the C++ library, because the headers stand before the library's and the directory's own name is random.
pub fn search(directory: &Path) -> [String; 3] {
    let directory = directory.display();
    ["-isystem".to_owned(), directory.to_string(), format!("-fdebug-prefix-map={directory}=/usr/include/c++/heddle")]
}

/// The functions of libc that instrumented code calls under another name. The header [`FIRST`] has the same list.
pub const RENAMED: &[&str] = &[
    "bcmp",
    "bcopy",
    "bzero",
    "explicit_bzero",
    "memccpy",
    "memchr",
    "memcmp",
    "memcpy",
    "memmem",
    "memmove",
    "mempcpy",
    "memrchr",
    "memset",
    "rawmemchr",
    "stpcpy",
    "stpncpy",
    "strcasecmp",
    "strcasestr",
    "strcat",
    "strchr",
    "strchrnul",
    "strcmp",
    "strcoll",
    "strcpy",
    "strcspn",
    "strdup",
    "strlen",
    "strncasecmp",
    "strncat",
    "strncmp",
    "strncpy",
    "strndup",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strsep",
    "strspn",
    "strstr",
    "strtok_r",
    "strxfrm",
    "wcpcpy",
    "wcpncpy",
    "wcscat",
    "wcschr",
    "wcscmp",
    "wcscpy",
    "wcscspn",
    "wcsdup",
    "wcslen",
    "wcsncat",
    "wcsncmp",
    "wcsncpy",
    "wcsnlen",
    "wcspbrk",
    "wcsrchr",
    "wcsspn",
    "wcsstr",
    "wcstok",
    "wmemchr",
    "wmemcmp",
    "wmemcpy",
    "wmemmove",
    "wmempcpy",
    "wmemset",
];

/// Functions that compilers would expand in place, without instrumentation.
const NOT_BUILT_IN: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "mempcpy",
    "memchr",
    "bcmp",
    "bcopy",
    "bzero",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strcpy",
    "strncpy",
    "stpcpy",
    "stpncpy",
    "strcat",
    "strncat",
    "strchr",
    "strrchr",
    "strstr",
    "strpbrk",
    "strspn",
    "strcspn",
    "strdup",
    "strndup",
];

/// The flags that instrument one file. `version` is the compiler's major version.
///
/// The supported versions (gcc 12 to 14, clang 14 to 19) all need the same flags.
pub fn flags(compiler: CompilerKind, version: u32, language: Language) -> Vec<String> {
    let _ = (version, language);
    let mut flags = vec!["-fsanitize=thread", "-include", FIRST];
    flags.extend(match compiler {
        // It warns of static functions with a name that the header renames.
        // `x++` is a read and then a write: by default its pass leaves the read out. And it leaves out what it believes to be known to its
        // own function only, but asks that of the address of a part (an element, a member) whose whole it may have handed to a thread
        // (llvm/llvm-project#132739, repaired in 21). Told to look at no use at all, it believes nothing.
        // Without -fstandalone-debug, debug information leaves out classes that another file is expected to describe.
        CompilerKind::Clang => [
            "-fstandalone-debug",
            "-fno-vectorize",
            "-fno-slp-vectorize",
            "-Wno-pragmas",
            "-mllvm",
            "-tsan-instrument-read-before-write=1",
            "-mllvm",
            "-tsan-distinguish-volatile=1",
            "-mllvm",
            "-capture-tracking-max-uses-to-explore=0",
        ]
        .as_slice(),
        // Its race detector does not know about fences and says so; Heddle does. From -O2 on a function without a result would jump
        // to the call that says that it is left, instead of calling it: then that is not known to be said by this function.
        CompilerKind::Gcc => &["-Wno-tsan", "--param", "tsan-distinguish-volatile=1", "-fno-optimize-sibling-calls"],
    });
    let forget = NOT_BUILT_IN.iter().map(|name| format!("-fno-builtin-{name}"));
    flags.into_iter().map(str::to_owned).chain(forget).collect()
}

/// The flags, passed to the compiler, that link `objects`.
pub fn link_flags<P: AsRef<Path>>(objects: impl IntoIterator<Item = P>) -> Vec<String> {
    wrap_flags(&objects.into_iter().flat_map(|object| uninstrumented::defined(object.as_ref(), RENAMED)).collect())
}

/// The flags, passed to the compiler, that link objects which define the functions `own` of [`RENAMED`] themselves.
pub fn wrap_flags(own: &HashSet<String>) -> Vec<String> {
    let flag = |name: &&str| match own.contains(*name) {
        true => format!("-Wl,--defsym=__wrap_{name}={name}"),
        false => format!("-Wl,--wrap={name}"),
    };
    RENAMED.iter().map(flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_renames_what_the_linker_wraps() {
        let text = HEADERS[0].text;
        let pragmas: Vec<&str> = text.lines().filter(|line| line.starts_with("#pragma redefine_extname")).collect();
        let expected: Vec<String> =
            RENAMED.iter().map(|name| format!("#pragma redefine_extname {name} __wrap_{name}")).collect();
        assert_eq!(pragmas, expected);
    }

    #[test]
    fn what_is_not_built_in_is_renamed() {
        assert!(NOT_BUILT_IN.iter().all(|name| RENAMED.contains(name)));
    }
}
