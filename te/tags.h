// Tags of operations. Automatic inlining and schedules of whole programs use them.
//
// A tag says how the elements of an operation depend on the elements of its inputs. Nothing checks
// it and nothing relies on it for correctness: a wrong tag makes a worse schedule, never another
// result.
#pragma once

#include <string_view>

#include "ir/tensor_op.h"

namespace lathe::te {

// out[i, j] = f(in[i, j])
inline constexpr std::string_view kElementwise = "elemwise";
// out[i, j] = f(in[i, j], other[j]): elementwise over some of the axes
inline constexpr std::string_view kBroadcast = "broadcast";
// out[i] = in[g(i)], each element from one place: transposition, padding, concatenation
inline constexpr std::string_view kInjective = "injective";

inline bool IsElementwise(const ir::OpNode& op) { return op.tag == kElementwise; }
// An elementwise operation is a broadcast, and both are injective.
inline bool IsBroadcast(const ir::OpNode& op) { return IsElementwise(op) || op.tag == kBroadcast; }
inline bool IsInjective(const ir::OpNode& op) { return IsBroadcast(op) || op.tag == kInjective; }

}  // namespace lathe::te
