//! Random functions in C, which is also C++.
//!
//! All arithmetic is on unsigned numbers, all indices are in range, every variable is initialised, and a global counter ends what would
//! run too long. So a program always prints the same, unless somebody changes what it still reads.

use std::fmt::Write as _;

/// The functions of a program.
const FUNCTIONS: usize = 14;
/// The types of variables.
const TYPES: [&str; 8] = ["long", "int", "unsigned", "char", "short", "unsigned long", "double", "volatile int"];

/// The text of a program. `is_cpp`: in C++, with exceptions.
pub fn program(seed: u64, is_cpp: bool) -> String {
    let mut writer =
        Writer { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, text: String::new(), is_cpp, names: 0 };
    writer.line("static long fuel = 4000;");
    writer.line("struct pair { int x; long y; char z[5]; };");
    writer.line(
        "__attribute__((noinline)) static long touch(int *p, long a) { hook(a); *p += (int)(a & 7); return *p; }",
    );
    writer.line("__attribute__((noinline)) static long spread(const int *p, int n) { long s = 0; while (n--) s = s * 5 + hook(p[n]); return s; }");
    writer.line("__attribute__((noinline)) static struct pair swap(struct pair a) { struct pair b = a; b.x = (int)hook(a.x + 1); b.y ^= a.x; return b; }");
    for number in 0..FUNCTIONS {
        writer.function(number);
    }
    writer.line("int main(void) {");
    for number in 0..FUNCTIONS {
        let _ = writeln!(
            writer.text,
            "    fuel = 3000; printf(\"{number} %ld\\n\", f{number}({number}, 3, 5, 7, 9, 11, 13, 15));"
        );
    }
    let mut each = |list: &str, count: &str| {
        writer.line(&format!("    for (int i = 0; i < {count}; i++) for (long a = -3; a < 6; a++) printf(\"{list} %d %ld\\n\", i, {list}[i](a));"));
    };
    each("special", "SPECIAL");
    if is_cpp {
        each("special_cpp", "SPECIAL_CPP");
    }
    writer.line("    return 0;\n}");
    writer.text
}

struct Writer {
    state: u64,
    text: String,
    is_cpp: bool,
    names: u32,
}

/// The variables that a statement can use.
#[derive(Clone, Default)]
struct Scope {
    scalars: Vec<String>,
    ints: Vec<String>,
    arrays: Vec<String>,
    pairs: Vec<String>,
    /// The functions with smaller numbers may be called.
    function: usize,
    depth: u32,
}

