//! Floats: computed where they are known or a choice of known ones, refused where they depend on an unknown otherwise.
//!
//! The machine that Heddle runs on has the arithmetic of IEEE 754, as the machines have that programs are compiled for.

use super::{Machine, Refusal};
use crate::ir::{CastOp, FloatOp, TypeId};
use crate::term::{Node, TermId};

impl Machine<'_> {
    fn number(&self, bits: TermId) -> Result<f64, Refusal> {
        match (self.terms.as_constant(bits), self.terms.width(bits)) {
            (Some(value), 32) => Ok(f64::from(f32::from_bits(value as u32))),
            (Some(value), 64) => Ok(f64::from_bits(value as u64)),
            _ => self.refuse("a floating-point number that depends on an input or on another thread"),
        }
    }

    fn float(&mut self, number: f64, width: u8) -> TermId {
        let bits = if width == 32 { u128::from((number as f32).to_bits()) } else { u128::from(number.to_bits()) };
        self.terms.constant(width, bits)
    }

    /// A choice of numbers as its condition and both sides, if the number is not known.
    fn split(&self, bits: TermId) -> Option<(TermId, TermId, TermId)> {
        match self.terms.node(bits) {
            Node::Ite(condition, a, b) => Some((*condition, *a, *b)),
            _ => None,
        }
    }

    pub(crate) fn float_binary(&mut self, op: FloatOp, a: TermId, b: TermId) -> Result<TermId, Refusal> {
        if let Some((condition, x, y)) = self.split(a) {
            let (x, y) = (self.float_binary(op, x, b)?, self.float_binary(op, y, b)?);
            return Ok(self.terms.ite(condition, x, y));
        }
        if let Some((condition, x, y)) = self.split(b) {
            let (x, y) = (self.float_binary(op, a, x)?, self.float_binary(op, a, y)?);
            return Ok(self.terms.ite(condition, x, y));
        }
        let width = self.terms.width(a);
        let (a, b) = (self.number(a)?, self.number(b)?);
        // Results of floats are computed as doubles and rounded once more, which is exact for these operations except the remainder,
        // which is exact anyway.
        let result = match op {
            FloatOp::Add => a + b,
            FloatOp::Sub => a - b,
            FloatOp::Mul => a * b,
            FloatOp::Div => a / b,
            FloatOp::Rem => a % b,
        };
        Ok(self.float(result, width))
    }

    /// LLVM's predicate: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered.
    pub(super) fn float_compare(&mut self, predicate: u8, a: TermId, b: TermId) -> Result<TermId, Refusal> {
        if let Some((condition, x, y)) = self.split(a) {
            let (x, y) = (self.float_compare(predicate, x, b)?, self.float_compare(predicate, y, b)?);
            return Ok(self.terms.ite(condition, x, y));
        }
        if let Some((condition, x, y)) = self.split(b) {
            let (x, y) = (self.float_compare(predicate, a, x)?, self.float_compare(predicate, a, y)?);
            return Ok(self.terms.ite(condition, x, y));
        }
        let (a, b) = (self.number(a)?, self.number(b)?);
        let bit = match a.partial_cmp(&b) {
            Some(std::cmp::Ordering::Equal) => 1,
            Some(std::cmp::Ordering::Greater) => 2,
            Some(std::cmp::Ordering::Less) => 4,
            None => 8,
        };
        Ok(self.terms.bool(predicate & bit != 0))
    }

    pub(super) fn float_cast(&mut self, op: CastOp, bits: TermId, to: TypeId) -> Result<TermId, Refusal> {
        if let Some((condition, x, y)) = self.split(bits) {
            let (x, y) = (self.float_cast(op, x, to)?, self.float_cast(op, y, to)?);
            return Ok(self.terms.ite(condition, x, y));
        }
        let width = self.module.bits(to).unwrap_or(64) as u8;
        match op {
            CastOp::FloatToFloat => {
                let number = self.number(bits)?;
                Ok(self.float(number, width))
            }
            CastOp::FloatToSigned => {
                let number = self.number(bits)?.trunc();
                let limit = 2f64.powi(i32::from(width) - 1);
                if !(-limit..limit).contains(&number) {
                    return self.refuse("a floating-point number that no integer of this type is");
                }
                Ok(self.terms.constant(width, number as i128 as u128))
            }
            CastOp::FloatToUnsigned => {
                let number = self.number(bits)?.trunc();
                if !(0.0..2f64.powi(i32::from(width))).contains(&number) {
                    return self.refuse("a floating-point number that no integer of this type is");
                }
                Ok(self.terms.constant(width, number as u128))
            }
            _ => {
                let from = self.terms.width(bits);
                let Some(value) = self.terms.as_constant(bits) else {
                    return self.refuse("a floating-point number that depends on an input or on another thread");
                };
                let signed = ((value << (128 - u32::from(from))) as i128) >> (128 - u32::from(from));
                let bits = match (op, width) {
                    (CastOp::SignedToFloat, 32) => u128::from((signed as f32).to_bits()),
                    (CastOp::SignedToFloat, _) => u128::from((signed as f64).to_bits()),
                    (_, 32) => u128::from((value as f32).to_bits()),
                    _ => u128::from((value as f64).to_bits()),
                };
                Ok(self.terms.constant(width, bits))
            }
        }
    }
}
