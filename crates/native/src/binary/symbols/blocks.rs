//! Names parts of heap blocks, by what the place of the allocation [claims](super::allocation) and the debug information confirms.
//!
//! A claim counts only if the type is described in the unit that allocates and fits the size of the block: one element, several, or a
//! structure with more behind it.

use gimli::UnitOffset;
use heddle_model::trace::Scalar;

use super::allocation::Claim;
use super::types;
use super::variables::{Dwarf, Unit, name_of, type_of};

/// A part of a heap block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The type of the block, or of the elements of the array that it is.
    pub kind: String,
    /// The path to the part: `[2].next`, `.hits`. Empty if it is the whole block.
    pub path: String,
    /// What it is.
    pub scalar: Option<Scalar>,
}

/// What `std::make_shared` puts before the object: a table of virtual functions and two counts.
const SHARED: u64 = 16;

/// What lies `offset` bytes into a block of `size` bytes that was allocated at `code`.
pub fn part(dwarf: &Dwarf<'_>, code: u64, claims: &[Claim], size: u64, offset: u64) -> Option<Part> {
    if claims.is_empty() {
        return None;
    }
    let unit = unit_of(dwarf, code)?;
    claims.iter().find_map(|claim| {
        let kind = match claim {
            Claim::Named(name) | Claim::Shared(name) => named(dwarf, &unit, name)?,
            Claim::Of(expression) => type_of_expression(dwarf, &unit, code, expression)?,
            Claim::Behind(expression) => {
                types::target(dwarf, &unit, type_of_expression(dwarf, &unit, code, expression)?)?
            }
        };
        let offset = if matches!(claim, Claim::Shared(_)) { offset.checked_sub(SHARED)? } else { offset };
        within(dwarf, &unit, kind, size, offset, matches!(claim, Claim::Shared(_)))
    })
}

/// What lies `offset` bytes into a block of `size` bytes whose elements are of type `kind`. `shared`: one element, with more around it.
fn within(dwarf: &Dwarf<'_>, unit: &Unit<'_>, kind: UnitOffset, size: u64, offset: u64, shared: bool) -> Option<Part> {
    let (element, _) = types::size(dwarf, unit, kind)?;
    if element == 0 || element > size {
        return None;
    }
    let several = size.is_multiple_of(element) && size > element && !shared;
    if !several && offset >= element {
        return None;
    }
    let index = if several { format!("[{}]", offset / element) } else { String::new() };
    let path = types::path(dwarf, unit, kind, offset % element)?;
    let scalar = types::scalar(dwarf, unit, kind, offset % element);
    Some(Part { kind: name(dwarf, unit, kind)?, path: index + &path, scalar })
}

fn name(dwarf: &Dwarf<'_>, unit: &Unit<'_>, kind: UnitOffset) -> Option<String> {
    let entry = unit.entry(kind).ok()?;
    if let Some(name) = name_of(dwarf, unit, &entry) {
        return Some(name);
    }
    match entry.tag() {
        gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type | gimli::DW_TAG_atomic_type => {
            name(dwarf, unit, type_of(&entry)?)
        }
        gimli::DW_TAG_pointer_type => match type_of(&entry) {
            Some(target) => Some(format!("{} *", name(dwarf, unit, target)?)),
            None => Some("void *".to_owned()),
        },
        _ => None,
    }
}

fn unit_of<'d>(dwarf: &Dwarf<'d>, code: u64) -> Option<Unit<'d>> {
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().ok()? {
        let unit = dwarf.unit(header).ok()?;
        let mut ranges = dwarf.unit_ranges(&unit).ok()?;
        while let Ok(Some(range)) = ranges.next() {
            if (range.begin..range.end).contains(&code) {
                return Some(unit);
            }
        }
    }
    None
}

