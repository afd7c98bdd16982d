//! Finds statements of inline assembly that use memory, in the text of sources.
//!
//! Compilers instrument no assembly, and plain loads and stores in it look like any others in machine code. A statement uses memory if it has
//! an operand in memory, says that it changes memory, or has an address in its text. Empty statements (barriers for the compiler), fences,
//! pauses and system calls, which are caught elsewhere, do not count.
//!
//! Only statements on lines that the line table has code for are in the program: others were left out by the preprocessor. A statement in
//! a macro is in the program if the macro is named on such a line.

use std::collections::BTreeSet;

use heddle_model::finding::Location;

use super::sources::Source;

/// Instructions that use no memory that others could tell, though they may say so to keep the compiler from moving code across.
const HARMLESS: [&str; 23] = [
    "clflush",
    "clflushopt",
    "cpuid",
    "emms",
    "endbr64",
    "fldcw",
    "fnstcw",
    "hlt",
    "int3",
    "ldmxcsr",
    "lfence",
    "mfence",
    "nop",
    "pause",
    "prefetchnta",
    "prefetcht0",
    "rdtsc",
    "rdtscp",
    "sfence",
    "stmxcsr",
    "syscall",
    "ud2",
    "xgetbv",
];

/// Where statements of inline assembly use memory: a line for each, and for each use of a macro with such a statement.
pub fn using_memory(sources: &[Source]) -> Vec<Location> {
    let mut found = Vec::new();
    let mut macros: BTreeSet<String> = BTreeSet::new();
    let at = |source: &Source, line| Location { file: source.file.clone(), line, ..Location::default() };
    for source in sources.iter().filter(|source| source.text.contains("asm")) {
        for statement in statements(&source.text).into_iter().filter(|statement| statement.uses_memory) {
            match statement.in_macro {
                Some(name) => {
                    macros.insert(name);
                }
                None => {
                    let line = source.lines.range(statement.lines.0..=statement.lines.1).next();
                    found.extend(line.map(|&line| at(source, line)));
                }
            }
        }
    }
    if !macros.is_empty() {
        for source in sources {
            let text = without_comments(&source.text);
            for (line, number) in text.lines().zip(1..).filter(|(_, number)| source.lines.contains(number)) {
                let named = |word: &str| macros.contains(word);
                if !line.trim_start().starts_with('#') && words(line).any(named) {
                    found.push(at(source, number));
                }
            }
        }
    }
    found
}

/// The words of a line that may be names.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// A statement of inline assembly.
#[derive(PartialEq, Eq, Debug)]
struct Statement {
    /// The first and the last line, from 1.
    lines: (u32, u32),
    /// The macro whose definition it is part of.
    in_macro: Option<String>,
    uses_memory: bool,
}

/// The statements of inline assembly in a text.
fn statements(text: &str) -> Vec<Statement> {
    let text = without_comments(text);
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(next) = text[from..].find("asm").map(|at| from + at) {
        let start = text[..next].rfind(|letter: char| letter != '_').map_or(0, |at| at + 1);
        let end = next + 3 + text[next + 3..].find(|letter: char| letter != '_').unwrap_or(text.len() - next - 3);
        from = end;
        let is_part = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|b| b.is_ascii_alphanumeric());
        if !["asm", "__asm", "__asm__"].contains(&&text[start..end])
            || is_part(start.checked_sub(1))
            || is_part(Some(end))
        {
            continue;
        }
        let mut open = end;
        loop {
            let rest = text[open..].trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\\');
            open = text.len() - rest.len();
            let word = words(rest).next().filter(|word| rest.starts_with(word)).unwrap_or("");
            if !["volatile", "__volatile__", "__volatile", "inline", "__inline__", "goto", "__goto__"].contains(&word) {
                break;
            }
            open += word.len();
        }
        let Some(body) = text[open..].strip_prefix('(').and_then(in_parentheses) else { continue };
        let line = |at: usize| 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count() as u32;
        let lines = (line(start), line(open + body.len()));
        found.push(Statement { lines, in_macro: macro_around(&text, start), uses_memory: uses_memory(body) });
        from = open + body.len();
    }
    found
}

/// The text up to the parenthesis that closes, before which `text` begins.
fn in_parentheses(text: &str) -> Option<&str> {
    let (mut depth, mut in_string, mut escaped) = (1, false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '(' if !in_string => depth += 1,
            ')' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[..at]);
                }
            }
            _ => {}
        }
    }
    None
}

/// The macro whose definition has the byte `at` in it.
fn macro_around(text: &str, at: usize) -> Option<String> {
    let mut begin = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    while begin >= 2 && text[..begin - 1].trim_end_matches('\r').ends_with('\\') {
        begin = text[..begin - 1].rfind('\n').map_or(0, |newline| newline + 1);
    }
    let rest = text[begin..].trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    words(rest).next().map(str::to_owned)
}

