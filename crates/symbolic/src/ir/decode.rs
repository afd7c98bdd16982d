//! From LLVM's module to ours: types, constants, global variables, sites. Functions are in [`decode_function`](super::decode_function).
//!
//! Runs in the child process of the [`reader`](super::reader) only.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_uint};
use std::path::{Path, PathBuf};

use super::llvm::{
    BlockRef, BufferRef, Context, DataRef, Llvm, MetadataRef, ModuleRef, TypeRef, ValueRef, c_text, text,
};
use super::types::{Constant, FuncId, Function, Global, GlobalId, Module, Reg, Site, Type, TypeId};

/// LLVM's numbers for kinds of types.
mod kind {
    pub const VOID: i32 = 0;
    pub const FLOAT: i32 = 2;
    pub const DOUBLE: i32 = 3;
    pub const INTEGER: i32 = 8;
    pub const STRUCT: i32 = 10;
    pub const ARRAY: i32 = 11;
    pub const POINTER: i32 = 12;
}

/// LLVM's numbers for kinds of values.
pub(super) mod value {
    pub const ARGUMENT: i32 = 0;
    pub const FUNCTION: i32 = 5;
    pub const ALIAS: i32 = 6;
    pub const GLOBAL: i32 = 8;
    pub const EXPRESSION: i32 = 10;
    pub const ARRAY: i32 = 11;
    pub const STRUCT: i32 = 12;
    pub const UNDEF: i32 = 14;
    pub const ZERO: i32 = 15;
    pub const DATA_ARRAY: i32 = 16;
    pub const INT: i32 = 18;
    pub const FLOAT: i32 = 19;
    pub const NULL: i32 = 20;
    pub const ASM: i32 = 23;
    pub const INSTRUCTION: i32 = 24;
    pub const POISON: i32 = 25;
}

/// LLVM's number of the linkage of a symbol that may be missing.
const EXTERNAL_WEAK: i32 = 12;

/// What has been read so far.
pub(super) struct Decoder<'a> {
    pub(super) llvm: &'a Llvm,
    data: DataRef,
    pub(super) module: Module,
    types: HashMap<TypeRef, TypeId>,
    same_types: HashMap<Type, TypeId>,
    functions: HashMap<ValueRef, FuncId>,
    globals: HashMap<ValueRef, GlobalId>,
    files: HashMap<MetadataRef, u32>,
    /// Of the function that is being read.
    pub(super) registers: HashMap<ValueRef, Reg>,
    pub(super) blocks: HashMap<BlockRef, u32>,
    pub(super) by_value_kind: c_uint,
}

/// Reads bitcode files and links them to one module.
///
/// # Errors
///
/// When LLVM cannot read or link them.
pub(super) fn decode(library: &Path, bitcode: &[PathBuf]) -> Result<Module, String> {
    let llvm = Llvm::open(library)?;
    let context = llvm.context_create();
    let mut whole: Option<ModuleRef> = None;
    for file in bitcode {
        let module = parse(&llvm, context, file)?;
        match whole {
            None => whole = Some(module),
            Some(into) => {
                if llvm.link_modules(into, module) != 0 {
                    return Err(format!("{} cannot be linked with the others", file.display()));
                }
            }
        }
    }
    let whole = whole.ok_or("no file to read")?;
    let name = "byval";
    let by_value_kind = llvm.attribute_kind(name.as_ptr().cast(), name.len());
    let mut decoder = Decoder {
        data: llvm.data_layout(whole),
        llvm: &llvm,
        module: Module::default(),
        types: HashMap::new(),
        same_types: HashMap::new(),
        functions: HashMap::new(),
        globals: HashMap::new(),
        files: HashMap::new(),
        registers: HashMap::new(),
        blocks: HashMap::new(),
        by_value_kind,
    };
    decoder.module.files.push(String::new());
    decoder.whole(whole);
    Ok(decoder.module)
}

