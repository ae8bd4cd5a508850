#include <unordered_map>

#include "base/planted_graphs.h"
#include "graph/passes/known_values.h"
#include "graph/passes/pass.h"
#include "graph/passes/shape_of.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::Expr;
using ir::GraphVar;

// The columns of a product are padded to whole panels if this wastes at most a fifth of them.
constexpr int64_t kMostWaste = 5;

// The function that is built. A product of packed weights has a result [..., panels, columns],
// which is the same memory as [..., panels x columns], without the padding of the last panel: the
// twin of the plain result. Elementwise operators are made on the panels, so that they stay in the
// product's kernel.
class Packing {
 public:
  Packing(Builder& builder, int lanes) : b_(builder), lanes_(lanes) {}

  GraphVar Rewritten(const ir::NodeRef& value, const std::string& name,
                     const GraphPassContext& context) {
    const auto* call = As<ir::GraphCall>(value);
    const bool fits = call != nullptr && context.RunsOnHost(*call);
    GraphVar plain = fits ? OfCall(*call, name) : nullptr;
    if (plain) return plain;
    plain = b_.Emit(value, name);
    known_.Add(plain, *value);
    return plain;
  }

 private:
  struct Twin {
    GraphVar panels;  // [..., panels, columns of a panel]; null: there is none
    int64_t columns;  // of the plain result
    explicit operator bool() const { return static_cast<bool>(panels); }
  };

  // The result of the call, made of a twin in panels; null if it has none.
  GraphVar OfCall(const ir::GraphCall& call, const std::string& name) {
    const OpDef& op = GetOp(call.op);
    Twin twin{};
    if (call.op == "matmul" || call.op == "nn.matmul") {
      twin = Product(call);
    } else if (call.op == "nn.bias_add") {
      twin = Bias(call);
    } else if (op.kind == OpKind::kElementwise && call.args.size() == 1) {
      twin = TwinOf(call.args[0]);
      if (twin) twin.panels = b_.Call(call.op, {twin.panels}, call.attrs);
    } else if (op.kind == OpKind::kBroadcast && call.args.size() == 2 && op.attrs.empty()) {
      twin = Pointwise(call);
    }
    if (!twin) return nullptr;
    GraphVar plain = Plain(twin, name);
    twins_.insert_or_assign(plain, std::move(twin));
    return plain;
  }

  GraphVar Plain(const Twin& twin, const std::string& name) {
    std::vector<Expr> flat = ShapeOf(twin.panels);
    const int64_t padded = Number(flat.back()) * Number(flat.end()[-2]);
    flat.pop_back();
    flat.back() = Int64(padded);
    const int last = static_cast<int>(flat.size()) - 1;
    GraphVar plain =
        b_.Call("reshape", {twin.panels}, {{"newshape", ShapeAttr(std::move(flat))}}, name);
    if (padded == twin.columns) return plain;
    return b_.Call(
        "strided_slice", {plain},
        {{"begin", IntsAttr({0})}, {"end", IntsAttr({twin.columns})}, {"axes", IntsAttr({last})}},
        name);
  }

  Twin TwinOf(const GraphVar& plain) const {
    const auto at = twins_.find(plain);
    return at == twins_.end() ? Twin{} : at->second;
  }

  Twin Product(const ir::GraphCall& call) {
    const Attrs attrs(GetOp(call.op), call.attrs);
    GraphVar weight = call.args[1];
    if (!known_.Contains(weight) || attrs.Bool("transpose_a") || attrs.Bool("transpose_b") ||
        !attrs.String("out_dtype").empty() || ShapeOf(weight).size() != 2 ||
        ShapeOf(call.args[0]).size() < 2) {
      return {};
    }
    const int64_t k = Number(ShapeOf(weight)[0]), n = Number(ShapeOf(weight)[1]);
    // Two vectors of columns: as wide as register tiles are.
    const int64_t width = 2 * lanes_, waste = (width - n % width) % width;
    if (k == 0 || n == 0 || waste * kMostWaste > n) return {};
    const std::string name = weight->name;
    weight = PadLast(weight, waste);
    const GraphVar panels =
        b_.Call("layout_transform", {weight},
                {{"src_layout", StringAttr("IO")},
                 {"dst_layout", StringAttr("OI" + std::to_string(width) + "o")}},
                name);
    return {b_.Call("nn.contrib_dense_pack", {call.args[0], panels}), n};
  }

