// Writes a small model as an ONNX file: a stand-in for one that a framework exports.
//
//   write_model OUT.onnx
//
// `picture`, float32[batch, 3, 16, 16], becomes `scores`, float32[batch, 10]: two convolutions with
// a pooling between, and a product. The weights are pseudo-random, the same in every run.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/file.h"
#include "graph/import/onnx/test_models.h"

namespace lathe::examples {
namespace {

using graph::onnx::FloatTensor;
using graph::onnx::IntsAttribute;

// A linear congruential generator (Knuth, MMIX): values in [-scale, scale).
std::vector<float> Weights(int64_t count, double scale, uint64_t seed) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    const double unit = static_cast<double>(seed >> 40) / (1 << 24);
    values.push_back(static_cast<float>((2 * unit - 1) * scale));
  }
  return values;
}

std::string Model() {
  const std::string same = IntsAttribute("pads", {1, 1, 1, 1});
  return graph::onnx::ModelBytes(
      {.nodes = {{"Conv", {"picture", "w1", "b1"}, {"conv1"}, {same}},
                 {"Relu", {"conv1"}, {"relu1"}},
                 {"MaxPool",
                  {"relu1"},
                  {"pool1"},
                  {IntsAttribute("kernel_shape", {2, 2}), IntsAttribute("strides", {2, 2})}},
                 {"Conv", {"pool1", "w2", "b2"}, {"conv2"}, {same}},
                 {"Add", {"conv2", "pool1"}, {"sum"}},
                 {"Relu", {"sum"}, {"relu2"}},
                 {"GlobalAveragePool", {"relu2"}, {"mean"}},
                 {"Flatten", {"mean"}, {"flat"}},
                 {"MatMul", {"flat", "w3"}, {"product"}},
                 {"Add", {"product", "b3"}, {"scores"}}},
       .inputs = {{"picture", {-1, 3, 16, 16}}},
       .outputs = {"scores"},
       .initializers = {FloatTensor("w1", {16, 3, 3, 3}, Weights(16 * 27, 0.4, 1)),
                        FloatTensor("b1", {16}, Weights(16, 0.1, 2)),
                        FloatTensor("w2", {16, 16, 3, 3}, Weights(16 * 144, 0.2, 3)),
                        FloatTensor("b2", {16}, Weights(16, 0.1, 4)),
                        FloatTensor("w3", {16, 10}, Weights(160, 0.8, 5)),
                        FloatTensor("b3", {10}, Weights(10, 0.1, 6))}});
}

}  // namespace
}  // namespace lathe::examples

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_model OUT.onnx\n");
    return 2;
  }
  const lathe::FileProblem problem = lathe::WriteFile(argv[1], lathe::examples::Model());
  if (problem.ok()) return 0;
  std::fprintf(stderr, "%s: %s\n", argv[1], problem.text.c_str());
  return 1;
}
