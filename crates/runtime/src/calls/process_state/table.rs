//! What each function does to state of the process. A table: what is done, then the functions that do it.
//!
//! The functions of this table are known by name only: their arguments pass through as they came. Functions that need
//! more than a line (`open`, `fopen`, `readv`, `fork`, `exit`) are in [`crate::outside`]. `docs/libc.md` says of every
//! function of glibc whether it is here, elsewhere, harmless or not supported, and a test compares them.

use core::ffi::CStr;

use heddle_model::primitive::process_state::How::{Change, Read};
use heddle_model::primitive::process_state::State::{
    Arrivals, Break, Environment, FileModeMask, ForkHandlers, Identity, Libraries, Limits, Locale, Log, MemoryResource,
    NewHandler, Random, Random48, Scheduling, StreamWords, TerminateHandler,
};

use super::Touch::{
    self, ByEnvironment, Copy, Environ, File, Format, Input, Kept, Listing, Mode, Named, NamedAt, Names, Number, On,
    OnIf, Options, Output, Replaced, Setting, SignalAction, SignalIf, Stream, Walk, Within, Zone, Zoned,
};
use super::{Errors, HOSTS, MULTIBYTE, NUMBERS, PLACES, SEARCH, TIME, TOKENS, USERS};
use crate::entry::real::Real;
use crate::outside::files::ordered::Use::{Change as Contents, Closing, Look, Position, Status};

macro_rules! table {
    ($($touch:expr => $($name:ident)+;)*) => {
        #[allow(non_camel_case_types, clippy::enum_variant_names)]
        #[repr(u32)]
        enum Index { $($($name,)+)* Count }

        /// The functions, in the order of their indices.
        pub static TABLE: [Real; Index::Count as usize] = [$($(Real::new(
            // SAFETY: ends in the only zero byte.
            unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
        )),+),*];

        /// What each function does, in the order of their indices.
        pub const TOUCHES: &[Touch] = &[$($({
            let _ = Index::$name;
            $touch
        }),+),*];

        forwarded! { by forward_process_state: $($(Index::$name as u32 => $name,)+)* }
    };
}

