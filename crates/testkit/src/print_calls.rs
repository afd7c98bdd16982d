//! The calls of scripts on state of the process, as C.

use crate::outside::{AREAS_AT, Action, Becomes, Call, Named, SIGNALS};
use crate::program::{Instruction, Program, Register};

/// What the calls need in front of the programs. What is compared with the script's state is read where nobody sees it: it is no
/// memory of the program's.
pub(crate) const PROLOGUE: &str = r#"
#include <signal.h>
#include <sys/mman.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define UNSEEN __attribute__((unused, noinline, no_sanitize("thread"))) static

static const char *const directories[] __attribute__((unused)) = { "/", "/usr", "/tmp" };
static const char *const digits[] __attribute__((unused)) = { "0", "1", "2" };

UNSEEN unsigned variable_of_environment(void) {
    const char *text = getenv("HEDDLE_SCRIPT");
    return text ? (unsigned)atoi(text) : 0;
}
UNSEEN void set_limit(unsigned value) {
    struct rlimit limit = { 1000 + value, 500000 };
    setrlimit(RLIMIT_MSGQUEUE, &limit);
}
UNSEEN unsigned limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_MSGQUEUE, &limit);
    return (unsigned)limit.rlim_cur - 1000;
}
UNSEEN unsigned directory(void) {
    char text[4096];
    if (getcwd(text, sizeof text))
        for (unsigned i = 0; i < 3; i++)
            if (!strcmp(text, directories[i])) return i;
    return 9;
}
/* The areas: variables of functions, whose addresses nobody sees being handed on, and mappings. */
static unsigned *frames[2] __attribute__((unused));
UNSEEN void set_frame(unsigned number, unsigned *at) { frames[number] = at; }
UNSEEN unsigned *frame(unsigned number) { return frames[number]; }
#define AREA(n) ((void *)(MAPPED + (n) * 4096ul))
#define VARIABLE(n) ((n) < 4 ? frame((n) / 2) + (n) % 2 : (unsigned *)AREA((n) / 2) + (n) % 2)

/* How many looks before this one were at an earlier time. */
static struct timespec looks[64] __attribute__((unused));
static unsigned looked __attribute__((unused));
UNSEEN unsigned look_at_clock(void) {
    struct timespec now;
    unsigned earlier = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (unsigned i = 0; i < looked; i++)
        earlier += looks[i].tv_sec < now.tv_sec || (looks[i].tv_sec == now.tv_sec && looks[i].tv_nsec < now.tv_nsec);
    looks[looked++] = now;
    return earlier;
}
"#;

/// Where the mappings are: the low bits are the script's.
pub(crate) const MAPPED: u64 = 0x1000_0000 + AREAS_AT;

/// What `main` does before a program that uses areas.
pub(crate) const MAP: &str = "    if (mmap(AREA(2), 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != AREA(2))\n        return 125;\n";

/// What `main` does before a program that calls such functions.
pub(crate) const BEFORE: &str = "    set_limit(0); umask(0); if (chdir(\"/\")) return 125;\n";

/// The register that a call uses.
pub(crate) fn register_of(call: Call) -> Option<Register> {
    match call {
        Call::Signal(_, _, r) | Call::Look(_, r) | Call::Change(_, _, r) | Call::Clock(r) => Some(r),
        _ => None,
    }
}

/// The names of function `function` of program `number`: called without an argument, as `on_exit` calls it, and for a signal.
pub(crate) fn names(number: usize, function: u8) -> [String; 3] {
    ["run", "on", "signal"].map(|kind| format!("program{number}_{kind}{function}"))
}

