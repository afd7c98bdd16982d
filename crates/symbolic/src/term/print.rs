//! Terms as text, for messages and tests.

use std::fmt::Write;

use super::{Node, TermId, Terms};

/// Deeper parts are written as `...`.
const DEPTH: u32 = 12;

impl Terms {
    /// A term as text. Long ones are cut.
    pub fn print(&self, t: TermId) -> String {
        let mut out = String::new();
        self.write(t, DEPTH, &mut out);
        out
    }

    fn write(&self, t: TermId, depth: u32, out: &mut String) {
        if depth == 0 {
            out.push_str("...");
            return;
        }
        let mut list = |name: &str, all: &[TermId]| {
            let _ = write!(out, "({name}");
            for a in all {
                out.push(' ');
                self.write(*a, depth - 1, out);
            }
            out.push(')');
        };
        match self.node(t) {
            Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Node::Constant(k) => {
                let _ = write!(out, "{k}");
            }
            Node::Variable(v) => out.push_str(self.variable_name(*v)),
            Node::Not(a) => list("not", &[*a]),
            Node::And(all) => list("and", all),
            Node::Ite(c, a, b) => list("ite", &[*c, *a, *b]),
            Node::Linear(parts, k) => {
                out.push_str("(+");
                for (a, c) in parts {
                    let _ = write!(out, " {}*", super::signed(*c, self.width(t)));
                    self.write(*a, depth - 1, out);
                }
                let _ = write!(out, " {k})");
            }
            Node::Product(all) => list("*", all),
            Node::Udiv(a, b) => list("udiv", &[*a, *b]),
            Node::Urem(a, b) => list("urem", &[*a, *b]),
            Node::Sdiv(a, b) => list("sdiv", &[*a, *b]),
            Node::Srem(a, b) => list("srem", &[*a, *b]),
            Node::BitAnd(a, b) => list("&", &[*a, *b]),
            Node::BitOr(a, b) => list("|", &[*a, *b]),
            Node::BitXor(a, b) => list("^", &[*a, *b]),
            Node::Shl(a, b) => list("<<", &[*a, *b]),
            Node::Lshr(a, b) => list(">>", &[*a, *b]),
            Node::Ashr(a, b) => list(">>s", &[*a, *b]),
            Node::Extract(a, low) => {
                let name = format!("bits {}..{}", low + self.width(t) - 1, low);
                list(&name, &[*a]);
            }
            Node::Concat(a, b) => list("concat", &[*a, *b]),
            Node::Zext(a) => list("zext", &[*a]),
            Node::Sext(a) => list("sext", &[*a]),
            Node::Eq(a, b) => list("=", &[*a, *b]),
            Node::Ult(a, b) => list("<", &[*a, *b]),
            Node::Slt(a, b) => list("<s", &[*a, *b]),
        }
    }
}
