//! What instrumented code does without Heddle's seeing it: accesses that no compiler reports, and calls whose order has no object in the
//! model.
//!
//! The verdict names them ([`heddle_model::Facts::overlooked`]). Calls are found by the functions that a file imports, accesses by
//! instructions that compilers do not instrument, and functions that ask not to be instrumented by the text of the sources.

use std::collections::BTreeSet;
use std::path::Path;

use heddle_model::Overlooked;
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, Register};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionKind};

use super::assembly::Imports;
use super::sources::Source;

/// Functions of the C library that access memory of the program, or return memory of their own that other calls change. A star stands for
/// any end of the name.
const ACCESS: &[&str] = &[
    "readv",
    "writev",
    "preadv*",
    "pwritev*",
    "sendmsg",
    "recvmsg",
    "sendmmsg",
    "recvmmsg",
    "vmsplice",
    "process_vm_*",
    "scanf",
    "fscanf",
    "sscanf",
    "vscanf",
    "vfscanf",
    "vsscanf",
    "wscanf",
    "fwscanf",
    "swscanf",
    "vwscanf",
    "vfwscanf",
    "vswscanf",
    "getline",
    "getdelim",
    "getwline",
    "rand_r",
    "random_r",
    "srandom_r",
    "drand48_r",
    "lrand48_r",
    "mrand48_r",
    "erand48",
    "jrand48",
    "nrand48",
    "qsort",
    "qsort_r",
    "lsearch",
    "strtok",
    "strtok_r",
    "wcstok",
    "index",
    "rindex",
    "asctime",
    "ctime",
    "gmtime",
    "localtime",
    "getdate",
    "ecvt",
    "fcvt",
    "gcvt",
    "l64a",
    "inet_ntoa",
    "ttyname",
    "ptsname",
    "getlogin",
    "getpwnam",
    "getpwuid",
    "getpwent",
    "getgrnam",
    "getgrgid",
    "getgrent",
    "gethostbyname*",
    "gethostbyaddr",
    "getservbyname",
    "getservbyport",
    "getprotobyname",
    "getprotobynumber",
];

/// Functions that change or read what all threads share, without an object in the model: in which order threads call them is not explored.
const ORDER: &[&str] = &[
    "mincore",
    "msync",
    "bind",
    "listen",
    "dlsym",
    "dlvsym",
    "dladdr*",
    "register_printf_*",
    "catopen",
    "catgets",
    "catclose",
    "iconv*",
    "prctl",
    "modify_ldt",
    "getitimer",
    "ioctl",
    "dup",
    "dup2",
    "dup3",
    "setsockopt",
    "getsockopt",
    "inotify_*",
    "fanotify_*",
    "pkey_*",
    "login",
    "logout",
    "openpty",
];

/// What comes before the name of a function that a standard or a header has renamed.
const RENAMED: [&str; 4] = ["__isoc99_", "__isoc23_", "__", ""];

/// Words in a source that leave a function without instrumentation.
const UNASKED: [&str; 3] = ["no_sanitize_thread", "no_sanitize(\"thread\"", "disable_sanitizer_instrumentation"];

/// The most instructions between the call that reports an access and the access.
const NEAR: usize = 12;

/// What the code of a program or library that was instrumented, and that was made from `sources`, does without Heddle's seeing it.
pub fn find(path: &Path, sources: &[Source]) -> BTreeSet<Overlooked> {
    let mut found = BTreeSet::new();
    let Ok(bytes) = std::fs::read(path) else { return found };
    let Ok(file) = object::File::parse(&*bytes) else { return found };
    for symbol in file.dynamic_symbols().filter(|symbol| symbol.is_undefined()) {
        let Ok(name) = symbol.name() else { continue };
        found.extend(plain(name, ACCESS).map(|name| Overlooked::Access(format!("`{name}`"))));
        found.extend(plain(name, ORDER).map(|name| Overlooked::Order(format!("`{name}`"))));
    }
    let imports = Imports::of(&file);
    // Calls that report an access of sixteen bytes, as one of type `long double` is.
    let reports = |call: &Instruction| {
        let name = imports.name(call).and_then(|name| name.strip_prefix("__tsan_")).unwrap_or("");
        // A report of something smaller is one of another access.
        (name.contains("read") || name.contains("write")) && (name.contains("16") || name.contains("range"))
    };
    let constants: Vec<_> = file.sections().filter(|section| section.kind() == SectionKind::ReadOnlyData).collect();
    let is_constant = |address: u64| {
        constants.iter().any(|section| (section.address()..section.address() + section.size()).contains(&address))
    };
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        if let Ok(code) = section.data() {
            let kinds = in_code(code, section.address(), reports, is_constant);
            found.extend(kinds.into_iter().map(Overlooked::Access));
        }
    }
    if sources.iter().any(has_unasked) {
        found.insert(Overlooked::Access("functions with `no_sanitize(\"thread\")`".to_owned()));
    }
    found
}

/// The name by which a program calls `name`, if it is one of `names`.
fn plain<'n>(name: &'n str, names: &[&str]) -> Option<&'n str> {
    let is = |plain: &str| {
        names.iter().any(|known| match known.strip_suffix('*') {
            Some(beginning) => plain.starts_with(beginning),
            None => plain == *known,
        })
    };
    RENAMED.iter().filter_map(|prefix| name.strip_prefix(prefix)).find(|plain| is(plain))
}

