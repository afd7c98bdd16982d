//! Formulas of linear temporal logic.
//!
//! | written | means |
//! |---|---|
//! | `a`, `"two words"`, `true`, `false` | a proposition, and what always or never holds |
//! | `!a`, `a && b`, `a \|\| b`, `a -> b`, `a <-> b` | as in C, and implication and equivalence |
//! | `X a` | after the next step |
//! | `F a`, `G a` | in the end, always |
//! | `a U b` | `b` in the end, and `a` until then |
//! | `a W b` | the same, but `b` need not come |
//! | `a R b` | `b` until `a` has come, and then, too; `a` need not come |
//!
//! From the strongest to the weakest: `! X F G`, then `U W R`, `&&`, `||`, `->`, `<->`. Operators with two sides group to the
//! right.

use std::fmt;

use crate::liveness::ltl::Automaton;

/// A formula in negation normal form: only propositions are negated.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    /// Always holds.
    True,
    /// Never holds.
    False,
    /// The proposition with this number holds now, or does not.
    Is(u8, bool),
    /// Both hold.
    And(Box<Formula>, Box<Formula>),
    /// One of them holds.
    Or(Box<Formula>, Box<Formula>),
    /// It holds after the next step.
    Next(Box<Formula>),
    /// The second holds in the end, and the first until then.
    Until(Box<Formula>, Box<Formula>),
    /// The second holds up to and in the first state in which the first holds, or for ever.
    Release(Box<Formula>, Box<Formula>),
}

/// Why a text is no formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}\n  {text}\n  {caret:>width$}", caret = "^", width = at + 1)]
pub struct ParseError {
    /// What is wrong.
    what: String,
    /// The text.
    text: String,
    /// Where, in characters.
    at: usize,
}

/// The largest number of propositions.
pub const MOST: usize = 64;
/// How deep a formula may be.
const DEEPEST: usize = 100;

impl Formula {
    /// Reads a formula. Propositions get their numbers from their places in `names`; new ones are added.
    ///
    /// # Errors
    ///
    /// When the text is no formula, or has too many propositions.
    pub fn parse(text: &str, names: &mut Vec<String>) -> Result<Formula, ParseError> {
        Parser { text: text.chars().collect(), at: 0, names, depth: 0, counts_steps: true }.whole()
    }

    /// Reads a formula that does not depend on how many steps there are, with the names of its propositions: `X` is refused. So is one for which
    /// there is no [automaton](crate::liveness::ltl::Automaton).
    ///
    /// # Errors
    ///
    /// When the text is no such formula.
    pub fn of_program(text: &str) -> Result<(Formula, Vec<String>), ParseError> {
        let mut names = Vec::new();
        let mut parser =
            Parser { text: text.chars().collect(), at: 0, names: &mut names, depth: 0, counts_steps: false };
        let formula = parser.whole()?;
        if Automaton::of(&formula.negated()).is_none() {
            return Err(
                parser.wrong("the formula is too large: it has more than 64 different `U`, `F`, `G`, `W` and `R`")
            );
        }
        Ok((formula, names))
    }

    /// The formula that holds where this one does not.
    pub fn negated(&self) -> Formula {
        use Formula::*;
        let not = |formula: &Formula| Box::new(formula.negated());
        match self {
            True => False,
            False => True,
            Is(name, holds) => Is(*name, !holds),
            And(a, b) => Or(not(a), not(b)),
            Or(a, b) => And(not(a), not(b)),
            Next(a) => Next(not(a)),
            Until(a, b) => Release(not(a), not(b)),
            Release(a, b) => Until(not(a), not(b)),
        }
    }
}

fn and(a: Formula, b: Formula) -> Formula {
    Formula::And(Box::new(a), Box::new(b))
}

fn or(a: Formula, b: Formula) -> Formula {
    Formula::Or(Box::new(a), Box::new(b))
}

struct Parser<'n> {
    text: Vec<char>,
    at: usize,
    names: &'n mut Vec<String>,
    depth: usize,
    /// Whether `X` is allowed.
    counts_steps: bool,
}

