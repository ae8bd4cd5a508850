#include "graph/import/maker.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/poll.h"
#include "graph/infer.h"
#include "graph/interpreter/interpreter.h"
#include "graph/uses.h"

namespace lathe::graph {

using ir::Expr;
using ir::GraphVar;

namespace {

std::vector<GraphVar> Operands(const ir::Node& value) {
  if (const auto* call = ir::As<ir::GraphCall>(&value)) return call->args;
  if (const auto* get = ir::As<ir::GraphTupleGet>(&value)) return {get->tuple};
  if (const auto* tuple = ir::As<ir::GraphTuple>(&value)) return tuple->fields;
  return {};
}

// The extents of a tensor if all are numbers and there are not too many elements.
std::optional<std::vector<int64_t>> SmallShape(const GraphVar& var) {
  const auto* type = ir::As<ir::TensorType>(var->type);
  if (type == nullptr) return std::nullopt;
  std::vector<int64_t> shape;
  int64_t count = 1;
  for (const Expr& extent : type->shape) {
    const int64_t* number = ir::AsConstInt(extent);
    if (number == nullptr || __builtin_mul_overflow(count, *number, &count) ||
        count > Values::kMostElements) {
      return std::nullopt;
    }
    shape.push_back(*number);
  }
  return shape;
}

using Definitions = std::unordered_map<GraphVar, ir::NodeRef, RefHash, RefEqual>;

// A function without parameters that computes `var`, by `definitions`.
class Slicer {
 public:
  explicit Slicer(const Definitions& definitions) : definitions_(definitions) {}

  GraphFuncRef Run(const GraphVar& var) {
    std::vector<GraphVar> work{var};
    while (!work.empty()) {
      const GraphVar top = work.back();
      if (made_.contains(top)) {
        work.pop_back();
        continue;
      }
      const ir::NodeRef& value = definitions_.at(top);
      bool ready = true;
      for (const GraphVar& operand : Operands(*value)) {
        if (made_.contains(operand)) continue;
        work.push_back(operand);
        ready = false;
      }
      if (!ready) continue;
      made_.emplace(top, builder_.Emit(Now(value), top->name));
      work.pop_back();
    }
    return builder_.Finish(made_.at(var));
  }

 private:
  std::vector<GraphVar> Now(const std::vector<GraphVar>& vars) const {
    std::vector<GraphVar> now;
    for (const GraphVar& var : vars) now.push_back(made_.at(var));
    return now;
  }
  ir::NodeRef Now(const ir::NodeRef& value) const {
    if (const auto* call = ir::As<ir::GraphCall>(value)) {
      Ref<ir::GraphCall> copy = CopyOf(*call);
      copy->args = Now(call->args);
      return copy;
    }
    if (const auto* get = ir::As<ir::GraphTupleGet>(value)) {
      Ref<ir::GraphTupleGet> copy = CopyOf(*get);
      copy->tuple = made_.at(get->tuple);
      return copy;
    }
    if (const auto* tuple = ir::As<ir::GraphTuple>(value)) {
      Ref<ir::GraphTuple> copy = CopyOf(*tuple);
      copy->fields = Now(tuple->fields);
      return copy;
    }
    return value;
  }

