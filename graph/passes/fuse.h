// Fusion: groups of operators that become one kernel each.
//
//   %0 = nn.conv2d(%x, %w)          %g = graph(%a, %b, %c) with {primitive = true} {
//   %1 = nn.bias_add(%0, %b)   -->    %0 = nn.conv2d(%a, %b)
//   %2 = nn.relu(%1)                  %1 = nn.bias_add(%0, %c)
//                                     %2 = nn.relu(%1)
//                                     return %2
//                                   }
//                                   %2 = %g(%x, %w, %b)
//
// A group is an anchor (a convolution, a product) or a reduction with what is elementwise behind
// it, or a chain of elementwise, broadcast and injective operators in front of a reduction or
// alone. A value joins the group of its readers only if all of them are in it, so nothing is
// computed twice and a group has one result. Groups are closures: they see the function's sizes.
//
// Before: any typed function. After: the calls of operators are in groups, also those of one
// operator; tuples, functions and control flow stay outside. Never changes a value.
#pragma once

#include "graph/builder.h"

namespace lathe::graph {

// The attribute of a group's function.
inline constexpr char kPrimitive[] = "primitive";

GraphFuncRef Fuse(const ir::GraphFunc& func, const ir::GraphModule& module);

// True if `func` is a group.
bool IsPrimitive(const ir::GraphFunc& func);

}  // namespace lathe::graph