impl Writer {
    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn one<'l>(&mut self, list: &'l [String]) -> &'l str {
        let number = self.below(list.len());
        &list[number]
    }

    fn function(&mut self, number: usize) {
        self.line(&format!("__attribute__((noinline)) static long f{number}(long a, int b, char c, long d, long e, int f, long g, short h) {{"));
        self.line("    if (fuel-- <= 0) return a;");
        let parameters = ["a", "b", "c", "d", "e", "f", "g", "h"].map(str::to_owned).to_vec();
        let mut scope =
            Scope { scalars: parameters, ints: vec!["b".into(), "f".into()], function: number, ..Scope::default() };
        let count = 5 + self.below(12);
        self.block(&mut scope, count);
        let result = self.expression(&scope, 2);
        self.line(&format!("    return (long)({result});\n}}"));
    }

    fn block(&mut self, scope: &mut Scope, count: usize) {
        for _ in 0..count {
            self.statement(scope);
        }
    }

    /// A block of its own, with variables of its own.
    fn inner(&mut self, scope: &Scope) {
        let mut inner = Scope { depth: scope.depth + 1, ..scope.clone() };
        let count = 1 + self.below(4);
        self.block(&mut inner, count);
    }

    fn statement(&mut self, scope: &mut Scope) {
        let is_deep = scope.depth >= 3;
        match self.below(if self.is_cpp { 26 } else { 24 }) {
            0..=3 => self.declare(scope),
            4..=7 => self.assign(scope),
            8..=9 => {
                let value = self.expression(scope, 1);
                self.line(&format!("hook((long)({value}));"));
            }
            10 => self.array(scope),
            11 => self.pair(scope),
            12..=13 => self.pointer(scope),
            14 if !is_deep => {
                let condition = self.expression(scope, 2);
                self.line(&format!("if (({condition}) & 1) {{"));
                self.inner(scope);
                self.line("} else {");
                self.inner(scope);
                self.line("}");
            }
            15..=16 if !is_deep => self.repeat(scope),
            17 if !is_deep => self.switch(scope),
            18..=19 => self.call(scope),
            20 => {
                let number = self.below(14);
                let (target, value) = (self.one(&scope.scalars.clone()).to_owned(), self.expression(scope, 1));
                self.line(&format!("{target} += (int)special[{number}]((long)(({value}) & 63));"));
            }
            21 => {
                let target = self.one(&scope.scalars.clone()).to_owned();
                self.line(&format!("if (fuel-- <= 0) return (long){target};"));
            }
            22 if !is_deep => {
                self.line("{");
                let name = self.name();
                let (size, value) = (8 + self.below(60), self.below(99));
                self.line(&format!("char {name}[{size}]; memset({name}, {value}, sizeof {name});"));
                self.inner(scope);
                let target = self.one(&scope.ints.clone()).to_owned();
                self.line(&format!("{target} += (int)hook({name}[3]) + {name}[7];\n}}"));
            }
            23 if !scope.ints.is_empty() => {
                let target = self.one(&scope.ints.clone()).to_owned();
                self.line(&format!("__asm__ volatile(\"addl $3, %0\" : \"+m\"({target}));"));
            }
            24 => self.exception(scope),
            _ => self.assign(scope),
        }
    }

    fn declare(&mut self, scope: &mut Scope) {
        let (kind, name, value) = (TYPES[self.below(TYPES.len())], self.name(), self.expression(scope, 2));
        self.line(&format!("{kind} {name} = ({})(({value}) & 0xffff);", kind.trim_start_matches("volatile ")));
        if kind == "int" {
            scope.ints.push(name.clone());
        }
        scope.scalars.push(name);
    }

    fn assign(&mut self, scope: &mut Scope) {
        let (target, value) = (self.one(&scope.scalars.clone()).to_owned(), self.expression(scope, 3));
        let call = if self.below(3) == 0 { "hook" } else { "" };
        self.line(&format!("{target} = {call}((int)(({value}) & 0x7fff));"));
    }

    fn array(&mut self, scope: &mut Scope) {
        if scope.arrays.is_empty() || self.below(3) == 0 {
            let name = self.name();
            let value = self.expression(scope, 1);
            self.line(&format!("int {name}[8] = {{1, 2, (int)({value}), 4}};"));
            scope.arrays.push(name);
            return;
        }
        let array = self.one(&scope.arrays.clone()).to_owned();
        let (index, value) = (self.index(scope), self.expression(scope, 2));
        self.line(&format!("{array}[{index}] = (int)({value});"));
    }

    fn index(&mut self, scope: &Scope) -> String {
        let value = self.one(&scope.scalars).to_owned();
        match self.below(5) {
            0 => format!("{}", self.below(8)),
            1 => format!("(int)((unsigned long){value} & 7)"),
            2 => format!("(size_t)((unsigned long){value} & 3) + 4"),
            3 => format!("(size_t)((unsigned long){value} & 3) + 1 - 1"),
            _ => format!("(size_t)(((unsigned long){value} & 3) + 1) - 1"),
        }
    }

    fn pair(&mut self, scope: &mut Scope) {
        let value = self.expression(scope, 1);
        if scope.pairs.is_empty() || self.below(3) == 0 {
            let name = self.name();
            self.line(&format!("struct pair {name} = {{(int)({value}), 2, {{1, 2, 3, 4, 5}}}};"));
            scope.pairs.push(name);
            return;
        }
        let pair = self.one(&scope.pairs.clone()).to_owned();
        match self.below(3) {
            0 => self.line(&format!("{pair} = swap({pair});")),
            1 => self.line(&format!("{pair}.y += (long)({value});")),
            _ => self.line(&format!("{pair}.z[(unsigned long)({value}) % 5] ^= 3;")),
        }
    }

    fn pointer(&mut self, scope: &mut Scope) {
        let (target, value) = (self.one(&scope.scalars.clone()).to_owned(), self.expression(scope, 1));
        match self.below(3) {
            0 if !scope.arrays.is_empty() => {
                let array = self.one(&scope.arrays.clone()).to_owned();
                self.line(&format!("{target} += (int)spread({array}, 8);"));
            }
            1 if !scope.arrays.is_empty() => {
                let (array, name) = (self.one(&scope.arrays.clone()).to_owned(), self.name());
                self.line(&format!(
                    "{{ int *{name} = {array} + 8; while ({name} != {array}) {target} += (int)hook(*--{name}) & 15; }}"
                ));
            }
            _ => {
                let (int, name) = (self.one(&scope.ints.clone()).to_owned(), self.name());
                self.line(&format!("{{ int *{name} = &{int}; {target} += (int)touch({name}, (long)({value})); hook(1); *{name} += 2; }}"));
            }
        }
    }

    fn repeat(&mut self, scope: &mut Scope) {
        let (name, rounds) = (self.name(), 1 + self.below(4));
        match self.below(3) {
            0 => self.line(&format!("for (int {name} = 0; {name} < {rounds} && fuel > 0; {name}++, fuel--) {{")),
            1 => self.line(&format!("int {name} = {rounds}; while ({name}-- > 0 && fuel-- > 0) {{")),
            _ => self.line(&format!("unsigned {name} = 0; do {{")),
        }
        let is_do = self.text.ends_with("do {\n");
        self.inner(scope);
        self.line(&if is_do { format!("}} while (hook({name}++) < {rounds} && fuel-- > 0);") } else { "}".to_owned() });
    }

    fn switch(&mut self, scope: &mut Scope) {
        let (value, cases) = (self.expression(scope, 2), 3 + self.below(7));
        self.line(&format!("switch ((unsigned long)({value}) % {}) {{", cases + 1));
        for case in 0..cases {
            self.line(&format!("case {case}: {{"));
            self.inner(scope);
            let falls = self.below(4) == 0;
            self.line(if falls { "} /* fall through */" } else { "} break;" });
        }
        self.line("default: {");
        self.inner(scope);
        self.line("} break;\n}");
    }

    fn call(&mut self, scope: &mut Scope) {
        if scope.function == 0 {
            return self.assign(scope);
        }
        let callee = self.below(scope.function);
        let target = self.one(&scope.scalars.clone()).to_owned();
        let values: Vec<String> = (0..8).map(|_| format!("(int)(({}) & 0x3f)", self.expression(scope, 1))).collect();
        self.line(&format!("{target} = (int)(f{callee}({}) & 0x7fff);", values.join(", ")));
    }

    fn exception(&mut self, scope: &mut Scope) {
        let value = self.expression(scope, 1);
        let target = self.one(&scope.scalars.clone()).to_owned();
        self.line("try {");
        self.inner(scope);
        self.line(&format!("{target} += (int)risky((long)(({value}) & 7));"));
        self.line("} catch (long thrown) {");
        self.line(&format!("{target} += (int)thrown;"));
        self.inner(scope);
        self.line("} catch (...) {");
        self.inner(scope);
        self.line("}");
    }

    /// An expression of type `unsigned long`.
    fn expression(&mut self, scope: &Scope, depth: u32) -> String {
        let choice = self.below(if depth == 0 { 4 } else { 10 });
        let inner = |writer: &mut Writer| writer.expression(scope, depth - 1);
        match choice {
            0 => format!("{}ul", self.below(100)),
            1 if !scope.arrays.is_empty() => {
                let array = self.one(&scope.arrays).to_owned();
                format!("(unsigned long){array}[{}]", self.index(scope))
            }
            2 if !scope.pairs.is_empty() => {
                let pair = self.one(&scope.pairs).to_owned();
                let member = ["x", "y", "z[2]"][self.below(3)];
                format!("(unsigned long){pair}.{member}")
            }
            4..=6 => {
                let operator = ["+", "-", "*", "^", "&", "|"][self.below(6)];
                format!("({} {operator} {})", inner(self), inner(self))
            }
            7 => format!("(unsigned long)({} < {})", inner(self), inner(self)),
            8 => format!("(({} & 1) ? {} : {})", inner(self), inner(self), inner(self)),
            9 => format!("(unsigned long)hook((long)({}))", inner(self)),
            _ => format!("(unsigned long)(long){}", self.one(&scope.scalars)),
        }
    }
}
