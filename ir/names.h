// Names that the IR contains as text; each is defined once: attributes, annotations, calling
// conventions, memory scopes, thread axes. Code writes `func_attr::kLaunch`, so that a misspelt
// name does not compile. Plugins and users may use more names; these are the ones that the compiler
// knows. For names of intrinsics, see ir/intrinsic_names.h.
//
// They are character arrays, so they can be used wherever the text itself can: as std::string, as
// std::string_view, as key of a map.
#pragma once

#include "lathe/abi/kernel.h"
#include "lathe/abi/names.h"

namespace lathe::ir {

// Attributes of functions (FuncNode::attrs).
namespace func_attr {
inline constexpr char kCallingConvention[] = "calling_convention";  // a name of `convention`
inline constexpr char kDeviceType[] = "device_type";  // DLDeviceType on which tensors must be
inline constexpr char kEntryOf[] = "entry_of";        // of an unchecked entry: its function's name
inline constexpr char kIsEntry[] = "is_entry";        // bool
inline constexpr char kLaunch[] = "launch";    // of a kernel: its thread tags, space separated
inline constexpr char kNoalias[] = "noalias";  // bool
inline constexpr char kOpaquePointers[] = "opaque_pointers";  // bool: compute no addresses
inline constexpr char kTarget[] = "target";                   // string
inline constexpr char kWrites[] = "writes";  // numbers of the parameters that packed calls write
}  // namespace func_attr

// Calling conventions. A function without one is not bound to its arguments yet.
namespace convention {
inline constexpr char kPacked[] = "packed";               // lathe_call (abi/value.h)
inline constexpr char kParallelBody[] = "parallel_body";  // lathe_parallel_body (abi/kernel.h)
inline constexpr char kUnchecked[] = "unchecked";         // lathe_kernel_entry (abi/kernel.h)
inline constexpr char kKernel[] = "kernel";               // runs on a device
inline constexpr char kPlain[] = "plain";                 // called by call_plain
}  // namespace convention

// Attributes of modules (ModuleNode::attrs).
namespace module_attr {
inline constexpr char kImports[] = "imports";    // compiled modules, as bytes
inline constexpr char kMetadata[] = "metadata";  // JSON (runtime/metadata.h)
}  // namespace module_attr

// Keys of attribute statements (Attr::key).
namespace attr_key {
inline constexpr char kClaim[] = "claim";
inline constexpr char kCrossThreadCombine[] = "cross_thread_combine";
inline constexpr char kCrossThreadReduction[] = "cross_thread_reduction";
inline constexpr char kNontemporal[] = "nontemporal";
inline constexpr char kPipelineProducer[] = "pipeline_producer";
inline constexpr char kPragmaPrefix[] = "pragma.";  // stands before the name of a pragma
inline constexpr char kPragmaNontemporal[] = "pragma.nontemporal";
// The floating-point additions and multiplications of the body may be reassociated. Used for the
// update of a reduction.
inline constexpr char kReassociate[] = "reassociate";
}  // namespace attr_key

// Annotations of loops (For::annotations).
namespace annotation {
inline constexpr char kPipelineAsync[] = "pipeline_async";
inline constexpr char kPipelineStages[] = "pipeline_stages";
inline constexpr char kUnroll[] = "unroll";  // for code generators
}  // namespace annotation

// Pragmas: annotations that a schedule puts on loops by name.
namespace pragma {
inline constexpr char kAutoUnrollMaxDepth[] = "auto_unroll_max_depth";
inline constexpr char kAutoUnrollMaxExtent[] = "auto_unroll_max_extent";
inline constexpr char kAutoUnrollMaxStep[] = "auto_unroll_max_step";
inline constexpr char kLoopPartitionHint[] = "loop_partition_hint";
inline constexpr char kNontemporal[] = "nontemporal";
inline constexpr char kUnrollExplicit[] = "unroll_explicit";
}  // namespace pragma

// Memory scopes; "" means global.
namespace memory_scope {
inline constexpr char kGlobal[] = LATHE_SCOPE_GLOBAL;
inline constexpr char kShared[] = LATHE_SCOPE_SHARED;  // also the scope of a block's barrier
inline constexpr char kSharedDynamic[] = LATHE_SCOPE_SHARED_DYNAMIC;
inline constexpr char kWarp[] = LATHE_SCOPE_WARP;
inline constexpr char kLocal[] = LATHE_SCOPE_LOCAL;
inline constexpr char kConstant[] = LATHE_SCOPE_CONSTANT;
inline constexpr char kTexture[] = LATHE_SCOPE_TEXTURE;
}  // namespace memory_scope

// Thread axes (For::thread_tag).
namespace thread_tag {
inline constexpr char kBlockX[] = "blockIdx.x";
inline constexpr char kBlockY[] = "blockIdx.y";
inline constexpr char kBlockZ[] = "blockIdx.z";
inline constexpr char kThreadX[] = "threadIdx.x";
inline constexpr char kThreadY[] = "threadIdx.y";
inline constexpr char kThreadZ[] = "threadIdx.z";
inline constexpr char kVirtual[] = "vthread";
// The prefixes of the tags of blocks and of threads.
inline constexpr char kBlockPrefix[] = "blockIdx";
inline constexpr char kThreadPrefix[] = "threadIdx";
}  // namespace thread_tag

// Fields of a DLTensor, for the intrinsic tensor_field.
namespace tensor_field {
inline constexpr char kData[] = "data";
inline constexpr char kDevice[] = "device";  // type and id in one word
inline constexpr char kDeviceType[] = "device_type";
inline constexpr char kDeviceId[] = "device_id";
inline constexpr char kNdim[] = "ndim";
inline constexpr char kDtype[] = "dtype";  // code, bits and lanes in one word
inline constexpr char kDtypeCode[] = "dtype_code";
inline constexpr char kDtypeBits[] = "dtype_bits";
inline constexpr char kDtypeLanes[] = "dtype_lanes";
inline constexpr char kShape[] = "shape";
inline constexpr char kStrides[] = "strides";
inline constexpr char kByteOffset[] = "byte_offset";
}  // namespace tensor_field

// Entries of the runtime's table (abi/kernel.h), for the intrinsic runtime_call.
namespace runtime_entry {
inline constexpr char kParallel[] = "parallel";
inline constexpr char kWorkspaceAlloc[] = "workspace_alloc";
inline constexpr char kWorkspaceFree[] = "workspace_free";
inline constexpr char kRaise[] = "raise";
inline constexpr char kTakeError[] = "take_error";
inline constexpr char kCallPacked[] = "call_packed";
inline constexpr char kSetDevice[] = "set_device";
inline constexpr char kCopy[] = "copy";
inline constexpr char kPoll[] = "poll";
inline constexpr char kParallelOn[] = "parallel_on";
inline constexpr char kThreadIndex[] = "thread_index";
}  // namespace runtime_entry

// Functions of the runtime that compiled code calls by the intrinsic call_packed (abi/kernel.h).
namespace runtime_function {
inline constexpr char kDeviceConstant[] = LATHE_DEVICE_CONSTANT;
}  // namespace runtime_function

// The name of the call that represents a list among the operands of a step in a trace.
inline constexpr char kListOperand[] = "list";

}  // namespace lathe::ir
