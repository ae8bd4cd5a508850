// Anchors: the anchor is the operation that a template is made for. A program may have many other
// operations around it.
//
// The code that makes such an operation states its kind in the operation's attributes, and
// templates find it there. Names are not used for this. They are for people: two layers of one
// network have different names, and so have programs read from records. Attributes are part of the
// workload key (te/workload_key.h). All functions here are pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor_op.h"

namespace lathe::topi {

// The kinds for which templates exist here.
inline constexpr std::string_view kMatmul = "matmul";  // products of matrices, batches and vectors
inline constexpr std::string_view kConv2d = "conv2d";
inline constexpr std::string_view kDotConv2d = "dot_conv2d";      // of 8-bit integers
inline constexpr std::string_view kDotMatmul = "dot_matmul";      // of narrow types
inline constexpr std::string_view kDotPanels = "dot_panels";      // its right operand
inline constexpr std::string_view kWinograd = "winograd_conv2d";  // of 3x3
inline constexpr std::string_view kDepthwiseConv2d = "depthwise_conv2d";
inline constexpr std::string_view kSoftmax = "softmax";
inline constexpr std::string_view kLayerNorm = "layer_norm";
inline constexpr std::string_view kRowReduction = "row_reduction";        // of a matrix
inline constexpr std::string_view kColumnReduction = "column_reduction";  // of a matrix
inline constexpr std::string_view kTranspose = "transpose";
inline constexpr std::string_view kConcatColumns = "concat_columns";
inline constexpr std::string_view kInterleaved = "interleaved";  // planes as pixels
inline constexpr std::string_view kBoxBlurs = "box_blurs";
inline constexpr std::string_view kRgbToYuv = "rgb_to_yuv";

// The attributes (te::ComputeOptions) that make an operation the anchor of that kind.
ir::Dict AnchorAttrs(std::string_view kind);
// The kind of which `op` is the anchor; "" if it is no anchor.
std::string AnchorOf(const ir::OpNode& op);
// The one operation of that kind among all that `outputs` need. Null if there is none, or more than
// one. The operations must be those that the user made, not those of a schedule's stages:
// cache_write and rfactor leave the attributes on both of their parts.
ir::Op FindAnchor(const std::vector<ir::Op>& outputs, std::string_view kind);

// -- Operators of several operations.
//
// The operations besides the anchor are parts. They are named after the anchor's kind: {"part":
// "softmax.sum"}. The result of the operator is the anchor or, if operations follow the anchor, the
// part "result".

ir::Dict PartAttrs(std::string_view kind, std::string_view part);
// The kind of the operator whose result is `op`; "" if it is no operator's result.
std::string OperatorKind(const ir::OpNode& op);
// The operations of the operator whose result is `result`, `result` included. Each comes after the
// operations that it reads. Operations of other operators are left out, even of operators of the
// same kind. Empty if `result` is no operator's result.
std::vector<ir::Op> OperatorOf(const ir::Op& result);
// One of these operations by the part's name ("sum"); null if there is none.
ir::Op PartOf(const ir::Op& result, std::string_view part);

}  // namespace lathe::topi
