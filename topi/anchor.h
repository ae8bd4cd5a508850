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

// Attributes (te::ComputeOptions) that make an operation the anchor of that kind.
ir::Dict AnchorAttrs(std::string_view kind);
// "" where it is none.
std::string AnchorOf(const ir::OpNode& op);
// The operation of that kind among all that `outputs` need, as the user made them (not as a
// schedule's stages hold them: cache_write and rfactor leave attributes on both of the parts). Null
// where there is none, or not just one.
ir::Op FindAnchor(const std::vector<ir::Op>& outputs, std::string_view kind);

}  // namespace lathe::topi
