#include <algorithm>
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

// Rows of fewer elements fill no vectors.
constexpr int64_t kLongRow = 16;

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
    if (!is_product) return nullptr;
    const GraphVar& right = call.args[1];
    if (!Attrs(GetOp(call.op), call.attrs).Bool("transpose_b")) {
      const auto made = transposed_.find(right.get());
      if (made == transposed_.end() || made->second.axes != SwapOf(right) ||
          !ReadsRowsOnce(call, made->second.of))
        return nullptr;
      return b_.Call(call.op, {call.args[0], made->second.of}, With(call.attrs, true), name);
    }
    if (ReadsRowsOnce(call, right) && !transposed_.contains(right.get())) return nullptr;
    return b_.Call(call.op, {call.args[0], Transposed(right, SwapOf(right), "")},
                   With(call.attrs, false), name);
  }

 private:
  static ir::Dict With(ir::Dict attrs, bool transpose_b) {
    attrs.insert_or_assign("transpose_b", BoolAttr(transpose_b));
    return attrs;
  }

  // The order in which the last two axes are swapped.
  static std::vector<int64_t> SwapOf(const GraphVar& var) {
    const auto rank =
        static_cast<int64_t>(static_cast<const ir::TensorType&>(*var->type).shape.size());
    std::vector<int64_t> axes;
    for (int64_t d = 0; d < rank; ++d) axes.push_back(d);
    if (rank >= 2) std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    return axes;
  }

  // Is the left operand one row, as in a step of a decoder? Then each element of the right one,
  // which has `rows` as its rows, is needed once, and a transposition would cost more than the
  // product. Constants are transposed when they are compiled.
  bool ReadsRowsOnce(const ir::GraphCall& call, const GraphVar& rows) const {
    const auto& left = static_cast<const ir::TensorType&>(*call.args[0]->type).shape;
    const auto& right = static_cast<const ir::TensorType&>(*rows->type).shape;
    if (left.size() < 2 || !ir::IsOne(left[left.size() - 2])) return false;
    const int64_t* length = ir::AsConstInt(right.back());
    return (length == nullptr || *length >= kLongRow) && !IsConstant(rows);
  }
  bool IsConstant(const GraphVar& var) const {
    return std::ranges::any_of(b_.OpenBindings(), [&](const Ref<const ir::GraphBinding>& binding) {
      return binding->var.same_as(var) && As<ir::Constant>(binding->value) != nullptr;
    });
  }

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
