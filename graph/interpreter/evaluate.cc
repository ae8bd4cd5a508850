// Calls of operators, and checks of values against types.
#include <algorithm>
#include <functional>

#include "arith/analyzer.h"
#include "base/error.h"
#include "graph/interpreter/machine.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"
#include "runtime/error_object.h"
#include "runtime/registry.h"
#include "te/evaluator.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;

namespace {

std::string TypeTextOf(const GraphValue& value) {
  if (value.kind == GraphValue::Kind::kTuple) return "a tuple";
  if (value.kind == GraphValue::Kind::kFunction) return "a function";
  if (value.kind == GraphValue::Kind::kData) return "a value of " + value.data().constructor;
  if (!value.tensor) return "nothing";
  std::string text = value.tensor.dtype().ToString() + "[";
  for (int i = 0; i < value.tensor.rank(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(value.tensor.shape()[static_cast<size_t>(i)]);
  }
  return text + "]";
}

ir::InterpValue View(const runtime::Tensor& tensor) {
  return ir::InterpTensor::Of(DataOf(tensor), tensor.dtype(),
                              std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end()));
}

int64_t Product(const std::vector<int64_t>& extents) {
  int64_t product = 1;
  for (const int64_t extent : extents) product *= extent;
  return product;
}

// The last of `results` has the sizes that only this run knows: the others keep their first rows,
// or have no elements.
void KeepFirst(const OpDef& op, const std::vector<te::Tensor>& inputs, const ir::Dict& attrs,
               std::vector<GraphValue>& results) {
  const runtime::Tensor sizes = std::move(results.back().tensor);
  results.pop_back();
  std::vector<NodeRef> types;
  for (const te::Tensor& input : inputs) {
    types.push_back(ir::MakeTensorType(input->dtype(), input->shape()));
  }
  const TypeResult type = TypeOfCall(op, std::move(types), attrs);
  const auto* tuple = As<ir::TupleType>(type.type);
  for (size_t r = 0; r < results.size(); ++r) {
    const auto& result =
        static_cast<const ir::TensorType&>(tuple == nullptr ? *type.type : *tuple->fields[r]);
    const runtime::Tensor all = results[r].tensor;
    std::vector<int64_t> shape(all.shape().begin(), all.shape().end());
    for (size_t d = 0; d < shape.size(); ++d) {
      const auto size = std::ranges::find(type.sizes, ir::Expr(result.shape[d]).get(),
                                          [](const ir::Var& var) { return var.get(); });
      if (size == type.sizes.end()) continue;
      shape[d] = static_cast<const int64_t*>(DataOf(sizes))[size - type.sizes.begin()];
      if (shape[d] < 0) {
        FailInterpret(kInterpretArgument, "a size that " + op.name + " computed is negative",
                      "at least 0", std::to_string(shape[d]));
      }
    }
    const auto bytes = static_cast<size_t>(all.dtype().bytes() * Product(shape));
    results[r] = CheckedTensor(runtime::Tensor::FromHost(DataOf(all), bytes, shape, all.dtype()));
  }
}

}  // namespace

