//! What execution of one thread finds wrong: each program has one fault, or none, at a known line.

use std::collections::HashMap;

use heddle_symbolic::ir::Module;
use heddle_symbolic::machine::{Kind, Machine, Options};
use heddle_symbolic::term::{Assignment, Terms};

use crate::common::{read, with_stack};

const HEAD: &str = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\nextern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\nvoid reach_error(void);\n";

/// The conditions that are violated for these inputs: their kinds and lines, counted from the program's first line.
fn violated(body: &str, options: Options) -> Option<Result<Vec<(Kind, u32)>, String>> {
    let module = read(&format!("{HEAD}#line 1\n{body}"))?.expect("it is read");
    Some(execute(&module, options))
}

fn execute(module: &Module, options: Options) -> Result<Vec<(Kind, u32)>, String> {
    let module = module.clone();
    with_stack(move || {
        let mut machine = Machine::new(&module, options);
        if let Err(refusal) = machine.execute() {
            return Err(format!("{}: {}", refusal.site.line, refusal.what));
        }
        let found = machine.conditions.iter().filter(|condition| {
            assert_ne!(condition.violated, Terms::FALSE);
            machine.terms.eval(condition.violated, &Assignment::new()) != 0
        });
        Ok(found.map(|condition| (condition.kind, condition.site.line)).collect())
    })
}

