//! Tests with programs that the machine's compilers make.

use std::path::Path;
use std::process::Command;

use super::*;
use crate::temporary::TemporaryDirectory;

const PROGRAM: &str = r#"#include <pthread.h>
struct account { long balance; pthread_mutex_t lock; int history[4]; };
struct account savings[3];
static int grid[2][5];
pthread_mutex_t forks[5];
int plain = 1;
static inline __attribute__((always_inline)) int inner(int x) { return x + (int)(long)__builtin_return_address(0); }
__attribute__((noinline)) int outer(int x) {
    static long calls;
    calls++;
    return inner(x) + 1;
}
int main(void) { return outer(grid[1][2]); }
"#;

const CXX_PROGRAM: &str = r#"#include <atomic>
#include <mutex>
namespace bank {
struct Account { long balance; std::mutex lock; std::atomic<int> version; static int count; };
int Account::count = 1;
Account accounts[2];
std::atomic<int> counters[3];
}
std::mutex lock;
long next() { static long calls; return ++calls; }
int main() { std::lock_guard<std::mutex> guard(lock); return bank::accounts[1].version + (int)next() + bank::counters[2]; }
"#;

/// A compiled program, mapped at `base` as the kernel would.
fn symbols(compiler: &str, folder: &TemporaryDirectory, base: u64) -> Option<(Symbols, Addresses)> {
    let cxx = compiler.contains("++");
    let source = folder.path().join(if cxx { "program.cpp" } else { "program.c" });
    std::fs::write(&source, if cxx { CXX_PROGRAM } else { PROGRAM }).unwrap();
    let output = folder.path().join(compiler);
    let status = Command::new(compiler).args(["-g", "-O0", "-o"]).arg(&output).arg(&source).status();
    if !status.ok()?.success() {
        return None;
    }
    let text = format!("{base:x}-{:x} r--p 00000000 fe:00 1 {}\n", base + 0x10000, output.display());
    Some((Symbols::new(&Mappings::parse(&text)), Addresses { base, table: addresses(&output) }))
}

struct Addresses {
    base: u64,
    table: HashMap<String, u64>,
}

impl Addresses {
    fn of(&self, name: &str) -> u64 {
        self.base + self.table[name]
    }
}

fn addresses(path: &Path) -> HashMap<String, u64> {
    use object::{Object, ObjectSymbol};
    let bytes = std::fs::read(path).unwrap();
    let elf = object::File::parse(&*bytes).unwrap();
    elf.symbols().map(|symbol| (symbol.name().unwrap().to_owned(), symbol.address())).collect()
}

#[test]
fn variables_and_lines_with_every_compiler() {
    let folder = TemporaryDirectory::new().unwrap();
    let mut tried = 0;
    for compiler in ["gcc", "clang-14", "clang-19", "clang"] {
        let Some((symbols, at)) = symbols(compiler, &folder, 0x5555_5555_4000) else { continue };
        tried += 1;
        let name = |address| symbols.object(ObjectId(address));
        let named = |text: &str| Some(text.to_owned());
        assert_eq!(name(at.of("plain")), named("plain"), "{compiler}");
        assert_eq!(name(at.of("forks") + 2 * 40), named("forks[2]"), "{compiler}");
        assert_eq!(name(at.of("forks") + 5 * 40), None, "{compiler}: past the end");
        // 8 for the balance, 40 for the mutex, 16 for the history.
        assert_eq!(name(at.of("savings")), named("savings[0].balance"), "{compiler}");
        assert_eq!(name(at.of("savings") + 64 + 8), named("savings[1].lock"), "{compiler}");
        assert_eq!(name(at.of("savings") + 128 + 48 + 12), named("savings[2].history[3]"), "{compiler}");
        assert_eq!(name(at.of("grid") + 4 * 7), named("grid[1][2]"), "{compiler}");

        let outer = at.of("outer");
        let frames = symbols.frames(outer + 1);
        assert_eq!(frames[0].function, "outer", "{compiler}");
        assert_eq!(frames[0].line, 8, "{compiler}");
        assert!(frames[0].file.ends_with("program.c"), "{compiler}: {}", frames[0].file);
        // Somewhere in it is the inlined call: two frames, and the outer one says where the call stands.
        let inlined = (1..120).map(|offset| symbols.frames(outer + offset)).find(|frames| frames.len() == 2).unwrap();
        assert_eq!((inlined[0].function.as_str(), inlined[0].line), ("inner", 7), "{compiler}");
        assert_eq!((inlined[1].function.as_str(), inlined[1].line), ("outer", 11), "{compiler}");
        assert_eq!(symbols.location(&[outer + 1]).unwrap().line, 8);
    }
    assert!(tried > 0, "no compiler at all");
}

#[test]
fn variables_of_cxx() {
    let folder = TemporaryDirectory::new().unwrap();
    let mut tried = 0;
    for compiler in ["g++", "clang++-14", "clang++-19", "clang++"] {
        let Some((symbols, at)) = symbols(compiler, &folder, 0x5555_5555_4000) else { continue };
        tried += 1;
        let name = |address| symbols.object(ObjectId(address)).unwrap_or_default();
        assert_eq!(name(at.of("lock")), "lock", "{compiler}");
        assert_eq!(name(at.of("_ZN4bank8countersE") + 8), "bank::counters[2]", "{compiler}");
        let accounts = at.of("_ZN4bank8accountsE");
        // 8 for the balance, 40 for the mutex, 4 for the version, 4 to be even.
        assert_eq!(name(accounts + 56 + 8), "bank::accounts[1].lock", "{compiler}");
        assert_eq!(name(accounts + 48), "bank::accounts[0].version", "{compiler}");
        assert_eq!(name(at.of("_ZZ4nextvE5calls")), "next::calls", "{compiler}");
        assert_eq!(name(at.of("_ZN4bank7Account5countE")), "bank::Account::count", "{compiler}");
        let main = symbols.frames(at.of("main") + 1);
        assert_eq!((main[0].function.as_str(), main[0].line), ("main", 11), "{compiler}");
    }
    assert!(tried > 0, "no compiler at all");
}

#[test]
fn places_without_a_name() {
    let symbols = Symbols::new(&Mappings::parse("7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]\n"));
    assert_eq!(symbols.place(wire::HEAPS + 3 * wire::HEAP_STRIDE + 64), Place::Heap(ThreadId(3)));
    assert_eq!(symbols.place(wire::STACKS + 2 * wire::STACK_STRIDE + 64), Place::Stack(ThreadId(2)));
    assert_eq!(symbols.place(0x7fff_ffff_0000), Place::Stack(ThreadId::MAIN));
    assert_eq!(symbols.place(64), Place::Unknown);
    assert_eq!(symbols.object(ObjectId::thread(ThreadId(1))), None);
}
