#include <unordered_map>

#include "base/planted_graphs.h"
#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

bool IsIdentity(const std::vector<int64_t>& axes) {
  for (size_t d = 0; d < axes.size(); ++d) {
    if (axes[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

// The order of a call of `transpose`, with each axis counted from the front.
std::vector<int64_t> OrderOf(const ir::GraphCall& call) {
  std::vector<int64_t> axes = Attrs(GetOp(call.op), call.attrs).Ints("axes");
  const auto rank =
      static_cast<int64_t>(static_cast<const ir::TensorType&>(*call.args[0]->type).shape.size());
  if (axes.empty()) {
    for (int64_t d = rank; d-- > 0;) axes.push_back(d);
  }
  for (int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  return axes;
}

class Transposing {
 public:
  explicit Transposing(Builder& builder) : b_(builder) {}

  GraphVar Rewritten(const ir::GraphCall& call, const std::string& name) {
    if (call.op == "transpose") return Transposed(call.args[0], OrderOf(call), name);
    if (call.op == "nn.dense") {
      return b_.Call("matmul", {call.args[0], Transposed(call.args[1], {1, 0}, "")},
                     OutType(call.attrs), name);
    }
    const bool is_product =
        call.op == "nn.batch_matmul" || call.op == "matmul" || call.op == "nn.matmul";
    if (!is_product || !Attrs(GetOp(call.op), call.attrs).Bool("transpose_b")) return nullptr;
    const auto rank =
        static_cast<int64_t>(static_cast<const ir::TensorType&>(*call.args[1]->type).shape.size());
    std::vector<int64_t> axes;
    for (int64_t d = 0; d + 2 < rank; ++d) axes.push_back(d);
    axes.push_back(rank - 1);
    axes.push_back(rank - 2);
    ir::Dict attrs = call.attrs;
    attrs.insert_or_assign("transpose_b", BoolAttr(false));
    return b_.Call(call.op, {call.args[0], Transposed(call.args[1], std::move(axes), "")},
                   std::move(attrs), name);
  }

 private:
  // `var` in another order; a transposition of a transposition is one, or none.
  GraphVar Transposed(GraphVar var, std::vector<int64_t> axes, const std::string& name) {
    if (const auto before = transposed_.find(var.get()); before != transposed_.end()) {
      std::vector<int64_t> outer = axes, inner = before->second.axes;
      if (Planted(PlantedGraphBug::kTransposedTwiceWrongly)) std::swap(outer, inner);
      for (size_t d = 0; d < axes.size(); ++d) axes[d] = inner[static_cast<size_t>(outer[d])];
      var = before->second.of;
    }
    if (IsIdentity(axes)) return var;
    GraphVar result =
        b_.Call("transpose", {var}, {{"axes", IntsAttr(axes)}}, name.empty() ? var->name : name);
    transposed_.emplace(result.get(), Transposition{var, std::move(axes)});
    kept_.push_back(result);
    return result;
  }

  static ir::Dict OutType(const ir::Dict& attrs) {
    const auto at = attrs.find("out_dtype");
    return at == attrs.end() ? ir::Dict() : ir::Dict{*at};
  }

  struct Transposition {
    GraphVar of;
    std::vector<int64_t> axes;
  };
  Builder& b_;
  std::unordered_map<const ir::Node*, Transposition> transposed_;
  std::vector<GraphVar> kept_;  // so that no other variable gets the address of a key
};

}  // namespace

// Products read the rows of their right operand side by side in vectors.
GraphFuncRef TransposeOperands(const GraphFuncRef& func, const ir::GraphModule& module,
                               const GraphPassContext&) {
  std::optional<Transposing> transposing;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (builder.OpenBlocks() > 1) return nullptr;
        if (!transposing) transposing.emplace(builder);
        const auto* call = As<ir::GraphCall>(value);
        return call == nullptr ? nullptr : transposing->Rewritten(*call, before.var->name);
      });
}

}  // namespace lathe::graph
