// The values between the inputs and outputs of an ONNX model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/import/onnx/model.h"

namespace lathe::cli {

// What a node of the model computes.
struct Layer {
  std::string value, op;
  std::vector<size_t> from;  // the layers before it that it is computed from
};

enum class Layers : uint8_t {
  kAll,
  kOfInputs,  // without constants, and without what depends on the inputs' shapes only
};
// The first results of the model's nodes, in their order, without sequences and optionals.
std::vector<Layer> LayersOf(const graph::onnx::Model& model, Layers which);

// The bytes of the model with these values as further outputs.
std::string WithOutputs(std::string_view bytes, const std::vector<Layer>& layers,
                        const graph::onnx::Model& model);

}  // namespace lathe::cli
