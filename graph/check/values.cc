#include "graph/check/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/float_formats.h"
#include "graph/builder.h"
#include "ir/rewrite.h"
#include "runtime/error_object.h"

namespace lathe::graph {
namespace {

using ir::As;

using runtime::Tensor;

// Enough that where a result is rounded, both neighbours occur.
constexpr int kNoisyRuns = 16;
constexpr int kNoisyUnits = 8;  // in the last place

char* DataOf(const Tensor& tensor) {
  return static_cast<char*>(tensor.dl().data) + tensor.dl().byte_offset;
}

Tensor NewTensor(const std::vector<int64_t>& shape, DataType dtype) {
  auto made = Tensor::Empty(shape, dtype);
  if (!made.ok()) runtime::ThrowStatus(made.status());
  return *std::move(made);
}

size_t CountOf(const Tensor& tensor) {
  return tensor.num_bytes() / static_cast<size_t>(tensor.dtype().bytes());
}

double Element(const Tensor& tensor, size_t i) {
  const DataType dtype = tensor.dtype();
  const auto bytes = static_cast<size_t>(dtype.bytes());
  uint64_t bits = 0;
  std::memcpy(&bits, DataOf(tensor) + i * bytes, bytes);
  if (dtype.is_float()) return DecodeFloat(bits, dtype);
  if (dtype.is_uint() || dtype.is_bool()) return static_cast<double>(bits);
  const int unused = 64 - dtype.bits();
  return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
}

void Store(const Tensor& tensor, size_t i, double value) {
  const DataType dtype = tensor.dtype();
  const auto bytes = static_cast<size_t>(dtype.bytes());
  const uint64_t bits = dtype.is_float() ? EncodeFloat(value, dtype)
                                         : static_cast<uint64_t>(static_cast<int64_t>(value));
  std::memcpy(DataOf(tensor) + i * bytes, &bits, bytes);
}

// The distance of 1 and the next number of the type.
double UnitOf(DataType dtype) {
  if (dtype.bits() == 64) return 0x1p-52;
  if (dtype.bits() == 32) return 0x1p-23;
  return dtype.is_bfloat16() ? 0x1p-7 : dtype.bits() == 16 ? 0x1p-10 : 0x1p-2;
}

using Random = std::mt19937_64;

// A number of [0, 1).
double Unit(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

Tensor RandomInput(const ir::TensorType& type, const ir::VarMap& sizes, Random& random) {
  std::vector<int64_t> shape;
  arith::Analyzer analyzer;
  for (const ir::Expr& extent : type.shape) {
    const ir::Expr value = analyzer.Simplify(ir::Substitute(extent, sizes));
    LATHE_CHECK(ir::AsConstInt(value) != nullptr) << "a size has no value";
    shape.push_back(*ir::AsConstInt(value));
  }
  const Tensor tensor = NewTensor(shape, type.dtype);
  for (size_t i = 0; i < CountOf(tensor); ++i) {
    if (type.dtype.is_float()) {
      Store(tensor, i, 2 * Unit(random) - 1);
    } else if (type.dtype.is_bool()) {
      Store(tensor, i, static_cast<double>(random() % 2));
    } else {
      const bool is_signed = type.dtype.is_int();
      Store(tensor, i,
            is_signed ? static_cast<double>(random() % 15) - 7 : static_cast<double>(random() % 8));
    }
  }
  return tensor;
}

GraphValue WithNoise(const GraphValue& value, Random& random) {
  GraphValue out = value;
  for (GraphValue& field : out.fields) field = WithNoise(field, random);
  if (value.kind != GraphValue::Kind::kTensor || !value.tensor.dtype().is_float()) return out;
  const Tensor& from = value.tensor;
  out.tensor = NewTensor({from.shape().begin(), from.shape().end()}, from.dtype());
  const double unit = UnitOf(from.dtype());
  for (size_t i = 0; i < CountOf(from); ++i) {
    const double element = Element(from, i);
    const double units = (2 * Unit(random) - 1) * kNoisyUnits;
    Store(out.tensor, i, std::isfinite(element) ? element * (1 + units * unit) : element);
  }
  return out;
}

void Flatten(const GraphValue& value, Tensors* out) {
  if (value.kind == GraphValue::Kind::kTensor) out->push_back(value.tensor);
  for (const GraphValue& field : value.fields) Flatten(field, out);
}

// The module with `func` in place of the function of its name.
ir::GraphModule ModuleWith(const GraphFuncRef& func, const ir::GraphModule& others) {
  Ref<ir::GraphModuleNode> module = others ? CopyOf(*others) : Make<ir::GraphModuleNode>();
  for (GraphFuncRef& other : module->functions) {
    if (other->name != func->name) continue;
    other = func;
    return module;
  }
  module->functions.push_back(func);
  return module;
}

bool AreClose(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= tolerance;
}

// What is allowed beside rounding of the last operator.
double ToleranceOf(DataType dtype, double expected) {
  if (!dtype.is_float()) return 0;
  return 16 * UnitOf(dtype) * (1 + std::abs(expected));
}

// Of one element: how much the noisy results lie from what is expected; infinite if one of them is
// no number where another is one.
double SpreadAt(const std::vector<Tensors>& noisy, size_t tensor, size_t i, double expected) {
  double spread = 0;
  for (const Tensors& run : noisy) {
    const double value = Element(run[tensor], i);
    if (value == expected || (std::isnan(value) && std::isnan(expected))) continue;
    const double distance = std::abs(value - expected);
    spread = std::isnan(distance) ? INFINITY : std::max(spread, distance);
  }
  return spread;
}

// Calls `visit` for the bindings of a block and of the blocks within.
void ForEachBinding(const ir::GraphBlock& block,
                    const std::function<void(const ir::GraphBinding&)>& visit) {
  for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
    visit(*binding);
    if (const auto* node = As<ir::GraphIf>(binding->value)) {
      ForEachBinding(*node->then_block, visit);
      ForEachBinding(*node->else_block, visit);
    } else if (const auto* loop = As<ir::GraphLoop>(binding->value)) {
      ForEachBinding(*loop->condition, visit);
      ForEachBinding(*loop->body, visit);
    } else if (const auto* func = As<ir::GraphFunc>(binding->value)) {
      ForEachBinding(*func->body, visit);
    }
  }
}

}  // namespace

Values RandomInputs(const ir::GraphFunc& func, const std::vector<int64_t>& sizes, uint64_t seed) {
  ir::VarMap map;
  for (size_t i = 0; i < func.sizes.size(); ++i) {
    map.emplace(func.sizes[i], Int64(sizes[i]));
  }
  Random random(seed);
  Values inputs;
  for (const ir::GraphVar& param : func.params) {
    inputs.emplace_back(RandomInput(static_cast<const ir::TensorType&>(*param->type), map, random));
  }
  return inputs;
}

Tensors TensorsOf(const GraphValue& value) {
  Tensors out;
  Flatten(value, &out);
  return out;
}

Tensors Interpreted(const GraphFuncRef& func, const Values& inputs, const ir::GraphModule& module) {
  return TensorsOf(Interpret(ModuleWith(func, module), func->name, inputs));
}

std::vector<Tensors> Noisy(const GraphFuncRef& func, const Values& inputs, uint64_t seed,
                           const ir::GraphModule& module) {
  std::vector<Tensors> runs;
  Random random(seed);
  for (int run = 0; run < kNoisyRuns; ++run) {
    Values changed;
    for (const GraphValue& input : inputs) changed.push_back(WithNoise(input, random));
    GraphInterpretOptions options;
    options.change_value = [&](const ir::GraphBinding&, GraphValue value) {
      return WithNoise(value, random);
    };
    runs.push_back(TensorsOf(Interpret(ModuleWith(func, module), func->name, changed, options)));
  }
  return runs;
}

std::string Difference(const Tensors& found, const Tensors& expected,
                       const std::function<std::vector<Tensors>()>& noisy) {
  if (found.size() != expected.size()) {
    return std::to_string(found.size()) + " results, expected " + std::to_string(expected.size());
  }
  std::vector<Tensors> runs;
  for (size_t t = 0; t < found.size(); ++t) {
    const std::string name = "result " + std::to_string(t);
    if (found[t].dtype() != expected[t].dtype()) {
      return name + " is of " + found[t].dtype().ToString() + ", expected " +
             expected[t].dtype().ToString();
    }
    if (!std::ranges::equal(found[t].shape(), expected[t].shape())) {
      return name + " has another shape";
    }
    for (size_t i = 0; i < CountOf(found[t]); ++i) {
      const double a = Element(found[t], i), b = Element(expected[t], i);
      const double allowed = ToleranceOf(found[t].dtype(), b);
      if (AreClose(a, b, allowed)) continue;
      if (runs.empty()) runs = noisy();
      const double spread = SpreadAt(runs, t, i, b);
      // Whether an integer is steady is a question of yes or no.
      if (std::isinf(spread) || (spread > 0 && !found[t].dtype().is_float())) continue;
      if (AreClose(a, b, allowed + 4 * spread)) continue;
      std::ostringstream text;
      text.precision(9);
      text << name << ": element " << i << " is " << a << ", expected " << b
           << " (noise changes it by " << spread << ")";
      return text.str();
    }
  }
  return "";
}

std::vector<SizeAssumption> AssumptionsOf(const ir::GraphFunc& func) {
  std::vector<SizeAssumption> all;
  ForEachBinding(*func.body, [&](const ir::GraphBinding& binding) {
    const auto* call = As<ir::GraphCall>(binding.value);
    if (call == nullptr) return;
    std::vector<ir::NodeRef> types;
    for (const ir::GraphVar& arg : call->args) types.push_back(arg->type);
    try {
      for (auto& one : TypeOfCall(GetOp(call->op), std::move(types), call->attrs).assumptions) {
        all.push_back(std::move(one));
      }
    } catch (const Error&) {
      // It needs values of its arguments (a shape): its extents are numbers then.
    }
  });
  return all;
}

}  // namespace lathe::graph
