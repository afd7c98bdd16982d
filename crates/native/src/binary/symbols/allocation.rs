//! What the place of an allocation says about the type of the block: `new T`, `(T *)malloc(...)`, `malloc(sizeof(T))`, `sizeof *p`, the
//! pointer that it is assigned to; and, inside the standard library, the template argument of the function that allocates.
//!
//! These are claims. [`blocks`](super::blocks) holds them against the debug information and the size of the block.

/// A claim about the type of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It is of the type with this name, or an array of it.
    Named(String),
    /// It is what `std::make_shared` makes for the type with this name.
    Shared(String),
    /// It is of the type of this expression, or an array of it.
    Of(String),
    /// It is of the type that this expression points to, or an array of it.
    Behind(String),
}

/// How many lines before and after its line an expression is looked for.
const AROUND: usize = 3;

/// The claims in the statement at a line and column (from 1) of a source file, the most certain one first.
pub fn in_source(text: &str, line: u32, column: u32) -> Vec<Claim> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = (line as usize).checked_sub(1).filter(|at| *at < lines.len()) else { return Vec::new() };
    let first = at.saturating_sub(AROUND);
    let mut code = String::new();
    let mut here = 0;
    for (index, line) in lines.iter().enumerate().take(at + AROUND + 1).skip(first) {
        if index == at {
            here = code.len() + (column.max(1) as usize - 1).min(line.len());
        }
        code.push_str(line.split_once("//").map_or(*line, |(code, _)| code));
        code.push('\n');
    }
    let here = (0..=here.min(code.len())).rev().find(|&at| code.is_char_boundary(at)).unwrap_or(0);
    let start = code[..here].rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let end = code[here..].find(';').map_or(code.len(), |at| here + at);
    let claims = in_statement(code[start..end].trim());
    // Inside the braces of `new T{...}`.
    let outer = code[..here].rfind(';').map_or(0, |at| at + 1);
    if claims.is_empty() && outer < start { in_statement(code[outer..end].trim()) } else { claims }
}

fn in_statement(statement: &str) -> Vec<Claim> {
    let mut claims = Vec::new();
    if let Some(after) = after_word(statement, "new") {
        let after = after.trim_start();
        // `new (std::nothrow) T`.
        let after = after.strip_prefix('(').map_or(after, |inner| inner.split_once(')').map_or("", |(_, rest)| rest));
        claims.extend(type_name(after).map(Claim::Named));
        return claims;
    }
    for call in ["malloc", "calloc", "realloc", "aligned_alloc", "reallocarray"] {
        let Some(at) = find_word(statement, call) else { continue };
        let before = statement[..at].trim_end();
        if let Some(cast) = before.strip_suffix(')').and_then(|inner| Some(&inner[inner.rfind('(')? + 1..])) {
            claims.extend(pointer(cast));
        } else if let Some(cast) = before.strip_suffix('(').and_then(|rest| rest.trim_end().strip_suffix('>')) {
            // `static_cast<T *>(malloc(...))`.
            claims.extend(cast.rfind("_cast<").and_then(|at| pointer(&cast[at + 6..])));
        }
        if let Some(inner) = after_word(&statement[at..], "sizeof") {
            claims.extend(measured(inner.trim_start()));
        }
    }
    let left = statement.split_once('=').filter(|(_, right)| !right.starts_with('='));
    if let Some((left, _)) = left {
        // `struct node *n`, `*out`, `q->items`: the declared name, or the expression.
        let left = left.trim();
        let name = left.rfind([' ', '*']).filter(|_| declares(left)).map_or(left, |at| &left[at + 1..]);
        claims.push(Claim::Behind(name.to_owned()));
    }
    claims
}

/// Whether the left side of an assignment declares a variable: there are two words.
fn declares(left: &str) -> bool {
    left.trim_start_matches('*').split([' ', '*']).filter(|word| !word.is_empty()).count() > 1
}

