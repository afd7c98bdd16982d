//! Names the part of a variable at an offset: `[2]`, `.lock`, `.slots[3].next`.

use gimli::{AttributeValue, UnitOffset};

use super::variables::{Dwarf, Entry, Unit, name_of, type_of};

use heddle_model::primitive::choice::InputType;
use heddle_model::trace::Scalar;

/// How deep types may be nested. Damaged debug information may contain cycles.
const DEEPEST: u32 = 64;

/// The path of the part at `offset` in a variable of type `kind`. `None` if the variable is shorter.
///
/// Types of the standard library are not opened: a mutex is reported as a mutex, not as the lock word in it.
pub fn path(dwarf: &Dwarf<'_>, unit: &Unit<'_>, kind: UnitOffset, offset: u64) -> Option<String> {
    let mut path = String::new();
    let mut types = Types { dwarf, unit, path: &mut path };
    if offset != 0 && offset >= types.size(kind, 0)? {
        return None;
    }
    types.descend(kind, offset, 0);
    Some(path)
}

/// The size in bytes of the type `kind`, and what the type is behind typedefs and qualifiers. `None` if its size is not known.
pub fn size(dwarf: &Dwarf<'_>, unit: &Unit<'_>, kind: UnitOffset) -> Option<(u64, gimli::DwTag)> {
    let mut path = String::new();
    let types = Types { dwarf, unit, path: &mut path };
    Some((types.size(kind, 0)?, types.strip(kind)?.1.tag()))
}

/// What lies at `offset` in something of type `kind`. Here types of the standard library are opened: the value of a `std::atomic<int>` is an
/// `int`.
pub fn scalar(dwarf: &Dwarf<'_>, unit: &Unit<'_>, kind: UnitOffset, offset: u64) -> Option<Scalar> {
    let mut path = String::new();
    Types { dwarf, unit, path: &mut path }.scalar(kind, offset, 0)
}

/// The type that a value of type `kind` points to, or that is its element if it is an array.
pub fn target(dwarf: &Dwarf<'_>, unit: &Unit<'_>, kind: UnitOffset) -> Option<UnitOffset> {
    let mut path = String::new();
    let (kind, entry) = Types { dwarf, unit, path: &mut path }.strip(kind)?;
    match entry.tag() {
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_array_type | gimli::DW_TAG_reference_type => type_of(&entry),
        // `std::atomic<T *>` and `std::unique_ptr<T>` keep a pointer.
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => argument(dwarf, unit, kind),
        _ => None,
    }
}

/// The first template argument of a class, or what that points to.
fn argument(dwarf: &Dwarf<'_>, unit: &Unit<'_>, class: UnitOffset) -> Option<UnitOffset> {
    let mut tree = unit.entries_tree(Some(class)).ok()?;
    let mut children = tree.root().ok()?.children();
    while let Ok(Some(child)) = children.next() {
        if child.entry().tag() == gimli::DW_TAG_template_type_parameter {
            let kind = type_of(child.entry())?;
            let mut path = String::new();
            let (_, entry) = Types { dwarf, unit, path: &mut path }.strip(kind)?;
            return if entry.tag() == gimli::DW_TAG_pointer_type { type_of(&entry) } else { Some(kind) };
        }
    }
    None
}

/// The type of the member `name` of the type `kind`.
pub fn member(dwarf: &Dwarf<'_>, unit: &Unit<'_>, kind: UnitOffset, name: &str) -> Option<UnitOffset> {
    let mut path = String::new();
    let (kind, _) = Types { dwarf, unit, path: &mut path }.strip(kind)?;
    let mut tree = unit.entries_tree(Some(kind)).ok()?;
    let mut children = tree.root().ok()?.children();
    while let Ok(Some(child)) = children.next() {
        let entry = child.entry();
        if entry.tag() == gimli::DW_TAG_member && name_of(dwarf, unit, entry).as_deref() == Some(name) {
            return type_of(entry);
        }
    }
    None
}

struct Types<'a, 'd> {
    dwarf: &'a Dwarf<'d>,
    unit: &'a Unit<'d>,
    path: &'a mut String,
}

