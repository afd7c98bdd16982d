//! Programs that try to get out, or at Heddle, and directories for temporary files that others have been in: real files stay as they
//! were, or the attempt is named; nothing that is not ours is removed.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{Finished, Session, can_use, wait_until};

/// Each way out is chosen by the first argument. The second is a directory with a file called `victim`.
const WAYS_OUT: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static long call(long n, long a, long b, long c, long d)
{
    long result;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
}

/* Where there is a system call in the library that answers them: the kernel makes it without asking. What follows there is another matter. */
static void *gadget(void)
{
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) {
        unsigned long low, high;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &low, &high, rights) == 3 && rights[2] == 'x' && strstr(line, "heddle_runtime"))
            for (unsigned char *at = (unsigned char *)low; at + 2 < (unsigned char *)high; at++)
                if (at[0] == 0x0f && at[1] == 0x05)
                    return at;
    }
    return 0;
}

static long parent(void)
{
    char text[4096];
    long file = call(SYS_open, (long)"/proc/self/status", O_RDONLY, 0, 0);
    long size = call(SYS_read, file, (long)text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = 0;
    char *at = strstr(text, "PPid:");
    return at ? atol(at + 5) : 1;
}

static void *around;
__attribute__((constructor)) static void look(void) { around = gadget(); }

int main(int count, char **words)
{
    const char *way = count > 2 ? words[1] : "";
    if (count > 2 && chdir(words[2]) != 0)
        return 1;
    int on = FS_NODUMP_FL;
#define WAY(name) else if (strcmp(way, name) == 0)
    if (!*way)
        return 1;
    WAY("unlink") call(SYS_unlink, (long)"victim", 0, 0, 0);
    WAY("creat") call(SYS_creat, (long)"made", 0644, 0, 0);
    WAY("truncate") call(SYS_truncate, (long)"victim", 0, 0, 0);
    WAY("dispatch") prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0), call(SYS_unlink, (long)"victim", 0, 0, 0);
    WAY("fork") {
        if (call(SYS_fork, 0, 0, 0, 0) == 0)
            call(SYS_exit_group, 0, 0, 0, 0);
        call(SYS_unlink, (long)"victim", 0, 0, 0);
    }
    WAY("fork-by-number") {
        if (syscall(SYS_fork) == 0)
            _exit(0);
        unlink("victim");
    }
    WAY("clone") {
        if (call(SYS_clone, SIGCHLD, 0, 0, 0) == 0)
            call(SYS_exit_group, 0, 0, 0, 0);
        call(SYS_unlink, (long)"victim", 0, 0, 0);
    }
    WAY("clone-shared") call(SYS_clone, 0x100 | SIGCHLD, 0, 0, 0);
    WAY("int80") { int n = 20; __asm__ volatile("int $0x80" : "+a"(n) : : "memory"); }
    WAY("setflags") ioctl(open("victim", O_RDONLY), FS_IOC_SETFLAGS, &on);
    WAY("fssetxattr") ioctl(open("victim", O_RDONLY), FS_IOC_FSSETXATTR, &on);
    WAY("setxattrat") syscall(463, AT_FDCWD, "victim", 0, "user.x", 0, 0);
    WAY("mount") syscall(SYS_mount, "/", "/", 0, 0, 0);
    WAY("open_tree") syscall(428, AT_FDCWD, ".", 0);
    WAY("chroot") syscall(SYS_chroot, ".");
    WAY("msgget") call(SYS_msgget, 1234, 0666, 0, 0);
    WAY("shmat") call(SYS_shmat, 0, 0, 0, 0);
    WAY("semop") call(SYS_semop, 0, 0, 0, 0);
    WAY("mq_open") call(SYS_mq_open, (long)"victim", O_CREAT, 0644, 0);
    WAY("mq_unlink") call(SYS_mq_unlink, (long)"victim", 0, 0, 0);
    WAY("io_uring") call(425, 8, 0, 0, 0);
    WAY("handle") call(304, AT_FDCWD, 0, O_RDWR, 0);
    WAY("seccomp") prctl(PR_SET_SECCOMP, 1, 0, 0, 0);
    WAY("deathsig") prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    WAY("kill") call(SYS_kill, parent(), SIGKILL, 0, 0);
    WAY("tgkill") call(SYS_tgkill, parent(), parent(), SIGKILL, 0);
    WAY("group") kill(0, SIGKILL);
    WAY("ptrace") call(SYS_ptrace, 16, parent(), 0, 0);
    WAY("prlimit") { struct rlimit none = {0, 0}; call(SYS_prlimit64, parent(), RLIMIT_NOFILE, (long)&none, 0); }
    WAY("setpriority") call(SYS_setpriority, PRIO_PROCESS, parent(), 19, 0);
    WAY("sched") call(SYS_sched_setaffinity, parent(), 8, (long)&on, 0);
    if (strcmp(way, "gadget") == 0 && around) {
        long result = SYS_unlink;
        __asm__ volatile("call *%2" : "+a"(result) : "D"("victim"), "r"(around) : "rcx", "r11", "rsi", "rdx", "memory");
    }
    return 0;
}
"#;

