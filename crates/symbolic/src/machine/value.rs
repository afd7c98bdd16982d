//! Constants and operands as values.

use super::run::Frame;
use super::{Machine, Refusal};
use crate::ir::{Constant, Operand, Type, TypeId};
use crate::memory::{Key, ObjId, Pointer, Value, bits_of};
use crate::term::{Sort, TermId, Terms};

impl Machine<'_> {
    /// The value of an operand.
    pub(crate) fn operand(&mut self, frame: &mut Frame, operand: &Operand) -> Result<Value, Refusal> {
        match operand {
            Operand::Reg(reg) => {
                if let Some(value) = &frame.registers[*reg as usize] {
                    return Ok(value.clone());
                }
                // A local variable that has no value yet: any value, and the same from now on.
                let ty = self.module.functions[frame.function as usize].registers[*reg as usize];
                let value = self.unknown(ty)?;
                frame.registers[*reg as usize] = Some(value.clone());
                Ok(value)
            }
            Operand::Const(constant) => self.constant(constant),
        }
    }

    /// The bits of an operand that is no aggregate; one bit for a truth value.
    pub(crate) fn bits(&mut self, frame: &mut Frame, operand: &Operand) -> Result<TermId, Refusal> {
        let value = self.operand(frame, operand)?;
        self.value_bits(&value)
    }

    /// The bits of a value that is no aggregate.
    pub(crate) fn value_bits(&mut self, value: &Value) -> Result<TermId, Refusal> {
        match bits_of(&mut self.terms, value) {
            Some(bits) => Ok(bits),
            None => self.refuse("an aggregate as a number"),
        }
    }

    /// The truth value of an operand of one bit.
    pub(crate) fn truth(&mut self, frame: &mut Frame, operand: &Operand) -> Result<TermId, Refusal> {
        let value = self.operand(frame, operand)?;
        match value {
            Value::Term(term) if self.terms.sort(term) == Sort::Bool => Ok(term),
            value => {
                let bits = self.value_bits(&value)?;
                Ok(self.terms.nonzero(bits))
            }
        }
    }

    /// The pointer that an operand is.
    pub(crate) fn pointer(&mut self, frame: &mut Frame, operand: &Operand) -> Result<Pointer, Refusal> {
        let value = self.operand(frame, operand)?;
        self.value_pointer(&value)
    }

    /// The pointer that a value is.
    pub(crate) fn value_pointer(&mut self, value: &Value) -> Result<Pointer, Refusal> {
        match value {
            Value::Pointer(pointer) => Ok(pointer.clone()),
            Value::Term(term) if self.terms.width(*term) == 64 => {
                match Pointer::from_bits(&mut self.terms, &self.objects, *term) {
                    Some(pointer) => Ok(pointer),
                    None => self.refuse("an address that is computed from integers"),
                }
            }
            _ => self.refuse("an address that is computed from integers"),
        }
    }

    /// Any value of a type.
    pub(crate) fn unknown(&mut self, ty: TypeId) -> Result<Value, Refusal> {
        let module = self.module;
        Ok(match &module.types[ty as usize] {
            Type::Int(1) => Value::Term(self.terms.variable(Sort::Bool, "indeterminate")),
            Type::Int(bits) => Value::Term(self.terms.variable(Sort::Bits(*bits as u8), "indeterminate")),
            Type::Float => Value::Term(self.terms.variable(Sort::Bits(32), "indeterminate")),
            Type::Pointer | Type::Double => Value::Term(self.terms.variable(Sort::Bits(64), "indeterminate")),
            Type::Array(element, count, _) => {
                Value::Parts((0..*count).map(|_| self.unknown(*element)).collect::<Result<_, _>>()?)
            }
            Type::Struct(fields, _) => {
                Value::Parts(fields.iter().map(|(_, ty)| self.unknown(*ty)).collect::<Result<_, _>>()?)
            }
            Type::Void => Value::Term(Terms::FALSE),
            Type::Refused(what) => return self.refuse(format!("a value of type {what}")),
        })
    }

    /// Zero of a type.
    pub(crate) fn zero(&mut self, ty: TypeId) -> Result<Value, Refusal> {
        let module = self.module;
        Ok(match &module.types[ty as usize] {
            Type::Int(1) => Value::Term(Terms::FALSE),
            Type::Pointer => Value::Pointer(Pointer::null(&mut self.terms)),
            Type::Array(element, count, _) => {
                Value::Parts((0..*count).map(|_| self.zero(*element)).collect::<Result<_, _>>()?)
            }
            Type::Struct(fields, _) => {
                Value::Parts(fields.iter().map(|(_, ty)| self.zero(*ty)).collect::<Result<_, _>>()?)
            }
            Type::Refused(what) => return self.refuse(format!("a value of type {what}")),
            _ => Value::Term(self.terms.constant(module.bits(ty).unwrap_or(8) as u8, 0)),
        })
    }

    /// The value of a constant.
    pub(crate) fn constant(&mut self, constant: &Constant) -> Result<Value, Refusal> {
        Ok(match constant {
            Constant::Bits(1, value) => Value::Term(self.terms.bool(*value != 0)),
            Constant::Bits(width, value) => Value::Term(self.terms.constant(*width as u8, *value)),
            Constant::Null => Value::Pointer(Pointer::null(&mut self.terms)),
            Constant::Global(global, offset) | Constant::GlobalBits(global, offset) => {
                let object = self.global(*global);
                let offset = self.terms.constant(64, *offset as u128);
                Value::Pointer(Pointer::new(object, offset))
            }
            Constant::Function(function) => {
                let size = self.terms.constant(64, 1);
                let site = self.module.functions[*function as usize].site;
                let object = self.objects.intern(Key::Function(*function), size, true, site);
                let zero = self.terms.constant(64, 0);
                Value::Pointer(Pointer::new(object, zero))
            }
            Constant::Zero(ty) => self.zero(*ty)?,
            Constant::Undefined(ty) => self.unknown(*ty)?,
            Constant::Aggregate(_, parts) => {
                Value::Parts(parts.iter().map(|part| self.constant(part)).collect::<Result<_, _>>()?)
            }
            Constant::Bytes(bytes) => {
                Value::Parts(bytes.iter().map(|byte| Value::Term(self.terms.constant(8, u128::from(*byte)))).collect())
            }
            Constant::Refused(what) => return self.refuse(format!("the constant {what}")),
        })
    }

    /// The object of a global variable: each thread's own if it is thread-local.
    pub(crate) fn global(&mut self, global: u32) -> ObjId {
        let variable = &self.module.globals[global as usize];
        let size = self.terms.constant(64, u128::from(variable.size));
        let key = if variable.thread_local { Key::ThreadLocal(self.current, global) } else { Key::Global(global) };
        self.objects.intern(key, size, variable.constant, variable.site)
    }
}
