#include <unordered_map>

#include "base/planted_graphs.h"
#include "graph/passes/pass.h"
#include "graph/uses.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

const ir::TensorType& Tensor(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type);
}

// The number of elements if all extents but that of `axis` (counted from the end) are 1; else -1.
int64_t VectorAlong(const ir::TensorType& type, size_t axis_from_end) {
  int64_t extent = 1;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const int64_t* constant = ir::AsConstInt(type.shape[i]);
    if (constant == nullptr) return -1;
    if (type.shape.size() - 1 - i == axis_from_end) {
      extent = *constant;
    } else if (*constant != 1) {
      return -1;
    }
  }
  return extent;
}

// Is a bias added along dimension `from_end`, counted from the end, of `rank` dimensions?
bool IsAlong(const ir::GraphCall& bias, size_t rank, size_t from_end) {
  const int64_t axis = Attrs(GetOp(bias.op), bias.attrs).Int("axis");
  const auto whole = static_cast<int64_t>(rank);
  return axis + (axis < 0 ? whole : 0) == whole - 1 - static_cast<int64_t>(from_end);
}

// One rewriting of a function.
class Folding {
 public:
  explicit Folding(const ir::GraphFunc& func) {
    ForEachUse(*func.body, [this](const ir::GraphVarNode& var) { ++uses_[&var]; });
  }

  GraphVar Apply(const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) {
    const auto* call = As<ir::GraphCall>(value);
    GraphVar var;
    if (call != nullptr && call->op == "multiply") {
      var = Scaled(call->args[0], call->args[1], builder);
      if (!var) var = Scaled(call->args[1], call->args[0], builder);
    }
    if (!var) var = builder.Emit(value, before.var->name);
    made_.insert_or_assign(var, value);
    // The new variable is read as often as the old one.
    read_once_[var.get()] = uses_[before.var.get()] == 1;
    return var;
  }

 private:
  const ir::Node* Made(const GraphVar& var) const {
    const auto at = made_.find(var);
    return at == made_.end() ? nullptr : at->second.get();
  }
  bool IsConstant(const GraphVar& var) const { return As<ir::Constant>(Made(var)) != nullptr; }
  // `var` is a call of `op` that only one binding reads.
  const ir::GraphCall* OnlyCall(const GraphVar& var, std::string_view op) const {
    const auto* call = As<ir::GraphCall>(Made(var));
    const auto once = read_once_.find(var.get());
    return call != nullptr && call->op == op && once != read_once_.end() && once->second ? call
                                                                                         : nullptr;
  }

  // product * scale, if the product's weight can take the factor; else null.
  GraphVar Scaled(const GraphVar& product, const GraphVar& scale, Builder& builder) {
    if (!IsConstant(scale)) return nullptr;
    const ir::GraphCall* bias = OnlyCall(product, "nn.bias_add");
    if (bias != nullptr && !IsConstant(bias->args[1])) return nullptr;
    const GraphVar inner = bias == nullptr ? product : bias->args[0];
    const ir::GraphCall* call = OnlyCall(inner, "nn.conv2d");
    const bool is_conv = call != nullptr;
    if (call == nullptr) call = OnlyCall(inner, "nn.dense");
    if (call == nullptr || !IsConstant(call->args[1])) return nullptr;
    const Attrs attrs(GetOp(call->op), call->attrs);
    // Where the channels are: in the product counted from the end, and in the weight.
    size_t from_end = 0;
    std::string kernel = "OI";
    if (is_conv) {
      const std::string data = attrs.String("data_layout");
      from_end = data.size() - 1 - data.find('C');
      kernel = attrs.String("kernel_layout");
    }
    if (bias != nullptr && !IsAlong(*bias, Tensor(inner).shape.size(), from_end)) return nullptr;
    const GraphVar weight = call->args[1];
    const size_t filters = kernel.find('O'), sources = kernel.find('I');
    const int64_t* channels = ir::AsConstInt(Tensor(weight).shape[filters]);
    if (channels == nullptr || VectorAlong(Tensor(scale), from_end) != *channels ||
        Tensor(scale).shape.size() > Tensor(inner).shape.size() ||
        Tensor(scale).dtype != Tensor(weight).dtype) {
      return nullptr;
    }
    std::vector<int64_t> per_channel(Tensor(weight).shape.size(), 1);
    const int64_t* inputs = ir::AsConstInt(Tensor(weight).shape[sources]);
    const bool wrong =
        Planted(PlantedGraphBug::kScaleOfInputs) && inputs != nullptr && *inputs == *channels;
    per_channel[wrong ? sources : filters] = *channels;
    const GraphVar factor = builder.Call("reshape", {scale}, {{"newshape", IntsAttr(per_channel)}});
    Ref<ir::GraphCall> scaled = CopyOf(*call);
    scaled->args[1] = builder.Call("multiply", {weight, factor}, {}, weight->name);
    GraphVar out = builder.Emit(scaled, inner->name);
    if (bias == nullptr) return out;
    if (Planted(PlantedGraphBug::kBiasNotScaled)) {
      return builder.Call("nn.bias_add", {out, bias->args[1]}, bias->attrs, product->name);
    }
    const GraphVar flat = builder.Call("reshape", {scale}, {{"newshape", IntsAttr({*channels})}});
    return builder.Call(
        "nn.bias_add",
        {out, builder.Call("multiply", {bias->args[1], flat}, {}, bias->args[1]->name)},
        bias->attrs, product->name);
  }

  std::unordered_map<const ir::Node*, int> uses_;  // of the function before
  std::unordered_map<const ir::Node*, bool> read_once_;
  std::unordered_map<GraphVar, ir::NodeRef, RefHash, RefEqual> made_;
};

}  // namespace

GraphFuncRef FoldScale(const GraphFuncRef& func, const ir::GraphModule& module,
                       const GraphPassContext&) {
  Folding folding(*func);
  return Rewrite(*func, module,
                 [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) {
                   return folding.Apply(before, value, builder);
                 });
}

}  // namespace lathe::graph
