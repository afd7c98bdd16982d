//! `heddle prove`, and `heddle check` on programs with inputs: verdicts, confirmation, replay, errors.

use crate::common::{Finished, Session, can_use, must_replay, root};

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\n\
                    extern long __VERIFIER_nondet_long(void);\nextern void __VERIFIER_assume(int);\n\
                    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
                    #define L(x) pthread_mutex_lock(&x)\n#define U(x) pthread_mutex_unlock(&x)\n#line 1\n";

/// Whether this machine can prove: clang 17 or newer with its library.
fn can_prove() -> bool {
    let session = Session::new();
    let file = session.write("empty.c", "int main(void) { return 0; }\n");
    let run = session.run(["prove", file.to_str().expect("a name")]);
    can_use("a clang whose libLLVM can be opened", run.code == 0)
}

fn prove(session: &Session, body: &str, options: &[&str]) -> Finished {
    let file = session.write("program.c", format!("{HEAD}{body}"));
    let mut words = vec!["prove", "--json", file.to_str().expect("a name")];
    words.extend(options);
    let run = session.run(words);
    must_replay(session, &run);
    run
}

/// One input of four thousand million, in one order.
const ONE_INPUT: &str = "int x, y;\nvoid *f(void *a) { L(m); if (y == 1) x = 0; U(m); return a; }\n\
    int main(void) { int v = __VERIFIER_nondet_int(); pthread_t t; pthread_create(&t, 0, f, 0);\nL(m); x = v; y = 1; U(m);\n\
    L(m); if (x == 305419896) y = 2; U(m);\npthread_join(t, 0); L(m); assert(!(y == 2 && x == 305419896)); U(m); }\n";

#[test]
fn one_input_in_one_order_is_found_and_replayed() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    let run = prove(&session, ONE_INPUT, &[]);
    let report = run.json();
    assert_eq!(report["verdict"], "found", "{run}");
    assert_eq!(report["findings"][0]["kind"], "assertion", "{run}");
    assert_eq!(report["findings"][0]["inputs"][0]["value"], "305419896", "{run}");
    assert_eq!(report["coverage"]["engine"], "symbolic", "{run}");
    assert_eq!(report["coverage"]["checked_by"], "native", "{run}");
    let trace = report["findings"][0]["trace"].as_str().expect("a trace").to_owned();
    for options in [&["--verbose"][..], &["--quiet"], &["--json"]] {
        let mut words = vec!["replay", trace.as_str()];
        words.extend(options);
        assert_eq!(session.run(words).code, 1);
    }
    session.run(["replay", &trace]).must_say(1, &["305419896", "inputs: "]);
    let page = session.path("page.html");
    session.run(["report", &trace, "--html", "--output", page.to_str().expect("a name")]).must_say(0, &[]);
    assert!(std::fs::read_to_string(&page).expect("it is there").contains("305419896"));
    session.run(["report", &trace, "--sarif"]).must_say(0, &["inputs: ", "305419896"]);
}

/// Values that the default values of a check do not have, of several threads.
#[test]
fn inputs_of_several_threads_are_given_to_those_who_ask() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    let body = "long a[2]; int id[2] = {0, 1};\nvoid *f(void *p) { int i = *(int *)p; long one = __VERIFIER_nondet_long();\n\
        long two = __VERIFIER_nondet_long(); a[i] = one - two; return p; }\n\
        int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, &id[i]);\n\
        for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\nassert(!(a[0] == 81985529216486895L && a[1] == -77L)); }\n";
    let run = prove(&session, body, &[]);
    let report = run.json();
    assert_eq!(report["verdict"], "found", "{run}");
    let value = |thread: u64, index: u64| {
        let inputs = report["findings"][0]["inputs"].as_array().expect("a list");
        let of = |input: &&serde_json::Value| input["thread"] == thread && input["index"] == index;
        let text =
            inputs.iter().find(of).unwrap_or_else(|| panic!("{run}"))["value"].as_str().expect("words").to_owned();
        text.parse::<i64>().expect("a number")
    };
    assert_eq!(value(1, 0).wrapping_sub(value(1, 1)), 81_985_529_216_486_895, "{run}");
    assert_eq!(value(2, 0).wrapping_sub(value(2, 1)), -77, "{run}");
}

