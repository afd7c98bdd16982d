//! The interpreter against the machine: random programs are compiled and run with numbers as inputs, and executed symbolically; what both
//! print is the same.
//!
//! Each program is executed three ways: natively; with the inputs as constants; and once with unknowns, whose output is then
//! evaluated for the same inputs. The last one goes through every merge.

use std::process::Command;

use heddle_symbolic::ir::Module;
use heddle_symbolic::machine::{Machine, Options, Printed, Refusal};
use heddle_symbolic::memory::bits_of;
use heddle_symbolic::term::{Assignment, TermId, Terms};

use crate::common::{Folder, reader, with_stack};
use crate::generate::Generator;

const INPUTS: &str = r#"
#include <stdlib.h>
static int next; static char **list;
__attribute__((constructor)) static void begin(int c, char **v) { (void)c; list = v + 1; }
int __VERIFIER_nondet_int(void) { return atoi(list[next++]); }
"#;

/// What was printed with these values of the unknowns.
fn output(terms: &mut Terms, printed: &[Printed], assignment: &Assignment) -> String {
    let mut text = String::new();
    for piece in printed {
        if !truth(terms, piece.guard, assignment) {
            continue;
        }
        let mut arguments = piece.arguments.iter();
        let format = String::from_utf8_lossy(&piece.format).into_owned();
        let mut parts = format.split("%lld");
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let value = arguments.next().expect("an argument for each place");
            let bits = bits_of(terms, value).expect("a number");
            text.push_str(&(number(terms, bits, assignment) as i64).to_string());
            text.push_str(part);
        }
    }
    text
}

fn truth(terms: &Terms, term: TermId, assignment: &Assignment) -> bool {
    number(terms, term, assignment) != 0
}

fn number(terms: &Terms, term: TermId, assignment: &Assignment) -> u128 {
    terms.eval(term, assignment)
}

fn execute(module: &Module, inputs: Vec<u128>) -> Result<Machine<'_>, Refusal> {
    let options = Options { sequential: true, inputs, unwind: 40, ..Options::default() };
    let mut machine = Machine::new(module, options);
    machine.execute()?;
    Ok(machine)
}

fn compare(seed: u64, source: String) {
    let Some(reader) = reader() else { return };
    let folder = Folder::new();
    // Programs are long: HEDDLE_SEEDS shows the one that failed.
    let told = if std::env::var_os("HEDDLE_SEEDS").is_some() { source.clone() } else { String::new() };
    let (file, inputs, program) = (folder.0.join("p.c"), folder.0.join("inputs.c"), folder.0.join("p"));
    std::fs::write(&file, &source).expect("written");
    std::fs::write(&inputs, INPUTS).expect("written");
    let compiled =
        Command::new("cc").args(["-O0", "-w", "-fwrapv", "-pthread", "-o"]).args([&program, &file, &inputs]).output();
    let compiled = compiled.expect("there is a C compiler");
    assert!(compiled.status.success(), "{}\n{told}", String::from_utf8_lossy(&compiled.stderr));
    let module = reader.read(&[file], &[], &folder.0).expect("it is read");
    let tries: [(i32, i32); 6] = [(0, 0), (1, -1), (5, 1000), (-77, 13), (i32::MAX, 255), (i32::MIN, 65537)];
    with_stack(move || {
        let mut open =
            execute(&module, Vec::new()).unwrap_or_else(|refusal| panic!("seed {seed}: {refusal:?}\n{told}"));
        for (x, y) in tries {
            let native = Command::new(&program).args([x.to_string(), y.to_string()]).output().expect("it runs");
            assert!(native.status.success(), "seed {seed}: {:?}", native.status);
            let native = String::from_utf8_lossy(&native.stdout).into_owned();
            let given = vec![u128::from(x as u32), u128::from(y as u32)];
            let mut closed = execute(&module, given.clone()).expect("it is followed");
            let none = Assignment::new();
            for condition in &closed.conditions {
                let violated = truth(&closed.terms, condition.violated, &none);
                assert!(!violated, "seed {seed} ({x}, {y}): {condition:?}\n{told}");
            }
            let printed = closed.printed.clone();
            let constant = output(&mut closed.terms, &printed, &none);
            assert_eq!(native, constant, "seed {seed}, constants {x} {y}\n{told}");
            let mut assignment = Assignment::new();
            for (input, value) in open.inputs.clone().iter().zip(&given) {
                let variable = open.terms.as_variable(input.value).expect("an unknown");
                assignment.set(variable, *value);
            }
            for cut in &open.cuts {
                assert!(!truth(&open.terms, cut.guard, &assignment), "seed {seed}: {cut:?}");
            }
            for condition in &open.conditions {
                let violated = truth(&open.terms, condition.violated, &assignment);
                assert!(!violated, "seed {seed} ({x}, {y}): {condition:?}\n{told}");
            }
            let printed = open.printed.clone();
            let evaluated = output(&mut open.terms, &printed, &assignment);
            assert_eq!(native, evaluated, "seed {seed}, unknowns at {x} {y}\n{told}");
        }
    });
}

#[test]
fn random_programs_print_the_same() {
    let (first, count) = match std::env::var("HEDDLE_SEEDS") {
        Ok(range) => {
            let (first, count) = range.split_once('+').expect("FIRST+COUNT");
            (first.parse().expect("a number"), count.parse().expect("a number"))
        }
        Err(_) => (0, 8),
    };
    for seed in first..first + count {
        compare(seed, Generator::new(seed).program());
    }
}

/// One program, to look at: HEDDLE_SOURCE names its file.
#[test]
#[ignore = "needs a file"]
fn a_program_prints_the_same() {
    let file = std::env::var("HEDDLE_SOURCE").expect("a file");
    compare(0, std::fs::read_to_string(file).expect("it can be read"));
}
