// Names of the options of passes (PassContext::Option), each once. Their meanings and defaults
// stand in pass.cc.
#pragma once

namespace lathe::lower::option {

inline constexpr char kCheck[] = "check";
inline constexpr char kEntries[] = "entries";
inline constexpr char kPartitionConstantLoops[] = "partition.constant_loops";
inline constexpr char kStackMaxBytes[] = "stack.max_bytes";
inline constexpr char kUnrollAutoMaxDepth[] = "unroll.auto_max_depth";
inline constexpr char kUnrollAutoMaxExtent[] = "unroll.auto_max_extent";
inline constexpr char kUnrollAutoMaxStep[] = "unroll.auto_max_step";
inline constexpr char kUnrollExplicit[] = "unroll.explicit";

}  // namespace lathe::lower::option
