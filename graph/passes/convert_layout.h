// Orders of dimensions that a user asks for. Runs on request: it is no row of the table in pass.cc.
#pragma once

#include <map>
#include <string>

#include "graph/builder.h"

namespace lathe::graph {

struct DesiredLayout {
  std::string data;                // "NHWC"; "default": the order that the call has
  std::string kernel = "default";  // "HWIO"; "default": what goes with the data's order
};
using DesiredLayouts = std::map<std::string, DesiredLayout, std::less<>>;  // by operator

// Convolutions, pools and resizing with other orders of dimensions, and what is around them, like
// Relay's transform.ConvertLayout.
//
//   %1 = nn.conv2d(%x, %w)        %a = layout_transform(%x, src_layout="NCHW", dst_layout="NHWC")
//   %2 = nn.relu(%1)              %b = layout_transform(%w, src_layout="OIHW", dst_layout="HWIO")
//                          -->    %c = nn.conv2d(%a, %b, data_layout="NHWC", kernel_layout="HWIO")
//                                 %d = nn.relu(%c)
//                                 %2 = layout_transform(%d, src_layout="NHWC", dst_layout="NCHW")
//
// Operators of elements and operators with axes follow the new order; all others read the old one.
// The types of functions stay. Operators without an entry in `desired` keep their order.
//
// Throws Error "graph-layout" for an operator that is unknown or has no layout, and for an order
// that is no other order of the same letters. Pure and thread-safe.
GraphFuncRef ConvertLayout(const GraphFuncRef& func, const ir::GraphModule& module,
                           const DesiredLayouts& desired);

}  // namespace lathe::graph