#[test]
fn programs_have_their_verdicts() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    let table = |body: &str| {
        format!(
            "int size = 8; int table[8];\nvoid *f(void *a) {{ L(m); size = 4; U(m); return a; }}\n\
        int main(void) {{ int i = __VERIFIER_nondet_int(); pthread_t t; pthread_create(&t, 0, f, 0);\n{body}\npthread_join(t, 0); }}\n"
        )
    };
    let cases: Vec<(String, &[&str], &str, &str)> = vec![
        // An index from outside into a table that another thread shrinks; repaired.
        (
            table("L(m); int ok = i >= 0 && i < size; U(m); if (ok) { L(m); assert(i < size); table[i] = 1; U(m); }"),
            &[],
            "found",
            "assertion",
        ),
        (table("L(m); if (i >= 0 && i < size) { assert(i < size); table[i] = 1; } U(m);"), &[], "safe", ""),
        // Memory: an index that is out of bounds for some inputs.
        (table("L(m); if (i >= 0 && i <= 8) table[i] = 1; U(m);"), &[], "found", "undefined"),
        // Deadlock only for one input.
        (
            "void *f(void *a) { L(m); L(n); U(n); U(m); return a; }\nint main(void) { int v = __VERIFIER_nondet_int(); pthread_t t;\n\
             pthread_create(&t, 0, f, 0); if (v == 4711) { L(n); L(m); U(m); U(n); } pthread_join(t, 0); }\n"
                .to_owned(),
            &[],
            "found",
            "deadlock",
        ),
        // Plain accesses without a lock: their order matters, and races are told only if they are asked for.
        (
            "int x;\nvoid *f(void *a) { x++; return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++;\n\
             pthread_join(t, 0); assert(x == 2); }\n"
                .to_owned(),
            &[],
            "found",
            "assertion",
        ),
        (
            "int x;\nvoid *f(void *a) { x = 1; return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 2;\n\
             pthread_join(t, 0); }\n"
                .to_owned(),
            &["--races"],
            "found",
            "data-race",
        ),
        // Threads that threads create.
        (
            "int x;\nvoid *g(void *a) { L(m); x += __VERIFIER_nondet_int(); U(m); return a; }\n\
             void *f(void *a) { pthread_t t; pthread_create(&t, 0, g, 0); L(m); x++; U(m); pthread_join(t, 0); return a; }\n\
             int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);\n\
             for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\nassert(x != 1000002); }\n"
                .to_owned(),
            &[],
            "found",
            "assertion",
        ),
        // An exit status, and a status that nobody minds.
        ("int main(void) { return __VERIFIER_nondet_int() == 77; }\n".to_owned(), &[], "found", "failed"),
        (
            "int main(void) { return __VERIFIER_nondet_int() == 77; }\n".to_owned(),
            &["--exit-status", "ignore"],
            "safe",
            "",
        ),
        // Loops: to their end, within a bound, and for ever.
        (
            "int main(void) { int v = __VERIFIER_nondet_int(), s = 0; __VERIFIER_assume(v >= 0 && v < 6);\n\
             for (int i = 0; i < v; i++) s += i; assert(s <= 10); }\n"
                .to_owned(),
            &["--certify"],
            "safe",
            "",
        ),
        (
            "int main(void) { unsigned v = __VERIFIER_nondet_int(), s = 0;\nfor (unsigned i = 0; i < v; i++) s++;\nassert(s == v); }\n"
                .to_owned(),
            &["--unwind", "3"],
            "safe",
            "",
        ),
        (
            "int main(void) { unsigned v = __VERIFIER_nondet_int(), s = 0;\nfor (unsigned i = 0; i < v; i++) s++;\nassert(s == v); }\n"
                .to_owned(),
            &["--timeout", "1s"],
            "incomplete",
            "",
        ),
        ("#include <setjmp.h>\njmp_buf b;\nint main(void) { return setjmp(b); }\n".to_owned(), &[], "unsupported", ""),
    ];
    for (body, options, verdict, kind) in cases {
        let run = prove(&session, &body, options);
        let report = run.json();
        assert_eq!(report["verdict"], verdict, "{body}{run}");
        if !kind.is_empty() {
            assert_eq!(report["findings"][0]["kind"], kind, "{body}{run}");
        }
        let codes = [("safe", 0), ("found", 1), ("incomplete", 3), ("unsupported", 4)];
        assert_eq!(codes.iter().find(|(name, _)| *name == verdict).map(|(_, code)| *code), Some(run.code), "{run}");
        if verdict == "safe" {
            assert_eq!(report["coverage"]["inputs"], "all", "{run}");
            assert_eq!(report["coverage"]["exhaustive"], !options.contains(&"--unwind"), "{run}");
        }
    }
}

