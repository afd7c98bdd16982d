//! What variables begin with.

use super::{Machine, Refusal};
use crate::ir::{Constant, Type, TypeId};
use crate::memory::{Contents, Key, ObjId, Rest, Value, bits_of};
use crate::term::Terms;

impl Machine<'_> {
    /// The contents that an object has at the start; none for one that is made later.
    pub(crate) fn initial(&mut self, object: ObjId) -> Option<Contents> {
        let (Key::Global(global) | Key::ThreadLocal(_, global)) = self.objects[object].key else { return None };
        let module = self.module;
        let variable = &module.globals[global as usize];
        // Declared and not defined: standard streams and the like. Nothing is known about what is in there.
        let Some(initial) = &variable.initial else { return Some(Contents::new(Rest::Unwritten)) };
        let mut contents = Contents::new(Rest::Zero);
        match self.fill(&mut contents, 0, variable.ty, initial) {
            Ok(()) => Some(contents),
            // A part that is not followed may be anything.
            Err(_) => Some(Contents::new(Rest::Unwritten)),
        }
    }

    fn fill(&mut self, contents: &mut Contents, at: u64, ty: TypeId, constant: &Constant) -> Result<(), Refusal> {
        let module = self.module;
        match constant {
            Constant::Zero(_) | Constant::Null | Constant::Undefined(_) => {}
            Constant::Bytes(bytes) => {
                for (byte, offset) in bytes.iter().zip(at..) {
                    if *byte != 0 {
                        let term = self.terms.constant(8, u128::from(*byte));
                        contents.write(&mut self.terms, offset, 1, Value::Term(term));
                    }
                }
            }
            Constant::Aggregate(ty, parts) => {
                let places: Vec<(u64, TypeId)> = match &module.types[*ty as usize] {
                    Type::Struct(fields, _) => fields.clone(),
                    Type::Array(element, count, stride) => (0..*count).map(|i| (i * stride, *element)).collect(),
                    _ => Vec::new(),
                };
                for ((offset, ty), part) in places.into_iter().zip(parts) {
                    self.fill(contents, at + offset, ty, part)?;
                }
            }
            Constant::Bits(..) | Constant::Global(..) | Constant::GlobalBits(..) | Constant::Function(_) => {
                let value = self.constant(constant)?;
                let size = module.size(ty).max(1) as u32;
                let value = match value {
                    Value::Term(_) => {
                        let bits = bits_of(&mut self.terms, &value).unwrap_or(Terms::FALSE);
                        Value::Term(self.resize(bits, (size * 8) as u8, false))
                    }
                    value => value,
                };
                contents.write(&mut self.terms, at, size, value);
            }
            Constant::Refused(what) => return self.refuse(format!("the constant {what}")),
        }
        Ok(())
    }
}