  const Definitions& definitions_;
  Builder builder_{"constant"};
  std::unordered_map<GraphVar, GraphVar, RefHash, RefEqual> made_;
};

}  // namespace

std::optional<TensorValue> Values::ConstantOf(const GraphVar& var) {
  if (const auto at = evaluated_.find(var); at != evaluated_.end()) return at->second;
  const std::optional<std::vector<int64_t>> shape = SmallShape(var);
  if (!shape) return std::nullopt;
  const DataType dtype = static_cast<const ir::TensorType&>(*var->type).dtype;
  if (std::ranges::count(*shape, 0) > 0) return TensorValue{dtype, *shape, Blob::Copy({})};
  if (const std::vector<Expr>* known = builder_.ValueOf(var)) {
    std::vector<int64_t> numbers;
    for (const Expr& element : *known) {
      if (const int64_t* number = ir::AsConstInt(element)) numbers.push_back(*number);
    }
    if (numbers.size() == known->size()) {
      return evaluated_.emplace(var, MakeInts(numbers, *shape, dtype)).first->second;
    }
  }
  const auto definition = definitions_.find(var);
  if (definition == definitions_.end()) return std::nullopt;
  TensorValue value{dtype, *shape, {}};
  if (const auto* constant = ir::As<ir::Constant>(definition->second)) {
    value.data = constant->data;
  } else {
    Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
    module->functions.push_back(Slicer(definitions_).Run(var));
    const runtime::Tensor tensor = Interpret(module, "constant", {}).tensor;
    value.data = Blob::Copy(
        {static_cast<const char*>(tensor.dl().data) + tensor.dl().byte_offset, tensor.num_bytes()});
    // What is computed from it need not compute it again.
    definition->second = ir::MakeConstant(value.dtype, value.shape, value.data);
  }
  return evaluated_.emplace(var, std::move(value)).first->second;
}

GraphVar Values::Emit(ir::NodeRef value, const std::string& name) {
  PollNow();
  bool constant = value->node_kind() == ir::NodeKind::kConstant;
  const auto known = [&](const GraphVar& var) { return definitions_.contains(var); };
  if (const auto* call = ir::As<ir::GraphCall>(value)) {
    constant = std::ranges::all_of(call->args, known);
  } else if (const auto* get = ir::As<ir::GraphTupleGet>(value)) {
    constant = known(get->tuple);
  } else if (const auto* tuple = ir::As<ir::GraphTuple>(value)) {
    constant = std::ranges::all_of(tuple->fields, known);
  }
  GraphVar var = builder_.Emit(value, name);
  if (constant) {
    definitions_.emplace(var, std::move(value));
  } else if (const auto elements = ConstantOf(var)) {
    definitions_.emplace(var, ir::MakeConstant(elements->dtype, elements->shape, elements->data));
  }
  return var;
}

GraphVar Values::Constant(TensorValue value, const std::string& name) {
  return Emit(ir::MakeConstant(value.dtype, value.shape, std::move(value.data)), name);
}

// -- What nodes become.

const ir::TensorType& Maker::TypeOf(const GraphVar& var) {
  const auto* type = ir::As<ir::TensorType>(var->type);
  LATHE_CHECK(type != nullptr) << "a value of a node is no tensor";
  return *type;
}

GraphVar Maker::Call(const std::string& op, std::vector<GraphVar> args, ir::Dict attrs) const {
  Ref<ir::GraphCall> call = Make<ir::GraphCall>();
  call->op = op;
  call->args = std::move(args);
  call->attrs = std::move(attrs);
  return values_.Emit(std::move(call), name_);
}

GraphVar Maker::Field(const GraphVar& tuple, int64_t index, const std::string& name) const {
  Ref<ir::GraphTupleGet> get = Make<ir::GraphTupleGet>();
  get->tuple = tuple;
  get->index = index;
  return values_.Emit(std::move(get), name);
}

GraphVar Maker::Constant(TensorValue value) const {
  return values_.Constant(std::move(value), name_);
}

GraphVar Maker::Scalar(double value, DataType dtype) const {
  return values_.Constant(MakeFloats({value}, {}, dtype), name_);
}

GraphVar Maker::IntTensor(const std::vector<int64_t>& values, DataType dtype) const {
  return values_.Constant(MakeInts(values, {static_cast<int64_t>(values.size())}, dtype), name_);
}

GraphVar Maker::Cast(const GraphVar& x, DataType dtype) const {
  if (DTypeOf(x) == dtype) return x;
  return Call("cast", {x}, {{"dtype", StringAttr(dtype.ToString())}});
}

GraphVar Maker::Reshape(const GraphVar& x, std::vector<Expr> shape) const {
  return Call("reshape", {x}, {{"newshape", ShapeAttr(std::move(shape))}});
}

GraphVar Maker::Transpose(const GraphVar& x, std::vector<int64_t> axes) const {
  bool moves = false;
  for (size_t d = 0; d < axes.size(); ++d) moves = moves || axes[d] != static_cast<int64_t>(d);
  return moves ? Call("transpose", {x}, {{"axes", IntsAttr(std::move(axes))}}) : x;
}

GraphVar Maker::BroadcastTo(const GraphVar& x, std::vector<Expr> shape) const {
  return Call("broadcast_to", {x}, {{"shape", ShapeAttr(std::move(shape))}});
}

GraphVar Maker::Slice(const GraphVar& x, int64_t axis, Expr begin, Expr end) const {
  return Call("strided_slice", {x},
              {{"begin", ShapeAttr({std::move(begin)})},
               {"end", ShapeAttr({std::move(end)})},
               {"axes", IntsAttr({axis})}});
}

GraphVar Maker::Squeeze(const GraphVar& x, std::vector<int64_t> axes) const {
  if (axes.empty()) return x;
  return Call("squeeze", {x}, {{"axis", IntsAttr(std::move(axes))}});
}

GraphVar Maker::ExpandDims(const GraphVar& x, int64_t axis, int64_t count) const {
  if (count == 0) return x;
  return Call("expand_dims", {x}, {{"axis", IntAttr(axis)}, {"num_newaxis", IntAttr(count)}});
}

GraphVar Maker::Add(const GraphVar& x, const GraphVar& y) const { return Call("add", {x, y}); }
GraphVar Maker::Mul(const GraphVar& x, const GraphVar& y) const { return Call("multiply", {x, y}); }
GraphVar Maker::Sub(const GraphVar& x, const GraphVar& y) const { return Call("subtract", {x, y}); }
GraphVar Maker::Div(const GraphVar& x, const GraphVar& y) const { return Call("divide", {x, y}); }

// -- Weights.

GraphFuncRef LiftWeights(const GraphFuncRef& func, const NamedVars& weights,
                         std::vector<std::pair<std::string, TensorValue>>* lifted) {
  std::unordered_map<GraphVar, std::string, RefHash, RefEqual> names;
  for (const auto& [name, var] : weights) names.emplace(var, name);
  std::set<const ir::Node*> read{func->body->result.get()};
  for (const Ref<const ir::GraphBinding>& binding : func->body->bindings) {
    ForEachUse(*binding->value, [&](const ir::GraphVarNode& var) { read.insert(&var); });
  }
  return Rewrite(
      *func, {},
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        const auto at = names.find(before.var);
        if (at == names.end() || !read.contains(before.var.get())) return {};
        const auto& constant = static_cast<const ir::Constant&>(*value);
        lifted->emplace_back(at->second,
                             TensorValue{constant.dtype, ir::ShapeOf(constant), constant.data});
        return builder.Input(at->second, before.var->type);
      });
}

GraphVar NamedResult(Builder& b, const GraphVar& value, const std::string& name, bool is_input) {
  return value->name != name || is_input ? b.Call("identity", {value}, {}, name) : value;
}

void FinishImport(Builder& b, const std::vector<GraphVar>& results, const NamedVars* weights,
                  ImportedModel* out) {
  GraphFuncRef func = b.Finish(results.size() == 1 ? results[0] : b.Tuple(results, "outputs"));
  if (weights != nullptr) func = LiftWeights(func, *weights, &out->weights);
  for (const GraphVar& param : func->params) out->inputs.push_back(param->name);
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions.push_back(func);
  out->module = module;
}

}  // namespace lathe::graph
