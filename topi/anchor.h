// Anchors: the operation that a template is about, among others that it did not make.
//
// Whoever makes such an operation says what it is in its attributes, and templates find it there.
// Names are for people: two layers of one network have different ones, and so have programs read
// from records. Attributes are part of the workload key (te/workload_key.h). Pure functions;
// thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor_op.h"

namespace lathe::topi {

// The kinds that templates here know.
inline constexpr std::string_view kMatmul = "matmul";  // products of matrices, batches and vectors
inline constexpr std::string_view kConv2d = "conv2d";
inline constexpr std::string_view kDepthwiseConv2d = "depthwise_conv2d";
inline constexpr std::string_view kSoftmax = "softmax";
inline constexpr std::string_view kLayerNorm = "layer_norm";
inline constexpr std::string_view kRowReduction = "row_reduction";        // of a matrix
inline constexpr std::string_view kColumnReduction = "column_reduction";  // of a matrix
inline constexpr std::string_view kTranspose = "transpose";
inline constexpr std::string_view kConcatColumns = "concat_columns";
inline constexpr std::string_view kBoxBlurs = "box_blurs";
inline constexpr std::string_view kRgbToYuv = "rgb_to_yuv";

// Attributes (te::ComputeOptions) that make an operation the anchor of that kind.
ir::Dict AnchorAttrs(std::string_view kind);
// "" where it is none.
std::string AnchorOf(const ir::OpNode& op);
// The operation of that kind among all that `outputs` need, as the user made them (not as a
// schedule's stages hold them: cache_write and rfactor leave attributes on both of the parts). Null
// where there is none, or not just one.
ir::Op FindAnchor(const std::vector<ir::Op>& outputs, std::string_view kind);

// -- Operators of several operations.
//
// The others are parts, named after the anchor's kind: {"part": "softmax.sum"}. What the operator
// gives is the anchor, or, where operations follow that one, the part "result".

ir::Dict PartAttrs(std::string_view kind, std::string_view part);
// The kind of operator that `op` gives; "" where it gives none.
std::string OperatorKind(const ir::OpNode& op);
// The operations of the operator that gives `result`, itself included, each after what it reads;
// none of another operator, of the same kind or not. Empty where `result` gives none.
std::vector<ir::Op> OperatorOf(const ir::Op& result);
// One of them by the part's name ("sum"); null where there is none.
ir::Op PartOf(const ir::Op& result, std::string_view part);

}  // namespace lathe::topi