/// The ways out, and what the verdict must name; empty where the attempt is answered with a copy.
const TABLE: &[(&str, &str)] = &[
    ("unlink", ""),
    ("creat", ""),
    ("truncate", ""),
    ("dispatch", "PR_SET_SYSCALL_USER_DISPATCH"),
    ("fork", ""),
    ("fork-by-number", ""),
    ("clone", ""),
    ("clone-shared", "clone"),
    ("int80", "32-bit"),
    ("setflags", "FS_IOC_SETFLAGS"),
    ("fssetxattr", "FS_IOC_SETFLAGS"),
    ("setxattrat", "setxattrat"),
    ("mount", "mount"),
    ("open_tree", "open_tree"),
    ("chroot", "chroot"),
    ("msgget", "msgget"),
    ("shmat", "shmat"),
    ("semop", "semop"),
    ("mq_open", "mq_open"),
    ("mq_unlink", "mq_unlink"),
    ("io_uring", "io_uring_setup"),
    ("handle", "open_by_handle_at"),
    ("seccomp", "PR_SET_SECCOMP"),
    ("deathsig", "PR_SET_PDEATHSIG"),
    ("kill", "a signal to a process"),
    ("tgkill", "a signal to a thread of another process"),
    ("group", "kill of a group"),
    ("ptrace", "ptrace"),
    ("prlimit", "a limit of another process"),
    ("setpriority", "a priority of another process"),
    ("sched", "a setting of another process"),
];

/// Builds `text` once, for many runs.
fn built(session: &Session, text: &str) -> String {
    let source = session.write("program.c", text).display().to_string();
    let program = session.path("program").display().to_string();
    session.run(["cc", "-g", "-w", "-pthread", &source, "-o", &program]).must_say(0, &[]);
    program
}

/// Runs one way out, in a directory of its own, and looks at what is there then.
fn tries(session: &Session, program: &str, way: &str, second: bool) -> (Finished, bool) {
    let place = session.path(&format!("{way}-{second}"));
    fs::create_dir(&place).unwrap();
    fs::write(place.join("victim"), "untouched").unwrap();
    let before = fs::metadata(place.join("victim")).unwrap();
    let mut command = session.command(["check", "--quiet", program, "--", way, &place.display().to_string()]);
    if !second {
        command.env("HEDDLE_SECOND_NET", "off");
    }
    let run = session.start(command).wait();
    session.must_be_clean(&run);
    let now = fs::metadata(place.join("victim"));
    let same = now.is_ok_and(|now| (now.ctime(), now.ctime_nsec()) == (before.ctime(), before.ctime_nsec()));
    let alone = fs::read_dir(&place).unwrap().count() == 1;
    (run, same && alone)
}

#[test]
fn no_way_out_reaches_real_files() {
    let session = Session::new();
    let program = built(&session, WAYS_OUT);
    for second in [true, false] {
        // What is named is named before either net.
        for (way, named) in TABLE.iter().filter(|(_, named)| second || named.is_empty()) {
            let (run, untouched) = tries(&session, &program, way, second);
            assert!(untouched, "{way}, second net {second}: a real file was changed\n{run}");
            if named.is_empty() {
                assert!(run.code == 0 || run.code == 3, "{way}\n{run}");
            } else {
                run.must_say(4, &[named]);
            }
        }
    }
    // What gets around the first net meets the second.
    let landlock = can_use("landlock", has_landlock());
    let (run, untouched) = tries(&session, &program, "gadget", true);
    assert!(untouched || !landlock, "the second net does not hold\n{run}");
}

/// Whether the kernel has Landlock: every process may ask for its version.
fn has_landlock() -> bool {
    const SCRIPT: &str = "import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1))";
    let asked = Command::new("python3").args(["-c", SCRIPT]).output();
    asked.is_ok_and(|asked| {
        String::from_utf8_lossy(&asked.stdout).trim().parse::<i64>().is_ok_and(|version| version > 0)
    })
}

