//! The part of LLVM's C interface that the reader uses, from a library that is opened at run time.
//!
//! Only the child process of the [`reader`](super::reader) gets here. Enumerations are integers: a newer library may have values
//! that nobody here has heard of.

use std::ffi::{CStr, CString, c_char, c_int, c_longlong, c_uint, c_ulonglong, c_void};
use std::path::Path;

macro_rules! handles {
    ($($name:ident),*) => { $(
        /// A handle of LLVM's.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(transparent)]
        pub struct $name(pub *mut c_void);
        impl $name {
            /// The handle, unless it is null. Some kinds of handles are never asked.
            #[allow(dead_code)]
            pub fn some(self) -> Option<Self> { (!self.0.is_null()).then_some(self) }
        }
    )* };
}

handles!(Context, ModuleRef, TypeRef, ValueRef, BlockRef, BufferRef, DataRef, MetadataRef, AttributeRef);

macro_rules! functions {
    ($($name:ident = $symbol:literal ( $($arg:ident : $ty:ty),* ) $(-> $result:ty)?;)*) => {
        /// The functions of one loaded library.
        pub struct Llvm { $($name: unsafe extern "C" fn($($ty),*) $(-> $result)?,)* }

        impl Llvm {
            /// Opens the library and finds the functions.
            ///
            /// # Errors
            ///
            /// What the loader says, or the first function that is missing.
            pub fn open(path: &Path) -> Result<Llvm, String> {
                let file = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|e| e.to_string())?;
                // SAFETY: a C string. The library is never closed, so its functions stay.
                let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
                if handle.is_null() {
                    // SAFETY: after a failure dlerror gives a C string.
                    let words = unsafe { CStr::from_ptr(libc::dlerror()) };
                    return Err(words.to_string_lossy().into_owned());
                }
                Ok(Llvm { $($name: {
                    // SAFETY: an open library and a C string.
                    let symbol = unsafe { libc::dlsym(handle, concat!($symbol, "\0").as_ptr().cast()) };
                    if symbol.is_null() {
                        return Err(format!("{} has no {}", path.display(), $symbol));
                    }
                    // SAFETY: the prototype is the one of LLVM's header, the same from version 17 to 22.
                    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($ty),*) $(-> $result)?>(symbol) }
                },)* })
            }

            $(
                #[doc = $symbol]
                #[allow(clippy::too_many_arguments)]
                pub fn $name(&self, $($arg: $ty),*) $(-> $result)? {
                    // SAFETY: handles come from this library and live as long as the process, and callers pass what the
                    // function's kind of value allows. A mistake ends the child process, whose end is an error of reading.
                    unsafe { (self.$name)($($arg),*) }
                }
            )*
        }
    };
}

