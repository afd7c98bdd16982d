//! Random C programs without undefined behaviour. They read inputs, compute with all kinds of values, and print what they have.

use std::fmt::Write;

/// What every program begins with. Operators that could be undefined are wrapped.
pub const PRELUDE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
typedef long long ll; typedef unsigned long long ull;
#define ADD(x, y) ((ll)((ull)(x) + (ull)(y)))
#define SUB(x, y) ((ll)((ull)(x) - (ull)(y)))
#define MUL(x, y) ((ll)((ull)(x) * (ull)(y)))
#define ADDW(x, y) ((int)((unsigned)(x) + (unsigned)(y)))
#define MULW(x, y) ((int)((unsigned)(x) * (unsigned)(y)))
#define DIV(x, y) (((ll)(y) == 0 || (ll)(y) == -1) ? (ll)(x) : (ll)(x) / (ll)(y))
#define REM(x, y) (((ll)(y) == 0 || (ll)(y) == -1) ? (ll)(x) : (ll)(x) % (ll)(y))
#define UDIV(x, y) ((unsigned)(y) == 0 ? 1u : (unsigned)(x) / (unsigned)(y))
#define SHL(x, y) ((ll)((ull)(x) << ((y) & 63)))
#define SHR(x, y) ((ll)(x) >> ((y) & 63))
#define SHRW(x, y) ((unsigned)(x) >> ((y) & 31))
struct inner { short h; signed char c; };
struct s { char c; short h; int i; ll l; int arr[4]; struct inner in; unsigned b1 : 3; int b2 : 5; };
union u { int i; unsigned char b[4]; short h[2]; };
static int g[8] = { 3, -1, 4, 1, -5, 9, 2, 6 };
static ll total;
static int twice(int x) { return (int)((unsigned)x * 2u); }
static int minus(int x) { return (int)(0u - (unsigned)x); }
static int (*const table[2])(int) = { twice, minus };
static ll rec(int n, ll x) { return n <= 0 ? x : ADD(rec(n - 1, MUL(x, 3)), n); }
static void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; }
static struct s make(int i) { struct s r; memset(&r, 0, sizeof r); r.i = i; r.h = (short)i; r.arr[i & 3] = 7; return r; }
static void *runner(void *arg) { int *p = arg; for (int k = 0; k < 4; k++) p[k] = ADDW(p[k], g[k]); total = ADD(total, p[0]); return p + 1; }
"#;

/// A generator of programs.
pub struct Generator {
    seed: u64,
    text: String,
    depth: u32,
    loops: u32,
    names: u32,
}

impl Generator {
    /// The programs of a seed.
    pub fn new(seed: u64) -> Generator {
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Generator { seed, text: String::new(), depth: 0, loops: 0, names: 0 }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) % limit
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    /// A program with one input in three places.
    pub fn program(&mut self) -> String {
        let mut all = PRELUDE.to_owned();
        for function in 0..3 {
            self.text.clear();
            let count = 5 + self.below(5);
            for _ in 0..count {
                self.statement();
            }
            let body = std::mem::take(&mut self.text);
            let _ = write!(
                all,
                "static void f{function}(int in0, int in1) {{\n\
                 int a[8] = {{ 1, 2, 3, 4, 5, 6, 7, 8 }}; struct s s = make(in1), t = make(3); union u u; u.i = in0;\n\
                 int v0 = in0, *p = &a[2]; short v1 = (short)in1; unsigned char v2 = (unsigned char)in0; unsigned v3 = 7;\n\
                 ll v4 = in1; unsigned short v5 = 9; char buf[10] = \"abc\", other[10] = \"abd\"; double d = 1.5; struct s *q = &s;\n\
                 int *heap = malloc(4 * sizeof *heap); for (int k = 0; k < 4; k++) heap[k] = k * 3;\n{body}\
                 printf(\"%lld %lld %lld %lld %lld %lld\\n\", (ll)v0, (ll)v1, (ll)v2, (ll)v3, v4, (ll)v5);\n\
                 for (int k = 0; k < 8; k++) printf(\"%lld %lld\\n\", (ll)a[k], (ll)g[k]);\n\
                 printf(\"%lld %lld %lld %lld %lld\\n\", (ll)s.c, (ll)s.h, (ll)s.i, s.l, (ll)t.i);\n\
                 printf(\"%lld %lld %lld %lld\\n\", (ll)s.arr[0], (ll)s.arr[3], (ll)t.arr[1], (ll)s.in.h + s.in.c);\n\
                 printf(\"%lld %lld %lld %lld\\n\", (ll)u.i, (ll)*p, (ll)(p == &a[2]), total);\n\
                 printf(\"%lld %lld %lld\\n\", (ll)strlen(buf), (ll)(strcmp(buf, other) < 0), (ll)(d * 2.0));\n\
                 printf(\"%lld %lld %lld %lld\\n\", (ll)heap[0], (ll)heap[3], (ll)s.b1, (ll)t.b2);\n\
                 free(heap);\n}}\n"
            );
        }
        all.push_str("int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n");
        all.push_str("f0(x, y); f1(y, x); f2(x ^ y, 5); return 0; }\n");
        all
    }

