#include "graph/compare.h"

#include <cmath>
#include <cstring>
#include <random>

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/float_formats.h"
#include "graph/infer.h"
#include "graph/interpreter/interpreter.h"
#include "ir/rewrite.h"
#include "runtime/error_object.h"
#include "target/host_target.h"

namespace lathe::graph {
namespace {

using runtime::Tensor;

template <class T>
T ValueOrThrow(absl::StatusOr<T> value) {
  if (!value.ok()) runtime::ThrowStatus(value.status());
  return *std::move(value);
}

char* DataOf(const Tensor& tensor) {
  return static_cast<char*>(tensor.dl().data) + tensor.dl().byte_offset;
}

Tensor RandomInput(const ir::TensorType& type, const ir::VarMap& sizes, std::mt19937_64* random) {
  std::vector<int64_t> shape;
  int64_t count = 1;
  arith::Analyzer analyzer;
  for (const ir::Expr& extent : type.shape) {
    const ir::Expr value = analyzer.Simplify(ir::Substitute(extent, sizes));
    LATHE_CHECK(ir::AsConstInt(value) != nullptr) << "a size has no value";
    shape.push_back(*ir::AsConstInt(value));
    count *= shape.back();
  }
  Tensor tensor = ValueOrThrow(Tensor::Empty(shape, type.dtype));
  const auto bytes = static_cast<size_t>(type.dtype.bytes());
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    if (type.dtype.is_float()) {
      bits = EncodeFloat(std::uniform_real_distribution<double>(-1, 1)(*random), type.dtype);
    } else {
      bits = (*random)() % (type.dtype.is_bool() ? 2 : 8);
    }
    std::memcpy(DataOf(tensor) + static_cast<size_t>(i) * bytes, &bits, bytes);
  }
  return tensor;
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

void Flatten(const GraphValue& value, std::vector<Tensor>* out) {
  if (value.kind == GraphValue::Kind::kTensor) out->push_back(value.tensor);
  for (const GraphValue& field : value.fields) Flatten(field, out);
}

std::string Difference(size_t index, const Tensor& found, const Tensor& expected,
                       double tolerance) {
  const std::string name = "result " + std::to_string(index);
  if (found.dtype() != expected.dtype()) return name + " has another element type";
  if (!std::ranges::equal(found.shape(), expected.shape())) return name + " has another shape";
  const size_t count = expected.num_bytes() / static_cast<size_t>(expected.dtype().bytes());
  for (size_t i = 0; i < count; ++i) {
    const double a = Element(found, i), b = Element(expected, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
    return name + ": element " + std::to_string(i) + " is " + std::to_string(a) +
           ", the interpreter says " + std::to_string(b);
  }
  return "";
}

}  // namespace

std::string CompareWithInterpreter(const GraphFuncRef& func, const CompareOptions& options) {
  ir::GraphModule typed = options.module;
  if (!typed) {
    Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
    module->functions.push_back(func);
    typed = InferTypes(ir::GraphModule(module));
  }
  const GraphFuncRef& main = options.module ? func : typed->functions[0];
  ir::VarMap sizes;
  for (size_t i = 0; i < main->sizes.size(); ++i) {
    sizes.emplace(main->sizes[i], Int64(options.sizes[std::min(i, options.sizes.size() - 1)]));
  }
  std::mt19937_64 random(options.seed);
  std::vector<GraphValue> inputs;
  for (const ir::GraphVar& param : main->params) {
    inputs.emplace_back(
        RandomInput(static_cast<const ir::TensorType&>(*param->type), sizes, &random));
  }
  std::vector<Tensor> expected;
  Flatten(Interpret(typed, main->name, inputs), &expected);

  const CompiledGraph compiled =
      ValueOrThrow(CompileGraph(typed, main->name, target::HostTarget(), options.build));
  runtime::graph::Context context(ValueOrThrow(LoadGraph(compiled)));
  for (size_t i = 0; i < inputs.size(); ++i) {
    runtime::ThrowIfError(context.SetInput(static_cast<int>(i), inputs[i].tensor));
  }
  runtime::ThrowIfError(context.Run());
  if (compiled.plan.outputs.size() != expected.size()) return "another number of results";
  for (size_t i = 0; i < expected.size(); ++i) {
    const Tensor output = ValueOrThrow(context.GetOutput(static_cast<int>(i)));
    const Tensor found = ValueOrThrow(output.To(runtime::Device::Cpu()));
    if (std::string text = Difference(i, found, expected[i], options.tolerance); !text.empty()) {
      return text;
    }
  }
  return "";
}

}  // namespace lathe::graph