functions! {
    context_create = "LLVMContextCreate"() -> Context;
    buffer_from_file = "LLVMCreateMemoryBufferWithContentsOfFile"(path: *const c_char, out: *mut BufferRef, message: *mut *mut c_char) -> c_int;
    parse_bitcode = "LLVMParseBitcodeInContext2"(context: Context, buffer: BufferRef, out: *mut ModuleRef) -> c_int;
    link_modules = "LLVMLinkModules2"(into: ModuleRef, from: ModuleRef) -> c_int;
    data_layout = "LLVMGetModuleDataLayout"(module: ModuleRef) -> DataRef;
    size_of = "LLVMABISizeOfType"(data: DataRef, ty: TypeRef) -> c_ulonglong;
    align_of = "LLVMABIAlignmentOfType"(data: DataRef, ty: TypeRef) -> c_uint;
    field_offset = "LLVMOffsetOfElement"(data: DataRef, ty: TypeRef, field: c_uint) -> c_ulonglong;
    first_function = "LLVMGetFirstFunction"(module: ModuleRef) -> ValueRef;
    next_function = "LLVMGetNextFunction"(function: ValueRef) -> ValueRef;
    first_global = "LLVMGetFirstGlobal"(module: ModuleRef) -> ValueRef;
    next_global = "LLVMGetNextGlobal"(global: ValueRef) -> ValueRef;
    value_name = "LLVMGetValueName2"(value: ValueRef, length: *mut usize) -> *const c_char;
    value_kind = "LLVMGetValueKind"(value: ValueRef) -> c_int;
    type_of = "LLVMTypeOf"(value: ValueRef) -> TypeRef;
    type_kind = "LLVMGetTypeKind"(ty: TypeRef) -> c_int;
    int_width = "LLVMGetIntTypeWidth"(ty: TypeRef) -> c_uint;
    inline_assembly = "LLVMGetModuleInlineAsm"(module: ModuleRef, length: *mut usize) -> *const c_char;
    first_resolver = "LLVMGetFirstGlobalIFunc"(module: ModuleRef) -> ValueRef;
    section = "LLVMGetSection"(global: ValueRef) -> *const c_char;
    linkage = "LLVMGetLinkage"(global: ValueRef) -> c_int;
    element_type = "LLVMGetElementType"(ty: TypeRef) -> TypeRef;
    array_length = "LLVMGetArrayLength2"(ty: TypeRef) -> u64;
    field_count = "LLVMCountStructElementTypes"(ty: TypeRef) -> c_uint;
    field_type = "LLVMStructGetTypeAtIndex"(ty: TypeRef, index: c_uint) -> TypeRef;
    is_opaque = "LLVMIsOpaqueStruct"(ty: TypeRef) -> c_int;
    is_sized = "LLVMTypeIsSized"(ty: TypeRef) -> c_int;
    print_type = "LLVMPrintTypeToString"(ty: TypeRef) -> *mut c_char;
    return_type = "LLVMGetReturnType"(ty: TypeRef) -> TypeRef;
    is_variadic = "LLVMIsFunctionVarArg"(ty: TypeRef) -> c_int;
    global_type = "LLVMGlobalGetValueType"(global: ValueRef) -> TypeRef;
    initializer = "LLVMGetInitializer"(global: ValueRef) -> ValueRef;
    is_constant_global = "LLVMIsGlobalConstant"(global: ValueRef) -> c_int;
    is_thread_local = "LLVMIsThreadLocal"(global: ValueRef) -> c_int;
    alignment = "LLVMGetAlignment"(value: ValueRef) -> c_uint;
    aliasee = "LLVMAliasGetAliasee"(alias: ValueRef) -> ValueRef;
    param_count = "LLVMCountParams"(function: ValueRef) -> c_uint;
    param = "LLVMGetParam"(function: ValueRef, index: c_uint) -> ValueRef;
    attribute = "LLVMGetEnumAttributeAtIndex"(function: ValueRef, index: c_uint, kind: c_uint) -> AttributeRef;
    attribute_kind = "LLVMGetEnumAttributeKindForName"(name: *const c_char, length: usize) -> c_uint;
    attribute_type = "LLVMGetTypeAttributeValue"(attribute: AttributeRef) -> TypeRef;
    first_block = "LLVMGetFirstBasicBlock"(function: ValueRef) -> BlockRef;
    next_block = "LLVMGetNextBasicBlock"(block: BlockRef) -> BlockRef;
    first_instruction = "LLVMGetFirstInstruction"(block: BlockRef) -> ValueRef;
    next_instruction = "LLVMGetNextInstruction"(instruction: ValueRef) -> ValueRef;
    opcode = "LLVMGetInstructionOpcode"(instruction: ValueRef) -> c_int;
    const_opcode = "LLVMGetConstOpcode"(constant: ValueRef) -> c_int;
    operand_count = "LLVMGetNumOperands"(value: ValueRef) -> c_int;
    operand = "LLVMGetOperand"(value: ValueRef, index: c_uint) -> ValueRef;
    no_signed_wrap = "LLVMGetNSW"(instruction: ValueRef) -> c_int;
    predicate = "LLVMGetICmpPredicate"(instruction: ValueRef) -> c_int;
    float_predicate = "LLVMGetFCmpPredicate"(instruction: ValueRef) -> c_int;
    gep_type = "LLVMGetGEPSourceElementType"(gep: ValueRef) -> TypeRef;
    is_inbounds = "LLVMIsInBounds"(gep: ValueRef) -> c_int;
    is_volatile = "LLVMGetVolatile"(instruction: ValueRef) -> c_int;
    ordering = "LLVMGetOrdering"(instruction: ValueRef) -> c_int;
    exchange_ordering = "LLVMGetCmpXchgSuccessOrdering"(instruction: ValueRef) -> c_int;
    rmw_op = "LLVMGetAtomicRMWBinOp"(instruction: ValueRef) -> c_int;
    allocated_type = "LLVMGetAllocatedType"(alloca: ValueRef) -> TypeRef;
    called_value = "LLVMGetCalledValue"(call: ValueRef) -> ValueRef;
    called_type = "LLVMGetCalledFunctionType"(call: ValueRef) -> TypeRef;
    arg_count = "LLVMGetNumArgOperands"(call: ValueRef) -> c_uint;
    normal_dest = "LLVMGetNormalDest"(invoke: ValueRef) -> BlockRef;
    index_count = "LLVMGetNumIndices"(instruction: ValueRef) -> c_uint;
    indices = "LLVMGetIndices"(instruction: ValueRef) -> *const c_uint;
    incoming_count = "LLVMCountIncoming"(phi: ValueRef) -> c_uint;
    incoming_value = "LLVMGetIncomingValue"(phi: ValueRef, index: c_uint) -> ValueRef;
    incoming_block = "LLVMGetIncomingBlock"(phi: ValueRef, index: c_uint) -> BlockRef;
    is_conditional = "LLVMIsConditional"(branch: ValueRef) -> c_int;
    condition = "LLVMGetCondition"(branch: ValueRef) -> ValueRef;
    successor_count = "LLVMGetNumSuccessors"(terminator: ValueRef) -> c_uint;
    successor = "LLVMGetSuccessor"(terminator: ValueRef, index: c_uint) -> BlockRef;
    int_value = "LLVMConstIntGetZExtValue"(constant: ValueRef) -> c_ulonglong;
    int_signed = "LLVMConstIntGetSExtValue"(constant: ValueRef) -> c_longlong;
    float_value = "LLVMConstRealGetDouble"(constant: ValueRef, lost: *mut c_int) -> f64;
    is_string = "LLVMIsConstantString"(constant: ValueRef) -> c_int;
    string = "LLVMGetAsString"(constant: ValueRef, length: *mut usize) -> *const c_char;
    element = "LLVMGetAggregateElement"(constant: ValueRef, index: c_uint) -> ValueRef;
    print_value = "LLVMPrintValueToString"(value: ValueRef) -> *mut c_char;
    location = "LLVMInstructionGetDebugLoc"(instruction: ValueRef) -> MetadataRef;
    location_line = "LLVMDILocationGetLine"(location: MetadataRef) -> c_uint;
    location_column = "LLVMDILocationGetColumn"(location: MetadataRef) -> c_uint;
    location_scope = "LLVMDILocationGetScope"(location: MetadataRef) -> MetadataRef;
    scope_file = "LLVMDIScopeGetFile"(scope: MetadataRef) -> MetadataRef;
    file_name = "LLVMDIFileGetFilename"(file: MetadataRef, length: *mut c_uint) -> *const c_char;
    file_directory = "LLVMDIFileGetDirectory"(file: MetadataRef, length: *mut c_uint) -> *const c_char;
    subprogram = "LLVMGetSubprogram"(function: ValueRef) -> MetadataRef;
    subprogram_line = "LLVMDISubprogramGetLine"(subprogram: MetadataRef) -> c_uint;
}

/// The text behind a pointer and a length, as LLVM gives it.
pub fn text(pointer: *const c_char, length: usize) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gave both together.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The text behind a C string that LLVM made. It is not given back: the process ends soon.
pub fn c_text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: a C string of LLVM's.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