/// The complete type called `name`. A name without its namespaces counts where no other type has it.
fn named(dwarf: &Dwarf<'_>, unit: &Unit<'_>, name: &str) -> Option<UnitOffset> {
    let wanted: String = name.split_whitespace().collect::<Vec<_>>().join(" ").replace("> >", ">>");
    let last = wanted.split('<').next().and_then(|start| start.rsplit("::").next()).unwrap_or(&wanted).to_owned();
    let mut around: Vec<(isize, String)> = Vec::new();
    let (mut exact, mut similar, mut ambiguous) = (None, None, false);
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs().ok()? {
        let depth = entry.depth();
        while around.last().is_some_and(|(outer, _)| *outer >= depth) {
            around.pop();
        }
        let is_type = matches!(
            entry.tag(),
            gimli::DW_TAG_structure_type
                | gimli::DW_TAG_class_type
                | gimli::DW_TAG_union_type
                | gimli::DW_TAG_typedef
                | gimli::DW_TAG_base_type
                | gimli::DW_TAG_enumeration_type
        );
        let is_around = matches!(
            entry.tag(),
            gimli::DW_TAG_namespace
                | gimli::DW_TAG_subprogram
                | gimli::DW_TAG_structure_type
                | gimli::DW_TAG_class_type
        );
        if !is_type && !is_around {
            continue;
        }
        let Some(own) = name_of(dwarf, unit, entry) else { continue };
        if is_type && entry.attr(gimli::DW_AT_declaration).is_none() && own.starts_with(&last) {
            let full =
                around.iter().map(|(_, outer)| outer.as_str()).chain([own.as_str()]).collect::<Vec<_>>().join("::");
            let full = full.replace("> >", ">>");
            if full == wanted {
                exact = exact.or(Some(entry.offset()));
            } else if full.ends_with(&format!("::{wanted}")) {
                ambiguous |= similar.is_some();
                similar = Some(entry.offset());
            }
        }
        if is_around {
            around.push((depth, own));
        }
    }
    exact.or(similar.filter(|_| !ambiguous))
}

/// The type of an expression in the function around `code`: a variable with `*` before it and `[...]`, `->member`, `.member` behind it.
fn type_of_expression(dwarf: &Dwarf<'_>, unit: &Unit<'_>, code: u64, expression: &str) -> Option<UnitOffset> {
    let expression = expression.trim();
    let expression = match expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => inner.trim(),
        None => expression,
    };
    let stars = expression.chars().take_while(|c| *c == '*').count();
    let rest = expression[stars..].trim_start();
    let end = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (variable, mut rest) = rest.split_at(end(rest));
    if variable.is_empty() {
        return None;
    }
    let mut kind = variable_type(dwarf, unit, code, variable)?;
    while !rest.is_empty() {
        if let Some(index) = rest.strip_prefix('[') {
            kind = types::target(dwarf, unit, kind)?;
            rest = index.split_once(']')?.1;
        } else if let Some(member) = rest.strip_prefix("->").or_else(|| rest.strip_prefix('.')) {
            let points = rest.starts_with('-');
            let (name, more) = member.split_at(end(member));
            let whole = if points { types::target(dwarf, unit, kind)? } else { kind };
            kind = types::member(dwarf, unit, whole, name)?;
            rest = more;
        } else {
            return None;
        }
    }
    (0..stars).try_fold(kind, |kind, _| types::target(dwarf, unit, kind))
}

/// The type of a variable or parameter of the function around `code`, or else of a static variable, by its name.
fn variable_type(dwarf: &Dwarf<'_>, unit: &Unit<'_>, code: u64, variable: &str) -> Option<UnitOffset> {
    let mut entries = unit.entries();
    let mut function: Option<isize> = None;
    let (mut local, mut global) = (None, None);
    while let Some(entry) = entries.next_dfs().ok()? {
        let depth = entry.depth();
        if function.is_some_and(|outer| depth <= outer) {
            function = None;
        }
        match entry.tag() {
            gimli::DW_TAG_subprogram => {
                let mut ranges = dwarf.die_ranges(unit, entry).ok()?;
                while let Ok(Some(range)) = ranges.next() {
                    if (range.begin..range.end).contains(&code) {
                        function = Some(depth);
                    }
                }
            }
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter
                if name_of(dwarf, unit, entry).as_deref() == Some(variable) =>
            {
                if function.is_some() {
                    local = local.or(type_of(entry));
                } else if depth <= 2 {
                    global = global.or(type_of(entry));
                }
            }
            _ => {}
        }
    }
    local.or(global)
}