/// Encodings by steps are slow, so the program is tiny.
#[test]
fn every_encoding_has_the_same_verdict() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    let body = "unsigned char x;\nvoid *f(void *a) { L(m); x ^= 5; U(m); return a; }\n\
        int main(void) { unsigned char v = __VERIFIER_nondet_int() & 7; pthread_t t; pthread_create(&t, 0, f, 0);\n\
        L(m); x = v; U(m); pthread_join(t, 0); assert(x != 3 || v == 3); }\n";
    for encoding in ["order", "schedule", "uw", "uw-order"] {
        let run = prove(&session, body, &["--encoding", encoding]);
        assert_eq!(run.json()["verdict"], "found", "{encoding}: {run}");
        let safe = body.replace("v == 3);", "v == 3 || v == 6);");
        let run = prove(&session, &safe, &["--encoding", encoding]);
        assert_eq!(run.json()["verdict"], "safe", "{encoding}: {run}");
    }
}

#[test]
fn what_a_proof_leaves_out() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    let two = |work: &str, main: &str| {
        format!(
            "#include <stdatomic.h>\natomic_int z; int x;\nvoid *f(void *a) {{ {work} return a; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); {main} pthread_join(t, 0); return 0; }}\n"
        )
    };
    let recursive = "int main(void) { pthread_mutexattr_t a; pthread_mutexattr_init(&a);\n\
                     pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &a); return 0; }\n";
    let after = "__attribute__((destructor)) void end(void) { abort(); }\nint main(void) { return 0; }\n";
    let detached = "void *f(void *a) { return a; }\nint main(void) { pthread_attr_t a; pthread_t t; pthread_attr_init(&a);\n\
                    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED); pthread_create(&t, &a, f, 0); return 0; }\n";
    let shift = "int main(void) { volatile unsigned one = 1, by = __VERIFIER_nondet_int(); __VERIFIER_assume(by == 33);\n\
                 assert((one << by) != 77); return 0; }\n";
    let relaxed = two("x = 1; atomic_store_explicit(&z, 1, memory_order_relaxed);", "if (atomic_load(&z)) x = 2;");
    let racing = two("x = 1;", "x = 2;");
    let overflow = "int main(void) { int v = __VERIFIER_nondet_int(); v++; return 0; }\n".to_owned();
    let leak = two("malloc(1);", "");
    let many = "int main(void) { int last = 0; for (int i = 0; i < 5000; i++) last = __VERIFIER_nondet_int(); assert(last != 77); }\n";
    for (body, options, code, says) in [
        (recursive.to_owned(), &["--engine", "order"][..], 4, "recursive"),
        (recursive.to_owned(), &[], 0, "trace, optimal"),
        (
            recursive.replace("settype(&a, PTHREAD_MUTEX_RECURSIVE", "setrobust(&a, PTHREAD_MUTEX_ROBUST"),
            &[],
            4,
            "setrobust",
        ),
        (after.to_owned(), &[], 4, "functions that run after main"),
        (detached.to_owned(), &[], 0, "misuse of primitives, except a join"),
        (shift.to_owned(), &[], 3, "does not happen natively"),
        (relaxed.clone(), &["--races"], 3, "weaker than acquire and release"),
        (relaxed, &[], 0, "data races: not checked"),
        (racing, &[], 0, "data races: not checked"),
        (overflow.clone(), &[], 0, "overflow and shifts: not checked"),
        (overflow, &["--ub"], 1, "undefined"),
        (many.to_owned(), &[], 3, "more than the 4096 that can be given"),
        (leak.clone(), &["--leaks", "--engine", "order"], 4, "leaks of a program with several threads"),
        (leak, &["--leaks"], 1, "leak"),
    ] {
        prove(&session, &body, options).must_say(code, &[says]);
    }
}