/// A program, its input, and what is wrong where.
type Case = (&'static str, i32, Option<(Kind, u32)>);

fn given(inputs: &[i32]) -> Options {
    let inputs = inputs.iter().map(|value| u128::from(*value as u32)).collect();
    Options { sequential: true, undefined: true, leaks: true, inputs, ..Options::default() }
}

#[test]
fn faults_are_found_where_they_are() {
    let main = |body: &str| format!("int main(void) {{\nint x = __VERIFIER_nondet_int();\n{body}\nreturn 0; }}");
    let cases: [Case; 34] = [
        ("assert(x == 3);", 3, None),
        ("assert(x == 3);", 4, Some((Kind::Assertion, 3))),
        ("if (x > 7) reach_error();", 7, None),
        ("if (x > 7) reach_error();", 8, Some((Kind::Error, 3))),
        ("if (x) abort();", 1, Some((Kind::Abort, 3))),
        ("int *p = x ? &x : 0;\n*p = 1;", 1, None),
        ("int *p = x ? &x : 0;\n*p = 1;", 0, Some((Kind::Null, 4))),
        ("int a[4] = { 0 };\na[x] = 1;", 3, None),
        ("int a[4] = { 0 };\na[x] = 1;", 4, Some((Kind::Bounds, 4))),
        ("int a[4] = { 0 };\nreturn a[x];", -1, Some((Kind::Bounds, 4))),
        ("int a[4];\nmemset(a, 0, 17);", 0, Some((Kind::Bounds, 4))),
        ("char b[4];\nstrcpy(b, x ? \"abcd\" : \"abc\");", 0, None),
        ("char b[4];\nstrcpy(b, x ? \"abcd\" : \"abc\");", 1, Some((Kind::Bounds, 4))),
        ("int *p = malloc(4);\nfree(p);\nif (x) *p = 1;", 0, None),
        ("int *p = malloc(4);\nfree(p);\nif (x) *p = 1;", 1, Some((Kind::Dangling, 5))),
        ("int *p = malloc(4);\nfree(p);\nif (x) free(p);", 1, Some((Kind::DoubleFree, 5))),
        ("int y; int *p = x ? &y : malloc(4);\nfree(p);", 1, Some((Kind::InvalidFree, 4))),
        ("char *p = malloc(4);\nfree(p + x);", 0, None),
        ("char *p = malloc(4);\nfree(p + x);", 1, Some((Kind::InvalidFree, 4))),
        ("char *p = malloc(4);\nif (x) free(p);", 1, None),
        ("char *p = malloc(4);\nif (x) free(p);", 0, Some((Kind::Leak, 3))),
        ("return 7 / x;", 0, Some((Kind::Division, 3))),
        ("return 7 % x;", 2, None),
        ("return (-2147483647 - 1) / x;", -1, Some((Kind::Division, 3))),
        ("x = x + 1;", i32::MAX, Some((Kind::Overflow, 3))),
        ("x = x + 1;", i32::MAX - 1, None),
        ("unsigned u = x; u = u + 1;", -1, None),
        ("x = x * 65536;", 32767, None),
        ("x = x * 65536;", 32768, Some((Kind::Overflow, 3))),
        ("return 1 >> x;", 31, None),
        ("return 1 >> x;", 32, Some((Kind::Shift, 3))),
        ("char *s = \"abc\";\nif (x) s[0] = 'x';", 1, Some((Kind::Constant, 4))),
        ("__VERIFIER_assume(x != 5);\nassert(x != 5);", 5, None),
        ("int y; assert(&y != &x); int *p = (int *)((uintptr_t)&y + 0);\n*p = 4; assert(y == 4);", 1, None),
    ];
    let mut modules: HashMap<&str, Module> = HashMap::new();
    for (body, input, expected) in cases {
        if !modules.contains_key(body) {
            let Some(module) = read(&format!("{HEAD}#line 1\n{}", main(body))) else { return };
            modules.insert(body, module.expect("it is read"));
        }
        let found = execute(&modules[body], given(&[input]));
        let found = found.unwrap_or_else(|words| panic!("{body}: {words}"));
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{body} with {input}");
    }
}

#[test]
fn a_local_variable_ends_with_its_call() {
    let body = "int *f(void) {\nint x = 1;\nreturn &x; }\nint main(void) {\nint *p = f();\nreturn *p; }";
    let Some(found) = violated(body, given(&[])) else { return };
    assert_eq!(found, Ok(vec![(Kind::Dangling, 6)]));
}

#[test]
fn what_is_not_followed_is_refused_with_its_line() {
    let refused = |body: &str| match violated(body, given(&[])) {
        None => None,
        Some(Ok(found)) => panic!("{body}: {found:?}"),
        Some(Err(words)) => Some(words),
    };
    let setjmp = "#include <setjmp.h>\njmp_buf b;\nint main(void) {\nreturn setjmp(b); }";
    let Some(words) = refused(setjmp) else { return };
    assert_eq!(words, "4: the function _setjmp");
    let words = refused("int main(void) {\n__asm__ volatile(\"nop\");\nreturn 0; }").expect("as above");
    assert_eq!(words, "2: inline assembly");
    let words = refused("#include <unistd.h>\nint main(void) {\n\nreturn fork(); }").expect("as above");
    assert_eq!(words, "4: the function fork");
    let jump = "int main(void) { int x = __VERIFIER_nondet_int();\nif (x) goto b;\na: x--;\nb: if (x > 0) goto a;\nreturn x; }";
    assert_eq!(refused(jump).expect("as above"), "4: a loop with several entries");
}

#[test]
fn code_that_is_not_reached_is_not_refused() {
    let body = "void f(void) { __asm__ volatile(\"nop\"); }\nint main(void) { int x = 0;\nif (x) f();\nreturn 0; }";
    let Some(found) = violated(body, given(&[])) else { return };
    assert_eq!(found, Ok(vec![]));
}

#[test]
fn loops_with_an_open_end_are_cut_where_they_are() {
    let body = "int main(void) {\nint x = __VERIFIER_nondet_int(), s = 0;\nfor (int i = 0; i < x; i++)\ns += i;\n\
                for (int i = 0; i < 1000; i++) s++;\nreturn s; }";
    let Some(module) = read(&format!("{HEAD}#line 1\n{body}")) else { return };
    let module = module.expect("it is read");
    with_stack(move || {
        let mut machine = Machine::new(&module, Options { unwind: 5, sequential: true, ..Options::default() });
        machine.execute().expect("it is followed");
        let lines: Vec<u32> = machine.cuts.iter().map(|cut| cut.site.line).collect();
        assert_eq!(lines, [3], "the loop with a constant bound runs to its end");
    });
}
