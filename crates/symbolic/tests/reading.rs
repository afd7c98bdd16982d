//! The reader: C to the intermediate representation.

use heddle_symbolic::ir::{Constant, Inst, Places, ReadError, Reader, Terminator};

use crate::common::{Folder, read, reader};

#[test]
fn instructions_have_their_lines() {
    let Some(module) = read("int shared;\nint twice(int x) {\n  shared = 7;\n  return x + x;\n}\n") else { return };
    let module = module.expect("it is read");
    let twice = &module.functions[module.function("twice").expect("it is there") as usize];
    assert_eq!(twice.blocks.len(), 1);
    let stores: Vec<_> = twice.blocks[0].insts.iter().filter(|(i, _)| matches!(i, Inst::Store { .. })).collect();
    assert_eq!(stores.len(), 1, "the parameter is promoted, the shared variable is not");
    assert_eq!(stores[0].1.line, 3);
    assert!(module.files[stores[0].1.file as usize].ends_with("program.c"));
    assert!(matches!(twice.blocks[0].end, Terminator::Return(Some(_))));
    assert_eq!(module.globals.iter().filter(|g| g.name == "shared").map(|g| g.size).collect::<Vec<_>>(), [4]);
}

#[test]
fn loops_and_merges_are_found() {
    let source =
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i & 1) s += i; else s -= i; } return s; }";
    let Some(module) = read(source) else { return };
    let module = module.expect("it is read");
    let f = &module.functions[module.function("f").expect("it is there") as usize];
    assert_eq!(f.loops.len(), 1);
    assert!(f.variables.len() >= 3, "n, s and i are registers");
    assert!(
        f.blocks.iter().all(|b| b.insts.iter().all(|(i, _)| !matches!(i, Inst::Load { .. } | Inst::Alloca { .. })))
    );
}

#[test]
fn an_address_that_is_taken_stays_in_memory() {
    let Some(module) = read("void g(int *); int f(void) { int x = 3; g(&x); return x; }") else { return };
    let module = module.expect("it is read");
    let f = &module.functions[module.function("f").expect("it is there") as usize];
    assert!(f.blocks[0].insts.iter().any(|(i, _)| matches!(i, Inst::Alloca { .. })));
}

#[test]
fn what_is_not_followed_is_an_instruction() {
    let Some(module) = read("int f(void) { int x; __asm__(\"mov $1, %0\" : \"=r\"(x)); return x; }") else { return };
    let module = module.expect("it is read");
    let f = &module.functions[module.function("f").expect("it is there") as usize];
    let refused = f.blocks[0].insts.iter().find_map(|(inst, site)| match inst {
        Inst::Refused { what, .. } => Some((what.as_str(), site.line)),
        _ => None,
    });
    assert_eq!(refused, Some(("inline assembly", 1)));
}

#[test]
fn initialisers_are_read() {
    let source = "struct s { char c; int *p; short a[3]; }; int x; struct s s = { 'a', &x, { 1, -1 } }; \
                  const char *t = \"ab\"; double d = 1.5; unsigned long long big[2] = { ~0ULL, 1 };";
    let Some(module) = read(source) else { return };
    let module = module.expect("it is read");
    let initial = |name: &str| {
        module.globals.iter().find(|g| g.name == name).and_then(|g| g.initial.clone()).expect("it has a value")
    };
    let Constant::Aggregate(_, fields) = initial("s") else { panic!("a struct") };
    assert_eq!(fields[0], Constant::Bits(8, 97));
    assert!(matches!(fields[1], Constant::Global(_, 0)));
    assert_eq!(initial("d"), Constant::Bits(64, u128::from(1.5f64.to_bits())));
    assert!(matches!(initial("t"), Constant::Global(_, 0)));
    let Constant::Aggregate(_, big) = initial("big") else { panic!("an array") };
    assert_eq!(big, [Constant::Bits(64, u128::from(u64::MAX)), Constant::Bits(64, 1)]);
}

#[test]
fn two_files_are_one_program() {
    let Some(reader) = reader() else { return };
    let folder = Folder::new();
    let files = [folder.0.join("a.c"), folder.0.join("b.c")];
    std::fs::write(&files[0], "int twice(int); int main(void) { return twice(2); }").expect("it can be written");
    std::fs::write(&files[1], "int twice(int x) { return 2 * x; }").expect("it can be written");
    let module = reader.read(&files, &[], &folder.0).expect("it is read");
    let twice = &module.functions[module.function("twice").expect("it is there") as usize];
    assert!(!twice.blocks.is_empty());
}

#[test]
fn errors_say_what_is_missing() {
    let nothing = Places { clang: None, library: None, path: Vec::new() };
    assert!(matches!(nothing.find(), Err(ReadError::NoClang)));
    let folder = Folder::new();
    let script = |name: &str, version: &str| {
        use std::os::unix::fs::PermissionsExt;
        let file = folder.0.join(name);
        std::fs::write(&file, format!("#!/bin/sh\necho 'Debian clang version {version}'\n")).expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("executable");
        file
    };
    let old = Places { clang: Some(script("old", "14.0.6")), library: None, path: Vec::new() };
    let error = old.find().expect_err("it is too old");
    assert!(matches!(error, ReadError::TooOld { version: 14, .. }));
    assert!(error.is_unsupported() && error.to_string().contains("apt install clang-19"), "{error}");
    let alone = Places { clang: Some(script("new", "99.1.0")), library: None, path: Vec::new() };
    assert!(matches!(alone.find(), Err(ReadError::NoLibrary { version: 99, .. })));
}

#[test]
fn a_program_that_does_not_compile_is_an_error_with_the_compilers_words() {
    let Some(result) = read("int f(void) { return nobody; }") else { return };
    let error = result.expect_err("it does not compile");
    assert!(!error.is_unsupported());
    assert!(error.to_string().contains("nobody"), "{error}");
}

#[test]
fn a_crash_of_the_other_process_is_an_error() {
    let Some(mut reader) = reader() else { return };
    reader.child = vec!["/bin/sh".into(), "-c".into(), "kill -SEGV $$".into()];
    let folder = Folder::new();
    let file = folder.0.join("a.c");
    std::fs::write(&file, "int x;").expect("written");
    let error = reader.read(&[file], &[], &folder.0).expect_err("it crashed");
    assert!(matches!(&error, ReadError::Child(words) if words.contains("signal")), "{error}");
}

#[test]
fn bitcode_that_is_broken_is_an_error() {
    let Some(reader) = reader() else { return };
    let folder = Folder::new();
    let file = folder.0.join("broken.bc");
    std::fs::write(&file, b"BC\xc0\xde not bitcode").expect("written");
    let child = Reader { child: vec![env!("CARGO_BIN_EXE_heddle-read-ir").into()], ..reader };
    let output =
        std::process::Command::new(&child.child[0]).arg(&child.toolchain.library).arg(&file).output().expect("it runs");
    assert!(!output.status.success());
}
