// Names that stand in steps of traces, each once: what primitives record (primitives/), what replay
// reads back (replay.cc) and canonical traces translate (canonical_trace.cc).
#pragma once

namespace lathe::schedule {

// Operands of steps (ir::StepNode::operands).
namespace operand {
inline constexpr char kAsync[] = "async";
inline constexpr char kAxes[] = "axes";
inline constexpr char kAxis[] = "axis";
inline constexpr char kExtent[] = "extent";
inline constexpr char kExtents[] = "extents";
inline constexpr char kFactor[] = "factor";
inline constexpr char kFactorAxis[] = "factor_axis";
inline constexpr char kGroup[] = "group";
inline constexpr char kIncludeInputs[] = "include_inputs";
inline constexpr char kInputs[] = "inputs";
inline constexpr char kIntrin[] = "intrin";
inline constexpr char kKey[] = "key";
inline constexpr char kMap[] = "map";
inline constexpr char kNparts[] = "nparts";
inline constexpr char kOffset[] = "offset";
inline constexpr char kOutput[] = "output";
inline constexpr char kOutputs[] = "outputs";
inline constexpr char kPredicate[] = "predicate";
inline constexpr char kReaders[] = "readers";
inline constexpr char kScope[] = "scope";
inline constexpr char kSeparators[] = "separators";
inline constexpr char kSource[] = "source";
inline constexpr char kStage[] = "stage";
inline constexpr char kStages[] = "stages";
inline constexpr char kTarget[] = "target";
inline constexpr char kTensor[] = "tensor";
inline constexpr char kThread[] = "thread";
inline constexpr char kThreads[] = "threads";
inline constexpr char kValue[] = "value";
}  // namespace operand

// Primitives (ir::StepNode::primitive).
namespace primitive {
inline constexpr char kBind[] = "bind";
inline constexpr char kCacheRead[] = "cache_read";
inline constexpr char kCacheWrite[] = "cache_write";
inline constexpr char kComputeAt[] = "compute_at";
inline constexpr char kComputeInline[] = "compute_inline";
inline constexpr char kComputeRoot[] = "compute_root";
inline constexpr char kCreateGroup[] = "create_group";
inline constexpr char kDoubleBuffer[] = "double_buffer";
inline constexpr char kEnvThreads[] = "env_threads";
inline constexpr char kFuse[] = "fuse";
inline constexpr char kParallel[] = "parallel";
inline constexpr char kPipeline[] = "pipeline";
inline constexpr char kPragma[] = "pragma";
inline constexpr char kPrefetch[] = "prefetch";
inline constexpr char kReorder[] = "reorder";
inline constexpr char kRFactor[] = "rfactor";
inline constexpr char kRollingBuffer[] = "rolling_buffer";
inline constexpr char kSetScope[] = "set_scope";
inline constexpr char kSetStorePredicate[] = "set_store_predicate";
inline constexpr char kSplit[] = "split";
inline constexpr char kStorageAlign[] = "storage_align";
inline constexpr char kTensorize[] = "tensorize";
inline constexpr char kTransformLayout[] = "transform_layout";
inline constexpr char kUnroll[] = "unroll";
inline constexpr char kVectorize[] = "vectorize";
}  // namespace primitive

}  // namespace lathe::schedule