void FailInterpret(const char* name, std::string message, std::string expected, std::string found,
                   std::string help) {
  throw Error(Diagnostic{.name = name,
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

runtime::Tensor CheckedTensor(absl::StatusOr<runtime::Tensor> tensor) {
  if (!tensor.ok()) FailInterpret(kInterpretArgument, std::string(tensor.status().message()));
  return *std::move(tensor);
}

const GraphValue& FindValue(const GraphVar& var, const Scope& scope) {
  for (const Scope* at = &scope; at != nullptr; at = at->outer.get()) {
    const auto found = at->values.find(var.get());
    if (found != at->values.end()) return found->second;
  }
  FailInterpret("graph-undefined", "`%" + var->name + "` is used where it is not defined");
}

ir::Expr WithSizes(const ir::Expr& expr, const Scope& scope) {
  return ir::Rewrite(expr, [&](const ir::VarNode& var) -> ir::Expr {
    for (const Scope* at = &scope; at != nullptr; at = at->outer.get()) {
      const auto found = at->sizes.find(&var);
      if (found != at->sizes.end()) return ir::Int(found->second, var.dtype);
    }
    FailInterpret("graph-undefined", "the size `" + var.name + "` is used where it has no value");
  });
}

int64_t ExtentOf(const ir::Expr& expr, const Scope& scope) {
  arith::Analyzer analyzer;
  const ir::Expr value = analyzer.Simplify(WithSizes(expr, scope));
  const int64_t* constant = ir::AsConstInt(value);
  if (constant == nullptr) {
    FailInterpret(kInterpretArgument, "an extent has no value", "a number", ir::ToText(value));
  }
  return *constant;
}

void BindSizes(const ir::GraphVarNode& var, const NodeRef& type, const GraphValue& value,
               const std::vector<ir::Var>& sizes, Scope& scope) {
  const auto wrong = [&](const std::string& help = "") {
    FailInterpret(kInterpretArgument, "`%" + var.name + "` has the wrong type", TypeText(type),
                  TypeTextOf(value), help);
  };
  if (const auto* tuple = As<ir::TupleType>(type)) {
    if (value.kind != GraphValue::Kind::kTuple || value.fields.size() != tuple->fields.size())
      wrong();
    for (size_t i = 0; i < tuple->fields.size(); ++i) {
      BindSizes(var, tuple->fields[i], value.fields[i], sizes, scope);
    }
    return;
  }
  if (const auto* ref = As<ir::TypeRef>(type)) {
    if (value.kind != GraphValue::Kind::kData ||
        ir::SplitConstructor(value.data().constructor).first != ref->name) {
      wrong();
    }
    return;
  }
  const auto* tensor = As<ir::TensorType>(type);
  if (tensor == nullptr) {  // its own arguments are checked when it is called
    if (value.kind != GraphValue::Kind::kFunction) wrong();
    return;
  }
  if (value.kind != GraphValue::Kind::kTensor || !value.tensor ||
      value.tensor.dtype() != tensor->dtype ||
      value.tensor.shape().size() != tensor->shape.size()) {
    wrong();
  }
  if (value.tensor.device() != runtime::Device::Cpu() || !value.tensor.is_compact()) {
    wrong("the interpreter takes compact tensors on the CPU: copy it (Tensor::To, Clone)");
  }
  for (size_t i = 0; i < tensor->shape.size(); ++i) {
    const ir::Expr& extent = tensor->shape[i];
    const int64_t actual = value.tensor.shape()[i];
    const bool own = std::any_of(sizes.begin(), sizes.end(),
                                 [&](const ir::Var& size) { return size.get() == extent.get(); });
    if (own && scope.sizes.try_emplace(extent.get(), actual).second) continue;
    const int64_t expected = ExtentOf(extent, scope);
    if (expected != actual) {
      wrong("dimension " + std::to_string(i) + " must be " + std::to_string(expected));
    }
  }
}

// Calls the function of the registry that an external operator names, with its operands and memory
// for its results.
void CallRegistered(const std::string& name, const std::vector<GraphValue>& args,
                    const std::vector<GraphValue>& results) {
  const absl::StatusOr<runtime::Function> function = runtime::FindOrLoadGlobal(name);
  runtime::ThrowIfError(function.status());
  std::vector<lathe_value> values;
  for (const std::vector<GraphValue>& tensors : {std::cref(args), std::cref(results)}) {
    for (const GraphValue& value : tensors)
      values.push_back(runtime::ValueTraits<runtime::Tensor>::Borrow(value.tensor));
  }
  runtime::ThrowIfError(
      function->TryCallPacked(values.data(), static_cast<int32_t>(values.size())).status());
}

// Placeholders have the actual extents, so operators see numbers only.
GraphValue EvaluateCall(const OpDef& op, const ir::GraphCall& call, const ir::Dict& attrs,
                        const std::vector<GraphValue>& args, const NodeRef& type,
                        const Scope& scope, uint64_t step_limit) {
  std::vector<te::Tensor> inputs;
  std::vector<NodeRef> nodes;
  std::vector<ir::InterpValue> values;
  for (size_t i = 0; i < args.size(); ++i) {
    const runtime::Tensor& tensor = args[i].tensor;
    te::Shape shape;
    for (const int64_t extent : tensor.shape()) shape.push_back(ir::Int(extent));
    inputs.push_back(te::Placeholder(shape, tensor.dtype(), call.args[i]->name));
    nodes.push_back(inputs.back());
    values.push_back(View(tensor));
  }
  const std::vector<te::Tensor> outputs = ComputeCall(op, inputs, attrs);
  std::vector<GraphValue> results;
  for (const te::Tensor& output : outputs) {
    std::vector<int64_t> shape;
    for (const ir::Expr& extent : output->shape()) shape.push_back(ExtentOf(extent, scope));
    results.push_back(CheckedTensor(runtime::Tensor::Empty(shape, output->dtype())));
    nodes.push_back(output);
    values.push_back(View(results.back().tensor));
  }
  if (op.is_external) {
    CallRegistered(Attrs(op, attrs).String("function"), args, results);
  } else {
    te::Evaluate(nodes, values, {.step_limit = step_limit});
  }
  const auto* types = As<ir::TupleType>(type);
  if (results.size() > (types == nullptr ? 1 : types->fields.size())) {
    KeepFirst(op, inputs, attrs, results);
  }
  if (types == nullptr) return results[0];
  GraphValue tuple;
  tuple.kind = GraphValue::Kind::kTuple;
  tuple.fields = std::move(results);
  return tuple;
}

GraphFuncRef ExpandCall(const OpDef& op, const ir::Dict& attrs,
                        const std::vector<GraphValue>& args) {
  Builder builder(op.name);
  std::vector<GraphVar> params;
  for (const GraphValue& arg : args) {
    std::vector<ir::Expr> shape;
    for (const int64_t extent : arg.tensor.shape()) shape.push_back(Int64(extent));
    params.push_back(builder.Input("", arg.tensor.dtype(), std::move(shape)));
  }
  return builder.Finish(op.expand(builder, params, Attrs(op, attrs)));
}

}  // namespace lathe::graph