/// All findings, each once.
#[test]
fn all_findings_are_told() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    let body = "int main(void) { int v = __VERIFIER_nondet_int();\nif (v == 7) assert(0);\nif (v == 123456) assert(0);\nreturn 0; }\n";
    let run = prove(&session, body, &["--all"]);
    let report = run.json();
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(2), "{run}");
    assert_ne!(report["findings"][0]["id"], report["findings"][1]["id"], "{run}");
}

/// What the engine believes and the program does not do is never told as found.
#[test]
fn what_is_not_confirmed_is_incomplete() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    // Memory that nobody has written can be anything for a proof.
    let body = "int main(void) { int *p = malloc(4); int v = *p;\nassert(v != 123456789); free(p); return 0; }\n";
    let run = prove(&session, body, &[]);
    let report = run.json();
    assert_eq!((report["verdict"].as_str(), run.code), (Some("incomplete"), 3), "{run}");
    let reason = report["reason"].as_str().expect("words").to_owned();
    assert!(reason.contains("does not happen natively") && reason.contains("conjecture-1.json"), "{run}");
    assert!(session.path("out").join("conjecture-1.json").is_file(), "{run}");
}

/// A check of a program with inputs tries a proof, and says who decided.
#[test]
fn a_check_tries_a_proof() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    let safe = session
        .write("safe.c", format!("{HEAD}int main(void) {{ int v = __VERIFIER_nondet_int(); assert((v & 1) < 2); }}\n"));
    let found = session
        .write("found.c", format!("{HEAD}int main(void) {{ int v = __VERIFIER_nondet_int(); assert(v != 4711); }}\n"));
    let (safe, found) = (safe.to_str().expect("a name"), found.to_str().expect("a name"));
    for (file, engine, verdict, by) in [
        (safe, "auto", "safe", "symbolic"),
        (safe, "native", "incomplete", "native"),
        (safe, "symbolic", "safe", "symbolic"),
        (found, "auto", "found", "symbolic"),
        (found, "native", "incomplete", "native"),
        (found, "symbolic", "found", "symbolic"),
    ] {
        let run = session.check([file, "--engine", engine]);
        let report = run.json();
        assert_eq!(
            (report["verdict"].as_str(), report["coverage"]["engine"].as_str()),
            (Some(verdict), Some(by)),
            "{run}"
        );
    }
    // A lock that is given back by nobody who took it, for one input.
    let misuse = session.write(
        "misuse.c",
        format!("{HEAD}int main(void) {{ if (__VERIFIER_nondet_int() == 4711) U(m); return 0; }}\n"),
    );
    let run = session.check([misuse.to_str().expect("a name")]);
    assert_eq!(
        (run.json()["verdict"].as_str(), run.json()["findings"][0]["kind"].as_str()),
        (Some("found"), Some("misuse")),
        "{run}"
    );
}

#[test]
fn loops_are_listed_and_bounded_one_by_one() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    let text = "extern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n  unsigned v = __VERIFIER_nondet_uint(), s = 0;\n\
                  for (unsigned i = 0; i < v; i++)\n    s++;\n  return 0;\n}\n";
    let file = session.write("loop.c", text);
    let file = file.to_str().expect("a name");
    session.run(["prove", "--show-loops", file]).must_say(0, &["loop.c:4 in main"]);
    session
        .run(["prove", "--unwind-loop", "loop.c:4=2", file])
        .must_say(0, &["safe: ", "further iterations of the loops at"]);
    session.run(["prove", "--unwind-loop", "loop.c:3=2", file]).must_say(2, &["there is no loop"]);
    session.run(["prove", "--unwind-loop", "loop.c", file]).must_say(2, &["FILE:LINE=N"]);
    session.run(["prove", "--unwind", "2", "--stats", file]).must_say(0, &["formula", "conflict", "all inputs"]);
}