/// Whether the statement with this text between its parentheses uses memory: the template, then operands after colons.
fn uses_memory(body: &str) -> bool {
    let parts = in_parts(body);
    let Some((template, operands)) = parts.split_first() else { return false };
    let strings = |part: &str| part.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let code = strings(template).join("").replace("\\n", "\n").replace("\\t", " ");
    let instructions: Vec<&str> =
        code.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty() && !line.ends_with(':')).collect();
    let harmless = |line: &&str| match *line.split_whitespace().collect::<Vec<_>>() {
        // `pause` has been written so. Before other instructions it repeats copies and the like.
        ["rep"] | ["rep", "nop"] => true,
        [first, ..] => HARMLESS.contains(&first),
        [] => false,
    };
    if instructions.iter().all(harmless) {
        return false;
    }
    // The name of a symbol, in a declaration.
    if operands.is_empty() && !code.contains(char::is_whitespace) {
        return false;
    }
    let constraints = operands.iter().take(2).flat_map(|part| strings(part));
    let in_memory = constraints.into_iter().any(|constraint| {
        // `[name]` stands outside of the string.
        constraint.chars().any(|letter| "moVQg<>".contains(letter))
    });
    let says_so = operands.get(2).is_some_and(|clobbers| strings(clobbers).iter().any(|name| name == "memory"));
    in_memory || says_so || code.contains(['(', '['])
}

/// The parts between colons outside of parentheses, brackets and strings.
fn in_parts(body: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth, mut in_string, mut escaped) = (Vec::new(), 0, 0, false, false);
    for (at, letter) in body.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '(' | '[' if !in_string => depth += 1,
            ')' | ']' if !in_string => depth -= 1,
            ':' if !in_string && depth == 0 => {
                parts.push(&body[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[begin..]);
    parts
}

/// The text with spaces in place of comments. Lines stay where they are.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut quote = None;
    while let Some(letter) = letters.next() {
        match (quote, letter, letters.peek()) {
            (Some(_), '\\', Some(&next)) => {
                out.extend([letter, next]);
                letters.next();
            }
            (Some(open), _, _) => {
                // A string ends with its line at the latest: an apostrophe in a number, or text that was left out.
                if letter == open || letter == '\n' {
                    quote = None;
                }
                out.push(letter);
            }
            (None, '/', Some('/')) => {
                while letters.peek().is_some_and(|&next| next != '\n') {
                    letters.next();
                }
            }
            (None, '/', Some('*')) => {
                letters.next();
                let mut last = ' ';
                for next in letters.by_ref() {
                    if next == '\n' {
                        out.push('\n');
                    }
                    if last == '*' && next == '/' {
                        break;
                    }
                    last = next;
                }
                out.push(' ');
            }
            (None, '"' | '\'', _) => {
                quote = Some(letter);
                out.push(letter);
            }
            (None, ..) => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(text: &str) -> Vec<bool> {
        statements(text).iter().map(|statement| statement.uses_memory).collect()
    }

    #[test]
    fn operands_in_memory_are_seen() {
        assert_eq!(uses(r#"__asm__ volatile("movl %1, %0" : "=r"(v) : "m"(flag));"#), [true]);
        assert_eq!(uses(r#"asm("movl $1,%0" : "=m"(flag));"#), [true]);
        assert_eq!(uses(r#"asm volatile("movq (%0), %1" : : "r"(p), "r"(q));"#), [true]);
        assert_eq!(uses(r#"asm volatile("rep; stosb" : "+D"(p), "+c"(n) : "a"(0) : "memory");"#), [true]);
        assert_eq!(
            uses("asm volatile(\"mov %0, %0\\n\\t\"\n  \"bts %1, %0\" : [word] \"+m\"(w) : [bit] \"r\"(b));"),
            [true]
        );
    }

    #[test]
    fn what_uses_no_memory_is_left_alone() {
        assert_eq!(
            uses(r#"asm volatile("" ::: "memory"); asm volatile("mfence" ::: "memory"); __asm__("pause");"#),
            [false; 3]
        );
        assert_eq!(
            uses(r#"asm("cpuid" : "=a"(a), "=b"(b) : "a"(0)); asm("bsrl %1, %0" : "=r"(r) : "r"(x));"#),
            [false; 2]
        );
        assert_eq!(uses(r#"int renamed(void) __asm__("other"); asm volatile("rep; nop");"#), [false; 2]);
        assert_eq!(uses(r#"// asm("movl %0" : "=m"(x))"#), [false; 0]);
        assert_eq!(
            uses(
                r#"/* asm("a" : "=m"(x)) */ int plasma(int); my_asm("x" : "m"); asm volatile("syscall" ::: "memory");"#
            ),
            [false]
        );
    }

    #[test]
    fn only_lines_with_code_count_and_macros_where_they_are_used() {
        let text = "#define load(x) \\\n  asm volatile(\"movl %1, %0\" : \"=r\"(v) : \"m\"(x))\nint f(void)\n{\n  load(a);\n\
                    #if 0\n  asm(\"movl $1, %0\" : \"=m\"(a));\n#endif\n  asm(\"movl $2, %0\" :\n \"=m\"(a));\n  load(b);\n}\n";
        let source = |lines: &[u32]| Source {
            file: "a.c".to_owned(),
            text: text.to_owned(),
            lines: lines.iter().copied().collect(),
        };
        let found = |lines: &[u32]| using_memory(&[source(lines)]).into_iter().map(|at| at.line).collect::<Vec<_>>();
        assert_eq!(found(&[3, 5, 9, 10]), [9, 5]);
        assert_eq!(found(&[10]), [10]);
        assert_eq!(found(&[3, 4]), [0; 0]);
        assert_eq!(statements(text)[0].in_macro.as_deref(), Some("load"));
    }
}