table! {
    // What libc keeps.
    On(Environment, Read) => getenv secure_getenv __secure_getenv;
    Environ => setenv unsetenv putenv clearenv;
    On(Random, Change) => rand srand random srandom initstate setstate;
    On(Random48, Change) => drand48 lrand48 mrand48 srand48 seed48 lcong48;
    OnIf(Locale, 1) => bindtextdomain bind_textdomain_codeset;
    ByEnvironment(&OnIf(Locale, 1)) => setlocale;
    ByEnvironment(&On(Locale, Read)) => newlocale;
    OnIf(Locale, 0) => textdomain;
    On(Locale, Read) => localeconv nl_langinfo gettext dgettext dcgettext ngettext dngettext dcngettext __dcgettext
        __ctype_get_mb_cur_max __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc toupper tolower
        mbstowcs wcstombs mbrtowc wcrtomb mbsrtowcs wcsrtombs mbsnrtowcs wcsnrtombs mbrlen mbsinit btowc wctob
        strcoll strxfrm wcscoll wcsxfrm strtod strtof strtold atof wcstod wcstof wcstold
        iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper
        iswxdigit towlower towupper towctrans wctype wctrans wcwidth wcswidth strptime regcomp regexec
        fnmatch strfmon;
    On(ForkHandlers, Change) => __register_atfork;
    On(Libraries, Change) => dlopen dlmopen;
    On(Libraries, Read) => dlinfo;
    On(Log, Change) => openlog closelog setlogmask syslog vsyslog __syslog_chk __vsyslog_chk;
    Format => strftime wcsftime;
    Options => getopt getopt_long getopt_long_only __posix_getopt;
    Kept(TIME) => asctime gmtime getdate;
    Zoned(true) => ctime localtime mktime timelocal;
    Zoned(false) => ctime_r localtime_r;
    Zone => tzset;
    Kept(TOKENS) => strtok;
    Kept(NUMBERS) => ecvt fcvt qecvt qfcvt l64a;
    Kept(MULTIBYTE) => mblen mbtowc wctomb;
    Kept(SEARCH) => hcreate hdestroy hsearch re_comp re_exec;
    Kept(PLACES) => ttyname ptsname getlogin ctermid cuserid getmntent setmntent endmntent getfsent setfsent endfsent
        getfsspec getfsfile getttyent setttyent endttyent getttynam;
    Kept(USERS) => getpwnam getpwuid getpwent setpwent endpwent fgetpwent getgrnam getgrgid getgrent setgrent endgrent
        fgetgrent getspnam getspent setspent endspent fgetspent sgetspent getsgnam getsgent setsgent endsgent fgetsgent
        sgetsgent getusershell setusershell endusershell getutent setutent endutent getutid getutline pututline utmpname
        getutxent setutxent endutxent getutxid getutxline pututxline utmpxname getpass getpwent_r getgrent_r getspent_r
        getsgent_r getutent_r getutid_r getutline_r;
    Kept(HOSTS) => gethostbyname gethostbyname2 gethostbyaddr gethostent sethostent endhostent getnetbyname
        getnetbyaddr getnetent setnetent endnetent getprotobyname getprotobynumber getprotoent setprotoent endprotoent
        getservbyname getservbyport getservent setservent endservent getrpcbyname getrpcbynumber getrpcent setrpcent
        endrpcent getaliasbyname getaliasent setaliasent endaliasent getnetgrent setnetgrent endnetgrent getnetgrent_r
        innetgr ether_ntoa ether_aton inet_ntoa inet_nsap_ntoa gethostent_r getnetent_r getprotoent_r getservent_r
        getrpcent_r getaliasent_r;

    // What the C++ library keeps: std::set_terminate, get_terminate, terminate, set_unexpected, get_unexpected,
    // set_new_handler, get_new_handler, pmr::set_default_resource, pmr::get_default_resource, locale::global, locale().
    On(TerminateHandler, Change) => _ZSt13set_terminatePFvvE _ZSt14set_unexpectedPFvvE;
    On(TerminateHandler, Read) => _ZSt13get_terminatev _ZSt9terminatev _ZSt14get_unexpectedv;
    On(NewHandler, Change) => _ZSt15set_new_handlerPFvvE;
    On(NewHandler, Read) => _ZSt15get_new_handlerv;
    // Names with `3__1` are those of LLVM's library.
    On(MemoryResource, Change) => _ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE
        _ZNSt3__13pmr20set_default_resourceEPNS0_15memory_resourceE;
    On(MemoryResource, Read) => _ZNSt3pmr20get_default_resourceEv _ZNSt3__13pmr20get_default_resourceEv;
    // Also std::ios::imbue, std::wios::imbue, ios_base::imbue, and copies of a locale, as getloc makes one.
    On(Locale, Change) => _ZNSt3__16locale6globalERKS0_ _ZNSt3__18ios_base5imbueERKNS_6localeE;
    On(Locale, Read) => _ZNSt3__16localeC1Ev _ZNSt3__16localeC1ERKS0_ _ZNKSt3__18ios_base6getlocEv;
    // ios_base::xalloc, and an arrival at a std::barrier, which LLVM's library counts inside.
    On(StreamWords, Change) => _ZNSt8ios_base6xallocEv _ZNSt3__18ios_base6xallocEv;
    Within(Arrivals, 0) => _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh;
    On(Locale, Change) => _ZNSt6locale6globalERKS_ _ZNSt9basic_iosIcSt11char_traitsIcEE5imbueERKSt6locale
        _ZNSt9basic_iosIwSt11char_traitsIwEE5imbueERKSt6locale _ZNSt8ios_base5imbueERKSt6locale;
    On(Locale, Read) => _ZNSt6localeC1Ev _ZNSt6localeC2Ev _ZNSt6localeC1ERKS_ _ZNSt6localeC2ERKS_;

    // What the kernel keeps for the process.
    On(FileModeMask, Change) => umask;
    On(Limits, Read) => getrlimit getrlimit64 getdtablesize;
    On(Limits, Change) => setrlimit setrlimit64 ulimit vlimit;
    OnIf(Limits, 2) => prlimit prlimit64;
    On(Scheduling, Read) => getpriority pthread_getconcurrency;
    On(Scheduling, Change) => setpriority nice pthread_setconcurrency;
    On(Identity, Read) => gethostname getdomainname gethostid getpgid getpgrp getsid tcgetpgrp capget;
    On(Identity, Change) => setpgid setpgrp setsid tcsetpgrp capset setfsuid setfsgid personality;
    Setting => prctl;
    OnIf(Break, 0) => sbrk;
    On(Break, Change) => brk;
    SignalAction(Change, 0) => signal bsd_signal sysv_signal __sysv_signal ssignal sigignore siginterrupt;
    SignalIf(1, 0) => sigaction __sigaction;

    // Names of files, and the working directory.
    Names(Read) => __open_2 __open64_2 __openat_2 __openat64_2 readlink readlinkat __readlink_chk __readlinkat_chk realpath __realpath_chk canonicalize_file_name
        getcwd __getcwd_chk get_current_dir_name getwd __getwd_chk opendir
        scandir scandir64 scandirat scandirat64
        name_to_handle_at open_by_handle_at mktemp tmpnam tmpnam_r;
    ByEnvironment(&Names(Read)) => glob glob64 wordexp tempnam;
    Walk => ftw ftw64 nftw nftw64 fts_open fts_read fts_children fts64_open fts64_read fts64_children;
    Names(Change) => unlink unlinkat remove rename renameat renameat2 link linkat symlink symlinkat mkdir mkdirat rmdir
        mknod mknodat __xmknod __xmknodat chdir fchdir chroot shm_open shm_unlink lckpwdf ulckpwdf;
    Listing(0) => readdir readdir64 readdir_r readdir64_r rewinddir seekdir telldir;

    // Files by name, without opening them.
    Named(Look, 0) => access eaccess euidaccess getxattr lgetxattr listxattr llistxattr pathconf;
    Named(Status, 1) => __xstat __xstat64 __lxstat __lxstat64;
    Named(Contents, 0) => chmod lchmod chown lchown utime utimes lutimes setxattr lsetxattr removexattr lremovexattr;
    NamedAt(Look, 1) => faccessat;
    NamedAt(Status, 1) => statx;
    NamedAt(Status, 2) => __fxstatat __fxstatat64;
    NamedAt(Contents, 1) => fchmodat fchownat utimensat futimesat;

    // Files by descriptor.
    File(Look, 0) => fgetxattr flistxattr preadv preadv64 fdopendir fpathconf;
    File(Status, 1) => __fxstat __fxstat64;
    Replaced(1) => dup2 dup3;
    Number => dup pipe pipe2 socket socketpair eventfd epoll_create epoll_create1 closedir;
    File(Position, 0) => __pread_chk __pread64_chk __read_chk;
    File(Contents, 0) => fchmod fchown futimens futimes fsetxattr fremovexattr fallocate fallocate64 posix_fallocate
        posix_fallocate64 pwritev pwritev64 lockf lockf64 __dprintf_chk __vdprintf_chk;
    Mode => fcntl fcntl64;
    Copy(0, 2) => copy_file_range;
    Copy(1, 0) => sendfile sendfile64;

    // Streams.
    Stream(Look, 0) => feof ferror feof_unlocked ferror_unlocked __fpending;
    Stream(Position, 0) => getc_unlocked fgetc_unlocked getw fgetwc getwc fgetwc_unlocked getwc_unlocked fwscanf
        vfwscanf __isoc99_fwscanf __isoc99_vfwscanf _IO_getc __uflow __underflow __wuflow __wunderflow __getdelim;
    Stream(Position, 2) => fgets_unlocked fgetws fgetws_unlocked _IO_fgets;
    Stream(Position, 3) => fread_unlocked __fgets_chk __fgets_unlocked_chk __fgetws_chk __fgetws_unlocked_chk
        _IO_fread;
    Stream(Position, 4) => __fread_chk __fread_unlocked_chk;
    Stream(Contents, 1) => fputc_unlocked putc_unlocked fputs_unlocked putw fputwc putwc fputwc_unlocked putwc_unlocked
        fputws fputws_unlocked _IO_putc _IO_fputs;
    Stream(Contents, 3) => fwrite_unlocked _IO_fwrite;
    Stream(Contents, 0) => fwprintf vfwprintf fflush_unlocked __overflow __woverflow __fprintf_chk __vfprintf_chk
        __fwprintf_chk __vfwprintf_chk _IO_fprintf;
    Stream(Contents, 0) => fgetpos fgetpos64 fsetpos fsetpos64 setvbuf setbuf setbuffer setlinebuf __fpurge __fsetlocking;
    Stream(Closing, 0) => clearerr clearerr_unlocked fwide;
    Stream(Closing, 1) => ungetwc;
    Input => gets getwchar getchar_unlocked getwchar_unlocked vscanf wscanf vwscanf __isoc99_vscanf __isoc99_wscanf
        __isoc99_vwscanf __gets_chk;
    Output => printf vprintf putchar putchar_unlocked wprintf vwprintf putwchar putwchar_unlocked __printf_chk
        __vprintf_chk __wprintf_chk __vwprintf_chk;
    Errors => perror psignal psiginfo err errx verr verrx warn warnx vwarn vwarnx error error_at_line;
}
