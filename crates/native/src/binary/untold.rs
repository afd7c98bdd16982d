//! Which functions of other libraries a program calls that may touch its memory where nobody tells of it.
//!
//! Whoever compares what threads touch with the locks that they hold must know everything that is touched. A function of the C library is
//! known if the runtime defines it, or if it is in the list here: these touch nothing that another thread can see. All others count, whatever
//! they do.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use object::{Object as _, ObjectSymbol as _, SymbolKind};

/// Functions that touch no memory which another thread can see, but for memory of their own. A star stands for any end of the name.
const HARMLESS: &[&str] = &[
    // What compilers, linkers and the C++ language need.
    "__tsan_*",
    "__cxa_*",
    "__gxx_personality_v0",
    "__gcc_personality_v0",
    "_Unwind_*",
    "_ITM_*",
    "__gmon_start__",
    "__libc_start_main",
    "__libc_csu_*",
    "__stack_chk_fail",
    "__chk_fail",
    "__errno_location",
    "__tls_get_addr",
    "_init",
    "_fini",
    "_ZSt9terminatev",
    "_ZSt10unexpectedv",
    "_ZSt16__throw_bad_castv",
    "_ZSt17__throw_bad_allocv",
    "_ZSt25__throw_bad_function_callv",
    "_ZSt28__throw_bad_array_new_lengthv",
    "_ZSt20__throw_length_errorPKc",
    "_ZSt20__throw_system_errori",
    "_ZSt24__throw_out_of_range_fmtPKcz",
    "_ZSt19__throw_logic_errorPKc",
    "_ZNSt8ios_base4InitC1Ev",
    "_ZNSt8ios_base4InitD1Ev",
    // The runtime is told of the threads, conditions and mutexes behind these.
    "_ZNSt6thread*",
    "_ZNSt18condition_variable*",
    "_ZNSt6chrono*",
    "__once_proxy",
    // Numbers in, a number out.
    "abs",
    "labs",
    "llabs",
    "imaxabs",
    "div",
    "ldiv",
    "lldiv",
    "imaxdiv",
    "ffs",
    "ffsl",
    "ffsll",
    "htonl",
    "htons",
    "ntohl",
    "ntohs",
    "pthread_equal",
    "pthread_self",
    "sysconf",
    "getpagesize",
    "get_nprocs",
    "get_nprocs_conf",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "_exit",
    "_Exit",
];

/// Functions of `<math.h>` with numbers in and a number out, without what stands for the type at the end.
const MATHEMATICS: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "nearbyint",
    "nextafter",
    "nexttoward",
    "pow",
    "remainder",
    "rint",
    "round",
    "roundeven",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "yn",
];

/// What one file calls and defines.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// The functions that it calls and that are not known to be harmless.
    pub untold: BTreeSet<String>,
    /// The functions that it defines for others.
    pub defined: BTreeSet<String>,
}

/// What the file at `path` calls and defines. It was instrumented.
pub fn calls(path: &Path) -> Calls {
    let mut calls = Calls::default();
    let Ok(bytes) = std::fs::read(path) else { return calls };
    let Ok(file) = object::File::parse(&*bytes) else { return calls };
    for symbol in file.dynamic_symbols() {
        let Ok(name) = symbol.name() else { continue };
        // The kind of what is not defined here is not always told.
        let is_function = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown);
        if !is_function || name.is_empty() {
            continue;
        }
        if !symbol.is_undefined() {
            calls.defined.insert(name.to_owned());
        } else if !is_harmless(name) && !runtime_defines(name) {
            calls.untold.insert(name.to_owned());
        }
    }
    calls
}

fn is_harmless(name: &str) -> bool {
    let listed = HARMLESS.iter().any(|known| match known.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *known,
    });
    let plain = name.strip_prefix("__").and_then(|name| name.strip_suffix("_finite")).unwrap_or(name);
    let computes = |plain: &str| MATHEMATICS.binary_search(&plain).is_ok();
    // Who asks for attributes counts. To set them is told where they are used: threads and objects that are made with them.
    let sets = name.strip_prefix("pthread_").and_then(|name| name.split_once("attr_"));
    let sets = sets.is_some_and(|(_, what)| !what.starts_with("get"));
    listed || sets || computes(plain) || plain.strip_suffix(['f', 'l']).is_some_and(computes)
}

/// Whether the runtime defines a function: it tells what that does with the program's memory, or that it does something.
fn runtime_defines(name: &str) -> bool {
    static NAMES: OnceLock<BTreeSet<String>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let Ok(file) = object::File::parse(crate::runtime_library()) else { return BTreeSet::new() };
        let defined = file.dynamic_symbols().filter(|symbol| !symbol.is_undefined());
        defined.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
    });
    names.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_touches_nothing_is_harmless() {
        assert!(MATHEMATICS.is_sorted());
        for name in ["sin", "sinf", "fmal", "__exp_finite", "abs", "__cxa_throw", "__tsan_read4", "_ZNSt6thread4joinEv"]
        {
            assert!(is_harmless(name), "{name}");
        }
        for name in [
            "frexp",
            "modf",
            "modff",
            "lgamma",
            "sincos",
            "remquo",
            "strtol",
            "qsort",
            "inet_pton",
            "nan",
            "pthread_attr_getstacksize",
        ] {
            assert!(!is_harmless(name), "{name}");
        }
        assert!(runtime_defines("pthread_mutex_lock") && runtime_defines("memcpy") && !runtime_defines("frexp"));
    }
}
