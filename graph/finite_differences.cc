#include "graph/finite_differences.h"

#include <cmath>
#include <cstring>
#include <random>

#include "base/float_formats.h"
#include "graph/infer.h"
#include "graph/interpreter/interpreter.h"
#include "graph/passes/gradient.h"
#include "graph/reverse.h"

namespace lathe::graph {
namespace {

using runtime::Tensor;

int64_t CountOf(const Tensor& tensor) {
  int64_t count = 1;
  for (const int64_t extent : tensor.shape()) count *= extent;
  return count;
}

char* Address(const Tensor& tensor, int64_t i) {
  return static_cast<char*>(tensor.dl().data) + i * tensor.dtype().bytes();
}
double Element(const Tensor& tensor, int64_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, Address(tensor, i), static_cast<size_t>(tensor.dtype().bytes()));
  return DecodeFloat(bits, tensor.dtype());
}
void SetElement(const Tensor& tensor, int64_t i, double value) {
  const DataType dtype = tensor.dtype();
  const uint64_t bits = dtype.is_float() ? EncodeFloat(value, dtype)
                                         : static_cast<uint64_t>(static_cast<int64_t>(value));
  std::memcpy(Address(tensor, i), &bits, static_cast<size_t>(dtype.bytes()));
}

double SumOf(const GraphValue& value) {
  double sum = 0;
  if (value.kind == GraphValue::Kind::kTensor && value.tensor.dtype().is_float()) {
    for (int64_t i = 0; i < CountOf(value.tensor); ++i) sum += Element(value.tensor, i);
  }
  for (const GraphValue& field : value.fields) sum += SumOf(field);
  return sum;
}

// The function called `name` in a module with those that it calls.
ir::GraphModule ModuleWith(const GraphFuncRef& func, const ir::GraphModule& module) {
  Ref<ir::GraphModuleNode> out = module ? CopyOf(*module) : Make<ir::GraphModuleNode>();
  std::erase_if(out->functions, [&](const GraphFuncRef& f) { return f->name == func->name; });
  out->functions.push_back(func);
  return out;
}

}  // namespace

Tensor RandomTensor(DataType dtype, const std::vector<int64_t>& shape, double low, double high,
                    uint64_t seed) {
  std::mt19937_64 random(seed);
  Tensor tensor = Tensor::Empty(shape, dtype).value();
  for (int64_t i = 0; i < CountOf(tensor); ++i) {
    const double unit = std::uniform_real_distribution<double>(0, 1)(random);
    SetElement(tensor, i,
               dtype.is_float() ? low + unit * (high - low)
                                : std::floor(low + unit * (high - low + 0.999)));
  }
  return tensor;
}

std::string CompareWithDifferences(const GraphFuncRef& func, const std::vector<Tensor>& inputs,
                                   const DifferenceOptions& options) {
  const std::vector<GraphValue> args(inputs.begin(), inputs.end());
  const ir::GraphModule module = ModuleWith(func, options.module);
  const GraphFuncRef gradient = Gradient(func, options.module);
  const GraphValue pair = Interpret(ModuleWith(gradient, options.module), func->name, args);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].dtype().is_float() || std::ranges::count(options.constants, i) > 0) continue;
    const std::vector<int64_t> shape(inputs[i].shape().begin(), inputs[i].shape().end());
    const Tensor direction = RandomTensor(inputs[i].dtype(), shape, -1, 1, options.seed + i);
    const auto value_at = [&](double step) {
      std::vector<GraphValue> moved = args;
      moved[i].tensor = inputs[i].Clone().value();
      for (int64_t k = 0; k < CountOf(direction); ++k) {
        SetElement(moved[i].tensor, k, Element(inputs[i], k) + step * Element(direction, k));
      }
      return SumOf(Interpret(module, func->name, moved));
    };
    double found = 0, size = 1;
    for (int64_t k = 0; k < CountOf(direction); ++k) {
      const double term = Element(pair.fields[1].fields[i].tensor, k) * Element(direction, k);
      found += term;
      size += std::abs(term);
    }
    const double expected = (value_at(options.step) - value_at(-options.step)) / (2 * options.step);
    if (std::abs(found - expected) <= options.tolerance * size) continue;
    return "the gradient of input " + std::to_string(i) + " gives " + std::to_string(found) +
           ", finite differences " + std::to_string(expected);
  }
  return "";
}

}  // namespace lathe::graph