/// What `sizeof` is asked for: a type or an expression.
fn measured(text: &str) -> Vec<Claim> {
    let Some(inner) = text.strip_prefix('(') else {
        let end = text.find([',', ')']).unwrap_or(text.len());
        return vec![Claim::Of(text[..end].trim().to_owned())];
    };
    let mut depth = 1;
    let end = inner.find(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    let inner = inner[..end.unwrap_or(inner.len())].trim().to_owned();
    vec![Claim::Named(plain(&inner)), Claim::Of(inner)]
}

/// The claim of a cast to this pointer type.
fn pointer(cast: &str) -> Option<Claim> {
    Some(Claim::Named(plain(cast.trim().strip_suffix('*')?)))
}

/// A type's name as debug information has it.
fn plain(name: &str) -> String {
    let words = name.split_whitespace();
    words
        .filter(|word| !matches!(*word, "struct" | "class" | "union" | "enum" | "const" | "volatile"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The type's name at the beginning of `text`, with template arguments.
fn type_name(text: &str) -> Option<String> {
    let mut depth = 0;
    let end = text.find(|c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && !(c.is_alphanumeric() || matches!(c, '_' | ':' | ' ' | '>')) || depth < 0
    });
    let name = plain(&text[..end.unwrap_or(text.len())]);
    (!name.is_empty()).then_some(name)
}

/// The claims of a function of the standard library that allocates, by its name with template arguments.
pub fn in_function(function: &str) -> Vec<Claim> {
    for template in ["new_allocator<", "make_unique<", "allocator<"] {
        let Some(at) = function.find(template) else { continue };
        let name = first_argument(&function[at + template.len()..]);
        if let Some(at) = name.find("_Sp_counted_ptr_inplace<") {
            return vec![Claim::Shared(first_argument(&name[at + "_Sp_counted_ptr_inplace<".len()..]))];
        }
        return vec![Claim::Named(name.trim_end_matches("[]").to_owned())];
    }
    Vec::new()
}

/// The first of a list of template arguments.
fn first_argument(text: &str) -> String {
    let mut depth = 0;
    let end = text.find(|c: char| {
        let ends = depth == 0 && matches!(c, ',' | '>');
        depth += i32::from(matches!(c, '<' | '(')) - i32::from(matches!(c, '>' | ')'));
        ends
    });
    text[..end.unwrap_or(text.len())].trim().to_owned()
}

fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|&at| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    find_word(text, word).map(|at| &text[at + word.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_claim_types() {
        let named = |name: &str| Claim::Named(name.to_owned());
        for (statement, first) in [
            ("auto *s = new Stats(1, 2)", named("Stats")),
            ("int *p = new int[8]", named("int")),
            ("p.reset(new ns::Box<std::pair<int, char>>{})", named("ns::Box<std::pair<int, char>>")),
            ("x = new (std::nothrow) Node", named("Node")),
            ("struct node *n = malloc(sizeof(struct node))", named("node")),
            ("q = (queue_t *) calloc(1, 64)", named("queue_t")),
            ("auto *q = static_cast<Queue *>(malloc(100))", named("Queue")),
            ("n[i] = malloc(sizeof *n[i])", Claim::Of("*n[i]".to_owned())),
            ("struct node *n = malloc(size)", Claim::Behind("n".to_owned())),
            ("q->items = malloc(n * 8)", Claim::Behind("q->items".to_owned())),
        ] {
            assert_eq!(in_statement(statement).first(), Some(&first), "{statement}");
        }
        assert!(in_statement("renew(4)").is_empty());
    }

    #[test]
    fn the_statement_at_a_column() {
        let text = "for (;;) { a = malloc(sizeof(A)); b = malloc(sizeof(B)); } // new C\n";
        assert_eq!(in_source(text, 1, 17)[0], Claim::Named("A".to_owned()));
        assert_eq!(in_source(text, 1, 40)[0], Claim::Named("B".to_owned()));
        assert!(in_source(text, 9, 1).is_empty());
        assert!(in_source("é = 1;", 1, 2).len() < 2, "a column inside a character");
    }

    #[test]
    fn functions_of_the_library_claim_types() {
        assert_eq!(in_function("std::make_unique<Stats>()"), [Claim::Named("Stats".to_owned())]);
        let vector = "std::__new_allocator<std::pair<int, long> >::allocate(unsigned long, void const*)";
        assert_eq!(in_function(vector), [Claim::Named("std::pair<int, long>".to_owned())]);
        let shared = "std::__new_allocator<std::_Sp_counted_ptr_inplace<Stats, std::allocator<void>, (__gnu_cxx::_Lock_policy)2> >::allocate(unsigned long)";
        assert_eq!(in_function(shared), [Claim::Shared("Stats".to_owned())]);
        assert!(in_function("operator new(unsigned long)").is_empty());
    }
}
