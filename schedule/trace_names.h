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

// Primitives that are asked for by name outside of the table in replay.cc.
namespace primitive {
inline constexpr char kTensorize[] = "tensorize";
}  // namespace primitive

}  // namespace lathe::schedule