impl<'d> Types<'_, 'd> {
    fn descend(&mut self, kind: UnitOffset, offset: u64, depth: u32) -> Option<()> {
        let (kind, entry) = self.strip(kind)?;
        if depth > DEEPEST {
            return None;
        }
        match entry.tag() {
            gimli::DW_TAG_array_type => {
                let element = type_of(&entry)?;
                let size = self.size(element, depth).filter(|&size| size != 0)?;
                let mut index = offset / size;
                // The last dimension runs fastest.
                let dimensions = self.dimensions(kind);
                let mut indices = Vec::new();
                for (position, dimension) in dimensions.iter().enumerate().rev() {
                    let count = if position == 0 { u64::MAX } else { (*dimension).max(1) };
                    indices.push(index % count);
                    index /= count;
                }
                for index in indices.iter().rev() {
                    self.path.push_str(&format!("[{index}]"));
                }
                self.descend(element, offset % size, depth + 1)
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                let (name, member, at) = self.member(kind, offset, depth)?;
                if let Some(name) = name {
                    if name.starts_with('_') {
                        return None;
                    }
                    self.path.push('.');
                    self.path.push_str(&name);
                }
                self.descend(member, offset - at, depth + 1)
            }
            _ => None,
        }
    }

    fn scalar(&self, kind: UnitOffset, offset: u64, depth: u32) -> Option<Scalar> {
        let (kind, entry) = self.strip(kind)?;
        if depth > DEEPEST {
            return None;
        }
        match entry.tag() {
            gimli::DW_TAG_base_type if offset == 0 => {
                let bits = (8 * self.size(kind, depth)?) as u8;
                match entry.attr_value(gimli::DW_AT_encoding)? {
                    AttributeValue::Encoding(gimli::DW_ATE_boolean) => Some(Scalar::Truth),
                    AttributeValue::Encoding(gimli::DW_ATE_signed) => Some(Scalar::Number(InputType::Signed(bits))),
                    AttributeValue::Encoding(gimli::DW_ATE_unsigned) => Some(Scalar::Number(InputType::Unsigned(bits))),
                    AttributeValue::Encoding(gimli::DW_ATE_float) => {
                        matches!(bits, 32 | 64).then_some(Scalar::Number(InputType::Float(bits)))
                    }
                    _ => None,
                }
            }
            gimli::DW_TAG_pointer_type if offset == 0 => Some(Scalar::Pointer),
            gimli::DW_TAG_enumeration_type if offset == 0 => self.scalar(type_of(&entry)?, 0, depth + 1),
            gimli::DW_TAG_array_type => {
                let element = type_of(&entry)?;
                let size = self.size(element, depth).filter(|&size| size != 0)?;
                self.scalar(element, offset % size, depth + 1)
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
                let (_, member, at) = self.member(kind, offset, depth)?;
                self.scalar(member, offset - at, depth + 1)
            }
            _ => None,
        }
    }

    /// The member or base class that contains `offset`: its name (none for a base class), type and offset.
    fn member(&self, kind: UnitOffset, offset: u64, depth: u32) -> Option<(Option<String>, UnitOffset, u64)> {
        let mut tree = self.unit.entries_tree(Some(kind)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            if !matches!(entry.tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance) {
                continue;
            }
            let Some(member) = type_of(entry) else { continue };
            // Members of unions say no offset, nor do static members, which have no place here.
            if entry.attr(gimli::DW_AT_external).is_some() {
                continue;
            }
            let at = entry.attr_value(gimli::DW_AT_data_member_location).and_then(|v| v.udata_value()).unwrap_or(0);
            let size = self.size(member, depth + 1).unwrap_or(0);
            if (at..at + size).contains(&offset) {
                return Some((name_of(self.dwarf, self.unit, entry), member, at));
            }
        }
        None
    }

    /// The size of a type in bytes.
    fn size(&self, kind: UnitOffset, depth: u32) -> Option<u64> {
        let (kind, entry) = self.strip(kind)?;
        if let Some(size) = entry.attr_value(gimli::DW_AT_byte_size).and_then(|value| value.udata_value()) {
            return Some(size);
        }
        match entry.tag() {
            gimli::DW_TAG_array_type if depth < DEEPEST => {
                let count: u64 = self.dimensions(kind).iter().product();
                Some(count * self.size(type_of(&entry)?, depth + 1)?)
            }
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => Some(8),
            _ => None,
        }
    }

    /// The number of elements of an array in each dimension; 0 where it is unknown.
    fn dimensions(&self, array: UnitOffset) -> Vec<u64> {
        let mut dimensions = Vec::new();
        let Ok(mut tree) = self.unit.entries_tree(Some(array)) else { return dimensions };
        let Ok(root) = tree.root() else { return dimensions };
        let mut children = root.children();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            if entry.tag() == gimli::DW_TAG_subrange_type {
                let value = |name| entry.attr_value(name).and_then(|value| value.udata_value());
                let count = value(gimli::DW_AT_count).or_else(|| value(gimli::DW_AT_upper_bound)?.checked_add(1));
                dimensions.push(count.unwrap_or(0));
            }
        }
        dimensions
    }

    /// The type behind typedefs and qualifiers.
    fn strip(&self, kind: UnitOffset) -> Option<(UnitOffset, Entry<'d>)> {
        let mut kind = kind;
        for _ in 0..DEEPEST {
            let entry = self.unit.entry(kind).ok()?;
            match entry.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type => kind = type_of(&entry)?,
                _ => return Some((kind, entry)),
            }
        }
        None
    }
}