/// The statement for `call` of program `number`.
pub(crate) fn statement(call: Call, number: usize) -> String {
    match call {
        Call::AtExit(function) if function % 2 == 1 => format!("on_exit({}, 0);", names(number, function)[1]),
        Call::AtExit(function) => format!("atexit({});", names(number, function)[0]),
        Call::AtQuickExit(function) => format!("at_quick_exit({});", names(number, function)[0]),
        Call::Exit(status) => format!("exit({status});"),
        Call::QuickExit(status) => format!("quick_exit({status});"),
        Call::Raise(signal) => format!("raise({});", SIGNALS[signal as usize]),
        Call::Signal(signal, action, r) => {
            let (handler, flags) = match action {
                Action::Default => ("SIG_DFL".to_owned(), "0"),
                Action::Ignore => ("SIG_IGN".to_owned(), "0"),
                Action::Handle(function) => (names(number, function)[2].clone(), "0"),
                Action::HandleOnce(function) => (names(number, function)[2].clone(), "SA_RESETHAND"),
            };
            let signal = SIGNALS[signal as usize];
            format!("r{r} = set_action({signal}, {handler}, {flags}, {number});")
        }
        Call::Look(named, r) => match named {
            Named::Environment => format!("r{r} = variable_of_environment();"),
            Named::Limit => format!("r{r} = limit();"),
            Named::Mask => format!("r{r} = umask(0);"),
            Named::Directory => format!("r{r} = directory();"),
        },
        Call::Change(named, value, r) => match named {
            Named::Environment => format!("r{r} = 0; setenv(\"HEDDLE_SCRIPT\", digits[{value}], 1);"),
            Named::Limit => format!("r{r} = 0; set_limit({value});"),
            Named::Mask => format!("r{r} = umask({value});"),
            Named::Directory => format!("r{r} = (unsigned)chdir(directories[{value}]);"),
        },
        Call::Clock(r) => format!("r{r} = look_at_clock();"),
        Call::Area(area, becomes) => {
            let protect = |rights| format!("mprotect(AREA({area}), 4096, {rights});");
            match becomes {
                Becomes::Open => protect("PROT_READ | PROT_WRITE"),
                Becomes::Constant => protect("PROT_READ"),
                Becomes::Forbidden => protect("PROT_NONE"),
                Becomes::Empty => format!("madvise(AREA({area}), 4096, MADV_DONTNEED);"),
                Becomes::Unmapped => format!("munmap(AREA({area}), 4096);"),
                // The function returns.
                Becomes::Dead => ";".to_owned(),
            }
        }
    }
}

/// The function that says which action a program has set before: its functions have numbers.
pub(crate) fn action_of(counts: &[usize]) -> String {
    use std::fmt::Write;
    let mut text = String::from(
        "\nUNSEEN unsigned set_action(int signal, void (*handler)(int), int flags, unsigned program) {\n    \
         struct sigaction next = { .sa_handler = handler, .sa_flags = flags }, before;\n    \
         sigaction(signal, &next, &before);\n    \
         if (before.sa_handler == SIG_DFL) return 0;\n    if (before.sa_handler == SIG_IGN) return 1;\n    (void)program;\n",
    );
    for (number, count) in counts.iter().enumerate() {
        for function in 0..*count {
            let name = &names(number, function as u8)[2];
            let _ =
                writeln!(text, "    if (program == {number} && before.sa_handler == {name}) return {};", function + 2);
        }
    }
    text.push_str("    return 99;\n}\n");
    text
}

/// All calls of a program.
pub(crate) fn of(program: &Program) -> impl Iterator<Item = Call> {
    program.threads.iter().chain(&program.functions).flatten().filter_map(|instruction| match instruction {
        Instruction::Outside(call) => Some(*call),
        _ => None,
    })
}

/// Declares the functions of programs that have so many of them.
pub(crate) fn declarations(counts: &[usize]) -> String {
    let mut text = String::new();
    for (number, count) in counts.iter().enumerate() {
        for function in 0..*count {
            let [run, on, signal] = names(number, function as u8);
            text.push_str(&format!(
                "static void {run}(void);\n\
                 __attribute__((unused)) static void {on}(int status, void *argument) {{ (void)status; (void)argument; {run}(); }}\n\
                 __attribute__((unused)) static void {signal}(int number) {{ (void)number; {run}(); }}\n"
            ));
        }
    }
    text
}
