#include <algorithm>
#include <unordered_map>

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

class Keeping {
 public:
  explicit Keeping(Builder& builder) : b_(builder) {}

  // What stands for the call; null if it stays as it is.
  GraphVar Rewritten(const ir::GraphCall& call, const ir::NodeRef& result_type,
                     const std::string& name) {
    if (call.op == "cast") return Cast(call, result_type, name);
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
    // An operator that states its result's type gives another one than it read.
    return ElementOf(wide) == kWide ? Narrowed(wide, result->dtype, name) : nullptr;
  }

 private:
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
  std::unordered_map<GraphVar, GraphVar, RefHash, RefEqual> wide_;  // rounded -> the float32
};

}  // namespace

GraphFuncRef KeepWide(const GraphFuncRef& func, const ir::GraphModule& module,
                      const GraphPassContext& context) {
  std::optional<Keeping> keeping;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (!keeping) keeping.emplace(builder);
        const auto* call = As<ir::GraphCall>(value);
        // What an inner block makes ends with it.
        if (call == nullptr || builder.OpenBlocks() > 1 || !context.RunsOnHost(*call))
          return nullptr;
        return keeping->Rewritten(*call, before.var->type, before.var->name);
      });
}

}  // namespace lathe::graph