  GraphVar PadLast(const GraphVar& var, int64_t by) {
    if (by == 0) return var;
    std::vector<int64_t> widths(2 * ShapeOf(var).size(), 0);
    widths.back() = by;
    return b_.Call("nn.pad", {var}, {{"pad_width", IntsAttr(std::move(widths))}}, var->name);
  }

  // [panels x columns] beside a twin; null if that would cost a copy for each run.
  GraphVar Split(const GraphVar& var, const Twin& twin) {
    const Expr columns = ShapeOf(twin.panels).back(), panels = ShapeOf(twin.panels).end()[-2];
    const int64_t waste = Number(columns) * Number(panels) - twin.columns;
    if (waste != 0 && !known_.Contains(var) && ShapeOf(var).size() > 1) return nullptr;
    std::vector<Expr> shape = ShapeOf(var);
    shape.back() = panels;
    shape.push_back(columns);
    GraphVar split = b_.Call("reshape", {PadLast(var, waste)},
                             {{"newshape", ShapeAttr(std::move(shape))}}, var->name);
    if (!Planted(PlantedGraphBug::kPanelsWithoutBias)) return split;
    const int axis = static_cast<int>(ShapeOf(split).size()) - 2;
    return b_.Call("strided_slice", {split},
                   {{"begin", IntsAttr({0})}, {"end", IntsAttr({1})}, {"axes", IntsAttr({axis})}},
                   var->name);
  }

  Twin Bias(const ir::GraphCall& call) {
    Twin twin = TwinOf(call.args[0]);
    const int64_t axis = Attrs(GetOp(call.op), call.attrs).Int("axis");
    const auto last = static_cast<int64_t>(ShapeOf(call.args[0]).size()) - 1;
    if (!twin || (axis != -1 && axis != last)) return {};
    twin.panels = b_.Call("add", {twin.panels, Split(call.args[1], twin)});
    return twin;
  }

  Twin Pointwise(const ir::GraphCall& call) {
    Twin leader{};
    for (const GraphVar& arg : call.args) {
      if (!leader) leader = TwinOf(arg);
    }
    if (!leader) return {};
    std::vector<GraphVar> args;
    for (const GraphVar& arg : call.args) {
      GraphVar operand = TwinOf(arg).panels;
      if (!operand) {
        const std::vector<Expr>& shape = ShapeOf(arg);
        // One number for all stays; one for each row would have to be broadcast over two axes.
        const bool is_scalar = shape.empty() || (shape.size() == 1 && ir::IsOne(shape[0]));
        if (!is_scalar && Number(shape.back()) != leader.columns) return {};
        operand = is_scalar ? arg : Split(arg, leader);
        if (!operand) return {};
      }
      args.push_back(std::move(operand));
    }
    leader.panels = b_.Call(call.op, std::move(args), call.attrs);
    return leader;
  }

  Builder& b_;
  const int lanes_;
  KnownValues known_;
  std::unordered_map<GraphVar, Twin, RefHash, RefEqual> twins_;  // of plain values
};

}  // namespace

GraphFuncRef PackWeights(const GraphFuncRef& func, const ir::GraphModule& module,
                         const GraphPassContext& context) {
  if (context.vector_lanes < 2) return func;
  std::optional<Packing> packing;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        // Twins made outside of a block are visible in it, but not the other way round.
        if (builder.OpenBlocks() > 1) return nullptr;
        if (!packing) packing.emplace(builder, context.vector_lanes);
        return packing->Rewritten(value, before.var->name, context);
      });
}

}  // namespace lathe::graph
