//! OpenMP: the runtime stands for libgomp and libomp.

use crate::common::{Session, clang};

/// Programs, with the exit code and words that the report must have. `THREADS` is the region's clause.
const PROGRAMS: [(&str, &str, i32, &[&str]); 12] = [
    ("empty", "int main(void) {\n#pragma omp parallel num_threads(2)\n{ }\nreturn 0; }\n", 0, &["safe"]),
    (
        "loop",
        "#include <assert.h>\nint main(void) { int a[4] = {0};\n#pragma omp parallel for num_threads(2)\n\
         for (int i = 0; i < 4; i++) a[i] = i;\nassert(a[3] == 3 && a[1] == 1); return 0; }\n",
        0,
        &["safe: the only execution"],
    ),
    (
        "critical",
        "#include <assert.h>\nint main(void) { int n = 0;\n#pragma omp parallel num_threads(3)\n{\n#pragma omp critical\nn++;\n}\n\
         assert(n == 3); return 0; }\n",
        0,
        &["safe: all 6 executions"],
    ),
    (
        "named",
        "#include <assert.h>\nint main(void) { int n = 0, m = 0;\n#pragma omp parallel num_threads(2)\n{\n#pragma omp critical(one)\nn++;\n\
         #pragma omp critical(other)\nm++;\n}\nassert(n == 2 && m == 2); return 0; }\n",
        0,
        &["safe: all 4 executions"],
    ),
    (
        "race",
        "int main(void) { int n = 0;\n#pragma omp parallel num_threads(2)\nn++;\nreturn n == 77; }\n",
        1,
        &["data-race"],
    ),
    (
        "two sections",
        "#include <assert.h>\nint main(void) { int n = 0;\n#pragma omp parallel num_threads(2)\n{ int seen;\n#pragma omp critical\n\
         seen = n;\n#pragma omp critical\nn = seen + 1;\n}\nassert(n == 2); return 0; }\n",
        1,
        &["assertion `n == 2` failed"],
    ),
    (
        "barrier",
        "#include <assert.h>\nint main(void) { int n = 0;\n#pragma omp parallel num_threads(2)\n{\n#pragma omp atomic\nn += 1;\n\
         #pragma omp barrier\nassert(n == 2);\n}\nreturn 0; }\n",
        0,
        &["safe"],
    ),
    (
        "no barrier",
        "#include <assert.h>\nint main(void) { int n = 0;\n#pragma omp parallel num_threads(2)\n{ int seen;\n#pragma omp atomic\nn += 1;\n\
         #pragma omp atomic read\nseen = n;\nassert(seen == 2);\n}\nreturn 0; }\n",
        1,
        &["assertion `seen == 2` failed"],
    ),
    (
        "reduction",
        "#include <assert.h>\nint main(void) { int sum = 0;\n#pragma omp parallel for reduction(+:sum) num_threads(3)\n\
         for (int i = 0; i < 9; i++) sum += i;\nassert(sum == 36); return 0; }\n",
        0,
        &["safe: all 6 executions"],
    ),
    (
        "dynamic",
        "#include <assert.h>\nint main(void) { int a[5] = {0}, once = 0;\n#pragma omp parallel num_threads(2)\n{\n\
         #pragma omp for schedule(dynamic, 2)\nfor (int i = 4; i >= 0; i--) a[i] = i + 1;\n#pragma omp single\nonce++;\n}\n\
         for (int i = 0; i < 5; i++) assert(a[i] == i + 1);\nassert(once == 1); return 0; }\n",
        0,
        &["safe"],
    ),
    (
        "who takes the first piece",
        "#include <assert.h>\nextern int omp_get_thread_num(void);\nint main(void) { int who[2];\n\
         #pragma omp parallel for schedule(dynamic, 1) num_threads(2)\nfor (int i = 0; i < 2; i++) who[i] = omp_get_thread_num();\n\
         assert(who[0] == 0); return 0; }\n",
        1,
        &["assertion `who[0] == 0` failed"],
    ),
    (
        "task",
        "int main(void) { int n = 0;\n#pragma omp parallel num_threads(2)\n#pragma omp single\n{\n#pragma omp task shared(n)\nn++;\n}\n\
         return n == 77; }\n",
        4,
        &["unsupported: `", "task"],
    ),
];

fn hold(session: &Session, more: &[&str]) {
    for (name, source, code, words) in PROGRAMS {
        let file = session.write(&format!("{}.c", name.replace(' ', "-")), source).display().to_string();
        for level in ["-O0", "-O2"] {
            let arguments = [&["check", file.as_str(), "-fopenmp", level, "--minimise", "off"][..], more].concat();
            session.run(arguments).must_say(code, words);
        }
    }
}

#[test]
fn regions_that_gcc_compiles() {
    hold(&Session::compiling(), &["--cc", "gcc"]);
}

/// With a library in place of libomp that has its names only: nothing of it is called.
#[test]
fn regions_that_clang_compiles() {
    const NAMES: [&str; 20] = [
        "__kmpc_fork_call",
        "__kmpc_push_num_threads",
        "__kmpc_global_thread_num",
        "__kmpc_barrier",
        "__kmpc_critical",
        "__kmpc_end_critical",
        "__kmpc_single",
        "__kmpc_end_single",
        "__kmpc_reduce",
        "__kmpc_end_reduce",
        "__kmpc_reduce_nowait",
        "__kmpc_end_reduce_nowait",
        "__kmpc_for_static_init_4",
        "__kmpc_for_static_fini",
        "__kmpc_dispatch_init_4",
        "__kmpc_dispatch_next_4",
        "__kmpc_dispatch_deinit",
        "__kmpc_omp_task_alloc",
        "__kmpc_omp_task",
        "omp_get_thread_num",
    ];
    let session = Session::compiling();
    let source: String = NAMES.iter().map(|name| format!("void {name}(void) {{ __builtin_trap(); }}\n")).collect();
    let (source, library) = (session.write("omp.c", source), session.path("libomp.so"));
    let built = std::process::Command::new("gcc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(built.expect("gcc runs").success());
    let folder = session.path("").display().to_string();
    let (find, run) = (format!("-L{folder}"), format!("-Wl,-rpath,{folder}"));
    hold(&session, &["--cc", clang(), &find, &run]);
}

/// The environment says how many threads a region has that does not ask for a number.
#[test]
fn the_number_of_threads() {
    let session = Session::compiling();
    let source = "#include <assert.h>\nint main(void) { int n = 0;\n#pragma omp parallel\n{\n#pragma omp critical\nn++;\n}\n\
                  assert(n == 2); return 0; }\n";
    let file = session.write("number.c", source).display().to_string();
    session.run(["check", &file, "--cc", "gcc", "-fopenmp"]).must_say(0, &["safe: all 2 executions"]);
    let mut command = session.command(["check", &file, "--cc", "gcc", "-fopenmp"]);
    command.env("OMP_NUM_THREADS", "3");
    session.start(command).wait().must_say(1, &["assertion `n == 2` failed"]);
}
