#include <algorithm>
#include <unordered_map>

#include "graph/passes/dot_products.h"
#include "graph/passes/known_values.h"
#include "graph/passes/pass.h"
#include "graph/passes/shape_of.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

const DataType kWide = DataType::Float(32);

// The element type of a tensor; void for tuples and others.
DataType ElementOf(const GraphVar& var) {
  const auto* tensor = As<ir::TensorType>(var->type);
  return tensor == nullptr ? DataType::Void() : tensor->dtype;
}
bool IsNarrow(DataType type) { return type == DataType::Float(16) || type == DataType::BFloat16(); }

bool IsConvolution(const std::string& op) {
  return op.starts_with("nn.conv1d") || op.starts_with("nn.conv2d") || op.starts_with("nn.conv3d");
}

class Keeping {
 public:
  Keeping(Builder& builder, const GraphPassContext& context) : b_(builder), context_(context) {}

  // What stands for the call; null if it stays as it is.
  GraphVar Rewritten(const ir::GraphCall& call, const ir::NodeRef& result_type,
                     const std::string& name) {
    if (call.op == "cast") return Cast(call, result_type, name);
    if (IsMatrixProduct(call.op) || IsConvolution(call.op)) return Product(call, name);
    const OpKind kind = GetOp(call.op).kind;
    const auto* result = As<ir::TensorType>(result_type);
    if ((kind != OpKind::kElementwise && kind != OpKind::kBroadcast) || result == nullptr ||
        !IsNarrow(result->dtype) || !ReadsWide(call, result->dtype)) {
      return nullptr;
    }
    Ref<ir::GraphCall> made = CopyOf(call);
    for (GraphVar& arg : made->args) {
      if (ElementOf(arg) == result->dtype) arg = Widened(arg);
    }
    const GraphVar wide = b_.Emit(std::move(made));
    // Not so if an attribute states the type of the result. The call made for nothing is dropped.
    return ElementOf(wide) == kWide ? Narrowed(wide, result->dtype, name) : nullptr;
  }

  void Remember(const GraphVar& var, const ir::NodeRef& value) { known_.Add(var, *value); }

 private:
  // A product of narrow operands has its sums in float32. If the target has no dot products for it,
  // it is one of float32.
  GraphVar Product(const ir::GraphCall& call, const std::string& name) {
    const DataType type = ElementOf(call.args[0]);
    if (!IsNarrow(type) || ElementOf(call.args[1]) != type) return nullptr;
    const OpDef& op = GetOp(call.op);
    const bool states_type =
        std::ranges::any_of(op.attrs, [](const AttrDef& attr) { return attr.name == "out_dtype"; });
    const std::string out = states_type ? Attrs(op, call.attrs).String("out_dtype") : "";
    const bool wide_result = out == "float32";
    if (!wide_result && !out.empty() && out != type.ToString()) return nullptr;
    Ref<ir::GraphCall> made = CopyOf(call);
    if (states_type) made->attrs.insert_or_assign("out_dtype", StringAttr("float32"));
    if (!ByDotProducts(*made, known_.Contains(call.args[1]), context_)) {
      made->attrs.erase("out_dtype");
      for (GraphVar& arg : made->args) {
        if (ElementOf(arg) == type) arg = Widened(arg);
      }
    } else if (wide_result) {
      return nullptr;
    }
    const GraphVar sums = b_.Emit(std::move(made), wide_result ? name : "");
    return wide_result ? sums : Narrowed(sums, type, name);
  }

  GraphVar Cast(const ir::GraphCall& call, const ir::NodeRef& result_type,
                const std::string& name) {
    const GraphVar& arg = call.args[0];
    const DataType from = ElementOf(arg),
                   to = static_cast<const ir::TensorType&>(*result_type).dtype;
    if (from == kWide && IsNarrow(to)) return Narrowed(arg, to, name);
    const auto at = wide_.find(arg);
    return to == kWide && at != wide_.end() ? at->second : nullptr;
  }

  // Is an operand a rounded float32, and are all floating operands of the narrow type?
  bool ReadsWide(const ir::GraphCall& call, DataType narrow) const {
    return std::ranges::any_of(call.args,
                               [&](const GraphVar& arg) { return wide_.contains(arg); }) &&
           std::ranges::all_of(call.args, [&](const GraphVar& arg) {
             return ElementOf(arg) == narrow || ElementOf(arg).is_integral() ||
                    ElementOf(arg).is_bool();
           });
  }

  GraphVar Widened(const GraphVar& var) {
    const auto at = wide_.find(var);
    return at != wide_.end() ? at->second
                             : b_.Call("cast", {var}, {{"dtype", StringAttr("float32")}});
  }
  GraphVar Narrowed(const GraphVar& wide, DataType narrow, const std::string& name) {
    GraphVar var = b_.Call("cast", {wide}, {{"dtype", StringAttr(narrow.ToString())}}, name);
    wide_.emplace(var, wide);
    return var;
  }

  Builder& b_;
  const GraphPassContext& context_;
  KnownValues known_;
  std::unordered_map<GraphVar, GraphVar, RefHash, RefEqual> wide_;  // rounded -> the float32
};

}  // namespace

GraphFuncRef KeepWide(const GraphFuncRef& func, const ir::GraphModule& module,
                      const GraphPassContext& context) {
  std::optional<Keeping> keeping;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (!keeping) keeping.emplace(builder, context);
        const auto* call = As<ir::GraphCall>(value);
        // What an inner block makes ends with it.
        if (builder.OpenBlocks() > 1) return nullptr;
        GraphVar var;
        if (call != nullptr && context.RunsOnHost(*call))
          var = keeping->Rewritten(*call, before.var->type, before.var->name);
        if (!var) var = builder.Emit(value, before.var->name);
        keeping->Remember(var, value);
        return var;
      });
}

}  // namespace lathe::graph
