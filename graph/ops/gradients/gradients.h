// The gradients of operators (OpDef::gradient), a file for each family of this folder's parent.
//
// A gradient belongs to its operator's definition. Those of a family are written together here,
// because most are one formula; FindOp puts them into the definitions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "graph/op.h"

namespace lathe::graph::ops {

using GradientFn = decltype(OpDef::gradient);
using Gradients = std::map<std::string, GradientFn>;  // by the operators' names

Gradients ElementwiseGradients();
Gradients ActivationGradients();
Gradients BroadcastGradients();
Gradients ReductionGradients();
Gradients LinearGradients();
Gradients EinsumGradients();
Gradients ConvolutionGradients();
Gradients PoolGradients();
Gradients NormGradients();
Gradients LossGradients();
Gradients ShapeGradients();
Gradients PlaceGradients();
Gradients ScatterGradients();
Gradients ScanGradients();
Gradients ImageGradients();
Gradients AttentionGradients();
Gradients RecurrentGradients();

// All of them.
Gradients AllGradients();

// Why an operator with floating results has no gradient, as a half sentence.
std::string ReasonForNoGradient(std::string_view op);

}  // namespace lathe::graph::ops