fn parse(llvm: &Llvm, context: Context, file: &Path) -> Result<ModuleRef, String> {
    let path = CString::new(file.as_os_str().as_encoded_bytes()).map_err(|e| e.to_string())?;
    let mut buffer = BufferRef(std::ptr::null_mut());
    let mut message: *mut c_char = std::ptr::null_mut();
    if llvm.buffer_from_file(path.as_ptr(), &raw mut buffer, &raw mut message) != 0 {
        return Err(format!("{}: {}", file.display(), c_text(message)));
    }
    let mut module = ModuleRef(std::ptr::null_mut());
    if llvm.parse_bitcode(context, buffer, &raw mut module) != 0 {
        return Err(format!("{}: libLLVM cannot read this bitcode", file.display()));
    }
    Ok(module)
}

impl Decoder<'_> {
    fn whole(&mut self, module: ModuleRef) {
        let mut functions = Vec::new();
        let mut next = self.llvm.first_function(module).some();
        while let Some(function) = next {
            self.functions.insert(function, functions.len() as FuncId);
            functions.push(function);
            next = self.llvm.next_function(function).some();
        }
        let mut globals = Vec::new();
        let mut next = self.llvm.first_global(module).some();
        while let Some(global) = next {
            self.globals.insert(global, globals.len() as GlobalId);
            globals.push(global);
            next = self.llvm.next_global(global).some();
        }
        for global in &globals {
            let read = self.global(*global);
            self.module.globals.push(read);
        }
        for function in &functions {
            let read = self.function(*function);
            self.module.functions.push(read);
        }
        self.constructors(&globals);
        self.module.aside = self.aside(module, &globals);
    }

    /// What runs or is defined beside the functions of the program and its constructors.
    fn aside(&self, module: ModuleRef, globals: &[ValueRef]) -> Option<String> {
        let mut length = 0;
        let assembly = self.llvm.inline_assembly(module, &raw mut length);
        if !assembly.is_null() && length > 0 {
            return Some("assembly outside of functions".to_owned());
        }
        if self.llvm.first_resolver(module).some().is_some() {
            return Some("a function that is chosen when the program is loaded".to_owned());
        }
        for global in globals {
            if self.name(*global) == "llvm.global_dtors" {
                return Some("functions that run after main".to_owned());
            }
            let section = c_text(self.llvm.section(*global));
            if [".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors"]
                .iter()
                .any(|s| section.starts_with(s))
            {
                return Some(format!("the section {section}"));
            }
        }
        None
    }

    /// Whether a symbol may be missing, so that its address is null.
    fn may_be_missing(&self, global: ValueRef) -> bool {
        self.llvm.linkage(global) == EXTERNAL_WEAK
    }

    /// LLVM's table of functions that run before `main`: priority, function, and data that nobody here needs.
    fn constructors(&mut self, globals: &[ValueRef]) {
        for (global, index) in globals.iter().zip(0..) {
            if self.module.globals[index].name != "llvm.global_ctors" {
                continue;
            }
            let Some(table) = self.llvm.initializer(*global).some() else { continue };
            let mut found: Vec<(u64, FuncId)> = Vec::new();
            for entry in 0..self.llvm.array_length(self.llvm.type_of(table)) {
                let fields = self.llvm.element(table, entry as c_uint);
                let priority = self.llvm.int_value(self.llvm.element(fields, 0));
                if let Some(function) = self.functions.get(&self.llvm.element(fields, 1)) {
                    found.push((priority, *function));
                }
            }
            found.sort_by_key(|(priority, _)| *priority);
            self.module.constructors = found.into_iter().map(|(_, function)| function).collect();
        }
    }

    pub(super) fn name(&self, value: ValueRef) -> String {
        let mut length = 0;
        let pointer = self.llvm.value_name(value, &raw mut length);
        text(pointer, length)
    }

    fn global(&mut self, global: ValueRef) -> Global {
        let value_type = self.llvm.global_type(global);
        let sized = self.llvm.is_sized(value_type) != 0;
        let name = self.name(global);
        let special = name.starts_with("llvm.");
        let initial = self.llvm.initializer(global).some();
        Global {
            ty: self.ty(value_type),
            size: if sized { self.llvm.size_of(self.data, value_type) } else { 0 },
            align: u64::from(self.llvm.alignment(global)).max(if sized {
                u64::from(self.llvm.align_of(self.data, value_type))
            } else {
                1
            }),
            initial: if special { None } else { initial.map(|value| self.constant(value)) },
            constant: self.llvm.is_constant_global(global) != 0,
            thread_local: self.llvm.is_thread_local(global) != 0,
            site: Site::default(),
            name,
        }
    }

    /// The size of a type in memory, with padding, and its alignment.
    pub(super) fn layout(&self, ty: TypeRef) -> (u64, u64) {
        (self.llvm.size_of(self.data, ty), u64::from(self.llvm.align_of(self.data, ty)))
    }

    fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(known) = self.same_types.get(&ty) {
            return *known;
        }
        let id = self.module.types.len() as TypeId;
        self.module.types.push(ty.clone());
        self.same_types.insert(ty, id);
        id
    }

    pub(super) fn ty(&mut self, ty: TypeRef) -> TypeId {
        if let Some(known) = self.types.get(&ty) {
            return *known;
        }
        let read = match self.llvm.type_kind(ty) {
            kind::VOID => Type::Void,
            kind::FLOAT => Type::Float,
            kind::DOUBLE => Type::Double,
            kind::POINTER => Type::Pointer,
            kind::INTEGER if self.llvm.int_width(ty) <= 128 => Type::Int(self.llvm.int_width(ty)),
            kind::ARRAY => {
                let element = self.llvm.element_type(ty);
                let stride = self.llvm.size_of(self.data, element);
                Type::Array(self.ty(element), self.llvm.array_length(ty), stride)
            }
            kind::STRUCT if self.llvm.is_opaque(ty) == 0 => {
                let count = self.llvm.field_count(ty);
                let fields = (0..count)
                    .map(|field| {
                        let offset = self.llvm.field_offset(self.data, ty, field);
                        (offset, self.ty(self.llvm.field_type(ty, field)))
                    })
                    .collect();
                Type::Struct(fields, self.llvm.size_of(self.data, ty))
            }
            _ => Type::Refused(c_text(self.llvm.print_type(ty))),
        };
        let id = self.intern(read);
        self.types.insert(ty, id);
        id
    }

    pub(super) fn constant(&mut self, constant: ValueRef) -> Constant {
        let value_type = self.llvm.type_of(constant);
        match self.llvm.value_kind(constant) {
            value::INT => {
                let width = self.llvm.int_width(value_type);
                if width <= 64 {
                    return Constant::Bits(width, u128::from(self.llvm.int_value(constant)));
                }
                // The interface gives no more than 64 bits: the listing has them all, "i128 123".
                let words = c_text(self.llvm.print_value(constant));
                let number = words.rsplit(' ').next().unwrap_or_default();
                let value = number.parse::<i128>().map(|v| v as u128).or_else(|_| number.parse::<u128>());
                match value {
                    Ok(value) if width < 128 => Constant::Bits(width, value & ((1 << width) - 1)),
                    Ok(value) if width == 128 => Constant::Bits(width, value),
                    _ => Constant::Refused(words),
                }
            }
            value::FLOAT => {
                let mut lost: c_int = 0;
                let number = self.llvm.float_value(constant, &raw mut lost);
                match self.llvm.type_kind(value_type) {
                    kind::DOUBLE => Constant::Bits(64, u128::from(number.to_bits())),
                    // The conversion is exact: it was a float.
                    kind::FLOAT => Constant::Bits(32, u128::from((number as f32).to_bits())),
                    _ => Constant::Refused(c_text(self.llvm.print_value(constant))),
                }
            }
            value::NULL => Constant::Null,
            value::UNDEF | value::POISON => Constant::Undefined(self.ty(value_type)),
            value::ZERO => Constant::Zero(self.ty(value_type)),
            value::GLOBAL | value::FUNCTION if self.may_be_missing(constant) => {
                Constant::Refused(format!("{}, which is weak and may be missing", self.name(constant)))
            }
            value::GLOBAL => Constant::Global(self.globals[&constant], 0),
            value::FUNCTION => Constant::Function(self.functions[&constant]),
            value::ALIAS => {
                let real = self.llvm.aliasee(constant);
                self.constant(real)
            }
            value::DATA_ARRAY if self.llvm.is_string(constant) != 0 => {
                let mut length = 0;
                let pointer = self.llvm.string(constant, &raw mut length);
                // SAFETY: LLVM gave both together.
                Constant::Bytes(unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) }.to_vec())
            }
            value::DATA_ARRAY | value::ARRAY => {
                let count = self.llvm.array_length(value_type);
                let elements = (0..count).map(|i| self.constant(self.llvm.element(constant, i as c_uint))).collect();
                Constant::Aggregate(self.ty(value_type), elements)
            }
            value::STRUCT => {
                let count = self.llvm.field_count(value_type);
                let elements = (0..count).map(|i| self.constant(self.llvm.element(constant, i))).collect();
                Constant::Aggregate(self.ty(value_type), elements)
            }
            value::EXPRESSION => self.expression(constant),
            _ => Constant::Refused(c_text(self.llvm.print_value(constant))),
        }
    }

    fn expression(&mut self, constant: ValueRef) -> Constant {
        let refused = Constant::Refused(c_text(self.llvm.print_value(constant)));
        let first = self.llvm.operand(constant, 0);
        match self.llvm.const_opcode(constant) {
            29 => {
                let Some((offset, terms)) = self.gep(constant) else { return refused };
                if !terms.is_empty() {
                    return refused;
                }
                match self.constant(first) {
                    Constant::Global(global, base) => Constant::Global(global, base + offset),
                    _ => refused,
                }
            }
            // ptrtoint
            39 => match self.constant(first) {
                Constant::Global(global, offset) if self.llvm.int_width(self.llvm.type_of(constant)) == 64 => {
                    Constant::GlobalBits(global, offset)
                }
                _ => refused,
            },
            // inttoptr
            40 => match self.constant(first) {
                Constant::GlobalBits(global, offset) => Constant::Global(global, offset),
                Constant::Bits(_, 0) => Constant::Null,
                // An address that no object has, such as MAP_FAILED: kept as a number.
                Constant::Bits(_, value) => Constant::Bits(64, value),
                _ => refused,
            },
            // bitcast, addrspacecast
            41 | 60 => self.constant(first),
            _ => refused,
        }
    }

    /// The constant part of an address computation in bytes, and its other parts with their scales. None: a type that is not
    /// followed.
    pub(super) fn gep(&mut self, gep: ValueRef) -> Option<(i64, Vec<(ValueRef, i64)>)> {
        let mut ty = self.llvm.gep_type(gep);
        let (mut constant, mut terms) = (0i64, Vec::new());
        for position in 1..self.llvm.operand_count(gep) {
            let index = self.llvm.operand(gep, position as c_uint);
            let is_constant = self.llvm.value_kind(index) == value::INT;
            let scale = if position == 1 {
                self.layout(ty).0 as i64
            } else {
                match self.llvm.type_kind(ty) {
                    kind::STRUCT => {
                        let field = self.llvm.int_value(index) as c_uint;
                        constant = constant.wrapping_add(self.llvm.field_offset(self.data, ty, field) as i64);
                        ty = self.llvm.field_type(ty, field);
                        continue;
                    }
                    kind::ARRAY => {
                        ty = self.llvm.element_type(ty);
                        self.layout(ty).0 as i64
                    }
                    _ => return None,
                }
            };
            if is_constant {
                constant = constant.wrapping_add(scale.wrapping_mul(self.llvm.int_signed(index)));
            } else {
                terms.push((index, scale));
            }
        }
        Some((constant, terms))
    }

    pub(super) fn file(&mut self, scope: MetadataRef) -> u32 {
        let Some(file) = self.llvm.scope_file(scope).some() else { return 0 };
        if let Some(known) = self.files.get(&file) {
            return *known;
        }
        let mut length: c_uint = 0;
        let pointer = self.llvm.file_name(file, &raw mut length);
        let name = text(pointer, length as usize);
        let pointer = self.llvm.file_directory(file, &raw mut length);
        let directory = text(pointer, length as usize);
        let path = Path::new(&directory).join(&name).to_string_lossy().into_owned();
        let id = self.module.files.len() as u32;
        self.module.files.push(path);
        self.files.insert(file, id);
        id
    }

    pub(super) fn site(&mut self, instruction: ValueRef) -> Site {
        let Some(location) = self.llvm.location(instruction).some() else { return Site::default() };
        let scope = self.llvm.location_scope(location);
        Site {
            file: self.file(scope),
            line: self.llvm.location_line(location),
            column: self.llvm.location_column(location),
        }
    }

    fn function(&mut self, function: ValueRef) -> Function {
        self.read_function(function)
    }
}