    fn place(&mut self) -> String {
        match self.below(14) {
            0 => "v0".into(),
            1 => "v1".into(),
            2 => "v2".into(),
            3 => "v3".into(),
            4 => "v4".into(),
            5 => "v5".into(),
            6 => format!("a[({}) & 7]", self.expression()),
            7 => format!("g[({}) & 7]", self.expression()),
            8 => "*p".into(),
            9 => format!("s.{}", self.pick(&["c", "h", "i", "l", "arr[1]", "in.h", "in.c", "b1"])),
            10 => format!("q->arr[({}) & 3]", self.expression()),
            11 => format!("heap[({}) & 3]", self.expression()),
            12 => format!("u.{}", self.pick(&["i", "b[1]", "b[3]", "h[1]"])),
            _ => format!("t.{}", self.pick(&["h", "i", "arr[2]", "b2"])),
        }
    }

    fn expression(&mut self) -> String {
        if self.depth > 2 {
            return match self.below(3) {
                0 => format!("{}", self.below(20) as i64 - 6),
                1 => self.pick(&["v0", "v1", "v2", "v3", "v4", "v5", "in0", "in1"]).into(),
                _ => self.pick(&["s.h", "s.i", "u.b[2]", "*p", "t.l", "2147483647", "-128"]).into(),
            };
        }
        self.depth += 1;
        let text = match self.below(16) {
            0..=5 => {
                let op = self.pick(&["ADD", "SUB", "MUL", "ADDW", "MULW", "DIV", "REM", "UDIV", "SHL", "SHR", "SHRW"]);
                format!("{op}({}, {})", self.expression(), self.expression())
            }
            6 => format!("(({}) & ({}))", self.expression(), self.expression()),
            7 => format!("(({}) | ({}))", self.expression(), self.expression()),
            8 => format!("(({}) ^ ({}))", self.expression(), self.expression()),
            9 => {
                let op = self.pick(&["<", ">", "==", "!=", "<=", ">="]);
                format!("(({}) {op} ({}))", self.expression(), self.expression())
            }
            10 => {
                let op = self.pick(&["&&", "||"]);
                format!("(({}) {op} ({}))", self.expression(), self.expression())
            }
            11 => {
                let ty = self.pick(&["int", "unsigned", "short", "unsigned char", "signed char", "ll", "_Bool"]);
                format!("(({ty})({}))", self.expression())
            }
            12 => format!("(({}) ? ({}) : ({}))", self.expression(), self.expression(), self.expression()),
            13 => format!("(~({}))", self.expression()),
            _ => self.place(),
        };
        self.depth -= 1;
        text
    }

