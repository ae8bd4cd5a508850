// The names of Lathe's own intrinsics; each is defined once. Code that makes or recognizes a call
// writes `intrinsic::kExp`, so that a wrong name does not compile. The table of intrinsics
// (ir/intrinsic.h) says what they mean. intrinsic_names_test.cc checks that the table and these
// names agree.
//
// They are character arrays, so they can be used wherever the text itself can: as std::string, as
// std::string_view, as key of a map.
#pragma once

namespace lathe::ir::intrinsic {

// Elementwise functions of numbers (intrinsic_math.cc).
inline constexpr char kAbs[] = "abs";
inline constexpr char kAcos[] = "acos";
inline constexpr char kAcosh[] = "acosh";
inline constexpr char kAsin[] = "asin";
inline constexpr char kAsinh[] = "asinh";
inline constexpr char kAtan[] = "atan";
inline constexpr char kAtan2[] = "atan2";
inline constexpr char kAtanh[] = "atanh";
inline constexpr char kBitwiseAnd[] = "bitwise_and";
inline constexpr char kBitwiseNot[] = "bitwise_not";
inline constexpr char kBitwiseOr[] = "bitwise_or";
inline constexpr char kBitwiseXor[] = "bitwise_xor";
inline constexpr char kCeil[] = "ceil";
inline constexpr char kClz[] = "clz";
inline constexpr char kCopysign[] = "copysign";
inline constexpr char kCos[] = "cos";
inline constexpr char kCosh[] = "cosh";
inline constexpr char kErf[] = "erf";
inline constexpr char kExp[] = "exp";
inline constexpr char kExp10[] = "exp10";
inline constexpr char kExp2[] = "exp2";
inline constexpr char kExpm1[] = "expm1";
inline constexpr char kFloor[] = "floor";
inline constexpr char kFma[] = "fma";
inline constexpr char kFmod[] = "fmod";
inline constexpr char kHypot[] = "hypot";
inline constexpr char kIsfinite[] = "isfinite";
inline constexpr char kIsinf[] = "isinf";
inline constexpr char kIsnan[] = "isnan";
inline constexpr char kLdexp[] = "ldexp";
inline constexpr char kLog[] = "log";
inline constexpr char kLog10[] = "log10";
inline constexpr char kLog1p[] = "log1p";
inline constexpr char kLog2[] = "log2";
inline constexpr char kNearbyint[] = "nearbyint";
inline constexpr char kNextafter[] = "nextafter";
inline constexpr char kPopcount[] = "popcount";
inline constexpr char kPow[] = "pow";
inline constexpr char kQMultiplyShift[] = "q_multiply_shift";
inline constexpr char kRound[] = "round";
inline constexpr char kRsqrt[] = "rsqrt";
inline constexpr char kScalb[] = "scalb";
inline constexpr char kShiftLeft[] = "shift_left";
inline constexpr char kShiftRight[] = "shift_right";
inline constexpr char kSigmoid[] = "sigmoid";
inline constexpr char kSin[] = "sin";
inline constexpr char kSinh[] = "sinh";
inline constexpr char kSqrt[] = "sqrt";
inline constexpr char kTan[] = "tan";
inline constexpr char kTanh[] = "tanh";
inline constexpr char kTrunc[] = "trunc";

// Control, calls, vectors, memory and the calling convention (intrinsic_core.cc).
inline constexpr char kIfThenElse[] = "if_then_else";
inline constexpr char kLikely[] = "likely";
inline constexpr char kReturn[] = "return";
inline constexpr char kCallExtern[] = "call_extern";
inline constexpr char kCallPureExtern[] = "call_pure_extern";
inline constexpr char kCallPacked[] = "call_packed";
inline constexpr char kCallPlain[] = "call_plain";
inline constexpr char kLlvmIntrinsic[] = "llvm_intrinsic";
inline constexpr char kLlvmIntrinsicWithEffects[] = "llvm_intrinsic_with_effects";
inline constexpr char kReinterpret[] = "reinterpret";
inline constexpr char kVectorLow[] = "vector_low";
inline constexpr char kVectorHigh[] = "vector_high";
inline constexpr char kVectorConcat[] = "vector_concat";
inline constexpr char kUndef[] = "undef";
inline constexpr char kAddressOf[] = "address_of";
inline constexpr char kAccessPtr[] = "access_ptr";
inline constexpr char kPointerIsNull[] = "pointer_is_null";
inline constexpr char kArgKind[] = "arg_kind";
inline constexpr char kArgValue[] = "arg_value";
inline constexpr char kTensorField[] = "tensor_field";
inline constexpr char kShapeAt[] = "shape_at";
inline constexpr char kSlotLoad[] = "slot_load";
inline constexpr char kSlotStore[] = "slot_store";
inline constexpr char kPointerAt[] = "pointer_at";
inline constexpr char kWorkspaceAt[] = "workspace_at";
inline constexpr char kStackSlots[] = "stack_slots";
inline constexpr char kStackValues[] = "stack_values";
inline constexpr char kStackTensor[] = "stack_tensor";
inline constexpr char kValueSet[] = "value_set";
inline constexpr char kValueGet[] = "value_get";
inline constexpr char kValueKind[] = "value_kind";
inline constexpr char kRuntimeCall[] = "runtime_call";
inline constexpr char kRaise[] = "raise";
inline constexpr char kFunctionAddress[] = "function_address";
inline constexpr char kCallSiteCache[] = "call_site_cache";

// Barriers, warps, atomics and asynchronous copies (intrinsic_threads.cc).
inline constexpr char kBarrier[] = "barrier";
inline constexpr char kWarpShuffle[] = "warp_shuffle";
inline constexpr char kWarpShuffleUp[] = "warp_shuffle_up";
inline constexpr char kWarpShuffleDown[] = "warp_shuffle_down";
inline constexpr char kWarpShuffleXor[] = "warp_shuffle_xor";
inline constexpr char kWarpActiveMask[] = "warp_active_mask";
inline constexpr char kAtomicAdd[] = "atomic_add";
inline constexpr char kAtomicMin[] = "atomic_min";
inline constexpr char kAtomicMax[] = "atomic_max";
inline constexpr char kAtomicExchange[] = "atomic_exchange";
inline constexpr char kAtomicCompareExchange[] = "atomic_compare_exchange";
inline constexpr char kAsyncCopy[] = "async_copy";
inline constexpr char kAsyncCommit[] = "async_commit";
inline constexpr char kAsyncWait[] = "async_wait";

// The prefixes of families of names.
inline constexpr char kAsyncPrefix[] = "async_";
inline constexpr char kAtomicPrefix[] = "atomic_";
inline constexpr char kWarpPrefix[] = "warp_";

}  // namespace lathe::ir::intrinsic