impl Parser<'_> {
    fn whole(&mut self) -> Result<Formula, ParseError> {
        let formula = self.equivalence()?;
        self.skip();
        if self.at < self.text.len() {
            return Err(self.wrong("an operator is expected"));
        }
        Ok(formula)
    }

    fn wrong(&self, what: &str) -> ParseError {
        ParseError { what: what.to_owned(), text: self.text.iter().collect(), at: self.at }
    }

    fn skip(&mut self) {
        while self.text.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    /// Takes `token` if it comes next. A word must end there.
    fn takes(&mut self, token: &str) -> bool {
        self.skip();
        let length = token.chars().count();
        let here = self.text[self.at..].iter().copied().take(length).eq(token.chars());
        let is_word = token.chars().all(char::is_alphanumeric);
        let goes_on = self.text.get(self.at + length).is_some_and(|c| c.is_alphanumeric() || *c == '_');
        let found = here && !(is_word && goes_on);
        if found {
            self.at += length;
        }
        found
    }

    fn equivalence(&mut self) -> Result<Formula, ParseError> {
        let left = self.implication()?;
        if !self.takes("<->") {
            return Ok(left);
        }
        let right = self.equivalence()?;
        Ok(or(and(left.clone(), right.clone()), and(left.negated(), right.negated())))
    }

    fn implication(&mut self) -> Result<Formula, ParseError> {
        let left = self.either()?;
        Ok(if self.takes("->") { or(left.negated(), self.implication()?) } else { left })
    }

    fn either(&mut self) -> Result<Formula, ParseError> {
        let left = self.both()?;
        Ok(if self.takes("||") { or(left, self.either()?) } else { left })
    }

    fn both(&mut self) -> Result<Formula, ParseError> {
        let left = self.until()?;
        Ok(if self.takes("&&") { and(left, self.both()?) } else { left })
    }

    fn until(&mut self) -> Result<Formula, ParseError> {
        let left = self.single()?;
        if self.takes("U") {
            let right = self.until()?;
            return Ok(Formula::Until(Box::new(left), Box::new(right)));
        }
        if self.takes("R") {
            let right = self.until()?;
            return Ok(Formula::Release(Box::new(left), Box::new(right)));
        }
        if self.takes("W") {
            let right = self.until()?;
            return Ok(Formula::Release(Box::new(right.clone()), Box::new(or(left, right))));
        }
        Ok(left)
    }

    fn single(&mut self) -> Result<Formula, ParseError> {
        if self.depth == DEEPEST {
            return Err(self.wrong("the formula is too deep"));
        }
        self.depth += 1;
        let formula = self.operand();
        self.depth -= 1;
        formula
    }

    fn operand(&mut self) -> Result<Formula, ParseError> {
        if self.takes("!") {
            return Ok(self.single()?.negated());
        }
        if self.takes("X") {
            if !self.counts_steps {
                self.at -= 1;
                return Err(self.wrong("`X` counts heddle's steps, not the program's: say it with `U`"));
            }
            return Ok(Formula::Next(Box::new(self.single()?)));
        }
        if self.takes("F") {
            return Ok(Formula::Until(Box::new(Formula::True), Box::new(self.single()?)));
        }
        if self.takes("G") {
            return Ok(Formula::Release(Box::new(Formula::False), Box::new(self.single()?)));
        }
        if self.takes("true") {
            return Ok(Formula::True);
        }
        if self.takes("false") {
            return Ok(Formula::False);
        }
        if self.takes("(") {
            let inner = self.equivalence()?;
            return if self.takes(")") { Ok(inner) } else { Err(self.wrong("`)` is expected")) };
        }
        self.name()
    }

    fn name(&mut self) -> Result<Formula, ParseError> {
        self.skip();
        let rest = &self.text[self.at..];
        let (length, name): (usize, String) = match rest.first() {
            Some('"') => match rest[1..].iter().position(|c| *c == '"') {
                Some(end) => (end + 2, rest[1..=end].iter().collect()),
                None => return Err(self.wrong("`\"` has no other end")),
            },
            _ => {
                let word: String = rest.iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
                (word.chars().count(), word)
            }
        };
        if name.is_empty() {
            return Err(self.wrong("a proposition is expected"));
        }
        let known = self.names.iter().position(|known| *known == name);
        let number = match known {
            Some(number) => number,
            None if self.names.len() == MOST => return Err(self.wrong("there are more than 64 propositions")),
            None => {
                self.names.push(name);
                self.names.len() - 1
            }
        };
        self.at += length;
        Ok(Formula::Is(number as u8, true))
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Formula::*;
        match self {
            True => f.write_str("true"),
            False => f.write_str("false"),
            Is(name, holds) => write!(f, "{}p{name}", if *holds { "" } else { "!" }),
            And(a, b) => write!(f, "({a} && {b})"),
            Or(a, b) => write!(f, "({a} || {b})"),
            Next(a) => write!(f, "X {a}"),
            Until(a, b) => write!(f, "({a} U {b})"),
            Release(a, b) => write!(f, "({a} R {b})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        Formula::parse(text, &mut Vec::new()).map_or_else(|error| error.to_string(), |formula| formula.to_string())
    }

    #[test]
    fn formulas_are_read_in_the_order_of_their_operators() {
        assert_eq!(parsed("G (request -> F answer)"), "(false R (!p0 || (true U p1)))");
        assert_eq!(parsed("a U b && c || d"), "(((p0 U p1) && p2) || p3)");
        assert_eq!(parsed("a -> b -> c"), "(!p0 || (!p1 || p2))");
        assert_eq!(parsed("!(a U b)"), "(!p0 R !p1)");
        assert_eq!(parsed("a W b"), "(p1 R (p0 || p1))");
        assert_eq!(parsed("GF"), "p0");
        assert_eq!(parsed("\"G F\" U X x_1"), "(p0 U X p1)");
        assert_eq!(parsed("a <-> true"), "((p0 && true) || (!p0 && false))");
    }

    #[test]
    fn formulas_of_programs_do_not_count_steps() {
        let refused = |text| Formula::of_program(text).unwrap_err().to_string();
        assert_eq!(
            refused("a && X b"),
            "`X` counts heddle's steps, not the program's: say it with `U`\n  a && X b\n       ^"
        );
        let (formula, names) = Formula::of_program("G (request -> F answer)").unwrap();
        assert_eq!((formula.to_string().as_str(), names.len()), ("(false R (!p0 || (true U p1)))", 2));
    }

    #[test]
    fn what_is_no_formula_is_refused_with_its_place() {
        assert_eq!(parsed("a &&"), "a proposition is expected\n  a &&\n      ^");
        assert_eq!(parsed("(a"), "`)` is expected\n  (a\n    ^");
        assert_eq!(parsed("a b"), "an operator is expected\n  a b\n    ^");
        assert!(parsed("\"a").contains("no other end"));
        assert!(parsed("").contains("a proposition is expected"));
        assert!(parsed(&"!".repeat(1000)).contains("too deep"));
        let many: Vec<String> = (0..65).map(|n| format!("p{n}")).collect();
        assert!(parsed(&many.join(" && ")).contains("more than 64"));
    }
}