    fn statement(&mut self) {
        let name = self.names;
        self.names += 1;
        let choice = if self.loops > 1 { self.below(8) } else { self.below(22) };
        match choice {
            0..=4 => {
                let (place, value) = (self.place(), self.expression());
                let _ = writeln!(self.text, "{place} = {value};");
            }
            5 => {
                let (place, value) = (self.pick(&["v0", "v3", "v4", "*p"]), self.expression());
                let place = place.to_owned();
                let _ = writeln!(self.text, "{place} ^= {value};");
            }
            6 => {
                let index = self.expression();
                let base = self.pick(&["a", "g", "a", "s.arr"]);
                let mask = if base == "s.arr" { 3 } else { 7 };
                let _ = writeln!(self.text, "p = &{base}[({index}) & {mask}];");
            }
            7 => {
                let (condition, index) = (self.expression(), self.expression());
                let _ = writeln!(self.text, "p = ({condition}) ? &g[({index}) & 7] : &s.i;");
            }
            8..=11 => {
                let condition = self.expression();
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.block();
                if self.below(2) == 0 {
                    self.text.push_str("} else {\n");
                    self.block();
                }
                self.text.push_str("}\n");
            }
            12 | 13 => {
                let limit = self.expression();
                let _ = writeln!(self.text, "for (int k{name} = 0; k{name} < (({limit}) & 3); k{name}++) {{");
                self.loops += 1;
                self.block();
                if self.below(3) == 0 {
                    let condition = self.expression();
                    let way = self.pick(&["break", "continue"]);
                    let _ = writeln!(self.text, "if ({condition}) {way};");
                    self.block();
                }
                self.loops -= 1;
                self.text.push_str("}\n");
            }
            14 => {
                let value = self.expression();
                let _ = writeln!(self.text, "switch (({value}) & 3) {{ case 0: case 2:");
                self.block();
                let falls = self.below(2) == 0;
                self.text.push_str(if falls { "case 1:\n" } else { "break;\ncase 1:\n" });
                self.block();
                self.text.push_str("break;\ndefault:\n");
                self.block();
                self.text.push_str("}\n");
            }
            15 => {
                let (n, x) = (self.expression(), self.expression());
                let _ = writeln!(self.text, "v4 = rec(({n}) & 3, {x});");
            }
            16 => {
                let (x, y) = (self.expression(), self.expression());
                let _ = writeln!(self.text, "swap(&a[({x}) & 7], &g[({y}) & 7]); v0 = table[({x}) & 1](v0);");
            }
            17 => {
                let x = self.expression();
                let copied = self.pick(&["t = s;", "s = make(v0);", "memcpy(a + 1, g, 12);", "memmove(a + 1, a, 16);"]);
                let _ = writeln!(self.text, "{copied} q = ({x}) ? &s : &t;");
            }
            18 => {
                let (x, y) = (self.expression(), self.expression());
                let _ = writeln!(self.text, "buf[({x}) & 3] = (char)(97 + (({y}) & 1)); strcpy(other, buf);");
            }
            19 => {
                let x = self.expression();
                let _ = writeln!(
                    self.text,
                    "v5 = (unsigned short)(strlen(buf) + (strcmp(buf, \"abb\") > 0) * 8); buf[({x}) & 3] = 0;"
                );
            }
            20 => {
                let _ = writeln!(
                    self.text,
                    "{{ pthread_t h; void *r; pthread_create(&h, 0, runner, a + 1); pthread_join(h, &r); v0 = *(int *)r; }}"
                );
            }
            _ => {
                let _ = writeln!(
                    self.text,
                    "d = d * 1.25 + {}; memset(heap + 1, 1, 8); do {{ v3++; }} while (v3 & 3);",
                    self.names
                );
            }
        }
    }

    fn block(&mut self) {
        let (depth, loops) = (self.depth, self.loops);
        self.depth += 1;
        self.loops += 1;
        for _ in 0..1 + self.below(2) {
            self.statement();
        }
        (self.depth, self.loops) = (depth, loops);
    }
}