/// Which nets hold is in the coverage. A program that makes processes is run without the second one.
#[test]
fn the_coverage_says_which_nets_hold() {
    if !can_use("landlock", has_landlock()) {
        return;
    }
    let session = Session::new();
    let program = built(&session, WAYS_OUT);
    let nets = |way: &str| {
        let place = session.path(way);
        fs::create_dir(&place).unwrap();
        fs::write(place.join("victim"), "untouched").unwrap();
        let run = session.run(["check", "--json", &program, "--", way, &place.display().to_string()]);
        run.json()["coverage"]["nets"].to_string()
    };
    assert_eq!(nets("unlink"), r#"["calls","system calls","landlock"]"#);
    assert_eq!(nets("fork-by-number"), r#"["calls","system calls"]"#);
}

/// What functions do before `main` is real, and told; what they leave running ends with the program.
#[test]
fn what_is_done_before_main_is_told() {
    let session = Session::new();
    let program = built(
        &session,
        r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(int count, char **words)
{
    if (chdir(words[1]) != 0)
        abort();
    FILE *file = fopen("made", "w");
    fputs("x", file);
    fclose(file);
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            int own = open("daemon", O_CREAT | O_WRONLY, 0644);
            dprintf(own, "%d", getpid());
            close(own);
            for (;;)
                sleep(100);
        }
        _exit(0);
    }
    while (access("daemon", F_OK) != 0)
        usleep(1000);
}
int main(void) { return 0; }
"#,
    );
    for restart in ["snapshot", "fork", "exec"] {
        let place = session.path(restart);
        fs::create_dir(&place).unwrap();
        let run = session.run(["check", "--restart", restart, &program, "--", &place.display().to_string()]);
        run.must_say(0, &["files that functions change before main"]);
        let daemon = fs::read_to_string(place.join("daemon")).unwrap();
        let is_gone = || {
            let state = fs::read_to_string(format!("/proc/{daemon}/stat")).unwrap_or_default();
            daemon.is_empty() || state.is_empty() || state.contains(") Z ")
        };
        wait_until(&format!("{restart}: the daemon {daemon} ends with the program"), is_gone);
    }
}

/// A server outside the program keeps its state from one execution to the next.
#[test]
fn a_server_outside_the_program_is_told() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    let session = Session::new();
    let text = r#"
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int count, char **words)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int port = atoi(words[1]), own = socket(AF_INET, SOCK_STREAM, 0);
    if (port == 0) {
        socklen_t size = sizeof to;
        bind(own, (void *)&to, sizeof to);
        listen(own, 5);
        getsockname(own, (void *)&to, &size);
    } else {
        to.sin_port = htons(port);
    }
    int other = socket(AF_INET, SOCK_STREAM, 0);
    int result = connect(other, (void *)&to, sizeof to);
    close(other);
    close(own);
    return result;
}
"#;
    let program = built(&session, text);
    let told = "servers outside the program";
    let run = session.run(["check", &program, "--", &port]);
    run.must_say(0, &[told]);
    let run = session.run(["check", &program, "--", "0"]);
    assert!(run.code == 0 && !run.words().contains(told), "{run}");
}

/// A directory for temporary files that is not one, is too deep, or is not there: refused before anything runs.
#[test]
fn no_private_copies_no_run() {
    let session = Session::new();
    let witness = session.path("it-ran").display().to_string();
    let program = built(
        &session,
        "#include <fcntl.h>\n__attribute__((constructor)) static void begin(int n, char **w) { if (n > 1) open(w[1], O_CREAT, 0600); }\nint main(void) { return 0; }\n",
    );
    let deep = (0..6).fold(session.path("tmp"), |path, _| path.join("x".repeat(90)));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&deep).unwrap();
    let file = session.write("file", "x");
    for (wrong, says) in [(deep, "too long a name"), (session.path("missing"), "missing"), (file, "file")] {
        let mut command = session.command(["check", &program, "--", &witness]);
        command.env("TMPDIR", &wrong);
        session.start(command).wait().must_say(2, &[says]);
        assert!(fs::metadata(&witness).is_err(), "the program ran with TMPDIR={}", wrong.display());
    }
    fs::remove_dir_all(session.path("tmp")).unwrap();
    fs::create_dir(session.path("tmp")).unwrap();
}

/// What others have planted stays, nobody waits for it, and twenty at once do not sweep each other away.
#[test]
fn a_directory_for_temporary_files_that_is_everybodys() {
    let session = Session::new();
    let program = built(&session, "int main(void) { return 0; }\n");
    let shared = session.path("shared");
    fs::create_dir(&shared).unwrap();
    let precious = session.path("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("file"), "x").unwrap();
    let planted = |number: u32| shared.join(format!("heddle-{number:032x}"));
    symlink(&precious, planted(1)).unwrap();
    assert!(Command::new("mkfifo").arg(planted(2)).status().unwrap().success());
    let began = Instant::now();
    let all: Vec<_> = (0..20)
        .map(|_| {
            let mut command = session.command(["check", "--quiet", &program]);
            command.env("TMPDIR", &shared);
            session.start(command)
        })
        .collect();
    for running in all {
        running.wait().must_say(0, &["safe"]);
    }
    assert!(began.elapsed() < Duration::from_secs(120));
    assert!(precious.join("file").exists() && planted(1).is_symlink() && planted(2).exists());
    assert_eq!(fs::read_dir(&shared).unwrap().count(), 2, "something was left behind");
}