/// Whatever is missing or wrong has a verdict and words of its own.
#[test]
fn errors_are_clear() {
    let session = Session::new();
    let file = session.write("program.c", "int main(void) { return 0; }\n");
    let file = file.to_str().expect("a name").to_owned();
    let with = |variable: &str, value: &str| {
        let mut command = session.command(["prove", file.as_str()]);
        command.env(variable, value);
        session.start(command).wait()
    };
    with("HEDDLE_CLANG", "/nowhere/clang").must_say(4, &["unsupported: ", "no clang was found", "heddle check"]);
    let old = session.write("clang-14", "#!/bin/sh\necho clang version 14.0.6\n");
    std::fs::set_permissions(&old, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it is ours");
    with("HEDDLE_CLANG", old.to_str().expect("a name")).must_say(4, &["is version 14", "clang 17 or newer"]);
    session.run(["prove", "nowhere.c"]).must_say(2, &["nowhere.c: no such file"]);
    session.run(["prove"]).must_say(2, &["nothing to prove"]);
    session.run(["prove", "some.o"]).must_say(4, &["needs the sources"]);
    if !can_prove() {
        return;
    }
    with("HEDDLE_LIBLLVM", "/nowhere/libLLVM.so").must_say(4, &["libLLVM"]);
    let no_library = session.write("libLLVM.so", "this is no library");
    with("HEDDLE_LIBLLVM", no_library.to_str().expect("a name")).must_say(2, &["reading LLVM bitcode failed"]);
    session.run(["prove", &file, "--", "argument"]).must_say(4, &["without arguments"]);
    let wrong = session.write("wrong.c", "int main(void) { return x; }\n");
    session.run(["prove", wrong.to_str().expect("a name")]).must_say(2, &["does not compile", "undeclared"]);
    // Too large: for the memory, and for the time.
    let large = root().join("benches/prove/twostage.c");
    let large = large.to_str().expect("a name");
    session.run(["prove", large, "-DN=100", "--memory-limit", "1M"]).must_say(3, &["limits of time and memory"]);
    session.run(["prove", large, "-DN=100", "--timeout", "10ms"]).must_say(3, &["limits of time and memory"]);
}

/// A proof is about the program that a check runs, with Heddle's header: what of it a proof does not follow is refused by name, and not taken for
/// what the header means without Heddle.
#[test]
fn what_heddles_header_offers() {
    if !can_prove() {
        return;
    }
    let session = Session::new();
    let head = "#include <heddle.h>\n#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n";
    let proved = |body: &str| {
        let file = session.write("header.c", format!("{head}int main(void) {{ {body} return 0; }}\n"));
        session.run(["prove", file.to_str().expect("a name")])
    };
    proved("int x = __VERIFIER_nondet_int(); heddle_assume(x < 7); assert(x != 9);").must_say(0, &["safe"]);
    proved("int x = __VERIFIER_nondet_int(); heddle_assume(x < 7); assert(x != 5);").must_say(1, &["assertion"]);
    proved("int x = __VERIFIER_nondet_int(); heddle_assert(x != 5);").must_say(1, &["assertion"]);
    proved("heddle_progress(); heddle_prop(\"p\", 1);").must_say(0, &["safe"]);
    proved("assert(heddle_choose(4) != 3);").must_say(1, &["assertion"]);
    proved("assert(heddle_choose(4) != 4);").must_say(0, &["safe"]);
    proved("heddle_reachable(\"never\");").must_say(4, &["heddle_reached"]);
    proved("heddle_atomic_begin(); heddle_atomic_end();").must_say(0, &["engine trace"]);
    let of_check = session
        .write("ours.c", "#include <assert.h>\nint main(void) {\n#ifdef __HEDDLE__\nassert(0);\n#endif\nreturn 0; }\n");
    session.run(["prove", of_check.to_str().expect("a name")]).must_say(1, &["ours.c:4"]);
}