/// Whether a function of the source asks not to be instrumented. What the preprocessor has left out does not count, but macros do.
fn has_unasked(source: &Source) -> bool {
    // The words come at most so many lines before the code.
    const ABOVE: u32 = 3;
    let asks = |line: &str| UNASKED.iter().any(|words| line.contains(words));
    let is_code = |number: u32| source.lines.range(number..=number + ABOVE).next().is_some();
    let mut lines = source.text.lines().zip(1..).filter(|(line, _)| asks(line));
    lines.any(|(line, number)| line.trim_start().starts_with('#') || is_code(number))
}

/// The kinds of accesses in `code`, which begins at `start`, that no compiler reports. `reports` tells a call that reports an access,
/// `is_constant` the address of something that never changes.
fn in_code(
    code: &[u8],
    start: u64,
    reports: impl Fn(&Instruction) -> bool,
    is_constant: impl Fn(u64) -> bool,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut since_report = usize::MAX;
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        since_report = since_report.saturating_add(1);
        if instruction.mnemonic() == Mnemonic::Call && reports(&instruction) {
            since_report = 0;
        }
        // gcc reports these.
        let is_wide = matches!(instruction.code(), Code::Fld_m80fp | Code::Fstp_m80fp) && since_report > NEAR;
        let kind = if is_wide { Some("`long double`") } else { unreported(&instruction) };
        let is_frame = matches!(instruction.memory_base(), Register::RSP | Register::RBP);
        let is_known = instruction.is_ip_rel_memory_operand() && is_constant(instruction.ip_rel_memory_address());
        if let Some(kind) = kind.filter(|_| !is_frame && !is_known) {
            found.insert(kind.to_owned());
        }
    }
    found
}

/// The kind of access of an instruction that no compiler instruments.
fn unreported(instruction: &Instruction) -> Option<&'static str> {
    use Mnemonic::*;
    match instruction.mnemonic() {
        Movnti | Movntdq | Movntps | Movntpd | Movntdqa | Movntq | Vmovntdq | Vmovntps | Vmovntpd | Vmovntdqa => {
            Some("streaming loads and stores")
        }
        Maskmovq | Maskmovdqu | Vmaskmovps | Vmaskmovpd | Vpmaskmovd | Vpmaskmovq | Vmaskmovdqu => {
            Some("masked loads and stores")
        }
        Vgatherdps | Vgatherdpd | Vgatherqps | Vgatherqpd | Vpgatherdd | Vpgatherdq | Vpgatherqd | Vpgatherqq => {
            Some("gathers")
        }
        Lddqu | Vlddqu => Some("`lddqu`"),
        Fxsave | Fxsave64 | Xsave | Xsave64 => Some("`fxsave`"),
        Scasb | Cmpsb => Some("string functions that the compiler has expanded in place"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_without_what_standards_put_before_them() {
        assert_eq!(plain("__isoc23_sscanf", ACCESS), Some("sscanf"));
        assert_eq!(plain("__getdelim", ACCESS), Some("getdelim"));
        assert_eq!(plain("preadv64v2", ACCESS), Some("preadv64v2"));
        assert_eq!(plain("dlsym", ORDER), Some("dlsym"));
        assert_eq!(plain("indexes", ACCESS), None);
        assert_eq!(plain("read", ACCESS), None);
    }

    #[test]
    fn only_functions_that_are_there_ask_for_nothing() {
        let source = |text: &str, lines: &[u32]| Source {
            file: "a.c".to_owned(),
            text: text.to_owned(),
            lines: lines.iter().copied().collect(),
        };
        let text = "int x;\n__attribute__((no_sanitize(\"thread\")))\nvoid f(void) {}\n\n\n\nvoid g(void) {}\n";
        assert!(has_unasked(&source(text, &[3, 7])));
        assert!(!has_unasked(&source(text, &[7])));
        assert!(has_unasked(&source("#define PLAIN __attribute__((no_sanitize_thread))\n", &[9])));
    }

    #[test]
    fn accesses_to_frames_constants_and_reported_ones_are_left_out() {
        let kinds = |code: &[u8], reports: bool, constant: bool| in_code(code, 0, |_| reports, |_| constant).len();
        // fld tbyte [rdi]; movnti [rdi], eax
        assert_eq!(kinds(&[0xdb, 0x2f, 0x0f, 0xc3, 0x07], false, false), 2);
        // fld tbyte [rsp]
        assert_eq!(kinds(&[0xdb, 0x2c, 0x24], false, false), 0);
        // fld tbyte [rip]
        assert_eq!(kinds(&[0xdb, 0x2d, 0, 0, 0, 0], false, true), 0);
        assert_eq!(kinds(&[0xdb, 0x2d, 0, 0, 0, 0], false, false), 1);
        // call next; fld tbyte [rdi]
        let code = [0xe8, 0, 0, 0, 0, 0xdb, 0x2f];
        assert_eq!(kinds(&code, true, false), 0);
        assert_eq!(kinds(&code, false, false), 1);
    }
}
